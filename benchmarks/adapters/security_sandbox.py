"""Security sets of the sandbox: host names and addresses, narrowing. Used by `security.py`."""

from __future__ import annotations

import typing

from atip.errors import FormatError
from benchmarks.adapters.security_rows import rows

if typing.TYPE_CHECKING:
    import pathlib
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
    from atip.model.hosts import canonical_host, parse_host_pattern

    name = canonical_host(host)
    try:
        return name is not None and parse_host_pattern(pattern).matches(name)
    except FormatError:
        return False


def _connect(pattern: str, host: str, addresses: list[str]) -> str:
    """The address that the proxy would connect to; empty: refused."""
    from atip.model.confinement import Confinement
    from atip.sandbox.proxy import EgressPolicy

    try:
        policy = EgressPolicy(Confinement(egress=(pattern,)), lambda _host, _port: addresses)
    except FormatError:
        return ""
    return policy.decide(f"CONNECT {host}:443 HTTP/1.1".encode())[0]


def sandbox_narrowing(folder: pathlib.Path) -> Findings:
    """A tool's sandbox under its bundle's: narrower is taken, wider or unknown is refused."""
    from atip.model.narrowing import check_narrowing

    for row in rows(folder / "cases.jsonl"):
        problems = check_narrowing(row["parent"], row["child"])
        note = f"{row['why']}: {problems[0].message if problems else 'accepted'}"
        yield row["id"], (not problems) == row["accept"], note
