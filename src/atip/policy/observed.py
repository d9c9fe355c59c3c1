"""Observed against declared: what a traced run touched, as effects, as differences, as a `sandbox:` block.

One run shows what it did, never what the command cannot do: observation raises doubt (*undeclared*) and names
what was not seen this time (*unused*); it lowers nothing. Pure. Implements ATIP 0.1 §5.1, AIP-29 "Sandbox".
"""

from __future__ import annotations

from atip.model.effects import Effects, Filesystem
from atip.model.facts import fact_of
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FACTS = ("filesystem.read", "filesystem.write", "filesystem.delete", "network", "subprocess")
_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/etc", "/proc", "/dev"),
    *("/sys", "/opt", "/run", "/nix/store", "/gnu/store", "/snap"),
)
_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108  names inside the sandbox
_MANY = 3
"""That many files of one folder are written as the folder."""


class Try(Value):
    """One thing that a program tried; see `sandbox.trace.Event`."""

    kind: str
    target: str
    exists: bool = True


class Scene(Value):
    """Where it ran: what the names mean."""

    cwd: str
    home: str
    granted: tuple[str, ...] = ()
    """Folders and files that were granted, without `/**`."""
    gates: tuple[str, ...] = ()
    """`address:port` inside that lead to the proxy or to a granted service."""
    own: tuple[str, ...] = ()
    """Trees of the program itself: its interpreter, its library."""


class Touched(Value):
    """What one run touched beyond the operating system and its own scratch files."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    """Only what it had not made itself."""
    spawned: tuple[str, ...] = ()
    """Programs that it started, by path."""
    hosts: tuple[str, ...] = ()
    """`host:port` that it reached through the gate."""
    refused: tuple[str, ...] = ()
    """Hosts and addresses that it tried and did not reach."""


class Difference(Value):
    """One fact in which a description and a run differ."""

    fact: str
    kind: str
    """`undeclared`: seen, and the description says no or nothing; `unused`: declared and not seen."""
    declared: bool | None
    seen: tuple[str, ...] = ()


def touched(tries: Iterable[Try], attempts: Sequence[tuple[str, bool]], scene: Scene) -> Touched:
    """Sort what was tried.

    Args:
        attempts: `host:port` and whether it was let through, from the gate.
    """
    reads: dict[str, None] = {}
    writes: dict[str, None] = {}
    deletes: dict[str, None] = {}
    spawned: list[str] = []
    refused: dict[str, None] = {}
    made: set[str] = set()
    for one in tries:
        match one.kind:
            case "read" if one.exists and not _is_ground(one.target, scene):
                reads[one.target] = None
            case "write" if not _is_ground(one.target, scene):
                if not one.exists and one.target not in writes:
                    made.add(one.target)
                writes[one.target] = None
            case "delete" if one.exists and not _is_ground(one.target, scene):
                if one.target not in made:
                    deletes[one.target] = None
            case "spawn" if one.exists:
                spawned.append(one.target)
            case "connect" if one.target not in scene.gates and not one.target.endswith(":53"):
                refused[one.target] = None
    started = [path for path in spawned if path.startswith("/")]
    hosts = dict.fromkeys(target for target, allowed in attempts if allowed)
    refused.update(dict.fromkeys(target for target, allowed in attempts if not allowed))
    return Touched(
        reads=tuple(path for path in reads if path not in made),
        writes=tuple(writes),
        deletes=tuple(deletes),
        spawned=tuple(dict.fromkeys(started)),
        hosts=tuple(hosts),
        refused=tuple(refused),
    )


def _is_ground(path: str, scene: Scene) -> bool:
    """Whether a path is of the operating system or scratch: nothing that a description speaks of."""
    if any(_inside(path, tree) for tree in scene.own):
        return True
    if any(_inside(path, root) for root in scene.granted):
        return False
    trees = (*_SYSTEM, *_SCRATCH, scene.home)
    return any(_inside(path, tree) for tree in trees) or path == "/"


def observed_effects(seen: Touched) -> Effects:
    """What the run did, as effects. Facts that were not seen stay unknown: once is not never."""
    return Effects(
        filesystem=Filesystem(
            read=True if seen.reads else None,
            write=True if seen.writes else None,
            delete=True if seen.deletes else None,
        ),
        network=True if seen.hosts or seen.refused else None,
        subprocess=True if seen.spawned else None,
    )


def differences(
    declared: Effects, seen: Touched, *, spawn: Sequence[str] = ()
) -> tuple[Difference, ...]:
    """Every fact in which the description and the run differ, the alarming ones first.

    Args:
        spawn: programs that the description names; starting these is declared.
    """
    others = tuple(path for path in seen.spawned if _name(path) not in spawn)
    seen = seen.replace(spawned=others)
    found = observed_effects(seen)
    shown = {
        "filesystem.read": seen.reads,
        "filesystem.write": seen.writes,
        "filesystem.delete": seen.deletes,
        "network": (*seen.hosts, *seen.refused),
        "subprocess": seen.spawned,
    }
    undeclared: list[Difference] = []
    unused: list[Difference] = []
    for fact in FACTS:
        says, did = fact_of(declared, fact), fact_of(found, fact)
        if did is True and says is not True:
            undeclared.append(
                Difference(fact=fact, kind="undeclared", declared=says, seen=shown[fact][:20])
            )
        elif says is True and did is not True:
            unused.append(Difference(fact=fact, kind="unused", declared=says))
    return (*undeclared, *unused)


def sandbox_block(seen: Touched, scene: Scene, *, tty: bool = False) -> dict[str, object]:
    """An AIP-29 block that allows what was seen. A draft: what did not happen this time is not in it."""
    writes = _entries((*seen.writes, *seen.deletes), scene, folders=True)
    spawn = sorted({_name(path) for path in seen.spawned})
    return {
        "network": {
            "egress": sorted({target.rpartition(":")[0] for target in seen.hosts}),
            "ingress": [],
        },
        "fs": {"read": _entries(seen.reads, scene, folders=False), "write": writes, "deny": []},
        "exec": {"allow": bool(spawn), "spawn": spawn},
        "env": {"pass": [], "set": {}},
        "tty": {"required": tty},
    }


def _entries(paths: Sequence[str], scene: Scene, *, folders: bool) -> list[str]:
    """Paths as patterns: the workspace as a whole, `~` for the home, folders where there are many files."""
    if any(_inside(path, scene.cwd) for path in paths):
        found = {"**/**"}
    else:
        found = set()
    outside = [path for path in paths if not _inside(path, scene.cwd)]
    count: dict[str, int] = {}
    for path in outside:
        parent = _folder(path)
        count[parent] = count.get(parent, 0) + 1
    for path in outside:
        parent = _folder(path)
        whole = folders or count[parent] >= _MANY
        entry = f"{parent}/**" if whole and parent != "/" else path
        found.add("~" + entry[len(scene.home) :] if _inside(entry, scene.home) else entry)
    return sorted(found)


def _inside(path: str, tree: str) -> bool:
    return bool(tree) and (path == tree or path.startswith(tree.rstrip("/") + "/"))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "/"
