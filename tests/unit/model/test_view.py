"""Partial discovery as a pure view: what stays, what is counted, what may be assumed of the rest."""

from __future__ import annotations

import pytest

from atip.errors import NotFoundError, UsageError
from atip.model.effects import UNKNOWN, Effects
from atip.model.reading.decode import decode
from atip.model.reading.encode import encode
from atip.model.shapes.check import check_tool
from atip.model.tool import Omission
from atip.model.view.partial import assumed_effects, view
from atip.model.view.size import size_of

READ_ONLY = {
    "network": False,
    "destructive": False,
    "filesystem": {"write": False, "delete": False},
}


def command(effects=None, **more):
    return {"description": "Does one thing well", "effects": effects or {}, **more}


def tool(**changes):
    document = {
        "atip": {"version": "0.6", "features": ["partial-discovery"]},
        "name": "gh",
        "version": "2.0.0",
        "description": "Work with a forge",
        "commands": {
            "pr": {
                "description": "Manage pull requests",
                "aliases": ["pull"],
                "commands": {
                    "create": command({"network": True}),
                    "list": command(READ_ONLY),
                    "review": {
                        "description": "Reviews",
                        "commands": {"add": command(), "drop": command({"destructive": True})},
                    },
                },
            },
            "issue": {"description": "Issues", "commands": {"list": command(READ_ONLY)}},
            "version": command(READ_ONLY),
            "v1.old": command(READ_ONLY, deprecated="use version"),
        },
    }
    return decode({**document, **changes}, strict=True).tool


def names(part):
    return [" ".join(path) for path, _command in part.walk()]


def test_without_a_filter_the_tool_itself_comes_back():
    whole = tool()
    assert view(whole) is whole


@pytest.mark.proves("ATIP6-3.1.1-02")
@pytest.mark.parametrize(
    "asked",
    [
        ["pr.create", "issue"],
        ["pr create", "issue"],
        ["pr.create,issue"],
        ["pr create, issue"],
        ["gh pr create", "gh issue"],
        ["pull create", "issue"],
    ],
)
def test_every_spelling_names_the_same_commands(asked):
    """A40."""
    part = view(tool(), commands=asked)
    assert names(part) == ["pr", "pr create", "issue", "issue list"]
    assert part.filter.commands == ("pr create", "issue")


def test_a_name_with_a_dot_is_a_name_first():
    """A40."""
    assert names(view(tool(), commands=["v1.old"])) == ["v1.old"]


def test_a_group_and_its_child_together_mean_the_group():
    assert names(view(tool(), commands=["issue", "issue.list"])) == ["issue", "issue list"]


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("isue", "did you mean `issue`?"),
        ("create", "did you mean `pr create`?"),
        ("pr.craete", "did you mean `pr create`?"),
    ],
)
def test_an_unknown_command_is_an_error_with_a_suggestion(asked, hint):
    with pytest.raises(NotFoundError) as caught:
        view(tool(), commands=[asked])
    assert (caught.value.code, caught.value.hint) == ("view.unknown-command", hint)


@pytest.mark.proves("ATIP6-3.1.1-03")
def test_depth_counts_levels_from_the_root():
    """A40: 1 leaves the top level only."""
    assert names(view(tool(), depth=1)) == ["pr", "issue", "version", "v1.old"]
    assert "pr review add" not in names(view(tool(), depth=2))
    assert names(view(tool(), depth=3)) == names(tool())


def test_a_command_asked_for_by_name_is_kept_below_the_depth():
    assert names(view(tool(), commands=["pr review"], depth=1)) == ["pr", "pr review"]


def test_depth_zero_is_a_usage_error():
    with pytest.raises(UsageError) as caught:
        view(tool(), depth=0)
    assert caught.value.code == "view.depth"


@pytest.mark.proves("ATIP6-3.1.1-04", "ATIP6-3.1.1-05", "ATIP6-3.1.1-06", "ATIP6-3.1.1-07")
def test_a_filtered_answer_says_what_it_is():
    """A40: counts are of leaves; A46: an unused depth is null."""
    document = encode(view(tool(), commands=["issue"]))
    assert {
        key: document[key]
        for key in ("partial", "filter", "totalCommands", "includedCommands", "omitted")
    } == {
        "partial": True,
        "filter": {"commands": ["issue"], "depth": None},
        "totalCommands": 7,
        "includedCommands": 1,
        "omitted": {"reason": "filtered", "safetyAssumption": "known-unsafe"},
    }
    assert check_tool(document, "strict") == []


def test_a_stub_is_not_counted_as_a_command():
    """A40: `pr` and `issue` are groups even when cut off."""
    part = view(tool(), depth=1)
    assert (part.included_commands, part.total_commands) == (2, 7)
    assert part.find(("pr",)).own["omittedCommands"] == 4


@pytest.mark.proves("ATIP6-3.1.1-08")
def test_the_reason_tells_which_flag_cut():
    assert view(tool(), commands=["pr"]).omitted.reason == "filtered"
    assert view(tool(), depth=1).omitted.reason == "depth-limited"
    assert view(tool(), commands=["pr"], depth=1).omitted.reason == "filtered"


@pytest.mark.proves("ATIP6-3.1.1-10", "ATIP1-3.2.2-02")
def test_deprecated_commands_can_be_left_out():
    part = view(tool(), deprecated=False)
    assert "v1.old" not in names(part)
    assert (part.omitted.reason, part.filter) == ("deprecated", None)


@pytest.mark.proves("ATIP1-3.2.2-03")
def test_hidden_commands_can_be_left_out_but_not_when_named():
    whole = tool(commands={"a": command(hidden=True), "b": command()})
    assert names(view(whole, hidden=False)) == ["b"]
    assert names(view(whole, hidden=False, commands=["a"])) == ["a"]


@pytest.mark.parametrize(
    ("omitted", "assumption"),
    [
        (READ_ONLY, "known-safe"),
        ({**READ_ONLY, "destructive": True}, "known-unsafe"),
        ({"filesystem": {"delete": True}}, "known-unsafe"),
        ({"network": False, "filesystem": {"write": False}}, "unknown"),
        ({**READ_ONLY, "cost": {"billable": True}}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_the_assumption_is_computed_from_what_was_left_out(omitted, assumption):
    """A41; rule 2 of RESOLUTIONS: unknown is not safe."""
    whole = tool(commands={"a": command(), "b": command(omitted)})
    assert view(whole, commands=["a"]).omitted.safety_assumption == assumption


def test_effects_of_the_tool_count_for_what_was_left_out():
    """A42."""
    whole = tool(effects={"destructive": True}, commands={"a": command(), "b": command(READ_ONLY)})
    assert view(whole, commands=["a"]).omitted.safety_assumption == "known-unsafe"


def test_a_flag_that_destroys_makes_an_omitted_command_unsafe():
    force = {
        "name": "force",
        "flags": ["--force"],
        "type": "boolean",
        "description": "Overwrite everything",
        "x-atip": {"effects": {"destructive": True}},
    }
    whole = tool(commands={"a": command(), "b": command(READ_ONLY, options=[force])})
    assert view(whole, commands=["a"]).omitted.safety_assumption == "known-unsafe"


def test_a_filter_that_leaves_nothing_out_promises_nothing():
    whole = tool(commands={"a": command(READ_ONLY)})
    part = view(whole, commands=["a"])
    assert (part.total_commands, part.included_commands) == (1, 1)
    assert part.omitted.safety_assumption == "unknown"


def test_a_view_of_a_view_keeps_the_first_total_and_the_worst_assumption():
    part = view(view(tool(), commands=["pr"]), commands=["pr list"])
    assert (part.total_commands, part.included_commands) == (7, 1)
    assert part.omitted.safety_assumption == "known-unsafe"


@pytest.mark.proves("ATIP6-3.1.1-09")
def test_a_budget_cuts_the_deepest_first_and_says_so():
    deep = {"description": "Deep", "commands": {"deeper": command(examples=["x" * 600])}}
    shallow = command(examples=["y" * 900])
    whole = tool(commands={"pr": {"description": "Manage", "commands": {"b": deep, "c": shallow}}})
    part = view(whole, max_bytes=size_of(whole) - 1)
    assert size_of(part) < size_of(whole)
    assert part.omitted.reason == "size-limited"
    assert set(names(whole)) - set(names(part)) == {"pr b deeper"}
    assert part.find(("pr", "b")).description == "Deep"


def test_a_budget_strips_details_before_it_drops_top_level_commands():
    option = {"name": "x", "flags": ["--x"], "type": "string", "description": "y" * 500}
    whole = tool(commands={name: command(READ_ONLY, options=[option]) for name in "abcd"})
    part = view(whole, max_bytes=1400)
    assert names(part) == ["a", "b", "c", "d"]
    assert [bool(part.find((name,)).own.get("detailsOmitted")) for name in "abcd"].count(True) >= 2
    assert size_of(part) <= 1400
    assert part.find(("a",)).effects == whole.find(("a",)).effects


def test_a_tiny_budget_leaves_name_and_note():
    part = view(tool(), max_bytes=1)
    assert (names(part), part.included_commands, part.total_commands) == ([], 0, 7)
    assert check_tool(encode(part), "strict") == []


def test_a_budget_that_fits_changes_nothing():
    whole = tool()
    assert view(whole, max_bytes=size_of(whole)) is whole


class TestAssumedEffects:
    def part(self, assumption):
        return view(tool(), commands=["issue"]).replace(
            omitted=Omission(reason="filtered", safety_assumption=assumption)
        )

    def test_a_described_command_has_its_own(self):
        whole = tool(effects={"subprocess": True})
        assert assumed_effects(whole, ("pr", "create")) == Effects(network=True, subprocess=True)

    def test_unknown_means_unknown(self):
        """A41."""
        assert assumed_effects(self.part("unknown"), ("pr", "create")) == UNKNOWN
        assert assumed_effects(self.part(None), ("pr", "create")) == UNKNOWN

    def test_known_unsafe_is_destructive(self):
        assert assumed_effects(self.part("known-unsafe"), ("pr",)).destructive is True

    def test_known_safe_excludes_destruction_only(self):
        assert assumed_effects(self.part("known-safe"), ("pr",)) == Effects(destructive=False)

    def test_same_as_included_is_the_worst_of_the_included(self):
        """A41."""
        part = view(tool(), commands=["pr"]).replace(
            omitted=Omission(safety_assumption="same-as-included")
        )
        effects = assumed_effects(part, ("issue", "list"))
        assert (effects.destructive, effects.network) == (True, True)
        assert effects.filesystem.write is None

    def test_a_command_that_a_whole_document_lacks_is_unknown(self):
        assert assumed_effects(tool(), ("nope",)) == UNKNOWN
