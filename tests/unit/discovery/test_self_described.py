"""Programs that offer a description of themselves are asked for it; others are not."""

from __future__ import annotations

import json

import pytest

from atip.discovery.files.stubs import Stub
from atip.discovery.frameworks.node_package import OclifSource
from atip.discovery.frameworks.self_described import SelfDescribedSource
from atip.discovery.frameworks.yargs_program import YargsSource
from atip.discovery.sources.inference_sources import read_text
from atip.discovery.sources.source_order import ProbeSubject
from atip.errors import FormatError
from atip.model.reading.encode import encode
from atip.model.shapes.check import check_tool
from tests.unit.discovery.test_help_tree import Simulated

SPEC = 'bin "boat"\nversion "2.0"\nflag "-f --force"\ncmd "load" help="Load" { arg "<CRATE>" }\n'


def subject(path: str, language: str | None = None) -> ProbeSubject:
    stub = Stub(interpreter="node", language=language) if language else Stub()
    return ProbeSubject(name="boat", path=path, real_path=path, digest="sha256:0", stub=stub)


@pytest.mark.parametrize(
    ("announced", "question"),
    [
        ("  --usage-spec   print the spec", ("--usage-spec",)),
        ("  usage     Generate a usage spec", ("usage",)),
        ("  --help-json", ("--help-json",)),
        ("see `boat help --json`", ("help", "--json")),
        ("  --describe   all commands as JSON", ("--describe",)),
    ],
)
def test_what_help_announces_is_asked(tmp_path, announced, question):
    runner = Simulated({("--help",): f"Usage: boat\n\nOptions:\n{announced}\n", question: SPEC})
    tool = SelfDescribedSource(lambda _: runner).ask(subject(str(tmp_path / "boat")))
    assert tool.extra["_generation"]["method"] == "self-description-usage"
    assert (tool.version, list(tool.commands)) == ("2.0", ["load"])


def test_nobody_else_is_asked_more_than_for_help(tmp_path):
    runner = Simulated({("--help",): "Usage: boat [--force]\n"})
    assert SelfDescribedSource(lambda _: runner).ask(subject(str(tmp_path / "boat"))) is None
    assert runner.asked == [("--help",)]


def test_the_mark_of_a_framework_is_enough(tmp_path):
    program = tmp_path / "boat"
    program.write_bytes(b"\x7fELF" + b"\0" * 50 + b"_carapace" + b"\0" * 50)
    spec = "name: boat\nflags:\n  -f, --force: now\n"
    runner = Simulated({("_carapace", "spec"): spec, ("--version",): "boat 1.0\n"})
    tool = SelfDescribedSource(lambda _: runner).ask(subject(str(program)))
    assert [option.flags for option in tool.options] == [("-f", "--force")]
    assert tool.version == "1.0"


def node_package(tmp_path, package, manifest=None) -> str:
    program = tmp_path / "bin" / "boat.js"
    program.parent.mkdir()
    program.write_text("#!/usr/bin/env node\n")
    (tmp_path / "package.json").write_text(package)
    if manifest is not None:
        (tmp_path / "oclif.manifest.json").write_text(manifest)
    return str(program)


def test_an_oclif_package_is_read_from_its_manifest(tmp_path):
    command = {"id": "load", "flags": {"f": {"name": "force", "type": "boolean"}}}
    manifest = json.dumps({"version": "1.2.3", "commands": {"load": command}})
    path = node_package(tmp_path, '{"description": "A boat"}', manifest)
    tool = OclifSource().ask(subject(path, "node"))
    assert (tool.version, tool.description, list(tool.commands)) == ("1.2.3", "A boat", ["load"])


@pytest.mark.parametrize("manifest", [None, "", "{", "[]", '{"commands": {"a": 1}}'])
def test_a_package_without_a_usable_manifest_says_nothing(tmp_path, manifest):
    assert OclifSource().ask(subject(node_package(tmp_path, "{", manifest), "node")) is None


def test_yargs_offers_its_flags(tmp_path):
    path = node_package(tmp_path, '{"dependencies": {"yargs": "^17"}}')
    help_text = "boat [command]\n\nCommands:\n  boat load  Load cargo\n\nOptions:\n  --force  now  [boolean]\n"
    runner = Simulated(
        {
            ("--help",): help_text,
            ("--get-yargs-completions", "boat", "-"): "--force\n--fog\n",
            ("--get-yargs-completions", "boat", ""): "load\n",
        }
    )
    tool = YargsSource(lambda _: runner).ask(subject(path, "node"))
    told = {flag for option in tool.global_options for flag in option.flags}
    assert {"--force", "--fog"} <= told


def test_a_node_program_without_yargs_is_not_asked(tmp_path):
    runner = Simulated({})
    path = node_package(tmp_path, '{"dependencies": {}}')
    assert YargsSource(lambda _: runner).ask(subject(path, "node")) is None
    assert runner.asked == []


def test_a_description_from_a_file_is_valid_metadata():
    tool = read_text("usage", SPEC, "boat")
    assert [one for one in check_tool(encode(tool)) if one.severity == "error"] == []
    with pytest.raises(FormatError) as caught:
        read_text("opencli", SPEC, "boat")
    assert caught.value.code == "infer.other-format"
