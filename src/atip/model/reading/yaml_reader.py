"""YAML under the rules of the strict reader: bounded, no surprises, one document.

Built on the event stream of `ruamel.yaml`, never on its constructors: we decide what a scalar
means. YAML 1.2 core schema with these rules: `yes`/`no`/`on` are strings; a number whose text would
be lost (`1.10`, `0x1F`) keeps it (`WrittenFloat`, `WrittenInt`); duplicate keys, merge keys, tags,
infinities, keys that are not scalars and a second document are refused; aliases are few and count
as what they stand for.
"""

from __future__ import annotations

import re

from atip.errors import FormatError
from atip.model.problems import render_path
from atip.model.reading.reader import DOCUMENT, ReadLimits, fail, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Parts = tuple[str | int, ...]

MAX_ALIASES = 64
_INTEGER = re.compile(r"[-+]?[0-9]+\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_TAB_INDENT = re.compile(r"(?:\A|\n) *\t")
_BRACKETS = re.compile(r"[\[\]{}]")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_PLAIN_TAGS = (None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


class WrittenFloat(float):
    """A number that was written in a way its value does not show: `text` has it."""

    text: str


class WrittenInt(int):
    """See WrittenFloat; `007`, `0x1F`, `+5`."""

    text: str


def read_yaml(data: bytes, limits: ReadLimits = DOCUMENT) -> object:
    """One YAML document → plain values. Raises FormatError with line and column."""
    return parse_yaml(read_text(data, limits), limits)


def parse_yaml(text: str, limits: ReadLimits = DOCUMENT, *, first_line: int = 1) -> object:
    """Like `read_yaml` for text that is known to be UTF-8; `first_line` shifts line numbers."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError, YAMLStreamError

    _refuse_outline(text, limits, first_line)
    builder = _Builder(text, limits, first_line)
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            builder.take(event)
    except (YAMLError, YAMLStreamError) as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        what = getattr(error, "problem", None) or str(error).split("\n", 1)[0]
        raise fail("format.syntax", f"not YAML: {what}{_at(mark, first_line)}") from error
    except (
        ValueError,
        RecursionError,
        AttributeError,
        IndexError,
        AssertionError,
        TypeError,
        KeyError,
    ) as error:
        # The parser library has a few uncaught cases on malformed input; to a caller that is one thing.
        raise fail("format.syntax", "not YAML: the parser failed") from error
    return builder.result()


def split_front_matter(text: str) -> tuple[str, str]:
    """`---\\nyaml\\n---\\nbody` → (yaml, body). The front matter ends at the second `---` line.

    Raises:
        FormatError: `format.no-front-matter`.
    """
    lines = text.splitlines(keepends=True)
    if lines and lines[0].rstrip() == "---":
        for index, line in enumerate(lines[1:], 1):
            if line.rstrip() == "---":
                return "".join(lines[1:index]), "".join(lines[index + 1 :])
    raise fail(
        "format.no-front-matter",
        "the file has no front matter between two `---` lines",
        hint="begin the file with `---`, the YAML fields, and `---`",
    )


def _refuse_outline(text: str, limits: ReadLimits, first_line: int) -> None:
    """Refuse tabs in the indentation and deep nesting before parsing: the parser is slow or lenient about them."""
    tab = _TAB_INDENT.search(text)
    if tab:
        line = text.count("\n", 0, tab.start() + 1) + first_line
        raise fail(
            "format.tab-indent", f"a tab in the indentation at line {line}", hint="use spaces"
        )
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth = max(0, depth + (1 if bracket[0] in "[{" else -1))
        if depth > limits.max_depth:
            raise fail("format.too-deep", f"nested deeper than {limits.max_depth} levels")


def _at(mark: Any, first_line: int) -> str:
    return "" if mark is None else f" at line {mark.line + first_line}, column {mark.column + 1}"


class _Node:
    """A container under construction."""

    __slots__ = ("anchor", "key", "size", "value")

    def __init__(self, value: dict[str, object] | list[object], anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.key: str | None = None
        self.size = 1


class _Builder:
    """Turns parse events into values; holds all limits."""

    def __init__(self, text: str, limits: ReadLimits, first_line: int) -> None:
        self.text = text
        self.flow: list[bool] = []
        self.limits = limits
        self.first_line = first_line
        self.stack: list[_Node] = []
        self.anchors: dict[str, tuple[object, int]] = {}
        self.root: list[object] = []
        self.items = self.aliases = self.documents = 0

    def result(self) -> object:
        return self.root[0] if self.root else None

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        self.refuse_loose(event, kind)
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            self.open(event, {} if kind[0] == "M" else [])
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self.close()
        elif kind == "ScalarEvent":
            self.scalar(event)
        elif kind == "AliasEvent":
            self.alias(event)
        elif kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                raise self.fail("format.two-documents", "the file has a second document", event)

    def refuse_loose(self, event: Any, kind: str) -> None:
        """Malformed text that the parser library lets pass, or reads otherwise than YAML 1.2 says."""
        start, end = event.start_mark.index, event.end_mark.index
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            self.flow.append(bool(event.flow_style))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            was_flow = self.flow.pop()
            if was_flow and self.text[end : end + 1] == "#":
                raise self.fail("format.syntax", "a comment must follow a space", event)
        elif kind == "ScalarEvent":
            self.refuse_loose_scalar(event, start, end)
        if self.flow and self.flow[-1] and event.start_mark.line and kind != "DocumentStartEvent":
            parent = sum(1 for flow in self.flow if not flow)
            if parent and event.start_mark.column == 0 and start < len(self.text):
                raise self.fail("format.syntax", "flow content must be indented", event)

    def refuse_loose_scalar(self, event: Any, start: int, end: int) -> None:
        in_flow = bool(self.flow) and self.flow[-1]
        if event.style in ("'", '"') and self.text[end : end + 1] == "#":
            raise self.fail("format.syntax", "a comment must follow a space", event)
        if in_flow and event.style in (None, "") and event.value == "-":
            raise self.fail("format.syntax", "`-` alone is not a value here", event)
        if in_flow and start and self.text[start - 1] == "?":
            raise self.fail("format.syntax", "`?` must be followed by a space", event)
        if event.style == "|" and event.value == "" and self.text[start : start + 2] == "|+":
            raise self.fail("format.syntax", "an empty block with `+` is ambiguous", event)

    def fail(self, code: str, message: str, event: Any) -> FormatError:
        return fail(code, message + _at(event.start_mark, self.first_line), path=self.path())

    def path(self) -> str:
        parts = [
            len(node.value) if node.key is None and isinstance(node.value, list) else node.key
            for node in self.stack
        ]
        return render_path(tuple(part for part in parts if part is not None))

    def open(self, event: Any, value: dict[str, object] | list[object]) -> None:
        self.refuse_tag(event)
        if self.is_key():
            raise self.fail("format.key", "a key must be a scalar", event)
        if len(self.stack) >= self.limits.max_depth:
            raise self.fail(
                "format.too-deep", f"nested deeper than {self.limits.max_depth} levels", event
            )
        self.stack.append(_Node(value, event.anchor))

    def close(self) -> None:
        node = self.stack.pop()
        if node.anchor is not None:
            self.anchors[node.anchor] = (node.value, node.size)
        self.put(node.value, node.size)

    def scalar(self, event: Any) -> None:
        self.refuse_tag(event)
        plain = event.implicit[0] and event.style in (None, "") and event.tag is None
        if self.is_key():
            self.put_key(event.value, event, plain)
            return
        value = self.plain(event) if plain else event.value
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        self.put(value, 1)

    def alias(self, event: Any) -> None:
        self.aliases += 1
        if self.aliases > MAX_ALIASES:
            raise self.fail("format.too-many", f"more than {MAX_ALIASES} aliases", event)
        if event.anchor not in self.anchors:
            raise self.fail("format.syntax", f"alias `{event.anchor}` before its anchor", event)
        value, size = self.anchors[event.anchor]
        if self.is_key():
            if not isinstance(value, str):
                raise self.fail("format.key", "a key must be a string", event)
            self.put_key(value, event, False)
            return
        self.put(value, size)

    def refuse_tag(self, event: Any) -> None:
        tag = event.tag if event.tag is None else str(event.tag)
        if tag not in _PLAIN_TAGS:
            raise self.fail("format.tag", f"tag `{tag[:80]}` is not accepted", event)

    def is_key(self) -> bool:
        return (
            bool(self.stack)
            and isinstance(self.stack[-1].value, dict)
            and self.stack[-1].key is None
        )

    def put_key(self, key: str, event: Any, plain: bool) -> None:
        node = self.stack[-1]
        if plain and key == "<<":
            raise self.fail("format.merge-key", "merge keys are not accepted", event)
        if plain and key in ("", "~", "null"):
            raise self.fail("format.key", "a key is empty", event)
        if key in node.value:
            raise self.fail("format.duplicate-key", f"key `{key[:80]}` appears twice", event)
        if len(node.value) >= self.limits.max_keys:
            raise self.fail("format.too-many", f"more than {self.limits.max_keys:,} keys", event)
        node.key = key

    def put(self, value: object, size: int) -> None:
        self.items += size
        if self.items > self.limits.max_items:
            raise fail("format.too-many", f"more than {self.limits.max_items:,} values")
        if not self.stack:
            self.root.append(value)
            return
        node = self.stack[-1]
        node.size += size
        if isinstance(node.value, list):
            node.value.append(value)
        else:
            assert node.key is not None
            node.value[node.key] = value
            node.key = None

    def plain(self, event: Any) -> object:
        text: str = event.value
        if text in _WORDS:
            return _WORDS[text]
        if _NOT_FINITE.match(text):
            raise self.fail("format.not-finite", f"`{text}` is not a finite number", event)
        if _INTEGER.match(text):
            if len(text) > 20:
                raise self.fail("format.number-range", "an integer has more than 19 digits", event)
            return _keep_spelling(text, int(text, 0 if text[1:2] in ("o", "x") else 10), WrittenInt)
        if _FLOAT.match(text):
            value = float(text)
            if value in (float("inf"), float("-inf")):
                raise self.fail("format.number-range", "a number is too large", event)
            return _keep_spelling(text, value, WrittenFloat)
        return text


def _keep_spelling(text: str, value: Any, number_type: Any) -> object:
    if repr(value) == text:
        return value
    number = number_type(value)
    number.text = text
    return number
