"""A native answer: what a program printed for `--agent`, judged. Pure but for its arguments.

Accepted only if it ended by itself with status 0, in time, within the output limit, and stdout is
one document that passes the strict reader and lenient decoding (0.1 §3.1, ATIP 0.6 §3.1). A document
cannot take over another tool's name: it is kept under the name of the executable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from atip.errors import FormatError, ProbeError
from atip.model.reading.decode import decode
from atip.model.reading.reader import ReadLimits
from atip.model.tool import Trust
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.model.problems import Problem
    from atip.model.tool import Tool

    class ProbeAnswer(Protocol):
        """Result of one probe in the sandbox."""

        @property
        def exit_code(self) -> int | None: ...
        @property
        def stdout(self) -> bytes: ...
        @property
        def stderr(self) -> bytes: ...
        @property
        def timed_out(self) -> bool: ...
        @property
        def truncated(self) -> bool: ...
        @property
        def cpu_s(self) -> float: ...
        @property
        def failure(self) -> str: ...


ANSWER = ReadLimits(max_bytes=1_048_576)
FLAG = "--agent"
PARTIAL = "partial-discovery"


class NativeAnswer(Value):
    """Metadata from the tool itself, and what was odd about it."""

    tool: Tool
    problems: tuple[Problem, ...] = ()
    renamed_from: str | None = None
    """The name the document gave itself, if it was not the executable's."""


def judge_answer(name: str, answer: ProbeAnswer) -> NativeAnswer:
    """Metadata from a probe's result.

    Raises:
        ProbeError: with the reason, a stable code that is remembered by digest.
    """
    if answer.failure:
        raise ProbeError("probe.not-started", f"`{name}` could not be started", hint=answer.failure)
    if answer.timed_out:
        raise ProbeError("probe.timed-out", f"`{name}` did not answer in time")
    if answer.truncated:
        raise ProbeError("probe.too-much", f"`{name}` printed more than the limit")
    if answer.exit_code != 0:
        raise ProbeError("probe.exit-status", f"`{name}` ended with status {answer.exit_code}")
    try:
        decoded = decode(answer.stdout, limits=ANSWER)
    except FormatError as error:
        raise ProbeError(
            "probe.not-metadata", f"`{name}` did not print metadata: {error}"
        ) from error
    tool = decoded.tool
    renamed = tool.name if tool.name != name else None
    # SECURITY: provenance that a program reports about itself is a claim; it is native, nothing more.
    trust = (tool.trust or Trust()).replace(source="native", verified=False)
    return NativeAnswer(
        tool=tool.replace(name=name, trust=trust), problems=decoded.problems, renamed_from=renamed
    )


def mentions_flag(answer: ProbeAnswer) -> bool:
    """Whether a help text mentions `--agent`; the first phase of an explicit probe."""
    return FLAG.encode() in answer.stdout or FLAG.encode() in answer.stderr


def offers_parts(answer: ProbeAnswer) -> bool:
    """Whether an answer that was too large shows that the tool supports smaller answers (A39): the feature is
    declared at the start of the document, which was kept."""
    return f'"{PARTIAL}"'.encode() in answer.stdout[:65536]


def answer_digest(tool: Tool) -> str:
    """A fingerprint of what a tool said of itself: another one for the same bytes is a rug pull."""
    from atip.model.reading.encode import encode

    return digest_of_answer(encode(tool))


def digest_of_answer(document: dict[str, Any]) -> str:
    """The same of the tool's document."""
    import hashlib
    import json

    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
