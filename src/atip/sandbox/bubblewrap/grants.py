"""Grants: the file part of a Confinement as mounts, enforced exactly or refused.

Deny wins over write, write over read (SECURITY: §4.3 of the project's security notes). What cannot be
made exact is refused with `sandbox.cannot-enforce`: writable patterns, links and hard links at denied
places, an allowed path inside a denied one. Denied names below a writable directory are pinned: each
parent is mounted onto itself, so that none can be renamed away, and a denied name that does not exist
yet is covered, so that it cannot be made.
"""

from __future__ import annotations

import os
import stat

from atip.errors import SandboxError
from atip.model.text.globs import parse_glob
from atip.model.value import Value
from atip.sandbox.protected.rules import ANYWHERE, parse_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atip.model.permissions.confinement import Confinement
    from atip.model.text.globs import Glob
    from atip.sandbox.protected.survey import Survey

_SYSTEM = ("/usr/", "/etc/", "/proc/", "/sys/", "/dev/", "/run/", "/lib", "/bin/", "/sbin/")
MAX_ENTRIES = 100_000
MAX_DEPTH = 32
MAX_MATCHES = 2_000


class Mount(Value):
    """One step of making the view. `kind`: `read`, `write`, `pin`, `keep`, `hide-dir`, `hide-file`."""

    kind: str
    path: str


class FilePlan(Value):
    """All mounts in the order in which they must be made, and what to undo afterwards."""

    mounts: tuple[Mount, ...]
    placeholders: tuple[str, ...] = ()
    """Denied names that do not exist, or hold a placeholder of another run; see `placeholders`."""
    links: tuple[tuple[str, str], ...] = ()
    """Granted names that are links, or lie behind one: name and real path. Shown as links inside."""
    survey: Survey | None = None
    """State of protected files at any depth, before the run; None: none are protected that way."""
    expanded: bool = False
    """True: a read pattern was expanded; files made later are not covered by it."""

    @property
    def writable(self) -> tuple[str, ...]:
        """Roots that can be written."""
        return tuple(mount.path for mount in self.mounts if mount.kind == "write")


def plan_files(confinement: Confinement, *, home: str, workspace: str) -> FilePlan:
    """Decide the mounts. Looks at the file system, changes nothing.

    Args:
        home: what `~` means.
        workspace: where `**/…` begins.

    Raises:
        SandboxError: `sandbox.cannot-enforce`, with the entry.
    """
    if not (
        confinement.fs_read or confinement.fs_write or confinement.fs_deny or confinement.fs_cache
    ):
        return FilePlan(mounts=())
    reads = [_absolute(text, home, workspace) for text in confinement.fs_read]
    writes = [_absolute(text, home, workspace) for text in confinement.fs_write]
    denies = [_absolute(text, home, workspace) for text in confinement.fs_deny]
    caches = [_write_root(parse_glob(text)) for text in confinement.fs_cache]
    write_roots = _outermost([*(_write_root(glob) for glob in writes), *caches])
    read_paths = {path for glob in reads for path in _read_paths(glob)}
    read_roots = [p for p in _outermost(read_paths) if not _within_any(p, write_roots)]
    hidden = _hidden(denies, [*write_roots, *read_roots], write_roots)
    survey = _survey(confinement.fs_keep, [root for root in write_roots if root not in caches])
    exact = tuple(entry for entry in confinement.fs_keep if not entry.startswith(ANYWHERE))
    visible = [Mount(kind="write", path=path) for path in write_roots]
    visible += [Mount(kind="read", path=path) for path in read_roots]
    return FilePlan(
        mounts=(
            *sorted(visible, key=lambda mount: mount.path),
            *_protected_mounts((*exact, *(survey.protected if survey else ())), write_roots),
            *hidden,
        ),
        placeholders=tuple(
            mount.path
            for mount in hidden
            if mount.kind == "hide-file"
            and (not os.path.lexists(mount.path) or _is_placeholder(mount.path))
        ),
        links=_links([*writes, *reads], [*write_roots, *read_roots]),
        survey=survey,
        expanded=any(glob.kind == "pattern" for glob in reads),
    )


def _is_placeholder(path: str) -> bool:
    from atip.sandbox.bubblewrap.placeholders import is_placeholder

    return is_placeholder(path)


def _links(globs: list[Glob], roots: list[str]) -> tuple[tuple[str, str], ...]:
    """Names under which a program will look for what was granted, where the real name is another one."""
    links: dict[str, str] = {}
    for glob in globs:
        name, real = os.path.normpath(glob.literal), _real(glob.literal)
        is_visible = _within_any(name, roots) or name.startswith(_SYSTEM)
        if glob.kind != "pattern" and name != real and _within_any(real, roots) and not is_visible:
            links[name] = real
    return tuple(sorted(links.items()))


def _absolute(text: str, home: str, workspace: str) -> Glob:
    if text == "~" or text.startswith("~/"):
        text = home + text[1:]
    elif text.startswith("**/"):
        text = workspace.rstrip("/") + "/" + text
    return parse_glob(text)


def _write_root(glob: Glob) -> str:
    if glob.kind == "pattern":
        raise _cannot(glob.text, "only `dir/**` and plain paths can be made writable")
    path = _real(glob.literal)
    if glob.kind == "literal" and not os.path.exists(path):
        raise _cannot(glob.text, "it does not exist; grant its directory with `/**`")
    if path in ("/", "/proc", "/sys", "/dev", "/etc", "/usr"):
        raise _cannot(glob.text, "a system directory cannot be made writable")
    return path


def _read_paths(glob: Glob) -> list[str]:
    if glob.kind == "pattern":
        return list(_expand(glob, strict=False))
    path = _real(glob.literal)
    if path == "/" or path.startswith(("/proc", "/sys", "/dev")):
        raise _cannot(glob.text, "the whole machine or kernel files cannot be shown")
    return [path] if os.path.exists(path) else []


def _hidden(denies: list[Glob], roots: list[str], write_roots: list[str]) -> list[Mount]:
    """Covers for denied names inside a visible root, and pins of their parents."""
    covers: dict[str, Mount] = {}
    pins: dict[str, Mount] = {}
    for glob in denies:
        for path in _denied_paths(glob):
            if inside := [root for root in roots if root != path and _within(root, path)]:
                raise _cannot(inside[0], f"it is inside the denied `{glob.text}`")
            root = next((root for root in roots if _within(path, root)), None)
            if root is None:
                continue
            if path == root:
                raise _cannot(glob.text, "it is granted as a whole")
            target = _first_missing(path, root)
            if not os.path.lexists(path) and root not in write_roots:
                continue  # read-only: it cannot be created
            covers[target] = _cover(target, glob)
            for parent in _between(root, target):
                pins[parent] = Mount(kind="pin", path=parent)
    wanted_pins = [pins[path] for path in sorted(pins) if _within_any(path, write_roots)]
    return [*wanted_pins, *(covers[path] for path in sorted(covers))]


def _survey(entries: tuple[str, ...], write_roots: list[str]) -> Survey | None:
    rules = parse_rules(entries) if write_roots else None
    if rules is None or not rules.watches:
        return None
    from atip.sandbox.protected.survey import survey

    return survey(write_roots, rules)


def _protected_mounts(paths: tuple[str, ...], write_roots: list[str]) -> list[Mount]:
    """Names below a writable root that stay as they are: mounted read-only onto themselves, parents pinned."""
    keeps: dict[str, Mount] = {}
    pins: dict[str, Mount] = {}
    for path in paths:
        root = next((root for root in write_roots if _within(path, root)), None)
        if root is None:
            continue
        if not os.path.lexists(path) or _real(path) != path:
            raise _cannot(path, "only an existing name that is not a link can be kept as it is")
        if os.path.isfile(path) and os.lstat(path).st_nlink > 1:
            raise _cannot(path, "it has more than one name (hard link) and must stay as it is")
        keeps[path] = Mount(kind="keep", path=path)
        pins.update((parent, Mount(kind="pin", path=parent)) for parent in _between(root, path))
    return [*(pins[path] for path in sorted(pins)), *(keeps[path] for path in sorted(keeps))]


def _denied_paths(glob: Glob) -> list[str]:
    if glob.kind == "pattern":
        return list(_expand(glob, strict=True))
    # The parent's links are followed (the kernel would), the name itself is judged as it is.
    parent, name = os.path.split(glob.literal)
    return [os.path.join(_real(parent), name)]


def _cover(path: str, glob: Glob) -> Mount:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return Mount(kind="hide-file", path=path)
    if stat.S_ISLNK(status.st_mode):
        raise _cannot(glob.text, f"`{path}` is a link, which cannot be covered")
    if stat.S_ISDIR(status.st_mode):
        for inner in _walk(path, strict=True):
            _refuse_hard_link(inner, glob)
        return Mount(kind="hide-dir", path=path)
    _refuse_hard_link(path, glob)
    return Mount(kind="hide-file", path=path)


def _refuse_hard_link(path: str, glob: Glob) -> None:
    # SECURITY: covering one name leaves the same file readable under its other names.
    status = os.lstat(path)
    if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
        raise _cannot(glob.text, f"`{path}` has more than one name (hard link)")


def _first_missing(path: str, root: str) -> str:
    """The path itself, or the first part of it that does not exist."""
    for part in (*_between(root, path), path):
        if not os.path.lexists(part):
            return part
    return path


def _between(root: str, path: str) -> list[str]:
    """Directories strictly between, outermost first."""
    folders: list[str] = []
    parent = os.path.dirname(path)
    while _within(parent, root) and parent != root:
        folders.append(parent)
        parent = os.path.dirname(parent)
    return folders[::-1]


def _expand(glob: Glob, *, strict: bool) -> Iterator[str]:
    """Existing paths that match a pattern, below its fixed part."""
    parts = glob.text[len(glob.literal) :].strip("/").split("/")
    count = 0
    for path in _walk(glob.literal, strict=strict):
        if _matches(path[len(glob.literal) :].strip("/").split("/"), parts):
            count += 1
            if count > MAX_MATCHES:
                raise _cannot(glob.text, f"more than {MAX_MATCHES} paths match")
            yield path


def _matches(names: list[str], parts: list[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        if len(parts) == 1:
            return bool(names)
        return any(_matches(names[skip:], parts[1:]) for skip in range(len(names) + 1))
    from fnmatch import fnmatchcase

    return bool(names) and fnmatchcase(names[0], parts[0]) and _matches(names[1:], parts[1:])


def _walk(directory: str, *, strict: bool) -> Iterator[str]:
    """Everything below, without following links. A strict walk sees all or refuses."""
    seen = 0
    pending = [(directory, 0)]
    while pending:
        current, depth = pending.pop()
        try:
            entries = list(os.scandir(current))
        except OSError as error:
            if strict:
                raise _cannot(current, f"it cannot be searched: {error}") from error
            continue
        seen += len(entries)
        if seen > MAX_ENTRIES or depth > MAX_DEPTH:
            raise _cannot(directory, "too large to be searched")
        for entry in entries:
            yield entry.path
            if entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, depth + 1))


def _outermost(paths: Iterable[str]) -> list[str]:
    outermost: list[str] = []
    for path in sorted(set(paths)):
        if not _within_any(path, outermost):
            outermost.append(path)
    return outermost


def _real(path: str) -> str:
    return os.path.realpath(path)


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _within_any(path: str, roots: Iterable[str]) -> bool:
    return any(_within(path, root) for root in roots)


def _cannot(entry: str, why: str) -> SandboxError:
    return SandboxError(
        "sandbox.cannot-enforce",
        f"`{entry}` cannot be enforced exactly: {why}",
        hint="use a plain path or `dir/**`",
    )
