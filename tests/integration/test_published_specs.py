"""Specs that jdx/usage and Fig publish (npm, used in place): to ATIP and back with every loss named, and called for real."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess

import pytest

import atip as library
from atip.discovery.conversion.reading import read_format
from atip.inference.described.usage.kdl import parse_kdl
from atip.model.reading.encode import encode
from atip.model.shapes.check import check_tool
from tests.cli.run import atip
from tests.shared import ROOT

NODE = ROOT / ".venv" / "node" / "node_modules"
MISE = NODE / "@jdxcode" / "mise-linux-x64" / "bin" / "mise"
FIG = NODE / "@withfig" / "autocomplete" / "build"
AS_JSON = """
const spec = (await import(process.argv[1])).default;
const plain = (key, value) => typeof value === "function" ? "[function]" : value;
process.stdout.write(JSON.stringify(spec, plain));
"""


def mise_spec(home) -> bytes:
    if not MISE.exists():
        pytest.skip("npm package @jdxcode/mise-linux-x64 is not installed (scripts/setup-system)")
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run([MISE, "usage"], capture_output=True, env=env, check=True).stdout


def fig_spec(name: str) -> bytes:
    if not (FIG / f"{name}.js").exists() or not shutil.which("node"):
        pytest.skip("npm package @withfig/autocomplete is not installed (scripts/setup-system)")
    words = ["node", "--input-type=module", "-e", AS_JSON, str(FIG / f"{name}.js")]
    return subprocess.run(words, capture_output=True, check=True).stdout


def facts(nodes, path=""):
    """Everything a usage spec says, as places with values; the shorthand forms are written out."""
    for node in nodes:
        label = node.first.replace("…", "...") if node.values else ""
        if node.name == "flag":  # hidden spellings are written beside the first
            label = next((word for word in label.split() if word.startswith("--")), label)
        place = f"{path}/{node.name}" + (
            f"[{label}]" if node.name in ("cmd", "flag", "arg") else ""
        )
        listed = tuple(
            str(value)
            for value in node.values[0 if node.name not in ("cmd", "flag", "arg") else 1 :]
        )
        if node.name == "choices":
            listed += tuple(
                child.first
                for child in node.children
                if not child.properties and not child.children
            )
        if listed and node.name != "min_usage_version":
            yield place, tuple(" ".join(one.split()) for one in listed)
        for key, value in node.properties.items():
            yield f"{place}.{key}", " ".join(value.split()) if isinstance(value, str) else value
        yield from facts(node.children, place)


def test_a_published_usage_spec_comes_back_with_every_loss_named(tmp_path):
    spec = mise_spec(tmp_path)
    read = read_format(spec, "usage", origin="mise.usage.kdl")
    assert [p for p in check_tool(encode(read.tool)) if p.severity == "error"] == []
    assert len(list(read.tool.walk())) > 250
    written = library.convert(encode(read.tool), to="usage")
    assert [loss.path for loss in written.losses] == ["$.trust"]
    before, after = parse_kdl(spec.decode()), parse_kdl(written.data)
    missing = set(facts(before)) - set(facts(after))
    unexplained = {fact for fact in missing if not _explained(fact[0])}
    assert unexplained == set()
    assert {loss.message for loss in read.losses} == {
        "runs a program; code does not travel in metadata"
    }
    again = read_format(written.data.encode(), "usage", origin="mise.usage.kdl")
    assert encode(again.tool) == encode(read.tool)


def _explained(place: str) -> bool:
    """What is said in another form, or runs a program and is named as a loss."""
    return place.endswith((".run", "/mount", ".required", ".conflicts", ".negate")) or any(
        part in place for part in ("/complete", "/choices", "/alias", "/conflicts", "/mount")
    )


@pytest.mark.parametrize("name", ["jq", "git", "curl", "tar", "npm", "docker"])
def test_a_published_fig_spec_comes_back_with_every_loss_named(name):
    spec = fig_spec(name)
    read = read_format(spec, "fig", origin=f"{name}.json")
    assert [p for p in check_tool(encode(read.tool)) if p.severity == "error"] == []
    written = library.convert(encode(read.tool), to="fig")
    assert {loss.path for loss in written.losses} <= {"$.version", "$.trust"}
    lost = {loss.path for loss in read.losses}
    code = json.loads(spec)
    assert len(lost) >= json.dumps(code).count('"generators"') - json.dumps(code).count(
        '"[function]"'
    )
    unusable = {loss.message.split("`")[1] for loss in read.losses if "`" in loss.message}
    missing = set(_spelled(code)) - set(_spelled(written.data))
    assert {path for path in missing if not unusable & set(path)} == set()


def _spelled(node, path=()):
    """Every option with its spellings, below its command."""
    for option in node.get("options") or []:
        names = option["name"] if isinstance(option["name"], list) else [option["name"]]
        yield from ((*path, name) for name in names)
    for child in node.get("subcommands") or []:
        first = child["name"] if isinstance(child["name"], str) else child["name"][0]
        yield from _spelled(child, (*path, first))


def shim(home, program: str, kind: str, spec: bytes, tmp_path) -> None:
    """The converted spec as a local shim of the program, written with the command line alone."""
    source = tmp_path / f"{os.path.basename(program)}.spec"
    source.write_bytes(spec)
    ran = atip("convert", "--from", kind, "--to", "atip", str(source), "--json", home=home)
    document = ran.document["data"]
    with open(os.path.realpath(program), "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    name = os.path.basename(program)
    document["trust"] = {
        "source": "user"
    }  # a person vouches for it; an inferred document is only a hint
    document.update(name=name, binary={"hash": f"sha256:{digest}", "name": name})
    folder = home / ".local/share/agent-tools/shims/sha256"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{digest}.json").write_text(json.dumps(document))


CALLS = {
    "jq": ("fig", ["jq", "filter=.a", "null-input:=true"], "null\n"),
    "git": ("fig", ["git.init", "directory=repo", "--dry-run"], ""),
    "mise": ("usage", ["mise.backends.ls"], "aqua"),
}


@pytest.mark.sandbox
@pytest.mark.parametrize("name", CALLS)
def test_their_programs_are_called_through_the_result(name, tmp_path):
    kind, words, expected = CALLS[name]
    spec = mise_spec(tmp_path) if kind == "usage" else fig_spec(name)
    program = str(MISE) if name == "mise" else shutil.which(name)
    if not program:
        pytest.skip(f"`{name}` is not installed (scripts/setup-system)")
    home = tmp_path / "home"
    home.mkdir()
    shim(home, program, kind, spec, tmp_path)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / name).symlink_to(os.path.realpath(program))
    atip("scan", "--path", str(folder), home=home)
    listed = atip("list", "--json", home=home).document["tools"]
    assert [(one["name"], one["source"]) for one in listed] == [(name, "shim")]
    path = f"{folder}:/usr/bin:/bin"
    ran = atip("call", *words, "--yes", home=home, PATH=path)
    assert (ran.code, expected in ran.out) == (0, True), ran
