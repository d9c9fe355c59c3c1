"""Rules on effects: claims must not contradict each other or the name of the command.

None of these repairs a claim towards safety. The one edit adds `reversible: false` beside
`destructive: true`: the more dangerous of the two values that are possible.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.model.lint.findings import Edit, RuleHit
from atip.model.lint.index import as_dict, strings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.lint.findings import LintFacts, Parts
    from atip.model.lint.index import CommandNode, DocumentIndex

_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_READS = frozenset(
    """list ls show get status view describe info search find help version cat print inspect diff log logs
    count check whoami lint validate explain which where head tail top ps history query display read""".split()  # noqa: SIM905
)
_DESTROYS = frozenset(
    """delete del rm rmi remove destroy purge drop erase wipe prune truncate uninstall unlink shred nuke
    obliterate rmdir expunge""".split()  # noqa: SIM905
)
_CHANGES = frozenset(
    """create add update set edit write push deploy install apply upload publish merge move mv rename patch
    replace save store modify append upgrade""".split()  # noqa: SIM905
)
_CONFIRM = frozenset(
    """--yes --confirm --dry-run --dryrun --no-confirm --assume-yes --auto-approve --preview --plan
    --what-if --simulate --interactive""".split()  # noqa: SIM905
)


def destructive_needs_reversible(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """§3.6: agents confirm differently when an effect can be undone."""
    for _node, parts, effects in index.effects():
        if effects.get("destructive") is not True:
            continue
        if "reversible" not in effects:
            yield RuleHit(
                parts=parts,
                message="destructive operations should declare `reversible`",
                edit=Edit(action="add", parts=(*parts, "reversible"), value=False),
            )
        elif effects["reversible"] is True:
            yield RuleHit(
                parts=(*parts, "reversible"),
                message="destructive and reversible contradict each other",
            )


def billable_needs_confirmation(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """A billable command is dangerous to repeat and needs a confirmation."""
    for node, parts, effects in index.effects():
        if as_dict(effects.get("cost")).get("billable") is not True:
            continue
        if effects.get("idempotent") is True:
            yield RuleHit(
                parts=(*parts, "idempotent"),
                message="billable and idempotent is suspicious: every call usually costs",
            )
        asks = as_dict(effects.get("interactive")).get("prompts") is True
        if not asks and not _has_confirmation(node):
            yield RuleHit(
                parts=(*parts, "cost"),
                message="billable, but no way to confirm is declared",
                hint="declare `interactive.prompts`, or an option such as `--dry-run` or `--yes`",
            )


def _has_confirmation(node: CommandNode) -> bool:
    return any(
        flag in _CONFIRM
        for _parts, option in node.options()
        for flag in strings(option.get("flags"))
    )


def effects_contradict_name(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """`delete` that destroys nothing, `list` that destroys, `create` that changes nothing."""
    for node, parts, effects in index.effects():
        if not node.words or not node.is_leaf or not effects:
            continue
        words = [word.lower() for word in _WORD.findall(node.words[-1])]
        files = as_dict(effects.get("filesystem"))
        destroys = effects.get("destructive")
        removes = files.get("delete") is True or bool(effects.get("deletes"))
        verb = words[0] if words else ""
        if verb in _DESTROYS and destroys is not True and not removes:
            yield _silent_destroyer(node, parts, effects, verb)
        elif verb in _READS and (destroys is True or removes):
            yield RuleHit(
                parts=parts,
                message=f"`{node.words[-1]}` sounds read-only, but is declared destructive",
            )
        elif verb in _CHANGES and _touches_nothing(effects):
            yield RuleHit(
                parts=parts,
                message=f"`{node.words[-1]}` sounds as if it changes something, "
                "but is declared to use neither files nor network",
            )


def _silent_destroyer(
    node: CommandNode, parts: Parts, effects: dict[str, Any], verb: str
) -> RuleHit:
    claim = "claims not to" if effects.get("destructive") is False else "does not say that it does"
    return RuleHit(
        parts=(*parts, "destructive") if "destructive" in effects else parts,
        message=f"`{node.words[-1]}` sounds as if it destroys something, but {claim}",
        hint="declare `destructive`, `deletes` or `filesystem.delete`",
        is_note=effects.get("destructive") is False and effects.get("reversible") is True,
    )


def _touches_nothing(effects: dict[str, Any]) -> bool:
    files = as_dict(effects.get("filesystem"))
    return (
        effects.get("network") is False
        and files.get("write") is False
        and not effects.get("subprocess")
        and not any(effects.get(field) for field in ("creates", "modifies", "deletes"))
    )


def contradictory_effects(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Facts that cannot be true together."""
    for _node, parts, effects in index.effects():
        files = as_dict(effects.get("filesystem"))
        cost = as_dict(effects.get("cost"))
        undoable = effects.get("reversible") is True
        if effects.get("destructive") is True and _stays_inside(effects, files):
            yield RuleHit(parts=parts, message="destroys, but touches neither files nor network")
        if effects.get("destructive") is False and not undoable:
            if files.get("delete") is True:
                yield RuleHit(
                    parts=parts, message="deletes files, but claims not to be destructive"
                )
            if effects.get("deletes"):
                yield RuleHit(
                    parts=parts, message="`deletes` something, but claims not to be destructive"
                )
        for field in ("creates", "modifies", "deletes"):
            if effects.get(field) and _stays_inside(effects, files):
                text = f"`{field}` something, but touches neither files nor network"
                yield RuleHit(parts=(*parts, field), message=text)
        if cost.get("billable") is True and cost.get("estimate") in ("free", "none"):
            yield RuleHit(parts=(*parts, "cost"), message="billable and free contradict each other")
        if cost.get("billable") is False and cost.get("estimate") in ("medium", "high"):
            text = "not billable, but the estimate is not free"
            yield RuleHit(parts=(*parts, "cost"), message=text, is_note=True)
        if effects.get("idempotent") is True and effects.get("creates"):
            yield RuleHit(
                parts=(*parts, "idempotent"),
                message="`creates` and `idempotent`: true only if it checks first",
                is_note=True,
            )


def _stays_inside(effects: dict[str, Any], files: dict[str, Any]) -> bool:
    return (
        effects.get("network") is False
        and files.get("write") is False
        and files.get("delete") is not True
        and effects.get("subprocess") is not True
    )


def network_with_urls(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """A URL is usually fetched. Building or parsing one is the exception, so this is a question."""
    for node, parts, effects in index.effects():
        if effects.get("network") is not False:
            continue
        for where, parameter in (*node.arguments(), *node.options()):
            if parameter.get("type") == "url":
                name = str(parameter.get("name"))[:60]
                yield RuleHit(
                    parts=(*parts, "network"),
                    message=f"declares no network, but `{name}` is a URL",
                    hint=f"see {'.'.join(str(part) for part in where)}",
                )
