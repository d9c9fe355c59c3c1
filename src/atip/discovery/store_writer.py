"""Store writer: from a finding to the store's files and entries, many entries at once.

Nothing sensitive is stored: paths below the home directory inside metadata become `~`, and fields that
the user lists under `redact` are left out (0.1 §5.3).
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Protocol

from atip.discovery.sources.native import digest_of_answer
from atip.discovery.sources.stored_sources import origin_of
from atip.model.reading.encode import encode
from atip.model.text.platforms import shim_platform
from atip.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.discovery.sources.source_order import ProbeSubject, SourceFinding
    from atip.model.tool import Tool

    class MetadataStore(Protocol):
        """The part of `registry.store.Store` that the writer uses."""

        def save_metadata(self, relative: str, document: dict[str, Any]) -> str: ...
        def drop_metadata(self, relative: str) -> None: ...
        def put(self, entries: dict[str, dict[str, Any]]) -> None: ...
        def find(self, name: str) -> dict[str, Any] | None: ...
        def load_index(self) -> dict[str, Any]: ...
        def has_metadata(self, relative: str) -> bool: ...
        def forget(self, names: list[str]) -> list[str]: ...
        def load_metadata(self, name: str, entry: dict[str, Any]) -> dict[str, Any]: ...

    class Names(Protocol):
        """File names of the store (`registry.layout`)."""

        def metadata_name(self, digest: str, source: str) -> str: ...
        def personality_name(self, digest: str, name: str) -> str: ...


class StoreWriter:
    """Collects entries; `flush` writes the index once."""

    def __init__(
        self, store: MetadataStore, names: Names, *, home: str, now: str, redact: Sequence[str] = ()
    ) -> None:
        self._store = store
        self._names = names
        self._home = home
        self._now = now
        self._redact = frozenset(redact)
        self._entries: dict[str, dict[str, Any]] = {}
        self._written: dict[str, str] = {}
        self._before = store.load_index()["tools"]
        self._names_of: dict[str, set[str]] = {}
        self.has_moved = False
        """Whether a name that is known stands for another file now, as the program of another directory has it too."""

    def reuse_unchanged(
        self, subject: ProbeSubject, inputs: Callable[[], str], *, learned: bool, key: Any
    ) -> str | None:
        """Keep the entry of a tool as it is, if its inputs are unchanged; returns its kind of source (empty: known by
        name only), or None if it has to be looked at.

        Args:
            inputs: what the sources would read, see `findings.metadata_finder.MetadataFinder.inputs`; asked only for a known tool.
            learned: programs are run in this scan; the tool must then have been probed by this release.
        """
        before = self._before.get(subject.name)
        extension = before.get("x-atip") if isinstance(before, dict) else None
        if not isinstance(extension, dict) or before.get("hash") != subject.digest:
            return None
        if (learned and extension.get("learned") != __version__) or (
            extension.get("inputs") != inputs()
        ):
            return None
        if "source" in before and not self._has_metadata(subject, before):
            return None
        self._notice_move(subject)
        updated = {**extension, "stat": list(key)}
        self._entries[subject.name] = {
            **before,
            "path": subject.path,
            "lastChecked": self._now,
            "x-atip": updated,
        }
        return str(extension.get("rung", ""))

    def _has_metadata(self, subject: ProbeSubject, entry: dict[str, Any]) -> bool:
        usual = self._names.metadata_name(subject.digest, str(entry["source"]))
        return self._store.has_metadata(str(entry.get("metadataPath", usual)))

    def write(
        self,
        subject: ProbeSubject,
        finding: SourceFinding | None,
        *,
        shared: bool,
        key: Any,
        inputs: Callable[[], str] = str,
        learned: bool = False,
    ) -> None:
        """Write the metadata of one tool and prepare its entry.

        Args:
            inputs: called after the metadata was written, as shims in our own folder are among them.
            learned: programs were run for it.
        """
        self._notice_move(subject)
        extension: dict[str, Any] = {"stat": list(key)}
        entry: dict[str, Any] = {
            "path": subject.path,
            "hash": subject.digest,
            "lastChecked": self._now,
            "x-atip": extension,
        }
        if subject.real_path != subject.path:
            extension["realPath"] = subject.real_path
        if finding is None or self._knows_more(subject, finding):
            self._reuse_old(subject, entry)
        else:
            entry["source"] = finding.source
            origin = origin_of(finding.tool)
            if finding.source_kind == "shim" and origin:
                entry["shimRegistry"] = origin
            extension["rung"] = finding.source_kind
            document = encode(finding.tool)
            if finding.source_kind == "native":
                extension["answerHash"] = digest_of_answer(document)
            if finding.is_namesake:
                extension["namesake"] = True
            if finding.also:
                extension["also"] = list(finding.also)
            relative = self._relative(subject, finding, shared)
            if relative != self._names.metadata_name(subject.digest, finding.source):
                entry["metadataPath"] = f"./{relative}"
            extension["metadataHash"] = self._save(relative, finding.tool, document, subject)
            extension["description"] = finding.tool.description[:120]
        before = self._stored_extension(subject)
        if learned or before.get("learned"):
            entry["x-atip"]["learned"] = __version__ if learned else before["learned"]
        entry["x-atip"]["inputs"] = inputs()
        self._entries[subject.name] = entry

    def _notice_move(self, subject: ProbeSubject) -> None:
        before = self._before.get(subject.name)
        if isinstance(before, dict) and before.get("path") != subject.path:
            self.has_moved = True

    def _stored_extension(self, subject: ProbeSubject) -> dict[str, Any]:
        """Our block of the entry of the same bytes; empty without one."""
        before = self._before.get(subject.name)
        extension = before.get("x-atip") if isinstance(before, dict) else None
        return (
            extension
            if isinstance(extension, dict) and before.get("hash") == subject.digest
            else {}
        )

    def forget_missing(self) -> list[tuple[str, str]]:
        """Remove the entries of programs that are gone; returns their digests and names."""
        removed = [
            (str(entry.get("hash", "")), name)
            for name, entry in self._before.items()
            if isinstance(entry, dict) and "path" in entry and not os.path.lexists(entry["path"])
            if name not in self._entries
        ]
        if removed:
            self._store.forget([name for _, name in removed])
        return removed

    def flush(self) -> None:
        """Write all entries at once."""
        if self._entries:
            self._store.put(self._entries)
            self._entries = {}

    def native_digest(self, digest: str) -> str | None:
        """Digest of what this binary said of itself before; None if it never answered."""
        for entry in self._before.values():
            extension = entry.get("x-atip")
            if (
                entry.get("hash") == digest
                and isinstance(extension, dict)
                and "answerHash" in extension
            ):
                return str(extension["answerHash"])
        return None

    def _knows_more(self, subject: ProbeSubject, finding: SourceFinding) -> bool:
        """Whether these bytes described themselves before, and now only a later source answered (they were not probed twice);
        or were described by any source, and now only a summary is left."""
        before = self._stored_extension(subject).get("rung")
        if finding.source_kind == "summary":
            return before not in (None, "", "summary")
        return before == "native" and finding.source_kind not in ("override", "native")

    def _reuse_old(self, subject: ProbeSubject, entry: dict[str, Any]) -> None:
        """Nothing new was found: metadata of the same digest stays, unless its registry withdrew it."""
        before = self._before.get(subject.name)
        if not isinstance(before, dict):
            return
        if "shimRegistry" in before:
            self._store.drop_metadata(self._names.metadata_name(subject.digest, "shim"))
            return
        if before.get("hash") == subject.digest and "source" in before:
            for field in ("source", "metadataPath"):
                if field in before:
                    entry[field] = before[field]
            extension = before.get("x-atip")
            if isinstance(extension, dict):
                entry["x-atip"] = {**extension, **entry["x-atip"]}

    def _relative(self, subject: ProbeSubject, finding: SourceFinding, shared: bool) -> str:
        if finding.source == "inferred" and (shared or self._has_other_name(subject)):
            return self._names.personality_name(subject.digest, subject.name)
        return self._names.metadata_name(subject.digest, finding.source)

    def _has_other_name(self, subject: ProbeSubject) -> bool:
        """Whether an entry of an earlier scan describes the same bytes under another name: its file is not to be overwritten."""
        if not self._names_of:
            for name, entry in self._before.items():
                if isinstance(entry, dict):
                    self._names_of.setdefault(str(entry.get("hash")), set()).add(name)
        return bool(self._names_of.get(subject.digest, set()) - {subject.name})

    def _save(
        self, relative: str, tool: Tool, document: dict[str, Any], subject: ProbeSubject
    ) -> str:
        if relative in self._written:
            return self._written[relative]
        if tool.binary is None:
            name, version = subject.name, tool.version
            document["binary"] = {"hash": subject.digest, "name": name, "version": version}
            uname = os.uname()
            if platform := shim_platform(uname.sysname, uname.machine):
                document["binary"]["platform"] = platform
        private = self._private(document)
        self._written[relative] = self._store.save_metadata(relative, private)
        return self._written[relative]

    def _private(self, document: dict[str, Any]) -> dict[str, Any]:
        cleaned = {key: value for key, value in document.items() if key not in self._redact}
        # Most have nothing to replace; the encoder looks through them ten times as fast.
        is_private = len(self._home) < 2 or json.dumps(self._home)[1:-1] not in json.dumps(cleaned)
        return cleaned if is_private else _without_home(cleaned, self._home)


def _without_home(value: Any, home: str) -> Any:
    if isinstance(value, str):
        return value.replace(home + "/", "~/") if len(home) > 1 and home + "/" in value else value
    if isinstance(value, list):
        return [_without_home(item, home) for item in value]
    if isinstance(value, dict):
        return {key: _without_home(item, home) for key, item in value.items()}
    return value
