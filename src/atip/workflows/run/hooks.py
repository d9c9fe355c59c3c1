"""Locations of git hooks and repositories: folders that settings move into the workspace (`core.hooksPath`), linked worktrees."""

from __future__ import annotations

import os

from atip.errors import AtipError
from atip.policy.through.shell_files import git_settings
from atip.system.files import read_bytes

MAX_BYTES = 256 * 1024
_NAMES = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-push", "pre-rebase"),
    *("post-checkout", "post-merge", "post-rewrite", "applypatch-msg", "pre-applypatch", "pre-auto-gc"),
    *("post-applypatch", "pre-merge-commit", "reference-transaction", "fsmonitor-watchman"),
    *("post-index-change", "push-to-checkout"),
)  # fmt: skip
"""Hooks that git starts in a working tree, for settings that make the workspace itself the folder."""


def protected_hooks(workspace: str, home: str, common: str = "") -> tuple[str, ...]:
    """Entries for `Confinement.fs_keep`; empty where hooks are in the default folder.

    Args:
        common: the repository of a linked worktree; empty: the workspace has its own.
    """
    repository = common or os.path.join(workspace, ".git")
    files = (
        *(os.path.join(repository, name) for name in ("config", "config.worktree")),
        *(os.path.join(home, name) for name in (".gitconfig", ".config/git/config")),
        "/etc/gitconfig",
    )
    entries: dict[str, None] = {}
    for path in files:
        if place := _hooks_path(path):
            entries.update(dict.fromkeys(_entries(place, workspace, home)))
    return tuple(entries)


def _hooks_path(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8", "replace")
    except AtipError:
        return ""
    return (git_settings(text) or {}).get("core.hookspath", "")


def _entries(place: str, workspace: str, home: str) -> tuple[str, ...]:
    if place.startswith("~/"):
        place = home + place[1:]
    full = os.path.normpath(os.path.join(workspace, place))
    if full == workspace:
        return tuple(f"**/{name}" for name in _NAMES)
    if not full.startswith(f"{workspace}/"):
        return ()  # out of reach
    # two parts at most can be held at any depth, whether they exist or not
    return ("**/" + "/".join(full.removeprefix(f"{workspace}/").split("/")[-2:]),)


def linked_repository(workspace: str) -> tuple[str, ...]:
    """The repository of a linked worktree, outside the workspace.

    SECURITY: the `.git` file of a workspace can name any folder; it counts only if that folder is a worktree entry
    of a repository and names this very workspace in return.
    """
    pointer = _line(os.path.join(workspace, ".git"))
    if not pointer.startswith("gitdir: "):
        return ()
    entry = os.path.realpath(os.path.join(workspace, pointer[len("gitdir: ") :]))
    common = os.path.dirname(os.path.dirname(entry))
    returns = os.path.realpath(_line(os.path.join(entry, "gitdir")) or "/")
    is_entry = os.path.basename(os.path.dirname(entry)) == "worktrees"
    if not is_entry or returns != os.path.join(workspace, ".git"):
        return ()
    return (f"{common}/**",) if os.path.isfile(os.path.join(common, "HEAD")) else ()


def _line(path: str) -> str:
    """The only line of a small file; empty when the file does not have exactly one."""
    if not os.path.isfile(path):
        return ""
    try:
        return read_bytes(path, 4096).decode("utf-8", "replace").strip()
    except AtipError:
        return ""
