"""Paths in the words of a line: which files a command would read, and whether that is a danger.

Words are resolved against every folder that the line may change to (`cd ~/.ssh && cat x`), and through links if the
caller passes a resolver; no file is read here. Text that is not known yet is judged by its origin: a list of files of
the workspace is fine, anything else is not.
"""

from __future__ import annotations

from atip.calls.effects.engine import Reason, program_name
from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell.line import ShellWord
from atip.model.text.regex import LazyRegex
from atip.policy.command_context import add_marks
from atip.policy.lines.programs import programs_read
from atip.policy.lines.word_values import filled_in, joined_values
from atip.policy.places import habits
from atip.policy.places.folders import Folders
from atip.policy.places.reaching import is_secret_pattern, reaches_secret, regex_reaches
from atip.policy.places.sensitive import is_protected, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.calls.invocation import Invocation
    from atip.calls.shell.line import ShellCommand, ShellLine, TextOrigin
    from atip.model.effects import Effects
    from atip.model.tool import Tool
    from atip.policy.places.folders import FollowLinks

_HARMLESS = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", "-")

_PLAIN_FORMAT = LazyRegex(r"(%s(\\n|\\0| ))+\Z")
_LISTS_NAMES = LazyRegex(r"-[^efmABCdD-]*[lL]")
_INVERTS = LazyRegex(r"-[a-zA-Z]*v|--invert")
_SEARCHES = frozenset("rg ripgrep ag ack ugrep ast-grep".split())  # noqa: SIM905
_SHOWS_HIDDEN = {
    "ls": LazyRegex(r"-[a-zA-Z]*[aA]|--all|--almost-all"),
    "git": LazyRegex(r"-[a-z]*[oi]|--others|--ignored"),
}
_SEARCH_FLAGS = LazyRegex(
    r"-[viEFGPwxahs]+|--(invert-match|ignore-case|extended-regexp|fixed-strings|word-regexp|text)|-e"
)
_NUMBER_FLAG = LazyRegex(r"-n?[0-9]*")
_KEEPS_LINES = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg"), _SEARCH_FLAGS),
    "sort": LazyRegex(r"-[runzVfbdhR]+|-[kt].*|--(reverse|unique|version-sort|zero-terminated|numeric-sort)"),
    **dict.fromkeys(("tac", "cat"), LazyRegex(r"(?!)")), **dict.fromkeys(("read", "while"), LazyRegex(r".*")),
    "uniq": LazyRegex(r"-[uidz]+"), "tail": LazyRegex(r"-n?\+?[0-9]*"),
}  # fmt: skip
"""Options of filters that leave every line as it is, or drop it: `grep -o` and `head -c` make new names."""
_LISTS_HERE = frozenset("ls dir find fd fdfind rg grep git".split())  # noqa: SIM905
"""Programs that list the current folder by default."""
_GREPS = frozenset("grep egrep fgrep zgrep pcre2grep".split())  # noqa: SIM905

_SKIPS_FIRST = _GREPS | _SEARCHES | {"printf"}
"""Listers whose first word is a pattern or a format."""

_FAR = ("~/", "../", "/home/", "/root")

_HERE = ShellWord(text=".", raw=".", pattern=".")


class Paths:
    """Judges words of one line."""

    def __init__(
        self, line: ShellLine, cwd: str, home: str, links: FollowLinks | None = None
    ) -> None:
        self.line = line
        self.programs = {_head(command)[0] for command in line.commands if command.words}
        self.places = Folders(cwd, home, links)
        self.places.follow(line, self._is_listing)

    # --- one word --------------------------------------------------------------------------------

    def resolve(self, word: ShellWord) -> list[str]:
        """Every absolute path that a word may refer to; wildcards stay in."""
        text = word.pattern or word.text
        return self.places.at(text)

    def is_secret_word(self, word: ShellWord) -> bool:
        """Whether a word names a secret; a bare unknown word does not."""
        text = word.pattern or word.text
        if not text or "\n" in text or set(text) == {UNKNOWN_TEXT}:
            return False
        value = text.rpartition("=")[2]
        texts = (text, *joined_values(text))
        candidates = [path for part in texts for path in self.places.at(part)]
        return any(is_secret(path) for path in candidates) or is_secret_pattern(value)

    def is_protected(self, path: str) -> bool:
        """Whether writing there changes what runs later; a workspace may lie in a folder with such a name."""
        if not is_protected(path):
            return False
        return not (self.places.holds(path) and not is_protected(path[len(self.places.root) :]))

    def reading_danger(self, word: ShellWord, *, recursive: bool = False) -> tuple[str, str] | None:
        """(mark, why) if reading what the word names (`recursive`: and everything below) is not harmless."""
        text = word.text
        if text in _HARMLESS or text.startswith("/dev/fd/"):
            return None
        if self.is_secret_word(word):
            return "secrets", "names a secret"
        if any(self._text_danger(text) for text in filled_in(word)):
            return "outside", "may name a file outside the workspace or a secret"
        for origin in word.origins:
            why = self._origin_danger(origin, known_start=not text.startswith(UNKNOWN_TEXT))
            if why:
                return "outside", why
        if text.startswith(UNKNOWN_TEXT) and not _is_glob(word):
            return None  # its origin was judged
        if not all(self.places.is_public(path, recursive=recursive) for path in self.resolve(word)):
            return "outside", "is outside the workspace"
        return None

    def _origin_danger(self, origin: TextOrigin, *, known_start: bool) -> str:
        if origin.kind in ("glob", "number", "process"):
            return ""
        if origin.kind == "choice":
            bad = any(self._text_danger(text) for text in origin.texts)
            return "may name a file outside the workspace or a secret" if bad else ""
        if origin.kind in ("output", "input") and origin.commands:
            return "" if self._is_listing((origin,)) else "reads a file that only other data names"
        if origin.kind == "variable" and known_start:
            return ""
        return "reads a file that is only known when the line runs"

    def _text_danger(self, text: str) -> bool:
        return any(
            is_secret(path) or not self.places.is_public(path) for path in self.places.at(text)
        )

    # --- where text comes from -------------------------------------------------------------------

    def _is_listing(self, origins: Sequence[TextOrigin]) -> bool:
        """Whether text is a list of files that could be read without harm."""
        return bool(origins) and all(
            origin.kind in ("output", "input")
            and bool(origin.commands)
            and self._all_list(origin.commands, 0)
            for origin in origins
        )

    def _all_list(self, commands: Sequence[int], depth: int) -> bool:
        """Whether commands print names of files, or leave some out of those that they read."""
        lists = False
        for index in commands:
            command = self.line.commands[index]
            if self._lists(command):
                lists = True
            elif not self._filters(command) or depth > 20:
                return False
            elif command.feed is not None and index not in command.feed:
                lists = self._all_list(command.feed, depth + 1) or lists
        return lists

    def _lists(self, command: ShellCommand) -> bool:
        name, path, flags = _head(command)
        listing = (
            name in habits.LISTERS
            or path in habits.LISTING_COMMANDS.get(name, ())
            or bool(flags & set(habits.LISTING_FLAGS.get(name, ())))
            or (name in ("grep", "rg") and any(_LISTS_NAMES.match(flag) for flag in flags))
        )
        texts = [word.text for word in command.words[1:]]
        if not listing or _makes_names(name, texts) or reaches_secret(name, texts):
            return False
        # what it lists will be read: its own words count as read
        words = command.words[2:] if name in _SKIPS_FIRST else command.words[1:]
        if name in _LISTS_HERE and not any(word.text[:1] != "-" for word in words):
            words = (_HERE,)
        return not any(
            not word.text.startswith("-") and self._text_word_danger(word) for word in words
        )

    def _text_word_danger(self, word: ShellWord) -> bool:
        if self.is_secret_word(word):
            return True
        near = not word.text.startswith(("/", "~", ".")) and "/.." not in word.text
        if not near or self.places.moves:
            return not all(
                self.places.is_public(path, recursive=True) for path in self.resolve(word)
            )
        return any(self._origin_danger(o, known_start=False) for o in word.origins)

    def _filters(self, command: ShellCommand) -> bool:
        """Programs that leave out or reorder what they read; but not one that reads a file instead."""
        name = _head(command)[0]
        if not command.words:
            return True
        if name not in habits.FILTERS:
            return False
        words = [w.text for w in command.words[1:] if w.text[:1] != "-" and not w.text.isdigit()]
        flags = [w.text for w in command.words[1:] if w.text[:1] == "-"]
        if not all(_KEEPS_LINES.get(name, _NUMBER_FLAG).fullmatch(flag) for flag in flags):
            return False
        searches = name in _GREPS | _SEARCHES
        most = 1 if searches else 9 if name in ("read", "while") else 0
        if len(words) > most:
            return False
        leaves_out = any(_INVERTS.match(w.text) for w in command.words[1:])
        return not searches or leaves_out or not any(regex_reaches(word) for word in words)

    def prints_plain(self, index: int) -> bool:
        """Whether a command's output never begins with a dash."""
        command = self.line.commands[index]
        name, path, flags = _head(command)
        if self._filters(command) and command.feed and index not in command.feed:
            return all(self.prints_plain(each) for each in command.feed)
        if name in _GREPS and len(command.words) > 3 and self._lists(command):
            # it prints the names below the folder that it was given
            return all(word.is_static for word in command.words[1:])
        if name == "git" and flags & {"--format=%H", "--format=%h", "--pretty=%H", "--pretty=%h"}:
            return True
        return name in habits.PLAIN_OUTPUT or path in habits.PLAIN_OUTPUT_COMMANDS.get(name, ())

    # --- one command -----------------------------------------------------------------------------

    def raise_for(
        self, tool: Tool, call: Invocation, words: Sequence[ShellWord], index: int,
        effects: Effects, reasons: list[Reason],
    ) -> Effects:  # fmt: skip
        """Effects with what the words add: secrets, files outside of the workspace, protected places."""
        for mark, subject, why in self._dangers(tool, call, words, index, effects):
            reasons.append(Reason(subject=subject, says=why, evidence="shell"))
            effects = add_marks(effects, mark)
        return effects

    def _dangers(
        self, tool: Tool, call: Invocation, words: Sequence[ShellWord], index: int, effects: Effects
    ) -> Iterator[tuple[str, str, str]]:
        """(mark, subject, why) of every danger."""
        for name in programs_read(tool, call):
            if not name or any(self._reads_badly(path) for path in self.places.at(name)):
                yield "secrets", tool.name, "its program opens files by itself"
        if self._implies_folder(tool, call, index):
            why = self.reading_danger(_HERE, recursive=True)
            if why is not None:
                yield why[0], tool.name, "searches the folder it runs in"
        shows_contents = call.inner and tool.name in habits.LISTERS and self._shows_contents(call)
        if shows_contents and reaches_secret(tool.name, [word.text for word in words[1:]]):
            yield "secrets", tool.name, "searches for files that hold secrets"
        writes = effects.filesystem.write is not False or effects.filesystem.delete is not False
        texts = _texts(tool, call)
        for word in words[1:]:
            if word.argument in texts:
                # once: in `grep .env .env` only the first is a pattern
                texts.remove(word.argument)
                continue
            subject = word.raw or word.text
            if writes and self._writes_protected(word):
                yield "protected", subject, "changes what runs later"
            why = self._word_danger(tool, call, word, effects)
            if why is not None:
                yield why[0], subject, why[1]

    def _reads_badly(self, path: str) -> bool:
        return is_secret(path) or not self.places.is_public(path)

    def _implies_folder(self, tool: Tool, call: Invocation, index: int) -> bool:
        """`rg x`: a search without a folder searches the current one."""
        if not _is_recursive(tool, call) or call.given(["--files", "--type-list"]):
            return False
        command = self.line.commands[index]
        fed = command.feed is not None or any(r.kind in ("read", "here") for r in command.redirects)
        if fed and tool.name in _SEARCHES:
            return False
        return len(call.arguments) <= len(_texts(tool, call, options=False))

    def _writes_protected(self, word: ShellWord) -> bool:
        text = word.pattern or word.text
        names = {text, text.rpartition("=")[2], text[2:] if text[:1] == "-" else text}
        return any(
            self.is_protected(path) for name in names if name for path in self.places.at(name)
        )

    def _word_danger(
        self, tool: Tool, call: Invocation, word: ShellWord, effects: Effects
    ) -> tuple[str, str] | None:
        positional = word.argument in call.arguments
        if positional and self._names_only(tool, call):
            return None
        # what takes no files takes text; only its options may still name one (`xargs -a FILE`)
        takes_text = effects.filesystem.read is False and effects.network is False
        if (takes_text and positional) or _is_text_option(tool, call, word.text):
            return None
        if not positional and word.text[:1] == "!":
            return None  # `rg -g '!.env'`: left out
        if self.is_secret_word(word):
            return "secrets", "names a secret"
        if not positional:
            return self._option_danger(word)
        if word.text.startswith("-") or _in_repository(tool, call):
            return None
        return self.reading_danger(word, recursive=_is_recursive(tool, call))

    def _option_danger(self, word: ShellWord) -> tuple[str, str] | None:
        """`-f ../x`, `--file=../x`, `-f../x`: a value that begins like a path far from here."""
        if word.text.startswith(_FAR):
            return self.reading_danger(word)
        far = [value for value in joined_values(word.text) if value.startswith(_FAR)]
        if any(self._text_danger(each) for each in far):
            return "outside", "is outside the workspace"
        return None

    def _names_only(self, tool: Tool, call: Invocation) -> bool:
        if call.inner:
            return tool.name in ("find", "fd", "fdfind") and not self._shows_contents(call)
        if call.given(habits.READS_NAMES.get(tool.name, ())):
            return False
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
        paths: list[str] = []
        for word in words[1:]:
            if word.argument in call.arguments and not word.text.startswith("-"):
                paths += self.resolve(word)
        return tuple(dict.fromkeys(paths))


def _head(command: ShellCommand) -> tuple[str, str, set[str]]:
    """Program, first operand, flags."""
    if not command.words:
        return "", "", set()
    name = program_name(command.words[0].text)
    rest = [word.text for word in command.words[1:]]
    operands = [text for text in rest if not text.startswith("-")]
    return name, operands[0] if operands else "", {text for text in rest if text.startswith("-")}


def _texts(tool: Tool, call: Invocation, *, options: bool = True) -> list[str]:
    """Words that are patterns, programs or messages, not paths."""
    texts = [
        used.value
        for used in call.options
        if options and used.value is not None and set(used.flags) & _text_flags(tool, call)
    ]
    holders = habits.PATTERN_FIRST.get(tool.name)
    if holders is None and call.path:
        holders = habits.PATTERN_FIRST_COMMANDS.get((tool.name, call.path[0]))
    if holders is not None and call.arguments and not call.given(holders):
        texts.append(call.arguments[0])
    return texts


def _text_flags(tool: Tool, call: Invocation) -> frozenset[str]:
    """Flags whose values are text by knowledge; the value of any other may name a file."""
    files = habits.FILE_FLAGS_COMMANDS.get((tool.name, call.path[0] if call.path else ""), ())
    return frozenset(str(tool.own.get("text", "")).split()).difference(files)


def _is_recursive(tool: Tool, call: Invocation) -> bool:
    """Whether it reads everything below a folder."""
    if tool.name == "git":
        return call.path[:1] == ("grep",) and call.given(["--no-index"])
    if tool.name in _GREPS:
        deep = call.given(["-r", "-R", "--recursive", "--dereference-recursive"])
        return deep or "recurse" in call.values_of(["-d", "--directories"])
    return tool.name in _SEARCHES or (tool.name in ("find", "fd", "fdfind") and bool(call.inner))


def _makes_names(name: str, words: Sequence[str]) -> bool:
    """`printf '/etc/%s' shadow`, `ls -A`: names that no word shows."""
    if name in ("ls", "git") and any(_SHOWS_HIDDEN[name].match(word) for word in words):
        return True
    if name == "dirname":
        return any(is_secret(word.rpartition("/")[0]) for word in words)
    if name in ("echo", "printf") and any(
        char in word for word in words[name == "printf" :] for char in "\\\"'"
    ):
        return True  # xargs takes quotes away
    if name == "printf":
        return not words or not _PLAIN_FORMAT.match(words[0])
    return name == "echo" and "-n" in words


def _in_repository(tool: Tool, call: Invocation) -> bool:
    loose = call.given(["--no-index"]) or call.path[:1] in (("hash-object",), ("apply",))
    return tool.name in habits.IN_REPOSITORY and not loose


def _is_text_option(tool: Tool, call: Invocation, word: str) -> bool:
    name, equals, _value = word.partition("=")
    joined = word[:2] if word[:2] != "--" else ""
    return name[:1] == "-" and bool({name if equals else "", joined} & _text_flags(tool, call))


def _is_glob(word: ShellWord) -> bool:
    return bool(word.origins) and all(origin.kind == "glob" for origin in word.origins)
