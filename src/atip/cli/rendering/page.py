"""The human page of a tool: what it is, its commands with effects as badges, its options."""

from __future__ import annotations

from atip.calls.effects.ceiling import command_claim
from atip.calls.effects.claim_words import more_words
from atip.cli.output import WIDEST, clean, paint, shorten, table, width_of, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.calls.effects.ceiling import Claim
    from atip.cli.context import Context
    from atip.model.effects import Effects
    from atip.model.tool import Argument, Command, Option, Tool


def print_page(ctx: Context, tool: Tool, path: tuple[str, ...], *, evidence: bool) -> None:
    """One tool, or one command of it."""
    command = tool.find(path) if path else None
    if command is None:
        _print_tool(ctx, tool)
    else:
        _print_command(ctx, tool, path, command)
    if evidence:
        _print_evidence(ctx, tool)


def print_signatures(ctx: Context, tool: Tool) -> None:
    """`gh pr create [--title STRING] [--draft] [BODY]  ⚠ …`, one line per runnable command."""
    from atip.model.tool import Command
    from atip.model.view.signature import signature

    runnable = [(path, command) for path, command in tool.walk() if not command.commands]
    bare: tuple[tuple[str, ...], Command] = (
        (),
        Command(arguments=tool.arguments, options=tool.options),
    )
    for path, command in runnable or [bare]:
        ctx.print(
            clean(signature(tool, path, command))
            + "  "
            + claim_text(ctx, command_claim(tool, path))
        )


def claim_text(ctx: Context, claim: Claim) -> str:
    """Both ends of a claim: what a command does without options, and the most it does with options."""
    more = more_words(claim, doubts=True)
    if not more and claim.is_read_only == claim.ceiling.is_read_only:
        return badges(ctx, claim.ceiling)
    return f"{badges(ctx, claim.base, alone=True)}; {clean('; '.join(more))}".lstrip("; ")


def badges(ctx: Context, effects: Effects, *, alone: bool = False) -> str:
    """Effects in a few words, dangers first; unknown effects are stated. `alone`: options add effects, so
    "read-only" would be too strong."""
    labels: list[str] = []
    if effects.destructive:
        labels.append(paint(ctx, "destructive", "red"))
    if effects.filesystem.delete:
        labels.append(paint(ctx, "deletes", "red"))
    if effects.cost.billable:
        labels.append(paint(ctx, "billable", "yellow"))
    if effects.filesystem.write:
        labels.append(paint(ctx, "writes", "yellow"))
    if effects.network:
        labels.append(paint(ctx, "network", "yellow"))
    if effects.subprocess:
        labels.append("runs programs")
    if effects.interactive.tty or effects.interactive.stdin in ("required", "password"):
        labels.append("interactive")
    if effects.is_read_only:
        calm = "reads files" if effects.filesystem.read else "changes nothing"
        labels.append(calm if alone else paint(ctx, "read-only", "green"))
    elif effects.destructive is None:
        labels.append(paint(ctx, "effects not fully known", "dim"))
    return " ".join(labels)


def _print_tool(ctx: Context, tool: Tool) -> None:
    version = f" {tool.version}" if tool.version not in ("", "unknown") else ""
    name = paint(ctx, clean(f"{tool.name}{version}"), "bold")
    _print_wrapped(ctx, f"{name} – {clean(tool.description)}")
    if tool.homepage:
        ctx.print(clean(tool.homepage))
    source = tool.trust.source if tool.trust and tool.trust.source else "unknown"
    _print_wrapped(ctx, f"source: {source}   {claim_text(ctx, command_claim(tool, ()))}".rstrip())
    if tool.partial and tool.omitted:
        ctx.print(
            f"part of {tool.total_commands} commands ({tool.omitted.reason}); the omitted ones count as {tool.omitted.safety_assumption}"
        )
    _print_parameters(
        ctx, tool.arguments or (), [*(tool.options or ()), *(tool.global_options or ())]
    )
    rows = [
        (clean(" ".join(path)), clean(command.description))
        for path, command in tool.walk()
        if not command.hidden
    ]
    if rows:
        ctx.print("\ncommands:")
        for line in table(rows, width=width_of(ctx), wrapped=True):
            ctx.print(line)
    _print_patterns(ctx, tool)


def _print_command(ctx: Context, tool: Tool, path: tuple[str, ...], command: Command) -> None:
    from atip.model.view.signature import signature

    _print_wrapped(
        ctx,
        paint(ctx, clean(f"{tool.name} {' '.join(path)}"), "bold")
        + f" – {clean(command.description)}",
    )
    _print_wrapped(ctx, clean(signature(tool, path, command)))
    claim = command_claim(tool, path)
    _print_wrapped(ctx, claim_text(ctx, claim))
    facts = _facts(claim.ceiling)
    if facts:
        ctx.print("; ".join(facts))
    if command.deprecated:
        ctx.print(paint(ctx, "deprecated", "yellow"))
    _print_parameters(ctx, command.arguments or (), command.options or ())
    rows = [
        (clean(name), clean(child.description)) for name, child in (command.commands or {}).items()
    ]
    if rows:
        ctx.print("\ncommands:")
        for line in table(rows, width=width_of(ctx), wrapped=True):
            ctx.print(line)
    for example in command.examples or ():
        ctx.print(f"\n  $ {clean(example)}")


def _print_wrapped(ctx: Context, text: str) -> None:
    for line in wrap(text, width_of(ctx), "    "):
        ctx.print(line)


def _facts(effects: Effects) -> list[str]:
    """Known facts: whether a retry and an undo are safe, how long it takes and what it costs."""
    facts = [
        {True: "can be repeated safely", False: "a retry is not safe"}.get(effects.idempotent),  # type: ignore[arg-type]
        {True: "can be undone", False: "cannot be undone"}.get(effects.reversible),  # type: ignore[arg-type]
        f"takes {clean(effects.duration.typical)}" if effects.duration.typical else None,
        f"cost {clean(effects.cost.estimate)}" if effects.cost.estimate else None,
    ]
    return [fact for fact in facts if fact]


def _print_patterns(ctx: Context, tool: Tool) -> None:
    if tool.patterns:
        ctx.print("\npatterns:")
    for pattern in tool.patterns or ():
        ctx.print(f"  {clean(pattern.name)} – {clean(pattern.description)}")
        for step in pattern.steps:
            ctx.print(f"    $ {clean(step.command)}")


def _print_parameters(
    ctx: Context, arguments: Sequence[Argument], options: Iterable[Option]
) -> None:
    rows = [
        (clean(argument.name.upper()), _brief(argument.description, argument.name))
        for argument in arguments
    ]
    for option in options:
        if not option.hidden:
            value = (
                ""
                if not option.takes_value
                else " "
                + (option.type if not option.enum else shorten("|".join(map(str, option.enum)), 30))
            )
            rows.append(
                (clean(", ".join(option.flags) + value), _brief(option.description, option.name))
            )
    if rows:
        ctx.print("\noptions and arguments:")
        for line in table(
            [(shorten(left, WIDEST), right) for left, right in rows],
            width=width_of(ctx),
            wrapped=True,
        ):
            ctx.print(line)


def _brief(text: str, name: str) -> str:
    """The first sentence of a paragraph (`--json` has all); empty where it only repeats the name."""
    line = clean(text)
    end = line.find(". ")
    if len(line) > 100 and end > 20:
        line = line[: end + 1]
    return "" if line.replace(" ", "-").lower() == name.lower() else line


def _print_evidence(ctx: Context, tool: Tool) -> None:
    from atip.model.evidence import evidence_of

    ctx.print("\nevidence:")
    rows = [(clean(place), clean(text)) for place, text in evidence_of(tool)]
    observations = ctx.app.proof.rows(tool.name)
    rows += [(clean(observation.subject), clean(observation.text)) for observation in observations]
    for line in table(rows, width=width_of(ctx), wrapped=True) or ["  none recorded"]:
        ctx.print(line)
