"""`infer_effects`: knowledge first, rules for the rest."""

import pytest

from atip.inference.effects import explain_effects, infer_effects
from atip.inference.effects_rules import infer_command_effects, infer_flag
from atip.knowledge import load, names


def rule(tool, path, description=""):
    return infer_command_effects(tool, path.split(), description).effects.destructive


def test_knowledge_comes_first():
    assert infer_effects("git push --force").destructive is True
    assert infer_effects(["git", "status"]).destructive is False


def test_an_unclosed_quote_is_not_an_error():
    assert infer_effects("git log 'x").network is False


def test_nothing_is_not_a_command():
    assert infer_effects("").destructive is None


def test_an_unknown_command_of_a_known_tool_is_judged_by_rule():
    found = explain_effects("git obliterate x")
    assert found.effects.destructive is True
    assert found.reasons[-1].evidence == "rules"


@pytest.mark.parametrize(
    "path",
    [
        "delete",
        "thing destroy",
        "db:drop",
        "db.dropDatabase()",
        "prune-old",
        "lvremove",
        "x --purge",
    ],
)
def test_words_of_loss_raise_the_alarm(path):
    assert rule("frobctl", path) is True


@pytest.mark.parametrize("path", ["list", "show x", "get things", "status"])
def test_a_verb_alone_never_yields_safe(path):
    assert rule("frobctl", path) is None


def test_a_verb_and_a_description_that_agrees_do():
    assert rule("frobctl", "list", "List all frobs") is False


@pytest.mark.parametrize(
    "description",
    [
        "List frobs and delete old ones",
        "Run a program and list frobs",
        "Frobs",
        "Lists; overwrites x",
    ],
)
def test_a_description_that_disagrees_does_not(description):
    assert rule("frobctl", "list", description) is not False


@pytest.mark.parametrize("flag", ["--force", "--exec", "--output", "--frob", "-f"])
def test_a_flag_we_cannot_place_takes_the_safety_away(flag):
    assert rule("frobctl", f"list {flag}", "List all frobs") is not False


def test_a_dry_run_flag_never_makes_safe_by_rule():
    assert rule("frobctl", "delete --dry-run", "Delete a frob") is None


def test_what_is_rebuilt_is_not_certain_loss():
    assert rule("frobctl", "cache purge", "Delete all cached files") is None


def test_every_answer_has_a_reason():
    for path in ("delete", "list", "frob"):
        assert infer_command_effects("t", [path]).reasons[0].says


def test_a_flag_by_its_name_and_text():
    assert infer_flag(("--verbose",)) == {}
    assert "maybe" in infer_flag(("--purge",))
    assert "maybe" in infer_flag(("--x",), "delete the originals")
    assert infer_flag(("--x",), "set the width") == {"unvetted": True}


def test_rules_alone_find_what_the_curated_files_call_destructive():
    """The pack as a witness: every curated command is judged as if nobody had written about it."""
    found = safe = total = 0
    for name in names():
        tool = load(name)
        for path, command in tool.walk():
            if command.effects.destructive is not True:
                continue
            judged = infer_command_effects(name, path).effects.destructive
            total += 1
            found += judged is True
            safe += judged is False
    assert safe == 0
    assert found / total >= 0.88
