"""A part of a tool, marked as partial (partial discovery, §3.1.1).

Pure: a Tool goes in, a smaller Tool comes out, with `partial`, `filter`, both counts and `omitted`
filled in. Counts are of leaves: commands without subcommands (A40). `safetyAssumption` is computed
from what was really left out, never assumed. Where commands are missing below a group, the group
carries `"x-atip": {"omittedCommands": N}`, so that a stub is not taken for a command without
subcommands. The byte budget is in `size.py`. Implements ATIP 0.6 §3.1.1, A39–A41, A46.
"""

from __future__ import annotations

from atip.errors import UsageError
from atip.model.effects import UNKNOWN, Effects, join, raised_by, union_of_steps
from atip.model.tool import Command, Filter, Omission, Tool
from atip.model.view.names import resolve
from atip.model.view.parts import OmittedCommands as OmittedCommands
from atip.model.view.parts import flag_effects as flag_effects
from atip.model.view.parts import flags_effects as flags_effects
from atip.model.view.parts import inherited_effects as inherited_effects
from atip.model.view.parts import is_leaf as is_leaf
from atip.model.view.parts import noted as noted
from atip.model.view.parts import stub as stub
from atip.model.view.parts import with_flags as with_flags
from atip.model.view.plain import OMITTED_COMMANDS as OMITTED_COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.model.tool import Path


REASONS = ("size-limited", "filtered", "depth-limited", "deprecated")
"""When several apply, the first of these is reported: least expected by the reader first."""


def view(
    tool: Tool,
    *,
    commands: Sequence[str] = (),
    depth: int | None = None,
    max_bytes: int | None = None,
    deprecated: bool = True,
    hidden: bool = True,
) -> Tool:
    """The requested part of a tool; the tool itself if no part is requested.

    `commands` takes `pr`, `pr.create`, `pr create` and lists `a,b` of these (A40). `depth` counts
    levels from the root; a command requested by name is kept at any depth. `max_bytes`
    bounds the compact JSON: the deepest commands go first. `deprecated=False` and `hidden=False`
    leave such commands out.

    Raises:
        NotFoundError: `view.unknown-command`, with what was probably meant.
        UsageError: `view.depth` when `depth` is below 1.
    """
    if depth is not None and depth < 1:
        raise UsageError(
            "view.depth", f"depth must be at least 1, not {depth}", hint="1 is the top level"
        )
    requested = resolve(tool, commands)
    cut = OmittedCommands(tool)
    keep = _PartialWalk(
        requested=requested, depth=depth, deprecated=deprecated, hidden=hidden, cut=cut
    )
    remaining, _omitted_count = keep.level(tool.commands or {}, ())
    part = tool.replace(commands=remaining) if cut.reasons else tool
    if (requested or depth is not None) and not cut.reasons & {"filtered", "depth-limited"}:
        # A filter that happened to leave nothing out is still one: the answer says so (§3.1.1).
        cut.reasons.add("filtered" if requested else "depth-limited")
    if cut.reasons:
        part = _describe(tool, part, requested, depth, cut)
    if max_bytes is not None:
        from atip.model.view.size import shrink, size_of

        if size_of(part) > max_bytes:
            part = shrink(
                tool, part, max_bytes, cut, lambda p: _describe(tool, p, requested, depth, cut)
            )
    return part


class _PartialWalk:
    """One walk down the tree with everything that decides what stays."""

    def __init__(
        self,
        *,
        requested: tuple[Path, ...],
        depth: int | None,
        deprecated: bool,
        hidden: bool,
        cut: OmittedCommands,
    ) -> None:
        self._requested = requested
        self._above = {path[:n] for path in requested for n in range(len(path))}
        self._named = set(requested)
        self._depth = depth
        self._deprecated = deprecated
        self._hidden = hidden
        self._cut = cut

    def level(
        self, commands: Mapping[str, Command], path: Path, *, inside: bool = False
    ) -> tuple[dict[str, Command], int]:
        """Commands of one level that stay, and how many leaves were left out right here."""
        remaining: dict[str, Command] = {}
        omitted_count = 0
        for name, command in commands.items():
            below = (*path, name)
            reason = self._why_not(below, command, inside)
            if reason:
                omitted_count += self._cut.leave_out(below, command, reason)
                continue
            children = command.commands
            if children:
                inner, gone = self.level(children, below, inside=inside or below in self._named)
                if gone:
                    command = stub(command.replace(commands=inner or None), gone)
                elif any(inner[child] is not children[child] for child in inner):
                    command = command.replace(commands=inner)
            remaining[name] = command
        return remaining, omitted_count

    def _why_not(self, path: Path, command: Command, inside: bool) -> str:
        on_the_way = path in self._named or path in self._above
        if self._requested and not inside and not on_the_way:
            return "filtered"
        if self._depth is not None and len(path) > self._depth and not on_the_way:
            return "depth-limited"
        if path in self._named:
            return ""
        if not self._deprecated and command.deprecated:
            return "deprecated"
        if not self._hidden and command.hidden:
            return "filtered"
        return ""


def _describe(
    tool: Tool, part: Tool, requested: tuple[Path, ...], depth: int | None, cut: OmittedCommands
) -> Tool:
    """`part` with the fields that list what is missing."""
    reasons = set(cut.reasons)
    if tool.omitted is not None and tool.omitted.reason:
        reasons.add(tool.omitted.reason)
    return part.replace(
        partial=True,
        filter=_filter(tool, requested, depth),
        total_commands=count_commands(tool),
        included_commands=len(list(leaves_of(part))),
        omitted=Omission(
            reason=next((reason for reason in REASONS if reason in reasons), "filtered"),
            safety_assumption=_assumption(tool, cut.effects),
            extra=tool.omitted.extra if tool.omitted is not None else {},
        ),
    )


def _filter(tool: Tool, requested: tuple[Path, ...], depth: int | None) -> Filter | None:
    """The request, merged with that of an earlier view; depth null where unused (A46)."""
    before = tool.filter
    if before is None and not requested and depth is None:
        return None
    before = before or Filter()
    earlier = before.depth if isinstance(before.depth, int) else None
    levels = [each for each in (earlier, depth) if each is not None]
    requested_commands = tuple(" ".join(path) or tool.name for path in requested) or before.commands
    return Filter(
        commands=requested_commands, depth=min(levels) if levels else None, extra=before.extra
    )


def _assumption(tool: Tool, omitted: Sequence[Effects]) -> str:
    """The safety assumption for everything that is missing, earlier omissions included."""
    earlier = None
    if tool.partial or tool.omitted is not None:
        earlier = tool.omitted.safety_assumption if tool.omitted is not None else "unknown"
    if earlier == "known-unsafe" or any(is_destructive(effects) for effects in omitted):
        return "known-unsafe"
    # SECURITY: silence never becomes safety. One omitted command with an unstated fact, or nothing
    # known of what an earlier filter took away, and an agent has to ask.
    if earlier in (None, "known-safe") and omitted and all(map(is_harmless, omitted)):
        return "known-safe"
    return "unknown"


def is_destructive(effects: Effects) -> bool:
    """Whether the effects declare a permanent loss."""
    return bool(effects.destructive or effects.filesystem.delete or effects.deletes)


def is_harmless(effects: Effects) -> bool:
    """Explicitly read-only, explicitly not destructive, and nothing said that costs or starts."""
    return (
        effects.is_read_only
        and effects.destructive is False
        and not effects.subprocess
        and not effects.creates
        and not effects.modifies
        and not effects.cost.billable
    )


def assumed_effects(tool: Tool, path: Path) -> Effects:
    """Effects to assume of a command, whether or not this document describes it (§3.1.1, A41).

    A described command has its own; an omitted one what `omitted.safetyAssumption` allows:
    `same-as-included` means the worst of all that is included, anything else than a stated
    assumption means unknown.
    """
    if tool.find(path) is not None:
        return inherited_effects(tool, path)
    omitted = tool.omitted
    assumption = omitted.safety_assumption if tool.partial and omitted is not None else None
    if assumption == "known-unsafe":
        return join(tool.effects, Effects(destructive=True))
    if assumption == "known-safe":
        return join(tool.effects, Effects(destructive=False))
    if assumption == "same-as-included":
        return _worst_included(tool)
    return UNKNOWN


def _worst_included(tool: Tool) -> Effects:
    worst: Effects | None = None
    everywhere = flags_effects(tool.global_options)
    for path, _command in leaves_of(tool):
        effects = raised_by(with_flags(tool, path), everywhere)
        worst = effects if worst is None else union_of_steps(worst, effects)
    return UNKNOWN if worst is None else worst


def leaves_of(tool: Tool) -> Iterator[tuple[Path, Command]]:
    """Every command that counts."""
    return ((path, command) for path, command in tool.walk() if is_leaf(command))


def count_commands(tool: Tool) -> int:
    """Commands of the whole tool; for a part, what the part says of the whole."""
    if tool.partial and tool.total_commands is not None:
        return tool.total_commands
    return sum(1 for _ in leaves_of(tool)) + sum(noted(command) for _path, command in tool.walk())
