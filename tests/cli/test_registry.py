"""`atip registry add · list · remove · sync`, and what `scan` and `show` make of it, on loopback."""

from __future__ import annotations

import hashlib
import json
import pathlib
import stat

import pytest

from atip.registry import tree
from tests.cli.run import atip
from tests.simulators.registry import RegistrySimulator, shim_of


@pytest.fixture
def program(tmp_path):
    """A program that says nothing about itself."""
    folder = tmp_path / "bin"
    folder.mkdir()
    path = folder / "frobnicate"
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    return path


def digest_of(path: pathlib.Path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


def published(program, **fields):
    simulator = RegistrySimulator()
    simulator.add(shim_of(digest_of(program), "frobnicate", **fields))
    simulator.put_manifest()
    simulator.put_catalog()
    simulator.publish()
    return simulator


def settings(home: pathlib.Path) -> dict:
    return json.loads((home / ".config/agent-tools/registries.json").read_text())


@pytest.mark.proves("ATIP6-4.6-01", "ATIP6-4.4.2-01")
def test_a_registry_is_added_with_the_fingerprint_its_owner_published(tmp_path, program):
    simulator = published(program)
    with simulator.serve() as server:
        wrong = atip("registry", "add", server.url, "--fingerprint", "sha256:" + "0" * 64, "--json", home=tmp_path)  # fmt: skip
        assert (wrong.code, wrong.document["error"]["code"]) == (1, "registry.root")
        unseen = atip("registry", "add", server.url, "--json", home=tmp_path)
        assert (unseen.code, unseen.document["error"]["code"]) == (126, "consent.no-terminal")
        assert not (tmp_path / ".config/agent-tools/registries.json").exists()
        ran = atip(
            "registry", "add", server.url, "--fingerprint", simulator.fingerprint,
            "--priority", "50", home=tmp_path,
        )  # fmt: skip
        assert ran.code == 0 and simulator.fingerprint in ran.out and "2 of 2 keys" in ran.out
        entry = {
            "name": "Simulated",
            "url": server.url,
            "priority": 50,
            "root": simulator.fingerprint,
        }
        assert settings(tmp_path) == {"registries": [entry]}
        path = tmp_path / ".config/agent-tools/registries.json"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        again = atip("registry", "add", server.url, "--fingerprint", simulator.fingerprint, "--json", home=tmp_path)  # fmt: skip
        assert (again.code, again.document["error"]["code"]) == (2, "registry.known")


def test_a_registry_without_signed_index_needs_a_word_that_says_so(tmp_path, program):
    simulator = published(program)
    for path in [path for path in simulator.files if path.startswith("tuf/")]:
        del simulator.files[path]
    with simulator.serve() as server:
        assert atip("registry", "add", server.url, home=tmp_path).code == 126
        ran = atip("registry", "add", server.url, "--unsafe-unsigned", "--json", home=tmp_path)
        assert ran.document["added"]["lookup"] == "catalog"


def test_signers_that_a_registry_names_are_pinned_when_it_is_added(tmp_path, program):
    simulator = published(program)
    signer = {"identity": "maintainers@example.org", "issuer": "https://accounts.example"}
    simulator.put_manifest(requireSignatures=False, signers=[signer])
    simulator.publish()
    with simulator.serve() as server:
        ran = atip(
            "registry", "add", server.url, "--fingerprint", simulator.fingerprint, home=tmp_path
        )
        assert "maintainers@example.org" in ran.out
        simulator.put_manifest(signers=[{**signer, "identity": "mallory@example.org"}])
        simulator.publish()
        atip("registry", "sync", home=tmp_path)
    assert settings(tmp_path)["registries"][0]["signers"] == [signer]


@pytest.mark.proves("ATIP6-4.2-01")
def test_a_scan_picks_a_shim_up_and_removal_forgets_it(tmp_path, program):
    simulator = published(program)
    with simulator.serve() as server:
        atip("registry", "add", server.url, "--fingerprint", simulator.fingerprint, home=tmp_path)
        assert atip("scan", "--path", str(program.parent), home=tmp_path).code == 0
        (tool,) = atip("list", "--json", home=tmp_path).document["tools"]
        assert (tool["source"], tool["shimRegistry"]) == ("shim", server.url)
        shown = atip("show", "frobnicate", "--json", home=tmp_path).document
        assert shown["commands"]["go"]["effects"]["destructive"] is True
        (listed,) = atip("registry", "list", "--json", home=tmp_path).document["registries"]
        assert (listed["shims"], listed["root"], listed["lastError"]) == (
            1,
            simulator.fingerprint,
            None,
        )
    removed = atip("registry", "remove", "Simulated", "--json", home=tmp_path).document
    assert removed == {"removed": server.url, "tools": ["frobnicate"]}
    (tool,) = atip("list", "--json", home=tmp_path).document["tools"]
    assert "shimRegistry" not in tool
    assert atip("show", "frobnicate", "--json", home=tmp_path).code != 0
    assert atip("registry", "remove", "Simulated", "--json", home=tmp_path).code == 1


def test_sync_finds_what_was_published_later_and_updates_the_store(tmp_path, program):
    simulator = RegistrySimulator()
    simulator.put_manifest()
    simulator.publish()
    with simulator.serve() as server:
        atip("registry", "add", server.url, "--fingerprint", simulator.fingerprint, home=tmp_path)
        atip("scan", "--path", str(program.parent), home=tmp_path)
        first = atip("registry", "sync", "--json", home=tmp_path).document
        assert (first["asked"], first["found"], first["changed"]) == (1, 0, [])
        assert not any(digest_of(program)[7:] in path for path in server.paths)
        simulator.add(shim_of(digest_of(program), "frobnicate"))
        simulator.publish()
        second = atip("registry", "sync", "--json", home=tmp_path).document
        assert (second["found"], second["fetched"], second["changed"]) == (1, 1, ["frobnicate"])
        third = atip("registry", "sync", "--json", home=tmp_path).document
        assert (third["found"], third["fetched"], third["changed"]) == (1, 0, [])
        assert third["requests"] == 2
        assert atip("show", "frobnicate", "--json", home=tmp_path).document["version"] == "1.0.0"
        del simulator.files[tree.shim_path(digest_of(program))]
        simulator.publish()
        fourth = atip("registry", "sync", "--json", home=tmp_path).document
        assert (fourth["found"], fourth["changed"]) == (0, ["frobnicate"])


def test_a_weaker_description_is_shown_and_waits(tmp_path, program):
    simulator = published(program)
    with simulator.serve() as server:
        atip("registry", "add", server.url, "--fingerprint", simulator.fingerprint, home=tmp_path)
        atip("scan", "--path", str(program.parent), home=tmp_path)
        calm = {"go": {"description": "Goes", "effects": {"network": False, "destructive": False}}}
        simulator.add(shim_of(digest_of(program), "frobnicate", commands=calm))
        simulator.publish()
        ran = atip("registry", "sync", home=tmp_path)
        assert ran.code == 1 and "destructive changed from true to false" in ran.out
        effects = atip("show", "frobnicate", "--json", home=tmp_path).document["commands"]["go"][
            "effects"
        ]
        assert effects["destructive"] is True
        ran = atip("registry", "sync", "--approve", "frobnicate", "--json", home=tmp_path)
        assert (ran.code, ran.document["waiting"], ran.document["changed"]) == (
            0,
            [],
            ["frobnicate"],
        )
        effects = atip("show", "frobnicate", "--json", home=tmp_path).document["commands"]["go"][
            "effects"
        ]
        assert effects["destructive"] is False


@pytest.mark.proves("ATIP6-4.6-05", "ATIP6-4.6-06")
def test_registries_come_from_the_environment_too_and_offline_asks_none(tmp_path, program):
    simulator = published(program)
    with simulator.serve() as server:
        env = {"ATIP_REGISTRIES": server.url}
        atip("scan", "--path", str(program.parent), home=tmp_path, ATIP_OFFLINE="1", **env)
        assert server.requests == []
        atip("scan", "--path", str(program.parent), "--refresh", home=tmp_path, **env)
        (tool,) = atip("list", "--json", home=tmp_path, **env).document["tools"]
        assert tool["shimRegistry"] == server.url


@pytest.mark.proves("ATIP6-4.6-07")
def test_the_cache_lies_where_the_variable_says(tmp_path, program):
    simulator = published(program)
    with simulator.serve() as server:
        env = {"ATIP_REGISTRIES": server.url, "ATIP_CACHE_DIR": str(tmp_path / "elsewhere")}
        atip("scan", "--path", str(program.parent), home=tmp_path, **env)
    kept = list((tmp_path / "elsewhere").rglob(f"{digest_of(program)[7:]}.json"))
    assert len(kept) == 1
    assert kept[0].read_bytes() == simulator.files[tree.shim_path(digest_of(program))]


@pytest.mark.proves("ATIP6-4.4.1-05", "ATIP6-2-04")
def test_shared_patterns_are_layered_over_tools(tmp_path, program):
    simulator = published(program)
    pattern = {"name": "go twice", "description": "Goes", "steps": [{"command": "frobnicate go"}]}
    simulator.put(tree.PATTERNS, {"version": "1", "patterns": {"team": {"description": "Ours"}}})
    simulator.put(tree.pattern_path("team"), {"patterns": [pattern]})
    simulator.publish()
    with simulator.serve() as server:
        atip("registry", "add", server.url, "--fingerprint", simulator.fingerprint, home=tmp_path)
        atip("scan", "--path", str(program.parent), home=tmp_path)
        assert atip("registry", "sync", "--json", home=tmp_path).document["patterns"] == 1
    from atip.registry.patterns import load_patterns

    (found,) = [p for p in (tmp_path / ".cache").rglob("patterns") if p.is_dir()]
    assert [pattern.name for pattern in load_patterns(str(found))] == ["go twice"]


@pytest.mark.proves("ATIP6-4.4.4-01", "ATIP6-4.4.4-02", "ATIP6-4.4.1-04")
def test_the_catalogue_pre_fetches_every_version_of_a_tool(tmp_path, program):
    simulator = published(program)
    for number in range(3):
        other = shim_of("sha256:" + f"{number}" * 64, "jq")
        other["binary"]["version"] = f"1.{number}"
        simulator.add(other)
    simulator.put_catalog()
    simulator.publish()
    with simulator.serve() as server:
        atip("registry", "add", server.url, "--fingerprint", simulator.fingerprint, home=tmp_path)
        done = atip("registry", "sync", "--prefetch", "jq", "--json", home=tmp_path).document
        assert done["prefetched"] == 3
    assert atip("registry", "list", "--json", home=tmp_path).document["registries"][0]["shims"] == 3


def test_nothing_to_sync_is_no_failure(tmp_path):
    ran = atip("registry", "sync", "--json", home=tmp_path)
    assert (ran.code, ran.document["asked"], ran.document["requests"]) == (0, 0, 0)
    assert "no registries" in atip("registry", "list", home=tmp_path).out


def test_a_registry_that_fails_is_a_problem_of_its_own_and_the_scan_goes_on(tmp_path, program):
    simulator = published(program)
    with simulator.serve() as server:
        atip("registry", "add", server.url, "--fingerprint", simulator.fingerprint, home=tmp_path)
    ran = atip("scan", "--path", str(program.parent), "--json", home=tmp_path)
    assert (ran.code, ran.document["found"]) == (0, 1)
    (notice,) = ran.document["notices"]
    assert notice.endswith("[http.connect]")
    ran = atip("registry", "sync", "--json", home=tmp_path)
    assert ran.code == 1
    assert [problem["code"] for problem in ran.document["problems"]] == ["http.connect"]


def wrong_shim(home, program) -> pathlib.Path:
    """A shim of another binary, below the name of the program's."""
    path = home / ".local/share/agent-tools/shims/sha256" / f"{digest_of(program)[7:]}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(shim_of("sha256:" + "0" * 64, "frobnicate", description="Another")))
    return path


@pytest.mark.parametrize("words", [("show", "frobnicate"), ("compile", "frobnicate")])
def test_a_shim_of_another_binary_is_refused_and_the_tool_is_known_without_it(
    tmp_path, program, words
):
    env = {"home": tmp_path, "PATH": f"{program.parent}:/usr/bin:/bin"}
    assert atip("scan", "--path", str(program.parent), "--json", **env).code == 0
    path = wrong_shim(tmp_path, program)
    refused = atip(*words, "--json", **env)
    error = refused.document["error"]
    assert (refused.code, error["code"]) == (1, "store.wrong-binary")
    assert str(path) in error["message"] and error["hint"] and not path.exists()
    after = atip(*words, "--json", **env)
    assert after.document["error"]["code"] == "store.no-metadata"


def test_a_scan_tells_of_a_shim_of_another_binary_and_does_not_use_it(tmp_path, program):
    env = {"home": tmp_path, "PATH": f"{program.parent}:/usr/bin:/bin"}
    path = wrong_shim(tmp_path, program)
    (notice,) = atip("scan", "--path", str(program.parent), "--json", **env).document["notices"]
    assert "store.wrong-binary" in notice and str(path) in notice
    assert atip("run", "--yes", "frobnicate", "go", **env).code != 0
    assert "Another" not in atip("show", "frobnicate", **env).out


POLICY = {"policy": {"version": "1", "organization": "Acme", "rules": [
    {"decision": "deny", "tools": ["ls"], "name": "no listing"}]}}  # fmt: skip


def organization(program, policy=None):
    simulator = published(program)
    if policy is not None:
        simulator.put(tree.POLICY, policy)
    simulator.publish()
    return simulator


def add_organization(simulator, server, home):
    words = ("--fingerprint", simulator.fingerprint, "--organization", "--json")
    return atip("registry", "add", server.url, *words, home=home)


def test_the_policy_of_an_organization_is_in_force_when_add_returns(tmp_path, program):
    simulator = organization(program, POLICY)
    before = atip("policy", "check", "ls", "--json", home=tmp_path)
    assert before.document["decision"] == "allow"
    with simulator.serve() as server:
        assert add_organization(simulator, server, tmp_path).code == 0
    after = atip("policy", "check", "ls", "--json", home=tmp_path)
    assert after.document["decision"] == "deny"


@pytest.mark.parametrize(
    ("policy", "code"),
    [(None, "registry.no-policy"), ({"policy": {"rules": "all"}}, "format."), (POLICY, "tuf.")],
    ids=["none", "not understood", "changed on the way"],
)
def test_without_the_policy_of_an_organization_nothing_is_added(tmp_path, program, policy, code):
    simulator = organization(program, policy)
    if code == "tuf.":
        simulator.put(tree.POLICY, {"policy": {"version": "1", "organization": "Acme"}})
    with simulator.serve() as server:
        ran = add_organization(simulator, server, tmp_path)
    assert ran.code != 0 and ran.document["error"]["code"].startswith(code), ran
    assert not (tmp_path / ".config/agent-tools/registries.json").exists()
    kept = tmp_path / ".local/share/agent-tools/registries"
    assert not kept.exists() or not list(kept.iterdir())


def minimal(program, *, manifest: bool = False) -> RegistrySimulator:
    """Static files as §4.4 asks for at least: shims by hash; no index, no catalogue."""
    simulator = RegistrySimulator(tuf=False)
    simulator.add(shim_of(digest_of(program), "frobnicate"))
    if manifest:
        simulator.put_manifest()  # names a catalogue that is not there
    return simulator


@pytest.fixture
def shared_program(tmp_path_factory):
    """A program outside of the home: its hash may be sent."""
    path = tmp_path_factory.mktemp("opt") / "frobnicate"
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    return path


@pytest.mark.proves("ATIP6-4.4-90")
@pytest.mark.parametrize(
    "manifest", [False, True], ids=["nothing else", "a catalogue that is missing"]
)
def test_a_registry_of_shims_alone_is_asked_hash_by_hash_and_says_what_it_learns(
    tmp_path, shared_program, manifest
):  # fmt: skip
    with minimal(shared_program, manifest=manifest).serve() as server:
        env = {"home": tmp_path, "ATIP_REGISTRIES": server.url}
        scanned = atip("scan", "--path", str(shared_program.parent), "--json", **env)
        (tool,) = atip("list", "--json", **env).document["tools"]
        assert tool["shimRegistry"] == server.url
        assert any("registry.sends-hashes" in notice for notice in scanned.document["notices"])
        ran = atip("registry", "sync", "--json", **env)
        assert ran.code == 0
        assert [warning["code"] for warning in ran.document["warnings"]] == [
            "registry.sends-hashes"
        ]


@pytest.mark.proves("ATIP6-4.4-90")
def test_the_same_registry_can_be_added_and_is_not_silently_empty(tmp_path, shared_program):
    with minimal(shared_program, manifest=True).serve() as server:
        added = atip("registry", "add", server.url, "--unsafe-unsigned", home=tmp_path)
        assert added.code == 0 and "it learns the hash" in added.out
        atip("scan", "--path", str(shared_program.parent), home=tmp_path)
        (tool,) = atip("list", "--json", home=tmp_path).document["tools"]
        assert tool["shimRegistry"] == server.url


def test_programs_below_the_home_are_not_sent_and_that_is_said(tmp_path, program):
    with minimal(program).serve() as server:
        env = {"home": tmp_path, "ATIP_REGISTRIES": server.url}
        ran = atip("scan", "--path", str(program.parent), "--json", **env)
        assert any("registry.private-programs" in notice for notice in ran.document["notices"])
        assert not [
            request for request in server.requests if digest_of(program)[7:] in request.path
        ]


def test_a_catalogue_that_a_person_insists_on_and_that_is_missing_is_an_error(tmp_path, program):
    with minimal(program).serve() as server:
        atip("registry", "add", server.url, "--unsafe-unsigned", "--lookup", "catalog", home=tmp_path)  # fmt: skip
        atip("scan", "--path", str(program.parent), home=tmp_path)
        ran = atip("registry", "sync", "--json", home=tmp_path)
    assert [problem["code"] for problem in ran.document["problems"]] == ["registry.no-catalogue"]


@pytest.mark.proves("ATIP6-4.7-90")
def test_a_sync_that_loses_a_description_says_so(tmp_path, program):
    simulator = published(program)
    with simulator.serve() as server:
        atip("registry", "add", server.url, "--fingerprint", simulator.fingerprint, home=tmp_path)
        atip("scan", "--path", str(program.parent), home=tmp_path)
        del simulator.files[tree.shim_path(digest_of(program))]
        simulator.put_catalog()
        simulator.publish()
        ran = atip("registry", "sync", home=tmp_path)
        assert "no longer described by a registry: frobnicate" in ran.out
        assert "now described" not in ran.out
        again = atip("registry", "sync", "--json", home=tmp_path).document
        assert (again["changed"], again["lost"]) == ([], [])
