"""`trust.verified` is set by what was seen, of exactly this binary, and by nothing else."""

from __future__ import annotations

import json
import pathlib
import shutil

import pytest

from tests.cli.run import atip

pytestmark = pytest.mark.sandbox


def crawl(home: pathlib.Path, *more: str) -> list[dict]:
    words = ("--out", "registry", "--state", "state", "--unsigned", "--accept-new", "--json")
    ran = atip(
        "crawl", "local:bin/wc", *words, *more,
        home=home, cwd=home, SOURCE_DATE_EPOCH="1790000000",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    return [json.loads(path.read_text()) for path in (home / "registry" / "shims").rglob("*.json")]


@pytest.fixture
def program(tmp_path: pathlib.Path) -> pathlib.Path:
    found = shutil.which("wc", path="/usr/bin")
    assert found
    (tmp_path / "bin").mkdir()
    return pathlib.Path(shutil.copy(found, tmp_path / "bin" / "wc"))


def test_a_shim_whose_claims_were_all_seen_is_verified(
    tmp_path: pathlib.Path, program: pathlib.Path
) -> None:
    [shim] = crawl(tmp_path, "--observe")
    observed = shim["x-atip"]["observed"]
    assert shim["trust"] == {"source": "inferred", "verified": True}
    assert observed["digest"] == shim["binary"]["hash"]
    assert observed["version"] == shim["version"]
    assert observed["facts"]["filesystem.read"] == {"verdict": "agrees", "line": "wc text.txt"}


def test_without_cases_nothing_is_verified(tmp_path: pathlib.Path, program: pathlib.Path) -> None:
    [shim] = crawl(tmp_path)
    assert shim["trust"] == {"source": "inferred", "verified": False}


def test_a_program_that_does_more_is_not_verified(
    tmp_path: pathlib.Path, program: pathlib.Path
) -> None:
    program.write_text('#!/bin/sh\necho more > new.txt\nexec /usr/bin/wc "$@"\n')
    [shim] = crawl(tmp_path, "--observe")
    assert shim["trust"]["verified"] is False
    assert shim["x-atip"]["observed"]["facts"]["filesystem.write"]["verdict"] == "undeclared"


def test_evidence_of_another_binary_verifies_nothing(
    tmp_path: pathlib.Path, program: pathlib.Path
) -> None:
    [shim] = crawl(tmp_path, "--observe")
    rules = {"trust-without-evidence", "trust-source-requirements"}
    for digest, expected in ((shim["binary"]["hash"], set()), ("sha256:" + "0" * 64, rules)):
        shim["x-atip"]["observed"]["digest"] = digest
        (tmp_path / "wc.json").write_text(json.dumps(shim))
        told = atip("lint", "wc.json", "--json", home=tmp_path, cwd=tmp_path).document
        found = {finding["rule"] for file in told["files"] for finding in file["findings"]}
        assert found & rules == expected


def test_cases_that_others_contribute_do_not_replace_an_approval(
    tmp_path: pathlib.Path, program: pathlib.Path
) -> None:
    crawl(tmp_path, "--observe")
    settings = tmp_path / "registry" / "publisher.json"
    document = json.loads(settings.read_text())
    assert document.pop("acceptObserved") is True
    settings.write_text(json.dumps(document))
    ran = atip("registry", "check", "registry", "--json", home=tmp_path, cwd=tmp_path)
    assert "publish.verified" in ran.out + ran.err
