"""OpenAI function calling: tools of Chat Completions; `providers.tools` has the Responses shape and strict mode.

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
    """Encode a tool as a list of function tools, one per command. Losses are parameters sent as text."""
    compiled = compile_tools([tool], "openai")
    return Encoded(data=compiled.declarations, losses=provider_losses(tool, compiled.losses))
