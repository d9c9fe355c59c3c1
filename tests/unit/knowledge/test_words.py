"""The one-line language for effects."""

import pytest

from atip.knowledge.words import WordError, as_effects, profile, raises, split_line


def test_a_profile_is_a_closed_world():
    effects = as_effects(profile("reads network"))
    assert effects.network is True
    assert effects.filesystem.read is True
    assert effects.filesystem.write is False
    assert effects.destructive is False
    assert effects.idempotent is True
    assert effects.interactive.stdin == "none"


def test_a_question_mark_is_unknown_not_false():
    effects = as_effects(profile("writes? destructive? network"))
    assert effects.filesystem.write is None
    assert effects.destructive is None
    assert effects.network is True


def test_destruction_implies_no_way_back_unless_the_line_says_otherwise():
    assert as_effects(profile("destructive")).reversible is False
    assert as_effects(profile("destructive reversible?")).reversible is None


def test_code_leaves_open_what_the_line_does_not_settle():
    effects = as_effects(profile("code network"))
    assert effects.subprocess is True
    assert effects.network is True
    assert effects.destructive is None
    assert effects.filesystem.delete is None


def test_a_raise_says_nothing_of_facts_it_does_not_name():
    facts, maybe = raises("destructive writes?")
    assert facts == {"destructive": True, "reversible": False}
    assert maybe == ["filesystem.write"]


def test_resources_become_the_lists_of_the_spec():
    effects = as_effects(profile("network creates:bucket changes:policy deletes:key"))
    assert (effects.creates, effects.modifies, effects.deletes) == (
        ("bucket",),
        ("policy",),
        ("key",),
    )


def test_a_wrong_word_is_refused():
    with pytest.raises(WordError):
        raises("reads wirtes")


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("network -- List things", ("network", "List things")),
        ("network", ("network", "")),
        ("-- Only text", ("", "Only text")),
    ],
)
def test_a_line_is_words_and_a_description(line, parts):
    assert split_line(line) == parts
