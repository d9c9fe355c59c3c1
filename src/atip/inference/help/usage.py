"""Usage: facts that usage lines state.

Facts are claims with their own weight: a flag in a usage line exists, a placeholder next to it in
the same brackets is its value, a bare word may be a command or a positional. What definitions
say about the same things is weighed against this in `options.py` and `arguments.py`.
"""

from __future__ import annotations

import re

from atip.inference.help.flags import parse_flags, plain_placeholder
from atip.inference.help.placeholders import is_command_word, is_options_word, letters
from atip.inference.help.synopsis import (
    FLAG,
    OPTIONAL,
    PLACEHOLDER,
    REQUIRED,
    WORD,
    Node,
    parse_synopsis,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.inference.help.patterns import Pattern


class UsageOption:
    """A flag seen in a usage line. `certain` is False where a value might be a positional."""

    __slots__ = ("certain", "flags", "lines", "optional_value", "raw", "required", "value", "word")

    def __init__(self, flags: tuple[str, ...], lines: tuple[int, int]) -> None:
        self.flags = flags
        self.lines = lines
        self.value: str | None = None
        self.raw = ""
        self.optional_value = False
        self.certain = True
        self.required = False
        self.word = ""
        """The literal word its pattern starts with: perhaps a sub-command."""


class UsageArgument:
    """A positional seen in a usage line."""

    __slots__ = ("after", "bare", "handed", "lines", "name", "raw", "required", "variadic")

    def __init__(self, name: str, lines: tuple[int, int]) -> None:
        self.name = name
        self.lines = lines
        self.required = True
        self.variadic = False
        self.bare = False
        """A lower-case word without brackets: perhaps a literal."""
        self.raw = ""
        self.after: str | None = None
        """The flag right before it outside of brackets: perhaps it is that flag's value."""
        self.handed = False
        """Whether `--` stands before it."""


class Usage:
    """Everything the usage lines of one page say."""

    def __init__(self) -> None:
        self.patterns: list[Pattern] = []
        self.options: list[UsageOption] = []
        self.arguments: list[list[UsageArgument]] = []
        """Per pattern."""
        self.only_options: list[bool] = []
        """Per pattern, whether it is `TOOL OPTION` and nothing else."""
        self.clusters: list[tuple[str, tuple[int, int]]] = []
        """`-abc`: three flags or one long one; the definitions decide."""
        self.words: list[tuple[str, tuple[int, int]]] = []
        """Literal words right after the program's own: commands, if there are several."""
        self.braces: list[tuple[tuple[str, ...], bool, tuple[int, int]]] = []
        """`{a,b}` as a positional, and whether `...` follows (argparse sub-commands)."""
        self.takes_command = False
        self.starts: list[str] = []
        """The literal word each pattern starts with, or nothing."""
        self.exclusive: list[tuple[str, ...]] = []


def without(usage: Usage, words: set[str]) -> None:
    """Drops what patterns of sub-commands say: it is theirs."""
    usage.options = [option for option in usage.options if option.word not in words]
    kept = [start not in words for start in usage.starts]
    usage.arguments = [found for found, keep in zip(usage.arguments, kept, strict=True) if keep]
    usage.only_options = [one for one, keep in zip(usage.only_options, kept, strict=True) if keep]
    usage.starts = [start for start in usage.starts if start not in words]


def read_usage(patterns: list[Pattern], tool: str, path: tuple[str, ...]) -> Usage:
    """Facts of all patterns."""
    usage = Usage()
    usage.patterns = patterns = own_patterns(patterns, (tool, *path))
    for pattern in patterns:
        root = parse_synopsis(pattern.text)
        _Reader(usage, pattern, tool, path).read(root)
    return usage


def own_patterns(patterns: list[Pattern], words: tuple[str, ...]) -> list[Pattern]:
    """Without the usage of other commands that a text shows beside its own (`git log`: `or: git show`)."""
    start = f"{' '.join(words)} "
    own = [pattern for pattern in patterns if f"{pattern.text} ".startswith(start)]
    if len(words) < 2 or not own:
        return patterns
    beside = re.compile(
        rf"{re.escape(' '.join(words[:-1]))} (?!{re.escape(words[-1])}\b)[a-z][a-z-]+(?: |$)"
    )
    return [pattern for pattern in patterns if not beside.match(pattern.text)]


def _default_command(node: Node) -> str:
    """`[push [-p] [<path>...]]`: the command that is meant when none is named; empty without one."""
    inner = node.alternatives[0] if node.kind == OPTIONAL and len(node.alternatives) == 1 else []
    is_word = bool(inner) and inner[0].kind == WORD and inner[0].text.isalpha()
    return inner[0].text if is_word and inner[0].text.islower() else ""


class _Reader:
    """Walks the tree of one pattern and adds its facts to a Usage."""

    def __init__(self, usage: Usage, pattern: Pattern, tool: str, path: tuple[str, ...]) -> None:
        self.usage = usage
        self.lines = (pattern.first, pattern.last)
        self.text = pattern.text
        self.word = ""
        self.dashed = False
        """Whether `--` was read."""
        self.found: list[UsageArgument] = []
        self.pieces = {tool.lower(), *re.split(r"[-_. ]", tool.lower())}
        self.path = {part.lower() for part in path}

    def read(self, root: Node) -> None:
        branch = root.alternatives[0]
        start = self._skip_program(branch)
        for index in range(len(branch) - 1, start, -1):
            node = branch[index]
            if node.kind == WORD and node.text.lower() in self.path:
                start = index + 1  # what stands before belongs to the parent command
                break
        place = self._skip_options(branch, start)
        if place < len(branch) and branch[place].kind == WORD and start > 0:
            word = branch[place].text
            if word.islower() and word.replace("-", "").replace("_", "").isalnum():
                self.usage.words.append((word, self.lines))
                self.word = word
        elif self.path and start < len(branch) and (word := _default_command(branch[start])):
            self.usage.words.append((word, self.lines))
            self.word = word
        self._walk(branch[start:], optional=False, repeat=False, depth=0)
        for other in root.alternatives[1:]:
            self._walk(other, optional=True, repeat=False, depth=0)
        if sum(argument.bare for argument in self.found) > 5:
            self.found = []  # a sentence
        self.usage.arguments.append(self.found)
        self.usage.starts.append(self.word)
        self.usage.only_options.append(_is_only_options(branch[start:]))

    def _skip_program(self, branch: list[Node]) -> int:
        at = 0
        for node in branch:
            names = _literal_names(node)
            known = names & self.path or names & self.pieces
            if not names or (at > 0 and not known):
                break
            at += 1
        return at

    def _skip_options(self, branch: list[Node], start: int) -> int:
        """`git submodule [--quiet] add`: where the literal word of a nested command stands."""
        place = start
        while self.path and place < len(branch) and _holds_options(branch[place]):
            place += 1
        return place

    def _walk(self, branch: list[Node], *, optional: bool, repeat: bool, depth: int) -> None:
        at = 0
        while at < len(branch):
            node = branch[at]
            if node.kind == FLAG:
                at = self._flag(branch, at, optional=optional, depth=depth)
                continue
            if node.kind in (WORD, PLACEHOLDER):
                if at + 2 < len(branch) and branch[at + 1].text == "or":
                    node.text = f"{node.text} or {branch[at + 2].text}"  # `FILE or FILE:APP`
                    del branch[at + 1 : at + 3]
                self._argument(node, branch, at, optional=optional, repeat=repeat)
            else:
                self._group(node, branch, at, optional=optional, repeat=repeat, depth=depth)
            at += 1

    def _group(
        self, node: Node, branch: list[Node], at: int, *, optional: bool, repeat: bool, depth: int
    ) -> None:
        optional = optional or node.kind == OPTIONAL
        repeat = repeat or node.repeat
        following = branch[at + 1] if at + 1 < len(branch) else None
        flags = [child for child in node.children if child.kind == FLAG]
        if node.bracket == "{" and not flags and len(node.alternatives) > 1:
            self._braces(node, branch, at, optional=optional, repeat=repeat)
            return
        if flags and all(len(alt) == 1 and alt[0].kind == FLAG for alt in node.alternatives):
            taken = self._shared_value(node, following) if depth else None
            spelled = depth == 0 and node.bracket == "("
            if spelled and following is not None and following.kind == PLACEHOLDER:
                following.value = flags[0].text  # value or positional: the definitions know
            self._alternatives(flags, taken)
            if taken is not None:
                branch[at + 1] = Node(WORD, "")
            return
        names = [_plain_name(alt) for alt in node.alternatives]
        if len(names) > 1 and all(names) and not flags:
            repeat = repeat or any(child.repeat for child in node.children)  # `[UNIT...|PATH...]`
            self._add_argument("|".join(names), node, optional=optional, repeat=repeat)
            return
        last = node.alternatives[-1][-1] if node.alternatives[-1] else None
        plain = not flags and all(child.kind == WORD for child in node.children)
        if last is not None and plain and is_options_word(letters(last.text)):
            return  # `[global options]`
        if plain and len(node.children) > 3 and node.kind == OPTIONAL:
            return  # `[more options; see below]`
        if len(flags) > 1 and len(node.alternatives) > 1:
            self._pair(node)
        for alternative in node.alternatives:
            inner = depth + 1 if node.bracket else depth
            mixed = optional or len(node.alternatives) > 1
            self._walk(alternative, optional=mixed, repeat=repeat, depth=inner)

    def _pair(self, node: Node) -> None:
        """`[-u|--uuid <uuid>]`: the short spelling takes the value of the long one."""
        for one, two in zip(node.alternatives, node.alternatives[1:], strict=False):
            if not (len(one) == 1 and len(two) >= 1 and one[0].kind == two[0].kind == FLAG):
                continue
            short, long = one[0].text, two[0].text
            # Blanks around the bar mean "one or the other", none mean "two spellings".
            glued = f"{short}|{long}" in self.text
            alike = len(node.alternatives) == 2 or long[2:3].lower() == short[1:2].lower()
            if len(short) == 2 and long.startswith("--") and alike and glued:
                value = two[0].value
                if (
                    value is None
                    and len(two) > 1
                    and two[1].kind != FLAG
                    and not _has_flags(two[1])
                ):
                    value = _value_text(two[1])
                if value is not None:
                    one[0].value = value

    def _shared_value(self, node: Node, following: Node | None) -> Node | None:
        """`(-m | --message) <message>`: one value for all flags of the group."""
        if node.bracket == "(" and following is not None and following.kind == PLACEHOLDER:
            return following
        return None

    def _alternatives(self, flags: list[Node], value: Node | None) -> None:
        texts = []
        for node in flags:
            spec = parse_flags(node.text)
            if spec is None:
                continue
            if value is None and self._is_cluster(spec.flags[0], node):
                continue
            texts.append(spec.flags[0])
            option = self._new_option(node, spec.flags, certain=True)
            if value is not None and option.value is None:
                option.value, option.raw = plain_placeholder(value.text), value.text
        if len(texts) > 1 and value is None:
            self.usage.exclusive.append(tuple(texts))

    def _braces(
        self, node: Node, branch: list[Node], at: int, *, optional: bool, repeat: bool
    ) -> None:
        names = tuple(name for alt in node.alternatives if (name := _plain_name(alt)))
        following = branch[at + 1] if at + 1 < len(branch) else None
        dots = node.repeat or (following is not None and following.text == "...")
        self.usage.braces.append((names, dots, self.lines))

    def _flag(self, branch: list[Node], at: int, *, optional: bool, depth: int) -> int:
        node = branch[at]
        spec = parse_flags(node.text)
        at += 1
        if spec is None:
            return at
        name = spec.flags[0]
        following = branch[at] if at < len(branch) else None
        if (following is None or following.kind == FLAG or depth == 0) and self._is_cluster(
            name, node
        ):
            return at
        option = self._new_option(node, spec.flags, certain=depth > 0 or node.value is not None)
        option.required = not optional
        if node.value is not None or following is None or following.kind == FLAG:
            return at
        if depth == 0:
            # `-d <host>` outside of brackets: value or positional, the definitions know.
            if following.kind in (WORD, PLACEHOLDER):
                following.value = name
            return at
        if following.kind == OPTIONAL and _has_flags(following):
            return at
        option.value = plain_placeholder(_value_text(following))
        option.raw = _value_text(following)
        option.optional_value = following.kind == OPTIONAL and len(following.alternatives) == 1
        at += 1
        while at < len(branch) and branch[at].kind != FLAG and not _has_flags(branch[at]):
            option.optional_value = option.optional_value and branch[at].kind == OPTIONAL
            at += 1  # `[--names NAME [NAME ...]]`, `[-D [address:]port]`
        return at

    def _is_cluster(self, name: str, node: Node) -> bool:
        """`-abc` without a value is noted for later."""
        if name.startswith("--") or len(name) < 3 or node.value is not None or "=" in node.text:
            return False
        self.usage.clusters.append((name, self.lines))
        return True

    def _new_option(self, node: Node, flags: tuple[str, ...], *, certain: bool) -> UsageOption:
        option = UsageOption(flags, self.lines)
        option.word = self.word
        option.value = node.value
        option.raw = node.value or ""
        option.optional_value = node.value_optional
        option.certain = certain
        self.usage.options.append(option)
        return option

    def _argument(
        self, node: Node, branch: list[Node], at: int, *, optional: bool, repeat: bool
    ) -> None:
        text = node.text
        self.dashed = self.dashed or text == "--"
        if not text or text in ("--", "-", "...", "\u2026", ":", "=", ".", "or", "and", "&", ">"):
            return
        if text[0] in "#$" or not any(char.isalnum() for char in text):
            return
        if not optional and text.lower() in self.path:
            return  # `tool [global options] plan`: the command's own name
        argument = self._add_argument(text, node, optional=optional, repeat=repeat)
        if argument is not None:
            argument.after = node.value
            argument.handed = self.dashed
            argument.bare = node.kind == WORD and text.islower() and not optional

    def _add_argument(
        self, text: str, node: Node, *, optional: bool, repeat: bool
    ) -> UsageArgument | None:
        name = _clean_name(text)
        key = letters(name)
        if is_options_word(key):
            return None
        if is_command_word(key):
            self.usage.takes_command = True
        for seen in self.found:
            if seen.name == name:
                seen.variadic = True
                return None
        argument = UsageArgument(name, self.lines)
        argument.raw = text
        argument.required = not optional
        argument.variadic = repeat or node.repeat or "..." in text or text.endswith("(s)")
        argument.variadic = argument.variadic or key in ("args", "arguments") or text == "FILES"
        self.found.append(argument)
        return argument


def _clean_name(text: str) -> str:
    name = text.strip("<>[](){}.,;:'\"`*=\u2026 ").replace("[", "").replace("]", "")
    return name.removesuffix("(s").removesuffix("...")


def _plain_name(branch: list[Node]) -> str:
    """The name of a branch that is one word or placeholder; empty otherwise."""
    if len(branch) != 1 or branch[0].kind not in (WORD, PLACEHOLDER):
        return ""
    return _clean_name(branch[0].text)


def _literal_names(node: Node) -> set[str]:
    if node.kind == WORD:
        return {part.lower() for part in [node.text, *node.text.split("|")]}
    if node.kind == REQUIRED and node.bracket == "(":
        names = [_plain_name(branch).lower() for branch in node.alternatives]
        return set(names) if all(names) else set()
    return set()


def _value_text(node: Node, depth: int = 0) -> str:
    """A value as it was written, brackets included."""
    if node.kind in (WORD, PLACEHOLDER, FLAG):
        return node.text + ("..." if node.repeat else "")
    if depth > 6:
        return ""
    close = {"[": "]", "(": ")", "{": "}"}.get(node.bracket, "")
    inner = "|".join(
        " ".join(_value_text(child, depth + 1) for child in branch) for branch in node.alternatives
    )
    return f"{node.bracket}{inner}{close}"


def _holds_options(node: Node) -> bool:
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


def _is_only_options(branch: list[Node]) -> bool:
    words = [node for one in branch for node in (one, *one.children) if node.text]
    return bool(words) and all(is_options_word(letters(node.text)) for node in words)


def _has_flags(node: Node) -> bool:
    return any(child.kind == FLAG for child in node.children)
