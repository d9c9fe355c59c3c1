"""The knowledge files and the pack that is generated from them."""

import json

import pytest

from atip.calls.parse import parse
from atip.inference.effects import infer_effects
from atip.knowledge import load, names
from atip.knowledge.compile import compile_all, compile_file, read_matchers, stale_files
from atip.knowledge.reading import CURATED, _plain
from atip.model.reading.encode import encode
from atip.model.tool import Option


@pytest.fixture(scope="module")
def compiled():
    return compile_all()


def test_every_file_is_right(compiled):
    _pack, problems = compiled
    assert problems == {}


def test_the_pack_is_what_the_files_say(compiled):
    pack, _problems = compiled
    assert stale_files(pack) == []


def test_two_hundred_tools_are_known():
    assert len(names()) >= 200


@pytest.mark.parametrize(
    "name", ["../tools/git", "/etc/passwd", "..", "", "aliases", "a\0b", "x/y"]
)
def test_a_name_cannot_leave_the_pack(name):
    assert load(name) is None


def test_an_alias_is_the_tool_under_its_own_name():
    assert load("egrep").name == "egrep"
    assert load("egrep").effects == load("grep").effects


def test_a_name_may_have_intents_of_its_own():
    told = {name: load(name).own["intents"][""] for name in ("head", "tail")}
    assert "follow a log file" in told["tail"]
    assert not set(told["head"]) & set(told["tail"])


def test_an_unknown_tool_is_none():
    assert load("no-such-tool-anywhere") is None


def test_every_command_of_every_tool_can_be_built_and_written_as_json():
    for name in names():
        tool = load(name)
        assert tool.description, name
        assert tool.own["curated"] is CURATED
        for _path, command in tool.walk():
            assert command.effects.destructive is not Ellipsis
        json.dumps(encode(tool))


def test_every_intent_belongs_to_a_command_that_exists():
    for name in names():
        tool = load(name)
        for path in tool.own.get("intents", {}):
            call = parse(tool, [name, *path.split()])
            assert not call.unknown_command, f"{name} {path}"


def test_a_mark_from_json_is_not_the_mark():
    assert json.loads(json.dumps(CURATED)) == CURATED
    assert json.loads(json.dumps(CURATED)) is not CURATED


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("summary: x\n", "knowledge.name"),
        ("does: wirtes\n", "knowledge.word"),
        ("does: reads\nwhat: 1\n", "knowledge.key"),
        ("does: reads\nflags: verbose\n", "knowledge.flag"),
        ("does: reads\nflags: -a\nvalues: -a\n", "knowledge.twice"),
        ("does: reads\nwhen: [{argument: '(?=x)', adds: writes}]\n", "knowledge.regex"),
        ("does: reads\nwhen: [{argument: '(a+)+$', adds: writes}]\n", "knowledge.regex"),
        ("does: reads\nwhen: [{argument: $nothing, adds: writes}]\n", "knowledge.matcher"),
        ("does: reads\nwhen: [{arguments: many, adds: writes}]\n", "knowledge.count"),
        ("does: reads\nruns: sometimes\n", "knowledge.runs"),
        ("does: reads\nrest: whatever\n", "knowledge.rest"),
        ("does: reads\nrest: harmless\naliases: a b c\n", "knowledge.audited"),
        (
            "does: writes\nrest: harmless\naliases: a b c\noptions: {-l: {does: reads}}\n",
            "knowledge.audited",
        ),
        ("commands: {a: {does: reads, rest: harmless}}\naliases: a b c\n", "knowledge.audited"),
        ("does: reads\nrest: harmless\naliases: a b c\naudited: yes\n", "knowledge.audited"),
        ("does: reads\nrest: harmless\naudited: aliases\n", "knowledge.audited"),
        ("commands: {a: {summary: x}}\n", "knowledge.does"),
        ("does: reads\ndoes: writes\n", "format.duplicate-key"),
    ],
)
def test_a_wrong_file_is_told_where(tmp_path, text, code):
    path = tmp_path / "sample.yaml"
    head = "" if "summary" in text and "commands" not in text else "tool: sample\nsummary: x\n"
    path.write_text(head + "category: files\n" + text)
    _node, problems = compile_file(str(path), read_matchers())
    assert code in {problem.code for problem in problems}


@pytest.mark.parametrize(
    "text",
    [
        "does: reads\nrest: harmless\naliases: a b c\naudited: aliases\n",
        "does: reads\nrest: harmless\naliases: a b\n",
        "does: reads\naliases: a b c\n",
        "does: network writes\nrest: harmless\naliases: a b c\n",
    ],
)
def test_a_lump_is_right_when_looked_at_or_when_it_promises_nothing(tmp_path, text):
    path = tmp_path / "sample.yaml"
    path.write_text(f"tool: sample\nsummary: x\ncategory: files\n{text}")
    assert compile_file(str(path), read_matchers())[1] == []


def test_an_option_made_the_short_way_is_an_ordinary_option():
    flags = ("-a", "--all")
    assert _plain(flags, "boolean", {}) == Option(name="all", flags=flags, type="boolean")


def test_versioned_programs_are_the_program_they_are_a_version_of():
    for name, known in (("python3.15", "python"), ("gcc-99", "gcc"), ("ruby3.4", "ruby")):
        assert load(name).effects == load(known).effects
        assert load(name).name == name
    assert load("python-config") is None
    assert load("3.11") is None


def test_a_value_that_is_a_word_of_its_own_is_never_joined():
    apart = {"-name", "-in", "-i"}
    for tool in ("find", "openssl", "ffmpeg"):
        for option in options_of(load(tool)):
            if apart & set(option.flags) and option.takes_value:
                assert option.own["join"] == "space"
    assert not any(option.own.get("join") for option in options_of(load("terraform")))


def options_of(tool):
    nodes = [tool, *(command for _, command in tool.walk())]
    return [
        o
        for node in nodes
        for o in (*(node.options or ()), *(getattr(node, "global_options", None) or ()))
    ]


def test_reading_a_setting_of_git_writes_nothing():
    assert infer_effects("git config user.name").filesystem.write is False
    assert infer_effects("git config user.name Bob").filesystem.write is True
