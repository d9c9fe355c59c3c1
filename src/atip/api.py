"""The functions behind `atip.load`, `atip.validate` and their siblings: thin, typed, documented.

Workflows that need a store, a sandbox or a network are methods of `Toolbox`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    from atip.codecs.interface import Encoded
    from atip.model.diff.compare import Diff
    from atip.model.lint.linter import LintFinding
    from atip.model.problems import Problem
    from atip.model.tool import Tool

    Document = bytes | str | os.PathLike[str] | dict[str, Any]


def load(data: Document) -> Tool:
    """Read ATIP metadata or a shim of any version, leniently, from a path, bytes, text or values.

    Raises:
        FormatError: with all problems found.
    """
    from atip.model.reading.decode import decode

    return decode(_content(data)).tool


def validate(data: Document, strict: bool = True) -> list[Problem]:
    """All problems of a document of any kind we know; empty when there are none.

    Unreadable bytes are a problem too, not an exception.
    """
    from atip.codecs.cmp.check import judge_document
    from atip.errors import FormatError
    from atip.model.reading.reader import read_json

    content = _content(data)
    try:
        value = read_json(content) if isinstance(content, bytes) else content
    except FormatError as error:
        return list(error.problems)
    return list(judge_document(value, mode="strict" if strict else "lenient").problems)


def lint(tool: Tool | Document) -> list[LintFinding]:
    """Findings about unwise, contradictory or poisoned metadata; empty when there are none."""
    from atip.model.lint.linter import lint_tool
    from atip.model.tool import Tool

    return list(lint_tool(tool if isinstance(tool, Tool) else load(tool)))


def diff(old: Tool | Document, new: Tool | Document) -> Diff:
    """Changes from `old` to `new`: breaking, compatible, effects."""
    from atip.model.diff import compare as differ
    from atip.model.tool import Tool

    before = old if isinstance(old, Tool) else load(old)
    after = new if isinstance(new, Tool) else load(new)
    return differ.diff(before, after)


def convert(data: Tool | Document, to: str, *, source: str = "atip") -> Encoded:
    """Translate to another format; `losses` of the result says what it cannot hold."""
    from atip.codecs.interface import encoder
    from atip.discovery.conversion.reading import read_format
    from atip.model.tool import Tool

    write = encoder(to)
    if isinstance(data, Tool):
        encoded: Encoded = write(data)
        return encoded
    decoded = read_format(_content(data), source, origin=data if isinstance(data, str) else "")
    encoded = write(decoded.tool)
    return encoded.replace(losses=(*decoded.losses, *encoded.losses))


def _content(data: Document) -> bytes | dict[str, Any]:
    """Bytes or values; a string that starts like a document is one, else it is a path."""
    if isinstance(data, (bytes, dict)):
        return data
    if isinstance(data, str) and data.lstrip()[:1] in ("{", "["):
        return data.encode("utf-8", "surrogatepass")
    import os

    from atip.model.reading.reader import DOCUMENT
    from atip.system.files import read_bytes

    return read_bytes(os.fspath(data), DOCUMENT.max_bytes)
