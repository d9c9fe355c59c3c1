"""Our hook in the text of a client's settings file: insert, replace in place, remove. Everything else stays. Pure.

A hook is ours if it calls `atip guard … --for CLIENT`. Callers parse the text before and after.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.server.configuration.json_edit import put_value
from atip.server.configuration.json_lists import append_item, remove_value, replace_value
from atip.server.configuration.settings_file import parse_settings
from atip.server.configuration.toml_edit import append_block, remove_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.cli.guard.installation.clients import GuardClient, HookEvent

    Place = tuple[str | int, ...]
    Handlers = dict[HookEvent, dict[str, Any]]

_OURS = re.compile(r"\bguard(?: hook)? --for\b")


def command_in(handler: Any) -> str:
    """The shell line of a hook; empty: it has none."""
    command = handler.get("command", handler.get("bash")) if isinstance(handler, dict) else None
    return command if isinstance(command, str) else ""


def is_ours(handler: Any) -> bool:
    return _OURS.search(command_in(handler)) is not None


def find_hooks(client: GuardClient, document: Any) -> Iterator[tuple[str, Place, dict[str, Any]]]:
    """Our hooks in a settings document: event, position, the hook itself."""
    hooks = document.get("hooks") if isinstance(document, dict) else None
    if client.kind == "tables":
        for at, hook in enumerate(hooks if isinstance(hooks, list) else ()):
            if is_ours(hook):
                yield str(hook.get("event")), ("hooks", at), hook
        return
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            if client.kind == "flat":
                if is_ours(group):
                    yield event, ("hooks", event, at), group
                continue
            inside = group.get("hooks") if isinstance(group, dict) else None
            for index, each in enumerate(inside if isinstance(inside, list) else ()):
                if is_ours(each):
                    yield event, ("hooks", event, at, "hooks", index), each


def with_hooks(client: GuardClient, text: str, handlers: Handlers, path: str) -> str:
    """Insert each of our hooks once; an existing one is replaced in place."""
    if client.kind == "tables":
        text = remove_blocks(text, "hooks", is_ours)
        for handler in handlers.values():
            text = append_block(text, "hooks", handler)
        return text
    if client.kind == "flat" and not text.strip():
        text = put_value("", ("version",), 1)
    text = _without_others(client, text, handlers, path)
    for event, handler in handlers.items():
        places = _places(client, text, path, event.name)
        if (
            places
            and client.kind == "groups"
            and not _has_matcher(client, text, places[0], event, path)
        ):
            text, places = _remove_hook(client, text, places[0], path), []
        if places:
            text = _replace_hook(text, places[0], handler)
        else:
            group = handler if client.kind == "flat" else _group(event, handler)
            text = append_item(text, ("hooks", event.name), group)
    return text


def _has_matcher(client: GuardClient, text: str, place: Place, event: HookEvent, path: str) -> bool:
    """Whether our hook has the expected matcher."""
    group = _at(parse_settings(text, client.syntax, path), place[:3])
    return isinstance(group, dict) and group.get("matcher", "") == event.matcher


def _replace_hook(text: str, place: Place, handler: dict[str, Any]) -> str:
    return replace_value(text, place, handler)


def _group(event: HookEvent, handler: dict[str, Any]) -> dict[str, Any]:
    return {"matcher": event.matcher, "hooks": [handler]}


def _without_others(client: GuardClient, text: str, handlers: Handlers, path: str) -> str:
    """Remove our hooks for other events, and duplicates."""
    event_names = {event.name for event in handlers}
    document = parse_settings(text, client.syntax, path)
    for name in {event for event, _, _ in find_hooks(client, document)}:
        places = _places(client, text, path, name)
        for place in reversed(places[1:] if name in event_names else places):
            text = _remove_hook(client, text, place, path)
    return text


def without_hooks(client: GuardClient, text: str, path: str) -> str:
    """Remove our hooks, and containers that are empty afterwards."""
    if client.kind == "tables":
        return remove_blocks(text, "hooks", is_ours)
    document = parse_settings(text, client.syntax, path)
    for _, place, _ in reversed(list(find_hooks(client, document))):
        text = _remove_hook(client, text, place, path)
    return text


def _remove_hook(client: GuardClient, text: str, place: Place, path: str) -> str:
    """Remove one hook, with a matcher, an event or `hooks` that is empty afterwards."""
    text = remove_value(text, place)
    while len(place) > 1:
        place = place[:-1]
        remaining = _at(parse_settings(text, client.syntax, path), place)
        if (
            isinstance(remaining, dict)
            and "matcher" in remaining
            and remaining.get("hooks") in ([], None)
        ):
            remaining = None  # a matcher without hooks
        if remaining:
            break
        text = remove_value(text, place)
    return text


def _at(document: Any, place: Place) -> Any:
    for key in place:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _places(client: GuardClient, text: str, path: str, event: str) -> list[Place]:
    document = parse_settings(text, client.syntax, path)
    return [place for name, place, _ in find_hooks(client, document) if name == event]
