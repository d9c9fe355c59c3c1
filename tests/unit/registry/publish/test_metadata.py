"""TUF metadata: verified by python-tuf's client; versions that only rise; keys that rotate; nothing signed blindly."""

from __future__ import annotations

import json

import pytest

from atip.errors import NotFoundError, TrustError
from atip.registry import tree
from atip.registry.publish.signing.canonical import canonical
from atip.registry.publish.signing.resign import resign
from atip.registry.publish.signing.roots import fingerprint
from atip.registry.remote.tuf_client import SeenVersions, SignedIndex
from tests.unit.registry.publish.source import DAY, RELEASE, Source, digits_of


@pytest.fixture
def source(tmp_path):
    made = Source(tmp_path)
    for content in "abcdef":
        made.add(content)
    made.build()
    return made


class Client:
    """The reading side with a memory, over the published folder."""

    def __init__(self, source, folder):
        self.source, self.folder, self.seen = source, folder, SeenVersions()
        self.root = (source.public / tree.FIRST_ROOT).read_bytes()
        self.asked = []

    def fetch(self, url, max_bytes):
        name = url.removeprefix("https://x.invalid/")
        self.asked.append(name)
        path = self.source.public / name
        return path.read_bytes() if path.exists() else None

    def refresh(self, at=RELEASE + 60):
        index = SignedIndex(
            str(self.folder),
            "https://x.invalid",
            self.root,
            fetch=self.fetch,
            now=at,
            seen=self.seen,
        )
        index.refresh()
        self.seen = index.seen
        return index


@pytest.fixture
def client(source, tmp_path):
    return Client(source, tmp_path / "client")


def signed(source, name):
    return json.loads((source.public / name).read_text())["signed"]


def test_client_finds_every_shim_and_a_signed_no(source, client):
    index = client.refresh()
    for content in "abcdef":
        path = tree.shim_path(digits_of(content))
        index.find(path).verify(source.published(content).read_bytes())
    assert index.find(tree.shim_path(digits_of("unknown"))) is None
    assert tree.MANIFEST in index.paths()


def test_fingerprint_is_of_the_first_root_for_ever(source):
    first = fingerprint((source.public / tree.FIRST_ROOT).read_bytes())
    resign(source.order(at=RELEASE + DAY), rotate="root")
    assert source.build(at=RELEASE + DAY).fingerprint == first


def test_root_needs_two_of_three_keys(source):
    root = signed(source, tree.FIRST_ROOT)
    assert root["roles"]["root"]["threshold"] == 2
    assert len(root["roles"]["root"]["keyids"]) == 3


def test_timestamp_lasts_72_hours(source, client):
    assert signed(source, tree.TIMESTAMP)["expires"] == "2026-01-18T00:00:00Z"
    with pytest.raises(TrustError) as caught:
        client.refresh(at=RELEASE + 3 * DAY + 1)
    assert caught.value.code == "tuf.expired"


def test_only_bins_with_changes_get_a_new_version(source):
    before = signed(source, "tuf/1.snapshot.json")["meta"]
    source.add("a", description="Another text")
    report = source.build(at=RELEASE + 60)
    after = signed(source, "tuf/2.snapshot.json")["meta"]
    changed = {name for name in after if after[name] != before[name] and name != "targets.json"}
    name = tree.bin_of(tree.shim_path(digits_of("a")), 1)
    assert changed == {f"{name}.json"}
    assert report.bins == 1
    assert after[f"{name}.json"]["version"] == 2


def test_release_before_the_last_can_still_be_finished(source, client):
    client.refresh()
    source.add("a", description="Another text")
    source.build(at=RELEASE + 60)
    for name, facts in signed(source, "tuf/1.snapshot.json")["meta"].items():
        assert (source.public / "tuf" / f"{facts['version']}.{name}").exists()
    source.add("a", description="A third text")
    source.build(at=RELEASE + 120)
    assert not (source.public / "tuf/1.snapshot.json").exists()
    client.refresh(at=RELEASE + 180)
    assert source.codes(at=RELEASE + 180) == []


def test_more_shims_make_more_bins_and_no_version_goes_down(source, client, monkeypatch):
    client.refresh()
    source.add("g")
    monkeypatch.setattr(tree, "SHIMS_PER_BIN", 1)
    source.build(at=RELEASE + 60)
    index = client.refresh(at=RELEASE + 120)
    meta = signed(source, "tuf/2.snapshot.json")["meta"]
    assert all(f"{name}.json" in meta for name in tree.all_bins(3))
    assert meta["bins-0.json"]["version"] == 2
    assert index.find(tree.shim_path(digits_of("g"))) is not None
    monkeypatch.setattr(tree, "SHIMS_PER_BIN", 500)
    source.add("h")
    source.build(at=RELEASE + 180)
    targets = signed(source, "tuf/3.targets.json")
    assert targets["delegations"]["succinct_roles"]["bit_length"] == 3
    client.refresh(at=RELEASE + 240)
    assert source.codes(at=RELEASE + 240) == []


def test_refresh_signs_a_new_timestamp_and_nothing_else(source, client):
    client.refresh()
    report = resign(source.order(at=RELEASE + DAY))
    assert report.written == (tree.TIMESTAMP,)
    assert signed(source, tree.TIMESTAMP)["version"] == 2
    client.refresh(at=RELEASE + 3 * DAY + 60)
    assert source.build(at=RELEASE + DAY + 60).changed == 0


@pytest.mark.parametrize("role", ["root", "targets", "bins", "snapshot", "timestamp"])
def test_keys_rotate_and_clients_follow(source, client, role):
    client.refresh()
    before = {path.name: path.read_bytes() for path in source.keys.glob("*.pem")}
    report = resign(source.order(at=RELEASE + 60), rotate=role)
    assert report.root == (1 if role == "bins" else 2)
    index = client.refresh(at=RELEASE + 120)
    assert index.find(tree.shim_path(digits_of("a"))) is not None
    changed = {name for name, data in before.items() if (source.keys / name).read_bytes() != data}
    expected = {"root-1.pem", "root-2.pem", "root-3.pem"} if role == "root" else {f"{role}.pem"}
    assert changed == expected
    assert len(list((source.keys / "retired").iterdir())) == len(expected)
    source.add("g")
    source.build(at=RELEASE + 180)
    assert client.refresh(at=RELEASE + 240).find(tree.shim_path(digits_of("g"))) is not None
    assert source.codes(at=RELEASE + 240) == []


def test_client_that_slept_through_several_roots_follows_them_one_by_one(source, client):
    for number in range(3):
        resign(source.order(at=RELEASE + 60 * number), rotate="root")
    resign(source.order(at=RELEASE + 240), renew_root=True)
    index = client.refresh(at=RELEASE + 300)
    assert index.seen.root == 5


def test_root_cannot_rotate_without_its_threshold(source):
    for number in (1, 2):
        (source.keys / f"root-{number}.pem").rename(source.keys.parent / f"root-{number}.pem")
    before = sorted(path.name for path in source.keys.iterdir())
    with pytest.raises(NotFoundError) as caught:
        resign(source.order(at=RELEASE + 60), rotate="timestamp")
    assert caught.value.code == "publish.keys-missing"
    assert sorted(path.name for path in source.keys.iterdir()) == before


def test_building_needs_no_root_key(source):
    for path in source.keys.glob("root-*.pem"):
        path.unlink()
    source.add("g")
    assert source.build(at=RELEASE + 60).added == 1
    assert source.codes(at=RELEASE + 120) == []


def test_metadata_that_our_keys_did_not_sign_is_not_continued(source):
    path = source.public / tree.TIMESTAMP
    document = json.loads(path.read_text())
    document["signed"]["version"] = 1_000_000
    path.write_bytes(canonical(document))
    source.add("g")
    with pytest.raises(TrustError) as caught:
        source.build(at=RELEASE + 60)
    assert caught.value.code == "publish.foreign"


def test_root_in_the_store_is_not_believed(source):
    """A store that swaps the root cannot get its own keys signed by ours."""
    path = source.public / tree.ROOT
    document = json.loads(path.read_text())
    document["signed"]["roles"]["timestamp"]["keyids"].append("0" * 64)
    path.write_bytes(canonical(document))
    resign(source.order(at=RELEASE + 60), renew_root=True)
    assert "0" * 64 not in signed(source, "tuf/2.root.json")["roles"]["timestamp"]["keyids"]


def test_bin_that_was_swapped_is_not_signed_again(source):
    path = source.public / "tuf/1.bins-0.json"
    document = json.loads(path.read_text())
    document["signed"]["targets"] = {}
    path.write_bytes(canonical(document))
    with pytest.raises(NotFoundError) as caught:
        resign(source.order(at=RELEASE + 60), rotate="bins")
    assert caught.value.code == "publish.damaged"


def test_signatures_are_renewed_before_half_of_their_life_is_over(source):
    source.build(at=RELEASE + 200 * DAY)
    assert signed(source, "tuf/2.targets.json")["expires"].startswith("2027-08")
    assert source.codes(at=RELEASE + 201 * DAY) == []


def test_root_that_ends_soon_is_pointed_out(source):
    at = RELEASE + 360 * DAY
    source.build(at=at)
    report = source.check(at=at + 60)
    assert "registry.expires-soon" in [problem.code for problem in report.problems]
    resign(source.order(at=at + 60), renew_root=True)
    report = source.check(at=at + 120)
    assert "registry.expires-soon" not in [problem.code for problem in report.problems]


def test_refresh_of_a_place_with_nothing_published_is_an_error(tmp_path):
    source = Source(tmp_path)
    with pytest.raises(NotFoundError) as caught:
        resign(source.order())
    assert caught.value.code == "publish.no-root"


def test_canonical_json_is_python_tufs():
    from securesystemslib.formats import encode_canonical

    value = {"b": [1, True, None, 'ü"\\'], "a": {"z": "", "y": -5}, "": {}}
    assert canonical(value) == encode_canonical(value).encode()
