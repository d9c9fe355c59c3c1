"""Write docs/reference/python.md from signatures and docstrings (a test holds it equal)."""

from __future__ import annotations

import inspect
import pathlib
import re
import textwrap

import atip

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "reference" / "python.md"
FIRST = ("Toolbox", "AsyncToolbox", "Session")
HEAD = """# Python reference

Generated from signatures and docstrings by `make docs`; do not edit. `import atip` loads nothing; each name is imported when it is
first used. Spellings of ATIP 0.6 Appendix A (`toOpenAI`, …) are the same functions.
"""


def render() -> str:
    """The whole page: the classes that one starts with, then functions, then values."""
    names = [name for name in atip._PUBLIC if name != "defineCli"]
    rest = sorted(name for name in names if name not in FIRST)
    functions = [name for name in rest if not inspect.isclass(getattr(atip, name))]
    classes = [name for name in rest if name not in functions]
    parts = [HEAD]
    parts += [_of_class(name, methods=True) for name in FIRST]
    parts.append("# Functions\n")
    parts += [_entry(f"atip.{name}", getattr(atip, name), "##") for name in functions]
    parts.append("# Values and errors\n")
    parts += [_of_class(name, methods=False) for name in classes]
    return "\n".join(parts)


def _of_class(name: str, *, methods: bool) -> str:
    cls = getattr(atip, name)
    text = _docstring(cls)
    parts = [f"## `atip.{name}`\n\n{text}\n"]
    if methods:
        for key, method in vars(cls).items():
            if not key.startswith("_") and callable(method):
                parts.append(_entry(f"{name}.{key}", method, "###"))
    return "\n".join(parts)


def _entry(title: str, value: object, level: str) -> str:
    try:
        signature = str(inspect.signature(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        signature = "(…)"
    name = title.rpartition(".")[2]
    return (
        f"{level} `{title}`\n\n```text\n{_wrapped(name, signature)}\n```\n\n{_docstring(value)}\n"
    )


def _wrapped(name: str, signature: str) -> str:
    """A signature on lines of at most a hundred characters."""
    # A default that has no literal form would show where it lies in memory.
    line = re.sub(r"<[^<>]*(?:<[^<>]*>)?[^<>]* at 0x[0-9a-f]+>", "…", f"{name}{signature}")
    line = line.replace("'", "")
    return "\n".join(textwrap.wrap(line, 100, subsequent_indent="    ", break_long_words=False))


def _docstring(value: object) -> str:
    text = inspect.getdoc(value) or ""
    lines = []
    for line in text.splitlines():
        # Sections of docstrings are headings for people, not of the page.
        lines.append(f"**{line}**\n" if line in ("Args:", "Raises:", "Returns:") else line)
    return "\n".join(lines).replace("<", "&lt;") if "```" not in text else text


if __name__ == "__main__":
    TARGET.write_text(render())
