"""The end of a run: from the outcome and the gathered output, or the answer of an API, to the Result."""

from __future__ import annotations

from atip.errors import EXIT_TIMEOUT, FormatError
from atip.execution.output.conventions import message_of, parse_output
from atip.execution.output.result import Result
from atip.model.tool import MISSING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.execution.call import Judgment, OperationCall, ProgramCall
    from atip.execution.output.result import CapturedStream, OperationAnswer
    from atip.sandbox.outcome import Outcome


def make_result(
    call: ProgramCall,
    judgment: Judgment,
    digest: str,
    outcome: Outcome,
    streams: Mapping[str, CapturedStream],
) -> Result:
    """The Result of an outcome and what was gathered of its output."""
    out, err = streams["stdout"], streams["stderr"]
    code = EXIT_TIMEOUT if outcome.timed_out else outcome.exit_code
    stdout, stderr = out.text(), err.text()
    conventions = judgment.conventions
    saved = tuple((name, stream.kept) for name, stream in streams.items() if stream.kept)
    return Result(
        argv=call.argv,
        exit_code=code,
        stdout=stdout,
        stderr=stderr,
        truncated=out.truncated or err.truncated or outcome.output_truncated,
        redactions=add_counts(out.counts, err.counts),
        confinement=judgment.confinement,
        decision=judgment.decision,
        duration_s=outcome.duration_s,
        timed_out=outcome.timed_out,
        cancelled=outcome.cancelled,
        signal=outcome.signal,
        backend=outcome.backend,
        layers=outcome.layers,
        digest=digest,
        meaning=conventions.exit_codes.get(code, ""),
        env_dropped=outcome.env_dropped,
        backend_notes=outcome.notes,
        data=_data(call, judgment, stdout, out),
        message=message_of(stdout, stderr, failed=code != 0, conventions=conventions),
        attempts=outcome.attempts,
        kept=saved,
    )


def operation_result(
    call: OperationCall, judgment: Judgment, answer: OperationAnswer, run_id: str, duration_s: float
) -> Result:
    """The Result of an operation: its data, and the same as bounded text."""
    import json

    data = answer.data
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    encoded = text.encode("utf-8", "surrogatepass")
    cut = len(encoded) > call.max_bytes
    return Result(
        argv=call.argv,
        exit_code=0,
        stdout=encoded[: call.max_bytes].decode("utf-8", "ignore") if cut else text,
        truncated=cut,
        decision=judgment.decision,
        duration_s=duration_s,
        run_id=run_id,
        data=data,
        answer=answer,
    )


def _data(call: ProgramCall, judgment: Judgment, stdout: str, out: CapturedStream) -> object:
    """The output as a value; what is cut, or no JSON after all, is text only."""
    expects_json = call.structured or judgment.conventions.default_format == "json"
    if not expects_json or out.truncated:
        return MISSING
    try:
        return parse_output(stdout)
    except FormatError:
        return MISSING


def add_counts(*counts: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    """Redactions of several streams together."""
    total: dict[str, int] = {}
    for kind, number in (pair for count in counts for pair in count):
        total[kind] = total.get(kind, 0) + number
    return tuple(total.items())
