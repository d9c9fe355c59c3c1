"""What a diff sees, how it sorts it, and that it sees all the public reference sees."""

from __future__ import annotations

import json

import pytest

from atip.model.diff.compare import diff
from atip.model.reading.decode import decode
from tests.shared import shared


def tool(command=None, **changes):
    document = {
        "atip": {"version": "0.6"},
        "name": "tool",
        "version": "1.0.0",
        "description": "A tool of some use",
        "commands": {"run": {"description": "Run it", **(command or {})}},
    }
    return decode({**document, **changes}).tool


def argument(name="file", **more):
    return {"name": name, "type": "string", "description": "Something", **more}


def option(name="output", flags=("-o", "--output"), **more):
    return {**argument(name), "flags": list(flags), **more}


def arguments(*given):
    return tool({"arguments": list(given)})


def options(*given):
    return tool({"options": list(given)})


def effects(given):
    return tool({"effects": given})


def kinds(old, new):
    return [(change.kind, change.category) for change in diff(old, new).changes]


def only(old, new):
    (change,) = diff(old, new).changes
    return change


def test_equal_tools_differ_in_nothing():
    found = diff(tool(), tool())
    assert (found.changes, found.semver) == ((), "none")


class TestReference:
    NAMES = (
        ("complete", "base-complete", "base/complete"),
        ("complete", "breaking-command-removed", "breaking/command-removed"),
        ("complete", "breaking-type-stricter", "breaking/type-stricter"),
        ("complete", "effects-destructive-added", "effects/destructive-added"),
        ("complete", "non-breaking-command-added", "non-breaking/command-added"),
        ("minimal", "base-complete", "base/complete"),
        ("minimal", "legacy-legacy-format", "legacy/legacy-format"),
    )

    @pytest.mark.parametrize(("old", "output", "new"), NAMES)
    def test_everything_the_reference_finds_is_found(self, old, output, new):
        folder = shared("vectors/atip/diff")
        expected = json.loads((folder / f"reference-output/{old}--{output}.json").read_text())
        before = decode((folder / f"inputs/base/{old}.json").read_bytes()).tool
        after = decode((folder / f"inputs/{new}.json").read_bytes()).tool
        found = diff(before, after)
        names = {"non-breaking": "compatible"}
        assert {
            (
                change["type"],
                names.get(change["category"], change["category"]),
                tuple(change["path"]),
            )
            for change in expected["changes"]
        } <= {(change.kind, change.category, change.path) for change in found.changes}

    def test_its_blind_spots_are_seen(self):
        """A new name, another protocol, and a fact that fell silent."""
        folder = shared("vectors/atip/diff/inputs")
        before = decode((folder / "base/minimal.json").read_bytes()).tool
        after = decode((folder / "legacy/legacy-format.json").read_bytes()).tool
        found = diff(before, after)
        assert {change.kind for change in found.changes} == {
            "name-changed",
            "description-changed",
            "protocol-changed",
            "destructive-changed",
        }
        assert found.semver == "major"


class TestCommands:
    def test_removal_breaks_and_addition_does_not(self):
        one, two = tool(), tool(commands={"go": {"description": "Go"}})
        assert kinds(one, two) == [("command-removed", "breaking"), ("command-added", "compatible")]

    def test_a_name_that_lives_on_as_alias_is_a_rename(self):
        new = tool(commands={"start": {"description": "Run it", "aliases": ["run"]}})
        assert kinds(tool(), new) == [("command-renamed", "compatible")]

    def test_a_lost_alias_breaks(self):
        assert kinds(tool({"aliases": ["r"]}), tool()) == [("alias-removed", "breaking")]

    def test_nested_commands_are_compared(self):
        old = tool({"commands": {"a": {"description": "A"}}})
        change = only(old, tool({"commands": {}}))
        assert change.path == ("commands", "run", "commands", "a")

    def test_a_part_does_not_prove_a_removal(self):
        assert kinds(tool(), tool(commands={}, partial=True)) == [
            ("partial-changed", "compatible"),
            ("command-not-included", "compatible"),
        ]

    def test_deprecation_is_seen(self):
        assert kinds(tool(), tool({"deprecated": True})) == [("deprecated-changed", "compatible")]


class TestArguments:
    def test_swapped_positionals_break(self):
        a, b = argument("a"), argument("b")
        assert kinds(arguments(a, b), arguments(b, a)) == [("argument-order-changed", "breaking")]

    def test_an_optional_argument_in_front_shifts_the_others(self):
        new = arguments(argument("x", required=False), argument("a"))
        assert kinds(arguments(argument("a")), new) == [
            ("optional-argument-added", "compatible"),
            ("argument-order-changed", "breaking"),
        ]

    def test_an_optional_argument_at_the_end_is_compatible(self):
        new = arguments(argument("a"), argument("x", required=False))
        assert kinds(arguments(argument("a")), new) == [("optional-argument-added", "compatible")]

    def test_required_is_the_default_of_arguments_and_not_of_options(self):
        """A31."""
        assert kinds(arguments(), arguments(argument())) == [
            ("required-argument-added", "breaking")
        ]
        assert kinds(options(), options(option())) == [("optional-option-added", "compatible")]

    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            ("string", "integer", ("type-made-stricter", "breaking")),
            ("integer", "number", ("type-relaxed", "compatible")),
            ("enum", "string", ("type-relaxed", "compatible")),
            ("boolean", "string", ("type-changed", "breaking")),
            ("file", "directory", ("type-changed", "breaking")),
            ("string", "array", ("type-relaxed", "compatible")),
            ("array", "string", ("type-made-stricter", "breaking")),
        ],
    )
    def test_types_have_an_order(self, old, new, expected):
        assert kinds(arguments(argument(type=old)), arguments(argument(type=new))) == [expected]

    def test_variadic_may_come_but_not_go(self):
        """A34."""
        many, one = arguments(argument(variadic=True)), arguments(argument())
        assert kinds(one, many) == [("argument-made-variadic", "compatible")]
        assert kinds(many, one) == [("argument-made-single", "breaking")]

    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            (["a", "b"], ["a"], [("enum-values-removed", "breaking")]),
            (["a"], ["a", "b"], [("enum-values-added", "compatible")]),
            (None, ["a"], [("enum-values-added", "breaking")]),
            (["a"], None, [("enum-values-removed", "compatible")]),
            (
                [1],
                [True],
                [("enum-values-removed", "breaking"), ("enum-values-added", "compatible")],
            ),
            (["a", "b"], ["b", "a"], [("other-changed", "compatible")]),
        ],
    )
    def test_values_may_come_but_not_go(self, old, new, expected):
        """A33."""
        old = arguments(argument(**({"enum": old} if old else {})))
        new = arguments(argument(**({"enum": new} if new else {})))
        assert kinds(old, new) == expected

    def test_a_default_that_becomes_null_is_a_change(self):
        old, new = arguments(argument()), arguments(argument(default=None))
        assert kinds(old, new) == [("default-value-changed", "compatible")]

    def test_constraints_are_seen(self):
        """A35."""
        new = arguments(argument(pattern="^a", schema={"maxLength": 3}))
        assert kinds(arguments(argument()), new) == [
            ("pattern-changed", "breaking"),
            ("schema-changed", "breaking"),
        ]


class TestOptions:
    def test_a_new_name_for_the_same_flag_breaks_nothing(self):
        change = only(options(option()), options(option("out", ["-o", "--output"])))
        assert (change.kind, change.old, change.new) == ("option-renamed", "output", "out")

    def test_a_rename_that_loses_a_flag_breaks(self):
        found = kinds(options(option()), options(option("out", ["-o", "--out"])))
        assert found == [
            ("option-renamed", "compatible"),
            ("option-flags-changed", "breaking"),
            ("option-flags-added", "compatible"),
        ]

    def test_exclusivity_breaks_when_added(self):
        """A35."""
        free, bound = options(option()), options(option(exclusive=["quiet"]))
        assert kinds(free, bound) == [("exclusivity-added", "breaking")]
        assert kinds(bound, free) == [("exclusivity-removed", "compatible")]

    def test_required_and_optional(self):
        strict, loose = options(option(required=True)), options(option())
        assert kinds(loose, strict) == [("option-made-required", "breaking")]
        assert kinds(strict, loose) == [("option-made-optional", "compatible")]

    def test_a_lost_environment_variable_breaks(self):
        assert kinds(options(option(envVar="X")), options(option())) == [
            ("env-var-changed", "breaking")
        ]

    def test_a_flag_that_starts_to_destroy_is_seen(self):
        new = options(option(**{"x-atip": {"effects": {"destructive": True}}}))
        change = only(options(option()), new)
        assert (change.kind, change.direction) == ("destructive-added", "more-dangerous")
        assert change.path[-3:] == ("x-atip", "effects", "destructive")

    def test_global_options_are_compared(self):
        old, new = tool(globalOptions=[option()]), tool()
        assert only(old, new).path == ("globalOptions", "output")


class TestEffects:
    @pytest.mark.parametrize(
        ("old", "new", "kind", "direction"),
        [
            ({}, {"destructive": True}, "destructive-added", "more-dangerous"),
            ({"destructive": True}, {}, "destructive-removed", "less-dangerous"),
            ({"destructive": False}, {}, "destructive-changed", "more-dangerous"),
            ({}, {"destructive": False}, "destructive-changed", "less-dangerous"),
            ({"reversible": True}, {}, "reversible-changed", "more-dangerous"),
            ({"idempotent": False}, {"idempotent": True}, "idempotent-changed", "less-dangerous"),
            ({"subprocess": False}, {"subprocess": True}, "subprocess-changed", "more-dangerous"),
            ({"deletes": ["a"]}, {"deletes": []}, "deletes-changed", "less-dangerous"),
            (
                {"filesystem": {"paths": ["./"]}},
                {"filesystem": {"paths": ["./", "~"]}},
                "filesystem-changed",
                "more-dangerous",
            ),
            ({"filesystem": {"paths": ["./"]}}, {}, "filesystem-changed", "more-dangerous"),
            (
                {"interactive": {"stdin": "none"}},
                {"interactive": {"stdin": "password"}},
                "interactive-changed",
                "more-dangerous",
            ),
            (
                {"cost": {"estimate": "high"}},
                {"cost": {"estimate": "low"}},
                "cost-changed",
                "less-dangerous",
            ),
            (
                {"duration": {"timeout": "5s"}},
                {"duration": {"timeout": "2m"}},
                "duration-changed",
                "more-dangerous",
            ),
        ],
    )
    def test_every_fact_has_a_direction(self, old, new, kind, direction):
        """Unknown lies between false and true (A42)."""
        change = only(effects(old), effects(new))
        assert (change.kind, change.category, change.direction) == (kind, "effects", direction)

    def test_less_danger_is_flagged_as_a_weaker_claim(self):
        found = diff(effects({"destructive": True}), effects({"destructive": False}))
        assert [change.kind for change in found.weaker_claims] == ["destructive-removed"]
        assert found.changes[0].to_json()["weakerClaim"] is True

    def test_tool_wide_effects_are_compared(self):
        assert only(tool(), tool(effects={"network": True})).path == ("effects", "network")

    def test_the_order_of_kinds_is_no_effect(self):
        assert kinds(effects({"creates": ["a", "b"]}), effects({"creates": ["b", "a"]})) == [
            ("other-changed", "compatible")
        ]


class TestRoot:
    def test_login_that_becomes_required_breaks(self):
        new = tool(authentication={"required": True})
        assert kinds(tool(), new) == [("authentication-required-changed", "breaking")]

    def test_login_methods_and_scopes(self):
        def login(*methods):
            return tool(authentication={"methods": list(methods)})

        token = {"type": "token", "envVar": "T"}
        assert kinds(login(token), login()) == [("authentication-method-removed", "breaking")]
        assert kinds(login(), login(token)) == [("authentication-method-added", "compatible")]
        assert kinds(login(token), login({**token, "scopes": ["repo"]})) == [
            ("scopes-added", "breaking")
        ]

    def test_another_signer_is_a_danger(self):
        """A6."""

        def signed(identity):
            signature = {"type": "cosign", "identity": identity}
            return tool(trust={"shimIntegrity": {"signature": signature}})

        change = only(signed("alice"), signed("mallory"))
        assert (change.category, change.direction) == ("effects", "more-dangerous")

    def test_the_legacy_place_of_a_signature_is_the_same_place(self):
        """A5."""
        signature = {"type": "cosign", "identity": "alice"}
        old = tool(trust={"signature": signature})
        new = tool(trust={"shimIntegrity": {"signature": signature}})
        assert "trust-changed" not in {change.kind for change in diff(old, new).changes}

    def test_a_lower_build_level_is_a_danger_and_a_higher_one_no_promise(self):
        """A19."""

        def level(number):
            return tool(trust={"provenance": {"slsaLevel": number}})

        assert only(level(3), level(1)).direction == "more-dangerous"
        assert only(level(1), level(3)).direction == "changed"

    def test_the_form_of_the_protocol_field_is_no_change(self):
        """A1."""
        assert diff(tool(atip="0.6"), tool()).changes == ()

    def test_patterns_by_name_and_their_right_to_run(self):
        """A38."""
        pattern = {"name": "p", "description": "Do it", "steps": [{"command": "tool run"}]}
        new = tool(patterns=[{**pattern, "executable": True}])
        assert kinds(tool(patterns=[pattern]), new) == [
            ("patterns-changed", "compatible"),
            ("pattern-executable-changed", "effects"),
        ]

    def test_vendor_fields_are_seen_and_internal_ones_are_not(self):
        """A37."""
        assert kinds(tool(), tool(**{"x-a": 1, "_b": 2, "$schema": "c"})) == [
            ("extra-changed", "compatible")
        ]


@pytest.mark.parametrize(
    ("new", "step"),
    [
        (tool(description="Another text for it"), "patch"),
        (tool(version="1.0.1"), "patch"),
        (options(option()), "minor"),
        (effects({"destructive": True}), "minor"),
        (effects({"network": False}), "patch"),
        (arguments(argument()), "major"),
        (tool(name="other"), "major"),
    ],
)
def test_the_advice_is_the_largest_step_needed(new, step):
    assert diff(tool(), new).semver == step
