"""Mentions: flags that a text speaks of but never defines (`use --no-json to disable`).

Kept apart from definitions: `x-atip.mentioned` is set, nothing is known but that the flag exists.
A flag next to the name of another program, in an example or in a list of one is not a mention.
Also reads usage-like lines outside of the usage block (`ls [--target <type>] [--tree]`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.help.drafts import OptionDraft
from atip.inference.help.layout.sections import ASIDE, EXAMPLES
from atip.inference.help.options import MAX_OPTIONS
from atip.inference.help.usage_lines.patterns import UsagePattern
from atip.inference.help.usage_lines.usage import read_usage
from atip.inference.help.usage_lines.usage_facts import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.inference.help.layout.entries import Definition
    from atip.inference.help.layout.page import Line
    from atip.inference.help.layout.sections import Section

_FLAG = re.compile(r"(?<![\w/.=\-\[{@:])(--[A-Za-z][\w-]{0,60}\w|-[A-Za-z0-9])(?![\w-])")
_BEFORE = re.compile(
    r"(?:\buse|\busing|\bif|\bsee|\bthe|\bspecify|\bspecified|\bgiven|\bvia|\bwithout|\bunless|\bset"
    r"|\beither|\bdisabled with|\bcommand with|\bspecified with|,|\bor|\band|\bcan be|^)"
    r"[ \[('\"`‘“]{0,4}$",
    re.I,
)
_AFTER = re.compile(
    r"['\"`’”)]{0,2}(?:[= ]<[^<>]{1,40}>)?['\"`’”)]{0,2}"
    r" (?:options?\b|flags?\b|parameters?\b|switch\b|is\b|are\b|to\b|\(|or\b|and\b)",
    re.I,
)
_DIRECT = re.compile(r"(?:\buse|\bif|\bif the|\bdisabled with)[ '\"`‘“]{1,3}$", re.I)
_SYNOPSIS = re.compile(r"\[ ?-{1,2}[A-Za-z]|<[\w -]{1,40}> --?[a-z]")
MAX_MENTIONS = 500


def usage_lines(loose: Iterable[tuple[Section, list[Line]]]) -> Usage:
    """Flags of lines that are written like usage lines but stand elsewhere."""
    patterns = []
    for section, lines in loose:
        if section.kind in (EXAMPLES, ASIDE):
            continue
        for line in lines:
            text = line.text
            if (
                line.cells is None
                and len(text) < 2_000
                and _SYNOPSIS.search(text)
                and _is_synopsis(text)
            ):
                patterns.append(UsagePattern(text, line.number))
    return read_usage(patterns[:MAX_MENTIONS], "", ())


def _is_synopsis(text: str) -> bool:
    """Mostly brackets and placeholders; a sentence has plain words and ends in a full stop."""
    if text[-1] in ".:;" and not text.endswith("..."):
        return False
    plain = sum(word.isalpha() and word.islower() for word in text.split())
    return plain <= 2


def find_mentions(
    loose: Sequence[tuple[Section, list[Line]]],
    entries: Sequence[Definition],
    known_flags: set[str],
    *,
    careful: bool,
) -> list[OptionDraft]:
    """Drafts of mentioned flags. `careful`: the page of a sub-command often speaks of others."""
    drafts: dict[str, OptionDraft] = {}
    for text, number in _texts(loose, entries):
        if "-" not in text or len(drafts) >= MAX_MENTIONS:
            continue
        for match in _FLAG.finditer(text):
            flag = match.group(1)
            if flag in known_flags or flag in drafts or not _is_mention(text, match, careful):
                continue
            draft = OptionDraft([flag], (number, number), "prose")
            if text[match.end() : match.end() + 2] in ("=<", " <"):
                draft.value = draft.raw = text[match.end() + 1 :].split(">")[0][:60] + ">"
            drafts[flag] = draft
    return list(drafts.values())[:MAX_OPTIONS]


def _texts(
    loose: Sequence[tuple[Section, list[Line]]], entries: Sequence[Definition]
) -> Iterable[tuple[str, int]]:
    for section, lines in loose:
        if section.kind not in (EXAMPLES, ASIDE):
            for above, line in zip([None, *lines], lines, strict=False):
                lead = (
                    above.text.rsplit(" ", 2)[-2:]
                    if above is not None and not line.after_blank
                    else []
                )
                yield (
                    " ".join([*lead, line.text]) if line.text[0] == "-" else line.text,
                    line.number,
                )
    for entry in entries:
        yield entry.text, entry.first


def _is_mention(text: str, match: re.Match[str], careful: bool) -> bool:
    before, after = (
        text[max(0, match.start() - 24) : match.start()],
        text[match.end() : match.end() + 70],
    )
    if careful:
        return bool(_DIRECT.search(before)) and bool(_AFTER.match(after))
    short = not match.group(1).startswith("--")
    if short:
        return bool(_DIRECT.search(before)) or (
            bool(_BEFORE.search(before)) and bool(_AFTER.match(after)) and before.strip() != ""
        )
    return bool(_BEFORE.search(before)) and (
        bool(_AFTER.match(after))
        or bool(_DIRECT.search(before))
        or "<" in after[:3]
        or "use " in before
        or "with " in before
    )
