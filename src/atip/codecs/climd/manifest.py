"""The fields of a CLI.md as values: install, version check, setup, auth, output, requirements, commands.

Reads fields that `check.py` has checked. An invalid value that lenient checking accepted counts as
absent, except in fields that decide about safety. Implements AIP-29 "Frontmatter" to "Stable identity".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.climd.check import is_placeholder, leaves
from atip.errors import FormatError
from atip.model.effects import NO_EXTRA
from atip.model.problems import Problem
from atip.model.text.durations import parse_duration
from atip.model.text.version_ranges import major_of
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_CHECK_MS = 5_000
DEFAULT_STEP_MS = 60_000
DEFAULT_CALLBACK_MS = 600_000
MEANINGS: Mapping[int, str] = {
    0: "ok",
    1: "error",
    2: "usage_error",
    4: "auth_required",
    124: "timeout",
    137: "killed",
}
"""Reserved meanings of exit codes; a bundle may override them for its program."""


class InstallEntry(Value):
    """One way to get the program. `sha256` None: absent, or a placeholder (P2)."""

    method: str
    package: str = ""
    url: str = ""
    path: str = ""
    extract_bin: str = ""
    sha256: str | None = None
    has_placeholder: bool = False
    globally: bool = False
    user: bool = False
    experimental: bool = False


class VersionCheck(Value):
    """Command that prints the version, pattern that finds it, and the accepted range."""

    cmd: str
    parse: str
    range: str
    timeout_s: float = DEFAULT_CHECK_MS / 1000


class CheckCommand(Value):
    """A command whose exit code answers a question."""

    cmd: str
    exit_code: int = 0
    timeout_s: float = DEFAULT_CHECK_MS / 1000


class Persist(Value):
    """Destination of a step's value; exactly one is set."""

    env: str | None = None
    secret_slug: str | None = None
    cmd: str | None = None


class BundleStep(Value):
    """One step of `setup`."""

    id: str
    kind: str
    description: str = ""
    cmd: str = ""
    prompt: str = ""
    type: str = "text"
    default: str | None = None
    options: tuple[str, ...] = ()
    options_cmd: str | None = None
    secret_slug: str = ""
    url: str = ""
    callback_param: str | None = None
    """Query parameter of the callback that holds the value; None: no callback is waited for."""
    timeout_s: float = DEFAULT_STEP_MS / 1000
    interactive: bool = False
    skip_if: CheckCommand | None = None
    persist: Persist | None = None


class LoginSpec(Value):
    cmd: str
    interactive: bool = False
    requires_callback_url: bool = False
    completes_when: CheckCommand | None = None


class Auth(Value):
    """The login surface. A manifest without one has no `Auth` at all."""

    ref: str | None = None
    paths: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    login: LoginSpec | None = None
    refresh_cmd: str | None = None
    refresh_every_s: float | None = None
    expiry_code: int | None = None


class Output(Value):
    """Format and streams of a command's results, and the meaning of its exit codes."""

    format: str = "text"
    json_flag: str | None = None
    json_flag_args: tuple[str, ...] = ()
    exit_codes: Mapping[int, str] = MEANINGS
    stream: str = "stdout"
    error_stream: str = "stderr"


class Requires(Value):
    os: tuple[str, ...] = ()
    arch: tuple[str, ...] = ()
    min_disk_mb: int = 0
    min_memory_mb: int = 0


class CliManifest(Value):
    """A CLI.md."""

    id: str
    name: str
    description: str
    version: str
    bin: str
    bin_args: tuple[str, ...] = ()
    install: tuple[InstallEntry, ...] = ()
    version_check: VersionCheck
    setup: tuple[BundleStep, ...] = ()
    auth: Auth | None = None
    runner: object = None
    sandbox: Mapping[str, Any]
    output: Output = Output()
    commands: tuple[tuple[tuple[str, ...], str], ...] = ()
    """Words and TOOL.md reference of every leaf."""
    intents: tuple[str, ...] = ()
    requires: Requires = Requires()
    examples: tuple[tuple[str, str], ...] = ()
    """Goal and command."""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = NO_EXTRA
    fields: Mapping[str, Any] = NO_EXTRA
    """The front matter as it was."""

    @property
    def key(self) -> str:
        """Key in caches, audit and registrations: two major versions are two bundles."""
        return f"{self.id}@{major_of(self.version)}"


def read_manifest(fields: Mapping[str, Any]) -> CliManifest:
    """Read the fields of a CLI.md.

    Raises:
        FormatError: `climd.missing-field` when a field that every use needs is missing.
    """
    missing = [
        name
        for name, kind in (
            *(("id", str), ("bin", str), ("version_check", dict)),
            *(("sandbox", dict), ("commands", dict), ("install", list)),
        )
        if not isinstance(fields.get(name), kind)
    ]
    if missing:
        raise FormatError(
            "climd.missing-field",
            f"a bundle needs {', '.join(f'`{name}`' for name in missing)}",
            problems=[
                Problem(
                    path=f"$.{name}", code="climd.missing-field", message=f"`{name}` is missing"
                )
                for name in missing
            ],
        )
    commands: dict[str, Any] = fields["commands"]
    return CliManifest(
        id=fields["id"],
        name=_text(fields, "name") or fields["id"],
        description=_text(fields, "description") or "",
        version=_text(fields, "version") or "0.0.0",
        bin=fields["bin"],
        bin_args=_texts(fields, "bin_args"),
        install=tuple(_entry(entry) for entry in fields["install"] if isinstance(entry, dict)),
        version_check=_version_check(fields["version_check"]),
        setup=tuple(_step(step) for step in _objects(fields, "setup")),
        auth=_auth(fields.get("auth")),
        runner=fields.get("runner"),
        sandbox=fields["sandbox"],
        output=_output(fields.get("output")),
        commands=tuple(leaves(commands)),
        intents=tuple(
            ref
            for item in (*_objects(fields, "intents"), *_objects(fields, "actions"))
            if (ref := _text(item, "ref"))
        ),
        requires=_requires(fields.get("requires")),
        examples=tuple(
            (_text(item, "goal") or "", _text(item, "cmd") or "")
            for item in _objects(fields, "examples")
        ),
        tags=_texts(fields, "tags"),
        metadata=_object(fields, "metadata"),
        fields=dict(fields),
    )


def _entry(entry: Mapping[str, Any]) -> InstallEntry:
    declared_hash = entry.get("verify_sha256")
    placeholder = is_placeholder(declared_hash)
    return InstallEntry(
        method=_text(entry, "method") or "",
        package=_text(entry, "package") or "",
        url=_text(entry, "url") or "",
        path=_text(entry, "path") or "",
        extract_bin=_text(entry, "extract_bin") or "",
        sha256=declared_hash.lower()
        if isinstance(declared_hash, str) and not placeholder
        else None,
        has_placeholder=placeholder,
        globally=entry.get("global") is True,
        user=entry.get("user") is True,
        experimental=entry.get("experimental") is True,
    )


def _version_check(block: Mapping[str, Any]) -> VersionCheck:
    return VersionCheck(
        cmd=_text(block, "cmd") or "",
        parse=_text(block, "parse") or "",
        range=_text(block, "range") or "*",
        timeout_s=_seconds(block, DEFAULT_CHECK_MS),
    )


def read_check(block: object) -> CheckCommand | None:
    """`skip_if`, `completes_when`."""
    if not isinstance(block, dict) or not isinstance(block.get("cmd"), str):
        return None
    code = block.get("exit_code", 0)
    return CheckCommand(
        cmd=block["cmd"],
        exit_code=code if isinstance(code, int) else 0,
        timeout_s=_seconds(block, DEFAULT_CHECK_MS),
    )


def _step(step: Mapping[str, Any]) -> BundleStep:
    callback = step.get("callback")
    options = step.get("options")
    kind = _text(step, "kind") or ""
    timeout = _seconds(step, DEFAULT_STEP_MS)
    if isinstance(callback, dict):
        timeout = _seconds(callback, DEFAULT_CALLBACK_MS)
    return BundleStep(
        id=_text(step, "id") or "",
        kind=kind,
        description=_text(step, "description") or "",
        cmd=_text(step, "cmd") or "",
        prompt=_text(step, "prompt") or "",
        type=_text(step, "type") or "text",
        default=_text(step, "default"),
        options=_texts(step, "options") if isinstance(options, list) else (),
        options_cmd=_text(options, "cmd") if isinstance(options, dict) else None,
        secret_slug=_text(step, "secret_slug") or "",
        url=_text(step, "url") or "",
        callback_param=(_text(callback, "param") or "code") if isinstance(callback, dict) else None,
        timeout_s=timeout,
        interactive=step.get("interactive") is True,
        skip_if=read_check(step.get("skip_if")),
        persist=_persist(step.get("persist")),
    )


def _persist(block: object) -> Persist | None:
    if not isinstance(block, dict):
        return None
    targets = {name: _text(block, name) for name in ("env", "secret_slug", "cmd")}
    if sum(value is not None for value in targets.values()) != 1:
        raise FormatError(
            "climd.persist", "`persist` must set exactly one of `env`, `secret_slug` and `cmd`"
        )
    return Persist(**targets)


def _auth(block: object) -> Auth | None:
    if not isinstance(block, dict):
        return None
    state, login = _object(block, "state"), block.get("login")
    refresh, expiry = _object(block, "refresh"), _object(block, "expiry")
    every = parse_duration(_text(refresh, "every") or "")
    detect = (_text(expiry, "detect") or "").partition(":")
    return Auth(
        ref=_text(block, "ref"),
        paths=_texts(state, "paths"),
        env=_texts(state, "env"),
        login=_login(login) if isinstance(login, dict) and login.get("cmd") else None,
        refresh_cmd=_text(refresh, "cmd"),
        refresh_every_s=every[1] if every else None,
        expiry_code=int(detect[2]) if detect[0] == "exit_code" and detect[2].isdigit() else None,
    )


def _login(block: Mapping[str, Any]) -> LoginSpec:
    return LoginSpec(
        cmd=_text(block, "cmd") or "",
        interactive=block.get("interactive") is True,
        requires_callback_url=block.get("requires_callback_url") is True,
        completes_when=read_check(block.get("completes_when")),
    )


def _output(block: object) -> Output:
    if not isinstance(block, dict):
        return Output()
    codes = {
        int(code): meaning
        for code, meaning in _object(block, "exit_codes").items()
        if code.isdigit() and isinstance(meaning, str)
    }
    return Output(
        format=_text(block, "default_format") or "text",
        json_flag=_text(block, "json_flag"),
        json_flag_args=_texts(block, "json_flag_args"),
        exit_codes={**MEANINGS, **codes},
        stream=_text(block, "stream") or "stdout",
        error_stream=_text(block, "error_stream") or "stderr",
    )


def _requires(block: object) -> Requires:
    if not isinstance(block, dict):
        return Requires()
    return Requires(
        os=_texts(block, "os"),
        arch=_texts(block, "arch"),
        min_disk_mb=_positive_integer(block, "min_disk_mb"),
        min_memory_mb=_positive_integer(block, "min_memory_mb"),
    )


def _text(block: Mapping[str, Any], name: str) -> str | None:
    value = block.get(name)
    return value if isinstance(value, str) else None


def _texts(block: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = block.get(name)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _object(block: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = block.get(name)
    return value if isinstance(value, dict) else NO_EXTRA


def _objects(block: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    value = block.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _positive_integer(block: Mapping[str, Any], name: str) -> int:
    value = block.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _seconds(block: Mapping[str, Any], default_ms: int) -> float:
    return (_positive_integer(block, "timeout_ms") or default_ms) / 1000
