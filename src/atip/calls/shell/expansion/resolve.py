"""Resolve: the tree of a line → a flat list of commands with words as far as they are known.

(1) collect what the line assigns (`names`)
(2) walk the tree in order; each word becomes fields, each substitution adds its commands
(3) a variable is put in only if the line gives it exactly one known text; otherwise it is unknown
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell.commands import (
    ShellAssignment,
    ShellCommand,
    ShellRedirect,
    ShellWord,
    TextOrigin,
)
from atip.calls.shell.expansion.braces import expand_braces
from atip.calls.shell.expansion.expand import Expander
from atip.calls.shell.expansion.fields import as_quoted
from atip.calls.shell.expansion.names import DECLARES, Names, names_set, unwrapped
from atip.calls.shell.tree import ShellNode, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_ROUNDS = 64
"""SECURITY: a loop with more rounds must not leave programs running, which could exhaust the machine."""
_SWARMS = "starts programs in a loop that is endless or very long"
_COMPARES = frozenset("-eq -ne -lt -le -gt -ge".split())  # noqa: SIM905


def resolve(
    nodes: Sequence[ShellNode], *, home: str, cwd: str, inner: bool = False
) -> tuple[tuple[ShellCommand, ...], tuple[str, ...]]:
    """Commands and the functions that the line defines.

    Args:
        inner: the line stands inside of another one, which may have set any variable.
    """
    names = Names()
    names.believes = not inner
    names.collect(nodes)
    walker = _Walker(home, cwd, names)
    walker.walk(nodes, None)
    if walker.learned:
        # what builtins set is known only now, and commands before them may have used it (a loop)
        names.learn(walker.learned)
        walker = _Walker(home, cwd, names)
        walker.walk(nodes, None)
    return walker.finished(), tuple(sorted(names.functions))


class _Walker(Expander):
    """Goes through the tree in order."""

    def finished(self) -> tuple[ShellCommand, ...]:
        """All commands; code that the line as a whole evaluates is added to the first."""
        unsafe = [
            f"bash evaluates the value assigned to `{name}`"
            for name in self.names.unsafe_integers()
        ]
        unsafe += [f"the function `{name}` calls itself" for name in _circular(self.calls)]
        if self.leaves & _find_reachable(self.calls, self.repeated):
            unsafe.append(_SWARMS)
        if unsafe and self.commands:
            first = self.commands[0]
            self.commands[0] = first.replace(code=(*first.code, *unsafe))
        return tuple(self.commands)

    # --- commands --------------------------------------------------------------------------------

    def walk(self, nodes: Sequence[ShellNode], feed: tuple[int, ...] | None) -> tuple[int, ...]:
        """Add the commands of `nodes`; returns their numbers."""
        first = len(self.commands)
        for node in nodes:
            self._node(node, feed)
        return tuple(range(first, len(self.commands)))

    def _node(self, node: ShellNode, feed: tuple[int, ...] | None) -> None:
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

    def _compound(self, node: ShellNode, feed: tuple[int, ...] | None) -> None:
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
        if node.kind == "background":
            self.leaves.add(self.within)
            if self.rounds > MAX_ROUNDS:
                self.code.append(_SWARMS)
        if words or redirects or self.code or self.sets or node.kind in ("test", "arithmetic"):
            head = {"test": "[[", "arithmetic": "((", "for": "for", "case": "case"}.get(
                node.kind, ""
            )
            lead = (ShellWord(text=head, raw=head),) if head else ()
            self._add(node, (*lead, *words), (), redirects, feed, head)
        inner = self._inner_feed(redirects, feed)
        self.sure = self.sure and node.kind == "group"
        rounds = self.rounds
        self.rounds *= _rounds(node, words)
        within = self.within
        if node.kind == "function":
            self.within = node.name
        for part in node.parts:
            self.walk(part, inner)
        self.rounds, self.within = rounds, within

    def _inner_feed(
        self, redirects: Sequence[ShellRedirect], feed: tuple[int, ...] | None
    ) -> tuple[int, ...] | None:
        """Commands whose output the inner commands read; none where a file or a here-document replaces the pipe."""
        return () if any(r.kind in ("read", "here") for r in redirects) else feed

    def _simple(self, node: ShellNode, feed: tuple[int, ...] | None) -> None:
        assignments = tuple(self._assign(node))
        words = tuple(field for word in node.words for field in self.fields(word))
        for assignment, source in zip(assignments, node.assignments, strict=True):
            if source.declared:
                text = f"{assignment.name}={assignment.value.text}"
                words += (assignment.value.replace(text=text, pattern=text),)
        redirects = self._redirects(node)
        self._builtin(words, redirects, feed, {assignment.name for assignment in node.assignments})
        if (
            words
            and words[0].text in self.names.functions
            and node.words[0].static != words[0].text
        ):
            self.code.append("calls a function by a computed name")
        text = " ".join(w.raw for w in node.words) or " ".join(a.word.raw for a in node.assignments)
        self._add(node, words, assignments, redirects, feed, text)

    def _builtin(
        self, words: tuple[ShellWord, ...], redirects: tuple[ShellRedirect, ...],
        feed: tuple[int, ...] | None, assigned: set[str],
    ) -> None:  # fmt: skip
        """Effects of shell builtins on variables."""
        argv = unwrapped([word.text for word in words])
        name = argv[0] if argv else ""
        if name in self.names.functions:
            self.calls.setdefault(self.within, set()).add(name)
            if self.rounds > MAX_ROUNDS:
                self.repeated.add(name)
        names = names_set(argv)
        self.sets += names
        self.learned += [name for name in names if name not in assigned]
        if name in ("read", "mapfile", "readarray"):
            fed = self._inner_feed(redirects, feed)
            for text in argv[1:]:
                self.inputs[text] = (*self.inputs.get(text, ()), *(fed or ()))
        if name in ("eval", "source", "."):
            self.learned.append("")
        if name == "let":
            self.code.append("`let` evaluates its words")
        if name in DECLARES:
            self._declare(argv)
        elif name == "unset":
            self.tables.difference_update(argv)
        if names and any(_evaluates(text) for text in argv[1:]):
            self.code.append("a subscript that may hold a command")

    def _declare(self, argv: Sequence[str]) -> None:
        options = "".join(word for word in argv[1:] if word[:1] in ("-", "+"))
        if "n" in options and argv[0] != "export":
            self.code.append("declares a name reference to another variable")
        if UNKNOWN_TEXT in options:
            self.code.append("an attribute that is only known when the line runs")
        for word in argv[1:]:
            if word[:1] in ("-", "+"):
                continue
            name, _equals, value = word.partition("=")
            if self.sure and "-" in options and "A" in options:
                self.tables.add(name)
            else:
                self.tables.discard(name)
            listed = "a" in options or "A" in options or name in self.lists
            if value[:1] == "(" or (listed and value[:1] == UNKNOWN_TEXT):
                # bash parses a list from text again, and runs substitutions in it
                self.code.append("assigns a list from text, which bash evaluates")

    def _add(
        self, node: ShellNode, words: tuple[ShellWord, ...], assignments: tuple[ShellAssignment, ...],
        redirects: tuple[ShellRedirect, ...], feed: tuple[int, ...] | None, text: str,
    ) -> None:  # fmt: skip
        self.commands.append(
            ShellCommand(
                words=words, assignments=assignments, redirects=redirects, feed=feed,
                variables=tuple(dict.fromkeys(self.used)), code=tuple(dict.fromkeys(self.code)),
                sets=tuple(dict.fromkeys(self.sets)), text=text,
            )
        )  # fmt: skip

    def _assign(self, node: ShellNode) -> list[ShellAssignment]:
        assignments: list[ShellAssignment] = []
        for assignment in node.assignments:
            self._subscript(assignment.name, assignment.subscript)
            if assignment.array is not None:
                self.lists.add(assignment.name)
                for word in assignment.array:
                    if not word.raw:  # a key
                        self._subscript(assignment.name, word.pieces)
                fields = [
                    field for word in assignment.array if word.raw for field in self.fields(word)
                ]
            else:
                fields = self._value(assignment.word)
            self.values.setdefault(assignment.name, []).append(tuple(fields))
            if not self.sure or (node.words and not assignment.declared):
                self.unsure.add(assignment.name)
            value = fields[0] if len(fields) == 1 else ShellWord(
                text=" ".join(f.text for f in fields), raw=assignment.word.raw,
                origins=tuple(o for f in fields for o in f.origins),
            )  # fmt: skip
            assignments.append(ShellAssignment(name=assignment.name, value=value))
        return assignments

    def _value(self, word: Word) -> list[ShellWord]:
        """The value of an assignment: neither split nor globbed."""
        quoted = [as_quoted(piece) for piece in word.pieces]
        fields = self.fields(Word(quoted, word.raw))
        return fields or [ShellWord(text="", raw=word.raw)]

    def _redirects(self, node: ShellNode) -> tuple[ShellRedirect, ...]:
        redirects: list[ShellRedirect] = []
        for redirect in node.redirects:
            fields = self.fields(redirect.word)
            if redirect.variable:
                self.sets.append(redirect.variable)
            target = fields[0] if len(fields) == 1 else ShellWord(
                text=UNKNOWN_TEXT if fields or redirect.kind != "here" else "",
                raw=redirect.word.raw, origins=(TextOrigin(kind="later"),),
            )  # fmt: skip
            redirects.append(ShellRedirect(kind=redirect.kind, target=target))
        return tuple(redirects)

    def _test(self, node: ShellNode) -> list[ShellWord]:
        words: list[ShellWord] = []
        raws = [word.raw for word in node.words]
        for index, word in enumerate(node.words):
            if not word.pieces:
                words.append(ShellWord(text=word.raw, raw=word.raw))  # an operator
                continue
            near = raws[max(0, index - 1) : index + 2]
            if _COMPARES & set(near) or raws[index - 1 : index] == ["-v"]:
                self._number(word.pieces)
            words += self.fields(Word([as_quoted(piece) for piece in word.pieces], word.raw))
        return words


def _rounds(node: ShellNode, words: Sequence[ShellWord]) -> int:
    """Number of times the parts of a command run; a glob counts as one, `MAX_ROUNDS + 1` as unlimited."""
    if node.kind == "while" or (node.kind == "for" and not node.name):
        return MAX_ROUNDS + 1
    if node.kind != "for" or not words:
        return 1
    printed = any(o.kind in ("output", "input") for word in words for o in word.origins)
    far = printed or any(expand_braces(word.pieces) is None for word in node.words)
    return MAX_ROUNDS + 1 if far else len(words)


def _circular(calls: dict[str, set[str]]) -> list[str]:
    """Functions that end up calling themselves: a fork bomb is one of these."""
    return sorted(name for name in calls if name in _find_reachable(calls, calls[name]))


def _find_reachable(calls: dict[str, set[str]], names: set[str]) -> set[str]:
    """Functions, and all that they end up calling."""
    reached, todo = set(names), list(names)
    while todo:
        for callee in calls.get(todo.pop(), set()) - reached:
            reached.add(callee)
            todo.append(callee)
    return reached


def _evaluates(operand: str) -> bool:
    """Whether an operand that names a variable has a subscript in which bash would run a command."""
    _name, bracket, rest = operand.partition("[")
    return bool(bracket) and any(char in rest for char in ("$", "`", UNKNOWN_TEXT))
