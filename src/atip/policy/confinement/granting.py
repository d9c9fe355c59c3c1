"""Granting: what the layers of a policy grant together, and when one entry lies within another.

Only the user and the organization can grant; every layer can cut. A layer whose list is empty has no opinion.
"""

from __future__ import annotations

from atip.errors import FormatError
from atip.model.text.globs import parse_glob
from atip.model.text.hosts import parse_host_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.policy.policy import Policy

_ACCESS = ("write", "read", "none")
"""Of the workspace, widest first."""


def grants(policies: Sequence[Policy], field: str, home: str = "") -> tuple[str, ...]:
    """What the user's layer grants, cut by every other layer that speaks of it."""
    total: tuple[str, ...] | None = None
    for policy in policies:
        listed = expanded(getattr(policy, field), home)
        if not listed:
            continue
        if policy.layer not in ("organisation", "user") and total is None:
            return ()
        total = listed if total is None else granted(listed, total, _COVERS[field])
    return total or ()


def bounded(
    policies: Sequence[Policy], field: str, wanted: tuple[str, ...], home: str = ""
) -> tuple[str, ...]:
    """What a call names, cut by every layer but the user's own that speaks of it."""
    for policy in policies:
        listed = expanded(getattr(policy, field), home)
        if listed and policy.layer != "user":
            wanted = granted(wanted, listed, _COVERS[field])
    return wanted


def granted(
    wanted: tuple[str, ...], allowed: tuple[str, ...], covers: Callable[[str, str], bool]
) -> tuple[str, ...]:
    """Entries that surely lie within an allowed one."""
    return tuple(
        dict.fromkeys(one for one in wanted if any(covers(limit, one) for limit in allowed))
    )


def workspace_of(policies: Sequence[Policy]) -> str:
    """What a call may do to its directory: the narrowest opinion; nobody has one: `write`."""
    opinions = [policy.workspace for policy in policies if policy.workspace is not None]
    return max(opinions, key=_ACCESS.index, default="write")


def expanded(entries: tuple[str, ...], home: str) -> tuple[str, ...]:
    """Paths with `~` replaced; other entries as they are."""
    if not home:
        return entries
    return tuple(
        home + entry[1:] if entry == "~" or entry.startswith("~/") else entry for entry in entries
    )


def path_covers(limit: str, wanted: str) -> bool:
    return parse_glob(limit).surely_covers(parse_glob(wanted))


def host_covers(limit: str, wanted: str) -> bool:
    """`host` covers `host:443`; `host:port` only itself."""
    if limit == wanted:
        return True
    name, colon, port = wanted.rpartition(":")
    bare = name if colon and port in ("80", "443") else wanted
    try:
        return parse_host_pattern(limit).covers(parse_host_pattern(bare))
    except FormatError:
        # SECURITY: an entry with a port of its own is met word for word or not at all.
        return False


def _same(limit: str, wanted: str) -> bool:
    return limit == wanted


_COVERS = {
    "hosts": host_covers,
    "reads": path_covers,
    "writes": path_covers,
    "env": _same,
    "private": _same,
    "tcp": _same,
    "ingress": _same,
}
