"""Text → terms: what of a sentence counts for search, and how much.

Function words do not count; words that every request contains (`specific`, `given`) count little; what
stands in quotes, is a number or looks like a path or host is a value, not an intent, and counts a quarter. Pure.
"""

from __future__ import annotations

import re
from itertools import pairwise

from atip.model.value import Value
from atip.search.stems import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

STOP = frozenset(
    [
        "a", "an", "the", "of", "to", "in", "on", "for", "and", "or", "with", "by", "from", "as", "at", "is", "am",
        "are", "be", "it", "its", "this", "that", "these", "those", "into", "via", "if", "then", "than", "so", "do",
        "does", "not", "no", "only", "also", "which", "who", "whom", "what", "when", "where", "how", "can", "will",
        "would", "may", "might", "using", "use", "used", "uses", "you", "your", "i", "me", "my", "we", "our", "one",
        "any", "each", "every", "other", "another", "e", "g", "ie", "eg", "etc", "has", "have", "having", "was",
        "were", "been", "being", "there", "their", "them", "they", "but",
    ]
)  # fmt: skip
FILLERS = frozenset(
    "a an the my our your this that some please i me you we want need would like how do can could to of".split()  # noqa: SIM905
)
"""Words whose absence makes no other request."""
WEAK = frozenset(
    [
        "specific",
        "specified",
        "given",
        "certain",
        "specify",
        "particular",
        "current",
        "multiple",
        "all",
        "new",
        "custom",
        "default",
        "different",
        "single",
        "several",
        "some",
        "more",
        "optionally",
        "optional",
        "available",
        "existing",
        "desired",
        # of spoken requests
        "something",
        "anything",
        "everything",
        "everywhere",
        "thing",
        "things",
        "here",
        "just",
        "already",
    ]
)
ASIDE = frozenset(
    [
        "with", "using", "without", "by", "from", "in", "on", "for", "that", "which", "when", "if", "while",
        "instead", "after", "before", "via", "as",
    ]
)  # fmt: skip
"""Words that open a side clause: what follows says how or where, not what to do."""
BY_ASIDE = 0.2
"""Share of its weight that a word loses for each side clause before it …"""
LEAST_ASIDE = 0.3
"""… down to this."""
WEAK_WEIGHT = 0.3
VALUE_WEIGHT = 0.25
REMARK_WEIGHT = 0.6
"""Weight of words in parentheses."""
MAX_REQUEST = 2_000
"""Characters of a request that are read."""
MAX_TERMS = 24

_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"[^\W_]+|[,;:(]")
_LOWER = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(128)
) + bytes(128)
"""ASCII text is cut by translation, several times faster than by a regular expression."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPOKEN = re.compile(
    r"\b(?:right now|at the moment|now|currently|actually|really|simply|easily|nicely|properly|somehow|please)\b",
    re.IGNORECASE,
)
"""Words of speech that do not change a request."""
_QUOTED = re.compile(r'"[^"]*"|\'[^\']{2,}\'|`[^`]*`|“[^”]*”')
_POSSESSIVE = re.compile(r"(?<=\w)'s\b")
_REMARK = re.compile(r"\([^()]*\)")
_PATH = re.compile(
    r"(?<!\w)(?!(?:package\.json|requirements\.txt|pyproject\.toml|cargo\.toml|pom\.xml|compose\.ya?ml)(?!\w))(?:[~$]?[\w.\-*{}$]*/[\w./\-*{}$,~]*|\$\{?\w+\}?|\*\.\w+|[\w\-]+\.(?:txt|sh|py|c|h|log|gz|tar|zip|html"
    r"|js|css|php|xml|json|conf|cfg|dat|csv|jpe?g|png|gif|svg|pdf|tgz|bz2|xz|toml|ya?ml|ini|md|sql|lock|mp[34]"
    r"|iso|img|deb|rpm|docx?|xlsx?|pptx?|odt|epub|bak|old|orig|db|sqlite3?|env|mkv|avi|mov|webm|webp|wav|flac|heic|tiff?"
    r"|bmp|cpp|hpp|java|rs|go|ts|rb|pl|jar|war|so|exe|pem|crt|csr|pub|key|patch|diff|tex|rst|bin|dump|pcap)|(?:[\w\-]+\.)+(?:com|org|net|io|dev|edu)|[0-9]{1,3}(?:\.[0-9]{1,3}){3})(?!\w)"
)

_HOST = re.compile(r"(?:[\w\-]+\.)+(?:com|org|net|io|dev|edu)|[0-9]{1,3}(?:\.[0-9]{1,3}){3}")


class Term(Value):
    """One word of a request."""

    stem: str
    weight: float
    word: str
    aside: int = 0
    """Side clauses opened before it: `list files` 0, `… in a folder, sorted by size` 1, 2, 3."""

    @property
    def central(self) -> float:
        """The weight, less for words of side clauses."""
        return self.weight * max(LEAST_ASIDE, 1 - BY_ASIDE * self.aside)

    @property
    def in_phrases(self) -> float:
        """The weight in a comparison with curated intents; a side clause does not make a number less."""
        return self.weight if self.word.isdigit() else self.central


def words_of(text: str) -> list[str]:
    """Lower-case words."""
    if text.isascii():
        return text.encode().translate(_LOWER).decode().split()
    return _WORD.findall(text.lower())


def normal_phrase(text: str) -> str:
    """One spelling for texts that a person would call the same."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split()).strip(" .!?,;:")


def phrase_key(text: str) -> str:
    """One spelling for requests that differ only in forms of words and in words that say nothing."""
    words = words_of(_SPOKEN.sub(" ", text[:MAX_REQUEST]))
    return " ".join([stem(word) for word in words if word not in FILLERS])


def name_terms(name: str) -> list[str]:
    """Stems of the parts of a name; `camelCase`, `snake_case` and `kebab-case` fall apart.

    A name that is a function word as a whole (`who`, `at`) stays one: a request of such words alone may mean it.
    """
    if name.isascii() and name.isalnum() and name.islower():  # one plain word, as most names are
        return [_terms[name] or name]
    return terms_of(name if name.islower() else _HUMP.sub(" ", name))


def terms_of(text: str) -> list[str]:
    """Stems of the words that count, in order, with repetitions."""
    return [*filter(None, map(_term, words_of(text)))]


MAX_KNOWN = 50_000


class _Terms(dict[str, str]):
    """Word → stem, empty for function words: an index is built from the same few thousand words."""

    def __missing__(self, word: str) -> str:
        term = stem(word)
        if len(self) < MAX_KNOWN:
            self[word] = term
        return term


_terms = _Terms.fromkeys(STOP, "")
_term = _terms.__getitem__


def read_request(text: str) -> list[Term]:
    """The terms of a request, each once, with weights; the order is that of the text."""
    text = text[:MAX_REQUEST]
    spoken = _QUOTED.sub(" ", text)
    values = " ".join([*_QUOTED.findall(text), *_PATH.findall(spoken)])
    spoken = _SPOKEN.sub(" ", _PATH.sub(" ", spoken))
    remarks = " ".join(_REMARK.findall(spoken))
    found: dict[str, Term] = {}
    for part, weight in (
        (_REMARK.sub(" ", spoken), 1.0),
        (remarks, REMARK_WEIGHT),
        (values, VALUE_WEIGHT),
    ):
        for word, aside in _with_asides(_POSSESSIVE.sub("", part)):
            if word in STOP:
                continue
            key = stem(word)
            share = weight * (WEAK_WEIGHT if word in WEAK else 1.0)
            if word.isdigit():
                share = min(share, VALUE_WEIGHT)
            if key not in found and len(found) < MAX_TERMS:
                found[key] = Term(stem=key, weight=share, word=word, aside=aside)
    if not found:  # a request of function words only, such as `who am i`
        for word in words_of(text)[:MAX_TERMS]:
            found.setdefault(stem(word), Term(stem=stem(word), weight=1.0, word=word))
    return list(found.values())


def value_kinds(text: str) -> set[str]:
    """Stems of what the values of a request are, which it does not say: `unpack backup.tar.gz` means a file."""
    values = _PATH.findall(_QUOTED.sub(" ", text[:MAX_REQUEST]))
    return {_kind_of(value) for value in values}


def _kind_of(value: str) -> str:
    if _HOST.fullmatch(value):
        return "host"
    return "file" if "." in value.rpartition("/")[2] else stem("directory")


def with_compounds(terms: Sequence[Term], text: str, names: Collection[str]) -> list[Term]:
    """With two words as one where a name is written so: `log in` means `login`, `check out` `checkout`."""
    terms_with_compounds = list(terms)
    for left, right in pairwise(words_of(text[:MAX_REQUEST])):
        key = stem(left + right)
        place = next(
            (at for at, term in enumerate(terms_with_compounds) if term.word == left), None
        )
        if (
            key in names
            and place is not None
            and all(term.stem != key for term in terms_with_compounds)
        ):
            terms_with_compounds.insert(
                place, terms_with_compounds[place].replace(stem=key, word=left + right)
            )
    return terms_with_compounds


def _with_asides(text: str) -> Iterator[tuple[str, int]]:
    """Words with the number of side clauses before them; a word that opens one stands before it."""
    aside = 0
    for piece in _PIECE.findall(text.lower()):
        if piece in ",;:(":
            aside += 1
            continue
        yield piece, aside
        aside += piece in ASIDE
