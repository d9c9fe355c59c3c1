"""What a scan knows it keeps: per program and source, through scans that ask less, changes, removals and interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atip.discovery.findings import source
from atip.discovery.findings.memory import FindingsMemory
from atip.discovery.scan import ScanOptions
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
    st.tuples(st.just("plain")),
    st.tuples(st.just("learn")),
    st.tuples(st.just("elsewhere")),
    st.tuples(st.just("interrupt"), st.integers(0, 6)),
)


@given(moves=st.lists(MOVES, max_size=8))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_sequence_of_scans_changes_and_interrupts_loses_a_fact(tmp_path_factory, moves):
    """What was known of bytes that are still there stays known; what is there was learned after the last learning."""
    root = tmp_path_factory.mktemp("machine")
    box, tools = Toolbox(home=str(root / "home")), root / "bin"
    program(root / "other", "raft", "float")
    present: dict[str, str] = {}
    learned: set[tuple[str, str]] = set()
    program(tools, "anchor", "hold")
    present["anchor"] = "hold"
    for move, *values in moves:
        if move == "add":
            present[f"boat{values[0]}"] = f"f{values[1]}"
            program(tools, f"boat{values[0]}", f"f{values[1]}")
        elif move == "remove" and f"boat{values[0]}" in present:
            (tools / f"boat{values[0]}").unlink()
            del present[f"boat{values[0]}"]
        elif move == "plain":
            assert scan(box, tools)["executed"] == 0
        elif move == "elsewhere":
            scan(box, root / "other")
        elif move == "interrupt":
            with pytest.MonkeyPatch.context() as patch:
                Interrupting.left = values[0]
                patch.setattr(PLACE, Interrupting)
                try:
                    scan(box, tools, learn=True)
                    learned = set(present.items())
                except KeyboardInterrupt:
                    pass
        elif move == "learn":
            new = {one for one in present.items() if one not in learned}
            assert scan(box, tools, learn=True)["executed"] <= len(new)
            learned = set(present.items())
        for name, flag in learned & set(present.items()):
            if box.store.find(name) and box.store.find(name)["hash"] == digest(tools / name):
                assert f"--{flag}" in facts(box, name)
    scan(box, tools, learn=True)
    assert {
        name: f"--{flag}" in facts(box, name) for name, flag in present.items()
    } == dict.fromkeys(present, True)
    assert set(present) | {"raft"} >= set(box.store.load_index()["tools"])


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
