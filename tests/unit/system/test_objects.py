"""The object store interface over a folder: whole writes, conditions, names that stay inside."""

from __future__ import annotations

import os

import pytest

from atip.errors import AtipError, FormatError, UsageError
from atip.system.stores.folder import FolderStore
from atip.system.stores.objects import ABSENT, open_store


@pytest.fixture
def store(tmp_path):
    return FolderStore(str(tmp_path / "store"))


def keys(store, prefix=""):
    return [info.key for info in store.list(prefix)]


def test_what_was_put_is_found_and_listed(store):
    store.put_many([("a/b/x.json", b"1"), ("y.json", b"22"), (".well-known/m.json", b"3")])
    assert store.find("a/b/x.json", 10).data == b"1"
    assert keys(store) == ["y.json", ".well-known/m.json", "a/b/x.json"]
    assert keys(store, "a") == ["a/b/x.json"]
    assert store.find("a/b/none.json", 10) is None


def test_object_beyond_the_limit_is_refused(store):
    store.put("x", b"12345")
    with pytest.raises(FormatError) as caught:
        store.find("x", 4)
    assert caught.value.code == "format.too-large"


def test_conditional_write_needs_the_tag_that_is_there(store):
    store.put("x", b"1", expected=ABSENT)
    tag = store.find("x", 10).tag
    with pytest.raises(AtipError) as caught:
        store.put("x", b"2", expected=ABSENT)
    assert caught.value.code == "objects.changed"
    store.put("x", b"2", expected=tag)
    with pytest.raises(AtipError):
        store.put("x", b"3", expected=tag)
    assert store.find("x", 10).data == b"2"


@pytest.mark.parametrize("key", ["", "/x", "../x", "a/../x", "a//x", "./x", "a\\x", "a\nx", "ä"])
def test_key_that_leads_out_is_refused(store, key):
    for use in (
        lambda: store.put(key, b""),
        lambda: store.find(key, 1),
        lambda: store.delete([key]),
    ):
        with pytest.raises(AtipError) as caught:
            use()
        assert caught.value.code == "objects.key"


def test_failure_while_filling_a_new_directory_leaves_nothing(store):
    def objects():
        yield "d/one", b"1"
        raise FormatError("x.y", "stop")

    with pytest.raises(FormatError):
        store.put_many(objects())
    assert not os.path.exists(os.path.join(store.place, "d"))
    assert keys(store) == []


def test_failure_while_changing_keeps_old_files_whole(store):
    store.put("d/one", b"old")

    def objects():
        yield "d/two", b"2"
        raise FormatError("x.y", "stop")

    with pytest.raises(FormatError):
        store.put_many(objects())
    assert store.find("d/one", 10).data == b"old"


def test_full_disk_is_a_typed_error(store, monkeypatch):
    import errno

    store.put("d/one", b"old")

    def full(*_given, **_more):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(AtipError) as caught:
        store.put("d/one", b"new")
    monkeypatch.undo()
    assert caught.value.code == "file.disk-full"
    assert store.find("d/one", 10).data == b"old"


def test_link_in_the_store_is_neither_read_nor_listed(store, tmp_path):
    (tmp_path / "secret").write_text("s")
    store.put("x", b"1")
    os.symlink(tmp_path / "secret", os.path.join(store.place, "link"))
    assert keys(store) == ["x"]
    with pytest.raises(AtipError):
        store.find("link", 10)


def test_deleting_twice_is_no_fault(store):
    store.put("x", b"1")
    store.delete(["x", "x"])
    assert keys(store) == []


@pytest.mark.parametrize("place", ["ftp://x/y", "https://x/y", "s3://", "s3://b/p?x=1"])
def test_other_addresses_are_refused(place):
    with pytest.raises(UsageError) as caught:
        open_store(place, lambda _key: {})
    assert caught.value.code == "objects.place"


def test_bucket_over_plain_http_is_refused(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://store.example")
    with pytest.raises(UsageError):
        open_store("s3://bucket", lambda _key: {})


def test_directory_that_a_killed_writer_left_is_removed(store, tmp_path):
    left = tmp_path / "store" / ".atip-tmp-left"
    young = tmp_path / "store" / ".atip-tmp-young"
    for folder in (left, young):
        folder.mkdir(parents=True)
        (folder / "x").write_text("1")
    os.utime(left, (0, 0))
    store.put("d/one", b"1")
    assert (left.exists(), young.exists()) == (False, True)
    assert keys(store) == ["d/one"]
