"""The values of linting: what a rule reports, what a reader gets, what may be repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.problems import Severity

    Parts = tuple[str | int, ...]


class Edit(Value):
    """A safe, mechanical repair: `replace` the value at `parts`, or `add` a field to the object."""

    action: Literal["replace", "add"]
    parts: Parts
    value: object
    """For `add`, the last of `parts` is the new key."""

    def to_json(self) -> dict[str, object]:
        return {"action": self.action, "path": list(self.parts), "value": self.value}


class RuleHit(Value):
    """One hit of a rule; `is_note` lowers it to information."""

    parts: Parts
    message: str
    hint: str = ""
    edit: Edit | None = None
    is_note: bool = False


class LintFinding(Value):
    """One finding: the rule, how bad, where, what, what to do."""

    rule: str
    severity: Severity
    parts: Parts
    path: str
    message: str
    hint: str = ""
    edit: Edit | None = None

    def to_json(self) -> dict[str, object]:
        document: dict[str, object] = {
            "rule": self.rule,
            "severity": self.severity,
            "path": self.path,
            "message": self.message,
        }
        if self.hint:
            document["hint"] = self.hint
        if self.edit is not None:
            document["fix"] = self.edit.to_json()
        return document


class LintFacts(Value):
    """Facts about the machine for the rules. Absent facts are not checked."""

    binary_exists: bool | None = None
    binary_path: str | None = None
    binary_hash: str | None = None
    """`sha256:…` of the file that was found."""
    agent_document: Mapping[str, Any] | None = None
    """Output of the tool for `--agent`, run in a sandbox."""
    agent_error: str | None = None
    """Why `--agent` failed."""
    disproved: tuple[tuple[str, str], ...] = ()
    """Fact and command line of everything that cases saw on this machine, of this very file, and that was denied."""
