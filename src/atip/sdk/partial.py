"""A part of a metadata document that says of itself that it is a part (ATIP 0.6 §3.1.1).

The author's side of partial discovery: plain dicts, standard library. Counts are of leaves (A40); what
may be assumed of omitted commands is computed from their effects, and silence is never safety (A41).
Agrees with this package's own view of the same document, which a test compares.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Document = dict[str, Any]
    Path = tuple[str, ...]


class UnknownCommand(ValueError):
    """A command was asked for that the tool does not have."""


def part_of(document: Document, commands: Sequence[str] = (), depth: int | None = None) -> Document:
    """The part that was asked for; the document itself when nothing was.

    `commands` takes `pr`, `pr.create`, `pr create` and lists `a,b` of these. `depth` counts levels
    from the root; a command asked for by name is kept however deep it lies.

    Raises:
        UnknownCommand: naming what was probably meant.
        ValueError: for a depth below 1.
    """
    if depth is not None and depth < 1:
        raise ValueError("--depth needs a number of 1 or more")
    paths = _resolve(document, commands)
    if not paths and depth is None:
        return document
    cut = _PartialWalk(document, paths, depth)
    selection, _here = cut.level(document.get("commands") or {}, ())
    part = dict(document)
    if cut.reasons:
        part["commands"] = selection
    names = [" ".join(path) or document["name"] for path in paths]
    part.update(
        partial=True,
        filter={**({"commands": names} if names else {}), "depth": depth},
        totalCommands=_count(document),
        includedCommands=_count(part),
        omitted={
            "reason": cut.reason or ("filtered" if paths else "depth-limited"),
            "safetyAssumption": _assumption(cut.effects),
        },
    )
    return part


class _PartialWalk:
    """One walk down the tree: what stays, what was left out, and why."""

    def __init__(self, document: Document, paths: tuple[Path, ...], depth: int | None) -> None:
        self.document = document
        self.named = set(paths)
        self.above = {path[:n] for path in paths for n in range(len(path))}
        self.depth = depth
        self.reasons: set[str] = set()
        self.effects: list[_Sources] = []

    @property
    def reason(self) -> str:
        return next((each for each in ("filtered", "depth-limited") if each in self.reasons), "")

    def level(
        self, commands: Document, path: Path, *, inside: bool = False
    ) -> tuple[Document, int]:
        """Commands of one level that stay, and how many leaves were left out right here."""
        selection: Document = {}
        here = 0
        for name, command in commands.items():
            below = (*path, name)
            reason = self._why_not(below, inside)
            if reason:
                self.reasons.add(reason)
                here += self._leave_out(below, command)
                continue
            children = command.get("commands")
            if children:
                inner, omitted = self.level(children, below, inside=inside or below in self.named)
                command = {**command, "commands": inner}
                if not inner:
                    del command["commands"]
                if omitted:
                    command["x-atip"] = {**command.get("x-atip", {}), "omittedCommands": omitted}
            selection[name] = command
        return selection, here

    def _why_not(self, path: Path, inside: bool) -> str:
        if path in self.named or path in self.above:
            return ""
        if self.named and not inside:
            return "filtered"
        return "depth-limited" if self.depth is not None and len(path) > self.depth else ""

    def _leave_out(self, path: Path, command: Document) -> int:
        leaves = 0
        for below, each in _subtree(path, command):
            is_leaf = not each.get("commands")
            leaves += is_leaf
            if is_leaf or _is_runnable(each):
                self.effects.append(_sources(self.document, below))
        return leaves


class _Sources:
    """All that speaks of one command: the tool, its groups and itself (`said`), its flags (`added`)."""

    def __init__(self, effects: list[Document], added: list[Document]) -> None:
        self.declared = effects
        self.added = added

    def fact(self, *path: str) -> bool | None:
        """Danger wins; a flag can only add; not declared: unknown."""
        if any(_get(each, path) is True for each in (*self.declared, *self.added)):
            return True
        return False if any(_get(each, path) is False for each in self.declared) else None

    def names(self, field: str) -> bool:
        return any(each.get(field) for each in (*self.declared, *self.added))

    @property
    def is_destructive(self) -> bool:
        lost = self.fact("destructive") or self.fact("filesystem", "delete")
        return bool(lost) or self.names("deletes")

    @property
    def is_harmless(self) -> bool:
        """Explicitly without network, writes and destruction; nothing said that costs or starts."""
        denied = (("network",), ("filesystem", "write"), ("destructive",))
        quiet = (("filesystem", "delete"), ("subprocess",), ("cost", "billable"))
        return (
            all(self.fact(*path) is False for path in denied)
            and not any(self.fact(*path) for path in quiet)
            and not any(self.names(field) for field in ("deletes", "creates", "modifies"))
        )


def _sources(document: Document, path: Path) -> _Sources:
    effects = [document.get("effects") or {}]
    commands = document.get("commands") or {}
    command: Document = {}
    for name in path:
        command = commands[name]
        effects.append(command.get("effects") or {})
        commands = command.get("commands") or {}
    options = (*(command.get("options") or ()), *(document.get("globalOptions") or ()))
    return _Sources(effects, [_get(option, ("x-atip", "effects")) or {} for option in options])


def _assumption(omitted: list[_Sources]) -> str:
    if any(each.is_destructive for each in omitted):
        return "known-unsafe"
    # SECURITY: one omitted command with an unstated fact, and an agent has to ask.
    return "known-safe" if omitted and all(each.is_harmless for each in omitted) else "unknown"


def _get(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _is_runnable(group: Document) -> bool:
    """A group that says something of itself may be run itself."""
    facts = (group.get("effects") or {}).values()
    says = any(value is not None and value != {} for value in facts)
    return says or bool(group.get("arguments")) or bool(group.get("options"))


def _count(document: Document) -> int:
    tree = {"commands": document.get("commands")}
    stub = "omittedCommands"
    return sum(
        not each.get("commands") and not _get(each, ("x-atip", stub))
        for path, each in _subtree((), tree)
        if path
    )


def _subtree(path: Path, command: Document) -> Iterator[tuple[Path, Document]]:
    stack = [(path, command)]
    while stack:
        here, each = stack.pop()
        yield here, each
        stack.extend(((*here, name), child) for name, child in (each.get("commands") or {}).items())


def _resolve(document: Document, names: Sequence[str]) -> tuple[Path, ...]:
    paths: dict[Path, None] = {}
    for name in names:
        whole = _find(document, name)
        for path in [whole] if whole else [_find(document, each) for each in _split(name)]:
            if path is None:
                top = ", ".join(document.get("commands") or {})
                hint = f"commands: {top[:400]}" if top else "it has no commands"
                raise UnknownCommand(f"no command `{name[:80]}`; {hint}")
            paths[path] = None
    return tuple(paths)


def _split(name: str) -> list[str]:
    return [part for part in name.split(",") if part.strip()]


def _find(document: Document, text: str) -> Path | None:
    words = text.split()
    commands = document.get("commands") or {}
    if words[:1] == [document["name"]] and document["name"] not in commands:
        words = words[1:]
        if not words:
            return ("",) if "" in commands else None
    path: Path = ()
    for word in words:
        step = _step(commands, word)
        if step is None:
            return None
        path += step
        for name in step:
            commands = commands[name].get("commands") or {}
    return path or None


def _step(commands: Document, word: str) -> Path | None:
    """The names that one word stands for: a name, an alias, or names joined by dots."""
    exact = _find_name(commands, word)
    if exact is not None:
        return (exact,)
    end = word.rfind(".")
    while end > 0:
        head = _find_name(commands, word[:end])
        if head is not None:
            rest = _step(commands[head].get("commands") or {}, word[end + 1 :])
            if rest is not None:
                return (head, *rest)
        end = word.rfind(".", 0, end)
    return None


def _find_name(commands: Document, word: str) -> str | None:
    if word in commands:
        return word or None
    return next((n for n, each in commands.items() if word in (each.get("aliases") or ())), None)
