"""Objects: tool names that a request acts on, as opposed to tools that it asks for.

`restart nginx` and `install git` name a program but mean another one: the service manager, the package manager. A name is an
object when the request is a verb of administration, the name and nothing more (`stop caddy in the background` asks for caddy), and
no command of that tool says the verb itself (`docker restart` does). `start` is not such a verb: it means to run the program. `what does ls do` asks for the manual in the same way. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from atip.search.stems import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.search.text import Term

    Span = tuple[int, int]
    Entries = Sequence[int]

IN_SUMMARY = 60
"""Least impact of a word of a name, a summary or an intent; one that only the options mention has less."""
VERBS = frozenset(
    stem(word)
    for word in (
        "install", "reinstall", "uninstall", "upgrade", "downgrade", "restart", "reload", "stop", "kill", "enable",
        "disable",
    )
)  # fmt: skip
AROUND = frozenset(
    stem(word)
    for word in (
        "service", "daemon", "process", "package", "program", "unit", "distribution", "repository", "manager", "all",
        "system", "machine", "latest", "newest",
    )
)  # fmt: skip
"""Further words that a request may have: `stop the nginx service`, `install git from the distribution`."""
_ASKS_ABOUT = re.compile(
    r"(what (does|is|do)|what's|where('s| is| are)|which (version|package)|explain|meaning of)\b",
    re.IGNORECASE,
)


def without_objects(
    terms: Sequence[Term],
    words: str,
    span: Callable[[str], Span | None],
    postings: Callable[[str], Entries],
) -> list[Term]:
    """The terms that are not objects; all of them if nothing else would be left.

    Args:
        words: the request.
        span: first and last document of a tool, None without one of that name.
        postings: of a stem, in the order of documents.
    """
    is_about = len(terms) == 2 and _ASKS_ABOUT.match(words.strip()) is not None
    if not is_about and (len(terms) < 2 or VERBS.isdisjoint([term.stem for term in terms])):
        return list(terms)
    kept = [
        term
        for place, term in enumerate(terms)
        if (found := span(term.word)) is None
        or not (is_about or _is_object(terms, place, found, postings))
    ]
    return kept or list(terms)


def _is_object(
    terms: Sequence[Term], place: int, span: Span, postings: Callable[[str], Entries]
) -> bool:
    verbs = [term.stem for term in terms[:place] if term.stem in VERBS]
    others = {term.stem for term in (*terms[:place], *terms[place + 1 :])}.difference(verbs)
    return bool(verbs) and others <= AROUND and not any(_has(postings(v), span) for v in verbs)


def _has(entries: Entries, span: Span) -> bool:
    """Whether a document of the span has the word in more than its details."""
    first, last = span
    place = bisect_left(entries, first << 8)
    while place < len(entries) and entries[place] >> 8 <= last:
        if entries[place] & 255 >= IN_SUMMARY:
            return True
        place += 1
    return False
