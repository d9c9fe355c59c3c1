"""JSON by the C scanner and writer of the standard library alone, for programs that start often.

`import json` brings `re`, `enum` and `functools` along, which costs more than half of starting the interpreter; the work
itself is done by `_json`. What these two functions cannot do directly is left to `json`, so that errors have
one source: results are the same, and a test compares them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPACE = " \t\n\r"


def loads(text: str, **hooks: Any) -> Any:
    """`json.loads(text, …)` for text and the hooks that the scanner knows.

    Raises:
        ValueError: as `json.loads` does, with the same words.
    """
    try:
        from _json import make_scanner
    except ImportError:
        return _slowly(text, hooks)
    try:
        start = len(text) - len(text.lstrip(_SPACE))
        hooked: Any = _Hooks(hooks)
        value, end = make_scanner(hooked)(text, start)
    except (ValueError, StopIteration, SystemError):
        # SystemError: the scanner looks for `json.decoder` to make its error, and it is not imported
        return _slowly(text, hooks)  # for the error, or for what only looked like one
    return value if not text[end:].strip(_SPACE) else _slowly(text, hooks)


def _slowly(text: str, hooks: dict[str, Any]) -> Any:
    import json

    return json.loads(text, **hooks)


class _Hooks:
    """The decoder attributes that the scanner reads."""

    strict = True

    def __init__(self, hooks: dict[str, Any]) -> None:
        self.object_hook = hooks.get("object_hook")
        self.object_pairs_hook = hooks.get("object_pairs_hook")
        self.parse_float = hooks.get("parse_float") or float
        self.parse_int = hooks.get("parse_int") or int
        self.parse_constant = hooks.get("parse_constant") or _constant


def _constant(name: str) -> float:
    return float(name.replace("Infinity", "inf"))


def dumps(
    value: object, *, allow_nan: bool = True, ensure_ascii: bool = False, compact: bool = False
) -> str:
    """`json.dumps(value, ensure_ascii=…, allow_nan=…)`; `compact` puts no spaces between.

    Raises:
        TypeError, ValueError: as `json.dumps` does.
    """
    marks = (":", ",") if compact else (": ", ", ")
    try:
        from _json import encode_basestring, encode_basestring_ascii, make_encoder

        text = encode_basestring_ascii if ensure_ascii else encode_basestring
        write = make_encoder({}, _refuse, text, None, *marks, False, False, allow_nan)
    except (ImportError, TypeError):
        import json

        return json.dumps(
            value, ensure_ascii=ensure_ascii, allow_nan=allow_nan, separators=(marks[1], marks[0])
        )
    return "".join(write(value, 0))


def _refuse(value: object) -> object:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
