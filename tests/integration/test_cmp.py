"""CMP from a folder to a result: matched, judged, confined, checked. Real programs in a real sandbox."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib

import pytest

from atip.async_toolbox import AsyncToolbox
from atip.errors import Denied, FormatError, NeedsConfirmation, NotFoundError, UsageError
from atip.execution.call import CallOptions
from atip.execution.output.result import Result
from atip.toolbox import Toolbox
from atip.workflows.cmp.run import check_returns
from tests.unit.codecs.cmp_examples import jot
from tests.unit.discovery.cmp_folders import write_program, write_tool

SCRIPT = """#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done
"""
sandbox = pytest.mark.sandbox


@pytest.fixture
def home(tmp_path, monkeypatch) -> pathlib.Path:
    for name in [name for name in os.environ if name.startswith(("XDG_", "ATIP_"))]:
        monkeypatch.delenv(name)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / ".cmp" / "tools").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def box(home) -> Toolbox:
    return Toolbox(home=str(home))


@pytest.fixture
def tool(home) -> pathlib.Path:
    folder = write_tool(home / ".cmp" / "tools")
    write_program(folder, "jot-cli", SCRIPT)
    return folder


def yes(question) -> bool:
    return True


def settings(home: pathlib.Path, **config) -> None:
    path = home / ".config" / "agent-tools" / "config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(config))
    path.chmod(0o600)


@sandbox
@pytest.mark.proves("CMP-5.2-05", "CMP-9-02")
def test_a_request_becomes_a_confined_run(box, tool):
    done = box.run_intent("write a note", {"text": "$(id) `id` ; id"}, ask=yes)
    assert done.result.stdout.splitlines() == ["add", "$(id) `id` ; id"]
    assert done.result.argv[0] == str(tool / "bin" / "jot-cli")
    assert done.result.backend
    assert done.problems is None


@sandbox
@pytest.mark.proves("CMP-4.1-03")
def test_the_output_is_held_against_returns(box, tool):
    done = box.run_intent("list notes", ask=yes)
    assert [problem.code for problem in done.problems] == ["cmp.returns"]
    write_program(tool, "jot-cli", '#!/bin/sh\necho \'["a", "b"]\'\n')
    assert box.run_intent("list notes", ask=yes).problems == ()
    write_program(tool, "jot-cli", "#!/bin/sh\necho '[1]'\n")
    document = box.run_intent("list notes", ask=yes).to_json()
    assert document["returns"]["valid"] is False
    assert document["returns"]["problems"][0]["path"] == "$[0]"


def test_a_failure_or_a_cut_output_is_not_held_against_returns(box, tool):
    call = box.intents.plan("list notes", {})
    assert check_returns(call.intent, Result(argv=("x",), exit_code=1, stdout="oops")) is None
    cut = Result(argv=("x",), exit_code=0, stdout="[", truncated=True)
    assert [problem.code for problem in check_returns(call.intent, cut)] == ["cmp.returns-cut"]
    bad = call.intent.replace(returns={"$ref": "https://example.org/x.json"})
    done = check_returns(bad, Result(argv=("x",), exit_code=0, stdout="[]"))
    assert [problem.code for problem in done] == ["cmp.returns"]


@sandbox
@pytest.mark.proves(
    "CMP-8.1-01", "CMP-8.2-01", "CMP-8.2-02", "CMP-8.2-03", "CMP-4.1-04", "CMP-4.1-05"
)
def test_what_destroys_is_shown_warned_of_and_needs_a_yes(box, tool):
    seen = []

    def no(question) -> bool:
        seen.append(question)
        return False

    with pytest.raises(Denied) as caught:
        box.run_intent("drop notes", {"ids": ["a", "b"]}, ask=no)
    assert caught.value.code == "consent.refused"
    (question,) = seen
    assert question.argv[1:] == ("drop", "--ids", "a", "b")
    assert question.destructive
    text = question.render()
    assert "irreversible according to its description" in text
    assert "make a copy first" in text
    assert box.run_intent("drop notes", {"ids": ["a"]}, ask=yes).result.exit_code == 0


@sandbox
@pytest.mark.proves("CMP-8.1-02", "CMP-8.2-01")
@pytest.mark.parametrize("preset", [None, "workspace", "ci"])
def test_nobody_else_says_yes_to_what_destroys(home, tool, preset):
    box = Toolbox(home=str(home), policy=preset)
    call = box.intents.plan("drop notes", {"ids": ["a"]})
    for assume in (False, True):
        made = box.make_call(call.argv, CallOptions(assume_yes=assume))
        with pytest.raises((NeedsConfirmation, Denied)):
            box.intents.make_runner(call).run(made)


@sandbox
@pytest.mark.proves("CMP-8.1-01")
def test_confirm_asks_even_where_policy_would_not(home, box):
    documents = jot(binary="cat")
    documents["capability"]["intents"] = [
        {"patterns": ["read it"], "command": "cat {f}", "confirm": True, "destructive": False},
        {"patterns": ["look at it"], "command": "cat {f}"},
    ]
    write_tool(home / ".cmp" / "tools", "jot", documents)
    (home / "work" / "f.txt").write_text("hello\n")
    assert box.run_intent("look at it", {"f": "f.txt"}).result.stdout == "hello\n"
    with pytest.raises(NeedsConfirmation):
        box.run_intent("read it", {"f": "f.txt"})
    assert box.run_intent("read it", {"f": "f.txt"}, ask=yes).result.stdout == "hello\n"


def test_a_program_of_the_tools_own_is_never_taken_for_a_well_known_one(home, box):
    documents = jot(binary="cat")
    documents["capability"]["intents"] = [{"patterns": ["look"], "command": "cat {f}"}]
    folder = write_tool(home / ".cmp" / "tools", "jot", documents)
    write_program(folder, "cat", SCRIPT)
    call = box.intents.plan("look", {"f": "x"})
    assert call.argv[0] == str(folder / "bin" / "cat")
    judgment, _ = box.intents.make_runner(call).plan(box.make_call(call.argv))
    assert judgment.decision.outcome == "ask"


def test_a_relative_program_is_refused(home, box):
    documents = jot()
    documents["capability"]["intents"] = [{"patterns": ["go"], "command": "./evil.sh"}]
    write_tool(home / ".cmp" / "tools", "jot", documents)
    with pytest.raises(FormatError) as caught:
        box.intents.plan("go", {})
    assert caught.value.code == "cmp.template"


PIPE = {"patterns": ["count lines"], "command": "cat {f} | wc -l > {out}"}


@sandbox
def test_a_shell_is_used_only_where_the_user_said_so_and_then_confined(home, box):
    documents = jot(binary="cat")
    documents["capability"]["intents"] = [PIPE]
    write_tool(home / ".cmp" / "tools", "jot", documents)
    (home / "work" / "a b.txt").write_text("1\n2\n")
    values = {"f": "a b.txt", "out": "$(touch pwned).txt"}
    with pytest.raises(FormatError) as caught:
        box.intents.plan("count lines", values)
    assert caught.value.code == "cmp.template"
    settings(home, cmpShell=["notes/jot"])
    call = box.intents.plan("count lines", values)
    assert call.argv == ("sh", "-c", "cat 'a b.txt' | wc -l > '$(touch pwned).txt'")
    done = box.run_intent("count lines", values, ask=yes)
    assert done.result.backend
    assert not (home / "work" / "pwned").exists()


def test_a_request_that_is_not_clear_runs_nothing_and_tells_the_choices(box, tool, home):
    write_tool(home / ".cmp" / "tools", "other", jot(domain="work"))
    with pytest.raises(UsageError) as caught:
        box.intents.plan("list notes", {})
    assert caught.value.code == "cmp.unclear"
    choices = caught.value.details["choices"]
    assert [choice["tool"] for choice in choices[:2]] == ["notes/jot", "work/jot"]
    assert [choice["score"] for choice in choices[:2]] == [1.0, 1.0]
    assert box.intents.plan("list notes", {}, tool="work/jot").tool == "work/jot"
    assert box.intents.plan("", {}, tool="notes/jot", number=3).argv[1:] == (
        "restore",
        "--last",
        "1",
    )
    for number in (-1, 99):
        with pytest.raises(NotFoundError):
            box.intents.plan("", {}, tool="notes/jot", number=number)
    with pytest.raises(NotFoundError) as none:
        box.intents.plan("bake a cake", {})
    assert none.value.code == "cmp.no-match"


@pytest.mark.proves("CMP-5.1-01", "CMP-5.2-01", "CMP-3.1-05")
def test_a_tool_that_was_copied_in_is_known_at_once_and_gone_at_once(home, box):
    assert box.search("throw notes away") == []
    folder = write_tool(home / ".cmp" / "tools")
    assert box.search("throw notes away")[0].line == "notes/jot drop"
    assert [entry["name"] for entry in box.list()] == ["notes/jot"]
    assert box.get("notes/jot").commands["drop"].effects.destructive is True
    write_tool(home / ".cmp" / "tools", "b", jot(domain="work"))
    assert [hit.tool for hit in box.search("throw notes away", 10) if hit.path == ("drop",)] == [
        "notes/jot", "work/jot",
    ]  # fmt: skip
    with pytest.raises(FormatError) as caught:
        box.get("jot")
    assert caught.value.code == "cmp.ambiguous"
    documents = jot()
    documents["capability"]["intents"][2]["patterns"] = ["incinerate papers"]
    (folder / "cmp" / "capability.json").write_text(json.dumps(documents["capability"]))
    assert box.search("incinerate papers")[0].line == "notes/jot drop"
    for document in (folder / "cmp").iterdir():
        document.unlink()
    assert "notes/jot" not in {hit.tool for hit in box.search("notes", 50)}


@pytest.mark.proves("CMP-5.2-03", "CMP-5.4-01")
def test_a_match_reads_the_documents_of_likely_tools_only(home, box, monkeypatch):
    from atip.discovery.cmp import tools as cmp_tools

    for number in range(40):
        documents = jot(name=f"t{number}", domain=f"d{number}")
        for place, intent in enumerate(documents["capability"]["intents"]):
            intent["patterns"] = [f"task{number} part{place} of widget{number}"]
        write_tool(home / ".cmp" / "tools", f"t{number}", documents)
    box.intents.match("warm up the index")
    read = []
    real = cmp_tools.read_bytes
    monkeypatch.setattr(
        cmp_tools, "read_bytes", lambda path, limit: (read.append(path), real(path, limit))[1]
    )
    found = box.intents.match("task7 part2 of widget7")
    assert (found.chosen.candidate.tool, found.reason) == ("d7/t7", "exact pattern")
    folders = {pathlib.Path(path).parent.parent.name for path in read}
    assert "t7" in folders
    assert len(folders) <= 11


def test_an_exact_pattern_is_found_among_very_many_that_share_its_words(home, box):
    for number in range(60):
        documents = jot(name=f"t{number}")
        documents["capability"]["intents"] = [
            {"patterns": [f"clean the house number {number}", "clean the house"], "command": "t"}
        ]
        write_tool(home / ".cmp" / "tools", f"t{number}", documents)
    exact = box.intents.match("clean the house number 59")
    assert exact.chosen.candidate.tool == "notes/t59"
    assert box.intents.match("clean the house").chosen is None


def test_an_expression_reaches_its_tool_whatever_its_other_words(home, box):
    documents = jot()
    documents["capability"]["intents"][0]["patterns"] = ["re:^zzq+$"]
    write_tool(home / ".cmp" / "tools", "jot", documents)
    assert box.intents.match("zzqqq").chosen.how == "regex"


def test_availability_is_a_filter(home, box, monkeypatch):
    folder = write_tool(home / ".cmp" / "tools")
    monkeypatch.setenv("PATH", "/nowhere")
    assert box.search("throw notes away", available=True) == []
    write_program(folder, "jot-cli", SCRIPT)
    assert box.search("throw notes away", available=True)[0].tool == "notes/jot"


def test_the_async_toolbox_searches_too(home, tool):
    box = AsyncToolbox(home=str(home))
    hits = asyncio.run(box.search("throw notes away", 3))
    assert hits[0].line == "notes/jot drop"
