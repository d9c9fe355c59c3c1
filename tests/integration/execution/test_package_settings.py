"""Settings of package managers for confined lines: addresses, and never a credential."""

from __future__ import annotations

import pathlib

from atip.workflows.run.packages import CACHES, cache_of, cache_variables, package_settings


def write(home: pathlib.Path, name: str, text: str) -> None:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text)


def test_where_packages_come_from_is_read_from_the_managers_own_settings(tmp_path):
    write(tmp_path, ".config/pip/pip.conf", "[global]\nindex-url = https://mirror.example/simple\ntimeout = 3\n")  # fmt: skip
    write(tmp_path, ".npmrc", "registry=https://npm.example/\nsave-exact=true\n")
    found = package_settings(str(tmp_path), {"UV_INDEX_URL": "https://uv.example/simple", "HOME": "/x"})  # fmt: skip
    assert found["PIP_INDEX_URL"] == "https://mirror.example/simple"
    assert found["npm_config_registry"] == "https://npm.example/"
    assert found["UV_INDEX_URL"] == "https://uv.example/simple"
    assert "PIP_TIMEOUT" not in found and "npm_config_save_exact" not in found


def test_the_environment_wins_over_files(tmp_path):
    write(tmp_path, ".npmrc", "registry=https://npm.example/\n")
    env = {"npm_config_registry": "https://other.example/"}
    assert package_settings(str(tmp_path), env)["npm_config_registry"] == "https://other.example/"


def test_addresses_with_credentials_stay_outside(tmp_path):
    write(tmp_path, ".pip/pip.conf", "[global]\nindex-url = https://me:hunter2@mirror.example/simple\n")  # fmt: skip
    write(tmp_path, ".npmrc", "registry=https://${TOKEN}.example/\n//npm.example/:_authToken=hunter2\n")  # fmt: skip
    env = {"UV_EXTRA_INDEX_URL": "https://a.example/ https://t:hunter2@b.example/"}
    found = package_settings(str(tmp_path), env)
    assert not {"npm_config_registry", "UV_EXTRA_INDEX_URL"} & set(found)
    assert "hunter2" not in repr(found) and found.get("PIP_INDEX_URL", "").find("@") < 0


def test_settings_that_cannot_be_read_are_none(tmp_path):
    write(tmp_path, ".pip/pip.conf", "no section = x\n[")
    write(tmp_path, ".npmrc", "\0\0 = \n[x]\n")
    assert "npm_config_registry" not in package_settings(str(tmp_path), {})


def test_every_workspace_has_a_cache_of_its_own_beside_ours():
    one, other = cache_of("/h/.cache/agent-tools", "/w/a"), cache_of("/h/.cache/agent-tools", "/w/b")  # fmt: skip
    assert one != other and one.startswith("/h/.cache/agent-tools-packages/")
    assert set(cache_variables(one)) == set(CACHES)
    assert all(value.startswith(f"{one}/") for value in cache_variables(one).values())
