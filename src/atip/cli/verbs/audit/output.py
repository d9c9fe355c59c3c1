"""Print the stored output of a run whose Result was truncated, redacted as it was then.

The marker in a truncated output names the run. Bytes are printed unchanged; `--json` prints text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = ("atip audit output 1f0c9a8b7d6e5f40 --from 196608 --bytes 65536",)
DEFAULT_BYTES = 256 * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural, positive

    parser.add_argument("run_id", metavar="RUN", help="as the mark in the output names it")
    parser.add_argument("--stream", choices=("stdout", "stderr"), default="stdout")
    parser.add_argument("--from", dest="start", type=natural, default=0, metavar="N", help="byte")
    parser.add_argument(
        "--bytes", type=positive, default=DEFAULT_BYTES, metavar="N", help="how many"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.execution.output.result import clean_output
    from atip.execution.output.saved_output import read_saved

    if options.start < 0 or options.bytes < 1:
        raise UsageError("output.range", "`--from` and `--bytes` must not be negative")
    data, size = read_saved(
        ctx.app.host.outputs,
        options.run_id,
        options.stream,
        start=options.start,
        count=min(options.bytes, 64 * 1024 * 1024),
    )
    end = options.start + len(data)
    text = data.decode("utf-8", "replace")
    if ctx.as_json:
        ctx.emit(
            {"run": options.run_id, "stream": options.stream, "from": options.start, "size": size,
             "next": end if end < size else None, "text": text}
        )  # fmt: skip
        return 0
    ctx.out.write(clean_output(text) if ctx.is_tty else text)
    if end < size:
        ctx.note(f"{size - end:,} bytes more: `--from {end}`")
    return 0
