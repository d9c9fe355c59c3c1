"""`validate` and `lint` know the documents of CMP: manifests, capabilities, examples, and whole folders of them."""

from __future__ import annotations

import json

import pytest

import atip
from atip.codecs.cmp.check import cmp_kind, judge_document
from tests.cli.run import atip as run
from tests.unit.codecs.cmp_examples import jot

MANIFEST = {"domain": "notes", "name": "jot", "summary": "Notes in files", "version": "1.0.0"}
INTENT = {
    "patterns": ["add a note"],
    "command": "jot add {text}",
    "params": {"text": {"type": "string"}},
}


def codes(value, **options):
    return [problem.code for problem in judge_document(value, **options).problems]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (MANIFEST, "cmp-manifest"),
        ({"intents": [INTENT]}, "cmp-capability"),
        ([{"intent": "add", "invocation": {}}], "cmp-examples"),
        ({"atip": "0.1", "name": "x", "domain": "y"}, None),
        ({"tools": {}, "version": "2"}, None),
        ([], None),
    ],
)
def test_the_kind_is_told_by_content(value, kind):
    assert cmp_kind(value) == kind


@pytest.mark.proves("CMP-3.1-03", "CMP-3.1-04", "CMP-3.4-01")
def test_a_manifest_has_a_short_summary_a_version_and_few_tokens():
    assert codes(MANIFEST) == []
    assert "cmp.summary-too-long" in codes({**MANIFEST, "summary": "x" * 101})
    assert codes({**MANIFEST, "version": "one"}) == ["cmp.version"]
    assert codes({**MANIFEST, "tags": [f"tag-{n}" for n in range(20)]}) == ["cmp.manifest-tokens"]
    assert codes(MANIFEST, folder="other") == ["cmp.folder-name"]
    path = judge_document({**MANIFEST, "version": "one"}).problems[0].path
    assert path == "$.version"


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["drop a note"], []),
        (["add a note"], ["cmp.pattern-never-matches"]),
        (["Add a Note "], ["cmp.pattern-never-matches"]),
        (["…"], ["cmp.pattern-never-matches"]),
        (["re:note$ now"], ["cmp.pattern-never-matches"]),
        (["re:a^b"], ["cmp.pattern-never-matches"]),
        (["re:b$a"], ["cmp.pattern-never-matches"]),
        (["re:^(add|drop) [^ ]+$"], []),
        (["re:(add"], ["cmp.regex"]),
        (["re:(?i)^add [$^] \\$5$"], []),
    ],
)
def test_patterns_that_no_request_reaches_are_named(patterns, found):
    assert codes({"intents": [INTENT, {**INTENT, "patterns": patterns}]}) == found


def test_validate_and_lint_know_folders_and_say_which_file(tmp_path):
    folder = tmp_path / "jot" / "cmp"
    folder.mkdir(parents=True)
    documents = jot()
    (folder / "manifest.json").write_text(json.dumps(MANIFEST))
    (folder / "capability.json").write_text(json.dumps(documents["capability"]))
    (folder / "examples.json").write_text(
        json.dumps([{"intent": "add", "invocation": {"want": "x"}}])
    )
    ran = run("validate", str(tmp_path / "jot"), "--json", home=tmp_path)
    kinds = {path["file"].rpartition("/")[2]: path["kind"] for path in ran.document["files"]}
    assert (ran.code, kinds) == (
        0,
        {
            "manifest.json": "cmp-manifest",
            "capability.json": "cmp-capability",
            "examples.json": "cmp-examples",
        },
    )
    (folder / "manifest.json").write_text(json.dumps({**MANIFEST, "version": "1", "name": "tot"}))
    ran = run("validate", str(tmp_path / "jot"), "--json", home=tmp_path)
    found = [problem["code"] for path in ran.document["files"] for problem in path["problems"]]
    assert (ran.code, found) == (1, ["cmp.folder-name", "cmp.version"])
    ran = run("lint", str(tmp_path / "jot"), "--format", "json", home=tmp_path)
    assert ran.code == 1
    assert "cmp.version" in ran.out
    assert "missing" not in ran.out


def test_the_python_functions_know_them_too():
    assert atip.validate(MANIFEST) == []
    assert [problem.code for problem in atip.validate({**MANIFEST, "version": "x"})] == [
        "cmp.version"
    ]


@pytest.mark.proves("ATIP6-A-01", "ATIP6-A-04", "ATIP6-A-09")
def test_the_names_of_appendix_a_are_exported_in_both_spellings():
    spellings = (
        "toOpenAI toGemini toAnthropic compileTools generateSafetyPrompt createValidator createResultFilter "
        "handleToolResult parseToolCall verifyBinaryIntegrity verifyCosignSignature fetchAndVerifyProvenance "
        "verifyShimSignature evaluateTrustLevel createTrustPolicy TrustLevel VerificationResults"
    )
    assert all(callable(getattr(atip, name)) for name in spellings.split())
    assert atip.toOpenAI is atip.to_openai
    assert set(spellings.split()) <= set(dir(atip))
