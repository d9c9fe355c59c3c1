"""Explanations are narrow: each names its tools and what was seen, so that none of them hides a lie."""

from __future__ import annotations

import pytest

from atip.proving.tally import CONVENTION, METHOD, Exemption, load_explained

ELSEWHERE = {
    "filesystem.read": ("/home/someone/.ssh/id_ed25519", "/work/desk/other.txt"),
    "filesystem.write": ("/home/someone/.bashrc", "/etc/hosts", "/work/desk/other.txt", "/work/desk/new"),
    "filesystem.delete": ("/home/someone/report.txt", "/work/desk/other.txt", "/work/desk/d"),
    "network": ("example.org:443", "198.51.100.7:22", "10.0.0.1:8080"),
    "subprocess": ("/bin/sh", "/usr/bin/curl", "/work/desk/program"),
    "interactive.tty": ("/dev/pts/0",),
    "changes.process": ("1", "-1"),
    "changes.mount": ("/mnt", "/work/desk/d"),
}  # fmt: skip
"""What no explanation is about."""


@pytest.mark.parametrize("row", load_explained(), ids=lambda row: row.why)
def test_an_explanation_names_its_tools_and_covers_nothing_else(row: Exemption) -> None:
    assert row.kind in (CONVENTION, METHOD, "build")
    assert row.tools
    for target in ELSEWHERE[row.fact]:
        assert not row.covers(row.tools[0], row.fact, [target]), target


@pytest.mark.parametrize("row", load_explained(), ids=lambda row: row.why)
def test_one_other_target_ends_an_explanation(row: Exemption) -> None:
    """All that was seen must be explained; a harmless path beside a lie does not cover it."""
    for target in ELSEWHERE[row.fact]:
        assert not row.covers(row.tools[0], row.fact, ["/home/someone/.cache/x", target])
    assert not row.covers("another", row.fact, [])
