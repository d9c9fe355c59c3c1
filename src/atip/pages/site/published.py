"""A published registry, read for its pages: the catalogue, each tool's shims, and what is beside them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError, NotFoundError
from atip.model.reading.decode import decode, decode_tool
from atip.model.reading.reader import STORE, read_json
from atip.model.shapes.quick_check import is_surely_readable
from atip.model.value import Value
from atip.pages.site.quick_records import quick_record
from atip.registry import tree
from atip.registry.publish.files.delivery import headers_for
from atip.system.stores.objects import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.model.tool import Tool
    from atip.system.stores.objects import ObjectStore

_MAX_CATALOG = 256_000_000


class ShimEntry(Value):
    """One shim as the catalogue lists it."""

    version: str
    platform: str
    hash: str
    is_signed: bool
    """A signature lies beside it. Whether it counts is for those who check it."""


class CatalogEntry(Value):
    """A tool as the catalogue lists it, unread."""

    name: str
    description: str
    shims: tuple[ShimEntry, ...]
    """From the oldest version to the newest."""


class PublishedShim(Value):
    """One published shim of a tool with its bytes."""

    entry: ShimEntry
    data: bytes
    bundle: bytes | None = None
    """The signature beside it."""

    def decode(self) -> Tool | None:
        """The tool; None for a document that cannot be read."""
        try:
            document: Any = read_json(self.data, fast_bytes=0)
            if is_surely_readable(document):
                return decode_tool(document, quick_record)
            return decode(document, record=quick_record).tool
        except FormatError:
            return None


class PublishedTool(Value):
    """All shims of one name, from the oldest version to the newest."""

    name: str
    description: str
    shims: tuple[PublishedShim, ...]

    @property
    def mark(self) -> str:
        """Changes with anything that the tool's pages are made from."""
        state = hashlib.sha256(self.description.encode("utf-8", "surrogatepass"))
        for shim in self.shims:
            entry = shim.entry
            head = f"\0{entry.version}\0{entry.platform}\0{entry.hash}\0{entry.is_signed}\0"
            state.update(head.encode("utf-8", "surrogatepass"))
            state.update(hashlib.sha256(shim.data).digest())
            state.update(hashlib.sha256(shim.bundle or b"").digest())
        return state.hexdigest()[:32]


def open_registry(place: str) -> ObjectStore:
    """The store of a published tree, for reading."""
    return open_store(place, headers_for)


def read_tool(store: ObjectStore, entry: CatalogEntry) -> PublishedTool:
    """A tool with the bytes of its shims; a shim that is missing is left out."""
    found = [_read_shim(store, shim) for shim in entry.shims]
    shims = tuple(shim for shim in found if shim is not None)
    return PublishedTool(name=entry.name, description=entry.description, shims=shims)


def _read_shim(store: ObjectStore, entry: ShimEntry) -> PublishedShim | None:
    digits = entry.hash.removeprefix("sha256:")
    data = _read(store, tree.shim_path(digits))
    if data is None:
        return None
    bundle = _read(store, tree.bundle_path(digits)) if entry.is_signed else None
    return PublishedShim(entry=entry, data=data, bundle=bundle)


def _read(store: ObjectStore, path: str) -> bytes | None:
    """None for what is missing; empty for what is too large to be read: its page says so."""
    try:
        found = store.find(path, tree.MAX_SHIM)
    except FormatError:
        return b""
    return None if found is None else found.data


class Registry:
    """A published tree."""

    def __init__(self, place: str) -> None:
        """
        Raises:
            NotFoundError: `site.no-registry`.
            FormatError: the catalogue cannot be read.
        """
        self._store = open_registry(place)
        found = self._store.find(tree.CATALOG, _MAX_CATALOG)
        if found is None:
            hint = "name the published tree, such as DIR/public; `atip registry build DIR` makes it"
            raise NotFoundError("site.no-registry", f"`{place}` has no `{tree.CATALOG}`", hint=hint)
        catalog: Any = read_json(found.data, STORE)
        if not isinstance(catalog, dict) or not isinstance(catalog.get("tools"), dict):
            raise FormatError("site.catalog", f"`{tree.CATALOG}` of `{place}` has no tools")
        self._tools: dict[str, Any] = catalog["tools"]
        self.updated = str(catalog.get("updated", ""))
        self.total = int(catalog.get("totalShims", 0))
        self._stamps = {info.key: info.stamp for info in self._store.list(tree.SHIMS)}
        self.manifest = self._document(tree.MANIFEST)
        self.coverage = self._document(tree.COVERAGE)

    @property
    def name(self) -> str:
        return str(self._about("name") or "Registry")

    @property
    def url(self) -> str:
        return str(self._about("url") or "")

    @property
    def fingerprint(self) -> str:
        tuf = _object(_object(self.manifest.get("x-atip")).get("tuf"))
        return str(tuf.get("fingerprint", ""))

    def names(self) -> list[str]:
        """Every tool, sorted."""
        return sorted(self._tools)

    def stamp(self, name: str) -> str:
        """Stays the same only if nothing of a tool was written since; empty when that cannot be told."""
        parts = [str(_object(self._tools[name]).get("description", ""))]
        for version, platform, digest in self._listed(name):
            digits = digest.removeprefix("sha256:")
            written = self._stamps.get(tree.shim_path(digits), "")
            if not written:
                return ""
            parts += (version, platform, digest, written)
            parts.append(str(self._stamps.get(tree.bundle_path(digits))))
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()[:32]

    def entry(self, name: str) -> CatalogEntry:
        """Catalog entry of a tool."""
        shims = tuple(
            ShimEntry(
                version=version,
                platform=platform,
                hash=digest,
                is_signed=tree.bundle_path(digest.removeprefix("sha256:")) in self._stamps,
            )
            for version, platform, digest in self._listed(name)
        )
        description = str(_object(self._tools[name]).get("description", ""))
        return CatalogEntry(name=name, description=description, shims=shims)

    def _listed(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Version, platform and digest of each shim of a tool."""
        for version, platforms in _object(_object(self._tools[name]).get("versions")).items():
            for platform, digest in _object(platforms).items():
                if tree.is_hex_digest(str(digest).removeprefix("sha256:")):
                    yield version, platform, str(digest)

    def _about(self, key: str) -> object:
        return _object(self.manifest.get("registry")).get(key)

    def _document(self, path: str) -> dict[str, Any]:
        found = self._store.find(path, tree.MAX_INDEX)
        if found is None:
            return {}
        try:
            return _object(read_json(found.data))
        except FormatError:
            return {}


def _object(value: object) -> dict[str, Any]:
    """A JSON object; what is anything else says nothing."""
    return value if isinstance(value, dict) else {}
