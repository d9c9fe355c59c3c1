"""invocations.py OUT: every command node that this machine's store knows, one JSON line each.

`{"tool", "path", "flags"}` as `intentbench/score_invocations.py --meta` reads them. Run `atip scan --learn` first.
"""

from __future__ import annotations

import json
import sys
import typing

import atip
from atip.knowledge import load

if typing.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def flags(*options: Iterable[atip.Option] | None) -> list[str]:
    return sorted({flag for group in options for option in group or () for flag in option.flags})


def nodes(tool: atip.Tool) -> Iterator[tuple[list[str], list[str]]]:
    """(path, flags) of the tool itself and of every command below it, aliases included."""
    yield [], flags(tool.options, tool.global_options)
    for path, command in tool.walk():
        told = flags(command.options)
        yield [part for part in path if part], told
        for alias in command.aliases or ():
            yield [*path[:-1], alias], told


def main() -> int:
    box = atip.Toolbox()
    with open(sys.argv[1], "w") as out:
        for entry in box.list():
            known = [
                tool for tool in (box.find(entry["name"]), load(entry["name"])) if tool is not None
            ]
            for tool in known:
                for path, told in nodes(tool):
                    out.write(
                        json.dumps({"tool": entry["name"], "path": path, "flags": told}) + "\n"
                    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
