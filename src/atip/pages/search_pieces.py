"""The search index of a site, in pieces that a page loads as it needs them. Pure.

    search/index.json    which pieces there are, and how many documents
    search/p-PREFIX.json words that start with PREFIX → documents, by weight
    search/d-N.json      what to show of 16 documents

A word's piece is the longest prefix that is listed. Large pieces are split by the next letter, so that a first answer
needs one small table, one piece and the documents of the best ten. The script of the page (`site.js`) reads the
same words out of a query: change both or neither. Reasons: docs/decisions/0011-search-in-the-page.md.
"""

from __future__ import annotations

import itertools
import re

from atip.model.shim_records import encode_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Documents = Mapping[int, Sequence[str]]
    """Number → folder, name, text, level of one page."""
    Postings = dict[str, dict[int, list[int]]]
    """Word → weight → documents."""

BLOCK = 16
"""Documents in one file."""
MAX_PIECE = 24_000
"""Bytes above which a piece is split."""
MAX_DOCUMENTS = 2_000
"""Documents of one word; beyond that only the weightiest are kept: nobody reads further."""
_WORD = re.compile(r"[^\W_]+")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
TOOL, COMMAND, TEXT = 9, 8, 2
"""Weights: the name of a tool, of a command, a word of the description."""
OF_TOOL = 4
"""The name of the tool, for each of its commands."""
OTHER = "_"
"""The piece of words that start with any other letter."""
STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "for",
        "from",
        "in",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "that",
        "the",
        "this",
        "to",
        "with",
    ]
)


def words_of(text: str) -> list[str]:
    """Words as the index knows them: lower case, without a plural `s`."""
    found = []
    for word in _WORD.findall(text.lower()):
        if word not in STOP:
            is_plural = len(word) > 3 and word[-1] == "s" and word[-2] != "s"
            found.append(word[:-1] if is_plural else word)
    return found


def index_files(documents: Documents) -> dict[str, bytes]:
    """Every file of the index, by its path in the site."""
    postings = _postings(documents)
    pieces = dict(_pieces(postings))
    files = {f"search/p-{prefix}.json": _piece(words) for prefix, words in pieces.items()}
    files |= _blocks(documents)
    top = {"documents": len(documents), "block": BLOCK, "pieces": sorted(pieces)}
    files["search/index.json"] = encode_text(top).encode()
    return files


def _postings(documents: Documents) -> Postings:
    found: Postings = {}
    for number in sorted(documents):
        _folder, name, text, _level = documents[number]
        weights = dict.fromkeys(words_of(text), TEXT)
        tool, _, command = name.partition(" ")
        named = words_of(command)
        # `git push` before `git stash push`: the less else a name says, the more its words weigh
        weights.update(dict.fromkeys(named, max(TEXT + 1, COMMAND + 1 - len(named))))
        weights.update(dict.fromkeys(words_of(tool), TOOL if not command else OF_TOOL))
        for word, weight in weights.items():
            by_weight = found.get(word)
            if by_weight is None:
                by_weight = found[word] = {}
            if weight in by_weight:
                by_weight[weight].append(number)
            else:
                by_weight[weight] = [number]
    return found


def _pieces(postings: Postings) -> Iterable[tuple[str, Postings]]:
    by_letter: dict[str, Postings] = {}
    for word in sorted(postings):
        first = word[0] if _PLAIN.issuperset(word[:8]) else OTHER
        by_letter.setdefault(first, {})[word] = postings[word]
    for letter, words in by_letter.items():
        yield from _split(letter, words) if letter != OTHER else [(letter, words)]


def _split(prefix: str, words: Postings) -> Iterable[tuple[str, Postings]]:
    if _size(words) <= MAX_PIECE or len(words) < 2 or len(prefix) >= 8:
        yield prefix, words
        return
    inner: dict[str, Postings] = {}
    for word, numbers in words.items():
        inner.setdefault(word[: len(prefix) + 1], {})[word] = numbers
    short = inner.pop(prefix, None)
    if short:
        yield prefix, short
    for longer, rest in inner.items():
        yield from _split(longer, rest)


def _size(words: Postings) -> int:
    """About how many bytes a piece will have."""
    return sum(
        len(word) + 12 + 4 * min(MAX_DOCUMENTS, sum(map(len, numbers.values())))
        for word, numbers in words.items()
    )


def _piece(words: Postings) -> bytes:
    return encode_text({word: _ranked(numbers) for word, numbers in words.items()}).encode()


def _ranked(by_weight: dict[int, list[int]]) -> list[list[int]]:
    """`[weight, first document, distance to the next, …]`, the weightiest first; as short as it gets."""
    left = MAX_DOCUMENTS
    found = []
    for weight in sorted(by_weight, reverse=True):
        numbers = by_weight[weight][:left]
        left -= len(numbers)
        if numbers:
            distances = [after - before for before, after in itertools.pairwise(numbers)]
            found.append([weight, numbers[0], *distances])
    return found


def _blocks(documents: Documents) -> dict[str, bytes]:
    blocks: dict[int, dict[str, Sequence[str]]] = {}
    for number, shown in documents.items():
        blocks.setdefault(number // BLOCK, {})[str(number)] = shown
    return {f"search/d-{block}.json": encode_text(held).encode() for block, held in blocks.items()}
