"""CLI.md: what is read, what is refused, what is written back."""

from __future__ import annotations

import pytest

from atip.codecs.climd import codec as climd
from atip.codecs.climd.check import check_fields
from atip.codecs.climd.document import read_document, render_document
from atip.codecs.climd.manifest import read_manifest
from atip.codecs.climd.write import BundleContent, write_bundle
from atip.codecs.interface import decoder, encoder
from atip.errors import FormatError
from atip.model.effects import Effects, Filesystem
from atip.model.tool import Argument, Command, Option, Tool

MANIFEST = """---
# the bundle of a test
name: Demo
id: demo
description: A demo.
version: 1.2.0   # of this file
bin: demo
install:
  - { method: pip, package: demo }
version_check:
  cmd: "demo --version"
  parse: 'demo (\\S+)'
  range: ">=1.2 <2"
sandbox:
  network: { egress: [] }
  fs: { read: ["./**"], write: [] }
  exec: { allow: false }
  env: { pass: [] }
commands:
  item:
    .: ./tools/item/TOOL.md
    list: ./tools/item-list/TOOL.md
examples:
  - { goal: "list items", cmd: "demo item list" }
metadata:
  acme.hint: { any: [1, 2] }
---

## When to reach for this CLI

Body.
"""
TOOL = """---
name: List
id: demo.item.list
description: Lists.
version: 1.0.0
inputs:
  type: object
  properties:
    limit: { type: integer, description: how many }
    all: { type: boolean }
    name: { type: string }
  required: [name]
outputs: { type: object }
runner:
  cli: ../../CLI.md
  argv: [item, list, --limit, "${input.limit | default(10)}", "${input.all | flag('--all')}", "${input.name}"]
---
"""
FILES = {"CLI.md": MANIFEST, "tools/item-list/TOOL.md": TOOL}


def fields(**changes):
    found = {**read_document(MANIFEST.encode(), "CLI").fields, **changes}
    return {key: value for key, value in found.items() if value is not None}


def codes(kind, given, mode="strict"):
    return [
        (field.path, field.code)
        for field in check_fields(kind, given, mode)
        if field.severity == "error"
    ]


@pytest.mark.proves("AIP29-FRONTMATTER-01", "AIP29-BODY-01")
def test_front_matter_alone_makes_the_bundle():
    head, _, _ = MANIFEST.rpartition("---\n")
    assert climd.decode((head + "---\n").encode()).tool.description == "A demo."
    assert codes("CLI", fields()) == []
    assert codes("CLI", {**fields(name=None), "Name": "Demo"}) != []


REQUIRED = {
    "AIP29-FRONTMATTER-02": ("name", ["", "x" * 81, 3, None]),
    "AIP29-FRONTMATTER-03": ("id", ["a", "x" * 65, "Up", "a_b", None]),
    "AIP29-FRONTMATTER-04": ("description", ["x" * 2001, None]),
    "AIP29-FRONTMATTER-05": ("version", ["1", "one", 1.0, None]),
    "AIP29-FRONTMATTER-06": ("bin", ["two words", "", None]),
    "AIP29-FRONTMATTER-07": ("install", [[], {}, None]),
    "AIP29-FRONTMATTER-08": ("version_check", [{}, "x", None]),
    "AIP29-FRONTMATTER-09": ("sandbox", ["x", None]),
    "AIP29-FRONTMATTER-10": ("commands", ["x", None]),
}


@pytest.mark.proves(*REQUIRED)
@pytest.mark.parametrize(
    ("name", "value"), [(name, bad) for name, bads in REQUIRED.values() for bad in bads]
)
def test_required_field_is_checked(name, value):
    assert codes("CLI", fields(**{name: value})) != []


@pytest.mark.proves("AIP29-OPTIONAL-05", "AIP29-OPTIONAL-07", "AIP29-OPTIONAL-09")
def test_intents_of_the_text_and_examples_are_read_in_strict_mode():
    given = fields(intents=[{"ref": "./intents/a/INTENT.md"}])
    assert codes("CLI", given) == []
    manifest = read_manifest(given)
    assert manifest.intents == ("./intents/a/INTENT.md",)
    assert manifest.examples == (("list items", "demo item list"),)
    assert codes("CLI", fields(examples=[{"goal": "x"}])) != []


@pytest.mark.proves("AIP29-OPTIONAL-10")
def test_unknown_metadata_is_kept_and_other_unknown_keys_are_reported():
    assert read_manifest(fields()).metadata == {"acme.hint": {"any": [1, 2]}}
    assert "format.unknown-field" in [code for _, code in codes("CLI", fields(zzz=1))]
    assert codes("CLI", fields(zzz=1), "lenient") == []


@pytest.mark.proves("AIP29-OPTIONAL-11")
def test_discouraged_fields_are_reported():
    found = check_fields("CLI", fields(shell="bash"))
    assert [(one.code, one.severity) for one in found] == [("climd.discouraged", "warning")]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"version_check": {"cmd": "a | b", "parse": "(x)", "range": "*"}}, "$.version_check.cmd"),
        ({"version_check": {"cmd": "a", "parse": "x", "range": "*"}}, "$.version_check.parse"),
        ({"version_check": {"cmd": "a", "parse": "(?:x)", "range": "*"}}, "$.version_check.parse"),
        (
            {"version_check": {"cmd": "a", "parse": "(?=x)(y)", "range": "*"}},
            "$.version_check.parse",
        ),
        ({"version_check": {"cmd": "a", "parse": "(x)", "range": "=>1"}}, "$.version_check.range"),
        ({"auth": {"refresh": {"cmd": "a", "every": "PTjunk"}}}, "$.auth.refresh.every"),
        ({"setup": [{"id": "a", "kind": "cmd", "cmd": "x && y"}]}, "$.setup[0].cmd"),
        ({"setup": [{"id": "a", "kind": "cmd"}]}, "$.setup[0]"),
        ({"setup": [{"id": "a", "kind": "what"}]}, "$.setup[0].kind"),
        ({"install": [{"method": "magic", "package": "x"}]}, "$.install[0].method"),
        ({"install": [{"method": "npm"}]}, "$.install[0]"),
        (
            {"install": [{"method": "curl", "url": "https://x", "verify_sha256": "abc…"}]},
            "$.install[0].verify_sha256",
        ),
        ({"sandbox": {**fields()["sandbox"], "Network": {}}}, "$"),
    ],
)
def test_what_a_host_cannot_act_on_is_an_error_with_its_place(changes, path):
    assert path in [where for where, _ in codes("CLI", fields(**changes))] or path == "$"
    assert codes("CLI", fields(**changes)) != []


@pytest.mark.proves("AIP29-INSTALL-18", "AIP29-OUTPUT-04")
def test_experimental_methods_and_number_keys_are_accepted_by_the_text():
    entries = [
        {"method": "tap", "package": "x", "experimental": True},
        {"method": "apt", "package": "x"},
    ]
    assert codes("CLI", fields(install=entries)) == []
    assert codes("CLI", fields(install=entries), "schema") != []
    text = MANIFEST.replace(
        "examples:", "output:\n  exit_codes: { 0: ok, 7: stale_data }\nexamples:"
    )
    found = read_document(text.encode(), "CLI").fields
    assert codes("CLI", found) == []
    assert read_manifest(found).output.exit_codes[7] == "stale_data"


@pytest.mark.proves("AIP29-COMMANDS-01", "AIP29-COMMANDS-02", "AIP29-ARGV-01")
def test_commands_and_templates_become_a_tree_with_parameters():
    tool = climd.decode(FILES, origin="demo").tool
    command = tool.find(("item", "list"))
    assert command is not None
    assert [(option.name, option.flags, option.type) for option in command.options] == [
        ("limit", ("--limit",), "integer"),
        ("all", ("--all",), "boolean"),
    ]
    assert [(argument.name, argument.required) for argument in command.arguments] == [
        ("name", None)
    ]
    assert command.effects.network is False and command.effects.filesystem.write is False
    assert tool.find(("item",)) is not None
    assert tool.patterns[0].name == "list items"


@pytest.mark.proves("AIP29-LOCATION-02")
def test_folder_name_that_differs_from_the_id_is_reported():
    assert climd.decode(FILES, origin="x/demo").problems == ()
    found = climd.decode(FILES, origin="x/other").problems
    assert [(one.code, one.severity) for one in found] == [("climd.folder-name", "warning")]


def test_documents_are_given_back_word_for_word_and_edits_keep_comments():
    decoded = climd.decode(FILES, origin="demo")
    assert climd.encode(decoded.tool).data == FILES
    changed = climd.encode(decoded.tool.replace(description="Another."))
    text = changed.data["CLI.md"]
    assert "# the bundle of a test" in text and "# of this file" in text and "Body." in text
    assert "description: Another." in text and "acme.hint" in text


def test_foreign_documents_in_a_vendor_field_are_not_written():
    tool = Tool(name="other", extra={"x-climd": FILES})
    assert climd.encode(tool).data["CLI.md"] != MANIFEST


def sample():
    options = (
        Option(name="force", flags=("-f", "--force"), type="boolean"),
        Option(name="to", flags=("--to",), description='target: "here" # there'),
        Option(name="m", flags=("-m",)),
    )
    push = Command(
        description="Sends.",
        options=options,
        arguments=(Argument(name="where"),),
        effects=Effects(network=True, modifies=("repository",), destructive=False),
    )
    show = Command(
        description="Shows.", effects=Effects(filesystem=Filesystem(write=False, delete=False))
    )
    return Tool(
        name="g-it",
        description="x: y\n---\nz",
        version="2.3",
        commands={"push": push, "show": show},
    )


def test_written_bundle_validates_strictly_and_reads_back():
    files = write_bundle(BundleContent(tool=sample()))
    decoded = climd.decode(files, origin="g-it", strict=True)
    assert [problem for problem in decoded.problems if problem.severity == "error"] == []
    push = decoded.tool.find(("push",))
    assert {option.name: option.flags for option in push.options} == {
        "force": ("--force",),
        "to": ("--to",),
        "m": ("-m",),
    }
    assert push.effects.network is True


def test_losses_are_what_reading_the_result_again_does_not_show():
    encoded = climd.encode(sample())
    paths = [loss.path for loss in encoded.losses]
    assert any("push" in path for path in paths)
    again = climd.encode(climd.decode(encoded.data).tool)
    assert again.losses == () and again.data == encoded.data


def test_formats_table_knows_the_codec():
    assert decoder("climd") is climd.decode and encoder("climd") is climd.encode


@pytest.mark.parametrize(
    "data", [b"", b"---\n---\n", b"---\n[1]\n---\n", b"\xff", b"---\na: *x\n---\n"]
)
def test_no_bytes_raise_anything_but_a_format_error(data):
    with pytest.raises(FormatError):
        climd.decode(data)


def test_new_fields_are_rendered_so_that_they_read_back():
    value = {
        "a": "yes",
        "b": ["x: y", "- z", "", "1.0", "tab\t"],
        "c": {"d": None, "e f": True, "1": {}},
    }
    text = render_document(value, "body\n")
    assert read_document(text.encode(), "CLI").fields == value
