"""Shims of version managers lead to the program of the version that counts."""

from __future__ import annotations

import pathlib

import pytest

from atip.system.programs.version_managers import resolve_shim


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    found = tmp_path / ".pyenv"
    for version in ("3.11.7", "3.12.1"):
        program = found / "versions" / version / "bin/python3"
        program.parent.mkdir(parents=True)
        program.write_text("")
        program.chmod(0o755)
    (found / "shims").mkdir()
    (found / "shims/python3").write_text("#!/bin/sh\n")
    (found / "version").write_text("3.11.7\n")
    return found


def resolve(root: pathlib.Path, cwd: pathlib.Path, **env: str) -> str:
    return resolve_shim(str(root / "shims/python3"), str(cwd), env)


def test_variable_project_and_setting_count_in_this_order(root, tmp_path):
    project = tmp_path / "project/inner"
    project.mkdir(parents=True)
    assert resolve(root, project) == str(root / "versions/3.11.7/bin/python3")
    (tmp_path / "project/.python-version").write_text("3.12.1\n")
    assert resolve(root, project) == str(root / "versions/3.12.1/bin/python3")
    assert resolve(root, project, PYENV_VERSION="3.11.7") == str(
        root / "versions/3.11.7/bin/python3"
    )


@pytest.mark.parametrize("text", ["../../../../bin", "/bin", "9.9.9", "-x", "3.12.1/../../x"])
def test_a_project_cannot_name_anything_but_an_installed_version(root, tmp_path, text):
    (tmp_path / ".python-version").write_text(text)
    found = resolve(root, tmp_path)
    assert found in (str(root / "shims/python3"), str(root / "versions/3.11.7/bin/python3"))


def test_system_means_the_next_one_on_the_path(root, tmp_path):
    (root / "version").write_text("system\n")
    other = tmp_path / "bin/python3"
    other.parent.mkdir()
    other.write_text("")
    other.chmod(0o755)
    path = f"{root}/shims:{other.parent}"
    assert resolve(root, tmp_path, PATH=path) == str(other)


def test_what_is_no_shim_stays_as_it_is(tmp_path):
    assert resolve_shim("/usr/bin/git", str(tmp_path), {}) == "/usr/bin/git"
