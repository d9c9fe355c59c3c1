"""Purposes of well-known programs, one line each, where no knowledge file, manual or package has one; and of families of programs.

The list is `summaries.tsv`: names without version and target machine, so that `lto-dump` stands for `x86_64-linux-gnu-lto-dump-12` too.
Nothing in it says what a program may do: a name in it is as unknown to the judge as any other.
"""

from __future__ import annotations

import functools
import os
import re

_FAMILIES = {
    "akonadi_*_agent": "Background service of Akonadi, the storage of KDE's mail and calendars: {}",
    "akonadi_*_resource": "Connect Akonadi, the storage of KDE's mail and calendars, to {}",
    "dpdk-test-*": "Test {} of the packet library DPDK",
    "grpc_*_plugin": "Generate gRPC code for {} from protocol buffers, started by protoc",
    "indi_*": "Driver of the astronomy framework INDI for {}",
}
"""Purposes of programs whose names differ in one part and that are the same thing for different devices."""
_CONVERSION = re.compile(
    r"(?:[a-z]{2,15}-)?([a-z][a-z0-9]{2,15})(?:_to_|-to-|2)([a-z][a-z0-9]{2,15})(?:\.(?:pl|py|rb|sh))?"
)
_NO_FORMAT = frozenset(
    [
        "admin", "cat", "check", "client", "cmp", "config", "ctl", "daemon", "date", "diff", "dump", "edit", "grep", "image",
        "info", "less", "more", "proxy", "recover", "server", "test", "tests", "tool", "tools", "util", "utils", "view",
    ]
)  # fmt: skip


@functools.cache
def _table() -> dict[str, str]:
    path = os.path.join(os.path.dirname(__file__), "summaries.tsv")
    with open(path, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("\t", 1) for line in file)


def own_summary(name: str) -> str:
    """Purpose of a program by its name, from our list; empty for any other program."""
    return _table().get(name, "")


def family_summary(name: str) -> str:
    """Purpose of one program of a family by its own part of the name; empty for any other program."""
    for pattern, purpose in _FAMILIES.items():
        start, _, end = pattern.partition("*")
        own = name.removeprefix(start).removesuffix(end)
        if own and name == f"{start}{own}{end}":
            return purpose.format(own.replace("_", " "))
    return ""


def conversion_summary(name: str) -> str:
    """`fasta_to_fastq.pl` converts; for programs that nothing else describes. Empty for other names: `oauth2tool`, `bz2cat`."""
    parts = _CONVERSION.fullmatch(name)
    return f"Convert {parts[1]} to {parts[2]}" if parts and parts[2] not in _NO_FORMAT else ""
