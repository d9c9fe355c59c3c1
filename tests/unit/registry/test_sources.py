"""Remote registries as configured: order, strictness, freshness, addresses."""

from __future__ import annotations

import pytest

from atip.errors import FormatError
from atip.registry.remote.sources import bundle_url, configured_sources, expiry_s, needs_signature

SETTINGS = {
    "registries": [
        {"name": "community", "url": "https://atip.example/", "priority": 100},
        {
            "name": "internal",
            "url": "https://internal.example",
            "priority": 50,
            "requireSignatures": True,
            "auth": {"type": "bearer", "tokenEnvVar": "TOKEN"},
        },
        {"name": "off", "url": "https://off.example", "enabled": False},
    ]
}


def test_lower_priority_numbers_are_asked_first():
    """A23"""
    found = configured_sources(
        SETTINGS, {"ATIP_REGISTRIES": "https://extra.example, https://atip.example"}
    )
    assert [source.name for source in found] == ["internal", "community", "https://extra.example"]
    assert found[0].token_env_var == "TOKEN"


def test_an_answer_is_fresh_for_a_day_unless_configured():
    """A24"""
    assert expiry_s({}) == 86400
    assert expiry_s({"defaults": {"cacheExpiry": "7d"}}) == 7 * 86400
    with pytest.raises(FormatError):
        expiry_s({"defaults": {"cacheExpiry": "for ever"}})


def test_the_strictest_word_on_signatures_wins():
    """A25"""
    strict, lax = configured_sources(SETTINGS, {})
    assert needs_signature(strict, manifest=False, policy=False)
    assert not needs_signature(lax, manifest=None, policy=None)
    assert needs_signature(lax, manifest=True, policy=False)
    assert needs_signature(lax, manifest=False, policy=True)
    everywhere = configured_sources({**SETTINGS, "defaults": {"requireSignatures": True}}, {})
    assert all(source.require_signatures for source in everywhere)


@pytest.mark.proves("ATIP6-3.2.2-09")
def test_a_bundle_is_the_sibling_and_never_on_another_origin():
    """A26"""
    shim = "https://atip.example/shims/sha256/ab.json"
    assert bundle_url(shim, None) == (f"{shim}.bundle",)
    assert bundle_url(shim, "https://atip.example/other.bundle") == (
        f"{shim}.bundle",
        "https://atip.example/other.bundle",
    )
    for foreign in (
        "https://evil.example/x",
        "http://atip.example/x",
        "https://atip.example:8443/x",
        "file:///etc/passwd",
        "https://[",
    ):
        assert bundle_url(shim, foreign) == (f"{shim}.bundle",)


@pytest.mark.parametrize(
    "url", ["http://atip.example", "file:///x", "ftp://x.example", "https://", "nonsense"]
)
def test_only_https_or_loopback_is_asked(url):
    with pytest.raises(FormatError) as caught:
        configured_sources({"registries": [{"name": "x", "url": url}]}, {})
    assert caught.value.code == "registry.url"
    assert configured_sources({"registries": [{"name": "x", "url": "http://127.0.0.1:8000"}]}, {})
