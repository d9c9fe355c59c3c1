"""Checks of a document: all problems, with paths, in one of three modes.

`schema` applies the public 0.6 schema alone. `strict` applies every rule of the texts as resolved in
RESOLUTIONS: what a publisher needs. `lenient` accepts what is commonly published
and reports every deviation as a warning. Reads plain values; never raises on them.
"""

from __future__ import annotations

from atip.model.problems import Problem, render_path
from atip.model.shapes.metadata import FEATURES, TOOL
from atip.model.text.durations import parse_duration
from atip.model.text.names import is_command_name, why_unsafe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    from atip.model.problems import Severity
    from atip.model.shapes.shape import Parts, Shape

    Mode = Literal["schema", "strict", "lenient"]

PROTOCOL_VERSION = (0, 6)
CHECKSUM_ALGORITHMS = {"sha256": 64, "sha384": 96, "sha512": 128}
MAX_COMMAND_DEPTH = 24
_PLACEHOLDER = r"\{([A-Za-z_][A-Za-z0-9_]{0,63})\}"

_MODES = {"schema": 0, "strict": 1, "lenient": 2}
_SEVERITIES: dict[str, tuple[Severity | None, Severity | None, Severity | None]] = {
    # code: severity in (schema, strict, lenient) mode; None: not a finding in that mode.
    # Codes that are not listed are errors everywhere.
    "format.unknown-field": (None, "warning", "warning"),  # A37
    "format.missing-description": ("error", "error", "warning"),  # A7
    "format.missing-type": ("error", "error", "warning"),
    "format.missing-version": ("error", "error", "warning"),
    "format.null": ("error", "error", "warning"),
    "format.feature": ("error", "warning", "warning"),  # A3
    "format.feature-since": (None, "warning", "warning"),
    "format.multi-line": (None, "warning", "warning"),
    "format.deprecated-field": (None, "warning", "warning"),
    "format.vendor-name": (None, "warning", "warning"),
    "format.time": ("error", "error", "warning"),
    "format.protocol-version": ("error", None, None),  # A2: judged by _protocol
    "format.newer-protocol": (None, "warning", "warning"),
    "format.name": ("error", None, None),  # A43: judged by _name
    "format.name-charset": (None, "warning", "warning"),
    "format.env-var": ("error", "warning", "warning"),  # A44
    "format.platform": ("error", "warning", "warning"),  # A45
    "format.long-description": ("error", "warning", "warning"),  # A46
    "format.cost": ("error", None, None),  # A8: judged by _effects
    "format.cost-word": (None, "warning", "warning"),
    "format.cost-unknown": (None, "error", "warning"),
    "format.duration": ("error", None, None),  # A9: judged by _effects
    "format.duration-form": (None, "warning", "warning"),
    "format.duration-unknown": (None, "error", "warning"),
    "format.url": ("error", "error", "warning"),
    "format.provenance": ("error", "error", "warning"),
    "format.auth-type": ("error", None, None),  # A36: judged by _authentication
    "format.auth-kind": (None, "error", "warning"),
    "format.checksum-algorithm": (None, "error", "warning"),  # A22
    "format.hash": ("error", "error", "warning"),  # A15: readable, but never a key
    "format.hash-case": (None, "warning", "warning"),  # A15
    "format.enum-missing": (None, "error", "warning"),  # A33
    "format.enum-type": (None, "error", "warning"),  # A33
    "format.command-name": (None, "error", "warning"),
    "format.undeclared-variable": (None, "warning", "warning"),  # A38
    "format.counts": (None, "warning", "warning"),  # A40
    "format.override": (None, "error", "warning"),
    "format.atm-unknown-field": ("error", "error", "warning"),  # T1
    "format.atm-total": (None, "error", "warning"),  # T5
    "format.atm-source": (None, "error", "warning"),  # T5
    "format.atm-derived": (None, "warning", "warning"),  # T7, T11
    "format.atm-checksum-mismatch": (None, "error", "warning"),  # T9
    "format.atm-credential": (None, "error", "error"),
}

_ALWAYS: tuple[Severity, Severity, Severity] = ("error", "error", "error")


def is_error(code: str) -> bool:
    """Whether a finding makes a document unreadable even in lenient mode."""
    return _SEVERITIES.get(code, _ALWAYS)[_MODES["lenient"]] == "error"


class Report:
    """Collects findings; severity is decided here and nowhere else."""

    __slots__ = ("_mode", "problems")

    def __init__(self, mode: Mode) -> None:
        self._mode = _MODES[mode]
        self.problems: list[Problem] = []

    def __call__(self, path: Parts, code: str, message: str, hint: str = "") -> None:
        severity = _SEVERITIES.get(code, _ALWAYS)[self._mode]
        if severity is not None:
            self.problems.append(
                Problem(
                    path=render_path(path), code=code, message=message, severity=severity, hint=hint
                )
            )


def check_shape(value: object, shape: Shape, mode: Mode = "strict") -> list[Problem]:
    """All problems of a value that should have the given shape."""
    report = Report(mode)
    shape(value, (), report)
    return report.problems


def check_tool(value: object, mode: Mode = "strict") -> list[Problem]:
    """All problems of ATIP metadata or of a shim (any version from 0.1 to 0.6)."""
    report = Report(mode)
    if isinstance(value, dict) and mode != "schema":
        value = with_derived_names(value)
    TOOL(value, (), report)
    if isinstance(value, dict) and mode != "schema":
        check_protocol(value, report)
        check_name(value, report)
        _description(value, report)
        _binary(value, report)
        _trust(value, report)
        _command_like(value, (), report)
        _options(value.get("globalOptions"), ("globalOptions",), report)
        _commands(value, report)
        _patterns(value, report)
        _counts(value, report)
    return report.problems


def with_derived_names(document: dict[str, Any]) -> dict[str, Any]:
    """A shim names its tool in `binary`; the root fields follow from it (A4)."""
    binary = document.get("binary")
    if not isinstance(binary, dict):
        return document
    derived = {
        field: binary[field]
        for field in ("name", "version")
        if field not in document and isinstance(binary.get(field), str)
    }
    return {**document, **derived} if derived else document


def check_protocol(document: dict[str, Any], report: Report) -> None:
    """Versions and features of the protocol that the document names."""
    atip = document.get("atip")
    if isinstance(atip, str):
        _protocol_version(atip, ("atip",), report)
    elif isinstance(atip, dict):
        for field in ("version", "minAgentVersion"):
            if isinstance(atip.get(field), str):
                _protocol_version(atip[field], ("atip", field), report)
        _features(atip, report)


def _features(atip: dict[str, Any], report: Report) -> None:
    features, version = atip.get("features"), atip.get("version")
    for index, feature in enumerate(features if isinstance(features, list) else ()):
        since = FEATURES.get(feature) if isinstance(feature, str) else None
        if since and isinstance(version, str) and version < since:
            message = f"`{feature}` came with {since}, the document says {version[:20]}"
            report(("atip", "features", index), "format.feature-since", message)


def _protocol_version(text: str, path: Parts, report: Report) -> None:
    parts = text.split(".")
    if not (
        2 <= len(parts) <= 3
        and all(part.isascii() and part.isdigit() and len(part) < 5 for part in parts)
    ):
        report(path, "format.version-form", f"`{text[:40]}` is not a version such as 0.6")
    elif int(parts[0]) != 0 or int(parts[1]) == 0:
        report(
            path,
            "format.other-protocol",
            f"protocol {text[:40]} is not supported",
            "supported: 0.1 to 0.6",
        )
    elif (int(parts[0]), int(parts[1])) > PROTOCOL_VERSION:
        what = "needs" if path[-1] == "minAgentVersion" else "is written for"
        code = "format.newer-agent" if path[-1] == "minAgentVersion" else "format.newer-protocol"
        report(path, code, f"document {what} protocol {text[:40]}; supported up to 0.6")


def check_name(document: dict[str, Any], report: Report) -> None:
    """Whether the name of the tool is safe on a command line."""
    name = document.get("name")
    if not isinstance(name, str):
        return
    reason = why_unsafe(name)
    if reason:
        report(("name",), "format.unsafe-name", reason)
    elif not all(c.isalnum() or c in "_-" for c in name):
        report(
            ("name",),
            "format.name-charset",
            f"`{name}` has characters that the 0.6 schema does not allow",
        )


def _description(document: dict[str, Any], report: Report) -> None:
    description = document.get("description")
    if isinstance(description, str) and "\n" in description.strip():
        report(("description",), "format.multi-line", "the description has more than one line")


def _binary(document: dict[str, Any], report: Report) -> None:
    binary = document.get("binary")
    digest = binary.get("hash") if isinstance(binary, dict) else None
    if isinstance(digest, str) and digest != digest.lower():
        report(("binary", "hash"), "format.hash-case", "write the hex digits in lower case")


def _trust(document: dict[str, Any], report: Report) -> None:
    trust = document.get("trust")
    if isinstance(trust, dict) and "signature" in trust:
        report(
            ("trust", "signature"),
            "format.deprecated-field",
            "`trust.signature` is deprecated for a shim's signature",
            "write `trust.shimIntegrity.signature`",
        )
    integrity = trust.get("integrity") if isinstance(trust, dict) else None
    checksum = integrity.get("checksum") if isinstance(integrity, dict) else None
    if isinstance(checksum, str) and ":" in checksum:
        algorithm, digits = checksum.split(":", 1)
        if CHECKSUM_ALGORITHMS.get(algorithm) != len(digits):
            report(
                ("trust", "integrity", "checksum"),
                "format.checksum-algorithm",
                f"`{algorithm[:20]}` with {len(digits)} digits cannot be verified",
                "use sha256, sha384 or sha512",
            )


def walk_commands(document: dict[str, Any]) -> Iterator[tuple[Parts, str, dict[str, Any]]]:
    """Every command of a raw document: path in the JSON, name, object. Depth is bounded."""
    stack: list[tuple[Parts, Any, int]] = [(("commands",), document.get("commands"), 0)]
    while stack:
        path, commands, depth = stack.pop()
        if not isinstance(commands, dict) or depth >= MAX_COMMAND_DEPTH:
            continue
        for name, command in commands.items():
            if isinstance(command, dict):
                yield (*path, name), name, command
                if "commands" in command:
                    stack.append(((*path, name, "commands"), command["commands"], depth + 1))


def _commands(document: dict[str, Any], report: Report) -> None:
    for path, name, command in walk_commands(document):
        if name and not is_command_name(name):
            report(path, "format.command-name", f"`{name[:80]}` is not a valid command name")
        _command_like(command, path, report)


def _command_like(command: dict[str, Any], path: Parts, report: Report) -> None:
    if "effects" in command:
        _effects(command["effects"], (*path, "effects"), report)
    if "authentication" in command:
        _authentication(command["authentication"], (*path, "authentication"), report)
    _options(command.get("options"), (*path, "options"), report)
    _options(command.get("arguments"), (*path, "arguments"), report)


def _options(parameters: Any, path: Parts, report: Report) -> None:
    if not isinstance(parameters, list):
        return
    for index, parameter in enumerate(parameters):
        if type(parameter) is not dict:
            continue
        kind = parameter.get("type")
        if kind == "enum" and not parameter.get("enum"):
            report((*path, index), "format.enum-missing", "type `enum` needs values in `enum`")
        elif kind == "boolean" and "enum" in parameter:
            report((*path, index), "format.enum-type", "a boolean cannot have an `enum`")


def _effects(effects: Any, path: Parts, report: Report) -> None:
    if not isinstance(effects, dict):
        return
    cost = effects.get("cost")
    estimate = cost.get("estimate") if isinstance(cost, dict) else None
    if estimate in ("none", "variable"):
        report(
            (*path, "cost", "estimate"),
            "format.cost-word",
            f"`{estimate}` is not in the 0.6 schema",
        )
    elif isinstance(estimate, str) and estimate not in ("free", "low", "medium", "high"):
        report(
            (*path, "cost", "estimate"),
            "format.cost-unknown",
            f"`{estimate[:40]}` is not a cost estimate",
        )
    duration = effects.get("duration")
    if isinstance(duration, dict):
        for field in ("typical", "timeout"):
            _duration(duration.get(field), (*path, "duration", field), report)


def _duration(text: Any, path: Parts, report: Report) -> None:
    if not isinstance(text, str):
        return
    body, unit = text[:-1], text[-1:]
    regular = unit in ("s", "m", "h") and all(part.isdigit() for part in body.split("-"))
    if parse_duration(text) is None:
        report(
            path,
            "format.duration-unknown",
            f"`{text[:40]}` is not a duration",
            "write `5s` or `1-5m`",
        )
    elif not regular or ("-" in body) != (path[-1] == "typical"):
        report(path, "format.duration-form", f"`{text[:40]}` is not in the form of the 0.6 schema")


def _authentication(authentication: Any, path: Parts, report: Report) -> None:
    methods = authentication.get("methods") if isinstance(authentication, dict) else None
    for index, method in enumerate(methods if isinstance(methods, list) else ()):
        kind = method.get("type") if isinstance(method, dict) else None
        if isinstance(kind, str) and kind not in (
            "token",
            "oauth",
            "api-key",
            "password",
            "certificate",
            "none",
        ):
            report(
                (*path, "methods", index, "type"),
                "format.auth-kind",
                f"`{kind[:40]}` is not a known kind of login",
            )


def _patterns(document: dict[str, Any], report: Report) -> None:
    patterns = document.get("patterns")
    for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
        if not isinstance(pattern, dict) or not isinstance(pattern.get("steps"), list):
            continue
        declared = pattern.get("variables")
        variables = declared if isinstance(declared, dict) else {}
        for number, step in enumerate(pattern["steps"]):
            command = step.get("command") if isinstance(step, dict) else None
            for variable in placeholders(command) if isinstance(command, str) else ():
                if variable not in variables:
                    report(
                        ("patterns", index, "steps", number, "command"),
                        "format.undeclared-variable",
                        f"`{{{variable}}}` is not declared in `variables`",
                    )


def placeholders(template: str) -> list[str]:
    """Names of the `{variables}` in a pattern step, in order. Linear time."""
    import re  # start-up must not pay for it where no document has patterns

    return re.findall(_PLACEHOLDER, template)


def _counts(document: dict[str, Any], report: Report) -> None:
    total, included = document.get("totalCommands"), document.get("includedCommands")
    if isinstance(total, int) and isinstance(included, int) and included > total:
        report(
            ("includedCommands",),
            "format.counts",
            f"`includedCommands` ({included}) is greater than `totalCommands` ({total})",
        )
