"""ATIP 0.6: the model's own format. Lossless both ways for what the text allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.interface import Decoded, Encoded, Loss
from atip.model.reading import decode as model_decode
from atip.model.reading import encode as model_encode
from atip.model.shapes.metadata import TRUST_SOURCES

if TYPE_CHECKING:
    from atip.model.tool import Tool


def decode(data: bytes | dict[str, Any], *, origin: str = "") -> Decoded:
    """Decode metadata of any ATIP version (lenient)."""
    decoded = model_decode.decode(data)
    return Decoded(tool=decoded.tool, problems=decoded.problems)


def encode(tool: Tool) -> Encoded:
    """Encode a tool as a 0.6 document. A tool read from 0.1 is upgraded to 0.6."""
    if tool.protocol.version != "0.6":
        tool = tool.replace(protocol=tool.protocol.replace(version="0.6"))
    if tool.trust is not None and tool.trust.source not in (None, *TRUST_SOURCES):
        # read from another format: §3.2.2 does not list that source, and none of the listed ones vouches
        tool = tool.replace(trust=tool.trust.replace(source="inferred"))
    losses: tuple[Loss, ...] = ()
    if tool.binary is not None and tool.binary.hash is None and not tool.binary.extra:
        # §4.5: a binary is named by its hash; another format may know only what it is called
        losses = (
            Loss(path="$.binary", message="ATIP identifies a binary by its hash, which is unknown"),
        )
        tool = tool.replace(binary=None)
    return Encoded(data=model_encode.encode(tool), losses=losses)
