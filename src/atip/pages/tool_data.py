"""Content of the page of a tool or a command as plain data: the JSON beside it, and all that templates see. Pure.

Texts are whole here, but for control characters made visible; templates cut what is too long to be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.observed import read_observed
from atip.model.text.visible_text import clean
from atip.model.tool import BOOLEAN, MISSING, Command
from atip.model.view.signature import signature
from atip.pages.badges import added_by, option_facts
from atip.pages.claims import ToolClaims
from atip.pages.names import page_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.model.tool import Argument, Authentication, Option, Path, Tool

    Data = dict[str, Any]

_WEB = ("https://", "http://")
_NONE = ()
"""Of most options there is nothing to say: one empty list for all of them."""


def tool_data(tool: Tool, claims: ToolClaims | None = None) -> Data:
    """The page of a tool, without what only its registry knows (versions, hashes, changes)."""
    claims = claims or ToolClaims(tool)
    own = Command(
        options=tool.options, arguments=tool.arguments, commands=tool.commands, extra=tool.extra
    )
    data = _node(tool, (), own, claims)
    if not tool.commands and tool.global_options:
        options = (*(tool.options or ()), *tool.global_options)
        data["synopsis"] = clean(signature(tool, (), own.replace(options=options)))
    data["description"] = clean(tool.description)
    if tool.commands:
        # What the bare name does (it prints help) says little of a tool that has commands.
        data["bare"] = claims.badges(())
    data["badges"] = claims.tool_badges()
    data["effects"] = claims.tool_effects()
    data |= {
        "homepage": clean(tool.homepage or ""),
        "link": web_link(tool.homepage),
        "license": clean(tool.license or ""),
        "version": clean(tool.version),
        "source": clean(tool.trust.source or "") if tool.trust else "",
        "globalOptions": _options(tool.global_options),
        "examples": _texts(tool.examples),
        "patterns": [
            {
                "name": clean(pattern.name),
                "description": clean(pattern.description),
                "steps": [clean(step.command) for step in pattern.steps],
            }
            for pattern in tool.patterns or ()
        ],
        "authentication": _authentication(tool.authentication),
    }
    return data


def command_data(
    tool: Tool, path: Path, command: Command, claims: ToolClaims | None = None
) -> Data:
    """The page of one command."""
    claims = claims or ToolClaims(tool)
    data = _node(tool, path, command, claims)
    data["badges"] = claims.badges(path)
    data["effects"] = claims.effects(path)
    data["parents"] = [
        {"name": clean(tool.name), "address": page_address(tool.name)},
        *(
            {"name": clean(path[end - 1]), "address": page_address(tool.name, path[:end])}
            for end in range(1, len(path))
        ),
    ]
    data["aliases"] = _texts(command.aliases)
    data["examples"] = _texts(command.examples)
    deprecated = command.deprecated
    data["deprecated"] = clean(deprecated) if isinstance(deprecated, str) else bool(deprecated)
    return data


def _node(tool: Tool, path: Path, command: Command, claims: ToolClaims) -> Data:
    return {
        "tool": clean(tool.name),
        "path": [clean(part) for part in path],
        "name": clean(" ".join((tool.name, *path))),
        "address": page_address(tool.name, path),
        "description": clean(command.description),
        "synopsis": clean(signature(tool, path, command)),
        "arguments": [_argument(one) for one in command.arguments or ()],
        "options": _options(command.options),
        "commands": [
            _child(tool, (*path, name), child, claims)
            for name, child in (command.commands or {}).items()
            if name and not child.hidden
        ],
        "evidence": evidence_list(command.own),
    }


def _child(tool: Tool, path: Path, command: Command, claims: ToolClaims) -> Data:
    return {
        "name": clean(path[-1]),
        "address": page_address(tool.name, path),
        "description": _saying(command.description, path[-1]),
        "badges": claims.badges(path),
        "commands": len(command.commands or ()),
    }


def _argument(argument: Argument) -> Data:
    return {
        "name": clean(argument.name),
        "type": clean(argument.type),
        "required": argument.is_required,
        "variadic": bool(argument.variadic),
        "description": clean(argument.description),
        "choices": [clean(str(choice)) for choice in argument.enum] if argument.enum else [],
        "evidence": evidence_list(_own(argument.extra)) if argument.extra else [],
    }


def _options(options: Iterable[Option] | None) -> list[Data]:
    return [_option(one) for one in options or () if not one.hidden]


def _option(option: Option) -> Data:
    enum, default, variable, kind = option.enum, option.default, option.env_var, option.type
    data: Data = {
        "flags": [clean(flag) for flag in option.flags] or [clean(option.name)],
        "value": "" if kind == BOOLEAN else clean(kind),
        "description": _saying(option.description, option.name),
        "required": option.required is True,
        "choices": [clean(str(choice)) for choice in enum] if enum else _NONE,
        "default": "" if default is MISSING else clean(str(default)),
        "variable": clean(variable) if variable else "",
        "adds": _NONE,
        "evidence": _NONE,
        "conflicts": _NONE,
    }
    if option.extra:
        _add_own(data, option)
    return data


def _add_own(data: Data, option: Option) -> None:
    """Add the facts of our vendor block about an option to its data."""
    own = option.own
    data["evidence"], data["conflicts"] = evidence_list(own), _conflicts(own)
    if own:
        data["adds"] = added_by(option_facts(option))
        if own.get("runs"):
            data["adds"].append({"fact": "runs", "state": "may", "label": "runs what it names"})
        if own.get("dryRun"):
            data["adds"].append({"fact": "dry-run", "state": "safe", "label": "dry run"})


def _authentication(told: Authentication | None) -> Data | None:
    if told is None:
        return None
    return {
        "required": told.required,
        "methods": [
            {
                "type": clean(method.type or ""),
                "variable": clean(method.env_var or ""),
                "setup": clean(method.setup_command or ""),
            }
            for method in told.methods or ()
        ],
    }


def _saying(description: str, name: str) -> str:
    """A description, unless it only repeats the name."""
    if len(description) <= len(name):
        bare = name.strip("-").replace("-", " ").lower()
        if description.replace("-", " ").lower() == bare:
            return ""
    return clean(description)


def _own(extra: Mapping[str, object]) -> Mapping[str, object]:
    """Our vendor block of a part that has no property for it."""
    found = extra.get("x-atip")
    return found if isinstance(found, dict) else {}


def _conflicts(own: Mapping[str, object]) -> list[str]:
    """Contradictions between sources, in words."""
    found = own.get("conflicts") if own else None
    return [clean(str(one)) for one in found] if isinstance(found, list) else []


def evidence_list(own: Mapping[str, object]) -> list[str]:
    """Sources of the facts of a vendor block, in words."""
    if not own:
        return []
    evidence = own.get("evidence")
    found: list[str] = []
    if (block := read_observed(own)) is not None and block.cases:
        found.append(f"observed in {block.cases} cases: {clean(', '.join(sorted(block.names)))}")
    for entry in evidence if isinstance(evidence, list) else [evidence]:
        if isinstance(entry, str):
            found.append(clean(entry))
        elif isinstance(entry, dict):
            lines = entry.get("lines")
            where = f" lines {lines[0]}–{lines[-1]}" if isinstance(lines, list) and lines else ""
            found.append(clean(f"{entry.get('source', 'unknown')}{where}"))
    return found


def web_link(address: str | None) -> str:
    """An address that may be followed from a page; empty for anything that is not plainly one of the web."""
    if not address or not address.startswith(_WEB) or len(address) > 500:
        return ""
    return address if address.isascii() and address.isprintable() and " " not in address else ""


def _texts(texts: Iterable[str] | None) -> list[str]:
    return [clean(text) for text in texts] if texts else []
