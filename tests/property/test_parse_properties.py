"""Laws of parsing and judging, over random words and every curated tool."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atip.calls.effects.engine import effects_of
from atip.calls.parse import parse
from atip.inference.effects import infer_effects
from atip.knowledge import load, names

WORDS = st.one_of(
    st.sampled_from(
        ["--", "-", "-f", "-rf", "--force", "-n", "--dry-run", "push", "rm", "delete", ";", "+", "{}",
         "--help", "-c", "-o", "x=y", "of=/dev/sda", "@f", "\0", "-\0", "--x=\0", "-c'", "list", "a b"]
    ),
    st.text(max_size=12),
)  # fmt: skip
TOOLS = st.sampled_from(names())
DANGERS = ("network", "subprocess", "destructive")


def rank(fact):
    return {False: 0, None: 1, True: 2}[fact]


@given(TOOLS, st.lists(WORDS, max_size=8))
@settings(max_examples=400, deadline=None)
def test_no_words_make_parsing_or_judging_fail(name, words):
    tool = load(name)
    effects_of(tool, parse(tool, [name, *words]), lookup=load)


@given(TOOLS, st.lists(WORDS, max_size=8))
@settings(max_examples=200, deadline=None)
def test_every_word_is_accounted_for(name, words):
    tool = load(name)
    call = parse(tool, [name, *words])
    kept = [*call.path, *call.arguments, *(v for o in call.options for v in (o.flag, o.value) if v)]
    kept += [w for inner in call.inner for w in (*inner.argv, inner.text)]
    for word in words:
        if word.isalpha() and tool.own.get("style") != "bundle":
            aliases = call.path or any(word in part for part in kept)
            assert aliases, (name, words, call)


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_line_has_effects(line):
    infer_effects(line)


@pytest.mark.parametrize("name", names())
def test_a_flag_that_only_raises_never_lowers(name):
    tool = load(name)
    options = [*(tool.global_options or ()), *(tool.options or ())]
    before = effects_of(tool, parse(tool, [name]), lookup=load).effects
    for option in options:
        own = option.own
        if not set(own) <= {"effects", "maybe", "always", "optionalValue"}:
            continue
        for flag in option.flags:
            call = parse(tool, [name, flag] + (["x"] if option.takes_value else []))
            if any("does" in rule for rule in tool.own.get("when", ())):
                continue  # rules may select another profile; that is their purpose
            after = effects_of(tool, call, lookup=load).effects
            for fact in DANGERS:
                assert rank(getattr(after, fact)) >= rank(getattr(before, fact)), (name, flag)
