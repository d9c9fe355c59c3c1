"""Steps of `init`: the guard's hook and the MCP entry of each client, and the note in AGENTS.md.

Each step reads the file when it is planned, so that two steps may change the same file one after the other.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from atip.cli.guard.installation import clients as guard_clients
from atip.cli.guard.installation.installing import GuardChange, Scope, plan_install, plan_uninstall
from atip.codecs.context_snippets import ATIP
from atip.errors import FormatError
from atip.model.value import Value
from atip.server.configuration import clients as mcp_clients
from atip.server.configuration.json_lists import remove_value
from atip.server.configuration.settings_file import load_text, parse_settings
from atip.server.configuration.toml_edit import remove_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BEGIN, END = "<!-- atip -->", "<!-- /atip -->"
_SERVE = ("mcp", "serve")


class SetupStep(Value):
    """One part of the setup: `kind` is `guard`, `mcp` or `agents`; `client` is empty for `agents`."""

    kind: str
    client: str = ""

    @property
    def title(self) -> str:
        """One line that describes the step."""
        if self.kind == "agents":
            return "AGENTS.md: how an agent finds and checks local tools"
        name = guard_clients.find_client(self.client).title
        return f"{name}: {'judge every shell line' if self.kind == 'guard' else 'serve local tools over MCP'}"


def steps_for(names: Iterable[str], *, has_project: bool) -> list[SetupStep]:
    """The steps for these clients; AGENTS.md only in a project."""
    steps: list[SetupStep] = []
    for name in names:
        steps.append(SetupStep(kind="guard", client=name))
        if name in mcp_clients.CLIENTS:
            steps.append(SetupStep(kind="mcp", client=name))
    return [*steps, *([SetupStep(kind="agents")] if has_project else [])]


def plan_step(step: SetupStep, scope: Scope, program: str) -> list[GuardChange]:
    """Return the file changes of a step.

    Raises:
        FormatError: `config.damaged`, `config.elsewhere`.
    """
    if step.kind == "guard":
        client = guard_clients.find_client(step.client)
        return plan_install(client, scope, program=program, limiter=shutil.which("timeout") or "")
    if step.kind == "mcp":
        server = mcp_clients.find_client(step.client)
        entry = mcp_clients.entry_of(server, program, _SERVE)
        change = mcp_clients.plan_change(server, _mcp_path(step, scope), entry)
        return [GuardChange(path=change.path, before=change.before, after=change.after)]
    path = os.path.join(scope.cwd, "AGENTS.md")
    before = load_text(path)
    return [GuardChange(path=path, before=before, after=_with_note(before or ""))]


def plan_removal(step: SetupStep, scope: Scope) -> list[GuardChange]:
    """Return the file changes that remove our entries; everything else stays."""
    if step.kind == "guard":
        return plan_uninstall(guard_clients.find_client(step.client), scope)
    path = _mcp_path(step, scope) if step.kind == "mcp" else os.path.join(scope.cwd, "AGENTS.md")
    before = load_text(path)
    if before is None:
        return []
    after = _without_server(step, before, path) if step.kind == "mcp" else _without_note(before)
    return [GuardChange(path=path, before=before, after=after)]


def _mcp_path(step: SetupStep, scope: Scope) -> str:
    return mcp_clients.place_of(
        mcp_clients.find_client(step.client),
        home=scope.home,
        cwd=scope.cwd,
        project=scope.project,
        apple=sys.platform == "darwin",
    )


def _without_server(step: SetupStep, text: str, path: str) -> str:
    client = mcp_clients.find_client(step.client)
    keys = (*client.keys, mcp_clients.NAME)
    document = parse_settings(text, client.syntax, path)
    if not _has(document, keys):
        return text
    return remove_table(text, keys) if client.syntax == "toml" else remove_value(text, keys)


def _has(document: object, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True


def _with_note(text: str) -> str:
    if BEGIN in text:
        return text
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{BEGIN}\n{ATIP}{END}\n"


def _without_note(text: str) -> str:
    start, end = text.find(BEGIN), text.find(END)
    if start < 0:
        return text
    if end < start:
        raise FormatError(
            "config.elsewhere",
            f"AGENTS.md has `{BEGIN}` without `{END}`; remove the note by hand",
        )
    head, tail = text[:start], text[end + len(END) :]
    return (head.rstrip("\n") + "\n" if head.strip() else "") + tail.removeprefix("\n")
