"""Tables: how one command of a tool reads its words – flags, children, style – merged with its parents'.

Built from any `Tool`; vendor fields (`x-atip`) refine the reading where they exist. `CommandTable.option`
resolves one flag, `CommandTable.child` one command word, both the way the program itself would.
"""

from __future__ import annotations

from atip.knowledge.reading import CURATED, LazyCommands, options_from, shared_command
from atip.model.tool import Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from atip.model.tool import Tool

NUMBER = "-#"
"""Table entry for any `-NUMBER`."""
MAX_BUILT = 256
_built: dict[int, tuple[dict[str, Any], tuple[Option, ...]]] = {}


class CommandTable:
    """Flags and children of a command while its words are read. Not a Value: it lives for one parse."""

    __slots__ = ("abbreviate", "at_root", "bare", "commands", "curated", "deep", "flags", "globs", "operands", "own", "rest",
                 "runs", "style", "without_bare")  # fmt: skip

    def __init__(self, tool: Tool) -> None:
        own = tool.own
        self.own: Mapping[str, Any] = own
        self.at_root = True
        self.style = str(own.get("style", "gnu"))
        self.curated = own.get("curated") is CURATED
        self.abbreviate = own.get("abbreviate") is True
        self.rest = own.get("rest") == "harmless"
        self.flags: dict[str, Option] = {}
        self.deep: list[Mapping[str, Any]] = []
        self._also(own)
        self._add(tool.global_options)
        self._add(tool.options)
        self._enter(own, tool.commands)

    def _enter(self, own: Mapping[str, Any], commands: Mapping[str, Command] | None) -> None:
        self.commands: Mapping[str, Command] = commands or {}
        # SECURITY: `globs` and `deep` of a foreign document are not read; they could hide a command
        self.globs: Mapping[str, Any] = own.get("globs") or {} if self.curated else {}
        if self.curated and own.get("deep"):
            self.deep.append(own["deep"])
        self.operands = own.get("operands") is True
        self.bare = self.commands.get("")
        self.without_bare = self.flags
        if self.bare is not None:
            # the `""` command is the group itself when no other command is named (A11)
            self.flags = dict(self.flags)
            self._add(self.bare.options)
            self.operands = self.operands or bool(self.bare.arguments)
        self.runs = own.get("runs")

    def _also(self, own: Mapping[str, Any]) -> None:
        """Options that knowledge has and the tool's own description does not show."""
        if self.curated and "also" in own:
            self._add(_options_of(own["also"]))

    def _add(self, options: tuple[Option, ...] | None) -> None:
        for option in options or ():
            for flag in option.flags:
                self.flags[flag] = option

    def descend(self, tool: Tool, command: Command) -> None:
        """Enter a command: its flags come before its parents' of the same spelling."""
        self.flags = self.without_bare
        if self.at_root:
            self.at_root = False
            # options of the bare tool do not belong to its commands; global ones do
            self.flags = {}
            if self.own.get("globals") != "before":
                self._also(self.own)
            self._add(tool.global_options)
        own = command.own
        self.own = own
        self.style = str(own.get("style", self.style))
        self.rest = self.rest or own.get("rest") == "harmless"
        self._also(own)
        self._add(command.options)
        self._enter(own, command.commands)
        if not (self.commands or self.globs or own.get("deep")):
            # SECURITY: operands follow a complete command: `projects delete list` does not list.
            self.deep = []

    @property
    def expects_command(self) -> bool:
        return bool(self.commands or self.globs or self.deep)

    def child(self, word: str) -> tuple[str, Command] | None:
        """The command that `word` calls here: by name, alias, then glob."""
        if not word:
            return None
        if word in self.commands:
            return word, self.commands[word]
        if isinstance(self.commands, LazyCommands):
            name = self.commands.find_name(word)
            if name is not None:
                return name, self.commands[name]
        else:
            for name, command in self.commands.items():
                if word in (command.aliases or ()):
                    return name, command
        for glob, node in self.globs.items():
            if matches_glob(glob, word) or word in node.get("aliases", ()):
                return glob if "*" not in glob else word, shared_command(node)
        return None

    def deep_child(self, words: list[str]) -> tuple[int, Command] | None:
        """`** delete`: the first word that a deep table knows, if all before it are plain names."""
        for table in reversed(self.deep):
            for index, word in enumerate(words):
                if not _is_plain(word):
                    break
                for glob, node in table.items():
                    if matches_glob(glob, word):
                        return index, shared_command(node)
        return None

    def option(self, flag: str) -> Option | None:
        """Exact spelling, a number, or (where the parser allows it) a unique prefix."""
        option = self.flags.get(flag)
        if option is not None:
            return option
        if flag[1:].isdigit() and NUMBER in self.flags:
            return self.flags[NUMBER]
        if flag.startswith("--") and len(flag) > 4:
            matches = {id(o): o for name, o in self.flags.items() if name.startswith(flag)}
            if len(matches) == 1:
                option = next(iter(matches.values()))
                if self.abbreviate or _only_raises(option):
                    return option
        return None


def _options_of(node: dict[str, Any]) -> tuple[Option, ...]:
    """Options of a table. A program with thousands of commands needs those of its root once for each of them."""
    entry = _built.get(id(node))
    # The entry holds the node, so its id belongs to no other while the entry exists.
    if entry is None:
        if len(_built) >= MAX_BUILT:
            _built.clear()
        entry = _built[id(node)] = (node, options_from(node))
    return entry[1]


def _only_raises(option: Option) -> bool:
    """SECURITY: whether to read a prefix as the flag even if the parser is not known to allow it.
    `--forc` must not pass as an unknown harmless flag; a mode or a value must not be guessed."""
    own = option.own
    lowers = "profile" in own or "dryRun" in own or "answers" in own
    return not lowers and not takes_value(option) and ("effects" in own or "maybe" in own)


def takes_value(option: Option) -> bool:
    """Whether the next word belongs to the option."""
    return option.takes_value and option.own.get("optionalValue") is not True


def matches_glob(glob: str, word: str) -> bool:
    """`*` in a command name; linear, no other wildcard."""
    if "*" not in glob:
        return glob == word
    head, _, rest = glob.partition("*")
    if not word.startswith(head):
        return False
    word = word[len(head) :]
    parts = rest.split("*")
    tail = parts.pop()
    for part in parts:
        at = word.find(part)
        if at < 0:
            return False
        word = word[at + len(part) :]
    return word.endswith(tail)


def _is_plain(word: str) -> bool:
    return word.replace("-", "").replace("_", "").replace(":", "").isalnum()
