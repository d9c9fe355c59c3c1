"""Complete: from what was learnt to a shim: template, binary, provenance, trust. Pure. ATIP 0.6 §4.5, §4.10.2, §4.10.4."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.discovery.sources.stored_sources import apply_override
from atip.inference.summary import first_summary
from atip.model.tool import Binary, Trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.crawler.packages import Package
    from atip.crawler.steps.learning import Lesson
    from atip.model.tool import Tool

METHODS = {"completion": "completion-script", "man": "man-page", "knowledge": "knowledge"}
_PLATFORM = re.compile(r"(linux|darwin|windows)-(amd64|arm64|arm|386)\Z")
MAX_DESCRIPTION = 200


def complete(tool: Tool, lesson: Lesson, package: Package, at: str) -> Tool:
    """The shim of one program.

    What a template says replaces what was learnt, field by field (§4.10.2). Whoever says so, the result is `inferred`
    and not verified: a person promotes it later (§4.10.4).
    """
    tool = tool.replace(
        description=described(tool, package), homepage=tool.homepage or package.homepage or None
    )
    if package.template:
        tool = apply_override(tool, merged_template(tool, package.template))
    version = package.version or tool.version
    platform = package.platform if _PLATFORM.match(package.platform) else None
    binary = Binary(hash=lesson.digest, name=lesson.name, version=version, platform=platform)
    return tool.replace(
        name=lesson.name,
        version=version,
        binary=binary,
        trust=Trust(source="inferred", verified=False),
        extra={**tool.extra, "_generation": _generation(tool, lesson, package, at)},
    )


def merged_template(tool: Tool, template: Mapping[str, Any]) -> dict[str, Any]:
    """A template as an override: options that it does not name stay as they were learnt, everything else as it says."""
    from atip.model.reading.encode import encode

    return _joined(encode(tool), template)


def _joined(learnt: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The same for the document and for each of its commands (`""` is the tool itself)."""
    document = dict(given)
    if isinstance(given.get("options"), list):
        named = {flag for one in given["options"] for flag in one.get("flags", ())}
        rest = [one for one in learnt.get("options", ()) if not named & set(one.get("flags", ()))]
        document["options"] = [*given["options"], *rest]
    if isinstance(given.get("commands"), dict):
        known = learnt.get("commands") or {}
        document["commands"] = {
            name: _joined(known.get(name, {}), one) for name, one in given["commands"].items()
        }
    return document


def _generation(tool: Tool, lesson: Lesson, package: Package, at: str) -> dict[str, Any]:
    before = tool.extra.get("_generation")
    told = dict(before) if isinstance(before, dict) else {}
    source_kind = lesson.finding.source_kind if lesson.finding else "knowledge"
    return {
        "method": told.get("method") or METHODS.get(source_kind, source_kind),
        "confidence": told.get("confidence", "low"),
        "timestamp": at,
        "generator": "atip",
        "review": "needed",
        **({"incomplete": told["incomplete"]} if "incomplete" in told else {}),
        **({"template": True} if package.template else {}),
        "package": {
            "source": package.source,
            "name": package.name,
            "version": package.version,
            "digest": package.own.digest,
        },
    }


def described(tool: Tool, package: Package) -> str:
    """The summary that the sources of summaries agreed on; where there is none, what is sure: where it comes from."""
    told = first_summary([tool.description, package.description], tool.name)
    return told[:MAX_DESCRIPTION] or f"A program of the package {package.name}"
