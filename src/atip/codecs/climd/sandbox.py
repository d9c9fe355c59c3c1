"""The `sandbox:` block of a bundle as a Confinement: paths in the workspace made absolute, login state granted.

`./inventory/**` means below the workspace, which only a host knows; `model.permissions.sandbox_block` checks absolute paths.
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
"""Placeholder for a workspace that is not known yet."""


def absolute_block(block: Any, workspace: str = WORKSPACE) -> Any:
    """The same block with `./x` and `x/**` as absolute paths; other entries unchanged."""
    files = block.get("fs") if isinstance(block, dict) else None
    if not isinstance(files, dict):
        return block
    absolute = {
        key: [_absolute(entry, workspace) for entry in entries]
        if isinstance(entries, list)
        else entries
        for key, entries in files.items()
    }
    return {**block, "fs": absolute}


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
    """Confinement that a bundle requests, login state included.

    Raises:
        FormatError: `sandbox.block` with all problems.
    """
    requested = read_sandbox(absolute_block(block, workspace))
    paths = [
        path for path in map(as_subtree, state_paths) if not _is_denied(path, requested.fs_deny)
    ]
    return requested.replace(
        fs_read=_add(requested.fs_read, paths),
        fs_write=_add(requested.fs_write, paths),
        env_pass=_add(requested.env_pass, state_env),
    )


def as_subtree(path: str) -> str:
    """A state path is a folder with all in it (P22); one with a wildcard or a file's ending stays."""
    if any(sign in path for sign in "*?[") or "." in path.rstrip("/").rpartition("/")[2][1:]:
        return path
    return path.rstrip("/") + "/**"


def _is_denied(path: str, denied: Sequence[str]) -> bool:
    """SECURITY: `fs.deny` wins over login state too."""
    try:
        target = parse_glob(path)
    except FormatError:
        return True
    return any(
        parse_glob(entry).surely_covers(target) or target.surely_covers(parse_glob(entry))
        for entry in denied
    )


def _add(entries: tuple[str, ...], more: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*entries, *more)))


def tool_confinement(
    parent_block: Any,
    parent: Confinement,
    child: Mapping[str, Any] | None,
    *,
    workspace: str = WORKSPACE,
) -> Confinement:
    """Confinement that one tool of the bundle requests: the bundle's, or less.

    Raises:
        FormatError: `sandbox.widened` with every entry that exceeds the bundle's.
    """
    if child is None:
        return parent
    absolute = absolute_block(child, workspace)
    problems = check_narrowing(absolute_block(parent_block, workspace), absolute)
    if problems:
        raise FormatError(
            "sandbox.widened",
            f"the tool requests more than its bundle allows: {problems[0].message}",
            problems=problems,
        )
    return inherit(parent, absolute)
