"""Functions: which commands can be called, under which names, with which parameters."""

from __future__ import annotations

import pytest

from atip.calls.functions import find_function, function_table, functions_of
from atip.calls.names import function_name, legal_key, parameter_key
from atip.errors import FormatError, NotFoundError
from tests.unit.calls.tools import argument, command, option, tool


@pytest.mark.proves("ATIP6-8.2-07")
@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("gh", "pr", "create"), "gh_pr_create"),
        (("gh", "pr_create"), "gh_pr__create"),
        (("curl", ""), "curl"),
        (("legacy-tool", "run"), "legacy-tool_run"),
        (("7z", "x"), "_7z_x"),
        (("a__b",), "a____b"),
    ],
)
def test_names_are_what_a_person_would_write(words, name):
    assert function_name(words[0], words[1:]) == name


def test_names_that_cannot_be_spelled_get_a_digest_of_the_exact_path():
    long = function_name("tool", ("x" * 80,))
    assert (len(long), long.startswith("tool_xxx")) == (64, True)
    assert function_name("g++", ()) != function_name("g--", ())
    assert function_name("_a", ()) != function_name("a", ())
    assert function_name("tool", ("é",)) != function_name("tool", ("è",))


def test_a_name_does_not_depend_on_other_commands():
    small = tool(commands={"a b": command(), "z": command()})
    large = tool(commands={"a.b": command(), "a b": command(), "a_b": command(), "z": command()})
    named = {f.path: f.name for f in functions_of(large)}
    assert all(named[f.path] == f.name for f in functions_of(small))
    assert len(set(named.values())) == 4


def test_keys_are_legal_and_free():
    assert legal_key("dry-run") == "dry-run"
    assert legal_key("Ünï 1") == "n_1"
    assert legal_key("-x") == "x"
    assert legal_key("1st") == "p_1st"
    assert len(legal_key("y" * 99)) == 64
    assert parameter_key("file", {"file": 1, "file_2": 1}) == "file_3"


@pytest.mark.proves("ATIP6-4.5-05")
def test_the_empty_command_is_the_bare_tool_and_its_siblings_stay():
    sample = tool(commands={"": command(options=[option("x")]), "go": command()})
    assert [(f.name, f.path) for f in functions_of(sample)] == [("t", ()), ("t_go", ("go",))]


def test_groups_that_run_are_functions_and_mere_groups_are_not():
    sample = tool(
        commands={
            "run": command(arguments=[argument("x")], commands={"now": command()}),
            "group": command(commands={"leaf": command()}),
            "secret": command(hidden=True),
        }
    )
    assert [f.name for f in functions_of(sample)] == ["t_run", "t_run_now", "t_group_leaf"]


@pytest.mark.proves("ATIP6-3.2-07")
def test_options_of_groups_and_global_options_belong_to_every_command():
    sample = tool(
        globalOptions=[option("config"), option("level")],
        commands={"a": command(options=[option("group")], commands={"b": command(options=[option("level")])})},
    )  # fmt: skip
    function = find_function(sample, ("a", "b"))
    assert list(function.parameters) == ["level", "group", "config"]
    assert dict(function.levels) == {"level": 2, "group": 1, "config": 0}


def test_help_version_and_hidden_options_are_not_offered():
    sample = tool(
        options=[
            option("help", "-h", "--help", type="boolean"),
            option("version", "--version", type="boolean"),
            option("old", hidden=True),
            option("none") | {"flags": []},
            option("kept"),
        ]
    )
    assert list(functions_of(sample)[0].parameters) == ["kept"]


def test_an_argument_and_an_option_of_one_name_have_keys_of_their_own():
    sample = tool(arguments=[argument("file")], options=[option("file")])
    assert list(functions_of(sample)[0].parameters) == ["file", "file_2"]


@pytest.mark.proves("ATIP6-6-02")
def test_a_command_is_found_by_its_path_or_what_was_meant_is_named():
    sample = tool(commands={"pr": command(commands={"merge": command()})})
    assert find_function(sample, ("pr", "merge")).command is sample.find(("pr", "merge"))
    with pytest.raises(NotFoundError) as caught:
        find_function(sample, ("pr", "marge"))
    assert (caught.value.code, caught.value.hint) == (
        "calls.no-function",
        "did you mean `t pr merge`?",
    )


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(FormatError) as caught:
        function_table([tool(), tool()])
    assert caught.value.code == "calls.name-collision"


def test_effects_join_tool_group_and_command():
    sample = tool(
        effects={"network": True},
        commands={"a": command(effects={"destructive": True}, commands={"b": command(effects={"network": False})})},
    )  # fmt: skip
    effects = find_function(sample, ("a", "b")).effects
    assert (effects.network, effects.destructive) == (True, True)


def test_a_document_cannot_call_itself_curated():
    sample = tool(
        effects={"destructive": True},
        commands={"a": command(effects={"destructive": False})},
        **{"x-atip": {"curated": True}},
    )
    assert find_function(sample, ("a",)).effects.destructive is True
