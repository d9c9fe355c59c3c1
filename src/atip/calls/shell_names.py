"""Which variables a line sets, and to what: collected before anything is resolved.

Flow is not followed: a variable that is set twice has no one value. Numbers matter because arithmetic
runs code hidden in a value (`x='a[$(cmd)]'; echo $((x))`).
"""

from __future__ import annotations

import re

from atip.calls.shell_tree import Node, Piece, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

READS = frozenset(
    "read mapfile readarray getopts unset wait let local declare typeset readonly export".split()  # noqa: SIM905
)
NUMERIC = frozenset("wc nproc date expr id cksum".split())  # noqa: SIM905
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"-?[0-9]*\Z")


_NAME_OPERANDS = {"read": "dinNptu", "mapfile": "dnOsuCc", "readarray": "dnOsuCc"}
"""Builtins whose operands are names of variables, and their options that take a value."""
_NAME_OPTIONS = {"read": "a", "printf": "v", "wait": "p"}
"""Options whose value is the name of a variable."""


def names_set(argv: Sequence[str]) -> list[str]:
    """Variables that a builtin sets by name; empty text for a name that is not known."""
    command = argv[0] if argv else ""
    if command == "getopts":
        return [_as_name(text) for text in argv[2:3]]
    names_option = _NAME_OPTIONS.get(command, "")
    valued = _NAME_OPERANDS.get(command, "")
    if not names_option and not valued:
        return []
    found: list[str] = []
    rest = list(argv[1:])
    while rest and rest[0][:1] == "-" and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        for at, letter in enumerate(word[1:], 2):
            if letter in valued + names_option:
                value = word[at:] or (rest.pop(0) if rest else "")
                if letter in names_option:
                    found.append(_as_name(value))
                break
    return found + [_as_name(text) for text in rest] if valued else found


def _as_name(text: str) -> str:
    found = _NAME.match(text)
    return found[0] if found and found[0] == text.partition("[")[0] else ""


class Names:
    """Everything assigned anywhere in a line."""

    def __init__(self) -> None:
        self.sources: dict[str, list[Word | None]] = {}
        """Words that are assigned; None: a value that no word holds (`read`, `printf -v`)."""
        self.tables: set[str] = set()
        """Associative arrays: their keys are text, not arithmetic."""
        self.functions: set[str] = set()

    def collect(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self._node(node)

    def _node(self, node: Node) -> None:
        for part in node.parts:
            self.collect(part)
        for word in node.words:
            self._pieces(word.pieces)
        for redirect in node.redirects:
            self._pieces(redirect.word.pieces)
        for assignment in node.assignments:
            self._pieces(assignment.word.pieces)
            self._pieces(assignment.subscript)
            for word in assignment.array or ():
                self._pieces(word.pieces)
            if assignment.append or assignment.subscript:
                self._set(assignment.name, None)
            elif assignment.array is not None:
                for word in assignment.array:
                    self._set(assignment.name, word)
            else:
                self._set(assignment.name, assignment.word)
        if node.kind == "for" and node.name:
            for word in node.words:
                self._set(node.name, word)
        elif node.kind == "arguments":
            self._set(node.name, None)
        elif node.kind == "function":
            self.functions.add(node.name)
        elif node.kind == "simple" and node.words:
            self._simple(node)

    def _simple(self, node: Node) -> None:
        command = node.words[0].literal
        texts = [word.literal or "" for word in node.words[1:]]
        if command == "printf" and "-v" in texts[:1]:
            self._set(texts[1] if len(texts) > 1 else "", None)
        elif command in READS:
            if any(text.startswith("-") and "A" in text for text in texts):
                self.tables.update(text for text in texts if _NAME.fullmatch(text))
                self.tables.update(each.name for each in node.assignments)
                return
            for text in texts:
                found = _NAME.match(text)
                if found and (command != "export" or found[0] == text):
                    self._set(found[0], None)

    def _pieces(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            self.collect(piece.script)
            self._pieces(piece.nested)
            if piece.kind == "variable" and piece.op == ":=":
                self._set(piece.name, None)
            elif piece.kind == "arithmetic" and "=" in piece.text:
                # `((i=i+1))`: a number, but not one that we know
                for name in piece.name.split():
                    if name in self.sources:
                        self._set(name, Word([piece], ""))

    def _set(self, name: str, word: Word | None) -> None:
        self.sources.setdefault(name, []).append(word)

    def is_number(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a variable can only hold a number; one of the environment is believed to."""
        if name in seen:
            return True
        return all(
            word is not None and self.holds_number(word.pieces, seen | {name})
            for word in self.sources.get(name, ())
        )

    def holds_number(self, pieces: Sequence[Piece], seen: frozenset[str] = frozenset()) -> bool:
        return all(self._numeric(piece, seen) for piece in pieces)

    def _numeric(self, piece: Piece, seen: frozenset[str]) -> bool:
        if piece.kind == "text":
            text = piece.text
            return bool(_NUMBER.match(text)) or bool(re.fullmatch(r"\{\d+\.\.\d+\}", text))
        if piece.kind == "arithmetic":
            return True  # judged where it stands
        if piece.kind == "variable":
            if piece.op in ("length", "names") or not piece.name.isidentifier():
                return piece.op != "indirect" and piece.name not in ("@", "*")
            return piece.op in ("", ":-", "item") and self.is_number(piece.name, seen)
        if piece.kind == "output" and piece.script:
            last = piece.script[-1]
            while last.kind == "pipeline":
                last = last.parts[-1][0]
            return bool(last.words) and (
                last.words[0].literal in NUMERIC
                or [w.literal for w in last.words[:2]]
                in (["grep", "-c"], ["rg", "-c"], ["seq", "1"])
                or [w.literal for w in last.words[:3]] == ["git", "rev-list", "--count"]
            )
        return False
