"""Effects of operations: from the HTTP method, the kind of GraphQL field, the SQL verb, MCP annotations – and the name.

A protocol rates an operation safe only if its name does not contradict: public APIs offer `GET …TerminateInstances`.
A name alone never makes an operation safe. All of them use the network; none uses local files.
"""

# ruff: noqa: SIM905 - words read better as text
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.effects_words import DESTROYS, READS
from atip.model.effects import Cost, Effects, Filesystem, Interactive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.operation import Api, Operation

_LOOKS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "SELECT", "SUBSCRIPTION"})
_REPEATABLE = _LOOKS | {"PUT", "DELETE"}
_READS = READS | frozenset({"fetch", "retrieve", "lookup", "compare", "is", "has", "download"})
_CHANGES = frozenset(
    "create add update upsert set put post patch edit modify replace insert write send submit publish import"
    " start stop restart reboot run execute invoke trigger enable disable accept reject approve cancel close"
    " revoke remove uninstall install archive kick ban move rename merge attach detach associate disassociate"
    " assign unassign register deregister reset restore rotate transfer release lock unlock apply".split()
)
"""Verbs that change remote state."""
_ADDS = frozenset("create add insert send submit register import post".split())
"""Those that only add, if the protocol agrees."""
_LOSES = DESTROYS - frozenset({"reset", "format", "blank", "empty", "flush"})
_VERBS = _READS | _CHANGES | _LOSES
_NO_FILES = Filesystem(read=False, write=False, delete=False)
_ALONE = Interactive(stdin="none", prompts=False, tty=False)


def with_effects(api: Api) -> Api:
    """The same Api, every operation with its effects."""
    operations = tuple(
        operation.replace(effects=effects_of(operation, local=api.kind == "mcp"))
        for operation in api.operations
    )
    return api.replace(operations=operations)


def effects_of(operation: Operation, *, local: bool = False) -> Effects:
    """Effects of calling an operation.

    Args:
        local: the operation runs on this machine (an MCP server over stdio), so files are not excluded.
    """
    if operation.method == "CALL":
        return annotated_effects(operation.extra.get("annotations") or {}, operation, local)
    words = _words(operation)
    destroys = operation.method in {"DELETE", "TRUNCATE", "DROP"} or _destroys(words)
    changes = destroys or operation.method not in _LOOKS or _verb_of(words) in _CHANGES
    target = (operation.category or operation.path or operation.name,)
    creates = operation.method in {"POST", "INSERT"} and not destroys
    return Effects(
        network=True,
        subprocess=False,
        filesystem=_NO_FILES,
        interactive=_ALONE,
        cost=Cost() if changes else Cost(billable=False),
        destructive=True if destroys else (None if _is_unclear(operation, changes) else False),
        idempotent=operation.method in _REPEATABLE if changes else True,
        reversible=None if changes and not destroys else not destroys,
        creates=target if creates else _no_changes(changes),
        modifies=target if changes and not creates and not destroys else _no_changes(changes),
        deletes=target if destroys else _no_changes(changes),
    )


def _no_changes(changes: bool) -> tuple[str, ...] | None:
    """Read-only operations change nothing; other changes of a writing operation are unknown."""
    return None if changes else ()


def annotated_effects(annotations: Mapping[str, Any], operation: Operation, local: bool) -> Effects:
    """Effects from MCP annotations. They are hints of an untrusted server: they may raise effects; `readOnlyHint` lowers
    them only if the name does not contradict."""
    words = _words(operation)
    destroys = annotations.get("destructiveHint") is True or _destroys(words)
    looks = (
        annotations.get("readOnlyHint") is True and not destroys and _verb_of(words) not in _CHANGES
    )
    return Effects(
        network=None
        if annotations.get("openWorldHint") is False
        else (True if not local else None),
        filesystem=Filesystem() if local else _NO_FILES,
        destructive=True if destroys else (False if looks else None),
        idempotent=True if looks or annotations.get("idempotentHint") is True else None,
        reversible=True if looks else None,
    )


def _is_unclear(operation: Operation, changes: bool) -> bool:
    """A change without a destructive name may still lose data: a PUT replaces the old value."""
    return changes and not (
        operation.method in {"POST", "INSERT"} and _verb_of(_words(operation)) in _ADDS
    )


def _destroys(words: list[str]) -> bool:
    return _verb_of(words) in _LOSES


def _words(operation: Operation) -> list[str]:
    """Words of the name, without a method that a generator put before it (`GET_TerminateInstances`)."""
    words = operation.name.split("_")
    if operation.original.startswith(f"{operation.method}_"):
        return words[1:]
    return words


def _verb_of(words: list[str]) -> str:
    """The word that acts: the first verb of any table, as in `repos_delete` or `admin_users_remove`."""
    return next((word for word in words if word in _VERBS), "")
