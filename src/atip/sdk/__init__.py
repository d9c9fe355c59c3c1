"""atip.sdk: one line gives a command-line program `--agent`. Standard library only.

    parser = argparse.ArgumentParser(...)          # or a click command, or a typer app
    atip.sdk.agent(parser, version="1.2")          # <- the line
    parser.parse_args()

The metadata comes from the parser itself; what a parser does not know – effects, login, patterns – is
handed in or declared with `@effects`. `is_agent` and `facet` let one program speak to people and to
agents. Imports nothing else of this package, so that an author's program stays as quick as it was.
Guide: docs/formats/sdk.md. Implements ATIP 0.6 §3.1, §3.1.1, §13 and CMP 0.2.0 §6.
"""

from __future__ import annotations

from .declare import READ_ONLY, effects
from .flag import agent, describe
from .mode import facet, fail, is_agent

__all__ = ["READ_ONLY", "agent", "describe", "effects", "facet", "fail", "is_agent"]
