"""Run a command confined and traced; hold what it did against what is declared, and draft its sandbox.

Runs on a copy of the workspace, without network and with secrets hidden: nothing changes, so no question is needed. With
`--real` it is an ordinary run: policy decides, you are asked where it asks, changes stay. Reports which files it
read, wrote and removed, what it started and where it tried to connect; names what is undeclared and what was not used;
writes an AIP-29 `sandbox:` block. Exit code 1 when the description denies what was seen.
"""

from __future__ import annotations

from atip.errors import EXIT_FAILURE, EXIT_OK, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.toolbox import Observation

EFFECTS = {"subprocess": True}
EXAMPLES = ("atip observe -- tar xf a.tar", "atip observe --real --write sandbox.yaml -- make test")


def configure(parser: argparse.ArgumentParser) -> None:
    import argparse as library

    parser.add_argument(
        "--real", action="store_true", help="an ordinary run: asks, connects, changes stay"
    )
    parser.add_argument(
        "--yes", action="store_true", help="answer yes where nothing can be destroyed"
    )
    parser.add_argument("--policy", default=None, metavar="PRESET", help="preset for this run")
    parser.add_argument(
        "--timeout", type=float, default=None, metavar="S", help="seconds until killed"
    )
    parser.add_argument("--write", metavar="FILE", help="write the `sandbox:` block there")
    parser.add_argument("--save", action="store_true", help="keep it as evidence (`observed`)")
    parser.add_argument("words", nargs=library.REMAINDER, help="`--`, then the command")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.verbs.run import as_run_errors, terminal_asker

    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if not words:
        raise UsageError("observe.empty", "there is no command", hint="atip observe -- CMD …")
    with as_run_errors():
        seen = ctx.app.observe(
            words,
            timeout_s=options.timeout,
            preset=options.policy,
            assume_yes=options.yes,
            ask=terminal_asker(ctx),
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
    words = {True: "yes", False: "no", None: "nothing"}
    for each in seen.differences:
        says = words[each.declared]
        ctx.print(f"{each.kind:<12} {each.fact}  (the description says {says})")
    if not seen.differences:
        ctx.print("as declared")
    ctx.print(seen.render_block().rstrip("\n"))
