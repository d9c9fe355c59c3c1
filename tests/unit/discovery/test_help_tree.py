"""Help is asked recursively and within a budget; a simulated program answers."""

from __future__ import annotations

import pytest

from atip.discovery.sources.help_tree import HelpBudget, HelpTree, ProbeCache
from atip.discovery.sources.inference_sources import with_both_dashes
from atip.inference.help import infer_help
from atip.model.tool import Option
from atip.sandbox.probes.worker import ProbeResult

ROOT = "Usage: boat <command>\n\nCommands:\n  load  Load cargo\n  sail  Set sail\n"
LOAD = "Usage: boat load [options]\n\nOptions:\n  -f, --force  do not ask\n"


class Simulated:
    """Answers from a table, with the exit code that a complaint has for everything else."""

    def __init__(self, answers: dict[tuple[str, ...], str]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, ...]] = []

    def run(self, argv, *, wall_s=None):
        words = tuple(argv[1:])
        self.asked.append(words)
        text = self.answers.get(words, "")
        return ProbeResult(stdout=text.encode(), exit_code=0 if text else 2)


def explore(answers, budget=None):
    runner = Simulated(answers)
    tree = HelpTree(
        runner,
        "/usr/bin/boat",
        lambda text, path: infer_help(text, tool="boat", path=path),
        budget or HelpBudget(),
    )
    return tree.explore(), runner, tree


def flags(command):
    return [option.flags for option in command.options or ()]


def test_commands_are_asked_for_their_own_help():
    command, _, tree = explore({("--help",): ROOT, ("load", "--help"): LOAD})
    assert list(command.commands) == ["load", "sail"]
    assert flags(command.commands["load"]) == [("-f", "--force")]
    assert not tree.was_cut


def test_commands_that_echo_their_parent_do_not_use_up_the_patience_for_their_siblings():
    names = [f"port{number}" for number in range(9)]
    rows = "".join(f"  {name}  Go there\n" for name in names)
    answers = {
        ("--help",): f"Usage: boat <command>\n\nCommands:\n{rows}",
        **{(name, "--help"): _port(name) for name in names},
        **{(name, word, "--help"): _port(name) for name in names for word in ("in", "out", "by")},
    }
    command, runner, tree = explore(answers)
    assert all(("--fast",) in flags(command.commands[name]) for name in names)
    first_nested = next(place for place, words in enumerate(runner.asked) if len(words) > 2)
    assert {words[0] for words in runner.asked[:first_nested]} > set(names)
    assert not tree.was_cut


def _port(name):
    forms = "".join(f"boat {name} {word} <cargo>\n" for word in ("in", "out", "by"))
    return f"Usage:\n{forms}\nOptions:\n  --fast  hurry\n"


def test_the_flag_that_was_answered_is_known():
    command, _, _ = explore({("--help",): ROOT})
    assert flags(command) == [("--help",)]
    assert command.options[0].own["evidence"] == {"source": "help", "part": "answer"}


def test_help_that_is_a_complaint_proves_no_flag():
    class Complaining(Simulated):
        def run(self, argv, *, wall_s=None):
            return super().run(argv).replace(exit_code=1)

    runner = Complaining({("--help",): ROOT})
    read = lambda text, path: infer_help(text, tool="boat", path=path)  # noqa: E731
    assert flags(HelpTree(runner, "boat", read, HelpBudget()).explore()) == []


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_used_up_budget_is_told(limit):
    _, runner, tree = explore(
        {("--help",): ROOT, ("load", "--help"): LOAD}, HelpBudget(questions=limit)
    )
    assert len(runner.asked) <= limit
    assert tree.was_cut


def test_first_questions_are_put_once():
    runner = Simulated({("--help",): ROOT})
    cache = ProbeCache(runner)
    for _ in range(3):
        cache.run(["boat", "--help"])
        cache.run(["boat", "load", "--help"])
    assert runner.asked.count(("--help",)) == 1
    assert runner.asked.count(("load", "--help")) == 3


def test_flags_of_go_have_one_dash_or_two():
    options = [Option(name="all", flags=("-all",)), Option(name="o", flags=("-o",))]
    assert [dash.flags for dash in with_both_dashes(options)] == [("-all", "--all"), ("-o",)]


@pytest.mark.parametrize(
    "complaint",
    [
        "boat: unrecognized option '--help'",
        "unknown option -- -",
        "boat: invalid option -- '-'",
        "Error: option --help not recognized",
        "Unknown option: help",
        "flag provided but not defined: -help",
        "illegal argument -- h",
    ],
)
def test_a_complaint_is_no_help_and_another_spelling_is_tried(complaint):
    usage = "usage: boat [-v] port"
    answers = {
        ("--help",): f"{complaint}\n{usage}\n",
        ("-h",): f"Carries things over water.\n\n{LOAD}",
    }
    command, runner, _ = explore(answers)
    assert runner.asked[:2] == [("--help",), ("-h",)]
    assert command.description == "Carries things over water."
    assert ("-f", "--force") in flags(command)
    only, _, _ = explore({("--help",): f"{complaint}\n{usage}\n"})
    assert only.description == ""
    assert flags(only) == [("-v",)]
    assert [argument.name.lower() for argument in only.arguments] == ["port"]


def test_a_program_that_only_answers_when_called_with_nothing():
    command, runner, _ = explore({(): LOAD})
    assert flags(command) == [("-f", "--force")]
    assert runner.asked[-1] == ()
    _, runner, _ = explore({("-?",): LOAD})
    assert () not in runner.asked


def test_a_word_that_is_denied_is_no_command():
    denial = f"boat: unknown command: load\n{LOAD}"
    command, _, _ = explore(
        {("--help",): ROOT, ("load", "--help"): denial, ("help", "load"): denial}
    )
    assert not command.commands["load"].options


def test_the_commands_of_the_parent_are_not_those_of_the_child():
    keys = (
        "Usage: pack {dmpq} archive\n\nCommands:\n  d  delete\n  m  move\n  p  print\n  q  append\n"
    )
    answers = {("--help",): keys}
    answers |= {(key, "-h"): f"pack: two operations\n{keys}" for key in "dmpq"}
    command, _, _ = explore(answers)
    assert list(command.commands) == ["d", "m", "p", "q"]
    assert not any(child.commands for child in command.commands.values())


def test_a_program_that_works_until_its_time_is_over_is_asked_twice_only():
    class Busy(Simulated):
        def run(self, argv, *, wall_s=None):
            super().run(argv)
            return ProbeResult(exit_code=-9, timed_out=True)

    runner = Busy({})
    tree = HelpTree(runner, "/usr/bin/boat", lambda text, path: infer_help(text), HelpBudget())
    assert tree.explore() is None
    assert runner.asked == [("--help",), ("-h",)]


def test_an_echo_to_the_spelling_that_works_is_final():
    group = "Usage: boat load <command>\n\nCommands:\n  up  Upwards\n  by  Sideways\n"
    answers = {
        ("--help",): ROOT,
        ("load", "--help"): group,
        ("load", "up", "--help"): group,
        ("load", "by", "--help"): group,
    }
    command, runner, _ = explore(answers)
    assert list(command.commands["load"].commands) == ["up", "by"]
    nested = [words for words in runner.asked if "up" in words or "by" in words]
    assert nested == [("load", "up", "--help"), ("load", "by", "--help")]


def test_of_many_commands_whose_subcommands_echo_only_one_is_asked_after_two():
    names = [f"port{number}" for number in range(6)]
    rows = "".join(f"  {name}  Go there\n" for name in names)
    answers = {
        ("--help",): f"Usage: boat <command>\n\nCommands:\n{rows}",
        **{(name, "--help"): _port(name) for name in names},
        **{(name, word, "--help"): _port(name) for name in names for word in ("in", "out", "by")},
    }
    _, runner, _ = explore(answers)
    nested = [words[0] for words in runner.asked if len(words) == 3]
    assert [nested.count(name) for name in names] == [3, 3, 1, 1, 1, 1]


def test_a_program_that_says_the_same_to_everything_is_asked_three_times():
    class Deaf(Simulated):
        def run(self, argv, *, wall_s=None):
            super().run(argv)
            return ProbeResult(stderr=b"No module named 'cargo'\n", exit_code=1)

    runner = Deaf({})
    tree = HelpTree(runner, "/usr/bin/boat", lambda text, path: infer_help(text), HelpBudget())
    tree.explore()
    assert runner.asked == [("--help",), ("-h",), ()]


def test_a_text_that_names_another_spelling_is_followed():
    answers = dict.fromkeys([("--help",), ("-h",), ("help",)], "type boat -help for help\n")
    command, _, _ = explore({**answers, ("-help",): LOAD})
    assert ("-f", "--force") in flags(command)


@pytest.mark.parametrize("cut", ["truncated", "timed_out"])
def test_output_without_end_is_no_help(cut):
    class Endless(Simulated):
        def run(self, argv, *, wall_s=None):
            super().run(argv)
            return ProbeResult(stdout=LOAD.encode() * 99, exit_code=-9, **{cut: True})

    tree = HelpTree(Endless({}), "/bin/boat", lambda text, path: infer_help(text), HelpBudget())
    assert tree.explore() is None


def test_a_program_that_computes_until_its_time_is_over_is_asked_once():
    class Computing(Simulated):
        def run(self, argv, *, wall_s=None):
            super().run(argv)
            return ProbeResult(exit_code=-9, timed_out=True, cpu_s=wall_s)

    runner = Computing({})
    tree = HelpTree(runner, "/usr/bin/boat", lambda text, path: infer_help(text), HelpBudget())
    assert tree.explore() is None
    assert runner.asked == [("--help",)]


def test_a_word_that_makes_a_program_work_is_not_repeated_in_another_spelling():
    class Working(Simulated):
        def run(self, argv, *, wall_s=None):
            answer = super().run(argv)
            return answer.replace(cpu_s=2.0) if len(argv) > 2 else answer

    runner = Working({("--help",): ROOT})
    HelpTree(
        runner, "/bin/boat", lambda text, path: infer_help(text, tool="boat"), HelpBudget()
    ).explore()
    assert runner.asked == [("--help",), ("load", "--help"), ("sail", "--help")]
