"""Programs in a small language (sed, awk, SQL) that an invocation of a curated tool holds, read by the readers of `languages`."""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.knowledge.reading import CURATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.calls.invocation import Invocation
    from atip.calls.languages import ScriptEffects
    from atip.model.tool import Tool

_PROGRAM_FLAGS = {
    "sed": ("-e", "--expression"),
    "awk": ("-e", "--source"),
    "literals": ("-c", "-s", "-e", "--expression", "--execute", "--command", "-cmd"),
}
_PROGRAM_FILES = {"sed": ("-f", "--file"), "awk": ("-f", "--file", "-E", "--exec")}
"""With one of these options, no operand is a program."""


def programs_of(tool: Tool, call: Invocation) -> list[ScriptEffects]:
    """Read the programs in a small language among the arguments of a curated tool."""
    language = tool.own.get("language")
    if not isinstance(language, str) or tool.own.get("curated") is not CURATED:
        return []
    from atip.calls.languages import read_program

    texts = [value for value in call.values_of(_PROGRAM_FLAGS.get(language, ())) if value]
    if texts and language == "sed":
        texts = ["\n".join(texts)]
    if language == "literals":
        texts += [text for text in call.arguments if UNKNOWN_TEXT not in text]
    elif not texts and call.arguments and not call.given(_PROGRAM_FILES[language]):
        texts = [call.arguments[0]]
    return [read_program(language, text) for text in texts]
