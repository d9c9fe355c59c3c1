"""Rules on whether a document is complete and informative."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.model.lint.findings import Edit, RuleHit
from atip.model.lint.index import as_dict
from atip.model.text.durations import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.lint.findings import LintFacts, Parts
    from atip.model.lint.index import DocumentIndex

_BOOLEANS = ("destructive", "reversible", "idempotent", "network", "subprocess")
_INNER: dict[str, dict[str, Any]] = {
    "filesystem": {"read": bool, "write": bool, "delete": bool, "paths": list},
    "cost": {"billable": bool, "estimate": ("free", "low", "medium", "high", "none", "variable")},
    "interactive": {
        "stdin": ("none", "optional", "required", "password"),
        "prompts": bool,
        "tty": bool,
    },
    "duration": {"typical": "duration", "timeout": "duration"},
}
_FILLER = re.compile(
    r"(?:(?:add|your|the|some|short|a)\s+)*(?:description|desc|summary)(?:\s+(?:here|goes here|of (?:the )?\w{1,30}))?[.!]?\Z"
    r"|lorem ipsum|placeholder|coming soon|no description|not documented|undocumented|n/?a\Z|none\Z|\.{3}\Z|-+\Z|\?+\Z",
    re.IGNORECASE,
)
_NO_VERSION = ("", "unknown", "n/a", "none", "null", "todo", "0", "x.y.z", "latest", "version")


def valid_document(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Errors that even lenient reading refuses, except those that other rules report better."""
    from atip.model.reading.positions import parse_path
    from atip.model.shapes.check import check_tool

    for problem in check_tool(index.raw, "lenient"):
        parts = parse_path(problem.path)
        if problem.severity == "error" and "effects" not in parts:
            yield RuleHit(parts=parts, message=problem.message, hint=problem.hint)


def no_missing_required_fields(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """§3.3–3.5; A7, A33."""
    for field in ("version", "description"):
        if not index.raw.get(field) and not as_dict(index.raw.get("binary")).get(field):
            yield _missing((), "tool", field)
    for node in index.commands:
        if not node.raw.get("description"):
            yield _missing(node.parts, "command", "description")
    for parts, argument in index.arguments():
        yield from _parameter(parts, argument, "argument", ("name", "type", "description"))
    for parts, option in index.options():
        yield from _parameter(parts, option, "option", ("name", "flags", "type", "description"))
    for parts, pattern in index.patterns():
        for field in ("name", "description", "steps"):
            if not pattern.get(field):
                yield _missing(parts, "pattern", field)


def _parameter(
    parts: Parts, raw: dict[str, Any], what: str, fields: tuple[str, ...]
) -> Iterator[RuleHit]:
    for field in fields:
        if not raw.get(field):
            yield _missing(parts, what, field)
    if raw.get("type") == "enum" and not raw.get("enum"):
        yield _missing(parts, f"{what} of type enum", "enum")


def _missing(parts: Parts, what: str, field: str) -> RuleHit:
    return RuleHit(parts=(*parts, field), message=f"{what} is missing required field `{field}`")


def valid_effects_values(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """§3.6; A8, A9. A wrong type is read as silence at best: never leave it standing."""
    for node in index.nodes:
        if "effects" not in node.raw:
            continue
        parts = (*node.parts, "effects")
        effects = node.raw["effects"]
        if not isinstance(effects, dict):
            yield RuleHit(parts=parts, message="`effects` must be an object")
            continue
        for field in _BOOLEANS:
            if field in effects:
                yield from _value(effects[field], bool, (*parts, field), field)
        for field in ("creates", "modifies", "deletes"):
            if field in effects:
                yield from _value(effects[field], list, (*parts, field), field)
        for group, fields in _INNER.items():
            inner = effects.get(group)
            if inner is not None and not isinstance(inner, dict):
                yield RuleHit(parts=(*parts, group), message=f"field `{group}` must be an object")
            for field, kind in fields.items():
                if field in as_dict(inner):
                    name = f"{group}.{field}"
                    yield from _value(as_dict(inner)[field], kind, (*parts, group, field), name)


def _value(value: Any, kind: Any, parts: Parts, name: str) -> Iterator[RuleHit]:
    if kind is bool and type(value) is not bool:
        yield RuleHit(parts=parts, message=f"field `{name}` must be true or false")
    elif kind is list and not (
        isinstance(value, list) and all(isinstance(item, str) for item in value)
    ):
        yield RuleHit(parts=parts, message=f"field `{name}` must be an array of strings")
    elif isinstance(kind, tuple) and value not in kind:
        allowed = ", ".join(
            word for word in kind if word not in ("none", "variable") or len(kind) < 5
        )
        yield RuleHit(parts=parts, message=f"field `{name}` must be one of {allowed}")
    elif kind == "duration" and (not isinstance(value, str) or parse_duration(value) is None):
        yield RuleHit(
            parts=parts,
            message=f"field `{name}` is not a duration",
            hint="write `5s`, `1-5s`, `2m` or `instant`",
        )


def no_empty_effects(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Commands that can be run, and the bare tool where there are no commands."""
    nodes = [node for node in index.commands if node.is_leaf] or [index.root]
    for node in nodes:
        effects = node.raw.get("effects")
        what = "command" if node.words else "tool"
        if effects is None:
            yield RuleHit(
                parts=node.parts,
                message=f"{what} should declare effects metadata",
                hint="declare its effects on files, network and data; unknown counts as unsafe",
            )
            continue
        if not isinstance(effects, dict):
            continue
        if len(effects) < options["minFields"]:
            yield RuleHit(
                parts=(*node.parts, "effects"),
                message=f"{what} effects should have at least {options['minFields']} field(s), "
                f"but has {len(effects)}",
            )
        for field in options["requiredFields"]:
            if field not in effects:
                yield RuleHit(
                    parts=(*node.parts, "effects"),
                    message=f"{what} effects should include required field `{field}`",
                )


def description_quality(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Length, placeholders, case, white space of every description."""
    owners: list[tuple[Parts, dict[str, Any]]] = [(node.parts, node.raw) for node in index.nodes]
    owners += index.arguments()
    owners += index.options()
    owners += index.patterns()
    for parts, raw in owners:
        text = raw.get("description")
        if isinstance(text, str) and text:
            yield from _description((*parts, "description"), text, options)


def _description(parts: Parts, text: str, options: Mapping[str, Any]) -> Iterator[RuleHit]:
    clean = text.strip()
    if text != clean:
        yield RuleHit(
            parts=parts,
            message="description has leading or trailing whitespace",
            edit=Edit(action="replace", parts=parts, value=clean) if clean else None,
        )
        return
    if len(text) < options["minLength"]:
        yield RuleHit(
            parts=parts,
            message=f"description is too short (minimum {options['minLength']} characters)",
        )
    if len(text) > options["maxLength"]:
        yield RuleHit(
            parts=parts,
            message=f"description is too long (maximum {options['maxLength']} characters)",
        )
    if "\n" in text and len(parts) == 1:
        yield RuleHit(parts=parts, message="description of a tool should be one line")
    placeholder = _placeholder(text, options["placeholderPatterns"])
    if placeholder:
        yield RuleHit(
            parts=parts, message=f'description contains placeholder text: "{placeholder}"'
        )
    if options["requireSentenceCase"] and text[0] != text[0].upper():
        yield RuleHit(parts=parts, message="description should start with an uppercase letter")
    if options["requireEndingPunctuation"] and text[-1] not in ".?!。？！":
        yield RuleHit(parts=parts, message="description should end with punctuation")


def _placeholder(text: str, patterns: list[Any]) -> str:
    for pattern in patterns:
        if isinstance(pattern, str) and pattern and pattern in text:
            return pattern
    match = _FILLER.match(text)
    return match.group()[:40] if match else ""


def missing_version(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Without a version it is unknown whether the metadata describes this tool."""
    version = index.raw.get("version", as_dict(index.raw.get("binary")).get("version"))
    if isinstance(version, str) and version.strip().lower() in _NO_VERSION:
        yield RuleHit(
            parts=("version",),
            message=f"`{version}` is not a version",
            hint="write what `--version` prints",
        )


def deprecated_without_note(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """`deprecated: true` gives no replacement; a text does (A35)."""
    owners = [(node.parts, node.raw) for node in index.commands]
    owners += index.options()
    for parts, raw in owners:
        if raw.get("deprecated") in (True, ""):
            yield RuleHit(
                parts=(*parts, "deprecated"),
                message="deprecated without saying what to use instead",
                hint='write it in the field: "deprecated": "use `x` instead"',
            )
