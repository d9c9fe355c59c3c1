"""The quick reader of command lines never disagrees with the real parser."""

from __future__ import annotations

import random

import pytest

from atip.cli.parsing import declare, load, parser_for
from atip.cli.quick import NeedsFullParser, QuickParser
from atip.cli.verbs import NOUNS, VERBS
from atip.errors import UsageError

PATHS = [(verb,) for verb in VERBS] + [(noun, verb) for noun in NOUNS for verb in NOUNS[noun]]
VALUES = ("a", "-", "7", "auto", "x=y", "--", "-7", "", "--nope", "-x", "never", "--json=1")


def lines(path: tuple[str, ...], count: int) -> list[list[str]]:
    rng = random.Random(repr(path))
    parser = parser_for(path, load(path))
    flags = [flag for action in parser._actions for flag in action.option_strings]
    flags = [flag for flag in flags if flag not in ("-h", "--help")]
    words = [*flags, *(f"{flag}=3" for flag in flags), *VALUES]
    return [rng.choices(words, k=rng.randrange(6)) for _ in range(count)]


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_a_line_that_is_read_quickly_means_the_same_to_the_parser(path):
    module = load(path)
    for words in lines(path, 150):
        quick = QuickParser()
        try:
            declare(quick, module)
            found = vars(quick.parse(words))
        except NeedsFullParser:
            continue
        try:
            assert found == vars(parser_for(path, module).parse_args(words)), words
        except (UsageError, SystemExit) as error:
            raise AssertionError(f"{words} is wrong for the parser: {error}") from error


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (("scan",), ["--path", "/x", "--path", "/y", "--json"]),
        (("list",), ["--json"]),
        (("show",), ["gh", "pr", "list", "--json", "--depth=1"]),
        (("run",), ["--json", "git", "log", "--oneline", "-3", "--json"]),
        (("run",), ["true"]),
    ],
)
def test_common_lines_are_read_quickly(path, words):
    quick = QuickParser()
    declare(quick, load(path))
    assert quick.parse(words)
