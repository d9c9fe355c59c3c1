"""Planning a run: what the call names and the workspace holds, looked up, and handed to `policy.confinement.confine`.

The only part of planning that looks at the file system; it changes nothing and runs nothing.
"""

from __future__ import annotations

import os

from atip.policy.confinement.confine import RunContext, plan_confinement
from atip.policy.confinement.sandbox_request import request_of
from atip.policy.decision import ASK
from atip.policy.places.named import Named, named_by
from atip.policy.places.sensitive import PUBLIC, is_protected, is_secret
from atip.workflows.run.hooks import linked_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.effects import Effects
    from atip.model.permissions.confinement import Confinement
    from atip.policy.command_context import CommandContext
    from atip.policy.policy import Policy
    from atip.system.paths import Places
    from atip.workflows.judge import Explanation

MANAGERS = (
    *(
        ".pyenv",
        ".nvm",
        ".cargo",
        ".rustup",
        ".asdf",
        ".rbenv",
        ".volta",
        ".bun",
        ".deno",
        ".sdkman",
    ),
    *(".local/share/mise", ".local/share/uv", "go"),
)
"""Below the home directory: version managers and toolchains, which a line needs whole."""
_SETTINGS = (".git/config", ".git/config.worktree")
"""What `git config` is there to change: a yes to it was a yes to just that."""


def plan_call(
    explained: Explanation,
    policies: Sequence[Policy],
    places: Places,
    *,
    cwd: str,
    program: str = "",
    timeout_s: float | None = None,
) -> Confinement:
    """The confinement of a call that was explained.

    Args:
        program: the file that would run; its own libraries are shown with it.

    Raises:
        FormatError: the tool's request, or a grant, is not understood.
    """
    home = os.path.realpath(places.home)
    tools = {subject.tool for subject in explained.invocations}
    asked = explained.decision.outcome == ASK
    own = tuple(map(os.path.realpath, (places.config, places.data, places.cache)))
    workspace = find_workspace(cwd, home)
    named = named_by(explained.invocations, home=home, asked=asked)
    paths = _existing(named, workspace, own, asked=asked)
    if tools == {"git"}:
        paths += linked_repository(workspace)
    effects = explained.effects
    if len(explained.invocations) > 1:
        effects = effects.replace(subprocess=True)  # it starts the others
    return plan_confinement(
        effects,
        policies,
        request=request_of(explained.invocations),
        named=named.replace(paths=paths),
        scene=RunContext(
            cwd=workspace,
            home=home,
            own=own,
            repository="git" in tools,
            changed=_SETTINGS if _sets_git(explained.invocations) else (),
            libraries=own_libraries(program, home) if program else (),
        ),
        timeout_s=timeout_s,
    )


def find_workspace(cwd: str, home: str) -> str:
    """The repository that holds a directory, if it lies below the home directory or beside it; else the
    directory itself. A home directory that is a repository (of dotfiles) does not make all of it a workspace."""
    folder = cwd
    while folder not in ("/", home) and not f"{home}/".startswith(f"{folder}/"):
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        folder = os.path.dirname(folder)
    return cwd


def notes_on(
    explained: Explanation, confinement: Confinement, places: Places, cwd: str
) -> tuple[str, ...]:
    """What a caller would otherwise wonder about."""
    effects = explained.effects
    workspace = find_workspace(cwd, os.path.realpath(places.home))
    links = {
        path: os.path.realpath(path)
        for subject in explained.invocations
        for path in subject.paths
        if os.path.lexists(path)
        and leads_out(path, workspace)
        and os.path.realpath(path) not in subject.paths
    }
    told = tuple(
        f"`{path}` leads to `{real}`, which is not shown: name that file itself"
        for path, real in links.items()
    )
    return told + _home_note(confinement, effects, places, cwd)


def _home_note(
    confinement: Confinement, effects: Effects, places: Places, cwd: str
) -> tuple[str, ...]:
    if cwd != os.path.realpath(places.home) or confinement.fs_write:
        return ()
    if effects.filesystem.write is False and effects.filesystem.delete is False:
        return ()
    return ("nothing can be written here: a home directory is not a workspace; run it in a folder",)


def own_libraries(program: str, home: str) -> tuple[str, ...]:
    """Folders without which an installed script cannot start: its environment, its packages.

    SECURITY: the script itself says where these are (first line, `.pth` files), so only what lies in the tree that
    it was installed into counts, or in the tree of its interpreter; never a home directory or what holds one.
    """
    from atip.discovery.files.stubs import head_of, needed_paths, parse_stub

    real = os.path.realpath(program)
    stub = parse_stub(real, head_of(real))
    trees = [_prefix(real)]
    if stub.interpreter and os.path.isabs(stub.interpreter):
        trees += [_prefix(stub.interpreter), _prefix(os.path.realpath(stub.interpreter))]
    if stub.language == "node":
        trees.append(real.partition("/node_modules/")[0])
    trees = [tree for tree in trees if not f"{home}/".startswith(f"{tree}/") and tree != "/"]
    found: dict[str, None] = {}
    named = _prefix(os.path.abspath(program))
    # an interpreter of a virtual environment: its packages are found by the name that it was called by
    if os.path.isfile(os.path.join(named, "pyvenv.cfg")) and not f"{home}/".startswith(f"{named}/"):
        found[f"{named}/**"] = None
    beside = (
        [os.path.join(_prefix(real), "lib")]
        if os.path.basename(os.path.dirname(real)) == "bin"
        else []
    )
    for path in (*needed_paths(real, stub), *filter(os.path.isdir, beside)):
        full = os.path.normpath(path)
        if any(full.startswith(f"{tree}/") for tree in trees) and not _is_system(full):
            found[f"{full}/**" if os.path.isdir(full) else full] = None
    return tuple(found)


def _prefix(program: str) -> str:
    return os.path.dirname(os.path.dirname(program))


def _is_system(path: str) -> bool:
    return path.startswith(("/usr/", "/lib", "/bin/", "/sbin/", "/opt/", "/nix/store/", "/etc/"))


def _existing(
    named: Named, workspace: str, own: tuple[str, ...], *, asked: bool
) -> tuple[str, ...]:
    """Named paths outside of the workspace that exist, by their real names and as they are named; folders
    as subtrees."""
    found: dict[str, None] = {}
    for path in named.paths:
        real = os.path.realpath(path)
        if _inside(real, workspace) or not os.path.exists(real):
            continue
        # SECURITY: what a link leads to is granted if the judge saw it by its own name, and then it is named itself
        if leads_out(path, workspace):
            continue
        # SECURITY: a link may give a secret, or our own settings, a harmless name
        if not asked and (is_secret(real) or is_protected(real)):
            continue
        if any(real == folder or real.startswith(f"{folder}/") for folder in own):
            continue
        rest = "/**" if os.path.isdir(real) else ""
        found.update({f"{real}{rest}": None, f"{os.path.normpath(path)}{rest}": None})
    return tuple(found)


def leads_out(path: str, workspace: str) -> bool:
    """Whether a name in the workspace, or in a place that anybody may look at, is a link to somewhere else."""
    name, real = os.path.normpath(path), os.path.realpath(path)
    if _inside(real, workspace):
        return False
    if _inside(name, workspace):
        return True
    return name.startswith(PUBLIC) and not real.startswith(PUBLIC)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _sets_git(invocations: Sequence[CommandContext]) -> bool:
    """Whether a line consists of `git config` alone."""
    return bool(invocations) and all(
        subject.tool == "git" and subject.path[:1] == ("config",) for subject in invocations
    )
