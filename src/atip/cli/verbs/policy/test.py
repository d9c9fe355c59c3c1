"""Check the examples inside policy files: lines that a rule says it matches (`match`) and does not (`not_match`).

Without FILE, your own file and that of the current project. Nothing runs. Exit code 1 if an example is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from atip.cli.context import Context
    from atip.policy.policy import Rule

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = ("atip policy test", "atip policy test .agent-tools/policy.json --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default="", metavar="FILE", help="only this file")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean

    rows = [row for path in _files(options.file, ctx) for row in _run_cases(path, ctx)]
    wrong = [row for row in rows if not row["ok"]]
    if ctx.as_json:
        ctx.emit({"examples": rows, "failed": len(wrong)})
        return 1 if wrong else 0
    for row in wrong:
        says = "does not match" if row["expected"] else "matches"
        ctx.print(clean(f"{row['path']}: {row['rule']}: {says} `{row['line']}`"))
    if not rows:
        ctx.note(
            "no rule has examples; add `match` or `not_match` to a rule of a policy file, or give the file"
        )
        return 0
    ctx.print(f"{len(rows) - len(wrong)} of {len(rows)} examples are correct")
    return 1 if wrong else 0


def _files(file: str, ctx: Context) -> list[str]:
    import os

    from atip.system.paths import find_project

    if file:
        return [file]
    folder = find_project(os.getcwd(), ctx.app.places.home)
    paths = [os.path.join(ctx.app.places.config, "policy.json")]
    paths += [os.path.join(folder, "policy.json")] if folder else []
    return [path for path in paths if os.path.lexists(path)]


def _run_cases(path: str, ctx: Context) -> Iterator[dict[str, Any]]:
    from atip.policy.reading import read_policy
    from atip.system.files import read_bytes

    policy = read_policy(read_bytes(path, 1_000_000), layer="user", origin=path)
    for rule in policy.rules:
        for expected, lines in ((True, rule.match), (False, rule.not_match)):
            for line in lines:
                matched = _matches(rule, line, ctx)
                yield {
                    "path": path, "rule": rule.name, "line": line, "expected": expected,
                    "matched": matched, "ok": matched is expected,
                }  # fmt: skip


def _matches(rule: Rule, line: str, ctx: Context) -> bool:
    """Whether a command of the line matches the rule, in a folder where the rule applies."""
    import os

    from atip.policy.matching import matches

    folder = rule.folders[0] if rule.folders else os.getcwd()
    return any(
        matches(rule, invocation) for invocation in ctx.app.explain(line, cwd=folder).invocations
    )
