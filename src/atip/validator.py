"""Validators and filters of Appendix A, for callers who bring their own execution.

    judge = create_validator(tools, {"allowDestructive": False})
    problems = judge(call)

Implements ATIP 0.6 §11.2, §11.3, Appendix A.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.model.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from atip.model.effects import Effects
    from atip.model.tool import Tool
    from atip.session import ToolCall


class Validator:
    """Judges calls before anything runs (§11.2): offered, well-formed, allowed. Made by `create_validator`.

    Unknown effects count as the forbidden value. Room `policy` decides real runs; this is the plain form
    that Appendix A describes, for callers who bring their own execution.
    """

    KEYS = (
        "allowDestructive",
        "allowBillable",
        "allowNetwork",
        "allowedTools",
        "deniedCommands",
        "effectRestrictions",
    )

    def __init__(self, tools: Iterable[Tool], policy: Mapping[str, Any]) -> None:
        unknown = [key for key in policy if key not in self.KEYS]
        if unknown:
            # SECURITY: a misspelt restriction must not read as "nothing is restricted".
            raise FormatError(
                "policy.unknown-key", f"no policy key `{unknown[0]}`", hint=", ".join(self.KEYS)
            )
        self.offered = {tool.name for tool in tools}
        self.policy = policy

    def __call__(self, call: ToolCall) -> list[Problem]:
        """Problems of a call; empty when it may go on to confirmation and execution."""
        if call.problems or call.function is None:
            return list(call.problems)
        problems: list[Problem] = []
        tool, line = call.function.tool.name, call.function.line
        allowed = self.policy.get("allowedTools")
        if tool not in self.offered or (allowed is not None and tool not in allowed):
            problems.append(_refusal("policy.tool-not-allowed", f"`{tool}` is not allowed"))
        for denied in self.policy.get("deniedCommands", ()):
            if line == denied or line.startswith(denied + " "):
                problems.append(_refusal("policy.command-denied", f"`{denied}` is denied"))
        return problems + self._effects(call.effects)

    def _effects(self, effects: Effects) -> list[Problem]:
        facts = {
            "destructive": effects.destructive,
            "billable": effects.cost.billable,
            "network": effects.network,
        }
        restricted = dict(self.policy.get("effectRestrictions", {}))
        for fact, key in (("destructive", "allowDestructive"), ("billable", "allowBillable"), ("network", "allowNetwork")):  # fmt: skip
            default = fact == "network"
            if not self.policy.get(key, default):
                restricted[fact] = False
        words = {True: "it is", None: "no facts are known"}
        return [
            _refusal("policy.needs-confirmation", f"{fact}: {words[facts.get(fact)]}")
            for fact, required in restricted.items()
            if required is False and facts.get(fact) is not False
        ]


def _refusal(code: str, message: str) -> Problem:
    return Problem(path="$", code=code, message=message)


def create_validator(tools: Iterable[Tool], policy: Mapping[str, Any]) -> Validator:
    """A validator of calls from tools and a policy (keys: `Validator.KEYS`)."""
    return Validator(tools, policy)


def create_result_filter(
    tools: Iterable[Tool],
    *,
    redact: Callable[[str], str] | None = None,
    max_characters: int = 30_000,
) -> Callable[[str], str]:
    """A filter of results (§11.3): secrets and invisible characters out, bounded with a mark.

    Args:
        redact: takes secrets out; None: what every run is redacted by.
    """
    from atip.codecs.providers.safety import clean_text
    from atip.execution.redaction.redact import redact_text

    def filtered(result: str) -> str:
        text = redact(result) if redact is not None else redact_text(result)
        text = clean_text(text)
        return text if len(text) <= max_characters else text[:max_characters] + "\n[truncated]"

    return filtered
