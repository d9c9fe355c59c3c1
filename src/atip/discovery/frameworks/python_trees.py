"""Programs that create their commands lazily; runs inside the sandbox, never imported by us.

Put before `python_hooks.py`, in the same namespace. Such a tree can be large (the AWS CLI has 19,000 commands), so
it is written in pieces: whole top-level commands, packed, in the order of their names, and `more`, the last of them, where the bounds
of one answer were reached. Standard library only; works from Python 3.7 on.
"""

import contextlib
import json
import os
import re
import sys
import time
import zlib

MARK = b"\x1eatip-parser\x1e"
PIECE_BYTES = 800_000
PIECE_S = 10.0
MAX_DEPTH = 5
MAX_CHOICES = 40
_TAG = re.compile(r"<[^>]*>")
_KINDS = {
    "boolean": "boolean",
    "integer": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
}


def write_and_end(data):
    """Write everything, then end at once: no exit handler of the program may run."""
    data = MARK + data
    while data:
        data = data[os.write(1, data) :]
    os._exit(0)


def write_pieces(root, names, make, after):
    """Write `root` with `make(name)` for every name that sorts behind `after`, as far as one answer goes."""
    packer = zlib.compressobj()
    started = time.process_time()
    chunks = [json.dumps(root, default=str)[:-1], ', "commands": {']
    packed, separator, more = b"", "", None
    for name in sorted(name for name in names if name > after):
        chunks.append(f"{separator}{json.dumps(name)}: {json.dumps(make(name), default=str)}")
        packed += packer.compress("".join(chunks).encode("utf-8", "surrogatepass"))
        chunks, separator = [], ", "
        if len(packed) > PIECE_BYTES or time.process_time() - started > PIECE_S:
            more = name
            break
    chunks.append("}" + (f', "more": {json.dumps(more)}' if more else "") + "}")
    packed += packer.compress("".join(chunks).encode("utf-8", "surrogatepass"))
    write_and_end(packed + packer.flush())


def first_sentence(markup, most):
    """Of a documentation in HTML: plain words, cut."""
    text = " ".join(_TAG.sub(" ", markup[:2000]).split()) if isinstance(markup, str) else ""
    sentence = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
    return sentence if len(sentence) <= most else sentence[: most - 1].rsplit(" ", 1)[0] + "…"


# -- the AWS CLI: services and operations from botocore's models ------------------------------------------------


def hook_aws(module):
    module.CLIDriver.main = lambda driver, args=None: tell_aws(driver)


def tell_aws(driver):
    hooks = sys.modules.get("botocore.hooks")
    if hasattr(hooks, "accepts_kwargs"):
        hooks.accepts_kwargs = lambda function: (
            True
        )  # its own handlers do; inspecting each takes an eighth of the time
    table = _aws_table(driver)
    arguments = getattr(driver, "arg_table", None) or driver._get_argument_table()
    about = driver._get_cli_data() if hasattr(driver, "_get_cli_data") else {}
    root = {
        "name": "tool",
        "description": first_sentence(about.get("description"), 200) or "AWS",
        "globalOptions": _aws_node_parts(arguments)[0],
    }
    loader = driver.session.get_component("data_loader")

    def make(name):
        node = _aws_command(table.pop(name), 1)
        for holder in (loader, getattr(loader, "file_loader", None)):
            cache = getattr(holder, "_cache", None) or {}
            # The model of one service may take a hundred megabytes; the list of all services is needed for each.
            for key in [key for key, value in cache.items() if isinstance(value, dict)]:
                del cache[key]
        return node

    write_pieces(root, list(table), make, AFTER)


def _aws_table(command):
    make = getattr(command, "_get_command_table", None)
    return (make() if make else getattr(command, "subcommand_table", None)) or {}


def _aws_command(command, depth):
    model = getattr(command, "_operation_model", None) or getattr(command, "service_model", None)
    about = getattr(model, "documentation", "") if model else getattr(command, "DESCRIPTION", "")
    node = {"description": first_sentence(about, 120)}
    options, arguments = _aws_node_parts(getattr(command, "arg_table", None) or {})
    if options:
        node["options"] = options
    if arguments:
        node["arguments"] = arguments
    table = _aws_table(command) if depth < MAX_DEPTH else {}
    if table:
        node["commands"] = {
            name: _aws_command(subcommand, depth + 1) for name, subcommand in table.items()
        }
    return node


def _aws_node_parts(table):
    """(options, positional arguments) of a table of arguments."""
    options, arguments = [], []
    for name, argument in table.items():
        kind = getattr(argument, "cli_type_name", "string")
        entry = {
            "name": name,
            "type": _KINDS.get(kind, "string"),
            "description": first_sentence(getattr(argument, "documentation", ""), 100),
        }
        model = getattr(argument, "argument_model", None)
        choices = getattr(argument, "choices", None) or getattr(model, "enum", None)
        if choices and len(choices) <= MAX_CHOICES and entry["type"] == "string":
            entry["type"], entry["enum"] = "enum", [str(choice) for choice in choices]
        count = getattr(argument, "nargs", None)
        if kind == "list" or count in ("*", "+") or (isinstance(count, int) and count > 1):
            entry["variadic"] = True
        if getattr(argument, "required", False):
            entry["required"] = True
        if getattr(argument, "positional_arg", False):
            arguments.append({**entry, "required": count not in ("*", "?")})
        else:
            options.append({**entry, "flags": [f"--{name}"]})
    return options, arguments


# -- cliff (OpenStack's clients and others): commands are plug-ins with a parser each --------------------------


def hook_cliff(module):
    module.HelpAction.__call__ = lambda action, *_given, **_named: tell_cliff(action.default)


def tell_cliff(app):
    from atip.sdk.describe import describe_argparse

    root = describe_argparse(app.parser, version="0", name="tool")
    options = root.pop("options", None)
    if options:
        root["globalOptions"] = options
    entries = dict(app.command_manager)
    names = {name.split()[0] for name in entries}

    def make(first):
        node = {}
        for name in sorted(entries):
            words = name.split()
            if words[0] == first:
                _put(node, words[1:], _cliff_command(app, name, entries[name]))
        return node

    write_pieces(root, names, make, AFTER)


def _cliff_command(app, name, entry):
    from atip.sdk.describe import describe_argparse

    body = {}
    with contextlib.suppress(Exception):  # a plug-in that cannot be loaded is a name without more
        command = entry.load()(app, None)
        body["description"] = first_sentence(command.get_description(), 200)
        description = describe_argparse(command.get_parser(name), version="0", name="tool")
        body.update(
            {part: description[part] for part in ("options", "arguments") if description.get(part)}
        )
    return body


def _put(node, words, body):
    for word in words:
        node = node.setdefault("commands", {}).setdefault(word, {})
    node.update(body)


LAZY = (
    # module, attribute that exists once it is imported, hook
    ("awscli.clidriver", ("CLIDriver",), hook_aws),
    ("cliff.help", ("HelpAction",), hook_cliff),
)
AFTER = sys.argv[3]
