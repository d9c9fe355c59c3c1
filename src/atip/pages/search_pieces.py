"""The search index of a site, in pieces that a page loads as it needs them. Pure.

    search/index.json    which pieces there are, and how many documents
    search/p-PREFIX.json words that start with PREFIX → documents, by weight; what to show of each word's best ten
    search/d-N.json      what to show of 16 documents

A word's piece is the longest prefix that is listed. Large pieces are split by the next letter, so that a first answer
to one word needs one small table and one piece; several words may need blocks of documents too. The script of the page (`site.js`) reads the
same words out of a query: change both or neither. Reasons: docs/decisions/0011-search-in-the-page.md.
"""

from __future__ import annotations

import functools
import operator
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from atip.model.reading.shim_records import encode_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Documents = Mapping[int, Sequence[str]]
    """Number → folder, name, text, level of one page."""
    IndexWords = list[Any]
    """Weights of the words of the tool and of the command; words of tool, command and description, by blanks."""
    Postings = dict[str, dict[int, list[int]]]
    """Word → weight → documents."""

BLOCK = 16
"""Documents in one file."""
MAX_PIECE = 24_000
"""Bytes above which a piece is split."""
MAX_DOCUMENTS = 2_000
"""Documents of one word; beyond that only the weightiest are kept."""
SHOWN = 10
"""Results of a search, as in `site.js`."""
_ROW = 110
"""About how many bytes a document has that is to be shown."""
_MAX_NAME = 100
_MAX_FORMS = 200_000
_WORD = re.compile(r"[^\W_]+")
_BLANKS = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(128)
) + bytes(128)
"""Letters of ASCII in lower case; a blank for every byte that is not part of a word."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
TOOL, COMMAND, TEXT = 9, 8, 2
"""Weights: the name of a tool, of a command, a word of the description."""
OF_TOOL = 4
"""The name of the tool, for each of its commands."""
OTHER = "_"
"""The piece of words that start with any other letter."""
STOP = frozenset(
    [
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "for", "from", "in", "is", "it", "its", "of", "on",
        "or", "that", "the", "this", "to", "with",
    ]
)  # fmt: skip


class _Forms(dict[str, str]):
    """A word as it is written → as the index knows it; empty: not in the index. Each is made once."""

    def __missing__(self, word: str) -> str:
        is_plural = len(word) > 3 and word[-1] == "s" and word[-2] != "s"
        form = "" if word in STOP else word[:-1] if is_plural else word
        if len(self) < _MAX_FORMS:
            self[word] = form
        return form


_form = _Forms().__getitem__


def words_of(text: str) -> list[str]:
    """Words as the index knows them: lower case, without a plural `s`."""
    if text.isascii():  # the same words, through a table: twice as quick as an expression
        found = text.encode("ascii").translate(_BLANKS).decode("ascii").split()
    else:
        found = _WORD.findall(text.lower())
    return list(filter(None, map(_form, found)))


@functools.lru_cache(maxsize=16)
def _tool_words(name: str) -> dict[str, None]:
    """The same for every page of a tool."""
    return dict.fromkeys(words_of(name))


def index_words(name: str, text: str) -> IndexWords:
    """Under which words a page is found; may be kept, as taking texts apart is the dearest part of an index."""
    tool, _, command = name.partition(" ")
    of_tool, of_command = _tool_words(tool), words_of(command) if command else []
    # `git push` before `git stash push`: the less else a name says, the more its words weigh
    weight = max(TEXT + 1, COMMAND + 1 - len(of_command))
    named, rest = dict.fromkeys(of_command), dict.fromkeys(words_of(text))
    for word in of_tool:  # each word counts once, where it weighs most
        named.pop(word, None)
        rest.pop(word, None)
    for word in named:
        rest.pop(word, None)
    weights = [OF_TOOL if command else TOOL, weight]
    return [*weights, " ".join(of_tool), " ".join(named), " ".join(rest)]


def index_files(documents: Documents) -> dict[str, bytes]:
    """Every file of the index, by its path in the site."""
    words = {n: index_words(name, text) for n, (_, name, text, _) in documents.items()}
    blocks = {path: block_data(documents, held) for path, held in block_files(documents)}
    return {**word_files(documents, words), **blocks}


def word_files(documents: Documents, words: Mapping[int, IndexWords]) -> dict[str, bytes]:
    """The table and the pieces.

    Args:
        words: of every document, as `index_words` found them.
    """
    postings = _postings(words)
    pieces = dict(_pieces(postings))
    files = {f"search/p-{prefix}.json": _piece(held, documents) for prefix, held in pieces.items()}
    # numbers of pages that are gone may be free: the table of scores in the page needs the highest
    top = {"documents": max(documents, default=-1) + 1, "block": BLOCK, "pieces": sorted(pieces)}
    files["search/index.json"] = encode_bytes(top)
    return files


def _postings(words: Mapping[int, IndexWords]) -> Postings:
    lists: dict[int, dict[str, list[int]]] = {
        weight: defaultdict(list) for weight in (*range(TEXT, TOOL + 1), OF_TOOL)
    }
    of_text = lists[TEXT]
    for number in sorted(words):
        tool_weight, weight, tool, command, text = words[number]
        by_word = lists[tool_weight]
        for word in tool.split():
            by_word[word].append(number)
        by_word = lists[weight]
        for word in command.split():
            by_word[word].append(number)
        for word in text.split():
            of_text[word].append(number)
    found: Postings = {}
    for weight, by_word in lists.items():
        for word, numbers in by_word.items():
            found.setdefault(word, {})[weight] = numbers
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
    size = 0
    for word, numbers in words.items():
        count = sum(map(len, numbers.values()))
        size += len(word) + 12 + 4 * min(MAX_DOCUMENTS, count) + _ROW * min(SHOWN, count)
    return size


def _piece(words: Postings, documents: Documents) -> bytes:
    shown = {
        str(number): _shown(documents[number]) for held in words.values() for number in _best(held)
    }
    ranked = {word: _ranked(numbers) for word, numbers in words.items()}
    return encode_bytes({"words": ranked, "documents": shown})


def _best(by_weight: dict[int, list[int]]) -> list[int]:
    """The documents that a query of this word alone shows."""
    found: list[int] = []
    for weight in sorted(by_weight, reverse=True):
        found += by_weight[weight][: SHOWN - len(found)]
    return found


def _shown(document: Sequence[str]) -> tuple[str, ...]:
    folder, name, text, level = document
    return folder, name[:_MAX_NAME], text, level


def _ranked(by_weight: dict[int, list[int]]) -> list[list[int]]:
    """`[weight, first document, distance to the next, …]`, the weightiest first; as short as it gets."""
    left = MAX_DOCUMENTS
    found = []
    for weight in sorted(by_weight, reverse=True):
        numbers = by_weight[weight][:left]
        left -= len(numbers)
        if numbers:
            found.append([weight, numbers[0], *map(operator.sub, numbers[1:], numbers)])
    return found


def block_files(documents: Documents) -> Iterable[tuple[str, list[int]]]:
    """The files that hold what to show of documents, with the numbers in each; `block_data` is their content."""
    blocks: dict[int, list[int]] = {}
    for number in documents:
        blocks.setdefault(number // BLOCK, []).append(number)
    return [(f"search/d-{block}.json", numbers) for block, numbers in blocks.items()]


def block_data(documents: Documents, numbers: Iterable[int]) -> bytes:
    return encode_bytes({str(number): _shown(documents[number]) for number in numbers})
