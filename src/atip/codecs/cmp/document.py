"""CMP 0.2.0 documents: manifest, capability and examples as values, with every problem found. Pure.

A CMP tool is a folder; here it is one mapping `{"manifest": …, "capability": …, "examples": …}` that `discovery`
puts together from the files. Lenient reading keeps what can be used and reports the rest as warnings; strict
reading makes each broken MUST an error. Implements CMP 0.2.0 §3, §4, §7, §9, §10 and C1–C3, C9–C16.
"""

from __future__ import annotations

import re

from atip.calls.templates.cmp import (
    NUMBER,
    TYPES,
    CmpIntent,
    Param,
    coerce,
    placeholders,
    split_template,
)
from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.text.names import why_unsafe
from atip.model.tool import MISSING
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Parts = tuple[str | int, ...]

SPEC = (0, 2, 0)
MAX_SUMMARY = 100
MAX_INTENTS = 5_000
RE = "re:"
_SEMVER = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?\Z")
_MANIFEST = {
    "domain", "name", "summary", "version", "binary", "requires", "tags", "adapter", "wraps", "cmp", "specVersion",
}  # fmt: skip
_INTENT = {"patterns", "command", "params", "returns", "confirm", "destructive", "idempotent"}
_PARAM = {"type", "required", "default", "description", "enum"}


class CmpManifest(Value):
    """Identity of the tool (§3.1, §7.1). `extra`: unknown fields, preserved on writing."""

    domain: str
    name: str
    summary: str = ""
    version: str = ""
    binary: str | None = None
    requires: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    adapter: bool | None = None
    wraps: str | None = None
    spec: str | None = None
    """`cmp` or `specVersion`: the minimum version of the text that the tool needs (C2)."""
    extra: Mapping[str, Any] = {}

    @property
    def program(self) -> str:
        """The executable: of an adapter what it wraps, else `binary`, else the name."""
        return self.wraps or self.binary or self.name

    @property
    def key(self) -> str:
        """Names are unique within a domain only, so the domain belongs to the key."""
        return f"{self.domain}/{self.name}"


class Reader:
    """Reads documents and collects problems; `strict` decides which of them are errors."""

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.problems: list[Problem] = []

    def manifest(self, value: object, *, folder: str = "") -> CmpManifest | None:
        """Read the manifest; None if it has no usable name."""
        at: Parts = ("manifest",)
        if not isinstance(value, dict):
            self._error(at, "cmp.manifest", "`manifest` is missing or not an object")
            return None
        for field in ("domain", "name", "summary", "version"):
            if not isinstance(value.get(field), str) or not value[field].strip():
                self._must(
                    (*at, field), "format.missing-field", f"`{field}` must be a non-empty string"
                )
        name = _text(value.get("name")) or folder
        if not name:
            self._error((*at, "name"), "format.missing-field", "`name` is missing")
            return None
        domain = _text(value.get("domain")) or "unknown"
        for field, text in (("name", name), ("domain", domain)):
            reason = why_unsafe(text)
            if reason:
                # SECURITY: both become keys, file names and words on a terminal.
                self._error((*at, field), "cmp.unsafe-name", f"`{field}`: {reason}")
                return None
        if folder and name != folder:
            self._warn(
                (*at, "name"),
                "cmp.folder-name",
                f"the folder is named `{folder}`; the manifest's name is used",
            )
        manifest = CmpManifest(
            domain=domain,
            name=name,
            summary=_text(value.get("summary")),
            version=_text(value.get("version")),
            binary=_text(value.get("binary")) or None,
            requires=self._texts(value, "requires", at),
            tags=self._texts(value, "tags", at),
            adapter=value["adapter"] if isinstance(value.get("adapter"), bool) else None,
            wraps=_text(value.get("wraps")) or None,
            spec=_text(value.get("cmp")) or _text(value.get("specVersion")) or None,
            extra={key: item for key, item in value.items() if key not in _MANIFEST},
        )
        self._check_manifest(manifest, at)
        return manifest

    def _check_manifest(self, manifest: CmpManifest, at: Parts) -> None:
        if len(manifest.summary) > MAX_SUMMARY or "\n" in manifest.summary:
            message = f"`summary` must be one line of at most {MAX_SUMMARY} characters"
            self._must((*at, "summary"), "cmp.summary-too-long", message)
        if manifest.version and not _SEMVER.match(manifest.version):
            self._must((*at, "version"), "cmp.version", "`version` must be a semantic version")
        if manifest.adapter and not manifest.wraps:
            self._warn((*at, "wraps"), "cmp.adapter", "an adapter needs `wraps`")
        if manifest.spec is None:
            return
        match = _SEMVER.match(manifest.spec) or re.match(r"(\d+)\.(\d+)()\Z", manifest.spec)
        if match is None:
            self._warn(
                (*at, "specVersion"), "cmp.spec-version", "not a version number such as 0.2.0"
            )
        elif tuple(int(part or 0) for part in match.groups()) > SPEC:
            # a newer specification may give the same fields another meaning: report it instead of misreading
            newer = int(match.group(1)) > SPEC[0]
            report = self._error if newer else self._warn
            report(
                (*at, "specVersion"),
                "cmp.newer-spec",
                f"requires CMP {manifest.spec}; only 0.2.0 is supported",
            )

    def intents(self, value: object) -> tuple[CmpIntent, ...]:
        """Every usable intent of a capability document, in order."""
        at: Parts = ("capability",)
        rows = value.get("intents") if isinstance(value, dict) else None
        if not isinstance(rows, list):
            self._error(at, "cmp.capability", "a capability document needs a list `intents`")
            return ()
        if len(rows) > MAX_INTENTS:
            self._error((*at, "intents"), "format.too-large", f"more than {MAX_INTENTS} intents")
            return ()
        read = (self._intent(item, (*at, "intents", place)) for place, item in enumerate(rows))
        return tuple(intent for intent in read if intent is not None)

    def _intent(self, value: object, at: Parts) -> CmpIntent | None:
        if not isinstance(value, dict) or not isinstance(value.get("command"), str):
            self._error(at, "cmp.intent", "an intent needs `patterns` and a `command`")
            return None
        patterns = self._texts(value, "patterns", at) or ()
        if not patterns:
            self._must((*at, "patterns"), "cmp.patterns", "an intent needs at least one pattern")
        for place, pattern in enumerate(patterns):
            if pattern.startswith(RE):
                self._pattern(pattern, (*at, "patterns", place))
        try:
            split_template(value["command"])
        except FormatError as error:
            # refused when it is to run (C7); the tool may still be listed and described
            self._warn((*at, "command"), error.code, error.message)
        self._check_unknown(value, _INTENT, at)
        return CmpIntent(
            patterns=patterns,
            command=value["command"],
            params=self._params(value.get("params"), value["command"], at),
            returns=value["returns"] if isinstance(value.get("returns"), dict) else None,
            confirm=self._flag(value, "confirm", at) is True,
            destructive=self._flag(value, "destructive", at) is True,
            idempotent=self._flag(value, "idempotent", at),
        )

    def _pattern(self, pattern: str, at: Parts) -> None:
        from atip.model.text.regex import compile_regex

        try:
            compile_regex(pattern[len(RE) :], ignore_case=True)
        except FormatError as error:
            self._must(at, "cmp.regex", error.message)

    def _params(self, value: object, command: str, at: Parts) -> tuple[Param, ...]:
        if value is None:
            value = {}
        if not isinstance(value, dict):
            self._error(
                (*at, "params"), "cmp.params", "`params` must be an object, parameter by name"
            )
            return ()
        used = set(placeholders(command))
        for name in sorted(used - set(value)):
            self._warn(
                (*at, "command"), "cmp.undeclared", f"`{{{name}}}` is not declared in `params`"
            )
        params = []
        for name, item in value.items():
            place: Parts = (*at, "params", str(name))
            if name not in used:
                self._warn(place, "cmp.unused", "the command does not use this parameter")
            if isinstance(item, dict):
                params.append(self._param(str(name), item, place))
            else:
                self._error(place, "cmp.params", "a parameter must be an object")
        return tuple(params)

    def _param(self, name: str, value: dict[str, Any], at: Parts) -> Param:
        kind = value.get("type", "string")
        if kind == NUMBER:
            self._warn(
                (*at, "type"), "cmp.type", "`number` is not a type of CMP 0.2.0; accepted anyway"
            )
        elif kind not in TYPES:
            self._must((*at, "type"), "cmp.type", f"`type` must be one of {', '.join(TYPES)}")
            kind = "string"
        self._check_unknown(value, _PARAM, at)
        enum = value.get("enum")
        param = Param(
            name=name,
            type=str(kind),
            required=value.get("required") is True,
            default=value.get("default", MISSING),
            description=_text(value.get("description")),
            enum=tuple(enum) if isinstance(enum, list) else None,
        )
        if param.default is not MISSING and param.default is not None:
            try:
                coerce(param, param.default)
            except ValueError as error:
                self._must((*at, "default"), "cmp.default", f"the default {error}")
        return param

    def examples(self, value: object) -> tuple[dict[str, Any], ...]:
        """Usage examples in the shape of the published one (C14); others are reported and left out."""
        if value is None:
            return ()
        rows = value.get("examples") if isinstance(value, dict) else value
        if not isinstance(rows, list):
            self._warn(("examples",), "cmp.examples", "`examples` must be a list")
            return ()
        valid = [
            item for item in rows if isinstance(item, dict) and isinstance(item.get("intent"), str)
        ]
        if len(valid) < len(rows):
            self._warn(
                ("examples",), "cmp.examples", "an example needs an `intent` and an `invocation`"
            )
        return tuple(valid)

    # -- problems --------------------------------------------------------------------------------

    def _texts(self, value: dict[str, Any], field: str, at: Parts) -> tuple[str, ...] | None:
        items = value.get(field)
        if items is None:
            return None
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self._must((*at, field), "format.wrong-type", f"`{field}` must be a list of strings")
            return (
                tuple(item for item in items if isinstance(item, str))
                if isinstance(items, list)
                else ()
            )
        return tuple(items)

    def _flag(self, value: dict[str, Any], field: str, at: Parts) -> bool | None:
        flag = value.get(field)
        if flag is None or isinstance(flag, bool):
            return flag
        self._must((*at, field), "format.wrong-type", f"`{field}` must be true or false")
        # unreadable counts as the dangerous value
        return field != "idempotent"

    def _check_unknown(self, value: dict[str, Any], allowed: set[str], at: Parts) -> None:
        for key in value:
            if key not in allowed and not key.startswith("x-"):
                self._warn((*at, key), "format.unknown-field", "not a field of CMP 0.2.0")

    def _must(self, at: Parts, code: str, message: str) -> None:
        self._say(at, code, message, "error" if self.strict else "warning")

    def _error(self, at: Parts, code: str, message: str) -> None:
        self._say(at, code, message, "error")

    def _warn(self, at: Parts, code: str, message: str) -> None:
        self._say(at, code, message, "warning")

    def _say(self, at: Parts, code: str, message: str, severity: Any) -> None:
        path = render_path(at)
        self.problems.append(Problem(path=path, code=code, message=message, severity=severity))


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
