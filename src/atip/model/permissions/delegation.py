"""Delegation: rights that a lead agent grants to another one (ATIP 0.6 §10.2, 0.1 §4.3). Pure.

A delegation only restricts: `intersect` of two allows exactly what both allow, so a delegate never
gets more than its delegator, however long the chain. Decisions check `allows` in addition to policy;
neither replaces the other. Unknown keys are errors: a misspelled one could silently allow.
"""

from __future__ import annotations

from atip.errors import FormatError, UsageError
from atip.model.effects import NO_EXTRA
from atip.model.facts import fact_name, fact_of
from atip.model.problems import Problem
from atip.model.reading.reader import read_json
from atip.model.shapes.check import check_shape
from atip.model.shapes.registry import DELEGATION
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from atip.model.effects import Effects
    from atip.model.tool import Path, Tool

ASSURANCES = frozenset(["idempotent", "reversible"])
"""Facts whose alarming value is false; of all others it is true."""


NO_RESTRICTIONS: Mapping[str, bool] = {}


class Delegation(Value):
    """The granted rights. The value without any field grants everything."""

    allowed_tools: tuple[str, ...] | None = None
    """None: every tool. Empty: no tool at all."""
    denied_commands: tuple[str, ...] = ()
    """Command lines such as `gh repo delete` or `git push --force`; each denies its whole subtree."""
    effect_restrictions: Mapping[str, bool] = NO_RESTRICTIONS
    """Full names of facts → value. The harmless value is demanded of every call, and a call of
    which the fact is unknown does not have it. The alarming value states that it is permitted."""
    extra: Mapping[str, object] = NO_EXTRA
    """Vendor fields; they grant nothing and do not pass through `intersect`."""


class DelegationGrant(Value):
    """The delegation permits the call. Policy still decides."""


class DelegationDenied(Value):
    """The delegation forbids the call."""

    code: str
    """`delegation.tool`, `delegation.command` or `delegation.effect`."""
    reason: str


def decode_delegation(data: bytes | dict[str, Any]) -> Delegation:
    """Read a `{"delegation": {…}}` document.

    Raises:
        FormatError: with all problems; an invalid delegation grants nothing.
    """
    document = read_json(data) if isinstance(data, bytes) else data
    problems = [p for p in check_shape(document, DELEGATION, "strict") if p.severity == "error"]
    body = document.get("delegation") if isinstance(document, dict) else None
    body = body if isinstance(body, dict) else {}
    restrictions: dict[str, bool] = {}
    if not problems:
        problems += _command_problems(body.get("deniedCommands", ()))
        problems += _read_restrictions(body.get("effectRestrictions", {}), restrictions)
    if problems:
        first = problems[0]
        raise FormatError(
            first.code, f"{first.path}: {first.message}", problems=problems, hint=first.hint
        )
    tools = body.get("allowedTools")
    return Delegation(
        allowed_tools=tuple(tools) if tools is not None else None,
        denied_commands=tuple(body.get("deniedCommands", ())),
        effect_restrictions=restrictions,
        extra={key: value for key, value in body.items() if key not in _FIELDS},
    )


_FIELDS = ("allowedTools", "deniedCommands", "effectRestrictions")


def encode_delegation(delegation: Delegation) -> dict[str, Any]:
    """The document; what says nothing is left out, an empty list of tools is kept."""
    body: dict[str, Any] = {}
    if delegation.allowed_tools is not None:
        body["allowedTools"] = list(delegation.allowed_tools)
    if delegation.denied_commands:
        body["deniedCommands"] = list(delegation.denied_commands)
    if delegation.effect_restrictions:
        body["effectRestrictions"] = dict(delegation.effect_restrictions)
    return {"delegation": {**body, **delegation.extra}}


def intersect(delegator: Delegation, delegate: Delegation) -> Delegation:
    """Rights of `delegate` on behalf of `delegator`: only what both allow."""
    ours, theirs = delegator.allowed_tools, delegate.allowed_tools
    if ours is None or theirs is None:
        tools = theirs if ours is None else ours
    else:
        tools = tuple(tool for tool in ours if tool in set(theirs))
    restrictions = dict(delegator.effect_restrictions)
    for fact, value in delegate.effect_restrictions.items():
        if fact not in restrictions or value == _demanded(fact):
            restrictions[fact] = value
    denied = dict.fromkeys([*delegator.denied_commands, *delegate.denied_commands])
    return Delegation(
        allowed_tools=tools, denied_commands=tuple(denied), effect_restrictions=restrictions
    )


def allows(
    delegation: Delegation,
    tool: str,
    path: Path,
    effects: Effects,
    *,
    flags: Iterable[str] | None = (),
    arguments: tuple[str, ...] = (),
    known: Tool | None = None,
) -> DelegationGrant | DelegationDenied:
    """Whether a parsed call is inside what was granted.

    Args:
        tool: name of the tool.
        path: its command, by canonical names.
        effects: of this very invocation, flags included.
        flags: every spelling of every option given; None when the call could not be parsed, which
            counts as any flag.
        arguments: positionals, for denials that name them (`git push origin`).
        known: metadata of the tool, so that a denial written with an alias counts too.
    """
    allowed = delegation.allowed_tools
    if allowed is not None and tool not in allowed:
        return DelegationDenied(
            code="delegation.tool", reason=f"`{tool}` is not among the delegated tools"
        )
    used_flags = None if flags is None else frozenset(flags)
    for entry in delegation.denied_commands:
        if _is_denied(entry, tool, (*path, *arguments), used_flags, known):
            return DelegationDenied(
                code="delegation.command", reason=f"the delegation denies `{entry}`"
            )
    for fact, value in delegation.effect_restrictions.items():
        if value == _demanded(fact) and fact_of(effects, fact) is not value:
            state = "unknown" if fact_of(effects, fact) is None else str(not value).lower()
            reason = f"`{fact}` must be {str(value).lower()} and is {state}"
            return DelegationDenied(code="delegation.effect", reason=reason)
    return DelegationGrant()


def _demanded(fact: str) -> bool:
    """The value of a fact that a restriction can demand: the harmless one."""
    return fact in ASSURANCES


def _is_denied(
    entry: str, tool: str, words: Path, used_flags: frozenset[str] | None, metadata: Tool | None
) -> bool:
    parts = entry.split()
    flags = [part.split("=", 1)[0] for part in parts if part.startswith("-")]
    line = tuple(part for part in parts if not part.startswith("-"))
    if line[:1] != (tool,):
        return False
    spelled = line[1:]
    if words[: len(spelled)] != spelled:
        spelled = _canonical(spelled, metadata)
        if words[: len(spelled)] != spelled:
            return False
    # SECURITY: when the flags of a call are not known, it may carry any of them.
    return used_flags is None or all(flag in used_flags for flag in flags)


def _canonical(words: Path, metadata: Tool | None) -> Path:
    """Aliases replaced by names, as far as the tool's tree knows them."""
    commands = (metadata.commands if metadata is not None else None) or {}
    names: list[str] = []
    for word in words:
        name = word
        if word not in commands:
            aliased = (key for key, command in commands.items() if word in (command.aliases or ()))
            name = next(aliased, word)
        names.append(name)
        command = commands.get(name)
        commands = (command.commands if command is not None else None) or {}
    return tuple(names)


def _command_problems(entries: Iterable[str]) -> list[Problem]:
    """A denial without a tool's name would deny nothing."""
    return [
        Problem(
            path=f"$.delegation.deniedCommands[{index}]",
            code="delegation.empty-command",
            message="a denied command must begin with the name of a tool",
        )
        for index, entry in enumerate(entries)
        if not entry.split() or entry.split()[0].startswith("-")
    ]


def _read_restrictions(facts: Mapping[str, Any], restrictions: dict[str, bool]) -> list[Problem]:
    problems: list[Problem] = []
    for text, value in facts.items():
        path = f"$.delegation.effectRestrictions.{text[:60]}"
        try:
            name = fact_name(text)
        except UsageError as error:
            problems.append(
                Problem(path=path, code=error.code, message=error.message, hint=error.hint)
            )
            continue
        if not isinstance(value, bool):
            message = "expected true or false"
            problems.append(Problem(path=path, code="format.type", message=message))
        elif restrictions.setdefault(name, value) != value:
            message = f"`{name}` is restricted twice with different values"
            problems.append(Problem(path=path, code="format.duplicate-key", message=message))
    return problems
