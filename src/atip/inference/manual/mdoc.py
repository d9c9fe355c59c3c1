"""mdoc: the semantic macros of BSD manual pages → the text they stand for.

`.Op Fl o Ar file` → `[-o file]`. Lists become terms with deeper explanations, as in `roff.py`,
whose reader calls this one for every request it meets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from atip.inference.manual.roff_text import split_arguments, unescape

if TYPE_CHECKING:

    class PageReader(Protocol):
        """The reader of the page, as far as this needs it."""

        indent: int
        base: int
        saved: list[int]
        strings: dict[str, str]
        literal: bool

        def heading(self, text: str, indent: int) -> None: ...

        def text(self, text: str) -> None: ...

        def put(self, text: str, indent: int) -> None: ...

        def flush(self) -> None: ...

        def blank(self) -> None: ...


_PLAIN = frozenset(
    ("Cm", "Ic", "Pa", "Ev", "Em", "Sy", "Li", "No", "Tn", "Va", "Dv", "An", "Fn", "Ft", "Er", "Xr", "Ms", "Cd", "Vt", "Fa", "Sx", "In")
)  # fmt: skip
_ENCLOSE = {
    "Op": ("[", "]"), "Bq": ("[", "]"), "Pq": ("(", ")"), "Dq": ("“", "”"), "Sq": ("‘", "’"),
    "Ql": ("‘", "’"), "Qq": ('"', '"'), "Aq": ("<", ">"), "Brq": ("{", "}"),
}  # fmt: skip
_OPENERS = {"Oo": "[", "Bo": "[", "Po": "(", "Do": "“", "So": "‘", "Ao": "<", "Bro": "{"}
_CLOSERS = {"Oc": "]", "Bc": "]", "Pc": ")", "Dc": "”", "Sc": "’", "Ac": ">", "Brc": "}"}
_AFTER = frozenset((".", ",", ":", ";", ")", "]", "?", "!"))
_BEFORE = frozenset(("(", "["))
_NAMES = {
    "Bx": "BSD",
    "Fx": "FreeBSD",
    "Nx": "NetBSD",
    "Ox": "OpenBSD",
    "Ux": "UNIX",
    "At": "AT&T UNIX",
}
_INLINE = {
    "Fl",
    "Ar",
    "Ns",
    "Nm",
    "Xo",
    "Xc",
    "Pf",
    "Ta",
    "Lk",
    "Mt",
    *_PLAIN,
    *_ENCLOSE,
    *_OPENERS,
    *_CLOSERS,
    *_NAMES,
}
MAX_DEPTH = 20


class MdocReader:
    """The mdoc half of a reader; inactive until the page shows that it is mdoc."""

    def __init__(self, reader: PageReader) -> None:
        self.reader = reader
        self.active = False
        self.name = ""
        self.section = ""
        self.lists: list[str] = []
        self.joined = False
        """No blank before the next word."""
        self.open: list[str] = []

    def request(self, name: str, rest: str) -> bool:
        """Handles one request; False if it is not mdoc's."""
        if name in ("Dd", "Dt", "Os"):
            self.active = True
            return True
        if not self.active:
            return False
        words = self._words(rest)
        if name in ("Sh", "Ss"):
            self.section = " ".join(words).upper() if name == "Sh" else self.section
            self.reader.heading(self.inline(words), 0 if name == "Sh" else 3)
            self.lists = []
        elif name in ("Pp", "Lp", "Bd", "Ed", "Bk", "Ek", "Sm", "D1", "Dl"):
            self._block(name, words)
        elif name in ("Bl", "It", "El"):
            self._list(name, words)
        elif name == "Nd":
            self.reader.text("- " + self.inline(words))
        elif name == "Nm":
            self._program(words)
        elif name in _INLINE:
            self.reader.text(self.inline([name, *words]))
        return True

    def _words(self, rest: str) -> list[str]:
        return [unescape(word, self.reader.strings) for word in split_arguments(rest)]

    def _block(self, name: str, words: list[str]) -> None:
        if name in ("Bk", "Ek", "Sm"):
            return
        self.reader.flush()
        if name in ("D1", "Dl"):
            self.reader.put(self.inline(words), self.reader.indent + 4)
            return
        self.reader.blank()
        self.reader.literal = name == "Bd" and any(
            word in ("-literal", "-unfilled") for word in words
        )

    def _program(self, words: list[str]) -> None:
        if words and not self.name:
            self.name = words[0]
        text = self.inline(words) if words else self.name
        if self.section == "SYNOPSIS":
            self.reader.flush()  # each pattern starts with the program's name
        self.reader.text(text)

    def _list(self, name: str, words: list[str]) -> None:
        reader = self.reader
        reader.flush()
        if name == "Bl":
            if len(self.lists) < MAX_DEPTH:
                reader.saved.append(reader.base)
                reader.base = reader.indent
                self.lists.append(words[0] if words else "-item")
        elif name == "El":
            if self.lists:
                self.lists.pop()
                reader.base = reader.saved.pop() if reader.saved else 7
                reader.indent = reader.base
        else:
            reader.blank()
            kind = self.lists[-1] if self.lists else "-item"
            if kind in ("-bullet", "-dash", "-hyphen", "-enum", "-item"):
                reader.indent = reader.base + (2 if kind != "-item" else 0)
                return
            reader.put(self.inline(words), reader.base)
            reader.indent = reader.base + 7

    def inline(self, words: list[str]) -> str:
        """A line of macros and arguments as text."""
        out = _Joiner()
        closers: list[str] = []
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if word in _ENCLOSE:
                out.add(_ENCLOSE[word][0], after="glue")
                closers.append(_ENCLOSE[word][1])
            elif word in _OPENERS:
                out.add(_OPENERS[word], after="glue")
            elif word in _CLOSERS:
                out.add(_CLOSERS[word], before="glue")
            elif word == "Ns":
                out.glue()
            elif word == "Pf" and at < len(words):
                out.add(words[at], after="glue")
                at += 1
            elif word in ("Fl", "Ar"):
                at = self._flag_or_argument(word, words, at, out)
            elif word == "Nm":
                if at >= len(words) or words[at] in _AFTER or words[at] in _INLINE:
                    out.add(self.name)
            elif word == "Ta":
                out.add(" ")
            elif word in _NAMES:
                out.add(_NAMES[word])
            elif word not in _INLINE:
                out.punctuate(word)
        for closer in reversed(closers):
            out.add(closer, before="glue")
        return out.text()

    def _flag_or_argument(self, macro: str, words: list[str], at: int, out: _Joiner) -> int:
        start = at
        while at < len(words) and words[at] not in _INLINE:
            word = words[at]
            if word in _AFTER or word in _BEFORE or word == "|":
                if at == start and macro == "Ar":
                    out.add("file ...")
                out.punctuate(word)
            else:
                out.add(("-" if macro == "Fl" else "") + word)
            at += 1
        if at == start:
            out.add("-" if macro == "Fl" else "file ...", after="glue" if macro == "Fl" else "")
        return at


class _Joiner:
    """Words with blanks between, except where glue was asked for."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.glued = True

    def glue(self) -> None:
        self.glued = True

    def add(self, text: str, *, before: str = "", after: str = "") -> None:
        if not self.glued and before != "glue":
            self.parts.append(" ")
        self.parts.append(text)
        self.glued = after == "glue"

    def punctuate(self, word: str) -> None:
        if word in _AFTER:
            self.add(word, before="glue")
        elif word in _BEFORE:
            self.add(word, after="glue")
        else:
            self.add(word)

    def text(self) -> str:
        return "".join(self.parts)
