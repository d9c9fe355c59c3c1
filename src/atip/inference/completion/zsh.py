"""zsh completions: `_arguments` specs, `_values`, `_describe` and arrays of `'name:text'`.

Functions and case arms tell which command a spec belongs to; functions named after a command
(`_tool-sub`, `_tool__sub_commands`) do so by their name. Nothing is expanded but brace lists.
"""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING

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
)
from atip.inference.completion.tree import CompletionTree, build, is_command_name, is_flag

if TYPE_CHECKING:
    from atip.model.tool import Command

_EXCLUDED = re.compile(r"\([^()]{0,4000}\)")
_FLAG = re.compile(r"[*!]*(-{1,2}[^\s\[\]:=+]+|-[?@#])([+=-]{0,2})")
_LISTS = re.compile(
    r"(?:_|^)(?:commands|cmds|subcommands|subcmds|verbs|actions)(?:_|$)|^_.*_commands?$", re.I
)


_COMPDEF = re.compile(r"\A#compdef ([^\n]{1,4000})")
_EXTENDED = re.compile(r"[\[(#~^<].*")
"""Rest of a zsh pattern from its first special character on: `[0-9.]#` in `pip[0-9.]#`."""
SYSTEM = "linux-gnu"
"""Assumed value of `$OSTYPE`."""
_ELSEWHERE = re.compile(
    r"darwin|bsd|dragonfly|solaris|sunos|aix|hpux|irix|cygwin|^unix$|^zsh$", re.I
)
_VARIANT = re.compile(r"OSTYPE|service|variant|VENDOR|state|type|implementation", re.I)
"""Subjects of a case that tell no command."""


_COMMAND = re.compile(r"[a-z0-9][a-z0-9-]*")
"""Functions with other names (`_make-expandVars`, `_journalctl_field_values`) compute something for the script."""


def infer_zsh(text: str, tool: str) -> Command:
    """The commands and options a zsh completion function names."""
    defined = _COMPDEF.match(text)
    if defined and not _is_named(tool, defined[1].split()):
        return build(CompletionTree())
    return _Reader(text, tool).run()


def _is_named(tool: str, words: list[str]) -> bool:
    """`#compdef gzip gzcat=gunzip -P gcc-*`: whether the function completes for the tool."""
    names = [word.partition("=")[0] for word in words if not word.startswith("-")]
    return any(fnmatch.fnmatchcase(tool, _EXTENDED.sub("*", name)) for name in names)


class _Case:
    """An open case: its subject, the labels of its current arm, and whether that arm is run here."""

    __slots__ = ("is_here", "labels", "subject", "was_here")

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.labels: tuple[str, ...] = ()
        self.is_here = True
        self.was_here = False
        """Whether an earlier arm was the one: the first that fits is run."""

    def enter(self, labels: tuple[str, ...], tool: str) -> None:
        self.labels = labels
        value = SYSTEM if "OSTYPE" in self.subject else tool if "service" in self.subject else ""
        if value:
            fits = any(fnmatch.fnmatchcase(value, label) for label in labels)
            self.is_here = fits and not self.was_here
            self.was_here = self.was_here or fits
        elif _VARIANT.search(self.subject) and "state" not in self.subject:
            self.is_here = not labels or not all(map(_ELSEWHERE.search, labels))


class _Reader:
    """One pass over the tokens, with the stack of functions and case arms."""

    def __init__(self, text: str, tool: str) -> None:
        self.tokens = tokenize(text)
        self.tool = tool
        self.tree = CompletionTree()
        self.at = 0
        self.function: tuple[str, ...] = ()
        self.is_helper = False
        self.name = ""
        self.cases: list[_Case] = []
        self.depth = 0

    def run(self) -> Command:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == WORD:
                self._word(token)
            elif token.kind == ARM and self.cases:
                self._labels()
        return build(self.tree)

    def _peek(self, offset: int = 0) -> ShellToken:
        index = self.at + offset
        return self.tokens[index] if index < len(self.tokens) else ShellToken(BREAK, "\n", 0)

    def _word(self, token: ShellToken) -> None:
        text = plain(token.text)
        if text in ("{", "}") and not token.quoted:
            self._brace(text)
            return
        empty = self._peek().kind == OPEN and self._peek(1).kind == CLOSE
        if empty and not token.quoted and not text.endswith("="):
            self._enter(text)
            self.at += 2
        elif text == "function" and self._peek().kind == WORD:
            self._enter(plain(self._peek().text))
        elif text == "case":
            subject = plain(self._peek().text)
            self.at += 2
            self.cases.append(_Case(subject))
            self._labels()
        elif text == "esac" and self.cases:
            self.cases.pop()
        elif text in ("_arguments", "_values"):
            self._specs(text, token.line)
        elif text.endswith("=") and self._peek().kind == OPEN:
            self._array(text.rstrip("+="), token.line)

    def _brace(self, text: str) -> None:
        """Follows the nesting of `{ … }`; what comes after a function belongs to none."""
        self.depth += 1 if text == "{" else -1
        if self.depth <= 0:
            self.depth = 0
            self.function = ()

    def _enter(self, name: str) -> None:
        """`_tool-sub` and `_tool__sub_commands` belong to a command."""
        self.name = name
        self.cases, self.depth = [], 0
        stem = name.lstrip("_")
        stem = re.sub(r"_(?:commands|command)$", "", stem)
        own = self.tool.replace("-", "_")
        self.function = ()
        self.is_helper = False
        for prefix in (
            f"{self.tool}__subcmd__",
            f"{self.tool}__",
            f"{self.tool}-",
            f"{self.tool}_",
            f"{own}_",
        ):
            if stem.startswith(prefix) and len(stem) > len(prefix):
                parts = re.split(r"__subcmd__|__", stem[len(prefix) :])
                self.is_helper = not all(_COMMAND.fullmatch(part) for part in parts if part)
                self.function = tuple(part for part in parts if is_command_name(part))
                return

    def _labels(self) -> None:
        labels, self.at = read_labels(self.tokens, self.at)
        if labels is not None and self.cases:
            self.cases[-1].enter(tuple(labels[:50]), self.tool)

    def _paths(self) -> list[tuple[str, ...]]:
        """Commands the current place belongs to, from its function and its case arms."""
        if self.is_helper or not all(case.is_here for case in self.cases):
            return []
        paths: list[tuple[str, ...]] = [self.function]
        for case in self.cases:
            if _VARIANT.search(case.subject):
                continue
            names = [label for label in case.labels if is_command_name(label)]
            if names and len(names) * len(paths) <= 60:
                paths = [(*path, name) for path in paths for name in names]
        return paths

    def _arguments_of(self) -> list[ShellToken]:
        """Words up to the end of the command."""
        words: list[ShellToken] = []
        depth = 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind in (BREAK, ARM) and depth == 0:
                break
            if token.kind == OPEN:
                depth += 1
            elif token.kind == CLOSE:
                if depth == 0:
                    break
                depth -= 1
            elif token.kind == WORD:
                words.append(token)
            self.at += 1
        return words

    def _specs(self, command: str, line: int) -> None:
        started = False
        for token in self._arguments_of():
            words = [word for word in expand_braces(token.text) if word]
            # `_arguments -s -S` has options of its own, before the first spec.
            started = started or any("[" in word or ":" in word or "--" in word for word in words)
            if started and not any("$" in word.split("[", 1)[0] for word in words):
                for path in self._paths():
                    self._spec(path, words, token.line)

    def _spec(self, path: tuple[str, ...], words: list[str], line: int) -> None:
        """`(-x)*--out=[text]:message:action`; several words are spellings of one option."""
        flags: list[str] = []
        body, match = "", None
        for word in words:
            body = _EXCLUDED.sub("", word, count=1) if word.startswith("(") else word
            match = _FLAG.match(body)
            if match is None or not is_flag(match.group(1)):
                return
            flags.append(match.group(1))
        if match is None:
            return
        rest = body[match.end() :]
        flags = [flag.rstrip("-") for flag in flags]  # `-I-`: the value follows in the same word
        description = ""
        if rest.startswith("["):
            end = _closing_bracket(rest)
            description = rest[1:end].replace("\\", "")
            rest = rest[end + 1 :]
        message, _, action = rest.lstrip(":").partition(":")
        self.tree.add_flag(
            path,
            flags,
            line,
            description=description,
            takes_value=rest.startswith(":"),
            placeholder=_placeholder(message, action),
            choices=_choices(action),
        )

    def _is_elsewhere(self) -> bool:
        """`[[ $OSTYPE = darwin* ]] && specs+=( … )`."""
        before = []
        for token in reversed(self.tokens[max(0, self.at - 14) : self.at]):
            if token.kind == BREAK and token.text == "\n":
                break
            before.append(token.text)
        condition = " ".join(before)
        return "OSTYPE" in condition and "linux" not in condition and "!" not in condition

    def _array(self, name: str, line: int) -> None:
        """`commands=( 'add:Add a file' … )`."""
        is_elsewhere = self._is_elsewhere()
        self.at += 1
        words: list[ShellToken] = []
        depth = 1
        while self.at < len(self.tokens) and depth:
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == OPEN:
                depth += 1
            elif token.kind == CLOSE:
                depth -= 1
            elif token.kind == WORD:
                words.append(token)
        names = [plain(word.text) for word in words]
        if is_elsewhere:
            return
        if any(entry.lstrip("(*").startswith("-") for entry in names):
            for token in words:
                specs = expand_braces(token.text)
                if all("[" in word or ":" in word or "--" in word for word in specs):
                    for path in self._paths():
                        self._spec(path, specs, token.line)
        elif _LISTS.search(name):
            for token, entry in zip(words, names, strict=True):
                command, _, text = entry.partition(":")
                for path in self._paths():
                    self.tree.add_command(path, command, token.line, text.replace("\\", ""))


def _closing_bracket(text: str) -> int:
    """Index of the bracket that closes the description; `\\]` does not."""
    at = 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == "]":
            return at
        at += 1
    return len(text)


def _placeholder(message: str, action: str) -> str:
    if action.startswith("_files -/") or "_directories" in action:
        return "dir"
    if action.startswith("_files"):
        return "file"
    return "url" if action.startswith("_urls") else message.strip()


def _choices(action: str) -> list[str]:
    """`(a b c)` and `((a\\:"text" b\\:"text"))`."""
    action = action.strip()
    if action.startswith("((") and action.endswith("))"):
        return re.findall(r"(?:^|[\s\"'])([\w.+@-]+)\\?:", action[2:-2][:4_000])
    if action.startswith("(") and action.endswith(")") and "$" not in action:
        return [word for word in action[1:-1][:4_000].split() if ":" not in word]
    return []
