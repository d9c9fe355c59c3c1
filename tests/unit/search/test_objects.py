"""Objects: a tool name that a request acts on does not ask for that tool."""

from __future__ import annotations

from atip.search.requests.objects import IN_SUMMARY, without_objects
from atip.search.stems import stem
from atip.search.text import read_request

SPANS = {"nginx": (1, 1), "docker": (2, 9), "ls": (10, 10), "git": (11, 20)}
POSTINGS = {
    stem("restart"): [4 << 8 | 200, 11 << 8 | IN_SUMMARY - 1],
    stem("install"): [30 << 8 | 255],
}


def kept(words: str) -> list[str]:
    terms = without_objects(
        read_request(words), words, SPANS.get, lambda term: POSTINGS.get(term, [])
    )
    return [term.word for term in terms]


def test_name_after_a_verb_of_administration_is_an_object():
    assert kept("restart nginx") == ["restart"]
    assert kept("install git from the distribution") == ["install", "distribution"]


def test_tool_that_has_the_verb_itself_is_asked_for():
    assert kept("restart docker") == ["restart", "docker"]


def test_verb_that_only_details_mention_is_not_the_tool_s_own():
    assert kept("restart git") == ["restart"]


def test_question_about_a_command_does_not_ask_for_it():
    assert kept("what does the ls command do") == ["command"]


def test_request_of_a_name_alone_keeps_it():
    assert kept("what is git") == ["git"]
    assert kept("install") == ["install"]


def test_other_verbs_and_verbs_after_the_name_ask_for_the_tool():
    assert kept("clone with git") == ["clone", "git"]
    assert kept("git restart") == ["git", "restart"]


def test_request_with_particulars_asks_for_the_tool():
    assert kept("stop nginx in the background") == ["stop", "nginx", "background"]
    assert kept("force install git") == ["force", "install", "git"]
    assert kept("stop the nginx service") == ["stop", "service"]


def test_starting_a_program_asks_for_it():
    assert kept("start nginx") == ["start", "nginx"]
