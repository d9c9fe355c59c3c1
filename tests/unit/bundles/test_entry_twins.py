"""Entries in two languages: written by a verb, judged alike, and run to the end."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess

import pytest

from atip.bundles.entry.definition import define_cli
from atip.bundles.entry.typescript import render_module
from atip.errors import AtipError, FormatError
from atip.workflows.bundle.author import write_entry
from tests.shared import ROOT
from tests.simulators.bundle_host import make_bundle

TSC = ROOT / ".venv" / "node" / "node_modules" / ".bin" / "tsc"
IDENTITY = {"id": "demo", "name": "Demo", "description": "A demo.", "bin": "demo"}
WRONG = [
    {},
    {**IDENTITY, "bin": ""},
    {**IDENTITY, "colour": "red"},
    {**IDENTITY, "login": "not a function"},
    {"id": "x", "parseOutput": 1, "tags": []},
]
needs_node = pytest.mark.skipif(
    not TSC.exists() or shutil.which("node") is None,
    reason="no TypeScript compiler (scripts/setup-system installs it)",
)


def compiled(folder, *names):
    """The modules as JavaScript, checked strictly."""
    done = subprocess.run(
        [TSC, "--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022",
         "--module", "nodenext", "--moduleResolution", "nodenext", "--rewriteRelativeImportExtensions",
         "--types", "", "--lib", "es2022,dom", "--outDir", folder / "js", *(folder / name for name in names)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    (folder / "js" / "package.json").write_text('{"type": "module"}')
    return folder / "js"


@needs_node
@pytest.mark.proves("AIP29-DEFINECLI-01")
def test_both_languages_refuse_the_same_definitions_with_the_same_codes(tmp_path):
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "define-cli.ts").write_text(render_module())
    script = compiled(tmp_path, "define-cli.ts") / "ask.js"
    script.write_text(
        'import { defineCli } from "./define-cli.js";\n'
        f"for (const one of {json.dumps([*WRONG, IDENTITY])}) {{\n"
        "  try { defineCli(one); console.log('[]'); }\n"
        "  catch (error) { console.log(JSON.stringify(error.problems.map((p) => [p.path, p.code]))); }\n"
        "}\n"
    )
    done = subprocess.run(["node", script], capture_output=True, text=True, check=True)
    theirs = [sorted(map(tuple, json.loads(line))) for line in done.stdout.splitlines()]
    assert theirs == [problems_of(one) for one in [*WRONG, IDENTITY]]


def problems_of(definition) -> list[tuple[str, str]]:
    """What ours says, in the spelling of the text."""
    try:
        define_cli(definition)
    except FormatError as error:
        spelled = {"$.parse_output": "$.parseOutput"}
        return sorted(
            (spelled.get(problem.path, problem.path), problem.code) for problem in error.problems
        )
    return []


@needs_node
def test_the_written_typescript_entry_compiles_and_parses_output(tmp_path):
    bundle = make_bundle(tmp_path / "demo")
    out = tmp_path / "out"
    written = write_entry(bundle, "typescript", str(out))
    assert [path.rpartition("/")[2] for path in written] == ["define-cli.ts", "entry.ts"]
    (out / "package.json").write_text('{"type": "module"}')
    script = compiled(out, "entry.ts", "define-cli.ts") / "use.js"
    script.write_text(
        'import cli from "./entry.js";\n'
        "const args = { stdout: 'x', stderr: 'bad', expected: { format: 'text' } };\n"
        "console.log(JSON.stringify([cli.id, cli.parseOutput({ exitCode: 0, ...args }), cli.parseOutput({ exitCode: 3, ...args })]));\n"
    )
    done = subprocess.run(["node", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        str(bundle.manifest.fields["id"]),
        {"ok": True, "value": "x"},
        {"ok": False, "error": {"code": "exit-3", "message": "bad"}},
    ]


def test_the_written_python_entry_runs_to_the_end(tmp_path):
    bundle = make_bundle(tmp_path / "demo")
    (path,) = write_entry(bundle, "python", str(tmp_path / "out"))
    namespace: dict = {}
    exec(compile(pathlib.Path(path).read_text(), path, "exec"), namespace)
    handle = namespace["cli"]
    assert handle.disagreements(bundle) == []
    parsed = handle.adapters.run_parse_output(3, "", "bad\n", "text")
    assert (parsed.ok, parsed.error) == (False, {"code": "exit-3", "message": "bad"})


def test_existing_files_are_left_alone(tmp_path):
    bundle = make_bundle(tmp_path / "demo")
    (tmp_path / "entry.ts").write_text("mine")
    with pytest.raises(AtipError) as caught:
        write_entry(bundle, "typescript", str(tmp_path))
    assert caught.value.code == "bundle.entry-exists"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo", "entry.ts"]
