"""A home in which tools are known without a scan: real programs, real digests, documents of our own."""

from __future__ import annotations

import hashlib
import json
import os
import typing

from atip.registry.layout import personality_name
from atip.system.clock import now_iso
from atip.toolbox import Toolbox

if typing.TYPE_CHECKING:
    import pathlib

READS = {
    "network": False,
    "destructive": False,
    "filesystem": {"read": False, "write": False, "delete": False},
    "subprocess": False,
}
PROGRAM = r"""#!/bin/sh
case "$1" in
  say) shift; printf '%s\n' "$@";;
  wait) sleep "${2:-60}";;
  frames) printf 'Content-Length: 2\r\n\r\n{}\n{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
          printf '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n' >&2;;
  flood) head -c "${2:-100000000}" /dev/zero | tr '\0' 'x';;
  secret) echo "token=ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6";;
  fail) echo broken >&2; exit 3;;
  erase) echo erased;;
  *) echo greet;;
esac
"""


def document(name: str = "greet", **fields: object) -> dict[str, typing.Any]:
    """A small tool: reads, waits, floods, fails, and one command that destroys."""

    def command(text: str, **more: object) -> dict[str, object]:
        return {"description": text, "effects": {**READS, "subprocess": True}, **more}

    return {
        "atip": {"version": "0.6"},
        "name": name,
        "version": "1",
        "description": "Says words and misbehaves on request",
        "commands": {
            "say": command(
                "Say words aloud",
                arguments=[{"name": "word", "type": "string", "description": "What to say", "variadic": True}],
                options=[{"name": "loud", "flags": ["--loud"], "type": "boolean", "description": "Louder"}],
            ),
            "wait": command(
                "Wait for a minute, or so many seconds",
                arguments=[{"name": "seconds", "type": "number", "description": "How long", "required": False}],
            ),
            "frames": command("Print what looks like protocol frames"),
            "flood": command(
                "Print very much",
                arguments=[{"name": "bytes", "type": "integer", "description": "How much", "required": False}],
            ),
            "secret": command("Print a secret"),
            "fail": command("Fail"),
            "erase": {
                "description": "Erase everything for good",
                "effects": {**READS, "destructive": True, "reversible": False, "subprocess": True},
            },
        },
        **fields,
    }  # fmt: skip


def know(
    box: Toolbox, documents: typing.Iterable[dict[str, typing.Any]], program: pathlib.Path
) -> None:
    """Put documents into the store, all for one program."""
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(PROGRAM)
        program.chmod(0o755)
    status = os.stat(program)
    key = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    digest = "sha256:" + hashlib.sha256(program.read_bytes()).hexdigest()
    entries = {}
    for one in documents:
        name = one["name"]
        place = personality_name(digest, name)
        hashed = box.store.save_metadata(place, one)
        entries[name] = {
            "path": str(program),
            "hash": digest,
            "source": "native",
            "metadataPath": place,
            "lastChecked": now_iso(),
            "x-atip": {"metadataHash": hashed, "rung": "native", "stat": key},
        }
    box.store.put(entries)


def allow(box: Toolbox, *tools: str) -> None:
    """Let these tools run without a question, as far as a rule can."""
    rule = {"name": "known", "decision": "allow", "tools": list(tools)}
    path = os.path.join(box.places.config, "policy.json")
    os.makedirs(box.places.config, mode=0o700, exist_ok=True)
    with open(path, "w") as file:
        json.dump({"policy": {"version": "1", "preset": "cautious", "rules": [rule]}}, file)
    os.chmod(path, 0o600)


def home_with(tmp_path: pathlib.Path, *documents: dict[str, typing.Any]) -> Toolbox:
    """A toolbox below `tmp_path` that knows `greet`, or the given documents."""
    box = Toolbox(home=str(tmp_path))
    know(box, documents or [document()], tmp_path / "bin" / "greet")
    allow(box, "greet")
    return box
