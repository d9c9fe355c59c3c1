"""`atip cmp …`: transcripts, exit codes, one JSON document."""

from __future__ import annotations

import json
import pathlib

import pytest

from atip.cli.verbs import NOUNS
from tests.cli.run import atip
from tests.unit.codecs.cmp_examples import jot
from tests.unit.discovery.cmp_folders import write_program, write_tool


@pytest.fixture
def home(tmp_path) -> pathlib.Path:
    folder = write_tool(tmp_path / ".cmp" / "tools")
    write_program(folder, "jot-cli", '#!/bin/sh\nprintf "%s\\n" "$@"\n')
    return tmp_path


def test_list_tells_tools_programs_and_problems(home):
    (home / ".cmp/tools/empty").mkdir()
    ran = atip("cmp", "list", home=home)
    assert (ran.code, ran.out) == (0, "notes/jot  Notes in plain files: write, find, drop\n")
    assert "no `manifest.json`" in ran.err
    document = atip("cmp", "list", "--json", home=home).document
    (tool,) = document["tools"]
    assert (tool["domain"], tool["name"], tool["missing"]) == ("notes", "jot", ["files"])
    assert tool["program"].endswith("/jot/bin/jot-cli")
    assert [problem["code"] for problem in document["problems"]] == ["cmp.no-manifest"]
    assert atip("cmp", "list", "--names", home=home).out == "empty\njot\n"
    assert atip("cmp", "list", "--domain", "mail", "--json", home=home).document["tools"] == []


@pytest.mark.proves("CMP-5.2-04")
def test_match_names_the_intent_and_explains_the_score(home):
    ran = atip("cmp", "match", "undo", "drop", home=home)
    assert (ran.code, ran.out) == (0, "notes/jot: jot-cli restore --last {count}\n")
    assert ran.err == "exact pattern: `undo drop` (1.00)\n"
    document = atip("cmp", "match", "show all my notes", "--json", home=home).document
    assert document["match"]["pattern"] == "show my notes"
    assert {"score", "how", "matched", "unmatched"} <= set(document["match"])
    ran = atip("cmp", "match", "drop notes", home=home)
    assert ran.out.endswith("[needs confirmation]\n")


def test_match_without_an_answer_is_1_and_lists_the_choices(home):
    ran = atip("cmp", "match", "notes", home=home)
    assert ran.code == 1
    assert "drop notes" in ran.out
    ran = atip("cmp", "match", "bake a cake", "--json", home=home)
    assert (ran.code, ran.document["match"], ran.document["choices"]) == (1, None, [])
    ran = atip("cmp", "match", "x", "--tool", "nobody", "--json", home=home)
    assert (ran.code, ran.document["error"]["code"]) == (1, "cmp.not-found")


@pytest.mark.sandbox
def test_the_dry_run_shows_the_argv_and_runs_nothing(home):
    ran = atip("cmp", "run", "drop notes", "ids=a b", "ids=$(id)", "--dry-run", "--json", home=home)
    assert ran.code == 0
    assert ran.document["argv"][1:] == ["drop", "--ids", "a b", "$(id)"]
    assert ran.document["decision"]["decision"] == "ask"
    assert ran.document["intent"]["destructive"] is True
    single = atip("cmp", "run", "drop notes", "ids=a", "--dry-run", "--json", home=home)
    assert single.document["argv"][1:] == ["drop", "--ids", "a"]
    given = json.dumps({"ids": ["x"]})
    piped = atip(
        "cmp", "run", "drop notes", "--args", "-", "--dry-run", "--json", home=home, stdin=given
    )
    assert piped.document["argv"][1:] == ["drop", "--ids", "x"]


@pytest.mark.sandbox
@pytest.mark.proves("CMP-8.1-02")
def test_no_terminal_is_126_and_the_words_say_that_it_cannot_be_undone(home):
    for more in ((), ("--yes",)):
        ran = atip("cmp", "run", "drop notes", "ids=a", *more, "--json", home=home, stdin="yes\n")
        assert (ran.code, ran.document["error"]["code"]) == (126, "consent.no-terminal")
        assert any(
            "make a copy" in reason for reason in ran.document["error"]["details"]["reasons"]
        )


@pytest.mark.sandbox
def test_a_harmless_known_program_runs_and_its_code_comes_through(home):
    documents = jot(name="reader", binary="cat")
    documents["capability"]["intents"] = [
        {"patterns": ["read a file"], "command": "cat {file}", "returns": {"type": "object"}}
    ]
    write_tool(home / ".cmp" / "tools", "reader", documents)
    work = home / "work"  # a home itself is not a workspace
    work.mkdir()
    (work / "f.json").write_text("[]")
    ran = atip("cmp", "run", "read a file", "file=f.json", home=home, cwd=work)
    assert (ran.code, ran.out) == (0, "[]")
    assert "output does not match `returns`" in ran.err
    words = ("cmp", "run", "read a file", "file=f.json", "--json")
    document = atip(*words, home=home, cwd=work).document
    assert (document["exitCode"], document["returns"]["valid"]) == (0, False)
    assert atip("cmp", "run", "read a file", "file=missing", home=home, cwd=work).code == 1


@pytest.mark.sandbox
@pytest.mark.proves("CMP-9-90")
def test_layout_with_bin_and_examples_runs_under_a_rule_of_one_line(home):
    """`<tool>/cmp/` and `<tool>/bin/`: the rule names the program by its path, the values come in any order."""
    tool, work = home / ".cmp" / "tools" / "jot", home / "work"
    work.mkdir()
    example = [{"intent": "write a note", "invocation": {"want": "write a note"}}]
    (tool / "cmp" / "examples.json").write_text(json.dumps(example))
    checked = atip("validate", str(tool / "cmp"), "--json", home=home)
    assert checked.code == 0 and "cmp-examples" in checked.out
    values = ("text=two words; $(id)", "title=milk")
    words = ("cmp", "run", "write a note")
    assert atip(*words, *values, home=home, cwd=work).code == 126
    program = str(tool / "bin" / "jot-cli")
    rule = {"decision": "allow", "words": [program, "add", "*"]}
    policy = home / ".config" / "agent-tools" / "policy.json"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text(json.dumps({"policy": {"version": "1", "rules": [rule]}}))
    policy.chmod(0o600)
    for given in (values, values[::-1]):
        for line in ((*words, *given), ("cmp", "run", *given, "write a note")):
            ran = atip(*line, home=home, cwd=work)
            assert (ran.code, ran.out) == (0, "add\n--title\nmilk\ntwo words; $(id)\n"), ran.err
    # the rule is about this program: another one of the tool still needs a person
    assert atip("cmp", "run", "drop notes", "ids=a", home=home, cwd=work).code == 126


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (["bake a cake"], 125, "cmp.no-match"),
        (["notes"], 2, "cmp.unclear"),
        (["drop notes"], 125, "call.invalid"),
        (["drop notes", "ids"], 2, "call.argument"),
        (["drop notes", "--args", "[]"], 2, "call.args"),
        (["x", "--intent", "1"], 2, "cmp.no-tool"),
    ],
)
def test_what_cannot_run_says_why(home, words, code, error):
    ran = atip("cmp", "run", *words, "--json", home=home)
    assert (ran.code, ran.document["error"]["code"]) == (code, error)


@pytest.mark.proves("CMP-5.1-01", "CMP-5.3-01", "CMP-5.3-02")
def test_the_snippet_is_the_same_for_any_number_of_tools(home):
    before = atip("cmp", "snippet", home=home)
    for number in range(50):
        write_tool(home / ".cmp" / "tools", f"t{number}", jot(name=f"t{number}"))
    assert atip("cmp", "snippet", home=home) == before
    document = atip("cmp", "snippet", "--json", home=home).document
    assert document["tokens"] < 100
    assert document["tokenizer"]
    assert "AGENTS.md" in document["files"]


@pytest.mark.proves("CMP-B-01")
def test_migrate_moves_old_tools_and_leaves_the_sources(home):
    old = {"domain": "files", "name": "finder", "summary": "Find", "version": "1.0.0",
           "intents": [{"patterns": ["find it"], "template": "find {x}", "outputParser": "x"}]}  # fmt: skip
    (home / "finder.json").write_text(json.dumps(old))
    ran = atip("cmp", "migrate", "finder.json", home=home)
    assert ran.code == 0
    assert "outputParser" in ran.err
    assert json.loads((home / "finder.json").read_text()) == old
    assert atip("cmp", "match", "find it", home=home).out == "files/finder: find {x}\n"
    again = atip("cmp", "migrate", "finder.json", "--json", home=home)
    assert (again.code, again.document["error"]["code"]) == (1, "cmp.exists")
    assert atip("cmp", "migrate", "finder.json", "--force", home=home).code == 0
    package = home / "pkg"
    package.mkdir()
    (package / "package.json").write_text(
        json.dumps(
            {
                "name": "p",
                "version": "2.0.0",
                "description": "d",
                "cmp": {"domain": "x", "intents": [{"patterns": ["go"], "command": "p"}]},
            }
        )
    )
    (moved,) = atip("cmp", "migrate", "pkg", "--json", home=home).document["moved"]
    assert json.loads((pathlib.Path(moved["folder"]) / "cmp" / "manifest.json").read_text()) == {
        "domain": "x", "name": "p", "version": "2.0.0", "summary": "d",
    }  # fmt: skip


def test_install_writes_any_known_tool_as_cmp(home):
    folder = home / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\n")
    (folder / "git").chmod(0o755)
    path = f"{folder}:/usr/bin:/bin"
    assert atip("scan", "--path", str(folder), home=home, PATH=path).code == 0
    ran = atip("cmp", "install", "git", "--link", "--json", home=home, PATH=path)
    assert ran.code == 0
    assert ran.document["intents"] > 50
    tool = pathlib.Path(ran.document["folder"])
    assert tool == home / ".cmp" / "tools" / "git"
    assert (tool / "bin" / "git").is_symlink()
    manifest = json.loads((tool / "cmp" / "manifest.json").read_text())
    assert (manifest["adapter"], manifest["wraps"], manifest["domain"] != "") == (True, "git", True)
    assert atip("cmp", "install", "git", home=home, PATH=path).code == 1
    named = [row["name"] for row in atip("list", "--json", home=home).document["tools"]]
    assert {"git", "notes/jot"} <= set(named)
    assert any(name.endswith("/git") for name in named)


def test_every_verb_of_cmp_has_help(home):
    for verb in NOUNS["cmp"]:
        ran = atip("cmp", verb, "--help", home=home)
        assert (ran.code, ran.err) == (0, "")
