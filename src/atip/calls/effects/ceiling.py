"""Ceiling: the maximum effects of a command with any options. All exported claims derive from it.

    (1) base: the command with nothing that raises it
    (2) every option, mode and rule that may come to it raises the base, all at once
    (3) whatever it runs, and the commands below a group, are not known here
    (4) an option list that is not complete leaves every denial open

Never safer than `engine.py` decides for any line of the same options (property test). *Complete* means: a curated file
vouches for the flags it does not list (`rest: harmless`, or nothing is read as an option), or the document is not ours and
names the command; the judge itself treats an unlisted flag as unknown. A projection that refuses every other option
(`function_claim`) needs no completeness. See docs/architecture.md "One truth".
"""

from __future__ import annotations

from atip.calls.effects.conflicts import only_reads
from atip.calls.effects.facts import facts_of, maybe_raised, weakened
from atip.calls.effects.safe_flags import is_safe_flag
from atip.calls.functions import declared_effects, is_curated
from atip.calls.tables import CommandTable
from atip.knowledge.words import as_effects, profile, raises
from atip.model.effects import Effects, raised_by, union_of_steps
from atip.model.facts import fact_name, fact_of
from atip.model.tool import Option
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from atip.calls.functions import Function
    from atip.model.tool import Command, Tool

    Change = Callable[[Effects], Effects]
    Step = tuple[tuple[str, ...], Change]

_MATTERS = frozenset({"effects", "maybe", "profile", "dryRun", "runs", "unvetted"})
_WORDS = ("argument", "first", "last", "every")
_RUNS = Effects(subprocess=True)
WITH_ARGUMENTS = "arguments"
WITH_COMMANDS = "commands"
UNLISTED = "options that are not listed"


class EffectCause(Value):
    """Cause of additional effects of a command: the flags of an option, or one of the words above."""

    flags: tuple[str, ...]
    effects: Effects
    """Of the command with this alone."""


class Claim(Value):
    """Base and maximum effects of a command."""

    base: Effects
    ceiling: Effects
    raisers: tuple[EffectCause, ...] = ()
    """In the order of the tables; empty: base and ceiling are the same."""

    @property
    def is_read_only(self) -> bool:
        """Read-only in the sense of A29 with every option, and no option raises a doubt about loss."""
        return self.ceiling.is_read_only and not self._adds_doubt

    @property
    def only_reads(self) -> bool:
        """Nothing is changed, here or elsewhere; the network may be read."""
        return only_reads(self.ceiling) and not self._adds_doubt

    @property
    def _adds_doubt(self) -> bool:
        before, after = self.base, self.ceiling
        return (before.destructive, before.filesystem.delete) != (
            after.destructive,
            after.filesystem.delete,
        )


def function_claim(function: Function) -> Claim:
    """Claim of a function: callers can only use the parameters that it offers."""
    options = [item for item in function.parameters.values() if isinstance(item, Option)]
    takes_words = len(options) < len(function.parameters) or _is_silent(function)
    return claim_of(function.tool, function.nodes, options, takes_words)


def _is_silent(function: Function) -> bool:
    """Whether the positionals are unknown; a curated file alone never lists them."""
    return (function.command or function.tool).arguments is None


def command_claim(tool: Tool, path: Sequence[str]) -> Claim:
    """Claim of a command with every option that may follow it and any argument. Options that only precede
    the command word (`git -c`) are the tool's own, and part of the tool's claim."""
    plain = None if is_curated(tool) else _plain_nodes(tool, path)
    if plain is not None:
        return claim_of(tool, plain, (), True)
    table = CommandTable(tool)
    nodes: list[Command] = []
    for word in path:
        node = table.commands.get(word)
        if node is None:
            break
        nodes.append(node)
        table.descend(tool, node)
    if table.bare is not None:
        nodes.append(table.bare)
    options = {id(option): option for option in table.flags.values()}.values()
    return claim_of(tool, nodes, options, True, complete=_is_complete(tool, table))


def _plain_nodes(tool: Tool, path: Sequence[str]) -> list[Command] | None:
    """The commands along a path of a tool that is not curated, if no option of it adds anything: the greater part of a
    catalogue, which needs no table of flags. None: a table is needed."""
    nodes: list[Command] = []
    commands = tool.commands or {}
    for word in path:
        node = commands.get(word)
        if node is None:
            break
        nodes.append(node)
        commands = node.commands or {}
    if "" in commands:
        nodes.append(commands[""])
    holders: tuple[Tool | Command, ...] = (tool, *nodes)
    for holder in holders:
        for option in holder.options or ():
            if option.extra:
                return None
    return None if any(option.extra for option in tool.global_options or ()) else nodes


def has_fact(tool: Tool, text: str) -> bool:
    """Whether the tool or any of its commands may have a fact; an assurance (`idempotent`) must hold for the whole.

    Raises:
        UsageError: `effects.unknown-fact`.
    """
    name = fact_name(text)
    if fact_of(command_claim(tool, ()).ceiling, name):
        return True
    return any(fact_of(command_claim(tool, path).ceiling, name) for path, _ in tool.walk())


def nodes_along(tool: Tool, path: Sequence[str]) -> list[Command]:
    """The commands that a path leads through, as far as the tree has them."""
    nodes = (tool.find(tuple(path[: depth + 1])) for depth in range(len(path)))
    return [node for node in nodes if node is not None]


def claim_of(
    tool: Tool,
    nodes: Sequence[Command],
    options: Iterable[Option],
    takes_words: bool,
    *,
    complete: bool = True,
) -> Claim:
    """Claim of the command at the end of `nodes`, with these options only, and with or without positionals."""
    base = declared_effects(tool, nodes)
    if "override" in tool.own or any("override" in node.own for node in nodes):
        from atip.calls.overrides import raised_by_user

        base = raised_by_user(base, (tool, *nodes))
    ceiling, raisers = base, []
    for flags, change in _steps(tool, nodes, options, takes_words):
        alone = change(base)
        if alone != base:
            raisers.append(EffectCause(flags=flags, effects=alone))
            ceiling = change(ceiling)
    if not complete:
        raisers.append(EffectCause(flags=(UNLISTED,), effects=weakened(base)))
        ceiling = weakened(ceiling)
    return Claim(base=base, ceiling=ceiling, raisers=tuple(raisers))


def _is_complete(tool: Tool, table: CommandTable) -> bool:
    return not is_curated(tool) or table.rest or table.style == "raw"


# --- (2) and (3) what may be added ---------------------------------------------------------------


def _steps(
    tool: Tool, nodes: Sequence[Command], options: Iterable[Option], takes_words: bool
) -> Iterator[Step]:
    curated = is_curated(tool)
    offered = list(options)
    for option in offered:
        if option.extra and not _MATTERS.isdisjoint(option.own):
            yield option.flags, _option_change(option, curated)
    if curated:
        flags = {flag for option in offered for flag in option.flags} | {"--"}
        yield from _rule_steps(tool, nodes, flags, takes_words)
    if curated and tool.own.get("language"):
        # the effects of a program among the words are known when it is read (`calls.languages`)
        yield (WITH_ARGUMENTS,), weakened
    own = nodes[-1].own if nodes else tool.own
    runs = own.get("runs")
    if isinstance(runs, dict) and (takes_words or "default" in runs):
        yield (WITH_ARGUMENTS,), _runs_something
    if _has_commands(nodes[-1] if nodes else tool):
        yield (WITH_COMMANDS,), weakened


def _has_commands(node: Tool | Command) -> bool:
    return any(node.commands or ()) or bool(node.own.get("globs") or node.own.get("deep"))


def _rule_steps(
    tool: Tool, nodes: Sequence[Command], flags: set[str], takes_words: bool
) -> Iterator[Step]:
    own = nodes[-1].own if nodes else tool.own
    if "wraps" in own and takes_words:
        yield (WITH_ARGUMENTS,), _or_mode(str(own["wraps"]))
    for block in (tool.own, *(node.own for node in nodes)):
        for rule in _rules(block):
            if not _can_hold(rule, flags, takes_words):
                continue
            name = tuple(_flags_of(rule)) or (WITH_ARGUMENTS,)
            if "adds" in rule:
                facts, maybe = raises(rule["adds"])
                yield name, _make_raiser(as_effects(facts), maybe)
            elif block is own:
                yield name, _or_mode(rule["does"])


def _rules(block: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    rules: Sequence[Mapping[str, Any]] = block.get("when", ())
    return rules


def _flags_of(rule: Mapping[str, Any]) -> Sequence[str]:
    flags: Sequence[str] = rule.get("option") or rule.get("with") or rule.get("all") or ()
    return flags


def _can_hold(rule: Mapping[str, Any], flags: set[str], takes_words: bool) -> bool:
    """Whether some line of these options, with words or without, can fulfill a rule."""
    if any(key in rule and flags.isdisjoint(rule[key]) for key in ("option", "with")):
        return False
    if not flags.issuperset(rule.get("all", ())):
        return False
    needs_words = any(key in rule for key in _WORDS) or rule.get("arguments", (0, 0))[0] > 0
    return takes_words or not needs_words


def _option_change(option: Option, curated: bool) -> Change:
    own: Mapping[str, Any] = option.own
    changes: list[Change] = []
    facts = own.get("effects")
    if facts or own.get("maybe"):
        added = as_effects(facts) if curated and isinstance(facts, dict) else facts_of(facts)
        changes.append(_make_raiser(added, own.get("maybe", ())))
    modes = (own.get("profile"), own.get("dryRun")) if curated else ()
    changes += [_or_mode(words) for words in modes if isinstance(words, str)]
    if own.get("runs"):
        changes.append(_runs_something)
    if own.get("unvetted") and not all(map(is_safe_flag, option.flags)):
        changes.append(weakened)
    return lambda effects: _apply(changes, effects)


def _apply(changes: Sequence[Change], effects: Effects) -> Effects:
    for change in changes:
        effects = change(effects)
    return effects


def _make_raiser(added: Effects, maybe: Sequence[str]) -> Change:
    return lambda effects: maybe_raised(raised_by(effects, added), maybe)


def _or_mode(words: str) -> Change:
    mode = as_effects(profile(words))
    return lambda effects: union_of_steps(effects, mode)


def _runs_something(effects: Effects) -> Effects:
    return union_of_steps(raised_by(effects, _RUNS), _RUNS)
