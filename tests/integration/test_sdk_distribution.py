"""`atip-sdk` as an author installs it: its own wheel, nothing else of ours beside it, old and new interpreters."""

from __future__ import annotations

import importlib.metadata
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest
from packaging.specifiers import SpecifierSet

from atip.model.shapes.check import check_tool
from tests.shared import ROOT

PROJECT = ROOT / "packages" / "atip-sdk"
EXAMPLES = {"notes": "notes_argparse.py", "cloud": "cloud_click.py", "images": "images_typer.py"}
GREET = """
import argparse, sys
import atip_sdk

def main():
    parser = argparse.ArgumentParser(prog="greet", description="Greet somebody")
    parser.add_argument("name", help="whom to greet")
    parser.add_argument("--shout", action="store_true", help="in capitals")
    atip_sdk.agent(parser, version="1.0", effects={"": atip_sdk.READ_ONLY})
    try:
        parser.parse_args()
    finally:
        assert "atip" not in sys.modules

main()
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> pathlib.Path:
    """The wheel, built from a copy of the checkout that holds only what it needs."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(PROJECT, root / "packages" / "atip-sdk")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "atip" / "sdk", root / "src" / "atip" / "sdk", ignore=ignored)
    for name in ("version.py", "py.typed"):
        shutil.copy(ROOT / "src" / "atip" / name, root / "src" / "atip" / name)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(build, cwd=root / "packages" / "atip-sdk", check=True, capture_output=True)
    return next((root / "packages" / "atip-sdk" / "dist").glob("*.whl"))


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory) -> pathlib.Path:
    """The folder that an installer would put the wheel's files into."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            archive.extract(name, folder)
    return folder


def interpreters() -> list[str]:
    """Every Python of 3.8 or newer on this machine, one for each version."""
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}
    versions = (
        pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    )
    for minor in range(8, 15):
        places = [*versions.glob(f"3.{minor}.*/bin/python3"), shutil.which(f"python3.{minor}")]
        for place in filter(None, places):
            answers = subprocess.run([place, "-c", ""], capture_output=True).returncode == 0
            if answers:
                found.setdefault(f"3.{minor}", str(place))
    return [found[version] for version in sorted(found)]


def ask(python: str, program: pathlib.Path, site: pathlib.Path, *more: str) -> dict:
    paths = os.pathsep.join((str(site), *more))
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    argv = [python, "-S", str(program), "--agent"]
    done = subprocess.run(argv, capture_output=True, env=env, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout.decode("utf-8"))


def test_wheel_is_small_needs_nothing_and_takes_old_interpreters(wheel):
    assert wheel.stat().st_size < 100_000
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"atip_sdk"}
    assert "Requires-Python: >=3.8" in metadata and "Requires-Dist" not in metadata


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: pathlib.Path(path).parts[-3])
def test_argparse_program_answers_on_every_interpreter(python, installed, tmp_path):
    program = tmp_path / "greet"
    program.write_text(GREET)
    document = ask(python, program, installed)
    assert check_tool(document, "strict") == []
    assert document["name"] == "greet" and document["effects"]["destructive"] is False


def frameworks(python: str, name: str) -> str | None:
    """Where this interpreter finds the framework of an example: what `scripts/setup-sdk-pythons` laid out for its version,
    else this environment's own where its metadata takes that version; None where there is neither."""
    version = version_of(python)
    prepared = ROOT / ".cache" / "sdk-pythons" / version
    framework = {"notes": "", "cloud": "click", "images": "typer"}[name]
    if not framework or (prepared / framework).is_dir():
        return str(prepared)
    distribution = importlib.metadata.distribution(framework)
    taken = SpecifierSet(distribution.metadata["Requires-Python"]).contains(f"{version}.0")
    return str(distribution.locate_file("")) if taken else None


def version_of(python: str) -> str:
    say = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([python, "-c", say], capture_output=True, text=True).stdout.strip()


def pairs() -> list:
    """Every interpreter with every example that it can run: `Annotated` came with 3.9."""
    return [
        pytest.param(python, name, site, id=f"{name}-{version_of(python)}")
        for python in interpreters()
        for name in EXAMPLES
        if not (name == "images" and version_of(python) == "3.8")
        if (site := frameworks(python, name)) is not None
    ]


@pytest.mark.parametrize(("python", "name", "site"), pairs())
def test_example_answers_the_same_on_every_interpreter(python, name, site, installed, tmp_path):
    source = (ROOT / "examples" / EXAMPLES[name]).read_text()
    program = tmp_path / name
    program.write_text(source.replace("atip.sdk", "atip_sdk"))
    document = ask(python, program, installed, site)
    assert check_tool(document, "strict") == [] and document["name"] == name
    here = str(importlib.metadata.distribution("click").locate_file(""))
    assert (
        document["commands"].keys()
        == ask(sys.executable, program, installed, here)["commands"].keys()
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_has_no_lint_finding(name, tmp_path):
    program = tmp_path / name
    shutil.copy(ROOT / "examples" / EXAMPLES[name], program)
    done = subprocess.run([sys.executable, program, "--agent"], capture_output=True, check=True)
    file = tmp_path / f"{name}.json"
    file.write_bytes(done.stdout)
    argv = [str(pathlib.Path(sys.executable).parent / "atip"), "lint", "--json", str(file)]
    report = json.loads(subprocess.run(argv, capture_output=True).stdout)
    findings = report["files"][0]["findings"]
    assert [finding for finding in findings if finding["severity"] != "info"] == []


def test_author_check_runs_under_its_own_name(installed, tmp_path):
    program = tmp_path / "greet"
    program.write_text(f"#!{sys.executable}\n{GREET}")
    program.chmod(0o755)
    env = {**os.environ, "PYTHONPATH": str(installed)}
    argv = [sys.executable, "-m", "atip_sdk.check", str(program), "--json"]
    done = subprocess.run(argv, capture_output=True, env=env, timeout=60)
    assert done.returncode == 0 and json.loads(done.stdout)["answers"] is True
