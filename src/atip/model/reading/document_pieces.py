"""A large API document in pieces: each path and each shared part as its own bytes, found without reading them.

Most syncs meet a document that did not change, or changed in one place. Splitting costs a few milliseconds where
reading costs a tenth of a second; what did not change is never read. Only JSON; other documents are read whole.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHARED = ("definitions", "parameters", "responses")
"""Top-level tables of Swagger 2; OpenAPI 3 keeps them below `components`."""
_DECISIVE = frozenset(
    {
        "openapi", "swagger", "servers", "security", "securityDefinitions", "host", "basePath", "schemes",
        "consumes", "produces",
    }
)  # fmt: skip
"""Top-level fields that affect every operation."""
_REFERENCE = re.compile(rb'"\$ref"\s*:\s*"(#/[^"]+)"')


class Pieces(Value):
    """The parts of one document, unread."""

    rest: Mapping[str, Any]
    """Everything else at the top, read: `info`, `servers`, `security` …"""
    paths: Mapping[str, bytes]
    tables: Mapping[str, Mapping[str, bytes]]
    """Shared parts by table: `components/schemas` → name → bytes."""

    def digests(self) -> dict[str, str]:
        """Reference or path → digest; `` stands for what concerns every path."""
        digests = {path: _digest(data) for path, data in self.paths.items()}
        for table, parts in self.tables.items():
            for name, data in parts.items():
                digests[f"#/{table}/{name}"] = _digest(data)
        decisive = {key: value for key, value in self.rest.items() if key in _DECISIVE}
        digests[""] = _digest(json.dumps(decisive, sort_keys=True).encode())
        return digests

    def touched(self, changed: Iterable[str]) -> set[str]:
        """Paths that changed, or that reach a changed part through references."""
        moved = set(changed)
        parts = {
            f"#/{table}/{name}": set(_references(data))
            for table, listed in self.tables.items()
            for name, data in listed.items()
        }
        grew = True
        while grew:
            more = {name for name, refers in parts.items() if name not in moved and refers & moved}
            moved |= more
            grew = bool(more)
        return {
            path
            for path, data in self.paths.items()
            if path in moved or not moved.isdisjoint(_references(data))
        }

    def document(self, paths: Iterable[str]) -> dict[str, Any]:
        """The document with only some of its paths; shared parts are parsed on first use."""
        document: dict[str, Any] = dict(self.rest)
        document["paths"] = {path: json.loads(self.paths[path]) for path in paths}
        for table, parts in self.tables.items():
            holder, _, name = table.rpartition("/")
            place = document.setdefault(holder, {}) if holder else document
            place[name] = _LazyTable(parts)
        return document


class _LazyTable(dict[str, "Any"]):
    """A table whose values are parsed on first use."""

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        if isinstance(value, bytes):
            value = json.loads(value)
            self[name] = value
        return value

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401 - `get` is what is defined

    def items(self) -> Any:
        return [(name, self[name]) for name in self]


def split_document(data: bytes) -> Pieces | None:
    """The pieces of a JSON document with `paths`; None for anything else."""
    import msgspec

    raw = dict[str, msgspec.Raw]
    try:
        top = msgspec.json.decode(data, type=raw)
        paths = msgspec.json.decode(top.pop("paths"), type=raw)
        tables = {}
        if "components" in top:
            for name, table in msgspec.json.decode(top.pop("components"), type=raw).items():
                tables[f"components/{name}"] = msgspec.json.decode(table, type=raw)
        for name in _SHARED:
            if name in top:
                tables[name] = msgspec.json.decode(top.pop(name), type=raw)
        rest = {name: json.loads(bytes(value)) for name, value in top.items()}
    except (msgspec.DecodeError, KeyError, ValueError, RecursionError):
        return None
    return Pieces(
        rest=rest,
        paths={name: bytes(value) for name, value in paths.items()},
        tables={
            table: {name: bytes(value) for name, value in parts.items()}
            for table, parts in tables.items()
        },
    )


def _references(data: bytes) -> list[str]:
    return [reference.decode("utf-8", "replace") for reference in _REFERENCE.findall(data)]


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=12).hexdigest()
