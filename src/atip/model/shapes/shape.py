"""Shapes: what a wire object may hold, as tables that check, document and publish themselves.

A `Shape` is a name, a sentence and fields; a `Field` has a kind. Kinds are callables that report
every deviation with its path. The same tables yield the JSON Schema documents (`schema.py`), so the
two cannot drift apart. Written for speed: a plain `bool` or `str` kind costs one type comparison.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    Parts = tuple[str | int, ...]

    class Report(Protocol):
        """Receiver of findings: path, code, message, hint."""

        def __call__(self, path: Parts, code: str, message: str, hint: str = "") -> None: ...

    Kind = Callable[[Any, Parts, Report], None] | type

_SURELY: dict[str, Callable[[str], bool]] = {
    # pattern: a test that only true matches pass; what it does not pass, `re` judges
    r"^-": lambda value: value[:1] == "-",
    r"^0\.[1-6]$": lambda value: value in ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6"),
    r"^[a-zA-Z0-9_-]+$": lambda value: (
        value.isascii() and value.replace("-", "a").replace("_", "a").isalnum()
    ),
}
"""Patterns that every document meets: importing `re` costs half of starting the interpreter."""
_NAMES = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    type(None): "null",
}


def name_of(value: object) -> str:
    """The JSON name of a value's type, for messages."""
    for json_type, name in _NAMES.items():
        if isinstance(value, json_type) and not (json_type is int and isinstance(value, bool)):
            return name
    return type(value).__name__


class Field:
    """One field of a shape. `by_public_schema` is false for fields only the texts or we know."""

    __slots__ = ("code", "doc", "kind", "required")

    def __init__(
        self,
        kind: Kind,
        doc: str = "",
        *,
        required: bool = False,
        code: str = "format.missing-field",
    ) -> None:
        self.kind = kind
        self.doc = doc
        self.required = required
        self.code = code
        """Code of the finding when the field is required and missing."""


class Shape:
    """A wire object. Calling it checks a value. `closed` shapes refuse fields they do not know:
    those of security blocks, where a misspelt key would silently allow."""

    __slots__ = (
        *(
            "checks", "closed", "doc", "fields", "name", "plain", "required", "unknown_code", "words",
        ),
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        doc: str,
        fields: Mapping[str, Field],
        *,
        closed: bool = False,
        unknown_code: str = "",
    ) -> None:
        self.name = name
        self.doc = doc
        self.closed = closed
        self.unknown_code = unknown_code or (
            "format.closed-field" if closed else "format.unknown-field"
        )
        """Code of the finding for a field that the shape does not know."""
        self.define(fields)

    def define(self, fields: Mapping[str, Field]) -> None:
        """Set the fields; separate from the constructor for shapes that contain themselves."""
        self.fields = dict(fields)
        self.checks = {key: field.kind for key, field in fields.items()}
        self.plain = {
            key: field.kind
            for key, field in fields.items()
            if field.kind is bool or field.kind is str
        }
        """Fields that need one type comparison and nothing else: the greater part of a document."""
        self.words = {
            key: frozenset(field.kind.choices)
            for key, field in fields.items()
            if isinstance(field.kind, Text) and field.kind.choices is not None
        }
        """Fields that hold one of a few words."""
        self.required = frozenset(key for key, field in fields.items() if field.required)

    def __call__(self, value: Any, path: Parts, report: Report) -> None:
        if type(value) is not dict:
            report(path, "format.type", f"expected an object, found {name_of(value)}")
            return
        plain, words, checks = self.plain, self.words, self.checks
        for key, item in value.items():
            kind: Any = type(item)
            if plain.get(key) is kind or (kind is str and key in words and item in words[key]):
                continue
            kind = checks.get(key)
            if kind is None:
                self.unknown(key, path, report)
            elif item is None and key in self.required:
                report(path, self.fields[key].code, f"`{key}` is null")
            elif key in plain:
                wrong_type(plain[key], item, (*path, key), report)
            elif kind is not ANYTHING:
                kind(item, (*path, key), report)
        if not self.required <= value.keys():
            for key in self.required - value.keys():
                report(path, self.fields[key].code, f"`{key}` is missing")

    def unknown(self, key: str, path: Parts, report: Report) -> None:
        if key[:2] == "x-" or key[:1] in ("_", "$"):
            if key == "x-":
                report((*path, key), "format.vendor-name", "`x-` must be followed by a vendor name")
            return
        close = closest(key, self.fields)
        hint = f"did you mean `{close}`?" if close else "vendor fields begin with `x-`"
        report((*path, key), self.unknown_code, f"`{key}` is not a field of {self.name}", hint)


def wrong_type(kind: type, item: Any, path: Parts, report: Report) -> None:
    """Report a value of another type; `null` where a field could be left out gets its own code."""
    if item is None:
        report(path, "format.null", f"expected {_NAMES[kind]}, found null", "leave the field out")
    elif kind is str and hasattr(item, "text"):
        return  # a YAML number with its text: meant as a string
    else:
        report(path, "format.type", f"expected {_NAMES[kind]}, found {name_of(item)}")


class Text:
    """A string with a pattern, a closed or open set of values, or a length.

    `code` names the finding when the pattern or the set is violated; how much that matters is
    decided by mode in `check.py`.
    """

    __slots__ = ("_choice_set", "_search", "choices", "code", "max_length", "pattern", "retired")

    def __init__(
        self,
        *,
        pattern: str | None = None,
        choices: Sequence[str] | None = None,
        retired: Mapping[str, str] | None = None,
        code: str = "format.value",
        max_length: int | None = None,
    ) -> None:
        """
        Args:
            retired: choices that are gone, and what to do instead.
        """
        self.pattern = pattern
        self._search: Callable[[str], object] | None = None
        self.choices = tuple(choices) if choices is not None else None
        self.retired = retired or {}
        self._choice_set = frozenset(self.choices or ())
        self.code = code
        self.max_length = max_length

    def __call__(self, value: Any, path: Parts, report: Report) -> None:
        if type(value) is not str:
            wrong_type(str, value, path, report)
            return
        if self.choices is not None:
            if value in self._choice_set:
                return
            close = closest(value, self.choices)
            report(
                path,
                self.code,
                f"`{value[:80]}` is not one of {', '.join(self.choices)}",
                self.retired.get(value) or (f"did you mean `{close}`?" if close else ""),
            )
        elif self.pattern is not None and not self._matches(value):
            report(path, self.code, f"`{value[:80]}` does not match {self.pattern}")
        elif self.max_length is not None and len(value) > self.max_length:
            report(path, self.code, f"{len(value)} characters; use at most {self.max_length}")

    def _matches(self, value: str) -> bool:
        """Compiled when first used: start-up must not pay for patterns that nothing needs."""
        if self._search is None:
            assert self.pattern is not None
            surely = _SURELY.get(self.pattern)
            if surely is not None and surely(value):
                return True
            import re

            self._search = re.compile(self.pattern).search
        return self._search(value) is not None


class Integer:
    """An integer in a range."""

    __slots__ = ("maximum", "minimum")

    def __init__(self, minimum: int | None = None, maximum: int | None = None) -> None:
        self.minimum = minimum
        self.maximum = maximum

    def __call__(self, value: Any, path: Parts, report: Report) -> None:
        if type(value) is bool or not isinstance(value, int):
            wrong_type(int, value, path, report)
        elif (self.minimum is not None and value < self.minimum) or (
            self.maximum is not None and value > self.maximum
        ):
            report(
                path,
                "format.range",
                f"{value} is outside {self.minimum}…{'' if self.maximum is None else self.maximum}",
            )


class Anything:
    """Any JSON value."""

    __slots__ = ()

    def __call__(self, value: Any, path: Parts, report: Report) -> None:
        return


ANYTHING = Anything()


class Items:
    """An array of one kind."""

    __slots__ = ("kind", "minimum", "quick")

    def __init__(self, kind: Kind, *, minimum: int = 0) -> None:
        self.kind = kind
        self.minimum = minimum
        self.quick: frozenset[type] = frozenset()
        """Types of items that need no closer look."""
        if kind is str:
            self.quick = frozenset([str])
        elif isinstance(kind, Either) and all(
            isinstance(one, type) for one in kind.by_type.values()
        ):
            self.quick = frozenset(kind.by_type)

    def __call__(self, value: Any, path: Parts, report: Report) -> None:
        if type(value) is not list:
            wrong_type(list, value, path, report)
            return
        if not (self.quick and self.quick.issuperset(map(type, value))):
            self.look(value, path, report)
        if len(value) < self.minimum:
            report(path, "format.too-few", f"needs at least {self.minimum} items")

    def look(self, value: list[Any], path: Parts, report: Report) -> None:
        """Check item by item."""
        kind = self.kind
        for index, item in enumerate(value):
            if isinstance(kind, type):
                if type(item) is not kind:
                    wrong_type(kind, item, (*path, index), report)
            else:
                kind(item, (*path, index), report)


class Flags(Items):
    """Spellings of an option: strings that begin with a dash. One loop, because there are so many."""

    __slots__ = ()

    def look(self, value: list[Any], path: Parts, report: Report) -> None:
        for item in value:
            if type(item) is not str or item[:1] != "-":
                super().look(value, path, report)
                return


class Table:
    """An object used as a map: any key, values of one kind. `keys` may check the keys."""

    __slots__ = ("keys", "kind")

    def __init__(self, kind: Kind, *, keys: Kind | None = None) -> None:
        self.kind = kind
        self.keys = keys

    def __call__(self, value: Any, path: Parts, report: Report) -> None:
        if type(value) is not dict:
            wrong_type(dict, value, path, report)
            return
        kind = self.kind
        for key, item in value.items():
            if self.keys is not None:
                self.keys(key, (*path, key), report)
            if isinstance(kind, type):
                if type(item) is not kind:
                    wrong_type(kind, item, (*path, key), report)
            else:
                kind(item, (*path, key), report)


class Either:
    """One of several kinds, chosen by the JSON type of the value."""

    __slots__ = ("by_type",)

    def __init__(self, by_type: Mapping[type, Kind]) -> None:
        self.by_type = dict(by_type)

    def __call__(self, value: Any, path: Parts, report: Report) -> None:
        kind = self.by_type.get(type(value))
        if kind is None:
            expected = " or ".join(_NAMES[json_type] for json_type in self.by_type)
            report(path, "format.type", f"expected {expected}, found {name_of(value)}")
        elif not isinstance(kind, type):
            kind(value, path, report)


def closest(word: str, words: Sequence[str] | Mapping[str, object]) -> str | None:
    """The word most similar to `word`, or None. Never raises, bounded in time."""
    if not 2 <= len(word) <= 64:
        return None
    lowered = word.lower().replace("_", "").replace("-", "")
    best, best_distance = None, 1 + max(1, len(word) // 4)
    for candidate in words:
        folded = candidate.lower().replace("_", "").replace("-", "")
        if abs(len(folded) - len(lowered)) < best_distance:
            distance = _distance(lowered, folded, best_distance)
            if distance < best_distance:
                best, best_distance = candidate, distance
    return best


def _distance(left: str, right: str, limit: int) -> int:
    """Edit distance with transpositions (as typed by people), cut off at `limit`."""
    before: list[int] = []
    previous = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        current = [i]
        for j, b in enumerate(right, 1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) >= limit:
            return limit
        before, previous = previous, current
    return previous[-1]
