"""The error tree: one family, stable codes, grouped by what the caller does next.

`code` is a dotted slug and the contract; the text may change. A tool's non-zero exit is a
Result, not an error. Nothing here imports anything: errors are raised on the fastest paths.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.model.problems import Problem

EXIT_OK = 0
EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_AUTH_REQUIRED = 4
EXIT_TIMEOUT = 124
EXIT_OUR_FAILURE = 125
EXIT_REFUSED = 126
EXIT_NOT_FOUND = 127


class AtipError(Exception):
    """Base of everything this package raises on purpose.

    `hint` says what to do; empty when there is nothing useful to say. `details` is JSON-ready.
    """

    exit_code = EXIT_FAILURE

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str = "",
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details = dict(details or {})
        if hint:
            self.add_note(hint)  # a traceback shows it

    def to_json(self) -> dict[str, object]:
        """The body of the `{"error": …}` document that every verb prints under `--json`."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "details": self.details,
        }


class FormatError(AtipError):
    """A document is wrong; `problems` holds all that was found, each with its path."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        problems: Sequence[Problem] = (),
        hint: str = "",
        details: Mapping[str, object] | None = None,
    ) -> None:
        merged = dict(details or {})
        if problems:
            merged["problems"] = [problem.to_json() for problem in problems]
        super().__init__(code, message, hint=hint, details=merged)
        self.problems = tuple(problems)


class NotFoundError(AtipError):
    """A tool, command, shim or format that does not exist here."""


class ProbeError(AtipError):
    """A tool did not answer a probe properly."""


class FetchError(AtipError):
    """Something remote could not be read."""


class TrustError(AtipError):
    """A check failed, or is missing while required."""


class PolicyError(AtipError):
    """Policy stands in the way of a call."""

    exit_code = EXIT_REFUSED


class Denied(PolicyError):
    """Policy refuses the call; no confirmation can change that."""


class NeedsConfirmation(PolicyError):
    """Policy wants a person's word first, and none could be had here."""


class SandboxError(AtipError):
    """The required confinement is not available on this host."""

    exit_code = EXIT_REFUSED


class ExecutionError(AtipError):
    """A program could not be started, timed out, or said too much."""

    exit_code = EXIT_OUR_FAILURE


class AuthRequired(AtipError):
    """A tool needs a login first; the hint names the command."""

    exit_code = EXIT_AUTH_REQUIRED


class UsageError(AtipError):
    """The command line is wrong."""

    exit_code = EXIT_USAGE
