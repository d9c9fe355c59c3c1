"""Each word of a command matched to what it means, and each reason to its command, for people. Pure.

Roles: `tool`, `command`, `option`, `value`, `path`, `host`, `argument`, `unknown`. Explains; decides nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.calls.effects.facts import named_facts
from atip.calls.parse import parse
from atip.model.text.visible_text import clean
from atip.pages.badges import option_facts
from atip.policy.command_context import shown_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.calls.invocation import GivenOption, Invocation
    from atip.policy.command_context import CommandContext
    from atip.policy.decision import Decision

    Word = dict[str, str]

_BARE = re.compile(r"[\w-]+")
"""A word without anything that only paths have: `/`, `.`, `~`, `*`."""


def explain_words(subject: CommandContext) -> list[Word]:
    """The words of one command of a line, in order."""
    return [
        {"word": clean(shown_text(word)), "role": role, "text": clean(text)}
        for word, role, text in _roles(subject)
    ]


def reasons_by_command(
    subjects: Sequence[CommandContext], decisions: Sequence[Decision], whole: Decision
) -> list[dict[str, Any]]:
    """The reasons of the decision on a line, with the command that each belongs to; empty for the line as a whole, and
    where the line has one command only."""
    found, left = [], dict.fromkeys(whole.reasons)
    for subject, decision in zip(subjects, decisions, strict=True):
        if decision.outcome == whole.outcome and len(subjects) > 1:
            own = [reason for reason in decision.reasons if reason in whole.reasons]
            found.append({"command": subject.text, "reasons": own})
            for reason in own:
                left.pop(reason, None)
    found.append({"command": "", "reasons": list(left)})
    return [one for one in found if one["reasons"]]


def _roles(subject: CommandContext) -> Iterator[tuple[str, str, str]]:
    if not subject.argv:
        return
    tool = subject.metadata
    yield subject.argv[0], "tool", tool.description if tool else "effects unknown: no metadata"
    if tool is None:
        for word in subject.argv[1:]:
            yield word, _plain(subject, word), ""
        return
    call = parse(tool, subject.argv)
    names = list(call.path)
    value = ""
    for word in subject.argv[1:]:
        given = _given(call, word)
        if given:
            value = given[-1].value or ""
            told = [_option(one) for one in given]
            yield word, told[0][0], "; ".join(dict.fromkeys(text for _, text in told))
        elif value and word == value:
            yield word, "value", "value of the option before it"
            value = ""
        elif names and _names(call, len(call.path) - len(names), word):
            node = call.nodes[len(call.path) - len(names)]
            names.pop(0)
            yield word, "command", node.description
        else:
            yield word, _plain(subject, word), ""


def _names(call: Invocation, at: int, word: str) -> bool:
    """Whether a word is the command at a place of the path, by its name or an alias."""
    return at < len(call.nodes) and (
        word == call.path[at] or word in (call.nodes[at].aliases or ())
    )


def _given(call: Invocation, word: str) -> list[GivenOption]:
    """The options that a word holds: one, or several in a bundle such as `-xvf`."""
    if not word.startswith("-"):
        return []
    bare = word.partition("=")[0]
    exact = [given for given in call.options if given.flag == bare]
    if exact:
        return exact[:1]
    letters = dict.fromkeys(f"-{letter}" for letter in bare[1:])
    return [given for given in call.options if given.flag in letters]


def _option(given: GivenOption) -> tuple[str, str]:
    if given.option is None:
        return "unknown", "not known; it may do more"
    facts = named_facts(option_facts(given.option), added=True)
    if given.option.own.get("dryRun"):
        facts = "only shows what would be done"
    text = given.option.description or ", ".join(given.option.flags)
    return "option", f"{text}: {facts}" if facts else text


def _plain(subject: CommandContext, word: str) -> str:
    if _may_be_path(subject, word):
        return "path"
    if any(host and host in word for host in subject.hosts):
        return "host"
    return "unknown" if word.startswith("-") else "argument"


def _may_be_path(subject: CommandContext, word: str) -> bool:
    """The judge takes every operand for a possible path; a bare word is shown as one only where files are changed (`rm build`, not
    `git push origin`)."""
    if not any(path.endswith(word.lstrip("./")) for path in subject.paths if word.strip("./")):
        return False
    files = subject.effects.filesystem
    return not _BARE.fullmatch(word) or files.write is True or files.delete is True
