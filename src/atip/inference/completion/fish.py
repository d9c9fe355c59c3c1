"""fish completions: `complete -c TOOL -n CONDITION -s x -l long -d TEXT -r -a 'words'`.

Every `complete` line is one fact; its condition says for which command it holds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.completion.shell_words import BREAK, FISH, WORD, ShellToken, plain, tokenize
from atip.inference.completion.tree import CompletionTree, build, is_command_name

if TYPE_CHECKING:
    from atip.model.tool import Command

_TAKES = {
    "-c": "command", "--command": "command", "-n": "condition", "--condition": "condition",
    "-s": "short", "--short-option": "short", "-l": "long", "--long-option": "long",
    "-o": "old", "--old-option": "old", "-d": "text", "--description": "text",
    "-a": "words", "--arguments": "words", "-p": "command", "--path": "command",
    "-w": "wraps", "--wraps": "wraps",
}  # fmt: skip
_SEEN = re.compile(
    r"(\bnot\s+|!\s*)?"
    r"(__[\w-]*?(?:seen_subcommand_from|using_(?:sub)?command|contains_subcommand))\b"
    r"((?:\s+(?!(?:and|or|not|begin|end|test)\b|__)[\w.:+@$-]+)*)"
)
_COMMAND = re.compile(r"(\bnot\s+|!\s*)?(__[\w-]*(?:command|cmd|verb)[\w-]*)")
_NONE_YET = re.compile(
    r"(?:use|needs?|no|not|has_no|without)_(?:\w+_)?(?:sub)?(?:command|cmd|verb)|cmd_args"
)
"""Functions that ask whether no command was given yet."""


def infer_fish(text: str, tool: str) -> Command:
    """The commands and options a fish completion file names for `tool`."""
    tree = CompletionTree()
    words: list[ShellToken] = []
    depth = 0
    lists: dict[str, list[str]] = {}
    for token in [*tokenize(text, FISH), ShellToken(BREAK, "\n", 0)]:
        if token.kind == WORD:
            words.append(token)
        elif token.text == "(":
            depth += 1
        elif token.text == ")":
            depth = max(0, depth - 1)
        elif token.kind == BREAK and depth == 0:
            _statement(words, tree, tool, lists)
            words = []
        if token.text == "\n":
            depth = 0
    return build(tree)


def _statement(
    words: list[ShellToken], tree: CompletionTree, tool: str, lists: dict[str, list[str]]
) -> None:
    if len(words) > 2 and words[0].text == "set":
        names = [plain(word.text) for word in words[1:] if not word.text.startswith("-")]
        if names:
            lists[names[0]] = names[1:][:2_000]
    if len(words) > 3 and words[0].text == "for" and words[2].text == "in":
        lists[plain(words[1].text)] = [plain(word.text) for word in words[3:]][:2_000]
    if len(words) < 3 or words[0].text != "complete":
        return
    values, switches = _arguments(words[1:])
    programs = values.get("command", [])
    if programs and tool not in programs and programs[0] not in ("$prog", "$command", "$cmd"):
        return
    for path in _paths(" ".join(values.get("condition", [])), lists):
        _fact(tree, path, values, switches, words[0].line, lists)


def _arguments(words: list[ShellToken]) -> tuple[dict[str, list[str]], set[str]]:
    values: dict[str, list[str]] = {}
    switches: set[str] = set()
    at = 0
    while at < len(words):
        word = plain(words[at].text)
        at += 1
        name, _, value = word.partition("=")
        if name in _TAKES and value:
            values.setdefault(_TAKES[name], []).append(value)
        elif word in _TAKES and at < len(words):
            values.setdefault(_TAKES[word], []).append(plain(words[at].text))
            at += 1
        elif word.startswith("-") and not word.startswith("--"):
            # `-xa 'words'`: switches and at the end perhaps one that takes a value.
            switches.update(word[1:])
            last = "-" + word[-1]
            if last in _TAKES and at < len(words):
                values.setdefault(_TAKES[last], []).append(plain(words[at].text))
                at += 1
        elif word.startswith("--"):
            switches.add(
                {"--require-parameter": "r", "--exclusive": "x", "--no-files": "f"}.get(word, word)
            )
        elif "command" not in values and at == 1:
            values["command"] = [word]
    return values, switches


def _paths(condition: str, lists: dict[str, list[str]]) -> list[tuple[str, ...]]:
    """Commands a condition speaks of; the tool itself if it speaks of none; nothing if it cannot be told."""
    paths: list[tuple[str, ...]] = [()]
    helpers: set[str] = set()
    for match in _SEEN.finditer(condition[:2_000]):
        helpers.add(match.group(2))
        if match.group(1):
            continue
        names: list[str] = []
        for word in match.group(3).split():
            names += lists.get(word[1:], []) if word.startswith("$") else [word]
        names = [name for name in names if is_command_name(name)]
        if not names:
            return []
        if len(paths) * len(names) <= 400:
            paths = [(*path, name) for path in paths for name in names]
    for match in _COMMAND.finditer(condition[:2_000]):
        is_clear = match.group(1) or match.group(2) in helpers or _NONE_YET.search(match.group(2))
        if not is_clear and paths == [()]:
            return []
    return paths


def _fact(
    tree: CompletionTree,
    path: tuple[str, ...],
    values: dict[str, list[str]],
    switches: set[str],
    line: int,
    lists: dict[str, list[str]],
) -> None:
    text = " ".join(values.get("text", []))
    flags = [f"-{name}" for name in values.get("short", []) + values.get("old", [])]
    flags += [f"--{name}" for name in values.get("long", [])]
    words = _words(" ".join(values.get("words", [])), lists)
    if flags:
        tree.add_flag(
            path,
            flags,
            line,
            description=text,
            takes_value=bool(switches & {"r", "x"}),
            choices=[name for name, _ in words],
        )
    elif _lists_commands(values, path):
        for name, meaning in words:
            tree.add_command(path, name, line, meaning or text)


def _lists_commands(values: dict[str, list[str]], path: tuple[str, ...]) -> bool:
    """Words without a flag are commands where none was given yet; otherwise they are arguments."""
    condition = " ".join(values.get("condition", []))
    needs = _NONE_YET.search(condition) or "not " in condition or "! " in condition
    return bool(needs) or (not path and "is_first" in condition)


def _words(text: str, lists: dict[str, list[str]]) -> list[tuple[str, str]]:
    """`add\\t'Add a file'` and plain words; substitutions are left out."""
    if text.startswith("$") and text[1:] in lists:
        return [(name, "") for name in lists[text[1:]]]
    if "(" in text or "$" in text:
        return []
    pairs: list[tuple[str, str]] = []
    for row in re.split(r"\n|\\n", text[:20_000]):
        name, tab, meaning = row.replace("\\t", "\t").partition("\t")
        if tab:
            pairs.append((name.strip(), meaning.strip().strip("'\"")))
        else:
            pairs += [(word.strip("'\""), "") for word in row.split()]
    return [(name, meaning) for name, meaning in pairs if name]
