"""Deny a command line from now on. A denial wins over every allow.

LINE is one command; `git push *` includes any further words. The rule goes into your own policy file and applies to the current
project (`--here`, the default) or everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True, "delete": False}, "network": False}
EXAMPLES = ("atip policy deny 'npm publish *' --everywhere --reason 'releases are made by CI'",)


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.verbs.policy import allow

    allow.configure(parser)


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.verbs.policy.allow import rule_of, write_rule

    return write_rule(ctx, rule_of(options, ctx, "deny"))
