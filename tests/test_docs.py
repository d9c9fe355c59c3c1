"""Docs that cannot lie: every verb is documented, every example runs, links lead somewhere."""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib

import pytest
from ruamel.yaml import YAML

from atip.cli.verbs import FOLDERS, NOUNS, VERBS
from atip.cli.verbs.machine.doctor import EXTRAS
from atip.model.shapes.check import check_tool
from tests.shared import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def test_reference_equals_the_parsers(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import reference
    finally:
        sys.path.pop(0)
    assert (ROOT / "docs" / "reference" / "cli.md").read_text() == reference.render(), (
        "run `make docs`"
    )


@pytest.mark.parametrize("name", ["python", "errors"])
def test_generated_pages_are_current(name):
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        module = importlib.import_module(f"reference_{name}")
    finally:
        sys.path.pop(0)
    page = ROOT / "docs" / "reference" / f"{name}.md"
    assert page.read_text() == module.render(), "run `make docs`"


def test_every_extra_is_documented_and_checked():
    """The table of sizes, `atip doctor` and the package name the same extras."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    page = (ROOT / "docs" / "reference" / "install.md").read_text()
    rows = re.findall(r"^\| (`.*?) \|", page, re.M)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(extras)
    assert {*EXTRAS, "all"} == set(extras)


def test_every_verb_has_a_file_and_a_line():
    folder = ROOT / "src" / "atip" / "cli" / "verbs"
    expected = {noun: set(verbs) for noun, verbs in NOUNS.items()}
    for verb, (group, _line) in VERBS.items():
        expected.setdefault(FOLDERS[group], set()).add(verb)
    files = {}
    for path in folder.glob("*/*.py"):
        if path.name != "__init__.py":
            files.setdefault(path.parent.name, set()).add(path.stem.replace("_", "-"))
    assert files == expected


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_metadata_in_the_docs_is_valid():
    seen = 0
    for page in PAGES:
        for block in re.findall(r"```json\n(.*?)```", page.read_text(), re.S):
            value = json.loads(block)
            if isinstance(value, dict) and "atip" in value and "registry" not in value:
                assert [p for p in check_tool(value) if p.severity == "error"] == [], page
                seen += 1
    assert seen


@pytest.mark.proves("ATIP6-12.2-05")
def test_every_extension_is_documented():
    page = (ROOT / "docs" / "formats" / "extensions.md").read_text()
    used = set()
    for path in (ROOT / "src" / "atip").rglob("*.py"):
        text = path.read_text()
        used |= set(
            re.findall(r'(?:tool|command|option|here|child)\.own\.get\(\s*"([A-Za-z]+)"', text)
        )
        used |= set(re.findall(r'"(x-atip-[a-z]+)"', text))
    assert len(used) > 10
    assert {key for key in used if f"`{key}`" not in page} <= {
        "curated"
    }  # a mark in memory, never written


WHOLE_PAGES = (
    "docs/start/agent-user.md",
    "docs/start/agent-builder.md",
    "docs/start/security-team.md",
    "docs/formats/sdk.md",
)
"""Played from the first command to the last by tests/integration/test_first_hour.py."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_is_run_read_or_excused(page):
    """Commands and programs are run, JSON and YAML are read, `text` is for people; anything else gives its reason."""
    name = str(page.relative_to(ROOT))
    found = re.findall(
        r"((?:^<!-- [^\n]* -->\n)?)^```(\w*)\n(.*?)^```$", page.read_text(), re.S | re.M
    )
    for mark, kind, text in found:
        if kind == "json":
            json.loads(text)
        elif kind == "yaml":
            YAML(typ="safe").load(text)
        elif kind != "text":
            says = re.match(r"<!-- (run|program: \S+|not run: .{8,}) -->", mark)
            assert says or name in WHOLE_PAGES, f"{name}: {text[:60]!r} is neither run nor excused"
        for test in re.findall(r"(?:tests|examples)/[\w/-]+(?:\.\w+)?", mark):
            assert (ROOT / test).exists(), f"{name}: {test} is not there"


def test_python_blocks_run_as_written(tmp_path):
    ran = 0
    for page in PAGES:
        for block in re.findall(r"<!-- run -->\n```python\n(.*?)```", page.read_text(), re.S):
            # `expression  # value` is what a reader sees at a prompt
            checks = re.sub(
                r"^(\S.*?) *# (True|False|None)\b.*$", r"assert (\1) is \2", block, flags=re.M
            )
            done = subprocess.run(
                [sys.executable, "-c", checks], capture_output=True, text=True, cwd=tmp_path
            )
            assert done.returncode == 0, (page, done.stderr)
            ran += 1
    assert ran


def blocks() -> list[tuple[str, list[str]]]:
    """Console blocks that follow a `<!-- run -->` line."""
    found = []
    for page in PAGES:
        for block in re.findall(r"<!-- run -->\n```console\n(.*?)```", page.read_text(), re.S):
            found.append((str(page.relative_to(ROOT)), block.splitlines()))
    return found


@pytest.mark.parametrize(
    ("page", "lines"), blocks(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_console_blocks_run_as_written(page, lines, tmp_path):
    """`$ ` lines are run in one folder in order; what follows must be the output, `…` matches anything."""
    env = {
        **os.environ,
        "HOME": str(tmp_path),
        "COLUMNS": "80",
        "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    for key in [key for key in env if key.startswith(("XDG_", "ATIP_"))]:
        del env[key]
    commands: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("$ "):
            commands.append((line[2:].split("  # ")[0], []))
        elif commands:
            commands[-1][1].append(line)
    for command, expected in commands:
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, env=env, cwd=tmp_path
        )
        if expected:
            pattern = "\n".join(".*".join(map(re.escape, line.split("…"))) for line in expected)
            assert re.fullmatch(pattern, (done.stdout + done.stderr).rstrip("\n"), re.S), (
                done.stdout + done.stderr
            )
        else:
            assert done.returncode == 0, (shlex.join([command]), done.stderr)
