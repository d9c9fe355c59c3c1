"""The option that answers, for one line below a hit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atip.search.flags import MAX_DESCRIPTION, FlagFinder, read_flag
from atip.search.text import read_request

BRANCH = "List, create, or delete branches"
OPTIONS = [
    {"name": "all", "flags": ["-a", "--all"], "description": "list both remote-tracking and local branches"},
    {"name": "move", "flags": ["-m", "--move"], "description": "move/rename a branch and its reflog"},
    {"name": "delete", "flags": ["-d", "--delete"], "description": "delete fully merged branch"},
    {"name": "help", "flags": ["-h", "--help"], "description": "rename nothing, show help"},
]  # fmt: skip
NEAR = {"retitl": [("renam", 1.0)]}


def found(words: str, summary: str = BRANCH, options: object = OPTIONS) -> str | None:
    finder = FlagFinder(words, lambda term: 5.0, lambda term: NEAR.get(term, ()))
    flag = finder.find("git branch", summary, options)  # type: ignore[arg-type]
    return flag and flag.line


def test_the_option_with_the_words_that_the_summary_lacks_answers():
    assert found("rename a git branch") == "-m, --move  move/rename a branch and its reflog"
    assert found("list remote branches", "Manage branches").startswith("-a, --all")


def test_a_near_synonym_is_enough():
    assert found("retitle a branch") == "-m, --move  move/rename a branch and its reflog"


def test_nothing_is_said_where_the_command_itself_answers_or_no_option_does():
    assert found("delete a git branch") is None
    assert found("paint a git branch") is None
    assert found("rename a branch", options=None) is None
    assert found("rename a branch", options=["--move", {"flags": "-m"}, {}]) is None


@given(words=st.text(max_size=60), flags=st.lists(st.text(max_size=8)), text=st.text(max_size=400))
def test_whatever_is_stored_gives_a_bounded_line_of_the_stored_spellings(words, flags, text):
    option = {"flags": flags, "description": text}
    made = read_flag(option)
    if made is not None:
        assert len(made.description) <= MAX_DESCRIPTION
        assert set(made.spellings) <= set(flags)
    finder = FlagFinder(words, lambda term: 1.0, lambda term: ())
    flag = finder.find("tool", "", [option])
    if flag is not None:
        assert read_request(words)
        assert flag == made
