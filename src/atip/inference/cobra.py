"""Cobra's completion protocol as text: what `TOOL __complete PATH… WORD` answers → facts about a command.

Every Go program made with cobra answers it: one candidate a line, a tab, its description; last a line
`:N`, the directive. Help text knows how short and long flags belong together and which take a value;
the protocol knows which flags and commands really exist. `confirm` brings both together. Runs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.inference.completion.tree import is_command_name, is_flag
from atip.inference.merge import merge_options
from atip.model.tool import BOOLEAN, Command, Option
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

ERROR = 1
NO_FILES = 4
"""Bits of the directive: the answer is an error; nothing but these candidates is meant."""
MAX_CANDIDATES = 5_000
MAX_CHOICES = 60
EVIDENCE = {"source": "framework", "part": "__complete"}


class CompletionAnswer(Value):
    """Answer to one completion request."""

    candidates: Mapping[str, str]
    """word → description, in the program's order."""
    directive: int

    @property
    def is_closed(self) -> bool:
        """Whether nothing else than the candidates is possible."""
        return bool(self.directive & NO_FILES) and not self.directive & ERROR


def parse_answer(text: str) -> CompletionAnswer | None:
    """The answer, or None when the text is not one (another program, a crash, a notice)."""
    lines = text.splitlines()
    while lines and not lines[-1].startswith(":"):
        lines.pop()  # cobra's remark about the directive, where it shares the stream
    if not lines or not lines[-1][1:].isdigit() or len(lines[-1]) > 6:
        return None
    candidates: dict[str, str] = {}
    for line in lines[:-1][:MAX_CANDIDATES]:
        word, _, description = line.partition("\t")
        if word and not word.startswith("_activeHelp_"):
            candidates.setdefault(word, " ".join(description.split()))
    return CompletionAnswer(candidates=candidates, directive=int(lines[-1][1:]))


def choices_of(answer: CompletionAnswer) -> tuple[str, ...] | None:
    """The values of an option, if the answer is a closed and plausible list of them."""
    words = tuple(answer.candidates)
    if not answer.is_closed or not 2 <= len(words) <= MAX_CHOICES:
        return None
    return words if all(_is_value(word) for word in words) else None


def may_have_commands(command: Command) -> bool:
    """Whether the help of a command leaves room for subcommands (cobra says `[command]` then)."""
    return bool(command.commands) or command.usage is None or "command" in command.usage.lower()


def confirm(
    help_facts: Command, words: CompletionAnswer | None, flags: CompletionAnswer | None
) -> Command:
    """Merge facts from help and protocol: the flags of the protocol are complete, its words are candidates.

    A command that help does not list is marked `unconfirmed`: it may be a value of a positional, and
    only its own help can tell.
    """
    commands = dict(help_facts.commands or {})
    aliases = {alias for command in commands.values() for alias in command.aliases or ()}
    for name, description in (words.candidates if words else {}).items():
        if name in commands:
            command = commands[name]
            commands[name] = command.replace(description=command.description or description)
        elif name not in aliases and is_command_name(name):
            extra = {"x-atip": {"evidence": EVIDENCE, "unconfirmed": True}}
            commands[name] = Command(description=description, extra=extra)
    return help_facts.replace(commands=commands or None, options=_options(help_facts, flags))


def _options(help_facts: Command, flags: CompletionAnswer | None) -> tuple[Option, ...] | None:
    candidates = {f: text for f, text in (flags.candidates if flags else {}).items() if is_flag(f)}
    if not candidates:
        return help_facts.options
    # A flag that help only speaks of belongs to another command, unless the protocol names it.
    options = [
        _drop_mention_mark(option) if set(option.flags) & candidates.keys() else option
        for option in help_facts.options or ()
        if not option.own.get("mentioned") or set(option.flags) & candidates.keys()
    ]
    help_flags = {flag for option in options for flag in option.flags}
    pairs = _pairs(candidates)
    options = [_add_short_flag(option, pairs, help_flags) for option in options]
    help_flags |= {flag for option in options for flag in option.flags}
    unlisted = {flag: text for flag, text in candidates.items() if flag not in help_flags}
    return merge_options(options, _unlisted_options(unlisted, pairs)) or None


def _pairs(candidates: Mapping[str, str]) -> dict[str, str]:
    """long → short: the only two flags with the same words after them are spellings of one option."""
    by_text: dict[str, list[str]] = {}
    for flag, text in candidates.items():
        by_text.setdefault(text, []).append(flag)
    pairs = {}
    for text, group in by_text.items():
        short, long = sorted(group, key=len)[0], sorted(group, key=len)[-1]
        if text and len(group) == 2 and long.startswith("--") and not short.startswith("--"):
            pairs[long] = short
    return pairs


def _add_short_flag(option: Option, pairs: Mapping[str, str], help_flags: set[str]) -> Option:
    """The option with the short flag that only the protocol names."""
    shorts = [pairs[f] for f in option.flags if f in pairs and pairs[f] not in help_flags]
    return option.replace(flags=(*shorts, *option.flags)) if shorts else option


def _drop_mention_mark(option: Option) -> Option:
    own = {key: value for key, value in option.own.items() if key != "mentioned"}
    return option.replace(extra={**option.extra, "x-atip": own})


def _unlisted_options(candidates: Mapping[str, str], pairs: Mapping[str, str]) -> list[Option]:
    """Flags that help does not show."""
    seconds = {pairs[long] for long in pairs if long in candidates}
    options = []
    for flag, text in candidates.items():
        if flag in seconds:
            continue
        flags = (pairs[flag], flag) if flag in pairs else (flag,)
        own = {"evidence": EVIDENCE, "valueUnknown": True}
        options.append(
            Option(
                name=flag.lstrip("-"),
                flags=flags,
                type=BOOLEAN,
                description=text,
                extra={"x-atip": own},
            )
        )
    return options


def _is_value(word: str) -> bool:
    return 0 < len(word) <= 60 and not any(char in word for char in "/\\ \t=:~")
