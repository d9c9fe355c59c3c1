"""CMP documents ⇄ tools: what is read, what is reported, what comes back, what a manifest costs."""

from __future__ import annotations

import json

import pytest

import atip
from atip.codecs.cmp import codec as cmp
from atip.codecs.cmp.document import Reader
from atip.codecs.interface import FORMATS
from atip.errors import FormatError
from atip.knowledge.reading import load
from atip.knowledge.reading import names as known_names
from atip.model.effects import UNKNOWN
from atip.model.tool import Argument, Command, Option, Tool
from atip.system.tokens import EXACT, find_counter
from tests.unit.codecs.cmp_examples import CAPABILITY, MANIFEST, inboxd, jot, spec_tools

WELL_KNOWN = (
    "git",
    "gh",
    "docker",
    "kubectl",
    "aws",
    "tar",
    "rg",
    "systemctl",
    "npm",
    "psql",
    "ls",
)


def problems(documents: dict, **options) -> list[tuple[str, str, str]]:
    return [(p.path, p.code, p.severity) for p in cmp.problems_of(documents, **options)]


@pytest.mark.proves("CMP-3.1-01", "CMP-3.1-02", "CMP-3.1-06", "CMP-3.1-08")
def test_a_manifest_says_who_the_tool_is():
    manifest = Reader().manifest(MANIFEST)
    assert (manifest.domain, manifest.name, manifest.version) == ("notes", "jot", "1.2.0")
    assert (manifest.program, manifest.key) == ("jot-cli", "notes/jot")
    assert (manifest.requires, manifest.tags) == (("files",), ("markdown",))
    assert cmp.decode(jot()).tool.binary.name == "jot-cli"


@pytest.mark.proves("CMP-3.1-01")
@pytest.mark.parametrize("wrong", [None, [], "x", 1])
def test_without_a_manifest_there_is_no_tool(wrong):
    with pytest.raises(FormatError) as caught:
        cmp.decode({"manifest": wrong, "capability": CAPABILITY})
    assert caught.value.code == "cmp.invalid"


@pytest.mark.proves("CMP-3.1-02")
@pytest.mark.parametrize("field", ["domain", "name", "summary", "version"])
def test_a_missing_required_field_is_an_error_when_strict(field):
    documents = jot(**{field: None})
    assert (f"$.manifest.{field}", "format.missing-field", "error") in problems(documents)
    lenient = problems(documents, strict=False, folder="jot")
    assert (f"$.manifest.{field}", "format.missing-field", "warning") in lenient
    assert cmp.decode(documents, origin="jot").tool.name == "jot"
    with pytest.raises(FormatError):
        cmp.decode(documents, origin="jot", strict=True)


@pytest.mark.proves("CMP-3.1-03")
@pytest.mark.parametrize("summary", ["x" * 101, "two\nlines"])
def test_a_summary_is_one_line_of_a_hundred_characters(summary):
    assert ("$.manifest.summary", "cmp.summary-too-long", "error") in problems(jot(summary=summary))
    assert problems(jot(summary="x" * 100)) == []


@pytest.mark.proves("CMP-3.1-04")
@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "latest", "1.0.0 "])
def test_a_version_is_semantic(version):
    found = problems(jot(version=version))
    assert (version.strip() == "1.0.0") or ("$.manifest.version", "cmp.version", "error") in found
    assert problems(jot(version="1.0.0-rc.1+build")) == []


@pytest.mark.parametrize("field", ["name", "domain"])
@pytest.mark.parametrize("text", ["../x", "a/b", "-rf", "\u0430pp", "a\x1b[2J", "x" * 65])
def test_a_name_that_is_no_safe_key_is_refused(field, text):
    with pytest.raises(FormatError) as caught:
        cmp.decode(jot(**{field: text}))
    assert [problem.code for problem in caught.value.problems] == ["cmp.unsafe-name"]


def test_the_folder_may_be_called_otherwise_and_the_name_wins():
    assert problems(jot(), folder="jot-adapter") == [
        ("$.manifest.name", "cmp.folder-name", "warning")
    ]
    assert cmp.decode(jot(), origin="jot-adapter").tool.name == "jot"


@pytest.mark.proves("CMP-7-01")
def test_an_adapter_names_what_it_wraps():
    manifest = Reader().manifest({**MANIFEST, "adapter": True, "wraps": "jot-next"})
    assert (manifest.adapter, manifest.program) == (True, "jot-next")
    assert ("$.manifest.wraps", "cmp.adapter", "warning") in problems(jot(adapter=True))


@pytest.mark.proves("CMP-7-03")
def test_the_adapter_of_the_text_loads_and_expands():
    from atip.calls.templates.cmp import build_argv

    ripgrep = spec_tools()[1]
    assert problems(ripgrep, folder="ripgrep-adapter") == [
        ("$.manifest.name", "cmp.folder-name", "warning")
    ]
    (intent,) = Reader().intents(ripgrep["capability"])
    assert build_argv(intent, {"query": 'a "b" -c'}) == ("rg", "--json", 'a "b" -c', ".")
    tool = cmp.decode(ripgrep, origin="ripgrep-adapter").tool
    assert (tool.name, tool.binary.name) == ("ripgrep", "rg")


@pytest.mark.proves("CMP-10-01", "CMP-10-02")
@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("0.2.0", []),
        ("0.2", []),
        ("0.1.0", []),
        ("0.3.0", [("$.manifest.specVersion", "cmp.newer-spec", "warning")]),
        ("1.0.0", [("$.manifest.specVersion", "cmp.newer-spec", "error")]),
        ("soon", [("$.manifest.specVersion", "cmp.spec-version", "warning")]),
    ],
)
def test_the_minimum_version_of_the_text_is_honoured(stated, expected):
    for field in ("specVersion", "cmp"):
        assert problems(jot(**{field: stated})) == expected
    if ("$.manifest.specVersion", "cmp.newer-spec", "error") in expected:
        with pytest.raises(FormatError) as caught:
            cmp.decode(jot(specVersion=stated))
        assert caught.value.code == "cmp.newer-spec"


@pytest.mark.proves("CMP-4.1-01", "CMP-4.1-10", "CMP-9-03", "CMP-2-02")
def test_intents_become_commands_with_options_and_effects():
    tool = cmp.decode(jot()).tool
    assert set(tool.commands) == {"list", "add", "drop", "restore"}
    drop, add = tool.commands["drop"], tool.commands["add"]
    assert (drop.effects.destructive, drop.effects.reversible, drop.effects.idempotent) == (
        True, False, False,
    )  # fmt: skip
    assert tool.commands["list"].effects.destructive is False
    assert add.effects.destructive is None
    title, text = add.options[0], add.arguments[0]
    assert (title.flags, title.description, title.is_required) == (("--title",), "One line", False)
    assert (text.name, text.is_required) == ("text", True)
    assert (drop.options[0].variadic, tool.commands["restore"].options[0].default) == (True, 1)


@pytest.mark.proves("CMP-4.1-05")
def test_two_intents_of_one_command_have_the_effects_of_the_worse():
    documents = jot()
    documents["capability"]["intents"] = [
        {"patterns": ["look"], "command": "jot-cli do --dry", "destructive": False},
        {"patterns": ["wipe"], "command": "jot-cli do --wipe", "destructive": True},
    ]
    effects = cmp.decode(documents).tool.commands["do"].effects
    assert (effects.destructive, effects.reversible) == (True, False)


def test_an_intent_that_needs_a_shell_is_listed_but_not_callable():
    documents = jot()
    documents["capability"]["intents"][0]["command"] = "jot-cli list | head"
    assert ("$.capability.intents[0].command", "cmp.template", "warning") in problems(documents)
    assert "list" not in cmp.decode(documents).tool.commands


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"patterns": []}, "$.capability.intents[0].patterns", "cmp.patterns"),
        ({"patterns": "x"}, "$.capability.intents[0].patterns", "format.wrong-type"),
        ({"patterns": ["re:(?=x)"]}, "$.capability.intents[0].patterns[0]", "cmp.regex"),
        ({"confirm": "yes"}, "$.capability.intents[0].confirm", "format.wrong-type"),
        ({"params": {"x": {"type": "date"}}}, "$.capability.intents[0].params.x.type", "cmp.type"),
        (
            {"params": {"x": {"type": "integer", "default": "a"}}},
            "$.capability.intents[0].params.x.default",
            "cmp.default",
        ),
    ],
)
def test_every_broken_rule_has_a_path_and_a_code(change, path, code):
    documents = jot()
    documents["capability"]["intents"][0].update(change)
    assert (path, code, "error") in problems(documents)
    assert (path, code, "warning") in problems(documents, strict=False)


def test_an_unreadable_mark_counts_as_the_dangerous_value():
    documents = jot()
    documents["capability"]["intents"][0].update(destructive="no", confirm=0)
    intent = Reader().intents(documents["capability"])[0]
    assert (intent.destructive, intent.confirm) == (True, True)


def test_number_is_read_with_a_warning():
    documents = jot()
    documents["capability"]["intents"][0] = {
        "patterns": ["x"], "command": "t {n}", "params": {"n": {"type": "number"}},
    }  # fmt: skip
    assert problems(documents) == [("$.capability.intents[0].params.n.type", "cmp.type", "warning")]


@pytest.mark.proves("CMP-9-01")
def test_examples_are_read_in_the_published_shape():
    documents = inboxd()
    assert problems(documents) == []
    tool = cmp.decode(documents).tool
    assert tool.examples[0] == "How many unread emails do I have?"
    assert problems({**documents, "examples": {"examples": [1]}})[0][1] == "cmp.examples"


def test_documents_come_back_as_they_were():
    for documents in (jot(), inboxd(), *spec_tools()):
        encoded = cmp.encode(cmp.decode(documents).tool)
        assert (encoded.data, encoded.losses) == (documents, ())


def test_kept_documents_of_another_program_are_not_written_out():
    tool = cmp.decode(jot()).tool
    documents = jot()
    documents["capability"]["intents"][0]["command"] = "rm -rf {x}"
    poisoned = tool.replace(extra={**tool.extra, "x-cmp": documents})
    assert "rm -rf" not in json.dumps(cmp.encode(poisoned).data)


@pytest.mark.proves("CMP-3.4-01")
def test_a_manifest_that_we_write_has_fewer_than_fifty_tokens():
    tokenizer, count = find_counter()
    if tokenizer != EXACT:
        pytest.skip("no tokenizer here")
    long = "A description that goes on and on about everything this tool can do for you, " * 3
    for name in known_names():
        tool = load(name).replace(commands=None, options=None, global_options=None, patterns=None)
        for one in (tool, tool.replace(description=long), tool.replace(description="数据" * 80)):
            manifest = cmp.encode(one).data["manifest"]
            text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
            assert count(text) < 50, text
            assert len(manifest["summary"]) >= 12 or manifest["summary"] == tool.description


@pytest.mark.proves("CMP-3.4-01")
def test_the_manifests_of_the_text_are_within_the_budget():
    tokenizer, count = find_counter()
    if tokenizer != EXACT:
        pytest.skip("no tokenizer here")
    for documents in (*spec_tools(), inboxd()):
        assert count(json.dumps(documents["manifest"], separators=(",", ":"))) < 60


@pytest.mark.parametrize("name", WELL_KNOWN)
def test_every_well_known_tool_becomes_a_valid_cmp_tool(name):
    documents = cmp.encode(load(name)).data
    assert [p for p in cmp.problems_of(documents) if p.severity == "error"] == []
    patterns = [p for i in documents["capability"]["intents"] for p in i["patterns"]]
    assert len(patterns) == len(set(patterns))


def test_unknown_effects_are_written_as_the_careful_value():
    tool = Tool(name="t", commands={"a": Command(description="look around")}, effects=UNKNOWN)
    (intent,) = cmp.encode(tool).data["capability"]["intents"]
    assert (intent["confirm"], intent.get("destructive"), intent["idempotent"]) == (
        True,
        None,
        False,
    )


def test_a_description_cannot_pose_as_a_regular_expression_or_a_shell():
    tool = Tool(
        name="t",
        commands={
            "a": Command(
                description="re:.*",
                arguments=(Argument(name="x; rm -rf /"),),
                options=(Option(name="o", flags=("--o; id",), type="string"),),
            )
        },
    )
    (intent,) = cmp.encode(tool).data["capability"]["intents"]
    assert not any(pattern.startswith("re:") for pattern in intent["patterns"])
    assert Reader().intents({"intents": [intent]})[0].command == "t a {x_rm_-rf_}"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("notes/jot", "jot"),
        ("[", "tool"),
        ("\u0430\u0431", "tool"),
        ("a b", "a-b"),
        ("con", "tool"),
    ],
)
def test_any_name_becomes_a_safe_one(name, written):
    assert cmp.encode(Tool(name=name, description="x")).data["manifest"]["name"] == written


def test_losses_name_what_cmp_cannot_say():
    tool = Tool(name="t", description="x", version="1.0.0", homepage="https://example.org")
    assert "$.homepage" in [loss.path for loss in cmp.encode(tool).losses]


def test_conversion_by_the_public_function():
    assert {"cmp", "skill"} <= set(FORMATS)
    tool = load("git")
    encoded = atip.convert(tool, to="cmp")
    assert encoded.data["manifest"]["wraps"] == "git"
    assert encoded.losses
    back = atip.convert(json.dumps(jot()).encode(), to="atip", source="cmp")
    assert back.data["name"] == "jot"
