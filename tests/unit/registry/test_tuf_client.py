"""The client's view of TUF metadata: every attack of the list is refused with its code."""

from __future__ import annotations

import datetime
import json
import pathlib

import pytest

from atip.errors import AtipError, FetchError, TrustError
from atip.registry import tree
from atip.registry.remote.tuf_client import (
    LONGEST_TIMESTAMP_S,
    SeenVersions,
    SignedIndex,
    check_skew,
    fetch_first_root,
    fingerprint_of,
    read_root,
)
from tests.shared import shared
from tests.simulators.registry import RegistrySimulator, digest_for, shim_of

BASE = "https://registry.example"
FROB = digest_for("frob")


class Visitor:
    """A client's folder and memory across sessions, reading straight from a simulator's files."""

    def __init__(self, folder: pathlib.Path, registry: RegistrySimulator) -> None:
        self.folder, self.registry = folder, registry
        self.files = registry.files
        self.seen = SeenVersions()
        self.now = registry.now.timestamp() + 60
        self.asked: list[str] = []

    def fetch(self, url: str, max_bytes: int) -> bytes | None:
        path = url.removeprefix(BASE + "/")
        self.asked.append(path)
        data = self.files.get(path)
        if data is not None and len(data) > max_bytes:
            raise FetchError("http.too-large", "too large")
        return data

    def session(self) -> SignedIndex:
        root = fetch_first_root(lambda url, n: self.registry.files[tree.FIRST_ROOT], BASE)
        assert root is not None
        index = SignedIndex(
            str(self.folder), BASE, root, fetch=self.fetch, now=self.now, seen=self.seen
        )
        self.asked.clear()
        index.refresh()
        self.seen = index.seen
        return index

    def code(self) -> str:
        with pytest.raises(AtipError) as caught:
            self.session().find(tree.shim_path(FROB))
        return caught.value.code


@pytest.fixture
def registry():
    simulator = RegistrySimulator(bits=4)
    simulator.add(shim_of(FROB))
    for number in range(40):
        simulator.add(shim_of(digest_for(str(number)), f"tool{number}"))
    simulator.put_manifest()
    simulator.publish()
    return simulator


@pytest.fixture
def visitor(tmp_path, registry):
    return Visitor(tmp_path / "tuf", registry)


def test_a_listed_shim_is_found_and_an_unlisted_one_is_a_signed_no(visitor, registry):
    index = visitor.session()
    target = index.find(tree.shim_path(FROB))
    assert target is not None
    assert target.verify(registry.files[tree.shim_path(FROB)])
    assert index.find(tree.shim_path(digest_for("never published"))) is None
    assert index.paths() == [tree.MANIFEST]
    with pytest.raises(TrustError) as caught:
        target.verify(registry.files[tree.shim_path(FROB)] + b" ")
    assert caught.value.code == "tuf.mismatch"


def test_one_bin_answers_for_many_hashes(visitor):
    index = visitor.session()
    for number in range(2000):
        index.find(tree.shim_path(digest_for(f"local {number}")))
    assert len([path for path in visitor.asked if "bins-" in path]) == 16
    assert len(visitor.asked) == 16 + 4


def test_a_second_session_asks_for_root_and_timestamp_only(visitor):
    visitor.session().find(tree.shim_path(FROB))
    visitor.session().find(tree.shim_path(FROB))
    assert visitor.asked == ["tuf/2.root.json", "tuf/timestamp.json"]


def test_only_the_bin_that_changed_is_fetched_again(visitor, registry):
    for number in range(40):
        visitor.session().find(tree.shim_path(digest_for(str(number))))
    registry.add(shim_of(digest_for("new")))
    registry.publish()
    index = visitor.session()
    assert index.find(tree.shim_path(digest_for("new"))) is not None
    for number in range(40):
        index.find(tree.shim_path(digest_for(str(number))))
    assert len([path for path in visitor.asked if "bins-" in path]) == 1


# -- attacks --------------------------------------------------------------------------------------


def test_rollback_is_refused(visitor, registry):
    yesterday = dict(registry.files)
    registry.add(shim_of(FROB, description="newer"))
    registry.publish()
    visitor.session()
    visitor.files = yesterday
    assert visitor.code() == "tuf.rollback"


def test_rollback_is_refused_even_when_the_local_files_are_gone(visitor, registry):
    yesterday = dict(registry.files)
    registry.publish()
    visitor.session()
    for path in visitor.folder.rglob("*.json"):
        path.unlink()
    visitor.files = yesterday
    assert visitor.code() == "tuf.rollback"


def test_rollback_is_refused_even_when_the_local_files_are_damaged(visitor, registry):
    yesterday = dict(registry.files)
    registry.publish()
    visitor.session()
    for path in visitor.folder.rglob("*.json"):
        path.write_bytes(path.read_bytes()[:-40])
    visitor.files = yesterday
    assert visitor.code() == "tuf.rollback"


def test_rollback_of_the_snapshot_alone_is_refused(visitor, registry):
    registry.publish()
    visitor.session()
    registry.publish_timestamp(snapshot=1)
    assert visitor.code() == "tuf.rollback"


def test_freeze_is_refused_once_the_timestamp_has_expired(visitor):
    visitor.session()
    visitor.now += 2 * 86400
    assert visitor.code() == "tuf.expired"


def test_expired_root_is_refused(visitor):
    visitor.now += 400 * 86400
    assert visitor.code() == "tuf.expired"


def test_mix_and_match_is_refused(visitor, registry):
    """A snapshot of one release with a bin of another, both validly signed."""
    name = tree.bin_of(tree.shim_path(FROB), registry.bits)
    old = registry.files[tree.metadata_path(name, 1)]
    registry.add(shim_of(FROB, description="newer"))
    registry.publish()
    registry.files[tree.metadata_path(name, 2)] = old
    assert visitor.code() == "tuf.mismatch"


def test_a_snapshot_that_the_timestamp_does_not_name_is_refused(visitor, registry):
    registry.files["tuf/1.snapshot.json"] += b" "
    assert visitor.code() in ("tuf.mismatch", "http.too-large")


def test_fast_forward_without_the_key_is_refused(visitor, registry):
    document = json.loads(registry.files[tree.TIMESTAMP])
    document["signed"]["version"] = 2**31
    registry.files[tree.TIMESTAMP] = json.dumps(document).encode()
    assert visitor.code() == "tuf.signature"


def test_after_a_fast_forward_with_a_stolen_key_a_new_root_recovers(visitor, registry):
    from securesystemslib.signer import CryptoSigner

    registry.versions["timestamp"] = 1_000_000
    registry.publish_timestamp()
    visitor.session()
    registry.keys["timestamp"] = CryptoSigner.generate_ed25519()
    registry.publish_root()
    registry.versions["timestamp"] = 2
    registry.publish_timestamp()
    assert visitor.session().find(tree.shim_path(FROB)) is not None
    assert visitor.seen == SeenVersions(root=2, timestamp=3, snapshot=1)


def test_a_root_signed_by_too_few_is_refused(visitor, registry):
    registry.publish_root()
    document = json.loads(registry.files["tuf/2.root.json"])
    document["signatures"] = document["signatures"][:1]
    registry.files["tuf/2.root.json"] = json.dumps(document).encode()
    assert visitor.code() == "tuf.signature"


def test_a_root_of_somebody_else_is_refused(visitor, registry):
    other = RegistrySimulator(bits=4, now=registry.now)
    other.publish_root()
    registry.files["tuf/2.root.json"] = other.files["tuf/2.root.json"]
    assert visitor.code() == "tuf.signature"


def test_a_bin_signed_with_another_key_is_refused(visitor, registry):
    from securesystemslib.signer import CryptoSigner

    honest = registry.keys["bins"]
    registry.keys["bins"] = CryptoSigner.generate_ed25519()
    registry.add(shim_of(FROB, description="forged"))
    registry.publish()
    registry.keys["bins"] = honest
    from tuf.api.metadata import Metadata, MetaFile

    targets = Metadata.from_bytes(registry.files[tree.metadata_path("targets", 2)])
    key = honest.public_key
    targets.signed.delegations.succinct_roles.keyids = [key.keyid]
    targets.signed.delegations.keys = {key.keyid: key}
    targets.signed.version = 3
    targets.sign(registry.keys["targets"])
    registry.files[tree.metadata_path("targets", 3)] = targets.to_bytes()
    registry._meta["targets.json"] = MetaFile.from_data(3, targets.to_bytes(), ["sha256"])
    registry.publish_snapshot()
    registry.publish_timestamp()
    assert visitor.code() == "tuf.signature"


def test_missing_metadata_is_a_typed_error(visitor, registry):
    del registry.files["tuf/1.targets.json"]
    assert visitor.code() == "tuf.missing"


def test_garbage_is_a_typed_error(visitor, registry):
    for garbage in (b"", b"{", b"[]", b"null", b'{"signed": 1}', b"\xff" * 100):
        registry.files[tree.TIMESTAMP] = garbage
        assert visitor.code().startswith("tuf.")


def test_endless_metadata_is_cut(visitor, registry):
    registry.files[tree.TIMESTAMP] = b" " * 20_000
    assert visitor.code() == "http.too-large"


def test_a_failed_session_leaves_the_last_good_metadata(visitor, registry):
    visitor.session()
    good = {path: path.read_bytes() for path in visitor.folder.rglob("*.json")}
    kept = dict(registry.files)
    for path in [*registry.files]:
        if path.startswith("tuf/") and "root" not in path:
            registry.files[path] = b"{}"
    assert visitor.code().startswith("tuf.")
    assert {path: path.read_bytes() for path in visitor.folder.rglob("*.json")} == good
    registry.files.update(kept)
    assert visitor.session().find(tree.shim_path(FROB)) is not None


@pytest.mark.parametrize("years", [-10, 10])
def test_a_clock_far_off_is_named_and_nothing_is_accepted(visitor, years):
    visitor.now += years * 365 * 86400
    assert visitor.code() in ("tuf.clock", "tuf.expired")


def test_a_clock_two_days_off_is_noticed(visitor, registry):
    registry.lifetime = datetime.timedelta(seconds=LONGEST_TIMESTAMP_S)
    registry.publish_timestamp()
    for shift, expected in ((48, "tuf.clock"), (-80, "tuf.expired")):
        visitor.now = registry.now.timestamp() - shift * 3600
        assert visitor.code() == expected
    theirs = {"date": "Mon, 16 Nov 2026 12:00:00 GMT"}
    moment = datetime.datetime(2026, 11, 16, 12, tzinfo=datetime.UTC).timestamp()
    check_skew(theirs, moment + 3600)
    check_skew({}, 0.0)
    for shift in (-48, 48):
        with pytest.raises(TrustError):
            check_skew(theirs, moment + shift * 3600)


def test_a_root_is_summarised_for_the_person_who_pins_it(registry):
    root = registry.files[tree.FIRST_ROOT]
    summary = read_root(root)
    assert summary.fingerprint == registry.fingerprint == fingerprint_of(root)
    assert (summary.version, summary.threshold, len(summary.keys)) == (1, 2, 2)
    for wrong in (b"{}", registry.files[tree.TIMESTAMP], root.replace(b'"threshold":2', b'"threshold":1')):  # fmt: skip
        with pytest.raises(TrustError) as caught:
            read_root(wrong)
        assert caught.value.code == "tuf.root"


# -- public data ----------------------------------------------------------------------------------


@pytest.mark.parametrize("year", ["their own", "2100"])
def test_public_static_repositories_are_read_at_their_own_time_only(tmp_path, year):
    """tuf-conformance's static repositories: valid at `faketime`, expired in 2100."""
    for repository in sorted((shared("corpora") / "security/tuf/static").iterdir()):
        if not (repository / "faketime").exists():
            continue
        moment = datetime.datetime.fromisoformat((repository / "faketime").read_text().strip())
        now = moment.replace(tzinfo=datetime.UTC).timestamp() if year == "their own" else 4.1e9

        def fetch(url: str, _max: int, where: pathlib.Path = repository) -> bytes | None:
            path = where / "metadata" / url.rpartition("/")[2]
            return path.read_bytes() if path.exists() else None

        root = (repository / "initial_root.json").read_bytes()
        index = SignedIndex(
            str(tmp_path / repository.name), BASE, root, fetch=fetch, now=now, seen=SeenVersions()
        )
        # Signing ceremonies there give timestamps of a week; the bound of 72 hours is ours alone.
        index._check_clock = lambda: None  # type: ignore[method-assign]
        if year == "2100":
            with pytest.raises(TrustError) as caught:
                index.refresh()
            assert caught.value.code == "tuf.expired"
            continue
        index.refresh()
        path = (repository / "targetpath").read_text().strip()
        target = index.find(path)
        assert target is not None
        stored = next((repository / "targets").rglob(f"*{path.rpartition('/')[2]}"))
        assert target.verify(stored.read_bytes())


def test_roles_with_fishy_names_stay_inside_the_folder(tmp_path):
    """python-tuf's own repository with roles `../a`, `.` and `ö`."""
    from urllib.parse import unquote

    source = shared("corpora") / "security/tuf/python-tuf/fishy_rolenames/metadata"

    def fetch(url: str, _max: int) -> bytes | None:
        path = source / unquote(url.rpartition("/tuf/")[2])
        return path.read_bytes() if path.exists() else None

    root = (source / "1.root.json").read_bytes()
    folder = tmp_path / "inside" / "tuf"
    index = SignedIndex(str(folder), BASE, root, fetch=fetch, now=1.8e9, seen=SeenVersions())
    index._check_clock = lambda: None  # type: ignore[method-assign]
    index.refresh()
    index.find("targets/anything")
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]
    assert [path.name for path in (tmp_path / "inside").iterdir()] == ["tuf"]


def test_a_repository_without_consistent_snapshots_is_read_too(tmp_path):
    source = shared("corpora") / "security/tuf/python-tuf/repository/metadata"

    def fetch(url: str, _max: int) -> bytes | None:
        path = source / url.rpartition("/")[2]
        return path.read_bytes() if path.exists() and "root" not in path.name else None

    root = (source / "root.json").read_bytes()
    index = SignedIndex(str(tmp_path), BASE, root, fetch=fetch, now=1.8e9, seen=SeenVersions())
    index._check_clock = lambda: None  # type: ignore[method-assign]
    index.refresh()
    target = index.find("file1.txt")
    assert target is not None
    assert target.verify((source.parent / "targets/file1.txt").read_bytes())
