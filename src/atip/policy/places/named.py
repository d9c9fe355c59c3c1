"""Files, folders and hosts in the words of a call.

Policy decides on the parsed call, so these were judged with it: allowing `curl https://example.com` allows
it to reach that host. What a call does *not* name needs a grant of the policy. Pure: the caller checks whether a
path exists.
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
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/sys", "/dev", "/etc", "/boot", "/run",
)  # fmt: skip


class NamedPlaces(Value):
    """Absolute paths and hosts that occur in a call. Empty: nothing beyond the workspace."""

    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    """Entries of an egress list: `host`, or `host:port` for a port of its own."""


NOTHING = NamedPlaces()


def named_by(subjects: Iterable[CommandContext], *, home: str, confirmed: bool) -> NamedPlaces:
    """Collect the paths and hosts that a call names.

    Args:
        confirmed: the user is asked about this call. SECURITY: secrets and start files are included only
            then; a rule that allows a tool does not give it every secret on its command line.
    """
    paths: dict[str, None] = {}
    hosts: dict[str, None] = {}
    for subject in subjects:
        for path in subject.paths:
            full = home + path[1:] if path == "~" or path.startswith("~/") else path
            if _is_plain(full) and (confirmed or not (is_secret(full) or is_protected(full))):
                paths[full] = None
        hosts.update(dict.fromkeys(_endpoints(subject.argv)))
    return NamedPlaces(paths=tuple(paths), hosts=tuple(hosts))


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
    endpoints: list[str] = []
    for word in argv[1:]:
        before, slashes, rest = word.partition("://")
        if not slashes or UNKNOWN_TEXT in rest:
            continue
        scheme = before.rpartition("=")[2].lower()
        host, colon, port = _authority(rest).partition(":")
        if "*" in host:
            continue  # SECURITY: a call cannot name hosts by a pattern
        try:
            parse_host_pattern(host)
        except FormatError:
            continue  # an IP address, `localhost`, a local name: needs a grant of the user
        number = int(port) if colon and port.isascii() and port.isdigit() else 0
        usual = _PORTS.get(scheme, 443)
        endpoints.append(
            host.lower() if (number or usual) in (80, 443) else f"{host.lower()}:{number}"
        )
    return [entry for entry in endpoints if not entry.endswith(":0")]


def _authority(rest: str) -> str:
    for end in "/?#":
        rest = rest.partition(end)[0]
    return rest.rpartition("@")[2]
