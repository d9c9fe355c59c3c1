"""INTENT.md of a bundle: found by search in the words of people, run as the tool behind it."""

from __future__ import annotations

import json

import pytest

import atip
from atip.bundles.state import Installation
from atip.codecs.climd.document import render_document
from atip.errors import NotFoundError
from tests.cli.run import atip as run
from tests.simulators.bundle_host import make_bundle, write_bundle

INTENT = {
    "name": "Overview",
    "id": "demo.overview",
    "label": "Show the warehouse",
    "description": "Everything that is on the shelves.",
    "version": "1.0.0",
    "intent": {"en": ["count the crates"], "de": ["Kisten auflisten"]},
    "surfaces": ["chat"],
    "implements": [
        {"tool": "somebody.else"},
        {"tool": "../../tools/list/TOOL.md", "default": True},
    ],
    "examples": [{"user": "how many pallets are left?"}],
}


def documents(**changes):
    return {"intents/overview/INTENT.md": render_document({**INTENT, **changes})}


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("place", ["intents/overview/INTENT.md", "intents/overview.INTENT.md"])
@pytest.mark.parametrize("tool", ["demo.list", "./tools/list/TOOL.md"])
def test_intent_leads_to_its_tool_wherever_it_lies(tmp_path, listed, place, tool):
    text = render_document({**INTENT, "implements": [{"tool": tool}]})
    refs = [{"ref": f"./{place}"}] if listed else []
    bundle = make_bundle(tmp_path, extra={place: text}, intents=refs)
    assert [(shortcut.id, shortcut.path) for shortcut in bundle.shortcuts] == [
        ("demo.overview", ("list",))
    ]
    assert bundle.get(["demo.overview"]).path == ("list",)
    assert place in dict(bundle.digests)


def test_intent_without_a_tool_of_the_bundle_is_not_a_command(tmp_path):
    bundle = make_bundle(tmp_path, extra=documents(implements=[{"tool": "somebody.else"}]))
    with pytest.raises(NotFoundError) as caught:
        bundle.get(["demo.overview"])
    assert caught.value.code == "bundle.no-command"


def test_link_out_of_the_bundle_is_not_read(tmp_path):
    folder = tmp_path / "demo"
    (tmp_path / "secret.INTENT.md").write_text(render_document(INTENT))
    write_bundle(folder)
    (folder / "intents").mkdir()
    (folder / "intents" / "x.INTENT.md").symlink_to(tmp_path / "secret.INTENT.md")
    with pytest.raises(atip.FormatError) as caught:
        make_bundle(folder)
    assert {problem.code for problem in caught.value.problems} == {"climd.outside"}


@pytest.mark.sandbox
@pytest.mark.proves("AIP29-INTENTS-90")
def test_intent_is_found_by_search_and_run(tmp_path, monkeypatch):
    folder = tmp_path / "bundles" / "demo"
    program = '#!/bin/sh\ncase $1 in --version) echo demo 1.3.0;; *) echo crates: "$@";; esac\n'
    write_bundle(
        folder,
        extra={**documents(), "bin/demo": program},
        install=[{"method": "vendored", "path": "./bin/demo"}],
        intents=[{"ref": "./intents/overview/INTENT.md"}],
    )
    (folder / "bin" / "demo").chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    box = atip.Toolbox(home=str(tmp_path / "home"))
    host = box.bundles(workspace=str(work))
    bundle = host.load(str(folder))
    host.install(bundle, confirm=lambda _: True, confirm_root=lambda _: False)
    assert isinstance(host.store.get(bundle.key), Installation)
    for words in ("count the crates", "Kisten auflisten", "how many pallets are left"):
        hit = box.search(words, 1)[0]
        assert (hit.tool, hit.path) == (f"bundle:{bundle.key}", ("list",)), words
    done = host.run(bundle, ["demo.overview"], {"name": "north"})
    assert (done.ok, done.value) == (True, "crates: list --name north\n")
    words = ("bundle", "run", "demo@1", "demo.overview", "name=x y", "--json")
    ran = run(*words, home=tmp_path / "home", cwd=work)
    assert (ran.code, ran.document["value"]) == (0, "crates: list --name x y\n"), ran


@pytest.mark.sandbox
@pytest.mark.proves("AIP29-SANDBOX-90")
@pytest.mark.parametrize("read", [["./**"], []])
def test_program_starts_where_the_dry_run_says(tmp_path, read):
    folder, home, work = tmp_path / "demo", tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    sandbox = {
        "network": {"egress": []},
        "fs": {"read": read, "write": []},
        "exec": {"allow": False},
        "env": {"pass": []},
    }
    program = "#!/bin/sh\ncase $1 in --version) echo demo 1.3.0;; *) pwd;; esac\n"
    vendored = [{"method": "vendored", "path": "./bin/demo"}]
    write_bundle(folder, extra={"bin/demo": program}, install=vendored, sandbox=sandbox)
    (folder / "bin" / "demo").chmod(0o755)
    host = atip.Toolbox(home=str(home)).bundles(workspace=str(work))
    bundle = host.load(str(folder))
    host.install(bundle, confirm=lambda _: True, confirm_root=lambda _: False)
    result = run("bundle", "run", "demo@1", "list", "--dry-run", "--json", home=home, cwd=work)
    start = str(work) if read else None
    assert (result.document["startsIn"], result.document["cwd"]) == (start, str(work))
    started = run("bundle", "run", "demo@1", "list", "--json", home=home, cwd=work)
    assert started.document["value"] == f"{start or home}\n"
    kept = (path.read_text() for path in home.rglob("*.jsonl"))
    records = [json.loads(line) for text in kept for line in text.splitlines()]
    recorded = [
        record
        for record in records
        if record.get("argv") == ["demo", "list"] and "startsIn" in record
    ]
    assert [(one["startsIn"], one["cwd"]) for one in recorded] == [(start, str(work))]


@pytest.mark.sandbox
@pytest.mark.parametrize("read", [["./**"], []])
def test_question_names_the_directory_that_the_program_starts_in(tmp_path, read):
    """Asked because it may write to a folder that is not the workspace."""
    folder, home, work = tmp_path / "demo", tmp_path / "home", tmp_path / "work"
    (home / ".demo").mkdir(parents=True)
    work.mkdir()
    sandbox = {
        "network": {"egress": []},
        "fs": {"read": read, "write": ["~/.demo/**"]},
        "exec": {"allow": False},
        "env": {"pass": []},
    }
    program = "#!/bin/sh\ncase $1 in --version) echo demo 1.3.0;; *) pwd;; esac\n"
    vendored = [{"method": "vendored", "path": "./bin/demo"}]
    write_bundle(folder, extra={"bin/demo": program}, install=vendored, sandbox=sandbox)
    (folder / "bin" / "demo").chmod(0o755)
    host = atip.Toolbox(home=str(home)).bundles(workspace=str(work))
    bundle = host.load(str(folder))
    host.install(bundle, confirm=lambda _: True, confirm_root=lambda _: False)
    questions = []

    def yes(question):
        questions.append(question.render())
        return True

    done = host.run(bundle, ["list"], {}, ask=yes)
    directory = next(line for line in questions[0].splitlines() if "directory" in line)
    if read:
        assert (directory.split()[1:], done.value) == ([str(work)], f"{work}\n")
    else:
        assert "an empty home of its own" in directory and str(work) in directory
        assert done.value == f"{home}\n"
