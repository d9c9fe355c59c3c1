"""Words of a shell line: quoting, expansions, substitutions – as bash reads them, or refused.

Strict on purpose: forms that bash versions or contexts read differently (single quotes inside
`"${…}"`, `$[…]`, a backslash at the end) are refused rather than guessed.
"""

from __future__ import annotations

from atip.calls.shell.cursor import META, Cursor, refuse
from atip.calls.shell.tree import Piece, ShellNode, Word

_NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME = _NAME_START | frozenset("0123456789")
_SPECIAL = frozenset("@*#?-$!0123456789")
_PLAIN_STOP = META | frozenset("'\"\\$`")
_ARITHMETIC = _NAME | frozenset(" \t\n+-*/%<>=!&|^~?:,()[]#.@")


class WordReader(Cursor):
    """Adds words to the cursor. Substitutions call `script`, which the command grammar provides."""

    def script(self, end: str) -> list[ShellNode]:
        """Commands up to `end` (`)`), or to the end of the text for an empty one."""
        raise NotImplementedError  # pragma: no cover - ShellReader has it

    # --- whole words -----------------------------------------------------------------------------

    def word(self, *, extra: str = "", tilde_after: str = "") -> Word:
        """One word; empty pieces if there is none. `extra` characters are ordinary here."""
        self.spend()
        start = self.at
        pieces: list[Piece] = []
        text = self.text
        while self.at < self.size:
            self.check_pieces(len(pieces))
            char = text[self.at]
            if char in "<>" and text.startswith("(", self.at + 1):
                self.at += 2
                pieces.append(Piece("process", script=self.script(")")))
            elif char in META and char not in extra:
                break
            elif char == "'":
                pieces.append(self._single())
            elif char == '"':
                pieces += self._double()
            elif char == "\\":
                self._escape(pieces)
            elif char == "$":
                pieces += self._dollar(quoted=False)
            elif char == "`":
                pieces.append(self._backtick(quoted=False))
            else:
                pieces.append(Piece("text", self._plain(extra)))
        self.budget[1] -= len(pieces)
        self._tildes(pieces, tilde_after)
        return Word(_join_texts(pieces), text[start : self.at])

    def _plain(self, extra: str) -> str:
        start = self.at
        text = self.text
        while self.at < self.size and (text[self.at] not in _PLAIN_STOP or text[self.at] in extra):
            self.at += 1
        return text[start : self.at]

    def _tildes(self, pieces: list[Piece], after: str) -> None:
        """`~`, `~user` at the beginning (and behind `=` of an assignment)."""
        if not pieces or pieces[0].kind != "text" or pieces[0].quoted:
            return
        first = pieces[0].text
        lead = after if after and first.startswith(after) else ""
        if first[len(lead) : len(lead) + 1] != "~":
            return
        name, slash, rest = first[len(lead) :].partition("/")
        if not slash and len(pieces) > 1:
            return  # `~"x"`: a quoted name is not a user
        pieces[0:1] = [
            *([Piece("text", lead)] if lead else []),
            Piece("tilde", name),
            *([Piece("text", slash + rest)] if slash else []),
        ]

    def _single(self) -> Piece:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            refuse("a single quote is never closed", self.at, unclosed="'")
        piece = Piece("text", self.text[self.at + 1 : end], quoted=True)
        self.at = end + 1
        return piece

    def _escape(self, pieces: list[Piece]) -> None:
        follower = self.text[self.at + 1 : self.at + 2]
        if not follower:
            refuse("a backslash at the end", self.at)
        self.at += 2
        if follower != "\n":
            pieces.append(Piece("text", follower, quoted=True))

    def _double(self) -> list[Piece]:
        self.at += 1
        # an empty piece remembers that there was a quote: `""` is a word
        return [Piece("text", "", quoted=True), *self._read_quoted('"')]

    def _read_quoted(self, end: str) -> list[Piece]:
        """Text in which only `$`, backticks and backslashes are special, up to `end`."""
        pieces: list[Piece] = []
        text = self.text
        while True:
            self.check_pieces(len(pieces))
            if self.at >= self.size:
                if not end:
                    return pieces
                refuse("a double quote is never closed", self.at, unclosed='"')
            char = text[self.at]
            if char == end:
                self.at += 1
                return pieces
            if char == "\\":
                follower = text[self.at + 1 : self.at + 2]
                self.at += 2
                if follower in ("$", "`", "\\", end) and follower:
                    pieces.append(Piece("text", follower, quoted=True))
                elif follower != "\n":
                    pieces.append(Piece("text", "\\" + follower, quoted=True))
            elif char == "$":
                pieces += self._dollar(quoted=True)
            elif char == "`":
                pieces.append(self._backtick(quoted=True))
            else:
                stop = self.at
                while stop < self.size and text[stop] not in ("\\", "$", "`", end):
                    stop += 1
                pieces.append(Piece("text", text[self.at : stop], quoted=True))
                self.at = stop

    def here_word(self, body: str, quoted: bool) -> Word:
        if quoted or not any(char in body for char in "$`\\"):
            return Word([Piece("text", body, quoted=True)], body)
        inner = self.fresh(body)
        return Word(_join_texts(inner._read_quoted("")), body)

    def fresh(self, text: str) -> WordReader:
        """A reader of the same kind for a text that was taken out of this one."""
        return type(self)(text, self.depth + 1, self.budget)

    # --- `$` -------------------------------------------------------------------------------------

    def _dollar(self, *, quoted: bool) -> list[Piece]:
        self.spend()
        text, start = self.text, self.at
        follower = text[start + 1 : start + 2]
        if text.startswith("$((", start):
            self.at += 3
            return [self._arithmetic("))", quoted=quoted)]
        if follower == "(":
            self.at += 2
            return [Piece("output", script=self.script(")"), quoted=quoted)]
        if follower == "{":
            self.at += 2
            return [self._braces(quoted=quoted)]
        if follower == "[":
            refuse("`$[…]` is an old form", start)
        if follower == "'" and not quoted:
            return [self._ansi()]
        if follower == '"' and not quoted:
            self.at += 1
            return self._double()
        if follower in _NAME_START and follower:
            self.at += 1
            return [Piece("variable", name=self.name(), quoted=quoted)]
        if follower in _SPECIAL and follower:
            self.at += 2
            return [Piece("variable", name=follower, quoted=quoted)]
        self.at += 1
        return [Piece("text", "$", quoted=True)]

    def name(self) -> str:
        """An identifier; empty if none begins here."""
        start = self.at
        if self.peek() not in _NAME_START or not self.peek():
            return ""
        while self.at < self.size and self.text[self.at] in _NAME:
            self.at += 1
        return self.text[start : self.at]

    def _ansi(self) -> Piece:
        self.at += 2
        from atip.calls.shell.ansi import decode_ansi

        decoded, self.at = decode_ansi(self.text, self.at)
        return Piece("text", decoded, quoted=True)

    def _backtick(self, *, quoted: bool) -> Piece:
        """Backslashes lose one level before the inside is read."""
        self.at += 1
        inside: list[str] = []
        text = self.text
        special = "$`\\" + ('"' if quoted else "")
        while True:
            if self.at >= self.size:
                refuse("a backtick is never closed", self.at)
            char = text[self.at]
            self.at += 1
            if char == "`":
                break
            if char == "\\" and text[self.at : self.at + 1] in special and self.at < self.size:
                char = text[self.at]
                self.at += 1
            inside.append(char)
        self.enter()
        script = self.fresh("".join(inside)).script("")
        self.leave()
        return Piece("output", script=script, quoted=quoted)

    # --- `${…}` ----------------------------------------------------------------------------------

    def _braces(self, *, quoted: bool) -> Piece:
        self.enter()
        self.spend()
        start = self.at
        op = ""
        if self.peek() == "#" and self.peek(2) not in ("#}", "##", "#%", "#:", "#/"):
            self.at += 1
            op = "length"
        elif self.peek() == "!":
            self.at += 1
            op = "indirect"
        name = self.name() or self._special_name()
        nested: list[Piece] = []
        if self.take("["):
            subscript = self._until("]", quoted=quoted)
            is_all = subscript and subscript[0].kind == "text" and subscript[0].text in ("@", "*")
            op = {"indirect": "keys", "length": "length"}.get(op, "all") if is_all else op or "item"
            nested += [] if is_all else [Piece("subscript", nested=subscript)]
        if op == "indirect" and self.peek(2) in ("*}", "@}"):
            self.at += 1
            op = "names"
        if not self.take("}"):
            op, more = self._operator(op, quoted=quoted)
            nested += more
        self.leave()
        if not name:
            refuse("a substitution without a name", start)
        return Piece("variable", name=name, op=op, quoted=quoted, nested=nested)

    def _special_name(self) -> str:
        start = self.at
        if self.peek().isdigit():
            while self.peek().isdigit():
                self.at += 1
        elif self.peek() in _SPECIAL and self.peek():
            self.at += 1
        return self.text[start : self.at]

    def _operator(self, before: str, *, quoted: bool) -> tuple[str, list[Piece]]:
        """Read the operator after a variable's name: `:-word`, `%pattern`, `/a/b`, `:1:2`, `@P` …"""
        at = self.at
        for op in (":-", ":=", ":?", ":+"):
            if self.take(op):
                return _combine_operator(before, op), self._until("}", quoted=quoted)
        char = self.peek()
        if char == ":":
            self.at += 1
            slice_ = self._arithmetic("}", quoted=quoted)
            return _combine_operator(before, "slice"), [slice_]
        if char == "@":
            letter = self.peek(2)[1:]
            self.at += 2
            self.expect("}")
            if letter not in tuple("UuLQEPAKak"):
                refuse("an unknown transformation", at)
            return "prompt" if letter == "P" else _combine_operator(before, "transform"), []
        if char in ("-", "=", "?", "+", "#", "%", "/", "^", ",") and char:
            self.at += 1
            op = ":" + char if char in "-=?+" else "cut"
            return _combine_operator(before, op), self._until("}", quoted=quoted)
        return refuse("an unknown form of `${…}`", at)

    def _until(self, end: str, *, quoted: bool) -> list[Piece]:
        """The operand of `${…}` or a subscript: everything up to `end`, quotes and expansions respected."""
        pieces: list[Piece] = []
        text = self.text
        while True:
            if self.at >= self.size:
                refuse(f"`{end}` is missing", self.at)
            char = text[self.at]
            if char == end:
                self.at += 1
                return pieces
            if char == "'":
                if quoted:
                    refuse('a single quote inside `"${…}"`', self.at)
                pieces.append(self._single())
            elif char == '"':
                pieces += self._double()
            elif char == "\\":
                self._escape(pieces)
            elif char == "$":
                pieces += self._dollar(quoted=quoted)
            elif char == "`":
                pieces.append(self._backtick(quoted=quoted))
            elif char in "<>" and text.startswith("(", self.at + 1):
                refuse("a process substitution inside `${…}`", self.at)
            elif char == "[" and end == "]":
                refuse("a bracket inside a subscript", self.at)
            else:
                pieces.append(Piece("text", char, quoted=quoted))
                self.at += 1

    # --- arithmetic ------------------------------------------------------------------------------

    def _arithmetic(self, end: str, *, quoted: bool) -> Piece:
        """`$((…))`, `((…))`, an offset of `${x:…}`: names and expansions inside."""
        self.enter()
        names: list[str] = []
        nested: list[Piece] = []
        depth = 0
        text = self.text
        start = self.at
        while True:
            if self.at >= self.size:
                refuse("an arithmetic expression is never closed", start)
            char = text[self.at]
            if depth == 0 and text.startswith(end, self.at):
                self.at += len(end)
                break
            if char in _NAME_START:
                names.append(self.name())
            elif char == "$":
                nested += self._dollar(quoted=True)
            elif char == "`":
                nested.append(self._backtick(quoted=True))
            elif char in _ARITHMETIC:
                depth += {"(": 1, ")": -1}.get(char, 0)
                if depth < 0:
                    refuse("brackets that do not match", self.at)
                self.at += 1
            else:
                refuse(f"`{char}` in an arithmetic expression", self.at)
        self.leave()
        return Piece(
            "arithmetic", text[start : self.at - len(end)], quoted=quoted, name=" ".join(names),
            nested=nested,
        )  # fmt: skip


def _combine_operator(before: str, op: str) -> str:
    """`${#x%…}` and `${!x:-…}`: the first operator decides what is read."""
    return before if before in ("indirect", "keys", "length") else op


def _join_texts(pieces: list[Piece]) -> list[Piece]:
    """Neighbouring texts of the same quoting as one."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and last.kind == piece.kind == "text" and last.quoted == piece.quoted:
            joined[-1] = Piece("text", last.text + piece.text, quoted=piece.quoted)
        else:
            joined.append(piece)
    return joined
