"""Plan a run: look up the files that the call names, and pass them to `policy.confinement.confine`.

The only part of planning that reads the file system; it changes nothing and runs nothing.
"""

from __future__ import annotations

import os

from atip.policy.confinement.confine import RunContext, plan_confinement
from atip.policy.confinement.sandbox_request import request_of
from atip.policy.decision import ASK
from atip.policy.places.named import NamedPlaces, named_by
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
        ".pyenv", ".nvm", ".cargo", ".rustup", ".asdf", ".rbenv", ".volta", ".bun", ".deno", ".sdkman",
    ),
    *(".local/share/mise", ".local/share/uv", "go"),
)  # fmt: skip
"""Below the home directory: version managers and toolchains, which a line needs completely."""
_SETTINGS = (".git/config", ".git/config.worktree")
"""Files that `git config` changes: confirming the command confirms these."""


def plan_call(
    explained: Explanation,
    policies: Sequence[Policy],
    places: Places,
    *,
    cwd: str,
    program: str = "",
    timeout_s: float | None = None,
) -> Confinement:
    """Return the confinement of an explained call.

    Args:
        program: the file that will run; its own libraries become visible with it.

    Raises:
        FormatError: the tool's request, or a grant, is not understood.
    """
    home = os.path.realpath(places.home)
    tools = {subject.tool for subject in explained.invocations}
    is_confirmed = explained.decision.outcome == ASK
    state_folders = tuple(map(os.path.realpath, (places.config, places.data, places.cache)))
    workspace = find_workspace(cwd, home)
    named_files = named_by(explained.invocations, home=home, confirmed=is_confirmed)
    paths = _existing_paths(named_files, workspace, state_folders, is_confirmed=is_confirmed)
    if tools == {"git"}:
        paths += linked_repository(workspace)
    effects = explained.effects
    if len(explained.invocations) > 1:
        effects = effects.replace(subprocess=True)  # it starts the others
    return plan_confinement(
        effects,
        policies,
        request=request_of(explained.invocations),
        named=named_files.replace(paths=paths),
        context=RunContext(
            cwd=workspace,
            home=home,
            own=state_folders,
            repository="git" in tools,
            changed=_SETTINGS if _sets_git(explained.invocations) else (),
            libraries=own_libraries(program, home) if program else (),
        ),
        timeout_s=timeout_s,
    )


def find_workspace(cwd: str, home: str) -> str:
    """The repository that contains a directory, if it is below the home directory or beside it; else the
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
    """Notes on links and a home directory that explain why files are missing in the sandbox."""
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
    notes = tuple(
        f"`{path}` is a link to `{real}`, which is not visible in the sandbox: name that file itself"
        for path, real in links.items()
    )
    return notes + _home_note(confinement, effects, places, cwd)


def _home_note(
    confinement: Confinement, effects: Effects, places: Places, cwd: str
) -> tuple[str, ...]:
    if cwd != os.path.realpath(places.home) or confinement.fs_write:
        return ()
    if effects.filesystem.write is False and effects.filesystem.delete is False:
        return ()
    return (
        "no files can be written: a home directory is not a workspace; run the command in a project folder",
    )


def own_libraries(program: str, home: str) -> tuple[str, ...]:
    """Folders without which an installed script cannot start: its environment, its packages.

    SECURITY: the script itself states where these are (first line, `.pth` files), so only paths in its installation tree
    or in the tree of its interpreter count; never a home directory or a parent of one.
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
    entries: dict[str, None] = {}
    prefix = _prefix(os.path.abspath(program))
    # an interpreter of a virtual environment finds its packages by the path it was started with
    if os.path.isfile(os.path.join(prefix, "pyvenv.cfg")) and not f"{home}/".startswith(
        f"{prefix}/"
    ):
        entries[f"{prefix}/**"] = None
    candidates = (
        [os.path.join(_prefix(real), "lib")]
        if os.path.basename(os.path.dirname(real)) == "bin"
        else []
    )
    for path in (*needed_paths(real, stub), *filter(os.path.isdir, candidates)):
        full = os.path.normpath(path)
        if any(full.startswith(f"{tree}/") for tree in trees) and not _is_system(full):
            entries[f"{full}/**" if os.path.isdir(full) else full] = None
    return tuple(entries)


def _prefix(program: str) -> str:
    return os.path.dirname(os.path.dirname(program))


def _is_system(path: str) -> bool:
    return path.startswith(("/usr/", "/lib", "/bin/", "/sbin/", "/opt/", "/nix/store/", "/etc/"))


def _existing_paths(
    named_files: NamedPlaces, workspace: str, state_folders: tuple[str, ...], *, is_confirmed: bool
) -> tuple[str, ...]:
    """Existing named paths outside the workspace, both resolved and as named; folders as subtrees."""
    entries: dict[str, None] = {}
    for path in named_files.paths:
        real = os.path.realpath(path)
        if _inside(real, workspace) or not os.path.exists(real):
            continue
        # SECURITY: a link's target is granted only if the judge saw it, and then it is named itself
        if leads_out(path, workspace):
            continue
        # SECURITY: a link may hide a secret, or our own settings, behind a harmless name
        if not is_confirmed and (is_secret(real) or is_protected(real)):
            continue
        if any(real == folder or real.startswith(f"{folder}/") for folder in state_folders):
            continue
        rest = "/**" if os.path.isdir(real) else ""
        entries.update({f"{real}{rest}": None, f"{os.path.normpath(path)}{rest}": None})
    return tuple(entries)


def leads_out(path: str, workspace: str) -> bool:
    """Whether a path in the workspace, or in a public folder, is a link to somewhere else."""
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
