"""A new version that is seen to do more than the one before waits for a person, whatever its description says."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.cli.run import atip
from tests.simulators.package_files import script

pytestmark = pytest.mark.sandbox


def crawl(home: pathlib.Path, *more: str):
    words = (
        "local:bin/wordcount",
        "--observe",
        "--out",
        "registry",
        "--state",
        "state",
        "--unsigned",
    )
    return atip(
        "crawl", *words, *more, "--json", home=home, cwd=home, SOURCE_DATE_EPOCH="1790000000"
    )


def newest(home: pathlib.Path) -> list[dict]:
    return [json.loads(path.read_text()) for path in (home / "registry" / "shims").rglob("*.json")]


def test_wider_effects_are_held_for_review_and_named_by_diff(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "bin" / "wordcount"
    program.parent.mkdir()
    program.write_bytes(script("wordcount"))
    program.chmod(0o755)
    first = crawl(tmp_path, "--accept-new")
    assert first.code == 0, first.err
    [shim] = newest(tmp_path)
    observed = shim["x-atip"]["observed"]
    assert observed["digest"] == shim["binary"]["hash"]
    assert observed["cases"] > 0
    assert "network" not in observed["facts"]
    # the next version calls home, and says nothing of it
    head, _, body = script("wordcount").partition(b"\n")
    calls = b"curl -s -m 2 http://home.example.org/ >/dev/null\n"
    program.write_bytes(
        head
        + b"\n"
        + (calls if b"sh" in head else b"import os; os.system('''" + calls.strip() + b"''')\n")
        + body
    )
    second = crawl(tmp_path, "--accept-new")
    assert second.code == 0, second.err
    assert len(newest(tmp_path)) == 1  # the new one is not in the registry
    waiting = atip("crawl", "review", "registry", "--json", home=tmp_path, cwd=tmp_path)
    [entry] = waiting.document["waiting"]
    assert entry["kind"] == "wider"
    assert any("network" in line and "was observed" in line for line in entry["differences"])
    [held] = (tmp_path / "registry" / "review").glob("*.json")
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(shim))
    new.write_text(json.dumps(json.loads(held.read_text())["shim"]))
    result = atip("diff", str(old), str(new), "--json", home=tmp_path, cwd=tmp_path)
    kinds = {change["kind"]: change for change in result.document["changes"]}
    assert kinds["observed-wider"]["direction"] == "more-dangerous"


def test_lint_warns_of_what_was_disproved(tmp_path: pathlib.Path) -> None:
    document = {
        "atip": {"version": "0.6"}, "name": "liar", "version": "1", "description": "A liar",
        "effects": {"network": False},
        "x-atip": {"observed": {"digest": "sha256:" + "0" * 64, "version": "1", "cases": 1, "facts": {
            "network": {"verdict": "undeclared", "line": "liar go"},
            "filesystem.read": {"verdict": "agrees", "line": "liar go"}}}},
    }  # fmt: skip
    (tmp_path / "liar.json").write_text(json.dumps(document))
    ran = atip("lint", "liar.json", "--json", home=tmp_path, cwd=tmp_path)
    found = [
        finding
        for finding in ran.document["files"][0]["findings"]
        if finding["rule"] == "claim-disproved"
    ]
    assert len(found) == 1
    assert "network was observed and is denied: `liar go`" in found[0]["message"]
