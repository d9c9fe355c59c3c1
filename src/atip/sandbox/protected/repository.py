"""A repository's own files that decide what git runs and where it reads: looked at before a run and judged after it.

Git finds a repository by the name `.git`, through a file of that name, and by content alone (a bare one). So it is known
here by content too. Settings may change in ways that start nothing (`git_settings`); everything else in `PARTS` must be
as it was, or must not be there.
"""

from __future__ import annotations

import os
import stat

from atip.model.value import Value
from atip.sandbox.protected.git_settings import foreign_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atip.sandbox.protected.rules import ProtectionRules

SETTINGS = ("config", "config.worktree")
PARTS = (*SETTINGS, "commondir", "objects/info/alternates", "objects/info/http-alternates")
HOOKS = "hooks"
MAX_BYTES = 1_000_000
_WORKTREE_COMMON = b"../.."


class Snapshot(Value):
    """The files of `PARTS` as they were; None: there was none."""

    parts: tuple[tuple[str, bytes | None], ...] = ()
    hooks: bool = False
    """There was a folder of hooks, which is held by a mount."""


NEW = Snapshot()


def is_repository(names: Iterable[str]) -> bool:
    """Whether git would take a folder with these names for a repository."""
    present = set(names)
    return "HEAD" in present and ("commondir" in present or {"objects", "refs"} <= present)


def take(folder: str) -> Snapshot:
    """The state of a repository before a run."""
    return Snapshot(
        parts=tuple((name, _content(os.path.join(folder, name))) for name in PARTS),
        hooks=os.path.isdir(os.path.join(folder, HOOKS)),
    )


def changes(
    folder: str, before: Snapshot, rules: ProtectionRules, roots: Iterable[str]
) -> Iterator[str]:
    """Names, relative to the repository, that may not stay as they are now."""
    old_parts = dict(before.parts)
    for name in PARTS:
        now = _content(os.path.join(folder, name))
        if now == old_parts.get(name) or (rules.parts and name not in rules.parts):
            continue
        if now is None or not _is_harmless(folder, name, old_parts.get(name), now, roots):
            yield name
    if not before.hooks and (not rules.parts or HOOKS in rules.parts) and _has_hooks(folder):
        yield HOOKS


def _is_harmless(
    folder: str, name: str, before: bytes | None, now: bytes, roots: Iterable[str]
) -> bool:
    if name in SETTINGS:
        return not foreign_settings(before or b"", now, folder=folder, roots=tuple(roots))
    in_worktrees = os.path.basename(os.path.dirname(folder)) == "worktrees"
    return name == "commondir" and in_worktrees and now.strip() == _WORKTREE_COMMON


def _has_hooks(folder: str) -> bool:
    path = os.path.join(folder, HOOKS)
    if os.path.islink(path):
        return True
    try:
        return any(not name.endswith(".sample") for name in os.listdir(path))
    except NotADirectoryError:
        return True
    except FileNotFoundError:
        return False


def _content(path: str) -> bytes | None:
    """A small file; None where there is none. What is no plain file, or too large, has a content that nothing equals."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        return b"\0 a link, or out of reach"
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return b"\0 no file"
        data = os.read(handle, MAX_BYTES + 1)
        return data if len(data) <= MAX_BYTES else b"\0 too large"
    finally:
        os.close(handle)


def pointer_target(path: str) -> str:
    """Real path that a `.git` file points to; empty where it is not a pointer."""
    text = _content(path) or b""
    if not text.startswith(b"gitdir: "):
        return ""
    target = os.fsdecode(text[len(b"gitdir: ") :].strip())
    return os.path.realpath(os.path.join(os.path.dirname(path), target))


def inner_folders(folder: str) -> list[str]:
    """Folders of a repository in which further ones lie: submodules, which may have long names, and worktrees."""
    folders = []
    for name in ("modules", "worktrees"):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            folders.append(path)
    return folders
