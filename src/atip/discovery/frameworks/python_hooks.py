"""Runs inside the sandbox, in the interpreter of a foreign Python program; never imported by us.

Started as `python -c SOURCE SCRIPT SDK AFTER [COMMAND…]`, where SOURCE is `python_trees.py` and this file, SDK the folder of
`atip.sdk`, whose describing functions need nothing but the standard library, and AFTER where an earlier answer ended. It runs the script
with `COMMAND… --help` and, at the moment when the framework would print its help, writes the parser object as metadata instead
and ends. Standard library only; works from Python 3.7 on.
"""

import contextlib
import json
import os
import runpy
import sys
import types


def emit(document):
    write_and_end(json.dumps(document, default=str).encode("utf-8", "surrogatepass") + b"\n")  # noqa: F821


def hook_argparse():
    import argparse

    from atip.sdk import describe as describing
    from atip.sdk.describe import describe_argparse

    # An author's own metadata leaves out what every program has; here the options of this program are needed.
    describing._HELP_FLAGS = frozenset()

    original = argparse.ArgumentParser.format_help

    def describe(parser):
        version = describing.version_of(parser) or "0"  # unknown: the program is asked
        return describe_argparse(parser, version=version, name="tool")

    def show(parser, *_given, **_named):
        # IPython makes a parser for each of its magics (`%alias_magic`) when it is imported.
        is_magic = parser.prog.startswith("%")
        return original(parser) if is_magic else emit(describe(parser))

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
    for option in [member for group in groups for member in group.option_list]:
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
        "usage": parser.get_usage(),
        "name": parser.get_prog_name(),
        "description": parser.description or "",
        "options": options,
    }


def optparse_suppressed():
    import optparse

    return optparse.SUPPRESS_HELP


def hook_click(module):
    from atip.sdk import describe_click as describing
    from atip.sdk.describe_click import describe_click

    describing._SKIPPED = frozenset()
    original = describing._Describer.command

    def with_help(self, command, path, context):
        entry = original(self, command, path, context)
        names = list(getattr(context, "help_option_names", None) or ["--help"])
        if getattr(command, "add_help_option", True):
            help_option = {
                "name": "help",
                "flags": names,
                "type": "boolean",
                "description": "Show help",
            }
            flags = {flag for option in entry.get("options", []) for flag in option["flags"]}
            if flags.isdisjoint(names):
                entry.setdefault("options", []).append(help_option)
        return entry

    describing._Describer.command = with_help

    def show(command, *_given, **_named):
        emit(describe_click(command, version="0", name="tool"))

    context = getattr(module, "Context", None)
    if context is not None:
        context.get_help = lambda self: show(self.command)
    for name in ("Command", "BaseCommand"):
        kind = getattr(module, name, None)
        if kind is not None:
            kind.get_help = show
            kind.format_help = show


CLICK = ("Command", "Context")
HOOKED = (
    ("click.core", CLICK, hook_click),
    ("typer._click.core", CLICK, hook_click),
    ("rich_click.rich_command", CLICK, hook_click),
    ("asyncclick.core", CLICK, hook_click),
    *LAZY,  # noqa: F821
)


class Finder:
    """Hooks a framework (or a copy of it that another one carries) as soon as it is imported."""

    def find_spec(self, name, path=None, target=None):
        for module_name, attributes, hook in HOOKED:
            module = sys.modules.get(module_name)
            # A module that is still being imported has no classes yet; it is looked at again later.
            is_ready = module is not None and all(
                hasattr(module, attribute) for attribute in attributes
            )
            if is_ready and not getattr(module, "_atip_hooked", False):
                module._atip_hooked = True
                hook(module)
        return


def lend_sdk(folder):
    """Make `atip.sdk` importable from its folder, whatever else this interpreter has under that name."""
    for name, path in (("atip", os.path.dirname(folder)), ("atip.sdk", folder)):
        module = types.ModuleType(name)
        module.__path__ = [path]
        sys.modules[name] = module


def main():
    script = sys.argv[1]
    lend_sdk(sys.argv[2])
    sys.argv = [script, *sys.argv[4:], "--help"]
    sys.path[0] = os.path.dirname(script)
    hook_argparse()
    hook_optparse()
    finder = Finder()
    sys.meta_path.insert(0, finder)
    for name in ("click.core", "typer"):
        with contextlib.suppress(Exception):
            __import__(name)
    finder.find_spec("")
    with contextlib.suppress(SystemExit):
        runpy.run_path(script, run_name="__main__")
    sys.exit(3)


main()
