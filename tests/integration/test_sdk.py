"""The SDK from outside: examples as programs, found by a scan; the author's check; the guide's programs."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from atip.discovery.scan import ScanOptions
from atip.model.shapes.check import check_tool
from atip.toolbox import Toolbox
from tests.shared import ROOT

EXAMPLES = {"notes": "notes_argparse.py", "cloud": "cloud_click.py", "images": "images_typer.py"}
GUIDE = ROOT / "docs" / "formats" / "sdk.md"


def run(argv, **options) -> subprocess.CompletedProcess:
    env = {**os.environ, "CMP_AGENT": "0", "PYTHONIOENCODING": "latin-1", **options.pop("env", {})}
    return subprocess.run(
        [str(word) for word in argv],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env=env,
        timeout=60,
        **options,
    )


def install(folder: pathlib.Path, name: str, source: str) -> pathlib.Path:
    """A program as an installer would put it: named as a command, run by this interpreter."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    lines = source.splitlines(keepends=True)
    body = lines[1:] if lines[0].startswith("#!") else lines
    program.write_text(f"#!{sys.executable}\n" + "".join(body))
    program.chmod(0o755)
    return program


@pytest.fixture
def tools(tmp_path) -> pathlib.Path:
    for name, file in EXAMPLES.items():
        install(tmp_path / "bin", name, (ROOT / "examples" / file).read_text())
    return tmp_path / "bin"


def check(program: pathlib.Path, *words: str, encoding: str = "utf-8") -> tuple[int, str]:
    """Exit status and output of the author's check."""
    command = [sys.executable, "-m", "atip.sdk.check", program, *words]
    done = run(command, env={"PYTHONIOENCODING": encoding})
    assert done.stderr == b"" or done.returncode == 2, done.stderr
    return done.returncode, done.stdout.decode(encoding)


def errors(document) -> list:
    return [problem for problem in check_tool(document, "strict") if problem.severity == "error"]


@pytest.mark.proves("ATIP6-3.1-01", "ATIP6-3.1-02", "ATIP6-2-01")
@pytest.mark.parametrize("name", EXAMPLES)
def test_example_answers_with_strict_metadata_and_leaves_nothing(name, tools, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    done = run([tools / name, "--agent"], cwd=home, env={"HOME": str(home)})
    assert (done.returncode, done.stderr) == (0, b"")
    document = json.loads(done.stdout.decode("utf-8"))
    assert document["name"] == name
    assert check_tool(document, "strict") == []
    assert list(home.iterdir()) == []


@pytest.mark.sandbox
@pytest.mark.proves("ATIP6-5.2-01", "ATIP1-3.1-01", "ATIP1-3.1-02")
def test_scan_finds_the_examples_as_native_tools(tools, tmp_path):
    box = Toolbox(home=str(tmp_path / "home"))
    plan = box.plan_scan(ScanOptions(paths=(str(tools),)))
    assert {command[1:] for command in plan.commands} == {("--agent",)}
    report = box.scan(ScanOptions(paths=(str(tools),)))
    assert report.summary()["sources"] == {"native": 3}
    assert {entry["name"]: entry["source"] for entry in box.list()} == dict.fromkeys(
        EXAMPLES, "native"
    )
    delete = box.get("cloud").find(("server", "delete"))
    assert delete is not None and delete.effects.destructive is True
    assert box.probe(str(tools / "images")).tool.version == "2.0.1"


@pytest.mark.sandbox
def test_scan_finds_a_console_script_by_the_module_behind_it(tmp_path):
    """The stub itself holds no marks; the module it imports does."""
    import venv

    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    (site,) = (tmp_path / "env" / "lib").glob("python3*/site-packages")
    (site / "atip.pth").write_text(str(ROOT / "src") + "\n")
    (site / "notes_app.py").write_text((ROOT / "examples" / EXAMPLES["notes"]).read_text())
    stub = tmp_path / "env" / "bin" / "notes"
    stub.write_text(
        f"#!{tmp_path}/env/bin/python\nimport sys\nfrom notes_app import main\nsys.exit(main())\n"
    )
    stub.chmod(0o755)
    box = Toolbox(home=str(tmp_path / "home"))
    box.scan(ScanOptions(paths=(str(stub.parent),), only=("notes",)))
    assert box.get("notes").version == "1.4.0"


@pytest.mark.proves("CMP-6-01", "CMP-6-05", "CMP-6-06")
def test_example_works_and_speaks_to_both_readers(tools, tmp_path):
    notes = tools / "notes"
    assert run([notes, "--dir", tmp_path, "add", "milk", "two", "bottles"]).returncode == 0
    assert run([notes, "--dir", tmp_path, "ls"]).stdout == b"milk.txt\n"
    told = run([notes, "--dir", tmp_path, "ls"], env={"CMP_AGENT": "1"}).stdout
    assert json.loads(told) == {"notes": ["milk.txt"]}
    again = run([notes, "--dir", tmp_path, "add", "milk", "x"], env={"CMP_AGENT": "1"})
    assert again.returncode == 1
    assert json.loads(again.stdout)["error"]["code"] == "note.exists"
    assert run([notes]).returncode == 2, "required arguments are still required"


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_fully_ready(name, tools):
    code, text = check(tools / name, "--json")
    report = json.loads(text)
    assert (code, report["score"], report["findings"]) == (0, 100, [])


def test_check_says_in_plain_words_what_is_missing(tmp_path):
    silent = install(tmp_path, "silent", "import sys\nsys.exit('no such option')\n")
    code, text = check(silent)
    assert code == 1
    assert text.splitlines()[:3] == [
        "silent: 0 of 100",
        "  - it ended with status 1: no such option",
        "    → add `atip_sdk.agent(parser, version=…)` before the arguments are parsed",
    ]
    messy = install(
        tmp_path,
        "messy",
        "import argparse, pathlib, atip.sdk\npathlib.Path('log.txt').write_text('x')\n"
        "p = argparse.ArgumentParser(); p.add_argument('x')\natip.sdk.agent(p)\np.parse_args()\n",
    )
    report = json.loads(check(messy, "--json")[1])
    said = {(finding["point"], finding["message"]) for finding in report["findings"]}
    assert ("harmless", "`--agent` left files behind: log.txt") in said
    assert ("identity", "the version is unknown") in said
    assert check(messy, encoding="latin-1")[0] == 0, "a terminal without arrows"
    assert check(pathlib.Path("/nowhere/tool"))[0] == 2


@pytest.mark.proves("ATIP6-2-02")
def test_sdk_loads_nothing_else_of_the_package_and_only_the_standard_library():
    code = (
        "import sys; before = set(sys.modules)\n"
        "import atip.sdk\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = run([sys.executable, "-c", code]).stdout.decode().split()
    ours = {name for name in loaded if name.split(".")[0] == "atip"}
    assert {name for name in ours if name.count(".") and not name.startswith("atip.sdk")} == {
        "atip.version"
    }
    assert {name.split(".")[0] for name in loaded} - {"atip"} <= sys.stdlib_module_names


def programs() -> dict[str, tuple[str, str]]:
    found = re.findall(r"<!-- program: (\S+) -->\n```(\w+)\n(.*?)```\n", GUIDE.read_text(), re.S)
    return {name: (language, text) for name, language, text in found}


def build(name: str, folder: pathlib.Path) -> pathlib.Path:
    """A program of the guide, ready to start; skips where its compiler or interpreter is missing."""
    language, text = programs()[name]
    go = "go" if shutil.which("go") else "gccgo"
    compiler = {"rust": "rustc", "go": go, "javascript": "node", "bash": "bash"}.get(language)
    if compiler is not None and shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    if (
        language == "python"
    ):  # this environment has the whole project, where the module has another name
        return install(folder, name, text.replace("atip_sdk", "atip.sdk"))
    program = folder / name
    if language in ("rust", "go"):
        source = folder / f"main.{'rs' if language == 'rust' else 'go'}"
        source.write_text(text)
        command = ["go", "build"] if compiler == "go" else [str(compiler)]
        built = run([*command, "-o", program, source], cwd=folder)
        assert built.returncode == 0, built.stderr
    else:
        program.write_text(text)
        program.chmod(0o755)
    return program


_CLAIMS = {"mytool-go": "ATIP1-9-01"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.proves(_CLAIMS[name])) if name in _CLAIMS else name
        for name in programs()
    ],
)
def test_program_of_the_guide_runs_and_answers(name, tmp_path):
    program = build(name, tmp_path)
    done = run([program, "--agent"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert errors(json.loads(done.stdout)) == []
    if name.startswith("mytool"):
        assert run([program], cwd=tmp_path).stdout == b"running\n"


@pytest.mark.proves("ATIP6-13-01")
def test_minimal_python_program_is_documented_executed_and_valid(tmp_path):
    done = run([build("mytool-python", tmp_path), "--agent"])
    assert check_tool(json.loads(done.stdout), "strict") == []


@pytest.mark.proves("ATIP1-6-01")
def test_guide_leads_from_the_line_over_effects_to_patterns():
    headings = re.findall(r"^## Minute (\d): (.*)$", GUIDE.read_text(), re.M)
    assert [number for number, _text in headings] == ["1", "2", "3", "4", "5"]
    assert [text for _number, text in headings][2:4] == ["effects", "login, examples, patterns"]


def test_guide_shows_what_the_check_really_says(tmp_path):
    program = build("greet", tmp_path)
    shown = re.search(
        r"```console\n\$ python -m atip_sdk\.check .*?\n(.*?)```", GUIDE.read_text(), re.S
    )
    assert shown is not None
    assert check(program) == (0, shown[1])
    assert run([program, "ann", "--shout"]).stdout == b"HELLO ANN\n"
