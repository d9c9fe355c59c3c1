"""Input, time and terminal of a call, as its description wants them (ATIP 0.6 §3.6). Never answers a prompt for the user."""

from __future__ import annotations

from atip.errors import ExecutionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.execution.call import ProgramCall
    from atip.model.effects import Effects


def declared_timeout(effects: Effects) -> float | None:
    """Seconds of `duration.timeout`, if the description has one that is a duration."""
    if not effects.duration.timeout:
        return None
    from atip.model.text.durations import parse_duration

    parsed = parse_duration(effects.duration.timeout)
    return parsed[1] if parsed and parsed[1] > 0 else None


def prepare_input(call: ProgramCall, effects: Effects) -> tuple[bytes, tuple[str, ...]]:
    """Input for the program, and what the caller should know (§3.6).

    Raises:
        ExecutionError: `execution.needs-input`, `execution.needs-password`: it would wait for ever.
    """
    wants = effects.interactive.stdin
    if wants == "password":
        raise ExecutionError(
            "execution.needs-password",
            "the command reads a password, which atip never enters",
            hint="log in yourself first, or use the tool's own credential helper",
        )
    if wants == "required" and call.stdin is None:
        raise ExecutionError(
            "execution.needs-input",
            "the command reads from standard input, but no input was given",
            hint="give it input, as in `… | atip run --stdin TOOL …`",
        )
    notes: tuple[str, ...] = ()
    if effects.interactive.prompts is True:
        # A48: no flag that answers is ever added; without an answer the command sees the end of input.
        notes = ("the command may ask questions; they are not answered for you",)
    return call.stdin or b"", notes
