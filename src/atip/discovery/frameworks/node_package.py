"""Node packages: the manifest of oclif beside the program. Reads files, runs nothing, imports little."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError
from atip.model.reading.plain_json import loads
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Tool

MANIFEST = "oclif.manifest.json"
MAX_MANIFEST = 20_000_000
MAX_LEVELS = 6


class OclifSource:
    """The manifest that oclif's packages ship: every command and flag, without running anything."""

    source_kind = "framework"
    executes = False

    def ask(self, subject: ProbeSubject) -> Tool | None:
        folder = package_folder(subject)
        if folder is None or not os.path.isfile(os.path.join(folder, MANIFEST)):
            return None
        from atip.discovery.sources.inference_sources import inferred_tool
        from atip.inference.described import recognize

        text = _read(os.path.join(folder, MANIFEST), MAX_MANIFEST)
        description = recognize(text, subject.name, only="oclif") if text else None
        if description is None:
            return None
        package = package_of(folder)
        tool = inferred_tool(
            subject.name, description.command, "self-description-oclif", confidence="high"
        )
        return tool.replace(
            version=description.version or str(package.get("version") or "unknown"),
            description=str(package.get("description") or tool.description),
        )


def package_folder(subject: ProbeSubject) -> str | None:
    """The folder of the Node package that a program belongs to, by its `package.json`."""
    if subject.stub.language != "node":
        return None
    folder = os.path.dirname(subject.real_path)
    for _ in range(MAX_LEVELS):
        if os.path.isfile(os.path.join(folder, "package.json")):
            return folder
        folder = os.path.dirname(folder)
    return None


def package_of(folder: str) -> dict[str, Any]:
    text = _read(os.path.join(folder, "package.json"), 1_000_000)
    try:
        document = loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _read(path: str, limit: int) -> str:
    try:
        return read_bytes(path, limit).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except AtipError:
        return ""
