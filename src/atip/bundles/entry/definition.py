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
    "id",
    "name",
    "description",
    "version",
    "bin",
    "install",
    "version_check",
    "sandbox",
    "commands",
    "tags",
)
ADAPTERS = ("login", "refresh", "parse_output", "detect_expiry")


class CliHandle(Value):
    """What `define_cli` returns: fields that mirror the manifest, and the adapters."""

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
        """Where the entry says something else than the front matter, which wins (rule 2)."""
        found: list[Problem] = []
        for name in IDENTITY:
            own = getattr(self, name)
            stated = bundle.manifest.fields.get(name)
            if own in (None, ()) or stated is None:
                continue
            if (list(own) if isinstance(own, tuple) else own) != stated:
                text = f"the entry's `{name}` differs from CLI.md, which is used"
                found.append(
                    Problem(
                        path=f"$.{name}", code="define.differs", message=text, severity="warning"
                    )
                )
        return found

    def with_signal(self, signal: Signal) -> CliHandle:
        """The same, cancellable through `signal`."""
        return self.replace(adapters=self.adapters.replace(signal=signal))


def define_cli(
    definition: Mapping[str, Any] | None = None, /, **fields: Unpack[CliDefinition]
) -> CliHandle:
    """A handle for an entry with adapters; see the text for what each adapter gets and returns.

    Args:
        definition: the whole definition as one object; or give its fields by name.

    Raises:
        FormatError: `define.invalid` with every problem.
    """
    given = {
        NAMES.get(name, name): value for name, value in {**(definition or {}), **fields}.items()
    }
    problems = [*_missing(given), *_wrong(given)]
    if problems:
        raise FormatError(
            "define.invalid", f"{problems[0].path} {problems[0].message}", problems=problems
        )
    return CliHandle(
        **{
            name: given[name]
            for name in (*REQUIRED, "version", "version_check", "sandbox", "commands")
            if name in given
        },
        install=tuple(given["install"]) if given.get("install") is not None else None,
        tags=tuple(given.get("tags") or ()),
        metadata=given.get("metadata") or NO_EXTRA,
        adapters=Adapters(**{name: given.get(name) for name in ADAPTERS}),
    )


defineCli = define_cli  # the canonical name of the text (rule 1)


def _missing(given: Mapping[str, Any]) -> list[Problem]:
    return [
        Problem(path=f"$.{name}", code="define.missing", message="is required")
        for name in REQUIRED
        if not isinstance(given.get(name), str) or not given[name]
    ]


def _wrong(given: Mapping[str, Any]) -> list[Problem]:
    known = (*IDENTITY, "metadata", *ADAPTERS)
    problems = [
        Problem(path=f"$.{name}", code="define.unknown", message="is not part of a definition")
        for name in given
        if name not in known
    ]
    problems += [
        Problem(path=f"$.{name}", code="define.adapter", message="must be a function")
        for name in ADAPTERS
        if given.get(name) is not None and not callable(given[name])
    ]
    return problems
