"""Installing the hook: which files change, and how.

    (1) read each file as its client reads it; a damaged one is refused, never repaired
    (2) change the text where our hook stands or belongs, and nowhere else (`settings.py`)
    (3) parse the result: our hook is there – or gone –, and nothing else is different
    (4) keep a copy of the old file beside it, then replace the file atomically

Codex calls only hooks whose hash is trusted in the user's configuration, so that entry is a separate change.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.cli.guard.installation import plugin, settings
from atip.cli.guard.installation.clients import LIMIT_S, handler_of, hook_command
from atip.errors import FormatError, NotFoundError
from atip.model.value import Value
from atip.server.configuration.settings_file import load_text, parse_settings, replace_text
from atip.server.configuration.toml_edit import put_table, remove_table
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.cli.guard.installation.clients import GuardClient

_LABELS = {"PreToolUse": "pre_tool_use", "PermissionRequest": "permission_request"}
_CODEX_CONFIG = ".codex/config.toml"


class GuardChange(Value):
    """One file that changes."""

    path: str
    before: str | None
    """None: there is no file yet."""
    after: str | None
    """None: the file is deleted."""


class Scope(Value):
    """Scope of an installed hook: for the user, or in a project."""

    home: str
    cwd: str
    project: bool = False


def file_of(client: GuardClient, scope: Scope) -> str:
    """The file of a client.

    Raises:
        NotFoundError: `guard.no-project-file`.
    """
    if scope.project:
        if not client.project:
            raise NotFoundError(
                "guard.no-project-file",
                f"{client.title} has no hooks for a project",
                hint="install it for the user: omit `--project`",
            )
        return os.path.join(scope.cwd, client.project)
    paths = [os.path.join(scope.home, name) for name in client.user]
    return next((path for path in paths if os.path.isdir(os.path.dirname(path))), paths[0])


def plan_install(
    client: GuardClient, scope: Scope, *, program: str, limiter: str
) -> list[GuardChange]:
    """Return the changes that install the hook.

    Raises:
        FormatError: `config.damaged`, `config.elsewhere`.
    """
    path = file_of(client, scope)
    before = load_text(path)  # (1)
    if client.kind == "plugin":
        _refuse_foreign_plugin(path, before)
        after = plugin.plugin_text(program, LIMIT_S, client.without)
        return [GuardChange(path=path, before=before, after=after)]
    handlers = {
        event: handler_of(client, event, hook_command(client, event, program, limiter))
        for event in client.events
    }
    after = settings.with_hooks(client, before or "", handlers, path)  # (2)
    _check(client, path, before, after, [handlers[event] for event in client.events])  # (3)
    change = _unless_same(GuardChange(path=path, before=before, after=after), client.syntax)
    return [change, *_trust(client, scope, change, add=True)]


def _unless_same(change: GuardChange, syntax: str) -> GuardChange:
    """Leave a text unchanged whose parsed content is equal."""
    before, after = (
        parse_settings(text or "", syntax, change.path) for text in (change.before, change.after)
    )
    return change.replace(after=change.before) if change.before and before == after else change


def plan_uninstall(client: GuardClient, scope: Scope) -> list[GuardChange]:
    """Return the changes that remove our hook; empty: it is not installed.

    Also edits files with comments: they may have been added later, and the client ignores such a file.
    """
    client = client.replace(syntax="jsonc") if client.syntax == "json" else client
    path = file_of(client, scope)
    before = load_text(path)
    if before is None:
        return []
    if client.kind == "plugin":
        _refuse_foreign_plugin(path, before)
        return [GuardChange(path=path, before=before, after=None)]
    after = settings.without_hooks(client, before, path)
    _check(client, path, before, after, [])
    gone = client.name == "copilot" and set(parse_settings(after, client.syntax, path)) <= {"version"}  # fmt: skip
    change = GuardChange(path=path, before=before, after=None if gone else after)
    return [change, *_trust(client, scope, change, add=False)]


def write_changes(changes: Sequence[GuardChange]) -> list[str]:
    """(4) Write the changes; returns the paths of the backups."""
    backups = [replace_text(change.path, change.before, change.after) for change in changes]
    return [path for path in backups if path]


def hooks_of(client: GuardClient, path: str) -> list[tuple[str, dict[str, Any]]]:
    """Our hooks in a file, as (event, hook); empty: none."""
    text = load_text(path)
    if text is None:
        return []
    if client.kind == "plugin":
        command = plugin.command_of(text) if plugin.is_plugin(text) else []
        return [("tool.execute.before", {"argv": command})] if command else []
    document = parse_settings(text, client.syntax, path)
    return [(event, hook) for event, _, hook in settings.find_hooks(client, document)]


def trusted_hash(event: str, matcher: str, handler: Mapping[str, Any]) -> str:
    """The hash that Codex compares before it calls a hook: of the hook in a normal form."""
    normal = {
        "event_name": _LABELS[event],
        "hooks": [
            {
                "async": False,
                "command": handler["command"],
                "timeout": handler["timeout"],
                "type": "command",
            }
        ],
        "matcher": matcher,
    }
    text = json.dumps(normal, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256_hex(text.encode())}"


def _trust(client: GuardClient, scope: Scope, change: GuardChange, *, add: bool) -> list[GuardChange]:  # fmt: skip
    """The change to Codex' own configuration; empty for other clients."""
    if client.name != "codex":
        return []
    path = os.path.join(scope.home, _CODEX_CONFIG)
    before = load_text(path)
    parse_settings(before or "", "toml", path)
    after = before or ""
    matchers = {event.name: event.matcher for event in client.events}
    for text in (change.before, change.after):
        document = parse_settings(text or "", client.syntax, change.path)
        for event, place, _ in settings.find_hooks(client, document):
            after = remove_table(after, _trust_keys(change.path, event, place))
    document = parse_settings(change.after or "", client.syntax, change.path)
    for event, place, hook in settings.find_hooks(client, document) if add else ():
        values = {"trusted_hash": trusted_hash(event, matchers[event], hook)}
        after = put_table(after, _trust_keys(change.path, event, place), values)
    if before is None and not after:
        return []
    _check_toml(path, after)
    return [_unless_same(GuardChange(path=path, before=before, after=after), "toml")]


def _trust_keys(path: str, event: str, place: settings.Place) -> tuple[str, str, str]:
    label = _LABELS.get(event, event)
    return ("hooks", "state", f"{path}:{label}:{place[2]}:{place[4]}")


def _check(
    client: GuardClient, path: str, before: str | None, after: str, expected: list[dict[str, Any]]
) -> None:
    old = parse_settings(before or "", client.syntax, path)
    try:
        new = parse_settings(after, client.syntax, path)
    except FormatError:
        new = None
    hooks = [hook for _, _, hook in settings.find_hooks(client, new)] if new is not None else None
    if client.kind == "flat" and not old:
        old = {"version": 1}
    if hooks is None or _sort_hooks(hooks) != _sort_hooks(expected) or _others(new) != _others(old):
        raise FormatError(
            "config.elsewhere",
            f"`{path}` has this entry in a form that cannot be edited without changing other entries",
            hint=f"edit the file by hand; `atip guard install {client.name} --dry-run` prints the entry",
        )


def _check_toml(path: str, after: str) -> None:
    try:
        parse_settings(after, "toml", path)
    except FormatError as error:
        raise FormatError(
            "config.elsewhere", f"`{path}` has this entry in a form that cannot be edited"
        ) from error


def _sort_hooks(hooks: Sequence[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(hook, sort_keys=True) for hook in hooks)


def _others(value: Any) -> Any:
    """A document without our hooks and without empty values, for comparison."""
    if isinstance(value, list):
        items = [_others(each) for each in value if not settings.is_ours(each)]
        return [item for item in items if item not in ([], {})]
    if not isinstance(value, dict):
        return value
    fields = {key: _others(each) for key, each in value.items()}
    non_empty = {key: field for key, field in fields.items() if field not in ([], {})}
    return {} if "matcher" in value and not non_empty.get("hooks") else non_empty


def _refuse_foreign_plugin(path: str, text: str | None) -> None:
    if text is not None and not plugin.is_plugin(text):
        raise FormatError(
            "config.elsewhere",
            f"`{path}` was not written by atip; it was not changed",
            hint="move the file away first",
        )
