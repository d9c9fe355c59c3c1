"""A second crawl with the real `pip` and `npm`: the index confirms that nothing changed, and no file is fetched."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from tests.cli.run import atip
from tests.simulators.package_files import make_wheel
from tests.simulators.package_indexes import package_index

pytestmark = pytest.mark.sandbox

PROGRAM = (
    "import argparse\n"
    "def main():\n"
    "    parser = argparse.ArgumentParser('{name}', description='Sort the lines of a file')\n"
    "    parser.add_argument('--reverse', action='store_true', help='largest first')\n"
    "    parser.parse_args()\n"
)
NODE_PROGRAM = (
    "#!/usr/bin/env node\nrequire('words');\n"
    "console.log(`Usage: {name} [options] <name>\\n\\nSay hello to somebody.\\n\\nOptions:\\n"
    "  -l, --loud  in capital letters\\n  --help      show help`);\n"
)


@pytest.fixture
def index():
    with package_index() as served:
        yield served


def add_python(index, folder, name, version="1.0", needs=""):
    folder.mkdir(exist_ok=True)
    files = {f"{name}/__init__.py": PROGRAM.format(name=name) + f"# {version}\n"}
    index.add_wheel(make_wheel(folder, name, files, f"{name}:main", version, needs))


def add_node(index, name, version="1.0.0"):
    manifest = {"bin": {name: "cli.js"}, "dependencies": {"words": "^1.0.0"}}
    program = NODE_PROGRAM.format(name=name) + f"// {version}\n"
    index.add_npm(name, {"cli.js": program.encode()}, manifest, version)


def crawl(home, index, *packages):
    """The report, and the answers of the index to this crawl: (path, status)."""
    index.answers.clear()
    env = {
        "PIP_INDEX_URL": f"{index.address}/simple/",
        "PIP_TRUSTED_HOST": index.address.removeprefix("http://"),  # pip has no cache for others
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_CACHE_DIR": str(home / "pip-cache"),
        "npm_config_registry": index.address,
        "npm_config_userconfig": os.devnull,
        "npm_config_cache": str(home / "npm-cache"),
        "SOURCE_DATE_EPOCH": "1790000000",
    }
    options = ("--accept-new", "--json", "--out", "registry", "--state", "state", "--keys", "keys")
    ran = atip("crawl", *packages, *options, home=home, **env)
    assert ran.code == 0, ran.err + ran.out
    assert ran.document["deadLetters"] == [], ran.document["deadLetters"]
    return ran.document, list(index.answers)


def tree(home):
    """The files of the registry, but for the build's own state."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in (home / "registry").rglob("*")
        if path.is_file() and ".atip" not in path.parts
    }


def test_wheels_are_not_downloaded_again(tmp_path, index):
    for name in ("sortlines", "countlines"):
        add_python(index, tmp_path / "wheels", name)
    packages = ("pypi:sortlines", "pypi:countlines")
    first, answers = crawl(tmp_path, index, *packages)
    assert first["fetched"] == 2 and ("/files/sortlines-1.0-py3-none-any.whl", 200) in answers
    before = tree(tmp_path)
    second, answers = crawl(tmp_path, index, *packages)
    assert second["reused"] == 2 and second["fetched"] == 0 and tree(tmp_path) == before
    # Every answer is a confirmation of a page of the index, without a body.
    assert sorted(answers) == [("/simple/countlines/", 304), ("/simple/sortlines/", 304)]


def test_one_new_version_is_resolved_alone(tmp_path, index):
    for name in ("sortlines", "countlines"):
        add_python(index, tmp_path / "wheels", name)
    packages = ("pypi:sortlines", "pypi:countlines")
    crawl(tmp_path, index, *packages)
    add_python(index, tmp_path / "wheels", "sortlines", "2.0")
    second, answers = crawl(tmp_path, index, *packages)
    assert second["reused"] == 1 and second["fetched"] == 1
    fetched = {path for path, status in answers if path.startswith("/files/")}
    assert fetched == {"/files/sortlines-2.0-py3-none-any.whl"}
    assert ("/simple/countlines/", 304) in answers
    # The launcher that pip writes has the same bytes, and the version of a digest never changes: a person decides.
    assert [(one["name"], one["version"]) for one in second["waiting"]] == [("sortlines", "2.0")]


def test_a_package_that_left_the_index_is_refused(tmp_path, index):
    add_python(index, tmp_path / "wheels", "sortlines")
    crawl(tmp_path, index, "pypi:sortlines")
    del index.pages["/simple/sortlines/"]
    with pytest.raises(AssertionError, match="pypi:sortlines"):
        crawl(tmp_path, index, "pypi:sortlines")


def test_npm_archives_are_not_downloaded_again(tmp_path, index):
    if not (shutil.which("npm") and os.path.exists("/usr/bin/node")):
        pytest.skip("npm is not installed")
    index.add_npm("words", {"index.js": b"module.exports = 1;\n"}, {})
    for name in ("greet", "wave"):
        add_node(index, name)
    first, answers = crawl(tmp_path, index, "npm:greet", "npm:wave")
    assert first["fetched"] == 3 and ("/greet/-/greet-1.0.0.tgz", 200) in answers
    before = tree(tmp_path)
    second, answers = crawl(tmp_path, index, "npm:greet", "npm:wave")
    assert second["reused"] == 2 and second["fetched"] == 0 and tree(tmp_path) == before
    # The dependency `words` is not queried: it belongs to releases that did not change.
    assert sorted(answers) == [("/greet", 304), ("/wave", 304)]
    add_node(index, "wave", "1.1.0")
    third, answers = crawl(tmp_path, index, "npm:greet", "npm:wave")
    assert third["reused"] == 1 and third["fetched"] == 1
    assert [path for path, _ in answers if path.endswith(".tgz")] == ["/wave/-/wave-1.1.0.tgz"]


def test_records_of_another_version_are_resolved_again(tmp_path, index):
    add_python(index, tmp_path / "wheels", "sortlines")
    crawl(tmp_path, index, "pypi:sortlines")
    (record,) = (tmp_path / "state" / "sources" / "pypi" / "releases").rglob("sortlines.json")
    record.write_text('{"source": "pypi"}')
    second, _ = crawl(tmp_path, index, "pypi:sortlines")
    assert second["reused"] == 1 and second["fetched"] == 0
    assert json.loads(record.read_text())["release"]["version"] == "1.0"


def test_a_release_that_cannot_be_resolved_is_not_tried_again(tmp_path, index):
    # The newest wheel needs something that the index does not have: pip takes the older one.
    add_python(index, tmp_path / "wheels", "sortlines")
    add_python(index, tmp_path / "wheels", "sortlines", "2.0", needs="absent")
    first, _ = crawl(tmp_path, index, "pypi:sortlines")
    assert first["fetched"] == 1
    second, answers = crawl(tmp_path, index, "pypi:sortlines")
    assert second["reused"] == 1 and answers == [("/simple/sortlines/", 304)]


def test_a_package_that_cannot_be_resolved_is_refused_without_another_try(tmp_path, index):
    add_python(index, tmp_path / "wheels", "sortlines", needs="absent")
    for answer in (200, 304):
        with pytest.raises(AssertionError, match="no set of wheels fits"):
            crawl(tmp_path, index, "pypi:sortlines")
        assert index.answers[0] == ("/simple/sortlines/", answer)
    assert len(index.answers) == 1


def test_a_dry_run_names_what_it_cannot_crawl(tmp_path):
    options = ("--dry-run", "--json", "--out", "registry", "--state", "state")
    ran = atip("crawl", "npm:../x", "pypi:--help", *options, home=tmp_path)
    assert ran.document["packages"] == []
    assert [(one["package"], one["code"]) for one in ran.document["deadLetters"]] == [
        ("npm:../x", "crawl.unknown"),
        ("pypi:--help", "crawl.unknown"),
    ]
