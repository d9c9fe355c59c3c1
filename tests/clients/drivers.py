"""How each client is started without a person: its arguments in every permission mode, its settings, its scripted model."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import pathlib
import re
import subprocess
import typing

from tests.clients.world import ROOT, World
from tests.simulators.api_server import Recorded, api_server
from tests.simulators.models import anthropic, google, openai
from tests.simulators.models.script import Script

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.simulators.models.script import ToolCall

FOLDER = pathlib.Path(os.environ.get("ATIP_CLIENTS") or ROOT / ".cache/clients")
LIMIT_S = 560


@dataclasses.dataclass(frozen=True)
class Driver:
    """One client."""

    name: str
    program: str
    interface: typing.Any
    shell: ToolCall
    modes: dict[str, tuple[str, ...]]
    """Permission mode → arguments."""
    own_state: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    variables: dict[str, str] = dataclasses.field(default_factory=dict)
    prepare: Callable[[World, str], None] = lambda _world, _address: None
    """Writes what the client needs to find its model; told the world and the model's address."""
    converse: Callable[[Driver, World, str], str] | None = None
    """Plays a person at the client's own protocol, where its modes are not arguments."""

    @property
    def path(self) -> pathlib.Path:
        return FOLDER / self.name / "node_modules/.bin" / self.program

    def run(self, world: World, script: Script, mode: str) -> str:
        """Play the script to its end; what the client printed."""
        with api_server() as model:
            model.answer = functools.partial(self._answer, script)
            self.prepare(world, model.base)
            if mode not in self.modes:
                assert self.converse is not None
                return self.converse(self, world, mode)
            variables = {key: value.format(model=model.base) for key, value in self.variables.items()}  # fmt: skip
            done = subprocess.run(
                [str(self.path), *self.arguments, *self.modes[mode]],
                cwd=world.work,
                env=world.variables(**variables),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
            )
            return f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"

    def _answer(self, script: Script, request: Recorded) -> typing.Any:
        return self.interface.answer(script, request)

    def script(self, steps: Sequence[str | ToolCall]) -> Script:
        return Script(steps=steps, shell=self.shell)


def _codex_settings(world: World, address: str) -> None:
    path = world.home / ".codex/config.toml"
    kept = path.read_text() if path.exists() else ""
    if "[model_providers.loop]" in kept:
        path.write_text(re.sub(r'base_url = ".*"', f'base_url = "{address}/v1"', kept))
        return
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        'model = "scripted"\nmodel_provider = "loop"\ncheck_for_update_on_startup = false\n'
        f"{kept}\n[analytics]\nenabled = false\n"
        f'[model_providers.loop]\nname = "loop"\nbase_url = "{address}/v1"\nwire_api = "responses"\n'
        'env_key = "LOOP_KEY"\nrequest_max_retries = 0\nstream_max_retries = 0\n'
    )


def _opencode_settings(world: World, address: str) -> None:
    path = world.home / ".config/opencode/opencode.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    settings = json.loads(path.read_text()) if path.exists() else {}
    limit = {"context": 200_000, "output": 8_000}
    model = {"name": "scripted", "tool_call": True, "limit": limit}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "loop",
        "options": {"baseURL": f"{address}/v1", "apiKey": "x"},
        "models": {"scripted": model},
    }
    settings |= {
        "autoupdate": False,
        "share": "disabled",
        "model": "loop/scripted",
        "small_model": "loop/scripted",
        "provider": {"loop": provider},
    }
    path.write_text(json.dumps(settings, indent=1))


def _gemini_settings(world: World, _address: str) -> None:
    path = world.home / ".gemini/settings.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(settings, indent=1))


def _codex_server(driver: Driver, world: World, mode: str) -> str:
    from tests.clients.codex_server import converse

    return converse([str(driver.path), "app-server"], world, mode, LIMIT_S)


_CLAUDE_MODES = ("default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions")
DRIVERS = {
    driver.name: driver
    for driver in (
        Driver(
            name="claude-code",
            program="claude",
            interface=anthropic,
            shell=anthropic.SHELL,
            modes={mode: ("--permission-mode", mode) for mode in _CLAUDE_MODES},
            arguments=("-p", "work", "--output-format", "json"),
            own_state=(".claude", ".claude.json", ".claude.json.backup", ".local/bin", ".local/share/claude", ".local/state/claude"),
            variables={
                "ANTHROPIC_BASE_URL": "{model}",
                "ANTHROPIC_API_KEY": "x",
                "DISABLE_TELEMETRY": "1",
                "DISABLE_AUTOUPDATER": "1",
                "DISABLE_ERROR_REPORTING": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "IS_SANDBOX": "1",
            },
        ),
        Driver(
            name="codex",
            program="codex",
            interface=openai,
            shell=openai.CODEX_SHELL,
            modes={
                "exec, read-only": ("--sandbox", "read-only", "work"),
                "exec, workspace-write": ("--sandbox", "workspace-write", "work"),
                "exec, danger-full-access": ("--sandbox", "danger-full-access", "work"),
                "exec, bypass": ("--dangerously-bypass-approvals-and-sandbox", "work"),
            },
            arguments=("exec", "--skip-git-repo-check", "--json"),
            own_state=(".codex",),
            variables={"LOOP_KEY": "x"},
            prepare=_codex_settings,
            converse=_codex_server,
        ),
        Driver(
            name="gemini-cli",
            program="gemini",
            interface=google,
            shell=google.SHELL,
            modes={
                **{mode: ("--approval-mode", mode) for mode in ("default", "auto_edit", "plan", "yolo")},
                "default, shell allowed": ("--allowed-tools", "run_shell_command"),
            },
            arguments=("-m", "gemini-2.5-flash", "-p", "work", "-o", "json", "--skip-trust"),
            own_state=(".gemini",),
            variables={
                "GEMINI_API_KEY": "x",
                "GOOGLE_GEMINI_BASE_URL": "{model}",
                "GEMINI_TELEMETRY_ENABLED": "false",
            },
            prepare=_gemini_settings,
        ),
        Driver(
            name="opencode",
            program="opencode",
            interface=openai,
            shell=openai.OPENCODE_SHELL,
            modes={"build": (), "plan": ("--agent", "plan"), "build, auto": ("--auto",)},
            arguments=("run", "--format", "json", "-m", "loop/scripted", "work"),
            own_state=(".local/share/opencode", ".local/state/opencode", ".config/opencode", ".opencode", ".bun", ".npm", "work/.git/opencode"),
            variables={
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            },
            prepare=_opencode_settings,
        ),
    )
}  # fmt: skip
CODEX_POLICIES = ("untrusted", "on-request", "never")
"""Approval policies of Codex outside of `exec`, where a person who is asked says no."""
