"""intentbench adapter: `intents.py CATALOGUE`; `{"id", "query", "tool"}` lines in, `{"id", "ranked"}` lines out.

The catalogue's names and one-line summaries become tools without any other knowledge; what the package ships
(lexicon of well-known commands, synonyms) is the default path of `atip search`, without any model.
"""

from __future__ import annotations

import argparse
import json
import sys
import typing

from atip import Command, Tool
from atip.search.index import SearchIndex


def tools_of(catalogue: list[dict[str, str]]) -> list[Tool]:
    """Tools from rows of `command`, `tool`, `summary`."""
    trees: dict[str, dict[str, typing.Any]] = {}
    for row in catalogue:
        name, *path = row["command"].split(" ")
        node = trees.setdefault(name, {"summary": "", "children": {}})
        for part in path:
            node = node["children"].setdefault(part, {"summary": "", "children": {}})
        node["summary"] = row["summary"]
    return [
        Tool(name=name, description=node["summary"], commands=_commands(node))
        for name, node in trees.items()
    ]


def _commands(node: dict[str, typing.Any]) -> dict[str, Command] | None:
    if not node["children"]:
        return None
    return {
        name: Command(description=child["summary"], commands=_commands(child))
        for name, child in node["children"].items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("catalogue")
    options = parser.parse_args()
    with open(options.catalogue, encoding="utf-8") as file:
        catalogue = json.load(file)
    asked = {row["command"] for row in catalogue}
    index = SearchIndex()
    index.put(tools_of(catalogue))
    for line in sys.stdin:
        given = json.loads(line)
        # groups that the catalogue does not list (`git` of a lone `git lfs`) are no candidates
        hits = index.search(given["query"], tool=given["tool"], limit=30)
        ranked = [hit.line for hit in hits if hit.line in asked][:10]
        sys.stdout.write(json.dumps({"id": given["id"], "ranked": ranked}) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
