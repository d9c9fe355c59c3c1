"""Text that people read is plain technical English: words that must not come back, over all strings of the program."""

from __future__ import annotations

import ast
import re

import pytest

from tests.shared import ROOT

SOURCES = sorted((ROOT / "src" / "atip").rglob("*.py"))
WORDS = re.compile(
    r"\b(?:nobody|somebody|anybody|only looks|for good|worn out|borne out|rungs?|keeper|asker|unbidden|told|judgements?)\b"
    r"|\b(?:all the same|learnt|speaks? of|will not do|leads? out of|made-up|altogether|broke off|anew|on the way|policy demands)\b"
    r"|\b(?:names|holds|knows|gives) no (?:interpreter|metadata|root|tool|object)\b"
    r"|\b(?:list of|or no|is a) texts?\b|\bothers may (?:read|write)\b|\bgives? (?:it|them) up\b|\bneeds? .{0,12}\byes\b"
    r"|(?<!there)(?<!There) is no (?!longer\b|more than\b)"
)
DATA = {"inference/effects_words.py"}  # words of other people's help texts


def strings(tree: ast.Module, *, with_docstring: bool) -> list[str]:
    """Phrases outside of docstrings; a verb's own docstring is its help."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]
    return [*found, (ast.get_docstring(tree) or "") if with_docstring else ""]


@pytest.mark.parametrize(
    "package", sorted({p.relative_to(ROOT / "src" / "atip").parts[0] for p in SOURCES})
)
def test_phrases_avoid_these_words(package):
    bad = []
    for path in SOURCES:
        name = path.relative_to(ROOT / "src" / "atip").as_posix()
        if name.split("/")[0] != package or name in DATA:
            continue
        texts = strings(ast.parse(path.read_text()), with_docstring="cli/verbs/" in name)
        bad += [f"{name}: {text[:80]}" for text in texts if " " in text and WORDS.search(text)]
    assert bad == []


PAGES = [
    ROOT / "README.md",
    *(p for name in ("start", "guides", "concepts") for p in (ROOT / "docs" / name).glob("*.md")),
]
PAGES += [ROOT / "docs" / "formats" / "sdk.md", ROOT / "docs" / "reference" / "install.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_avoid_these_words(page):
    prose = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.S)
    assert [prose[max(0, m.start() - 40) : m.end() + 40] for m in WORDS.finditer(prose)] == []


PEOPLE = re.compile(r"\b(?:nobody|somebody|someone|anybody|everybody|everyone|whoever)\b", re.I)


def test_docstrings_and_comments_name_mechanisms_instead_of_people():
    """ "Signer not trusted" instead of "signed by nobody who may sign"."""
    bad = []
    for path in SOURCES:
        lines = path.read_text().splitlines()
        bad += [
            f"{path.name}:{n}: {line.strip()}"
            for n, line in enumerate(lines, 1)
            if PEOPLE.search(line)
        ]
    assert bad == []


def test_the_words_are_found():
    tree = ast.parse(
        '"""nobody"""\nraise Error("a.b", f"`{x}` is no list")\nsay("there is no list")'
    )
    assert [text for text in strings(tree, with_docstring=False) if WORDS.search(text)] == [
        "` is no list"
    ]
    assert WORDS.search(strings(tree, with_docstring=True)[-1])


def test_code_refers_only_to_documents_in_the_tree():
    """A reader of a clone can open every page that a comment or docstring names."""
    named = re.compile(
        r"(?<![\w/])((?:docs|conformance)/[\w/.-]+\.(?:md|toml|txt))\b|\b(SECURITY-BAR|DESIGN §)"
    )
    missing = {
        f"{path.relative_to(ROOT)}: {match.group(0)}"
        for path in SOURCES
        for match in named.finditer(path.read_text())
        if match.group(2) or not (ROOT / match.group(1)).exists()
    }
    assert missing == set()
