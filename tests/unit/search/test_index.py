"""The index: what is found, filtered, replaced, forgotten; a file that may be lost or damaged."""

from __future__ import annotations

import os
import pathlib
import random
import sqlite3

import pytest

from atip.errors import AtipError, FormatError, UsageError
from atip.model.tool import Command, Tool
from atip.search.index import MAX_LIMIT, SearchIndex
from atip.search.store import storage, text_rows
from atip.search.store.storage import Storage
from atip.search.upkeep import FILE, open_index
from tests.unit.search.tools import ALL, DANGER, GIT, GREP, SAFE, TAR


@pytest.fixture
def index():
    with SearchIndex() as made:
        made.put(ALL)
        yield made


def lines(index: SearchIndex, words: str, **options) -> list[str]:
    return [hit.line for hit in index.search(words, **options)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("record my changes", "git commit"),
        ("copy a repository", "git clone"),
        ("throw away changes", "git reset"),
        ("bring back what was put aside", "git stash pop"),
        ("lines matching a pattern", "grep"),
        ("make an archive", "tar"),
        ("extract archivs", "tar"),
        ("git stash", "git stash"),
        ("COMMIT", "git commit"),
    ],
)
def test_commands_are_found_by_what_they_do(index, words, expected):
    assert lines(index, words)[0] == expected


def test_a_tool_that_is_named_is_meant_unless_its_name_is_an_ordinary_word():
    tools = [Tool(name="quux", description="Reactive notebooks")]
    tools += [
        Tool(name=f"t{n}", description=f"Start a web server on a port number {n}")
        for n in range(60)
    ]
    tools += [Tool(name="start", description="Nothing in particular")]
    with SearchIndex() as made:
        made.put(tools)
        assert lines(made, "start a quux server on a port")[0] == "quux"
        assert lines(made, "start a web server")[0] != "start"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("follow a log file", "tail"),
        ("how do I follow the log file?", "tail"),
        ("who is logged in", "who"),
        ("Undo the last commit", "git reset"),
        ("list running containers", "docker ps"),
    ],
)
def test_a_curated_intent_that_is_the_request_itself_comes_first(words, expected):
    logs = {
        name: Command(description=f"Show {name} logged in log files")
        for name in ("logs", "ps", "commit")
    }
    tools = [
        Tool(name="docker", description="Containers, the last file, running lists", commands=logs),
        Tool(name="git", description="Version control", commands={"reset": Command(description="Move HEAD"), **logs}),
        *(Tool(name=name, description="x") for name in ("head", "tail", "who", "w")),
    ]  # fmt: skip
    with SearchIndex() as index:
        index.put(tools)
        assert lines(index, words)[0] == expected
        index.put([], gone=[expected.split()[0]])
        assert expected not in lines(index, words)


def test_hidden_commands_are_not_found(index):
    assert "git secret" not in lines(index, "internal secret command", limit=50)


def test_within_a_tool_every_command_is_ranked_and_the_bare_tool_is_no_answer(index):
    found = lines(index, "put aside", tool="git", limit=50)
    assert found[:2] == ["git stash", "git stash pop"]
    assert set(found) == {"git commit", "git clone", "git reset", "git stash", "git stash pop"}
    assert lines(index, "anything", tool="grep") == ["grep"]
    assert lines(index, "anything", tool="nobody") == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("list the spaces", "zed space"),
        ("remove spaces", "zed space"),
        ("list plans", "zed list"),
        ("log in to the server", "zed login"),
        ("open a gate", "zed gate"),
        ("paint a gate", "zed gate paint"),
    ],
)
def test_within_a_tool_the_command_that_is_meant_comes_first(words, expected):
    paint = Command(description="A gate")
    commands = {
        "list": Command(description="List plans"),
        "login": Command(description="Prove who you are"),
        "log": Command(description="Records of what happened"),
        "space": Command(description="Manage spaces"),
        "gate": Command(description="Everything there is about a gate", commands={"paint": paint}),
    }
    with SearchIndex() as made:
        made.put([Tool(name="zed", description="Example", commands=commands)])
        assert lines(made, words, tool="zed")[0] == expected


def test_programs_that_say_the_same_do_not_crowd_out_the_others():
    tools = [Tool(name=f"quux3.{n}", description="Install packages") for n in range(9)]
    tools += [Tool(name="blorp", description="Install many packages of a system")]
    tools += [Tool(name="frotz", description="Remove packages, keep others, ask first, be slow")]
    with SearchIndex() as made:
        made.put(tools)
        found = made.search("install packages", limit=4)
        assert [hit.tool for hit in found] == ["quux3.0", "blorp", "frotz", "quux3.1"]
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_details_of_a_manual_count_less_than_what_a_command_is_for():
    manual = "Count lines, count files, replace lines, count lines of all files. " * 40
    tools = [
        Tool(name="big", description=f"Does something else\n{manual}"),
        Tool(name="small", description="Print newline and byte counts for each file, by line"),
    ]
    with SearchIndex() as made:
        made.put(tools)
        assert lines(made, "count lines in a file") == ["small", "big"]


@pytest.mark.parametrize("name", ["who", "at", "as"])
def test_a_tool_whose_name_is_a_function_word_is_found_by_it(name):
    with SearchIndex() as made:
        made.put([*ALL, Tool(name=name, description="Example")])
        assert lines(made, name) == [name]


def test_facts_filter_and_unknown_is_not_safe(index):
    assert set(lines(index, "changes", having=["destructive"])) == {"git reset"}
    assert set(lines(index, "changes repository lines", lacking=["destructive"])) == {
        "git commit", "grep",
    }  # fmt: skip
    with pytest.raises(UsageError) as caught:
        index.search("changes", having=["nonsense"])
    assert caught.value.code == "effects.unknown-fact"


def test_a_tool_may_be_left_out_by_the_caller(index):
    assert lines(index, "changes", accept=lambda name: name != "git") == []


@pytest.mark.parametrize(("limit", "most"), [(0, 0), (-5, 0), (1, 1), (10**9, MAX_LIMIT)])
def test_the_limit_is_bounded(index, limit, most):
    assert len(index.search("changes repository", limit=limit)) <= most


@pytest.mark.parametrize(
    "words", ["", "   ", "\0", "'\"`", "a" * 100_000, "OR AND NEAR(", "* ^ : ;--"]
)
def test_no_request_fails(index, words):
    index.search(words)


def test_a_hit_tells_the_facts_that_are_known(index):
    hit = index.search("record changes")[0]
    document = hit.to_json()
    assert document["effects"]["destructive"] is False
    assert (document["tool"], document["command"]) == ("git", ["commit"])
    assert document["summary"] == "Record changes to the repository"


def test_an_empty_index_finds_nothing():
    with SearchIndex() as empty:
        assert empty.search("anything") == []


def test_a_tool_is_replaced_whole_and_forgotten_whole(index):
    index.put([GIT.replace(commands={"blame": Command(description="Show who wrote each line")})])
    assert "git commit" not in lines(index, "record changes", limit=50)
    assert lines(index, "who wrote each line")[0] == "git blame"
    index.put([], gone=["git", "never there"])
    assert not any(line.startswith("git") for line in lines(index, "who wrote line git", limit=50))
    assert lines(index, "archives")[0] == "tar"


def test_many_updates_are_merged_and_nothing_is_lost(tmp_path):
    path = str(tmp_path / "i.sqlite")
    with SearchIndex(path) as index:
        index.put(ALL)
        for number in range(storage.MAX_SEGMENTS * 2 + 3):
            index.put([Tool(name="busy", description=f"state number{number} of busy")])
        assert lines(index, "record changes")[0] == "git commit"
        assert lines(index, "number0 state") != []
        assert index.search(f"number{number}")[0].summary.endswith(f"number{number} of busy")
        db = sqlite3.connect(path)
        segments = db.execute("SELECT count(DISTINCT segment) FROM block").fetchone()[0]
        assert segments <= storage.MAX_SEGMENTS + 1


@pytest.mark.parametrize("seed", range(6))
def test_any_course_of_updates_ends_in_the_index_of_a_fresh_build(monkeypatch, seed):
    monkeypatch.setattr(storage, "MAX_SEGMENTS", 3)
    monkeypatch.setattr(text_rows, "DOCUMENTS", 4)
    chance = random.Random(seed)
    words = ["archive", "branch", "commit", "disk", "echo", "file", "group", "host"]
    now: dict[str, Tool] = {}

    def made(name: str) -> Tool:
        def text() -> str:
            return " ".join(chance.sample(words, 3))

        commands = {word: Command(description=text()) for word in chance.sample(words, 3)}
        return Tool(name=name, description=text(), commands=commands)

    with SearchIndex() as index:
        for _ in range(60):
            gone = chance.sample(sorted(now), chance.randint(0, min(3, len(now))))
            new = [made(name) for name in chance.sample(["git", "tar", "quux", "zed"], 2)]
            index.put(new, gone=gone)
            now = {name: tool for name, tool in now.items() if name not in gone}
            now |= {tool.name: tool for tool in new}
            with SearchIndex() as fresh:
                fresh.put(now.values())
                for word in words:
                    assert index.search(word, limit=50) == fresh.search(word, limit=50)


def test_an_interrupted_build_leaves_the_old_state(tmp_path):
    path = str(tmp_path / "i.sqlite")

    def broken():
        yield TAR
        raise AtipError("test.stop", "stop")

    with SearchIndex(path) as index:
        index.put([GREP])
        with pytest.raises(AtipError):
            index.put(broken(), gone=["grep"])
        assert lines(index, "match patterns") == ["grep"]
        assert lines(index, "archives") == []
    with SearchIndex(path) as index:
        assert lines(index, "match patterns") == ["grep"]


@pytest.mark.parametrize(
    "content",
    [b"", b"not a database at all" * 400, b"SQLite format 3\0" + b"\xff" * 4096],
    ids=["empty", "text", "damaged"],
)
def test_a_file_that_is_no_index_is_replaced(tmp_path, content):
    path = tmp_path / "i.sqlite"
    path.write_bytes(content)
    with SearchIndex(str(path)) as index:
        index.put([GREP])
        assert lines(index, "match patterns") == ["grep"]


def test_another_layout_is_built_anew(tmp_path):
    path = str(tmp_path / "i.sqlite")
    Storage(path).close()
    db = sqlite3.connect(path)
    db.execute("UPDATE meta SET value = '0' WHERE key = 'version'")
    db.execute("INSERT INTO tool VALUES ('old', '', 1, 1)")
    db.commit()
    db.close()
    made = Storage(path)
    assert made.stamps() == {}
    made.close()


def test_the_file_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "i.sqlite"
    Storage(str(path)).close()
    assert path.stat().st_mode & 0o077 == 0


# -- upkeep --------------------------------------------------------------------------------------


class Shelf:
    """Tools by name, with what was asked of them."""

    def __init__(self, *tools: Tool) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.loaded: list[str] = []

    def open(self, folder: pathlib.Path, stamp: str | None = None) -> SearchIndex:
        return open_index(str(folder), stamp or repr(self.tools), self.stamps, self.load)

    def stamps(self) -> dict[str, str]:
        return {name: str(hash(tool.description)) for name, tool in self.tools.items()}

    def load(self, name: str) -> Tool:
        self.loaded.append(name)
        tool = self.tools[name]
        if tool.description == "broken":
            raise FormatError("test.broken", "cannot be read")
        return tool


def test_only_what_changed_is_read_again(tmp_path):
    shelf = Shelf(*ALL)
    shelf.open(tmp_path).close()
    assert shelf.loaded == ["git", "grep", "tar"]
    shelf.loaded.clear()
    shelf.open(tmp_path).close()
    assert shelf.loaded == []
    shelf.tools["grep"] = GREP.replace(description="Look for needles in haystacks")
    del shelf.tools["tar"]
    with shelf.open(tmp_path) as index:
        assert shelf.loaded == ["grep"]
        assert lines(index, "needles")[0] == "grep"
        assert "tar" not in lines(index, "create extract archives", limit=50)


def test_while_nothing_changed_not_even_the_names_are_asked(tmp_path):
    shelf = Shelf(GREP)
    shelf.open(tmp_path, "one").close()

    def never() -> dict[str, str]:
        raise AssertionError("asked")

    open_index(str(tmp_path), "one", never, shelf.load).close()


def test_a_tool_that_cannot_be_read_is_still_found_by_its_name(tmp_path):
    with Shelf(Tool(name="widget", description="broken"), GREP).open(tmp_path) as index:
        assert lines(index, "widget") == ["widget"]


def test_a_deleted_file_is_built_again(tmp_path):
    shelf = Shelf(*ALL)
    shelf.open(tmp_path).close()
    os.unlink(tmp_path / FILE)
    with shelf.open(tmp_path) as index:
        assert lines(index, "record changes")[0] == "git commit"


def test_an_error_while_loading_the_names_keeps_the_old_index(tmp_path):
    shelf = Shelf(GREP)
    shelf.open(tmp_path, "one").close()

    def failing() -> dict[str, str]:
        raise AtipError("test.stop", "stop")

    with pytest.raises(AtipError):
        open_index(str(tmp_path), "two", failing, shelf.load)
    with open_index(str(tmp_path), "one", failing, shelf.load) as index:
        assert lines(index, "match patterns") == ["grep"]


def test_without_a_place_to_write_there_is_still_an_answer(tmp_path, monkeypatch):
    shelf = Shelf(*ALL)
    (tmp_path / FILE).mkdir()
    with shelf.open(tmp_path) as index:
        assert lines(index, "record changes")[0] == "git commit"

    def full(self, *words, **options):
        if self.path != ":memory:":
            raise sqlite3.OperationalError("database or disk is full")
        return real(self, *words, **options)

    real = Storage.put
    monkeypatch.setattr(Storage, "put", full)
    (tmp_path / "other").mkdir()
    with shelf.open(tmp_path / "other") as index:
        assert lines(index, "record changes")[0] == "git commit"


def test_a_command_by_a_longer_way_leaves_room_for_others():
    """`gcloud beta compute …` is `gcloud compute …` again; it comes after everything that says something else."""
    disks = {
        "disks": Command(
            description="Disks",
            commands={
                "snapshot": Command(description="Make a snapshot of a disk"),
                "create": Command(description="Make a disk"),
            },
        )
    }
    tracks = {f"track{number}": Command(description="Early", commands=disks) for number in range(4)}
    with SearchIndex() as made:
        made.put([Tool(name="cloudy", description="Clouds", commands={**tracks, **disks})])
        found = lines(made, "make a snapshot of a disk", limit=8)
    assert found[0] == "cloudy disks snapshot"
    assert "cloudy disks create" in found[:3]
    assert not any("track" in line for line in found[:3])
    assert "cloudy track0 disks snapshot" in found  # later, but there


def test_facts_of_an_entry_are_those_of_the_command_s_claim():
    from atip.calls.effects.ceiling import command_claim
    from atip.model.facts import fact_of
    from atip.search.entries import BITS, entries_of

    bare = Command(description="itself", effects=DANGER)
    plain = Tool(
        name="plain",
        description="says nothing of itself",
        commands={
            "quiet": Command(description="says nothing"),
            "loud": Command(description="says it", effects=DANGER),
            "group": Command(description="a group", commands={"": bare, "in": Command()}),
            "parent": Command(description="g", effects=SAFE, commands={"in": Command()}),
        },
    )
    for tool in (*ALL, plain):
        for path, _, _, is_true, is_known in entries_of(tool):
            told = command_claim(tool, path).ceiling
            for name, bit in BITS.items():
                fact = fact_of(told, name)
                assert bool(is_known & bit) is (fact is not None), (tool.name, path, name)
                assert bool(is_true & bit) is bool(fact), (tool.name, path, name)
