"""Output conventions: streams and formats of a tool's output, and the output as a value where it is one.

Read from an AIP-29 `output:` block or from `x-atip.output` of a description (knowledge: `{json: "--json"}`). A
convention adds no check and lifts none: the JSON flag becomes part of the argv *before* policy judges it.
Implements AIP-29 "Output conventions"; CMP 0.2.0 §4.1 `returns`.
"""

from __future__ import annotations

from atip.errors import FormatError
from atip.execution.output.result import MEANINGS
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FORMATS = ("text", "json", "yaml", "binary")
STREAMS = ("stdout", "stderr", "mixed")
_KEYS = {
    *("default_format", "json_flag", "json_flag_args", "exit_codes", "stream", "error_stream"),
    "json",
}
MAX_LINES = 10_000


class Conventions(Value):
    """Output conventions of one tool, with common defaults."""

    default_format: str = "text"
    json_flag: tuple[str, ...] = ()
    """Words that force JSON; empty: there is no such flag."""
    exit_codes: Mapping[int, str] = MEANINGS
    stream: str = "stdout"
    """Stream of a successful result: `stdout`, `stderr` or `mixed`."""
    error_stream: str = "stderr"


USUAL = Conventions()


def read_conventions(block: object) -> Conventions:
    """An `output:` block.

    Raises:
        FormatError: `output.form`; a convention that is not understood is not guessed at.
    """
    if block is None:
        return USUAL
    if not isinstance(block, dict) or not set(block) <= _KEYS:
        raise _wrong("an output block must be an object with known keys")
    default_format = block.get("default_format", "text")
    stream, errors = block.get("stream", "stdout"), block.get("error_stream", "stderr")
    if default_format not in FORMATS or stream not in STREAMS or errors not in STREAMS:
        raise _wrong("unknown format or stream")
    return Conventions(
        default_format=default_format,
        json_flag=_flag(block),
        exit_codes={**MEANINGS, **_codes(block.get("exit_codes", {}))},
        stream=stream,
        error_stream=errors,
    )


def _flag(block: Mapping[str, Any]) -> tuple[str, ...]:
    flag = block.get("json_flag", block.get("json"))
    more = block.get("json_flag_args", [])
    if flag is None:
        return ()
    words = flag.split() if isinstance(flag, str) else []
    # SECURITY: a flag and its value, nothing that could be an operand or a second command word
    if not words or not words[0].startswith("-") or len(words) > 2:
        raise _wrong("a JSON flag is an option, with at most one value")
    if not isinstance(more, list) or not all(isinstance(word, str) for word in more):
        raise _wrong("`json_flag_args` must be a list of strings")
    if any(word.startswith("-") for word in (*words[1:], *more)):
        raise _wrong("a value of the JSON flag cannot be an option")
    return (*words, *more)


def _codes(block: object) -> dict[int, str]:
    if not isinstance(block, dict):
        raise _wrong("`exit_codes` is an object")
    codes: dict[int, str] = {}
    for key, meaning in block.items():
        text = str(key)
        if not (text.isascii() and text.isdigit() and int(text) < 256 and isinstance(meaning, str)):
            raise _wrong("`exit_codes` maps numbers to words")
        codes[int(text)] = meaning
    return codes


def with_json(argv: tuple[str, ...], conventions: Conventions) -> tuple[str, ...]:
    """The argv that answers in JSON; unchanged if unsupported or already requested."""
    flag = conventions.json_flag
    if not flag or flag[0] in argv or any(word.startswith(f"{flag[0]}=") for word in argv):
        return argv
    if "--" in argv:
        at = argv.index("--")
        return (*argv[:at], *flag, *argv[at:])
    return (*argv, *flag)


def message_of(stdout: str, stderr: str, *, failed: bool, conventions: Conventions) -> str:
    """The stream that holds what the tool had to say (AIP-29: both are read, the exit code decides)."""
    where = conventions.error_stream if failed else conventions.stream
    if where == "mixed":
        return "\n".join(part.rstrip("\n") for part in (stdout, stderr) if part)
    selected = stderr if where == "stderr" else stdout
    return selected or (stdout if where == "stderr" else stderr)


def parse_output(text: str) -> object:
    """The value of a JSON document or of JSON lines (a list).

    Raises:
        FormatError: it is neither.
    """
    from atip.model.reading.reader import read_json

    data = text.strip().encode("utf-8", "replace")
    if not data:
        raise _wrong("the output is empty")
    try:
        return read_json(data)
    except FormatError:
        lines = [line for line in data.split(b"\n") if line.strip()]
        if not 1 < len(lines) <= MAX_LINES:
            raise
        return [read_json(line) for line in lines]


def _wrong(message: str) -> FormatError:
    return FormatError("output.form", message)
