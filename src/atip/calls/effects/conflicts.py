"""Conflicts: which calls of one response may run at the same time.

Reads go together. Two calls that change things do so only when the effects of both are fully declared
and they name different resources. Everything unknown runs alone and in order.
Implements ATIP 0.6 §7.3 ("no conflicts").
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.effects import Effects


def only_reads(effects: Effects) -> bool:
    """Whether the effects state that nothing is changed, locally or remotely. Unknown is not enough."""
    files = effects.filesystem
    if files.write is not False or files.delete or effects.destructive:
        return False
    if effects.reversible is False:
        return False
    if effects.creates or effects.modifies or effects.deletes or effects.cost.billable:
        return False
    if effects.network is False:
        return True
    # Over the network a repeatable call that names no resources it changes is a read.
    return effects.idempotent is True and effects.destructive is False


def resources(effects: Effects) -> frozenset[str] | None:
    """Resources that a call changes; None if they are not fully known."""
    files = effects.filesystem
    names = {*(effects.creates or ()), *(effects.modifies or ()), *(effects.deletes or ())}
    if files.write is None or effects.network is None or effects.destructive is None:
        return None
    if files.write or files.delete:
        if not files.paths:
            return None
        names |= {f"path:{path}" for path in files.paths}
    return frozenset(names) or None


def conflict(first: Effects, second: Effects) -> bool:
    """Whether two calls must keep their order."""
    if _is_interactive(first) or _is_interactive(second):
        return True
    if only_reads(first) and only_reads(second):
        return False
    left, right = resources(first), resources(second)
    if left is None or right is None:
        return True
    return any(_overlap(one, other) for one in left for other in right)


def waves(effects: Sequence[Effects]) -> list[list[int]]:
    """Groups of positions: those of one group may run together, the groups run one after another.

    A call joins the group after the last call before it that it conflicts with, so that whatever is in
    conflict keeps its order.
    """
    groups: list[list[int]] = []
    place: list[int] = []
    for index, mine in enumerate(effects):
        after = -1
        for earlier in range(index):
            if conflict(effects[earlier], mine):
                after = max(after, place[earlier])
        place.append(after + 1)
        if after + 1 == len(groups):
            groups.append([])
        groups[after + 1].append(index)
    return groups


def _is_interactive(effects: Effects) -> bool:
    asks = effects.interactive
    return bool(asks.tty or asks.prompts or asks.stdin in ("required", "password"))


def _overlap(one: str, other: str) -> bool:
    if one.startswith("path:") and other.startswith("path:"):
        left, right = one[5:].rstrip("/*") + "/", other[5:].rstrip("/*") + "/"
        if left.startswith(("./", "~")) != right.startswith(("./", "~")):
            return True  # relative to what is not known here
        return left.startswith(right) or right.startswith(left)
    return one == other
