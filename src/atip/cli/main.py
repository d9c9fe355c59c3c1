"""From `sys.argv` to an exit code: find the verb, import only its file, run it, report errors once.

This file sits on every call, so it imports nothing that it does not need. The only place, with
`server`, that catches everything.
"""

from __future__ import annotations

import os
import sys

from atip.errors import EXIT_OUR_FAILURE, EXIT_USAGE, AtipError, NotFoundError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any, NoReturn

    from atip.cli.context import Context

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(words)
    except AtipError as error:
        return _report(error, _wants_json(words))
    except BrokenPipeError:
        # The reader of our output went away: that is its right. Keep the interpreter quiet at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("ATIP_TRACEBACK"):
            raise
        return _report(_internal(error), _wants_json(words))


def is_agent() -> bool:
    """Whether the caller said that an agent reads (CMP 0.2.0 §6): then everything is JSON, as with `--json`.

    Only an explicit word counts: `atip list | less` is a person (C17).
    """
    return os.environ.get("CMP_AGENT", "").strip().lower() not in ("", "0", "false", "no", "off")


def _wants_json(words: Sequence[str]) -> bool:
    """Whether an error is told as JSON; verbs with a protocol of their own answer by that."""
    own = words[:1] == ["guard"] or (len(words) > 1 and words[1] == "serve")
    return "--json" in words or (is_agent() and not own)


def main_gen() -> int:
    """`atip-gen` = `atip infer` (name from the RFC)."""
    return main(["infer", *sys.argv[1:]])


def main_crawler() -> int:
    """`atip-crawler` = `atip crawl` (name from the RFC)."""
    return main(["crawl", *sys.argv[1:]])


def _dispatch(words: list[str]) -> int:
    if words[:1] in (["--version"], ["-V"]):
        from atip.version import __version__

        sys.stdout.write(f"atip {__version__}\n")
        return 0
    if words[:1] == ["--agent"]:
        from atip.cli import describe

        return describe.run(words[1:])
    if words[:1] in (["--help"], ["-h"], ["help"]):
        from atip.cli import overview

        return overview.run(words[1:])
    if not words or words[0].startswith("-"):
        from atip.cli import status

        return status.run([*words, "--json"] if is_agent() and "--json" not in words else words)
    path, rest = resolve(words)
    module = load(path)
    options = read_options(path, module, rest)
    if is_agent() and hasattr(options, "json"):
        options.json = True
    ctx = make_context(options)
    code: int = module.run(options, ctx)
    ctx.out.flush()
    return code


def resolve(words: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """The verb's path and the words left over.

    Raises:
        NotFoundError: `cli.unknown-verb`, with what was probably meant.
    """
    from atip.cli.verbs import NOUNS, VERBS

    first, rest = words[0], list(words[1:])
    if first in NOUNS:
        if rest and rest[0] in NOUNS[first]:
            return (first, rest[0]), rest[1:]
        return _unknown(
            f"{first} {rest[0]}" if rest else first, [f"{first} {verb}" for verb in NOUNS[first]]
        )
    if first in VERBS:
        return (first,), rest
    return _unknown(first, [*VERBS, *NOUNS])


def _unknown(typed: str, known: Sequence[str]) -> NoReturn:
    from atip.model.shape import closest

    close = closest(typed, known)
    hint = f"did you mean `atip {close}`?" if close else "verbs: " + ", ".join(known)
    error = NotFoundError("cli.unknown-verb", f"no verb `{typed[:80]}`", hint=hint)
    error.exit_code = EXIT_USAGE
    raise error


def load(path: tuple[str, ...]) -> ModuleType:
    """The module of a verb."""
    name = "atip.cli.verbs." + ".".join(part.replace("-", "_") for part in path)
    __import__(name)  # what `importlib` does, without importing `importlib`
    return sys.modules[name]


def read_options(path: tuple[str, ...], module: ModuleType, words: list[str]) -> Any:
    """The options of a verb: plain command lines are read without `argparse` (see `quick`)."""
    from atip.cli.quick import NotQuick, Quick

    quick = Quick()
    try:
        declare(quick, module)
        return quick.parse(words)
    except NotQuick:
        return parser_for(path, module).parse_args(words)


def declare(parser: Any, module: ModuleType) -> None:
    """The options of a verb, and those that every verb has."""
    module.configure(parser)
    if getattr(module, "JSON", True):
        parser.add_argument("--json", action="store_true", help="print exactly one JSON document")
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colours in the output"
    )


def parser_for(path: tuple[str, ...], module: ModuleType) -> argparse.ArgumentParser:
    """The parser of one verb, with the options that every verb has."""
    import argparse

    # Start-up: looking for translations that do not exist, and for the terminal's size when no help
    # is printed, costs as much as everything else that happens before the verb runs.
    argparse._ = str  # type: ignore[attr-defined]

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise UsageError("cli.usage", message, hint=f"see `{self.prog} --help`")

    parser = Parser(
        prog=f"atip {' '.join(path)}",
        description=module.__doc__,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=_columns()),
        allow_abbrev=False,
    )
    declare(parser, module)
    return parser


def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns) - 2
    except (OSError, ValueError):
        return 78


def make_context(options: Any) -> Context:
    from atip.cli.context import Context

    return Context(as_json=getattr(options, "json", False), color=options.color)


def _report(error: AtipError, as_json: bool) -> int:
    if as_json:
        import json

        sys.stdout.write(json.dumps({"error": error.to_json()}, ensure_ascii=False) + "\n")
        return error.exit_code
    from atip.cli.output import clean

    sys.stdout.flush()
    sys.stderr.write(f"atip: {clean(error.message)} [{error.code}]\n")
    if error.hint:
        sys.stderr.write(f"      {clean(error.hint)}\n")
    return error.exit_code


def _internal(error: Exception) -> AtipError:
    wrapped = AtipError(
        "internal.error",
        f"{type(error).__name__}: {error}",
        hint="this is a bug in atip; ATIP_TRACEBACK=1 shows where",
    )
    wrapped.exit_code = EXIT_OUR_FAILURE
    return wrapped


if __name__ == "__main__":
    sys.exit(main())
