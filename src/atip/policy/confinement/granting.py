"""Granting: what the layers of a policy grant together, and when one entry covers another.

Only the user and the organization can grant; every layer can reduce. A layer whose list is empty has no effect.
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
    """Grants of the user's layer, reduced by every other layer with a list."""
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
    policies: Sequence[Policy], field: str, entries: tuple[str, ...], home: str = ""
) -> tuple[str, ...]:
    """Paths and hosts that a call names, reduced by every layer with a list except the user's."""
    for policy in policies:
        listed = expanded(getattr(policy, field), home)
        if listed and policy.layer != "user":
            entries = granted(entries, listed, _COVERS[field])
    return entries


def granted(
    entries: tuple[str, ...], allowed: tuple[str, ...], covers: Callable[[str, str], bool]
) -> tuple[str, ...]:
    """Entries that an allowed one certainly covers."""
    return tuple(
        dict.fromkeys(entry for entry in entries if any(covers(limit, entry) for limit in allowed))
    )


def workspace_of(policies: Sequence[Policy]) -> str:
    """Access to the working directory: the narrowest setting of all layers; none: `write`."""
    opinions = [policy.workspace for policy in policies if policy.workspace is not None]
    return max(opinions, key=_ACCESS.index, default="write")


def expanded(entries: tuple[str, ...], home: str) -> tuple[str, ...]:
    """Paths with `~` replaced; other entries as they are."""
    if not home:
        return entries
    return tuple(
        home + entry[1:] if entry == "~" or entry.startswith("~/") else entry for entry in entries
    )


def path_covers(limit: str, entry: str) -> bool:
    return parse_glob(limit).surely_covers(parse_glob(entry))


def host_covers(limit: str, entry: str) -> bool:
    """`host` covers `host:443`; `host:port` only itself."""
    if limit == entry:
        return True
    name, colon, port = entry.rpartition(":")
    bare = name if colon and port in ("80", "443") else entry
    try:
        return parse_host_pattern(limit).covers(parse_host_pattern(bare))
    except FormatError:
        # SECURITY: an entry with a port of its own matches only itself.
        return False


def _same(limit: str, entry: str) -> bool:
    return limit == entry


_COVERS = {
    "hosts": host_covers,
    "reads": path_covers,
    "writes": path_covers,
    "env": _same,
    "private": _same,
    "tcp": _same,
    "ingress": _same,
}
