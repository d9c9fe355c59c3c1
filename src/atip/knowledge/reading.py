"""Load one tool from the pack, without a YAML parser and without building what is not looked at.

`load("git")` reads one small JSON file; commands become values when they are asked for. The result
is an ordinary `Tool` whose options and commands carry our vendor block `x-atip`, so that one parser and
one effects engine serve native, inferred and curated tools. Reading package data is not I/O in the
sense of the import table.
"""

from __future__ import annotations

import os
from _collections_abc import Mapping  # `collections` itself costs the guard 2 ms

from atip.knowledge.words import as_effects, profile, raises
from atip.model.effects import NO_EXTRA
from atip.model.reading.plain_json import loads
from atip.model.tool import (
    Authentication,
    AuthenticationMethod,
    Command,
    Option,
    Pattern,
    PatternStep,
    Tool,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Node = dict[str, Any]

_PACK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pack")
_loaded: dict[str, Tool | None] = {}
_aliases: dict[str, str] = {}
_shared: dict[int, tuple[Node, Command]] = {}
"""By identity; a node is kept with its command, so that no other gets its number."""
_MAX_SHARED = 2_000


class _Mark(str):
    """A text that only this module can make: compared by identity, never by value."""

    __slots__ = ()


CURATED = _Mark("knowledge")
"""`tool.own["curated"] is CURATED`: the facts come from the pack. SECURITY: only such tools may *lower*
effects (modes, dry runs); a document that says `"curated": "knowledge"` has another object there."""

_MANY = 3
"""Other names from which on an entry is about a group of programs: `true` is also about `seq` and `sleep`."""

_set = object.__setattr__
_PLAIN_FIELDS = tuple(Option._defaults.items())  # type: ignore[attr-defined]

_APART: Mapping[str, object] = {"x-atip": {"join": "space"}}
"""Of an option whose value is a word of its own (`-name x`), never joined with `=`."""

_NODE_OWN = (
    "when", "runs", "wraps", "rest", "operands", "style", "globals", "abbreviate", "output",
)  # fmt: skip


def load(name: str) -> Tool | None:
    """The curated tool for an executable's name (or an alias of it); None if we know nothing."""
    if name in _loaded:
        return _loaded[name]
    node = _read_node(name)
    if node is None:
        alias = _alias(name)
        node = _read_node(alias) if alias else None
    tool = _tool(node, name) if node else None
    if len(_loaded) < 4096:
        _loaded[name] = tool
    return tool


def is_main_name(name: str) -> bool:
    """Whether an entry bears this very name; False for the other names of an entry, and for unknown ones."""
    return _read_node(name) is not None


def is_group(name: str) -> bool:
    """Whether the entry of a name is about several programs, so that its words need not fit this one."""
    _alias("")
    return not is_main_name(name) or sum(main == name for main in _aliases.values()) >= _MANY


def names() -> tuple[str, ...]:
    """Every curated tool, without aliases."""
    stems = (n.removesuffix(".json") for n in os.listdir(_PACK) if n.endswith(".json"))
    return tuple(sorted(n for n in stems if n != "aliases"))


def aliases() -> tuple[str, ...]:
    """Every other name that an entry has, patterns (`python*`) left out."""
    _alias("")
    return tuple(sorted(name for name in _aliases if "*" not in name))


def _alias(name: str) -> str | None:
    if not _aliases:
        with open(os.path.join(_PACK, "aliases.json"), "rb") as file:
            _aliases.update(loads(file.read().decode()))
    # `python3.12` is described as `python*`: only numbers stand for the star.
    bare = name.rstrip("0123456789.")
    return _aliases.get(name) or (_aliases.get(f"{bare}*") if bare != name else None)


def _read_node(name: str) -> Node | None:
    # SECURITY: the name comes from a command line; it must not leave the pack's directory
    if "/" in name or "\0" in name or name.startswith(".") or name in ("", "aliases"):
        return None
    try:
        with open(os.path.join(_PACK, name + ".json"), "rb") as file:
            node = loads(file.read().decode())
    except (OSError, ValueError):
        # ValueError: a surrogate or NUL in the name; the pack itself is checked by a test
        return None
    return node if isinstance(node, dict) else None


class LazyCommands(Mapping[str, Command]):
    """Commands that become values on access; compares equal to a dict of the same commands."""

    __slots__ = ("_commands", "_names", "_nodes")

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self._nodes = nodes
        self._commands: dict[str, Command] = {}
        self._names: dict[str, str] | None = None
        """By alias; filled on the first word that is not a name."""

    def __getitem__(self, name: str) -> Command:
        command = self._commands.get(name)
        if command is None:
            command = self._commands[name] = command_from(self._nodes[name])
        return command

    def __contains__(self, name: object) -> bool:
        return name in self._nodes

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The pack's own form."""
        return self._nodes

    def with_commands(self, commands: Mapping[str, Command]) -> LazyCommands:
        """The same commands with some of them replaced or added."""
        copy = LazyCommands(
            {**self._nodes, **{name: self._nodes.get(name, {}) for name in commands}}
        )
        copy._commands = {**self._commands, **commands}
        return copy

    def find_name(self, word: str) -> str | None:
        """The command that `word` calls, by name or alias, without building any of them."""
        if word in self._nodes:
            return word
        if self._names is None:
            self._names = {}
            for name, node in self._nodes.items():
                for alias in node.get("aliases", ()):
                    self._names.setdefault(alias, name)
        return self._names.get(word)


def shared_command(node: Node) -> Command:
    """`command_from`, built once for a node that stands for many commands (`delete-*`)."""
    kept = _shared.get(id(node))
    if kept is None or kept[0] is not node:
        if len(_shared) >= _MAX_SHARED:
            _shared.clear()
        kept = _shared[id(node)] = node, command_from(node)
    return kept[1]


def command_from(node: Node) -> Command:
    """One command of the pack. A group without `does` prints help: it does nothing."""
    return Command(
        description=node.get("summary", ""),
        commands=LazyCommands(node["commands"]) if "commands" in node else None,
        options=options_from(node),
        effects=as_effects(profile(node.get("does", "nothing"))),
        aliases=tuple(node["aliases"]) if "aliases" in node else None,
        extra={"x-atip": _own(node)},
    )


def options_from(node: Node) -> tuple[Option, ...]:
    """Options that matter first, then those that only must be parsed."""
    apart = node.get("join") == "space"
    options = [_option(spec, apart=apart) for spec in node.get("options", ())]
    for key, kind in (("values", "string"), ("flags", "boolean")):
        for group in node.get(key, "").split():
            flags = tuple(group.split(","))
            options.append(_plain(flags, kind, _APART if apart and kind == "string" else NO_EXTRA))
    return tuple(options)


def _plain(flags: tuple[str, ...], kind: str, extra: Mapping[str, object]) -> Option:
    """An option that only must be parsed. Fills the slots directly: some tools have hundreds, and the
    general constructor would take a third of the time that one lookup may cost."""
    option = Option.__new__(Option)
    for field, value in _PLAIN_FIELDS:
        _set(option, field, value)
    _set(option, "name", _name(flags))
    _set(option, "flags", flags)
    _set(option, "type", kind)
    _set(option, "extra", extra)
    return option


def _option(spec: Node, *, apart: bool = False) -> Option:
    own: dict[str, Any] = dict(spec.get("own", ()))
    if "adds" in spec:
        facts, maybe = raises(spec["adds"])
        if facts:
            own["effects"] = facts
        if maybe:
            own["maybe"] = maybe
    for key, to in (("does", "profile"), ("dry_run", "dryRun"), ("answers", "answers"),
                    ("always", "always"), ("runs", "runs")):  # fmt: skip
        if key in spec:
            own[to] = spec[key]
    value = spec.get("value", False)
    if value in ("optional", "joined"):
        own["optionalValue"] = True
    if value and (apart or spec.get("join") == "space"):
        own["join"] = "space"
    flags = tuple(spec["flags"])
    return Option(
        name=_name(flags),
        flags=flags,
        type="string" if value else "boolean",
        description=spec.get("summary", ""),
        extra={"x-atip": own} if own else {},
    )


def _name(flags: tuple[str, ...]) -> str:
    return max(flags, key=len).strip("-=+") or flags[0]


def _own(node: Node) -> dict[str, Any]:
    own = {key: node[key] for key in _NODE_OWN if key in node}
    # shelves stay in the pack's form, so that a tool can always be written as JSON
    for shelf in ("globs", "deep"):
        if shelf in node:
            own[shelf] = node[shelf]
    return own


def _tool(node: Node, name: str) -> Tool:
    own = _own(node)
    own["curated"] = CURATED
    for key in ("help", "category", "aliases", "sandbox", "text", "language", "starts"):
        if key in node:
            own[key] = node[key]
    if "intents" in node:
        own["intents"] = intents_of(node["intents"], name)
    options = options_from(node)
    before = node.get("globals") == "before"
    return Tool(
        name=name,
        description=node.get("summary", ""),
        homepage=node.get("homepage"),
        commands=LazyCommands(node["commands"]) if "commands" in node else None,
        options=options if before else None,
        global_options=None if before else options,
        authentication=_authentication(node.get("authentication")),
        effects=as_effects(profile(node.get("does", "nothing"))),
        patterns=_patterns(node.get("patterns")),
        extra={"x-atip": own},
    )


def intents_of(intents: Mapping[str, list[str]], name: str) -> dict[str, list[str]]:
    """Phrases by command path for one of the names that a file describes; `@name` tells those of a name alone."""
    shared = {path: phrases for path, phrases in intents.items() if path[:1] != "@"}
    own = intents.get(f"@{name}")
    return shared if own is None else {**shared, "": [*shared.get("", ()), *own]}


def _authentication(node: Node | None) -> Authentication | None:
    if not node:
        return None
    methods = [AuthenticationMethod(type="token", env_var=v) for v in node.get("env", ())]
    if "login" in node:
        # The one kind of §3.8 that has a command to log in with.
        methods.append(AuthenticationMethod(type="oauth", setup_command=node["login"]))
    return Authentication(
        required=node.get("required"),
        methods=tuple(methods) or None,
        check_command=node.get("check"),
    )


def _patterns(nodes: list[Node] | None) -> tuple[Pattern, ...] | None:
    if not nodes:
        return None
    return tuple(
        Pattern(
            name=p["name"],
            description=p.get("description", ""),
            steps=tuple(PatternStep(command=step) for step in p.get("steps", ())),
            tags=tuple(p["tags"]) if "tags" in p else None,
        )
        for p in nodes
    )
