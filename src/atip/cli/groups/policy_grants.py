"""Grants for confined lines: a host, a port or a folder, written to the user's policy file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.cli.context import Context


def grant(ctx: Context, grants: Mapping[str, str]) -> int:
    """Ask on the terminal, write the grants, and report.

    Raises:
        UsageError: an entry is not a host, a port or a folder.
    """
    from atip.registry.rule_file import add_grants
    from atip.server.configuration.json_edit import put_value
    from atip.server.configuration.json_lists import append_item

    entries = [_entry(name, value, ctx) for name, value in grants.items()]
    names = ", ".join(f"`{entry}`" for _field, entry in entries)
    if not ctx.confirm(f"Open {names} to every confined line?"):
        ctx.note("nothing was changed")
        return 1
    path = os.path.join(ctx.app.places.config, "policy.json")
    added = add_grants(path, entries, append_item, put_value)
    if ctx.as_json:
        ctx.emit({"path": path, "grants": dict(entries), "added": added})
    else:
        ctx.print(f"{path}: {'granted' if added else 'already granted'}")
    return 0


def _entry(name: str, value: str, ctx: Context) -> tuple[str, str]:
    """Field of `grants` and entry."""
    from atip.errors import FormatError
    from atip.model.text.hosts import parse_endpoint, parse_host_pattern

    if name == "write":
        folder = os.path.realpath(os.path.expanduser(value))
        home = os.path.realpath(ctx.app.places.home)
        if not os.path.isdir(folder) or f"{home}/".startswith(f"{folder}/"):
            raise UsageError("policy.not-a-folder", f"`{value}` is not a folder, or it contains your home directory", hint="grant a folder that exists, below the home directory or beside it")  # fmt: skip
        return "write", f"{folder}/**"
    if name == "listen":
        if not value.isascii() or not value.isdigit() or not 1024 <= int(value) < 65536:
            raise UsageError(
                "policy.not-a-port", f"`{value[:40]}` is not a port from 1024 to 65535"
            )
        return "ingress", f"http://127.0.0.1:{int(value)}/**"
    try:
        host, colon, _port = value.rpartition(":")
        if name == "connect" or colon:
            parse_endpoint(value)
        if name == "host":
            parse_host_pattern(host if colon else value)
    except (FormatError, ValueError) as error:
        raise UsageError("policy.not-a-host", f"`{value}` is not a host: {error}") from error
    return "hosts" if name == "host" else "tcp", value
