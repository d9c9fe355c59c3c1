"""Gemini function calling: function declarations, to be wrapped in one `function_declarations` (§7.2).

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
    """Encode a tool as a list of function declarations, one per command."""
    compiled = compile_tools([tool], "gemini")
    return Encoded(data=compiled.declarations, losses=provider_losses(tool, compiled.losses))
