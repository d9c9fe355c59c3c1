"""Coverage: how much a registry knows, counted from its shims; what is missing, and who takes care of it. §4.10.5."""

from __future__ import annotations

import collections
import json
import os
from typing import TYPE_CHECKING, Any

from atip.crawler.changes import Holdings
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
        """The document of §4.10.5, with what we count besides under a name of our own."""
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
    """Read every shim of a registry's source, and compare with what its manifests want."""
    holdings = Holdings(folder)
    platforms, trust, ecosystems, methods = (
        _Count[str](),
        _Count[str](),
        _Count[str](),
        _Count[str](),
    )
    names: dict[str, set[str]] = {}
    packages: set[tuple[str, str]] = set()
    commands = options = effects = structure = problems = 0
    for digits in sorted(holdings.files):
        try:
            tool = decode_tool(holdings.load(digits))
        except (AtipError, ValueError):
            problems += 1
            continue
        platform = (tool.binary.platform if tool.binary else None) or "any"
        names.setdefault(tool.name, set()).add(platform)
        platforms[platform] += 1
        trust[tool.trust.source if tool.trust and tool.trust.source else "unknown"] += 1
        generation = tool.extra.get("_generation")
        made = generation if isinstance(generation, dict) else {}
        told = made.get("package")
        package = told if isinstance(told, dict) else {}
        ecosystems[str(package.get("source", "by hand"))] += 1
        packages.add((str(package.get("source")), str(package.get("name"))))
        methods[str(made.get("method", "by hand"))] += 1
        counted = sum(1 for _ in tool.walk())
        found = _options(tool)
        commands += max(1, counted)
        options += found
        structure += _has_structure(tool, found)
        effects += _has_effects(tool)
    return Coverage(
        tools=len(names),
        shims=len(holdings.files),
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
    own = len(tool.options or ()) + len(tool.global_options or ())
    return own + sum(len(command.options or ()) for _path, command in tool.walk())


def _has_structure(tool: Tool, options: int) -> bool:
    """Whether more is known than that it exists; the command without a name is the tool itself."""
    walked = list(tool.walk())
    named = any(any(path) for path, _command in walked)
    return bool(options or named or tool.arguments or any(one.arguments for _, one in walked))


def _has_effects(tool: Tool) -> bool:
    return tool.effects != UNKNOWN or any(_tells(command) for _path, command in tool.walk())


def _tells(command: Command) -> bool:
    return command.effects != UNKNOWN


def _missing(folder: str, names: dict[str, set[str]]) -> list[dict[str, Any]]:
    """Tracked tools and the platforms they lack, with whoever claimed them."""
    claims = load_claims(folder)
    found = []
    for manifest in load_manifests(folder):
        there = names.get(manifest.name, set())
        left = sorted(manifest.platforms() - there)
        if left or not there:
            row: dict[str, Any] = {"name": manifest.name, "platforms": left}
            if manifest.name in claims:
                row["claimedBy"] = claims[manifest.name]
            found.append(row)
    return found


def load_claims(folder: str) -> dict[str, str]:
    """Tool → who takes care of describing it."""
    try:
        claims = json.loads(read_bytes(os.path.join(folder, CLAIMS), 10_000_000))["claims"]
    except NotFoundError:
        return {}
    return {str(name): str(by) for name, by in claims.items()}


def claim(folder: str, name: str, by: str) -> None:
    """Somebody takes care of a missing tool; their name goes into its shims through the manifest.

    Raises:
        AtipError: `crawl.claimed` when somebody else did before.
    """
    with locked(os.path.join(folder, f".{CLAIMS}.lock")):
        claims = load_claims(folder)
        if claims.get(name, by) != by:
            raise AtipError("crawl.claimed", f"`{name[:80]}` is claimed by {claims[name][:80]}")
        claims[name] = by
        data = json.dumps({"claims": claims}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        write_atomic(os.path.join(folder, CLAIMS), data.encode(), mode=0o644)
