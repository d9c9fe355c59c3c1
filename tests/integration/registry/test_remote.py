"""A remote registry on loopback: look-up, cache, signatures, updates, and every fault of the list."""

from __future__ import annotations

import json
import pathlib
import socket
import time

import pytest

from atip.errors import AtipError, AuthRequired, FetchError, TrustError
from atip.registry import tree
from atip.registry.remote.remote import RemoteRegistry
from atip.registry.remote.remotes import RemoteShims
from atip.registry.remote.session_options import RegistrySessionOptions
from atip.registry.remote.sources import RegistrySource
from atip.registry.remote.state import RegistryFiles
from atip.registry.remote.sync import synchronise
from atip.system.paths import find_places
from tests.simulators.fault_server import FaultServer, body, drip, head, raw, reset, status
from tests.simulators.registry import RegistrySimulator, digest_for, shim_of

FROB = digest_for("frob")
NOW = time.time()


@pytest.fixture
def places(tmp_path):
    return find_places(home=str(tmp_path))


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Waits between tries are tested in `tests/unit/system/test_http.py`."""
    monkeypatch.setattr("atip.system.network.http_retry.FIRST_DELAY_S", 0.001)


def registry_with(*, bits: int = 1, tuf: bool = True, bundle: bytes | None = None):
    simulator = RegistrySimulator(bits=bits, tuf=tuf)
    simulator.add(shim_of(FROB), bundle)
    simulator.put_manifest()
    simulator.put_catalog()
    simulator.publish()
    return simulator


def source_of(server, simulator=None, **fields) -> RegistrySource:
    root = simulator.fingerprint if simulator is not None and simulator.has_tuf else None
    given = {"name": "test", "url": server.url, "root": root, "lookup": "bins" if root else "hash"}
    return RegistrySource(**{**given, **fields})


def session(source, places, **options) -> RemoteRegistry:
    return RemoteRegistry(source, places, RegistrySessionOptions(**{"now": NOW, **options}))


def find(source, places, digest=FROB, **options):
    with session(source, places, **options) as registry:
        return registry.find(digest)


@pytest.mark.proves("ATIP6-4.1-01", "ATIP6-4.1-02", "ATIP6-4.4.1-01", "ATIP6-3.2.2-10")
@pytest.mark.parametrize("tuf", [True, False])
def test_a_shim_is_found_by_the_digest_of_its_binary_and_an_unknown_one_is_none(places, tuf):
    simulator = registry_with(tuf=tuf)
    with simulator.serve() as server:
        source = source_of(server, simulator)
        found = find(source, places)
        assert (found.tool.name, found.registry, found.stale) == ("frob", server.url, False)
        assert find(source, places, digest_for("unknown")) is None
    assert server.requests[-1].headers["accept"].startswith("application/vnd.atip+json")


@pytest.mark.proves("ATIP6-4.7-01", "ATIP6-4.7-05")
@pytest.mark.parametrize("tuf", [True, False])
def test_a_fresh_shim_is_used_without_asking_and_checked_again_after_a_day(places, tuf):
    simulator = registry_with(tuf=tuf)
    simulator.lifetime *= 2
    simulator.publish()
    with simulator.serve() as server:
        source = source_of(server, simulator)
        find(source, places)
        find(source, places, digest_for("unknown"))
        asked = len(server.requests)
        assert find(source, places, now=NOW + 86_000).tool.name == "frob"
        assert find(source, places, digest_for("unknown"), now=NOW + 86_000) is None
        assert len(server.requests) == asked
        assert find(source, places, now=NOW + 87_000).tool.name == "frob"
        assert len(server.requests) > asked
        asked = len(server.requests)
        find(source, places, refresh=True)
        assert len(server.requests) > asked


@pytest.mark.proves("ATIP6-4.7-04", "ATIP6-4.7-07", "ATIP6-4.7-08", "ATIP6-4.7-03")
def test_revalidation_sends_what_the_server_gave_and_304_keeps_the_shim(places):
    simulator = registry_with(tuf=False)
    modified = "Mon, 16 Nov 2026 00:00:00 GMT"
    headers = {"cache-control": "max-age=60", "last-modified": modified}
    with simulator.serve(headers=headers) as server:
        source = source_of(server)
        find(source, places)
        asked = len(server.requests)
        find(source, places, now=NOW + 30)
        assert len(server.requests) == asked
        assert find(source, places, now=NOW + 90).tool.name == "frob"
        sent = next(r for r in server.requests[asked:] if r.path.endswith(f"{FROB[7:]}.json"))
        assert sent.headers["if-none-match"].startswith('"')
        assert sent.headers["if-modified-since"] == modified
        with session(source, places) as registry:
            cached = registry.cache.find(FROB)
            assert cached.shim == simulator.files[tree.shim_path(FROB)]
            assert cached.facts.expires_at == pytest.approx(NOW + 150)
            assert (cached.facts.url, cached.facts.last_modified) == (
                server.url + "/" + tree.shim_path(FROB),
                modified,
            )
        simulator.add(shim_of(FROB, description="Better words"))
        assert find(source, places, now=NOW + 300).tool.description == "Better words"


@pytest.mark.proves("ATIP6-4.6-03")
def test_a_configured_life_time_wins_over_the_server(places):
    simulator = registry_with(tuf=False)
    with simulator.serve(headers={"cache-control": "max-age=60"}) as server:
        source = source_of(server, explicit_expiry=True)
        find(source, places, expiry_s=7 * 86400.0)
        asked = len(server.requests)
        find(source, places, now=NOW + 6 * 86400, expiry_s=7 * 86400.0)
        assert len(server.requests) == asked


@pytest.mark.proves("ATIP6-4.6-02", "ATIP1-5.3-03")
def test_a_private_registry_gets_its_token_from_the_variable(places, monkeypatch):
    simulator = registry_with()
    with simulator.serve(token="s3cret") as server:
        source = source_of(server, simulator, token_env_var="FROB_TOKEN")
        monkeypatch.delenv("FROB_TOKEN", raising=False)
        with pytest.raises(AuthRequired):
            find(source, places)
        monkeypatch.setenv("FROB_TOKEN", "wrong")
        with pytest.raises(AuthRequired):
            find(source, places)
        monkeypatch.setenv("FROB_TOKEN", "s3cret")
        assert find(source, places).tool.name == "frob"


@pytest.mark.proves("ATIP6-4.4.2-02", "ATIP6-4.4.1-02")
def test_endpoints_of_the_manifest_are_honoured_inside_the_tree(places):
    simulator = registry_with(tuf=False)
    manifest = json.loads(simulator.files[tree.MANIFEST])
    manifest["endpoints"] = {"shims": "/v2/{hash}.shim", "signatures": "/v2/{hash}.sig"}
    simulator.put(tree.MANIFEST, manifest)
    simulator.files[f"v2/{FROB[7:]}.shim"] = simulator.files.pop(tree.shim_path(FROB))
    with simulator.serve() as server:
        assert find(source_of(server), places).tool.name == "frob"
        assert f"/v2/{FROB[7:]}.sig" in server.paths
        manifest["endpoints"]["shims"] = "https://evil.example/{hash}"
        simulator.put(tree.MANIFEST, manifest)
        assert find(source_of(server), places, refresh=True) is None


# -- privacy --------------------------------------------------------------------------------------


def test_no_request_holds_a_hash_that_the_registry_does_not_know(places):
    simulator = RegistrySimulator(bits=8)
    ours = [digest_for(f"local {number}") for number in range(2000)]
    for number in range(1000):
        simulator.add(shim_of(digest_for(f"theirs {number}")))
    hits = ours[::100]
    for digest in hits:
        simulator.add(shim_of(digest))
    simulator.put_manifest()
    simulator.publish()
    known = {tree.shim_path(digest) for digest in hits}
    with simulator.serve() as server:
        source = source_of(server, simulator)
        with session(source, places, refresh=True) as registry:
            found = [digest for digest in ours if registry.find(digest) is not None]
        assert found == hits
        cold = [path for path in server.paths if path.lstrip("/") not in known]
        assert len(cold) <= 300
        shims = {path.lstrip("/") for path in server.paths if "/shims/sha256/" in path}
        assert {path.removesuffix(".bundle") for path in shims} == known
        server.requests.clear()
        with session(source, places, refresh=True) as registry:
            assert [d for d in ours if registry.find(d) is not None] == hits
        assert len(server.paths) <= 5
        assert not any("/shims/" in path for path in server.paths)


@pytest.mark.proves("ATIP6-4.4.4-03")
def test_a_registry_without_index_can_be_asked_through_its_catalogue(places):
    simulator = registry_with(tuf=False)
    with simulator.serve() as server:
        source = source_of(server, lookup="catalog")
        assert find(source, places).tool.name == "frob"
        assert find(source, places, digest_for("secret tool")) is None
        assert not any(digest_for("secret tool")[7:] in path for path in server.paths)


def test_the_hash_of_a_private_program_is_not_sent_where_it_would_tell(places):
    simulator = registry_with(tuf=False)
    with simulator.serve() as server:
        for lookup, found in (("hash", None), ("catalog", "frob")):
            with RemoteShims(
                [source_of(server, lookup=lookup)], places, RegistrySessionOptions(now=NOW)
            ) as shims:
                shim = shims.find(FROB, "frob", True)
                assert (shim.tool.name if shim else None) == found
                if found is None:
                    assert server.requests == []
                    assert shims.find(FROB, "frob").tool.name == "frob"
                    assert shims.find(FROB, "frob", True).tool.name == "frob"


# -- signatures -----------------------------------------------------------------------------------


def minisign_keys():
    minisign = pytest.importorskip("minisign")
    pair = minisign.KeyPair.generate()
    key = {"type": "minisign", "key": bytes(pair.public_key).decode(), "name": "maintainers"}
    return pair, key


@pytest.mark.proves("ATIP6-4.4.1-03", "ATIP6-4.4.3-02", "ATIP6-4.4.2-03", "ATIP6-4.6-04")
@pytest.mark.parametrize("tuf", [True, False])
def test_where_signatures_are_required_only_ours_count(places, tuf):
    pair, key = minisign_keys()
    stranger, _ = minisign_keys()
    data = json.dumps(shim_of(FROB)).encode()
    simulator = RegistrySimulator(tuf=tuf)
    simulator.put_manifest()
    cases = {
        "ours": (bytes(pair.secret_key.sign(data)), None),
        "somebody else's": (bytes(stranger.secret_key.sign(data)), "registry.signature"),
        "of other bytes": (bytes(pair.secret_key.sign(data + b" ")), "registry.signature"),
        "nonsense": (b"untrusted comment: x\nnonsense", "registry.signature"),
        "missing": (None, "registry.unsigned"),
    }
    for name, (bundle, expected) in cases.items():
        simulator.files.pop(tree.bundle_path(FROB), None)
        simulator.add(data, bundle)
        simulator.publish()
        with simulator.serve() as server:
            source = source_of(server, simulator, require_signatures=True, keys=(key,))
            if expected is None:
                assert find(source, places).signer == "maintainers", name
            else:
                with pytest.raises(TrustError) as caught:
                    find(source, places)
                assert caught.value.code == expected, name


@pytest.mark.proves("ATIP6-3.2.2-09")
def test_the_sibling_signature_goes_first_and_a_named_one_only_on_the_same_origin(places):
    pair, key = minisign_keys()
    with FaultServer(body(b"")) as elsewhere:
        for origin, expected in (("", "maintainers"), (elsewhere.url, None)):
            simulator = RegistrySimulator(tuf=False)
            simulator.put_manifest()
            with simulator.serve() as server:
                claim = {"type": "minisign", "bundle": f"{origin or server.url}/signatures/frob"}
                data = json.dumps(
                    shim_of(FROB, trust={"source": "org", "signature": claim})
                ).encode()
                simulator.add(data)
                simulator.files["signatures/frob"] = bytes(pair.secret_key.sign(data))
                source = source_of(server, require_signatures=True, keys=(key,))
                if expected:
                    assert find(source, places).signer == expected
                    assert server.paths[-2:] == [f"/{tree.bundle_path(FROB)}", "/signatures/frob"]
                    continue
                with pytest.raises(TrustError) as caught:
                    find(source, places)
                assert caught.value.code == "registry.unsigned"
        assert elsewhere.requests == []


@pytest.mark.proves("ATIP6-4.4.2-04")
def test_a_signer_named_in_shim_or_manifest_does_not_count_by_itself(places):
    pair, key = minisign_keys()
    claim = {"type": "minisign", "identity": "maintainers", "issuer": "https://i.example"}
    shim = shim_of(FROB, trust={"source": "vendor", "verified": True, "signature": claim})
    data = json.dumps(shim).encode()
    simulator = RegistrySimulator(tuf=False)
    simulator.add(data, bytes(pair.secret_key.sign(data)))
    signers = [{"identity": "maintainers", "issuer": "https://i.example"}]
    simulator.put_manifest(requireSignatures=True, signers=signers)
    with simulator.serve() as server:
        with pytest.raises(TrustError) as caught:
            find(source_of(server), places)
        assert caught.value.code == "registry.signature"
        assert find(source_of(server, keys=(key,)), places).signer == "maintainers"


@pytest.mark.proves("ATIP6-4.4.2-03")
def test_the_manifest_tightens_and_never_loosens(places):
    simulator = registry_with(tuf=False)
    simulator.put_manifest(requireSignatures=True)
    with simulator.serve() as server:
        with pytest.raises(TrustError) as caught:
            find(source_of(server), places)
        assert caught.value.code == "registry.unsigned"
        simulator.put_manifest(requireSignatures=False)
        with pytest.raises(TrustError):
            find(source_of(server, require_signatures=True), places)
        with pytest.raises(TrustError):
            find(source_of(server), places, policy_requires=True)
        assert find(source_of(server), places).signer == ""


def test_a_signature_from_the_cache_is_checked_again_when_the_keys_change(places):
    pair, key = minisign_keys()
    _, other = minisign_keys()
    data = json.dumps(shim_of(FROB)).encode()
    simulator = registry_with(bundle=bytes(pair.secret_key.sign(data)))
    with simulator.serve() as server:
        source = source_of(server, simulator, require_signatures=True, keys=(key,))
        find(source, places)
        assert find(source, places, offline=True).signer == "maintainers"
        with pytest.raises(TrustError):
            find(source.replace(keys=(other,)), places, offline=True)


@pytest.mark.proves("ATIP6-4.5-02")
@pytest.mark.parametrize("tuf", [True, False])
def test_a_shim_of_another_binary_is_refused(places, tuf):
    simulator = RegistrySimulator(tuf=tuf)
    simulator.put_manifest()
    other = json.dumps(shim_of(digest_for("other"))).encode()
    simulator.files[tree.shim_path(FROB)] = other
    simulator.publish()
    with simulator.serve() as server, pytest.raises(TrustError) as caught:
        find(source_of(server, simulator), places)
    assert caught.value.code == "registry.wrong-binary"


# -- updates --------------------------------------------------------------------------------------


def updated(places, **fields):
    """The shim after an update that changes some fields, and the session that saw it."""
    simulator = registry_with()
    with simulator.serve() as server:
        source = source_of(server, simulator)
        find(source, places)
        simulator.add({**shim_of(FROB), **fields})
        simulator.publish()
        with session(source, places, refresh=True) as registry:
            found = registry.find(FROB)
            return found, registry


@pytest.mark.proves("ATIP6-4.7-09", "ATIP6-4.7-11")
@pytest.mark.parametrize("field", ["name", "version", "platform"])
def test_an_update_of_what_identifies_the_binary_is_refused_and_the_old_shim_stays(places, field):
    binary = {**shim_of(FROB)["binary"], field: "changed"}
    found, registry = updated(places, binary=binary, description="newer")
    assert found.tool.description == "Does what frob does" and found.stale
    assert [error.code for _, error in registry.problems] == ["registry.immutable-changed"]


@pytest.mark.proves("ATIP6-4.7-10")
@pytest.mark.parametrize(
    "fields",
    [{"authentication": {"required": True}}, {"version": "9.9"}, {"homepage": "https://x.example"}],
)
def test_an_update_of_anything_but_documentation_is_refused(places, fields):
    found, registry = updated(places, **fields)
    assert found.stale
    assert [error.code for _, error in registry.problems] == ["registry.immutable-changed"]


@pytest.mark.proves("ATIP6-4.7-10")
def test_documentation_effects_and_patterns_may_be_updated(places):
    commands = {"go": {"description": "Goes far", "effects": {"network": True, "destructive": True, "billable": True}}}  # fmt: skip
    pattern = {"name": "p", "description": "d", "steps": [{"command": "frob go"}]}
    found, registry = updated(places, description="new", commands=commands, patterns=[pattern])
    assert (found.tool.description, found.stale, registry.problems) == ("new", False, [])
    assert registry.acceptance.fetched == {FROB}


def test_weaker_effects_wait_for_approval(places):
    calm = {"go": {"description": "Goes", "effects": {"network": True, "destructive": False}}}
    simulator = registry_with()
    with simulator.serve() as server:
        source = source_of(server, simulator)
        find(source, places)
        simulator.add(shim_of(FROB, commands=calm))
        simulator.publish()
        with session(source, places, refresh=True) as registry:
            assert registry.find(FROB).tool.commands["go"].effects.destructive is True
            changes = registry.acceptance.waiting[FROB].weaker
        assert [change.kind for change in changes] == ["destructive-removed"]
        found = find(source, places, refresh=True, approve=frozenset([FROB]))
        assert found.tool.commands["go"].effects.destructive is False


@pytest.mark.parametrize("tuf", [True, False])
def test_a_withdrawn_shim_is_forgotten(places, tuf):
    simulator = registry_with(tuf=tuf)
    with simulator.serve() as server:
        source = source_of(server, simulator)
        find(source, places)
        del simulator.files[tree.shim_path(FROB)]
        simulator.publish()
        assert find(source, places, refresh=True) is None
        assert find(source, places, offline=True) is None


# -- faults ---------------------------------------------------------------------------------------

GIGABYTE = head(200, {"content-length": str(1 << 30)}) + b"x"
FAULTS = {
    "500": status(500),
    "502": status(502),
    "503 with Retry-After": status(503, retry_after="3600"),
    "429": status(429, retry_after="3600"),
    "reset mid-body": reset(head(200, {"content-length": "500"}) + b"{"),
    "truncated with the right length": raw(head(200, {"content-length": "500"}) + b"{"),
    "longer than declared": raw(head(200, {"content-length": "2"}) + b"{}" + b"x" * 5000),
    "redirect loop": lambda c, r: status(302, location=r.path)(c, r),
    "304 without cache": status(304),
    "gzip bomb": body(b"\x1f\x8b" + b"\0" * 100, content_encoding="gzip"),
    "wrong content type": body(b"<html>hello</html>", content_type="text/html"),
    "a gigabyte": raw(GIGABYTE),
    "not HTTP": raw(b"220 smtp ready\r\n\r\n"),
    "empty": body(b""),
    "not JSON": body(b"\xff\xfe{{{{"),
    "deep": body(b"[" * 100_000),
}


@pytest.mark.measured
@pytest.mark.parametrize("tuf", [True, False])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_typed_error_and_the_cache_is_unharmed(places, tuf, name):
    simulator = registry_with(tuf=tuf)
    with simulator.serve() as server:
        source = source_of(server, simulator)
        find(source, places)
        before = (server.scripts, sorted((p, p.read_bytes()) for p in files_below(places)))
        server.scripts = FAULTS[name]
        start = time.monotonic()
        with pytest.raises(AtipError) as caught:
            find(source, places, digest_for("other"), refresh=True)
        assert time.monotonic() - start < 10
        assert caught.value.code.split(".")[0] in ("http", "tuf", "registry", "format", "json")
        found = find(source, places, refresh=True)
        assert (found.tool.name, found.stale) == ("frob", True)
        assert sorted((p, p.read_bytes()) for p in files_below(places)) == before[1]
        server.scripts = before[0]
        assert find(source, places, refresh=True).stale is False


def files_below(places):
    ours = [pathlib.Path(places.data), pathlib.Path(places.cache)]
    return [
        p for folder in ours for p in folder.rglob("*") if p.is_file() and p.name != "state.json"
    ]


@pytest.mark.measured
@pytest.mark.parametrize(
    "piece", [b"x", b"1\r\nx\r\n"], ids=["a byte now and then", "chunks for ever"]
)
def test_slow_and_endless_answers_end_at_the_deadline(places, piece):
    simulator = registry_with()
    with simulator.serve() as server:
        source = source_of(server, simulator)
        find(source, places)
        length = {"transfer-encoding": "chunked"} if b"\r" in piece else {"content-length": "900"}
        server.scripts = drip(server.stopping, head(200, length), piece, 0.05)
        start = time.monotonic()
        with session(source, places, refresh=True) as registry:
            registry.fetcher._deadline_s = 0.5
            assert registry.find(FROB).stale
            with pytest.raises(FetchError):
                registry.find(digest_for("other"))
        assert time.monotonic() - start < 2
        assert [error.code for _, error in registry.problems] == ["http.timeout"]


@pytest.mark.measured
def test_a_registry_that_is_slow_every_time_ends_at_the_session(places):
    simulator = registry_with(bits=8)
    with simulator.serve() as server:
        honest = server.scripts

        def slow(connection, request):
            server.stopping.wait(0.4)
            honest(connection, request)

        server.scripts = slow
        start = time.monotonic()
        with (
            session(source_of(server, simulator), places, session_s=1.0) as registry,
            pytest.raises(FetchError),
        ):
            for number in range(2000):
                registry.find(digest_for(str(number)))
        assert time.monotonic() - start < 5


@pytest.mark.measured
def test_many_prompt_answers_take_longer_than_the_budget_for_slow_ones(places):
    simulator = registry_with(bits=8)
    with simulator.serve() as server:
        honest = server.scripts

        def prompt(connection, request):
            server.stopping.wait(0.05)
            honest(connection, request)

        server.scripts = prompt
        start = time.monotonic()
        with session(source_of(server, simulator), places, session_s=1.0) as registry:
            for number in range(40):
                registry.find(digest_for(str(number)))
            assert registry.problems == []
        assert time.monotonic() - start > 1.5


def test_a_failed_registry_is_left_alone_by_those_nobody_asked(places):
    simulator = registry_with()
    with simulator.serve() as server:
        honest, source = server.scripts, source_of(server, simulator)
        server.scripts = status(500)
        with pytest.raises(FetchError):
            find(source, places)
        server.scripts = honest
        server.requests.clear()
        with pytest.raises(FetchError) as caught:
            find(source, places, background=True)
        assert caught.value.code == "registry.resting" and server.requests == []
        assert find(source, places).tool.name == "frob"
        assert find(source, places, background=True).tool.name == "frob"


@pytest.mark.proves("ATIP6-4.6-06")
def test_offline_never_opens_a_socket(places, monkeypatch):
    simulator = registry_with()
    with simulator.serve() as server:
        source = source_of(server, simulator)
        find(source, places)

        def refuse(*args, **kwargs):
            raise AssertionError("a socket was opened")

        for name in ("socket", "create_connection", "getaddrinfo"):
            monkeypatch.setattr(socket, name, refuse)
        assert find(source, places, offline=True, refresh=True).tool.name == "frob"
        late = find(source, places, offline=True, now=NOW + 90 * 86400)
        assert late.stale
        assert find(source, places, digest_for("other"), offline=True) is None
        monkeypatch.undo()


@pytest.mark.parametrize("years", [-10, 10])
def test_a_clock_far_off_accepts_nothing_new(places, years):
    simulator = registry_with()
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(NOW))
    with simulator.serve(headers={"date": date}) as server, pytest.raises(TrustError) as caught:
        find(source_of(server, simulator), places, now=NOW + years * 365 * 86400)
    assert caught.value.code == "tuf.clock"


def test_versions_seen_by_another_session_meanwhile_are_not_forgotten(places):
    simulator = registry_with()
    with simulator.serve() as server:
        source = source_of(server, simulator)
        with session(source, places) as slow:
            slow.find(FROB)
            yesterday = dict(simulator.files)
            simulator.publish()
            find(source, places, digest_for("other"), refresh=True)
        simulator.files.clear()
        simulator.files.update(yesterday)
        for path in files_below(places):
            if path.parent.name == "tuf":
                path.unlink()
        with pytest.raises(TrustError) as caught:
            find(source, places, digest_for("third"), refresh=True)
        assert caught.value.code == "tuf.rollback"


def test_a_damaged_memory_of_versions_stops_this_registry_and_nobody_else(places):
    simulator = registry_with()
    with simulator.serve() as server:
        source = source_of(server, simulator)
        find(source, places)
        state = pathlib.Path(RegistryFiles(places, source).data) / "state.json"
        for damage in (b"", b"{}", b"[1]", b'{"seen": [1, 2]}', b"\xff"):
            state.write_bytes(damage)
            with session(source, places, refresh=True) as registry:
                assert registry.find(FROB).stale
                with pytest.raises(AtipError) as caught:
                    registry.find(digest_for("other"))
            assert caught.value.code == "registry.state"
            assert [error.code for _, error in registry.problems] == ["registry.state"]
            assert state.read_bytes() == damage


def test_another_root_than_the_pinned_one_is_refused(places):
    simulator, other = registry_with(), registry_with()
    with other.serve() as server, pytest.raises(TrustError) as caught:
        find(source_of(server, simulator), places)
    assert caught.value.code == "registry.root"


def test_a_file_changed_on_the_way_is_refused_and_the_old_one_stays(places):
    simulator = registry_with()
    with simulator.serve() as server:
        source = source_of(server, simulator)
        path = tree.shim_path(FROB)
        honest = simulator.files[path]
        simulator.files[path] = honest.replace(b"true", b"null")
        with pytest.raises(AtipError) as caught:
            find(source, places)
        assert caught.value.code in ("tuf.mismatch", "http.truncated")
        simulator.files[path] = honest
        assert find(source, places).tool.name == "frob"


# -- several --------------------------------------------------------------------------------------


@pytest.mark.proves("ATIP6-4.4.3-01", "ATIP6-4.7-02")
def test_registries_answer_in_order_and_a_no_moves_on(places):
    first, second = RegistrySimulator(), RegistrySimulator()
    second.add(shim_of(FROB, description="second"))
    for simulator in (first, second):
        simulator.put_manifest()
        simulator.publish()
    with first.serve() as one, second.serve() as two:
        sources = (source_of(one, first, priority=1), source_of(two, second, priority=2))
        with RemoteShims(sources, places, RegistrySessionOptions(now=NOW)) as shims:
            assert shims.find(FROB).tool.description == "second"
            assert shims.find(digest_for("nobody's")) is None
        first.add(shim_of(FROB, description="first"))
        first.publish()
        with RemoteShims(sources, places, RegistrySessionOptions(now=NOW, refresh=True)) as shims:
            assert shims.find(FROB).tool.description == "first"


def test_a_registry_that_cannot_be_asked_does_not_hand_over_to_the_next(places):
    second = registry_with()
    with FaultServer(status(500)) as one, second.serve() as two:
        sources = (source_of(one, second, priority=1), source_of(two, second, priority=2))
        with RemoteShims(sources, places, RegistrySessionOptions(now=NOW)) as shims:
            with pytest.raises(AtipError):
                shims.find(FROB)
            assert shims.find_or_warn(FROB) is None
        assert two.requests == []


def test_a_name_that_one_registry_has_claimed_is_asked_there_only(places):
    first, second = registry_with(), RegistrySimulator()
    second.put_manifest()
    second.publish()
    with first.serve() as one, second.serve() as two:
        sources = (source_of(one, first), source_of(two, second, names=("frob",)))
        with RemoteShims(sources, places, RegistrySessionOptions(now=NOW)) as shims:
            assert shims.find(FROB, "frob") is None
            assert shims.find(FROB, "other").tool.name == "frob"


@pytest.mark.proves("ATIP6-4.8-01")
def test_where_an_organisation_approves_by_allowlist_only_its_registry_answers(places):
    ours, community = RegistrySimulator(), registry_with()
    mode = {"policy": {"version": "1", "approval": {"mode": "allowlist"}}}
    ours.put(tree.POLICY, mode)
    ours.put_manifest()
    ours.publish()
    with ours.serve() as one, community.serve() as two:
        sources = (source_of(one, ours, organization=True), source_of(two, community))
        with RemoteShims(sources, places, RegistrySessionOptions(now=NOW)) as shims:
            assert shims.find(FROB).registry == two.url
            report = synchronise(shims, [])
        assert report.problems == ()
        two.requests.clear()
        with RemoteShims(sources, places, RegistrySessionOptions(now=NOW, refresh=True)) as shims:
            assert shims.find(FROB) is None
        assert two.requests == []
        assert not is_approved_by(sources, places)
        ours.add(shim_of(FROB))
        ours.publish()
        with RemoteShims(sources, places, RegistrySessionOptions(now=NOW, refresh=True)) as shims:
            assert shims.find(FROB).registry == one.url
        assert is_approved_by(sources, places)


def is_approved_by(sources, places) -> bool:
    with RemoteShims(sources[:1], places, RegistrySessionOptions(now=NOW, offline=True)) as shims:
        return shims.find(FROB) is not None
