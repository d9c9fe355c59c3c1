"""Detect whether a person or an agent reads the output; one call that serves both (CMP 0.2.0 §6).

Agent mode is chosen by an explicit flag, by `CMP_AGENT`/`AGENT`, or by a variable that a well-known
agent sets for the programs it runs. Output that is piped is no sign by itself – `tool | less` is a
person (C17) – unless the author asks for that rule by handing in `stdout`.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn, TextIO

EXPLICIT = "CMP_AGENT"
"""Decides alone when it is set: `CMP_AGENT=0` is a person inside an agent's terminal."""

VARIABLES = (
    *("AGENT", "AI_AGENT"),
    *("CLAUDECODE", "CLAUDE_CODE", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE", "AUGMENT_AGENT"),
    *("CLINE_ACTIVE", "GOOSE_TERMINAL", "QWEN_CODE", "AIDER"),
)
PREFIXES = ("CODEX_SANDBOX", "CODEX_THREAD", "CODEX_CI")
"""Beginnings of variables that an agent sets for what it starts. Those that a person sets to configure
an agent (`CODEX_HOME`, `AIDER_MODEL`) are not among them, nor those of an editor's own terminal
(`CURSOR_TRACE_ID`), in which people type too."""

FLAGS = ("--agent", "--json")
_NO = frozenset(["", "0", "false", "no", "off"])
_ESCAPE = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])"
"""Terminal escape sequences. Compiled on use: `re` costs more to load than the whole SDK."""


def is_agent(
    env: Mapping[str, str] | None = None,
    stdout: TextIO | None = None,
    *,
    argv: Sequence[str] | None = None,
) -> bool:
    """Whether the reader is an agent.

    Args:
        env: variables; the process's own by default.
        stdout: also count output that is not a terminal as an agent, judged by this stream.
        argv: words of the command line, where `--agent` and `--json` count; the process's own
            by default.
    """
    env = os.environ if env is None else env
    words = list(sys.argv[1:] if argv is None else argv)
    if "--" in words:
        words = words[: words.index("--")]
    if any(flag in words for flag in FLAGS):
        return True
    if EXPLICIT in env:
        return env[EXPLICIT].strip().lower() not in _NO
    if any(env.get(name, "").strip().lower() not in _NO for name in VARIABLES):
        return True
    if any(name.startswith(PREFIXES) and env[name] for name in env):
        return True
    return stdout is not None and not stdout.isatty()


def facet(
    *, human: Any, agent: Any, out: TextIO | None = None, for_agent: bool | None = None
) -> None:
    """Print one result in the form that fits the reader.

    `human` is text or anything printable, `agent` any JSON value; either may be a function without
    arguments, called only when its form is wanted. A human function may print by itself and return
    None. What an agent gets is one line of JSON without escape sequences.
    """
    out = sys.stdout if out is None else out
    use_agent = is_agent() if for_agent is None else for_agent
    view = agent if use_agent else human
    value = view() if callable(view) else view
    if use_agent:
        print(_json(value), file=out)
    elif value is not None:
        print(value, file=out)


def fail(
    code: str, message: str, *, hint: str = "", exit_code: int = 1, for_agent: bool | None = None
) -> NoReturn:
    """End the program with an error: `{"error": {…}}` on stdout for agents, text on stderr for people.

    `code` is a stable slug such as `config.missing` that an agent can act on.
    """
    if is_agent() if for_agent is None else for_agent:
        print(_json({"error": {"code": code, "message": message, "hint": hint}}))
    else:
        print(f"error: {message}" + (f"\nhint: {hint}" if hint else ""), file=sys.stderr)
    raise SystemExit(exit_code)


def plain(value: Any) -> Any:
    """The same JSON value without terminal escape sequences in its texts."""
    if isinstance(value, str):
        if "\x1b" not in value:
            return value
        import re

        return re.sub(_ESCAPE, "", value).replace("\x1b", "")
    if isinstance(value, dict):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return value


def _json(value: Any) -> str:
    import json

    return json.dumps(plain(value), separators=(",", ":"), default=str)
