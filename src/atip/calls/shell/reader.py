"""Commands of a shell line: lists, pipes, compounds, functions, redirections – bash's grammar, or refused.

A strict reader, not a tolerant one: every character belongs to a form known here, and everything else
raises `FormatError` (`shell.syntax`). One pass, bounded depth and number of parts.
"""

from __future__ import annotations

from atip.calls.shell.cursor import META, refuse
from atip.calls.shell.simple import SimpleReader
from atip.calls.shell.tree import ShellNode, Word

_KEYWORDS = frozenset(
    "if then elif else fi for while until do done case esac select function { } ! [[ ]] time coproc in".split()  # noqa: SIM905
)
_CLOSERS = frozenset("then elif else fi do done esac }".split())  # noqa: SIM905
_UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY = frozenset("= == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef".split())  # noqa: SIM905


class ShellReader(SimpleReader):
    """Reads a whole line: `ShellReader(text).script("")`."""

    def script(self, end: str) -> list[ShellNode]:
        self.enter()
        outer, self.pending = self.pending, []
        nodes = self._list()
        if self.pending:
            refuse("a here-document without its text", self.at)
        self.pending = outer
        if end:
            self.expect(end)
        elif self.at < self.size:
            refuse(f"`{self.peek()}` is not expected here", self.at)
        self.leave()
        return nodes

    # --- lists -----------------------------------------------------------------------------------

    def _list(self) -> list[ShellNode]:
        """Commands up to a closing word, a bracket, `;;` or the end."""
        nodes: list[ShellNode] = []
        while True:
            self.newlines()
            if self.at >= self.size or self.peek() == ")" or self._closes():
                return nodes
            if self.peek() == ";":
                if self.peek(2) in (";;", ";&") and nodes:
                    return nodes
                refuse("`;` without a command", self.at)
            first = len(nodes)
            self._and_or(nodes)
            self.blank()
            if self.peek() == "&" and self.peek(2) != "&&":
                self.at += 1
                nodes[first:] = [ShellNode("background", parts=[nodes[first:]])]
            elif self.peek() == ";" and self.peek(2) not in (";;", ";&"):
                self.at += 1
            elif self.peek() != "\n":
                return nodes

    def _some(self) -> list[ShellNode]:
        """A list that may not be empty."""
        nodes = self._list()
        if not nodes:
            refuse("a command is missing", self.at)
        return nodes

    def _closes(self) -> bool:
        return self._keyword() in _CLOSERS

    def _keyword(self) -> str:
        """The reserved word that comes next; empty if it is another word."""
        stop = self.at
        text = self.text
        while stop < self.size and stop - self.at < 9 and text[stop] not in META:
            stop += 1
        word = text[self.at : stop]
        return word if word in _KEYWORDS else ""

    def _and_or(self, nodes: list[ShellNode]) -> None:
        nodes.append(self._pipeline())
        while True:
            self.blank()
            if not (self.take("&&") or self.take("||")):
                return
            self.newlines()
            nodes.append(ShellNode("maybe", parts=[[self._pipeline()]]))

    def _pipeline(self) -> ShellNode:
        self.blank()
        while self._keyword() in ("!", "time"):
            word = self._keyword()
            self.at += len(word)
            self.blank()
            if word == "time" and self.peek(2) == "-p":
                self.at += 2
                self.blank()
        stages = [[self._command()]]
        while True:
            self.blank()
            if self.peek() != "|" or self.peek(2) == "||":
                break
            self.at += 2 if self.peek(2) == "|&" else 1
            self.newlines()
            stages.append([self._command()])
        return stages[0][0] if len(stages) == 1 else ShellNode("pipeline", parts=stages)

    # --- one command -----------------------------------------------------------------------------

    def _command(self) -> ShellNode:
        self.blank()
        self.spend()
        self.enter()
        node = self._compound()
        if node is None:
            node = self._simple()
        else:
            self._redirects(node)
        self.leave()
        return node

    def _redirects(self, node: ShellNode) -> None:
        """Redirections behind a compound; nothing else may follow."""
        while True:
            self.blank()
            redirect = self._redirect()
            if redirect is None:
                return
            node.redirects.append(redirect)

    def _compound(self) -> ShellNode | None:
        if self.peek(2) == "((":
            self.at += 2
            piece = self._arithmetic("))", quoted=True)
            return ShellNode("arithmetic", words=[Word([piece], piece.text)])
        if self.take("("):
            body = self._some()
            self.expect(")")
            return ShellNode("subshell", parts=[body])
        word = self._keyword()
        if not word:
            return None
        if word in ("in", "!", "time", "]]") or word in _CLOSERS:
            refuse(f"`{word}` is not expected here", self.at)
        self.at += len(word)
        return {
            "{": self._group, "if": self._if, "while": self._loop, "until": self._loop,
            "for": self._for, "select": self._for, "case": self._case, "function": self._function,
            "[[": self._test, "coproc": self._coproc,
        }[word]()  # fmt: skip

    def _word_is(self, word: str) -> None:
        self.newlines()
        if self._keyword() != word:
            refuse(f"`{word}` is missing", self.at)
        self.at += len(word)

    def _group(self) -> ShellNode:
        body = self._some()
        self._word_is("}")
        return ShellNode("group", parts=[body])

    def _if(self) -> ShellNode:
        parts = [self._some()]
        self._word_is("then")
        parts.append(self._some())
        while self._keyword() == "elif":
            self.at += 4
            parts.append(self._some())
            self._word_is("then")
            parts.append(self._some())
        if self._keyword() == "else":
            self.at += 4
            parts.append(self._some())
        self._word_is("fi")
        return ShellNode("if", parts=parts)

    def _body(self) -> list[ShellNode]:
        self._word_is("do")
        body = self._some()
        self._word_is("done")
        return body

    def _loop(self) -> ShellNode:
        condition = self._some()
        return ShellNode("while", parts=[condition, self._body()])

    def _for(self) -> ShellNode:
        self.blank()
        if self.take("(("):
            piece = self._arithmetic_for()
            self.blank()
            self.take(";")
            return ShellNode("for", words=[piece], parts=[self._body()])
        name = self.name()
        if not name or self.peek() not in (" ", "\t", "\n", ";"):
            refuse("a loop without a variable", self.at)
        self.blank()
        words: list[Word] = []
        listed = False
        had_break = self.newlines()
        if self._keyword() == "in":
            self.at += 2
            listed = True
            while True:
                self.blank()
                word = self.word()
                if not word.raw:
                    break
                words.append(word)
            had_break = False
        if self.take(";"):
            had_break = True
        if listed and not (self.newlines() or had_break):
            refuse("`;` or a new line is missing behind the list of a loop", self.at)
        # without a list the loop runs over "$@"
        return ShellNode(
            "for" if listed else "arguments", name=name, words=words, parts=[self._body()]
        )

    def _arithmetic_for(self) -> Word:
        """`for ((i=0; i<3; i++))`: three expressions, read as one."""
        start = self.at
        pieces = [
            self._arithmetic(";", quoted=True),
            self._arithmetic(";", quoted=True),
            self._arithmetic("))", quoted=True),
        ]
        return Word(pieces, self.text[start : self.at])

    def _case(self) -> ShellNode:
        self.blank()
        words = [self._some_word()]
        self._word_is("in")
        parts: list[list[ShellNode]] = []
        self.newlines()
        while self._keyword() != "esac":
            self.blank()
            self.take("(")
            while True:
                self.blank()
                words.append(self._some_word())
                self.blank()
                if not self.take("|"):
                    break
            self.expect(")")
            parts.append(self._list_of_case())
            self.blank()
            if not (self.take(";;&") or self.take(";;") or self.take(";&")):
                self.newlines()
                if self._keyword() != "esac":
                    refuse("`;;` or `esac` is missing", self.at)
            self.newlines()
        self.at += 4
        return ShellNode("case", words=words, parts=parts)

    def _list_of_case(self) -> list[ShellNode]:
        self.newlines()
        return [] if self.peek(2) in (";;", ";&") else self._list()

    def _function(self) -> ShellNode:
        self.blank()
        word = self._some_word()
        self.blank()
        if self.take("("):
            self.blank()
            self.expect(")")
        return self._function_body(word)

    def _function_body(self, word: Word) -> ShellNode:
        if word.literal is None:
            refuse("a function whose name is not plain", self.at)
        self.newlines()
        self.enter()
        body = self._compound()
        if body is None:
            refuse("a function without a body", self.at)
        self._redirects(body)
        self.leave()
        return ShellNode("function", name=word.literal, parts=[[body]])

    def _coproc(self) -> ShellNode:
        self.blank()
        return ShellNode("coproc", parts=[[self._command()]])

    # --- [[ … ]] ---------------------------------------------------------------------------------

    def _test(self) -> ShellNode:
        if self.peek() not in (" ", "\t", "\n"):
            refuse("`[[` needs a blank", self.at)
        node = ShellNode("test")
        self._test_or(node)
        self.newlines()
        if self.peek(2) != "]]" or (self.at + 2 < self.size and self.text[self.at + 2] not in META):
            refuse("`]]` is missing", self.at)
        self.at += 2
        return node

    def _test_or(self, node: ShellNode) -> None:
        self.enter()
        while True:
            self._test_term(node)
            self.newlines()
            if not (self.take("&&") or self.take("||")):
                break
        self.leave()

    def _test_term(self, node: ShellNode) -> None:
        self.newlines()
        while self.peek() == "!" and self.peek(2)[1:] in (" ", "\t", "\n"):
            self.at += 1
            self.newlines()
        if self.take("("):
            self._test_or(node)
            self.newlines()
            self.expect(")")
            return
        first = self._operand()
        self.newlines()
        if first.literal in _UNARY and not self._test_stops():
            node.words.append(Word(first.pieces, first.raw))
            node.words.append(self._operand())
            return
        node.words.append(first)
        if self._test_stops():
            return
        operator = self._test_operator()
        self.newlines()
        node.words.append(Word([], operator))
        node.words.append(self._operand(pattern=operator in ("=", "==", "!=", "=~")))

    def _test_stops(self) -> bool:
        return self.peek(2) in ("]]", "&&", "||") or self.peek() in (")", "")

    def _test_operator(self) -> str:
        if self.peek() in ("<", ">"):
            self.at += 1
            return self.text[self.at - 1]
        word = self._some_word().raw
        if word not in _BINARY:
            refuse(f"`{word[:20]}` is not an operator of `[[`", self.at)
        return word

    def _operand(self, *, pattern: bool = False) -> Word:
        if self.peek(2) == "]]":
            refuse("a word is missing in `[[`", self.at)
        if not pattern:
            return self._some_word()
        start = self.at
        word = self.word(extra="()|<>&;")
        if word.raw.count("(") != word.raw.count(")") or not word.raw:
            refuse("brackets of a pattern that do not match", start)
        if any(char in word.raw for char in "<>&;"):
            refuse("a pattern that is not plain", start)
        return word
