"""Placeholders: what the words in usage lines stand for – flags, a command, its arguments."""

from __future__ import annotations

import re

_LETTERS = re.compile(r"[^a-z]+")
_OPTION_WORDS = frozenset(
    (
        "option", "options", "opt", "opts", "flag", "flags", "switches", "longoptions", "globaloptions",
        "globalflags",
    )
)  # fmt: skip
_COMMAND_WORDS = frozenset(
    (
        "command", "commands", "cmd", "cmds", "subcommand", "subcommands", "subcmd", "verb", "commandname",
        "action",
    )
)  # fmt: skip
_ARGS_WORDS = frozenset(
    ("arg", "args", "argument", "arguments", "commandargs", "cmdargs", "params", "parameters")
)


def letters(name: str) -> str:
    """`<log-options>` → `logoptions`: how placeholders are compared."""
    return _LETTERS.sub("", name.lower())


def is_options_word(key: str) -> bool:
    """`OPTIONS`, `<log-options>`, `[flags]`: stands for flags, not for a positional."""
    return key in _OPTION_WORDS or key.endswith(("options", "option", "flags", "opts", "switches"))


def is_command_word(key: str) -> bool:
    """`COMMAND`, `<subcommand>`."""
    return key in _COMMAND_WORDS


def is_args_word(key: str) -> bool:
    """`ARGS` after a command: what is handed on to it."""
    return key in _ARGS_WORDS
