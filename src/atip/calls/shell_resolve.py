"""Resolve: the tree of a line → a flat list of commands with words as far as they are known.

(1) collect what the line assigns (`shell_names`)
(2) walk the tree in order; each word becomes fields, each substitution adds its commands
(3) a variable is put in only if the line gives it exactly one known text; otherwise it is unknown
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell import (
    ANY_CHAR,
    ANY_FILE,
    Origin,
    ShellAssignment,
    ShellCommand,
    ShellRedirect,
    ShellWord,
)
from atip.calls.shell_braces import expand_braces
from atip.calls.shell_fields import Fields, as_quoted
from atip.calls.shell_names import Names, names_set
from atip.calls.shell_tree import Node, Piece, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBERS = frozenset(
    "? # $ ! RANDOM SECONDS LINENO UID EUID PPID BASHPID COLUMNS LINES SHLVL OPTIND".split()  # noqa: SIM905
)
_COMPARES = frozenset("-eq -ne -lt -le -gt -ge".split())  # noqa: SIM905


def resolve(
    nodes: Sequence[Node], *, home: str, cwd: str
) -> tuple[tuple[ShellCommand, ...], tuple[str, ...]]:
    """Commands and the functions that the line defines."""
    walker = _Walker(home, cwd)
    walker.names.collect(nodes)
    walker.walk(nodes, None)
    return tuple(walker.commands), tuple(sorted(walker.names.functions))


class _Walker:
    def __init__(self, home: str, cwd: str) -> None:
        self.home, self.cwd = home, cwd
        self.names = Names()
        self.commands: list[ShellCommand] = []
        self.values: dict[str, list[tuple[ShellWord, ...]]] = {}
        self.inputs: dict[str, tuple[int, ...]] = {}
        self.used: list[str] = []
        self.code: list[str] = []
        self.sets: list[str] = []
        self.sure = True
        """Whether the commands at hand surely run, in this very shell."""
        self.unsure: set[str] = set()
        """Variables that may keep another value, or none: `false && x=ls; $x rm -rf src` runs rm."""

    # --- commands --------------------------------------------------------------------------------

    def walk(self, nodes: Sequence[Node], feed: tuple[int, ...] | None) -> tuple[int, ...]:
        """Add the commands of `nodes`; returns their numbers."""
        first = len(self.commands)
        for node in nodes:
            self._node(node, feed)
        return tuple(range(first, len(self.commands)))

    def _node(self, node: Node, feed: tuple[int, ...] | None) -> None:
        outer = self.used, self.code, self.sets
        self.used, self.code, self.sets = [], [], []
        sure = self.sure
        if node.kind == "pipeline":
            self.sure = False
            for stage in node.parts:
                feed = self.walk(stage, feed)
        elif node.kind == "simple":
            self._simple(node, feed)
        else:
            self._compound(node, feed)
        self.sure = sure
        self.used, self.code, self.sets = outer

    def _compound(self, node: Node, feed: tuple[int, ...] | None) -> None:
        words: list[ShellWord] = []
        if node.kind == "for" and node.name:
            fields = [field for word in node.words for field in self.fields(word)]
            words = fields
            self.sets.append(node.name)
            self.values.setdefault(node.name, []).extend((field,) for field in fields)
            if not self.sure:
                self.unsure.add(node.name)
        elif node.kind == "arguments":
            self.sets.append(node.name)
        elif node.kind == "test":
            words = self._test(node)
        else:
            for word in node.words:
                words += self.fields(word)
        redirects = self._redirects(node)
        if words or redirects or self.code or self.sets or node.kind in ("test", "arithmetic"):
            head = {"test": "[[", "arithmetic": "((", "for": "for", "case": "case"}.get(
                node.kind, ""
            )
            lead = (ShellWord(text=head, raw=head),) if head else ()
            self._add(node, (*lead, *words), (), redirects, feed, head)
        inner = self._fed(redirects, feed)
        self.sure = self.sure and node.kind == "group"
        for part in node.parts:
            self.walk(part, inner)

    def _fed(
        self, redirects: Sequence[ShellRedirect], feed: tuple[int, ...] | None
    ) -> tuple[int, ...] | None:
        """What the commands inside read: a file or a here-document hides the pipe."""
        return () if any(r.kind in ("read", "here") for r in redirects) else feed

    def _simple(self, node: Node, feed: tuple[int, ...] | None) -> None:
        assignments = tuple(self._assign(node))
        words = tuple(field for word in node.words for field in self.fields(word))
        for each, source in zip(assignments, node.assignments, strict=True):
            if source.declared:
                text = f"{each.name}={each.value.text}"
                words += (each.value.replace(text=text, pattern=text),)
        redirects = self._redirects(node)
        name = words[0].text if words else ""
        self.sets += names_set([word.text for word in words])
        if name in ("read", "mapfile", "readarray"):
            fed = self._fed(redirects, feed)
            for word in words[1:]:
                self.inputs[word.text] = (*self.inputs.get(word.text, ()), *(fed or ()))
        if name in ("declare", "local", "typeset") and any(
            w.text.startswith("-") and "n" in w.text for w in words[1:]
        ):
            self.code.append("a name that stands for another variable")
        if name == "let":
            self.code.append("`let` evaluates its words")
        text = " ".join(w.raw for w in node.words) or " ".join(a.word.raw for a in node.assignments)
        self._add(node, words, assignments, redirects, feed, text)

    def _add(
        self, node: Node, words: tuple[ShellWord, ...], assignments: tuple[ShellAssignment, ...],
        redirects: tuple[ShellRedirect, ...], feed: tuple[int, ...] | None, text: str,
    ) -> None:  # fmt: skip
        self.commands.append(
            ShellCommand(
                words=words, assignments=assignments, redirects=redirects, feed=feed,
                variables=tuple(dict.fromkeys(self.used)), code=tuple(dict.fromkeys(self.code)),
                sets=tuple(dict.fromkeys(self.sets)), text=text,
            )
        )  # fmt: skip

    def _assign(self, node: Node) -> list[ShellAssignment]:
        made: list[ShellAssignment] = []
        for each in node.assignments:
            self._subscript(each.name, each.subscript)
            if each.array is not None:
                fields = [field for word in each.array for field in self.fields(word)]
            else:
                fields = self._value(each.word)
            self.values.setdefault(each.name, []).append(tuple(fields))
            if not self.sure or (node.words and not each.declared):
                self.unsure.add(each.name)
            value = fields[0] if len(fields) == 1 else ShellWord(
                text=" ".join(f.text for f in fields), raw=each.word.raw,
                origins=tuple(o for f in fields for o in f.origins),
            )  # fmt: skip
            made.append(ShellAssignment(name=each.name, value=value))
        return made

    def _value(self, word: Word) -> list[ShellWord]:
        """The value of an assignment: neither split nor globbed."""
        quoted = [as_quoted(piece) for piece in word.pieces]
        found = self.fields(Word(quoted, word.raw))
        return found or [ShellWord(text="", raw=word.raw)]

    def _redirects(self, node: Node) -> tuple[ShellRedirect, ...]:
        made: list[ShellRedirect] = []
        for redirect in node.redirects:
            fields = self.fields(redirect.word)
            if redirect.variable:
                self.sets.append(redirect.variable)
            target = fields[0] if len(fields) == 1 else ShellWord(
                text=UNKNOWN_TEXT if fields or redirect.kind != "here" else "",
                raw=redirect.word.raw, origins=(Origin(kind="later"),),
            )  # fmt: skip
            made.append(ShellRedirect(kind=redirect.kind, target=target))
        return tuple(made)

    def _test(self, node: Node) -> list[ShellWord]:
        words: list[ShellWord] = []
        raws = [word.raw for word in node.words]
        for index, word in enumerate(node.words):
            if not word.pieces:
                continue  # an operator
            near = raws[max(0, index - 1) : index + 2]
            if _COMPARES & set(near) or raws[index - 1 : index] == ["-v"]:
                self._number(word.pieces)
            words += self.fields(Word([as_quoted(piece) for piece in word.pieces], word.raw))
        return words

    # --- words -----------------------------------------------------------------------------------

    def fields(self, word: Word) -> list[ShellWord]:
        """The words that a word becomes."""
        expanded = expand_braces(word.pieces)
        fields = Fields()
        if expanded is None:
            self._pieces(word.pieces, fields, word.raw)
            fields = Fields()
            fields.unknown((Origin(kind="glob"),), many=True)
            expanded = []
        for pieces in expanded:
            self._pieces(pieces, fields, word.raw)
            fields.close(word.raw)
        fields.close(word.raw)
        return fields.done

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
                fields.unknown((Origin(kind="number"),), many=False)
            elif piece.kind in ("output", "process"):
                sure, self.sure = self.sure, False
                made = self.walk(piece.script, None)
                self.sure = sure
                origin = Origin(kind=piece.kind, commands=made)
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
        shown = "".join(UNKNOWN_TEXT if c in (ANY_FILE, ANY_CHAR) else c for c in pattern)
        if UNKNOWN_TEXT not in shown:
            fields.add(text)
            return
        fields.add(shown, "".join(pattern))
        fields.origins.append(Origin(kind="glob", texts=(text,)))
        fields.many = True

    # --- variables -------------------------------------------------------------------------------

    def _variable(self, piece: Piece, fields: Fields, raw: str) -> None:
        nested = Fields()
        if piece.op == "slice":
            self._number(piece.nested)
        for inner in piece.nested:
            if inner.kind == "subscript":
                self._subscript(piece.name, inner.nested)
        self._pieces([p for p in piece.nested if p.kind != "arithmetic"], nested, raw)
        if piece.op == ":=":
            self.sets.append(piece.name)
        if piece.op == "prompt":
            self.code.append("`${…@P}` runs what is in the text")
        many = not piece.quoted or piece.name in ("@", "*") or piece.op in ("all", "keys")
        known = self._known(piece) if piece.op in ("", "all") else None
        if known is None:
            origins = [*self._origins(piece), *nested.origins]
            fields.unknown(origins, many=many)
            return
        for index, word in enumerate(known):
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
            fields.unknown((Origin(kind="derived", texts=(word.text,)),), many=True)
            return
        for index, part in enumerate(word.text.split()):
            if index:
                fields.close(raw)
            fields.add(part)

    def _known(self, piece: Piece) -> tuple[ShellWord, ...] | None:
        """The one value that the line gives to a variable, if that is so."""
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
        known = values[0]
        return known if all(word.is_static for word in known) else None

    def _origins(self, piece: Piece) -> list[Origin]:
        name, op = piece.name, piece.op
        if op in ("length", "names") or name in _NUMBERS:
            return [Origin(kind="number")]
        if op == "indirect":
            self.used.append("!")
            return [Origin(kind="variable", name="!")]
        if name.isdigit() or name in ("@", "*", "_", "-"):
            return [Origin(kind="argument", name=name)]
        sources = self.names.sources.get(name)
        if sources is None:
            if op != ":+":
                self.used.append(name)
            return [Origin(kind="variable", name=name)]
        if op in ("", "item") and self.names.is_number(name):
            return [Origin(kind="number")]
        values = [word for group in self.values.get(name, []) for word in group]
        origins = [o for word in values for o in word.origins if o.kind != "glob"]
        if None in sources:
            origins.append(Origin(kind="input", name=name, commands=self.inputs.get(name, ())))
        elif len(values) < len(sources) and op != "keys":
            origins.append(Origin(kind="later", name=name))
        # a glob in the list of a loop is one of the files it matches
        texts = tuple(w.pattern for w in values if all(o.kind == "glob" for o in w.origins))
        if texts or op == "keys":
            kind = "choice" if op in ("", "all", "keys", "item") else "derived"
            origins.append(Origin(kind=kind, name=name, texts=texts))
        return origins or [Origin(kind="later", name=name)]

    # --- arithmetic ------------------------------------------------------------------------------

    def _arithmetic(self, piece: Piece) -> None:
        for name in piece.name.split():
            if not self.names.is_number(name):
                self.code.append(f"arithmetic runs code hidden in the value of `{name}`")
        self._number(piece.nested)
        self._pieces(piece.nested, Fields(), "")

    def _number(self, pieces: Sequence[Piece]) -> None:
        """SECURITY: what bash evaluates must be a number, or `x[$(cmd)]` runs a command."""
        for piece in pieces:
            if piece.kind == "arithmetic":
                self._arithmetic(piece)
            elif piece.kind == "text" and piece.text.isidentifier():
                if not self.names.is_number(piece.text):
                    self.code.append(f"arithmetic on the value of `{piece.text}`")
            elif piece.kind == "text" and not any(char in piece.text for char in "[$`"):
                continue
            elif not self.names.holds_number([piece]):
                self.code.append("arithmetic on text that may hold a command")

    def _subscript(self, name: str, pieces: Sequence[Piece]) -> None:
        if name not in self.names.tables:
            self._number(pieces)
