"""A crawl from end to end, on packages that the tests make themselves, through the real clients and the real sandbox."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.run import atip
from tests.simulators.package_files import DebianArchive, make_deb, make_wheel, script
from tests.simulators.package_indexes import package_index

pytestmark = pytest.mark.sandbox
EPOCH = {"SOURCE_DATE_EPOCH": "1790000000"}


@pytest.fixture
def archive(tmp_path):
    if not shutil.which("apt-get"):
        pytest.skip("apt-get is not installed")
    made = DebianArchive(tmp_path / "apt")
    made.add("wordcount", make_deb("wordcount", {"usr/bin/wordcount": script("wordcount")}))
    return made


def crawl(home: pathlib.Path, *words: str, **env: str):
    options = ("--out", "registry", "--state", "state", "--keys", "keys")
    return atip("crawl", *words, *options, home=home, **{**EPOCH, **env})


def shims(home: pathlib.Path) -> dict[str, bytes]:
    folder = home / "registry" / "shims"
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.json")}


def root(shim: dict) -> dict:
    """What is said of the tool itself: it has no commands, so they are those of the command without a name."""
    return shim["commands"][""]


def loaded(home: pathlib.Path) -> dict[str, dict]:
    documents = [json.loads(data) for data in shims(home).values()]
    return {document["name"]: document for document in documents}


@pytest.mark.proves("ATIP6-4.10.1-06", "ATIP6-4.10.3-04", "ATIP6-4.10.3-05")
def test_a_debian_package_becomes_a_signed_shim(tmp_path, archive):
    ran = crawl(tmp_path, "apt:wordcount", "--accept-new", "--json", **archive.environment)
    assert ran.code == 0, ran.err
    report = ran.document
    assert report["packages"] == 1 and report["deadLetters"] == [] and report["problems"] == []
    assert report["signed"] == 1 and report["registry"]["shims"] == 1
    shim = loaded(tmp_path)["wordcount"]
    data = script("wordcount")
    digits = hashlib.sha256(data).hexdigest()
    assert shim["binary"] == {
        "hash": f"sha256:{digits}",
        "name": "wordcount",
        "version": "1.0",
        "platform": "linux-amd64",
    }
    assert {flag for option in root(shim)["options"] for flag in option["flags"]} >= {
        "-o",
        "--output",
        "-q",
    }
    assert shim["description"].lower() == "count the words of files"
    assert shim["trust"] == {"source": "inferred", "verified": False}
    assert shim["_generation"]["package"]["name"] == "wordcount"
    assert f"[apt:wordcount]   Hash: sha256:{digits}" in ran.err
    assert f"[apt:wordcount]   Generated: shims/sha256/{digits}.json" in ran.err
    assert "[apt:wordcount] Found version: 1.0 (linux-amd64)" in ran.err
    checked = atip(
        "registry", "check", "registry/public", "--at", "2026-09-22", "--json", home=tmp_path
    )
    assert checked.code == 0 and checked.document["problems"] == []


def test_a_second_crawl_fetches_and_runs_nothing(tmp_path, archive):
    crawl(tmp_path, "apt:wordcount", "--accept-new", **archive.environment)
    before = shims(tmp_path)
    for file in archive.folder.glob("*.deb"):
        file.unlink()  # what is not fetched need not be there
    again = crawl(tmp_path, "apt:wordcount", "--accept-new", "--json", **archive.environment)
    assert again.document["reused"] == 1 and again.document["fetched"] == 0
    assert again.document["unchanged"] == 1 and shims(tmp_path) == before


@pytest.mark.proves("ATIP6-4.10.1-07", "ATIP6-4.10.4-05")
def test_a_new_tool_waits_for_a_person_and_an_update_does_not(tmp_path, archive):
    first = crawl(tmp_path, "apt:wordcount", "--json", **archive.environment).document
    assert first["accepted"] == [] and [one["kind"] for one in first["waiting"]] == ["new"]
    assert shims(tmp_path) == {}
    listed = atip("crawl", "review", "registry", "--json", home=tmp_path).document["waiting"]
    assert [one["name"] for one in listed] == ["wordcount"]
    digits = listed[0]["hash"][7:19]
    done = atip(
        "crawl", "review", "registry", "--accept", digits, "--by", "ada", "--json", home=tmp_path
    )
    assert done.code == 0 and len(shims(tmp_path)) == 1
    recorded = json.loads((tmp_path / "registry" / "approvals.json").read_text())["approvals"]
    assert [one["by"] for one in recorded] == ["ada"]
    better = script("wordcount", "  -n, --lines         count lines instead\n")
    archive.add("wordcount", make_deb("wordcount", {"usr/bin/wordcount": better}), version="1.1-1")
    second = crawl(tmp_path, "apt:wordcount", "--json", **archive.environment).document
    assert [one["kind"] for one in second["accepted"]] == ["update"] and second["waiting"] == []
    assert second["accepted"][0]["version"] == "1.1"
    promoted = atip(
        "crawl", "review", "registry", "--promote", digits, "--by", "ada", home=tmp_path
    )
    assert promoted.code == 0
    sources = sorted(json.loads(data)["trust"]["source"] for data in shims(tmp_path).values())
    assert sources == ["community", "inferred"]


def test_what_was_rejected_is_not_offered_again(tmp_path, archive):
    crawl(tmp_path, "apt:wordcount", **archive.environment)
    entry = atip("crawl", "review", "registry", "--json", home=tmp_path).document["waiting"][0]
    atip("crawl", "review", "registry", "--reject", entry["hash"], home=tmp_path)
    crawl(tmp_path, "apt:wordcount", **archive.environment)
    assert atip("crawl", "review", "registry", "--json", home=tmp_path).document["waiting"] == []


def test_maintainer_scripts_never_run_and_the_others_go_on(tmp_path, archive):
    mark = tmp_path / "postinst-ran"
    evil = {"postinst": f"#!/bin/sh\ntouch {mark}\n".encode()}
    archive.add("evil", make_deb("evil", {"usr/bin/evil": script("evil")}, scripts=evil))
    hostile = {"usr/bin/ok": script("ok"), "../../../outside": b"x"}
    archive.add("hostile", make_deb("hostile", hostile))
    archive.add("broken", b"!<arch>\nnot a package")
    words = [f"apt:{name}" for name in ("evil", "hostile", "broken", "wordcount", "nosuch")]
    ran = crawl(tmp_path, *words, "--accept-new", "--json", **archive.environment)
    assert ran.code == 0, ran.err
    assert sorted(loaded(tmp_path)) == ["evil", "wordcount"]
    dead = {deadletter["package"]: deadletter["code"] for deadletter in ran.document["deadLetters"]}
    assert dead == {
        "apt:hostile": "archive.name",
        "apt:broken": "archive.damaged",
        "apt:nosuch": "crawl.unknown",
    }
    assert not mark.exists() and not list(tmp_path.rglob("outside"))
    status = atip("crawl", "status", "--state", "state", "--json", home=tmp_path).document
    assert status["outcomes"] == {"learnt": 2, "refused": 2}


def test_links_of_a_package_lead_to_no_file_of_this_machine(tmp_path, archive):
    secret = tmp_path / "secret"
    secret.write_text(".TH SECRET 1\n.SH NAME\nthief \\- the secret of this machine\n")
    files = {
        "usr/bin/thief": script("thief"),
        "usr/share/man/man1/thief.1": str(secret),
        "usr/bin/linked": f"../../../../../../../../..{secret}",
    }
    archive.add("thief", make_deb("thief", files))
    ran = crawl(tmp_path, "apt:thief", "--accept-new", "--json", **archive.environment)
    assert "secret of this machine" not in json.dumps(loaded(tmp_path)) + json.dumps(ran.document)
    dead = [deadletter["code"] for deadletter in ran.document["deadLetters"]]
    assert dead == ["archive.link"] or sorted(loaded(tmp_path)) == ["thief"]


def test_a_wheel_is_asked_for_its_parser_without_installing_it(tmp_path):
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    main = (
        "import argparse\n"
        "def main():\n"
        "    parser = argparse.ArgumentParser('sortlines', description='Sort the lines of a file')\n"
        "    parser.add_argument('--reverse', action='store_true', help='largest first')\n"
        "    parser.add_argument('file')\n"
        "    parser.parse_args()\n"
    )
    carried = "import sortlines\nsortlines.main()\n"
    files = {
        "sortlines/__init__.py": main,
        "sortlines-1.0.data/scripts/sort-lines.py": "#!python\n" + carried,
    }
    make_wheel(wheels, "sortlines", files, "sortlines:main")
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
    ran = crawl(tmp_path, "pypi:sortlines", "--accept-new", "--json", **env)
    assert ran.code == 0 and ran.document["deadLetters"] == [], ran.err + ran.out
    shim = loaded(tmp_path)["sortlines"]
    assert {flag for option in root(shim)["options"] for flag in option["flags"]} >= {"--reverse"}
    assert [argument["name"] for argument in root(shim)["arguments"]] == ["file"]
    assert shim["_generation"]["method"] == "parser-introspection"
    assert shim["version"] == "1.0"
    # A script that the wheel carries has the first line that pip writes, and so its digest on a machine.
    as_installed = hashlib.sha256(b"#!/usr/bin/python3\n" + carried.encode()).hexdigest()
    assert loaded(tmp_path)["sort-lines.py"]["binary"]["hash"] == f"sha256:{as_installed}"


def test_an_npm_package_is_asked_without_running_its_scripts(tmp_path):
    if not (shutil.which("npm") and os.path.exists("/usr/bin/node")):
        pytest.skip("npm is not installed")
    mark = tmp_path / "install-ran"
    program = (
        "#!/usr/bin/env node\nconst words = require('words');\n"
        "console.log(`Usage: greet [options] <name>\\n\\nSay hello to somebody.\\n\\nOptions:\\n"
        "  -l, --loud  in capital letters\\n  --help      show help`);\n"
    )
    manifest = {
        "bin": {"greet": "cli.js"},
        "dependencies": {"words": "^1.0.0"},
        "scripts": {"postinstall": f"touch {mark}", "install": f"touch {mark}"},
    }
    with package_index() as registry:
        registry.add_npm("words", {"index.js": b"module.exports = 1;\n"}, {})
        registry.add_npm("greet", {"cli.js": program.encode()}, manifest)
        env = {"npm_config_registry": registry.address, "npm_config_userconfig": os.devnull}
        ran = crawl(tmp_path, "npm:greet", "--accept-new", "--json", **env)
    assert ran.code == 0 and ran.document["deadLetters"] == [], ran.err + ran.out
    shim = loaded(tmp_path)["greet"]
    assert {flag for option in root(shim)["options"] for flag in option["flags"]} >= {
        "-l",
        "--loud",
    }
    assert not mark.exists()


def processes_of(home) -> list[str]:
    """Processes that run with this home."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"HOME={home}\0".encode() in (path / "environ").read_bytes():
                found.append((path / "cmdline").read_text().replace("\0", " "))
    return [each for each in found if each]


def test_a_killed_crawl_goes_on_and_ends_with_the_same_bytes(tmp_path, archive):
    names = [f"tool{number}" for number in range(8)]
    for name in names:
        archive.add(name, make_deb(name, {f"usr/bin/{name}": script(name)}))
    words = [f"apt:{name}" for name in names]
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    for home in (whole, torn):
        home.mkdir()
    crawl(whole, *words, "--accept-new", "--unsigned", **archive.environment)
    command = [sys.executable, "-m", "atip.cli.main", "crawl", *words, "--accept-new", "--unsigned"]
    command += ["--out", "registry", "--state", "state"]
    env = {**os.environ, **EPOCH, **archive.environment, "HOME": str(torn)}
    results = torn / "state" / "depot" / "results"
    for wanted in (1, 3, 6):
        process = subprocess.Popen(
            command, cwd=torn, env=env, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            # temporary files come and go while we look
            with contextlib.suppress(FileNotFoundError):
                if len(list(results.rglob("*.json"))) >= wanted:
                    break
            os.sched_yield()
        process.send_signal(signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 60
    while processes_of(torn) and time.monotonic() < deadline:
        os.sched_yield()
    assert processes_of(torn) == []  # workers end with their host
    done = crawl(torn, *words, "--accept-new", "--unsigned", "--json", **archive.environment)
    assert done.document["reused"] >= 1
    assert shims(torn) == shims(whole) and len(shims(whole)) == 8
    published = {
        p.relative_to(whole): p.read_bytes() for p in whole.glob("registry/public/**/*.json")
    }
    assert published == {
        p.relative_to(torn): p.read_bytes() for p in torn.glob("registry/public/**/*.json")
    }


@pytest.mark.proves("ATIP6-4.10.3-03", "ATIP6-4.10.3-06")
def test_generate_makes_a_shim_from_a_local_program(tmp_path):
    program = tmp_path / "bin" / "mytool"
    program.parent.mkdir()
    program.write_bytes(script("mytool"))
    program.chmod(0o755)
    ran = atip(
        *("crawl", "generate", str(program), "--name", "mytool", "--version", "1.0.0", "--json"),
        home=tmp_path,
    )
    shim = ran.document["shim"]
    assert (shim["name"], shim["version"]) == ("mytool", "1.0.0")
    assert shim["trust"] == {"source": "inferred", "verified": False}
    alias = subprocess.run(
        [
            str(pathlib.Path(sys.executable).parent / "atip-crawler"),
            "generate",
            str(program),
            "--json",
        ],
        capture_output=True,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert json.loads(alias.stdout)["shim"]["binary"]["hash"] == shim["binary"]["hash"]


MANIFEST = """
name: wordcount
homepage: https://example.com
description: Count words
contributors: [Ada]
sources:
  apt:
    package: wordcount
    platforms: [linux-amd64, linux-arm64]
template: |
  {"commands": {"": {"description": "Count the words of a text",
    "options": [{"name": "output", "flags": ["-o", "--output"], "type": "file", "description": "where to"}],
    "effects": {"network": false, "filesystem": {"write": true}}}}}
"""


@pytest.mark.proves(
    "ATIP6-4.10.2-01", "ATIP6-4.10.2-04", "ATIP6-4.10.2-05", "ATIP6-4.10.3-01", "ATIP6-4.10.3-02",
    "ATIP6-4.10.5-01", "ATIP6-4.10.5-02", "ATIP6-4.10.5-03", "ATIP6-4.10.5-04",
)  # fmt: skip
def test_a_tracked_tool_is_checked_crawled_merged_and_counted(tmp_path, archive):
    tools = tmp_path / "registry" / "tools"
    tools.mkdir(parents=True)
    (tools / "wordcount.yaml").write_text(MANIFEST)
    assert atip("validate", str(tools / "wordcount.yaml"), home=tmp_path).code == 0
    options = ("--out", "registry", "--state", "state", "--json")
    news = atip("crawl", "check", "--all", *options, home=tmp_path, **archive.environment).document
    assert [
        (release["package"], release["known"], release["new"]) for release in news["releases"]
    ] == [("apt:wordcount", None, True)]
    assert not list((tmp_path / "state").rglob("*.deb"))
    first = crawl(tmp_path, "wordcount", "--accept-new", "--json", **archive.environment)
    assert first.code == 0, first.err
    assert (
        crawl(tmp_path, "--all", "--accept-new", "--json", **archive.environment).document["reused"]
        == 1
    )
    shim = loaded(tmp_path)["wordcount"]
    assert root(shim)["description"] == "Count the words of a text"
    effects = root(shim)["effects"]
    assert effects["filesystem"]["write"] is True and effects["network"] is False
    output = [option for option in root(shim)["options"] if "--output" in option["flags"]]
    assert [one["type"] for one in output] == ["file"]
    assert any("--quiet" in option["flags"] for option in root(shim)["options"])
    assert shim["x-atip"]["contributors"] == ["Ada"]
    news = atip("crawl", "check", "--all", *options, home=tmp_path, **archive.environment).document
    assert [release["new"] for release in news["releases"]] == [False]
    claimed = atip(
        "crawl",
        "coverage",
        "registry",
        "--claim",
        "wordcount",
        "--by",
        "Bob",
        "--json",
        home=tmp_path,
    )
    coverage = claimed.document["coverage"]
    assert (coverage["tracked_tools"], coverage["total_shims"]) == (1, 1)
    assert coverage["platforms"] == {"linux-amd64": 1} and coverage["by_source"] == {"inferred": 1}
    assert coverage["missing"] == [
        {"name": "wordcount", "platforms": ["linux-arm64"], "claimedBy": "Bob"}
    ]


def test_a_weaker_update_is_not_published_without_a_person(tmp_path, archive):
    """threat 28 of conformance/threats.toml."""
    tools = tmp_path / "registry" / "tools"
    tools.mkdir(parents=True)
    (tools / "wordcount.yaml").write_text(MANIFEST)
    crawl(tmp_path, "--all", "--accept-new", **archive.environment)
    (tools / "wordcount.yaml").write_text(MANIFEST.replace('{"write": true}', '{"write": false}'))
    changed = script("wordcount", "  -x, --extra         more\n")
    archive.add("wordcount", make_deb("wordcount", {"usr/bin/wordcount": changed}), version="1.1-1")
    report = crawl(tmp_path, "--all", "--accept-new", "--json", **archive.environment).document
    assert [one["kind"] for one in report["waiting"]] == ["weaker"] and report["accepted"] == []
    result = atip(
        "crawl", "review", "registry", "--show", report["waiting"][0]["hash"], home=tmp_path
    )
    assert "write" in result.out


@pytest.mark.online
def test_packages_of_the_configured_registries(tmp_path):
    ran = crawl(tmp_path, "apt:jq", "pypi:httpie", "npm:cowsay", "--accept-new", "--json")
    assert ran.code == 0 and ran.document["deadLetters"] == []
    assert {"jq", "http", "httpie", "cowsay"} <= set(loaded(tmp_path))
