"""Real programs are asked for their own parser inside the sandbox; their own help text is the witness."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from atip.inference.cobra import parse_answer
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
COBRA_PROGRAMS = {
    "git-lfs": "completion-protocol",
    "gobuster": "completion-protocol",
    "skopeo": "completion-protocol",
    "obs-cli": "framework-help",  # looks for its server before it answers anything but help
}
"""Small ones, and how they tell; `benchmarks/bench_frameworks.py` asks the large ones too."""
HELP = ("-h", "--help")
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
def test_a_cobra_program_is_known_as_well_as_its_own_help_knows_it(box, name):
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed here")
    found = box.infer(name)
    tool = found.tool
    assert found.rung == "framework"
    assert tool.extra["_generation"]["method"] == COBRA_PROGRAMS[name]
    for words in ([], *([command] for command in tool.commands if command != "help")):
        shown = run(program, *words, "--help")
        told = infer_help(shown, tool=name, path=tuple(words))
        known = tool.find(tuple(words)) if words else tool
        assert set(told.commands or {}) <= set(known.commands or {}), words
        missing = flags_of(told) - flags_of(known) - flags_of(tool) - NOT_PARAMETERS
        assert missing == set(), words
        offered = offers(program, *words, "-") | offers(program, *words, "")
        invented = {
            one
            for one in flags_of(known) | set(known.commands or {})
            if one not in offered and one not in re.findall(r"[\w.@?#-]+", shown)
        }
        assert invented == set(), words


def run(*argv: str) -> str:
    done = subprocess.run(
        argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    )
    return done.stdout or done.stderr


def offers(program: str, *words: str) -> set[str]:
    answer = parse_answer(run(program, "__complete", *words))
    return set(answer.candidates) if answer else set()


def test_a_program_with_a_parser_per_command_tells_them_all(box, tmp_path):
    tmp_path.chmod(0o755)
    script = tmp_path / "dispatch"
    script.write_text(
        f"#!{sys.executable}\n"
        "import argparse, sys\n"
        "if sys.argv[1:] == ['--help']:\n"
        "    print('Usage: dispatch <command>\\n\\nAvailable commands:\\n  load   Load it\\n  sail   Sail away')\n"
        "    sys.exit()\n"
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--knots' if sys.argv[1] == 'sail' else '--crates', type=int)\n"
        "parser.parse_args(sys.argv[2:])\n"
    )
    script.chmod(0o755)
    found = box.infer(str(script))
    assert found.rung == "framework"
    flags = {path: [one.flags for one in node.options] for path, node in found.tool.walk()}
    assert flags == {("load",): [HELP, ("--crates",)], ("sail",): [HELP, ("--knots",)]}


def test_an_oclif_manifest_is_read_without_running_anything(box, tmp_path):
    program = tmp_path / "boat"
    program.write_text("#!/usr/bin/env node\nprocess.exit(1)\n")
    program.chmod(0o755)
    (tmp_path / "package.json").write_text('{"name": "boat", "description": "A boat"}')
    (tmp_path / "oclif.manifest.json").write_text(
        json.dumps({"version": "3.1.0", "commands": {"cargo:load": MANIFEST_COMMAND}})
    )
    found = box.infer(str(program))
    assert found.rung == "framework"
    assert (found.tool.version, found.tool.description) == ("3.1.0", "A boat")
    assert [one.flags for one in found.tool.find(("cargo", "load")).options] == [("-f", "--force")]


MANIFEST_COMMAND = {
    "id": "cargo:load",
    "description": "Load it",
    "args": {"crate": {"name": "crate", "required": True}},
    "flags": {"force": {"name": "force", "char": "f", "type": "boolean", "description": "now"}},
}


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
    told = [(option.flags, option.enum) for option in options]
    assert told == [(HELP, None), (("--real",), ("a", "b"))]
    assert not marker.exists()
