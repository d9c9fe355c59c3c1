"""Coverage: how much a registry describes, counted from its shims; what is missing, and who claimed it. §4.10.5."""

from __future__ import annotations

import collections
import json
import os
from typing import TYPE_CHECKING, Any

from atip.crawler.changes import ShimFolder
from atip.crawler.manifests import load_manifests
from atip.errors import AtipError, NotFoundError
from atip.model.effects import UNKNOWN
from atip.model.reading.decode import decode_tool
from atip.model.value import Value
from atip.system.files import locked, read_bytes, write_atomic

if TYPE_CHECKING:
    from atip.model.tool import Command, Tool

CLAIMS = "claims.json"
_Count = collections.Counter


class Coverage(Value):
    """Figures of one registry."""

    tools: int
    shims: int
    commands: int
    options: int
    with_effects: int
    """Tools of which at least one effect is known."""
    with_structure: int
    """Tools with at least one command, option or argument."""
    platforms: dict[str, int]
    by_trust: dict[str, int]
    by_ecosystem: dict[str, int]
    by_method: dict[str, int]
    packages: int
    missing: tuple[dict[str, Any], ...] = ()
    problems: int = 0
    """Shims that cannot be read."""

    def to_json(self) -> dict[str, Any]:
        """The document of §4.10.5, with our additional counts under `x-atip`."""
        return {
            "coverage": {
                "tracked_tools": self.tools,
                "total_shims": self.shims,
                "platforms": self.platforms,
                "by_source": self.by_trust,
                "missing": list(self.missing),
                "x-atip": {
                    "packages": self.packages,
                    "commands": self.commands,
                    "options": self.options,
                    "withEffects": self.with_effects,
                    "withStructure": self.with_structure,
                    "byEcosystem": self.by_ecosystem,
                    "byMethod": self.by_method,
                    "unreadable": self.problems,
                },
            }
        }


def count_coverage(folder: str) -> Coverage:
    """Read every shim of a registry's source, and compare with the tools that its manifests track."""
    published = ShimFolder(folder)
    platforms, trust, ecosystems, methods = (
        _Count[str](),
        _Count[str](),
        _Count[str](),
        _Count[str](),
    )
    names: dict[str, set[str]] = {}
    packages: set[tuple[str, str]] = set()
    commands = options = effects = structure = problems = 0
    for digits in sorted(published.files):
        try:
            tool = decode_tool(published.load(digits))
        except (AtipError, ValueError):
            problems += 1
            continue
        platform = (tool.binary.platform if tool.binary else None) or "any"
        names.setdefault(tool.name, set()).add(platform)
        platforms[platform] += 1
        trust[tool.trust.source if tool.trust and tool.trust.source else "unknown"] += 1
        generation = tool.extra.get("_generation")
        generation_block = generation if isinstance(generation, dict) else {}
        recorded_package = generation_block.get("package")
        package = recorded_package if isinstance(recorded_package, dict) else {}
        ecosystems[str(package.get("source", "by hand"))] += 1
        packages.add((str(package.get("source")), str(package.get("name"))))
        methods[str(generation_block.get("method", "by hand"))] += 1
        counted = sum(1 for _ in tool.walk())
        option_count = _options(tool)
        commands += max(1, counted)
        options += option_count
        structure += _has_structure(tool, option_count)
        effects += _has_effects(tool)
    return Coverage(
        tools=len(names),
        shims=len(published.files),
        commands=commands,
        options=options,
        with_effects=effects,
        with_structure=structure,
        platforms=dict(sorted(platforms.items())),
        by_trust=dict(sorted(trust.items())),
        by_ecosystem=dict(sorted(ecosystems.items())),
        by_method=dict(methods.most_common()),
        packages=len(packages),
        missing=tuple(_missing(folder, names)),
        problems=problems,
    )


def _options(tool: Tool) -> int:
    count = len(tool.options or ()) + len(tool.global_options or ())
    return count + sum(len(command.options or ()) for _path, command in tool.walk())


def _has_structure(tool: Tool, options: int) -> bool:
    """Whether it declares any option, argument or subcommand; the command without a name is the tool itself."""
    walked = list(tool.walk())
    has_subcommands = any(any(path) for path, _command in walked)
    return bool(
        options
        or has_subcommands
        or tool.arguments
        or any(command.arguments for _, command in walked)
    )


def _has_effects(tool: Tool) -> bool:
    return tool.effects != UNKNOWN or any(
        _declares_effects(command) for _path, command in tool.walk()
    )


def _declares_effects(command: Command) -> bool:
    return command.effects != UNKNOWN


def _missing(folder: str, names: dict[str, set[str]]) -> list[dict[str, Any]]:
    """Tracked tools with the platforms they lack, and who claimed them."""
    claims = load_claims(folder)
    rows = []
    for manifest in load_manifests(folder):
        described_names = names.get(manifest.name, set())
        lacking = sorted(manifest.platforms() - described_names)
        if lacking or not described_names:
            row: dict[str, Any] = {"name": manifest.name, "platforms": lacking}
            if manifest.name in claims:
                row["claimedBy"] = claims[manifest.name]
            rows.append(row)
    return rows


def load_claims(folder: str) -> dict[str, str]:
    """Tool name → who claimed to describe it."""
    try:
        claims = json.loads(read_bytes(os.path.join(folder, CLAIMS), 10_000_000))["claims"]
    except NotFoundError:
        return {}
    return {str(name): str(by) for name, by in claims.items()}


def claim(folder: str, name: str, by: str) -> None:
    """Record who will describe a missing tool; the name goes into its shims through the manifest.

    Raises:
        AtipError: `crawl.claimed` when another contributor has claimed the tool.
    """
    with locked(os.path.join(folder, f".{CLAIMS}.lock")):
        claims = load_claims(folder)
        if claims.get(name, by) != by:
            raise AtipError("crawl.claimed", f"`{name[:80]}` is claimed by {claims[name][:80]}")
        claims[name] = by
        data = json.dumps({"claims": claims}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        write_atomic(os.path.join(folder, CLAIMS), data.encode(), mode=0o644)
