"""A bundle as commands of a Tool: subcommands, parameters from argument templates, effects, login, patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.calls.templates.argv import Placeholder, check_template, parts_of
from atip.codecs.climd.tool import BundleTool, effects_of_tool
from atip.model.effects import Effects, Filesystem, Interactive
from atip.model.tool import (
    MISSING,
    Argument,
    Authentication,
    AuthenticationMethod,
    Command,
    Option,
    Pattern,
    PatternStep,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.codecs.climd.document import Document
    from atip.codecs.climd.manifest import CliManifest

_TYPES = ("string", "integer", "number", "boolean", "array")


def commands_of(manifest: CliManifest, tools: Iterable[BundleTool]) -> dict[str, Command]:
    """The tree of subcommands; a tool without words is the bare program (`""`, A11)."""
    by_path: dict[tuple[str, ...], Command] = {}
    for tool in tools:
        by_path[tool.path or ("",)] = _command(tool, manifest)
    return _nest(by_path)


def _command(tool: BundleTool, manifest: CliManifest) -> Command:
    options, arguments = parameters_of(tool)
    return Command(
        description=tool.description,
        title=tool.name or None,
        options=tuple(options) or None,
        arguments=tuple(arguments) or None,
        effects=effects_of_tool(tool, manifest.sandbox),
    )


def parameters_of(tool: BundleTool) -> tuple[list[Option], list[Argument]]:
    """Options and positionals that the template of a tool takes."""
    options: list[Option] = []
    arguments: list[Argument] = []
    words = tool.template
    if check_template(words):
        return options, arguments
    before = ""
    for word in words:
        parts = parts_of(word)
        places = [part for part in parts if isinstance(part, Placeholder)]
        lead = parts[0] if parts and isinstance(parts[0], str) else ""
        for place in places:
            if place.flag is not None:
                options.append(_option(tool, place, place.flag, "boolean"))
            elif place.option is not None:
                options.append(_option(tool, place, place.option))
            elif lead.startswith("-") and lead.endswith("="):
                options.append(_option(tool, place, lead[:-1]))
            elif len(parts) == 1 and before.startswith("-") and before not in ("-", "--"):
                options.append(_option(tool, place, before))
            else:
                arguments.append(_argument(tool, place))
        before = "" if places else word
    return options, arguments


def _option(tool: BundleTool, place: Placeholder, flag: str, kind: str = "") -> Option:
    schema = _schema(tool, place)
    return Option(
        name=place.name,
        flags=(flag,),
        type=kind or _type(schema),
        description=str(schema.get("description", "")),
        required=True if _is_required(tool, place) else None,
        default=schema.get("default", place.default),
        enum=tuple(schema["enum"]) if isinstance(schema.get("enum"), list) else None,
        variadic=True if schema.get("type") == "array" else None,
    )


def _argument(tool: BundleTool, place: Placeholder) -> Argument:
    schema = _schema(tool, place)
    return Argument(
        name=place.name,
        type=_type(schema),
        description=str(schema.get("description", "")),
        required=None if _is_required(tool, place) else False,
        default=schema.get("default", place.default),
        enum=tuple(schema["enum"]) if isinstance(schema.get("enum"), list) else None,
        variadic=True if schema.get("type") == "array" else None,
    )


def _schema(tool: BundleTool, place: Placeholder) -> Mapping[str, Any]:
    properties = tool.inputs.get("properties")
    schema = properties.get(place.name) if isinstance(properties, dict) else None
    return schema if isinstance(schema, dict) else {}


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "string")
    if kind == "array":
        items = schema.get("items")
        kind = items.get("type", "string") if isinstance(items, dict) else "string"
    form = {"file-path": "file", "directory-path": "directory", "uri": "url"}
    if kind == "string" and schema.get("format") in form:
        return form[schema["format"]]
    return kind if kind in _TYPES else "string"


def _is_required(tool: BundleTool, place: Placeholder) -> bool:
    if place.optional or place.default is not MISSING or place.flag is not None:
        return False
    required = tool.inputs.get("required")
    return place.name in required if isinstance(required, list) else False


def _nest(nodes: Mapping[tuple[str, ...], Command]) -> dict[str, Command]:
    heads: dict[str, dict[tuple[str, ...], Command]] = {}
    for path, command in nodes.items():
        heads.setdefault(path[0], {})[path[1:]] = command
    tree: dict[str, Command] = {}
    for name, commands in heads.items():
        parent = commands.pop((), Command())
        tree[name] = parent.replace(commands=_nest(commands)) if commands else parent
    return tree


def effects_of_bundle(manifest: CliManifest) -> Effects:
    """Effects that the enforced sandbox excludes for every subcommand; the rest stays unknown."""
    block = manifest.sandbox
    network, files = block.get("network") or {}, block.get("fs") or {}
    execution, terminal = block.get("exec") or {}, block.get("tty") or {}
    writes = files.get("write") == []
    return Effects(
        filesystem=Filesystem(write=False if writes else None, delete=False if writes else None),
        network=False if network.get("egress") == [] else None,
        subprocess=False if execution.get("allow") is False else None,
        interactive=Interactive(tty=True if terminal.get("required") is True else None),
    )


def authentication_of(manifest: CliManifest) -> Authentication | None:
    """The login surface; None: the CLI needs no login."""
    auth = manifest.auth
    if auth is None:
        return None
    methods = [AuthenticationMethod(type="token", env_var=name) for name in auth.env]
    if auth.login is not None:
        methods.append(AuthenticationMethod(type="login", setup_command=auth.login.cmd))
    check = auth.login.completes_when if auth.login else None
    return Authentication(
        required=True, methods=tuple(methods) or None, check_command=check.cmd if check else None
    )


def patterns_of(manifest: CliManifest, documents: Mapping[str, Document]) -> tuple[Pattern, ...]:
    """Patterns from examples and from intents with their seed phrases."""
    patterns = [
        Pattern(name=goal, steps=(PatternStep(command=cmd),), executable=False)
        for goal, cmd in manifest.examples
        if goal and cmd
    ]
    words = {ref.removeprefix("./"): path for path, ref in manifest.commands}
    for ref in manifest.intents:
        document = documents.get(ref.removeprefix("./"))
        if document is not None:
            patterns += _intent(document.fields, words, ref, manifest.bin)
    return tuple(patterns)


def phrases_of(manifest: CliManifest, documents: Mapping[str, Document]) -> dict[str, list[str]]:
    """Search phrases by subcommand: goals of examples, seeds of intents, and the tags for all."""
    phrases_by_path: dict[str, list[str]] = {" ".join(path): [] for path, _ in manifest.commands}
    pairs = [(goal, cmd.split()[1:]) for goal, cmd in manifest.examples if goal and cmd.split()]
    for pattern in patterns_of(manifest.replace(examples=()), documents):
        pairs += [(phrase, pattern.steps[0].command.split()[1:]) for phrase in pattern.tags or ()]
    for phrase, words in pairs:
        for size in range(len(words), -1, -1):
            if " ".join(words[:size]) in phrases_by_path:
                phrases_by_path[" ".join(words[:size])].append(phrase)
                break
    tags = list(manifest.tags)
    return {path: [*phrases, *tags] for path, phrases in phrases_by_path.items() if phrases or tags}


def _intent(
    fields: Mapping[str, Any], words: Mapping[str, tuple[str, ...]], ref: str, program: str
) -> list[Pattern]:
    folder = ref.removeprefix("./").rpartition("/")[0]
    routes = [
        words[target]
        for route in fields.get("implements") or ()
        if isinstance(route, dict) and isinstance(route.get("tool"), str)
        if (target := _join(folder, route["tool"])) in words
    ]
    if not routes:
        return []
    seeds = texts_of(fields.get("intent"))
    return [
        Pattern(
            name=seeds[0] if seeds else texts_of(fields.get("label"))[0],
            description=(texts_of(fields.get("description")) or [""])[0],
            steps=(PatternStep(command=" ".join((program, *routes[0]))),),
            tags=tuple(seeds) or None,
            executable=False,
        )
    ]


def texts_of(value: object) -> list[str]:
    """Texts of a field that may be text, a list, or either by locale."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str)]
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts_of(item)]
    return []


def _join(folder: str, ref: str) -> str:
    """A reference relative to a folder of the bundle, or to the bundle itself."""
    if not ref.startswith("../"):
        return ref.removeprefix("./")
    parts: list[str] = folder.split("/") if folder else []
    for part in ref.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
