"""The cache of raw shims: whole pairs or none, every change of a byte is noticed, nothing but our own files is read."""

from __future__ import annotations

import contextlib
import os
import random

import pytest

from atip.errors import AtipError
from atip.registry.shims.cache import ShimCache, ShimFacts
from tests.simulators.registry import digest_for

FACTS = ShimFacts(url="https://r.example/x", cached_at=1.0, expires_at=2.0, etag='"e"', signer="us")
FROB = digest_for("frob")


@pytest.fixture
def cache(tmp_path):
    return ShimCache(str(tmp_path))


@pytest.mark.parametrize("bundle", [None, b"", b"signature\nof several\nlines"])
def test_what_was_saved_is_found_byte_for_byte(cache, bundle):
    cache.save(FROB, b'{"a": 1}\n', bundle, FACTS)
    found = cache.find(FROB)
    assert (found.shim, found.bundle, found.facts) == (b'{"a": 1}\n', bundle, FACTS)
    assert cache.digests() == [FROB]


def test_an_update_replaces_the_pair_and_leaves_nothing_behind(cache, tmp_path):
    cache.save(FROB, b"one", b"sig one", FACTS)
    cache.save(FROB, b"two", None, FACTS.replace(signer=""))
    found = cache.find(FROB)
    assert (found.shim, found.bundle, found.facts.signer) == (b"two", None, "")
    assert len(list((tmp_path / "shims/sha256").iterdir())) == 2
    assert cache.forget(FROB) and cache.find(FROB) is None and not cache.forget(FROB)
    assert list((tmp_path / "shims/sha256").iterdir()) == []


class Killed(BaseException):
    pass


@pytest.mark.parametrize("step", ["write_atomic", "_unlink"])
@pytest.mark.parametrize("survived", [0, 1, 2])
def test_a_writer_that_dies_leaves_a_whole_pair(cache, monkeypatch, step, survived):
    """Killed at each of its steps: before the sidecar, between the two files, before the old sidecar goes."""
    from atip.registry.shims import cache as module

    cache.save(FROB, b"old", b"sig", FACTS)
    real, calls = getattr(module, step), []

    def dies(*args, **kwargs):
        calls.append(args)
        if len(calls) > survived:
            raise Killed
        return real(*args, **kwargs)

    monkeypatch.setattr(module, step, dies)
    with contextlib.suppress(Killed):
        cache.save(FROB, b"new", b"other", FACTS)
    found = cache.find(FROB)
    assert (found.shim, found.bundle) in ((b"old", b"sig"), (b"new", b"other"))
    assert cache.damaged == []


def test_every_changed_byte_is_noticed(cache, tmp_path):
    """One byte at every offset of both files."""
    cache.save(FROB, b'{"effects": {"destructive": true}}', b"signature", FACTS)
    files = {path: path.read_bytes() for path in (tmp_path / "shims/sha256").iterdir()}
    for path, content in files.items():
        for offset in range(len(content)):
            changed = bytearray(content)
            changed[offset] ^= 1 << (offset % 8)
            for each, data in files.items():
                each.write_bytes(data)
            path.write_bytes(bytes(changed))
            assert cache.find(FROB) is None, (path.name, offset)
            assert not (tmp_path / "shims/sha256" / f"{FROB[7:]}.json").exists()
    assert (tmp_path / "quarantine" / f"{FROB[7:]}.json").exists()


def test_one_percent_of_a_thousand_damaged_entries_is_found_wholly(cache, tmp_path):
    digests = [digest_for(str(number)) for number in range(1000)]
    for digest in digests:
        cache.save(digest, f'{{"binary": "{digest}"}}'.encode() * 5, b"s" * 100, FACTS)
    source = random.Random(1)
    damaged = set(source.sample(digests, 10))
    folder = tmp_path / "shims/sha256"
    for digest in damaged:
        names = [name for name in os.listdir(folder) if name.startswith(digest[7:])]
        path = folder / source.choice(names)
        data = bytearray(path.read_bytes())
        data[source.randrange(len(data))] ^= 1 + source.randrange(255)
        path.write_bytes(bytes(data))
    assert {digest for digest in digests if cache.find(digest) is None} == damaged
    assert set(cache.damaged) == damaged


def test_truncated_and_empty_files_are_noticed(cache, tmp_path):
    for cut in (0, 1, 20):
        cache.save(FROB, b"x" * 40, b"sig", FACTS)
        for path in (tmp_path / "shims/sha256").iterdir():
            path.write_bytes(path.read_bytes()[:cut])
        assert cache.find(FROB) is None


def test_a_link_in_the_cache_is_not_followed(cache, tmp_path):
    cache.save(FROB, b"shim", None, FACTS)
    path = tmp_path / "shims/sha256" / f"{FROB[7:]}.json"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.find(FROB) is None


def test_a_digest_cannot_become_a_path(cache):
    for wrong in ("../../etc/passwd", "sha256:../x", "sha256:" + "A" * 64, "", "sha256:abc"):
        with pytest.raises(AtipError):
            cache.find(wrong)


def test_files_are_for_the_user_alone(cache, tmp_path):
    cache.save(FROB, b"shim", None, FACTS)
    for path in (tmp_path / "shims/sha256").iterdir():
        assert path.stat().st_mode & 0o077 == 0
    assert (tmp_path / "shims/sha256").stat().st_mode & 0o077 == 0
