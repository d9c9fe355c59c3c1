"""From the decision to the Result, with real programs in the real sandbox."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import threading
import time

import pytest

from atip.errors import (
    Denied,
    ExecutionError,
    NeedsConfirmation,
    NotFoundError,
    TrustError,
    UsageError,
)
from atip.execution.audit.chain import Audit
from atip.execution.runner import Judgment, ProgramCall, Runner
from atip.model.effects import Duration, Effects, Interactive
from atip.model.permissions.confinement import Confinement, Limits
from atip.policy.decision import Decision
from atip.toolbox import Toolbox
from tests.integration.sandbox import zoo_harness
from tests.shared import shared

pytestmark = pytest.mark.sandbox

HARMLESS = Effects(destructive=False)
ALLOW = Decision(outcome="allow")
ASK = Decision(outcome="ask", reasons=("uses the network",), rule="preset cautious")
DENY = Decision(outcome="deny", reasons=("no",), rule="user: no")


def judged(decision=ALLOW, effects=HARMLESS, *, audit=False, **grants):
    helpers = ("cat", "env", "head", "sleep", "touch", "tty", "yes")
    grants = {"exec_allow": True, "exec_spawn": helpers, **grants}
    found = Judgment(
        decision=decision, effects=effects, confinement=Confinement(**grants), audit=audit
    )
    return lambda call, digest: found


def shell(folder: pathlib.Path, script: str, **options) -> ProgramCall:
    options = {"env": dict(os.environ), **options}
    return ProgramCall(argv=("sh", "-c", script), program="/bin/sh", cwd=str(folder), **options)


def runner(folder: pathlib.Path, judge, **options) -> Runner:
    return Runner(judge, audit=Audit(str(folder / "audit")), **options)


@pytest.fixture
def work(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def reads(work) -> dict[str, tuple[str, ...]]:
    return {"fs_read": (f"{work}/**",)}


@pytest.mark.proves("ATIP6-6-01", "ATIP6-7.1-04", "ATIP6-3.6-12")
def test_streams_code_and_records_of_an_ordinary_run(tmp_path, work):
    box = runner(tmp_path, judged(**reads(work)))
    result = box.run(shell(work, "cat; echo out; echo err >&2; exit 3"))
    assert (result.exit_code, result.stdout, result.stderr) == (3, "out\n", "err\n")
    assert result.backend == "bubblewrap"
    assert result.digest.startswith("sha256:")
    start, end = Audit(str(tmp_path / "audit")).records()
    assert (start["event"], end["event"]) == ("start", "end")
    assert start["run"] == end["run"] == result.run_id
    assert (start["digest"], end["exitCode"]) == (result.digest, 3)


def test_arguments_reach_the_program_as_they_are(tmp_path, work):
    words = ("a b", "$(id)", "", "\u00fc", "*", ";", "-n")
    call = ProgramCall(argv=("printf", "%s\\n", *words), program="/usr/bin/printf", cwd=str(work))
    result = runner(tmp_path, judged(**reads(work))).run(call)
    assert result.stdout == "".join(f"{word}\n" for word in words)


def test_a_program_learns_that_an_agent_runs_it(tmp_path, work):
    result = runner(tmp_path, judged(**reads(work))).run(
        shell(work, 'echo "$AGENT$CMP_AGENT$NO_COLOR"; tty')
    )
    assert result.stdout == "111\nnot a tty\n"


@pytest.mark.proves("ATIP6-3.6-16")
def test_a_command_that_wants_a_terminal_gets_one_that_is_not_the_users(tmp_path, work):
    effects = HARMLESS.replace(interactive=Interactive(tty=True))
    result = runner(tmp_path, judged(effects=effects, **reads(work))).run(
        shell(work, "[ -t 0 ] && [ -t 1 ] && echo terminal")
    )
    assert result.stdout == "terminal\r\n"


@pytest.mark.proves("ATIP6-3.6-13", "ATIP6-3.6-14")
@pytest.mark.parametrize("wants", ["required", "password"])
def test_input_that_nobody_gives_is_refused_instead_of_waited_for(tmp_path, work, wants):
    effects = HARMLESS.replace(interactive=Interactive(stdin=wants))
    with pytest.raises(ExecutionError):
        runner(tmp_path, judged(effects=effects, **reads(work))).run(shell(work, "cat"))
    if wants == "required":
        box = runner(tmp_path, judged(effects=effects, **reads(work)))
        assert box.run(shell(work, "cat", stdin=b"given")).stdout == "given"


@pytest.mark.proves("ATIP6-3.6-15")
def test_a_question_of_the_tool_is_never_answered(tmp_path, work):
    effects = HARMLESS.replace(interactive=Interactive(prompts=True))
    box = runner(tmp_path, judged(effects=effects, **reads(work)))
    result = box.run(shell(work, 'read -r answer || answer=nobody; echo "$answer"; echo "$@"'))
    assert result.stdout == "nobody\n\n"
    assert result.notes == ("the command may ask questions; they are not answered for you",)


@pytest.mark.measured
@pytest.mark.proves("ATIP6-3.6-10")
def test_the_declared_time_limit_ends_the_run(tmp_path, work):
    effects = HARMLESS.replace(duration=Duration(timeout="500ms"))
    began = time.monotonic()
    result = runner(tmp_path, judged(effects=effects, **reads(work))).run(shell(work, "sleep 30"))
    assert (result.exit_code, result.timed_out) == (124, True)
    assert time.monotonic() - began < 5


@pytest.mark.proves("ATIP6-11-09")
def test_values_that_were_passed_and_tokens_do_not_come_back(tmp_path, work):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    env = {"MY_SECRET": "open sesame", "PATH": "/usr/bin:/bin"}
    box = runner(tmp_path, judged(env_pass=("MY_SECRET",), **reads(work)))
    result = box.run(shell(work, f'echo "$MY_SECRET"; echo {token} >&2', env=env))
    assert result.stdout == "[passed-value:redacted]\n"
    assert result.stderr == "[github-token:redacted]\n"
    assert dict(result.redactions) == {"passed-value": 1, "github-token": 1}
    written = (tmp_path / "audit/audit.jsonl").read_text()
    assert token not in written
    assert "open sesame" not in written


@pytest.mark.proves("ATIP6-11-10")
def test_much_output_is_bounded_and_streamed(tmp_path, work):
    seen = [0]

    def count(name: str, data: bytes) -> None:
        seen[0] += len(data)

    box = runner(tmp_path, judged(**reads(work)), on_output=count)
    result = box.run(shell(work, "yes 0123456789 | head -c 20000000", max_bytes=10_000))
    assert result.truncated
    assert len(result.stdout) < 10_400
    assert seen[0] == 20_000_000


def test_what_is_denied_does_not_start(tmp_path, work):
    box = runner(tmp_path, judged(DENY, fs_write=(f"{work}/**",)))
    with pytest.raises(Denied) as refusal:
        box.run(shell(work, "touch made"))
    assert refusal.value.code == "policy.denied"
    assert list(work.iterdir()) == []
    assert [record["event"] for record in Audit(str(tmp_path / "audit")).records()] == ["refused"]


def test_what_needs_a_yes_starts_with_one_only(tmp_path, work):
    questions = []
    judge = judged(ASK, **reads(work))
    with pytest.raises(NeedsConfirmation):
        runner(tmp_path, judge).run(shell(work, "echo ran"))
    with pytest.raises(Denied):
        runner(tmp_path, judge, ask=lambda q: False).run(shell(work, "echo ran"))
    box = runner(tmp_path, judge, ask=lambda q: not questions.append(q))
    assert box.run(shell(work, "echo ran")).stdout == "ran\n"
    assert questions[0].argv == ("sh", "-c", "echo ran")
    events = [record["event"] for record in Audit(str(tmp_path / "audit")).records()]
    assert events == ["refused", "refused", "start", "end"]


def test_yes_in_advance_never_covers_what_may_destroy(tmp_path, work):
    call = shell(work, "echo ran", assume_yes=True)
    assert runner(tmp_path, judged(ASK, **reads(work))).run(call).stdout == "ran\n"
    for destructive in (True, None):
        effects = Effects(destructive=destructive)
        with pytest.raises(NeedsConfirmation):
            runner(tmp_path, judged(ASK, effects, **reads(work))).run(call)


def test_a_remembered_yes_is_for_the_same_run_only(tmp_path, work):
    seen = []
    box = runner(
        tmp_path, judged(ASK, **reads(work)), approved=lambda b: bool(seen.append(b)) or True
    )
    assert box.run(shell(work, "echo ran")).exit_code == 0
    box.run(shell(work, "echo ran"))
    box.run(shell(work, "echo other"))
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.proves("ATIP6-4.8-06")
def test_where_records_are_demanded_there_is_no_run_without_one(tmp_path, work):
    blocked = tmp_path / "file"
    blocked.write_text("")
    judge = judged(audit=True, fs_write=(f"{work}/**",))
    box = Runner(judge, audit=Audit(str(blocked / "audit")))
    with pytest.raises(Denied) as refusal:
        box.run(shell(work, "touch made"))
    assert refusal.value.code == "audit.unwritable"
    with pytest.raises(ExecutionError):
        Runner(judge).run(shell(work, "touch made"))
    assert list(work.iterdir()) == []


def test_other_bytes_than_expected_do_not_run(tmp_path, work):
    with pytest.raises(TrustError):
        runner(tmp_path, judged()).run(shell(work, "true", expected="sha256:" + "0" * 64))


@pytest.mark.measured
def test_cancelling_ends_a_run_at_once(tmp_path, work):
    started = threading.Event()
    box = runner(tmp_path, judged(**reads(work)), on_output=lambda name, data: started.set())
    results = []
    worker = threading.Thread(
        target=lambda: results.append(box.run(shell(work, "echo on; sleep 60")))
    )
    worker.start()
    assert started.wait(20)
    began = time.monotonic()
    box.cancel()
    worker.join(10)
    assert time.monotonic() - began < 1
    assert results[0].cancelled


def test_many_runs_at_once_leave_one_whole_chain(tmp_path, work):
    box = runner(tmp_path, judged(limits=Limits(wall_s=60), **reads(work)))
    results: list[str] = []
    workers = [
        threading.Thread(
            target=lambda n=n: results.append(box.run(shell(work, f"echo {n}")).stdout)
        )
        for n in range(12)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert sorted(map(int, results)) == list(range(12))
    checked = Audit(str(tmp_path / "audit")).verify()
    assert (checked.records, checked.broken, checked.unfinished) == (24, None, ())


def test_a_command_that_reads_nothing_runs_without_the_directory(tmp_path, work):
    result = runner(tmp_path, judged()).run(shell(work, "echo $PWD"))
    assert result.exit_code == 0
    assert str(work) not in result.stdout


def test_the_secret_animal_of_the_zoo_gets_nothing_out():
    folder = shared("zoo")
    found = [
        animal for animal in zoo_harness.animals(folder, "run") if "secret" in str(animal["name"])
    ]
    assert found
    for animal in found:
        report = zoo_harness.run_confined_animal(folder, animal)
        assert (report.wrong, report.leaks) == ([], [])


def test_loader_and_interpreter_variables_of_the_caller_stay_outside(tmp_path, work):
    names = ("LD_PRELOAD", "PYTHONPATH", "GIT_EXEC_PATH", "BASH_ENV")
    env = {**dict.fromkeys(names, "/evil"), "PATH": "/usr/bin:/bin"}
    box = runner(tmp_path, judged(env_pass=names, **reads(work)))
    result = box.run(shell(work, "env", env=env))
    assert not any(name in result.stdout for name in names)


def test_the_toolbox_runs_what_policy_allows(tmp_path, work):
    (work / "file").write_text("hello\n")
    box = Toolbox(home=str(tmp_path / "home"))
    result = box.run(["cat", "file"], cwd=str(work))
    assert (result.exit_code, result.stdout, result.decision.outcome) == (0, "hello\n", "allow")
    with pytest.raises(NeedsConfirmation):
        box.run(["rm", "-rf", "file"], cwd=str(work))
    with pytest.raises(NotFoundError):
        box.run(["no-such-tool"])
    for words in ([], [""], ["cat", "a\0b"]):
        with pytest.raises(UsageError):
            box.run(words)


_KILLED = """
import sys
from atip.toolbox import Toolbox
box = Toolbox(home=sys.argv[1])
while True:
    sys.stdout.write(str(box.run(["cat", "file"], cwd=sys.argv[2]).exit_code) + "\\n")
    sys.stdout.flush()
"""


def test_killed_runs_have_their_start_record_and_the_chain_holds(tmp_path, work):
    (work / "file").write_text("hello\n")
    home = tmp_path / "home"
    finished = 0
    for delay_ms in (0, 5, 11, 17, 23):
        with subprocess.Popen(
            [sys.executable, "-c", _KILLED, str(home), str(work)], stdout=subprocess.PIPE
        ) as worker:
            assert worker.stdout is not None
            worker.stdout.readline()
            time.sleep(delay_ms / 1000)
            worker.kill()
            finished += 1 + len(worker.stdout.read().splitlines())
    checked = Audit(str(home / ".local/share/agent-tools/audit")).verify()
    assert checked.broken is None
    assert len(checked.unfinished) <= 5
    assert checked.records >= 2 * finished


@pytest.mark.measured
@pytest.mark.proves("ATIP6-3.6-15", "ATIP6-3.6-16")
def test_a_question_at_the_private_terminal_gets_no_answer_and_does_not_wait_for_ever(
    tmp_path, work
):
    effects = HARMLESS.replace(interactive=Interactive(tty=True, prompts=True))
    box = runner(tmp_path, judged(effects=effects, **reads(work)))
    began = time.monotonic()
    ask = "import getpass\ntry: print('got', repr(getpass.getpass()))\nexcept EOFError: print('nobody')"
    call = ProgramCall(argv=("python3", "-c", ask), program="/usr/bin/python3", cwd=str(work))
    result = box.run(call.replace(timeout_s=60))
    assert "nobody" in result.stdout
    assert not result.timed_out
    assert time.monotonic() - began < 30


def test_input_for_a_terminal_arrives_and_then_ends(tmp_path, work):
    effects = HARMLESS.replace(interactive=Interactive(tty=True, stdin="required"))
    box = runner(tmp_path, judged(effects=effects, **reads(work)))
    result = box.run(shell(work, "while read -r line; do echo got $line; done", stdin=b"a\nb\n"))
    assert [line for line in result.stdout.splitlines() if line.startswith("got")] == [
        "got a",
        "got b",
    ]


def test_policy_may_demand_a_record_and_then_there_is_no_run_without_one(tmp_path, work):
    box = Runner(judged(audit=True, fs_write=(f"{work}/**",)), audit=Audit("/proc/no-such-folder"))
    with pytest.raises(Denied) as refusal:
        box.run(shell(work, "touch made"))
    assert refusal.value.code == "audit.unwritable"
    assert list(work.iterdir()) == []
