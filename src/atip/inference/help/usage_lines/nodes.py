"""Nodes: what single nodes and groups of a usage pattern are. The walk over a pattern is in `usage.py`."""

from __future__ import annotations

from atip.inference.help.usage_lines.placeholders import is_options_word, letters
from atip.inference.help.usage_lines.synopsis import (
    FLAG,
    OPTIONAL,
    PLACEHOLDER,
    REQUIRED,
    WORD,
    UsageNode,
)


def clean_name(text: str) -> str:
    name = text.strip("<>[](){}.,;:'\"`*=\u2026 ").replace("[", "").replace("]", "")
    return name.removesuffix("(s").removesuffix("...")


def plain_name(branch: list[UsageNode]) -> str:
    """The name of a branch that is one word or placeholder; empty otherwise."""
    if len(branch) != 1 or branch[0].kind not in (WORD, PLACEHOLDER):
        return ""
    return clean_name(branch[0].text)


def literal_names(node: UsageNode) -> set[str]:
    if node.kind == WORD:
        return {part.lower() for part in [node.text, *node.text.split("|")]}
    if node.kind == REQUIRED and node.bracket == "(":
        names = [plain_name(branch).lower() for branch in node.alternatives]
        return set(names) if all(names) else set()
    return set()


def value_text(node: UsageNode, depth: int = 0) -> str:
    """A value as it was written, brackets included."""
    if node.kind in (WORD, PLACEHOLDER, FLAG):
        return node.text + ("..." if node.repeat else "")
    if depth > 6:
        return ""
    close = {"[": "]", "(": ")", "{": "}"}.get(node.bracket, "")
    inner = "|".join(
        " ".join(value_text(child, depth + 1) for child in branch) for branch in node.alternatives
    )
    return f"{node.bracket}{inner}{close}"


def is_command_form(branch: list[UsageNode]) -> bool:
    """`install pkg...`: a literal word, and what it takes."""
    return (
        len(branch) > 1
        and branch[0].kind == WORD
        and branch[0].text.replace("-", "").isalpha()
        and branch[0].text.islower()
        and not has_flags(branch[1])
    )


def lists_values(node: UsageNode) -> bool:
    first, *rest = node.alternatives
    if len(rest) < 2 or len(first) != 2 or first[0].kind != FLAG or first[0].value is not None:
        return False
    words = [first[1], *(alt[0] for alt in rest if len(alt) == 1)]
    return len(words) == len(rest) + 1 and all(
        one.kind == WORD and one.text[0].islower() for one in words
    )


def holds_options(node: UsageNode) -> bool:
    """Brackets with nothing but flags, or with a marked placeholder for them (`[<file-option>]`)."""
    if node.kind != OPTIONAL or not node.children:
        return False
    if node.children[0].kind == FLAG and len(node.alternatives) == 1:
        return True
    return all(
        child.kind == FLAG
        or (child.kind == PLACEHOLDER and child.text != "" and is_options_word(letters(child.text)))
        for child in node.children
    )


def is_only_options(branch: list[UsageNode]) -> bool:
    words = [node for one in branch for node in (one, *one.children) if node.text]
    if words and all(node.text in _ABOUT for node in words):
        return True  # docopt: `prog (-h | --help)` and `prog --version` are about the program
    return bool(words) and all(is_options_word(letters(node.text)) for node in words)


_ABOUT = frozenset(("-h", "--help", "-V", "-v", "--version"))


def has_flags(node: UsageNode) -> bool:
    return any(child.kind == FLAG for child in node.children)
