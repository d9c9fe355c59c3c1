"""A document of a CLI.md bundle: front matter and body, with its text kept so that writing loses no comment.

Seven kinds, recognized by file name: CLI, TOOL, SECRETS, RUNNER, INTENT, DRIVER, AGENT-CLI. Reading is bounded and strict
about YAML (`model.reading.yaml_reader`); what the fields mean is `manifest.py`, what is wrong with them
`check.py`. Implements AIP-29 "Frontmatter", "Body".
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from atip.model.reading.reader import DOCUMENT, fail, read_text
from atip.model.reading.yaml_reader import WrittenFloat, WrittenInt, parse_yaml, split_front_matter
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = ("CLI", "TOOL", "SECRETS", "RUNNER", "INTENT", "DRIVER", "AGENT-CLI")
_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*|\"[^\"]*\"|'[^']*')\s*:(?=\s|\Z)")
_PLAIN = re.compile(r"[A-Za-z_./][A-Za-z0-9_./ +()*-]*\Z")
_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"))


class Document(Value):
    """One file as read."""

    kind: str
    fields: Mapping[str, Any]
    """The front matter; keys of all objects are text (P10)."""
    body: str = ""
    """Markdown after it; informational."""
    text: str = ""
    """The whole file as written."""


def kind_of_name(name: str) -> str | None:
    """The kind of a file by its name, None for others."""
    stem = name.rpartition("/")[2]
    stem = stem[:-3] if stem.endswith(".md") else ""
    if stem.endswith(".INTENT"):
        return "INTENT"
    return stem if stem in KINDS else None


def read_document(data: bytes, kind: str) -> Document:
    """Read a file's bytes as a Document.

    Raises:
        FormatError: with line and column; `format.no-front-matter`, `format.syntax` …
    """
    text = read_text(data, DOCUMENT)
    matter, body = split_front_matter(text)
    fields = parse_yaml(matter, DOCUMENT, first_line=2)
    if not isinstance(fields, dict):
        raise fail("format.type", f"the front matter of {kind}.md must be an object")
    return Document(kind=kind, fields=_to_plain(fields), body=body, text=text)


def _to_plain(value: Any) -> Any:
    """Keys as text; numbers whose spelling matters (`version: 1.10`) as text too."""
    if isinstance(value, dict):
        return {str(key): _to_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_to_plain(item) for item in value]
    if isinstance(value, (WrittenFloat, WrittenInt)):
        return value.text if isinstance(value, WrittenFloat) else int(value)
    return value


# --- writing -------------------------------------------------------------------------------------


def render_document(
    fields: Mapping[str, Any], body: str = "", *, old: Document | None = None
) -> str:
    """The text of a file. With `old`, lines of unchanged fields stay as they are, comments included."""
    if old is None:
        matter = "".join(render_field(key, value) for key, value in fields.items())
        return f"---\n{matter}---\n{body}"
    if dict(old.fields) == dict(fields) and old.body == body:
        return old.text
    matter, _ = split_front_matter(old.text)
    return f"---\n{_edit(matter, old.fields, fields)}---\n{body}"


def _edit(matter: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    blocks = _blocks(matter)
    text = "".join(blocks.pop("", []))
    for key, lines in blocks.items():
        if key not in after:
            continue
        if before.get(key) == after[key]:
            text += "".join(lines)
        else:
            text += render_field(key, after[key]) + "".join(_trailing_lines(lines))
    for key, value in after.items():
        if key not in blocks:
            text += render_field(key, value)
    return text


def _blocks(matter: str) -> dict[str, list[str]]:
    """Lines by top-level key; comments before the first key are under the empty one."""
    blocks: dict[str, list[str]] = {"": []}
    current = ""
    for line in matter.splitlines(keepends=True):
        match = _KEY.match(line)
        if match is not None:
            current = match.group(1).strip("'\"")
        blocks.setdefault(current, []).append(line if line.endswith("\n") else line + "\n")
    return blocks


def _trailing_lines(lines: list[str]) -> list[str]:
    """Comment and empty lines at the end of a block: they belong to the next block."""
    trailing: list[str] = []
    for line in reversed(lines[1:]):
        if line.strip() and not line.startswith("#"):
            break
        trailing.insert(0, line)
    return trailing


def render_field(key: str, value: object, indent: int = 0) -> str:
    """One field as YAML, block style; every text that could be read as something else is quoted."""
    lead = "  " * indent
    is_identifier = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", key) and key.lower() not in _WORDS
    name = key if is_identifier else _quote(key)
    if isinstance(value, dict) and value:
        inner = "".join(render_field(str(child), item, indent + 1) for child, item in value.items())
        return f"{lead}{name}:\n{inner}"
    if isinstance(value, (list, tuple)) and any(isinstance(item, (dict, list)) for item in value):
        return f"{lead}{name}:\n" + "".join(_item(item, indent + 1) for item in value)
    return f"{lead}{name}: {_flow(value)}\n"


def _item(value: object, indent: int) -> str:
    return f"{'  ' * indent}- {_flow(value)}\n"


def _flow(value: object) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        inner = ", ".join(f"{_scalar(str(key))}: {_flow(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, str) and _PLAIN.match(value) and value.lower() not in _WORDS:
        return value if value == value.rstrip() else _quote(value)
    return _quote(value) if isinstance(value, str) else json.dumps(value)


def _quote(text: str) -> str:
    """A YAML string in double quotes; what is not printable is escaped, line separators among it."""
    escaped = ""
    for character in text:
        code = ord(character)
        if character in '"\\':
            escaped += "\\" + character
        elif character.isprintable():
            escaped += character
        else:
            escaped += f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return f'"{escaped}"'
