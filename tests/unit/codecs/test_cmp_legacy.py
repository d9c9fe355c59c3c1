"""Tools made for the router of CMP 0.1.0 become folders of today."""

from __future__ import annotations

import pytest

from atip.codecs.cmp import codec as cmp
from atip.codecs.cmp.legacy import modernize
from atip.errors import FormatError

INTENT = {"patterns": ["find text"], "template": "rg {query}", "outputParser": "json"}
IDENTITY = {"domain": "files", "name": "ripgrep", "summary": "Search", "version": "1.0.0"}


@pytest.mark.proves("CMP-B-01")
@pytest.mark.parametrize(
    "document",
    [
        {**IDENTITY, "adapter": True, "wraps": "rg", "intents": [INTENT], "discovery": {"port": 1}},
        {"manifest": {**IDENTITY, "discovery": {}}, "capability": {"intents": [INTENT]}},
        {
            "name": "ripgrep",
            "version": "1.0.0",
            "description": "Search",
            "cmp": {"domain": "files", "capability": {"intents": [INTENT]}, "discovery": {}},
        },
    ],
    ids=["adapter file", "two documents", "package.json"],
)
def test_every_old_form_becomes_a_tool(document):
    documents, losses = modernize(document)
    tool = cmp.decode(documents).tool
    assert (tool.name, tool.description, tool.version) == ("ripgrep", "Search", "1.0.0")
    assert documents["capability"]["intents"][0]["command"] == "rg {query}"
    assert [loss.path for loss in losses] == ["$.discovery", "$.intents[0].outputParser"]
    assert [p for p in cmp.problems_of(documents) if p.severity == "error"] == []


def test_a_missing_name_is_that_of_the_file():
    documents, _ = modernize({"domain": "x", "summary": "y", "intents": []}, origin="old")
    assert (documents["manifest"]["name"], documents["manifest"]["version"]) == ("old", "0.0.0")


@pytest.mark.parametrize("document", [None, [], {}, {"name": "x"}, {"cmp": {"domain": "x"}}])
def test_anything_else_is_refused(document):
    with pytest.raises(FormatError) as caught:
        modernize(document)
    assert caught.value.code == "cmp.not-legacy"
