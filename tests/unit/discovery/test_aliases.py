"""Several names of one file: one tree where the program does not look at its name, several where it does."""

from __future__ import annotations

import threading
import time

import pytest

from atip.discovery.files.stubs import Stub
from atip.discovery.sources.aliases import Once
from atip.discovery.sources.inference_sources import HelpSource
from atip.discovery.sources.source_order import ProbeSubject
from atip.sandbox.probes.worker import ProbeResult

ROOT = "Usage: {0} <command>\n\nCommands:\n  load  Load cargo\n"
LOAD = "Usage: {0} load [options] CARGO\n\nOptions:\n  -f, --force  do not ask\n"
OTHER = "Usage: {0} [options] FILE\n\nOptions:\n  -d, --deep  far below\n"


class File:
    """A file with several names; `raft` is another program."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def run(self, argv, *, wall_s=None):
        name, words = argv[0].rpartition("/")[2], tuple(argv[1:])
        self.asked.append((name, *words))
        texts = {("--help",): ROOT, ("load", "--help"): LOAD}
        if name == "raft":
            texts = {("--help",): OTHER}
        text = texts.get(words, "").format(name)
        return ProbeResult(stdout=text.encode(), exit_code=0 if text else 2)


def subject(name: str, **stub: object) -> ProbeSubject:
    path = f"/usr/bin/{name}"
    return ProbeSubject(name=name, path=path, real_path=path, digest="sha256:1", stub=Stub(**stub))


def test_a_second_name_that_prints_the_same_help_is_asked_once():
    file = File()
    source = HelpSource(lambda _: file)
    first, second = source.ask(subject("boat")), source.ask(subject("boat-2"))
    assert ("boat", "load", "--help") in file.asked
    assert [words for words in file.asked if words[0] == "boat-2"] == [
        ("boat-2", "--help"),
        ("boat-2", "--version"),
    ]
    assert second.name == "boat-2"
    assert second.commands["load"].options == first.commands["load"].options
    assert second.commands["load"].usage == "boat-2 load [options] CARGO"


def test_a_name_with_its_own_help_is_its_own_program():
    source = HelpSource(lambda _: File())
    source.ask(subject("boat"))
    raft = source.ask(subject("raft"))
    assert not raft.commands
    assert ("-d", "--deep") in [option.flags for option in raft.options]


def test_names_that_only_complain_alike_are_told_apart():
    class Complaining(File):
        def run(self, argv, *, wall_s=None):
            name, words = argv[0].rpartition("/")[2], tuple(argv[1:])
            text = {"boat": LOAD, "raft": OTHER}[name].format(name) if words == ("-h",) else ""
            text = "cannot open the manual: no viewer\n" if words == ("--help",) else text
            return ProbeResult(stdout=text.encode(), exit_code=0 if text else 2)

    source = HelpSource(lambda _: Complaining())
    source.ask(subject("boat"))
    raft = source.ask(subject("raft"))
    assert ("-d", "--deep") in [option.flags for option in raft.options]


def test_scripts_that_start_another_file_are_told_apart():
    """Stubs of a version manager are equal files that start different programs."""
    file = File()
    source = HelpSource(lambda _: file)
    for name in ("boat", "boat-2"):
        source.ask(subject(name, language="shell", target=f"/opt/{name}"))
    assert ("boat-2", "load", "--help") in file.asked


def test_a_value_is_made_once_for_several_threads():
    once: Once[int] = Once()
    made = []

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return len(made)

    results: list[int] = []
    threads = [
        threading.Thread(target=lambda: results.append(once.get("a", make))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (made, results) == ([1], [1, 1, 1, 1])


def test_a_failure_is_not_kept():
    once: Once[int] = Once()
    with pytest.raises(ZeroDivisionError):
        once.get("a", lambda: 1 // 0)
    assert once.get("a", lambda: 7) == 7
