"""Answers of programs that were run, per program and source, on disk.

`findings/<digest>.<name>.json` in the data directory, one file per program, written as soon as a source has answered: an
interrupted scan loses no answer. An answer is for the bytes in the file's name; it is *fresh* if our
release and the files behind the program (the package of a console script) are unchanged. A source
that is not queried is answered from the cache, fresh or stale: a scan with fewer sources never loses metadata.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.discovery.files.stubs import site_directories
from atip.errors import AtipError
from atip.model.reading.decode import decode_tool
from atip.model.reading.encode import encode
from atip.model.value import Value
from atip.system.files import make_private, read_bytes, stamp_of, write_atomic
from atip.version import __version__

if TYPE_CHECKING:
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Tool

FOLDER = "findings"
MAX_BYTES = 256_000_000


class StoredAnswer(Value):
    """One answer. `tool` is None if the source had nothing to say."""

    tool: Tool | None
    is_fresh: bool


class FindingsMemory:
    """The findings of one user. Safe to use from several threads for different programs."""

    def __init__(self, data: str) -> None:
        self._folder = os.path.join(data, FOLDER)

    def get(self, subject: ProbeSubject, source: str) -> StoredAnswer | None:
        """The answer of a source for this digest; None if it was never queried."""
        finding = self._load(subject).get(source)
        if not isinstance(finding, dict):
            return None
        tool = finding.get("tool")
        is_fresh = finding.get("for") == conditions_of(subject)
        return StoredAnswer(tool=decode_tool(tool) if tool else None, is_fresh=is_fresh)

    def put(self, subject: ProbeSubject, source: str, tool: Tool | None) -> None:
        """Remember an answer; on disk when this returns."""
        findings = {
            **self._load(subject),
            source: {"for": conditions_of(subject), "tool": encode(tool) if tool else None},
        }
        make_private(self._folder)
        data = json.dumps(findings, ensure_ascii=False, separators=(",", ":")).encode()
        write_atomic(self._path(subject.digest, subject.name), data, durable=False)

    def stamp(self, subject: ProbeSubject) -> str:
        """Changes with every answer that is remembered of a program."""
        return stamp_of(self._path(subject.digest, subject.name))

    def forget(self, digest: str, name: str) -> None:
        """Remove what is remembered of a program that is gone."""
        import contextlib

        with contextlib.suppress(OSError):
            os.unlink(self._path(digest, name))

    def _load(self, subject: ProbeSubject) -> dict[str, Any]:
        """A damaged or missing file counts as never queried."""
        try:
            findings = json.loads(read_bytes(self._path(subject.digest, subject.name), MAX_BYTES))
        except (AtipError, ValueError, RecursionError):
            return {}
        return findings if isinstance(findings, dict) else {}

    def _path(self, digest: str, name: str) -> str:
        return os.path.join(self._folder, f"{digest.removeprefix('sha256:')}.{name}.json")


class NoMemory(FindingsMemory):
    """Caches nothing: every source is queried."""

    def __init__(self) -> None:
        super().__init__("")

    def get(self, subject: ProbeSubject, source: str) -> StoredAnswer | None:
        return None

    def put(self, subject: ProbeSubject, source: str, tool: Tool | None) -> None:
        return None


def conditions_of(subject: ProbeSubject) -> str:
    """Dependencies of an answer besides the program's own bytes: our release, and the files that a stub starts."""
    stub = subject.stub
    behind = [stamp_of(stub.target)] if stub.target else []
    if stub.language == "python" and stub.module:
        package = stub.module.split(".")[0]
        sites = site_directories(subject.real_path, stub)
        behind += [stamp_of(os.path.join(site, package)) for site in sites]
    return " ".join([__version__, *behind])
