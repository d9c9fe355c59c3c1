"""Small tools for tests of calls, written as a document would have them."""

from __future__ import annotations

from atip.calls.build import build
from atip.calls.functions import find_function
from atip.errors import FormatError
from atip.model.reading.decode import decode_tool


def option(name, *flags, type="string", **more):
    return {
        "name": name,
        "flags": list(flags) or [f"--{name}"],
        "type": type,
        "description": name,
        **more,
    }


def argument(name, type="string", **more):
    return {"name": name, "type": type, "description": name, **more}


def command(**fields):
    return {"description": "does it", **fields}


def tool(name="t", **fields):
    document = {"atip": {"version": "0.6"}, "name": name, "version": "1", "description": "a tool"}
    return decode_tool({**document, **fields})


def argv(made, path, **arguments):
    """Words after the program's name."""
    return list(build(find_function(made, path), arguments).argv[1:])


def refusals(made, path, **arguments):
    """(path, code) of every problem; empty when the call is accepted."""
    try:
        build(find_function(made, path), arguments)
    except FormatError as error:
        return [(problem.path, problem.code) for problem in error.problems]
    return []
