"""Variables that a line sets, and their values: collected before anything is resolved.

Flow is not followed: a variable that is set twice has no one value. What a builtin sets by name (`read x`) is added
when its words are resolved; whether a value can only be a number is `numbers`' question.
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell.expansion.numbers import INTEGERS, Numbers, assigns
from atip.calls.shell.tree import Assignment, Piece, ShellNode, Word
from atip.model.text.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DECLARES = frozenset(("declare", "typeset", "local", "export", "readonly"))
_NAME = LazyRegex(r"[A-Za-z_][A-Za-z0-9_]*")
_PREFIXES = frozenset(("command", "builtin"))


_NAME_OPERANDS = {"read": "dinNptu", "mapfile": "dnOsuCc", "readarray": "dnOsuCc"}
"""Builtins whose operands are names of variables, and their options that take a value."""
_NAME_OPTIONS = {"read": "a", "printf": "v", "wait": "p"}
"""Options whose value is the name of a variable."""


def unwrapped(argv: Sequence[str]) -> list[str]:
    """`command read x` and `builtin read x` are `read x`."""
    words = list(argv)
    while words and words[0] in _PREFIXES:
        words.pop(0)
        while words and words[0] in ("-p", "--"):
            words.pop(0)
    return words


def names_set(argv: Sequence[str]) -> list[str]:
    """Variables that a builtin sets or removes by name; empty text for a name that is not known."""
    words = unwrapped(argv)
    command = words[0] if words else ""
    if command == "getopts":
        return [*(_as_name(text) for text in words[2:3]), "OPTARG", "OPTIND"]
    if command == "unset" or command in DECLARES:
        return _names_declared(words)
    names_option = _NAME_OPTIONS.get(command, "")
    valued = _NAME_OPERANDS.get(command, "")
    if not names_option and not valued:
        return []
    names: list[str] = []
    rest = words[1:]
    while rest and rest[0][:1] == "-" and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        for at, letter in enumerate(word[1:], 2):
            if letter in valued + names_option:
                value = word[at:] or (rest.pop(0) if rest else "")
                if letter in names_option:
                    names.append(_as_name(value))
                break
    return names + [_as_name(text) for text in rest] if valued else names


def _names_declared(words: Sequence[str]) -> list[str]:
    """Operands of `unset` (all of them) and of `declare` and its kin (those with a value)."""
    names: list[str] = []
    for word in words[1:]:
        if word[:1] in ("-", "+") and len(word) > 1:
            continue
        name, equals, _value = word.partition("=")
        if equals or words[0] == "unset" or UNKNOWN_TEXT in word or "[" in name:
            names.append(_as_name(name.removesuffix("+")))
    return names


def _as_name(text: str) -> str:
    match = _NAME.match(text)
    return match[0] if match and match[0] == text.partition("[")[0] else ""


class Names(Numbers):
    """All assignments of a line."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[str, list[list[str | None]]] = {}
        """Words of every command, by its name; None: a word that is filled in later."""
        self.defined: dict[str, int] = {}
        self.shifts = False
        """Whether positional parameters are moved or set."""

    def collect(self, nodes: Sequence[ShellNode]) -> None:
        for node in nodes:
            self._node(node)

    def call_values(self, function: str, parameter: str) -> tuple[str, ...] | None:
        """Values of a function's parameter in all its calls; None: unknown."""
        calls = self.calls.get(function, [])
        if not calls or self.shifts or not parameter.isdigit() or parameter == "0":
            return None
        if self.defined.get(function) != 1 or not self.believes:
            return None
        texts = [words[int(parameter)] for words in calls if len(words) > int(parameter)]
        if None in texts or any(char in str(text) for text in texts for char in "*?[{~"):
            return None
        return tuple(str(text) for text in texts)

    def learn(self, names: Iterable[str]) -> None:
        """Names that commands set, known only now that their words are resolved."""
        for name in names:
            if name:
                self._set(name, None)
            else:
                self.believes = False

    def _node(self, node: ShellNode) -> None:
        for part in node.parts:
            self.collect(part)
        for word in node.words:
            self._pieces(word.pieces)
        for redirect in node.redirects:
            self._pieces(redirect.word.pieces)
            if redirect.variable:
                self._set(redirect.variable, None)
        for assignment in node.assignments:
            self._assignment(assignment)
        if node.kind == "for" and node.name:
            for word in node.words:
                self._set(node.name, word)
        elif node.kind == "arguments":
            self._set(node.name, None)
        elif node.kind == "function":
            self.functions.add(node.name)
            self.defined[node.name] = self.defined.get(node.name, 0) + 1
        elif node.kind == "simple" and node.words:
            self._simple(node)

    def _assignment(self, assignment: Assignment) -> None:
        self._pieces(assignment.word.pieces)
        self._pieces(assignment.subscript)
        for word in assignment.array or ():
            self._pieces(word.pieces)
        words = assignment.array if assignment.array is not None else [assignment.word]
        if assignment.append or assignment.subscript:
            # no one value any more, but perhaps still a number
            self.added.setdefault(assignment.name, []).extend(words)
            return
        for word in words:
            self._set(assignment.name, word)

    def _simple(self, node: ShellNode) -> None:
        words = unwrapped([word.static or "" for word in node.words])
        command = words[0] if words else ""
        self.calls.setdefault(command, []).append([word.static for word in node.words])
        if command in ("set", "shift"):
            self.shifts = True
        if command in ("eval", "source", "."):
            self.believes = False
        elif command in DECLARES:
            self._declared(node, words[1:])

    def _declared(self, node: ShellNode, words: Sequence[str]) -> None:
        options = "".join(word for word in words if word[:1] == "-")
        names = [
            _as_name(word.partition("=")[0]) for word in words if word[:1] not in ("-", "+", "")
        ]
        names += [assignment.name for assignment in node.assignments]
        if "i" in options:
            self.integers.update(names)

    def _pieces(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            self.collect(piece.script)
            self._pieces(piece.nested)
            if piece.kind == "variable" and piece.op == ":=":
                self.added.setdefault(piece.name, []).append(Word(list(piece.nested), ""))
                self._set(piece.name, None)
            elif piece.kind == "arithmetic" and assigns(piece.text):
                # `((i=i+1))`: a number, but not one that we know
                for name in piece.name.split():
                    if name in self.sources or name in INTEGERS:
                        self._set(name, Word([piece], ""))

    def _set(self, name: str, word: Word | None) -> None:
        self._numbers = None
        self.sources.setdefault(name, []).append(word)
