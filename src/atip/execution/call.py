"""Call and Judgment: a requested run – of a program or an API operation – and the policy decision on it."""

from __future__ import annotations

from atip.execution.output.conventions import USUAL, Conventions
from atip.execution.output.result import DEFAULT_MAX_BYTES
from atip.model.effects import UNKNOWN, Effects
from atip.model.permissions.confinement import Confinement
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from atip.execution.login import LoginState
    from atip.policy.command_context import CommandContext
    from atip.policy.decision import Decision


class CallOptions(Value):
    """Options of a call."""

    cwd: str | None = None
    """Working directory; None: the current one."""
    stdin: bytes | None = None
    timeout_s: float | None = None
    max_bytes: int | None = None
    """Kept of each stream; None: the usual."""
    assume_yes: bool = False
    structured: bool = False
    """Request JSON from the tool where supported (AIP-29 `json_flag`); the Result has `data`."""


class ProgramCall(Value):
    """A request to run a program."""

    argv: tuple[str, ...]
    program: str
    """Path of the executable; `argv[0]` is only its name."""
    cwd: str
    home: str = ""
    """Home directory; empty: that of this process's user."""
    stdin: bytes | None = None
    """Input for the program; None: none was given."""
    stdin_fd: int = -1
    """Input that is passed on as it comes, where `stdin` is None; -1: none."""
    keyboard: int = -1
    """Input of the user, for a program with its own terminal; -1: none."""
    terminal_size: tuple[int, int] = (24, 80)
    env: Mapping[str, str] = {}
    """The caller's variables; the confinement selects which are passed."""
    timeout_s: float | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    expected: str | None = None
    """Digest that the program must have; None: it is only recorded."""
    assume_yes: bool = False
    """The caller confirms in advance. SECURITY: never counts for what may destroy."""
    structured: bool = False
    """The output is expected to be JSON, and becomes `Result.data`."""
    root: str = ""
    """Folder that stands for `/` of the system that it runs on; empty: this host's."""
    image: str = ""
    """Display name of that system."""


class OperationCall(Value):
    """A request to call an API operation; its arguments are already checked."""

    argv: tuple[str, ...]
    """Words that named it, without its arguments: they may hold secrets, and are never recorded."""
    source: str
    name: str
    method: str
    path: str
    arguments: Mapping[str, Any]
    subject: CommandContext
    """As policy sees it."""
    project: object
    """Configuration and description as they were read. SECURITY: what is judged is what is sent; the files may change meanwhile."""
    cwd: str
    max_bytes: int = DEFAULT_MAX_BYTES
    assume_yes: bool = False
    """As for a program."""

    @property
    def target(self) -> str:
        """`pets.get_pet`."""
        return f"{self.source}.{self.name}"


Call = ProgramCall | OperationCall


class Judgment(Value):
    """The policy decision on a call."""

    decision: Decision
    effects: Effects = UNKNOWN
    confinement: Confinement = Confinement()
    audit: bool = False
    """No record, no run (§4.8 `auditAllCalls`)."""
    policy: str = ""
    """Digest of the policies in force; a yes is bound to it."""
    conventions: Conventions = USUAL
    login: LoginState | None = None
    """Precondition of the call; None: none known."""
    notes: tuple[str, ...] = ()
    """Notes on the plan for the caller."""
    keep: str = ""
    """Folder for outputs that are too long; empty: they are not kept."""
