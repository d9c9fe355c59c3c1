"""Sandbox request of a tool: the `sandbox:` block and the variables of its description.

In curated knowledge the block is a statement of ours (docs/formats/knowledge.md); in any other document
(`x-atip.sandbox`) it is a claim, and policy grants part of it or nothing. Pure.
"""

from __future__ import annotations

from atip.knowledge.reading import CURATED
from atip.policy.confinement.confine import SandboxRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.tool import Authentication, Tool
    from atip.policy.command_context import CommandContext


def request_of(subjects: Sequence[CommandContext]) -> SandboxRequest | None:
    """The request of a call; None if it is unknown, or if several programs would run.

    Raises:
        FormatError: `sandbox.block`; the block is invalid; nothing is guessed.
    """
    if len(subjects) != 1 or subjects[0].metadata is None:
        return None
    return request_of_tool(subjects[0].metadata)


def request_of_tool(tool: Tool) -> SandboxRequest | None:
    """The request of a tool."""
    block = tool.own.get("sandbox")
    if block is None:
        return None
    from atip.model.permissions.sandbox_block import read_sandbox

    request = read_sandbox(block)
    names = (*request.env_pass, *_variables(tool.authentication))
    return SandboxRequest(
        confinement=request.replace(env_pass=tuple(dict.fromkeys(names))),
        curated=tool.own.get("curated") is CURATED,
    )


def _variables(authentication: Authentication | None) -> tuple[str, ...]:
    methods = (authentication.methods if authentication else None) or ()
    return tuple(method.env_var for method in methods if method.env_var)
