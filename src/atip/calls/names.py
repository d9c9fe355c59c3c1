"""Names of functions and parameters: from a command's path to something every provider accepts, and unique.

`gh pr create` → `gh_pr_create`. Words are joined by one `_`; a `_` inside a word is doubled, so that
`gh pr_create` is `gh_pr__create` and the two stay distinct. What cannot be spelled that way (other
characters, more than 64 of them) gets a readable rest and a digest of the exact path after `___`, a run of
underscores that the plain form cannot contain. A name depends on nothing but tool and path: adding a
command renames no other. The table of functions resolves a name; names are never parsed.
Implements ATIP 0.6 §8.2 rule 3, A11.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

MAX_NAME = 64
_DIGEST_MARK = "___"
_DIGITS = 8


def function_name(tool: str, path: tuple[str, ...], *, digits: int = _DIGITS) -> str:
    """The function of one command. Empty words (the bare tool, A11) do not appear."""
    words = [tool, *(word for word in path if word)]
    name = "_".join(words)
    if "_" in "".join(words):
        name = "_".join([word.replace("_", "__") for word in words])
    if not name[:1].isalpha():
        # Gemini requires a letter or `_` first: `7z` is `_7z`; no plain name begins with `_`.
        name = "_" + name
    if len(name) <= MAX_NAME and name.isascii() and all(map(_is_plain, words)):
        return name
    return _shorten_by_digest(words, digits)


def _is_plain(word: str) -> bool:
    """Whether a word may stand in a name as it is: it neither starts nor ends with `_`."""
    return word.replace("-", "a").replace("_", "a").isalnum() and word.strip("_") == word


def _readable(text: str, allowed: str) -> str:
    """ASCII letters and digits, everything else one `_` per run."""
    marked = "".join(c if c.isascii() and (c.isalnum() or c in allowed) else " " for c in text)
    return "_".join(marked.split())


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _shorten_by_digest(words: list[str], digits: int) -> str:
    digest = _digest("\0".join(words))[:digits]
    max_length = MAX_NAME - len(_DIGEST_MARK) - digits
    readable = _readable(" ".join(words), "")[:max_length].rstrip("_") or "tool"
    if not readable[0].isalpha():
        readable = f"t{readable}"[:max_length].rstrip("_")
    return readable + _DIGEST_MARK + digest


def parameter_key(name: str, taken: Container[str]) -> str:
    """A key for a parameter: its own name where legal and free, else the nearest that is."""
    key = legal_key(name)
    if key not in taken:
        return key
    stem = key[: MAX_NAME - 4]
    number = 2
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def legal_key(name: str) -> str:
    """`[A-Za-z_][A-Za-z0-9_-]{0,63}`: the name itself where it is that already."""
    plain = name.replace("-", "_")
    if plain.isidentifier() and plain.isascii() and len(name) <= MAX_NAME and name[0] != "-":
        return name
    readable = _readable(name, "_-").strip("-")
    if not readable[:1].isalpha() and readable[:1] != "_":
        readable = "p_" + readable
    if len(readable) > MAX_NAME:
        readable = f"{readable[: MAX_NAME - 9]}_{_digest(name)[:8]}"
    return readable
