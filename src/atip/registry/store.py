"""The local store: index and metadata on disk, exactly as ATIP 0.6 §4.2–4.3 lays them out.

Writers hold a lock and replace whole files; readers never lock. What cannot be read is moved to
`quarantine/` with a message, never silently replaced. Imports little: `show` and `list` sit on it.
"""

from __future__ import annotations

import os

from atip.errors import FormatError, NotFoundError
from atip.model import plain_json
from atip.model.branch import is_large, joined, split
from atip.registry import layout
from atip.system.clock import now, now_iso
from atip.system.digests import sha256_hex
from atip.system.files import locked, make_private, read_bytes, write_atomic
from atip.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from atip.system.paths import Places

    Entry = dict[str, Any]
    Index = dict[str, Any]

MAX_METADATA = 64_000_000
MAX_INDEX = 256_000_000


class Store:
    """One user's knowledge of the tools on this machine."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self._made: set[str] = set()
        """Folders that this object has made or found to be the user's."""

    # -- index ---------------------------------------------------------------------------------

    def load_index(self) -> Index:
        """The index; an empty one when there is none yet.

        Raises:
            FormatError: `store.corrupt` after the file was moved to quarantine.
        """
        path = os.path.join(self.places.data, layout.INDEX)
        try:
            data = read_bytes(path, MAX_INDEX)
        except NotFoundError:
            return layout.empty_index(now_iso(), __version__)
        try:
            # Plain `json`: what a tool's entry says is checked against the tool itself when used.
            index = plain_json.loads(data.decode())
        except (ValueError, RecursionError) as error:
            raise self._quarantine(path) from error
        if not isinstance(index, dict) or not isinstance(index.get("tools"), dict):
            raise self._quarantine(path)
        return layout.migrated(index, now_iso())

    def stamp(self) -> int:
        """A number that changes with every write, so that agents notice changes."""
        return int(self.load_index().get("_stamp") or 0)

    def find(self, name: str) -> Entry | None:
        """The entry of a tool, or None."""
        entry = self.load_index()["tools"].get(name)
        return entry if isinstance(entry, dict) else None

    def update(self, change: Callable[[dict[str, Entry]], None]) -> Index:
        """Change the entries under the lock and write the index; durable when this returns."""
        make_private(self.places.data)
        with locked(os.path.join(self.places.data, ".lock")):
            index = self.load_index()
            change(index["tools"])
            index["updated"] = now_iso()
            index["agent"] = {"name": "atip", "version": __version__}
            index["_stamp"] = int(index.get("_stamp") or 0) + 1
            self._write(layout.INDEX, index)
            return index

    def put(self, entries: Mapping[str, Entry]) -> None:
        """Add or replace entries, many at once."""
        self.update(lambda tools: tools.update(entries))

    def forget(self, names: list[str]) -> list[str]:
        """Remove entries; returns the names that were there. Metadata by hash stays: others may use it."""
        gone: list[str] = []

        def change(tools: dict[str, Entry]) -> None:
            gone.extend(name for name in names if tools.pop(name, None) is not None)

        self.update(change)
        return gone

    # -- metadata ------------------------------------------------------------------------------

    def load_bytes(self, name: str, entry: Entry) -> bytes:
        """The stored metadata of an entry, as written.

        Raises:
            NotFoundError: `store.no-metadata`.
            FormatError: `store.corrupt` when the bytes are not those that were written.
        """
        return self._load(name, entry)[0]

    def _load(self, name: str, entry: Entry) -> tuple[bytes, bool]:
        """The bytes, and whether they are proven to be those that we wrote."""
        for relative in layout.candidates(name, entry):
            path = os.path.join(self.places.data, relative)
            try:
                data = read_bytes(path, MAX_METADATA)
            except NotFoundError:
                continue
            own = entry.get("x-atip")
            expected = own.get("metadataHash") if isinstance(own, dict) else None
            if expected and expected != digest_of(data):
                raise self._quarantine(path)
            return data, bool(expected)
        raise NotFoundError(
            "store.no-metadata",
            f"nothing is known about `{name}` yet",
            hint=f"try `atip infer {name}`",
        )

    def load_metadata(self, name: str, entry: Entry, words: Sequence[str] = ()) -> dict[str, Any]:
        """The stored metadata as plain values (cache records of 0.1 are unwrapped).

        Args:
            words: of a command line; of a very large tool, only the branches that these name are read.
        """
        data, is_ours = self._load(name, entry)
        document = layout.unwrapped(
            plain_json.loads(data.decode()) if is_ours else _read_foreign(data)
        )
        if not isinstance(document, dict):
            raise FormatError("store.corrupt", f"metadata of `{name}` is not an object")
        # SECURITY: only an outline of our own, proven by its digest, names files to read.
        return joined(document, words, self._load_branch) if is_ours else document

    def _load_branch(self, digest: str) -> dict[str, Any]:
        path = os.path.join(self.places.data, layout.branch_name(digest))
        data = read_bytes(path, MAX_METADATA)
        if digest_of(data) != digest:
            raise self._quarantine(path)
        branch = plain_json.loads(data.decode())
        return branch if isinstance(branch, dict) else {}

    def save_metadata(self, relative: str, document: dict[str, Any]) -> str:
        """Write one metadata file, a very large one of our own making in branches; returns the digest of its bytes."""
        trust = document.get("trust")
        is_inferred = isinstance(trust, dict) and trust.get("source") == "inferred"
        if is_inferred and "partial" not in document and is_large(document):
            document = split(document, self._save_branch)
        return self._save(relative, _render(document))

    def _save_branch(self, branch: dict[str, Any]) -> str:
        data = _render(branch)
        return self._save(layout.branch_name(digest_of(data)), data)

    def _save(self, relative: str, data: bytes) -> str:
        path = os.path.join(self.places.data, relative)
        folder = os.path.dirname(path)
        if folder not in self._made or not os.path.isdir(folder):
            make_private(folder)
            self._made.add(folder)
        write_atomic(path, data, durable=False)
        return digest_of(data)

    def drop_metadata(self, relative: str) -> None:
        """Remove one metadata file, as when the registry that it came from no longer vouches for it."""
        import contextlib

        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.places.data, relative))

    def has_metadata(self, relative: str) -> bool:
        return os.path.exists(os.path.join(self.places.data, relative))

    # -- inside --------------------------------------------------------------------------------

    def _write(self, relative: str, document: dict[str, Any]) -> None:
        write_atomic(os.path.join(self.places.data, relative), _render(document))

    def _quarantine(self, path: str) -> FormatError:
        folder = os.path.join(self.places.data, "quarantine")
        make_private(folder)
        kept = os.path.join(folder, f"{int(now())}-{os.path.basename(path)}")
        os.replace(path, kept)
        return FormatError(
            "store.corrupt",
            f"`{os.path.basename(path)}` is damaged; moved to `{kept}`",
            hint="run `atip scan` to learn again",
        )


def digest_of(data: bytes) -> str:
    """`sha256:` and hex digits of some bytes."""
    return f"sha256:{sha256_hex(data)}"


def _render(document: dict[str, Any]) -> bytes:
    import json  # for writers only; readers start without it

    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _read_foreign(data: bytes) -> object:
    """Metadata that another program put into the store passes the strict reader."""
    from atip.model.reader import STORE, read_json

    return read_json(data, STORE)
