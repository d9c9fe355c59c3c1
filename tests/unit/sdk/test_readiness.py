"""The score of an author's tool: full when nothing is missing, and every lost point is explained."""

from __future__ import annotations

import pytest

from atip.sdk import READ_ONLY
from atip.sdk.check.readiness import WEIGHTS, ToolObservations, judge


def seen(**changes) -> ToolObservations:
    observed = ToolObservations()
    observed.expected_name = "tool"
    observed.help_mentions = True
    observed.document = {
        "atip": {"version": "0.6"},
        "name": "tool",
        "version": "1.0",
        "description": "Does things",
        "commands": {
            "run": {
                "description": "Run it",
                "effects": dict(READ_ONLY),
                "examples": ["tool run"],
                "options": [
                    {"name": "x", "flags": ["-x"], "type": "boolean", "description": "an X"}
                ],
            }
        },
    }
    for field, value in changes.items():
        setattr(observed, field, value)
    return observed


def test_weights_are_a_hundred_and_a_complete_tool_has_them_all():
    assert sum(WEIGHTS.values()) == 100
    assert judge(seen()) == (100, [])


@pytest.mark.parametrize(
    ("changes", "point", "score"),
    [
        ({"document": None, "failure": "it ended with status 2"}, "answers", 5),
        ({"help_mentions": False}, "help", 95),
        ({"expected_name": "other"}, "identity", 96),
        ({"left_files": ["x.log"]}, "harmless", 95),
        ({"seconds": 3.0}, "harmless", 95),
        ({"partial_failure": "no `partial`"}, "partial", 90),
    ],
)
def test_what_is_missing_costs_points_and_is_said(changes, point, score):
    points, findings = judge(seen(**changes))
    assert points == score
    assert [finding.point for finding in findings] == [point]
    assert findings[0].message and findings[0].advice


def test_unknown_effects_cost_most_and_effects_of_groups_count():
    observed = seen()
    del observed.document["commands"]["run"]["effects"]
    points, findings = judge(observed)
    assert points == 80
    assert findings[0].message == "`run` does not declare: network, filesystem.write, destructive"
    observed.document["effects"] = dict(READ_ONLY)
    assert judge(observed)[0] == 100


def test_description_that_repeats_the_name_counts_as_none():
    observed = seen()
    observed.document["commands"]["run"]["options"][0]["description"] = "x"
    points, findings = judge(observed)
    assert points == 95
    assert findings[0].message == "`run`: no help text for x"
