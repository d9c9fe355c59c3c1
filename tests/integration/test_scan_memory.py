"""What a scan knows it keeps: per program and source, through scans that ask less, changes, removals and interrupts."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from atip.discovery.findings import source
from atip.discovery.findings.memory import FindingsMemory
from atip.discovery.scan import ScanOptions
from atip.knowledge.summaries import own_summary
from atip.toolbox import Toolbox
from tests.shared import ROOT

pytestmark = pytest.mark.sandbox


def program(folder, name, flag):
    """Answers `--help` with one flag of its own, by which it is known what was learned."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    body = f"Usage: {name} [options]\\n\\nCarries things over water.\\n\\nOptions:\\n  --{flag}  do it\\n"
    path.write_text(f"#!/bin/sh\nprintf '{body}'\n")
    path.chmod(0o755)
    return path


def scan(box, *folders, **fields):
    return box.scan(ScanOptions(paths=tuple(map(str, folders)), **fields)).summary()


def facts(box, name):
    """Flags that are known of a tool, without looking at the machine."""
    entry = box.store.find(name)
    if entry is None or "source" not in entry:
        return set()
    document = box.store.load_metadata(name, entry)
    return set(flags_in(document))


def flags_in(node):
    if isinstance(node, dict):
        yield from node.get("flags", ())
        for value in node.values():
            yield from flags_in(value)
    elif isinstance(node, list):
        for value in node:
            yield from flags_in(value)


@pytest.fixture
def box(tmp_path):
    return Toolbox(home=str(tmp_path / "home"))


@pytest.fixture
def tools(tmp_path):
    return tmp_path / "bin"


def test_one_new_tool_starts_no_other_program(box, tools):
    for number in range(6):
        program(tools, f"boat{number}", f"f{number}")
    assert scan(box, tools, learn=True)["executed"] == 6
    program(tools, "raft", "float")
    summary = scan(box, tools, learn=True)
    assert (summary["executed"], summary["sources"]) == (1, {"help": 7})
    assert "--float" in facts(box, "raft")
    assert "--f3" in facts(box, "boat3")


def test_a_scan_that_asks_less_knows_no_less(box, tools, tmp_path):
    program(tools, "boat", "sail")
    program(tmp_path / "other", "raft", "float")
    scan(box, tools, learn=True)
    learned = facts(box, "boat")
    assert "--sail" in learned
    for folders, fields in [
        ((tools,), {}),
        ((tools,), {"refresh": True}),
        ((tmp_path / "other",), {}),
    ]:
        assert scan(box, *folders, **fields)["executed"] == 0
        assert facts(box, "boat") == learned


def test_counts_add_up_and_removed_tools_vanish(box, tools):
    paths = [program(tools, f"boat{number}", "sail") for number in range(4)]
    first = scan(box, tools, learn=True)
    assert first["found"] == sum(first["sources"].values()) + first["unknown"] == 4
    paths[0].unlink()
    second = scan(box, tools, learn=True)
    assert (second["found"], second["removed"], second["executed"]) == (3, ["boat0"], 0)
    assert box.store.find("boat0") is None
    assert len(os.listdir(os.path.join(box.places.data, "findings"))) == 3


def test_a_changed_program_is_asked_again_and_loses_what_it_no_longer_says(box, tools):
    program(tools, "boat", "sail")
    scan(box, tools, learn=True)
    program(tools, "boat", "row")
    assert scan(box, tools, learn=True)["executed"] == 1
    assert "--row" in facts(box, "boat")
    assert "--sail" not in facts(box, "boat")


def test_findings_of_another_release_are_kept_until_programs_are_asked_again(
    box, tools, monkeypatch
):
    program(tools, "boat", "sail")
    scan(box, tools, learn=True)
    monkeypatch.setattr("atip.discovery.findings.memory.__version__", "99")
    monkeypatch.setattr("atip.discovery.store_writer.__version__", "99")
    assert scan(box, tools, refresh=True)["executed"] == 0
    assert "--sail" in facts(box, "boat")
    program(tools, "raft", "float")
    assert scan(box, tools, learn=True)["executed"] == 2


def test_metadata_that_was_deleted_is_written_again_without_asking(box, tools):
    program(tools, "boat", "sail")
    scan(box, tools, learn=True)
    for folder, _, names in os.walk(os.path.join(box.places.data, "shims")):
        for name in names:
            os.unlink(os.path.join(folder, name))
    program(tools, "raft", "float")
    assert scan(box, tools)["executed"] == 0
    assert "--sail" in facts(box, "boat")


def mute(folder, name):
    """A program of which nothing can be learned by asking."""
    path = program(folder, name, "none")
    path.write_text("#!/bin/sh\nexit 1\n")
    return path


def test_a_program_that_says_nothing_is_known_by_its_summary(box, tools):
    mute(tools, "anthoscli")
    mute(tools, "nothing-at-all")
    summary = scan(box, tools, learn=True)
    assert (summary["sources"], summary["unknown"]) == ({"summary": 1}, 1)
    entry = box.store.find("anthoscli")
    assert entry["x-atip"]["description"] == own_summary("anthoscli")
    assert [hit.tool for hit in box.search("manage anthos clusters")] == ["anthoscli"]


def test_a_summary_replaces_nothing_that_is_known_of_the_same_bytes(box, tools):
    program(tools, "anthoscli", "sail")
    scan(box, tools, learn=True)
    for name in os.listdir(os.path.join(box.places.data, "findings")):
        os.unlink(os.path.join(box.places.data, "findings", name))
    scan(box, tools, refresh=True)
    assert "--sail" in facts(box, "anthoscli")


class Interrupting(FindingsMemory):
    """Interrupts the scan, as Control-C does, when so many answers are remembered."""

    left = 0

    def put(self, subject, name, tool):
        super().put(subject, name, tool)
        type(self).left -= 1
        if type(self).left < 0:
            raise KeyboardInterrupt


PLACE = "atip.workflows.scan.machine.FindingsMemory"


def test_an_interrupted_scan_goes_on_where_it_was(box, tools, monkeypatch):
    for number in range(4):
        program(tools, f"boat{number}", f"f{number}")
    Interrupting.left = 11  # five sources each: two programs are learned, the third is not
    monkeypatch.setattr(PLACE, Interrupting)
    with pytest.raises(KeyboardInterrupt):
        scan(box, tools, learn=True, jobs=1)
    monkeypatch.undo()
    assert "--f0" in facts(box, "boat0")
    assert scan(box, tools, learn=True)["executed"] == 2
    assert "--f3" in facts(box, "boat3")


MOVES = st.one_of(
    st.tuples(st.just("add"), st.integers(0, 3), st.integers(0, 2)),
    st.tuples(st.just("remove"), st.integers(0, 3)),
    st.tuples(st.just("plain"), st.booleans()),
    st.tuples(st.just("only"), st.integers(0, 3)),
    st.tuples(st.just("learn")),
    st.tuples(st.just("copy"), st.integers(0, 3), st.booleans()),
    st.tuples(st.just("uncopy"), st.integers(0, 3)),
    st.tuples(st.just("link"), st.integers(0, 3)),
    st.tuples(st.just("elsewhere"), st.booleans()),
    st.tuples(st.just("interrupt"), st.integers(0, 6)),
)


class Machine:
    """A directory of programs, another one that may have programs of the same names, and what must be known."""

    def __init__(self, root):
        self.box = Toolbox(home=str(root / "home"))
        self.tools, self.other = root / "bin", root / "other"
        program(self.other, "raft", "float")
        program(self.tools, "anchor", "hold")
        self.present = {"anchor": "hold"}
        self.learned: set[tuple[str, str]] = set()

    def play(self, move, *values):
        getattr(self, move)(*values)

    def add(self, number, flag):
        self.present[f"boat{number}"] = f"f{flag}"
        program(self.tools, f"boat{number}", f"f{flag}")

    def remove(self, number):
        if self.present.pop(f"boat{number}", None):
            (self.tools / f"boat{number}").unlink()

    def copy(self, number, is_same):
        """The other directory gets a program of the same name, with the same bytes or its own."""
        flag = self.present.get(f"boat{number}", "own") if is_same else "own"
        program(self.other, f"boat{number}", flag)

    def uncopy(self, number):
        (self.other / f"boat{number}").unlink(missing_ok=True)

    def link(self, number):
        """The other directory gets another name of the same bytes."""
        (self.other / f"ferry{number}").unlink(missing_ok=True)
        (self.other / f"ferry{number}").symlink_to(self.tools / f"boat{number}")

    def plain(self, refresh):
        assert scan(self.box, self.tools, refresh=refresh)["executed"] == 0
        self.check()

    def only(self, number):
        scan(self.box, self.tools, only=(f"boat{number}",))

    def elsewhere(self, learn):
        scan(self.box, self.other, learn=learn)

    def learn(self):
        new = {one for one in self.present.items() if one not in self.learned}
        assert scan(self.box, self.tools, learn=True)["executed"] <= len(new)
        self.learned |= set(self.present.items())
        self.check()

    def interrupt(self, answers):
        with pytest.MonkeyPatch.context() as patch:
            Interrupting.left = answers
            patch.setattr(PLACE, Interrupting)
            try:
                scan(self.box, self.tools, learn=True)
            except KeyboardInterrupt:
                return
        self.learned |= set(self.present.items())

    def check(self):
        """After a scan of these programs: each is in the store as the file of this directory, with what it ever answered."""
        for name, flag in self.present.items():
            assert self.box.store.find(name)["path"] == str(self.tools / name)
            if (name, flag) in self.learned:
                assert f"--{flag}" in facts(self.box, name)
        for name in self.box.store.load_index()["tools"]:
            facts(self.box, name)  # none is damaged


@given(moves=st.lists(MOVES, max_size=10))
@example(
    moves=[("add", 0, 0), ("learn",), ("copy", 0, True), ("elsewhere", False), ("plain", False)]
)
@example(moves=[("add", 0, 0), ("learn",), ("link", 0), ("elsewhere", True), ("plain", False)])
@example(
    moves=[("add", 0, 0), ("learn",), ("copy", 0, False), ("elsewhere", True), ("plain", False)]
)
@example(
    moves=[("add", 0, 0), ("learn",), ("copy", 0, True), ("elsewhere", False), ("uncopy", 0), ("elsewhere", False),
           ("plain", False)]
)  # fmt: skip
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_sequence_of_scans_changes_and_interrupts_loses_a_fact(tmp_path_factory, moves):
    """What was known of bytes that are still there stays known; what is there was learned after the last learning."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    for move in moves:
        machine.play(*move)
    machine.learn()
    known = {path.name for folder in (machine.tools, machine.other) for path in folder.iterdir()}
    assert set(machine.box.store.load_index()["tools"]) <= known


def digest(path):
    from atip.discovery.files.content import ContentReader

    return ContentReader().read(str(path)).digest


@pytest.mark.measured
def test_control_c_ends_a_scan_within_a_second_and_keeps_what_was_learned(tmp_path, tools):
    for number in range(3):
        program(tools, f"boat{number}", f"f{number}")
    slow = program(tools, "zslow", "never")
    slow.write_text("#!/bin/sh\nsleep 30\n")
    home = tmp_path / "home"
    environment = {
        **os.environ,
        "HOME": str(home),
        "ATIP_HOME": "",
        "PYTHONPATH": str(ROOT / "src"),
    }
    line = [
        sys.executable,
        "-m",
        "atip.cli.main",
        "scan",
        "--learn",
        "--path",
        str(tools),
        "--jobs",
        "1",
    ]
    scanning = subprocess.Popen(
        line, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    findings = home / ".local/share/agent-tools/findings"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (
        findings.is_dir() and len(list(findings.glob("*boat2*")))
    ):
        time.sleep(0.05)
    start = time.monotonic()
    scanning.send_signal(signal.SIGINT)
    _, said = scanning.communicate(timeout=30)
    assert time.monotonic() - start < 5.0, said  # about 0.3 s on an idle machine
    assert scanning.returncode == 130, said
    box = Toolbox(home=str(home))
    assert {name for name in ("boat0", "boat1", "boat2") if facts(box, name)} >= {"boat0", "boat1"}


def test_a_stopped_source_remembers_nothing(tmp_path):
    class SlowSource:
        def ask(self, subject):
            stop.stop()

    stop = source.StopSignal()
    memory = FindingsMemory(str(tmp_path))
    one = source.RememberedSource(
        memory, name="help", source_kind="help", source=SlowSource(), signal=stop
    )
    from atip.discovery.files.stubs import NO_SCRIPT
    from atip.discovery.sources.source_order import ProbeSubject

    subject = ProbeSubject(name="x", path="/x", real_path="/x", digest="sha256:0", stub=NO_SCRIPT)
    with pytest.raises(source.ScanStopped):
        one.ask(subject)
    assert memory.get(subject, "help") is None


def test_the_first_search_after_a_scan_builds_nothing(tmp_path, tools):
    from tests.cli.run import atip

    program(tools, "boat", "sail")
    (tmp_path / "home").mkdir()
    assert atip("scan", "--path", str(tools), home=tmp_path / "home").code == 0
    index = tmp_path / "home/.local/share/agent-tools/index.sqlite"
    built = index.read_bytes()
    assert atip("search", "boat", home=tmp_path / "home").code == 0
    assert index.read_bytes() == built


KILLS = int(os.environ.get("ATIP_SCAN_KILLS", "3"))


@pytest.mark.measured
def test_a_scan_that_is_ended_at_any_moment_keeps_what_was_learned(tmp_path, tools):
    """SIGINT and `kill -9` in turn, at seeded moments: facts only grow, and the last scan asks only the rest."""
    names = [f"boat{number}" for number in range(16)]
    for number, name in enumerate(names):
        program(tools, name, f"f{number}")
    home = tmp_path / "home"
    chance = random.Random(26)
    known: set[str] = set()
    for turn in range(KILLS):
        end_a_scan(home, tools, chance.uniform(0.3, 4.0), (signal.SIGKILL, signal.SIGINT)[turn % 2])
        box = Toolbox(home=str(home))
        now = {name for number, name in enumerate(names) if f"--f{number}" in facts(box, name)}
        assert known <= now
        known = now
    answered = answered_programs(home)
    assert (
        known <= answered
    )  # a killed scan may have had no time to put its last answers into the store
    summary = scan(Toolbox(home=str(home)), tools, learn=True)
    assert summary["executed"] == len(names) - len(answered)
    box = Toolbox(home=str(home))
    assert all(f"--f{number}" in facts(box, name) for number, name in enumerate(names))


def end_a_scan(home, tools, after_s, how):
    """Start a scan in a process of its own and end it."""
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT / "src")}
    for name in [one for one in environment if one.startswith("XDG_") or one == "ATIP_HOME"]:
        del environment[name]
    line = [sys.executable, "-m", "atip.cli.main", "scan", "--learn", "--jobs", "1", "--path"]
    scanning = subprocess.Popen(
        [*line, str(tools)],
        env=environment,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        scanning.wait(after_s)
    except subprocess.TimeoutExpired:
        scanning.send_signal(how)
        scanning.wait(30)


def answered_programs(home):
    """Names of the programs whose help is remembered."""
    folder = home / ".local/share/agent-tools/findings"
    files = folder.glob("*.json") if folder.is_dir() else ()
    return {path.name.split(".")[1] for path in files if "help" in json.loads(path.read_text())}
