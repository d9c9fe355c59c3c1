"""Kind of a document, by content and not by file name; then checked by the rules of that kind.

One table; a new kind of document is one row. Pure.
"""

from __future__ import annotations

from atip.errors import NotFoundError
from atip.model.problems import Problem
from atip.model.shapes import atm as shapes_atm
from atip.model.shapes import crawler as shapes_crawler
from atip.model.shapes import metadata as shapes
from atip.model.shapes import registry as shapes_registry
from atip.model.shapes.check import Report, check_shape, check_tool
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.shapes.check import Mode
    from atip.model.shapes.shape import Shape

SHAPES: dict[str, Shape] = {
    "metadata": shapes.TOOL,
    "shim": shapes.TOOL,
    "registry": shapes_registry.REGISTRY,
    "manifest": shapes_registry.MANIFEST,
    "catalog": shapes_registry.CATALOG,
    "registries": shapes_registry.SOURCES,
    "policy": shapes_registry.POLICY,
    "organization": shapes_registry.ORGANIZATION,
    "cache": shapes_registry.CACHE,
    "permission-policy": shapes_registry.PERMISSION_POLICY,
    "delegation": shapes_registry.DELEGATION,
    "tool-context": shapes_registry.TOOL_CONTEXT,
    "config": shapes_registry.CONFIG,
    "trust": shapes_registry.TRUST_SETTINGS,
    "patterns": shapes_registry.PATTERNS,
    "coverage": shapes_registry.COVERAGE,
    "atm": shapes_atm.MANIFEST,
    "tool-manifest": shapes_crawler.TOOL_MANIFEST,
}
"""Kinds of documents that `validate`, `schema` and the store know."""


class DocumentReport(Value):
    """Kind and problems of a document."""

    kind: str
    problems: tuple[Problem, ...] = ()

    @property
    def is_valid(self) -> bool:
        return all(problem.severity != "error" for problem in self.problems)


def kind_of(value: object) -> str | None:
    """The kind of a JSON document, or None if nothing fits."""
    if not isinstance(value, dict):
        return None
    keys = value.keys()
    if {"registry", "policy"} <= keys and isinstance(value["registry"], str):
        return "organization"
    if {"tool", "cachedAt", "metadata"} <= keys:
        return "cache"
    for wrapped in ("policy", "permissionPolicy", "delegation", "toolContext", "coverage"):
        if wrapped in keys and len(keys) <= 2:
            return {"permissionPolicy": "permission-policy", "toolContext": "tool-context"}.get(
                wrapped, wrapped
            )
    if "codeMode" in keys:
        return "atm"
    if {"name", "sources"} <= keys and keys <= shapes_crawler.TOOL_MANIFEST.fields.keys():
        return "tool-manifest"
    if "registries" in keys:
        return "registries"
    if "registry" in keys and "endpoints" in keys:
        return "manifest"
    if "binary" in keys:
        return "shim"
    if "atip" in keys:
        return "metadata"
    if "tools" in keys and "version" in keys:
        return _index_kind(value)
    if keys == {"patterns"}:
        return "patterns"
    if keys and keys <= shapes_registry.CONFIG.fields.keys():
        return "config"
    return None


def judge(value: object, *, kind: str | None = None, mode: Mode = "strict") -> DocumentReport:
    """All problems of a document of any kind.

    Raises:
        NotFoundError: `validate.unknown-kind` for a `kind` we do not have.
    """
    kind = kind or kind_of(value) or "metadata"
    shape = SHAPES.get(kind)
    if shape is None:
        raise NotFoundError(
            "validate.unknown-kind",
            f"unknown kind of document `{kind}`",
            hint="kinds: " + ", ".join(SHAPES),
        )
    if shape is shapes.TOOL:
        problems = check_tool(value, mode)
        if kind == "shim" and mode != "schema" and isinstance(value, dict):
            problems += _shim_problems(value, mode)
    elif kind == "atm":
        from atip.model.shapes.check_atm import check_manifest

        problems = check_manifest(value, mode)
    else:
        problems = check_shape(value, shape, mode)
    return DocumentReport(kind=kind, problems=tuple(problems))


def _index_kind(value: dict[str, Any]) -> str:
    tools = value["tools"]
    entries = tools.values() if isinstance(tools, dict) else ()
    has_paths = any(isinstance(entry, dict) and "path" in entry for entry in entries)
    return "registry" if has_paths or value["version"] in ("2", "0.1") else "catalog"


def _shim_problems(value: dict[str, Any], mode: Mode) -> list[Problem]:
    """Requirements of a shim beyond metadata (§4.5, §12.4)."""
    report = Report(mode)
    trust = value.get("trust")
    source = trust.get("source") if isinstance(trust, dict) else None
    if source == "native":
        report(
            ("trust", "source"),
            "format.shim-source",
            "a shim cannot have the source `native`: its tool did not write it",
        )
    return report.problems
