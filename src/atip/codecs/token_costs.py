"""Token costs: what the same tools cost in a model's context, by presentation. Pure; the caller passes the counter.

Two figures per presentation: tokens in the context before the first request, and all tokens read until one
correct call is possible. The search answer and the description that a call needs are counted too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.codecs.cmp import codec as cmp
from atip.codecs.providers.safety import clean_text, shorten
from atip.codecs.providers.tools import compile_tools
from atip.model.reading.encode import encode_record
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.model.tool import Tool

    Count = Callable[[str], int]

HITS_PER_SEARCH = 5
"""Hits of one search answer."""


class TokenCost(Value):
    """Cost of one way to present tools to a model."""

    way: str
    before: int
    """Tokens in the context before the first request."""
    one_call: int
    """All tokens read until one correct call is possible."""

    def to_json(self) -> dict[str, Any]:
        return {"way": self.way, "before": self.before, "oneCall": self.one_call}


def costs(
    tools: Sequence[Tool], count: Count, *, snippet: str, cmp_snippet: str
) -> list[TokenCost]:
    """Cost of every presentation, usually the most expensive first."""
    results = [_provider(tools, "openai", count), _provider(tools, "mcp", count)]
    lines = [_line(tool, path, text) for tool in tools for path, text in _commands(tool)]
    one_description = _median_description(tools, count)
    all_lines = count("\n".join(lines))
    results.append(
        TokenCost(
            way="one line per command", before=all_lines, one_call=all_lines + one_description
        )
    )
    results.append(_cmp(tools, count, cmp_snippet))
    hits = max(
        (
            count("\n".join(lines[i : i + HITS_PER_SEARCH]))
            for i in range(0, len(lines), HITS_PER_SEARCH)
        ),
        default=0,
    )
    before = count(snippet)
    results.append(
        TokenCost(
            way="search, describe, run", before=before, one_call=before + hits + one_description
        )
    )
    return results


def _provider(tools: Sequence[Tool], provider: str, count: Count) -> TokenCost:
    declared = compile_tools(list(tools), provider).declarations
    total = count(_minify(declared))
    return TokenCost(way=f"all functions ({provider})", before=total, one_call=total)


def _cmp(tools: Sequence[Tool], count: Count, snippet: str) -> TokenCost:
    """Snippet; then names, manifests and one capability file, as §5.4 discloses them."""
    documents = [cmp.encode(tool).data for tool in tools]
    names = count("\n".join(tool.name for tool in tools))
    manifests = sum(count(_minify(document["manifest"])) for document in documents)
    sizes = sorted(count(_minify(document["capability"])) for document in documents)
    middle = sizes[len(sizes) // 2] if sizes else 0
    before = count(snippet)
    return TokenCost(way="CMP levels", before=before, one_call=before + names + manifests + middle)


def _median_description(tools: Sequence[Tool], count: Count) -> int:
    """Tokens of the median command, described in full."""
    sizes = []
    for tool in tools:
        commands = [command for _, command in tool.walk() if not command.commands]
        sizes += [count(_minify(encode_record(command))) for command in commands]
        if not commands:
            sizes.append(count(_minify(encode_record(tool.replace(extra={})))))
    sizes.sort()
    return sizes[len(sizes) // 2] if sizes else 0


def _commands(tool: Tool) -> list[tuple[tuple[str, ...], str]]:
    commands = [
        (path, command.description) for path, command in tool.walk() if not command.commands
    ]
    return commands or [((), tool.description)]


def _line(tool: Tool, path: tuple[str, ...], text: str) -> str:
    return f"{' '.join((tool.name, *path))}: {shorten(clean_text(text), 80)}"


def _minify(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
