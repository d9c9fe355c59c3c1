"""Paths in the words of a line: which files a command would read, and whether that is anybody's business.

Words are resolved against every folder the line may stand in (`cd ~/.ssh && cat x`), lexically: no file
is looked at. Text that is not known yet is judged by where it comes from: a list of files of the workspace
is fine, anything else is not.
"""

from __future__ import annotations

import re

from atip.calls.effects import Reason, program_name
from atip.calls.invocation import UNKNOWN_TEXT
from atip.policy import habits
from atip.policy.sensitive import ANY_FILE, PUBLIC, is_protected, is_secret
from atip.policy.subject import marked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.calls.invocation import Invocation
    from atip.calls.shell import Origin, ShellCommand, ShellLine, ShellWord
    from atip.model.effects import Effects
    from atip.model.tool import Tool

_HARMLESS = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", "-")

_SHARED = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108  compared with, never written
_SED_READS = re.compile(r"(?:^|[;{}\n0-9$/])\s*[rR]\s*([^\s;}]+)")


class Paths:
    """Judges words of one line."""

    def __init__(self, line: ShellLine, cwd: str, home: str) -> None:
        self.line, self.home = line, home
        self.root = _normal(cwd or "/")
        self.folders = [self.root]
        """Where the line may stand; the empty text is anywhere."""
        self.programs = {_head(command)[0] for command in line.commands if command.words}
        for command in line.commands:
            if command.words and command.words[0].text in ("cd", "pushd"):
                self._move(command)

    def _move(self, command: ShellCommand) -> None:
        operands = [w for w in command.words[1:] if not w.text.startswith("-") or w.text == "-"]
        if not operands:
            self.folders.append(_normal(self.home))
            return
        word = operands[0]
        if word.is_static and word.text != "-":
            self.folders += [_join(folder, word.text) for folder in list(self.folders) if folder]
        elif not self._is_listing(word.origins):
            self.folders.append("")

    def may_stand_in_shared(self) -> bool:
        """Whether the line may have moved to a folder in which every user of the machine may write."""
        return any(
            f"{folder}/".startswith(_SHARED) for folder in self.folders if folder != self.root
        )

    # --- one word --------------------------------------------------------------------------------

    def resolve(self, word: ShellWord) -> list[str]:
        """Every absolute path that a word may mean; wildcards stay in."""
        text = word.pattern or word.text
        return [_join(folder, text) for folder in self.folders]

    def is_secret_word(self, word: ShellWord) -> bool:
        """Whether a word names a secret; a bare unknown word does not."""
        text = word.pattern or word.text
        if not text or "\n" in text or set(text) <= {UNKNOWN_TEXT, ANY_FILE}:
            return False
        value = text.rpartition("=")[2]
        found = [*self.resolve(word), *(_join(f, value) for f in self.folders if value != text)]
        return any(is_secret(path) for path in found)

    def is_protected(self, path: str) -> bool:
        return is_protected(path) and not self._inside(path, allow_hidden=False)

    def _inside(self, path: str, *, allow_hidden: bool = True) -> bool:
        inside = path == self.root or path.startswith(self.root.rstrip("/") + "/")
        rest = path[len(self.root) :]
        return inside and (allow_hidden or not is_protected(rest))

    def reading_danger(self, word: ShellWord) -> tuple[str, str] | None:
        """(mark, why) if reading what the word names is not harmless."""
        text = word.text
        if text in _HARMLESS or text.startswith("/dev/fd/"):
            return None
        if self.is_secret_word(word):
            return "secrets", "names a secret"
        for origin in word.origins:
            why = self._origin_danger(origin, known_start=not text.startswith(UNKNOWN_TEXT))
            if why:
                return "outside", why
        if text.startswith(UNKNOWN_TEXT) and not _is_glob(word):
            return None  # its origin was judged
        if not all(self._is_public(path) for path in self.resolve(word)):
            return "outside", "lies outside of the workspace"
        return None

    def _is_public(self, path: str) -> bool:
        if not path.startswith("/"):
            return False
        return self._inside(path) or path.startswith(PUBLIC)

    def _origin_danger(self, origin: Origin, *, known_start: bool) -> str:
        if origin.kind in ("glob", "number", "process"):
            return ""
        if origin.kind == "choice":
            bad = any(self._text_danger(text) for text in origin.texts)
            return "may name a file outside of the workspace or a secret" if bad else ""
        if origin.kind in ("output", "input") and origin.commands:
            return "" if self._is_listing((origin,)) else "reads a file that only other data name"
        if origin.kind == "variable" and known_start:
            return ""
        return "reads a file that is only known when the line runs"

    def _text_danger(self, text: str) -> bool:
        paths = [_join(folder, text) for folder in self.folders]
        return any(is_secret(path) or not self._is_public(path) for path in paths)

    # --- where text comes from -------------------------------------------------------------------

    def _is_listing(self, origins: Sequence[Origin]) -> bool:
        """Whether text is a list of files that could be read without harm."""
        for origin in origins:
            if origin.kind not in ("output", "input") or not origin.commands:
                return False
            commands = [self.line.commands[index] for index in origin.commands]
            if not any(self._lists(command) for command in commands):
                return False
            if not all(self._lists(c) or self._filters(c) for c in commands):
                return False
        return True

    def _lists(self, command: ShellCommand) -> bool:
        name, path, flags = _head(command)
        listing = (
            name in habits.LISTERS
            or path in habits.LISTING_COMMANDS.get(name, ())
            or bool(flags & set(habits.LISTING_FLAGS.get(name, ())))
        )
        if not listing:
            return False
        # what it lists will be read: its own words count as read
        for word in command.words[1:]:
            if not word.text.startswith("-") and self._text_word_danger(word):
                return False
        return True

    def _text_word_danger(self, word: ShellWord) -> bool:
        if self.is_secret_word(word):
            return True
        if word.text.startswith(("/", "~", "..")) or "/.." in word.text:
            return not all(self._is_public(path) for path in self.resolve(word))
        return any(self._origin_danger(o, known_start=False) for o in word.origins)

    def _filters(self, command: ShellCommand) -> bool:
        return _head(command)[0] in habits.FILTERS or not command.words

    def prints_plain(self, index: int) -> bool:
        """Whether a command's output never begins with a dash."""
        name, path, flags = _head(self.line.commands[index])
        if name == "git" and flags & {"--format=%H", "--format=%h", "--pretty=%H", "--pretty=%h"}:
            return True
        return name in habits.PLAIN_OUTPUT or path in habits.PLAIN_OUTPUT_COMMANDS.get(name, ())

    # --- one command -----------------------------------------------------------------------------

    def raise_for(
        self, tool: Tool, call: Invocation, words: Sequence[ShellWord], index: int,
        effects: Effects, reasons: list[Reason],
    ) -> Effects:  # fmt: skip
        """Effects with what the words add: secrets, and files outside of the workspace."""
        # what takes no files takes text; only its options may still name one (`xargs -a FILE`)
        takes_text = effects.filesystem.read is False and effects.network is False
        names = self._names_only(tool, call)
        for program in _programs(tool, call):
            why = self._program_danger(tool.name, program)
            if why is not None:
                reasons.append(Reason(subject=tool.name, says=why[1], evidence="shell"))
                effects = marked(effects, why[0])
        texts = _texts(tool, call)
        for word in words[1:]:
            if word.argument in texts:
                # once: in `grep .env .env` only the first is a pattern
                texts.remove(word.argument)
                continue
            positional = word.argument in call.arguments
            if (takes_text and positional) or _is_text_option(word.text):
                continue
            why = self._word_danger(word, names=names, positional=positional)
            if why is not None and why[0] == "outside" and _in_repository(tool, call):
                continue
            if why is not None:
                reasons.append(Reason(subject=word.raw or word.text, says=why[1], evidence="shell"))
                effects = marked(effects, why[0])
        return effects

    def _program_danger(self, tool: str, program: str) -> tuple[str, str] | None:
        """Files that a program of awk or sed opens by itself."""
        if tool.endswith("awk"):
            if "getline" in program or "ARGV" in program:
                return "outside", "its program opens files by itself"
            return None
        for name in _SED_READS.findall(program):
            if any(is_secret(path) or not self._is_public(path) for path in self._at(name)):
                return "secrets", "its program reads a file that is none of its operands"
        return None

    def _at(self, text: str) -> list[str]:
        return [_join(folder, text) for folder in self.folders]

    def _word_danger(
        self, word: ShellWord, *, names: bool, positional: bool
    ) -> tuple[str, str] | None:
        if names:
            return None
        if self.is_secret_word(word):
            return "secrets", "names a secret"
        if not positional:
            value = word.text.rpartition("=")[2]
            far = len(value) > 1 and value.startswith(("~/", "../", "/home/", "/root"))
            return self.reading_danger(word) if far and value == word.text else None
        if word.text.startswith("-"):
            return None
        return self.reading_danger(word)

    def _names_only(self, tool: Tool, call: Invocation) -> bool:
        if call.inner:
            return tool.name in ("find", "fd", "fdfind") and not self._shows_contents(call)
        commands = habits.NAMES_ONLY_COMMANDS.get(tool.name, ())
        return tool.name in habits.NAMES_ONLY or (bool(call.path) and call.path[0] in commands)

    def _shows_contents(self, call: Invocation) -> bool:
        """`find … -exec cat`: what find names is then read."""
        return any(
            inner.kind != "argv" or program_name(inner.argv[0]) not in habits.NAMES_ONLY
            for inner in call.inner
        )

    def touched(self, call: Invocation, words: Sequence[ShellWord]) -> tuple[str, ...]:
        """Absolute paths among the operands, for rules on paths."""
        found: list[str] = []
        for word in words[1:]:
            if word.argument in call.arguments and not word.text.startswith("-"):
                found += self.resolve(word)
        return tuple(dict.fromkeys(found))


def _head(command: ShellCommand) -> tuple[str, str, set[str]]:
    """Program, first operand, flags."""
    if not command.words:
        return "", "", set()
    name = program_name(command.words[0].text)
    rest = [word.text for word in command.words[1:]]
    operands = [text for text in rest if not text.startswith("-")]
    return name, operands[0] if operands else "", {text for text in rest if text.startswith("-")}


def _texts(tool: Tool, call: Invocation) -> list[str]:
    """Words that are patterns, programs or messages, not paths."""
    texts = [
        given.value
        for given in call.options
        if given.value is not None and set(given.flags) & habits.TEXT_OPTIONS
    ]
    holders = habits.PATTERN_FIRST.get(tool.name)
    if holders is None and call.path:
        holders = habits.PATTERN_FIRST_COMMANDS.get((tool.name, call.path[0]))
    if holders is not None and call.arguments and not call.given(holders):
        texts.append(call.arguments[0])
    return texts


def _programs(tool: Tool, call: Invocation) -> list[str]:
    """Texts in a language of their own: awk and sed."""
    if not tool.name.endswith(("awk", "sed")):
        return []
    given = [g.value for g in call.options if g.value and set(g.flags) & {"-e", "--expression"}]
    return [*given, *(call.arguments if tool.name.endswith("awk") else call.arguments[:1])]


def _in_repository(tool: Tool, call: Invocation) -> bool:
    loose = call.given(["--no-index"]) or call.path[:1] in (("hash-object",), ("apply",))
    return tool.name in habits.IN_REPOSITORY and not loose


def _is_text_option(word: str) -> bool:
    name, equals, _value = word.partition("=")
    return name.startswith("-") and bool(equals) and name in habits.TEXT_OPTIONS


def _is_glob(word: ShellWord) -> bool:
    return bool(word.origins) and all(origin.kind == "glob" for origin in word.origins)


def _join(folder: str, text: str) -> str:
    """An absolute path, or a relative one where the folder is not known."""
    if text.startswith(("/", "~")):
        return _normal(text)
    return _normal(f"{folder}/{text}") if folder else text


def _normal(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)
