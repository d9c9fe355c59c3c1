"""Templates, patterns and conflicts."""

from __future__ import annotations

import pytest

from atip.calls.effects.conflicts import conflict, only_reads, waves
from atip.calls.templates.template import fill
from atip.calls.values import why_injection
from atip.errors import FormatError
from atip.knowledge import load
from atip.model.reading.decode import decode_effects


def filled(template, allow_code=False, **values):
    try:
        return fill(template, values, tool=load(template[0]), allow_code=allow_code)
    except FormatError as error:
        return [problem.code for problem in error.problems]


def test_a_value_is_one_word_and_never_expanded_again():
    assert filled(["echo", "${input.a}"], a="x; $(id) ${input.b}") == (
        "echo",
        "x; $(id) ${input.b}",
    )
    assert filled(["cp", "${input.a}", "to"], a=["x y", "z"]) == ("cp", "x y", "z", "to")
    assert filled(["git", "log", "--author=${input.a}"], a="--x") == ("git", "log", "--author=--x")


@pytest.mark.parametrize(
    ("template", "value", "code"),
    [
        (["git", "clone", "${input.a}"], "--upload-pack=x", "call.leading-dash"),
        (["git", "clone", "${input.a}"], "ext::sh -c id", "call.injection"),
        (["git", "clone", "${input.a}"], "ssh://-oProxyCommand=id/x", "call.injection"),
        (["awk", "${input.a}", "f"], 'BEGIN{system("id")}', "call.code"),
        (["bash", "-c", "${input.a}"], "id", "call.code"),
        (["make", "${input.a}"], "SHELL=/tmp/x", "call.injection"),
        (["echo", "${input.a}"], {"b": 1}, "call.wrong-type"),
        (["echo", "${input.a}"], None, "call.missing-argument"),
        (["echo", "${input.a}"], ["x"] * 9999, "call.too-many-items"),
        (["echo", "x${input.a}"], ["x"], "call.wrong-type"),
        (["${input.a}", "x"], "sh", "call.no-program"),
    ],
)
def test_values_that_would_be_more_than_values_are_refused(template, value, code):
    assert filled(template, a=value) == [code]


def test_code_is_accepted_where_it_is_meant():
    assert filled(["bash", "-c", "${input.a}"], allow_code=True, a="id") == ("bash", "-c", "id")


def test_a_scope_is_not_a_response_file():
    assert why_injection("npm", "@types/node") is None
    assert why_injection("gcc", "@args") is not None
    assert why_injection("unknown-tool", "@args") is not None
    assert why_injection("unknown-tool", "@args", in_list=True) is None


READ = decode_effects({"network": False, "filesystem": {"write": False}})
REMOTE_READ = decode_effects({"network": True, "idempotent": True, "destructive": False, "filesystem": {"write": False}})  # fmt: skip
UNKNOWN = decode_effects({})


def writes(*paths):
    files = {"write": True, "delete": False, "paths": list(paths)}
    return decode_effects({"network": False, "destructive": False, "filesystem": files})


def test_only_what_is_stated_counts_as_a_read():
    assert only_reads(READ) and only_reads(REMOTE_READ)
    assert not only_reads(UNKNOWN)
    assert not only_reads(decode_effects({"network": True, "idempotent": True}))


def test_same_or_unknown_resources_keep_their_order():
    assert not conflict(READ, REMOTE_READ)
    assert not conflict(writes("/a"), writes("/b"))
    assert conflict(writes("/a"), writes("/a/b"))
    assert conflict(writes("/a"), writes("./a"))
    assert conflict(READ, UNKNOWN) and conflict(UNKNOWN, UNKNOWN)
    assert conflict(READ, writes("/a"))
    asks = decode_effects(
        {"network": False, "filesystem": {"write": False}, "interactive": {"tty": True}}
    )
    assert conflict(READ, asks)


def test_waves_run_reads_together_and_the_rest_in_order():
    assert waves([READ, REMOTE_READ, UNKNOWN, READ, READ]) == [[0, 1], [2], [3, 4]]
    assert waves([writes("/a"), writes("/b"), writes("/a")]) == [[0, 1], [2]]
    assert waves([]) == []
