"""`define_cli`: the standard entry point of AIP-29 for Python. Also exported as `defineCli`.

    handle = define_cli(id="gh", name="GitHub CLI", description="…", bin="gh", parse_output=parse)

Names may be written as in the text (`versionCheck`, `parseOutput`) or in Python's way. Importing this module and calling
`define_cli` do no input or output (rule 6). Where entry and front matter disagree, the front matter wins, with a warning
(rule 2). Implements AIP-29 "The defineCli standard signature"; RESOLUTIONS P24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from atip.bundles.entry.adapters import Adapters
from atip.errors import FormatError
from atip.model.effects import NO_EXTRA
from atip.model.problems import Problem
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.entry.adapters import Signal
    from atip.bundles.entry.contract import CliDefinition

NAMES = {
    "versionCheck": "version_check",
    "parseOutput": "parse_output",
    "detectExpiry": "detect_expiry",
}
REQUIRED = ("id", "name", "description", "bin")
IDENTITY = (
    "id", "name", "description", "version", "bin", "install", "version_check", "sandbox", "commands", "tags",
)  # fmt: skip
ADAPTERS = ("login", "refresh", "parse_output", "detect_expiry")


class CliHandle(Value):
    """Result of `define_cli`: fields that mirror the manifest, and the adapters."""

    id: str
    name: str
    description: str
    bin: str
    version: str | None = None
    install: tuple[Mapping[str, Any], ...] | None = None
    version_check: Mapping[str, Any] | None = None
    sandbox: Mapping[str, Any] | None = None
    commands: Mapping[str, Any] | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = NO_EXTRA
    adapters: Adapters = Adapters()

    def disagreements(self, bundle: Bundle) -> list[Problem]:
        """List fields of the entry that differ from the front matter, which wins (rule 2)."""
        problems: list[Problem] = []
        for name in IDENTITY:
            value = getattr(self, name)
            declared = bundle.manifest.fields.get(name)
            if value in (None, ()) or declared is None:
                continue
            if (list(value) if isinstance(value, tuple) else value) != declared:
                text = f"the entry's `{name}` differs from CLI.md, which is used"
                problems.append(
                    Problem(
                        path=f"$.{name}", code="define.differs", message=text, severity="warning"
                    )
                )
        return problems

    def with_signal(self, signal: Signal) -> CliHandle:
        """A copy that `signal` can cancel."""
        return self.replace(adapters=self.adapters.replace(signal=signal))


def define_cli(
    definition: Mapping[str, Any] | None = None, /, **fields: Unpack[CliDefinition]
) -> CliHandle:
    """Create the handle of an entry with adapters; `contract.py` has the types of each adapter.

    Args:
        definition: the whole definition as one object; or give its fields by name.

    Raises:
        FormatError: `define.invalid` with every problem.
    """
    definition_fields = {
        NAMES.get(name, name): value for name, value in {**(definition or {}), **fields}.items()
    }
    problems = [*_missing_fields(definition_fields), *_wrong(definition_fields)]
    if problems:
        raise FormatError(
            "define.invalid", f"{problems[0].path} {problems[0].message}", problems=problems
        )
    return CliHandle(
        **{
            name: definition_fields[name]
            for name in (*REQUIRED, "version", "version_check", "sandbox", "commands")
            if name in definition_fields
        },
        install=tuple(definition_fields["install"])
        if definition_fields.get("install") is not None
        else None,
        tags=tuple(definition_fields.get("tags") or ()),
        metadata=definition_fields.get("metadata") or NO_EXTRA,
        adapters=Adapters(**{name: definition_fields.get(name) for name in ADAPTERS}),
    )


defineCli = define_cli  # the canonical name of the text (rule 1)


def _missing_fields(fields: Mapping[str, Any]) -> list[Problem]:
    return [
        Problem(path=f"$.{name}", code="define.missing", message="is required")
        for name in REQUIRED
        if not isinstance(fields.get(name), str) or not fields[name]
    ]


def _wrong(fields: Mapping[str, Any]) -> list[Problem]:
    allowed = (*IDENTITY, "metadata", *ADAPTERS)
    problems = [
        Problem(path=f"$.{name}", code="define.unknown", message="is not part of a definition")
        for name in fields
        if name not in allowed
    ]
    problems += [
        Problem(path=f"$.{name}", code="define.adapter", message="must be a function")
        for name in ADAPTERS
        if fields.get(name) is not None and not callable(fields[name])
    ]
    return problems
