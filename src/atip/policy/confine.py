"""Plan the narrowest confinement for a call: what the manifest asks for, cut by effects and by policy.

A manifest's `sandbox:` block is a request. Effects can only take away (a call that surely uses no network
gets none, whatever was asked), and policy grants are an upper bound: what no layer grants is not there.
Pure; `sandbox` enforces the result exactly or refuses.
"""

from __future__ import annotations

from atip.model.confinement import MIB, Confinement, Limits
from atip.model.environment import is_never_passed, runs_code
from atip.model.globs import parse_glob
from atip.model.hosts import parse_host_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.model.effects import Effects
    from atip.policy.policy import Policy

RUN_LIMITS = Limits(
    wall_s=600.0, memory_bytes=4096 * MIB, processes=512, file_bytes=4096 * MIB, output_bytes=MIB
)
"""Bounds of an ordinary run; `effects.duration.timeout` may shorten the time."""


def plan_confinement(
    effects: Effects,
    policies: Sequence[Policy],
    *,
    asked: Confinement | None = None,
    cwd: str = "",
    timeout_s: float | None = None,
) -> Confinement:
    """The confinement of one call.

    Args:
        asked: what the manifest requests; None: it has no `sandbox:` block, and gets what policy grants.
        cwd: the workspace. Readable unless the call surely reads nothing; writable only where granted.
        timeout_s: of the call, if it is known.
    """
    files = effects.filesystem
    request = asked if asked is not None else _everything(policies, cwd)
    own = (f"{cwd.rstrip('/')}/**",) if cwd else ()
    reads = _granted(request.fs_read, (*own, *_grants(policies, "reads")), _path_covers)
    writes = _granted(request.fs_write, _grants(policies, "writes"), _path_covers)
    hosts = _granted(request.egress, _grants(policies, "hosts"), _host_covers)
    acts = files.write is not False or files.delete is not False
    wall = RUN_LIMITS.wall_s or 600.0
    return request.replace(
        fs_read=reads if files.read is not False or acts else (),
        fs_write=writes if acts else (),
        egress=hosts if effects.network is not False else (),
        # SECURITY: only a person grants these; a manifest's word does not count
        egress_private=(),
        tcp=(),
        ingress=request.ingress if effects.network is not False else (),
        exec_allow=request.exec_allow and effects.subprocess is not False,
        exec_spawn=request.exec_spawn if effects.subprocess is not False else (),
        # names of variables are requests too, and what changes what runs is never passed
        env_pass=tuple(
            name
            for name in request.env_pass
            if name in _grants(policies, "env") and not is_never_passed(name)
        ),
        env_set=tuple((name, value) for name, value in request.env_set if not runs_code(name)),
        tty=request.tty and effects.interactive.tty is not False,
        limits=RUN_LIMITS.replace(wall_s=min(wall, timeout_s) if timeout_s else wall),
    )


def _everything(policies: Sequence[Policy], cwd: str) -> Confinement:
    """The request of a tool without a manifest: all that policy grants, and helpers of its own."""
    own = (f"{cwd.rstrip('/')}/**",) if cwd else ()
    return Confinement(
        fs_read=(*own, *_grants(policies, "reads")),
        fs_write=_grants(policies, "writes"),
        egress=_grants(policies, "hosts"),
        exec_allow=True,
        tty=True,
    )


def _grants(policies: Sequence[Policy], field: str) -> tuple[str, ...]:
    """What the user's layer grants, cut by every other layer that speaks of it.

    A layer without grants has no opinion; only the user and the organisation can grant at all.
    """
    total: tuple[str, ...] | None = None
    for policy in policies:
        listed: tuple[str, ...] = getattr(policy, field)
        if not listed:
            continue
        if policy.layer not in ("organisation", "user") and total is None:
            return ()
        total = listed if total is None else _granted(listed, total, _COVERS[field])
    return total or ()


def _granted(
    wanted: tuple[str, ...], allowed: tuple[str, ...], covers: Callable[[str, str], bool]
) -> tuple[str, ...]:
    """Entries that surely lie within an allowed one."""
    return tuple(
        dict.fromkeys(one for one in wanted if any(covers(limit, one) for limit in allowed))
    )


def _path_covers(limit: str, wanted: str) -> bool:
    return parse_glob(limit).surely_covers(parse_glob(wanted))


def _host_covers(limit: str, wanted: str) -> bool:
    return limit == wanted or parse_host_pattern(limit).covers(parse_host_pattern(wanted))


def _same(limit: str, wanted: str) -> bool:
    return limit == wanted


_COVERS = {"hosts": _host_covers, "reads": _path_covers, "writes": _path_covers, "env": _same}
