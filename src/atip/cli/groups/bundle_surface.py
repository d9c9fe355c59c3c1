"""User interface of the bundle verbs: a terminal, a local web page, or none; and their confirmations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.cli.output import clean

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.bundles.installing import InstallProposal
    from atip.bundles.surfaces.interface import Surface
    from atip.cli.context import Context
    from atip.toolbox import Bundles


_ERASED = "\b \b"


def make_host(ctx: Context, *, web: bool = False) -> Bundles:
    """A host with the available surface."""

    def pass_on(_name: str, data: bytes) -> None:
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        # A terminal's echo of a deleted character; every other control character is escaped.
        visible = _ERASED.join(clean(piece, newlines=True) for piece in text.split(_ERASED))
        ctx.err.write(visible)
        ctx.err.flush()  # a question has no line end

    return ctx.app.bundles(
        surface=_surface(ctx, web), note=lambda text: ctx.note(clean(text)), on_output=pass_on
    )


def _surface(ctx: Context, web: bool) -> Surface | None:
    if web:
        from atip.bundles.surfaces.web import WebSurface

        return WebSurface(lambda url: ctx.note(f"open this page: {url}"))
    if ctx.stdin.isatty() and ctx.err.isatty():
        from atip.bundles.surfaces.terminal import TerminalSurface

        return TerminalSurface(ctx.stdin, ctx.err)
    return None


def confirm_plan(ctx: Context, *, yes: bool) -> Callable[[InstallProposal], bool]:
    """Shows the whole plan; `--yes` or the user confirms it."""

    def confirm(proposal: InstallProposal) -> bool:
        for line in plan_lines(proposal):
            ctx.note(line)
        return yes or ctx.confirm("Go on?")

    return confirm


def confirm_root(ctx: Context, *, granted: bool) -> Callable[[tuple[str, ...]], bool]:
    """Confirm a command that runs as root: by `--root`, or by the user for exactly this command."""

    def confirm(argv: tuple[str, ...]) -> bool:
        line = " ".join(clean(word) for word in argv)
        if granted:
            ctx.note(f"as root (`--root`): {line}")
            return True
        return ctx.confirm(f"This runs as root:\n  {line}\nAllow it?")

    return confirm


def plan_lines(proposal: InstallProposal) -> list[str]:
    """A proposal as text lines."""
    lines = [f"{clean(proposal.key)}:"]
    lines += [f"  missing: {clean(reason)}" for reason in proposal.unmet]
    if proposal.present:
        version = proposal.finding.printed if proposal.finding else ""
        return [
            *lines,
            f"  {clean(proposal.present)} {clean(version)} is already installed and will be used",
        ]
    if proposal.finding is not None:
        lines.append(f"  the installed version does not fit: {clean(proposal.finding.reason)}")
    for plan in proposal.plans:
        if plan.is_possible:
            lines.append(f"  {plan.method}:")
            lines += [f"    {clean(action.render())}" for action in plan.actions]
            lines += [f"    note: {clean(note)}" for note in plan.notes]
        else:
            lines.append(f"  {clean(plan.method)}: not available: {clean(plan.why_not)}")
    return lines


def sandbox_lines(block: object) -> list[str]:
    """The grants that a bundle requests, one line each."""
    lines = ["it requests:"]
    for section, content in block.items() if isinstance(block, dict) else ():
        for key, value in content.items() if isinstance(content, dict) else ():
            if value not in ([], {}, False, None):
                lines.append(f"  {clean(section)}.{clean(key)}: {clean(str(value))}")
    return lines if len(lines) > 1 else ["it requests no files, network or other programs"]
