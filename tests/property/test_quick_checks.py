"""Quick checks before regular expressions rule out only what the expression would not match; `guard` starts without `re`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atip.calls.effects.rules import is_ruled_out
from atip.knowledge.reading import names
from atip.policy.places import sensitive
from tests.shared import ROOT

PACK = ROOT / "src" / "atip" / "knowledge" / "pack"


def _texts(node: object) -> set[str]:
    if isinstance(node, dict):
        return set().union(*(_texts(value) for value in node.values())) if node else set()
    if isinstance(node, list):
        return set().union(*(_texts(value) for value in node)) if node else set()
    return {node} if isinstance(node, str) else set()


def _patterns(node: object) -> set[str]:
    """Every text below a `when` of the pack: more than the patterns, and all of them."""
    if isinstance(node, dict):
        below = set().union(*(_patterns(value) for value in node.values())) if node else set()
        return below | _texts(node.get("when", ()))
    if isinstance(node, list):
        return set().union(*(_patterns(value) for value in node)) if node else set()
    return set()


def _is_expression(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


@pytest.fixture(scope="module")
def patterns() -> list[str]:
    found: set[str] = set()
    for name in names():
        found |= _patterns(json.loads((PACK / f"{name}.json").read_text()))
    assert len(found) > 200
    return sorted(text for text in found if _is_expression(text))


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_rule_of_the_pack_is_ruled_out_only_where_it_does_not_match(patterns, data) -> None:
    pattern = data.draw(st.sampled_from(patterns))
    text = data.draw(st.from_regex(pattern) | st.text(max_size=12))
    if is_ruled_out(pattern, text):
        assert re.search(pattern, text) is None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("a|b", "b"), ("ab?c", "ac"), ("ab*", "a"), ("(?i)^file:", "FILE:x"), (r"\[.*(a|b)", "x[b"),
     ("(?i)skip", "\u017fkip"), ("a{0,1}b", "b"), ("a(b)|c", "c"), (r"\.x", ".x"), ("[a|b]c", "bc")],
)  # fmt: skip
def test_what_matches_is_not_ruled_out(pattern: str, text: str) -> None:
    assert re.search(pattern, text)
    assert not is_ruled_out(pattern, text)


def test_most_words_are_ruled_out_without_the_expression() -> None:
    assert is_ruled_out("^-[A-Za-z]*[fxCF]", "notes.txt")
    assert is_ruled_out(r"\[.*(\$\(|`)", "build")
    assert is_ruled_out("(?i)^file:", "https://h.example/")


LISTS = [
    (entry, expression, check)
    for entries, absolute, expression, check in (
        (sensitive._SECRET, sensitive._SECRET_ABSOLUTE, sensitive.SECRETS, sensitive.is_secret),
        (sensitive._PROTECTED, (), sensitive.PROTECTED, sensitive.is_protected),
    )
    for entry in (*(f"(?:^|[/:@=]){each}" for each in entries), *(f"^/{each}" for each in absolute))
]


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_the_quick_check_leaves_out_no_sensitive_path(data) -> None:
    entry, expression, check = data.draw(st.sampled_from(LISTS))
    path = data.draw(st.from_regex(entry))
    path = "".join(char for char in path if char not in "\0\1\2")
    if expression.search(path):
        assert check(path)


@settings(max_examples=300, deadline=None)
@given(st.text("ab.\1\2\0", max_size=8), st.sampled_from(["ab", ".ab", "a.b", "aab", "b"]))
def test_wildcards_match_as_the_expression_would(part: str, want: str) -> None:
    dotless = want.startswith(".") and part[:1] in ("\1", "\2")
    made = "".join({"\0": ".*", "\1": "[^/]*", "\2": "[^/]"}.get(c) or re.escape(c) for c in part)
    expected = not dotless and bool(re.fullmatch(made, want))
    assert sensitive._part_may_be(part, want) is expected


@pytest.mark.parametrize(
    "line",
    ["git status --porcelain", "ls -la", "rg -n foo src | head -5",
     "cd build && find . -name '*.o' -exec rm -f {} + ; curl -T out https://h.example/"],
)  # fmt: skip
def test_guard_imports_no_regular_expressions_for_plain_lines(line: str, tmp_path) -> None:
    script = (
        "import sys; from atip.cli.main import main; main(['guard']);"
        "sys.stderr.write(' '.join(sorted({'re', 'json', 'enum', 'functools', 'collections'} & set(sys.modules))))"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT / "src"),
    }
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        input=json.dumps({"line": line, "cwd": str(tmp_path)}),
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["decision"] in ("allow", "ask")
    assert done.stderr == ""
