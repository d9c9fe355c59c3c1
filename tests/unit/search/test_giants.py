"""A giant among the tools does not push the others aside; a curated intent counts also with a word more or less."""

from __future__ import annotations

import pytest

from atip import Command, Tool
from atip.search.index import GIANT, SearchIndex


def giant(commands):
    """A tool with so many commands that some have the words of any request."""
    names = {
        f"update-listener-{number}": Command(description="Update a listener port")
        for number in range(commands)
    }
    return Tool(name="cloud", description="Everything", commands=names)


def small():
    return Tool(name="ports", description="Show ports that listen on this machine")


def first(index, request):
    return index.search(request)[0].tool


@pytest.mark.parametrize("request_text", ["listener ports", "update a listener"])
def test_a_giant_is_held_back_unless_it_is_named(request_text):
    plain, held = SearchIndex(), SearchIndex()
    plain.put([giant(3), small()])
    held.put([giant(40 * GIANT), small()])
    scores = {
        index: max(
            hit.score for hit in index.search(f"{request_text}", limit=20) if hit.tool == "cloud"
        )
        / max(
            hit.score
            for hit in index.search(f"cloud {request_text}", limit=20)
            if hit.tool == "cloud"
        )
        for index in (plain, held)
    }
    assert scores[held] < scores[plain]


@pytest.mark.parametrize(
    ("tool", "request_text"),
    [("ss", "list open ports"), ("lsof", "list open files"), ("df", "show free disk space")],
)
def test_a_curated_intent_is_first_also_with_a_word_more(tool, request_text):
    index = SearchIndex()
    others = [Tool(name=f"tool{n}", description=f"{request_text} quickly") for n in range(30)]
    index.put([Tool(name=tool, description="about it"), *others])
    assert first(index, request_text) == tool
    assert first(index, f"{request_text} nicely") == tool


@pytest.mark.parametrize(
    ("tool", "request_text"), [("ip", "what is my ip"), ("ss", "list ports listening")]
)
def test_a_curated_intent_is_first_also_with_a_word_less(tool, request_text):
    index = SearchIndex()
    others = [Tool(name=f"tool{n}", description=f"about {request_text}") for n in range(3)]
    index.put([Tool(name=tool, description=f"about {request_text}"), *others])
    assert first(index, request_text) == tool


def test_of_names_of_one_program_the_shorter_comes_first():
    index = SearchIndex()
    text = "connect to a remote machine"
    index.put([Tool(name="slogin", description=text), Tool(name="ssh", description="a client")])
    assert [hit.tool for hit in index.search(text)] == ["ssh", "slogin"]
