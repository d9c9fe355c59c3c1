"""Plan the narrowest confinement for a call: what the manifest asks for, cut by effects and by policy.

A manifest's `sandbox:` block is a request. Effects can only take away (a call that surely uses no network
gets none, whatever was asked). What is there comes from three places only: the directory the call runs in,
what the call itself names (judged with it, see `named`), and the grants of the policy. Own settings and
secrets are never among it (`guarding`). Pure; `sandbox` enforces the result exactly or refuses.
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
    from atip.policy.places.named import Named
    from atip.policy.policy import Policy

RUN_LIMITS = Limits(
    wall_s=600.0, memory_bytes=4096 * MIB, processes=512, file_bytes=4096 * MIB, output_bytes=MIB
)
"""Bounds of an ordinary run; `effects.duration.timeout` may shorten the time."""
WORKSPACE = "**/**"
"""In a request: everything below the directory of the call."""


class SandboxRequest(Value):
    """What a tool asks for."""

    confinement: Confinement
    curated: bool = False
    """Our own knowledge says so: its reads and its spawn list count without a grant. A manifest's do not."""


class RunContext(Value):
    """Where a call would run, as far as the plan needs it."""

    cwd: str = ""
    """The workspace; empty: none."""
    home: str = ""
    """What `~` means; empty: left as it is."""
    own: tuple[str, ...] = ()
    """Folders with settings and records of ours."""
    repository: bool = False
    """Git itself runs: it works in repositories, which are sealed for everybody else; see `guarding.protected_names`."""
    changed: tuple[str, ...] = ()
    """Protected names that this call is there to change."""
    libraries: tuple[str, ...] = ()
    """What the program itself consists of, beyond the file that is started: readable, always."""


def plan_confinement(
    effects: Effects,
    policies: Sequence[Policy],
    *,
    request: SandboxRequest | None = None,
    named: Named = NOTHING,
    scene: RunContext | None = None,
    timeout_s: float | None = None,
) -> Confinement:
    """The confinement of one call.

    Args:
        request: what the tool requests; None: its needs are unknown, and it gets what policy grants and
            the programs of the operating system, all inside of the same walls.
        timeout_s: of the call, if it is known.
    """
    scene = scene or RunContext()
    plan = _Plan(effects, policies, request, named, scene)
    wall = RUN_LIMITS.wall_s or 600.0
    expanded = plan.expanded
    found = expanded.replace(
        fs_read=(*plan.reads(), *scene.libraries),
        fs_write=plan.writes(),
        egress=plan.hosts(),
        # SECURITY: only a person grants these; a manifest's word does not count
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
    found = guard(found, home=scene.home, own=scene.own, explicit=plan.explicit())
    # a yes to a call that is known to write there was a yes to just that
    if effects.extra.get(MARKS["protected"]) is True:
        return found
    kept = protected_names(found, repository=scene.repository, without=scene.changed)
    return found.replace(fs_keep=kept)


class _Plan:
    """The parts of one plan."""

    def __init__(
        self,
        effects: Effects,
        policies: Sequence[Policy],
        request: SandboxRequest | None,
        named: Named,
        scene: RunContext,
    ) -> None:
        self.effects, self.policies, self.request = effects, policies, request
        self.named, self.scene = named, scene
        self.online = effects.network is not False
        files = effects.filesystem
        self.acts = files.write is not False or files.delete is not False
        self.looks = files.read is not False or self.acts
        self.access = _access(policies, scene)
        self.own = (f"{scene.cwd.rstrip('/')}/**",) if self.access != "none" else ()
        if self.access == "write":
            self.policies = tuple(_with_workspace(policy, self.own) for policy in policies)
        self.expanded = self._expand()

    def _expand(self) -> Confinement:
        """What was asked for with `~` and the workspace spelled out; or everything that may be granted."""
        home = self.scene.home
        if self.request is None:
            return Confinement(
                fs_read=(*self.own, *self._grants("reads")),
                fs_write=self._grants("writes"),
                egress=self._grants("hosts"),
                exec_spawn=(ANY_PROGRAM,),
                env_pass=self._grants("env"),
            )
        wanted = self.request.confinement
        if self.request.curated:
            # silence in our own knowledge is no opinion: hosts and variables are up to the policy
            wanted = wanted.replace(
                egress=wanted.egress or self._grants("hosts"),
                env_pass=wanted.env_pass or self._grants("env"),
            )
        return wanted.replace(
            fs_read=(*self.own, *self._spelled(expanded(wanted.fs_read, home))),
            fs_write=self._spelled(expanded(wanted.fs_write, home)),
            fs_deny=self._spelled(expanded(wanted.fs_deny, home)),
            # SECURITY: a manifest names programs; "any" is nothing it can ask for
            exec_spawn=tuple(name for name in wanted.exec_spawn if name != ANY_PROGRAM),
        )

    def _grants(self, field: str) -> tuple[str, ...]:
        return grants(self.policies, field, self.scene.home)

    def _spelled(self, entries: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            each for entry in entries for each in (self.own if entry == WORKSPACE else (entry,))
        )

    def reads(self) -> tuple[str, ...]:
        if not self.looks:
            return ()
        wanted = self.expanded.fs_read
        allowed = (*self.own, *self._grants("reads"))
        if self.request is not None and self.request.curated:
            allowed += wanted
        extra = bounded(self.policies, "reads", self.named.paths, self.scene.home)
        return tuple(dict.fromkeys((*granted(wanted, allowed, path_covers), *extra)))

    def writes(self) -> tuple[str, ...]:
        if not self.acts:
            return ()
        home = f"{self.scene.home}/"
        named = tuple(path for path in self.named.paths if not home.startswith(f"{_bare(path)}/"))
        extra = bounded(self.policies, "writes", named, self.scene.home)
        found = granted(self.expanded.fs_write, self._grants("writes"), path_covers)
        return tuple(dict.fromkeys((*found, *extra)))

    def hosts(self) -> tuple[str, ...]:
        if not self.online:
            return ()
        found = granted(self.expanded.egress, self._grants("hosts"), host_covers)
        extra = bounded(self.policies, "hosts", self.named.hosts)
        return tuple(dict.fromkeys((*found, *extra)))

    @property
    def may_fork(self) -> bool:
        """Whether processes may be made at all; which programs these can become is in the request. A list in
        our own knowledge counts even where no program of the caller's choice is run."""
        if self.request is None:
            return self.effects.subprocess is not False
        if not self.request.confinement.exec_allow:
            return False
        return self.request.curated or self.effects.subprocess is not False

    def explicit(self) -> tuple[str, ...]:
        """What a person granted or was asked about; the workspace is neither.

        SECURITY: a project's list only cuts. What it names inside of a grant is no person's word for a secret folder.
        """
        layers = [each for each in self.policies if each.layer in ("organisation", "user")]
        home = self.scene.home
        listed = (
            *grants(layers, "reads", home),
            *grants(layers, "writes", home),
            *self.named.paths,
        )
        return tuple(entry for entry in listed if entry not in self.own)


def _bare(entry: str) -> str:
    return entry.removesuffix("/**").rstrip("/")


def _with_workspace(policy: Policy, own: tuple[str, ...]) -> Policy:
    """The user's layer with the workspace as a grant. A user who lists folders has said which ones: the
    workspace is then among them only if it is listed, or `workspace` says `write`."""
    if policy.layer != "user" or (policy.writes and policy.workspace != "write"):
        return policy
    return policy.replace(writes=(*own, *policy.writes))


def _access(policies: Sequence[Policy], scene: RunContext) -> str:
    """What the call may do to its directory. A home directory is no workspace: it can be read, not written;
    what lies above it is not shown at all."""
    if not scene.cwd or scene.cwd == "/":
        return "none"
    access = workspace_of(policies)
    if scene.home and scene.home != scene.cwd and scene.home.startswith(scene.cwd + "/"):
        return "none"
    if scene.home == scene.cwd and access == "write":
        return "read"
    return access
