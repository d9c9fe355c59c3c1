"""Paths that a line generates for a command which removes: through a pipe, a loop, or the output of a known command.

`echo / | xargs rm -rf`, `find / | xargs rm`, `for d in / /home; do rm -rf "$d"; done`, `rm -rf "$(git rev-parse --show-toplevel)/.git"`.
Pure: uses the words only, not files. Only `policy.never` uses it, and only to deny.
"""

from __future__ import annotations

from itertools import pairwise

from atip.calls.effects.engine import program_name
from atip.calls.invocation import UNKNOWN_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.calls.shell.line import ShellCommand, ShellLine, ShellWord
    from atip.policy.places.paths import Paths

REMOVERS = frozenset({"rm", "srm", "rimraf", "trash"})
_FIND_TESTS = frozenset({"-delete", "-depth", "-xdev", "-mount", "-print", "-print0", "-exec", "-execdir", "-ok", "-okdir",
                         "-type", "-name", "-H", "-L", "-P", "-mindepth", "-follow"})  # fmt: skip
"""Tests and actions of `find` that exclude nothing, or that are checked separately."""
_WHOLE = ("-r", "-R", "--recursive")
_STANDS_HERE = (("git", "rev-parse", "--show-toplevel"), ("pwd",), ("pwd", "-P"))
"""Commands that print the workspace."""


def generated_paths(command: ShellCommand, line: ShellLine, paths: Paths) -> Iterator[str]:
    """Every path that the line generates for a command which removes whole folders."""
    words = [word.text for word in command.words]
    programs = [program_name(word) or word for word in words]
    if REMOVERS.isdisjoint(programs) or not any(_takes_folders(word) for word in words):
        return
    if "xargs" in programs:
        for index in command.feed or ():
            for word in _printed_words(line.commands[index]):
                yield from paths.resolve(word)
    for word in command.words:
        for text in _expansions(word, line, paths.places.root):
            yield from paths.places.at(text)


def empties(words: Sequence[str]) -> bool:
    """Whether `find` with these words removes everything that it finds."""
    removes = "-delete" in words or any(
        word in ("-exec", "-execdir") and program_name(then) in REMOVERS
        for word, then in pairwise(words)
    )
    return removes and finds_all(words)


def finds_all(words: Sequence[str]) -> bool:
    """Whether `find` with these words has no test that excludes something."""
    tests = [word for word in _own_words(words) if word[:1] == "-" and word not in _FIND_TESTS]
    names = [then for word, then in pairwise(words) if word == "-name"]
    return not tests and all(name == "*" for name in names)


def _own_words(words: Sequence[str]) -> Iterator[str]:
    """The words of find itself, not of what it runs."""
    inner = False
    for word in words:
        inner = word not in (";", "+") if inner else word in ("-exec", "-execdir", "-ok", "-okdir")
        if not inner or word.startswith(("-exec", "-ok")):
            yield word


def _takes_folders(word: str) -> bool:
    short = word[:1] == "-" and word[:2] != "--" and any(char in word for char in "rR")
    return short or word in _WHOLE


def _printed_words(command: ShellCommand) -> Iterator[ShellWord]:
    """Words that a command prints unchanged."""
    name = program_name(command.words[0].text) if command.words else ""
    if name in ("echo", "printf"):
        yield from command.words[1:]
    elif name == "find" and finds_all([word.text for word in command.words[1:]]):
        for word in command.words[1:]:
            if word.text[:1] in ("-", "(", "!"):
                return
            yield word


def _expansions(word: ShellWord, line: ShellLine, root: str) -> Iterator[str]:
    if word.text.count(UNKNOWN_TEXT) != 1:
        return
    for origin in word.origins:
        texts = origin.texts if origin.kind == "choice" else ()
        if origin.kind == "output" and any(_stands(line, index) for index in origin.commands):
            texts = (root,)
        for text in texts:
            yield word.text.replace(UNKNOWN_TEXT, text)


def _stands(line: ShellLine, index: int) -> bool:
    return index < len(line.commands) and line.commands[index].argv in _STANDS_HERE
