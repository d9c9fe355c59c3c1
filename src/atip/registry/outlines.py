"""Outlines: the position of each command in a stored document, so that one is read without the others.

The document stays whole, as ATIP lays it out; the outline beside it is derived and may be deleted at any time. It holds
the fields of the document apart from its commands, and for each top-level command its aliases, the number of its leaves,
whether it is stated to lose something, and the bytes it occupies with their digest.
"""

from __future__ import annotations

from atip.model.reading import plain_json
from atip.model.view.plain import OMITTED_COMMANDS, count_leaves, states_loss
from atip.system.digests import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Node = dict[str, Any]

LEAST_BYTES = 50_000
"""Documents below this are parsed faster than a second file is opened."""
AT = "at"
"""In `x-atip` of a command of an outline: first byte, length and digest of the command in the document."""


def outline_of(document: Node, data: bytes, render: Callable[[object], bytes]) -> Node | None:
    """The outline of a document that `render` wrote as `data`; None where it would not help."""
    commands = document.get("commands")
    if len(data) < LEAST_BYTES or not isinstance(commands, dict) or len(commands) < 2:
        return None
    stubs: Node = {}
    position = 0
    for name, command in commands.items():
        if not name or not isinstance(command, dict):
            stubs[name] = command
            continue
        piece = render(command)
        position = data.index(render(name) + b":" + piece, position) + len(render(name)) + 1
        stubs[name] = _stub(command, [position, len(piece), sha256_hex(piece)])
        position += len(piece)
    return {**document, "commands": stubs}


def _stub(command: Node, at: list[object]) -> Node:
    aliases = command.get("aliases")
    return {
        **({"aliases": aliases} if aliases else {}),
        **({"effects": {"destructive": True}} if states_loss(command) else {}),
        "x-atip": {OMITTED_COMMANDS: count_leaves(command), AT: at},
    }


def encode_outline(outline: Node, digest: str, render: Callable[[object], bytes]) -> bytes:
    """The file of an outline: digest of the document, digest of the rest, the rest."""
    body = render(outline)
    return f"{digest} {sha256_hex(body)}\n".encode() + body


def read_outline(data: bytes, digest: str) -> Node | None:
    """The outline in a file; None where it is damaged or about another document."""
    head, _, body = data.partition(b"\n")
    if head != f"{digest} {sha256_hex(body)}".encode():
        return None
    outline = plain_json.loads(body.decode())
    return outline if isinstance(outline, dict) else None


def with_command(outline: Node, name: str, read: Callable[[int, int], bytes]) -> Node | None:
    """The outline with one complete command; `read` takes first byte and length. None where the bytes differ."""
    command = outline["commands"].get(name)
    extension = command.get("x-atip") if isinstance(command, dict) else None
    if not isinstance(extension, dict) or AT not in extension:
        return None
    start, length, digest = extension[AT]
    piece = read(start, length)
    if sha256_hex(piece) != digest:
        return None
    commands = {**outline["commands"], name: plain_json.loads(piece.decode())}
    return {**outline, "commands": commands}


def commands_text(outline: Node, data: bytes) -> memoryview | None:
    """The bytes of the value of `commands` in the document of an outline; None where the document is laid out otherwise.

    Args:
        data: of the document, verified against the digest in the outline.
    """
    keys = list(outline)
    at = keys.index("commands")
    before = {key: outline[key] for key in keys[:at]}
    after = {key: outline[key] for key in keys[at + 1 :]}
    head = (_compact(before)[:-1] + b"," if before else b"{") + b'"commands":'
    tail = (b"," + _compact(after)[1:] if after else b"}") + b"\n"
    if not (data.startswith(head) and data.endswith(tail)):
        return None
    return memoryview(data)[len(head) : len(data) - len(tail)]


def _compact(members: Node) -> bytes:
    return plain_json.dumps(members, compact=True).encode()
