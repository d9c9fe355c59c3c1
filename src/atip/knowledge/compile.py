"""Compile the knowledge files into the pack: `python -m atip.knowledge.compile [--check] [FILE…]`.

One compact JSON file per tool plus `aliases.json`, so that one tool is read without a YAML parser
and a change of one tool changes one file. The pack is generated and committed; a test keeps both
equal (docs/formats/knowledge.md says why). `--check` writes nothing.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from atip.errors import FormatError
from atip.knowledge.normal import KnowledgeNormalizer
from atip.model.problems import Problem
from atip.model.reading.yaml_reader import read_yaml

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(HERE, "tools")
PACK = os.path.join(HERE, "pack")


def read_matchers() -> dict[str, str]:
    """The named regular expressions of matchers.yaml."""
    document = read_yaml(_read(os.path.join(HERE, "matchers.yaml")))
    return {str(k): str(v) for k, v in document.items()} if isinstance(document, dict) else {}


def compile_file(path: str, matchers: dict[str, str]) -> tuple[dict[str, Any], list[Problem]]:
    """The normal form of one file and everything that is wrong with it."""
    normalizer = KnowledgeNormalizer(matchers)
    try:
        document = read_yaml(_read(path))
    except FormatError as error:
        return {}, list(error.problems) or [
            Problem(path="$", code=error.code, message=error.message)
        ]
    stem = os.path.basename(path).removesuffix(".yaml")
    return normalizer.tool(document, stem), normalizer.problems


def compile_all() -> tuple[dict[str, str], dict[str, list[Problem]]]:
    """Every file of the pack as name → text, and problems by source file."""
    matchers = read_matchers()
    pack: dict[str, str] = {}
    problems: dict[str, list[Problem]] = {}
    aliases: dict[str, str] = {}
    names = sorted(n for n in os.listdir(TOOLS) if n.endswith(".yaml"))
    stems = {n.removesuffix(".yaml") for n in names}
    for name in names:
        node, file_problems = compile_file(os.path.join(TOOLS, name), matchers)
        stem = name.removesuffix(".yaml")
        for alias in (*node.get("aliases", ()), *node.pop("versions", ())):
            if alias in aliases or alias in stems:
                text = f"executable {alias!r} is described twice"
                file_problems.append(
                    Problem(path="$.aliases", code="knowledge.twice", message=text)
                )
            aliases[alias] = stem
        if file_problems:
            problems[name] = file_problems
        else:
            pack[f"{stem}.json"] = _dump(node)
    pack["aliases.json"] = _dump(dict(sorted(aliases.items())))
    return pack, problems


def write_pack(pack: dict[str, str], wrong: set[str]) -> int:
    """Write what changed, remove what is gone; returns the number of files touched.

    A tool whose source is `wrong` at the moment keeps what the pack has of it.
    """
    os.makedirs(PACK, exist_ok=True)
    touched = 0
    for name in os.listdir(PACK):
        if name not in pack and name not in wrong:
            os.unlink(os.path.join(PACK, name))
            touched += 1
    for name, text in pack.items():
        path = os.path.join(PACK, name)
        if os.path.exists(path) and _read(path) == text.encode():
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        touched += 1
    return touched


def main(argv: list[str]) -> int:
    """Exit 1 if a file is wrong (or, with `--check` and no files, if the pack is stale)."""
    only = [a for a in argv if not a.startswith("--")]
    if only:
        matchers = read_matchers()
        problems = {path: compile_file(path, matchers)[1] for path in only}
    else:
        pack, problems = compile_all()
    for name, file_problems in problems.items():
        for problem in file_problems:
            _say(f"{name}: {problem.path}: {problem.message} [{problem.code}]")
    wrong = any(problems.values())
    if only:
        return 1 if wrong else 0
    if "--check" not in argv:
        failed = {name.removesuffix(".yaml") + ".json" for name in problems}
        _say(f"{len(pack) - 1} tools, {write_pack(pack, failed)} files written")
        return 1 if wrong else 0
    stale = [] if wrong else stale_files(pack)
    for name in stale:
        _say(f"pack/{name} is stale; run `python -m atip.knowledge.compile`")
    return 1 if stale or wrong else 0


def stale_files(pack: dict[str, str]) -> list[str]:
    """Names of pack files that differ from the sources."""
    there = set(os.listdir(PACK)) if os.path.isdir(PACK) else set()
    stale = there ^ set(pack)
    stale |= {
        name for name in there & set(pack) if _read(os.path.join(PACK, name)) != pack[name].encode()
    }
    return sorted(stale)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
