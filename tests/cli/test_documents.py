"""validate, convert, schema, --agent: exit codes, streams, JSON shapes."""

from __future__ import annotations

import json

import pytest

from atip.model.shapes.check import check_tool
from tests.cli.run import atip

GOOD = {"atip": {"version": "0.6"}, "name": "x", "version": "1", "description": "does things"}


def write(folder, name, value):
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return str(path)


def test_a_valid_file_is_valid(tmp_path):
    ran = atip("validate", write(tmp_path, "a.json", GOOD), home=tmp_path)
    assert ran == (0, f"{tmp_path}/a.json: valid (metadata)\n", "")


def test_a_problem_has_path_code_and_hint(tmp_path):
    path = write(tmp_path, "a.json", {**GOOD, "effects": {"network": "yes"}, "globaloptions": []})
    ran = atip("validate", path, home=tmp_path)
    assert ran.code == 1
    assert "error $.effects.network: expected a boolean, found a string [format.type]" in ran.out
    assert "did you mean `globalOptions`?" in ran.out


def test_validate_prints_one_json_document(tmp_path):
    write(tmp_path, "good.json", GOOD)
    write(tmp_path, "bad.json", "{")
    ran = atip("validate", "--json", str(tmp_path), home=tmp_path)
    assert ran.code == 1
    assert ran.document["valid"] is False
    assert [(file["kind"], file["valid"]) for file in ran.document["files"]] == [
        ("unknown", False),
        ("metadata", True),
    ]
    assert set(ran.document["files"][0]["problems"][0]) == {"path", "code", "message", "severity"}


def test_validate_reads_standard_input_and_globs(tmp_path):
    assert atip("validate", "-", home=tmp_path, stdin=json.dumps(GOOD)).code == 0
    assert atip("validate", home=tmp_path, stdin="nonsense").code == 1
    write(tmp_path, "a.json", GOOD)
    assert atip("validate", f"{tmp_path}/*.json", home=tmp_path).code == 0


def test_a_shim_must_be_named_by_its_digest(tmp_path):
    shim = {**GOOD, "binary": {"hash": "sha256:" + "a" * 64}}
    good = write(tmp_path, "a" * 64 + ".json", shim)
    bad = write(tmp_path, "b" * 64 + ".json", shim)
    assert atip("validate", good, home=tmp_path).code == 0
    ran = atip("validate", bad, home=tmp_path)
    assert (ran.code, "[format.hash-file-name]" in ran.out) == (1, True)


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("validate", "nowhere.json"), 1, "file.not-found"),
        (("validat",), 2, "cli.unknown-verb"),
        (("validate", "--nonsense"), 2, "cli.usage"),
        (("convert", "--to", "atp", "-"), 1, "convert.unknown-format"),
        (("convert", "-"), 2, "cli.usage"),
        (("schema", "metadat"), 1, "schema.unknown"),
        (("show", "nothing"), 1, "tool.not-found"),
        (("--nonsense",), 2, "cli.usage"),
    ],
)
def test_errors_have_a_code_on_stderr_and_in_json(tmp_path, words, code, error):
    ran = atip(*words, home=tmp_path, stdin=json.dumps(GOOD))
    assert (ran.code, ran.out) == (code, "")
    assert f"[{error}]" in ran.err
    ran = atip(*words, "--json", home=tmp_path, stdin=json.dumps(GOOD))
    assert (ran.code, ran.err) == (code, "")
    assert set(ran.document["error"]) == {"code", "message", "hint", "details"}
    assert ran.document["error"]["code"] == error


def test_near_misses_get_a_hint(tmp_path):
    assert "did you mean `atip validate`?" in atip("validat", home=tmp_path).err


def test_convert_reports_losses_and_never_overwrites(tmp_path):
    rich = {
        **GOOD,
        "trust": {"source": "native"},
        "effects": {"interactive": {"stdin": "none"}, "network": True},
    }
    source, target = write(tmp_path, "a.json", rich), tmp_path / "out.json"
    ran = atip("convert", "--to", "atip-0.1", source, home=tmp_path)
    assert json.loads(ran.out) == {**GOOD, "atip": "0.1", "effects": {"network": True}}
    assert ran.err.splitlines() == [
        "lost $.trust: 0.1 has no `trust`",
        "lost $.effects.interactive: 0.1 has no interactive effects",
    ]
    target.write_text("mine")
    assert (
        atip("convert", "--to", "atip-0.1", source, "--output", str(target), home=tmp_path).code
        == 1
    )
    assert target.read_text() == "mine"
    assert (
        atip(
            "convert", "--to", "atip-0.1", source, "--output", str(target), "--force", home=tmp_path
        ).code
        == 0
    )
    assert json.loads(target.read_text())["atip"] == "0.1"
    assert atip("convert", "--to", "atip-0.1", "--fail-on-loss", source, home=tmp_path).code == 1


def test_a_failed_run_overwrites_nothing(tmp_path):
    target = tmp_path / "out.json"
    target.write_text("mine")
    ran = atip(
        "convert",
        "--to",
        "atip",
        "-",
        "--output",
        str(target),
        "--force",
        home=tmp_path,
        stdin="{broken",
    )
    assert (ran.code, target.read_text()) == (1, "mine")


@pytest.mark.proves("ATIP6-B-01")
def test_schemas_are_printed(tmp_path):
    names = atip("schema", "--json", home=tmp_path).document["schemas"]
    assert {
        "0.6",
        "0.1",
        "shim",
        "policy",
        "registry",
        "manifest",
        "catalog",
        "registries",
        "config",
    } <= set(names)
    assert json.loads(atip("schema", "0.6", home=tmp_path).out)["title"] == "tool"


def test_we_describe_ourselves_and_pass_our_own_strict_validator(tmp_path):
    from atip.cli.verbs import NOUNS, VERBS

    document = atip("--agent", home=tmp_path).document
    assert check_tool(document, "strict") == []
    assert set(document["commands"]) == {*VERBS, *NOUNS}
    for path, command in document["commands"].items():
        leaves = command["commands"].values() if "commands" in command else [command]
        for leaf in leaves:
            assert {"network", "destructive", "filesystem"} <= leaf["effects"].keys(), path


def test_our_own_description_can_be_asked_for_in_parts(tmp_path):
    part = atip("--agent", "--commands=validate", home=tmp_path).document
    assert list(part["commands"]) == ["validate"]
    assert (part["partial"], part["omitted"]["reason"]) == (True, "filtered")


def test_bare_atip_tells_the_state_and_the_next_step(tmp_path):
    ran = atip(home=tmp_path)
    assert ran.code == 0
    assert "next: atip scan" in ran.out
    assert len(ran.out.splitlines()) <= 10
    assert atip("--json", home=tmp_path).document["next"]["command"] == "atip scan"


def test_version_and_help(tmp_path):
    from atip.version import __version__

    assert atip("--version", home=tmp_path).out == f"atip {__version__}\n"
    assert "validate" in atip("--help", home=tmp_path).out
    assert atip("help", "validate", home=tmp_path).out.startswith("usage: atip validate")


@pytest.mark.proves("ATIP6-3.2.2-90")
def test_the_organization_block_is_a_document_of_its_own(tmp_path):
    policy = {"requireSignature": True, "allowedSigners": ["a@b.example"], "minimumSlsaLevel": 2}
    block = {"registry": "https://atip.internal.example/shims/", "policy": policy}
    for words in ((), ("--lenient",)):
        ran = atip("validate", *words, write(tmp_path, "org.json", block), home=tmp_path)
        assert (ran.code, ran.out) == (0, f"{tmp_path}/org.json: valid (organization)\n")
    block["policy"] = {**policy, "minimumSlsaLevel": 9}
    assert atip("validate", write(tmp_path, "org.json", block), home=tmp_path).code == 1


@pytest.mark.proves("ATIP1-3.5.2-90")
def test_a_cache_record_is_judged_with_the_metadata_in_it(tmp_path):
    record = {
        "tool": "x",
        "version": "1",
        "atipVersion": "0.1",
        "cachedAt": "2026-01-05T10:30:00Z",
        "expiresAt": "2026-01-12T10:30:00Z",
        "checksum": "sha256:" + "a" * 64,
        "metadata": {**GOOD, "atip": "0.1"},
    }
    assert atip("validate", write(tmp_path, "c.json", record), home=tmp_path).code == 0
    record["metadata"]["effects"] = {"network": "yes"}
    ran = atip("validate", write(tmp_path, "c.json", record), home=tmp_path)
    assert ran.code == 1 and "$.metadata.effects.network" in ran.out


@pytest.mark.parametrize("verb", ["lint", "validate"])
def test_a_program_is_named_as_such_and_not_read_as_a_document(verb, tmp_path):
    program = tmp_path / "greet"
    program.write_text("#!/bin/sh\necho hi\n")
    program.chmod(0o755)
    error = atip(verb, str(program), "--json", home=tmp_path).document["error"]
    assert error["code"] == "document.program"
    assert error["hint"] == f"check what it prints: {program} --agent | atip lint -"
