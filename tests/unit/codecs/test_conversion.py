"""Our knowledge leaves in the formats of others: what is lost is declared, what is declared is lost, code never travels."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

import atip
from atip.codecs.command_line.kdl_text import quote
from atip.codecs.interface import FORMATS, encoder
from atip.discovery.conversion.loss_sample import SAMPLE
from atip.discovery.conversion.loss_table import (
    field_name,
    fields_lost,
    loss_table,
    matrix,
    readable,
)
from atip.discovery.conversion.reading import READABLE, read_format
from atip.inference.described.usage.kdl import parse_kdl
from atip.model.effects import Effects, Filesystem
from atip.model.reading.decode import decode
from atip.model.reading.encode import encode
from atip.model.reading.usage_effects import effects_of, word_of
from tests.shared import ROOT

BOAT = decode(SAMPLE).tool


def as_read(kind: str, tool=BOAT):
    data = encoder(kind)(tool).data
    return read_format(data.encode() if isinstance(data, str) else data, kind, origin="boat").tool


def leaves(node, path=()):
    """Every field of a document with its place; commands by name, parameters by name."""
    for key, value in node.items():
        if key.startswith(("x-", "_")) or key == "atip":
            continue
        if key in ("commands", "effects", "filesystem", "interactive", "cost", "duration"):
            inner = value.items() if key == "commands" else [("", value)]
            for name, child in inner:
                yield from leaves(child, (*path, key, name) if name else (*path, key))
        elif key in ("options", "globalOptions", "arguments"):
            for one in value:
                yield from leaves(
                    one, (*path, "options" if key != "arguments" else key, one["name"])
                )
        else:
            yield path, key, json.dumps(value, sort_keys=True)


def named(path, key):
    text = "$" + "".join(f'["{part}"]' for part in (*path, key))
    return field_name(text)


@pytest.mark.parametrize("kind", ["usage", "fig", "opencli"])
def test_what_is_lost_is_declared(kind):
    declared = set(fields_lost(encoder(kind)(BOAT).losses))
    before, after = set(leaves(encode(BOAT))), set(leaves(encode(as_read(kind))))
    missing = {named(path, key) for path, key, _ in before - after}
    # a format without a version says `unknown`, which `version` in the losses covers
    assert {name for name in missing if name not in declared} == set()


@pytest.mark.parametrize("kind", ["usage", "fig", "opencli"])
def test_writing_again_what_was_read_changes_nothing(kind):
    once = as_read(kind)
    assert encode(as_read(kind, once)) == encode(once)


@pytest.mark.parametrize("kind", ["usage", "fig", "opencli", "completion-zsh", "completion-fish"])
def test_structure_survives(kind):
    tool = as_read(kind)
    assert {"load", "cargo"} <= set(tool.commands)
    assert "list" in (tool.commands["cargo"].commands or {}) or kind.startswith("completion")
    flags = {flag for option in tool.commands["load"].options or () for flag in option.flags}
    assert {"-f", "--format", "--limit", "--tag", "--force"} <= flags


def test_every_pair_has_its_losses_and_the_docs_say_the_same():
    table = loss_table()
    assert set(table) == {(a, b) for a in readable() for b in FORMATS if a != b}
    assert set(READABLE) <= set(readable())
    assert all(table["atip", kind] for kind in FORMATS if kind != "atip")
    assert all(set(table[kind, "atip"]) <= {"binary"} for kind in readable() if kind != "atip")
    page = (ROOT / "docs" / "formats" / "conversion.md").read_text()
    assert "\n".join(matrix(table)) in page, "paste `atip convert --losses` into the page"


def test_effects_become_a_word_that_is_never_calmer():
    quiet = Filesystem(write=False, delete=False)
    assert word_of(Effects(filesystem=quiet, destructive=False)) == "read"
    assert word_of(Effects(filesystem=quiet)) == ""
    assert word_of(Effects(filesystem=quiet, destructive=False, network=True)) == ""
    assert word_of(Effects(filesystem=quiet, destructive=False, creates=("pr",))) == "write"
    assert word_of(Effects(reversible=False)) == "destructive"
    for word in ("read", "write", "destructive"):
        assert word_of(effects_of(word)) == word


FACT = st.sampled_from([None, True, False])


@given(FACT, FACT, FACT, FACT, FACT, FACT)
def test_read_is_written_only_for_what_denies_every_change(
    write, delete, destroy, network, again, back
):
    effects = Effects(
        filesystem=Filesystem(write=write, delete=delete),
        destructive=destroy,
        network=network,
        idempotent=again,
        reversible=back,
    )
    if word_of(effects) == "read":
        assert write is False and delete is False and destroy is False and back is not False
        assert not network or again
    if destroy or delete or back is False:
        assert word_of(effects) == "destructive"


def test_usage_effects_stand_on_commands_and_flags():
    text = encoder("usage")(BOAT).data
    load = next(node for node in parse_kdl(text) if node.name == "cmd" and node.first == "load")
    assert load.properties["effect"] == "destructive"
    force = next(node for node in load.children if node.first == "--force")
    assert force.properties["effect"] == "destructive"
    cargo = next(node for node in parse_kdl(text) if node.first == "cargo")
    assert cargo.children[0].properties["effect"] == "read"
    assert "effect" not in cargo.properties


def test_a_program_that_calls_itself_harmless_is_not_believed():
    from atip.inference.described import recognize

    spec = 'bin "x"\ncmd "wipe" effect="read" { flag "--now" effect="destructive" }\n'
    found = recognize(spec, "x").command.commands["wipe"]
    assert found.effects == Effects()
    assert found.options[0].own["effects"]["destructive"] is True


@given(st.text())
def test_any_text_is_a_kdl_string(text):
    clean = text.encode("utf-8", "replace").decode()
    (node,) = parse_kdl(f"about {quote(clean)}")
    assert node.values == (clean,)


EVIL = ["$(touch /tmp/x)", "`id`", "a b", "';id;'", "x\nid", "-n;id", "*", "a|b", "\\"]


@pytest.mark.parametrize("kind", ["completion-bash", "completion-zsh", "completion-fish"])
@pytest.mark.parametrize("word", EVIL)
def test_no_word_of_a_document_becomes_code(kind, word, tmp_path):
    command = {
        "description": word,
        "options": [
            {"name": "a", "flags": [f"--{word}"], "type": "boolean", "description": word},
            {
                "name": "b",
                "flags": ["--b"],
                "type": "enum",
                "enum": [word, "fine"],
                "description": word,
            },
        ],
    }
    document = {**SAMPLE, "commands": {word: command, "ok": command}}
    encoded = atip.convert(document, to=kind)
    assert [loss for loss in encoded.losses if loss.message == "not a plain word"]
    inside = "\n".join(
        line.replace("'\\''", "").replace("\\'", "") for line in encoded.data.splitlines()
    )
    for part in _outside_quotes(inside):
        assert "touch" not in part and "`" not in part and ";id" not in part
    shell = kind.removeprefix("completion-")
    if shutil.which(shell):
        script = tmp_path / "script"
        script.write_text(encoded.data)
        done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def _outside_quotes(text):
    return text.split("'")[::2]


def test_a_name_that_is_no_word_gets_no_script():
    with pytest.raises(atip.AtipError) as ran:
        atip.convert(BOAT.replace(name="a;b"), to="completion-bash")
    assert ran.value.code == "convert.unsafe-name"


def test_bash_completes_what_the_tool_says(tmp_path):
    script = tmp_path / "boat"
    script.write_text(encoder("completion-bash")(BOAT).data)
    asked = {"load --fo": ["--format", "--force"], "load --format ": ["json", "text"], "c": ["cargo"],
             "l --li": ["--limit"], "cargo ": []}  # fmt: skip
    for typed, expected in asked.items():
        words = ["boat", *typed.split(" ")]
        listed = " ".join(f"'{word}'" for word in words)
        code = f"source {script}; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _boat; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True)
        assert set(expected) <= set(done.stdout.split()), (typed, done)
        assert (not expected) or len(done.stdout.split()) == len(expected)


def test_a_manual_page_is_read_by_man(tmp_path):
    page = tmp_path / "boat.1"
    page.write_text(encoder("man")(BOAT).data)
    if not shutil.which("man"):
        pytest.skip("man is not installed")
    done = subprocess.run(
        ["man", "-l", str(page)], capture_output=True, text=True, env={"MANWIDTH": "80", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    )  # fmt: skip
    assert done.returncode == 0
    assert "boat - Load and sail" in done.stdout
    assert "DESTRUCTIVE" in done.stdout


def test_what_runs_programs_is_left_behind_and_named():
    spec = (
        'bin "x"\ncmd "run" { mount run="x tasks" }\nflag "--y <z>"\n'
        'complete "z" run="rm -rf ~"\nauthor "me"\n'
    )
    encoded = atip.convert(spec.encode(), to="usage", source="usage")
    assert "rm -rf" not in encoded.data and "x tasks" not in encoded.data
    assert 'author "me"' in encoded.data
    paths = {loss.path for loss in encoded.losses}
    assert {"$.cmd[run].mount", "$.complete[z].run"} <= paths
