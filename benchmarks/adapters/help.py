"""helpbench adapter: one JSON object per line in, one per line out (see helpbench/README.md)."""

from __future__ import annotations

import json
import sys

from atip import infer_help


def answer(item: dict[str, object]) -> dict[str, object]:
    """What `infer_help` recovers from one help text, in the scorer's shape."""
    command = infer_help(
        str(item["help_text"]), tool=str(item["tool"]), path=tuple(map(str, item["path"]))
    )
    return {
        "subcommands": list(command.commands or {}),
        "options": [
            {
                "flags": list(option.flags),
                "takes_value": option.takes_value,
                "choices": list(option.enum) if option.enum else None,
            }
            for option in command.options or ()
        ],
        "arguments": [
            {
                "name": argument.name,
                "required": argument.is_required,
                "variadic": bool(argument.variadic),
            }
            for argument in command.arguments or ()
        ],
    }


def main() -> None:
    """Answers every line of stdin."""
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(answer(json.loads(line))))


if __name__ == "__main__":
    main()
