"""Plain command lines without `argparse`, whose import alone costs as much as starting Python.

A verb declares its options by calling `add_argument`; `QuickParser` records the simple kinds and reads command
lines that use them in the simplest way. Everything else – help, errors, groups, abbreviations, `--` – is left to
the real parser (`NeedsFullParser`), which is the only authority: a test compares the two.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

REMAINDER = "..."
"""Like `argparse.REMAINDER`, without importing it: all words after the other positionals, unchanged."""
_KNOWN = frozenset(("action", "default", "type", "choices", "metavar", "help", "nargs", "dest"))


class NeedsFullParser(Exception):
    """This command line needs the real parser."""


class Options:
    """Parsed options, as attributes."""


class QuickParser:
    """Takes the place of a parser while a verb declares its options."""

    def __init__(self) -> None:
        self._options: dict[str, tuple[str, dict[str, Any]]] = {}
        self._positionals: list[tuple[str, dict[str, Any]]] = []
        self._defaults: dict[str, Any] = {}

    def __getattr__(self, name: str) -> NoReturn:
        raise NeedsFullParser(name)

    def add_argument(self, *names: str, **spec: Any) -> None:
        """Record one option or positional."""
        if not spec.keys() <= _KNOWN or ("type" in spec and isinstance(spec.get("default"), str)):
            raise NeedsFullParser(names)
        if not names[0].startswith("-"):
            if spec.get("nargs") not in (None, "?", "*", "+", REMAINDER) or "action" in spec:
                raise NeedsFullParser(names)
            self._positionals.append((names[0], spec))
            return
        if spec.get("action", "store") not in ("store", "store_true", "append") or "nargs" in spec:
            raise NeedsFullParser(names)
        long = next((name for name in names if name.startswith("--")), names[0])
        place = spec.get("dest") or long.lstrip("-").replace("-", "_")
        is_flag = spec.get("action") == "store_true"
        self._defaults[place] = False if is_flag else spec.get("default")
        for name in names:
            self._options[name] = (place, spec)

    def parse(self, words: Sequence[str]) -> Options:
        """Parse a simple command line.

        Raises:
            NeedsFullParser: it is not simple, or it is wrong.
        """
        options = Options()
        options.__dict__.update(self._defaults)
        values: list[str] = []
        groups = 0
        index = 0
        before = ""
        while index < len(words):
            word = words[index]
            index += 1
            if word == "-" or not word.startswith("-"):
                if self._takes_rest():
                    values, index = _rest(words[index - 1 :]), len(words)
                    groups = 1
                    break
                groups += before != "value"
                values.append(word)
                before = "value"
                continue
            before = "option"
            name, joined, value = word.partition("=")
            if name not in self._options:
                raise NeedsFullParser(word)
            place, spec = self._options[name]
            if spec.get("action") == "store_true":
                if joined:
                    raise NeedsFullParser(word)
                setattr(options, place, True)
                continue
            if not joined:
                if index == len(words) or words[index].startswith("-"):
                    raise NeedsFullParser(word)
                value = words[index]
                index += 1
            elif not name.startswith("--"):
                raise NeedsFullParser(word)
            converted = _convert(value, spec)
            if spec.get("action") == "append":
                converted = [*(getattr(options, place) or ()), converted]
            setattr(options, place, converted)
        if groups > 1 and len(self._positionals) > 0:
            raise NeedsFullParser("values in several places")
        self._place(options, values)
        return options

    def _takes_rest(self) -> bool:
        """Whether all words after the first value are passed on unchanged: one positional, then a remainder."""
        counts = [spec.get("nargs") for _, spec in self._positionals]
        if REMAINDER in counts and counts != [None, REMAINDER]:
            raise NeedsFullParser("a remainder after something else")
        return counts == [None, REMAINDER]

    def _place(self, options: Options, values: list[str]) -> None:
        """Assign the values: one each, then the last positional takes as many as `nargs` allows."""
        for position, (place, spec) in enumerate(self._positionals):
            many = spec.get("nargs")
            if many is not None and position != len(self._positionals) - 1:
                raise NeedsFullParser(place)
            if many in ("*", "+", REMAINDER):
                if many == "+" and not values:
                    raise NeedsFullParser(place)
                items: Any = [_convert(value, spec) for value in values]
                setattr(options, place, items or spec.get("default") or [])
                return
            if not values:
                if many is None:
                    raise NeedsFullParser(place)
                setattr(options, place, spec.get("default"))
                continue
            setattr(options, place, _convert(values.pop(0), spec))
        if values:
            raise NeedsFullParser("too many values")


def _rest(words: Sequence[str]) -> list[str]:
    if "--" in words:  # which of them the parser removes is its own matter
        raise NeedsFullParser("--")
    return list(words)


def _convert(value: str, spec: dict[str, Any]) -> Any:
    try:
        converted = spec["type"](value) if "type" in spec else value
    except (TypeError, ValueError) as error:
        raise NeedsFullParser(value) from error
    if "choices" in spec and converted not in spec["choices"]:
        raise NeedsFullParser(value)
    return converted


# Numbers that an option takes: what cannot be meant is refused where it is typed. Here, because every call loads this module.
def natural(text: str) -> int:
    """0 or more."""
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


def positive(text: str) -> int:
    """1 or more."""
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def seconds(text: str) -> float:
    """More than 0, and finite."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError(text)
    return value


def port(text: str) -> int:
    """A TCP port; 0 takes a free one."""
    value = int(text)
    if not 0 <= value <= 65535:
        raise ValueError(text)
    return value


def folder(text: str) -> str:
    """A folder that exists."""
    import os

    if not os.path.isdir(text):
        raise ValueError(text)
    return text


# what is said of a wrong one: "`-3` is not a number (1 or more)"
port.__name__ = "port (0 to 65535)"
natural.__name__ = "number (0 or more)"
positive.__name__ = "number (1 or more)"
seconds.__name__ = "number of seconds (above 0)"
