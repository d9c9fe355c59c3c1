"""CLI.md bundles as a metadata source: what an installed bundle declares about its program (docs/architecture.md).

Only bundles that the user installed and so reviewed count, and only documents that have not changed since. A
bundle describes what its author needed: later sources add the rest.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from atip.bundles.documents.loading import MAX_DOCUMENT
from atip.bundles.state import BundleStore
from atip.codecs.climd import codec as climd
from atip.errors import AtipError
from atip.system.digests import sha256_hex
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from atip.bundles.state import Installation
    from atip.model.tool import Tool

    class ProbedProgram(Protocol):
        """The program to describe."""

        @property
        def name(self) -> str: ...

        @property
        def real_path(self) -> str: ...


class BundleSource:
    """Installed bundles by program."""

    source_kind = "adapter"
    executes = False

    def __init__(self, data_folder: str) -> None:
        self._store = BundleStore(data_folder, "")
        self._installed: list[Installation] | None = None

    def ask(self, subject: ProbedProgram) -> Tool | None:
        """The program as its bundle describes it; None if no bundle is installed for this file."""
        if self._installed is None:
            records = (self._store.find(key) for key in self._store.list_keys())
            self._installed = [record for record in records if record is not None]
        for installed in self._installed:
            if os.path.realpath(installed.binary) == subject.real_path:
                tool = read_installed(installed)
                if tool is not None:
                    return tool.replace(name=subject.name, version="unknown", binary=None)
        return None


def read_installed(installed: Installation) -> Tool | None:
    """The tool of an installed bundle; None if a document is missing or differs from what the user reviewed."""
    files: dict[str, bytes] = {}
    for path, digest in installed.documents.items():
        try:
            data = read_bytes(os.path.join(installed.folder, path), MAX_DOCUMENT)
        except AtipError:
            return None
        if sha256_hex(data) != digest:
            return None
        files[path] = data
    try:
        tool = climd.decode(files, origin=installed.folder).tool
    except AtipError:
        return None
    # the documents stay where they are; the store keeps only their meaning
    return tool.replace(extra={"x-atip": dict(tool.own)})
