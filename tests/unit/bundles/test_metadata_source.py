"""Installed bundles as a source of knowledge, and the words by which their commands are found."""

from __future__ import annotations

import typing

import pytest

from atip.bundles.metadata_source import BundleSource
from atip.bundles.state import BundleStore, Installation
from atip.codecs.climd import codec as climd
from atip.codecs.climd.document import render_document
from atip.search.entries import entries_of
from atip.search.text import terms_of
from tests.simulators.bundle_host import MANIFEST, TOOL, make_bundle


class DemoProgram(typing.NamedTuple):
    name: str
    real_path: str


def installed(tmp_path, bundle):
    store = BundleStore(str(tmp_path / "data"), str(tmp_path / "programs"))
    program = tmp_path / "bin" / "demo"
    program.parent.mkdir()
    program.write_text("")
    store.save(
        Installation(
            key=bundle.key,
            folder=bundle.folder,
            binary=str(program),
            digest="sha256:0",
            version="1.4",
            method="pip",
            documents=dict(bundle.digests),
        )
    )
    return DemoProgram("demo", str(program))


def test_installed_bundle_describes_its_program_and_no_other(tmp_path):
    bundle = make_bundle(tmp_path / "demo")
    subject = installed(tmp_path, bundle)
    source = BundleSource(str(tmp_path / "data"))
    tool = source.ask(subject)
    assert tool.find(("list",)).description == "Lists."
    assert tool.own["bundle"] == "demo@1" and "x-climd" not in tool.extra
    assert source.ask(DemoProgram("demo", "/usr/bin/demo")) is None


def test_changed_bundle_says_nothing(tmp_path):
    bundle = make_bundle(tmp_path / "demo")
    subject = installed(tmp_path, bundle)
    path = tmp_path / "demo" / "tools" / "list" / "TOOL.md"
    path.write_text(path.read_text().replace("Lists.", "Deletes."))
    assert BundleSource(str(tmp_path / "data")).ask(subject) is None


@pytest.mark.proves("AIP29-OPTIONAL-08", "AIP29-COMPAT-04")
def test_tags_examples_and_intents_are_words_to_find_a_command_by():
    intent = {
        "name": "n", "id": "demo.n", "label": "n", "description": "d", "version": "1.0.0",
        "intent": ["enumerate the widgets"], "surfaces": ["chat"],
        "implements": [{"tool": "./tools/list/TOOL.md"}],
    }  # fmt: skip
    fields = {
        **MANIFEST,
        "tags": ["inventory"],
        "examples": [{"goal": "show every gadget", "cmd": "demo list --name x"}],
        "actions": [{"ref": "./intents/n/INTENT.md"}],
    }
    files = {
        "CLI.md": render_document(fields),
        "tools/list/TOOL.md": render_document(TOOL),
        "intents/n/INTENT.md": render_document(intent),
    }
    tool = climd.decode(files).tool
    entry = next(found for found in entries_of(tool) if found[0] == ("list",))
    for words in ("inventory", "gadget", "widgets"):
        assert set(terms_of(words)) <= set(entry[2])
