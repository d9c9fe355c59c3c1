"""The Python interface as a person discovers it: representations that fit, sizes that are sane, one mirror for event loops."""

from __future__ import annotations

import asyncio
import inspect
import warnings

import pytest

import atip
from atip.errors import NotFoundError
from atip.execution.output.result import Result

BIG = {
    "atip": {"version": "0.6"},
    "name": "big",
    "version": "1",
    "description": "Big",
    "commands": {
        f"c{number}": {"description": "x" * 400, "options": [{"name": "force", "flags": ["--force"], "type": "boolean", "description": "y" * 400}]}
        for number in range(202)
    },
}  # fmt: skip
LINE = 300


def test_values_that_hold_trees_or_outputs_fit_a_line(tmp_path):
    tool = atip.load(BIG)
    session = atip.Session([tool], provider="anthropic", commands=["c1"])
    name = session.tools[0]["name"]
    used = {"type": "tool_use", "id": "1", "name": name, "input": {"force": True}}
    (call,) = session.parse({"content": [used]})
    box = atip.Toolbox(home=str(tmp_path))
    values = (tool, tool.find(("c1",)), session, call, call.function, call.invocation, box.explain("git push; " * 200))  # fmt: skip
    assert [repr(value) for value in values if len(repr(value)) > LINE or "\n" in repr(value)] == []
    assert repr(tool) == "Tool('big', version='1', 202 commands)"
    assert repr(call) == "ToolCall('1', 'big_c1', 'big c1 --force')"
    assert len(repr(Result(argv=("x",), exit_code=0, stdout="z" * 10_000))) < LINE


def test_policies_still_have_representations_that_tell_them_apart():
    """Digests of policies are taken from it: a change in the last rule must show."""
    from atip.policy.presets import PRESETS

    rules, _ = PRESETS["cautious"]
    changed = (*rules[:-1], rules[-1].replace(reason="other"))
    assert repr(rules) != repr(changed)


def test_a_session_of_many_commands_warns_and_takes_a_choice():
    tool = atip.load(BIG)
    with pytest.warns(
        UserWarning, match=r"202 of `big`: choose with commands=\['c0', 'c1', 'c2', …\]"
    ):
        atip.Session([tool], provider="openai")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen = atip.Session([tool], provider="openai", commands=["c1", "c7"])
        atip.Session([tool], provider="openai", max_tokens=4000)
    assert [tool["function"]["name"] for tool in chosen.tools] == ["big_c1", "big_c7"]


def test_commands_are_looked_for_in_every_tool():
    small = atip.load({**BIG, "name": "small", "commands": {"only": {"description": "Only"}}})
    session = atip.Session([atip.load(BIG), small], provider="anthropic", commands=["only", "c3"])
    assert [tool["name"] for tool in session.tools] == ["big_c3", "small_only"]
    with pytest.raises(NotFoundError) as error:
        atip.Session([small], commands=["nothing"])
    assert error.value.code == "view.unknown-command"


MADE_BY_BOX = {"bundles", "changes", "line_runner", "make_call", "make_runner"}
"""Make an object and do no work: `AsyncToolbox.box` has them."""


def test_every_method_that_works_is_mirrored_with_its_signature():
    methods = {name: value for name, value in vars(atip.Toolbox).items() if inspect.isfunction(value) and not name.startswith("_")}  # fmt: skip
    assert methods.keys() - vars(atip.AsyncToolbox).keys() == MADE_BY_BOX
    for name in methods.keys() - MADE_BY_BOX:
        mirrored = getattr(atip.AsyncToolbox, name)
        assert asyncio.iscoroutinefunction(mirrored), name
        asked = set(inspect.signature(methods[name]).parameters) - {"runs"}
        assert asked == set(inspect.signature(mirrored).parameters), name


def test_explain_in_an_event_loop(tmp_path):
    box = atip.AsyncToolbox(home=str(tmp_path))
    found = asyncio.run(box.explain("git status", cwd=str(tmp_path)))
    assert found.decision.outcome == "allow"
