"""Recognize the library of a program's parser by its shape: none of them is imported here."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_argparse(program: Any) -> bool:
    return hasattr(program, "parse_known_args") and hasattr(program, "add_argument")


def is_click(program: Any) -> bool:
    return hasattr(program, "params") and hasattr(program, "main") and hasattr(program, "callback")


def is_typer(program: Any) -> bool:
    return hasattr(program, "registered_commands") and hasattr(program, "registered_groups")


def click_command(program: Any) -> Any:
    """A click command as it is; a typer app as the command it becomes."""
    if not is_typer(program):
        return program
    return typer_main(program).get_command(program)


def typer_main(app: Any) -> Any:
    """The module that the app's own Typer class comes from."""
    base = [kind for kind in type(app).__mro__ if kind.__name__ == "Typer"][-1]
    return sys.modules[base.__module__]
