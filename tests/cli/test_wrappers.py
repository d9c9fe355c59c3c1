"""Wrapper scripts are followed to the program they start (ATIP 0.6 §5); what is written names its platform (§4.5)."""

from __future__ import annotations

import json
import platform

import pytest

from tests.cli.run import atip

pytestmark = pytest.mark.sandbox

ANSWER = {
    "atip": {"version": "0.6"},
    "name": "frob",
    "version": "1",
    "description": "The program behind the wrapper",
}
WRAPPERS = [
    'exec {real} "$@"',
    '{real} --color=never "$@"',
    'exec "$(dirname "$0")/../libexec/frob" "$@"',
    'exec "${{0%/*}}/../libexec/frob" "$@"',
    'export X=1\n{real} "$@"',
]


@pytest.mark.proves("ATIP6-5-90")
@pytest.mark.parametrize("body", WRAPPERS)
def test_a_wrapper_script_is_followed_to_the_program_elsewhere(tmp_path, body):
    programs, behind = tmp_path / "opt/bin", tmp_path / "opt/libexec"
    programs.mkdir(parents=True)
    behind.mkdir()
    real = behind / "frob"
    real.write_text(f"#!/bin/sh\ncase $* in *--agent*) echo '{json.dumps(ANSWER)}';; esac\n")
    wrapper = programs / "frob"
    wrapper.write_text(f"#!/bin/sh\n{body.format(real=real)}\n")
    for path in (real, wrapper):
        path.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    atip("scan", "--path", str(programs), home=home)
    (tool,) = atip("list", "--json", home=home).document["tools"]
    assert (tool["source"], tool.get("description")) == ("native", ANSWER["description"])


@pytest.mark.parametrize("body", ['echo "$@" | /usr/bin/frob', "/opt/frob --fixed", 'true; "$@"'])
def test_a_script_that_does_work_of_its_own_is_not_a_wrapper(tmp_path, body):
    from atip.discovery.files.stubs import parse_stub

    path = tmp_path / "frob"
    path.write_text(f"#!/bin/sh\n{body}\n")
    assert parse_stub(str(path), path.read_bytes()).target is None


@pytest.mark.parametrize("body", ['exec {real} map "$@"', '${{0%/*}}/../libexec/fleet map "$@"'])
def test_a_wrapper_that_adds_a_subcommand_is_described_by_its_own_help(tmp_path, body):
    programs, behind = tmp_path / "opt/bin", tmp_path / "opt/libexec"
    programs.mkdir(parents=True)
    behind.mkdir()
    real, wrapper = behind / "fleet", programs / "mapfleet"
    real.write_text(
        "#!/bin/sh\ncase $1 in map) echo 'Summary: Draws a map of all ships.';;"
        " *) echo 'Summary: Moves ships.';; esac\necho; echo 'Usage: fleet [--deep]'\n"
    )
    wrapper.write_text(f"#!/bin/sh\n{body.format(real=real)}\n")
    for path in (real, wrapper):
        path.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    atip("scan", "--learn", "--path", str(programs), home=home)
    (tool,) = atip("list", "--json", home=home).document["tools"]
    assert tool["description"] == "Draws a map of all ships."


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="no name for it")
@pytest.mark.proves("ATIP6-4.5-90")
def test_a_shim_that_is_written_names_its_platform(tmp_path):
    path = tmp_path / "opt" / "frob"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\necho 'Usage: frob [--quiet]'\necho '  --quiet  print nothing'\n")
    path.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    named = {"x86_64": "linux-amd64", "aarch64": "linux-arm64"}[platform.machine()]
    told = atip("infer", str(path), "--json", home=home).document
    assert "error" not in told, told
    assert told["metadata"]["binary"]["platform"] == named
    atip("scan", "--learn", "--path", str(path.parent), home=home)
    (stored,) = (home / ".local/share/agent-tools").glob("shims/sha256/*.json")
    assert json.loads(stored.read_text())["binary"]["platform"] == named
