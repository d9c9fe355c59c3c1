"""Names of functions and parameters: from a command's path to something every provider accepts, and unique.

`gh pr create` → `gh_pr_create`. Words are joined by one `_`; a `_` inside a word is doubled, so that
`gh pr_create` is `gh_pr__create` and the two never meet. What cannot be spelled that way (other
characters, more than 64 of them) gets a readable rest and a digest of the exact path after `___`, a run of
underscores that the plain form cannot contain. A name depends on nothing but tool and path: adding a
command renames no other. The way back is the table of functions, never a guess.
Implements ATIP 0.6 §8.2 rule 3, A11.
"""

from __future__ import annotations

import hashlib
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

MAX_NAME = 64
_DIGEST_MARK = "___"
_DIGITS = 8
_PLAIN = re.compile(r"[A-Za-z0-9-]+(?:_+[A-Za-z0-9-]+)*\Z")
"""A word that may stand in a name as it is, `_` doubled: it neither starts nor ends with `_`."""
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}\Z")
_NOT_NAME = re.compile(r"[^A-Za-z0-9]+")


def function_name(tool: str, path: tuple[str, ...], *, digits: int = _DIGITS) -> str:
    """The function of one command. Empty words (the bare tool, A11) do not appear."""
    words = [tool, *(word for word in path if word)]
    name = "_".join(words)
    if "_" in "".join(words):
        name = "_".join([word.replace("_", "__") for word in words])
    if not name[:1].isalpha():
        # Gemini wants a letter or `_` first: `7z` is `_7z`; no plain name begins with `_`.
        name = "_" + name
    if len(name) <= MAX_NAME and name.isascii() and all(map(_PLAIN.match, words)):
        return name
    return _digested(words, digits)


def _digested(words: list[str], digits: int) -> str:
    exact = "\0".join(words).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(exact).hexdigest()[:digits]
    room = MAX_NAME - len(_DIGEST_MARK) - digits
    readable = _NOT_NAME.sub("_", "_".join(words)).strip("_")[:room].rstrip("_") or "tool"
    if not readable[0].isalpha():
        readable = f"t{readable}"[:room].rstrip("_")
    return readable + _DIGEST_MARK + digest


def parameter_key(name: str, taken: Container[str]) -> str:
    """A key for a parameter: its own name where legal and free, else the nearest that is."""
    key = name if _KEY.match(name) else _legal_key(name)
    if key not in taken:
        return key
    stem = key[: MAX_NAME - 4]
    number = 2
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def _legal_key(name: str) -> str:
    readable = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("-")
    if not readable[:1].isalpha() and readable[:1] != "_":
        readable = "p_" + readable
    if len(readable) > MAX_NAME:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        readable = f"{readable[: MAX_NAME - 9]}_{digest}"
    return readable
