"""Observed against declared: what a traced run touched, as effects, differences and a `sandbox:` block.

One run shows what it did, never what the command cannot do: observation reports *undeclared* effects and
*unused* declarations; it never lowers an effect. Pure. Implements ATIP 0.1 §5.1, AIP-29 "Sandbox".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.effects import Effects, Filesystem, Interactive
from atip.model.facts import fact_of
from atip.model.value import Value
from atip.policy.places.sensitive import is_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FACTS = (
    *("filesystem.read", "filesystem.write", "filesystem.delete", "network", "subprocess"),
    *("interactive.tty", "changes.process", "changes.mount"),
)
"""Facts that a trace can show. The last two are values of `modifies` in a description."""
_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/etc", "/proc", "/dev"),
    *("/sys", "/opt", "/run", "/nix/store", "/gnu/store", "/snap"),
)
_SCRATCH = ("/tmp", "/dev", "/var/tmp", "/proc/self", "/proc/thread-self")  # noqa: S108  names inside the sandbox
_OWN_FILES = (".cache", ".ccache")
"""Below the home: ignored, because no description covers them."""
_PUBLIC = ("/usr/", "/etc/ssl/certs", "/etc/ca-certificates", "/etc/pki", "/proc/self/", "/dev/")
_DATA = ("/usr/share/", "/etc/", "/var/", "/proc/")
_STARTS = (
    *(
        "/etc/ld.so",
        "/etc/localtime",
        "/etc/locale",
        "/etc/ssl",
        "/etc/nsswitch",
        "/etc/python",
        "/etc/perl",
    ),
    *(
        "/usr/share/locale",
        "/usr/share/zoneinfo",
        "/usr/share/perl",
        "/usr/share/python",
        "/proc/filesystems",
        "/proc/sys/",
    ),
)
"""Files that programs in general read at start."""
_MANY = 3
"""From this many files on, the folder is listed instead."""
_WRITES = ("create", "write", "overwrite", "permission")


class AttemptedOperation(Value):
    """One attempted operation of a program; see `sandbox.tracing.calls.TraceEvent`."""

    kind: str
    target: str
    exists: bool = True
    call: str = ""
    source: str = ""


class Effect(Value):
    """One observed effect, and the system call behind it."""

    effect: str
    """`create`, `write`, `overwrite`, `delete`, `rename`, `permission`, `secret`, `start`, `process`, `signal`, `socket`,
    `listen`, `connect`, `terminal`, `environment`, `mount` or `system`."""
    target: str
    call: str

    def to_json(self) -> dict[str, object]:
        return {"effect": self.effect, "target": self.target, "call": self.call}


class TraceContext(Value):
    """Folders of the run that paths are compared with."""

    cwd: str
    home: str
    granted: tuple[str, ...] = ()
    """Folders and files that were granted, without `/**`."""
    gates: tuple[str, ...] = ()
    """`address:port` inside the sandbox that lead to the proxy or to a granted service."""
    own: tuple[str, ...] = ()
    """Trees of the program itself: its interpreter, its library."""


class ObservedEffects(Value):
    """Effects of one run beyond the operating system and its own scratch files."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    """Only what it had not created itself."""
    spawned: tuple[str, ...] = ()
    """Programs that it started, by path."""
    hosts: tuple[str, ...] = ()
    """`host:port` that it reached through the proxy."""
    refused: tuple[str, ...] = ()
    """Hosts and addresses that it tried and did not reach."""
    lookups: tuple[str, ...] = ()
    """Names that it looked up."""
    terminals: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    """To processes that it had not started."""
    mounts: tuple[str, ...] = ()
    system_reads: tuple[str, ...] = ()
    """Data of the operating system that it read: corroborates a declared read, contradicts nothing."""
    effects: tuple[Effect, ...] = ()
    """Everything but reads, with the system call behind each."""


class Difference(Value):
    """A fact that differs between a description and a run."""

    fact: str
    kind: str
    """`undeclared`: observed, but denied or missing in the description; `unused`: declared, not observed."""
    declared: bool | None
    seen: tuple[str, ...] = ()


def touched(
    tries: Iterable[AttemptedOperation],
    attempts: Sequence[tuple[str, bool]],
    context: TraceContext,
    lookups: Sequence[str] = (),
) -> ObservedEffects:
    """Classify the attempts of a run.

    Args:
        attempts: `host:port` and whether the proxy allowed it.
        lookups: names that were looked up.
    """
    sorting = _Classifier(context)
    for one in tries:
        sorting.add(one)
    refused = {**sorting.refused, **{target: None for target, allowed in attempts if not allowed}}
    return ObservedEffects(
        reads=tuple(path for path in sorting.reads if path not in sorting.created),
        writes=tuple(sorting.writes),
        deletes=tuple(sorting.deletes),
        spawned=tuple(dict.fromkeys(sorting.spawned)),
        hosts=tuple(dict.fromkeys(target for target, allowed in attempts if allowed)),
        refused=tuple(refused),
        lookups=tuple(lookups),
        terminals=tuple(sorting.terminals),
        signals=tuple(sorting.signals),
        mounts=tuple(sorting.mounts),
        system_reads=tuple(sorting.system),
        effects=tuple(sorting.effects),
    )


class _Classifier:
    """Classifies the attempts of one run in order: deleting what the run created is not a loss."""

    def __init__(self, context: TraceContext) -> None:
        self._context = context
        self.reads: dict[str, None] = {}
        self.system: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self.deletes: dict[str, None] = {}
        self.spawned: list[str] = []
        self.refused: dict[str, None] = {}
        self.terminals: dict[str, None] = {}
        self.signals: dict[str, None] = {}
        self.mounts: dict[str, None] = {}
        self.created: set[str] = set()
        self.effects: dict[Effect, None] = {}

    def add(self, one: AttemptedOperation) -> None:
        kind, target = one.kind, one.target
        if kind == "read":
            self._read(one)
        elif kind in _WRITES:
            self._write(one)
        elif kind == "delete":
            self._delete(one, target)
        elif kind == "rename":
            self._rename(one)
        elif kind == "spawn":
            if one.exists and target.startswith("/"):
                self.spawned.append(target)
                self._note("start", one)
        elif kind == "connect":
            # port 53 is the resolver, whose names are recorded; port 0 only looks up a route
            if target not in self._context.gates and not target.endswith((":53", ":0")):
                self.refused[target] = None
                self._note(kind, one)
        else:
            targets = {"terminal": self.terminals, "mount": self.mounts}.get(kind)
            if kind == "signal" and not one.exists:
                targets = self.signals
            if targets is not None:
                targets[target] = None
            self._note(kind, one)

    def _note(self, effect: str, one: AttemptedOperation, target: str = "") -> None:
        self.effects[Effect(effect=effect, target=target or one.target, call=one.call)] = None

    def _read(self, one: AttemptedOperation) -> None:
        if is_secret(one.target) and not one.target.startswith(_PUBLIC):
            self._note("secret", one)
        if one.exists and not _is_ground(one.target, self._context):
            self.reads[one.target] = None
        elif one.exists and _is_data(one.target):
            self.system[one.target] = None

    def _write(self, one: AttemptedOperation) -> None:
        if _is_scratch(one.target, self._context):
            return
        if not one.exists and one.target not in self.writes and one.target not in self.deletes:
            self.created.add(one.target)
        self.deletes.pop(one.target, None)  # it is there again
        self.writes[one.target] = None
        self._note(one.kind, one)

    def _delete(self, one: AttemptedOperation, target: str) -> None:
        if one.exists and not _is_scratch(target, self._context) and target not in self.created:
            self.deletes[target] = None
            self._note("delete", one, target)

    def _rename(self, one: AttemptedOperation) -> None:
        """Delete the old name and write the new one; a file that the run created counts as written only."""
        if one.source not in self.created:
            self._delete(one.replace(exists=True), one.source)
        if _is_scratch(one.target, self._context):
            return
        if not one.exists and one.target not in self.deletes:
            self.created.add(one.target)
        self.deletes.pop(one.target, None)
        self.writes[one.target] = None
        self._note("overwrite" if one.exists else "rename", one)


def _is_ground(path: str, context: TraceContext) -> bool:
    """Whether a path belongs to the operating system or is scratch: descriptions do not cover such reads."""
    if any(_inside(path, tree) for tree in context.own):
        return True
    if any(_inside(path, root) for root in context.granted):
        return False
    trees = (*_SYSTEM, *_SCRATCH, context.home)
    return any(_inside(path, tree) for tree in trees) or path == "/"


def _is_data(path: str) -> bool:
    """Whether a file of the system is data that the program was asked for, not part of every start."""
    if path.startswith(_STARTS) or not path.startswith(_DATA):
        return False
    return not path.startswith("/proc/self") and "." not in path.rpartition("/")[2][:1]


def _is_scratch(path: str, context: TraceContext) -> bool:
    """Whether a change there is ignored: temporary files, caches, byte code."""
    if any(_inside(path, root) for root in context.granted):
        return False
    trees = (*_SCRATCH, *(f"{context.home}/{name}" for name in _OWN_FILES))
    return (
        any(_inside(path, tree) for tree in trees) or "/__pycache__" in path or path == context.home
    )


def observed_effects(touched_by_run: ObservedEffects) -> Effects:
    """Effects of the run. Facts that were not observed stay unknown: one run does not prove absence."""
    modified = (
        *(("process",) if touched_by_run.signals else ()),
        *(("mount",) if touched_by_run.mounts else ()),
    )
    return Effects(
        filesystem=Filesystem(
            read=True if touched_by_run.reads else None,
            write=True if touched_by_run.writes else None,
            delete=True if touched_by_run.deletes else None,
        ),
        network=True
        if touched_by_run.hosts or touched_by_run.refused or touched_by_run.lookups
        else None,
        subprocess=True if touched_by_run.spawned else None,
        interactive=Interactive(tty=True if touched_by_run.terminals else None),
        modifies=modified or None,
    )


def claim_of(effects: Effects, fact: str) -> bool | None:
    """The value of one of `FACTS`."""
    kind, _, thing = fact.partition(".")
    if kind != "changes":
        return fact_of(effects, fact)
    if effects.modifies is None:
        return None
    return thing in effects.modifies


def targets_of(seen: ObservedEffects, fact: str) -> tuple[str, ...]:
    """Targets that show a fact."""
    return {
        "filesystem.read": seen.reads,
        "filesystem.write": seen.writes,
        "filesystem.delete": seen.deletes,
        "network": (*seen.hosts, *seen.refused, *seen.lookups),
        "subprocess": seen.spawned,
        "interactive.tty": seen.terminals,
        "changes.process": seen.signals,
        "changes.mount": seen.mounts,
    }[fact]


def differences(
    declared: Effects, seen: ObservedEffects, *, spawn: Sequence[str] = ()
) -> tuple[Difference, ...]:
    """Every fact that differs between description and run, undeclared ones first.

    Args:
        spawn: programs that the description names; starting these is declared.
    """
    seen = without_spawn(seen, spawn)
    observed = observed_effects(seen)
    undeclared: list[Difference] = []
    unused: list[Difference] = []
    for fact in FACTS:
        claimed, did = claim_of(declared, fact), claim_of(observed, fact)
        if did is True and claimed is not True:
            undeclared.append(
                Difference(
                    fact=fact, kind="undeclared", declared=claimed, seen=targets_of(seen, fact)[:20]
                )
            )
        elif claimed is True and did is not True:
            unused.append(Difference(fact=fact, kind="unused", declared=claimed))
    return (*undeclared, *unused)


def without_spawn(seen: ObservedEffects, spawn: Sequence[str]) -> ObservedEffects:
    """Without the programs that a description names: starting these is declared."""
    return seen.replace(spawned=tuple(path for path in seen.spawned if _name(path) not in spawn))


def sandbox_block(
    seen: ObservedEffects, context: TraceContext, *, tty: bool = False
) -> dict[str, object]:
    """An AIP-29 block that allows what was observed. A draft: it covers this run only."""
    writes = _entries((*seen.writes, *seen.deletes), context, folders=True)
    spawn = sorted({_name(path) for path in seen.spawned})
    return {
        "network": {
            "egress": sorted({target.rpartition(":")[0] for target in seen.hosts}),
            "ingress": [],
        },
        "fs": {"read": _entries(seen.reads, context, folders=False), "write": writes, "deny": []},
        "exec": {"allow": bool(spawn), "spawn": spawn},
        "env": {"pass": [], "set": {}},
        "tty": {"required": tty},
    }


def _entries(paths: Sequence[str], context: TraceContext, *, folders: bool) -> list[str]:
    """Paths as patterns: the workspace as a whole, `~` for the home, folders where there are many files."""
    if any(_inside(path, context.cwd) for path in paths):
        entries = {"**/**"}
    else:
        entries = set()
    outside = [path for path in paths if not _inside(path, context.cwd)]
    count: dict[str, int] = {}
    for path in outside:
        parent = _folder(path)
        count[parent] = count.get(parent, 0) + 1
    for path in outside:
        parent = _folder(path)
        as_folder = folders or count[parent] >= _MANY
        entry = f"{parent}/**" if as_folder and parent != "/" else path
        entries.add("~" + entry[len(context.home) :] if _inside(entry, context.home) else entry)
    return sorted(entries)


def _inside(path: str, tree: str) -> bool:
    return bool(tree) and (path == tree or path.startswith(tree.rstrip("/") + "/"))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "/"
