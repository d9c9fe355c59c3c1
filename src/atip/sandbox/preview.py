"""Preview: a run whose changes go to a stage, and can be looked at before they become real.

Each writable root of the run lies under an overlay (`outer.lay_over`): the program sees its changes, the real
files stay as they are. A stage holds only what changed. `find_changes` reads it, `preview_keep` makes it real,
`Stage.close` throws it away. Needs an overlay file system; where there is none the run is refused.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from typing import TYPE_CHECKING

from atip.errors import SandboxError
from atip.model.value import Value
from atip.sandbox.bubblewrap.grants import plan_files
from atip.sandbox.bubblewrap.namespaces import UID
from atip.system import files
from atip.system.clock import now

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.model.permissions.confinement import Confinement

FOLDER = "previews"
MAX_CHANGES = 20_000
OLD_S = 86400.0
_NAME = re.compile(r"[0-9a-f]{16}\Z")
_OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")


class FileSnapshot(Value):
    """State of a path at one moment; enough to detect a later change."""

    kind: str
    """`file`, `folder`, `link`, `other` or `nothing`."""
    mode: int = 0
    size: int = 0
    mark: tuple[int, ...] = ()


NOTHING = FileSnapshot(kind="nothing")


class FileChange(Value):
    """One difference between the real files and the stage."""

    root: str
    """The writable root that holds it."""
    name: str
    """Below the root; empty: the root itself, a single file."""
    kind: str
    """`created`, `changed`, `deleted`, `mode`; `replaced` where a file became a folder or the like."""
    before: FileSnapshot
    after: FileSnapshot
    staged: str
    """Path of the new content; empty for what was deleted."""
    target: str = ""
    """Target of a symbolic link; empty for any other file."""

    @property
    def path(self) -> str:
        return os.path.join(self.root, self.name) if self.name else self.root


class Stage:
    """The stages of one run. `close` removes them; it must be called."""

    def __init__(self, folder: str) -> None:
        files.make_private(folder)
        remove_old_stages(folder)
        self._folder = _fresh(folder)
        self.overlays: dict[str, str] = {}

    def add(self, root: str) -> None:
        """Stage one writable root: a folder, or a single file by a copy."""
        place = os.path.join(self._folder, str(len(self.overlays)))
        os.mkdir(place, 0o700)
        if os.path.isdir(root):
            for name in ("upper", "work"):
                os.mkdir(os.path.join(place, name), 0o700)
            top = os.path.join(place, "upper")
            os.chmod(top, stat.S_IMODE(os.stat(root).st_mode) & 0o777)
        else:
            top = os.path.join(place, "file")
            shutil.copy2(root, top, follow_symlinks=False)
        if os.geteuid() == 0:
            os.chown(top, UID, UID)  # root's sandbox runs as this user
        self.overlays[root] = place

    def close(self) -> None:
        """Delete everything that was staged."""
        _remove(self._folder)


def stage_for(confinement: Confinement, folder: str, *, home: str, workspace: str) -> Stage:
    """A stage for every root that a run may write.

    Raises:
        SandboxError: `preview.missing-root` for one that does not exist: it could only be made for real.
    """
    roots = plan_files(confinement, home=home, workspace=workspace).writable
    for root in roots:
        if not os.path.exists(root):
            raise SandboxError(
                "preview.missing-root", f"`{root}` is writable but does not exist; create it first"
            )
    stage = Stage(folder)
    try:
        for root in roots:
            stage.add(root)
    except BaseException:
        stage.close()
        raise
    return stage


def _fresh(folder: str) -> str:
    import secrets

    path = os.path.join(folder, secrets.token_hex(8))
    os.mkdir(path, 0o700)
    return path


def remove_old_stages(folder: str) -> None:
    """Remove what a killed run left behind a day ago."""
    with os.scandir(folder) as entries:
        for entry in entries:
            is_stage = entry.is_dir(follow_symlinks=False) and _NAME.match(entry.name)
            if is_stage and entry.stat(follow_symlinks=False).st_mtime < now() - OLD_S:
                _remove(entry.path)


def _remove(folder: str) -> None:
    _make_removable(folder)
    shutil.rmtree(folder, ignore_errors=True)


def _make_removable(folder: str) -> None:
    """The kernel leaves a work folder without permissions, and a program may remove permissions."""
    for parent, names, _ in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)


# --- what changed ------------------------------------------------------------------------------------


def find_changes(stage: Stage) -> tuple[FileChange, ...]:
    """Every difference, by path.

    Raises:
        SandboxError: `preview.too-many`.
    """
    changes_found: list[FileChange] = []
    for root, place in stage.overlays.items():
        single = os.path.join(place, "file")
        changes = (
            _single(root, single)
            if os.path.lexists(single)
            else _walk(root, "", os.path.join(place, "upper"), hidden=False)
        )
        for change in changes:
            changes_found.append(change)
            if len(changes_found) > MAX_CHANGES:
                raise SandboxError("preview.too-many", f"more than {MAX_CHANGES} files changed", hint="preview a smaller step")  # fmt: skip
    return tuple(sorted(changes_found, key=lambda change: change.path))


def _single(root: str, staged: str) -> Iterator[FileChange]:
    before, after = look(root), look(staged)
    if _content(root) != _content(staged):
        yield FileChange(
            root=root, name="", kind="changed", before=before, after=after, staged=staged
        )


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _walk(root: str, name: str, upper: str, *, hidden: bool) -> Iterator[FileChange]:
    """Changes of one staged folder. `hidden`: nothing of the real folder shows through."""
    opaque = hidden or _is_opaque(upper)
    real = os.path.join(root, name) if name else root
    with os.scandir(upper) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    if opaque and not hidden:
        staged_names = {entry.name for entry in listed}
        for removed_name in _names(real) - staged_names:
            yield _make_deletion(root, os.path.join(name, removed_name))
    for entry in listed:
        path = os.path.join(name, entry.name)
        before = NOTHING if hidden else look(os.path.join(root, path))
        if _is_whiteout(entry):
            if before.kind != "nothing":
                yield _make_deletion(root, path)
            continue
        after = look(entry.path)
        yield from _one(root, path, entry.path, before, after)
        if after.kind == "folder":
            yield from _walk(root, path, entry.path, hidden=hidden or before.kind != "folder")


def _one(
    root: str, name: str, staged: str, before: FileSnapshot, after: FileSnapshot
) -> Iterator[FileChange]:
    if before.kind == "nothing":
        kind = "created"
    elif before.kind != after.kind:
        kind = "replaced"
    elif after.kind == "folder" or _same(os.path.join(root, name), staged, before, after):
        if before.mode == after.mode:
            return
        kind = "mode"
    else:
        kind = "changed"
    target = os.readlink(staged) if after.kind == "link" else ""
    yield FileChange(
        root=root, name=name, kind=kind, before=before, after=after, staged=staged, target=target
    )


def _make_deletion(root: str, name: str) -> FileChange:
    before = look(os.path.join(root, name))
    return FileChange(root=root, name=name, kind="deleted", before=before, after=NOTHING, staged="")


def look(path: str) -> FileSnapshot:
    """Current state of a path, without following links."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return NOTHING
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    kind = kinds.get(stat.S_IFMT(status.st_mode), "other")
    mark = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    return FileSnapshot(
        kind=kind,
        mode=stat.S_IMODE(status.st_mode) & 0o777,
        size=status.st_size if kind == "file" else 0,
        mark=mark if kind != "folder" else (status.st_dev, status.st_ino),
    )


def _same(real: str, staged: str, before: FileSnapshot, after: FileSnapshot) -> bool:
    if before.kind == "link":
        return os.readlink(real) == os.readlink(staged)
    if before.kind != "file" or before.size != after.size:
        return False
    with open(real, "rb") as left, open(staged, "rb") as right:
        while True:
            one, two = left.read(1 << 20), right.read(1 << 20)
            if one != two:
                return False
            if not one:
                return True


def _is_whiteout(entry: os.DirEntry[str]) -> bool:
    status = entry.stat(follow_symlinks=False)
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _is_opaque(folder: str) -> bool:
    for name in _OPAQUE:
        try:
            if os.getxattr(folder, name, follow_symlinks=False) == b"y":
                return True
        except OSError:
            continue
    return False


def _names(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return set()
