"""Fetching what a description names: only when asked, only by https from public addresses."""

from __future__ import annotations

import pytest

from atip.errors import FetchError
from atip.model.reading.decode import decode_tool
from atip.system.paths import find_places
from atip.trust.options import VerifyOptions
from atip.workflows.verify import fetch_attestation, verify_file
from tests.simulators.fault_server import FaultServer, body


def tool_with(url: str):
    provenance = {"url": url, "format": "slsa-provenance-v1", "slsaLevel": 3}
    document = {"atip": {"version": "0.6"}, "name": "x", "version": "1", "description": "d"}
    return decode_tool({**document, "trust": {"source": "native", "provenance": provenance}})


def test_an_attestation_on_this_machine_or_network_is_not_fetched(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"program")
    places = find_places(home=str(tmp_path))
    with FaultServer(body(b"{}")) as inside:
        for url, code in (
            (f"{inside.url}/a.jsonl", "http.insecure"),
            (f"https://127.0.0.1:{inside.port}/a.jsonl", "http.address"),
            ("file:///etc/passwd", "http.url"),
        ):
            with pytest.raises(FetchError) as caught:
                verify_file(
                    str(path), places, tool=tool_with(url), options=VerifyOptions(fetch=True)
                )
            assert caught.value.code == code
        verdict = verify_file(str(path), places, tool=tool_with(f"{inside.url}/a.jsonl"))
        assert "trust.provenance-missing" in verdict.reasons
        assert inside.requests == []


def test_offline_fetches_nothing():
    with pytest.raises(FetchError) as caught:
        fetch_attestation(tool_with("https://example.com/a.jsonl"), offline=True)
    assert caught.value.code == "http.offline"
    assert fetch_attestation(None, offline=True) is None
