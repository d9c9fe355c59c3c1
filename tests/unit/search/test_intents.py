"""Which intent is meant: exact patterns win, expressions are bounded, what destroys is never guessed."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.calls.templates.cmp import CmpIntent
from atip.codecs.cmp.document import Reader
from atip.search.intents import Candidate, match
from atip.search.lexicon import Lexicon
from tests.shared import shared
from tests.unit.codecs.cmp_examples import inboxd, jot, spec_tools

LEXICON = Lexicon()


def candidates(*tools: dict) -> list[Candidate]:
    found = []
    for documents in tools:
        manifest = documents["manifest"]
        about = f"{manifest['name']} {manifest['domain']} {manifest['summary']}"
        found += [
            Candidate(
                tool=f"{manifest['domain']}/{manifest['name']}",
                number=number,
                intent=intent,
                about=about,
            )
            for number, intent in enumerate(Reader().intents(documents["capability"]))
        ]
    return found


def one(*patterns: str, destructive: bool = False, tool: str = "d/t", number: int = 0) -> Candidate:
    intent = CmpIntent(patterns=patterns, command="t x", destructive=destructive)
    return Candidate(tool=tool, number=number, intent=intent)


def chosen(request: str, found: list[Candidate]) -> tuple[str, int] | None:
    answer = match(request, found, LEXICON).chosen
    return answer and (answer.candidate.tool, answer.candidate.number)


@pytest.mark.proves("CMP-5.2-04")
@pytest.mark.parametrize("written", [str, str.upper, str.title, "  {}. ".format])
def test_every_pattern_of_every_intent_of_the_text_leads_to_its_own_intent(written):
    everything = candidates(inboxd(), jot(), spec_tools()[1])
    for candidate in everything:
        for pattern in candidate.intent.patterns:
            if not pattern.startswith("re:"):
                found = match(written(pattern), everything, LEXICON)
                assert found.reason == "exact pattern"
                assert found.chosen.candidate == candidate, pattern
                assert found.chosen.score == 1.0


def test_the_example_of_the_text_itself_routes_alone():
    everything = candidates(spec_tools()[0])
    assert len(everything) == 3
    for candidate in everything:
        for pattern in candidate.intent.patterns:
            assert chosen(pattern, everything) == ("email/inboxd", candidate.number)


def test_what_the_reference_router_gets_wrong():
    reference = json.loads((shared("vectors/cmp") / "inboxd" / "reference-match.json").read_text())
    assert reference
    everything = candidates(inboxd())
    assert chosen("undo delete", everything) == ("email/inboxd", 3)
    assert chosen("restore emails", everything) == ("email/inboxd", 3)
    assert chosen("e", everything) is None
    assert chosen("", everything) is None


@pytest.mark.proves("CMP-4.4-01")
@pytest.mark.parametrize(
    ("request_", "number"),
    [
        ("how many emails are unread", 0),
        ("please list my accounts", 4),
        ("list the recent emails", 1),
        ("recover the messages", 3),
    ],
)
def test_a_request_in_other_words_still_matches(request_, number):
    assert chosen(request_, candidates(inboxd())) == ("email/inboxd", number)


@pytest.mark.proves("CMP-5.2-02")
def test_the_tools_own_words_speak_for_it():
    patterns = ("show the newest items",)
    mail = one(*patterns, tool="email/a").replace(about="email Gmail inbox")
    code = one(*patterns, tool="git/b").replace(about="git commits")
    found = match("show newest items of the inbox", [code, mail], LEXICON)
    best = found.chosen or found.choices[0]
    assert best.candidate.tool == "email/a"
    assert "domain" in best.how


@pytest.mark.proves("CMP-4.4-02")
def test_an_expression_matches_without_case_and_loses_to_an_exact_pattern():
    found = [one("re:delete.*mail|trash", number=0), one("trash can", number=1)]
    assert chosen("DELETE all my mail", found) == ("d/t", 0)
    assert chosen("trash can", found) == ("d/t", 1)


@pytest.mark.measured
@pytest.mark.proves("CMP-4.4-02")
def test_hostile_expressions_take_no_time_and_refused_ones_match_nothing():
    rows = (shared("corpora/security/regex") / "patterns.jsonl").read_text().splitlines()
    for row in map(json.loads, rows):
        candidate = one("re:" + row["pattern"])
        start = time.process_time()
        match("a" * 500, [candidate], LEXICON)
        assert time.process_time() - start < 0.1, row


def test_the_same_pattern_twice_is_a_choice_not_a_guess():
    found = match("clean up", [one("clean up", tool="a/t"), one("clean up", tool="b/t")], LEXICON)
    assert found.chosen is None
    assert [choice.candidate.tool for choice in found.choices] == ["a/t", "b/t"]
    assert "very pattern" in found.reason


@pytest.mark.parametrize(
    "request_",
    ["emails", "mails", "remove", "delete some of the older newsletters", "do not delete emails",
     "never remove emails", "without deleting emails", "undo the trash messages"],
)  # fmt: skip
def test_what_destroys_is_never_guessed(request_):
    found = match(request_, candidates(inboxd()), LEXICON)
    assert found.chosen is None or not found.chosen.candidate.intent.destructive


def test_a_small_lead_over_something_destructive_is_not_enough():
    found = [one("clear old logs", destructive=True), one("collect old logs", number=1)]
    answer = match("old logs", found, LEXICON)
    assert answer.chosen is None
    assert len(answer.choices) == 2
    assert "never guessed" in answer.reason


def test_the_answer_explains_itself():
    document = match("please list the accounts", candidates(inboxd()), LEXICON).to_json()
    assert document["match"]["pattern"] == "list accounts"
    assert {"list", "accounts"} <= set(document["match"]["matched"])
    assert document["match"]["unmatched"] == ["please"]
    assert set(document["match"]) == {
        "tool", "intent", "pattern", "how", "score", "matched", "unmatched", "command", "confirm",
        "destructive",
    }  # fmt: skip
    assert document["needed"] == {"score": 0.5, "lead": 0.12}


def test_a_request_that_was_cut_is_nobodys_exact_pattern():
    long = "x" * 500
    assert match(long + " and more", [one(long)], LEXICON).reason != "exact pattern"
    assert match(long, [one(long)], LEXICON).reason == "exact pattern"


@given(st.text(max_size=60))
def test_any_request_gets_an_answer(request_):
    everything = candidates(jot())
    found = match(request_, everything, LEXICON)
    if found.chosen is not None and found.chosen.how != "exact":
        assert found.chosen.score >= found.needed[0]
