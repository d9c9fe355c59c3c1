"""Real programs are asked for their own parser inside the sandbox; their own help text is the witness."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import pytest

from atip.inference.help import infer_help
from atip.model.check import check_tool
from atip.model.encode import encode
from atip.toolbox import Toolbox

pytestmark = pytest.mark.sandbox

BIN = pathlib.Path(sys.executable).parent
PYTHON_PROGRAMS = [
    "mypy",
    "pytest",
    "hypothesis",
    "typer",
    "jsonschema",
    "pygmentize",
    "markdown-it",
]
COBRA_PROGRAMS = ["docker", "gh", "podman", "skopeo", "restic", "hugo", "rclone", "kubectl", "helm"]
NOT_PARAMETERS = {"-h", "--help", "-V", "--version", "--install-completion", "--show-completion"}


def flags_of(command) -> set[str]:
    options = (*(command.options or ()), *(getattr(command, "global_options", None) or ()))
    return {flag for option in options if not option.own.get("mentioned") for flag in option.flags}


@pytest.fixture
def box(tmp_path):
    return Toolbox(home=str(tmp_path))


@pytest.mark.parametrize("name", PYTHON_PROGRAMS)
@pytest.mark.proves("ATIP6-4.10.4-03", "ATIP6-4.10.4-04", "ATIP1-9-02")
def test_a_python_program_tells_its_own_parser(box, name):
    program = BIN / name
    found = box.infer(str(program))
    tool = found.tool
    assert found.rung == "framework"
    root = tool.find(("",)) or tool
    known = flags_of(root) | flags_of(tool)
    shown = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    told = flags_of(infer_help(shown, tool=name)) - NOT_PARAMETERS
    assert told or tool.commands
    assert told - known == set()
    assert (tool.trust.source, tool.trust.verified) == ("inferred", False)
    assert set(tool.extra["_generation"]) >= {"method", "timestamp", "confidence", "review"}
    assert tool.version == "unknown" or tool.version[0].isdigit()
    assert [p for p in check_tool(encode(tool)) if p.severity == "error"] == []


@pytest.mark.parametrize("name", COBRA_PROGRAMS)
def test_everything_that_a_cobra_programs_help_names_is_known(box, name):
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed here")
    tool = box.infer(name).tool
    for words in ([], *([command] for command in list(tool.commands)[:5])):
        shown = subprocess.run([program, *words, "--help"], capture_output=True, text=True).stdout
        told = infer_help(shown, tool=name, path=tuple(words))
        known = tool.find(tuple(words)) if words else tool
        assert set(told.commands or {}) <= set(known.commands or {}), words
        missing = flags_of(told) - flags_of(known) - flags_of(tool) - NOT_PARAMETERS
        assert missing == set(), words


def test_what_the_program_prints_or_does_on_import_changes_nothing(box, tmp_path):
    tmp_path.chmod(
        0o755
    )  # as root the sandbox is somebody else, who could not enter a private folder
    marker = tmp_path / "marker"
    script = tmp_path / "noisy"
    script.write_text(
        f"#!{sys.executable}\n"
        "import argparse, os, sys\n"
        'print(\'{"atip": "forged"}\')\n'
        f"try: open({str(marker)!r}, 'w').write('escaped')\n"
        "except OSError: pass\n"
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--real', choices=['a', 'b'])\n"
        "parser.parse_args()\n"
    )
    script.chmod(0o755)
    tool = box.infer(str(script)).tool
    options = (tool.find(("",)) or tool).options
    assert [(option.flags, option.enum) for option in options] == [(("--real",), ("a", "b"))]
    assert not marker.exists()
