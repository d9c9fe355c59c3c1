"""From `sys.argv` to an exit code: find the verb, import only its file, run it, report errors once.

This file sits on every call, so it imports nothing that it does not need. The only place, with
`server`, that catches everything.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from atip.cli.context import Context
    from atip.errors import AtipError

INTERRUPTED = 130
GARBAGE_THRESHOLD = 50_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; without `argv`, use `sys.argv` and end the process quickly."""
    return _main_program() if argv is None else _run_words(list(argv))


def _main_program() -> int:
    """Most calls are short: disable garbage collection, and skip the interpreter's shutdown."""
    words = sys.argv[1:]
    if _is_hook(words):
        _ask_server(words)
    import gc

    from atip.cli import module_pack

    gc.set_threshold(GARBAGE_THRESHOLD, 10, 10)
    pack = module_pack.install()
    code = _run_words(words)
    if pack is not None and words and words[0] in module_pack.VERBS:
        pack.update()
    _leave(code)
    return code


def _is_hook(words: Sequence[str]) -> bool:
    """Whether this is the hook that coding agents call for every line."""
    return words[:1] == ["guard"] and (
        len(words) == 1 or words[1] == "hook" or words[1].startswith("--for")
    )


def _ask_server(words: Sequence[str]) -> None:
    """Print the answer of `guard serve` and exit; returns when there is no answer, with the input restored."""
    from atip.system.guard_socket import call_server

    answer, request = call_server(words)
    if answer is not None:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
        os._exit(0)
    if request is not None:
        import io

        sys.stdin = io.TextIOWrapper(io.BytesIO(request))


def _leave(code: int) -> None:
    """End the process like Python, but without tearing down modules; returns where that is not possible."""
    import atexit

    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        return  # Python waits for them
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # Python reports it
    atexit._run_exitfuncs()
    os._exit(code)


def _run_words(words: list[str]) -> int:
    if "_PUBLIC" not in vars(sys.modules["atip"]):
        _warn_of_other_package()
    _escape_unencodable()
    from atip.errors import AtipError

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


def _escape_unencodable() -> None:
    """Escape characters that a stream cannot encode like JSON does, instead of raising."""
    import codecs

    def escape(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
        pairs = (units[at : at + 2].hex() for at in range(0, len(units), 2))
        return "".join(f"\\u{pair}" for pair in pairs), error.end

    codecs.register_error("atip.escape", escape)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="atip.escape")


def _warn_of_other_package() -> None:
    """Warn when another distribution (`atip`) has overwritten `atip/__init__.py` of ours (`atip-cli`)."""
    sys.stderr.write(
        f"warning: another package named `atip` shadows this one ({sys.modules['atip'].__file__}): "
        "`pip uninstall atip`, then `pip install --force-reinstall atip-cli`\n"
    )


def is_agent() -> bool:
    """Whether the caller declared itself an agent (CMP 0.2.0 §6): then everything is JSON, as with `--json`.

    Only an explicit setting counts: `atip list | less` is not an agent (C17).
    """
    return os.environ.get("CMP_AGENT", "").strip().lower() not in ("", "0", "false", "no", "off")


def _wants_json(words: Sequence[str]) -> bool:
    """Whether to print errors as JSON; verbs with a protocol of their own use that instead."""
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
        from atip.cli.rendering import overview

        return overview.run(words[1:])
    if not words or words[0].startswith("-"):
        from atip.cli.rendering import status

        return status.run([*words, "--json"] if is_agent() and "--json" not in words else words)
    if len(words) == 2 and words[1] in ("--help", "-h") and _is_group(words[0]):
        from atip.cli.rendering import overview

        return overview.run(words[:1])
    from atip.cli.parsing import load, read_options, resolve

    path, rest = resolve(words)
    module = load(path)
    options = read_options(path, module, rest)
    if is_agent() and hasattr(options, "json"):
        options.json = True
    ctx = make_context(options)
    code: int = module.run(options, ctx)
    ctx.out.flush()
    return code


def _is_group(word: str) -> bool:
    from atip.cli.verbs import NOUNS

    return word in NOUNS


def make_context(options: Any) -> Context:
    from atip.cli.context import Context

    return Context(as_json=getattr(options, "json", False), color=options.color)


def _report(error: AtipError, as_json: bool) -> int:
    if as_json:
        import json

        sys.stdout.write(json.dumps({"error": error.to_json()}, ensure_ascii=False) + "\n")
        return error.exit_code
    from atip.cli.output import clean

    text = f"atip: {clean(error.message)} [{error.code}]\n"
    if error.hint:
        text += f"      {clean(error.hint)}\n"
    if sys.stderr.isatty():
        from atip.cli.wrapping import columns, fit

        text = fit(text, columns())
    sys.stdout.flush()
    sys.stderr.write(text)
    return error.exit_code


def _internal(error: Exception) -> AtipError:
    from atip.errors import EXIT_OUR_FAILURE, AtipError

    wrapped = AtipError(
        "internal.error",
        f"{type(error).__name__}: {error}",
        hint="this is a bug in atip; ATIP_TRACEBACK=1 shows where",
    )
    wrapped.exit_code = EXIT_OUR_FAILURE
    return wrapped


if __name__ == "__main__":
    sys.exit(main())
