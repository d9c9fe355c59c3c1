"""What a traced run touched is seen, compared with what is declared, and written as a sandbox."""

from __future__ import annotations

import json
import pathlib

import pytest

from atip.errors import Denied
from atip.model.effects import Effects, Filesystem
from atip.model.permissions.sandbox_block import check_sandbox, read_sandbox
from atip.model.reading.yaml_reader import read_yaml
from atip.policy.confinement.observed import differences
from tests.cli.run import atip
from tests.integration.execution.desk import Desk

pytestmark = pytest.mark.sandbox


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    found = Desk(tmp_path)
    (found.work / "a.txt").write_text("a\n")
    return found


def observe(desk: Desk, *argv: str):
    return desk.box.observe(argv, cwd=str(desk.work), ask=desk.yes)


def tree(folder: pathlib.Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def names(paths) -> set[str]:
    return {pathlib.Path(path).name for path in paths}


@pytest.mark.proves("ATIP1-5.1-03")
def test_files_programs_and_connections_are_seen(desk: Desk) -> None:
    script = (
        "cat a.txt > b.txt\nrm a.txt\nmkdir d\nmv b.txt d/c.txt\necho t > /tmp/scratch\n"
        "curl -s -m 2 http://127.0.0.1:1/ http://192.0.2.7:81/\ntrue\n"
    )
    seen = observe(desk, desk.script("tool", script)).touched
    assert {"a.txt"} <= names(seen.reads)
    assert {"b.txt", "d", "c.txt"} == names(seen.writes)
    assert names(seen.deletes) == {"a.txt"}
    assert {"cat", "rm", "mkdir", "mv", "curl"} <= names(seen.spawned)
    assert {"127.0.0.1:1", "192.0.2.7:81"} <= set(seen.refused)


def test_a_harmless_command_is_as_declared(desk: Desk) -> None:
    found = observe(desk, "cat", "a.txt")
    assert found.differences == ()
    assert found.honest
    assert found.result.stdout == "a\n"
    assert desk.asked == []


def test_compressors_on_the_list_of_the_description_are_declared(desk: Desk) -> None:
    found = observe(desk, "tar", "czf", "a.tgz", "a.txt")
    assert names(found.touched.spawned) == {"sh", "gzip"}
    assert found.differences == ()


def test_what_the_description_denies_is_named(desk: Desk) -> None:
    found = observe(desk, desk.script("liar", "echo x > made\nexpr 1 > /dev/null\n"))
    harmless = Effects(
        filesystem=Filesystem(read=True, write=False, delete=False), network=True, subprocess=False
    )
    assert [
        (difference.fact, difference.kind, difference.declared)
        for difference in differences(harmless, found.touched)
    ] == [
        ("filesystem.write", "undeclared", False),
        ("subprocess", "undeclared", False),
        ("filesystem.read", "unused", True),
        ("network", "unused", True),
    ]
    lied = found.replace(differences=differences(harmless, found.touched))
    assert not lied.honest
    assert found.honest  # nobody described it: nothing was denied


def test_the_block_can_be_read_and_holds_what_was_needed(desk: Desk) -> None:
    found = observe(desk, desk.script("tool", "cat a.txt > b.txt\n"))
    text = found.render_block()
    block = read_yaml(text.encode())["sandbox"]  # type: ignore[index]
    assert check_sandbox(block) == []
    needed = read_sandbox(block)
    assert (needed.fs_write, needed.exec_spawn) == (("**/**",), ("cat",))
    assert needed.egress == ()


def test_an_observation_can_be_kept_as_evidence(desk: Desk) -> None:
    path = desk.box.save_observation(observe(desk, "cat", "a.txt"))
    document = json.loads(pathlib.Path(path).read_text())
    assert (document["evidence"], document["honest"]) == ("observed", True)
    assert "stdout" not in document
    assert pathlib.Path(path).stat().st_mode & 0o777 == 0o600


def test_a_destructive_command_is_seen_without_a_question_and_changes_nothing(desk: Desk) -> None:
    (desk.work / "d").mkdir()
    (desk.work / "d" / "b.txt").write_text("b\n")
    before = tree(desk.work)
    for argv in (
        ["rm", "-rf", "d"],
        ["sed", "-i", "s/a/z/", "a.txt"],
        ["mv", "a.txt", "d/"],
        ["sh", "-c", "rm a.txt; echo x > new; chmod 000 d"],
    ):
        found = observe(desk, *argv)
        assert not found.real
        assert found.touched.deletes or found.touched.writes, argv
        assert tree(desk.work) == before, argv
    assert desk.asked == []
    assert names(observe(desk, "rm", "-rf", "d").touched.deletes) == {"d", "b.txt"}


def test_a_real_run_is_asked_about_and_its_changes_stay(desk: Desk) -> None:
    found = desk.box.observe(["rm", "a.txt"], cwd=str(desk.work), ask=desk.yes, real=True)
    assert (found.real, len(desk.asked)) == (True, 1)
    assert not (desk.work / "a.txt").exists()


def test_a_copy_shows_no_secret_and_reaches_no_host(desk: Desk) -> None:
    (desk.work / ".env").write_text("TOKEN=observed-secret-value\n")
    (desk.home / ".ssh").mkdir()
    (desk.home / ".ssh" / "id_ed25519").write_text("observed-private-key\n")
    script = "cat .env; cat ~/.ssh/id_ed25519; cat %s; curl -s -m 2 http://127.0.0.1:9/\n"
    found = observe(desk, desk.script("tool", script % (desk.home / ".ssh" / "id_ed25519")))
    assert "observed-" not in found.result.stdout
    named = observe(desk, "cat", str(desk.home / ".ssh" / "id_ed25519"))
    assert named.result.exit_code != 0
    assert "observed-" not in named.result.stdout
    assert desk.asked == []
    assert found.touched.refused == ("127.0.0.1:9",)


def test_policy_decides_as_for_any_run(desk: Desk) -> None:
    desk.policy(rules=[{"decision": "deny", "tools": ["cat"]}])
    with pytest.raises(Denied):
        observe(desk, "cat", "a.txt")


def test_the_verb_prints_one_document_and_writes_the_block(desk: Desk) -> None:
    ran = atip(
        "observe", "--json", "--write", "block.yaml", "--", "cat", "a.txt",
        home=desk.home, cwd=desk.work,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.document["differences"] == []
    assert ran.document["touched"]["reads"] == [str(desk.work / "a.txt")]
    assert (desk.work / "block.yaml").read_text().startswith("sandbox:\n  network:\n")
    plain = atip("observe", "--", "cat", "a.txt", home=desk.home, cwd=desk.work)
    assert "as declared" in plain.out
    empty = atip("observe", "--json", home=desk.home, cwd=desk.work)
    assert (empty.code, empty.document["error"]["code"]) == (2, "observe.empty")
