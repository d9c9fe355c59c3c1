"""Host patterns, address checks and narrowing against the shared security sets."""

from __future__ import annotations

import json
import pathlib

import pytest

from atip.errors import FormatError
from atip.model.permissions.narrowing import check_narrowing
from atip.model.text.hosts import canonical_host, is_public, parse_host_pattern
from tests.shared import shared


def rows(path: pathlib.Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def allowed(pattern: str, host: str) -> bool:
    name = canonical_host(host)
    try:
        return name is not None and parse_host_pattern(pattern).matches(name)
    except FormatError:
        return False


@pytest.mark.proves("AIP29-SANDBOX-02", "AIP29-SANDBOX-12")
def test_every_host_is_decided_as_expected() -> None:
    cases = rows(shared("corpora/security/egress-hosts") / "match.jsonl")
    wrong = [c for c in cases if allowed(str(c["pattern"]), str(c["host"])) != c["allow"]]
    assert cases and wrong == []


def test_every_address_is_decided_as_expected() -> None:
    cases = rows(shared("corpora/security/egress-hosts") / "resolve.jsonl")
    wrong = [c for c in cases if all(map(is_public, c["resolves_to"])) != c["allow"]]  # type: ignore[call-overload]
    assert cases and wrong == []


@pytest.mark.proves("AIP29-INHERIT-01", "AIP29-INHERIT-02", "AIP29-INHERIT-03")
def test_every_narrowing_is_decided_as_expected() -> None:
    cases = rows(shared("corpora/security/sandbox-narrowing") / "cases.jsonl")
    wrong = [c for c in cases if (not check_narrowing(c["parent"], c["child"])) != c["accept"]]
    assert cases and wrong == []
