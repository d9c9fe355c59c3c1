"""Narrowing: a TOOL.md may reduce its bundle's sandbox, never extend it (AIP-29, P19).

The child inherits what it leaves out; `null` does not count as left out. Sets are compared in canonical form
and conservatively: in doubt the child counts as wider and is refused at load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.permissions.confinement import Confinement
from atip.model.permissions.sandbox_block import check_sandbox, read_sandbox
from atip.model.problems import Problem
from atip.model.text.environment import runs_code
from atip.model.text.globs import parse_glob
from atip.model.text.hosts import parse_host_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_narrowing(parent: object, child: object) -> list[Problem]:
    """Everything in which `child` is invalid or wider than `parent`; both are AIP-29 blocks."""
    problems = [*check_sandbox(parent), *check_sandbox(child)]
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or not isinstance(child, dict):
        return errors
    return [*widened(read_sandbox(parent), inherit(read_sandbox(parent), child))]


def inherit(parent: Confinement, child: dict[str, dict[str, object]]) -> Confinement:
    """The sandbox of a tool: the bundle's, overridden by the tool's own (checked) block."""
    own = read_sandbox(child)
    declared = {f"{section}.{key}" for section, content in child.items() for key in content}
    changes = {field: getattr(own, field) for name, field in _FIELDS.items() if name in declared}
    if "env.set" in declared:
        changes["env_set"] = tuple({**dict(parent.env_set), **dict(own.env_set)}.items())
    return parent.replace(**changes)


_FIELDS = {
    "fs.read": "fs_read",
    "fs.write": "fs_write",
    "fs.deny": "fs_deny",
    "network.egress": "egress",
    "network.ingress": "ingress",
    "exec.allow": "exec_allow",
    "exec.spawn": "exec_spawn",
    "env.pass": "env_pass",
    "tty.required": "tty",
}


def widened(parent: Confinement, child: Confinement) -> Iterable[Problem]:
    """Grants of `child` that `parent` does not have."""
    yield from _hosts(parent, child)
    yield from _paths("$.fs.read", parent.fs_read, child.fs_read)
    yield from _paths("$.fs.write", parent.fs_write, child.fs_write)
    # The other way round: every denial of the parent must still be covered.
    for entry in parent.fs_deny:
        if not any(parse_glob(denied).surely_covers(parse_glob(entry)) for denied in child.fs_deny):
            yield _wider("$.fs.deny", f"`{entry}` is no longer denied")
    yield from _subset("$.network.ingress", parent.ingress, child.ingress)
    yield from _subset("$.exec.spawn", parent.exec_spawn, child.exec_spawn)
    yield from _subset("$.env.pass", parent.env_pass, child.env_pass)
    yield from _variables(parent, child)
    if child.exec_allow and not parent.exec_allow:
        yield _wider("$.exec.allow", "the bundle may not start programs")
    if child.tty and not parent.tty:
        yield _wider("$.tty.required", "the bundle has no terminal")


def _hosts(parent: Confinement, child: Confinement) -> Iterable[Problem]:
    allowed = [parse_host_pattern(entry) for entry in parent.egress]
    for entry in child.egress:
        candidate = parse_host_pattern(entry)
        if not any(pattern.covers(candidate) for pattern in allowed):
            yield _wider("$.network.egress", f"`{entry}` is not granted to the bundle")


def _paths(path: str, allowed: tuple[str, ...], entries: tuple[str, ...]) -> Iterable[Problem]:
    globs = [parse_glob(entry) for entry in allowed]
    for entry in entries:
        if not any(glob.surely_covers(parse_glob(entry)) for glob in globs):
            yield _wider(path, f"`{entry}` is not granted to the bundle")


def _subset(path: str, allowed: tuple[str, ...], entries: tuple[str, ...]) -> Iterable[Problem]:
    for entry in entries:
        if entry not in allowed:
            yield _wider(path, f"`{entry}` is not granted to the bundle")


def _variables(parent: Confinement, child: Confinement) -> Iterable[Problem]:
    forced = dict(parent.env_set)
    for name, value in child.env_set:
        if name in forced and forced[name] != value:
            yield _wider("$.env.set", f"`{name}` has a value forced by the bundle")
        elif name not in forced and runs_code(name):
            yield _wider("$.env.set", f"`{name}` can change what runs")


def _wider(path: str, message: str) -> Problem:
    return Problem(path=path, code="sandbox.widened", message=message)
