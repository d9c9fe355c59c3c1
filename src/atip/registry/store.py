"""The local store: index and metadata on disk, exactly as ATIP 0.6 §4.2–4.3 lays them out.

Writers hold a lock and replace whole files; readers never lock. What cannot be read is moved to
`quarantine/` with a message, never silently replaced. Imports little: `show` and `list` sit on it.
"""

from __future__ import annotations

import os

from atip.errors import FormatError, NotFoundError
from atip.model.reading import plain_json
from atip.model.reading.branch import is_large, joined, split
from atip.registry import layout
from atip.system.clock import now, now_iso
from atip.system.digests import sha256_hex
from atip.system.files import locked, make_private, read_bytes, read_piece, write_atomic
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
        self._created: set[str] = set()
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
            # Plain `json`: a tool's entry is checked against the tool itself when used.
            index = plain_json.loads(data.decode())
        except (ValueError, RecursionError) as error:
            raise self._quarantine(path) from error
        if not isinstance(index, dict) or not isinstance(index.get("tools"), dict):
            raise self._quarantine(path)
        return layout.migrate_index(index, now_iso())

    def stamp(self) -> int:
        """A number that changes with every write, so that agents notice changes."""
        return int(self.load_index().get("_stamp") or 0)

    def find(self, name: str) -> Entry | None:
        """The entry of a tool, or None."""
        return self.open_index()(name)

    def open_index(self) -> Callable[[str], Entry | None]:
        """Finds entries in the index as it is now; of an index that we wrote, only the requested lines are parsed."""
        try:
            data = read_bytes(os.path.join(self.places.data, layout.INDEX), MAX_INDEX)
        except NotFoundError:
            return lambda _name: None
        all_entries: dict[str, Any] = {}

        def find(name: str) -> Entry | None:
            try:
                return layout.find_entry(data, name)
            except (ValueError, RecursionError):
                all_entries.update(all_entries or self.load_index()["tools"])
            entry = all_entries.get(name)
            return entry if isinstance(entry, dict) else None

        return find

    def update(self, change: Callable[[dict[str, Entry]], None]) -> Index:
        """Change the entries under the lock and write the index; durable when this returns."""
        make_private(self.places.data)
        with locked(os.path.join(self.places.data, ".lock")):
            index = self.load_index()
            change(index["tools"])
            index["updated"] = now_iso()
            index["agent"] = {"name": "atip", "version": __version__}
            index["_stamp"] = int(index.get("_stamp") or 0) + 1
            write_atomic(os.path.join(self.places.data, layout.INDEX), layout.index_bytes(index))
            return index

    def put(self, entries: Mapping[str, Entry]) -> None:
        """Add or replace entries, many at once."""
        self.update(lambda tools: tools.update(entries))

    def forget(self, names: list[str]) -> list[str]:
        """Remove entries; returns the names that were there. Metadata by hash stays: others may use it."""
        removed: list[str] = []

        def change(tools: dict[str, Entry]) -> None:
            removed.extend(name for name in names if tools.pop(name, None) is not None)

        self.update(change)
        return removed

    # -- metadata ------------------------------------------------------------------------------

    def load_bytes(self, name: str, entry: Entry) -> bytes:
        """The stored metadata of an entry, as written.

        Raises:
            NotFoundError: `store.no-metadata`.
            FormatError: `store.corrupt` when the bytes are not those that were written; `store.wrong-binary` when a shim
                does not describe the binary in its file name.
        """
        return self._load(name, entry)[0]

    def _load(self, name: str, entry: Entry) -> tuple[bytes, bool]:
        """The bytes, and whether their digest proves that we wrote them."""
        for relative in layout.candidates(name, entry):
            path = os.path.join(self.places.data, relative)
            try:
                data = read_bytes(path, MAX_METADATA)
            except NotFoundError:
                continue
            extension = entry.get("x-atip")
            expected = extension.get("metadataHash") if isinstance(extension, dict) else None
            if expected and expected != digest_of(data):
                raise self._quarantine(path)
            # What we wrote was compared with the binary before; what another put there was not.
            if expected or self._is_about(relative, data, entry):
                return data, bool(expected)
        raise NotFoundError(
            "store.no-metadata", f"no metadata for `{name}` yet", hint=f"try `atip infer {name}`"
        )

    def _is_about(self, relative: str, data: bytes, entry: Entry) -> bool:
        """Whether a foreign shim may describe this entry's binary. One by name may well be about another version.

        Raises:
            FormatError: `store.wrong-binary`: its file name and its content name different binaries; moved to quarantine.
        """
        digest = layout.claimed_binary(_read_foreign(data))
        if digest is None or not relative.startswith("shims/"):
            return True
        file_digest = layout.named_binary(relative)
        # SECURITY: a shim of another binary would describe this one.
        if file_digest and digest != file_digest:
            raise self._quarantine_shim(os.path.join(self.places.data, relative), digest)
        return digest == str(entry.get("hash") or digest).lower()

    def load_metadata(self, name: str, entry: Entry, words: Sequence[str] = ()) -> dict[str, Any]:
        """The stored metadata as plain values (cache records of 0.1 are unwrapped).

        Args:
            words: of a command line; of a very large tool, only the branches that these name are read.
        """
        data, is_ours = self._load(name, entry)
        document = layout.unwrap(
            plain_json.loads(data.decode()) if is_ours else _read_foreign(data)
        )
        if not isinstance(document, dict):
            raise FormatError("store.corrupt", f"metadata of `{name}` is not an object")
        # SECURITY: only an outline of our own, proven by its digest, names files to read.
        return joined(document, words, self._load_branch) if is_ours else document

    def load_part(self, name: str, entry: Entry, word: str) -> dict[str, Any] | None:
        """The document of an entry in which the top-level command `word` is whole and the others are stubs, read without
        them; None where that is not possible.
        """
        from atip.model.view.plain import resolve_words
        from atip.registry import outlines

        outline = self._load_outline(name, entry)
        top = resolve_words(outline, [word]) if outline else None
        if outline is None or not top:
            return None
        path = self._path(layout.candidates(name, entry)[0])
        try:
            return outlines.with_command(outline, top[0], lambda *at: read_piece(path, *at))
        except (OSError, NotFoundError, ValueError):
            return None  # derived: without it the whole document is read

    def load_texts(self, name: str, entry: Entry) -> tuple[dict[str, Any], memoryview] | None:
        """The outline of an entry's document, and its commands as they are stored; None where there is no outline."""
        from atip.registry import outlines

        outline = self._load_outline(name, entry)
        if outline is None:
            return None
        text = outlines.commands_text(outline, self.load_bytes(name, entry))
        return (outline, text) if text is not None else None

    def _load_outline(self, name: str, entry: Entry) -> dict[str, Any] | None:
        from atip.registry import outlines

        extension = entry.get("x-atip")
        digest = extension.get("metadataHash") if isinstance(extension, dict) else None
        path = self._path(layout.outline_name(layout.candidates(name, entry)[0]))
        try:
            return outlines.read_outline(read_bytes(path, MAX_METADATA), str(digest))
        except (OSError, NotFoundError, ValueError):
            return None

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
        data = _render(document)
        digest = self._save(relative, data)
        self._save_outline(relative, document, data, digest)
        return digest

    def _save_outline(
        self, relative: str, document: dict[str, Any], data: bytes, digest: str
    ) -> None:
        from atip.registry import outlines

        outline = None if "partial" in document else outlines.outline_of(document, data, _compact)
        if outline is not None:
            encoded = outlines.encode_outline(outline, digest, _compact)
            self._save(layout.outline_name(relative), encoded)

    def _save_branch(self, branch: dict[str, Any]) -> str:
        data = _render(branch)
        return self._save(layout.branch_name(digest_of(data)), data)

    def _save(self, relative: str, data: bytes) -> str:
        path = os.path.join(self.places.data, relative)
        folder = os.path.dirname(path)
        if folder not in self._created or not os.path.isdir(folder):
            make_private(folder)
            self._created.add(folder)
        write_atomic(path, data, durable=False)
        return digest_of(data)

    def drop_metadata(self, relative: str) -> None:
        """Remove one metadata file, for example when its registry no longer lists it."""
        import contextlib

        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.places.data, relative))

    def has_metadata(self, relative: str) -> bool:
        return os.path.exists(os.path.join(self.places.data, relative))

    def _path(self, relative: str) -> str:
        return os.path.join(self.places.data, relative)

    # -- inside --------------------------------------------------------------------------------

    def _quarantine(self, path: str) -> FormatError:
        new_path = self._set_aside(path)
        return FormatError(
            "store.corrupt",
            f"`{os.path.basename(path)}` is damaged; moved to `{new_path}`",
            hint="run `atip scan` to rebuild it",
        )

    def _quarantine_shim(self, path: str, claimed: str) -> FormatError:
        new_path = self._set_aside(path)
        return FormatError(
            "store.wrong-binary",
            f"the shim `{path}` describes {claimed[:80]}, not the binary of its name; moved to `{new_path}`",
            hint="correct `binary.hash` or the file's name and put it back; until then the tool is known without it",
        )

    def _set_aside(self, path: str) -> str:
        folder = os.path.join(self.places.data, "quarantine")
        make_private(folder)
        new_path = os.path.join(folder, f"{int(now())}-{os.path.basename(path)}")
        os.replace(path, new_path)
        return new_path


def digest_of(data: bytes) -> str:
    """`sha256:` and hex digits of some bytes."""
    return f"sha256:{sha256_hex(data)}"


def _render(document: dict[str, Any]) -> bytes:
    return _compact(document) + b"\n"


def _compact(value: object) -> bytes:
    import json  # for writers only; readers start without it

    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _read_foreign(data: bytes) -> object:
    """Metadata that another program put into the store passes the strict reader."""
    from atip.model.reading.reader import STORE, read_json

    return read_json(data, STORE)
