"""A small reader of KDL (versions 1 and 2): nodes with values, properties and children; nothing else is kept.

Types in parentheses are skipped, numbers stay numbers, comments go. One pass, nesting is bounded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.errors import FormatError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 40
MAX_NODES = 50_000
_BLANK = re.compile(r"(?:[ \t\ufeff\u00a0]|/\*(?:[^*]|\*(?!/))*\*/|\\[ \t]*(?://[^\n]*)?\r?\n)*")
_LINES = re.compile(r"(?:[\s;\ufeff]|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_WORD = re.compile(r"[^\s\"\\(){};=/\[\]][^\s\"\\(){};=\[\]]*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
_RAW = re.compile(r'r?(#*)"')
_NUMBER = re.compile(r"[+-]?[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " "}
_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|\s+|.)", re.S)


class KdlNode(Value):
    """One node."""

    name: str
    values: tuple[object, ...] = ()
    properties: Mapping[str, object]
    children: tuple[KdlNode, ...] = ()

    def text(self, key: str) -> str:
        """A property as text; empty if there is none."""
        value = self.properties.get(key)
        return value if isinstance(value, str) else ""

    def child(self, name: str) -> KdlNode | None:
        return next((one for one in self.children if one.name == name), None)

    @property
    def first(self) -> str:
        return str(self.values[0]) if self.values else ""


def parse_kdl(text: str) -> tuple[KdlNode, ...]:
    """The nodes of a document.

    Raises:
        FormatError: `kdl.syntax`.
    """
    reader = _Reader(text)
    nodes = reader.nodes(0)
    if reader.place < len(text):
        raise reader.error("unexpected `}`")
    return nodes


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.count = 0

    def error(self, why: str) -> FormatError:
        line = self.text.count("\n", 0, self.place) + 1
        return FormatError("kdl.syntax", f"{why} in line {line}")

    def skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.place)
        self.place = match.end() if match else self.place

    def at(self, start: str) -> bool:
        return self.text.startswith(start, self.place)

    def nodes(self, depth: int) -> tuple[KdlNode, ...]:
        """Nodes up to the end or to a closing brace, which stays."""
        if depth > MAX_DEPTH:
            raise self.error("too deep")
        nodes: list[KdlNode] = []
        while True:
            self.skip(_LINES)
            if self.place >= len(self.text) or self.at("}"):
                return tuple(nodes)
            dropped = self.at("/-")
            if dropped:
                self.place += 2
                self.skip(_LINES)
            node = self.node(depth)
            if not dropped:
                nodes.append(node)

    def node(self, depth: int) -> KdlNode:
        self.count += 1
        if self.count > MAX_NODES:
            raise self.error("too many nodes")
        self.annotation()
        name = self.scalar()
        values: list[object] = []
        properties: dict[str, object] = {}
        children: tuple[KdlNode, ...] = ()
        while True:
            self.skip(_BLANK)
            dropped = self.at("/-")
            if dropped:
                self.place += 2
                self.skip(_BLANK)
            if self.place >= len(self.text) or self.text[self.place] in "\r\n;}" or self.at("//"):
                return KdlNode(
                    name=str(name), values=tuple(values), properties=properties, children=children
                )
            if self.at("{"):
                children = self.block(depth) if not dropped else (self.block(depth), children)[1]
                continue
            key, value = self.entry()
            if dropped:
                continue
            if key is None:
                values.append(value)
            else:
                properties[key] = value

    def block(self, depth: int) -> tuple[KdlNode, ...]:
        self.place += 1
        nodes = self.nodes(depth + 1)
        if not self.at("}"):
            raise self.error("missing `}`")
        self.place += 1
        return nodes

    def entry(self) -> tuple[str | None, object]:
        self.annotation()
        value = self.scalar()
        if not self.at("="):
            return None, value
        self.place += 1
        self.annotation()
        return str(value), self.scalar()

    def annotation(self) -> None:
        if self.at("("):
            end = self.text.find(")", self.place)
            if end < 0:
                raise self.error("missing `)`")
            self.place = end + 1

    def scalar(self) -> object:
        """A string, a number, a keyword, or a bare word as text."""
        raw = _RAW.match(self.text, self.place)
        if raw and (raw[1] or raw[0].startswith("r")):
            return self.raw(raw)
        if self.at('"""'):
            return self.block_text()
        quoted = _QUOTED.match(self.text, self.place)
        if quoted:
            self.place = quoted.end()
            return _ESCAPE.sub(_unescape, quoted[1])
        word = _WORD.match(self.text, self.place)
        if word is None:
            raise self.error("a value is missing")
        self.place = word.end()
        return _plain(word[0])

    def raw(self, start: re.Match[str]) -> str:
        if self.text.startswith('""', start.end()):
            return self.raw_block(start)
        end = '"' + start[1]
        stop = self.text.find(end, start.end())
        if stop < 0:
            raise self.error("a string does not end")
        self.place = stop + len(end)
        return self.text[start.end() : stop]

    def raw_block(self, start: re.Match[str]) -> str:
        """A raw string over several lines ends with three quotes and its marks, not with one quote."""
        end = '"""' + start[1]
        stop = self.text.find(end, start.end() + 2)
        if stop < 0:
            raise self.error("a string does not end")
        self.place = stop + len(end)
        lines = self.text[start.end() + 2 : stop].split("\n")
        indent = lines[-1] if not lines[-1].strip() else ""
        return "\n".join(line.removeprefix(indent) for line in lines[1:-1])

    def block_text(self) -> str:
        stop = self.text.find('"""', self.place + 3)
        if stop < 0:
            raise self.error("a string does not end")
        lines = self.text[self.place + 3 : stop].split("\n")
        self.place = stop + 3
        indent = lines[-1] if not lines[-1].strip() else ""
        body = [line.removeprefix(indent) for line in lines[1:-1]]
        return _ESCAPE.sub(_unescape, "\n".join(body))


def _plain(word: str) -> object:
    bare = word[1:] if word.startswith("#") else word
    if bare in _WORDS:
        return _WORDS[bare]
    if _NUMBER.fullmatch(word):
        plain = word.replace("_", "")
        return float(plain) if any(char in plain for char in ".eE") else int(plain[:40])
    return word


def _unescape(match: re.Match[str]) -> str:
    body = match[1]
    if body.startswith("u{"):
        code = int(body[2:-1], 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return "" if body.isspace() else _ESCAPES.get(body, body)
