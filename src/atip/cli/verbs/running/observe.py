"""Run a command confined and traced; compare what it did with its declared effects, and draft its sandbox.

Runs on a copy of the workspace, with secrets hidden and all connections redirected to a recorder: nothing changes and nothing is sent,
so no confirmation is needed. With `--real` it is an ordinary run: policy decides, you may have to confirm, changes stay. Reports which
files it read, wrote and removed, what it started and where it tried to connect; lists undeclared and unused effects;
writes an AIP-29 `sandbox:` block. Exit code 1 when an observation contradicts the description.

`--cases FILE` runs the cases of a file (docs/formats/cases.md), `--examples TOOL` generated ones: each flag once with
and once without, on a folder of samples; a verdict for every fact. `--save` stores the observations as evidence of exactly this file.
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
"""Effects that other lines already show."""
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
        "--real", action="store_true", help="an ordinary run: may ask, connects, changes stay"
    )
    parser.add_argument("--yes", action="store_true", help="confirm where nothing can be destroyed")
    parser.add_argument("--policy", default=None, metavar="PRESET", help="preset for this run")
    parser.add_argument(
        "--timeout", type=seconds, default=None, metavar="S", help="seconds until killed"
    )
    parser.add_argument("--write", metavar="FILE", help="write the `sandbox:` block there")
    parser.add_argument("--save", action="store_true", help="save it as evidence (`observed`)")
    parser.add_argument("--cases", metavar="FILE", help="run the cases of a file")
    parser.add_argument(
        "--examples", metavar="TOOL", help="generate cases for a tool, and run them"
    )
    parser.add_argument("words", nargs=library.REMAINDER, help="`--`, then the command")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.verbs.running.run import as_run_errors, terminal_prompt

    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if options.cases or options.examples:
        return _run_cases(options, ctx, words)
    if not words:
        raise UsageError("observe.empty", "no command given", hint="atip observe -- CMD …")
    with as_run_errors():
        observation = ctx.app.observe(
            words,
            timeout_s=options.timeout,
            preset=options.policy,
            assume_yes=options.yes,
            ask=terminal_prompt(ctx),
            real=options.real,
        )
    if options.write:
        from atip.system.files import write_atomic

        write_atomic(options.write, observation.render_block().encode(), mode=0o644)
    saved = ctx.app.save_observation(observation) if options.save else None
    if ctx.as_json:
        ctx.emit({**observation.to_json(), "saved": saved})
    else:
        _print(ctx, observation)
    return EXIT_OK if observation.honest else EXIT_FAILURE


def _print(ctx: Context, observation: Observation) -> None:
    from atip.execution.consent import clean_line

    touched = observation.touched
    if not observation.real:
        ctx.note("ran on a copy: its changes were dropped")
    ctx.print(f"exit code    {observation.result.exit_code}")
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
    for contact in observation.contacts:
        name = f"  TLS {contact.tls}" if contact.tls else ""
        ctx.print(
            f"{'connected to':<12} {clean_line(contact.host)}:{contact.port}{name}  (recorded, not sent)"
        )
    for other in [row for row in touched.effects if row.effect not in _SHOWN][:20]:
        ctx.print(f"{other.effect:<12} {clean_line(other.target)}  ({other.call})")
    words = {True: "yes", False: "no", None: "nothing"}
    for difference in observation.differences:
        says = words[difference.declared]
        ctx.print(f"{difference.kind:<12} {difference.fact}  (the description says {says})")
    if not observation.differences:
        ctx.print("as declared")
    ctx.print(observation.render_block().rstrip("\n"))


def _run_cases(options: argparse.Namespace, ctx: Context, words: list[str]) -> int:
    from atip.system.files import read_bytes

    if words or options.real or (options.cases and options.examples):
        raise UsageError(
            "observe.one-of",
            "`--cases`, `--examples` and a command cannot be combined; `--real` needs a command",
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
    for case in report.cases:
        facts = ", ".join(f"{verdict.fact} {verdict.verdict}" for verdict in case.verdicts[:6])
        for verdict in case.verdicts:
            counts[verdict.verdict] = counts.get(verdict.verdict, 0) + 1
        ctx.print(f"{clean_line(' '.join(case.row['argv']))}\n    {facts or 'nothing observed'}")
    for line, problem in report.unmet:
        ctx.print(f"not as expected  {clean_line(line)}: {problem}")
    for row, fact in report.disproved:
        ctx.print(f"undeclared       {clean_line(' '.join(row.row['argv']))}: {fact}")
    summary = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    ctx.print(f"{count(len(report.cases), 'case')}: {summary or 'nothing'}")
