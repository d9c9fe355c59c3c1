"""Rules of an ATM manifest beyond its shape: versions, sums, derived facts, the checksum, no secrets.

T4–T13 of RESOLUTIONS. Wrong sums and derived facts are errors in strict mode and warnings in lenient mode;
nothing of this is part of the public schema, so `schema` mode is silent. Pure.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from atip.model.operation import SOURCE_KINDS
from atip.model.shapes.atm import MANIFEST
from atip.model.shapes.check import Report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.problems import Problem
    from atip.model.shapes.check import Mode

SPEC_MAJOR = 1
CAPABILITIES_BY_KIND = {
    "mcp": "mcp-servers",
    "openapi": "rest-apis",
    "graphql": "graphql-apis",
    "database": "database",
}
_CREDENTIAL_KEYS = frozenset(
    {"token", "password", "secret", "apikey", "api_key", "key", "value", "credentials"}
)
_PLACEHOLDER = re.compile(r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$")


def check_manifest(value: object, mode: Mode = "strict") -> list[Problem]:
    """All problems of a manifest."""
    report = Report(mode)
    MANIFEST(value, (), report)
    if not isinstance(value, dict):
        return report.problems
    if value.get("codeMode") is not True and "codeMode" in value:
        report(("codeMode",), "format.atm-code-mode", "`codeMode` must be true (§7.3)")
    _unique_capabilities(value, report)
    _reduction_range(value, report)
    if mode != "schema" and not report.problems:
        _version(value, report)
        _sums(value, report)
        _authentication(value, report)
        _capabilities(value, report)
        _reduction(value, report)
        _names(value, report)
        _checksum(value, report)
        _sentence(value, report)
    _credentials(value, report)
    return report.problems


def checksum_of(manifest: Mapping[str, Any]) -> str:
    """Digest of the canonical JSON without `generated` and the checksum itself (T9)."""
    bare = {key: value for key, value in manifest.items() if key != "generated"}
    metadata = bare.get("metadata")
    if isinstance(metadata, dict):
        metadata = {key: value for key, value in metadata.items() if key != "checksum"}
        bare["metadata"] = metadata
        if not metadata:
            del bare["metadata"]
    text = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def savings_text(reduction: float) -> str:
    """A share as ATM writes it: `98.8%` (T7). What is not everything never reads `100.0%`."""
    text = f"{round(reduction * 100, 1):.1f}%"
    return f"{int(reduction * 10_000) / 100:.2f}%" if text == "100.0%" and reduction < 1 else text


def _unique_capabilities(value: Mapping[str, Any], report: Report) -> None:
    listed = value.get("capabilities")
    if isinstance(listed, list) and len({str(each) for each in listed}) < len(listed):
        report(("capabilities",), "format.atm-duplicate", "a capability is listed twice")


def _reduction_range(value: Mapping[str, Any], report: Report) -> None:
    reduction = value.get("tokenReduction")
    share = reduction.get("reduction") if isinstance(reduction, dict) else None
    if isinstance(share, (int, float)) and not 0 <= share <= 1:
        report(("tokenReduction", "reduction"), "format.range", f"{share} is outside 0…1")


def _version(value: Mapping[str, Any], report: Report) -> None:
    major = int(str(value["specVersion"]).split(".", 1)[0])
    if major > SPEC_MAJOR:
        report(
            ("specVersion",),
            "format.newer-protocol",
            f"ATM {value['specVersion']} is newer than the supported {SPEC_MAJOR}.x",
        )


def _sums(value: Mapping[str, Any], report: Report) -> None:
    sources, tools = value["sources"], value["tools"]
    listed = [name for kind in SOURCE_KINDS for name in sources.get(kind, ())]
    if sources["total"] != len(listed):
        report(
            ("sources", "total"),
            "format.atm-total",
            f"`total` is {sources['total']}, but {len(listed)} sources are listed",
        )
    by_source = tools["bySource"]
    if tools["total"] != sum(by_source.values()):
        report(
            ("tools", "total"),
            "format.atm-total",
            f"`total` is {tools['total']}, but `bySource` adds up to {sum(by_source.values())}",
        )
    for name in by_source:
        if name not in listed:
            report(
                ("tools", "bySource", name), "format.atm-source", f"`{name}` is not a listed source"
            )
    for source, definitions in value.get("toolDefinitions", {}).items():
        if len(definitions) > by_source.get(source, 0):
            report(
                ("toolDefinitions", source),
                "format.atm-total",
                f"{len(definitions)} definitions, but `bySource` counts {by_source.get(source, 0)} tools",
            )


def _authentication(value: Mapping[str, Any], report: Report) -> None:
    auth = value.get("auth", {})
    needs = any(source.get("required") is True for source in auth.get("sources", {}).values())
    if "required" in auth and auth["required"] is not needs:
        report(
            ("auth", "required"),
            "format.atm-derived",
            f"`auth.required` is {str(auth['required']).lower()}, the sources say {str(needs).lower()} (T11)",
        )
    for name, source in auth.get("sources", {}).items():
        if source.get("default") not in (None, *source.get("types", (source.get("default"),))):
            report(
                ("auth", "sources", name, "default"),
                "format.atm-derived",
                "the default is not among the types",
            )


def _capabilities(value: Mapping[str, Any], report: Report) -> None:
    for kind, capability in CAPABILITIES_BY_KIND.items():
        if value["sources"].get(kind) and capability not in value["capabilities"]:
            report(
                ("capabilities",),
                "format.atm-derived",
                f"{kind} sources need the capability `{capability}`",
            )


def _reduction(value: Mapping[str, Any], report: Report) -> None:
    reduction = value.get("tokenReduction", {})
    before, after, share = (reduction.get(key) for key in ("traditional", "codeMode", "reduction"))
    if not before or after is None or share is None:
        return
    if abs(share - (1 - after / before)) > 0.0051:
        report(
            ("tokenReduction", "reduction"),
            "format.atm-derived",
            f"{share} does not match {before} and {after} tokens",
        )
    if "savings" in reduction and abs(float(reduction["savings"].rstrip("%")) - share * 100) > 0.1:
        report(
            ("tokenReduction", "savings"),
            "format.atm-derived",
            f"{reduction['savings']} is not {savings_text(share)}",
        )


def _names(value: Mapping[str, Any], report: Report) -> None:
    seen: set[str] = set()
    for kind in SOURCE_KINDS:
        for index, name in enumerate(value["sources"].get(kind, ())):
            if name in seen:
                report(
                    ("sources", kind, index),
                    "format.atm-duplicate",
                    f"two sources are named `{name}` (T13)",
                )
            seen.add(name)


def _checksum(value: Mapping[str, Any], report: Report) -> None:
    claimed = value.get("metadata", {}).get("checksum")
    if claimed is not None and claimed != checksum_of(value):
        report(
            ("metadata", "checksum"),
            "format.atm-checksum-mismatch",
            "the checksum does not match the manifest",
            "generate it again with `atip api sync`",
        )


def _sentence(value: Mapping[str, Any], report: Report) -> None:
    if "\n" in value["description"].strip():
        report(("description",), "format.multi-line", "use a single sentence (§7.5)")


def _credentials(value: object, report: Report) -> None:
    """§16.1: a manifest describes what is needed and never holds it."""
    stack: list[tuple[tuple[str | int, ...], object]] = []
    if isinstance(value, dict):
        stack = [(("auth",), value.get("auth"))]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict):
            for key, child in node.items():
                bare = str(key).lower().replace("-", "_")
                if bare in _CREDENTIAL_KEYS and isinstance(child, str) and child:
                    if not _PLACEHOLDER.match(child):
                        report(
                            (*path, key),
                            "format.atm-credential",
                            "a manifest must not contain credentials (§16.1)",
                            "name an environment variable in the configuration instead",
                        )
                else:
                    stack.append(((*path, key), child))
