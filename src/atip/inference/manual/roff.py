"""Roff: source of manual pages, man(7) and mdoc(7) → plain indented lines.

A small reader, not a typesetter: paragraphs become one line each, terms of lists stand above their
explanations with a deeper indent, fonts and sizes vanish, conditionals take the terminal branch.
Macro definitions are skipped, strings are kept, nothing is executed or included. One pass.
"""

from __future__ import annotations

import re

from atip.inference.manual.mdoc import MdocReader
from atip.inference.manual.roff_text import split_arguments, unescape

BODY = 7
"""Indent of the text below a heading."""
STEP = 7
"""Further indent of what explains a term."""
MAX_LINES = 60_000
MAX_LINE = 16_000
_ALTERNATING = frozenset(("BR", "RB", "BI", "IB", "IR", "RI"))
"""Fonts that change with each argument: the arguments are parts of one word."""
_FONT = frozenset(("B", "I", "SM", "SB", "R", "CW"))
_SKIP_TO = {"de": "..", "de1": "..", "am": "..", "ig": "..", "TS": ".TE", "EQ": ".EN", "PS": ".PE"}


def render(source: str) -> list[tuple[str, int]]:
    """Lines of the page with the number of the source line each one starts at."""
    return _Reader().run(source)


class _Reader:
    """State of one pass over a page."""

    def __init__(self) -> None:
        self.out: list[tuple[str, int]] = []
        self.words: list[str] = []
        """Of the current paragraph, which has `size` characters and began in the source line `start`."""
        self.size = 0
        self.number = self.start = 1
        self.indent = self.base = BODY
        """Indent of the next line, and of the terms at this level; `saved` are those of outer levels."""
        self.saved: list[int] = []
        self.strings: dict[str, str] = {"lq": "“", "rq": "”", "R": "®", "Tm": "™"}
        self.literal = False
        self.tag = False
        """The next line is the term of a definition."""
        self.skip = ""
        """The line that ends what is skipped; empty: nothing is."""
        self.nesting = 0
        self.blocked = 0
        """Open `\\{` of a condition that does not hold."""
        self.taken = True
        """Whether the last `.ie` was true, for `.el`."""
        self.mdoc = MdocReader(self)

    def run(self, source: str) -> list[tuple[str, int]]:
        pending = ""
        for number, line in enumerate(source.split("\n")[:MAX_LINES], 1):
            if line.endswith("\\") and not line.endswith("\\\\") and len(pending) < MAX_LINE:
                pending += line[:-1]  # a request goes on in the next line
                continue
            self.number = number
            line, pending = (pending + line)[:MAX_LINE].rstrip(), ""
            if self.skip:
                if line.rstrip() == self.skip:
                    self.skip = ""
                continue
            if self.blocked:
                self.blocked += line.count("\\{") - line.count("\\}")
                self.blocked = max(self.blocked, 0)
                continue
            self.line(line)
        self.flush()
        return self.out

    def line(self, line: str) -> None:
        """One source line, request or text."""
        if line.startswith((".", "'")) and len(line) > 1:
            self._request(line[1:].lstrip())
        elif not line.strip():
            self.flush()
            self.blank()
        else:
            self.text(unescape(line, self.strings))

    def text(self, text: str) -> None:
        """Shown text: a term, a line of a literal block, or words of a paragraph."""
        if self.tag:
            self.tag = False
            self.flush()
            self.put(" ".join(text.split()), self.base)
            self.indent = self.base + STEP
        elif self.literal:
            self.put(text, self.indent)
        elif text.strip():
            if not self.words:
                self.start = self.number
            if self.size < MAX_LINE:
                self.words.append(text.strip())
                self.size += len(text)

    def put(self, text: str, indent: int) -> None:
        """A line of its own."""
        if text.strip():
            self.out.append((" " * min(indent, 120) + text.rstrip(), self.number))

    def flush(self) -> None:
        """Ends the current paragraph."""
        if self.words:
            paragraph = " ".join(" ".join(self.words).split())
            self.out.append((" " * min(self.indent, 120) + paragraph, self.start))
            self.words, self.size = [], 0

    def blank(self) -> None:
        """An empty line, but never two."""
        if self.out and self.out[-1][0]:
            self.out.append(("", self.number))

    def heading(self, text: str, indent: int) -> None:
        """A heading; ends every list and block."""
        self.flush()
        self.blank()
        self.put(text, indent)
        self.indent = self.base = BODY
        self.saved, self.tag, self.literal = [], False, False

    def _request(self, text: str) -> None:
        if text.startswith(('\\"', '"', "\\}")):
            return
        match = re.match(r"[^\s\\]{1,12}", text)
        name = match.group() if match is not None else ""
        rest = text[len(name) :].strip()
        cut = rest.find('\\"')
        if cut >= 0:
            rest = rest[:cut].rstrip()
        if name in _SKIP_TO:
            self.skip = _SKIP_TO[name]
        elif name in ("if", "ie", "el", "while"):
            self._condition(name, rest)
        elif name in ("ds", "as", "ds1"):
            key, _, value = rest.partition(" ")
            self.strings[key[:40]] = unescape(value.strip().lstrip('"'), {})[:400]
        elif not self.mdoc.request(name, rest):
            self._man(name, rest)

    def _condition(self, name: str, rest: str) -> None:
        """`n` (terminal) is true, everything else is not; the body follows on the same line."""
        if name == "el":
            holds = not self.taken
        else:
            test, _, rest = rest.partition(" ")
            holds = test == "n" or test.startswith("!t")
            self.taken = holds or name == "if"
        if not holds:
            self.blocked = max(rest.count("\\{") - rest.count("\\}"), 0)
        rest = rest.strip().removeprefix("\\{").removeprefix("\\").strip()
        # SECURITY: conditions nest on one line; without a limit a page could exhaust the stack.
        if holds and rest and self.nesting < 8:
            self.nesting += 1
            self.line(rest)
            self.nesting -= 1

    def _man(self, name: str, rest: str) -> None:
        if name in ("SH", "SS"):
            self.heading(" ".join(self._arguments(rest)), 0 if name == "SH" else 3)
        elif name in ("TP", "TQ"):
            self.flush()
            if name == "TP":
                self.blank()
            self.tag = True
        elif name == "IP":
            self._indent_paragraph(rest)
        elif name in ("PP", "P", "LP", "HP", "SY"):
            self.flush()
            self.blank()
            self.indent, self.tag = self.base, False
            if name == "SY":
                self.text(unescape(rest, self.strings))
        elif name in ("RS", "RE"):
            self._relative(name)
        elif name in ("nf", "EX", "fi", "EE", "br", "sp", "YS"):
            self.flush()
            self.literal = name in ("nf", "EX") or (self.literal and name in ("br", "sp"))
            if name == "sp":
                self.blank()
        elif name in _ALTERNATING or name in _FONT:
            self._fonts(name, rest)
        elif name == "OP":
            self.text(f"[{' '.join(self._arguments(rest))}]")
        elif name in ("UR", "MT", "NOP"):  # AutoGen's pages define `.NOP` as plain text
            self.text(unescape(rest, self.strings))

    def _fonts(self, name: str, rest: str) -> None:
        words = self._arguments(rest)
        if words:
            self.text(("" if name in _ALTERNATING else " ").join(words))

    def _arguments(self, rest: str) -> list[str]:
        return [unescape(word, self.strings) for word in split_arguments(rest)]

    def _indent_paragraph(self, rest: str) -> None:
        """`.IP tag`: a definition; without a tag a paragraph at the deeper indent."""
        self.flush()
        term = next(iter(self._arguments(rest)), "").strip()
        self.tag = False
        self.blank()
        if term:
            self.put(term, self.base)
        self.indent = self.base + STEP

    def _relative(self, name: str) -> None:
        self.flush()
        if name == "RS":
            self.saved.append(self.base)
            self.base = max(self.base + 4, self.indent)
        else:
            self.base = self.saved.pop() if self.saved else BODY
        self.indent = self.base
