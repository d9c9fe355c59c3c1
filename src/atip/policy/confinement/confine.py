"""Plan the narrowest confinement for a call: the manifest's request, reduced by effects and by policy.

A manifest's `sandbox:` block is a request. Effects can only reduce it (a call that uses no network gets none,
whatever it requests). Access comes from three sources only: the directory the call runs in, what the call itself
names (judged with it, see `named`), and the grants of the policy. Our own settings and secrets are never
included (`guarding`). Pure; `sandbox` enforces the result exactly or refuses.
"""

from __future__ import annotations

from atip.model.permissions.confinement import ANY_PROGRAM, MIB, Confinement, Limits
from atip.model.text.environment import is_never_passed, runs_code
from atip.model.value import Value
from atip.policy.command_context import MARKS
from atip.policy.confinement.granting import (
    bounded,
    expanded,
    granted,
    grants,
    host_covers,
    path_covers,
    workspace_of,
)
from atip.policy.confinement.guarding import guard, protected_names
from atip.policy.places.named import NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.effects import Effects
    from atip.policy.places.named import NamedPlaces
    from atip.policy.policy import Policy

RUN_LIMITS = Limits(
    wall_s=600.0, memory_bytes=4096 * MIB, processes=512, file_bytes=4096 * MIB, output_bytes=MIB
)
"""Bounds of an ordinary run; `effects.duration.timeout` may shorten the time."""
WORKSPACE = "**/**"
"""In a request: everything below the directory of the call."""


class SandboxRequest(Value):
    """Confinement that a tool requests."""

    confinement: Confinement
    curated: bool = False
    """From curated knowledge: its reads and its spawn list need no grant. Those of a manifest do."""


class RunContext(Value):
    """Directories of a call, as the plan needs them."""

    cwd: str = ""
    """The workspace; empty: none."""
    home: str = ""
    """Home directory for `~`; empty: `~` is not expanded."""
    own: tuple[str, ...] = ()
    """Folders with our own settings and records."""
    repository: bool = False
    """Git itself runs: it writes to repositories, which are read-only for other programs; see `guarding.protected_names`."""
    changed: tuple[str, ...] = ()
    """Protected names that this call is meant to change."""
    libraries: tuple[str, ...] = ()
    """Files of the program itself beyond its executable: always readable."""


def plan_confinement(
    effects: Effects,
    policies: Sequence[Policy],
    *,
    request: SandboxRequest | None = None,
    named: NamedPlaces = NOTHING,
    context: RunContext | None = None,
    timeout_s: float | None = None,
) -> Confinement:
    """The confinement of one call.

    Args:
        request: what the tool requests; None: its needs are unknown, and it gets what policy grants and
            the programs of the operating system.
        timeout_s: of the call, if it is known.
    """
    context = context or RunContext()
    plan = _Plan(effects, policies, request, named, context)
    wall = RUN_LIMITS.wall_s or 600.0
    expanded = plan.expanded
    confinement = expanded.replace(
        fs_read=(*plan.reads(), *context.libraries),
        fs_write=plan.writes(),
        egress=plan.hosts(),
        # SECURITY: only the user grants these; a manifest cannot
        egress_private=grants(policies, "private") if plan.online else (),
        tcp=grants(policies, "tcp") if plan.online else (),
        ingress=granted(expanded.ingress, grants(policies, "ingress"), str.__eq__)
        if plan.online
        else (),
        exec_allow=plan.may_fork,
        exec_spawn=expanded.exec_spawn if plan.may_fork else (),
        # names of variables are requests too, and what changes what runs is never passed
        env_pass=tuple(
            name
            for name in expanded.env_pass
            if name in grants(policies, "env") and not is_never_passed(name)
        ),
        env_set=tuple((name, value) for name, value in expanded.env_set if not runs_code(name)),
        tty=expanded.tty and effects.interactive.tty is not False,
        limits=RUN_LIMITS.replace(wall_s=min(wall, timeout_s) if timeout_s else wall),
    )
    confinement = guard(confinement, home=context.home, own=context.own, explicit=plan.explicit())
    # the user who confirmed such a call confirmed these writes
    if effects.extra.get(MARKS["protected"]) is True:
        return confinement
    protected = protected_names(confinement, repository=context.repository, without=context.changed)
    return confinement.replace(fs_keep=protected)


class _Plan:
    """The parts of one plan."""

    def __init__(
        self,
        effects: Effects,
        policies: Sequence[Policy],
        request: SandboxRequest | None,
        named: NamedPlaces,
        context: RunContext,
    ) -> None:
        self.effects, self.policies, self.request = effects, policies, request
        self.named, self.context = named, context
        self.online = effects.network is not False
        files = effects.filesystem
        self.acts = files.write is not False or files.delete is not False
        self.looks = files.read is not False or self.acts
        self.access = _access(policies, context)
        self.own = (f"{context.cwd.rstrip('/')}/**",) if self.access != "none" else ()
        if self.access == "write":
            self.policies = tuple(_with_workspace(policy, self.own) for policy in policies)
        self.expanded = self._expand()

    def _expand(self) -> Confinement:
        """The request with `~` and the workspace expanded; or everything that may be granted."""
        home = self.context.home
        if self.request is None:
            return Confinement(
                fs_read=(*self.own, *self._grants("reads")),
                fs_write=self._grants("writes"),
                egress=self._grants("hosts"),
                exec_spawn=(ANY_PROGRAM,),
                env_pass=self._grants("env"),
            )
        requested = self.request.confinement
        if self.request.curated:
            # knowledge without hosts or variables leaves both to the policy
            requested = requested.replace(
                egress=requested.egress or self._grants("hosts"),
                env_pass=requested.env_pass or self._grants("env"),
            )
        return requested.replace(
            fs_read=(*self.own, *self._spellings(expanded(requested.fs_read, home))),
            fs_write=self._spellings(expanded(requested.fs_write, home)),
            fs_deny=self._spellings(expanded(requested.fs_deny, home)),
            # SECURITY: a manifest may name programs, but not request "any"
            exec_spawn=tuple(name for name in requested.exec_spawn if name != ANY_PROGRAM),
        )

    def _grants(self, field: str) -> tuple[str, ...]:
        return grants(self.policies, field, self.context.home)

    def _spellings(self, entries: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            each for entry in entries for each in (self.own if entry == WORKSPACE else (entry,))
        )

    def reads(self) -> tuple[str, ...]:
        if not self.looks:
            return ()
        requested = self.expanded.fs_read
        allowed = (*self.own, *self._grants("reads"))
        if self.request is not None and self.request.curated:
            allowed += requested
        extra = bounded(self.policies, "reads", self.named.paths, self.context.home)
        return tuple(dict.fromkeys((*granted(requested, allowed, path_covers), *extra)))

    def writes(self) -> tuple[str, ...]:
        if not self.acts:
            return ()
        home = f"{self.context.home}/"
        named_paths = tuple(
            path for path in self.named.paths if not home.startswith(f"{_bare(path)}/")
        )
        extra = bounded(self.policies, "writes", named_paths, self.context.home)
        allowed = granted(self.expanded.fs_write, self._grants("writes"), path_covers)
        return tuple(dict.fromkeys((*allowed, *extra)))

    def hosts(self) -> tuple[str, ...]:
        if not self.online:
            return ()
        allowed = granted(self.expanded.egress, self._grants("hosts"), host_covers)
        extra = bounded(self.policies, "hosts", self.named.hosts)
        return tuple(dict.fromkeys((*allowed, *extra)))

    @property
    def may_fork(self) -> bool:
        """Whether processes may be created at all; the request lists which programs. A list in curated
        knowledge counts even where no program of the caller's choice runs."""
        if self.request is None:
            return self.effects.subprocess is not False
        if not self.request.confinement.exec_allow:
            return False
        return self.request.curated or self.effects.subprocess is not False

    def explicit(self) -> tuple[str, ...]:
        """Entries that the user granted or confirmed; the workspace is neither.

        SECURITY: a project's list only reduces. An entry of it inside a grant does not open a secret folder.
        """
        layers = [policy for policy in self.policies if policy.layer in ("organisation", "user")]
        home = self.context.home
        listed = (
            *grants(layers, "reads", home),
            *grants(layers, "writes", home),
            *self.named.paths,
        )
        return tuple(entry for entry in listed if entry not in self.own)


def _bare(entry: str) -> str:
    return entry.removesuffix("/**").rstrip("/")


def _with_workspace(policy: Policy, own: tuple[str, ...]) -> Policy:
    """The user's layer with the workspace as a grant. If the user lists folders, the workspace
    is granted only if it is listed, or if `workspace` is `write`."""
    if policy.layer != "user" or (policy.writes and policy.workspace != "write"):
        return policy
    return policy.replace(writes=(*own, *policy.writes))


def _access(policies: Sequence[Policy], context: RunContext) -> str:
    """Access to the working directory. A home directory is not a workspace: it can be read, not written;
    a parent of it is not visible at all."""
    if not context.cwd or context.cwd == "/":
        return "none"
    access = workspace_of(policies)
    if context.home and context.home != context.cwd and context.home.startswith(context.cwd + "/"):
        return "none"
    if context.home == context.cwd and access == "write":
        return "read"
    return access
