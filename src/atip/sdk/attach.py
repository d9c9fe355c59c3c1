"""Hooks into the three kinds of parsers. Each changes the one object it is given and nothing global."""

from __future__ import annotations

import sys

from .kinds import is_argparse, is_click, is_typer, typer_main
from .question import FLAG, HELP, question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .facts import Facts

_MARK = "__atip_attached__"


def attach_to(program: Any, facts: Facts) -> None:
    """Hook the flag into a program of any known kind."""
    if is_argparse(program):
        to_argparse(program, facts)
    elif is_click(program):
        to_click(program, facts)
    elif is_typer(program):
        to_typer(program, facts)
    else:
        raise TypeError(
            f"agent() takes an ArgumentParser, a click command or a typer app, not {program!r}"
        )


def to_argparse(parser: Any, facts: Facts) -> None:
    """Show the flag in the help, and look for it whenever the parser is about to parse."""
    if FLAG in parser._option_string_actions:
        raise ValueError(f"this parser already has an option {FLAG}")
    if "-" in parser.prefix_chars:
        nothing = sys.modules["argparse"].SUPPRESS  # compared by identity
        parser.add_argument(FLAG, action="store_true", default=nothing, help=HELP)
        # Kept in the help, taken out of the look-up: `--a` stays the abbreviation of `--all`.
        del parser._option_string_actions[FLAG]

    def answering(parse: Any) -> Any:
        def parse_or_answer(args: Any = None, *rest: Any, **named: Any) -> Any:
            args = sys.argv[1:] if args is None else list(args)
            words = question(args)
            if words is not None:
                facts.answer(parser, words)
            return parse(args, *rest, **named)

        return parse_or_answer

    for method in ("parse_known_args", "parse_known_intermixed_args"):
        setattr(parser, method, answering(getattr(parser, method)))


def to_click(command: Any, facts: Facts) -> None:
    """Add an eager option, and look for `--agent --depth=1` before click does."""
    if any(FLAG in param.opts for param in command.params):
        if vars(command).get(_MARK):
            return
        raise ValueError(f"this command already has an option {FLAG}")
    option = _click_option(command)

    def callback(context: Any, param: Any, value: Any) -> None:
        if value and not context.resilient_parsing:
            facts.answer(command, ())

    option.callback = callback
    command.params.append(option)
    run = command.main

    def main(args: Any = None, *rest: Any, **named: Any) -> Any:
        words = question(list(sys.argv[1:] if args is None else args))
        if words is not None:
            facts.answer(command, words)
        return run(args, *rest, **named)

    command.main = main
    setattr(command, _MARK, True)


def to_typer(app: Any, facts: Facts) -> None:
    """A typer app builds its command anew at each call: hook into the classes it builds it from."""
    kind = type(app)

    class Answering(kind):  # type: ignore[misc, valid-type]
        def __call__(self, *args: Any, **named: Any) -> Any:
            _prepare(self, facts)  # commands may have been added since
            return super().__call__(*args, **named)

    Answering.__name__, Answering.__qualname__ = kind.__name__, kind.__qualname__
    app.__class__ = Answering
    _prepare(app, facts)


def _prepare(app: Any, facts: Facts) -> None:
    core = sys.modules[f"{typer_main(app).__package__}.core"]
    group = app.info.cls if isinstance(app.info.cls, type) else core.TyperGroup
    app.info.cls = _answering(group, facts)
    callback = app.registered_callback
    if callback is not None and isinstance(callback.cls, type):
        callback.cls = _answering(callback.cls, facts)
    if len(app.registered_commands) == 1 and not app.registered_groups and callback is None:
        single = app.registered_commands[0]
        single.cls = _answering(single.cls or core.TyperCommand, facts)


def _answering(kind: Any, facts: Facts) -> Any:
    """A subclass whose instances answer."""
    if getattr(kind, _MARK, False):
        return kind

    class Answering(kind):  # type: ignore[misc]
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **named)
            to_click(self, facts)

    setattr(Answering, _MARK, True)
    Answering.__name__, Answering.__qualname__ = kind.__name__, kind.__qualname__
    return Answering


def _click_option(command: Any) -> Any:
    """An option object of the library that the command itself comes from."""
    base = next(kind for kind in type(command).__mro__ if kind.__name__ == "Command")
    make = getattr(sys.modules[base.__module__], "Option", None)
    if make is not None:
        return make([FLAG], is_flag=True, is_eager=True, expose_value=False, help=HELP)
    return _typer_option(sys.modules["typer"])


def _typer_option(typer: Any) -> Any:
    """Newer typer has option objects of its own; its public way to get one is a small app."""
    mini = typer.Typer(add_completion=False)

    def ask(
        agent: bool = typer.Option(False, FLAG, is_eager=True, expose_value=False, help=HELP),
    ) -> None:
        return

    mini.command()(ask)
    return sys.modules["typer.main"].get_command(mini).params[0]
