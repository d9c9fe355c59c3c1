"""CMP templates: split once, filled per word, checked by type; what needs a shell is refused."""

from __future__ import annotations

import json

import pytest

from atip.calls.templates.cmp import (
    CmpIntent,
    Param,
    build_argv,
    checked_values,
    coerce,
    placeholders,
    split_template,
)
from atip.calls.templates.cmp_words import read_template
from atip.errors import FormatError
from atip.knowledge.reading import load
from tests.shared import shared


def intent(command: str, **params) -> CmpIntent:
    made = tuple(Param(name=name, **told) for name, told in params.items())
    return CmpIntent(patterns=("do it",), command=command, params=made)


def argv(command: str, given: dict, **params) -> list[str]:
    return list(build_argv(intent(command, **params), given))


def refusal(command: str, given: dict, **params) -> list[tuple[str, str]]:
    with pytest.raises(FormatError) as caught:
        build_argv(intent(command, **params), given)
    return [(problem.path, problem.code) for problem in caught.value.problems]


REQUIRED = {"required": True}


@pytest.mark.proves("CMP-4.1-12")
def test_quotes_of_the_template_are_gone_before_a_value_comes():
    assert argv('rg --json "{query}" {path}', {"query": 'a "b" $(c)', "path": "."}, query={}) == [
        "rg", "--json", 'a "b" $(c)', ".",
    ]  # fmt: skip
    assert split_template("a 'b c' \"d\\\"e\" f\\ g ''") == ("a", "b c", 'd"e', "f g", "")


@pytest.mark.parametrize(
    "command",
    ["a | b", "a;b", "a && b", "a > f", "a <f", "a &", "(a)", "a 2>&1", "a $HOME", 'a "$(b)"', "a `b`", "a\nb"]
)  # fmt: skip
@pytest.mark.proves("CMP-4.1-12")
def test_what_needs_a_shell_is_refused(command):
    with pytest.raises(FormatError) as caught:
        split_template(command)
    assert caught.value.code == "cmp.template"


@pytest.mark.parametrize(
    "command", ["grep '|' f", "awk '$1 > 2'", 'echo "a;b"', "echo a\\;b", "echo 'cost: $5'"]
)
def test_operators_in_quotes_are_text(command):
    assert len(split_template(command)) >= 2


@pytest.mark.parametrize(
    "command", ["", "  ", "a 'b", 'a "b', "a \\", "{x} a", "-x", "a\0b", "x" * 5000]
)
def test_unusable_templates_are_refused(command):
    with pytest.raises(FormatError) as caught:
        split_template(command)
    assert caught.value.code == "cmp.template"


def test_a_number_before_a_redirection_belongs_to_it():
    tokens = [(token.text, token.is_operator) for token in read_template("a 2>&1 b2>c '2'>d")]
    assert tokens == [
        ("a", False), ("2>&", True), ("1", False), ("b2", False), (">", True), ("c", False),
        ("2", False), (">", True), ("d", False),
    ]  # fmt: skip


@pytest.mark.proves("CMP-4.1-13")
def test_a_list_is_one_word_per_item_or_joined_inside_a_word():
    ids = {"ids": {"type": "array<string>", "required": True}}
    given = {"ids": ["a b", "c"]}
    assert argv("inbox delete --ids {ids} --confirm", given, **ids) == [
        "inbox", "delete", "--ids", "a b", "c", "--confirm",
    ]  # fmt: skip
    assert argv("inbox delete --ids={ids}", given, **ids) == ["inbox", "delete", "--ids=a b,c"]
    assert refusal("inbox delete --ids={ids}", {"ids": ["a,b"]}, **ids) == [
        ("$.ids", "call.unusable-value")
    ]


def test_the_joined_form_never_takes_another_parameters_place():
    params = {"x": {"type": "array<string>"}, "x-joined": {}}
    given = {"x": ["1", "2"], "x-joined": "own"}
    assert argv("t --a={x} {x-joined} {x}", given, **params) == ["t", "--a=1,2", "own", "1", "2"]


@pytest.mark.proves("CMP-4.1-08")
def test_a_missing_optional_value_takes_its_word_and_flag_along():
    params = {"count": {"type": "integer"}, "path": {}}
    assert argv("t --last {count} {path} -v", {}, **params) == ["t", "-v"]
    assert argv("t --last={count} -v", {}, **params) == ["t", "-v"]
    assert argv("t -n --json {count} {path}", {}, **params) == ["t", "-n"]
    assert argv("t -- {path}", {}, **params) == ["t", "--"]
    assert argv("t --last {count}", {"count": None}, **params) == ["t"]


@pytest.mark.proves("CMP-4.1-09")
def test_a_default_fills_in():
    params = {"count": {"type": "integer", "default": 1}}
    assert argv("inbox restore --last {count}", {}, **params) == ["inbox", "restore", "--last", "1"]
    assert argv("inbox restore --last {count}", {"count": "3"}, **params)[-1] == "3"


@pytest.mark.proves("CMP-8.3-01", "CMP-4.1-11", "CMP-4.1-02")
def test_every_problem_of_the_values_is_found_before_anything_is_built():
    params = {
        "ids": {"type": "array<string>", **REQUIRED},
        "count": {"type": "integer"},
        "kind": {"enum": ("a", "b")},
    }
    given = {"count": "many", "kind": "c", "other": 1}
    assert refusal("t {ids} {count} {kind}", given, **params) == [
        ("$.other", "call.unknown-argument"),
        ("$.ids", "call.missing-argument"),
        ("$.count", "call.wrong-type"),
        ("$.kind", "call.wrong-type"),
    ]


def test_an_empty_list_is_not_a_required_value():
    # `inbox delete --confirm` without ids could mean all of them
    ids = {"ids": {"type": "array<string>", "required": True}}
    assert refusal("inbox delete --ids {ids}", {"ids": []}, **ids) == [
        ("$.ids", "call.missing-argument")
    ]


def test_a_placeholder_that_nobody_declared_must_be_given():
    assert placeholders("t {a} {b} {a}") == ["a", "b"]
    assert refusal("t {a}", {}) == [("$.a", "call.missing-argument")]
    assert argv("t {a}", {"a": "x"}) == ["t", "x"]


@pytest.mark.proves("CMP-4.1-12")
def test_a_boolean_is_true_or_false():
    assert argv("t --flag={b}", {"b": True}, b={"type": "boolean"}) == ["t", "--flag=true"]
    assert argv("t --flag={b}", {"b": "false"}, b={"type": "boolean"}) == ["t", "--flag=false"]


def test_numbers_outside_the_text_are_finite():
    number = Param(name="n", type="number")
    assert [coerce(number, value) for value in (1, "2", 1.5, "-0.5")] == [1, 2, 1.5, -0.5]
    for wrong in ("nan", float("inf"), "1_0", "x", True, None):
        with pytest.raises(ValueError, match="must be"):
            coerce(number, wrong)


@pytest.mark.proves("CMP-4.1-07")
def test_types_are_those_of_the_reference():
    for row in json.loads((shared("vectors/cmp") / "param-types.json").read_text()):
        param = Param(name="x", type=row["type"])
        if row["valid"]:
            assert coerce(param, row["value"]) == row.get("coerced", row["value"]), row
        else:
            with pytest.raises(ValueError, match="must be"):
                coerce(param, row["value"])


HOSTILE = [
    "$(touch pwned)", "`touch pwned`", "; touch pwned", "| touch pwned", "&& touch pwned", "a\nb",
    '"; touch pwned; "', "'; touch pwned; '", "{other}", "{value}", "${IFS}", "*", "~", "a b\tc",
    "\u202eevil", "\u0430dmin", "\U0001f600", "\\", "\\'", "%s", "!!", "#x",
]  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("command", ["t {value}", 't "{value}"', "t '{value}'", "t --v {value} -x"])
@pytest.mark.proves("CMP-4.1-12")
def test_a_hostile_value_is_one_word(command, value):
    made = argv(command, {"value": value}, value=REQUIRED)
    assert made.count(value) == 1
    assert [word for word in made if word != value] == [
        word for word in split_template(command) if word != "{value}"
    ]


@pytest.mark.parametrize("value", ["-rf", "--output=/etc/passwd", "-o", "--"])
@pytest.mark.parametrize("command", ["t {value}", "t {value}.txt", "t --name {value}"])
def test_a_value_never_becomes_an_option(command, value):
    assert [code for _, code in refusal(command, {"value": value}, value=REQUIRED)] == [
        "call.leading-dash"
    ]


def test_after_two_dashes_a_dash_is_a_value():
    assert argv("t -- {value}", {"value": "-rf"}, value=REQUIRED) == ["t", "--", "-rf"]


@pytest.mark.parametrize(
    ("command", "value", "code"),
    [
        ("curl {value}", "@/etc/passwd", "call.injection"),
        ("curl --data={value}", "@/etc/passwd", "call.injection"),
        ("git clone {value}", "ext::sh -c id", "call.injection"),
        ("awk {value} f", 'BEGIN{system("id")}', "call.code"),
        ("sh -c {value}", "id", "call.code"),
        ("t {value}", "a\0b", "call.unusable-value"),
    ],
)
def test_a_value_that_the_program_would_run_is_refused(command, value, code):
    made = intent(command, value=REQUIRED)
    with pytest.raises(FormatError) as caught:
        build_argv(made, {"value": value}, tool=load(split_template(command)[0]))
    assert [problem.code for problem in caught.value.problems] == [code]


@pytest.mark.proves("CMP-4.1-06")
def test_destructive_without_a_word_is_not_idempotent():
    assert CmpIntent(patterns=(), command="t").is_idempotent is True
    assert CmpIntent(patterns=(), command="t", destructive=True).is_idempotent is False
    assert (
        CmpIntent(patterns=(), command="t", destructive=True, idempotent=True).is_idempotent is True
    )


@pytest.mark.proves("CMP-8.2-01", "CMP-4.1-04")
def test_destructive_and_confirm_both_need_consent_whatever_the_template_holds():
    assert not CmpIntent(patterns=(), command="t --confirm").needs_consent
    assert CmpIntent(patterns=(), command="t --confirm", confirm=True).needs_consent
    assert CmpIntent(patterns=(), command="t --yes", destructive=True).needs_consent


def test_checked_values_keep_the_declared_types():
    made = intent("t {n} {on}", n={"type": "integer"}, on={"type": "boolean"})
    assert checked_values(made, {"n": "5", "on": "true"}) == {"n": 5, "on": True}
