"""Simple commands of a shell line: assignments, words, redirections, here-documents."""

from __future__ import annotations

from atip.calls.shell.cursor import META, refuse
from atip.calls.shell.tree import Assignment, Piece, Redirect, ShellNode, Word
from atip.calls.shell.words import WordReader

_DECLARES = frozenset(("declare", "typeset", "local", "export", "readonly"))
_REDIRECTS = (
    # longest first; kind, and whether the target may be a descriptor
    ("&>>", "append", False), ("<<<", "here", False), ("<<-", "document", False), ("&>", "write", False),
    ("<<", "document", False), (">>", "append", False), ("<>", "readwrite", False),
    (">|", "write", False), (">&", "write", True), ("<&", "read", True), (">", "write", False),
    ("<", "read", False),
)  # fmt: skip


class SimpleReader(WordReader):
    """Adds simple commands to words; compounds are `ShellReader`'s."""

    def _function_body(self, word: Word) -> ShellNode:
        """The rest of `name ()`."""
        raise NotImplementedError  # pragma: no cover - ShellReader has it

    def _some_word(self) -> Word:
        word = self.word()
        if not word.raw:
            refuse("a word is missing", self.at)
        return word

    # --- simple commands -------------------------------------------------------------------------

    def _simple(self) -> ShellNode:
        node = ShellNode("simple")
        start = self.at
        while True:
            self.blank()
            redirect = self._redirect()
            if redirect is not None:
                node.redirects.append(redirect)
                continue
            if self.at >= self.size or (self.peek() in META and self.peek(2) not in ("<(", ">(")):
                break
            declares = bool(node.words) and node.words[0].literal in _DECLARES
            assigned = self._assignment() if not node.words or declares else None
            if assigned is not None:
                node.assignments.append(assigned)
                assigned.declared = declares
                continue
            node.words.append(self.word())
            if len(node.words) == 1 and self._is_function(node):
                return self._function_body(node.words[0])
        if self.at == start:
            refuse(f"`{self.peek() or 'the end'}` where a command should be", self.at)
        return node

    def _is_function(self, node: ShellNode) -> bool:
        """`name ()`; a bracket behind any other word is an error."""
        start = self.at
        self.blank()
        if self.peek() != "(":
            self.at = start
            return False
        self.at += 1
        self.blank()
        if not self.take(")") or node.assignments or node.redirects:
            refuse("a bracket behind a word", start)
        return True

    def _assignment(self) -> Assignment | None:
        start = self.at
        name = self.name()
        subscript: list[Piece] = []
        if name and self.peek() == "[":
            self.at += 1
            subscript = self._until("]", quoted=False)
        append = self.peek(2) == "+="
        if not name or not (self.take("+=") or self.take("=")):
            self.at = start
            return None
        array = self._array() if self.peek() == "(" else None
        word = Word([], "") if array is not None else self.word(tilde_after="")
        word = Word(word.pieces, self.text[start : self.at])
        return Assignment(name, word, append=append, array=array, subscript=subscript)

    def _array(self) -> list[Word]:
        self.at += 1
        words: list[Word] = []
        while True:
            self.newlines()
            if self.take(")"):
                return words
            if self.peek() == "[":
                self.at += 1
                key = self._until("]", quoted=False)
                if not self.take("="):
                    refuse("an array item without `=`", self.at)
                words.append(Word(key, ""))
            word = self.word()
            if not word.raw and not (words and not words[-1].raw):
                refuse("an array that is not closed", self.at)
            words.append(word)

    # --- redirections ----------------------------------------------------------------------------

    def _redirect(self) -> Redirect | None:
        start = self.at
        while self.peek().isdigit() and self.peek().isascii():
            self.at += 1
        digits = self.at > start
        variable = ""
        if not digits and self.peek() == "{":
            variable = self._descriptor_variable()
        if self.peek() in ("<", ">") and self.peek(2)[1:] == "(" and not digits:
            self.at = start
            return None
        for mark, kind, copies in _REDIRECTS:
            if self.text.startswith(mark, self.at):
                if mark.startswith("&") and self.at > start:
                    break
                self.at += len(mark)
                redirect = self._target(kind, copies, mark)
                redirect.variable = variable
                return redirect
        self.at = start
        return None

    def _descriptor_variable(self) -> str:
        """`{fd}>file`: the descriptor is put into a variable."""
        start = self.at
        self.at += 1
        name = self.name()
        if not (name and self.take("}") and self.peek() in ("<", ">") and self.peek()):
            self.at = start
            return ""
        return name

    def _target(self, kind: str, copies: bool, mark: str) -> Redirect:
        if kind == "document":
            return self._document(mark == "<<-")
        self.blank()
        word = self._some_word()
        if word.raw.startswith("{") and self.peek() in ("<", ">"):
            refuse("a descriptor where a file should be", self.at)
        if copies and (word.raw.rstrip("-").isdigit() or word.raw == "-"):
            kind = "copy"
        return Redirect(kind, word)

    def _document(self, tabs: bool) -> Redirect:
        self.blank()
        word = self._some_word()
        if any(piece.kind != "text" for piece in word.pieces):
            refuse("the end word of a here-document is not plain", self.at)
        end = "".join(piece.text for piece in word.pieces)
        quoted = any(piece.quoted for piece in word.pieces)
        if "\n" in end or "\n" in word.raw:
            refuse("the end word of a here-document spans lines", self.at)
        redirect = Redirect("here", Word([], ""))
        self.pending.append((redirect, end, tabs, quoted))
        return redirect
