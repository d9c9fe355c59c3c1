"""`atip run` and `atip audit`: exit codes, refusals, the dry run, one JSON document."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.cli.run import Ran, atip

pytestmark = pytest.mark.sandbox


@pytest.fixture
def home(tmp_path) -> pathlib.Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "file.txt").write_text("hello\n")
    return tmp_path


def run_in_work(*words: str, home: pathlib.Path, **more) -> Ran:
    """In a folder of the home: a home itself is not a workspace."""
    return atip(*words, home=home, cwd=home / "work", **more)


def test_the_tools_output_and_code_come_through(home):
    ran = run_in_work("run", "cat", "file.txt", home=home)
    assert (ran.code, ran.out, ran.err) == (0, "hello\n", "")
    ran = run_in_work("run", "cat", "missing", home=home)
    assert ran.code == 1
    assert "missing" in ran.err


def test_json_is_one_document_with_decision_and_confinement(home):
    document = run_in_work("run", "--json", "cat", "file.txt", home=home).document
    assert (document["exitCode"], document["stdout"], document["meaning"]) == (0, "hello\n", "ok")
    assert document["decision"]["decision"] == "allow"
    assert document["confinement"]["network"]["egress"] == []
    assert {"redactions", "truncated", "durationS", "backend", "digest", "run"} <= set(document)


def test_what_is_not_there_is_127(home):
    ran = run_in_work("run", "--json", "no-such-tool", home=home)
    assert (ran.code, ran.document["error"]["code"]) == (127, "tool.not-found")


@pytest.mark.proves("ATIP6-11-05")
def test_destruction_without_a_terminal_is_126_whatever_is_piped_in(home):
    for words in (("run",), ("run", "--yes"), ("run", "--yes", "--stdin")):
        ran = run_in_work(*words, "rm", "-rf", "file.txt", home=home, stdin="yes\n" * 100)
        assert ran.code == 126
        assert "consent.no-terminal" in ran.err
    assert (home / "work" / "file.txt").exists()


def test_time_out_is_124(home):
    ran = run_in_work("run", "--json", "--timeout", "0.5", "sleep", "20", home=home)
    assert (ran.code, ran.document["timedOut"]) == (124, True)


def test_the_dry_run_shows_everything_and_runs_nothing(home):
    ran = run_in_work("run", "--dry-run", "--json", "rm", "-rf", "file.txt", home=home)
    assert ran.code == 0
    assert ran.document["argv"] == ["rm", "-rf", "file.txt"]
    assert ran.document["decision"]["decision"] == "ask"
    assert ran.document["env"] == ["AGENT", "CMP_AGENT", "NO_COLOR"]
    assert {"program", "digest", "cwd", "confinement", "audit"} <= set(ran.document)
    assert (home / "work" / "file.txt").exists()
    assert run_in_work("audit", "show", "--json", home=home).document == {"records": []}


def test_input_is_handed_on_when_asked_for(home):
    assert run_in_work("run", "--stdin", "cat", home=home, stdin="given").out == "given"
    assert run_in_work("run", "cat", home=home, stdin="given").out == ""


def test_escapes_of_a_tool_do_not_reach_the_terminal_unless_raw(home):
    (home / "work" / "file.txt").write_bytes(b"\x1b]0;title\x07a\rb\n")
    ran = run_in_work("run", "cat", "file.txt", home=home)
    assert ran.out == "\\u{1b}]0;title\\u{7}a\\u{d}b\n"
    assert run_in_work("run", "--raw", "cat", "file.txt", home=home).out == "\x1b]0;title\x07a\rb\n"


def test_secrets_in_a_file_do_not_come_out(home):
    (home / "work" / "file.txt").write_text("token=ghp_" + "a1B2c3D4e5F6" * 3 + "\n")
    for flag in ("--raw", "--policy=cautious"):
        assert (
            run_in_work("run", flag, "cat", "file.txt", home=home).out
            == "token=[github-token:redacted]\n"
        )


def test_audit_shows_runs_and_names_the_record_that_was_changed(home):
    for _ in range(3):
        run_in_work("run", "cat", "file.txt", home=home)
    shown = run_in_work("audit", "show", home=home).out.splitlines()
    assert len(shown) == 6
    assert shown[0].endswith("cat file.txt")
    assert run_in_work("audit", "verify", "--json", home=home).document["ok"] is True
    path = home / ".local/share/agent-tools/audit/audit.jsonl"
    lines = path.read_text().splitlines()
    record = json.loads(lines[2])
    record["argv"] = ["ls"]
    lines[2] = json.dumps(record)
    path.write_text("\n".join(lines) + "\n")
    ran = run_in_work("audit", "verify", home=home)
    assert ran.code == 1
    assert ran.out.startswith("broken at audit.jsonl line 3: it was changed")
    broken = run_in_work("audit", "verify", "--json", home=home).document["broken"]
    assert (broken["file"], broken["line"]) == ("audit.jsonl", 3)
