"""Approval: what a project's configuration would start, read or reach, and whether the user approved exactly that.

A configuration is part of a project, so anyone who can write to the project can change it: a colleague, a package, a confined run. It can
name programs, secrets and hosts. So it is not used until the user has seen these and approved them on a terminal. The approval is for this
path and this parsed content; the value that was checked is the value that is used. Any change needs a new approval. Dangers are detected by
the form of a value, not by its key, so that a new kind of source needs no rule here.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from atip.model.value import Value
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.apis.config import ApiConfig, SourceConfig

_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_STARTING = ("command:",)
_SECRETS = ("file:", "keyring:")
_PROGRAMS = frozenset(("command", "resolver", "program"))
_FILES = {"reads": "file", "writes": "writes"}
_PLACES = frozenset(("url", "baseUrl", "endpoint", "tokenUrl", "authUrl", "hosts"))


class Danger(Value):
    """One thing that a configuration would do."""

    kind: str
    """`starts`, `secret`, `host`, `file` or `writes`."""
    text: str

    def to_text(self) -> str:
        words = {
            "starts": "starts",
            "secret": "uses the secret",
            "host": "connects to",
            "file": "reads",
            "writes": "writes",
        }
        return f"{words[self.kind]} {self.text}"


def find_dangers(config: ApiConfig) -> tuple[Danger, ...]:
    """Everything in a configuration that needs approval; empty: it uses only its own folder."""
    dangers: dict[Danger, None] = {}
    for source in config.sources:
        for danger in _in_source(source):
            dangers[danger] = None
    return tuple(dangers)


def has_secrets(source: SourceConfig) -> bool:
    """Whether a source uses a credential."""
    return any(danger.kind in ("secret", "starts") for danger in _in_source(source)) or bool(
        source.settings.get("auth") or source.settings.get("headers")
    )


def digest_of(config: ApiConfig, origin: str = "") -> str:
    """Digest that an approval is bound to: path, content, and the origin where the content does not state it."""
    place = os.path.realpath(config.folder)
    parts = [place, json.dumps(config.settings, sort_keys=True, ensure_ascii=True), origin]
    return f"sha256:{sha256_hex(json.dumps(parts).encode())}"


def _in_source(source: SourceConfig) -> Iterator[Danger]:
    for key, text in _texts(source.settings, ""):
        yield from _in_text(key, text, source)


def _texts(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, str(name))
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, key)


def _in_text(key: str, text: str, source: SourceConfig) -> Iterator[Danger]:
    if key in _PROGRAMS or text.startswith(_STARTING):
        words = (text, *map(str, source.settings.get("args", ()))) if key == "command" else (text,)
        yield Danger(kind="starts", text=" ".join(words))
    if text.startswith(_SECRETS) and not text.startswith("file://"):
        yield Danger(kind="secret", text=text)
    if key in _FILES:
        yield Danger(kind=_FILES[key], text=text)
    for name in _VARIABLE.findall(text):
        yield Danger(kind="secret", text=name)
    if "://" in text or key in _PLACES:
        yield from _place(text, source)


def _place(text: str, source: SourceConfig) -> Iterator[Danger]:
    scheme, _, rest = text.partition("://")
    if scheme.partition("+")[0] == "sqlite":
        path = os.path.realpath(os.path.join(source.folder, rest.removeprefix("/").split("?")[0]))
        if not path.startswith(os.path.realpath(source.folder) + os.sep):
            yield Danger(kind="file", text=path)
        return
    try:
        host = urlsplit(text).netloc.rpartition("@")[2] if rest else text
    except ValueError:
        host = text
    yield Danger(kind="host", text=host or text)
