"""Usage: facts that usage lines state.

Facts are claims with their own weight: a flag in a usage line exists, a placeholder next to it in
the same brackets is its value, a bare word may be a command or a positional. What definitions
say about the same things is weighed against this in `help/options.py` and `help/arguments.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.help.flags import is_long_behind_one_dash, parse_flags, plain_placeholder
from atip.inference.help.usage_lines.nodes import (
    clean_name,
    has_flags,
    holds_options,
    is_command_form,
    is_only_options,
    lists_values,
    literal_names,
    plain_name,
    value_text,
)
from atip.inference.help.usage_lines.patterns import own_patterns, split_forms
from atip.inference.help.usage_lines.placeholders import is_command_word, is_options_word, letters
from atip.inference.help.usage_lines.spellings import plain_form
from atip.inference.help.usage_lines.synopsis import (
    FLAG,
    OPTIONAL,
    PLACEHOLDER,
    WORD,
    UsageNode,
    parse_synopsis,
)
from atip.inference.help.usage_lines.usage_facts import Usage, UsageArgument, UsageOption

if TYPE_CHECKING:
    from atip.inference.help.usage_lines.patterns import UsagePattern


_PLURAL = re.compile(r"[A-Z]{2,20}s")
"""`URLs`: several, where the singular is in capitals."""
_COMMAND = re.compile(r"[a-z][a-z0-9-]{1,40}")
_MANY = 6
"""So many words of which one is typed are commands; fewer may be values."""
_NOUNS = frozenset(
    ["dir", "directory", "file", "files", "image", "name", "names", "number", "path"]
)
"""Words behind which one of two words in brackets is one placeholder: `[pcf file]`."""


def without(usage: Usage, words: set[str]) -> None:
    """Drops what patterns of sub-commands say: it is theirs."""
    usage.options = [option for option in usage.options if option.word not in words]
    own = [start not in words for start in usage.starts]
    usage.arguments = [
        arguments for arguments, is_own in zip(usage.arguments, own, strict=True) if is_own
    ]
    usage.only_options = [
        one for one, is_own in zip(usage.only_options, own, strict=True) if is_own
    ]
    usage.starts = [start for start in usage.starts if start not in words]


def read_usage(patterns: list[UsagePattern], tool: str, path: tuple[str, ...]) -> Usage:
    """Facts of all patterns."""
    usage = Usage()
    usage.patterns = patterns = own_patterns(patterns, (tool, *path))
    for pattern in patterns:
        text = plain_form(pattern.text, tool)
        for form in split_forms(text):
            _Reader(usage, pattern, tool, path).read(parse_synopsis(form))
    return usage


def _default_command(node: UsageNode) -> str:
    """`[push [-p] [<path>...]]`: the command that is meant when none is named; empty without one."""
    inner = node.alternatives[0] if node.kind == OPTIONAL and len(node.alternatives) == 1 else []
    is_word = bool(inner) and inner[0].kind == WORD and inner[0].text.isalpha()
    return inner[0].text if is_word and inner[0].text.islower() else ""


_KINDS = frozenset((
    "dir", "directory", "file", "filename", "host", "hostname", "host_name", "ip-addr", "path", "url",
))  # fmt: skip
"""Words in braces that name kinds of values, not commands."""


class _Reader:
    """Walks the tree of one pattern and adds its facts to a Usage."""

    def __init__(
        self, usage: Usage, pattern: UsagePattern, tool: str, path: tuple[str, ...]
    ) -> None:
        self.usage = usage
        self.lines = (pattern.first, pattern.last)
        self.text = pattern.text
        self.word = ""
        self.dashed = False
        """Whether `--` was read."""
        self.positionals: list[UsageArgument] = []
        self.pieces = {tool.lower(), *re.split(r"[-_. ]", tool.lower())}
        self.path = {part.lower() for part in path}

    def read(self, root: UsageNode) -> None:
        branch = root.alternatives[0]
        start = self._skip_program(branch)
        for index in range(len(branch) - 1, start, -1):
            node = branch[index]
            if node.kind == WORD and node.text in self.path:
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
        if sum(argument.bare for argument in self.positionals) > 5:
            self.positionals = []  # a sentence
        self.usage.arguments.append(self.positionals)
        self.usage.starts.append(self.word)
        self.usage.only_options.append(is_only_options(branch[start:]))

    def _skip_program(self, branch: list[UsageNode]) -> int:
        at = 0
        for node in branch:
            names = literal_names(node)
            is_own = names & self.path or names & self.pieces
            if not names or (at > 0 and not is_own):
                break
            at += 1
        return at

    def _skip_options(self, branch: list[UsageNode], start: int) -> int:
        """`git submodule [--quiet] add`: where the literal word of a nested command stands."""
        place = start
        while self.path and place < len(branch) and holds_options(branch[place]):
            place += 1
        return place

    def _walk(self, branch: list[UsageNode], *, optional: bool, repeat: bool, depth: int) -> None:
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
                if not (at == 0 and depth == 0 and self._lists_commands(node)):
                    self._argument(node, branch, at, optional=optional, repeat=repeat)
            else:
                self._group(node, branch, at, optional=optional, repeat=repeat, depth=depth)
            at += 1

    def _group(
        self,
        node: UsageNode,
        branch: list[UsageNode],
        at: int,
        *,
        optional: bool,
        repeat: bool,
        depth: int,
    ) -> None:
        optional = optional or node.kind == OPTIONAL
        repeat = repeat or node.repeat
        following = branch[at + 1] if at + 1 < len(branch) else None
        flags = [child for child in node.children if child.kind == FLAG]
        if flags and lists_values(node):
            self._listed_values(node)
            return
        only = plain_name(node.alternatives[0]) if node.repeat and depth == 0 else ""
        is_list = len(node.alternatives) > 1 or (
            only.islower() and self.text.endswith(f"{{{only}}} ...")
        )
        if node.bracket == "{" and not flags and is_list:  # `{synced} ...`: the only command
            self._braces(node, branch, at, is_first=depth == 0 and at == 0)
            return
        if flags and all(len(alt) == 1 and alt[0].kind == FLAG for alt in node.alternatives):
            value = self._shared_value(node, following) if depth else None
            is_bare_group = depth == 0 and node.bracket == "("
            if is_bare_group and following is not None and following.kind == PLACEHOLDER:
                following.value = flags[0].text  # value or positional: the definitions know
            self._alternatives(flags, value)
            if value is not None:
                branch[at + 1] = UsageNode(WORD, "")
            return
        names = [plain_name(alt) for alt in node.alternatives]
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
        words = [child.text for child in node.children]
        if plain and len(words) == 2 and words[1] in _NOUNS and node.kind == OPTIONAL:
            self._add_argument(" ".join(words), node, optional=True, repeat=repeat)
            return
        if len(flags) > 1 and len(node.alternatives) > 1:
            self._pair(node)
        for alternative in node.alternatives:
            inner = depth + 1 if node.bracket else depth
            mixed = optional or len(node.alternatives) > 1
            self._walk(alternative, optional=mixed, repeat=repeat, depth=inner)

    def _lists_commands(self, node: UsageNode) -> bool:
        """`boat <add|archive|clone|commit|diff|fetch>`: so many words are commands."""
        names = tuple(node.text.strip("<>").split("|"))
        if len(names) < _MANY or not all(_COMMAND.fullmatch(name) for name in names):
            return False
        self.usage.braces.append((names, True, self.lines))
        return True

    def _listed_values(self, node: UsageNode) -> None:
        """`[-t dsa | ecdsa | rsa]`: one flag and the values that it takes."""
        flag = node.alternatives[0][0]
        spec = parse_flags(flag.text)
        if spec is None:
            return
        option = self._new_option(flag, spec.flags, certain=True)
        values = [node.alternatives[0][1], *(alt[0] for alt in node.alternatives[1:])]
        option.value = option.raw = "|".join(value.text for value in values)

    def _pair(self, node: UsageNode) -> None:
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
                if value is None and len(two) > 1 and two[1].kind != FLAG and not has_flags(two[1]):
                    value = value_text(two[1])
                if value is not None:
                    one[0].value = value

    def _shared_value(self, node: UsageNode, following: UsageNode | None) -> UsageNode | None:
        """`(-m | --message) <message>`: one value for all flags of the group."""
        if node.bracket == "(" and following is not None and following.kind == PLACEHOLDER:
            return following
        return None

    def _alternatives(self, flags: list[UsageNode], value: UsageNode | None) -> None:
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

    def _braces(self, node: UsageNode, branch: list[UsageNode], at: int, *, is_first: bool) -> None:
        names = tuple(name for alt in node.alternatives if (name := plain_name(alt)))
        following = branch[at + 1] if at + 1 < len(branch) else None
        dots = node.repeat or (following is not None and following.text == "...")
        if not _KINDS.isdisjoint(names):  # `{dir|jar|class} ...`: kinds of one positional
            argument = UsageArgument("-or-".join(names), self.lines)
            argument.variadic = dots
            self.positionals.append(argument)
            return
        if is_first and len(names) == len(node.alternatives) and all(map(str.islower, names)):
            self.usage.brace_words += [(name, self.lines) for name in names]
            self.usage.brace_groups += 1
            self.word = self.word or names[0]
            if following is not None and not dots and not self.path:
                synopsis = " ".join(value_text(one) for one in branch[at + 1 :])
                self.usage.synopses |= dict.fromkeys(names, synopsis)
        forms = {alt[0].text: alt[1:] for alt in node.alternatives if is_command_form(alt)}
        literal = all(name.islower() for name in names)
        if (
            len(forms) > 1 and literal and not self.path
        ):  # `{update | install pkg... | remove pkg...}`
            for name, rest in forms.items():
                self.usage.synopses[name] = " ".join(value_text(one) for one in rest)
            names, dots = (*names, *forms), True
        self.usage.braces.append((names, dots, self.lines))

    def _flag(self, branch: list[UsageNode], at: int, *, optional: bool, depth: int) -> int:
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
        is_own = following.kind == PLACEHOLDER and letters(following.text) == letters(name)
        is_own = is_own or (
            following.kind == WORD and self.usage.has_long_names and is_long_behind_one_dash(name)
        )
        if depth == 0 and not is_own:
            # `-d <host>` outside of brackets: value or positional, the definitions know.
            if following.kind in (WORD, PLACEHOLDER):
                following.value = name
            return at
        if following.kind == OPTIONAL and has_flags(following):
            return at
        option.value = plain_placeholder(value_text(following))
        option.raw = value_text(following)
        option.optional_value = following.kind == OPTIONAL and len(following.alternatives) == 1
        at += 1
        # Outside of brackets the next one is a positional: `--uid <uid> <pid> <value>`.
        while depth and at < len(branch) and branch[at].kind != FLAG and not has_flags(branch[at]):
            option.optional_value = option.optional_value and branch[at].kind == OPTIONAL
            at += 1  # `[--names NAME [NAME ...]]`, `[-D [address:]port]`
        return at

    def _is_cluster(self, name: str, node: UsageNode) -> bool:
        """`-abc` without a value is noted for later."""
        if not is_long_behind_one_dash(name) or node.value is not None or "=" in node.text:
            return False
        if self.usage.has_long_names:
            return False
        self.usage.clusters.append((name, self.lines))
        return True

    def _new_option(self, node: UsageNode, flags: tuple[str, ...], *, certain: bool) -> UsageOption:
        option = UsageOption(flags, self.lines)
        option.word = self.word
        option.value = node.value
        option.raw = node.value or ""
        option.optional_value = node.value_optional
        option.certain = certain
        self.usage.options.append(option)
        return option

    def _argument(
        self, node: UsageNode, branch: list[UsageNode], at: int, *, optional: bool, repeat: bool
    ) -> None:
        text = node.text
        self.dashed = self.dashed or text == "--"
        if not text or text in ("--", "-", "...", "\u2026", ":", "=", ".", "or", "and", "&", ">"):
            return
        if text[0] in "#$=/" or not any(char.isalnum() for char in text):
            return
        if not optional and text.lower() in self.path:
            return  # `tool [global options] plan`: the command's own name
        argument = self._add_argument(text, node, optional=optional, repeat=repeat)
        if argument is not None:
            argument.after = node.value
            argument.handed = self.dashed
            argument.bare = node.kind == WORD and text.islower() and not optional

    def _add_argument(
        self, text: str, node: UsageNode, *, optional: bool, repeat: bool
    ) -> UsageArgument | None:
        name = clean_name(text)
        key = letters(name)
        if is_options_word(key):
            return None
        if is_command_word(key):
            self.usage.takes_command = True
        for earlier in self.positionals:
            if earlier.name == name:
                earlier.variadic = True
                return None
        argument = UsageArgument(name, self.lines)
        argument.raw = text
        argument.required = not optional
        argument.variadic = repeat or node.repeat or ".." in text or text.endswith("(s)")
        argument.variadic = argument.variadic or key in ("args", "arguments") or text == "FILES"
        argument.variadic = argument.variadic or bool(_PLURAL.fullmatch(text))
        self.positionals.append(argument)
        return argument
