"""Flag specs: `-o, --output=FILE`, `--[no-]color`, `-j [N]`, `-D<name>=<value>` → flags and value.

Reads the left column of a definition (or one group of a usage line) from left to right, one pass,
own scanner. What it does not understand ends the spec and is handed back as `rest`: the caller
decides whether that is a description or a reason to reject the line.
"""

from __future__ import annotations

import functools

from atip.model.value import Value

_OPEN = {"[": "]", "<": ">", "{": "}", "(": ")"}
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+@#%^*$~!/")
_LINKS = ("or", "and", "and/or", "oder", "ou", "o", "to", "through")
_TYPE_NAMES = frozenset((
    "str", "string", "int", "integer", "float", "number", "path", "file", "dir", "url",
    "list", "text",
))  # fmt: skip
_SYMBOLS = frozenset("?:@%^$~!.#<>")
_INNER_FLAG = ("[-", "(-", "[ -", "( -")
MAX_VALUE = 2_000


class FlagSpec(Value):
    """One parsed flag spec. `value` None: a plain flag."""

    flags: tuple[str, ...]
    value: str | None = None
    """Placeholder without the brackets that only mean "a value" (`<x>` → `x`)."""
    optional_value: bool = False
    repeat: bool = False
    negatable: bool = False
    truncated: bool = False
    """The terminal was too narrow and the flag was printed with an ellipsis."""
    rest: str = ""
    raw_value: str = ""
    """The placeholder as written, brackets included: choices are read from it."""
    glued: bool = False
    """The value is written without a blank or `=` (`-D<name>`, `--gdwarf-<N>`)."""
    members: tuple[FlagSpec, ...] = ()
    """Set when the line lists several options (`-empty -false -fstype TYPE`), one spec each."""


@functools.lru_cache(2_000)  # a line is read where it is looked for, and where it is used
def parse_flags(text: str) -> FlagSpec | None:
    """The spec at the start of `text`, or None if it does not start with a flag."""
    return _Scanner(text).run()


def matching(text: str, start: int) -> int:
    """Index after the bracket that closes the one at `start`; 0 if none does within reach."""
    stack = [_OPEN[text[start]]]
    end = min(len(text), start + MAX_VALUE)
    index = start + 1
    while index < end:
        char = text[index]
        if char == stack[-1]:
            stack.pop()
            if not stack:
                return index + 1
        elif char in _OPEN and not (char == "<" and text[index + 1 : index + 2] in ("=", " ")):
            if len(stack) > 30:
                return 0
            stack.append(_OPEN[char])
        index += 1
    return 0


class _Scanner:
    """State of one pass; `at` only grows."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.flags: list[str] = []
        self.values: list[tuple[str, bool]] = []
        self.owners: list[int] = []
        """For each value, the number of flags read before it."""
        self.spaced = 0
        """Separators that are only blanks, or a bar between blanks."""
        self.repeat = self.negatable = self.truncated = self.glued = self.family = False

    def run(self) -> FlagSpec | None:
        if self.text.startswith("-, "):  # a lone dash as the first spelling
            self.at = 3
            while self._peek() == " ":
                self.at += 1
        number = self.text.find(">, -", 2, 40) if self.text.startswith("-<") else -1
        if number > 0:  # a bare value as the first spelling: `-<number>, -n <number>`
            self.at = number + 3
        while self._flag():
            self._value()
            self.owners += [len(self.flags)] * (len(self.values) - len(self.owners))
            mark = self.at
            if not self._separator():
                self.at = mark
                break
        if not self.flags:
            return None
        raw, optional = self._best_value()
        members = self._members() if self.spaced >= 2 and len(self.flags) > 2 else ()
        return FlagSpec(
            members=members,
            flags=tuple(dict.fromkeys(self.flags)),
            value=plain_placeholder(raw) if raw or optional else None,
            optional_value=optional,
            repeat=self.repeat,
            negatable=self.negatable,
            truncated=self.truncated,
            rest=self.text[self.at :].strip(),
            raw_value=raw,
            glued=self.glued,
        )

    def _members(self) -> tuple[FlagSpec, ...]:
        """Spellings differ in their dashes; a row of flags of one kind is a list of options."""
        if len({flag.startswith("--") for flag in self.flags}) > 1:
            return ()
        own = dict(zip(self.owners, self.values, strict=False))
        members = []
        for index, flag in enumerate(self.flags, 1):
            raw, optional = own.get(index, ("", False))
            value = plain_placeholder(raw) if raw or optional else None
            members.append(
                FlagSpec(flags=(flag,), value=value, raw_value=raw, optional_value=optional)
            )
        return tuple(members)

    def _best_value(self) -> tuple[str, bool]:
        values = [value for value in self.values if value[0] or value[1]]
        if not values:
            return "", False
        return max(values, key=lambda value: (value[0] not in ("", "="), not value[1]))

    def _peek(self, offset: int = 0) -> str:
        index = self.at + offset
        return self.text[index] if index < len(self.text) else ""

    def _flag(self) -> bool:
        text, start = self.text, self.at
        if self._peek() not in ("-", "\u2212", "\u2013") or not self._peek(1):
            return False
        while self._peek() in ("-", "\u2212", "\u2013") and self.at - start < 2:
            self.at += 1
        dashes = "-" * (self.at - start)
        negation = self._negation()
        begin = self.at
        while self.at < len(text) and text[self.at] in _NAME:
            if text[self.at] == "/" and self._peek(1) in ("-", " ", ""):
                break
            if text.startswith("...", self.at):
                break
            self.at += 1
        name = text[begin : self.at]
        if not name and dashes == "-" and self._peek() in ("?", ":", "<", ">"):
            if self._peek() in "<>" and self._peek(1) not in (" ", ","):
                self.at = start
                return False
            name = self._peek()
            self.at += 1
        if self._peek() == "?" and name and dashes == "--":
            self.at += 1
        name = name.rstrip(".") or name
        family = name[-1:] == "-" and self._peek() in ("<", "{", "[") and "--" not in name
        if "--" in name or (name[-1:] == "-" and not family):
            name = ""  # `-rw-r--r--` is a mode
        if not name or not (name[0].isalnum() or name in _SYMBOLS):
            self.at = start
            return False
        if family:
            # `--gdwarf-<N>` is a family of flags, not a flag.
            self.family = True
        else:
            self._keep(dashes, name, negation)
        return True

    def _keep(self, dashes: str, name: str, negation: str) -> None:
        if self._peek() == "\u2026":
            self.truncated = True
            self.at += 1
            name += "\u2026"
        if "/no-" in name and dashes == "--":  # `--color/no-color`
            first, _, second = name.partition("/")
            self.flags += [dashes + first, dashes + second]
            self.negatable = True
            return
        self.flags.append(dashes + name)
        if negation:
            self.flags.append(dashes + negation + name)
            self.negatable = True

    def _negation(self) -> str:
        """`[no-]` before a name: the flag exists with and without it."""
        for prefix in ("[no-]", "(no-)", "[no]", "{no-}", "[disable-]", "[un]", "[dont-]"):
            if self.text.startswith(prefix, self.at):
                self.at += len(prefix)
                return prefix[1:-1]
        return ""

    def _value(self) -> None:
        """Read the text behind a flag: nothing, `...`, or a placeholder in one of its spellings."""
        if self._ellipsis():
            return
        char = self._peek()
        if char == "[" and self._peek(1) == "=":
            self._read_brackets(optional=True)
        elif char in ("=", ":") and self._peek(1) not in ("", " ", ","):
            self.at += 1
            self._word(equals=True)
        elif char in ("=", ":"):
            self.at += 1
            if char == "=":  # `--host=`: a value without a name (systemd)
                self.values.append(("=", False))
        elif char == "[":
            self._read_brackets(optional=True)
            self.glued = True
        elif char in _OPEN and not self.text.startswith("(s)", self.at):
            self._read_brackets(optional=False)
            self.glued = True
        elif char == " ":
            self._after_blank()
        self._ellipsis()

    def _after_blank(self) -> None:
        mark = self.at
        while self._peek() == " ":
            self.at += 1
        if not self._is_placeholder():
            self.at = mark
            return
        if self._peek() == "=":
            self.at += 1
            while self._peek() == " ":
                self.at += 1
        self._word(equals=False)
        while self._peek() == " " and self._more_value():
            self.at += 1
            self._word(equals=False, join=True)

    def _is_placeholder(self) -> bool:
        text, at = self.text, self.at
        char = self._peek()
        if not char or char in ",|/;:)-\u2013\u2014" or text.startswith(_INNER_FLAG, at):
            return False
        if char == "(":
            inner = text[at + 1 : max(matching(text, at) - 1, at + 1)]
            return "|" in inner or inner.lower() in _TYPE_NAMES
        word = text[at : at + 40].split(" ", 1)[0].rstrip(",")
        return word not in _LINKS

    def _more_value(self) -> bool:
        """Whether the next word still belongs to the placeholder (`<a> <b>`, `JSON ARRAY`)."""
        rest = self.text[self.at + 1 : self.at + 60]
        if rest.startswith("| ") and rest[2:3].isalpha():
            self.at += 2
            return True
        if not rest or rest[0] in " -,|/(":
            return False
        word = rest.split(" ", 1)[0].rstrip(",")
        if rest[0] in "<[{":
            return not rest.startswith("[-")
        first = self.values[-1][0].split(" ")[0]
        return word == first or (word.isupper() and first.isupper())

    def _word(self, *, equals: bool, join: bool = False) -> None:
        """A placeholder up to a blank or comma outside of brackets."""
        text, start = self.text, self.at
        limit = min(len(text), start + MAX_VALUE)
        balanced = True
        while self.at < limit:
            char = text[self.at]
            if char in _OPEN and balanced:
                # SECURITY: one failed search per word, else a row of brackets costs a square.
                end = matching(text, self.at)
                balanced = end > 0
                self.at = end or self.at + 1
                continue
            if char == " " or (char == "," and text[self.at + 1 : self.at + 2] in ("", " ", "-")):
                break
            next_two = text[self.at + 1 : self.at + 3]
            if char in "|/" and next_two[:1] == "-" and next_two[1:] not in ("", " ", ","):
                break  # another flag; `PREFIX|-` goes on
            if char == ":" and text[self.at + 1 : self.at + 2] in ("", " "):
                break
            if char in "'\"" and equals:
                close = text.find(char, self.at + 1, limit)
                self.at = close if close > 0 else self.at
            self.at += 1
        raw = text[start : self.at]
        if self._peek() == ":":
            self.at += 1
        optional = raw.startswith("[") and raw.endswith("]") and matching(raw, 0) == len(raw)
        if join and self.values:
            last, was = self.values.pop()
            self.values.append((f"{last} {raw}", was and optional))
        else:
            self.values.append((raw, optional and "|" not in raw))

    def _read_brackets(self, *, optional: bool) -> None:
        end = matching(self.text, self.at)
        if not end:
            return
        raw = self.text[self.at : end]
        self.at = end
        if optional and raw.startswith("[="):
            raw = raw[2:-1]
        # `-D<name>=<value>` goes on without a blank.
        follow = self.at
        balanced = not optional
        while balanced and follow < len(self.text) and self.text[follow] not in " ,|":
            close = matching(self.text, follow) if self.text[follow] in _OPEN else follow + 1
            balanced = close > 0
            follow = close or follow
        raw += self.text[self.at : follow]
        self.at = follow
        self.values.append((raw, optional))

    def _ellipsis(self) -> bool:
        for dots in ("...", "\u2026", " ...", " \u2026", "[...]"):
            if self.text.startswith(dots, self.at) and not self.text.startswith("... -", self.at):
                self.at += len(dots)
                self.repeat = True
                return True
        return False

    def _separator(self) -> bool:
        """Blanks, commas, bars, slashes and linking words; True if a flag follows them."""
        text, size = self.text, len(self.text)
        start = self.at
        while self.at < size and text[self.at] in " ,|/;":
            self.at += 1
        self.spaced += text[start : self.at].strip() in ("", "|") and text[start : start + 1] == " "
        for word in _LINKS:
            if text.startswith(word + " ", self.at):
                self.at += len(word)
                while self._peek() == " ":
                    self.at += 1
                break
        if text.startswith(('("', "('"), self.at):  # `-1 ("one"), --single-transaction`
            end = matching(text, self.at)
            if end and text.startswith(", -", end):
                self.at = end + 2
        if text.startswith(_INNER_FLAG, self.at) and self._closes_flag():
            self.at += 1
        return self._peek() == "-" and self._peek(1) not in ("", " ")

    def _closes_flag(self) -> bool:
        """`-h [--help]` and `-o [ --output ]`: another spelling in brackets."""
        end = matching(self.text, self.at)
        inner = self.text[self.at + 1 : end - 1] if end else ""
        if not inner or " " in inner.strip() or inner.strip() in self.flags:
            return False
        self.text = self.text[: self.at + 1] + inner.strip() + " " + self.text[end:]
        return True


def plain_placeholder(raw: str) -> str:
    """`<FILE>` → `FILE`, `[=WHEN]` → `WHEN`, `'json'` → `json`; other text as it is."""
    text = raw.strip()
    while len(text) > 1 and text[0] in "<[{(" and matching(text, 0) == len(text):
        text = text[1:-1].strip()
    text = text.lstrip("=").strip()
    if text.endswith("..."):
        text = text[:-3].rstrip()
    if len(text) > 1 and text[0] == "<" and matching(text, 0) == len(text):
        text = text[1:-1]
    return text


def is_long_behind_one_dash(flag: str) -> bool:
    """`-name`: a word behind one dash; or several flags in one."""
    return len(flag) > 2 and not flag.startswith("--")
