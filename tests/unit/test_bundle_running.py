"""Inputs, default arguments, JSON flags, streams and envelopes of a bundle's tool; nothing is started here."""

from __future__ import annotations

import pytest

from atip.bundles.entry.definition import define_cli
from atip.codecs.climd.tool import BundleTool
from atip.errors import FormatError
from atip.execution.output.conventions import read_conventions, with_json
from atip.execution.output.result import Result
from atip.model.effects import UNKNOWN
from atip.model.permissions.confinement import MIB, Confinement, Limits
from atip.workflows.bundle.judge import bounded_by, tighten_limits
from atip.workflows.bundle.run import _bin_args, _envelope, check_inputs
from tests.simulators.bundle_host import make_bundle


class Host:
    """Only what an envelope looks at."""

    entry = None


def envelope(bundle, result, *, structured=False, expired=False, entry=None):
    host = Host()
    host.entry = entry
    return _envelope(host, bundle, bundle.tools[0], result, structured=structured, expired=expired)


@pytest.mark.proves("AIP29-OPTIONAL-01", "AIP29-OPTIONAL-02")
def test_bin_args_go_first_unless_the_tool_says_otherwise(tmp_path):
    bundle = make_bundle(tmp_path / "demo", bin_args=["--quiet", "--region", "us-east-1"])
    assert _bin_args(bundle, bundle.tools[0]) == ("--quiet", "--region", "us-east-1")
    tool = bundle.tools[0].replace(argv=("list", "--region", "${input.r}"))
    assert _bin_args(bundle, tool) == ("--quiet",)
    tool = bundle.tools[0].replace(argv=("list", "--region=${input.r}"))
    assert _bin_args(bundle, tool) == ("--quiet",)


@pytest.mark.proves("AIP29-OUTPUT-02", "AIP29-OUTPUT-03")
@pytest.mark.parametrize(
    ("block", "argv"),
    [
        ({"json_flag": "--json"}, ["gh", "list", "--json"]),
        ({"json_flag": "--format=json"}, ["gh", "list", "--format=json"]),
        ({"json_flag": "-o json"}, ["gh", "list", "-o", "json"]),
        ({"json_flag": "--json", "json_flag_args": ["a,b"]}, ["gh", "list", "--json", "a,b"]),
        ({}, ["gh", "list"]),
    ],
)
def test_json_flag_is_appended_in_every_common_form(block, argv):
    conventions = read_conventions(block)
    assert list(with_json(("gh", "list"), conventions)) == argv
    assert list(with_json(tuple(argv), conventions)) == argv


@pytest.mark.proves("AIP29-OUTPUT-07", "AIP29-OUTPUT-08")
@pytest.mark.parametrize(
    ("stream", "value"), [("stdout", "out\n"), ("stderr", "err\n"), ("mixed", "out\nerr")]
)
def test_success_is_read_from_the_declared_stream(tmp_path, stream, value):
    bundle = make_bundle(tmp_path / "demo", output={"stream": stream})
    done = envelope(bundle, Result(argv=("demo",), exit_code=0, stdout="out\n", stderr="err\n"))
    assert (done.ok, done.value) == (True, value)


@pytest.mark.proves("AIP29-OUTPUT-01")
@pytest.mark.parametrize(
    ("format", "text", "value"),
    [
        ("text", "a: 1\n", "a: 1\n"),
        ("json", '{"a": 1}\n', {"a": 1}),
        ("json", '{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ("yaml", "a: 1\n", {"a": 1}),
        ("binary", "x", "x"),
    ],
)
def test_plain_output_is_parsed_by_its_format(tmp_path, format, text, value):
    bundle = make_bundle(tmp_path / "demo", output={"default_format": format})
    done = envelope(bundle, Result(argv=("demo",), exit_code=0, stdout=text))
    assert (done.ok, done.value) == (True, value)


def test_output_that_is_not_what_it_should_be_is_told(tmp_path):
    bundle = make_bundle(tmp_path / "demo", output={"default_format": "json"})
    done = envelope(bundle, Result(argv=("demo",), exit_code=0, stdout="oops"))
    assert (done.ok, done.error["code"], done.value) == (False, "output_invalid", "oops")


@pytest.mark.proves("AIP29-OUTPUT-06")
@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (0, "ok"),
        (1, "error"),
        (2, "usage_error"),
        (4, "auth_required"),
        (124, "timeout"),
        (137, "killed"),
    ],
)
def test_reserved_meanings_hold_without_a_word_of_the_bundle(tmp_path, code, meaning):
    bundle = make_bundle(tmp_path / "demo")
    done = envelope(bundle, Result(argv=("demo",), exit_code=code, stderr="why"))
    assert done.meaning == meaning and done.ok is (code == 0)
    assert done.to_json()["meaning"] == meaning


def test_confirmed_expiry_is_an_auth_error_with_the_command(tmp_path):
    bundle = make_bundle(tmp_path / "demo")
    done = envelope(bundle, Result(argv=("demo",), exit_code=1), expired=True)
    assert done.error["code"] == "auth_required" and "atip bundle login" in done.error["hint"]


@pytest.mark.proves("AIP29-DEFINECLI-05")
def test_parse_output_adapter_decides(tmp_path):
    bundle = make_bundle(tmp_path / "demo")
    entry = define_cli(
        id="demo", name="d", description="d", bin="demo",
        parse_output=lambda exit_code, stdout, stderr, expected: {"ok": True, "value": stdout.upper()},
    )  # fmt: skip
    done = envelope(bundle, Result(argv=("demo",), exit_code=7, stdout="x"), entry=entry)
    assert (done.ok, done.value) == (True, "X")


def test_inputs_are_checked_and_needed_defaults_filled():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "default": 3},
            "b": {"type": "string", "default": "x"},
        },
    }
    tool = BundleTool(
        path=("x",), ref="", inputs=schema, argv=("${input.a}", "${input.b | optional}")
    )
    assert check_inputs(tool, {}) == {"a": 3}
    assert check_inputs(tool, {"a": 5, "b": None}) == {"a": 5}
    for wrong in ({"a": "5"}, {"c": 1}):
        with pytest.raises(FormatError):
            check_inputs(tool, wrong)


def test_what_the_sandbox_rules_out_is_ruled_out():
    nothing = bounded_by(UNKNOWN, Confinement())
    assert nothing.is_read_only and nothing.destructive is False and nothing.subprocess is False
    online = bounded_by(UNKNOWN, Confinement(egress=("example.com",)))
    assert (online.network, online.destructive, online.filesystem.write) == (None, None, False)
    writing = bounded_by(UNKNOWN, Confinement(fs_write=("/w/**",)))
    assert writing.filesystem.write is None and writing.destructive is None
    own = bounded_by(UNKNOWN, Confinement(fs_write=("/h/.config/x/**",)), ("/h/.config/x/**",))
    assert own.filesystem.write is False and own.destructive is False


@pytest.mark.proves("AIP29-OPTIONAL-04")
def test_runner_limits_tighten_and_never_loosen():
    held = Limits(wall_s=10.0, memory_bytes=100 * MIB)
    tight = tighten_limits(held, {"limits": {"timeout_ms": 2000, "memory_mb": 50, "cpu_ms": 1500}})
    assert (tight.wall_s, tight.memory_bytes, tight.cpu_s) == (2.0, 50 * MIB, 1)
    assert tighten_limits(held, {"limits": {"timeout_ms": 99_000, "memory_mb": 9_000}}) == held
    assert tighten_limits(held, {}) == held == tighten_limits(held, {"limits": {"timeout_ms": "x"}})


def test_empty_sandbox_allows_nothing(tmp_path):
    bundle = make_bundle(tmp_path / "demo", sandbox={})
    assert bundle.requested == Confinement()
    for wrong in ({"Network": {}}, {"network": None}, {"fs": {"reads": []}}):
        with pytest.raises(FormatError):
            make_bundle(tmp_path / "demo", sandbox=wrong)
