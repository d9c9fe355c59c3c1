"""Complete: turn learned metadata into a shim: template, binary, provenance, trust. Pure. ATIP 0.6 §4.5, §4.10.2, §4.10.4."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.discovery.sources.stored_sources import apply_override
from atip.inference.summary import first_summary
from atip.model.tool import Binary, Trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.crawler.packages import Package
    from atip.crawler.steps.learning import LearnedProgram
    from atip.model.tool import Tool

METHODS = {"completion": "completion-script", "man": "man-page", "knowledge": "knowledge"}
_PLATFORM = re.compile(r"(linux|darwin|windows)-(amd64|arm64|arm|386)\Z")
MAX_DESCRIPTION = 200


def complete(
    tool: Tool, learned: LearnedProgram, package: Package, at: str, *, programs: int = 1
) -> Tool:
    """The shim of one program of a package that has this many.

    Fields of the template replace learned fields (§4.10.2). In any case the result is `inferred` and not verified:
    a reviewer promotes it later (§4.10.4).
    """
    tool = tool.replace(
        description=describe(tool, package, programs),
        homepage=tool.homepage or package.homepage or None,
    )
    if package.template:
        tool = apply_override(tool, merged_template(tool, package.template))
    version = package.version or tool.version
    platform = package.platform if _PLATFORM.match(package.platform) else None
    binary = Binary(hash=learned.digest, name=learned.name, version=version, platform=platform)
    return tool.replace(
        name=learned.name,
        version=version,
        binary=binary,
        trust=Trust(source="inferred", verified=False),
        extra={**tool.extra, "_generation": _generation(tool, learned, package, at)},
    )


def merged_template(tool: Tool, template: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a template into an override: it keeps learned options that it does not list, and replaces everything else."""
    from atip.model.reading.encode import encode

    return _join(encode(tool), template)


def _join(base: Mapping[str, Any], template: Mapping[str, Any]) -> dict[str, Any]:
    """The same for the document and for each of its commands (`""` is the tool itself)."""
    document = dict(template)
    if isinstance(template.get("options"), list):
        replaced_flags = {
            flag for option in template["options"] for flag in option.get("flags", ())
        }
        rest = [
            option
            for option in base.get("options", ())
            if not replaced_flags & set(option.get("flags", ()))
        ]
        document["options"] = [*template["options"], *rest]
    if isinstance(template.get("commands"), dict):
        base_commands = base.get("commands") or {}
        document["commands"] = {
            name: _join(base_commands.get(name, {}), command)
            for name, command in template["commands"].items()
        }
    return document


def _generation(tool: Tool, learned: LearnedProgram, package: Package, at: str) -> dict[str, Any]:
    before = tool.extra.get("_generation")
    recorded = dict(before) if isinstance(before, dict) else {}
    source_kind = learned.finding.source_kind if learned.finding else "knowledge"
    return {
        "method": recorded.get("method") or METHODS.get(source_kind, source_kind),
        "confidence": recorded.get("confidence", "low"),
        "timestamp": at,
        "generator": "atip",
        "review": "needed",
        **({"incomplete": recorded["incomplete"]} if "incomplete" in recorded else {}),
        **({"template": True} if package.template else {}),
        "package": {
            "source": package.source,
            "name": package.name,
            "version": package.version,
            "digest": package.own.digest,
        },
    }


def describe(tool: Tool, package: Package, programs: int = 1) -> str:
    """Return the best summary, or one that names the package.

    What a package of several programs says of itself is not what one of them does, unless they share the name.
    """
    is_own = programs == 1 or tool.name.lower() == package.name.lower()
    summary = first_summary([tool.description, package.description if is_own else ""], tool.name)
    if summary:
        return summary[:MAX_DESCRIPTION]
    if said := first_summary([package.description], tool.name):
        return f"Part of {package.name}: {said}"[:MAX_DESCRIPTION]
    return f"A program of the package {package.name}"
