"""Providers: shapes, dialects, strategies, budgets."""

from __future__ import annotations

import json

import pytest

from atip.codecs.interface import encoder
from atip.codecs.providers.tools import compile_tools, estimate, tokens_of, undo_call
from atip.errors import NotFoundError, UsageError
from atip.session import to_anthropic, to_gemini, to_openai
from tests.simulators.provider_check import check_declarations
from tests.unit.calls.tools import argument, command, option, tool

PR = tool(
    "gh",
    commands={
        "pr": {
            "description": "Manage pull requests",
            "commands": {
                "create": {
                    "description": "Create a pull request",
                    "options": [option("title", "-t", "--title"), option("draft", type="boolean")],
                    "effects": {"network": True, "idempotent": False, "creates": ["pull_request"]},
                },
                "list": {
                    "description": "List pull requests",
                    "options": [option("state", type="enum", enum=["open", "all"], default="open")],
                },
                "merge": {
                    "description": "Merge a pull request",
                    "arguments": [argument("number", "integer")],
                    "effects": {"reversible": False},
                },
            },
        }
    },
)


def properties(declaration):
    inner = declaration.get("function", declaration)
    schema = inner.get("parameters") or inner.get("input_schema") or inner.get("inputSchema")
    return schema["properties"]


@pytest.mark.proves("ATIP6-8.1-01", "ATIP6-8.2-06", "ATIP6-A-01")
def test_openai_strict_lists_everything_and_makes_optional_nullable():
    create, listed, merge = to_openai(PR, strict=True)
    assert create == {
        "type": "function",
        "function": {
            "name": "gh_pr_create",
            "description": "Create a pull request. [⚠️ NOT IDEMPOTENT]",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {
                    "title": {"type": ["string", "null"], "description": "title"},
                    "draft": {"type": ["boolean", "null"], "description": "draft"},
                },
                "required": ["title", "draft"],
                "additionalProperties": False,
            },
        },
    }
    assert properties(listed)["state"]["enum"] == ["open", "all", None]
    assert properties(merge)["number"] == {"type": "integer", "description": "number"}


def test_openai_responses_shape_is_flat():
    create = to_openai(PR, shape="responses")[0]
    assert set(create) == {"type", "name", "description", "parameters", "strict"}
    assert create["strict"] is False


@pytest.mark.proves("ATIP6-8.1-02", "ATIP6-8.1-03", "ATIP6-A-01", "ATIP6-8.2-10")
def test_gemini_and_anthropic_require_only_what_is_required():
    gemini, claude = to_gemini(PR)[2], to_anthropic(PR)[2]
    assert gemini == {
        "name": "gh_pr_merge",
        "description": "Merge a pull request. [⚠️ NOT REVERSIBLE]",
        "parameters": {
            "type": "object",
            "properties": {"number": {"type": "integer", "description": "number"}},
            "required": ["number"],
        },
    }
    assert claude["input_schema"] == gemini["parameters"]
    assert to_anthropic(PR)[0]["input_schema"]["required"] == []
    assert properties(to_gemini(PR)[1])["state"] == {
        "type": "string",
        "description": "state",
        "enum": ["open", "all"],
    }


@pytest.mark.proves("ATIP6-8.2-09")
def test_paths_and_addresses_are_strings_that_say_what_they_are():
    sample = tool(
        options=[option("f", type="file"), option("d", type="directory"), option("u", type="url")]
    )
    for provider in ("openai", "gemini", "anthropic"):
        (declaration,) = compile_tools([sample], provider).declarations
        assert properties(declaration) == {
            "f": {"type": "string", "description": "f (file path)"},
            "d": {"type": "string", "description": "d (directory path)"},
            "u": {"type": "string", "description": "u (URL)"},
        }


def test_gemini_has_no_parameters_rather_than_an_empty_object():
    assert to_gemini(tool()) == [{"name": "t", "description": "a tool"}]


def test_mcp_annotations_take_unknown_for_the_dangerous_value():
    sample = tool(
        commands={
            "unknown": command(),
            "read": command(
                effects={"network": False, "filesystem": {"write": False}, "idempotent": True}
            ),
            "kill": command(effects={"destructive": True, "network": False}),
        }
    )
    hints = [d["annotations"] for d in compile_tools([sample], "mcp").declarations]
    keys = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    assert [tuple(hint[key] for key in keys) for hint in hints] == [
        (False, True, False, True),
        (True, False, True, False),
        (False, True, False, False),
    ]


WIDE = tool(
    options=[
        option("dry-run", type="boolean"),
        option("dry_run", type="boolean"),
        option("level", type="integer", enum=[1, 2]),
        option("items", type="array", items={"type": "integer"}),
        option("data", schema={"type": "object", "properties": {"a": {"type": "string"}}}),
        option("free", schema={"oneOf": [{"type": "string"}, {"type": "integer"}]}),
        option("empty", type="enum", enum=["", "x"]),
    ]
)


@pytest.mark.parametrize(
    ("provider", "strict", "given"),
    [
        ("gemini", False, {"dry_run_2": True, "level": "2", "items": [1], "data": {"a": "x"}, "free": "3"}),
        ("openai", True, {"dry-run": True, "level": 2, "items": [1], "data": {"a": "x"}, "free": "3", "dry_run": None}),
        ("openai", False, {"dry-run": True, "level": 2, "items": [1], "data": {"a": "x"}, "free": "3"}),
        ("anthropic", False, {"dry-run": True, "level": 2, "items": [1], "data": {"a": "x"}, "free": 3}),
    ],
)  # fmt: skip
def test_every_change_of_a_dialect_is_undone(provider, strict, given):
    compiled = compile_tools([WIDE], provider, strict=strict)
    assert check_declarations(provider, compiled.declarations, strict=strict) == []
    assert set(given) <= set(properties(compiled.declarations[0]))
    function, values = undo_call(compiled, "t", given)
    assert values == {"dry-run": True, "level": 2, "items": [1], "data": {"a": "x"}, "free": 3}
    assert function.name == "t"


def test_strict_structures_lose_their_nulls_on_the_way_back():
    compiled = compile_tools([WIDE], "openai", strict=True)
    assert undo_call(compiled, "t", {"data": {"a": None}}) [1] == {"data": {}}  # fmt: skip


@pytest.mark.proves("ATIP6-8.2-08")
def test_strategy_b_has_one_function_per_group_with_an_action():
    compiled = compile_tools([PR], "openai", strict=True, strategy="action")
    (group,) = compiled.declarations
    assert group["function"]["name"] == "gh_pr"
    assert (
        group["function"]["description"]
        == "Manage pull requests. [⚠️ NOT REVERSIBLE | ⚠️ NOT IDEMPOTENT]"
    )
    shown = properties(group)
    assert shown["action"]["enum"] == ["create", "list", "merge"]
    assert (
        "merge: Merge a pull request [⚠️ NOT REVERSIBLE] (needs number)"
        in shown["action"]["description"]
    )
    assert shown["number"]["type"] == ["integer", "null"]
    function, values = undo_call(compiled, "gh_pr", {"action": "merge", "number": 3, "title": None})
    assert (function.path, values) == (("pr", "merge"), {"number": 3})
    assert undo_call(compiled, "gh_pr", {"action": "burn"}) is None
    assert undo_call(compiled, "nothing", {}) is None


def test_strategy_b_keeps_apart_what_only_shares_a_name():
    sample = tool(
        commands={
            "a": command(options=[option("x"), option("action")]),
            "b": command(options=[option("x", type="integer")]),
        }
    )
    compiled = compile_tools([sample], "anthropic", strategy="action")
    shown = properties(compiled.declarations[0])
    assert list(shown) == ["action", "x", "a_action", "b_x"]
    assert undo_call(compiled, "t", {"action": "b", "b_x": 3})[1] == {"x": 3}
    assert undo_call(compiled, "t", {"action": "a", "a_action": "go"})[1] == {"action": "go"}


def big(groups=20, commands=10):
    return tool(
        commands={
            f"g{g}": command(
                commands={
                    f"c{c}": command(options=[option(f"o{o}") for o in range(6)])
                    for c in range(commands)
                }
            )
            for g in range(groups)
        }
    )


def test_a_budget_takes_the_richest_form_that_fits_and_reports_the_rest():
    made = big()
    whole = sum(tokens_of(d, estimate) for d in compile_tools([made], "openai").declarations)
    seen = []
    for budget in (whole, whole // 2, whole // 8, whole // 40, 30):
        compiled = compile_tools([made], "openai", strategy="auto", max_tokens=budget)
        spent = sum(tokens_of(d, estimate) for d in compiled.declarations)
        assert spent <= budget
        offered = len(compiled.functions) + sum(len(g.actions) for g in compiled.groups.values())
        assert offered + len(compiled.left_out) == 200
        assert check_declarations("openai", compiled.declarations) == []
        seen.append((compiled.strategy, len(compiled.left_out)))
    assert seen[0] == ("discrete", 0)
    assert seen[-1] == ("action", 200)
    assert [strategy for strategy, _ in seen[1:]] == ["action"] * 4
    assert compiled.left_out[0].to_json() == {
        "command": "t g0 c0",
        "how": "atip compile t --commands 'g0 c0'",
    }


@pytest.mark.filterwarnings("ignore:.* commands in one session")
def test_a_provider_s_number_of_functions_is_kept_by_a_session():
    from atip.session import Session

    assert len(Session([big()], "openai").tools) == 20
    assert len(Session([big()], "anthropic").tools) == 200
    assert len(Session([big()], "openai", strategy="discrete").tools) == 200


@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini", "mcp"])
@pytest.mark.proves("ATIP6-A-02", "ATIP6-7.1-01")
def test_each_provider_is_a_format_of_its_own(name):
    assert encoder(name)(PR).data == compile_tools([PR], name).declarations
    assert [d.get("function", d)["name"] for d in encoder(name)(PR).data] == [
        "gh_pr_create",
        "gh_pr_list",
        "gh_pr_merge",
    ]


def test_losses_are_told():
    told = [loss.path for loss in encoder("gemini")(WIDE).losses]
    assert told[:2] == ["t", "t"] and "$.version" in told


@pytest.mark.parametrize(
    ("words", "error", "code"),
    [
        ({"provider": "opnai"}, NotFoundError, "compile.unknown-provider"),
        ({"provider": "gemini", "strict": True}, UsageError, "compile.strict"),
        ({"provider": "openai", "strategy": "x"}, UsageError, "compile.unknown-strategy"),
        ({"provider": "gemini", "shape": "chat"}, UsageError, "compile.unknown-shape"),
    ],
)
def test_wrong_ways_to_compile_have_a_code(words, error, code):
    with pytest.raises(error) as caught:
        compile_tools([PR], **words)
    assert caught.value.code == code


@pytest.mark.proves("ATIP6-8.3-04", "ATIP6-8.3-03")
def test_what_only_the_agent_needs_is_never_sent():
    from atip.session import Session

    sample = tool(
        authentication={"required": True, "methods": [{"type": "token", "envVar": "SECRET_TOKEN"}]},
        patterns=[{"name": "p-name", "description": "d", "steps": [{"command": "t x"}]}],
        commands={
            "x": command(
                effects={
                    "interactive": {"stdin": "password", "tty": True},
                    "duration": {"typical": "77-78s"},
                },
                options=[option("o", envVar="HIDDEN_ENV")],
            )
        },
    )
    for provider in ("openai", "anthropic", "gemini", "mcp"):
        session = Session([sample], provider)
        sent = json.dumps(session.tools) + session.system_prompt
        assert not any(
            word in sent for word in ("SECRET_TOKEN", "password", "77-78s", "HIDDEN_ENV", "tty")
        )
        assert "p-name" in session.system_prompt and "p-name" not in json.dumps(session.tools)


@pytest.mark.parametrize("strategy", ["discrete", "action"])
def test_more_choices_than_a_provider_takes_are_checked_only_on_the_way_back(strategy):
    many = [option(f"m{n}", type="enum", enum=[f"v{n}-{i}" for i in range(249)]) for n in range(6)]
    huge = option("huge", type="enum", enum=[f"v{i}" for i in range(3000)])
    sample = tool(commands={"a": command(options=[huge, *many]), "b": command()})
    compiled = compile_tools([sample], "openai", strict=True, strategy=strategy)
    assert check_declarations("openai", compiled.declarations, strict=True) == []
    assert "enum" not in properties(compiled.declarations[0])["huge"]
