"""Help text → `Command`: the stages in order, and nothing else.

(1) lines, (2) usage lines, (3) sections, (4) definitions, (5) sub-commands, (6) positionals,
(7) merge, (8) flags that are only mentioned. Pure and linear; any text gives a Command. `tool`
and `path` only tell which words of a usage line are the program's own – they are never looked up.
Implements ATIP 0.6 §3.3–3.7, §4.10.4.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.command_names import are_keys
from atip.inference.help.arguments import (
    build_argument,
    defined_arguments,
    merge_arguments,
    unnamed_rest,
)
from atip.inference.help.commands import (
    Sub,
    find_commands,
    inline_commands,
    looks_like_commands,
)
from atip.inference.help.layout.entries import Definition, find_entries, wants_flags
from atip.inference.help.layout.page import is_manual_head, read_page
from atip.inference.help.layout.sections import (
    ARGUMENTS,
    COMMANDS,
    EXAMPLES,
    OPTIONS,
    Section,
    split_sections,
)
from atip.inference.help.mentions import find_mentions, usage_lines
from atip.inference.help.options import (
    MAX_OPTIONS,
    build_option,
    draft_options,
    option_name,
    style_of,
)
from atip.inference.help.usage_lines.patterns import UsagePattern, find_objects, find_usage
from atip.inference.help.usage_lines.usage import read_usage, without
from atip.inference.help.usage_lines.usage_facts import Usage
from atip.inference.help.values.legends import Legends
from atip.inference.summary import find_summary, one_line, why_not_summary
from atip.model.tool import Command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atip.inference.help.drafts import OptionDraft
    from atip.inference.help.layout.page import Line, Page
    from atip.model.tool import Argument, Option

MAX_EXAMPLES = 40
_CREDIT = re.compile(r"\w@\w[\w.-]*\.[a-z]{2,}\b|^built (?:on|with)\b|^using \w+ version \d", re.I)
"""A line that credits people or parts of the program."""
_CALL_AND_PURPOSE = re.compile(r"(\S+)(?: [\[<][^\[\]<>]{1,40}[\]>]){1,6} - ([A-Z]\S*,? .{10,200})")
_BANNER_AND_PURPOSE = re.compile(r"(\S+) v?\d[\w.]{0,20}: (\w.{8,200})")
_VERSION_TAIL = re.compile(r"(?<=[A-Za-z])(?:, version)? v?\d{1,4}(?:\.\d{1,6}){1,3}\+?$")
_LABELED = re.compile(r"(?:^|\]) *(?:summary|purpose|overview) ?: +(\S.{8,})", re.I)
_HEAD = 20
_LETTERS = re.compile(r"\{([a-zA-Z]{2,40})\}")
"""Letters of which one is given: `ar [-]{dmpqrstx}`."""
"""Lines among which a label announces the purpose."""
_NOTICES = frozenset(["error", "license"])
_SEE_BELOW = re.compile(r"\bsee (?:also )?below\b", re.I)


def infer_help(text: str, *, tool: str = "", path: tuple[str, ...] = ()) -> Command:
    """Read one help text as the description of one command.

    Sub-commands are named with their descriptions but not explored. Every fact carries the lines
    it was read from in `x-atip.evidence`; contradictions are in `x-atip.conflicts`.
    """
    page = read_page(text)  # (1)
    patterns, lines = find_usage(page.lines, tool)  # (2)
    usage = read_usage(patterns, tool, path)
    own = frozenset(word.lower() for word in [tool, *tool.split("-"), *path] if word)
    sections = split_sections(lines, own, manual=page.manual)  # (3)
    extra = listed_synopsis(sections, (tool, *path))
    if extra:
        forms = len(usage.arguments)
        usage = read_usage([*patterns, *extra], tool, path)
        if forms:
            usage.keep_forms(forms)
    usage.take_objects(*find_objects(text, patterns))
    return _HelpReader(sections, usage, own, words=(tool, *path), nested=bool(path)).command(page)


def listed_synopsis(sections: list[Section], words: tuple[str, ...]) -> list[UsagePattern]:
    """Options that are written as a usage line goes on: `[-g|--global] [--omit <dev|optional>]` (npm)."""
    patterns: list[UsagePattern] = []
    for section in sections:
        lines = [line for line in section.lines if line.text.startswith("[-")]
        if section.kind == OPTIONS and lines and lines[0] is section.lines[0]:
            pattern = UsagePattern(" ".join(words), lines[0].number)
            for line in lines:
                pattern.extend(line.text, line.number)
            patterns.append(pattern)
    return patterns


def read_synopsis(patterns: list[str], words: tuple[str, ...]) -> Command:
    """Read usage lines alone as the description of one command; `words` are the tool and its path."""
    text = "\n".join(
        f"{'usage:' if not place else '   or:'} {one}" for place, one in enumerate(patterns)
    )
    return infer_help(text, tool=words[0], path=words[1:])


class _HelpReader:
    """One text being read; holds what the stages hand on."""

    def __init__(
        self,
        sections: list[Section],
        usage: Usage,
        own: frozenset[str],
        *,
        words: tuple[str, ...],
        nested: bool,
    ) -> None:
        self.words = words
        """The program and the path of the command."""
        self.name = words[-1]
        self.nested = nested
        self.manual = False
        self.sections = sections
        self.usage = usage
        self.own = own
        """Words of the program itself, lower case."""
        self.entries: list[Definition] = []
        self.loose: list[tuple[Section, list[Line]]] = []

    def command(self, page: Page) -> Command:
        self.manual = page.manual
        owner = 10_000  # indent of the commands in whose list we are
        for section in self.sections:  # (4)
            if section.kind == COMMANDS:
                owner = min((line.indent for line in section.lines), default=10_000)
            elif section.level > owner:
                continue  # options of one listed command (jcommander)
            room = MAX_OPTIONS - len(self.entries)
            entries, loose = (
                find_entries(section, room)
                if wants_flags(section, manual=page.manual)
                else ([], section.lines)
            )
            self.entries += entries
            self.loose.append((section, loose))
        # A manual page also describes commands of an editor or a language.
        words = {word for word, _ in self.usage.words} if self.nested else set()
        is_shell = any("command_string" in pattern.text for pattern in self.usage.patterns)
        may_have_commands = not page.manual or (
            not is_shell and (self.usage.takes_command or bool(self.usage.braces) or len(words) > 1)
        )
        subs = self._commands() if may_have_commands else {}  # (5)
        drafts = draft_options(self.entries, self.usage, usage_lines(self.loose))
        flags = {flag for draft in drafts for flag in draft.flags}
        drafts += find_mentions(self.loose, self.entries, flags, careful=self.nested)  # (8)
        arguments = self._arguments(subs, drafts)  # (6)
        legends = Legends(self.loose)
        options = [self._with_legend(one, legends) for one in self._options(drafts)]  # (7)
        return Command(
            description=self._description(page),
            commands={sub.name: self._sub_command(sub) for sub in subs.values()} or None,
            arguments=tuple(arguments),
            options=tuple(options),
            examples=self._examples() or None,
            usage="\n".join(pattern.text for pattern in self.usage.patterns) or None,
            extra={"x-atip": self._own(page)},
        )

    def _commands(self) -> dict[str, Sub]:
        by_name: dict[str, Sub] = {}
        for section, loose in self.loose:
            subs = find_commands(section, loose, self.usage, self.own)
            boxed = section.boxed and self.usage.takes_command
            if not subs and boxed and looks_like_commands(section, loose):
                section.kind = COMMANDS
                subs = find_commands(section, loose, self.usage, self.own)
            for sub in subs:
                by_name.setdefault(sub.name, sub)
        if are_keys(by_name) and not self._takes_letters(by_name):
            by_name = {}
        # The headings of a manual page are of every kind: its states, files and colors are no commands.
        if not by_name and self.usage.takes_command and not self.manual:
            by_name = self._grouped_commands() or {
                sub.name: sub for _, loose in self.loose for sub in inline_commands(loose)
            }
        self._commands_of_usage(by_name)
        if sum(name.islower() for name in by_name) > 2:  # `OBJECT := { address | link … }`
            return {name: sub for name, sub in by_name.items() if not name.isupper()}
        return by_name

    def _takes_letters(self, names: Iterable[str]) -> bool:
        """Whether single letters are commands: `ar {dmpqrstx}`, `7z <command>`. Those of `less` are keys."""
        groups = {
            letter
            for pattern in self.usage.patterns
            for group in _LETTERS.findall(pattern.text)
            for letter in group
        }
        return self.usage.takes_command or bool(groups & set(names))

    def _grouped_commands(self) -> dict[str, Sub]:
        """Commands below headings of their own (`Read the registry:`), in a page without a list of commands."""
        groups = [one for one in self.loose if looks_like_commands(*one)]
        by_name: dict[str, Sub] = {}
        for section, loose in groups:
            section.kind = COMMANDS
            for sub in find_commands(section, loose, self.usage, self.own):
                by_name.setdefault(sub.name, sub)
        return by_name if len(by_name) > 1 else {}

    def _commands_of_usage(self, by_name: dict[str, Sub]) -> None:
        names_so_far = {name for sub in by_name.values() for name in (sub.name, *sub.aliases)}
        for names, dots, lines in self.usage.braces:
            if dots or set(names) & names_so_far:
                for name in names:
                    if name not in names_so_far:
                        by_name.setdefault(name, Sub(name=name, lines=lines))
        for name in self.usage.objects:
            by_name.setdefault(name, Sub(name=name, lines=(1, 1)))
        words = dict(self.usage.words)
        groups = self.usage.brace_groups
        if len(words) > 1 or groups > 1:  # `ip route { add | del } ROUTE`, `ip route get ADDRESS`
            words |= dict(self.usage.brace_words)
        if by_name:
            if 2 * len(set(words) & names_so_far) > len(words) and self.nested:
                for word, lines in words.items():  # a list in prose may leave some out
                    if word not in names_so_far:
                        by_name.setdefault(word, Sub(name=word, lines=lines))
            without(self.usage, set(words) & set(by_name))
            return
        if len(words) >= 2 and (len(self.usage.words) + groups) * 2 > len(self.usage.patterns):
            said = {pattern.first: pattern.explanation for pattern in self.usage.patterns}
            for word, lines in words.items():
                text = said.get(lines[0], "")
                by_name.setdefault(word, Sub(name=word, description=text, lines=lines))
            without(self.usage, set(words))

    def _sub_command(self, sub: Sub) -> Command:
        """A listed command, with what its row or its own usage lines show of positionals and options."""
        words = (*self.words, sub.name)
        synopsis = sub.synopsis or self.usage.synopses.get(sub.name, "")
        synopses = [f"{' '.join(words)} {synopsis}"] if synopsis else []
        start = " ".join(words)
        default = f"{' '.join(self.words)} [{sub.name} "
        for pattern in self.usage.patterns:
            if f"{pattern.text} ".startswith(f"{start} "):
                synopses.append(pattern.text)
            elif pattern.text.startswith(default):  # `git stash [push [-p]]`
                synopses.append(f"{start} {pattern.text.removeprefix(default).removesuffix(']')}")
        facts = read_synopsis(synopses, words) if synopses else Command()
        return Command(
            description=one_line(sub.description),
            aliases=sub.aliases or None,
            arguments=facts.arguments or None,
            options=facts.options or None,
            usage="\n".join(synopses) or None,
            extra={"x-atip": {"evidence": {"source": "help", "lines": list(sub.lines)}}},
        )

    def _arguments(self, subs: dict[str, Sub], drafts: list[OptionDraft]) -> list[Argument]:
        defined = []
        complete = False
        names = {name for sub in subs.values() for name in (sub.name, *sub.aliases)}
        for section, loose in self.loose:
            if section.kind == ARGUMENTS and not self.manual:
                defined += defined_arguments(section, loose, names)
                # argparse and the boxed frameworks list every positional.
                complete = (
                    complete or section.boxed or section.title.lower() == "positional arguments"
                )
        if not defined and not subs:
            margins = {id(one.section): one.indent for one in reversed(self.entries)}
            rows = ((one, loose, margins.get(id(one), -1)) for one, loose in self.loose)
            defined += unnamed_rest(self.usage, rows)
        positionals = merge_arguments(
            self.usage, defined, drafts, commands=names, complete=complete
        )
        return [build_argument(one) for one in positionals]

    def _options(self, drafts: list[OptionDraft]) -> list[Option]:
        style = style_of(drafts)
        names: set[str] = set()
        return [
            build_option(draft, style=style, name=option_name(draft.flags, names))
            for draft in drafts
        ]

    def _with_legend(self, option: Option, legends: Legends) -> Option:
        """The values of an option that refers to a list below: `set behavior on write error.  See MODE below`."""
        placeholder = str(option.own.get("placeholder") or "")
        if option.enum or not option.takes_value or not placeholder.isupper():
            return option
        values = legends.values(option.flags, placeholder)
        if values is None and _SEE_BELOW.search(option.description):
            values = legends.mentioned(option.flags[-1])
        return option.replace(enum=values, type="enum") if values else option

    def _description(self, page: Page) -> str:
        """What a label announces (`Summary: …`), or the first paragraph that says what the command does."""
        labeled = (_LABELED.search(line.text) for line in page.lines[:_HEAD])
        announced = (found[1] for found in labeled if found)
        for paragraph in (*announced, self._above_usage(page), *self._paragraphs()):
            summary = find_summary(paragraph, self.name) if paragraph else ""
            if summary:
                return summary
        return ""

    def _above_usage(self, page: Page) -> str:
        """The purpose in the first line, where it touches the usage; else empty.

        `Scan a sequence with profiles:` above ` pfscan [options] …`, `lt-invert v3.7.1: reverse …` above `USAGE: …`, and
        `gnucash-cli [options] [file] - GnuCash, accounting for …:`.
        """
        first, below = page.lines[:2] if len(page.lines) > 1 else (None, None)
        if first is None or below is None:
            return ""
        if call := _CALL_AND_PURPOSE.match(first.text):
            return call[2].rstrip(":") if call[1].lower() in self.own else ""
        if below.after_blank:
            return ""
        start = below.text.split(" ", 1)[0].lower()
        if first.text.endswith(":") and " " in first.text and start in self.own:
            return first.text.rstrip(":")
        banner = _BANNER_AND_PURPOSE.match(first.text) if start == "usage:" else None
        return banner[2] if banner and banner[1].lower() in self.own else ""

    def _paragraphs(self) -> Iterator[str]:
        """Paragraphs that are neither headings nor lists."""
        for section, loose in self.loose:
            title = section.title.lower()
            if title not in ("", "description", "name", "purpose"):
                continue
            words: list[str] = []
            for line in loose:
                if words and line.after_blank:
                    yield _paragraph(words, title)
                    words = []
                is_head = self.manual and is_manual_head(line.text)
                is_aside = is_head or _is_row(line.text) or _CREDIT.search(line.text)
                # An error message or a notice above the purpose belongs to neither.
                is_notice = not words and why_not_summary(line.text, self.name) in _NOTICES
                if not (is_aside or is_notice):
                    words.append(line.text)
            if words:
                yield _paragraph(words, title)

    def _examples(self) -> tuple[str, ...]:
        examples: list[str] = []
        for section in self.sections:
            if section.kind == EXAMPLES:
                for line in section.lines:
                    text = line.text.lstrip("$% ").strip()
                    first = text.split(" ", 1)[0].lower()
                    if first in self.own and len(examples) < MAX_EXAMPLES:
                        examples.append(text)
        return tuple(examples)

    def _own(self, page: Page) -> dict[str, object]:
        own: dict[str, object] = {"evidence": {"source": "help", "lines": [1, _last(page)]}}
        if page.cut:
            own["cut"] = True
        if self.usage.exclusive:
            own["exclusive"] = [list(group) for group in self.usage.exclusive[:200]]
        return own


def _is_row(text: str) -> bool:
    """`reference_in      comma-separated list of files`: a word in a column of its own."""
    word, gap, rest = text.partition("   ")
    return bool(gap and rest) and " " not in word and (word.islower() or not word.isalpha())


def _last(page: Page) -> int:
    return page.lines[-1].number if page.lines else 1


def _paragraph(words: list[str], title: str) -> str:
    """The lines of a paragraph as one; below the heading of a description, `Nucleotide-Nucleotide BLAST 2.12.0+` loses its version."""
    text = " ".join(words)
    return _VERSION_TAIL.sub("", text) if title == "description" else text
