"""Run a command confined and traced; hold what it did against what is declared, and draft its sandbox.

Runs on a copy of the workspace, with secrets hidden and a network that leads to a stand-in which writes down who was called: nothing
changes, nothing is sent, so no question is needed. With `--real` it is an ordinary run: policy decides, you are asked where it asks, changes stay. Reports which files it
read, wrote and removed, what it started and where it tried to connect; names what is undeclared and what was not used;
writes an AIP-29 `sandbox:` block. Exit code 1 when the description denies what was seen.

`--cases FILE` runs the cases of a file (docs/formats/cases.md), `--examples TOOL` those that can be found for a tool: each flag once with
and once without, on a folder of samples; a verdict for every fact. `--save` keeps what was seen as evidence of this very file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import EXIT_FAILURE, EXIT_OK, UsageError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.toolbox import Observation

EFFECTS = {"subprocess": True}
_SHOWN = frozenset(("create", "write", "delete", "start", "process", "connect", "socket"))
"""Effects that the lines above show already."""
MAX_CASES = 2_000_000
EXAMPLES = (
    "atip observe -- tar xf a.tar",
    "atip observe --real --write sandbox.yaml -- make test",
    "atip observe --examples cp",
)


def configure(parser: argparse.ArgumentParser) -> None:
    import argparse as library

    from atip.cli.quick import seconds

    parser.add_argument(
        "--real", action="store_true", help="an ordinary run: asks, connects, changes stay"
    )
    parser.add_argument(
        "--yes", action="store_true", help="answer yes where nothing can be destroyed"
    )
    parser.add_argument("--policy", default=None, metavar="PRESET", help="preset for this run")
    parser.add_argument(
        "--timeout", type=seconds, default=None, metavar="S", help="seconds until killed"
    )
    parser.add_argument("--write", metavar="FILE", help="write the `sandbox:` block there")
    parser.add_argument("--save", action="store_true", help="keep it as evidence (`observed`)")
    parser.add_argument("--cases", metavar="FILE", help="run the cases of a file")
    parser.add_argument("--examples", metavar="TOOL", help="find cases for a tool, and run them")
    parser.add_argument("words", nargs=library.REMAINDER, help="`--`, then the command")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.verbs.running.run import as_run_errors, terminal_prompt

    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if options.cases or options.examples:
        return _run_cases(options, ctx, words)
    if not words:
        raise UsageError("observe.empty", "there is no command", hint="atip observe -- CMD …")
    with as_run_errors():
        seen = ctx.app.observe(
            words,
            timeout_s=options.timeout,
            preset=options.policy,
            assume_yes=options.yes,
            ask=terminal_prompt(ctx),
            real=options.real,
        )
    if options.write:
        from atip.system.files import write_atomic

        write_atomic(options.write, seen.render_block().encode(), mode=0o644)
    saved = ctx.app.save_observation(seen) if options.save else None
    if ctx.as_json:
        ctx.emit({**seen.to_json(), "saved": saved})
    else:
        _print(ctx, seen)
    return EXIT_OK if seen.honest else EXIT_FAILURE


def _print(ctx: Context, seen: Observation) -> None:
    from atip.execution.consent import clean_line

    touched = seen.touched
    if not seen.real:
        ctx.note("ran on a copy: its changes were dropped")
    ctx.print(f"exit code    {seen.result.exit_code}")
    for name, values in (
        ("read", touched.reads),
        ("wrote", touched.writes),
        ("removed", touched.deletes),
        ("started", touched.spawned),
        ("reached", touched.hosts),
        ("refused", touched.refused),
    ):
        for value in values[:20]:
            ctx.print(f"{name:<12} {clean_line(value)}")
        if len(values) > 20:
            ctx.print(f"{name:<12} … and {len(values) - 20} more (`--json` has all)")
    for each in seen.contacts:
        name = f"  TLS {each.tls}" if each.tls else ""
        ctx.print(f"{'connected to':<12} {clean_line(each.host)}:{each.port}{name}  (a stand-in)")
    for other in [one for one in touched.effects if one.effect not in _SHOWN][:20]:
        ctx.print(f"{other.effect:<12} {clean_line(other.target)}  ({other.call})")
    words = {True: "yes", False: "no", None: "nothing"}
    for difference in seen.differences:
        says = words[difference.declared]
        ctx.print(f"{difference.kind:<12} {difference.fact}  (the description says {says})")
    if not seen.differences:
        ctx.print("as declared")
    ctx.print(seen.render_block().rstrip("\n"))


def _run_cases(options: argparse.Namespace, ctx: Context, words: list[str]) -> int:
    from atip.system.files import read_bytes

    if words or options.real or (options.cases and options.examples):
        raise UsageError(
            "observe.one-of",
            "`--cases`, `--examples` and a command exclude each other, and `--real`",
        )
    if options.cases:
        report = ctx.app.proof.cases(read_bytes(options.cases, MAX_CASES))
    else:
        report = ctx.app.proof.examples(options.examples)
    saved = ctx.app.proof.save(report) if options.save else None
    if ctx.as_json:
        ctx.emit({**report.to_json(), "saved": saved})
    else:
        _print_cases(ctx, report)
    return EXIT_OK if report.honest and not report.unmet else EXIT_FAILURE


def _print_cases(ctx: Context, report: Any) -> None:
    from atip.cli.output import count
    from atip.execution.consent import clean_line

    counts: dict[str, int] = {}
    for one in report.judged:
        facts = ", ".join(f"{each.fact} {each.verdict}" for each in one.verdicts[:6])
        for each in one.verdicts:
            counts[each.verdict] = counts.get(each.verdict, 0) + 1
        ctx.print(f"{clean_line(' '.join(one.row['argv']))}\n    {facts or 'nothing was seen'}")
    for line, problem in report.unmet:
        ctx.print(f"not as expected  {clean_line(line)}: {problem}")
    for one, fact in report.disproved:
        ctx.print(f"undeclared       {clean_line(' '.join(one.row['argv']))}: {fact}")
    told = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    ctx.print(f"{count(len(report.judged), 'case')}: {told or 'nothing'}")
