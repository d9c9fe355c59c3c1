"""The `sandbox:` block of a bundle as a Confinement: places of the workspace made absolute, login state granted.

`./inventory/**` means below the workspace, which only a host knows; `model.permissions.sandbox_block` judges absolute places.
Implements AIP-29 "Sandbox", "Auth" `state`; RESOLUTIONS P9, P19, P22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.model.permissions.narrowing import check_narrowing, inherit
from atip.model.permissions.sandbox_block import read_sandbox
from atip.model.text.globs import parse_glob

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.model.permissions.confinement import Confinement

WORKSPACE = "/workspace"
"""Stands for the workspace where there is none yet."""


def absolute_block(block: Any, workspace: str = WORKSPACE) -> Any:
    """The same block with `./x` and `x/**` as absolute places; other entries untouched."""
    files = block.get("fs") if isinstance(block, dict) else None
    if not isinstance(files, dict):
        return block
    made = {
        key: [_absolute(entry, workspace) for entry in entries]
        if isinstance(entries, list)
        else entries
        for key, entries in files.items()
    }
    return {**block, "fs": made}


def _absolute(entry: object, workspace: str) -> object:
    if not isinstance(entry, str) or not entry or entry.startswith(("/", "~", "**/")):
        return entry
    rest = entry.removeprefix("./")
    if entry in (".", "./"):
        return workspace
    return f"{workspace.rstrip('/')}/{rest}"


def bundle_confinement(
    block: Any,
    *,
    workspace: str = WORKSPACE,
    state_paths: Sequence[str] = (),
    state_env: Sequence[str] = (),
) -> Confinement:
    """What a bundle asks for, login state included.

    Raises:
        FormatError: `sandbox.block` with all problems.
    """
    asked = read_sandbox(absolute_block(block, workspace))
    paths = [path for path in map(as_subtree, state_paths) if not _is_denied(path, asked.fs_deny)]
    return asked.replace(
        fs_read=_added(asked.fs_read, paths),
        fs_write=_added(asked.fs_write, paths),
        env_pass=_added(asked.env_pass, state_env),
    )


def as_subtree(path: str) -> str:
    """A state path is a folder with all in it (P22); one with a wildcard or a file's ending stays."""
    if any(sign in path for sign in "*?[") or "." in path.rstrip("/").rpartition("/")[2][1:]:
        return path
    return path.rstrip("/") + "/**"


def _is_denied(path: str, denied: Sequence[str]) -> bool:
    """SECURITY: `fs.deny` wins over login state too."""
    try:
        wanted = parse_glob(path)
    except FormatError:
        return True
    return any(
        parse_glob(entry).surely_covers(wanted) or wanted.surely_covers(parse_glob(entry))
        for entry in denied
    )


def _added(entries: tuple[str, ...], more: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*entries, *more)))


def tool_confinement(
    parent_block: Any,
    parent: Confinement,
    child: Mapping[str, Any] | None,
    *,
    workspace: str = WORKSPACE,
) -> Confinement:
    """What one tool of the bundle asks for: the bundle's, or less.

    Raises:
        FormatError: `sandbox.widened` with every place where the tool asks for more.
    """
    if child is None:
        return parent
    absolute = absolute_block(child, workspace)
    problems = check_narrowing(absolute_block(parent_block, workspace), absolute)
    if problems:
        raise FormatError(
            "sandbox.widened",
            f"the tool asks for more than its bundle: {problems[0].message}",
            problems=problems,
        )
    return inherit(parent, absolute)
