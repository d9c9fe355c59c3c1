"""MCP tool objects with annotations from effects. The server is in `server`.

One way: a list of functions does not carry effects, trust or patterns, so it cannot be read back into a tool.
Implements ATIP 0.6 §8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.codecs.interface import Encoded
from atip.codecs.providers.losses import provider_losses
from atip.codecs.providers.tools import compile_tools

if TYPE_CHECKING:
    from atip.model.tool import Tool


def encode(tool: Tool) -> Encoded:
    """Encode a tool as a list of MCP tool objects, one per command."""
    compiled = compile_tools([tool], "mcp")
    return Encoded(data=compiled.declarations, losses=provider_losses(tool, compiled.losses))
