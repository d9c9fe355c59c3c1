"""Argument templates of AIP-29 and command strings: words stay words."""

from __future__ import annotations

import pytest

from atip.calls.templates.argv import check_template, expand
from atip.calls.templates.command_line import fill_command, split_command
from atip.errors import FormatError


@pytest.mark.proves("AIP29-ARGV-02", "AIP29-ARGV-03")
@pytest.mark.parametrize(
    ("template", "values", "argv"),
    [
        (["a", "${input.x}"], {"x": "one two"}, ["a", "one two"]),
        (["${input.x | default('main')}"], {}, ["main"]),
        (['${input.x | default("a | b")}'], {"x": None}, ["a | b"]),
        (["${input.x | default(3)}"], {}, ["3"]),
        (["${input.x | flag('--draft')}"], {"x": True}, ["--draft"]),
        (["${input.x | flag('--draft')}"], {"x": False}, []),
        (["${input.x | flag('--draft')}"], {}, []),
        (["${input.x | optional('--head', input.x)}"], {"x": "b"}, ["--head", "b"]),
        (["${input.x | optional('--head')}"], {}, []),
        (["--body", "${input.x | optional}", "end"], {}, ["end"]),
        (["--body", "${input.x | optional}"], {"x": "t"}, ["--body", "t"]),
        (["--body=${input.x | optional}", "end"], {}, ["end"]),
        (["--body=${input.x}"], {"x": "-t"}, ["--body=-t"]),
        (["r-${input.v}-${input.w}"], {"v": "1", "w": 2}, ["r-1-2"]),
        (["${input.files}"], {"files": ["a", "b c"]}, ["a", "b c"]),
        (["${input.o | json}"], {"o": {"a": [1]}}, ['{"a":[1]}']),
        (["${input.a.b}"], {"a": {"b": "deep"}}, ["deep"]),
        (["--${input.mode}"], {"mode": "squash"}, ["--squash"]),
        (["${input.x}", "${input.x | json}"], {"x": "q"}, ["q", '"q"']),
        (["--", "${input.x}"], {"x": "-rf"}, ["--", "-rf"]),
    ],
)
def test_template_expands(template, values, argv):
    assert list(expand(template, values, program="gh"))[1:] == argv


@pytest.mark.proves("AIP29-ARGV-04")
@pytest.mark.parametrize(
    ("template", "values", "code"),
    [
        (["${input.x}"], {"x": "--upload-pack=sh"}, "call.leading-dash"),
        (["${input.x}.txt"], {"x": "-rf"}, "call.leading-dash"),
        (["--${input.mode}"], {"mode": "exec=sh -c x"}, "call.option-name"),
        (["${input.x}"], {}, "call.missing-argument"),
        (["a-${input.x}"], {}, "call.missing-argument"),
        (["a-${input.x}"], {"x": ["b"]}, "call.wrong-type"),
        (["${input.x}"], {"x": "a\0b"}, "call.unusable-value"),
        (["${input.x}"], {"x": "ext::sh -c x"}, "call.injection"),
    ],
)
def test_value_never_becomes_more_than_a_value(template, values, code):
    with pytest.raises(FormatError) as caught:
        expand(template, values, program="git")
    assert code in [problem.code for problem in caught.value.problems]


@pytest.mark.proves("AIP29-ARGV-05")
@pytest.mark.parametrize(
    ("template", "code"),
    [
        (["a", "&&", "b"], "template.shell"),
        (["a", "|", "b"], "template.shell"),
        (["$(id)"], "template.shell"),
        (["`id`"], "template.shell"),
        (["${input.x"], "template.form"),
        (["${x}"], "template.form"),
        (["${secrets.token}"], "template.secret"),
        (["${input.x | upper}"], "template.filter"),
        (["a${input.x | flag('-f')}"], "template.filter"),
        ([1], "template.form"),
        ("a b", "template.form"),
    ],
)
def test_template_with_shell_features_or_unknown_places_is_refused(template, code):
    assert code in [problem.code for problem in check_template(template)]


def test_bin_args_go_before_the_template():
    argv = expand(["list"], {}, program="aws", before=["--region", "eu"])
    assert argv == ("aws", "--region", "eu", "list")


@pytest.mark.parametrize(
    "text", ["a && b", "a | b", "a; b", "a > f", "a $(b)", "a `b`", "a\nb", "", "-x", "A=1 b", "'a"]
)
def test_command_that_needs_a_shell_is_refused(text):
    with pytest.raises(FormatError):
        split_command(text)


def test_command_is_split_before_values_are_put_in():
    words = split_command("tool set key ${value} --url=$HOST")
    argv = fill_command(words, {"value": "a b; rm -rf /", "HOST": "h"})
    assert argv == ("tool", "set", "key", "a b; rm -rf /", "--url=h")


@pytest.mark.parametrize("values", [{}, {"value": "--global"}, {"value": "a\0"}])
def test_command_value_must_be_known_and_no_option(values):
    with pytest.raises(FormatError):
        fill_command(split_command("tool set ${value}"), values)
