"""A preview changes nothing until somebody says so, shows all that would change, and cannot be led astray."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

from atip.errors import SandboxError
from atip.sandbox.preview import remove_old_stages, stage_for
from tests.integration.execution.desk import Desk
from tests.integration.sandbox.unprivileged import environment, system_python

pytestmark = pytest.mark.sandbox


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    found = Desk(tmp_path)
    (found.work / "notes.txt").write_text("one\ntwo\n")
    (found.work / "old").write_text("old\n")
    (found.work / "folder").mkdir()
    (found.work / "folder/inner").write_text("inner\n")
    return found


SCRIPT = "\n".join((
    "echo three >> notes.txt", "rm old", "mkdir made", "printf '\\0' > made/binary", "chmod 755 folder/inner",
    "ln -s notes.txt near", "ln -s /etc far", "mkfifo pipe", "cat notes.txt",
))  # fmt: skip


def preview(desk: Desk, script: str):
    return desk.box.preview([desk.script("tool", script)], cwd=str(desk.work), ask=desk.yes)


def test_the_program_sees_its_changes_and_the_files_stay_as_they_are(desk: Desk) -> None:
    before = sorted(path.name for path in desk.work.iterdir())
    with preview(desk, SCRIPT) as found:
        assert found.result.stdout == "one\ntwo\nthree\n"
        assert (desk.work / "notes.txt").read_text() == "one\ntwo\n"
        kinds = {
            (difference.kind, pathlib.Path(difference.path).name)
            for difference in found.differences
        }
        assert kinds == {
            ("changed", "notes.txt"), ("deleted", "old"), ("created", "made"), ("created", "binary"),
            ("mode", "inner"), ("created", "near"), ("created", "far"), ("created", "pipe"),
        }  # fmt: skip
        text = found.render()
        assert "+three" in text
        assert "(0644 → 0755)" in text
    assert sorted(path.name for path in desk.work.iterdir()) == [*before, "tool"]
    assert not list((desk.home / ".cache/agent-tools/previews").iterdir())


def test_what_is_kept_is_what_was_shown_but_links_outside_and_pipes(desk: Desk) -> None:
    with preview(desk, SCRIPT) as found:
        kept = found.keep()
    assert (desk.work / "notes.txt").read_text() == "one\ntwo\nthree\n"
    assert not (desk.work / "old").exists()
    assert (desk.work / "made/binary").read_bytes() == b"\0"
    assert os.stat(desk.work / "folder/inner").st_mode & 0o777 == 0o755
    assert os.readlink(desk.work / "near") == "notes.txt"
    assert {pathlib.Path(path).name for path, _ in kept.left_out} == {"far", "pipe"}
    assert not os.path.lexists(desk.work / "far")


def test_a_folder_that_became_a_link_in_the_meantime_is_not_followed(desk: Desk) -> None:
    outside = desk.home / "outside"
    outside.mkdir()
    with preview(desk, "echo planted > folder/planted") as found:
        os.rename(desk.work / "folder", desk.work / "moved")
        os.symlink(outside, desk.work / "folder")
        with pytest.raises(SandboxError):
            found.keep()
    assert list(outside.iterdir()) == []


def test_a_file_that_somebody_else_changed_is_not_overwritten(desk: Desk) -> None:
    with preview(desk, "echo mine > notes.txt; echo x > other") as found:
        (desk.work / "notes.txt").write_text("theirs, and longer\n")
        with pytest.raises(SandboxError) as refusal:
            found.keep()
    assert refusal.value.code == "preview.changed-since"
    assert (desk.work / "notes.txt").read_text() == "theirs, and longer\n"
    assert not (desk.work / "other").exists()


def test_a_link_replaced_by_the_program_is_not_written_through(desk: Desk) -> None:
    target = desk.home / "private.txt"
    with preview(desk, f"rm notes.txt; ln -s {target} notes.txt; rm old; echo x > old") as found:
        kept = found.keep()
    assert target.read_text() == "nobody's business\n"
    assert [pathlib.Path(path).name for path, _ in kept.left_out] == ["notes.txt"]
    assert (desk.work / "notes.txt").read_text() == "one\ntwo\n"


def test_set_user_id_bits_are_not_carried_over(desk: Desk) -> None:
    with preview(desk, "cp /bin/true mine; chmod 4755 mine") as found:
        found.keep()
    assert os.stat(desk.work / "mine").st_mode & 0o7777 == 0o755


def test_a_folder_made_anew_hides_what_was_in_it(desk: Desk) -> None:
    with preview(desk, "rm -r folder; mkdir folder; echo n > folder/new") as found:
        found.keep()
    assert sorted(path.name for path in (desk.work / "folder").iterdir()) == ["new"]


def test_a_secret_in_a_difference_is_not_shown(desk: Desk) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    with preview(desk, f"echo {token[:10]}''{token[10:]} > notes.txt") as found:
        assert token not in found.render()
        assert token not in str(found.to_json())


def test_on_the_terminal_the_users_word_decides(desk: Desk) -> None:
    desk.script("tool", "echo more >> notes.txt\n")
    code, shown = desk.on_terminal("run", "--preview", "./tool", answers=("yes", "no"))
    assert (code, "+more" in shown, "nothing was kept" in shown) == (0, True, True)
    assert (desk.work / "notes.txt").read_text() == "one\ntwo\n"
    code, shown = desk.on_terminal("run", "--preview", "./tool", answers=("yes", "yes"))
    assert (code, "kept 1 change" in shown) == (0, True), shown
    assert (desk.work / "notes.txt").read_text() == "one\ntwo\nmore\n"


def test_it_works_for_a_user_without_rights(tmp_path: pathlib.Path) -> None:
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.getuid() and str(parent).count("/") > 1:
            parent.chmod(parent.stat().st_mode | 0o011)
    code = (
        "import os, sys; from atip.toolbox import Toolbox\n"
        f"home = {str(tmp_path / 'h')!r}; work = home + '/w'; os.makedirs(work)\n"
        "open(work + '/a', 'w').write('a\\n')\n"
        "box = Toolbox(home=home)\n"
        "with box.preview(['sh', '-c', 'echo b >> a; id -u'], cwd=work, ask=lambda q: True) as p:\n"
        "    print([d.kind for d in p.differences], open(work + '/a').read()); p.keep()\n"
        "print(open(work + '/a').read())\n"
    )
    ran = subprocess.run(
        [*system_python(), "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert ran.stdout == "['changed'] a\n\na\nb\n\n", ran.stderr


def test_stages_of_killed_runs_go_after_a_day(tmp_path: pathlib.Path) -> None:
    old, fresh, other = tmp_path / ("a" * 16), tmp_path / ("b" * 16), tmp_path / "other"
    for folder in (old, fresh, other):
        (folder / "0/work/work").mkdir(parents=True)
        (folder / "0/work/work").chmod(0)
    for folder in (old, other):
        os.utime(folder, (1, 1))
    remove_old_stages(str(tmp_path))
    assert (old.exists(), fresh.exists(), other.exists()) == (False, True, True)


def test_a_root_that_does_not_exist_is_refused(tmp_path: pathlib.Path) -> None:
    from atip.model.permissions.confinement import Confinement

    confinement = Confinement(fs_write=(f"{tmp_path}/missing/**",))
    with pytest.raises(SandboxError) as refusal:
        stage_for(confinement, str(tmp_path / "c"), home=str(tmp_path), workspace=str(tmp_path))
    assert refusal.value.code == "preview.missing-root"
