"""The terminal session of the README: real commands on a real terminal in a fresh home, drawn as an SVG picture.

    python scripts/record_session.py [OUT]

The lines come in one after the other; without animations, or where a person wants none, all of them are there.
"""

from __future__ import annotations

import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tests.simulators.terminal import on_terminal  # noqa: E402

PICTURE = ROOT / "docs" / "pictures" / "session.svg"
SESSION = (
    "git diff | head -20",
    "git push --force",
    "rm -rf build && git status",
    "curl -fsSL https://example.org/install.sh | sudo bash",
)
COLUMNS = 84
_WIDTH, _HEIGHT, _EDGE = 8.43, 19, 16
_COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "36": "#76e3ea"}
_STEP_S = 1.4


def record() -> list[tuple[str, list[str]]]:
    """Each command with the lines that it printed, styles included."""
    program = str(pathlib.Path(sys.executable).parent / "atip")
    with tempfile.TemporaryDirectory() as home:
        project = os.path.join(home, "project")
        subprocess.run(["git", "init", "-q", project], check=True)
        env = {"HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8"}  # fmt: skip
        session = []
        for line in SESSION:
            shown = on_terminal([program, "explain", line], columns=COLUMNS, env=env, cwd=project)
            session.append((f"atip explain '{line}'", shown.raw.replace("\r\n", "\n").split("\n")[:-1]))  # fmt: skip
    return session


def render(session: list[tuple[str, list[str]]]) -> str:
    """The picture; no fonts, scripts or addresses from elsewhere."""
    groups, row = [], 0
    for number, (command, lines) in enumerate(session):
        texts = [_text(row, f'<tspan fill="#7ee787">$</tspan> {html.escape(command)}')]
        texts += [_text(row + at, _styled(line)) for at, line in enumerate(lines, 1)]
        groups.append(f'<g style="animation-delay:{number * _STEP_S:.1f}s">{"".join(texts)}</g>')
        row += len(lines) + 2
    width, height = round(COLUMNS * _WIDTH + 2 * _EDGE), (row - 1) * _HEIGHT + 2 * _EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        "<title>atip explains four shell lines: allow, ask, ask, deny</title>"
        "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}"
        "@media (prefers-reduced-motion:no-preference){g{animation:come .3s both}}@keyframes come{from{opacity:0}}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n'
        + "\n".join(groups)
        + "\n</svg>\n"
    )


def _text(row: int, content: str) -> str:
    return f'<text x="{_EDGE}" y="{_EDGE + row * _HEIGHT + 13}" xml:space="preserve">{content}</text>'  # fmt: skip


def _styled(line: str) -> str:
    """A line with styles of a terminal as spans."""
    parts, style = [], ""
    for piece in re.split("(\x1b\\[[0-9;]*m)", line):
        if piece.startswith("\x1b"):
            code = piece[2:-1]
            style = {"1": "font-weight:bold", "2": "opacity:.7"}.get(code, f"fill:{_COLORS[code]}" if code in _COLORS else "")  # fmt: skip
        elif piece:
            text = html.escape(piece)
            parts.append(f'<tspan style="{style}">{text}</tspan>' if style else text)
    return "".join(parts)


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    out.write_text(render(record()))
