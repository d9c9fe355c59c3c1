"""`atip infer`: texts and descriptions from files, output, refusals; nothing is run here."""

from __future__ import annotations

import json

import pytest

from atip.cli.main import main
from atip.cli.verbs.machine.infer import KINDS
from atip.inference.described import FORMATS
from atip.model.shapes.check import check_tool

SPEC = 'bin "boat"\nversion "2.0"\nflag "-f --force" help="do not ask"\ncmd "load" help="Load" { arg "<CRATE>" }\n'
HELP = "Usage: boat [OPTIONS] FILE\n\nOptions:\n  -o, --output FILE  where to write\n"


def test_every_format_can_be_named():
    assert set(FORMATS) <= set(KINDS)


@pytest.mark.parametrize(
    ("kind", "text", "flag"), [("usage", SPEC, "--force"), ("help", HELP, "--output")]
)
def test_a_text_becomes_valid_metadata(tmp_path, capsys, kind, text, flag):
    file = tmp_path / "boat.txt"
    file.write_text(text)
    assert main(["infer", str(file), "--from", kind, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["rung"], answer["metadata"]["name"]) == (kind, "boat")
    assert flag in json.dumps(answer["metadata"])
    assert [one for one in check_tool(answer["metadata"]) if one.severity == "error"] == []
    assert answer["metadata"]["trust"] == {"source": "inferred", "verified": False}


def test_the_shim_is_written_where_asked(tmp_path, capsys):
    file, out = tmp_path / "boat.kdl", tmp_path / "boat.json"
    file.write_text(SPEC)
    assert main(["infer", str(file), "--from", "usage", "--output", str(out)]) == 0
    assert json.loads(out.read_text())["version"] == "2.0"


def test_another_format_is_refused_with_a_hint(tmp_path, capsys):
    file = tmp_path / "boat.kdl"
    file.write_text(SPEC)
    assert main(["infer", str(file), "--from", "opencli", "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], bool(error["hint"])) == ("infer.other-format", True)


def test_a_name_that_is_none_is_a_usage_error(tmp_path, capsys):
    file = tmp_path / "-.txt"
    file.write_text(HELP)
    assert main(["infer", str(file), "--from", "help", "--name", "../x", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "cli.usage"
