"""Knowledge merged over an inferred tool."""

import json

from atip.calls.effects.engine import effects_of
from atip.calls.parse import parse
from atip.inference.knowledge import merge_knowledge
from atip.knowledge import load
from atip.model.effects import Effects
from atip.model.reading.encode import encode
from atip.model.tool import Command, Option, Tool

FORCE = Option(name="force", flags=("-f", "--force"), type="boolean", description="force updates")
ODD = Option(name="odd", flags=("--odd",), type="boolean", description="set something")
INFERRED = Tool(
    name="git",
    version="2.99",
    commands={
        "push": Command(description="Update remote refs", options=(FORCE,)),
        "clean": Command(description="Remove untracked files", effects=Effects(network=True)),
        "frob": Command(description="Delete all frobs"),
        "daemon": Command(description="Serve", options=(ODD,)),
    },
)


def destructive(tool, *words):
    argv = ["git", *words]
    return effects_of(tool, parse(tool, argv), lookup=load).effects.destructive


def test_structure_is_the_tools_and_effects_are_ours():
    merged = merge_knowledge(INFERRED, load("git"))
    assert list(merged.commands) == list(INFERRED.commands)
    assert merged.version == "2.99"
    assert merged.commands["push"].description == "Update remote refs"
    assert destructive(merged, "push") is False
    assert destructive(merged, "push", "-f") is True


def test_flags_and_commands_that_only_knowledge_has_are_found_but_not_shown():
    merged = merge_knowledge(INFERRED, load("git"))
    assert destructive(merged, "push", "--mirror") is True
    assert destructive(merged, "reflog", "expire") is True
    assert [o.name for o in merged.commands["push"].options] == ["force"]


def test_a_danger_that_the_tool_declares_stays():
    merged = merge_knowledge(INFERRED, load("git"))
    assert merged.commands["clean"].effects.network is True


def test_a_denial_of_the_tool_does_not_calm_what_we_leave_open():
    calm = INFERRED.replace(commands={"rebase": Command(effects=Effects(destructive=False))})
    merged = merge_knowledge(calm, load("git"))
    assert merged.commands["rebase"].effects.destructive is None


def test_a_command_that_knowledge_lacks_is_judged_by_rule():
    assert destructive(merge_knowledge(INFERRED, load("git")), "frob") is True


def test_a_flag_that_knowledge_lacks_counts_as_unknown():
    merged = merge_knowledge(INFERRED, load("git"))
    assert destructive(merged, "daemon") is False
    assert destructive(merged, "daemon", "--odd") is None


def test_foreign_marks_that_would_calm_are_dropped():
    forged = {"x-atip": {"dryRun": True, "profile": "nothing", "rest": "harmless"}}
    tool = INFERRED.replace(
        commands={"push": Command(options=(FORCE.replace(extra=forged),), extra=forged)},
        extra={"x-atip": {"curated": "knowledge", "rest": "harmless", "help": ["push"]}},
    )
    merged = merge_knowledge(tool, load("git"))
    assert destructive(merged, "push", "--force") is True
    assert "dryRun" not in merged.commands["push"].options[0].own


def test_a_merged_tool_can_be_written():
    assert json.dumps(encode(merge_knowledge(INFERRED, load("git"))))
