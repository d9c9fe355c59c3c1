"""Allow a command line to run without confirmation from now on. Confirmed on the terminal: an agent cannot allow itself anything.

LINE is one command, spelled as it will be run; `npm test *` allows any further words too. The rule goes into your own policy file and applies to
the current project (`--here`, the default) or everywhere. It covers only the words: no redirection, no secret, no privilege.
A command that is known to destroy data still needs confirmation. A line that runs files of the workspace (tests, builds, scripts) runs confined, because
an earlier line may have written them; `--unsafe-unconfined` lets it run outside the sandbox.

Without LINE, `--host`, `--connect`, `--listen` and `--write` open the sandbox for all confined lines; `atip policy suggest` lists what they needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.policy.decision import Decision

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "interactive": {"stdin": "none", "prompts": True, "tty": True},
}
ONCE_S = 3_600.0
EXAMPLES = (
    "atip policy allow 'npm test'",
    "atip policy allow 'npm publish' --once",
    "atip policy allow 'python -m pytest *' --until 7d",
    "atip policy allow 'cargo build' --everywhere",
    "atip policy allow 'make docs' --unsafe-unconfined",
    "atip policy allow --host packages.example.com",
    "atip policy allow --connect localhost:5432",
    "atip policy allow --listen 3000",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "line", metavar="LINE", nargs="?", default="", help="the command line, quoted as one word"
    )
    parser.add_argument("--host", metavar="NAME", help="let confined lines reach this host")
    parser.add_argument(
        "--connect", metavar="HOST:PORT", help="let confined lines connect to this port, unproxied"
    )
    parser.add_argument(
        "--listen",
        metavar="PORT",
        help="let servers of confined lines be reached at this port of loopback",
    )
    parser.add_argument("--write", metavar="FOLDER", help="let confined lines write to this folder")
    parser.add_argument("--here", action="store_true", help="in the current project; the default")
    parser.add_argument("--everywhere", action="store_true", help="in every folder")
    parser.add_argument(
        "--once", action="store_true", help="for one line that an agent runs, within an hour"
    )
    parser.add_argument("--until", default="", metavar="TIME", help="how long: 2h, 7d")
    parser.add_argument(
        "--unsafe-unconfined",
        action="store_true",
        help="also outside the sandbox, although it runs files that an agent can write",
    )
    parser.add_argument("--reason", default="", metavar="TEXT", help="shown with the decision")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.errors import UsageError

    grants = [name for name in ("host", "connect", "listen", "write") if getattr(options, name)]
    if grants and not options.line:
        from atip.cli.groups.policy_grants import grant

        return grant(ctx, {name: getattr(options, name) for name in grants})
    if grants or not options.line:
        raise UsageError("cli.usage", "`policy allow` takes a LINE, or `--host`, `--connect`, `--listen`, `--write`")  # fmt: skip
    rule = rule_of(options, ctx, "allow")
    if options.unsafe_unconfined:
        rule["unsafeUnconfined"] = True
    decision = _judge_with(ctx, rule, options.line)
    if decision.outcome not in ("allow", "confine"):
        raise UsageError(
            "policy.cannot-allow",
            f"no rule can allow this: {'; '.join(decision.reasons)} [{decision.rule}]",
            hint="run it yourself in a terminal",
        )
    where = ", ".join(rule.get("folders", ["every folder"]))
    how = " in the sandbox" if decision.outcome == "confine" else ""
    how = " OUTSIDE THE SANDBOX" if options.unsafe_unconfined else how
    words = " ".join(rule["words"])
    if not ctx.confirm(f"Let agents run `{words}`{how} in {where} without asking?"):
        ctx.note("nothing was changed")
        return 1
    return write_rule(ctx, rule)


def rule_of(options: argparse.Namespace, ctx: Context, decision: str) -> dict[str, Any]:
    """Make the rule for a line, as written to the policy file.

    Raises:
        UsageError: the line is not one command of literal words, or the options contradict each other.
    """
    import os

    from atip.errors import UsageError
    from atip.model.text.durations import parse_duration
    from atip.system.clock import iso, now
    from atip.system.paths import find_project

    if options.here and options.everywhere:
        raise UsageError("cli.usage", "`--here` and `--everywhere` exclude each other")
    rule: dict[str, Any] = {"name": f"{decision} {options.line}", "decision": decision}
    rule["words"] = _words(options.line, ctx)
    if decision == "allow" and rule["words"][0].startswith("mcp__"):
        rule["pin"] = _pin(ctx, rule["words"])
    if not options.everywhere:
        folder = find_project(os.getcwd(), ctx.app.places.home)
        rule["folders"] = [os.path.realpath(os.path.dirname(folder) if folder else os.getcwd())]
    elif decision != "deny" and "/" in rule["words"][0] and rule["words"][0][0] != "/":
        raise UsageError("cli.usage", "a relative path is a different program in every folder", hint="give an absolute path, or omit `--everywhere`")  # fmt: skip
    if options.once:
        import secrets

        if decision != "allow" or options.until:
            raise UsageError("cli.usage", "`--once` is for `policy allow`, without `--until`")
        rule |= {"name": f"once {options.line} ({secrets.token_hex(4)})", "once": True}
        rule["until"] = iso(now() + ONCE_S)
    if options.until:
        _, seconds = parse_duration(options.until) or (0.0, 0.0)
        if seconds <= 0:
            raise UsageError("cli.usage", f"`{options.until[:40]}` is not a valid duration", hint="for example: --until 7d")  # fmt: skip
        rule["until"] = iso(now() + seconds)
    return {**rule, "reason": options.reason} if options.reason else rule


def _pin(ctx: Context, words: list[str]) -> str:
    """Return the pin of an MCP tool's server.

    Raises:
        UsageError: no client is configured with the server of this tool.
    """
    from atip.errors import UsageError

    server = words[0].split("__")[1]
    pin = ctx.app.client_tools.pin_of(server)
    if len(words) > 1 or not pin:
        says = (
            f"no client is configured with an MCP server `{server[:40]}`"
            if not pin
            else "an MCP tool takes no further words"
        )
        raise UsageError("policy.no-such-server", says, hint="`atip list --json` lists the servers")
    return pin


def _words(line: str, ctx: Context) -> list[str]:
    """The words of the single command in a line."""
    import os
    import shlex

    from atip.calls.invocation import UNKNOWN_TEXT
    from atip.errors import UsageError

    command = _without_star(line)
    explained = ctx.app.explain(command, cwd=os.getcwd())
    subjects = explained.invocations
    if explained.problem or len(subjects) != 1 or not subjects[0].tool:
        raise UsageError(
            "policy.not-one-command",
            explained.problem or "the line is not exactly one command",
            hint="one rule for each command: no pipes, lists, redirections or wrappers",
        )
    words = [subjects[0].tool, *subjects[0].argv[1:]]
    if shlex.split(command)[1:] != words[1:]:
        raise UsageError("policy.not-one-command", "the line has more than plain words", hint="leave redirections and variables out")  # fmt: skip
    if any(UNKNOWN_TEXT in word for word in words) or "*" in words:
        raise UsageError("policy.not-one-command", "some words are known only when the line runs", hint="write them out: no variables, globs or substitutions")  # fmt: skip
    return [*words, "*"] if command != line.rstrip() else words


def _without_star(line: str) -> str:
    """`npm test *` → `npm test`; the star stands for any further words."""
    return line.rstrip().removesuffix(" *")


def _judge_with(ctx: Context, rule: dict[str, Any], line: str) -> Decision:
    """The decision on the line as if the rule were in force."""
    import os

    from atip.policy.decide import decide
    from atip.policy.reading import read_policy
    from atip.registry.policies import load_policies

    (subject,) = ctx.app.explain(_without_star(line), cwd=os.getcwd()).invocations
    added = read_policy({"policy": {"version": "1", "rules": [rule]}}, layer="user").rules
    policies = load_policies(ctx.app.places, os.getcwd())
    changed = [
        policy.replace(rules=(*policy.rules, *added)) if policy.layer == "user" else policy
        for policy in policies
    ]
    return decide(changed, subject)


def write_rule(ctx: Context, rule: dict[str, Any]) -> int:
    """Add the rule to the user's policy file, and report."""
    import os

    from atip.registry.rule_file import add_rule
    from atip.server.configuration.json_lists import append_item

    path = os.path.join(ctx.app.places.config, "policy.json")
    added = add_rule(path, rule, append_item)
    if ctx.as_json:
        ctx.emit({"path": path, "rule": rule, "added": added})
    else:
        ctx.print(f"{path}: {'rule added' if added else 'rule exists already'}")
    return 0
