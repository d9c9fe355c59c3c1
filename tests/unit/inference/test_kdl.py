"""The small KDL reader: both versions of the language, and nothing that makes it stumble."""

from __future__ import annotations

import pytest

from atip.errors import FormatError
from atip.inference.described.usage.kdl import parse_kdl


def values(text):
    return parse_kdl(text)[0].values


def test_values_and_properties():
    node = parse_kdl('cmd "a b" 3 -1.5 true null key="v" (type)other=#false')[0]
    assert node.values == ("a b", 3, -1.5, True, None)
    assert dict(node.properties) == {"key": "v", "other": False}


def test_strings_of_both_versions():
    assert values(r'n "a\n\"b\" \u{e9}"') == ('a\n"b" é',)
    assert values('n r#"raw "quotes" \\n"#') == ('raw "quotes" \\n',)
    assert values('n #"raw"#') == ("raw",)
    assert values('n """\n  two\n  lines\n  """') == ("two\nlines",)


def test_comments_and_continuations():
    assert values("n 1 /* no */ \\\n  2 // end\n") == (1, 2)
    assert values('n /-"gone" "kept"') == ("kept",)
    assert [node.name for node in parse_kdl("/- a { b }\nc; d")] == ["c", "d"]


def test_children():
    node = parse_kdl("a { b 1; c { d }\n }")[0]
    assert [child.name for child in node.children] == ["b", "c"]
    assert node.child("c").children[0].name == "d"


@pytest.mark.parametrize("text", ["a {", "}", 'a "x', "a =", "(", "a (x", "a {" * 100, "["])
def test_broken_documents_are_refused(text):
    with pytest.raises(FormatError) as caught:
        parse_kdl(text)
    assert caught.value.code == "kdl.syntax"
