"""Owners of the functions in a bash completion script: `complete -F FUNCTION NAME…`, and `_tool_sub` by its name.

One file often serves several programs, each with a function of its own; what a function offers belongs to the programs
it is registered for. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.completion.shell_words import WORD, ShellToken, plain

if TYPE_CHECKING:
    from atip.inference.completion.tree import CompletionNode

_TAKES_VALUE = frozenset("FWAGCXPSo")
SEVERAL = 3
MANY = 8
"""Functions named after the tool, from which on they are one per command (`_git_add`), not a few helpers."""


def find_functions(tokens: list[ShellToken], tool: str) -> tuple[frozenset[str], frozenset[str]]:
    """Functions that are registered for this program, and those only for others; none if this has none."""
    owners: dict[str, set[str]] = {}
    for at, token in enumerate(tokens):
        if token.kind == WORD and plain(token.text) == "complete":
            function, names = _registration(tokens[at + 1 : at + 60])
            if function:
                owners.setdefault(function, set()).update(names)
    own = frozenset(function for function, names in owners.items() if tool in names)
    return own, frozenset(owners) - own if own else frozenset()


def _registration(tokens: list[ShellToken]) -> tuple[str, set[str]]:
    function, names = "", set()
    takes = ""
    for token in tokens:
        if token.kind != WORD:
            break
        word = plain(token.text)
        if takes:
            function = word if takes == "F" else function
            takes = ""
        elif word.startswith("-") and len(word) > 1:
            takes = word[-1] if word[-1] in _TAKES_VALUE else ""
        else:
            names.add(word)
    return function, names


def has_function_per_command(text: str, tool: str) -> bool:
    """Whether a script names its functions after commands."""
    start = re.escape(tool.replace("-", "_"))
    return len(re.findall(rf"^[ \t]*(?:function )?_{start}_\w+", text, re.M)) >= MANY


def settle(root: CompletionNode, by_function: set[str]) -> None:
    """`_tool_manifest_add` is the command `manifest-add`, or `add` below `manifest` where such a one is listed.

    Where several functions share their first word, their names are paths, and what is not listed is a helper.
    """
    pairs = {name for name in by_function & root.children.keys() if "-" in name}
    are_paths = len(pairs) >= MANY and 2 * len({name.partition("-")[0] for name in pairs}) <= len(
        pairs
    )
    for name in sorted(by_function & root.children.keys()):
        parent, _, rest = name.partition("-")
        above = root.children.get(parent)
        below = above.children.get(rest) if above else None
        is_helper = (are_paths and name in pairs) or name.endswith("-options")
        if below is None and is_helper:
            root.children.pop(name)
        elif below is not None:
            child = root.children.pop(name)
            below.flags.update({k: v for k, v in child.flags.items() if k not in below.flags})
            below.children.update(child.children)


def drop_keywords(root: CompletionNode) -> None:
    """`qdisc add dev`, `class change dev`, `filter del dev`: a bare word that several commands offer, each as all that follows, is
    the first word of their arguments."""
    offers: dict[str, list[CompletionNode]] = {}
    nodes = [root]
    while nodes:
        node = nodes.pop()
        nodes += node.children.values()
        for name, child in node.children.items():
            is_bare = not (child.flags or child.children or child.description)
            if node is not root and is_bare and len(node.children) == 1:
                offers.setdefault(name, []).append(node)
    for name, parents in offers.items():
        if len(parents) >= SEVERAL:
            for parent in parents:
                parent.children.pop(name, None)
