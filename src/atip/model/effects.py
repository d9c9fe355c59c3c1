"""Effects: what a command does to the world, each fact true, false or unknown.

`None` is unknown, and unknown is never safe. Facts come in two kinds: *dangers* (network,
writes, destruction …), where true is the alarming value, and *assurances* (idempotent,
reversible), where false is. `join` merges what two sources say of the same thing: danger wins,
silence changes nothing. `raised_by` applies a flag: it may only make an invocation more
dangerous. Implements ATIP 0.6 §3.6 and RESOLUTIONS A42.
"""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Fact = bool | None

NO_EXTRA: Mapping[str, object] = {}

STDIN_LEVELS = ("none", "optional", "required", "password")
"""From harmless to demanding; the join takes the later one."""

COST_LEVELS = ("free", "low", "medium", "high", "variable")
"""`none` is read as `free`; `variable` counts as the highest (A8)."""


def or_fact(left: Fact, right: Fact) -> Fact:
    """Join of a danger: true wins, then false; unknown only if neither side knows."""
    if left or right:
        return True
    return left if right is None else right


def and_fact(left: Fact, right: Fact) -> Fact:
    """Join of an assurance: false wins, then true."""
    if left is False or right is False:
        return False
    return left if right is None else right


def raise_danger(base: Fact, flag: Fact) -> Fact:
    """A flag's danger: only true counts, so that silence or a denial cannot calm a command."""
    return True if flag else base


def raise_assurance(base: Fact, flag: Fact) -> Fact:
    """A flag's assurance: only false counts."""
    return False if flag is False else base


class Filesystem(Value):
    """Files that are read, written and deleted. `paths` empty means not stated, not "nothing"."""

    read: bool | None = None
    write: bool | None = None
    delete: bool | None = None
    paths: tuple[str, ...] | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Interactive(Value):
    """Input expected from the user: standard input, prompts, a terminal."""

    stdin: str | None = None
    prompts: bool | None = None
    tty: bool | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Cost(Value):
    """Money. `estimate` is one of COST_LEVELS as written in the document."""

    estimate: str | None = None
    billable: bool | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Duration(Value):
    """Time, as written: `1-5s`, `instant`. See `model/text/durations.py` for the values in seconds."""

    typical: str | None = None
    timeout: str | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Effects(Value):
    """All facts about what a tool, a command or an invocation does. Absent facts are unknown."""

    filesystem: Filesystem = Filesystem()
    network: bool | None = None
    subprocess: bool | None = None
    idempotent: bool | None = None
    reversible: bool | None = None
    destructive: bool | None = None
    creates: tuple[str, ...] | None = None
    modifies: tuple[str, ...] | None = None
    deletes: tuple[str, ...] | None = None
    interactive: Interactive = Interactive()
    cost: Cost = Cost()
    duration: Duration = Duration()
    extra: Mapping[str, object] = NO_EXTRA

    @property
    def is_read_only(self) -> bool:
        """Explicitly without network and writes, and nothing said of loss or change (A29)."""
        files = self.filesystem
        return (
            self.network is False
            and files.write is False
            and not (files.delete or self.destructive or self.reversible is False)
            and not (self.creates or self.modifies or self.deletes)
        )


UNKNOWN = Effects()
"""Nothing known. Policy treats this as the worst case."""


def join(left: Effects, right: Effects) -> Effects:
    """Facts of two sources about one command, combined. Associative, commutative, idempotent
    on facts; for texts without an order (durations, extra fields) the left source is kept."""
    return _merge(left, right, or_fact, and_fact)


def raised_by(base: Effects, flag: Effects) -> Effects:
    """Effects of an invocation that carries a flag with effects of its own (safety rule 1)."""
    return _merge(base, flag, raise_danger, raise_assurance)


def union_of_steps(first: Effects, second: Effects) -> Effects:
    """Effects of doing both: a danger is excluded only if *both* exclude it.

    Differs from `join`: there two sources describe one command; here an unknown step makes the
    whole unknown.
    """
    return _merge(first, second, _either, _both)


def _either(left: Fact, right: Fact) -> Fact:
    if left or right:
        return True
    return False if left is False and right is False else None


def _both(left: Fact, right: Fact) -> Fact:
    if left is False or right is False:
        return False
    return True if left and right else None


def _merge(
    left: Effects,
    right: Effects,
    danger: Callable[[Fact, Fact], Fact],
    assurance: Callable[[Fact, Fact], Fact],
) -> Effects:
    lf, rf = left.filesystem, right.filesystem
    li, ri = left.interactive, right.interactive
    lc, rc = left.cost, right.cost
    ld, rd = left.duration, right.duration
    return Effects(
        filesystem=Filesystem(
            read=danger(lf.read, rf.read),
            write=danger(lf.write, rf.write),
            delete=danger(lf.delete, rf.delete),
            paths=_union(lf.paths, rf.paths),
            extra=_extra(lf.extra, rf.extra),
        ),
        network=danger(left.network, right.network),
        subprocess=danger(left.subprocess, right.subprocess),
        idempotent=assurance(left.idempotent, right.idempotent),
        reversible=assurance(left.reversible, right.reversible),
        destructive=danger(left.destructive, right.destructive),
        creates=_union(left.creates, right.creates),
        modifies=_union(left.modifies, right.modifies),
        deletes=_union(left.deletes, right.deletes),
        interactive=Interactive(
            stdin=_highest(STDIN_LEVELS, li.stdin, ri.stdin),
            prompts=danger(li.prompts, ri.prompts),
            tty=danger(li.tty, ri.tty),
            extra=_extra(li.extra, ri.extra),
        ),
        cost=Cost(
            estimate=_highest(COST_LEVELS, lc.estimate, rc.estimate),
            billable=danger(lc.billable, rc.billable),
            extra=_extra(lc.extra, rc.extra),
        ),
        duration=Duration(
            typical=ld.typical or rd.typical,
            timeout=ld.timeout or rd.timeout,
            extra=_extra(ld.extra, rd.extra),
        ),
        extra=_extra(left.extra, right.extra),
    )


def _union(left: tuple[str, ...] | None, right: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if not right:
        return left if left is not None else right
    if not left:
        return right
    return tuple(sorted({*left, *right}))


def _highest(levels: tuple[str, ...], left: str | None, right: str | None) -> str | None:
    """The more demanding of two levels; an unknown word counts as the highest."""
    if left is None or right is None:
        return right if left is None else left
    rank = {level: index for index, level in enumerate(levels)}
    rank["none"] = rank.get("none", 0)
    unknown = len(levels)
    return max((left, right), key=lambda word: (rank.get(word, unknown), word))


def _extra(left: Mapping[str, object], right: Mapping[str, object]) -> Mapping[str, object]:
    if not left or not right:
        return left or right
    return {**right, **left}
