"""Token costs: what the same tools cost a model's context, told in different ways. Pure; the counter is handed in.

Two figures per way: what is in the context before the first request, and what must have been read in all to
make one correct call. Honest about CMP and about ourselves: the search answer and the description that a
call needs are counted too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.codecs.cmp import codec as cmp
from atip.codecs.providers.safety import clean_text, shortened
from atip.codecs.providers.tools import compile_tools
from atip.model.reading.encode import encode_record
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.model.tool import Tool

    Count = Callable[[str], int]

FOUND = 5
"""Hits of one search answer."""


class TokenCost(Value):
    """One way to tell a model about tools."""

    way: str
    before: int
    """Tokens in the context before anything is asked."""
    one_call: int
    """Tokens read in all until one correct call can be made."""

    def to_json(self) -> dict[str, Any]:
        return {"way": self.way, "before": self.before, "oneCall": self.one_call}


def costs(
    tools: Sequence[Tool], count: Count, *, snippet: str, cmp_snippet: str
) -> list[TokenCost]:
    """Every way, dearest first in the usual case."""
    made = [_provider(tools, "openai", count), _provider(tools, "mcp", count)]
    lines = [_line(tool, path, text) for tool in tools for path, text in _commands(tool)]
    described = _describe(tools, count)
    listed = count("\n".join(lines))
    made.append(TokenCost(way="one line per command", before=listed, one_call=listed + described))
    made.append(_cmp(tools, count, cmp_snippet))
    hits = max(
        (count("\n".join(lines[i : i + FOUND])) for i in range(0, len(lines), FOUND)), default=0
    )
    before = count(snippet)
    made.append(
        TokenCost(way="search, describe, run", before=before, one_call=before + hits + described)
    )
    return made


def _provider(tools: Sequence[Tool], provider: str, count: Count) -> TokenCost:
    declared = compile_tools(list(tools), provider).declarations
    total = count(_minified(declared))
    return TokenCost(way=f"all functions ({provider})", before=total, one_call=total)


def _cmp(tools: Sequence[Tool], count: Count, snippet: str) -> TokenCost:
    """Snippet; then names, manifests and one capability file, as §5.4 discloses them."""
    documents = [cmp.encode(tool).data for tool in tools]
    names = count("\n".join(tool.name for tool in tools))
    manifests = sum(count(_minified(one["manifest"])) for one in documents)
    sizes = sorted(count(_minified(one["capability"])) for one in documents)
    middle = sizes[len(sizes) // 2] if sizes else 0
    before = count(snippet)
    return TokenCost(way="CMP levels", before=before, one_call=before + names + manifests + middle)


def _describe(tools: Sequence[Tool], count: Count) -> int:
    """The middle one of all commands, described in full."""
    sizes = []
    for tool in tools:
        shown = [command for _, command in tool.walk() if not command.commands]
        sizes += [count(_minified(encode_record(command))) for command in shown]
        if not shown:
            sizes.append(count(_minified(encode_record(tool.replace(extra={})))))
    sizes.sort()
    return sizes[len(sizes) // 2] if sizes else 0


def _commands(tool: Tool) -> list[tuple[tuple[str, ...], str]]:
    found = [(path, command.description) for path, command in tool.walk() if not command.commands]
    return found or [((), tool.description)]


def _line(tool: Tool, path: tuple[str, ...], text: str) -> str:
    return f"{' '.join((tool.name, *path))}: {shortened(clean_text(text), 80)}"


def _minified(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
