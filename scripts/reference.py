"""Write docs/reference/cli.md from the parsers themselves (a test holds it equal)."""

from __future__ import annotations

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "reference" / "cli.md"


def render() -> str:
    """The whole page; help texts at 100 columns."""
    os.environ["COLUMNS"] = "100"
    from atip.cli.parsing import load, parser_for
    from atip.cli.verbs import NOUNS, VERBS

    parts = [
        "# Command-line reference\n\nGenerated from the parsers by `make docs`; do not edit.\n"
    ]
    paths = [(verb,) for verb in VERBS] + [
        (noun, verb) for noun, verbs in NOUNS.items() for verb in verbs
    ]
    for path in paths:
        module = load(path)
        help_text = parser_for(path, module).format_help().rstrip()
        examples = "".join(f"    $ {example}\n" for example in getattr(module, "EXAMPLES", ()))
        tail = f"\nExamples:\n\n{examples}" if examples else ""
        parts.append(f"## atip {' '.join(path)}\n\n```text\n{help_text}\n```\n{tail}")
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(render())
