"""A click command or a typer app → ATIP 0.6 metadata, read from the objects themselves.

Imports neither: everything is told from attributes that all versions share, so that an author's click
8.0 or typer's own copy of it are read alike. Types are in `describe_types.py`. Does not run the program;
lazily loaded commands are loaded, as `--help` would.
"""

from __future__ import annotations

from .declare import declared_on, merged
from .describe import check_paths, flag_effects
from .describe_types import kind_of
from .words import choices_of, first_line, is_deprecated_text, option_name, usable_default

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from .describe import Document, EffectsTable

_SKIPPED = frozenset(["--help", "--agent", "--install-completion", "--show-completion"])


def describe_click(
    command: Any,
    *,
    version: str,
    name: str,
    effects: EffectsTable | None = None,
    env: Mapping[str, str] | None = None,
    **fields: Any,
) -> Document:
    """The metadata document of a click command or group; arguments as in `describe_argparse`."""
    describer = _Describer(effects or {}, env or {})
    body = describer.command(command, "", describer.context(command, name, None))
    check_paths(effects or {}, body)
    document: Document = {
        "atip": {"version": "0.6", "features": ["partial-discovery", "interactive-effects"]},
        "name": name,
        "version": version,
        "description": body.pop("description") or name,
        "trust": {"source": "native", "verified": False},
    }
    options = body.pop("options", [])
    if options:
        document["globalOptions" if "commands" in body else "options"] = options
    for field in ("hidden", "deprecated"):
        body.pop(field, None)  # said of a command; the tool's root has no such field
    document.update(body)
    document.update(fields)
    return document


class _Describer:
    """One walk over a tree of commands, with what the author handed in."""

    def __init__(self, table: EffectsTable, env: Mapping[str, str]) -> None:
        self.table = table
        self.env = env

    def context(self, command: Any, name: str, parent: Any) -> Any:
        """A context as click makes one for `--help`; None where there is no such class."""
        settings = dict(getattr(command, "context_settings", None) or {})
        make = getattr(command, "context_class", None)
        return make(command, info_name=name, parent=parent, **settings) if make else None

    def command(self, command: Any, path: str, context: Any) -> Document:
        text = getattr(command, "help", None) or getattr(command, "short_help", None) or ""
        entry: Document = {"description": first_line(text.split("\f")[0]) or path}
        arguments: list[Document] = []
        options: list[Document] = []
        prompts = False
        for param in command.params:
            if getattr(param, "param_type_name", "") == "argument":
                arguments.append(_argument(param))
            elif _SKIPPED.isdisjoint(param.opts):
                options += self.options(param, context)
                prompts = prompts or bool(getattr(param, "prompt", None))
        declared = declared_on(command, getattr(command, "callback", None))
        facts = merged(declared, self.table.get(path, {}))
        flag_effects(options, facts.pop("flags", {}))
        if prompts:  # the parser knows better than a preset: it will ask
            facts = merged(facts, {"interactive": {"prompts": True}})
        _put(entry, arguments=arguments, options=options, effects=facts)
        children = dict(self.children(command, path, context))
        _put(entry, commands=children)
        if getattr(command, "hidden", False):
            entry["hidden"] = True
        old = getattr(command, "deprecated", False)
        if old or is_deprecated_text(text):
            entry["deprecated"] = old if isinstance(old, str) else True
        return entry

    def children(self, group: Any, path: str, context: Any) -> Iterator[tuple[str, Document]]:
        if not hasattr(group, "list_commands"):
            return
        seen: dict[int, Document] = {}
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if command is None:
                continue
            if id(command) in seen:
                seen[id(command)].setdefault("aliases", []).append(name)
                continue
            below = f"{path} {name}".strip()
            entry = self.command(command, below, self.context(command, name, context))
            seen[id(command)] = entry
            yield name, entry

    def options(self, param: Any, context: Any) -> list[Document]:
        """The options of one parameter: two for `--x/--no-x`."""
        flags = [flag for flag in param.opts if flag.startswith("-")]
        negative = [flag for flag in param.secondary_opts if flag.startswith("-")]
        if not flags:
            return []
        entry = self._option(param, flags, option_name(flags), context)
        if not negative:
            return [entry]
        no_name = option_name(negative)
        text = first_line(f"Not: {entry['description']}")
        no = {"name": no_name, "flags": negative, "type": "boolean", "description": text}
        return [{**entry, "exclusive": [no_name]}, {**no, "exclusive": [entry["name"]]}]

    def _option(self, param: Any, flags: list[str], name: str, context: Any) -> Document:
        kind, values, schema = ("boolean", None, None) if _is_flag(param) else kind_of(param)
        entry: Document = {"name": name, "flags": flags, "type": kind}
        entry["description"] = first_line(getattr(param, "help", None) or name.replace("-", " "))
        if param.required and not getattr(param, "prompt", None):
            entry["required"] = True
        _values(param, entry, values, schema)
        variable = self._variable(param, flags, context)
        if variable:
            entry["envVar"] = variable
        if getattr(param, "hidden", False):
            entry["hidden"] = True
        old = getattr(param, "deprecated", False)
        if old or is_deprecated_text(getattr(param, "help", None)):
            entry["deprecated"] = old if isinstance(old, str) else True
        return entry

    def _variable(self, param: Any, flags: list[str], context: Any) -> str | None:
        variable: Any = next((self.env[flag] for flag in flags if flag in self.env), param.envvar)
        if variable:
            return (
                str(variable)
                if isinstance(variable, str)
                else str(next(iter(variable), "")) or None
            )
        prefix = getattr(context, "auto_envvar_prefix", None)
        if prefix and getattr(param, "allow_from_autoenv", False):
            return f"{prefix}_{param.name.upper()}"
        return None


def _argument(param: Any) -> Document:
    kind, values, schema = kind_of(param)
    name = param.name or "value"
    entry: Document = {"name": name, "type": kind}
    # click gives an author no place for the help of an argument
    entry["description"] = first_line(getattr(param, "help", None) or f"The argument `{name}`")
    if not param.required:
        entry["required"] = False
    _values(param, entry, values, schema)
    return entry


def _is_flag(param: Any) -> bool:
    return bool(getattr(param, "is_flag", False) or getattr(param, "count", False))


def _values(param: Any, entry: Document, values: Any, schema: Any) -> None:
    nargs = param.nargs
    if nargs not in (0, 1) or getattr(param, "multiple", False) or getattr(param, "count", False):
        entry["variadic"] = True
    if values:
        entry["enum"] = values
    if schema:
        entry["schema"] = schema
    # A sentinel of click (no default), a function, a secret: not publishable, left out.
    default = param.default
    if hasattr(default, "value") and not isinstance(default, (int, float)):
        member = choices_of([default])[0]
        default = member if member in (values or ()) else None
    default = usable_default(default, entry["name"])
    hidden = getattr(param, "hide_input", False)
    if default is not None and not hidden and entry["type"] != "boolean":
        entry["default"] = default


def _put(entry: Document, **fields: Any) -> None:
    entry.update((key, value) for key, value in fields.items() if value)
