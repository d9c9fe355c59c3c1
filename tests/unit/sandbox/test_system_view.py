"""Settings of the system inside a sandbox: what is copied, what is mounted, what is a link."""

from __future__ import annotations

import os

import pytest

from atip.sandbox.bubblewrap import system_view


@pytest.fixture
def settings(monkeypatch):
    def use(*names: str) -> dict[str, int]:
        monkeypatch.setattr(system_view, "SETTINGS", names)
        found = system_view.open_settings()
        opened.extend(found.values())
        return found

    opened: list[int] = []
    yield use
    for descriptor in opened:
        os.close(descriptor)


def test_small_files_that_everybody_may_read_are_copied(settings):
    found = settings("debian_version", "no-such-file", "passwd")
    for path, descriptor in found.items():
        with open(path, "rb") as file:
            assert os.pread(descriptor, 1 << 20, 0) == file.read()
    assert "/etc/passwd" in found and "/etc/no-such-file" not in found


def test_private_files_folders_links_and_large_files_are_not(settings, monkeypatch):
    monkeypatch.setattr(system_view, "_COPIED", 10)
    assert settings("shadow", "ssl", "mtab", "passwd") == {}


def test_what_leads_into_a_tree_that_is_shown_is_a_link():
    arguments = system_view.system_arguments(settings=("os-release",))
    real = os.path.realpath("/etc/os-release")
    if not real.startswith("/usr/"):
        pytest.skip("no link into /usr here")
    at = arguments.index("/etc/os-release")
    assert arguments[at - 2 : at] == ["--symlink", real]
