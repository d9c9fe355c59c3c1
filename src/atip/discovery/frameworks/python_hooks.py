"""Runs inside the sandbox, in the interpreter of a foreign Python program; never imported by us.

Started as `python -c SOURCE SCRIPT`, where SOURCE is this file behind the describing functions of
`atip.sdk`. It runs the script with `--help` and, at the moment when the framework would print its help,
writes the parser object as metadata instead and ends. Standard library only; works from Python 3.7 on.
"""

import contextlib
import os
import runpy
import sys

MARK = b"\x1eatip-parser\x1e"


def emit(document):
    """Write the document whole, then end at once: no exit handler of the program may run."""
    import json

    data = MARK + json.dumps(document, default=str).encode("utf-8", "surrogatepass") + b"\n"
    while data:
        data = data[os.write(1, data) :]
    os._exit(0)


def hook_argparse():
    import argparse

    def show(parser, *_given, **_named):
        emit(describe_argparse(parser, version=""))  # noqa: F821

    argparse._HelpAction.__call__ = lambda self, parser, *given, **named: show(parser)
    argparse.ArgumentParser.print_help = show
    argparse.ArgumentParser.format_help = show


def hook_optparse():
    import optparse

    def show(parser, *_given, **_named):
        emit(describe_optparse(parser))

    optparse.OptionParser.print_help = show
    optparse.OptionParser.format_help = show


def describe_optparse(parser):
    """An optparse parser in the words of argparse's description."""
    options = []
    groups = [parser, *parser.option_groups]
    for option in [one for group in groups for one in group.option_list]:
        flags = [*option._short_opts, *option._long_opts]
        kind = {"int": "integer", "long": "integer", "float": "number", "choice": "enum"}.get(
            option.type, "string"
        )
        entry = {
            "name": (option.dest or flags[-1].lstrip("-")).replace("-", "_"),
            "flags": flags,
            "type": kind if option.takes_value() else "boolean",
            "description": (option.help or "") if option.help != optparse_suppressed() else "",
        }
        if option.choices:
            entry["enum"] = list(option.choices)
        if option.help == optparse_suppressed():
            entry["hidden"] = True
        if option.action == "append":
            entry["variadic"] = True
        options.append(entry)
    return {
        "name": parser.get_prog_name(),
        "description": parser.description or "",
        "options": options,
    }


def optparse_suppressed():
    import optparse

    return optparse.SUPPRESS_HELP


def hook_click(module):
    def show(command, *_given, **_named):
        emit(describe_click(command, version=""))  # noqa: F821

    for name in ("Command", "BaseCommand"):
        kind = getattr(module, name, None)
        if kind is not None:
            kind.get_help = show
            kind.format_help = show


class ClickFinder:
    """Hooks click (or a copy of it that another framework carries) as soon as it is imported."""

    def find_spec(self, name, path=None, target=None):
        for module_name in (
            "click.core",
            "typer._click.core",
            "rich_click.rich_command",
            "asyncclick.core",
        ):
            module = sys.modules.get(module_name)
            if module is not None and not getattr(module, "_atip_hooked", False):
                module._atip_hooked = True
                hook_click(module)
        return


def main():
    script = sys.argv[1]
    sys.argv = [script, "--help"]
    sys.path[0] = os.path.dirname(script)
    hook_argparse()
    hook_optparse()
    finder = ClickFinder()
    sys.meta_path.insert(0, finder)
    for name in ("click.core", "typer"):
        with contextlib.suppress(Exception):
            __import__(name)
    finder.find_spec("")
    with contextlib.suppress(SystemExit):
        runpy.run_path(script, run_name="__main__")
    sys.exit(3)


main()
