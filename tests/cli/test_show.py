"""`show`, contributed shims and the names from the RFC: what a person reads and writes."""

from __future__ import annotations

import hashlib
import json
import pathlib
import subprocess
import sys

import pytest

from tests.cli.run import atip
from tests.simulators.known_tools import document, home_with

EFFECTS = {
    "network": True,
    "destructive": False,
    "reversible": False,
    "idempotent": False,
    "filesystem": {"write": True},
    "cost": {"estimate": "low", "billable": True},
    "duration": {"typical": "1-5s", "timeout": "30s"},
}
PATTERN = {
    "name": "twice",
    "description": "Say it twice",
    "steps": [{"command": "greet say {word}"}, {"command": "greet say {word}"}],
    "variables": {"word": {"type": "string"}},
}


@pytest.mark.proves("ATIP6-1.1-01")
def test_effects_duration_cost_retry_undo_and_patterns_can_be_read(tmp_path):
    commands = {
        "send": {"description": "Send it", "effects": EFFECTS, "examples": ["greet send x"]}
    }
    home_with(tmp_path, document(commands=commands, patterns=[PATTERN]))
    shown = atip("show", "greet", "send", home=tmp_path).out
    for words in (
        "billable",
        "writes",
        "network",
        "a retry is not safe",
        "cannot be undone",
        "takes 1-5s",
        "cost low",
    ):
        assert words in shown
    assert "$ greet send x" in shown
    page = atip("show", "greet", home=tmp_path).out
    assert "twice – Say it twice" in page
    assert "$ greet say {word}" in page
    read = atip("show", "greet", "--json", home=tmp_path).document
    assert read["commands"]["send"]["effects"] == EFFECTS
    assert read["patterns"][0]["name"] == "twice"


def test_a_document_tells_both_ends_of_a_command(tmp_path):
    """`destructive: false` is what ATIP says of the plain call; an option may do more, and whoever reads it alone is told."""
    plain = {**EFFECTS, "filesystem": {"read": True, "write": False, "delete": False}}
    wipe = {"name": "wipe", "flags": ["--wipe"], "type": "boolean", "description": "All of it",
            "x-atip": {"effects": {"destructive": True}}}  # fmt: skip
    commands = {
        "send": {"description": "Send it", "effects": plain, "options": [wipe]},
        "peek": {"description": "Look", "effects": plain, "options": [], "arguments": []},
    }
    home_with(tmp_path, document(commands=commands))
    result = atip("show", "greet", "send", "--json", home=tmp_path)
    send = result.document["commands"]["send"]
    assert send["effects"] == plain
    claim = send["x-atip"]["claim"]
    assert (claim["base"]["destructive"], claim["ceiling"]["destructive"]) == (False, True)
    assert claim["with"] == ["with --wipe: destroys"]
    assert atip("validate", "-", home=tmp_path, stdin=result.out).code == 0
    peek = atip("show", "greet", "peek", "--json", home=tmp_path).document["commands"]["peek"]
    assert "claim" not in peek.get("x-atip", {})
    whole = atip("show", "greet", "--json", home=tmp_path).document["commands"]["send"]
    assert "claim" not in whole.get("x-atip", {})
    every = atip("show", "greet", "--json", "--claims", home=tmp_path).document["commands"]
    assert every["send"]["x-atip"]["claim"] == claim


def test_a_large_document_is_printed_as_it_is_stored_with_the_claim_of_the_tool(tmp_path):
    """Its commands are not parsed for that; the values are those of a document that is made of values."""
    wipe = {"name": "wipe", "flags": ["--wipe"], "type": "boolean", "description": "All of it",
            "x-atip": {"effects": {"destructive": True}}}  # fmt: skip
    commands = {f"c{n}": {"description": f'ä "c{n}":{{ ' * 40} for n in range(120)}
    stored = document(commands=commands, globalOptions=[wipe], effects=EFFECTS, patterns=[PATTERN])
    box = home_with(tmp_path, stored)
    result = atip("show", "greet", "--json", home=tmp_path)
    assert len(result.out) > 50_000
    values = box.with_claims(box.get_document("greet"))
    assert json.dumps(result.document) == json.dumps({**values, "name": "greet"})
    assert result.document["x-atip"]["claim"]["ceiling"]["destructive"] is True
    assert result.document["commands"] == commands


@pytest.mark.sandbox
@pytest.mark.proves("ATIP6-4.9-01", "ATIP6-4.9-02")
def test_a_contributor_makes_a_shim_named_by_the_hash_and_checks_it(tmp_path):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "mytool"
    program.write_text(
        '#!/bin/sh\necho "usage: mytool [--loud] FILE"\necho\necho "options:\n  --loud  be loud"\n'
    )
    program.chmod(0o755)
    (tmp_path / "shims").mkdir()
    ran = atip("infer", str(program), "--output", "shims", home=tmp_path)
    assert ran.code == 0, ran.err
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    shim = tmp_path / "shims" / f"{digest}.json"
    made = json.loads(shim.read_text())
    assert made["binary"]["hash"] == f"sha256:{digest}"
    assert atip("validate", str(shim), home=tmp_path).code == 0
    other = shim.rename(tmp_path / "shims" / ("0" * 64 + ".json"))
    wrong = atip("validate", "--json", str(other), home=tmp_path)
    assert wrong.code == 1
    assert "format.hash-file-name" in wrong.out


def test_text_alone_has_no_hash_to_be_named_by(tmp_path):
    ran = atip("infer", "--from", "help", "-", "--name", "x", "--output", ".", "--json", home=tmp_path, stdin="usage: x")  # fmt: skip
    assert ran.document["error"]["code"] == "infer.no-binary"


@pytest.mark.proves("ATIP1-6-02")
def test_atip_gen_writes_a_shim_from_help_output(tmp_path):
    command = pathlib.Path(sys.executable).parent / "atip-gen"
    done = subprocess.run(
        [str(command), "--from", "help", "-", "--name", "mytool", "--output", "shim.json"],
        input="usage: mytool [--loud] FILE\n\noptions:\n  --loud  be loud\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    made = json.loads((tmp_path / "shim.json").read_text())
    assert made["name"] == "mytool"
    assert "--loud" in json.dumps(made)


@pytest.mark.sandbox
@pytest.mark.proves("ATIP6-4.7-06")
def test_a_refresh_is_forced_by_the_option_or_by_the_environment(tmp_path):
    made = json.dumps(document("mytool"))
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "mytool"
    program.write_text(
        f"#!/bin/sh\n# --agent\n[ \"$1\" = --agent ] && echo '{made}' || echo 'use --agent'\n"
    )
    program.chmod(0o755)

    def executed(*words: str, **env: str) -> int:
        ran = atip("scan", "--path", str(tmp_path / "bin"), "--json", *words, home=tmp_path, **env)
        assert ran.code == 0, ran.err
        return ran.document["executed"]

    assert executed() > 0
    assert executed() == 0
    assert executed("--refresh") > 0
    assert executed(ATIP_REFRESH="1") > 0


def test_an_empty_list_says_whether_nothing_is_known_or_nothing_fits(tmp_path):
    assert "run `atip scan`" in atip("list", home=tmp_path).err
    home_with(tmp_path, document())
    assert "none of 1 tool matches" in atip("list", "--source", "shim", home=tmp_path).err
