"""Build: argv from arguments, rule by rule."""

from __future__ import annotations

import pytest

from atip.calls.build import build
from atip.calls.functions import find_function
from atip.calls.schema import function_schema, parameter_schema
from atip.model.tool import Argument
from tests.unit.calls.tools import argument, argv, command, option, refusals, tool

KINDS = tool(
    arguments=[argument("count", "integer", required=False)],
    options=[
        option("name"),
        option("size", type="number"),
        option("quiet", "-q", type="boolean"),
        option("file", "-f", type="file"),
        option("mode", type="enum", enum=["fast", "slow"]),
        option("level", type="integer", enum=[1, 2]),
        option("tags", "--tag", type="array"),
        option("env", "-e", variadic=True),
    ],
)


@pytest.mark.proves("ATIP6-3.7-01")
def test_types_are_written_as_words_and_booleans_as_bare_flags():
    assert argv(KINDS, (), name="a b", size=1.5, quiet=True, count=3) == ["--name=a b", "--size=1.5", "-q", "3"]  # fmt: skip
    assert argv(KINDS, (), quiet=False) == []
    assert argv(KINDS, (), count=4.0) == ["4"]


@pytest.mark.proves("ATIP6-3.7-01", "ATIP6-3.7-02", "ATIP6-3.7-03", "ATIP6-3.7-04", "ATIP6-3.4-05", "ATIP6-3.5-05")  # fmt: skip
@pytest.mark.parametrize(
    ("given", "code", "path"),
    [
        ({"count": 1.5}, "call.wrong-type", "$.count"),
        ({"count": True}, "call.wrong-type", "$.count"),
        ({"count": "3"}, "call.wrong-type", "$.count"),
        ({"size": float("inf")}, "call.wrong-type", "$.size"),
        ({"quiet": "yes"}, "call.wrong-type", "$.quiet"),
        ({"name": 3}, "call.wrong-type", "$.name"),
        ({"file": ["a"]}, "call.wrong-type", "$.file"),
        ({"mode": "fats"}, "call.not-a-choice", "$.mode"),
        ({"level": 3}, "call.not-a-choice", "$.level"),
        ({"tags": "one"}, "call.wrong-type", "$.tags"),
        ({"tags": ["a", 3]}, "call.wrong-type", "$.tags[1]"),
        ({"env": ["x"] * 5000}, "call.too-many-items", "$.env"),
        ({"name": "a\0b"}, "call.unusable-value", "$.name"),
        ({"name": "\ud800"}, "call.unusable-value", "$.name"),
        ({"name": "x" * 200_000}, "call.unusable-value", "$.name"),
        ({"nmae": "x"}, "call.unknown-argument", "$.nmae"),
    ],
)
def test_wrong_values_are_refused_with_their_path(given, code, path):
    assert refusals(KINDS, (), **given) == [(path, code)]


def test_near_misses_are_named():
    from atip.errors import FormatError

    with pytest.raises(FormatError) as caught:
        build(find_function(KINDS, ()), {"nmae": "x", "mode": "fats"})
    assert [p.hint for p in caught.value.problems] == [
        "did you mean `name`?",
        "did you mean `fast`?",
    ]


@pytest.mark.proves("ATIP6-3.4-02", "ATIP6-3.5-03")
def test_arguments_are_required_unless_told_and_options_only_if_told():
    sample = tool(arguments=[argument("a"), argument("b", required=False)],
                options=[option("x"), option("y", required=True)])  # fmt: skip
    assert refusals(sample, ()) == [
        ("$.a", "call.missing-argument"),
        ("$.y", "call.missing-argument"),
    ]
    assert argv(sample, (), a="1", y="2") == ["--y=2", "1"]
    assert refusals(sample, (), a=None, y="2") == [("$.a", "call.missing-argument")]


@pytest.mark.proves("ATIP6-3.4-03", "ATIP6-3.5-04")
def test_defaults_are_left_out_unless_the_environment_could_speak_instead():
    sample = tool(
        arguments=[argument("target", required=False, default="all"), argument("to", required=False)],
        options=[option("format", default="text"), option("host", default="a", envVar="HOST"),
                 option("tries", type="integer", default=1)],
    )  # fmt: skip
    assert argv(sample, (), format="text", tries=1, target="all") == []
    assert argv(sample, (), format="json", host="a") == ["--format=json", "--host=a"]
    assert argv(sample, (), to="x") == ["all", "x"]


@pytest.mark.proves("ATIP6-3.4-04", "ATIP6-3.5-07")
def test_variadic_parameters_repeat():
    sample = tool(arguments=[argument("src", variadic=True), argument("dest")], options=[option("env", "-e", variadic=True)])  # fmt: skip
    assert argv(sample, (), src=["a", "b"], dest="c", env=["X=1", "Y=2"]) == ["-e", "X=1", "-e", "Y=2", "a", "b", "c"]  # fmt: skip
    assert refusals(sample, (), src=[], dest="c") == [("$.src", "call.missing-argument")]


@pytest.mark.proves("ATIP6-3.5-02")
def test_single_dash_long_flags_join_their_value():
    """A10; never bundled, and a boolean of this kind is switched off by `=false`."""
    sample = tool(options=[option("chdir", "-chdir", type="directory"), option("lock", "-lock", type="boolean", default=True)])  # fmt: skip
    assert argv(sample, (), chdir="infra", lock=False) == ["-chdir=infra", "-lock=false"]


def test_a_value_that_must_be_a_word_of_its_own_is_one():
    """`find -name x`: said by the vendor field; such a value cannot begin with a dash."""
    sample = tool(options=[option("name", "-name", **{"x-atip": {"join": "space"}})])
    assert argv(sample, (), name="*.py") == ["-name", "*.py"]
    assert refusals(sample, (), name="-delete") == [("$.name", "call.ambiguous-value")]


def test_short_options_take_a_word_and_join_only_what_begins_with_a_dash():
    sample = tool(options=[option("out", "-o")])
    assert argv(sample, (), out="x") == ["-o", "x"]
    assert argv(sample, (), out="-x") == ["-o-x"]
    assert argv(sample, (), out="=x") == ["-o", "=x"]
    assert argv(sample, (), out="") == ["-o", ""]


def test_booleans_are_negated_only_by_flags_that_are_shown():
    sample = tool(
        options=[
            option("color", "--color", "--no-color", type="boolean", default=True),
            option("verify", "--no-verify", type="boolean", default=True),
            option("cache", type="boolean", default=True),
            option("no-wait", "--no-wait", type="boolean"),
        ]
    )
    assert argv(sample, (), color=False, verify=False) == ["--no-color", "--no-verify"]
    assert argv(sample, (), **{"no-wait": True}) == ["--no-wait"]
    assert argv(sample, (), color=True, verify=True, cache=True) == []
    assert refusals(sample, (), cache=False) == [("$.cache", "call.no-negation")]


@pytest.mark.proves("ATIP6-3.2-07")
def test_options_stand_after_the_word_that_declares_them():
    sample = tool(
        globalOptions=[option("repo", "-R", "--repo")],
        commands={"pr": command(options=[option("web", type="boolean")],
                                commands={"view": command(options=[option("json")])})},
    )  # fmt: skip
    assert argv(sample, ("pr", "view"), json="a", web=True, repo="o/r") == ["--repo=o/r", "pr", "--web", "view", "--json=a"]  # fmt: skip


@pytest.mark.proves("ATIP6-4.5-05")
def test_the_bare_command_is_the_binary_alone():
    sample = tool(
        "curl",
        commands={"": command(options=[option("request", "-X", "--request")]), "go": command()},
    )
    assert argv(sample, (), request="POST") == ["--request=POST"]
    nested = tool(
        commands={"a": command(commands={"": command(arguments=[argument("x")]), "b": command()})}
    )
    assert argv(nested, ("a",), x="1") == ["a", "1"]
    assert refusals(nested, ("a",), x="b") == [("$", "call.ambiguous")]


@pytest.mark.proves("ATIP6-11-08")
def test_no_value_becomes_an_option_or_a_command():
    sample = tool(
        arguments=[argument("what", variadic=True)],
        options=[option("force", "-f", "--force", type="boolean"), option("msg", "-m", "--msg")],
        commands={"delete": command()},
    )
    assert argv(sample, (), what=["--force", "-f"]) == ["--", "--force", "-f"]
    assert argv(sample, (), what=["x"], msg="--force") == ["--msg=--force", "x"]
    assert refusals(sample, (), what=["delete"]) == [("$", "call.ambiguous")]
    assert refusals(sample, (), what=["@/etc/passwd"]) == [("$.what", "call.injection")]


def test_programs_without_a_dash_dash_refuse_leading_dashes():
    sample = tool(arguments=[argument("x")], **{"x-atip": {"style": "long"}})
    assert refusals(sample, (), x="-exec") == [("$", "call.leading-dash")]


def test_gaps_between_positionals_are_refused():
    sample = tool(arguments=[argument("a", required=False), argument("b", required=False)])
    assert refusals(sample, (), b="x") == [("$.a", "call.gap")]


@pytest.mark.proves("ATIP1-3.2.3-01")
def test_patterns_are_checked_in_linear_time():
    sample = tool(options=[option("tag", pattern="^v[0-9]+$"), option("bad", pattern="(?=x)x")])
    assert argv(sample, (), tag="v12") == ["--tag=v12"]
    assert refusals(sample, (), tag="12") == [("$.tag", "call.pattern-mismatch")]
    assert refusals(sample, (), bad="x") == [("$.bad", "call.unusable-pattern")]


@pytest.mark.proves("ATIP1-3.2.4-01")
def test_exclusive_options_cannot_be_combined():
    sample = tool(
        options=[option("json", type="boolean", exclusive=["yaml"]), option("yaml", type="boolean")]
    )
    assert refusals(sample, (), json=True, yaml=True) == [("$.json", "call.exclusive")]
    assert argv(sample, (), json=True, yaml=False) == ["--json"]


@pytest.mark.proves("ATIP1-3.2.5-01")
def test_a_schema_governs_validation_and_structures_become_json():
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    sample = tool(
        options=[option("data", schema=schema), option("far", schema={"$ref": "http://x/"})]
    )
    assert argv(sample, (), data={"a": 1}) == ['--data={"a":1}']
    assert refusals(sample, (), data={"a": "x"}) == [("$.data.a", "call.schema")]
    assert refusals(sample, (), far="x") == [("$.far", "call.unusable-schema")]
    assert (
        function_schema(find_function(sample, ()))["properties"]["data"]["properties"]
        == schema["properties"]
    )


@pytest.mark.proves("ATIP6-3.7-02", "ATIP6-3.7-03", "ATIP6-3.7-04")
def test_types_map_to_json_schema_with_formats():
    def schema(**fields):
        return parameter_schema(Argument(name="x", **fields))

    assert schema(type="file") == {"type": "string", "format": "file-path"}
    assert schema(type="directory") == {"type": "string", "format": "directory-path"}
    assert schema(type="url") == {"type": "string", "format": "uri"}
    assert schema(type="enum", enum=("a", "b")) == {"type": "string", "enum": ["a", "b"]}
    assert schema(type="enum", enum=(1, 2)) == {"type": "integer", "enum": [1, 2]}
    assert schema(type="array") == {"type": "array", "items": {"type": "string"}}
    assert schema(type="integer", variadic=True) == {"type": "array", "items": {"type": "integer"}}


def test_a_whole_argv_has_a_limit():
    sample = tool(arguments=[argument("x", variadic=True)])
    assert refusals(sample, (), x=["y" * 100_000] * 12) == [("$", "call.too-long")]


def test_no_flag_is_added_that_the_caller_did_not_give():
    """A48: a prompt is never answered silently."""
    sample = tool(
        options=[option("yes", "-y", "--yes", type="boolean")],
        effects={"interactive": {"prompts": True}},
    )
    assert argv(sample, ()) == []


def test_a_mention_is_text_and_a_file_is_not():
    sample = tool(options=[option("text"), option("short", "-s")])
    assert argv(sample, (), text="@here hello") == ["--text=@here hello"]
    assert refusals(sample, (), text="@/etc/passwd") == [("$.text", "call.injection")]
    assert refusals(sample, (), short="@args") == [("$.short", "call.injection")]


def test_flags_of_a_document_cannot_smuggle_what_no_word_can_hold():
    sample = tool(options=[option("x", "--x\0y", type="boolean")])
    assert refusals(sample, (), x=True) == [("$", "call.unusable-value")]
    ends = tool(arguments=[argument("a")], options=[option("x", "--", type="boolean")])
    assert refusals(ends, (), x=True, a="1") == [("$", "call.ambiguous")]
