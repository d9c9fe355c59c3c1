"""A publisher may die at any write: clients go on with the old release, and the next build finishes the new one."""

from __future__ import annotations

import pytest

from atip.registry import tree
from atip.registry.publish import state
from atip.registry.publish.signing import role_keys, roots
from atip.registry.remote.tuf_client import SeenVersions, SignedIndex
from atip.system.stores import folder as objects_folder
from tests.unit.registry.publish.source import DAY, RELEASE, Source, digits_of

pytest.importorskip("tuf")


class Died(BaseException):
    """The process is gone: nothing catches it."""


class Deaths:
    """Counts writes of every kind and dies before the one that was chosen."""

    def __init__(self, monkeypatch) -> None:
        self.left = -1
        for owner, name in (
            (objects_folder._Writer, "write"),
            (objects_folder.FolderStore, "_replace"),
            (objects_folder.FolderStore, "delete"),
            (state.BuildState, "put_parts"),
            (state.BuildState, "put_tools"),
            (state.BuildState, "set_head"),
            (role_keys, "write_atomic"),
            (roots, "write_atomic"),
        ):
            monkeypatch.setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, real):
        def write(*given, **more):
            if self.left == 0:
                raise Died
            self.left -= 1
            return real(*given, **more)

        return write


def finish(source, deaths, at):
    """Whether the build went through before it died."""
    try:
        source.build(at=at)
    except Died:
        return False
    finally:
        deaths.left = -1
    return True


def read_as_client(source, folder, at):
    """Every shim that the metadata in force lists must be the listed one, unless it is being replaced."""
    root = (source.public / tree.FIRST_ROOT).read_bytes()

    def fetch(url, _max_bytes):
        path = source.public / url.removeprefix("https://x.invalid/")
        return path.read_bytes() if path.exists() else None

    index = SignedIndex(
        str(folder), "https://x.invalid", root, fetch=fetch, now=at, seen=SeenVersions()
    )
    index.refresh()
    return index


def test_first_build_can_die_at_any_write(tmp_path, monkeypatch):
    deaths = Deaths(monkeypatch)
    for number in range(200):
        source = Source(tmp_path / str(number))
        source.add("a")
        source.add("b")
        deaths.left = number
        if finish(source, deaths, RELEASE):
            break
        source.build(at=RELEASE + 60)
        assert source.codes(at=RELEASE + 120) == []
    assert 10 < number < 199


def test_later_build_can_die_at_any_write_and_clients_keep_the_old_release(tmp_path, monkeypatch):
    deaths = Deaths(monkeypatch)
    for number in range(200):
        source = Source(tmp_path / str(number))
        for content in "abc":
            source.add(content)
        source.build(at=RELEASE)
        source.add("a", description="Another text")
        source.add("d")
        source.folder.joinpath(f"shims/{digits_of('c')}.json").unlink()
        deaths.left = number
        done = finish(source, deaths, RELEASE + DAY)
        index = read_as_client(source, tmp_path / f"client-{number}", RELEASE + DAY)
        path = tree.shim_path(digits_of("b"))
        index.find(path).verify((source.public / path).read_bytes())
        if done:
            break
        source.build(at=RELEASE + DAY + 60)
        assert source.codes(at=RELEASE + DAY + 120) == []
        assert b"Another text" in source.published("a").read_bytes()
        assert not source.published("c").exists()
    assert 5 < number < 199
