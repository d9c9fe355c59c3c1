"""Security sets of the sandbox: host names and addresses, narrowing, archives. Used by `security.py`."""

from __future__ import annotations

import json
import pathlib
import tempfile
import typing

from atip.errors import FormatError
from benchmarks.adapters.security_rows import rows

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

    Findings = Iterator[tuple[str, bool, str]]


def egress_hosts(folder: pathlib.Path) -> Findings:
    """Names by the matcher and by the proxy's own reading of a request; addresses by the proxy."""
    for row in rows(folder / "match.jsonl"):
        found = _matches(row["pattern"], row["host"])
        right = found == row["allow"]
        if row["host"].isascii():  # what a client can send; other names arrive as `xn--`
            reached = _connect(row["pattern"], row["host"], ["93.184.215.14"])
            right = right and bool(reached) == row["allow"]
        yield f"match {row['id']}", right, f"{row['pattern']!r} {row['host']!r}: {found}"
    for row in rows(folder / "resolve.jsonl"):
        reached = _connect(row["name"], row["name"], row["resolves_to"])
        right = bool(reached) == row["allow"] and (not reached or reached in row["resolves_to"])
        yield f"resolve {row['id']}", right, f"{row['resolves_to']}: {reached or 'refused'}"


def _matches(pattern: str, host: str) -> bool:
    from atip.model.text.hosts import canonical_host, parse_host_pattern

    name = canonical_host(host)
    try:
        return name is not None and parse_host_pattern(pattern).matches(name)
    except FormatError:
        return False


def _connect(pattern: str, host: str, addresses: list[str]) -> str:
    """The address that the proxy would connect to; empty: refused."""
    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.network.proxy import EgressPolicy

    try:
        policy = EgressPolicy(Confinement(egress=(pattern,)), lambda _host, _port: addresses)
    except FormatError:
        return ""
    return policy.decide(f"CONNECT {host}:443 HTTP/1.1".encode())[0]


def sandbox_narrowing(folder: pathlib.Path) -> Findings:
    """A tool's sandbox under its bundle's: narrower is taken, wider or unknown is refused."""
    from atip.model.permissions.narrowing import check_narrowing

    for row in rows(folder / "cases.jsonl"):
        problems = check_narrowing(row["parent"], row["child"])
        note = f"{row['why']}: {problems[0].message if problems else 'accepted'}"
        yield row["id"], (not problems) == row["accept"], note


# --- archives ------------------------------------------------------------------------------------


def hostile_archives(folder: pathlib.Path) -> Findings:
    """Each archive into a folder of its own: refused or taken as expected, and nothing outside."""
    from atip.system.archives.unpack import unpack

    for row in json.loads((folder / "manifest.json").read_text()):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "victim").write_text("original")
            try:
                members = unpack(
                    (folder / row["file"]).read_bytes(), str(root / "a/b"), max_total=LIMIT
                )
                note = f"accepted {len(members)}"
                refused = _bad_commands(root / "a/b")
            except FormatError as error:
                note, refused = error.code, True
            right = _is_contained(root) and _as_expected(row["expect"], refused)
            yield row["file"], right, f"{row['expect']}: {note}"


LIMIT = 100_000_000


def _as_expected(expect: str, refused: bool) -> bool:
    """`accept…` is taken, `refuse` and `clean refusal` are refused; with an `or` either will do."""
    if expect.startswith("accept"):
        return not refused
    return refused or " or " in expect or expect.startswith(("ok", "skip"))


def _bad_commands(target: pathlib.Path) -> bool:
    """Whether an npm package names a command that cannot be one."""
    from atip.model.text.names import why_unsafe

    for path in target.glob("*/package.json"):
        told = json.loads(path.read_text()).get("bin", {})
        return isinstance(told, dict) and any(why_unsafe(name) for name in told)
    return False


def _is_contained(root: pathlib.Path) -> bool:
    """Nothing but the target was made, nothing ran, no more than the limit was written."""
    beside = {path.name for path in root.iterdir()} | {path.name for path in (root / "a").glob("*")}
    inside = [path for path in root.rglob("*") if not path.is_symlink()]
    size = sum(path.stat().st_size for path in inside if path.is_file())
    evil = pathlib.Path(tempfile.gettempdir()) / "zoo-evil"
    return (
        beside <= {"victim", "a", "b"}
        and (root / "victim").read_text() == "original"
        and not any(path.name.endswith("-ran") for path in inside)
        and size <= LIMIT
        and not evil.exists()
    )
