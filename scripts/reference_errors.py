"""Write docs/reference/errors.md: every code that the source raises, with its text and hint (a test holds it equal)."""

from __future__ import annotations

import ast
import pathlib
import re
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "atip"
TARGET = ROOT / "docs" / "reference" / "errors.md"
CODE = re.compile(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+")
HEAD = """# Errors

Generated from the source by `make docs`; do not edit. The code is stable, the text may change. With `--json` an error is one document:
`{"error": {"code", "message", "hint", "details"}}`. `…` stands for a name, a path or a number.

| code | what happened | what to do |
|---|---|---|
"""


class Row(typing.NamedTuple):
    """One code as it is raised in one place."""

    code: str
    message: str
    hint: str


def render() -> str:
    """The whole page, by code; where a code is raised in several places the first text with a hint is shown."""
    rows: dict[str, Row] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for row in _raised(ast.parse(path.read_text())):
            earlier = rows.get(row.code)
            if earlier is None or (row.hint and not earlier.hint):
                rows[row.code] = row
    lines = [f"| `{row.code}` | {row.message} | {row.hint} |" for _, row in sorted(rows.items())]
    return HEAD + "\n".join(lines) + "\n"


def _raised(tree: ast.Module) -> typing.Iterator[Row]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or len(node.args) < 2:
            continue
        code = node.args[0]
        if not isinstance(code, ast.Constant) or not isinstance(code.value, str):
            continue
        if not _is_error(node.func) or not CODE.fullmatch(code.value):
            continue
        hint = next((word.value for word in node.keywords if word.arg == "hint"), None)
        yield Row(code.value, _text(node.args[1]), _text(hint))


def _is_error(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name.endswith("Error") or name in ("Denied", "NeedsConfirmation", "AuthRequired")


def _text(node: ast.expr | None) -> str:
    """The text of a literal, with `…` for what is put in."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant):
        text = str(node.value)
    elif isinstance(node, ast.JoinedStr):
        text = "".join(
            str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values
        )
    else:
        return "…"
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


if __name__ == "__main__":
    TARGET.write_text(render())
