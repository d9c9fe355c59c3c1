"""Summaries: whether a text says what a tool does, and the part of it that does. Pure.

One checker for every source (manual, framework, package, help), so that an error message, a usage line, a version
banner or a license notice is never shown as a description. A wrong summary is worse than none: what is in doubt fails.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SUMMARY = 2_000
_CHECKED = 400
"""Characters that are judged; the rest of a paragraph follows its first sentences."""

_DASHES = re.compile(r"^(?:[-–—:,;.*=~|]{1,3}\s+|[–—]\s*)")
_ERROR = re.compile(
    r"^(?:(?:fatal |internal |usage |argument |syntax |import |runtime |value |config\w* )?error\b(?! (?:mess|report|code|page|handl|correct|log|analy|check))"
    r"|use of (?:uninitiali[sz]ed|each|implicit)\b|possible (?:unintended|precedence)|subroutine \S+ redefined|can't locate\b"
    r"|fatal\b|traceback\b|exception\b|warning\b|\[?(?:err|error|warn|fatal|info|debug)\]?:"
    r"|(?:invalid|unknown|unrecogni[sz]ed|illegal|unsupported|bad|ambiguous|unexpected|missing|wrong|incorrect|undefined|extra)\b.{0,40}\b"
    r"(?:options?|arguments?|args?|commands?|subcommands?|flags?|switch|parameters?|operands?|usage|file|number|value|keyword|action|syntax|input)\b"
    r"|(?:cannot|can't|can not|could not|couldn't|unable to|failed|failure|must (?:be|have|run|specify)|you (?:must|need|have to|should|are|provided|gave|did not)|not (?:enough|a |an |in |found|running|allowed|permitted))\b"
    r"|(?:no|need|needs|requires?|expected|expecting|too (?:few|many))\b.{0,40}\b"
    r"(?:arguments?|operands?|specified|given|found|provided|options?|files?|parameters?|display|devices?|such|input|set|available|run|root)\b"
    r"|\S+: aborting\b|(?:\w+ )?check failed\b|you are forced\b|permission denied|access denied|segmentation fault|aborted|killed|command not found|does not exist|connection refused|operation not)",
    re.I,
)
_ERROR_ANYWHERE = re.compile(
    r"\b(?:invalid|unknown|unrecogni[sz]ed|illegal|unsupported|no such) (?:option|argument|command|flag|switch|parameter|file or)\b"
    r"|: (?:missing|too (?:few|many)) (?:\w+ )?(?:files?|arguments?|operands?|options?|parameters?)\b"
    r"|: (?:no such file|command not found|permission denied|not found|cannot open)|exit (?:code|status) \d"
    r"|\bmust be (?:run as |called |started |invoked |executed )?(?:root|superuser|specified)\b|errno[ :=]+\d|/\S+ (?:do(?:es)? not exists?|is not (?:a )?directory|(?:can ?not|can't) be (?:read|written|opened|found))\b|option requires|\bDISPLAY(?: variable)?(?: is)? not set|(?:cannot|can't|unable to|could not) (?:open|connect to) (?:the )?(?:X )?display",
    re.I,
)
_USAGE = re.compile(
    r"^(?:usage|synopsis|syntax|options?|arguments?|commands?|flags?|parameters?|examples?)\b\s*(?::|$|\[|<|-{1,2}\w)"
    r"|^(?:-{1,2}\w|[\[<{(|$%>#@\\/+=])|^usage (?:is|are)\b|^usage /|^options are\b|^\w - |^or:|^[A-Z]{4,} - (?:the )?name of\b|\[-{1,2}\w|\[options?\]|\[args?\b|<command>|\[command\b|\.\.\.\]|\|\s*-{1,2}\w|^\S+ \.{3} ",
    re.I,
)
_PLACEHOLDERS = re.compile(r"<[\w -]{1,30}>|\[[\w. -]{1,30}\]|\b[A-Z_]{3,}\.\.\.")
_LEGAL = re.compile(
    r"copyright\W+(?:\(c\)|©|\d{4}|by|the|holder)|^copyright|©|\(c\)\s*\d{4}|\bwarranty\b|\bfree software\b|redistribut"
    r"|copying conditions|\blicen[cs]e:? (?:l?gpl|mit\b|bsd|apache)|all rights reserved|licen[cs]ed under|under the (?:terms|gnu|gpl|mit|apache|bsd)|general public licen|^licen[cs]e\b"
    r"|^(?:written|created|developed|maintained|made|modified|contributed|ported|by)\b.{0,12}\bby\b|^by [A-Z]|^authors?\b\W"
    r"|^(?:19|20)\d\d(?:[-, ]{1,2}(?:19|20)?\d\d)*,? by\b|^SPDX-"
    r"|^licensed to\b|permission is hereby|source code form is subject|compliance with the licen|^(?:originally|adapted|modified|based|inspired)\b.{0,30}\b(?:by|from|on|for)\b",
    re.I,
)
_POINTER = re.compile(
    r"^(?:https?://|www\.|see (?:https?|also\b|listed\b|the (?:man|doc|online|info|project|home)|man\b|\S+\(\d)|report (?:any )?bugs|bug reports?\b"
    r"|home ?page\b|documentation\b\W|project (?:page|home)|website\b|(?:full|complete|online|more) (?:documentation|help|information|details)\b"
    r"|for (?:more|further|detailed|complete|help|a (?:full |complete )?list|bug|details|additional|usage|full)\b"
    r"|(?:please|thank|thanks|welcome|donate|sponsor|notes?|notices?|tip|hint|nb|important|attention)\b(?! (?:taking|pad|book))"
    r"|deprecation\b|abbreviation\b|sanity check\.?$|run this (?:script|program|tool)\b|(?:eg|e\.g\.?|i\.e\.?)[ ,:]|this is an? (?:proof|prototype|hack)\b|\S+ arguments\.?$"
    r"|(?:deprecated|obsolete)(?:[^\w ]|$| \W| (?:in|by|since|as|and|use|please|from|for|options?|this|it|not|but)\b)"
    r"|mandatory arguments|this (?:help|is not the|menu|message|version|list|command (?:is|has|requires)|(?!program|tool|command|utility|script|application|software)\w+ (?:will|can|must|should|may|is|has)\b)|other options\b|the following|available\b|valid\b"
    r"|with(?:out)? (?:no )?(?:any )?(?:arguments?|options?|file|parameters?)\b|if (?:no|you|the|an?)\b|when (?:no|called|run|invoked)\b|by default\b"
    r"|(?:all|some|these|most) (?:options?|arguments?|commands?|flags?|parameters?)\b|where\b|default\b|arguments? (?:are|is|to)\b"
    r"|(?:a|the) (?:list|summary) of (?:the )?(?:available|all|possible|commands|options)|to (?:get|see|list|show|display) (?:help|usage|more|the|a|all)\b.{0,30}(?:help|usage|options|commands|type|run|use)"
    r"|this (?:manual|man ?page|documentation|document|page|file)\b|(?:(?:generic|preliminary|dummy|stub|no) (?:\w+ )?)?man(?:ual)? ?pages?\b(?! \w+er\b)|\S+ is (?:a )?part of (?:the )?\S+\.? see\b|part of (?:the )?[\w.+-]+(?: [\w.+-]+){0,4}(?:$| refer\b)|\S+ documentation\.?$"
    r"|for .{1,40}, (?:see|use|try)\b|you can\b|(?:the )?(?:main |command[- ]line )?entry ?point\b|(?:[\w/]+ ){0,2}options$|to report\b|(?:can|may|must|should|will|shall) be\b|(?:exactly|at least|at most|only) (?:one|two)\b|with(?:out)? (?:the )?-"
    r"|(?:or|and|but|then|also|otherwise|however|additionally|furthermore)\b|\S+ (?:is|are|must be|can be|may be|should be) (?:one|any|either) of\b"
    r"|(?:an?|the|each|every) (?:(?!that\b|which\b|tool\b|program\b|to\b)\w+ ){1,3}(?:must|should|has to|have to) be\b"
    r"|(?:\S{1,40} v?\d.{0,60}\b)?multi-call binary\b|manual page for\b|.{0,60}\b(?:command[- ]line|user|language) (?:reference|manual|guide)\.?$|\S+ (?:command|program|tool|utility|script)\.?$|press\b|enter an?\b.{0,20}\bor\b|type\b.{0,40}\bfor (?:help|more|usage|details|information|further|an?|the)\b|new (?:major |minor )?version|update available|loading\b|starting\b|reading (?:from|package)|listening\b|waiting\b|done\b|using\b)",
    re.I,
)
_INSTRUCTION = re.compile(
    r"^(?:use [\"'`]-[\"'`]|(?:see|try)\b.{0,60}?(?:(?<![\w-])--?\w|[`'\"‘]|\bfor\b|\bman\b)"
    r"|(?:type|run|use|execute|read|consult|refer|invoke|specify|enter|call|set|check|add)\b.{0,60}?"
    r"(?:(?<!\w)-{1,2}h(?:elp)?\b|\bman (?:page|\S+\(?\d)|\bmanual\b|\bdocumentation\b|\bhelp\b|\bfor (?:more|details|usage|information|a list)))",
    re.I,
)
_VERSION = re.compile(
    r"^(?:[^\s\[(]{1,40}[ ,:]{1,2}){0,3}?\(?(?:version|release|ver\.?|[vV])?[ :.]?[vV]?\d{1,8}(?:\.\d[\w~+-]{0,20}){1,5}[\w.~+-]{0,30}(?![\w.])[)\],;]?"
)
_VERSION_WORD = re.compile(r"\b(?:version|release|ver\.?|v)$", re.I)
_AFTER_VERSION = re.compile(
    r"^\s*(?:with(?:out)? C extension|\([^()]{0,80}\)|\[[^\[\]]{0,80}\]|[,;:.]|\d{4}[-/.]\d\d?[-/.]\d\d?)\s*"
)
_SECTION = re.compile(r"\(\d\w{0,4}\)$")
"""Of a page: `boat(1)`."""
_LABEL = re.compile(r"^(?:overview|description|name|summary|purpose|about)\s?:\s+", re.I)
_TRAILING = re.compile(
    r"\s+version \d[\w.]{0,20},? (?:19|20)\d\d.*$|, version \d[\w.]{0,20}(?: \([^()]{1,40}\))?\.?$|(?:\s+[.,;:-]|, v(?:ersion |er\. )?\d+(?:\.\d+)+|\s+usage:)+$",
    re.I,
)
_LEGAL_TAIL = re.compile(
    r"[\s.,;(]+(?:version \S{1,20} )?(?:copyright\b(?! (?:notice|file|holder|information|statement|year|header))|\(c\) (?:19|20)\d\d|\u00a9).*$",
    re.I,
)
"""Notice behind the purpose, on the same lines."""
_INSTITUTION = re.compile(
    r"(?:[A-Z][\w&.'-]*,? |(?:of|for|the|and|de|at|in) ){1,9}(?:[A-Z][\w&.'-]*,?)"
)
"""A name of capitalized words, as an institution has it."""
_RESEARCH = re.compile(
    r"\b(?:Universit\w+|Institut\w*|Laborator\w+|Department|Cent(?:er|re) for)\b"
)
_REMAINS = re.compile(
    r"(?<=[\w.)]),? (?:usage|arguments|synopsis|options):(?= |$)|(?<=\w) =head\d\b", re.I
)
"""Heading of the usage behind the purpose, in a text without blank lines."""
_POD_CODE = re.compile(r"\b[BCFIL]<([\w./-]{1,40})>")
_QUOTED = re.compile('"[^"]*"')
_LEAD = re.compile(r"^(?:the )?(?:gnu |program |command |tool |utility )?", re.I)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = re.compile(r"(?<=[a-z)\"'`]{2}[.!]) +(?=[A-Z`'\"(<])")
_TIMESTAMP = re.compile(
    r"^(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2},? (?:19|20)\d\d|(?:\S+ ){0,2}built (?:on )?\w{3} +\d|\d{4}[-/]\d\d|\w{3} \w{3} +\d|\d{1,2}:\d\d|\[\d)"
)
_PAIR = re.compile(r"^[\w ./-]{1,40}\s?[=:]\s?[\w./-]{0,60}$")
_OPEN = re.compile(r"\b(?:for|of|to|the|an?|and|or|with|from|by|that|which|using)$", re.I)
"""A sentence that was cut off."""
_NAMES = re.compile(r"[\w.+-]+(?:, ?[\w.+-]+){3,}(?:,? (?:and|or) [\w.+-]+)?[.\u2026]*")
"""A list of names and nothing else."""
_TWO_NAMES = re.compile(r"[\w.+-]+, [\w.+-]+")
_PATH = re.compile(r"(?<![\w.])(?:~|\.{1,2})?/[\w.+-]+(?:/[\w.+-]+)+")


def find_summary(text: str, name: str) -> str:
    """Purpose of a tool in a text, without banner and name; empty when the text does not state it.

    Sentences and lines before the first good one are skipped, so a version banner above a description does no harm.
    """
    # Behind the first bullet stands a table of contents or a list.
    text = _POD_CODE.sub(r"\1", " ".join(text.split())[:MAX_SUMMARY].split(" \u2022 ", 1)[0])
    sentences = _SENTENCE.split(text)
    for place in range(min(len(sentences), 4)):
        candidate = _tidy(" ".join(sentences[place:]), name)
        reason = why_not_summary(candidate, name) if candidate else "name"
        if reason is None:
            return candidate
        if reason == "usage":
            break  # what follows explains placeholders
    return ""


LINE = 160
"""Characters of a description in a list."""


def one_line(text: str) -> str:
    """The first sentence of a longer description: a list of commands is not the place for paragraphs."""
    text = " ".join(text.split())
    return text if len(text) <= LINE else _SENTENCE.split(text, maxsplit=1)[0]


def first_summary(candidates: Iterable[str], name: str) -> str:
    """The first candidate that says what the tool does, best source first; empty when none does."""
    return next((summary for one in candidates if one and (summary := find_summary(one, name))), "")


def why_not_summary(text: str, name: str) -> str | None:
    """Why a text is not a summary: `name`, `fragment`, `error`, `usage`, `license`, `pointer`, `version`, `path`; None if it is one."""
    first = _SENTENCE.split(text[:_CHECKED], maxsplit=1)[0]
    if _bare(first) == _bare(name) or first.lower() == name.lower():
        return "name"
    checks = (
        ("fragment", _is_fragment(first, name)),
        ("error", _ERROR.search(first) or _ERROR_ANYWHERE.search(first)),
        ("usage", _USAGE.search(first) or _is_usage(first, name)),
        ("license", _LEGAL.search(first) or _is_institution(first)),
        ("pointer", _POINTER.search(first) or _INSTRUCTION.search(first)),
        ("version", _banner(first, name) or _TIMESTAMP.match(first)),
        ("path", _is_path(first)),
    )
    return next((reason for reason, holds in checks if holds), None)


def _tidy(text: str, name: str) -> str:
    """Without the name, a banner and dashes before the words themselves."""
    text = _REMAINS.split(_LABEL.sub("", text.strip()), maxsplit=1)[0]
    text = _without_name(_TRAILING.sub("", _LEGAL_TAIL.sub("", text)), name)
    banner = _banner(text, name)
    if banner is not None:
        text = text[banner.end() :]
        while (more := _AFTER_VERSION.match(text)) is not None and more.end():
            text = text[more.end() :]
        text = _without_name(text.strip(), name)
    text = _DASHES.sub("", text.strip()).strip()
    return text[1:-1].strip() if _QUOTED.fullmatch(text) else text


def _banner(text: str, name: str) -> re.Match[str] | None:
    """The name and version that a text starts with; not a version within a sentence: `checks figlet 2.0 and up fonts`,
    `play audio MPEG 1.0/2.0 streams`."""
    match = _VERSION.match(text)
    if match is None:
        return None
    lead = text[: match.end()].rsplit(" ", 1)[0]
    after = text[match.end() :].lstrip(" ")[:1]
    goes_on = (after.islower() or after == "/") and text[: match.end()][-1] not in ",;"
    is_sentence = goes_on and " " in text[: match.end()] and _bare(lead) != _bare(name)
    return None if is_sentence and not _VERSION_WORD.search(lead) else match


def _without_name(text: str, name: str) -> str:
    """`cp - copy files`, `cp: copy files`, `Cp – copy files` → `copy files`."""
    head, has_dash, rest = _split_dash(text)
    if has_dash and (
        name.lower() in head.lower().split() or "," in head or _bare(head) == _bare(name)
    ):
        return rest
    path, colon, text_after = text.partition(": ")
    if colon and path.endswith(f"/{name}"):
        return text_after.strip()
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    after = text[start + len(name) :]
    if name and text[start:].lower().startswith(name.lower()) and after[:1] == ":":
        return after[1:].strip()
    # `Halt, power-off or reboot` is a list of verbs; `bzip2, a file compressor` names the program.
    if name and text[start:].startswith(name) and after[:1] == ",":
        return after[1:].strip()
    # `llvm-link-14` says `llvm-link: …` of itself.
    if colon and len(path) > 2 and re.fullmatch(rf"{re.escape(path)}[-.]?[\d.]+", name):
        return text_after.strip()
    return text


def _split_dash(text: str) -> tuple[str, bool, str]:
    for dash in (" - ", " – ", " — ", " -- ", " --- ", " \\- "):
        head, separator, rest = text.partition(dash)
        if separator and len(head) <= 60 and len(head.split()) <= 4:
            return head, True, rest.strip()
    return text, False, ""


def _bare(text: str) -> str:
    return re.sub(r"[\W_]|\d+(?:\.\d+)*$", "", _SECTION.sub("", text)).lower()


def _is_fragment(text: str, name: str) -> bool:
    """Too few words, a heading, a `key: value` pair, more signs than letters, or capitals only."""
    words = _WORD.findall(text)
    if len(words) < 2 or " " not in text or text.endswith((":", ",", "(")) or _PAIR.match(text):
        return True
    # `the time to which it can be restored to` is whole.
    if _OPEN.search(text) and not (text.endswith(" to") and "to which" in text):
        return True
    if _NAMES.fullmatch(text) or (
        _TWO_NAMES.fullmatch(text) and _bare(name) in map(_bare, text.split(", "))
    ):
        return True
    letters = sum(char.isalpha() or char == " " for char in text)
    capitals = sum(word.isupper() for word in words)
    return letters * 10 < len(text) * 6 or (len(words) > 2 and capitals * 4 > len(words) * 3)


def _is_usage(text: str, name: str) -> bool:
    """The tool's name followed by placeholders, or several placeholders anywhere."""
    placeholders = _PLACEHOLDERS.findall(text)
    starts = bool(name) and text.lower().startswith(
        (f"{name.lower()} [", f"{name.lower()} <", f"{name.lower()} -")
    )
    return starts or len(placeholders) > 1


def _is_institution(text: str) -> bool:
    return (
        _RESEARCH.search(text) is not None and _INSTITUTION.fullmatch(text.rstrip(".")) is not None
    )


def _is_path(text: str) -> bool:
    paths = _PATH.findall(text)
    if 2 * sum(map(len, paths)) <= len(text):
        return False
    return text.startswith(paths[0]) or len(_WORD.findall(_PATH.sub("", text))) < 2
