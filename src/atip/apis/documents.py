"""API documents as plain values: JSON or YAML, bounded, detected by their first character.

Large public documents exceed the limits of tool metadata (GitHub's is 12 MB), so they have their own; the strictness of
the readers is the same, but for duplicate keys of JSON, which public documents contain.
"""

from __future__ import annotations

from typing import Any

from atip.errors import FormatError
from atip.model.reading.reader import STORE, read_json

LIMITS = STORE.replace(max_bytes=64_000_000, max_depth=200)


def read_document(data: bytes) -> Any:
    """The values of a JSON or YAML document.

    Raises:
        FormatError: `format.too-large`, `format.syntax` and the other findings of the readers.
    """
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _json(data.removeprefix(b"\xef\xbb\xbf"))
    from atip.model.reading.yaml_reader import read_yaml

    return read_yaml(data, LIMITS)


def _json(data: bytes) -> Any:
    try:
        return read_json(data, LIMITS)
    except FormatError as error:
        if error.code != "format.duplicate-key":
            raise
    import json

    return json.loads(data)
