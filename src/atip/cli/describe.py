"""`atip --agent`: our own metadata, from the same parsers that read the command line.

Supports `--commands` and `--depth` (§3.1.1). Validated by our own strict validator in a test.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

READS = {
    "filesystem": {"read": True, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "idempotent": True,
    "reversible": True,
    "destructive": False,
    "interactive": {"stdin": "none", "prompts": False, "tty": False},
    "cost": {"billable": False},
}
"""Effects of a read-only verb; other verbs declare `EFFECTS` in addition."""


def run(words: Sequence[str]) -> int:
    """Print the metadata, or the requested part of it."""
    import argparse

    parser = argparse.ArgumentParser(prog="atip --agent", allow_abbrev=False)
    parser.add_argument("--commands", default="", help="only these subtrees, comma-separated")
    parser.add_argument("--depth", type=int, default=None, help="levels of subcommands")
    options = parser.parse_args(list(words))
    document = describe()
    if options.commands or options.depth is not None:
        from atip.model.reading.decode import decode_tool
        from atip.model.reading.encode import encode
        from atip.model.view.partial import view

        commands = [name for name in options.commands.split(",") if name]
        document = encode(view(decode_tool(document), commands=commands, depth=options.depth))
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
    return 0


def describe() -> dict[str, Any]:
    """The whole document."""
    from atip.cli.parsing import load, parser_for
    from atip.cli.verbs import NOUNS, VERBS
    from atip.version import __version__

    commands: dict[str, Any] = {}
    for verb in VERBS:
        commands[verb] = _verb((verb,), load, parser_for)
    for noun, verbs in NOUNS.items():
        children = {verb: _verb((noun, verb), load, parser_for) for verb in verbs}
        commands[noun] = {"description": f"{noun}: {', '.join(verbs)}", "commands": children}
    return {
        "atip": {
            "version": "0.6",
            "features": ["partial-discovery", "interactive-effects", "trust-v1"],
        },
        "name": "atip",
        "version": __version__,
        "description": "Know what a command line will do, prove it, enforce it.",
        "trust": {"source": "native", "verified": False},
        "commands": commands,
    }


def _verb(path: tuple[str, ...], load: Any, parser_for: Any) -> dict[str, Any]:
    from atip.sdk.describe import describe_argparse

    module = load(path)
    effects = {**READS, **getattr(module, "EFFECTS", {})}
    facts = {"": {**effects, "flags": getattr(module, "FLAG_EFFECTS", {})}}
    description = describe_argparse(parser_for(path, module), version="", effects=facts)
    entry: dict[str, Any] = {
        key: description[key]
        for key in ("description", "arguments", "options", "effects")
        if key in description
    }
    examples = getattr(module, "EXAMPLES", None)
    if examples:
        entry["examples"] = list(examples)
    return entry
