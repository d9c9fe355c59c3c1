"""Real programs are asked for their own parser inside the sandbox; their own help text is the witness."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from atip.discovery.scan import ScanOptions
from atip.inference.cobra import parse_answer
from atip.inference.help import infer_help
from atip.model.reading.encode import encode
from atip.model.shapes.check import check_tool
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
    assert found.source_kind == "framework"
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
    assert found.source_kind == "framework"
    assert tool.extra["_generation"]["method"] == COBRA_PROGRAMS[name]
    for words in ([], *([command] for command in tool.commands if command not in ("", "help"))):
        result = run(program, *words, "--help")
        parsed = infer_help(result, tool=name, path=tuple(words))
        known = tool.find(tuple(words)) if words else tool
        assert set(parsed.commands or {}) <= set(known.commands or {}), words
        missing = flags_of(parsed) - flags_of(known) - flags_of(tool) - NOT_PARAMETERS
        assert missing == set(), words
        offered = offers(program, *words, "-") | offers(program, *words, "")
        invented = {
            flag
            for flag in flags_of(known) | set(known.commands or {}) - {""}
            if flag not in offered and flag not in re.findall(r"[\w.@?#-]+", result)
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
    assert found.source_kind == "framework"
    flags = {path: [option.flags for option in node.options] for path, node in found.tool.walk()}
    assert flags == {("load",): [HELP, ("--crates",)], ("sail",): [HELP, ("--knots",)]}


def test_an_oclif_manifest_is_read_without_running_anything(box, tmp_path):
    program = tmp_path / "boat"
    program.write_text("#!/usr/bin/env node\nprocess.exit(1)\n")
    program.chmod(0o755)
    (tmp_path / "package.json").write_text(
        '{"name": "boat", "description": "Row a boat over a lake"}'
    )
    (tmp_path / "oclif.manifest.json").write_text(
        json.dumps({"version": "3.1.0", "commands": {"cargo:load": MANIFEST_COMMAND}})
    )
    found = box.infer(str(program))
    assert found.source_kind == "framework"
    assert (found.tool.version, found.tool.description) == ("3.1.0", "Row a boat over a lake")
    assert [option.flags for option in found.tool.find(("cargo", "load")).options] == [
        ("-f", "--force")
    ]


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


CLIFF = """#!{python}
import sys
from cliff.app import App
from cliff.command import Command
from cliff.commandmanager import CommandManager

class Load(Command):
    "Load cargo. Slowly."
    def get_parser(self, name):
        parser = super().get_parser(name)
        parser.add_argument("--crates", type=int)
        parser.add_argument("where")
        return parser
    def take_action(self, given):
        pass

class Broken(Load):
    "Cannot be asked"
    def get_parser(self, name):
        raise RuntimeError("no")

manager = CommandManager("boat.none")
manager.add_command("cargo load", Load)
manager.add_command("cargo fly", Broken)
app = App("Ship things", "1.0", manager, deferred_help={deferred})
sys.exit(app.run(sys.argv[1:]))
"""


@pytest.mark.parametrize("deferred", [False, True])
def test_a_program_of_plug_ins_tells_the_parser_of_each(box, tmp_path, deferred):
    tmp_path.chmod(0o755)
    script = tmp_path / "boat"
    script.write_text(CLIFF.format(python=sys.executable, deferred=deferred))
    script.chmod(0o755)
    found = box.infer(str(script))
    assert (found.source_kind, found.tool.extra["_generation"]["method"]) == (
        "framework",
        "parser-introspection",
    )
    load = found.tool.find(("cargo", "load"))
    assert flags_of(load) >= {"--crates"}
    assert [argument.name for argument in load.arguments] == ["where"]
    assert load.description == "Load cargo."
    assert found.tool.find(("cargo", "fly")) is not None


@pytest.fixture(scope="module")
def aws(tmp_path_factory):
    """The real AWS CLI behind the stub of a version manager, as pyenv lays them out."""
    root = tmp_path_factory.mktemp("managed") / ".pyenv"
    for folder in ("shims", "versions/own/bin"):
        (root / folder).mkdir(parents=True)
    for folder in (root.parent.parent, root.parent, root):
        folder.chmod(0o755)
    (root / "version").write_text("own\n")
    shutil.copy(BIN / "aws", root / "versions/own/bin/aws")
    stub = root / "shims/aws"
    stub.write_text('#!/usr/bin/env bash\nexec pyenv exec "${0##*/}" "$@"\n')
    stub.chmod(0o755)
    home = tmp_path_factory.mktemp("home")
    box = Toolbox(home=str(home))
    box.scan(ScanOptions(paths=(str(stub.parent),), learn=True))
    return box


@pytest.mark.timeout(600)
def test_a_tree_of_twenty_thousand_commands_is_told_in_pieces(aws):
    entry = aws.store.find("aws")
    assert entry["x-atip"]["rung"] == "framework"
    tool = aws.get("aws")
    assert sum(1 for _ in tool.walk()) > 10_000
    ended = tool.find(("ec2", "terminate-instances"))
    assert flags_of(ended) >= {"--instance-ids", "--dry-run", "--no-dry-run", "--cli-input-json"}
    ids = next(option for option in ended.options if option.name == "instance-ids")
    assert (ids.required, ids.variadic, ids.type) == (True, True, "string")
    assert ended.effects.destructive
    paths = tool.find(("s3", "cp")).arguments
    assert [(path.name, path.variadic) for path in paths] == [("paths", True)]
    acl = next(option for option in tool.find(("s3", "cp")).options if option.name == "acl")
    assert acl.type == "enum" and "private" in acl.enum
    assert flags_of(tool) >= {"--region", "--profile", "--output"}
    assert [p for p in check_tool(aws.get_document("aws")) if p.severity == "error"] == []


def test_a_line_needs_only_its_own_branch_of_it(aws):
    part = aws.get("aws", ("--region", "eu-north-1", "ec2", "terminate-instances"))
    whole = aws.get("aws")
    assert part.find(("ec2", "terminate-instances")) == whole.find(("ec2", "terminate-instances"))
    assert not part.find(("s3",)).commands and whole.find(("s3",)).commands


def test_what_the_cloud_sdk_ships_is_read_without_running_it(tmp_path):
    leaf = {"commands": {}, "flags": {"--zone": "dynamic", "--async": "bool"}}
    tree = {"commands": {"disks": {"commands": {"snapshot": leaf}, "flags": {}}}, "flags": {}}
    sdk = tmp_path / "sdk"
    for folder in ("bin", "data/cli"):
        (sdk / folder).mkdir(parents=True)
    (sdk / "VERSION").write_text("528.0.0\n")
    (sdk / "data/cli/cloudy_completions.py").write_text(
        f'"""Static tree."""\nTREE = {json.dumps(tree)}\n'
    )
    names = {"commands": {"ls": {"commands": {}, "flags": {}}}, "flags": {}}
    (sdk / "data/cli/listed.json").write_text(json.dumps(names))
    for name in ("cloudy", "listed"):
        (sdk / "bin" / name).write_text("#!/bin/sh\ntouch /tmp/ran-cloudy; exit 1\n")
        (sdk / "bin" / name).chmod(0o755)
    box = Toolbox(home=str(tmp_path / "home"))
    box.scan(ScanOptions(paths=(str(sdk / "bin"),)))
    tool = box.get("cloudy")
    assert tool.version == "528.0.0"
    assert flags_of(tool.find(("disks", "snapshot"))) == {"--zone", "--async"}
    assert "source" not in box.store.find("listed")  # names alone: its help would tell more
    assert not pathlib.Path("/tmp/ran-cloudy").exists()
