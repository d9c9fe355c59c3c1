"""Hiding what looks like a secret in the arguments and addresses of configured servers.

For showing only. Errs on the side of hiding: a hidden word is a nuisance, a visible token is a leak.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

HIDDEN = "…"
_WORD = re.compile(r"(?i)token|secret|passw|api[_-]?key|credential|private[_-]?key|auth|bearer")
_KNOWN = re.compile(
    r"\b(sk-|sk_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abps]-|AKIA|AIza|ya29\.|eyJ[A-Za-z0-9_-]{10})"
)
_LONG = re.compile(r"^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_+=-]{28,}$")


def hide_secrets(args: Sequence[str]) -> list[str]:
    """The same words with values of secret options, headers and long keys replaced."""
    visible: list[str] = []
    hide_next = False
    for word in args:
        name, equals, value = word.partition("=")
        is_flag = word.startswith("-")
        if hide_next and not is_flag:
            visible.append(HIDDEN)
        elif equals and _WORD.search(name) and value:
            visible.append(f"{name}={HIDDEN}")
        elif "://" in word:
            visible.append(hide_login(word))
        elif not is_flag and ":" in word and _WORD.search(word.split(":", 1)[0]):
            visible.append(f"{word.split(':', 1)[0]}: {HIDDEN}")
        elif _KNOWN.search(word) or _LONG.match(value or word):
            visible.append(HIDDEN)
        else:
            visible.append(word)
        hide_next = is_flag and not equals and bool(_WORD.search(word))
    return visible


def hide_login(url: str) -> str:
    """An address without user, password, query and fragment; keys travel in all of them."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return HIDDEN
    path = "/".join(
        HIDDEN if _KNOWN.search(part) or _LONG.match(part) else part
        for part in parts.path.split("/")
    )
    visible = urlunsplit((parts.scheme, host, path, "", ""))
    return visible + (f"?{HIDDEN}" if parts.query or parts.fragment else "")
