"""Own settings, secrets and what runs later are out of reach, however much was granted."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

from atip.errors import NeedsConfirmation
from tests.integration.execution.desk import Desk
from tests.integration.sandbox.unprivileged import environment, system_python

pytestmark = pytest.mark.sandbox


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return Desk(tmp_path)


def test_a_tool_that_may_write_the_whole_home_cannot_change_our_settings(desk: Desk) -> None:
    desk.grant(write=["~/**"])
    before = (desk.config / "policy.json").read_bytes()
    (desk.home / ".ssh").mkdir()
    (desk.home / ".ssh/id_ed25519").write_text("secret key")
    script = "\n".join((
        f"echo x > {desk.config}/policy.json", f"echo x > {desk.config}/approvals.json", f"rm -r {desk.config}",
        f"mv {desk.home}/.config {desk.home}/moved", f"mkdir -p {desk.home}/.local/share/agent-tools/audit",
        f"cat {desk.home}/.ssh/id_ed25519", f"echo y > {desk.home}/.ssh/authorized_keys",
        f"echo fine > {desk.home}/out.txt",
    ))  # fmt: skip
    result = desk.run(desk.script("tool", script))
    assert "secret key" not in result.stdout
    assert (desk.home / "out.txt").read_text() == "fine\n"
    assert (desk.config / "policy.json").read_bytes() == before
    ours = {"audit-anchor.json", "policy.json"}
    assert {path.name for path in desk.config.iterdir()} == ours
    assert sorted(path.name for path in (desk.home / ".ssh").iterdir()) == ["id_ed25519"]
    assert not (desk.home / "moved").exists()


def test_a_setting_that_others_may_write_stops_the_run(desk: Desk) -> None:
    desk.grant()
    (desk.config / "policy.json").chmod(0o666)
    from atip.errors import AtipError

    with pytest.raises(AtipError):
        desk.run("cat", "x")


def test_hooks_and_settings_of_a_workspace_stay_as_they_are(desk: Desk) -> None:
    (desk.work / ".git/hooks").mkdir(parents=True)
    (desk.work / ".git/config").write_text("[core]\n")
    (desk.work / ".envrc").write_text("export A=1\n")
    script = (
        "cat .envrc; echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo evil >> .envrc\n"
        "mv .git gone; rm -f .envrc; mkdir .git/new; echo evil > .git/index; echo ok > out\n"
    )
    result = desk.run(desk.script("tool", script))
    assert result.stdout == "export A=1\n"
    assert list((desk.work / ".git/hooks").iterdir()) == []
    assert (desk.work / ".git/config").read_text() == "[core]\n"
    assert (desk.work / ".envrc").read_text() == "export A=1\n"
    assert (desk.work / "out").read_text() == "ok\n"
    assert sorted(path.name for path in (desk.work / ".git").iterdir()) == ["config", "hooks"]


def test_a_link_in_the_workspace_does_not_lead_out_of_it(desk: Desk) -> None:
    os.symlink(desk.home / "private.txt", desk.work / "link")
    result = desk.run(desk.script("tool", "cat link"))
    assert "business" not in result.stdout


def test_a_harmless_name_for_a_secret_does_not_open_it(desk: Desk, tmp_path: pathlib.Path) -> None:
    (desk.home / ".ssh").mkdir()
    (desk.home / ".ssh/id_ed25519").write_text("secret key")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.symlink(desk.home / ".ssh/id_ed25519", elsewhere / "notes.txt")
    os.symlink(desk.config / "policy.json", elsewhere / "settings.txt")
    os.symlink(desk.home / "private.txt", elsewhere / "fine.txt")
    desk.policy(preset="workspace")
    assert desk.run("cat", str(elsewhere / "fine.txt")).stdout == "nobody's business\n"
    with pytest.raises(NeedsConfirmation):
        desk.run("cat", str(elsewhere / "notes.txt"), ask=None)
    result = desk.run("cat", str(elsewhere / "settings.txt"))
    assert (result.exit_code, result.stdout) == (1, ""), result
    asked = desk.run(desk.script("tool", 'cat "$1"'), str(elsewhere / "settings.txt"))
    assert "cautious" not in asked.stdout
    assert "workspace" not in asked.stdout


def test_a_link_that_is_changed_after_the_decision_opens_no_secret(desk: Desk) -> None:
    """The judge follows links; by the time that the sandbox is made, one may lead elsewhere. Nobody was asked about that."""
    from atip.policy.places.named import NamedPlaces
    from atip.workflows.run.plan import _existing_paths

    (desk.home / ".ssh").mkdir()
    (desk.home / ".ssh/id_ed25519").write_text("secret key")
    notes = desk.home / "notes.txt"
    notes.symlink_to(desk.home / "private.txt")
    named = NamedPlaces(paths=(str(notes),))
    assert str(desk.home / "private.txt") in _existing_paths(
        named, str(desk.work), (), is_confirmed=False
    )
    notes.unlink()
    notes.symlink_to(desk.home / ".ssh/id_ed25519")
    assert _existing_paths(named, str(desk.work), (), is_confirmed=False) == ()
    assert len(_existing_paths(named, str(desk.work), (), is_confirmed=True)) == 2


def make_environment(desk: Desk) -> pathlib.Path:
    """A Python environment in the home directory, with a program whose package lies in it."""
    place = desk.home / "tools/venv"
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", str(place)], check=True)
    (site,) = place.glob("lib/python3*/site-packages")
    (site / "greeting.py").write_text("def main(): print('hello')\n")
    tool = place / "bin/greet"
    tool.write_text(f"#!{place}/bin/python3\nfrom greeting import main\nmain()\n")
    tool.chmod(0o755)
    return place


def test_an_installed_program_finds_its_own_packages(desk: Desk) -> None:
    place = make_environment(desk)
    result = desk.run(str(place / "bin/greet"))
    assert (result.exit_code, result.stdout) == (0, "hello\n"), result.stderr


def test_an_interpreter_outside_of_the_system_finds_its_own_library(desk: Desk) -> None:
    place = desk.home / "own/python"
    (place / "bin").mkdir(parents=True)
    (place / "lib").mkdir()
    (place / "lib/message").write_text("from its own library\n")
    program = place / "bin/reader"
    program.write_text('#!/bin/sh\ncat "$(dirname "$0")/../lib/message"\n')
    program.chmod(0o755)
    assert desk.run(str(program)).stdout == "from its own library\n"


def test_an_installed_program_cannot_name_other_folders_as_its_own(desk: Desk) -> None:
    place = make_environment(desk)
    (desk.home / "documents").mkdir()
    (desk.home / "documents/letter.txt").write_text("dear diary")
    (site,) = place.glob("lib/python3*/site-packages")
    (site / "more.pth").write_text(f"{desk.home}/documents\n{desk.home}\n/\n")
    (site / "greeting.py").write_text(
        f"def main(): print(open('{desk.home}/documents/letter.txt').read())\n"
    )
    result = desk.run(str(place / "bin/greet"))
    assert "dear diary" not in result.stdout
    assert result.exit_code != 0


def test_a_call_that_would_write_in_a_home_directory_is_told_why_it_cannot(desk: Desk) -> None:
    result = desk.box.run(["touch", "x"], cwd=str(desk.home), ask=desk.yes)
    assert result.exit_code != 0
    assert any("home directory" in note for note in result.notes)


def test_a_trace_works_for_a_user_without_rights(tmp_path: pathlib.Path) -> None:
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.getuid() and str(parent).count("/") > 1:
            parent.chmod(parent.stat().st_mode | 0o011)
    code = (
        "import os; from atip.toolbox import Toolbox\n"
        f"home = {str(tmp_path / 'h')!r}; work = home + '/w'; os.makedirs(work)\n"
        "seen = Toolbox(home=home).observe(['sh', '-c', 'echo b > a; cat a'], cwd=work, ask=lambda q: True)\n"
        "print([os.path.basename(p) for p in (*seen.touched.writes, *seen.touched.spawned)])\n"
    )
    ran = subprocess.run(
        [*system_python(), "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert ran.stdout == "['a', 'cat']\n", ran.stderr
