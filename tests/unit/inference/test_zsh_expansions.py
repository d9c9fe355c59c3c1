"""Expansions in zsh completions: what stands inside of `${…}` ends neither words nor functions."""

from __future__ import annotations

from atip.inference.completion.shell_words import WORD, tokenize
from atip.inference.completion.zsh import infer_zsh

SCRIPT = r"""#compdef ferry

_ferry-row () {
  _arguments -C \
    '*::: :->args' \
    ${oars//#\(/(* } && ret=0
}

_ferry-sail () {
  _arguments \
    '--jib[set the jib]' \
    ${${wind:#calm}//[^a-z]/ }
}
"""


def test_an_expansion_is_one_word() -> None:
    words = [
        token.text
        for token in tokenize("a ${b//#\\(/(* } ${${c}/ x}d '${e f}'")
        if token.kind == WORD
    ]
    assert words == ["a", "${b//#\\(/(* }", "${${c}/ x}d", "${e f}"]


def test_an_expansion_that_does_not_end_is_read_as_before() -> None:
    assert [token.text for token in tokenize("${a b")][-1] == "b"


def test_functions_after_an_expansion_keep_their_options() -> None:
    commands = infer_zsh(SCRIPT, "ferry").commands or {}
    assert [option.flags for option in commands["sail"].options or ()] == [("--jib",)]
    assert "row" not in commands or not commands["row"].options
