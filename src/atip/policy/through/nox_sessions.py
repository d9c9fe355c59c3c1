"""Commands of the sessions of a `noxfile.py`, as far as they are literal: `session.run("pytest", "-q")`. Pure; nothing is imported or run."""

from __future__ import annotations

import ast
import shlex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_RUNS = frozenset(("run", "run_always", "run_install"))
_INSTALLS = "install"
MAX_LINES = 200
UNKNOWN = "${nox_value}"


def nox_lines(text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """Commands of the sessions that the words name, or of all; None: not Python, or a session cannot be read.

    The file itself is code that nox runs, so the line is confined in any case.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    sessions = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and _is_session(node)
    ]
    names = _session_names(argv)
    selected = [node for node in sessions if not names or node.name in names] or sessions
    lines = [line for node in selected for line in _lines(node)]
    return tuple(lines[:MAX_LINES])


def _session_names(argv: Sequence[str]) -> set[str]:
    """Names behind `-s`; versions in them left out."""
    names: set[str] = set()
    takes = False
    for word in argv[1:]:
        if word.startswith("-"):
            takes = word in ("-s", "--session", "--sessions", "-e")
        elif takes:
            names.add(word.partition("-")[0].partition("(")[0])
    return names


def _is_session(node: ast.FunctionDef) -> bool:
    names = (each.func if isinstance(each, ast.Call) else each for each in node.decorator_list)
    return any(
        (isinstance(name, ast.Attribute) and name.attr == "session")
        or (isinstance(name, ast.Name) and name.id == "session")
        for name in names
    )


def _lines(function: ast.FunctionDef) -> Iterator[str]:
    own = function.args.args[0].arg if function.args.args else "session"
    for node in ast.walk(function):
        called = node.func if isinstance(node, ast.Call) else None
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
            continue
        if called.value.id == own and isinstance(node, ast.Call):
            words = [_word(argument) for argument in node.args]
            if called.attr in _RUNS and words:
                yield " ".join(words)
            elif called.attr == _INSTALLS:
                yield " ".join(("pip install", *words))


def _word(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return shlex.quote(node.value)
    return UNKNOWN
