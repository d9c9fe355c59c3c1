"""Building: the tree of §4.4, incremental, reproducible, and refused as a whole when anything is wrong."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3

import pytest

from atip.errors import AtipError, FormatError, NotFoundError, TrustError
from atip.registry import tree
from atip.registry.publish.build import build, release_time
from tests.unit.registry.publish.source import DAY, RELEASE, Source, digits_of, shim_of, snapshot


@pytest.fixture
def source(tmp_path):
    return Source(tmp_path)


def refused(source, **order):
    with pytest.raises(FormatError) as caught:
        source.build(**order)
    assert caught.value.code == "publish.refused"
    return [problem.code for problem in caught.value.problems]


@pytest.mark.proves(
    "ATIP6-4.4.1-01", "ATIP6-4.4.1-02", "ATIP6-4.4.1-04", "ATIP6-4.4.1-05", "ATIP6-4.8-01"
)
def test_tree_has_the_files_of_the_specification(source):
    path = source.add()
    source.write("patterns/flow.json", {"patterns": shim_of("a")["patterns"]})
    source.write("policy.json", {"policy": {"version": "1", "organization": "Acme"}})
    source.build()
    assert source.published().read_bytes() == path.read_bytes()
    files = snapshot(source.public)
    for name in (tree.MANIFEST, tree.CATALOG, tree.PATTERNS, tree.POLICY, tree.COVERAGE):
        assert name in files
    assert files["patterns/flow.json"] == (source.folder / "patterns/flow.json").read_bytes()
    assert source.codes() == []


@pytest.mark.proves("ATIP6-4.4.2-01", "ATIP6-4.4.2-02", "ATIP6-3.2.1-07")
def test_manifest_names_the_registry_and_its_endpoints(source):
    source.add()
    report = source.build()
    manifest = json.loads((source.public / tree.MANIFEST).read_text())
    assert manifest["atip"] == {"version": "0.6", "features": ["content-addressable"]}
    assert manifest["registry"] == {
        "name": "Test",
        "url": "https://registry.example",
        "type": "static",
        "version": "2026.01.15",
    }
    assert manifest["endpoints"]["shims"] == "/shims/sha256/{hash}.json"
    assert manifest["endpoints"]["signatures"] == "/shims/sha256/{hash}.json.bundle"
    assert manifest["x-atip"]["tuf"]["fingerprint"] == report.fingerprint


@pytest.mark.proves("ATIP6-4.4.4-01", "ATIP6-4.4.4-02", "ATIP6-4.9-04", "ATIP6-4.1-01")
def test_catalog_maps_names_to_versions_to_platforms(source):
    for version, platform in (("1.9", "linux-amd64"), ("1.10", "linux-amd64"), ("1.10", "any")):
        binary = f"{version}{platform}"
        facts = {"name": "tool", "version": version, "platform": platform}
        source.add(
            binary,
            binary={"hash": f"sha256:{digits_of(binary)}", **facts},
            description=f"of {version}",
            homepage="https://tool.example",
        )
    source.build()
    catalog = json.loads((source.public / tree.CATALOG).read_text())
    assert catalog["version"] == "1"
    assert catalog["updated"] == "2026-01-15T00:00:00Z"
    assert catalog["totalShims"] == 3
    tool = catalog["tools"]["tool"]
    assert (tool["description"], tool["homepage"]) == ("of 1.10", "https://tool.example")
    assert list(tool["versions"]) == ["1.9", "1.10"]
    assert tool["versions"]["1.10"]["linux-amd64"] == f"sha256:{digits_of('1.10linux-amd64')}"


def test_two_builds_of_one_version_are_both_in_the_catalog(source):
    source.add("debian")
    source.add("upstream")
    source.build()
    versions = json.loads((source.public / tree.CATALOG).read_text())["tools"]["tool"]["versions"]
    assert set(versions["1.0"]) == {"linux-amd64", "linux-amd64#2"}
    assert source.codes() == []


def test_unsigned_tree_is_reproducible_byte_for_byte(tmp_path):
    trees = []
    for name in ("one", "two"):
        source = Source(tmp_path / name)
        for binary in ("b", "a", "c") if name == "one" else ("c", "a", "b"):
            source.add(binary, folder="sub/" if binary == "c" and name == "two" else "")
        source.build(keys=False)
        trees.append(snapshot(source.public))
    assert trees[0] == trees[1]


def test_signed_tree_is_reproducible_with_the_same_keys(source, tmp_path):
    source.add()
    source.build()
    source.build(place=tmp_path / "again")
    assert snapshot(source.public) == snapshot(tmp_path / "again")


def test_incremental_build_equals_a_build_from_nothing(source, tmp_path):
    for binary in "abcdefgh":
        source.add(binary)
    source.build(keys=False)
    source.add("c", description="Another text")
    source.add("i")
    source.folder.joinpath(f"shims/{digits_of('d')}.json").unlink()
    source.build(keys=False, at=RELEASE + DAY)
    source.build(keys=False, at=RELEASE + DAY, place=tmp_path / "fresh")
    assert snapshot(source.public) == snapshot(tmp_path / "fresh")


def test_unchanged_shims_are_left_alone(source):
    for binary in "abc":
        source.add(binary)
    source.build()
    before = {binary: os.stat(source.published(binary)) for binary in "abc"}
    source.add("b", description="Another text")
    report = source.build(at=RELEASE + DAY)
    after = {binary: os.stat(source.published(binary)) for binary in "abc"}
    assert (report.added, report.changed, report.removed) == (0, 1, 0)
    for binary in "ac":
        assert after[binary].st_ino == before[binary].st_ino
        assert after[binary].st_mtime_ns == before[binary].st_mtime_ns
    assert after["b"].st_ino != before["b"].st_ino


def test_second_build_of_the_same_source_writes_nothing(source):
    source.add()
    source.write("patterns/flow.json", {"patterns": shim_of("a")["patterns"]})
    source.build()
    before = {path: os.stat(path).st_mtime_ns for path in source.public.rglob("*")}
    report = source.build(at=RELEASE + 3600)
    assert {path: os.stat(path).st_mtime_ns for path in source.public.rglob("*")} == before
    assert (report.bins, report.changed) == (0, 0)


def test_without_its_state_a_build_still_leaves_unchanged_shims_alone(source):
    source.add("a")
    source.add("b")
    source.build()
    before = os.stat(source.published("a"))
    for state in (source.folder / ".atip").glob("*.state"):
        state.write_bytes(b"damaged")
    source.folder.joinpath(f"shims/{digits_of('b')}.json").unlink()
    report = source.build(at=RELEASE + DAY)
    assert os.stat(source.published("a")).st_ino == before.st_ino
    assert (report.total, report.removed) == (1, 1)
    assert not source.published("b").exists()
    assert source.codes(at=RELEASE + DAY + 1) == []


@pytest.mark.parametrize("table", ["part", "tool", "piece"])
def test_damaged_piece_of_the_state_means_looking_at_everything(source, table):
    for binary in "abc":
        source.add(binary)
    source.build()
    (path,) = (source.folder / ".atip").glob("*.state")
    column = {"part": "records", "tool": "rows", "piece": "data"}[table]
    with contextlib.closing(sqlite3.connect(path)) as state, state:
        state.execute(f"UPDATE {table} SET {column} = x'c1'")
    source.add("b", description="Another text")
    report = source.build(at=RELEASE + DAY)
    assert (report.total, report.added, report.changed, report.removed) == (3, 0, 1, 0)
    assert source.codes(at=RELEASE + DAY + 1) == []


def test_tree_of_many_small_builds_is_the_tree_of_one(source, tmp_path):
    for number, binary in enumerate("abcdefgh"):
        source.add(binary)
        source.build(at=RELEASE + number)
    source.folder.joinpath(f"shims/{digits_of('c')}.json").unlink()
    source.build(at=RELEASE + DAY)
    shims = {path.name: path.read_bytes() for path in source.public.glob("shims/**/*.json")}
    for state in (source.folder / ".atip").glob("*.state"):
        state.unlink()
    source.build(at=RELEASE + DAY)
    again = {path.name: path.read_bytes() for path in source.public.glob("shims/**/*.json")}
    assert again == shims
    assert source.codes(at=RELEASE + DAY + 1) == []


def test_file_written_in_place_within_the_same_moment_is_seen(source):
    path = source.add(description="AAAA")
    source.build()
    status = os.stat(path)
    path.write_bytes(path.read_bytes().replace(b"AAAA", b"BBBB"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    source.build(at=RELEASE + DAY)
    assert b"BBBB" in source.published().read_bytes()


def test_removed_shim_leaves_tree_and_metadata(source):
    source.add("a")
    source.add("b")
    source.build()
    source.folder.joinpath(f"shims/{digits_of('b')}.json").unlink()
    report = source.build(at=RELEASE + DAY)
    assert report.removed == 1
    assert not source.published("b").exists()
    assert source.codes(at=RELEASE + DAY + 1) == []


def test_moving_a_shim_to_another_folder_changes_nothing(source):
    path = source.add()
    source.build()
    target = source.folder / "shims" / "tools" / path.name
    target.parent.mkdir()
    path.rename(target)
    report = source.build(at=RELEASE + 60)
    assert (report.added, report.changed, report.removed) == (0, 0, 0)


@pytest.mark.proves("ATIP6-4.5-02")
@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("shims/curl.json", shim_of("a"), "publish.name"),
        (f"shims/{digits_of('a').upper()}.json", shim_of("a"), "publish.name"),
        (f"shims/{digits_of('b')}.json", shim_of("a"), "publish.hash-mismatch"),
        (f"shims/{digits_of('a')}.json", b"{", "publish.unreadable"),
        (f"shims/{digits_of('a')}.json", b'{"a":1,"a":2}', "publish.unreadable"),
        (f"shims/{digits_of('a')}.json", shim_of("a", commands=7), "format.type"),
        (f"shims/{digits_of('a')}.json.bundle", b"x", "publish.orphan"),
        (
            f"shims/{digits_of('a')}.json",
            shim_of("a", description="x" * 1_000_001),
            "format.too-large",
        ),
    ],
)
def test_what_a_client_would_refuse_stops_the_build(source, name, content, code):
    source.add("good")
    source.write(name, content)
    assert code in refused(source)
    assert not source.public.exists() or not list(source.public.rglob("*.json"))


def test_duplicate_key_in_a_shim_is_refused(source):
    text = json.dumps(shim_of("a")).encode()
    source.write(f"shims/{digits_of('a')}.json", text[:-1] + b',"description":"again"}')
    assert "format.duplicate-key" in refused(source)


def test_same_shim_in_two_folders_is_refused(source):
    source.add("a")
    source.add("a", folder="more/")
    assert refused(source) == ["publish.duplicate"]


def test_link_is_not_followed(source, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps(shim_of("a")))
    (source.folder / "shims" / f"{digits_of('a')}.json").symlink_to(secret)
    assert refused(source) == ["file.unreadable"]


@pytest.mark.proves("ATIP6-4.7-09", "ATIP6-4.7-10", "ATIP6-4.7-11")
@pytest.mark.parametrize(
    "changes",
    [
        {"binary": {**shim_of("a")["binary"], "name": "other"}},
        {"binary": {**shim_of("a")["binary"], "version": "2.0"}},
        {"binary": {**shim_of("a")["binary"], "platform": "darwin-arm64"}},
        {"homepage": "https://elsewhere.example"},
    ],
)
@pytest.mark.parametrize("judge", [True, False])
def test_update_of_an_immutable_field_is_refused(source, changes, judge):
    source.add()
    source.build(judge=judge)
    before = source.published().read_bytes()
    source.add(**changes)
    assert refused(source, judge=judge, at=RELEASE + DAY) == ["registry.immutable-changed"]
    assert source.published().read_bytes() == before


def test_build_does_not_overtake_another_publisher(source, monkeypatch):
    source.add()
    source.build()
    source.add("b")
    other = (source.public / tree.TIMESTAMP).read_bytes() + b" "
    from atip.system.stores.folder import FolderStore

    put_many = FolderStore.put_many

    def meanwhile(self, objects):
        put_many(self, objects)
        (source.public / tree.TIMESTAMP).write_bytes(other)

    monkeypatch.setattr(FolderStore, "put_many", meanwhile)
    with pytest.raises(AtipError) as caught:
        source.build(at=RELEASE + DAY)
    assert caught.value.code == "objects.changed"


def test_place_that_other_keys_signed_is_refused(source, tmp_path):
    source.add()
    source.build()
    source.keys.rename(tmp_path / "old-keys")
    with pytest.raises(TrustError) as caught:
        source.build()
    assert caught.value.code == "publish.foreign"


def test_missing_settings_are_named(tmp_path):
    source = Source(tmp_path)
    (source.folder / "publisher.json").unlink()
    with pytest.raises(NotFoundError) as caught:
        source.build()
    assert caught.value.code == "publish.no-settings"


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"requireSignature": True}, "format.closed-field"),
        ({"lifetimes": {"timestamp": "30d"}}, "publish.lifetime"),
        ({"lifetimes": {"timestamp": "soon"}}, "publish.lifetime"),
        ({"rootKeys": 1, "rootThreshold": 2}, "publish.threshold"),
    ],
)
def test_settings_are_closed_and_bounded(tmp_path, settings, code):
    source = Source(tmp_path, **settings)
    with pytest.raises(FormatError) as caught:
        source.build()
    assert caught.value.code == code


def test_policy_and_patterns_that_clients_refuse_stop_the_build(source):
    source.add()
    source.write("policy.json", {"policy": {"version": "1", "aproval": {}}})
    with pytest.raises(FormatError):
        source.build(keys=False)
    (source.folder / "policy.json").unlink()
    source.write("patterns/bad name.json", {"patterns": []})
    with pytest.raises(FormatError) as caught:
        source.build(keys=False)
    assert caught.value.code == "publish.pattern"


def test_release_time_is_given_or_from_the_environment(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1768435200")
    assert release_time(None) == RELEASE
    assert release_time("2026-01-16") == RELEASE + DAY
    with pytest.raises(FormatError) as caught:
        release_time("yesterday")
    assert caught.value.code == "publish.release"


def test_coverage_counts_and_names_what_is_missing(tmp_path):
    source = Source(
        tmp_path, wanted=[{"name": "tool", "platforms": ["linux-amd64", "any"]}, {"name": "ffmpeg"}]
    )
    source.add()
    source.build(keys=False)
    coverage = json.loads((source.public / tree.COVERAGE).read_text())["coverage"]
    assert coverage == {
        "tracked_tools": 1,
        "total_shims": 1,
        "platforms": {"linux-amd64": 1},
        "by_source": {"community": 1},
        "missing": [{"name": "tool", "platforms": ["any"]}, {"name": "ffmpeg", "platforms": []}],
    }


def test_shims_beyond_memory_are_read_twice_and_must_not_change(source, monkeypatch):
    from atip.registry.publish import gather

    monkeypatch.setattr(gather, "_IN_MEMORY", 0)
    path = source.add()
    source.build(keys=False)
    assert source.published().read_bytes() == path.read_bytes()
    source.add("b")
    review = gather.review

    def change(*given):
        source.add("b", description="changed behind the review")
        return review(*given)

    monkeypatch.setattr(gather, "review", change)
    with pytest.raises(FormatError) as caught:
        build(source.order(keys=False))
    assert caught.value.code == "publish.changed-meanwhile"
    assert not source.published("b").exists()


def test_told_what_changed_a_build_looks_at_nothing_else(source):
    for content in "abc":
        source.add(content)
    source.build()
    source.add("a", description="Another text")
    source.add("b", description="Not told")
    source.add("d")
    gone = source.folder / "shims" / f"{digits_of('c')}.json"
    gone.unlink()
    told = tuple(f"{digits_of(content)}.json" for content in "acd")
    report = build(source.order(at=RELEASE + DAY).replace(changed=told))
    assert (report.added, report.changed, report.removed) == (1, 1, 1)
    assert source.codes(at=RELEASE + DAY + 60) == []
    # What was forgotten is found by the next whole walk.
    assert source.build(at=RELEASE + 2 * DAY).changed == 1
    assert b"Not told" in source.published("b").read_bytes()


def test_told_names_stay_below_the_folder(source):
    source.add()
    source.build()
    with pytest.raises(FormatError) as caught:
        build(source.order().replace(changed=("../publisher.json",)))
    assert caught.value.code == "publish.name"


def test_wishes_alone_change_the_coverage(source):
    source.add()
    source.build()
    source.write("publisher.json", {**source.settings, "wanted": [{"name": "ffmpeg"}]})
    source.build(at=RELEASE + 60)
    coverage = json.loads((source.public / tree.COVERAGE).read_text())["coverage"]
    assert coverage["missing"] == [{"name": "ffmpeg", "platforms": []}]
