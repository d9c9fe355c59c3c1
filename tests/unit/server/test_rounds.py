"""Tokens between a question and the call that answers it: once, for the same call, for a while."""

from __future__ import annotations

import mcp_types as types
import pytest

from atip.server import consent
from atip.server.consent import InputRequired, Rounds

QUESTION = InputRequired("key", "Run it?")


def answered(state: str, answer: str = "yes", action="accept", key: str = "key"):
    said = types.ElicitResult(action=action, content={"answer": answer})
    return types.CallToolRequestParams(name="run", input_responses={key: said}, request_state=state)


@pytest.fixture
def rounds():
    return Rounds()


def test_a_yes_is_accepted_once(rounds):
    token = rounds.begin("call", QUESTION, frozenset())
    assert rounds.resume("call", answered(token)) == (frozenset({"key"}), "")
    assert rounds.resume("call", answered(token)) == (frozenset(), "")


def test_another_call_gets_nothing_and_uses_the_token_up(rounds):
    token = rounds.begin("call", QUESTION, frozenset({"earlier"}))
    assert rounds.resume("other", answered(token)) == (frozenset(), "")
    assert rounds.resume("call", answered(token)) == (frozenset(), "")


def test_earlier_answers_are_kept_through_further_questions(rounds):
    token = rounds.begin("call", QUESTION, frozenset({"earlier"}))
    assert rounds.resume("call", answered(token)) == (frozenset({"earlier", "key"}), "")


@pytest.mark.parametrize(
    ("answer", "action"),
    [("no", "accept"), ("yes", "decline"), ("yes", "cancel"), ("Yes", "accept")],
)
def test_anything_else_is_a_no(rounds, answer, action):
    token = rounds.begin("call", QUESTION, frozenset())
    assert rounds.resume("call", answered(token, answer, action)) == (frozenset(), "key")


def test_an_answer_to_another_question_is_none(rounds):
    token = rounds.begin("call", QUESTION, frozenset())
    assert rounds.resume("call", answered(token, key="other")) == (frozenset(), "")


def test_a_token_expires(rounds, monkeypatch):
    token = rounds.begin("call", QUESTION, frozenset())
    later = consent.monotonic() + consent.LIFETIME_S + 1
    monkeypatch.setattr(consent, "monotonic", lambda: later)
    assert rounds.resume("call", answered(token)) == (frozenset(), "")


def test_open_questions_are_bounded(rounds):
    tokens = [rounds.begin("call", QUESTION, frozenset()) for _ in range(consent.MAX_PENDING + 5)]
    assert rounds.resume("call", answered(tokens[0])) == (frozenset(), "")
    assert rounds.resume("call", answered(tokens[-1])) == (frozenset({"key"}), "")
