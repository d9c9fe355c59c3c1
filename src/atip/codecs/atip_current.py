"""ATIP 0.6: the model's own format. Lossless both ways."""

from __future__ import annotations

from atip.codecs.interface import Decoded, Encoded
from atip.model import decode as model_decode
from atip.model import encode as model_encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.tool import Tool


def decode(data: bytes | dict[str, Any], *, origin: str = "") -> Decoded:
    """Any ATIP version → Tool (lenient)."""
    decoded = model_decode.decode(data)
    return Decoded(tool=decoded.tool, problems=decoded.problems)


def encode(tool: Tool) -> Encoded:
    """Tool → 0.6 document. A tool read from 0.1 is lifted to 0.6."""
    if tool.protocol.version != "0.6":
        tool = tool.replace(protocol=tool.protocol.replace(version="0.6"))
    return Encoded(data=model_encode.encode(tool))
