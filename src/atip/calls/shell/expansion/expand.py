"""Expand: one word of the tree → the words that it becomes, as far as they are known.

Every substitution adds its commands (`walk`), everything that bash would evaluate is checked (`numbers`). A
variable is put in only if the line gives it exactly one known text.
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell.commands import ANY_CHAR, ANY_FILE, ShellCommand, ShellWord, TextOrigin
from atip.calls.shell.cursor import refuse
from atip.calls.shell.expansion.braces import expand_braces
from atip.calls.shell.expansion.fields import Fields
from atip.calls.shell.expansion.numbers import INTEGERS, assigns, prints_number
from atip.calls.shell.tree import Piece, ShellNode, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.calls.shell.expansion.names import Names

MAX_WORK = 500_000
"""Characters of all words together."""
_NUMBERS = INTEGERS | frozenset("?#$!")


class Expander:
    """State of a line while its words are resolved."""

    def __init__(self, home: str, cwd: str, names: Names) -> None:
        self.home, self.cwd = home, cwd
        self.names = names
        self.learned: list[str] = []
        """Names that builtins set; empty text: an unknown name."""
        self.tables: set[str] = set()
        """Associative arrays, surely: their keys are text, not arithmetic."""
        self.commands: list[ShellCommand] = []
        self.values: dict[str, list[tuple[ShellWord, ...]]] = {}
        self.inputs: dict[str, tuple[int, ...]] = {}
        self.used: list[str] = []
        self.code: list[str] = []
        self.sets: list[str] = []
        self.work = 0
        self.rounds = 1
        """Number of times the current command runs, according to its loops."""
        self.repeated: set[str] = set()
        """Functions that a long loop calls."""
        self.leaves: set[str] = set()
        """Functions that leave a program behind."""
        self.calls: dict[str, set[str]] = {}
        """Functions, and the functions that each of them calls."""
        self.within = ""
        """The function whose body is being read."""
        self.lists: set[str] = set()
        """Names that are arrays somewhere in the line."""
        self.sure = True
        """Whether the current commands certainly run, in this shell."""
        self.unsure: set[str] = set()
        """Variables that may keep another value, or none: `false && x=ls; $x rm -rf src` runs rm."""

    def walk(self, nodes: Sequence[ShellNode], feed: tuple[int, ...] | None) -> tuple[int, ...]:
        """Add the commands of `nodes`; returns their numbers."""
        raise NotImplementedError  # pragma: no cover - the walker has it

    # --- words -----------------------------------------------------------------------------------

    def fields(self, word: Word) -> list[ShellWord]:
        """The words that a word becomes."""
        self.work += 1
        expanded = expand_braces(word.pieces)
        fields = Fields()
        if expanded is None:
            self._pieces(word.pieces, fields, word.raw)
            fields = Fields()
            fields.unknown((TextOrigin(kind="glob"),), many=True)
            expanded = []
        for pieces in expanded:
            self._pieces(pieces, fields, word.raw)
            fields.close(word.raw)
        fields.close(word.raw)
        self.work += sum(len(each.text) + 20 for each in fields.words)
        if self.work > MAX_WORK:
            refuse("the expanded text is too long")
        return fields.words

    def _pieces(self, pieces: Sequence[Piece], fields: Fields, raw: str) -> None:
        for piece in pieces:
            if piece.kind == "text":
                self._text(piece, fields)
            elif piece.kind == "tilde":
                fields.add(self._home(piece.text))
            elif piece.kind == "variable":
                self._variable(piece, fields, raw)
            elif piece.kind == "arithmetic":
                self._arithmetic(piece)
                fields.unknown((TextOrigin(kind="number"),), many=False)
            elif piece.kind in ("output", "process"):
                sure, self.sure = self.sure, False
                numbers = self.walk(piece.script, None)
                self.sure = sure
                number = piece.kind == "output" and prints_number(
                    piece.script, self.names.functions
                )
                origin = TextOrigin(kind="number" if number else piece.kind, commands=numbers)
                many = piece.kind == "output" and not piece.quoted
                if piece.kind == "process":
                    fields.add("/dev/fd/")
                fields.unknown((origin,), many=many)
            elif piece.kind == "subscript":
                self._pieces(piece.nested, Fields(), raw)

    def _home(self, name: str) -> str:
        if name == "~":
            return self.home
        return "/root" if name == "~root" else f"/home/{name[1:]}"

    def _text(self, piece: Piece, fields: Fields) -> None:
        text = piece.text
        if piece.quoted or not any(char in text for char in "*?["):
            fields.add(text)
            return
        pattern, at = [], 0
        while at < len(text):
            char = text[at]
            if char == "*":
                pattern.append(ANY_FILE)
            elif char == "?":
                pattern.append(ANY_CHAR)
            elif char == "[" and "]" in text[at + 2 :]:
                at = text.index("]", at + 2)
                pattern.append(ANY_CHAR)
            else:
                pattern.append(char)
            at += 1
        masked = "".join(UNKNOWN_TEXT if c in (ANY_FILE, ANY_CHAR) else c for c in pattern)
        if UNKNOWN_TEXT not in masked:
            fields.add(text)
            return
        fields.add(masked, "".join(pattern))
        fields.origins.append(TextOrigin(kind="glob", texts=(text,)))
        fields.many = True

    # --- variables -------------------------------------------------------------------------------

    def _variable(self, piece: Piece, fields: Fields, raw: str) -> None:
        nested = Fields()
        if piece.op == "slice":
            self._number(piece.nested)
        for inner in piece.nested:
            if inner.kind == "subscript":
                self._subscript(piece.name, inner.nested)
        self._pieces([p for p in piece.nested if p.kind != "subscript"], nested, raw)
        if piece.op == ":=":
            self.sets.append(piece.name)
        if piece.op == "prompt":
            self.code.append("`${…@P}` runs what is in the text")
        many = not piece.quoted or piece.name in ("@", "*") or piece.op in ("all", "keys")
        values = self._known_value(piece) if piece.op in ("", "all") else None
        if values is None:
            origins = [*self._origins(piece), *nested.origins]
            fields.unknown(origins, many=many)
            return
        for index, word in enumerate(values):
            if index:
                fields.close(raw)
            self._insert(word, fields, split=not piece.quoted, raw=raw)

    def _insert(self, word: ShellWord, fields: Fields, *, split: bool, raw: str) -> None:
        if not split or not any(char in word.text for char in " \t\n*?["):
            if word.text or not split:
                fields.add(word.text, word.pattern or word.text)
            fields.origins += word.origins
            return
        if any(char in word.text for char in "*?["):
            fields.unknown((TextOrigin(kind="derived", texts=(word.text,)),), many=True)
            return
        for index, part in enumerate(word.text.split()):
            if index:
                fields.close(raw)
            fields.add(part)

    def _known_value(self, piece: Piece) -> tuple[ShellWord, ...] | None:
        """The single value that the line assigns to a variable; None: not a single known value."""
        name = piece.name
        sources = self.names.sources.get(name)
        if sources is None:
            if name == "HOME":
                return (ShellWord(text=self.home),)
            moved = any(c.words and c.words[0].text in ("cd", "pushd") for c in self.commands)
            return (ShellWord(text=self.cwd),) if name == "PWD" and self.cwd and not moved else None
        values = self.values.get(name, [])
        if len(values) != 1 or None in sources or name in self.unsure:
            return None
        if piece.op == "" and len(sources) != 1:
            return None
        value = values[0]
        return value if all(word.is_static for word in value) else None

    def _origins(self, piece: Piece) -> list[TextOrigin]:
        name, op = piece.name, piece.op
        if op in ("length", "names") or (name in _NUMBERS and name not in self.names.sources):
            return [TextOrigin(kind="number")]
        if op == "indirect":
            self.used.append("!")
            return [TextOrigin(kind="variable", name="!")]
        if name.isdigit() or name in ("@", "*", "_", "-"):
            return [self._argument(name) if op == "" else TextOrigin(kind="argument", name=name)]
        sources = self.names.sources.get(name)
        if sources is None:
            if op != ":+":
                self.used.append(name)
            return [TextOrigin(kind="variable", name=name)]
        if op in ("", "item") and self.names.is_number(name):
            return [TextOrigin(kind="number")]
        values = [word for group in self.values.get(name, []) for word in group]
        origins = [o for word in values for o in word.origins if o.kind != "glob"]
        if None in sources:
            origins.append(TextOrigin(kind="input", name=name, commands=self.inputs.get(name, ())))
        elif len(values) < len(sources) and op != "keys":
            origins.append(TextOrigin(kind="later", name=name))
        # a glob in the list of a loop is one of the files it matches
        texts = tuple(w.pattern for w in values if all(o.kind == "glob" for o in w.origins))
        if texts or op == "keys":
            kind = "choice" if op in ("", "all", "keys", "item") else "derived"
            origins.append(TextOrigin(kind=kind, name=name, texts=texts))
        return origins or [TextOrigin(kind="later", name=name)]

    def _argument(self, name: str) -> TextOrigin:
        """`$1` of a function is one of the texts that the line calls it with, if these are all known."""
        texts = self.names.call_values(self.within, name)
        if texts is None:
            return TextOrigin(kind="argument", name=name)
        return TextOrigin(kind="choice", name=name, texts=texts)

    # --- arithmetic ------------------------------------------------------------------------------

    def _arithmetic(self, piece: Piece) -> None:
        names = piece.name.split()
        for name in names:
            if not self.names.is_number(name):
                self.code.append(f"arithmetic runs code hidden in the value of `{name}`")
        if assigns(piece.text):
            self.sets += names
        self._number(piece.nested)
        self._pieces(piece.nested, Fields(), "")

    def _number(self, pieces: Sequence[Piece]) -> None:
        """SECURITY: what bash evaluates must be a number, or `x[$(cmd)]` runs a command."""
        for piece in pieces:
            if piece.kind == "arithmetic":
                continue  # checked once, when it is expanded; twice would double at every level
            if piece.kind == "text" and piece.text.isidentifier():
                if not self.names.is_number(piece.text):
                    self.code.append(f"arithmetic on the value of `{piece.text}`")
            elif piece.kind == "text" and not any(char in piece.text for char in "[$`"):
                continue
            elif not self.names.holds_number([piece]):
                self.code.append("arithmetic on text that may hold a command")

    def _subscript(self, name: str, pieces: Sequence[Piece]) -> None:
        if name not in self.tables:
            self._number(pieces)
        self._pieces(pieces, Fields(), "")
