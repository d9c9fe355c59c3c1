"""Patterns in layers: tool → registries → system → organization → user → project; a later one of the same name replaces an earlier one.

Every pattern records its origin (0.1 §3.6, A50). A damaged file is skipped and reported.
"""

from __future__ import annotations

import os

from atip.errors import AtipError, FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.tool import Pattern, Tool
    from atip.system.paths import Places

MAX_PATTERNS_FILE = 1_000_000
FOLDER = "patterns"


def pattern_folders(places: Places) -> list[tuple[str, str]]:
    """(layer, folder), later ones win."""
    registries = _from_registries(places)
    folders = [("registry", folder) for is_own, folder in registries if not is_own]
    folders += [("system", os.path.join(folder, FOLDER)) for folder in places.system]
    folders += [("organization", folder) for is_own, folder in registries if is_own]
    folders.append(("user", os.path.join(places.data, FOLDER)))
    if places.project:
        folders.append(("project", os.path.join(places.project, FOLDER)))
    return folders


def _from_registries(places: Places) -> list[tuple[bool, str]]:
    """(is the organization's, folder that `registry sync` filled) of configured registries; the first in lookup order wins."""
    if not os.path.isdir(os.path.join(places.cache, "registries")):
        return []
    from atip.registry.remote.remotes import load_sources
    from atip.registry.remote.state import RegistryFiles

    return [
        (source.organization, RegistryFiles(places, source).patterns)
        for source in reversed(load_sources(places))
    ]


def has_pattern_files(places: Places) -> bool:
    """Whether any layer has a file. Costs one listing per layer: most machines have none, and `show --json` must be fast."""
    for _layer, folder in pattern_folders(places):
        try:
            if any(name.endswith(".json") for name in os.listdir(folder)):
                return True
        except OSError:
            continue
    return False


def layered_patterns(tool: Tool, places: Places) -> tuple[Pattern, ...]:
    """The tool's own patterns with those of all layers that name the tool (in a step, or in `tools`)."""
    merged = {pattern.name: _mark(pattern, "tool") for pattern in tool.patterns or ()}
    for layer, folder in pattern_folders(places):
        for pattern in load_patterns(folder):
            if _concerns(pattern, tool.name):
                merged[pattern.name] = _mark(pattern, layer)
    return tuple(merged.values())


def load_patterns(folder: str, problems: list[str] | None = None) -> list[Pattern]:
    """Every pattern in the JSON files of a folder: one pattern, a list, or `{"patterns": […]}` a file."""
    from atip.model.reading.decode import decode_record
    from atip.model.tool import Pattern

    patterns: list[Pattern] = []
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return patterns
    for name in names:
        path = os.path.join(folder, name)
        try:
            patterns += [decode_record(Pattern, record) for record in _read(path)]
        except AtipError as error:
            if problems is not None:
                problems.append(f"{path}: {error.message}")
    return patterns


def _read(path: str) -> list[dict[str, Any]]:
    from atip.model.reading.reader import read_json
    from atip.model.shapes.check import check_shape
    from atip.model.shapes.registry import PATTERNS
    from atip.system.files import read_bytes

    value = read_json(read_bytes(path, MAX_PATTERNS_FILE))
    if isinstance(value, dict) and "patterns" not in value:
        value = [value]
    document = {"patterns": value} if isinstance(value, list) else value
    errors = [p for p in check_shape(document, PATTERNS, "lenient") if p.severity == "error"]
    if errors or not isinstance(document, dict):
        raise FormatError(errors[0].code, f"{errors[0].path}: {errors[0].message}", problems=errors)
    return list(document["patterns"])


def _concerns(pattern: Pattern, name: str) -> bool:
    tools = pattern.extra.get("tools")
    if isinstance(tools, list):
        return name in tools
    return any(step.command.split()[:1] == [name] for step in pattern.steps)


def _mark(pattern: Pattern, layer: str) -> Pattern:
    return pattern.replace(extra={**pattern.extra, "x-atip": {"from": layer}})
