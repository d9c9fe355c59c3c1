"""Cache of parsed documents, by the digest of their bytes: a large bundle loads in milliseconds.

Derived and bounded; may be deleted at any time. The key of a document is its exact bytes and the mode of the
check; other entries in the file are ignored.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.codecs.climd.codec import normal, read_documents
from atip.codecs.climd.document import Document, kind_of_name
from atip.errors import AtipError
from atip.model.problems import Problem
from atip.model.reading.reader import ReadLimits, read_json
from atip.system.digests import sha256_hex
from atip.system.files import make_private, read_bytes, write_atomic
from atip.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 64_000_000


class DocumentMemory:
    """The cache for one bundle's folder."""

    def __init__(self, folder: str, bundle_folder: str) -> None:
        self._path = os.path.join(folder, f"{sha256_hex(bundle_folder.encode())[:16]}.json")
        self._entries: dict[str, Any] | None = None
        self._fresh: dict[str, Any] = {}

    def read(
        self, files: Mapping[str, bytes], *, strict: bool
    ) -> tuple[dict[str, Document], list[Problem]]:
        """Like `codecs.climd.codec.read_documents`; bodies are empty."""
        documents: dict[str, Document] = {}
        problems: list[Problem] = []
        for path, data in files.items():
            key = f"{__version__} {'strict' if strict else 'lenient'} {kind_of_name(path)} {sha256_hex(data)}"
            entry = self._load().get(key)
            if not isinstance(entry, dict):
                read, findings = read_documents({path: data}, strict=strict)
                document = read.get(normal(path))
                entry = {
                    "fields": document.fields if document else None,
                    "problems": [
                        finding.replace(path=finding.path[len(path) :]).to_json()
                        for finding in findings
                    ],
                }
            self._fresh[key] = entry
            if entry["fields"] is not None:
                kind = kind_of_name(path) or "CLI"
                documents[normal(path)] = Document(kind=kind, fields=entry["fields"])
            problems += [
                Problem(**{**problem, "path": path + problem["path"]})
                for problem in entry["problems"]
            ]
        return documents, problems

    def save(self) -> None:
        """Save the entries that were read in this run, and no others."""
        if self._fresh == self._load():
            return
        try:
            make_private(os.path.dirname(self._path))
            data = json.dumps(self._fresh, ensure_ascii=False).encode("utf-8", "surrogatepass")
            write_atomic(self._path, data, durable=False)
        except (AtipError, OSError, ValueError):
            return  # the next run is only slower

    def _load(self) -> dict[str, Any]:
        if self._entries is None:
            try:
                limits = ReadLimits(max_bytes=MAX_BYTES)
                document = read_json(read_bytes(self._path, MAX_BYTES), limits)
            except AtipError:
                document = {}
            self._entries = document if isinstance(document, dict) else {}
        return self._entries
