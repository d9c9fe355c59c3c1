"""Memory of earlier scans, so that the next one reads and executes nothing twice.

Files in the cache (0.1 §3.3): `discovery/path-scan-<hash>.json` (see `unchanged.py`) holds, for one set of
directories, a fingerprint of all entries and the summary; `discovery/files.json` what `stat` said of every file that any
scan has read, and its digest; `discovery/answers.json` what each digest answered. All are derived and may be deleted at any time.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.discovery.files.stubs import NO_SCRIPT, Stub
from atip.discovery.unchanged import VERSION, load_remembered, memory_path, scan_key
from atip.errors import AtipError
from atip.model.value import Value
from atip.system.files import make_private, read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.discovery.files.executables import Executable

MAX_BYTES = 256_000_000


_STUB_FIELDS = ("interpreter", "language", "module", "attribute", "target", "command")


class FileContent(Value):
    """Facts about a file that need not be read again."""

    digest: str
    is_candidate: bool
    """Whether it, or what it starts, holds the marks of a tool that answers."""
    stub: Stub


class ScanMemory:
    """The summary of the last scan of one question, and the files that any scan has read. Read only when needed."""

    def __init__(self, cache: str, directories: Sequence[str], salt: str = "") -> None:
        key = scan_key(directories, salt)
        self._folder = os.path.join(cache, "discovery")
        self._path = memory_path(cache, key)
        self._files_path = os.path.join(self._folder, "files.json")
        self._files: dict[str, list[Any]] | None = None
        remembered = load_remembered(self._path)
        self._fingerprint, document = remembered[:2] if remembered else ("", "{}")
        self.summary: dict[str, Any] = json.loads(document)

    @property
    def files(self) -> dict[str, list[Any]]:
        """path → [stat key, digest, is candidate, what the script starts]."""
        if self._files is None:
            document = _load_json(self._files_path)
            files = document.get(VERSION) if isinstance(document, dict) else None
            self._files = files if isinstance(files, dict) else {}
        return self._files

    def is_current(self, fingerprint: str) -> bool:
        """Whether exactly these files were there, unchanged, at the last scan."""
        return bool(self.summary) and self._fingerprint == fingerprint

    def content_of(self, program: Executable) -> FileContent | None:
        """Content facts of an unchanged file; None when it must be read."""
        seen = self.files.get(program.path)
        if seen is None or seen[0] != list(program.key):
            return None
        return FileContent(
            digest=str(seen[1]), is_candidate=bool(seen[2]), stub=_read_stub(seen[3])
        )

    def save_files(self, contents: Mapping[str, tuple[Executable, FileContent]]) -> None:
        """Remember what files hold, beside those of other scans that are still there."""
        rows = {path: row for path, row in self.files.items() if os.path.lexists(path)}
        for path, (program, content) in contents.items():
            row = [list(program.key), content.digest, content.is_candidate]
            rows[path] = [*row, _write_stub(content.stub)]
        if rows != self._files:
            self._files = rows
            _save_json(self._folder, self._files_path, {VERSION: rows})

    def has_copy(self, digest: str, name: str) -> bool:
        """Whether any scan has read a file of this name with these bytes that is still there."""
        return any(
            row[1] == digest and os.path.basename(path) == name and os.path.lexists(path)
            for path, row in self.files.items()
        )

    def forget_others(self) -> None:
        """Other scans no longer count as unchanged: this one has changed entries that they wrote."""
        import contextlib
        import glob

        for path in glob.iglob(os.path.join(glob.escape(self._folder), "path-scan-*.json")):
            if path != self._path:
                with contextlib.suppress(OSError):
                    os.unlink(path)

    def save(self, fingerprint: str, summary: dict[str, Any], text: str) -> None:
        """Remember a finished scan."""
        document = json.dumps({**summary, "executed": 0, "unchanged": True}, ensure_ascii=False)
        make_private(self._folder)
        content = "\n".join([VERSION, fingerprint, document, text])
        write_atomic(self._path, content.encode("utf-8", "replace"), durable=False)


class Answers:
    """Outcome of `--agent`, by digest: `native`, or the code of a refusal."""

    def __init__(self, cache: str) -> None:
        self._folder = os.path.join(cache, "discovery")
        self._path = os.path.join(self._folder, "answers.json")
        document = _load_json(self._path)
        self.by_digest: dict[str, str] = document if isinstance(document, dict) else {}
        self._changed = False

    def get(self, digest: str) -> str | None:
        return self.by_digest.get(digest)

    def put(self, digest: str, answer: str) -> None:
        if self.by_digest.get(digest) != answer:
            self.by_digest[digest] = answer
            self._changed = True

    def save(self) -> None:
        if self._changed:
            _save_json(self._folder, self._path, self.by_digest)
            self._changed = False


def _write_stub(stub: Stub) -> list[str | None]:
    """Empty for a program that is not a script."""
    values = [getattr(stub, field) for field in _STUB_FIELDS]
    return values if any(values) else []


def _read_stub(values: list[str | None]) -> Stub:
    return Stub(**dict(zip(_STUB_FIELDS, values, strict=False))) if values else NO_SCRIPT


def _load_json(path: str) -> object:
    """Our own derived file: damaged or missing is the same as never written."""
    try:
        return json.loads(read_bytes(path, MAX_BYTES))
    except (AtipError, ValueError, RecursionError):
        return None


def _save_json(folder: str, path: str, document: object) -> None:
    make_private(folder)
    write_atomic(path, json.dumps(document, separators=(",", ":")).encode(), durable=False)
