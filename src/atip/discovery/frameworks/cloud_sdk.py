"""Google's Cloud SDK: the command trees that it ships beside its programs. Reads files, runs nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.system.files import read_bytes, stamp_of

if TYPE_CHECKING:
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Command, Tool

MAX_TREE = 64_000_000


class CloudSdkSource:
    """`PREFIX/data/cli/NAME.json` or `NAME_completions.py` of a program `PREFIX/bin/NAME`."""

    source_kind = "framework"
    executes = False

    def __init__(self) -> None:
        self._folders: dict[str, bool] = {}

    def fingerprint(self, subject: ProbeSubject) -> str:
        """Size and time of the trees beside a program."""
        folder, program = os.path.split(subject.real_path)
        trees = os.path.join(os.path.dirname(folder), "data", "cli")
        if not self._has_trees(trees):
            return ""
        return " ".join(stamp_of(os.path.join(trees, name)) for name in _tree_names(program))

    def _has_trees(self, folder: str) -> bool:
        """Checked once per folder: most programs share a folder without it."""
        if folder not in self._folders:
            self._folders[folder] = os.path.isdir(folder)
        return self._folders[folder]

    def ask(self, subject: ProbeSubject) -> Tool | None:
        folder, program = os.path.split(subject.real_path)
        trees = os.path.join(os.path.dirname(folder), "data", "cli")
        if os.path.basename(folder) != "bin" or not os.path.isdir(trees):
            return None
        for name in _tree_names(program):
            tool = _read_tree(os.path.join(trees, name), subject.name)
            if tool is not None:
                return tool.replace(version=_version(os.path.dirname(folder)) or tool.version)
        return None


def _tree_names(program: str) -> tuple[str, str]:
    return f"{program}.json", f"{program}_completions.py"


def _read_tree(path: str, name: str) -> Tool | None:
    from atip.discovery.sources.inference_sources import inferred_tool
    from atip.inference.described import recognize

    text = _text(path, MAX_TREE)
    tree = recognize(text[text.find("{") :], name, only="calliope", most=MAX_TREE) if text else None
    # A tree without a flag below its root is only a list of names: the help of such a program has more.
    if tree is None or not any(
        _has_flags(command) for command in (tree.command.commands or {}).values()
    ):
        return None
    tool = inferred_tool(name, tree.command, "self-description-calliope", confidence="high")
    return tool.replace(version=tree.version or tool.version)


def _has_flags(command: Command) -> bool:
    subcommands = (command.commands or {}).values()
    return bool(command.options) or any(_has_flags(subcommand) for subcommand in subcommands)


def _version(prefix: str) -> str:
    return _text(os.path.join(prefix, "VERSION"), 200).strip()


def _text(path: str, limit: int) -> str:
    try:
        return read_bytes(path, limit).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except AtipError:
        return ""
