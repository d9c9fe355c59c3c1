"""Named: what the words of a call themselves name – files, folders, hosts.

Policy decides on the parsed call, so these were judged with it: whoever lets `curl https://example.com` run has
let it reach that host. What a call does *not* name needs a grant of the policy. Pure: whether a path exists is
looked up by the caller.
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.errors import FormatError
from atip.model.text.globs import parse_glob
from atip.model.text.hosts import parse_host_pattern
from atip.model.value import Value
from atip.policy.places.sensitive import is_protected, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.policy.command_context import CommandContext

_PORTS = {"http": 80, "https": 443, "git": 9418, "ws": 80, "wss": 443}
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/proc",
    "/sys",
    "/dev",
    "/etc",
    "/boot",
    "/run",
)


class Named(Value):
    """Absolute paths and hosts that occur in a call. Empty: nothing beyond the workspace."""

    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    """Entries of an egress list: `host`, or `host:port` for a port of its own."""


NOTHING = Named()


def named_by(subjects: Iterable[CommandContext], *, home: str, asked: bool) -> Named:
    """What a call names.

    Args:
        asked: a person is asked about this very call. SECURITY: secrets and start files are named only
            then; a rule that allows a tool does not hand it every secret somebody puts on its line.
    """
    paths: dict[str, None] = {}
    hosts: dict[str, None] = {}
    for subject in subjects:
        for path in subject.paths:
            full = home + path[1:] if path == "~" or path.startswith("~/") else path
            if _is_plain(full) and (asked or not (is_secret(full) or is_protected(full))):
                paths[full] = None
        hosts.update(dict.fromkeys(_endpoints(subject.argv)))
    return Named(paths=tuple(paths), hosts=tuple(hosts))


def _is_plain(path: str) -> bool:
    """An absolute path without anything unknown, that is neither of the system nor at the top of the tree
    (`/tmp`, `/home`: too much to show, and the sandbox has its own)."""
    if not path.startswith("/") or path.count("/") < 2 or UNKNOWN_TEXT in path:
        return False
    if any(path == tree or path.startswith(tree + "/") for tree in _SYSTEM):
        return False
    try:
        return parse_glob(path).kind == "literal"
    except FormatError:
        return False


def _endpoints(argv: Sequence[str]) -> list[str]:
    found: list[str] = []
    for word in argv[1:]:
        before, slashes, rest = word.partition("://")
        if not slashes or UNKNOWN_TEXT in rest:
            continue
        scheme = before.rpartition("=")[2].lower()
        host, colon, port = _authority(rest).partition(":")
        if "*" in host:
            continue  # SECURITY: a pattern is nothing that a call names
        try:
            parse_host_pattern(host)
        except FormatError:
            continue  # an address, `localhost`, a name of this network: a person's grant only
        number = int(port) if colon and port.isascii() and port.isdigit() else 0
        usual = _PORTS.get(scheme, 443)
        found.append(host.lower() if (number or usual) in (80, 443) else f"{host.lower()}:{number}")
    return [entry for entry in found if not entry.endswith(":0")]


def _authority(rest: str) -> str:
    for end in "/?#":
        rest = rest.partition(end)[0]
    return rest.rpartition("@")[2]
