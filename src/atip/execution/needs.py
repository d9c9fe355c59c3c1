"""Needs: what the sandbox refused to a run, by name, and the grant that would let it through. Pure.

Hosts are known for sure: the gate of the sandbox has refused them. Files and ports on loopback are read from what programs say when
they fail, and count only where the confinement really stands in the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.text.globs import parse_glob
from atip.model.text.regex import LazyRegex
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.network.proxy import Attempt

_READ_ONLY = LazyRegex(r"(?i)read-only file ?system|EROFS")
_PATH = LazyRegex(r"(?<![\w.~:/])/[^\s'\"`:,;()\[\]<>]+")
_REFUSED = LazyRegex(r"(?i)connection refused|ECONNREFUSED|failed to connect|could not connect")
_LOOPBACK = LazyRegex(
    r"(?:127\.0\.0\.1|localhost|\[?::1\]?)\W{1,3}(?:\S{0,20}\s)?(?:port\W{0,2})?(\d{2,5})\b"
)
_SYSTEM = ("/usr/", "/etc/", "/bin/", "/sbin/", "/lib", "/boot/", "/proc/", "/sys/", "/dev/")
_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108  the sandbox's own
_TARGET = LazyRegex(r"(?:CONNECT )?([a-z0-9][a-z0-9.-]*:[0-9]{1,5})(?: HTTP/1\.[01])?")
_MAKES = LazyRegex(r"(?i)cannot (?:touch|create|open|copy|move|make)|mkdir|EACCES|FileNotFoundError|can't create|Permission denied")  # fmt: skip
_ORDINARY = ("80", "443")
MAX_NEEDS = 20


class Need(Value):
    """One access that was refused."""

    kind: str
    """`connect` (a host), `loopback` (a port of this machine) or `write` (a file)."""
    target: str
    """`host:port` or an absolute path."""

    @property
    def text(self) -> str:
        """`connect host:443`, `write /srv/cache/x`."""
        return f"{'write' if self.kind == 'write' else 'connect'} {self.target}"

    @property
    def grant(self) -> tuple[str, str]:
        """Field of `grants` in a policy, and the smallest entry that lets it through; empty: nothing does."""
        if self.kind == "loopback":
            return "tcp", self.target
        if self.kind == "connect":
            name, _, port = self.target.rpartition(":")
            return "hosts", name if port in _ORDINARY else self.target
        if self.target.startswith(_SYSTEM):
            return "", ""
        return "write", f"{self.target.rpartition('/')[0]}/**"

    @property
    def command(self) -> str:
        """The command that grants it; empty: none."""
        field, entry = self.grant
        return f"atip policy allow {OPTIONS[field]} {entry.removesuffix('/**')}" if field else ""

    def to_json(self) -> dict[str, str]:
        return {"need": self.text, "kind": self.kind, "target": self.target}


OPTIONS = {"hosts": "--host", "tcp": "--connect", "write": "--write"}
"""Field of `grants` → option of `policy allow`."""


def needs_of(
    attempts: Sequence[Attempt],
    failed: bool,
    output: str,
    confinement: Confinement,
    is_folder: Callable[[str], bool],
) -> tuple[Need, ...]:
    """Accesses that the sandbox refused to a run, each once.

    Args:
        failed: whether the run ended with an error; only then its output is looked at.
        is_folder: whether there is such a folder outside.
    """
    needs: dict[Need, None] = {}
    for attempt in attempts:
        target = _TARGET.fullmatch(attempt.target)
        if not attempt.allowed and attempt.why == "not granted" and target:
            needs[Need(kind="connect", target=target[1])] = None
    if failed:
        needs.update(dict.fromkeys(_needs_in_text(output, confinement, is_folder)))
    return tuple(needs)[:MAX_NEEDS]


def _needs_in_text(
    text: str, confinement: Confinement, is_folder: Callable[[str], bool]
) -> Iterator[Need]:
    for line in text.splitlines():
        is_read_only = _READ_ONLY.search(line)
        if is_read_only or _MAKES.search(line):
            for path in _PATH.findall(line):
                # a folder that is not shown does not exist inside: it counts if it is there outside
                if _is_closed(path, confinement) and (
                    is_read_only or is_folder(path.rpartition("/")[0])
                ):
                    yield Need(kind="write", target=path)
        elif _REFUSED.search(line):
            for port in _LOOPBACK.findall(line):
                if f"localhost:{port}" not in confinement.tcp and int(port) < 65536:
                    yield Need(kind="loopback", target=f"localhost:{port}")


def _is_closed(path: str, confinement: Confinement) -> bool:
    if path.rpartition("/")[0] in ("", *_SCRATCH):
        return False
    return not any(
        f"{path}/".startswith(f"{parse_glob(entry).literal.rstrip('/')}/")
        for entry in (*confinement.fs_write, *confinement.fs_read, *confinement.fs_cache)
    )


class Suggestion(Value):
    """A grant that several runs would have needed."""

    need: Need
    runs: int
    last: str
    """The line of the newest of them."""

    def to_json(self) -> dict[str, object]:
        field, entry = self.need.grant
        grant = {"grants": {field: [entry]}} if field else None
        return {
            **self.need.to_json(),
            "runs": self.runs,
            "line": self.last,
            "grant": grant,
            "command": self.need.command or None,
        }


def suggest(records: Sequence[Mapping[str, Any]], *, cwd: str, least: int) -> list[Suggestion]:
    """Needs that were refused in runs below a folder, the most frequent first.

    Args:
        records: of the audit, the newest first.
        least: runs that must have needed it.
    """
    starts = {record.get("run"): record for record in records if record.get("event") == "start"}
    counts: dict[Need, int] = {}
    lines: dict[Need, str] = {}
    for record in records:
        start = starts.get(record.get("run"))
        if record.get("event") != "end" or start is None or not _is_below(start, cwd):
            continue
        for need in {_read(each) for each in record.get("refused", ())}:
            counts[need] = counts.get(need, 0) + 1
            lines.setdefault(need, str((start.get("argv") or [""])[-1]))
    suggestions = [
        Suggestion(need=need, runs=runs, last=lines[need])
        for need, runs in counts.items()
        if runs >= least and need.kind
    ]
    return sorted(suggestions, key=lambda each: (-each.runs, each.need.text))


def _is_below(start: Mapping[str, Any], cwd: str) -> bool:
    return f"{start.get('cwd', '')}/".startswith(f"{cwd.rstrip('/')}/")


def _read(document: object) -> Need:
    """A need as a record has it; one without a kind: it is not understood."""
    if not isinstance(document, dict) or document.get("kind") not in (
        "connect",
        "loopback",
        "write",
    ):
        return Need(kind="", target="")
    return Need(kind=str(document["kind"]), target=str(document.get("target", "")))
