"""The human page of a tool: what it is, its commands with effects as badges, its options."""

from __future__ import annotations

from atip.cli.output import clean, paint, shorten, table, width_of
from atip.model.effects import join
from atip.model.root import bare_effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    from atip.model.signature import signature

    for path, command in tool.walk():
        if not command.commands:
            ctx.print(
                clean(signature(tool, path, command))
                + "  "
                + badges(ctx, join(command.effects, tool.effects))
            )


def badges(ctx: Context, effects: Effects) -> str:
    """Effects in a few words, the alarming ones first; unknown is said, not hidden."""
    found: list[str] = []
    if effects.destructive:
        found.append(paint(ctx, "destructive", "red"))
    if effects.filesystem.delete:
        found.append(paint(ctx, "deletes", "red"))
    if effects.cost.billable:
        found.append(paint(ctx, "billable", "yellow"))
    if effects.filesystem.write:
        found.append(paint(ctx, "writes", "yellow"))
    if effects.network:
        found.append(paint(ctx, "network", "yellow"))
    if effects.subprocess:
        found.append("runs programs")
    if effects.interactive.tty or effects.interactive.stdin in ("required", "password"):
        found.append("interactive")
    if effects.is_read_only:
        found.append(paint(ctx, "read-only", "green"))
    elif effects.destructive is None:
        found.append(paint(ctx, "effects not fully known", "dim"))
    return " ".join(found)


def _print_tool(ctx: Context, tool: Tool) -> None:
    version = f" {tool.version}" if tool.version else ""
    ctx.print(paint(ctx, clean(f"{tool.name}{version}"), "bold") + f" – {clean(tool.description)}")
    if tool.homepage:
        ctx.print(clean(tool.homepage))
    source = tool.trust.source if tool.trust and tool.trust.source else "unknown"
    ctx.print(f"source: {source}   {badges(ctx, bare_effects(tool))}".rstrip())
    if tool.partial and tool.omitted:
        ctx.print(
            f"part of {tool.total_commands} commands ({tool.omitted.reason}); what is missing counts as {tool.omitted.safety_assumption}"
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
        for line in table(rows, width=width_of(ctx)):
            ctx.print(line)
    _print_patterns(ctx, tool)


def _print_command(ctx: Context, tool: Tool, path: tuple[str, ...], command: Command) -> None:
    from atip.model.signature import signature

    ctx.print(
        paint(ctx, clean(f"{tool.name} {' '.join(path)}"), "bold")
        + f" – {clean(command.description)}"
    )
    ctx.print(clean(signature(tool, path, command)))
    effects = join(command.effects, tool.effects)
    ctx.print(badges(ctx, effects))
    facts = _facts(effects)
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
        for line in table(rows, width=width_of(ctx)):
            ctx.print(line)
    for example in command.examples or ():
        ctx.print(f"\n  $ {clean(example)}")


def _facts(effects: Effects) -> list[str]:
    """Whether a retry and an undo are safe, how long it takes and what it costs, as far as that is known."""
    said = [
        {True: "can be repeated safely", False: "a retry is not safe"}.get(effects.idempotent),  # type: ignore[arg-type]
        {True: "can be undone", False: "cannot be undone"}.get(effects.reversible),  # type: ignore[arg-type]
        f"takes {clean(effects.duration.typical)}" if effects.duration.typical else None,
        f"cost {clean(effects.cost.estimate)}" if effects.cost.estimate else None,
    ]
    return [fact for fact in said if fact]


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
    rows = [(clean(one.name.upper()), clean(one.description)) for one in arguments]
    for one in options:
        if not one.hidden:
            value = (
                ""
                if not one.takes_value
                else " " + (one.type if not one.enum else shorten("|".join(map(str, one.enum)), 30))
            )
            rows.append((clean(", ".join(one.flags) + value), clean(one.description)))
    if rows:
        ctx.print("\noptions and arguments:")
        for line in table(
            [(shorten(left, 38), right) for left, right in rows], width=width_of(ctx)
        ):
            ctx.print(line)


def _print_evidence(ctx: Context, tool: Tool) -> None:
    from atip.model.evidence import evidence_of

    ctx.print("\nevidence:")
    rows = [(clean(place), clean(text)) for place, text in evidence_of(tool)]
    for line in table(rows, width=width_of(ctx)) or ["  none recorded"]:
        ctx.print(line)
