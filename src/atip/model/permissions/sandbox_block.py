"""Reads an AIP-29 `sandbox:` block into a Confinement, strictly: unknown keys are errors.

A block that cannot be understood exactly is refused, never read as "allow". `exec.allow: false` wins
over a filled `spawn` (P9, with a warning). What is read is a request; policy still decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import FormatError
from atip.model.permissions.confinement import Confinement
from atip.model.problems import Problem
from atip.model.text.environment import is_variable_name
from atip.model.text.globs import parse_glob
from atip.model.text.hosts import parse_host_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KEYS: Mapping[str, tuple[str, ...]] = {
    "network": ("egress", "ingress"),
    "fs": ("read", "write", "deny"),
    "exec": ("allow", "spawn"),
    "env": ("pass", "set"),
    "tty": ("required",),
}
"""All that a block may hold (AIP-29 "Sandbox")."""


def check_sandbox(block: object) -> list[Problem]:
    """List all problems of a block."""
    if not isinstance(block, dict):
        return [_problem("$", "sandbox.form", "a sandbox block must be an object")]
    problems: list[Problem] = []
    for section, content in block.items():
        path = f"$.{section}"
        if section not in KEYS:
            problems.append(_problem(path, "sandbox.unknown-key", f"unknown section `{section}`"))
        elif not isinstance(content, dict):
            problems.append(_problem(path, "sandbox.form", f"`{section}` must be an object"))
        else:
            problems += _section(section, content)
    return problems


def read_sandbox(block: object) -> Confinement:
    """A block as a Confinement; what is absent is not allowed.

    Raises:
        FormatError: `sandbox.block` with all problems.
    """
    problems = [problem for problem in check_sandbox(block) if problem.severity == "error"]
    if problems or not isinstance(block, dict):
        raise FormatError("sandbox.block", "the sandbox block is not valid", problems=problems)
    network, fs = block.get("network", {}), block.get("fs", {})
    execution, env = block.get("exec", {}), block.get("env", {})
    return Confinement(
        fs_read=tuple(fs.get("read", ())),
        fs_write=tuple(fs.get("write", ())),
        fs_deny=tuple(fs.get("deny", ())),
        egress=tuple(network.get("egress", ())),
        ingress=tuple(network.get("ingress", ())),
        exec_allow=execution.get("allow", False),
        exec_spawn=tuple(execution.get("spawn", ())),
        env_pass=tuple(env.get("pass", ())),
        env_set=tuple(env.get("set", {}).items()),
        tty=block.get("tty", {}).get("required", False),
    )


def _section(section: str, content: dict[str, object]) -> list[Problem]:
    problems: list[Problem] = []
    for key, value in content.items():
        path = f"$.{section}.{key}"
        if key not in KEYS[section]:
            problems.append(_problem(path, "sandbox.unknown-key", f"unknown key `{section}.{key}`"))
        elif key in ("allow", "required"):
            if not isinstance(value, bool):
                problems.append(_problem(path, "sandbox.form", f"`{key}` must be true or false"))
        elif key == "set":
            problems += _variables(value, path)
        else:
            problems += _entries(value, path, _CHECKS[f"{section}.{key}"])
    if section == "exec" and content.get("allow") is False and content.get("spawn"):
        text = "`spawn` has no effect while `allow` is false"
        problems.append(
            Problem(path="$.exec", code="sandbox.spawn", message=text, severity="warning")
        )
    return problems


def _entries(value: object, path: str, check: Callable[[str], object]) -> list[Problem]:
    if not isinstance(value, list):
        return [_problem(path, "sandbox.form", "must be a list")]
    problems: list[Problem] = []
    for at, entry in enumerate(value):
        where = f"{path}[{at}]"
        if not isinstance(entry, str):
            problems.append(_problem(where, "sandbox.form", "must be a string"))
            continue
        try:
            check(entry)
        except FormatError as error:
            problems.append(_problem(where, error.code, error.message))
    return problems


def _variables(value: object, path: str) -> list[Problem]:
    if not isinstance(value, dict):
        return [_problem(path, "sandbox.form", "must be an object")]
    problems: list[Problem] = []
    for name, content in value.items():
        if not is_variable_name(name) or not isinstance(content, str) or "\0" in content:
            problems.append(
                _problem(
                    f"{path}.{name}", "sandbox.form", "must be a variable name with a string value"
                )
            )
    return problems


def _variable(name: str) -> None:
    if not is_variable_name(name):
        raise FormatError("sandbox.form", f"`{name}` is not a variable name")


def _program(name: str) -> None:
    if not name or "/" in name or "\0" in name or name.startswith("-"):
        raise FormatError("sandbox.form", f"`{name}` is not a bare program name")


def _callback(url: str) -> None:
    if not url or any(ord(character) < 33 for character in url):
        raise FormatError("sandbox.form", f"`{url}` is not a URL")


_CHECKS: Mapping[str, Callable[[str], object]] = {
    "network.egress": parse_host_pattern,
    "network.ingress": _callback,
    "fs.read": parse_glob,
    "fs.write": parse_glob,
    "fs.deny": parse_glob,
    "exec.spawn": _program,
    "env.pass": _variable,
}


def _problem(path: str, code: str, message: str) -> Problem:
    return Problem(path=path, code=code, message=message)
