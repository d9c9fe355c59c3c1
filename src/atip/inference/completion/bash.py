"""bash completions: word lists, case arms and the conventions of bash-completion, clap and cobra.

Read as text: `compgen -W "…"`, `complete -W`, `opts="…"`, `flags+=("--x=")`, `case $prev in --x)`.
What a script computes at run time stays unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.completion.owners import (
    drop_keywords,
    find_functions,
    has_function_per_command,
    settle,
)
from atip.inference.completion.shell_words import (
    ARM,
    BREAK,
    CLOSE,
    OPEN,
    WORD,
    ShellToken,
    expand_braces,
    plain,
    read_labels,
    tokenize,
    without_substitutions,
)
from atip.inference.completion.tree import CompletionTree, build, is_command_name, is_flag

if TYPE_CHECKING:
    from atip.model.tool import Command

_ASSIGN = re.compile(r"([A-Za-z_]\w{0,60})(?:\[\w{0,40}\])?(\+?=)")
_LISTS = re.compile(
    r"(?:^|_)(?:commands?|cmds?|subcommands?|subcmds?|verbs?|actions?)(?:_|$)", re.I
)
_KEY = re.compile(r"\[(\w{1,40})\]=")
_HELPER = re.compile(r"__\w{1,30}comp$")
_VALUE_LISTS = re.compile(r"two_word_flags")
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w{0,60})(?:\[[@*\w]{0,20}\])?\}?")
_PARAMETER = re.compile(r"\$\{?[1-9]\b")
_SEEN = ("prev", "words[", "COMP_WORDS")
_NO_COMMAND = ("prev", "cur", "CWORD", "cword", "OSTYPE", "BASH_VERSINFO")
"""Subjects of a case whose arms are no commands."""
_FLOW = frozenset(
    ("return", "local", "declare", "if", "then", "else", "fi", "for", "while", "do", "done")
)


def infer_bash(text: str, tool: str) -> Command:
    """The commands and options a bash completion script names for `tool`."""
    return _Reader(text, tool).run()


class _Reader:
    """One pass over the tokens, with the stack of functions and case arms."""

    def __init__(self, text: str, tool: str) -> None:
        self.tokens = tokenize(text)
        self.tool = tool
        self.tree = CompletionTree()
        self.at = 0
        self.function: tuple[str, ...] = ()
        self.cases: list[tuple[str, tuple[str, ...]]] = []
        self.depth = 0
        self.lists: dict[str, list[str]] = {}
        self.sets: dict[str, int] = {}
        self.clap: dict[str, tuple[str, ...]] = {tool: (), tool.replace("-", "__"): ()}
        self.own, self.foreign = find_functions(self.tokens, tool)
        self.is_foreign = False
        """Whether the current function belongs to another program."""
        self.is_helper = False
        """Whether it is called by others, so that the completed position is unknown."""
        self.grouped = has_function_per_command(text, tool)
        self.by_function: set[str] = set()
        """Commands that only the name of a function tells."""
        self.valued: list[tuple[tuple[str, ...], str, int, tuple[str, ...]]] = []
        """Flags that a `case $prev` arm names: they take a value. With its choices."""

    def run(self) -> Command:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == WORD:
                self._word(token)
            elif token.kind == ARM and self.cases:
                self._labels()
        for path, flag, line, choices in self.valued:
            # Such an arm holds at any place; where there are commands the flag may be theirs.
            is_root = path == () and not self.tree.root.children
            if is_root or flag in self.tree.flags_at(path):
                self.tree.add_flag(path, [flag], line, takes_value=True, choices=list(choices))
        settle(self.tree.root, self.by_function)
        drop_keywords(self.tree.root)
        return build(self.tree)

    def _peek(self, offset: int = 0) -> ShellToken:
        index = self.at + offset
        return self.tokens[index] if index < len(self.tokens) else ShellToken(BREAK, "\n", 0)

    def _word(self, token: ShellToken) -> None:
        text = plain(token.text)
        if text in ("{", "}") and not token.quoted:
            self._brace(text)
            return
        if self.is_foreign and self.depth:
            return
        empty = self._peek().kind == OPEN and self._peek(1).kind == CLOSE
        if empty and not token.quoted and not text.endswith("="):
            self._enter(text)
            self.at += 2
        elif text == "function" and self._peek().kind == WORD:
            self._enter(plain(self._peek().text))
        elif text == "case":
            self.cases.append((plain(self._peek().text), ()))
            self.at += 2
            self._labels()
        elif text == "esac" and self.cases:
            self.cases.pop()
        elif text in ("compgen", "complete"):
            self._complete(text, token.line)
        elif _HELPER.match(text) and self._peek().quoted:
            words = self._expand(plain(self._peek().text))
            if any(word.startswith("-") for word in words):
                self._offer(words, token.line, commands=False)
        else:
            self._assignment(token, text)

    def _brace(self, text: str) -> None:
        """Follows the nesting of `{ … }`; what comes after a function belongs to none."""
        self.depth += 1 if text == "{" else -1
        if self.depth <= 0:
            self.depth = 0
            self.function = ()
            self.is_foreign = self.is_helper = False

    def _enter(self, name: str) -> None:
        """cobra writes one function per command: `_tool_sub_subsub`."""
        self.cases, self.depth = [], 0
        self.is_foreign = name in self.foreign
        stem = name.strip("_")
        own = self.tool.replace("-", "_")
        self.function = ()
        if stem.startswith(own + "_"):
            parts = [part for part in stem[len(own) + 1 :].split("_") if part]
            if self._is_cobra():
                self.function = tuple(parts)
            elif self.grouped and not name.startswith("__") and parts != own.split("_"):
                self.function = ("-".join(parts),)
                self.by_function.add(self.function[0])
        is_known = not self.own or name in self.own or self.function or _LISTS.search(name)
        self.is_helper = not is_known

    def _is_cobra(self) -> bool:
        """The next statements set `last_command`."""
        return any(
            token.text.startswith("last_command=") for token in self.tokens[self.at : self.at + 12]
        )

    def _labels(self) -> None:
        labels, self.at = read_labels(self.tokens, self.at)
        if labels is None or not self.cases:
            return
        subject = self.cases[-1][0]
        self._learn_path(labels)
        self.cases[-1] = (subject, tuple(label for label in labels if label)[:200])
        if any(mark in subject for mark in _SEEN) and self._completes_value():
            paths = self._paths()
            for label in self.cases[-1][1]:
                if is_flag(label):
                    self.valued += [(path, label, self._peek().line, ()) for path in paths]

    def _learn_path(self, labels: list[str]) -> None:
        """clap: `uv__pip,install) cmd="uv__pip__install"` spells how a path is written."""
        index = self.at
        while index < self.at + 4 and index < len(self.tokens):
            text = plain(self.tokens[index].text)
            if text.startswith("cmd=") and len(labels) == 1 and "," in labels[0]:
                parent, _, word = labels[0].partition(",")
                if parent in self.clap and is_command_name(word):
                    self.clap[text[4:]] = (*self.clap[parent], word)
                return
            index += 1

    def _completes_value(self) -> bool:
        """Whether the arm offers values; `--help|--version) return;;` offers none."""
        for token in self.tokens[self.at : self.at + 60]:
            if token.kind == ARM:
                return False
            text = token.text
            if text.startswith(
                ("COMPREPLY", "_filedir", "compgen", "_comp_", "_known", "__git", "_get_comp")
            ):
                return True
            if text.startswith("_") and len(text) > 3:
                return True
        return False

    def _paths(self) -> list[tuple[str, ...]]:
        paths: list[tuple[str, ...]] = [self.function]
        for subject, labels in self.cases:
            if any(mark in subject for mark in _NO_COMMAND):
                continue
            label_paths = [
                self.clap.get(label) or tuple(_clap_path(label, self.tool)) for label in labels
            ]
            command_paths = [path for path in label_paths if path and all(map(_is_command, path))]
            if any("__" in label or label == self.tool for label in labels):
                paths = command_paths or [()]  # clap spells the whole path
            elif command_paths and len(command_paths) * len(paths) <= 60:
                paths = [(*path, *name) for path in paths for name in command_paths]
        return paths

    def _value_of(self) -> tuple[str, ...]:
        """Flags of the innermost `case $prev` arm: a word list there holds their values."""
        for subject, labels in reversed(self.cases):
            if any(mark in subject for mark in _SEEN):
                return tuple(label for label in labels if is_flag(label))
        return ()

    def _complete(self, command: str, line: int) -> None:
        words: list[ShellToken] = []
        while self.at < len(self.tokens) and self._peek().kind == WORD:
            words.append(self._peek())
            self.at += 1
        for index, token in enumerate(words[:-1]):
            if token.text == "-W":
                self._offer(self._expand(plain(words[index + 1].text)), words[index + 1].line)

    def _expand(self, text: str, depth: int = 0) -> list[str]:
        """Words of a list; variables that were set earlier are replaced by their lists."""
        words: list[str] = []
        for word in without_substitutions(text[:60_000]).split():
            match = _VARIABLE.fullmatch(word)
            if match is not None and depth < 4:
                values = self.lists.get(match.group(1), [])
                if self.sets.get(match.group(1), 0) > 1:  # set in several places: unclear which
                    values = [word for word in values if word.startswith("-")]
                words += values
            elif "$" not in word and "`" not in word:
                words += expand_braces(word)
        return words

    def _offer(self, words: list[str], line: int, *, commands: bool = True) -> None:
        """Words offered at this place: flags, commands, or values of a flag."""
        values = self._value_of()
        if values:
            choices = [word for word in words if not word.startswith("-")]
            for path in self._paths():
                self.valued += [(path, flag, line, tuple(choices)) for flag in values]
            return
        for path in self._paths():
            for word in words:
                name = word.rstrip("=")
                if is_flag(name):
                    self.tree.add_flag(path, [name], line, takes_value=word.endswith("="))
                elif commands and _is_command(word) and self._is_place():
                    self.tree.add_command(path, word, line)

    def _is_place(self) -> bool:
        """Whether a bare word here can be a command; a helper that looks at its parameter completes values."""
        return not self.is_helper and not any(_PARAMETER.search(case[0]) for case in self.cases)

    def _assignment(self, token: ShellToken, text: str) -> None:
        match = _ASSIGN.match(text)
        if match is None or text in _FLOW:
            return
        name, value = match.group(1), text[match.end() :]
        self.sets[name] = self.sets.get(name, 0) + (match.group(2) == "=")
        if not value and self._peek().kind == OPEN:
            words = self._array()
        elif token.quoted:
            words = self._expand(value)
        else:
            return
        self.lists[name] = (
            (self.lists.get(name, []) + words)[:20_000] if match.group(2) == "+=" else words
        )
        self._offer_by_name(name, words, token.line)

    def _offer_by_name(self, name: str, words: list[str], line: int) -> None:
        """Lists whose name says what they hold: cobra's and clap's conventions."""
        flags = [word.rstrip("=") for word in words if is_flag(word.rstrip("="))]
        if self._value_of():
            if words and not flags and name != "COMPREPLY":
                self._offer(words, line)
            return
        if _VALUE_LISTS.search(name):
            for path in self._paths():
                for flag in flags:
                    self.tree.add_flag(path, [flag], line, takes_value=True)
        elif name in ("OPTS", "VERBS"):
            self._offer(words, line)
        elif name in ("flags", "local_nonpersistent_flags", "opts") and (
            self.function or name == "opts" or flags
        ):
            in_arm = any(
                "__" in label or label == self.tool for _, labels in self.cases for label in labels
            )
            self._offer(words, line, commands=name == "opts" and in_arm)
        elif (
            _LISTS.search(name)
            and not any(word.startswith("-") for word in words)
            and self.function
        ):
            self._offer(words, line)

    def _keyed_words(self, token: ShellToken) -> list[str]:
        """`[ARG]='-a --all'` of an associative array: the key says whether values follow."""
        match = _KEY.match(plain(token.text))
        if match is None:
            return [word for part in expand_braces(token.text) for word in part.split()]
        words = token.text[match.end() :].split()
        for word in words:
            if is_flag(word) and "ARG" in match.group(1).upper():
                for path in self._paths():
                    self.tree.add_flag(path, [word], token.line, takes_value=True)
        return words

    def _array(self) -> list[str]:
        self.at += 1
        words: list[str] = []
        depth = 1
        while self.at < len(self.tokens) and depth:
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == OPEN:
                depth += 1
            elif token.kind == CLOSE:
                depth -= 1
            elif token.kind == WORD and depth == 1:
                if plain(token.text) in ("compgen",):
                    self._complete("compgen", token.line)
                elif "$" not in token.text:
                    words += self._keyed_words(token)
            elif token.kind == WORD and plain(token.text) == "compgen":
                self._complete("compgen", token.line)
        return words


def _is_command(word: str) -> bool:
    """Numbers and constants are values."""
    return is_command_name(word) and not word.isupper() and not word.replace(".", "").isdigit()


def _clap_path(label: str, tool: str) -> list[str]:
    """`uv__pip__install` and `uv__subcmd__pip` → the path below the tool."""
    own = tool.replace("-", "__") if "__" in label and not label.startswith(tool + "__") else tool
    if label in (tool, own):
        return []
    if label.startswith(own + "__"):
        return [
            part
            for part in re.split(r"__subcmd__|__", label[len(own) + 2 :].removeprefix("subcmd__"))
            if part
        ]
    return [label]
