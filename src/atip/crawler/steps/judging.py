"""Check whether a worker may return a shim: strictly valid, small enough, its name safe. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, FormatError
from atip.model.lint.linter import lint
from atip.model.reading.documents import judge
from atip.model.reading.encode import encode
from atip.model.reading.reader import read_json
from atip.model.text.names import why_unsafe

if TYPE_CHECKING:
    from atip.model.tool import Tool

MAX_SHIM = 1_000_000
POISON = frozenset(["instruction-like-text", "invisible-text"])


def checked_document(tool: Tool) -> dict[str, Any]:
    """Encode a shim and check that every client accepts it.

    Raises:
        FormatError: `crawl.name`, `crawl.too-large`, `crawl.invalid` with the first problem.
    """
    if reason := why_unsafe(tool.name):
        raise FormatError("crawl.name", f"the program's name is refused: {reason}")
    document = encode(tool)
    data = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    if len(data) > MAX_SHIM:
        raise FormatError(
            "crawl.too-large", f"the shim has {len(data):,} bytes; the limit is {MAX_SHIM:,}"
        )
    try:
        strict: Any = read_json(data)
    except AtipError as error:
        raise FormatError("crawl.invalid", error.message) from error
    problems = [
        problem for problem in judge(strict, kind="shim").problems if problem.severity == "error"
    ]
    if problems:
        first = problems[0]
        raise FormatError("crawl.invalid", f"{first.path}: {first.message}", problems=problems)
    return document


def poison_rules(document: dict[str, Any]) -> list[str]:
    """Lint rules that detect text addressed to a model instead of a description."""
    return sorted({finding.rule for finding in lint(document) if finding.rule in POISON})
