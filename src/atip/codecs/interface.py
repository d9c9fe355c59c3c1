"""The interface of a codec, and the table of formats.

A codec file has `decode(data, *, origin) -> Decoded` and `encode(tool) -> Encoded`, and nothing else
public; a one-way format leaves one out. Only `atip` is lossless; every other lists each loss.
"""

from __future__ import annotations

import importlib

from atip.errors import NotFoundError, UsageError
from atip.model.shapes.shape import closest
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.problems import Problem
    from atip.model.tool import Tool

FORMATS: dict[str, tuple[str, str]] = {
    # name: (module in this package, one line)
    "atip": ("atip_current", "ATIP 0.6 metadata"),
    "atip-0.1": ("atip_legacy", "ATIP 0.1 metadata"),
    "openai": ("openai", "OpenAI function calling (one way)"),
    "anthropic": ("anthropic", "Anthropic tool use (one way)"),
    "gemini": ("gemini", "Gemini function declarations (one way)"),
    "cmp": ("cmp.codec", "CMP 0.2.0 manifest, capability and examples"),
    "climd": ("climd.codec", "AIP-29 CLI.md bundle, texts by path"),
    "atm": ("apis.atm", "ATM 1.0.0-draft manifest with tool definitions"),
    "skill": ("skill", "SKILL.md for coding agents (one way)"),
    "mcp": ("mcp_tools", "MCP tool objects (one way)"),
    "usage": ("command_line.usage", "usage spec of jdx/usage, KDL"),
    "fig": ("command_line.fig", "Fig completion spec, JSON"),
    "opencli": ("command_line.opencli", "OpenCLI 0.1 document"),
    "man": ("command_line.man", "manual page, roff"),
    "completion-bash": ("command_line.completion_bash", "completion script for bash"),
    "completion-zsh": ("command_line.completion_zsh", "completion script for zsh"),
    "completion-fish": ("command_line.completion_fish", "completion script for fish"),
}


class Loss(Value):
    """A field that the target format cannot express."""

    path: str
    message: str

    def to_json(self) -> dict[str, object]:
        return {"path": self.path, "message": self.message}


class Decoded(Value):
    """A tool read from some format. `losses` is what the model could not hold."""

    tool: Tool
    losses: tuple[Loss, ...] = ()
    problems: tuple[Problem, ...] = ()


class Encoded(Value):
    """A document in some format: JSON-ready values, or text for formats that are text."""

    data: Any
    losses: tuple[Loss, ...] = ()


def codec(name: str) -> Any:
    """The codec module for a format.

    Raises:
        NotFoundError: `convert.unknown-format`.
    """
    entry = FORMATS.get(name)
    if entry is None:
        close = closest(name, FORMATS)
        hint = f"did you mean `{close}`?" if close else "formats: " + ", ".join(FORMATS)
        raise NotFoundError("convert.unknown-format", f"unknown format `{name}`", hint=hint)
    return importlib.import_module(f"atip.codecs.{entry[0]}")


def encoder(name: str) -> Any:
    """The codec's `encode`.

    Raises:
        UsageError: `convert.one-way` when the format can only be read.
    """
    module = codec(name)
    if not hasattr(module, "encode"):
        raise UsageError("convert.one-way", f"`{name}` can be read but not written")
    return module.encode


def decoder(name: str) -> Any:
    """The codec's `decode`; see `encoder`."""
    module = codec(name)
    if not hasattr(module, "decode"):
        raise UsageError("convert.one-way", f"`{name}` can be written but not read")
    return module.decode
