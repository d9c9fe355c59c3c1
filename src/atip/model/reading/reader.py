"""The strict reader: every external document is read here first.

Bytes → UTF-8 → size → syntax → depth, counts, numbers, duplicates, surrogates. Python's own `json`
accepts `NaN`, keeps the last of two equal keys, guesses UTF-16, and lets `1e999` become infinity;
each of these can turn `"destructive": true` into something else. Raises only FormatError.
It does not check meaning: that is `model/shapes/check.py`. YAML has its own file with the same rules.
"""

from __future__ import annotations

from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.reading import plain_json
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Parts = tuple[str | int, ...]

_FAST_BYTES = 640 * 1024
"""From here on loading `msgspec` pays for itself; below, the standard library is quicker."""
_SCALARS = frozenset({str, int, float, bool, type(None)})


class ReadLimits(Value):
    """Size limits of a document. The defaults are for metadata; our own stores use larger ones."""

    max_bytes: int = 1_900_000
    max_depth: int = 64
    max_keys: int = 10_000
    """Keys of one object."""
    max_items: int = 500_000
    """Values in the whole document."""


DOCUMENT = ReadLimits()
STORE = ReadLimits(max_bytes=256_000_000, max_keys=2_000_000, max_items=50_000_000)
"""For large files whose size another rule bounds: our own indexes, API descriptions."""


def fail(code: str, message: str, *, path: str = "$", hint: str = "") -> FormatError:
    """A FormatError that carries one problem."""
    problem = Problem(path=path, code=code, message=message, hint=hint)
    return FormatError(
        code, f"{message} (at {path})" if path != "$" else message, problems=[problem], hint=hint
    )


def read_text(data: bytes, limits: ReadLimits = DOCUMENT) -> str:
    """Bytes → text: bounded, UTF-8, no byte order mark.

    Raises:
        FormatError: `format.too-large`, `format.bom`, `format.not-utf8`.
    """
    if len(data) > limits.max_bytes:
        raise fail(
            "format.too-large",
            f"document has {len(data):,} bytes, the limit is {limits.max_bytes:,}",
        )
    if data[:3] == b"\xef\xbb\xbf":
        raise fail(
            "format.bom",
            "document begins with a byte order mark",
            hint="save it as UTF-8 without BOM",
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise fail(
            "format.not-utf8", f"not UTF-8 at byte {error.start}", hint="save it as UTF-8"
        ) from error


def read_json(
    data: bytes, limits: ReadLimits = DOCUMENT, *, fast_bytes: int = _FAST_BYTES
) -> object:
    """Bytes → plain values, or a FormatError that says what is wrong and where.

    Args:
        fast_bytes: from which size on `msgspec` is tried first; 0 for programs that have loaded it anyway.
    """
    if fast_bytes <= len(data) <= limits.max_bytes:
        value = _read_quickly(data)
        if value is not _UNDECIDED:
            if not _is_surely_bounded(data, limits):
                bound(value, limits)
            return value
    text = read_text(data, limits)
    try:
        value = plain_json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except _Refused as refused:
        raise _locate(text, refused.code, refused.message) from refused
    except RecursionError as error:
        raise _too_deep(limits) from error
    except ValueError as error:
        raise _syntax(error) from error
    bound(value, limits)
    if "\\ud" in text or "\\uD" in text:
        refuse_surrogates(value)
    return value


def bound(value: object, limits: ReadLimits) -> None:
    """Depth, keys and total count, level by level, without recursion.

    Raises:
        FormatError: `format.too-deep`, `format.too-many`.
    """
    level: list[Any] = [value] if isinstance(value, (dict, list)) else []
    depth = items = 0
    while level:
        depth += 1
        if depth > limits.max_depth:
            raise _too_deep(limits)
        if max(map(len, level)) > limits.max_keys:
            _refuse_wide(level, limits)
        below: list[Any] = []
        for node in level:
            is_object = isinstance(node, dict)
            items += len(node) * 2 if is_object else len(node)  # keys count as well
            for child in node.values() if is_object else node:
                # most are scalars: checking the class first is the quickest test
                if child.__class__ not in _SCALARS and isinstance(child, (dict, list)):
                    below.append(child)
        if items > limits.max_items * 2:
            raise fail("format.too-many", f"more than {limits.max_items:,} values")
        level = below


def _refuse_wide(level: list[Any], limits: ReadLimits) -> None:
    for node in level:
        if isinstance(node, dict) and len(node) > limits.max_keys:
            raise fail(
                "format.too-many",
                f"an object has {len(node):,} keys, the limit is {limits.max_keys:,}",
            )
        if len(node) > limits.max_items:
            raise fail("format.too-many", f"more than {limits.max_items:,} values")


def refuse_surrogates(value: object) -> None:
    """Lone surrogates cannot be written as UTF-8 and make two readers disagree.

    Raises:
        FormatError: `format.surrogate` with the path of the first one.
    """
    for path, text in _strings(value):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise fail(
                "format.surrogate", "lone surrogate in a string", path=render_path(path)
            ) from error


def _strings(value: object) -> Iterator[tuple[Parts, str]]:
    stack: list[tuple[Parts, object]] = [((), value)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, str):
            yield path, node
        elif isinstance(node, dict):
            for key, child in node.items():
                yield (*path, key.encode("utf-8", "replace").decode()), key
                stack.append(((*path, key), child))
        elif isinstance(node, list):
            stack.extend(((*path, index), child) for index, child in enumerate(node))


class _Refused(Exception):
    """Raised inside the decoder; the place is found by a second, slower pass."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        # SECURITY: of two `destructive` keys the last would win silently.
        raise _Refused("format.duplicate-key", "the same key appears twice")
    return unique


def _integer(digits: str) -> int:
    if len(digits) > 20:  # 2 ** 64 - 1 has 20; longer ones are not even converted
        raise _Refused("format.number-range", "an integer does not fit in 64 bits")
    value = int(digits)
    if not -(2**63) <= value < 2**64:
        raise _Refused("format.number-range", "an integer does not fit in 64 bits")
    return value


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _Refused("format.number-range", "a number is too large")
    return value


def _constant(name: str) -> object:
    raise _Refused("format.not-finite", f"`{name}` is not JSON")


def _syntax(error: ValueError) -> FormatError:
    import json

    where = ""
    if isinstance(error, json.JSONDecodeError):
        where = f" at line {error.lineno}, column {error.colno}"
    message = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return fail("format.syntax", f"not JSON: {message[:1].lower()}{message[1:]}{where}")


def _too_deep(limits: ReadLimits) -> FormatError:
    return fail("format.too-deep", f"nested deeper than {limits.max_depth} levels")


class _Pairs(list):  # type: ignore[type-arg]
    """An object as a list of pairs, so that duplicates stay visible to `_located`."""


class _OddValue(str):
    """Placeholder for a value that the reader refuses; contains the code."""

    __slots__ = ()


def _locate(text: str, code: str, message: str) -> FormatError:
    """The same refusal with its path: parse once more, keeping everything, and look for it."""

    def marked(read: type) -> object:
        def hook(digits: str) -> object:
            try:
                return (_integer if read is int else _float)(digits)
            except _Refused as refused:
                return _OddValue(refused.code)

        return hook

    try:
        tree = plain_json.loads(
            text,
            object_pairs_hook=_Pairs,
            parse_int=marked(int),
            parse_float=marked(float),
            parse_constant=lambda name: _OddValue("format.not-finite"),
        )
    except (ValueError, RecursionError):
        return fail(code, message)  # something worse stands behind it; the first refusal is enough
    stack: list[tuple[Parts, object]] = [((), tree)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, _Pairs):
            seen: set[str] = set()
            for key, child in node:
                if key in seen and code == "format.duplicate-key":
                    return fail(
                        code, f"key `{key[:80]}` appears twice", path=render_path((*path, key))
                    )
                seen.add(key)
                stack.append(((*path, key), child))
        elif isinstance(node, list):
            stack.extend(((*path, index), child) for index, child in enumerate(node))
        elif isinstance(node, _OddValue) and node == code:
            return fail(code, message, path=render_path(path))
    return fail(code, message)


_UNDECIDED = object()
_KEY_BYTES = 6
"""The least that a key and its value need: `"":0,`."""
_DIGITS = bytes(48 if 48 <= byte < 58 else 32 for byte in range(256))
_LONG_NUMBER = b"0" * 19


def _read_quickly(data: bytes) -> object:
    """A document through `msgspec`, when that provably gives the same answer.

    If writing the decoded value again yields the document's own tokens, then nothing was lost:
    no duplicate key, no odd number, no escape. Otherwise the caller reads the slow way, as it does
    where an integer of a small document might not fit in 64 bits: `msgspec` reads those of any length. Large documents
    are those of others (OpenAPI), who write limits such as 18446744073709552000.
    """
    import msgspec

    if len(data) < _FAST_BYTES and _LONG_NUMBER in data.translate(_DIGITS):
        return _UNDECIDED
    try:
        value = msgspec.json.decode(data)
        if msgspec.json.encode(value) == msgspec.json.format(data, indent=-1):
            return value
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _UNDECIDED
    return _UNDECIDED


def _is_surely_bounded(data: bytes, limits: ReadLimits) -> bool:
    """Whether a valid document is within the limits by its size and indentation alone; False: `bound` decides."""
    import msgspec

    if len(data) > min(limits.max_keys * _KEY_BYTES, limits.max_items):
        return False
    # a container that is too deep stands on a line of its own; strings hold no line breaks
    return b"\n" + b" " * limits.max_depth not in msgspec.json.format(data, indent=1)
