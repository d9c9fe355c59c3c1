"""Public TUF repositories, whole and attacked, through our client's reading of metadata.

The timestamps there are valid for decades; ours may be for 72 hours. So each is read shortly before its end, and at the
time that it names itself it must be refused.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import shutil
from urllib.parse import unquote

import pytest

from atip.errors import AtipError, FetchError, TrustError
from atip.registry.remote.tuf_client import LONGEST_TIMESTAMP_S, SeenVersions, SignedIndex
from tests.shared import find_shared

pytest.importorskip("tuf")
DATA = find_shared("corpora/security/tuf")
if DATA is None:
    pytest.skip("shared data `corpora/security/tuf` is not here", allow_module_level=True)
STATIC = sorted(path.parent for path in DATA.glob("static/*/initial_root.json"))
WHOLE = {path.name: path for path in STATIC} | {
    path.parent.name: path.parent
    for path in DATA.glob("python-tuf/*/metadata")
    if (path / "1.root.json").exists() and (path / "timestamp.json").exists()
}
FISHY = DATA / "python-tuf" / "fishy_rolenames"


class Copy:
    """A repository that may be changed, and what a client asked it for."""

    def __init__(self, origin: pathlib.Path, folder: pathlib.Path) -> None:
        self.metadata = folder / "metadata"
        shutil.copytree(origin / "metadata", self.metadata, copy_function=shutil.copyfile)
        for one in [self.metadata, *self.metadata.rglob("*")]:
            one.chmod(0o755 if one.is_dir() else 0o644)
        initial = origin / "initial_root.json"
        self.root = (initial if initial.exists() else origin / "metadata/1.root.json").read_bytes()
        self.asked: list[str] = []
        self.client = folder / "client"
        self.end = self._expiry("timestamp.json")

    def _expiry(self, name: str) -> float:
        text = json.loads((self.metadata / name).read_bytes())["signed"]["expires"]
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()

    def fetch(self, url: str, most: int) -> bytes | None:
        self.asked.append(url)
        path = self.metadata / unquote(url.rpartition("/")[2])
        inside = path.resolve().is_relative_to(self.metadata.resolve())
        return path.read_bytes() if inside and path.is_file() else None

    def open(self, *, now: float | None = None, seen: SeenVersions | None = None) -> SignedIndex:
        index = SignedIndex(
            str(self.client),
            "https://registry.example",
            self.root,
            fetch=self.fetch,
            now=self.end - 3600 if now is None else now,
            seen=seen or SeenVersions(),
        )
        index.refresh()
        return index

    def refusal(self, **how: object) -> str:
        with pytest.raises((TrustError, FetchError)) as caught:
            self.open(**how)
        return caught.value.code

    def names(self, role: str) -> list[str]:
        return sorted(path.name for path in self.metadata.glob(f"*{role}.json"))


@pytest.fixture(params=sorted(WHOLE))
def copy(request, tmp_path):
    return Copy(WHOLE[request.param], tmp_path)


def test_whole_repository_is_accepted_shortly_before_its_end(copy):
    assert copy.open().seen.timestamp >= 1
    assert copy.open().expires_at == copy.end  # a second time, from what is kept


def test_expired_repository_is_refused(copy):
    assert copy.refusal(now=copy.end + 1) == "tuf.expired"


def test_timestamp_that_is_valid_for_too_long_is_refused(copy):
    assert copy.refusal(now=copy.end - 2 * LONGEST_TIMESTAMP_S) == "tuf.clock"


@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets"])
def test_changed_metadata_is_refused(copy, role):
    for name in copy.names(role):
        path = copy.metadata / name
        document = json.loads(path.read_bytes())
        document["signed"]["version"] += 1
        path.write_text(json.dumps(document))
    assert copy.refusal() in ("tuf.signature", "tuf.mismatch", "tuf.rollback")


@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets"])
def test_unsigned_metadata_is_refused(copy, role):
    for name in copy.names(role):
        path = copy.metadata / name
        document = json.loads(path.read_bytes())
        document["signatures"] = []
        path.write_text(json.dumps(document))
    assert copy.refusal() in ("tuf.signature", "tuf.mismatch")


@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets"])
def test_missing_metadata_is_refused(copy, role):
    for name in copy.names(role):
        (copy.metadata / name).unlink()
    assert copy.refusal() == "tuf.missing"


def test_going_back_behind_what_was_seen_is_refused(copy):
    seen = copy.open().seen
    shutil.rmtree(copy.client)  # what python-tuf kept is lost; we remember all the same
    later = SeenVersions(root=seen.root, timestamp=seen.timestamp + 1, snapshot=seen.snapshot)
    assert copy.refusal(seen=later) == "tuf.rollback"


def test_metadata_of_another_repository_is_refused(copy, tmp_path):
    copies = [Copy(origin, tmp_path / name) for name, origin in WHOLE.items()]
    stranger = next(one for one in copies if one.root != copy.root)
    shutil.copyfile(stranger.metadata / "timestamp.json", copy.metadata / "timestamp.json")
    assert copy.refusal() == "tuf.signature"


@pytest.mark.parametrize("origin", STATIC, ids=lambda path: path.name)
def test_artifact_is_the_listed_one_and_no_other(origin, tmp_path):
    target = (origin / "targetpath").read_text().strip()
    listed = Copy(origin, tmp_path).open().find(target)
    assert listed is not None
    folder, _, name = target.rpartition("/")
    (artifact,) = (origin / "targets" / folder).glob(f"*{name}")
    data = artifact.read_bytes()
    assert listed.verify(data) == data
    for wrong in (data + b"x", data[:-1], bytes([data[0] ^ 1]) + data[1:]):
        with pytest.raises(TrustError) as caught:
            listed.verify(wrong)
        assert caught.value.code == "tuf.mismatch"


@pytest.mark.skipif(not FISHY.exists(), reason="no such data")
def test_names_of_roles_lead_nowhere_else(tmp_path):
    copy = Copy(FISHY, tmp_path / "deep" / "er")
    index = copy.open()
    with pytest.raises(AtipError) as caught:
        index.find("anything")
    assert caught.value.code == "tuf.missing"
    assert all("/../" not in url for url in copy.asked)
    below = [os.path.relpath(path, copy.client) for path in copy.client.rglob("*")]
    assert {path.name for path in copy.client.parent.iterdir()} == {"metadata", "client"}
    assert not any(name.startswith("..") for name in below)
