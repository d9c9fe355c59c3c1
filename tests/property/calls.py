"""Random tools as a document could describe them, and arguments that fit: for the laws of calls."""

from __future__ import annotations

from hypothesis import strategies as st

from atip.model.reading.decode import decode_tool

WORDS = st.sampled_from(
    ["run", "list", "pr", "create", "pr_create", "delete-all", "x2", "7zip", "a.b", "get", "set_x"]
)
NAMES = [
    "title",
    "dry-run",
    "file",
    "level",
    "tags",
    "mode",
    "Ünï",
    "no-color",
    "size",
    "q",
    "file",
]
HOSTILE = st.sampled_from(
    ["--force", "-f", "-", "--", "-x=1", "--title=x", "-rf", "=y", "", " ", "a b", "a\nb", "$(id)", "é",
     "--file", "-t", "-5", "run", "list", "pr", "create", "--no-pager", "a=b", "'\"", "\\"]
)  # fmt: skip
TEXT = HOSTILE | st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=12
)
TYPES = ("string", "integer", "number", "boolean", "file", "url", "enum", "array")


@st.composite
def tools(draw):
    """A tool with a small tree, global options, a bare command, groups that run."""
    depth = draw(st.integers(0, 2))
    document = {
        "atip": {"version": "0.6"},
        "name": draw(st.sampled_from(["gh", "my_tool", "g++", "7z", "t"])),
        "version": "1",
        "description": "a tool",
        "globalOptions": draw(options("g", 2)),
    }
    document.update(draw(node(depth)))
    document.setdefault("commands", {})
    return decode_tool(document)


@st.composite
def node(draw, depth):
    made = {"description": draw(st.sampled_from(["does it", "Does it.", "é"]))}
    if draw(st.booleans()) or depth == 0:
        made["arguments"] = draw(arguments())
    made["options"] = draw(options("o" if depth else "l", 4))
    if depth:
        names = draw(st.lists(WORDS, min_size=0, max_size=3, unique=True))
        made["commands"] = {name: draw(node(depth - 1)) for name in names}
        if draw(st.integers(0, 4)) == 0:
            made["commands"][""] = draw(node(0))
    return made


@st.composite
def arguments(draw):
    made = []
    for number in range(draw(st.integers(0, 3))):
        made.append(draw(parameter(f"arg{number}")))
        made[-1]["required"] = draw(st.booleans()) and all(a["required"] for a in made[:-1])
    for argument in made:
        if argument["type"] == "boolean":
            argument["type"] = "string"
        argument.pop("variadic", None)
    if made and draw(st.booleans()):
        made[-1]["variadic"] = True
        made[-1].pop("default", None)
    return made


@st.composite
def options(draw, prefix, most):
    made = []
    for number in range(draw(st.integers(0, most))):
        option = draw(parameter(draw(st.sampled_from(NAMES))))
        long = f"--{prefix}{number}-{draw(st.sampled_from(['x', 'long', 'y-z']))}"
        short = f"-{chr(ord('a') + number)}" if prefix == "l" else f"-{chr(ord('A') + number)}"
        flags = {
            "both": [short, long],
            "long": [long],
            "short": [short],
            "single": [f"-{prefix}{number}dash"],
        }
        option["flags"] = flags[draw(st.sampled_from(["both", "both", "long", "short", "single"]))]
        if option["type"] == "boolean":
            option.pop("variadic", None)
            if option["flags"][-1] == long and draw(st.booleans()):
                option["flags"].append("--no-" + long[2:])
                option["default"] = draw(st.booleans())
        made.append(option)
    return made


@st.composite
def parameter(draw, name):
    kind = draw(st.sampled_from(TYPES))
    made = {"name": name, "type": kind, "description": draw(st.sampled_from(["what it is", ""]))}
    if kind == "enum":
        made["enum"] = draw(st.sampled_from([["open", "closed"], [1, 2, 3], ["a", 3], ["-x", "y"]]))
    if draw(st.integers(0, 3)) == 0:
        made["variadic"] = True
    elif kind in ("string", "file", "url") and draw(st.integers(0, 2)) == 0:
        made["default"] = "normal"
    elif kind == "integer" and draw(st.booleans()):
        made["default"] = 5
    return made


def values_of(item):
    """Values that fit a parameter."""
    from atip.calls.schema import enum_values, is_list

    one = {
        "integer": st.integers(-(2**53), 2**53),
        "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-100, 100),
        "boolean": st.booleans(),
    }.get(item.type, TEXT)
    if item.enum:
        one = st.sampled_from(enum_values(item))
    return st.lists(one, min_size=1, max_size=3) if is_list(item) else one


@st.composite
def calls(draw):
    """A function of a random tool, and arguments that fit it."""
    from hypothesis import assume

    from atip.calls.functions import functions_of

    functions = functions_of(draw(tools()))
    assume(functions)
    function = draw(st.sampled_from(functions))
    given = {}
    for key, item in function.parameters.items():
        if item.is_required or draw(st.booleans()):
            given[key] = draw(values_of(item))
    return function, given
