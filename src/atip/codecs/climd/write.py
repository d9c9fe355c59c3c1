"""Tool → documents of a bundle: CLI.md, one TOOL.md per command, SECRETS.md for variables, INTENT.md on request.

What a Tool lacks (where to install from, which hosts) comes from `BundleContent`, which a host fills; without it the
bundle has marked entries that grant nothing. Pure. Implements AIP-29 "Authoring with SKILL.md".
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from atip.calls.schema import parameter_schema
from atip.codecs.climd.claims import ceiling_of, mutations, narrowing_of, root_command, slug_of
from atip.codecs.climd.claims import sandbox_of as sandbox_of
from atip.codecs.climd.document import render_document
from atip.codecs.providers.safety import clean_text
from atip.model.text.version_ranges import coerce_version, major_of
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.model.tool import Argument, Command, Option, Tool

    Item = Argument | Option

MAX_TOOLS = 400
MAX_INTENTS = 5
ANY_VERSION = r"(\d+\.\d+(?:\.\d+)?[^\s,)]*)"


class BundleContent(Value):
    """A tool and what a host knows about it."""

    tool: Tool
    install: tuple[Mapping[str, Any], ...] = ()
    """Empty: not known; the bundle then has a marked entry that no host follows."""
    version: str = ""
    """Of the program, as it prints it."""
    version_cmd: str = ""
    version_parse: str = ANY_VERSION
    sandbox: Mapping[str, Any] | None = None
    """Observed; None: derived from the effects."""
    homepage: str = ""
    intents: bool = False
    first: tuple[tuple[str, ...], ...] = ()
    """Commands to include first when there are too many for a bundle."""


def write_bundle(content: BundleContent) -> dict[str, str]:
    """Texts by path; the manifest validates strictly."""
    tool = content.tool
    leaves = _leaves(content)
    files: dict[str, str] = {}
    commands: dict[str, Any] = {}
    for path, command in leaves or [((), root_command(tool))]:
        words = tuple(word for word in path if word)
        ref = f"tools/{slug_of('-'.join(words) or tool.name)}/TOOL.md"
        while ref in files:
            ref = ref.replace("/TOOL.md", "-x/TOOL.md")
        files[ref] = _tool_text(content, words, command)
        _put(commands, words, f"./{ref}")
    secrets = _secrets(tool)
    if secrets:
        files["SECRETS.md"] = render_document({"secrets": secrets}, "\nNames only; never values.\n")
    intents = _intents(content, commands, files) if content.intents else []
    fields = _manifest(content, commands, bool(secrets), intents)
    return {"CLI.md": render_document(fields, _body(content)), **files}


def _leaves(content: BundleContent) -> list[tuple[tuple[str, ...], Command]]:
    """Commands that become tools: all, or at most MAX_TOOLS, `first` and those near the root before others."""
    leaves = [
        (path, command)
        for path, command in content.tool.walk()
        if not command.commands and not command.hidden
    ]
    if len(leaves) <= MAX_TOOLS:
        return leaves
    preferred = set(content.first)
    ranked = sorted(leaves, key=lambda leaf: (leaf[0] not in preferred, len(leaf[0])))[:MAX_TOOLS]
    selected = {path for path, _ in ranked}
    return [leaf for leaf in leaves if leaf[0] in selected]


def _manifest(
    content: BundleContent, commands: dict[str, Any], has_secrets: bool, intents: list[str]
) -> dict[str, Any]:
    tool = content.tool
    name = tool.binary.name if tool.binary and tool.binary.name else tool.name
    program = name.rpartition("/")[2]
    fields: dict[str, Any] = {
        "name": clean_text(tool.title or tool.name)[:80] or program,
        "id": bundle_id(tool.name),
        "description": _line(tool.description, 2000) or f"The command-line program {program}.",
        "version": "1.0.0",
        "bin": program,
        "install": [dict(entry) for entry in content.install] or [_unknown_install(program)],
        "version_check": {
            "cmd": content.version_cmd or f"{program} --version",
            "parse": content.version_parse,
            "range": _range(content.version or tool.version),
        },
    }
    auth = _auth(tool, has_secrets)
    if auth:
        fields["auth"] = auth
    fields["sandbox"] = dict(content.sandbox) if content.sandbox else sandbox_of(tool)
    fields["output"] = {
        "default_format": "text",
        "exit_codes": {"0": "ok", "1": "error", "2": "usage_error"},
        "stream": "stdout",
        "error_stream": "stderr",
    }
    fields["commands"] = commands
    if intents:
        fields["actions"] = [{"ref": ref} for ref in intents]
    examples = _examples(tool)
    if examples:
        fields["examples"] = examples
    return fields


def bundle_id(name: str) -> str:
    """Lower case, digits, dashes, 2 to 64 characters."""
    slug = slug_of(name)
    return slug if len(slug) > 1 else f"{slug or 'x'}-cli"


def _line(text: str, max_chars: int) -> str:
    return " ".join(clean_text(text).split())[:max_chars]


def _unknown_install(program: str) -> dict[str, Any]:
    """An entry that no host installs (P7): a guess could install something else."""
    return {"method": "manual", "package": program, "experimental": True}


def _range(version: str) -> str:
    coerced = coerce_version(version)
    if coerced is None:
        return "*"
    return f">={coerced.partition('-')[0]} <{major_of(coerced) + 1}"


def _auth(tool: Tool, has_secrets: bool) -> dict[str, Any]:
    login = tool.authentication
    if login is None or login.required is False:
        return {}
    auth: dict[str, Any] = {"ref": "./SECRETS.md"} if has_secrets else {}
    names = [method.env_var for method in login.methods or () if method.env_var]
    if names:
        auth["state"] = {"env": names}
    command = next((m.setup_command for m in login.methods or () if m.setup_command), None)
    if command:
        auth["login"] = {"cmd": command, "interactive": True}
        if login.check_command:
            auth["login"]["completes_when"] = {"cmd": login.check_command, "exit_code": 0}
    return auth


def _secrets(tool: Tool) -> list[dict[str, Any]]:
    methods = tool.authentication.methods if tool.authentication else None
    secrets: dict[str, dict[str, Any]] = {}
    for method in methods or ():
        if method.env_var and re.fullmatch(r"[A-Z_][A-Z0-9_]*", method.env_var):
            slug = slug_of(method.env_var)
            secrets[slug] = {
                "slug": slug if slug[0].isalpha() else f"x-{slug}",
                "name": method.env_var,
                "description": _line(method.description or "", 300)
                or f"Read by {tool.name} from {method.env_var}.",
                "exposures": [{"kind": "env", "name": method.env_var, "field": "value"}],
            }
    return list(secrets.values())


def _put(commands: dict[str, Any], words: tuple[str, ...], ref: str) -> None:
    """Add a leaf to the tree; a leaf that is also a group gets the key `.` (P18)."""
    node = commands
    for word in words[:-1]:
        inner = node.get(word)
        if not isinstance(inner, dict):
            node[word] = {".": inner} if inner is not None else {}
        node = node[word]
    last = words[-1] if words else "."
    if isinstance(node.get(last), dict):
        node[last]["."] = ref
    else:
        node[last] = ref


def _tool_text(content: BundleContent, words: tuple[str, ...], command: Command) -> str:
    tool = content.tool
    items: list[Item] = [*(command.options or ()), *(command.arguments or ())]
    keys = _keys(items)
    name = " ".join((tool.name, *words))
    effects = ceiling_of(tool, words, command)
    mutates, risk = mutations(effects)
    fields: dict[str, Any] = {
        "name": clean_text(name)[:80],
        "id": _tool_id(tool.name, words),
        "description": _line(command.description, 2000) or f"Runs {name}.",
        "version": "1.0.0",
        "inputs": _inputs(items, keys),
        "outputs": {"type": "object", "properties": {"stdout": {"type": "string"}}},
    }
    if effects.idempotent is not None:
        fields["idempotent"] = effects.idempotent
    if mutates:
        fields["mutates"] = mutates
    fields["approval"] = "always" if risk == 3 else "on-mutate" if mutates else "auto"
    fields["risk_level"] = risk
    fields["runner"] = {"cli": "../../CLI.md", "argv": [*words, *_template(items, keys)]}
    narrowed = narrowing_of(effects)
    if narrowed:
        fields["metadata"] = {"sandbox": narrowed}
    return render_document(fields)


def _tool_id(name: str, words: tuple[str, ...]) -> str:
    identity = ".".join(slug_of(word) for word in (name, *words))[:80].rstrip(".-")
    return identity if len(identity) > 1 else f"{identity}-cli"


def _keys(items: Sequence[Item]) -> list[str]:
    """Names of inputs: identifiers, each once."""
    keys: list[str] = []
    for item in items:
        key = re.sub(r"[^A-Za-z0-9_]+", "_", item.name).strip("_") or "value"
        while key in keys:
            key += "_"
        keys.append(key)
    return keys


def _inputs(items: Sequence[Item], keys: list[str]) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            key: {**parameter_schema(item), "description": _line(item.description, 200)}
            for key, item in zip(keys, items, strict=True)
        },
        "additionalProperties": False,
    }
    required = [key for key, item in zip(keys, items, strict=True) if item.is_required]
    return {**schema, "required": required} if required else schema


def _template(items: Sequence[Item], keys: list[str]) -> list[str]:
    words: list[str] = []
    for key, item in zip(keys, items, strict=True):
        flags = getattr(item, "flags", None)
        if flags is None:
            words.append(
                f"${{input.{key}}}" if item.is_required else f"${{input.{key} | optional}}"
            )
            continue
        flag = next(
            (flag for flag in flags if flag.startswith("--")), flags[0] if flags else f"--{key}"
        )
        if item.type == "boolean":
            words.append(f"${{input.{key} | flag('{flag}')}}")
        elif flag.startswith("--"):
            # one word: no value can be taken for the next option
            words.append(f"{flag}=${{input.{key}{'' if item.is_required else ' | optional'}}}")
        else:
            words.append(f"${{input.{key} | optional('{flag}')}}")
    return words


def _examples(tool: Tool) -> list[dict[str, str]]:
    examples = [
        {"goal": _line(pattern.name or pattern.description, 200), "cmd": pattern.steps[0].command}
        for pattern in tool.patterns or ()
        if len(pattern.steps) == 1 and pattern.name
    ]
    return examples[:20]


def _intents(content: BundleContent, commands: dict[str, Any], files: dict[str, str]) -> list[str]:
    """Write up to MAX_INTENTS shortcuts: the first patterns that run one command. Returns their paths."""
    from atip.codecs.climd.check import leaves

    refs = dict(leaves(commands))
    paths: list[str] = []
    for pattern in content.tool.patterns or ():
        if len(paths) == MAX_INTENTS or len(pattern.steps) != 1:
            continue
        words = tuple(pattern.steps[0].command.split()[1:])
        target = next(
            (refs[words[:n]] for n in range(len(words), 0, -1) if words[:n] in refs), None
        )
        name = slug_of(pattern.name)
        path = f"intents/{name}/INTENT.md"
        if target is None or path in files:
            continue
        fields = {
            "name": _line(pattern.name, 80),
            "id": f"{slug_of(content.tool.name)}.{name}"[:80].rstrip(".-"),
            "label": _line(pattern.name, 80),
            "description": _line(pattern.description or pattern.name, 300),
            "version": "1.0.0",
            "intent": [_line(pattern.name, 200), *(_line(tag, 200) for tag in pattern.tags or ())],
            "surfaces": ["chat", "api"],
            "implements": [{"tool": target, "default": True}],
        }
        files[path] = render_document(fields)
        paths.append(f"./{path}")
    return paths


def _body(content: BundleContent) -> str:
    tool = content.tool
    link = content.homepage or tool.homepage or ""
    reference = f"- {_line(link, 200)}" if link else f"- `{tool.name} --help`, `man {tool.name}`"
    about = json.dumps(_line(tool.description, 500) or tool.name, ensure_ascii=False)[1:-1]
    return (
        f"\n## When to reach for this CLI\n\n{about}\n\n"
        "## Gotchas\n\n- The sandbox above covers observed and documented behavior; a host asks before it grants more.\n\n"
        f"## Debugging\n\n- `atip bundle doctor` in this folder lists what is missing and how to get it.\n\n"
        f"## Reference\n\n{reference}\n"
    )
