"""A cobra program is asked in its own protocol: a simulated one, without a process."""

from __future__ import annotations

import pytest

from atip.discovery.files.stubs import Stub
from atip.discovery.frameworks.cobra_program import CobraSource
from atip.discovery.frameworks.marks import COBRA, marks_in
from atip.discovery.sources.help_tree import HelpBudget
from atip.discovery.sources.knowledge_source import storable
from atip.discovery.sources.source_order import ProbeSubject
from atip.model.reading.encode import encode
from atip.model.shapes.check import check_tool
from atip.sandbox.probes.worker import ProbeResult

ROOT = "Boat.\n\nUsage:\n  boat [command]\n\nAvailable Commands:\n  load  Load cargo\n\nFlags:\n      --log string  how loud\n"
LOAD = "Load.\n\nUsage:\n  boat load FILE [flags]\n\nFlags:\n  -f, --force  do not ask\n"
SAIL = "Sail.\n\nUsage:\n  boat sail [flags]\n\nFlags:\n      --knots int  speed\n"
ANSWERS = {
    ("--help",): ROOT,
    ("load", "--help"): LOAD,
    ("sail", "--help"): SAIL,
    ("value", "--help"): ROOT,
    ("__complete", "-"): "--log\thow loud\n--fog\tmist\n:4\n",
    ("__complete", ""): "load\tLoad cargo\nsail\tSet sail\nvalue\tnot a command\n:4\n",
    ("__complete", "load", "-"): "--force\tdo not ask\n-f\tdo not ask\n--log\thow loud\n:4\n",
    ("__complete", "sail", "-"): "--knots\tspeed\n:4\n",
    ("__complete", "--log", ""): "debug\ninfo\n:4\n",
    ("__complete", "--fog", "--"): ":4\n",
    ("__complete", "--fog", ""): ":0\n",
    ("--version",): "boat version 1.2.3\n",
}


class Simulated:
    """Answers from a table; remembers every question."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def run(self, argv, *, wall_s=None):
        self.asked.append(tuple(argv[1:]))
        text = ANSWERS.get(tuple(argv[1:]), "")
        return ProbeResult(stdout=text.encode(), exit_code=0)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "boat"
    path.write_bytes(b"\x7fELF" + b"\0" * 100 + b"__completeNoDesc")
    return str(path)


def subject(path: str) -> ProbeSubject:
    return ProbeSubject(name="boat", path=path, real_path=path, digest="sha256:0", stub=Stub())


def test_the_program_tells_commands_flags_and_values(program):
    runner = Simulated()
    tool = CobraSource(lambda _: runner, HelpBudget()).ask(subject(program))
    assert list(tool.commands) == ["load", "sail"]  # not the value that was offered as a candidate
    assert tool.version == "1.2.3"
    by_flag = {option.flags[-1]: option for option in tool.global_options}
    assert by_flag["--log"].enum == ("debug", "info")
    assert by_flag["--fog"].type == "string"  # after it no flags were offered: it takes a value
    assert [option.flags for option in tool.commands["load"].options] == [("-f", "--force")]
    assert tool.extra["_generation"]["method"] == "completion-protocol"


def test_a_program_without_the_protocol_is_never_run(tmp_path):
    path = tmp_path / "other"
    path.write_bytes(b"\x7fELF" + b"\0" * 100)
    runner = Simulated()
    assert CobraSource(lambda _: runner).ask(subject(str(path))) is None
    assert runner.asked == []


def test_the_mark_is_found_across_the_border_of_two_reads(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"\x7fELF" + b"\0" * ((1 << 20) - 6) + b"__completeNoDesc" + b"\0" * 100)
    assert marks_in(str(path)) == {COBRA}
    assert marks_in(str(tmp_path / "missing")) == frozenset()


def test_what_is_stored_is_valid_metadata(program):
    tool = storable(CobraSource(lambda _: Simulated(), HelpBudget()).ask(subject(program)))
    assert [one for one in check_tool(encode(tool)) if one.severity == "error"] == []
    assert (tool.trust.source, tool.trust.verified) == ("inferred", False)


@pytest.mark.parametrize("mark", [b"__completeNoDesc", b"github.com/spf13/cobra.(*Command)"])
def test_a_program_that_does_not_answer_the_protocol_is_known_by_its_help(tmp_path, mark):
    path = tmp_path / "boat"
    path.write_bytes(b"\x7fELF" + b"\0" * 100 + mark)
    runner = Silent()
    tool = CobraSource(lambda _: runner, HelpBudget()).ask(subject(str(path)))
    assert tool.extra["_generation"]["method"] == "framework-help"
    assert list(tool.commands) == ["load"]
    assert [option.flags for option in tool.global_options] == [("-h", "--help"), ("--log",)]
    assert [option.flags for option in tool.commands["load"].options] == [("-f", "--force")]
    questions = [words for words in runner.asked if words[0] == "__complete"]
    assert questions == ([("__complete", "-")] if b"Desc" in mark else [])  # once, then no more


def test_a_silent_program_whose_help_was_written_by_hand_is_left_to_others(program):
    runner = Silent(root="boat does things\n\n  -f  fast\n")
    assert CobraSource(lambda _: runner).ask(subject(program)) is None


class Silent(Simulated):
    """Fails at every question of the protocol, as programs do that need a socket first."""

    def __init__(self, root=None):
        super().__init__()
        own = "  -h, --help        help for boat\n"
        shown = root or ROOT.replace("Flags:\n", f"Flags:\n{own}")
        inherited = f"{own}\nGlobal Flags:\n      --log string  how loud\n"
        self.texts = {**ANSWERS, ("--help",): shown, ("load", "--help"): LOAD + inherited}

    def run(self, argv, *, wall_s=None):
        self.asked.append(tuple(argv[1:]))
        if argv[1] == "__complete":
            return ProbeResult(stderr=b"no socket\n", exit_code=1)
        return ProbeResult(stdout=self.texts.get(tuple(argv[1:]), "").encode(), exit_code=0)


class Fleet:
    """Many commands; from `surprise` on, the protocol names a flag that no help has."""

    def __init__(self, surprise: int) -> None:
        self.names = [f"ship{number:02}" for number in range(30)]
        self.surprise = surprise
        self.asked: list[tuple[str, ...]] = []

    def run(self, argv, *, wall_s=None):
        words = tuple(argv[1:])
        self.asked.append(words)
        rows = "".join(f"  {name}  Sail it\n" for name in self.names)
        text = ""
        if words == ("--help",):
            text = f"Fleet.\n\nUsage:\n  boat [command]\n\nAvailable Commands:\n{rows}"
        elif words[-1] == "--help":
            text = f"Sail it.\n\nUsage:\n  boat {words[0]} [flags]\n\nFlags:\n      --fast  hurry\n"
        elif words[0] == "__complete" and words[-1] == "-":
            own = "--fast\thurry\n" if len(words) > 2 else ""
            is_surprise = own and self.names.index(words[1]) >= self.surprise
            text = own + ("--deep\tbelow\n" if is_surprise else "") + ":4\n"
        return ProbeResult(stdout=text.encode(), exit_code=0)

    @property
    def confirmed(self) -> list[str]:
        return [w[1] for w in self.asked if w[0] == "__complete" and w[-1] == "-" and len(w) == 3]


def test_help_that_was_complete_a_dozen_times_is_taken_for_complete(program):
    fleet = Fleet(surprise=99)
    tool = CobraSource(lambda _: fleet).ask(subject(program))
    assert len(fleet.confirmed) == 11  # and the root
    assert all(command.options[0].flags == ("--fast",) for command in tool.commands.values())


def test_help_that_lacks_a_flag_is_held_against_the_protocol_to_the_end(program):
    fleet = Fleet(surprise=9)
    tool = CobraSource(lambda _: fleet).ask(subject(program))
    assert fleet.confirmed == fleet.names
    flags = [flag for option in tool.commands["ship29"].options for flag in option.flags]
    assert "--deep" in flags
