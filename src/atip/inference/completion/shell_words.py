"""Shell words: completion scripts as tokens, read as text and never run.

Enough of the common lexis of bash, zsh and fish: quotes, concatenation, comments, line joins,
brace lists outside of quotes, separators. No expansion, no substitution, one pass.
"""

from __future__ import annotations

from atip.model.value import Value

WORD, BREAK, OPEN, CLOSE, ARM = "word", "break", "open", "close", "arm"
MAX_TOKENS = 120_000
MAX_TEXT = 4_000_000
_OPEN_BRACE, _CLOSE_BRACE, _COMMA = "\x01", "\x02", "\x03"
_ESCAPES = {"n": "\n", "t": "\t"}


class ShellToken:
    """A word or a separator, and the line it starts on."""

    __slots__ = ("kind", "line", "quoted", "text")

    def __init__(self, kind: str, text: str, line: int, *, quoted: bool = False) -> None:
        self.kind = kind
        self.text = text
        self.line = line
        self.quoted = quoted

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.text!r}, {self.line})"


class ShellDialect(Value):
    """Quoting rules that differ between shells."""

    backslash_in_single: bool = False
    """fish: `\\'` inside of single quotes."""


BASH = ShellDialect()
FISH = ShellDialect(backslash_in_single=True)


def tokenize(text: str, dialect: ShellDialect = BASH) -> list[ShellToken]:
    """Tokens of a script; unbalanced quotes end with the text."""
    return _Lexer(text[:MAX_TEXT], dialect).run()


class _Lexer:
    def __init__(self, text: str, dialect: ShellDialect) -> None:
        self.text = text
        self.dialect = dialect
        self.at = 0
        self.line = 1
        self.tokens: list[ShellToken] = []

    def run(self) -> list[ShellToken]:
        text, size = self.text, len(self.text)
        while self.at < size and len(self.tokens) < MAX_TOKENS:
            char = text[self.at]
            if char == "\n":
                self._add(BREAK, char)
                self.line += 1
                self.at += 1
            elif char in " \t\r":
                self.at += 1
            elif char == "#" and (self.at == 0 or text[self.at - 1] in " \t\n;("):
                end = text.find("\n", self.at)
                self.at = size if end < 0 else end
            elif char == ";":
                double = text[self.at : self.at + 2] in (";;", ";&")
                self._add(ARM if double else BREAK, ";;" if double else ";")
                self.at += 2 if double else 1
            elif char in "()":
                self._add(OPEN if char == "(" else CLOSE, char)
                self.at += 1
            elif char in "&|<>":
                self._add(BREAK if char in "&|" else WORD, char)
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.line += 1
                self.at += 2
            else:
                self._word()
        return self.tokens

    def _add(self, kind: str, text: str) -> None:
        self.tokens.append(ShellToken(kind, text, self.line))

    def _word(self) -> None:
        text, size, start = self.text, len(self.text), self.line
        parts: list[str] = []
        quoted = False
        while self.at < size:
            char = text[self.at]
            if char in " \t\r\n;()&|<>":
                if char == "(" and parts and parts[-1].endswith("$"):
                    break  # `$(`: a substitution; its words are tokens of their own
                break
            if text.startswith("${", self.at) and (end := _expansion_end(text, self.at)):
                # what stands inside is one piece, spaces and parentheses too: `${specs//#\(/(* }`
                parts.append(text[self.at : end])
                self.line += text.count("\n", self.at, end)
                self.at = end
            elif char in "'\"":
                quoted = True
                parts.append(self._read_quoted(char))
            elif char == "\\":
                self.at += 1
                if self.at < size:
                    if text[self.at] == "\n":
                        self.line += 1
                    else:
                        parts.append(text[self.at])
                self.at += 1
            else:
                parts.append({"{": _OPEN_BRACE, "}": _CLOSE_BRACE, ",": _COMMA}.get(char, char))
                self.at += 1
        token = ShellToken(WORD, "".join(parts), start, quoted=quoted)
        self.tokens.append(token)

    def _read_quoted(self, quote: str) -> str:
        text, size = self.text, len(self.text)
        self.at += 1
        parts: list[str] = []
        escapes = quote == '"' or self.dialect.backslash_in_single
        while self.at < size and text[self.at] != quote:
            char = text[self.at]
            if char == "\n":
                self.line += 1
            if char == "\\" and escapes and self.at + 1 < size:
                following = text[self.at + 1]
                if following == "\n":
                    self.line += 1
                elif following in "\\\"'$`":
                    parts.append(following)
                else:
                    parts.append(char + following)
                self.at += 2
                continue
            parts.append(char)
            self.at += 1
        self.at += 1
        return "".join(parts)


MAX_EXPANSION = 4_000


def _expansion_end(text: str, start: int) -> int:
    """Index behind `${…}`, nested ones included; 0 if it does not end within MAX_EXPANSION characters."""
    depth, at = 0, start
    limit = min(len(text), start + MAX_EXPANSION)
    while at < limit:
        if text[at] == "\\":
            at += 1
        elif text.startswith("${", at):
            depth += 1
            at += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return 0


def expand_braces(word: str) -> list[str]:
    """`{-h,--help}[text]` → two words; only braces that stood outside of quotes count."""
    words = [""]
    at = 0
    while at < len(word):
        if word[at] == _OPEN_BRACE:
            end = word.find(_CLOSE_BRACE, at)
            inner = word[at + 1 : end] if end > 0 else ""
            if _COMMA in inner and len(words) < 64 and _OPEN_BRACE not in inner:
                words = [head + part for head in words for part in inner.split(_COMMA)]
                at = end + 1
                continue
        words = [head + word[at] for head in words]
        at += 1
    return [plain(part) for part in words]


def read_labels(tokens: list[ShellToken], at: int) -> tuple[list[str] | None, int]:
    """Labels of a case arm, `(add|rm)` or `add|rm)`, and the index behind it; None at `esac`, which is not read."""
    labels: list[str] = []
    while at < len(tokens):
        token = tokens[at]
        if token.kind == WORD and plain(token.text) == "esac":
            return None, at
        at += 1
        if token.kind in (CLOSE, ARM):
            break
        if token.kind == WORD:
            labels += [part for word in expand_braces(token.text) for part in word.split("|")]
    return labels, at


def plain(word: str) -> str:
    """A word with its braces and commas as they were written."""
    return word.replace(_OPEN_BRACE, "{").replace(_CLOSE_BRACE, "}").replace(_COMMA, ",")


def without_substitutions(text: str) -> str:
    """A list without `$(…)` and backquotes: what they give is only known at run time."""
    if "$(" not in text and "`" not in text:
        return text
    chars: list[str] = []
    depth = at = 0
    quoted = False
    while at < len(text):
        if text[at] == "`":
            quoted = not quoted
        elif text.startswith("$(", at):
            depth += 1
            at += 1
        elif depth and text[at] == "(":
            depth += 1
        elif depth and text[at] == ")":
            depth -= 1
        elif not depth and not quoted:
            chars.append(text[at])
        at += 1
    return "".join(chars)
