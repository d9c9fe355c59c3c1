"""A chart of figures as shares of their limits, as an SVG picture: one bar a figure, one line at the limit."""

from __future__ import annotations

import html
import typing

_LABEL, _BARS, _ROW, _TOP = 430, 380, 24, 30
_MOST = 2.0
"""A bar ends here; what is longer is marked."""


def is_drawn(figure: dict[str, typing.Any]) -> bool:
    """Whether there is a limit to draw against."""
    return bool(figure["bar"])


def share(figure: dict[str, typing.Any]) -> float:
    """Used share of the limit; above 1 the limit is missed."""
    value, bar = float(figure["value"]), float(figure["bar"])
    return (bar / value if value else _MOST) if figure["higher"] else value / bar


def draw(figures: list[dict[str, typing.Any]]) -> str:
    """The picture; readable on light and dark pages, nothing fetched from elsewhere."""
    drawn = [each for each in figures if is_drawn(each)]
    height = _TOP + len(drawn) * _ROW + 10
    width = _LABEL + _BARS + 90
    limit = _LABEL + _BARS / _MOST
    rows = "\n".join(_row(at, each) for at, each in enumerate(drawn))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        "<title>Each figure as a share of its limit; shorter is better</title>"
        "<style>text{font:13px system-ui,sans-serif;fill:#24292f}rect.page{fill:#fff}"
        "@media (prefers-color-scheme:dark){text{fill:#e6edf3}rect.page{fill:#0d1117}}</style>"
        f'<rect class="page" width="100%" height="100%"/>'
        f'<text x="{limit}" y="18" text-anchor="middle">limit</text>\n{rows}\n'
        f'<line x1="{limit}" y1="{_TOP - 8}" x2="{limit}" y2="{height - 6}" stroke="#8b949e" stroke-dasharray="4 3"/></svg>\n'
    )


def _row(at: int, figure: dict[str, typing.Any]) -> str:
    y = _TOP + at * _ROW
    found = share(figure)
    length = max(2.0, min(found, _MOST) / _MOST * _BARS)
    color = "#2da44e" if figure["good"] else "#cf222e"
    name = figure["name"] if len(figure["name"]) <= 62 else figure["name"][:61] + "…"
    more = " →" if found > _MOST else ""
    return (
        f'<text x="{_LABEL - 10}" y="{y + 13}" text-anchor="end">{html.escape(name)}</text>'
        f'<rect x="{_LABEL}" y="{y}" width="{length:.0f}" height="16" rx="3" fill="{color}"/>'
        f'<text x="{_LABEL + length + 6:.0f}" y="{y + 13}">{found * 100:.0f} %{more}</text>'
    )
