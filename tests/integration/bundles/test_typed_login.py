"""A login that asks at a terminal: a person types at theirs, the program reads at a private one inside the sandbox."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
import time
import typing

import pytest

import atip
from tests.integration.bundles.fake_cli import write_fake

if typing.TYPE_CHECKING:
    import pathlib

pytestmark = pytest.mark.sandbox
WAIT_S = 60.0


class Person:
    """Sits at one end of a pseudo-terminal; `atip bundle login` is at the other."""

    def __init__(self, home: pathlib.Path, cwd: pathlib.Path) -> None:
        self.terminal, theirs = pty.openpty()
        self.device = str(os.fstat(theirs).st_rdev)
        self.before = termios.tcgetattr(theirs)
        self.kept = theirs
        self.seen = ""
        variables = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ATIP_"))}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "atip.cli.main", "bundle", "login", "fake@1"],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, start_new_session=True,
            env={**variables, "HOME": str(home), "NO_COLOR": "1"},
        )  # fmt: skip

    def wait_for(self, text: str) -> None:
        ends_at = time.monotonic() + WAIT_S
        while text not in self.seen:
            assert time.monotonic() < ends_at, self.seen
            if select.select([self.terminal], [], [], 1.0)[0]:
                self.seen += os.read(self.terminal, 4096).decode("utf-8", "replace")

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def end(self) -> int:
        code = self.process.wait(WAIT_S)
        while select.select([self.terminal], [], [], 0.2)[0]:
            self.seen += os.read(self.terminal, 4096).decode("utf-8", "replace")
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.terminal)
        os.close(self.kept)


@pytest.fixture
def person(tmp_path: pathlib.Path) -> typing.Iterator[Person]:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    host = atip.Toolbox(home=str(home)).bundles(workspace=str(work))
    bundle = host.load(str(write_fake(tmp_path / "fake", setup=False, typed=True)))
    host.install(bundle, confirm=lambda _: True, confirm_root=lambda _: False)
    made = Person(home, work)
    yield made
    made.close()


@pytest.mark.proves("AIP29-AUTH-90")
def test_a_person_types_and_the_secret_is_not_shown(person: Person, tmp_path: pathlib.Path) -> None:
    person.wait_for("User: ")
    person.type("ax\x7fnn\r")  # a slip, taken back
    person.wait_for("Password: ")
    person.type("s3cret word\r")
    person.wait_for("welcome ann")
    assert person.end() == 0, person.seen
    assert "authed" in person.seen
    assert "s3cret" not in person.seen
    assert "ax\b \bnn" in person.seen
    state = tmp_path / "home" / ".config" / "fake"
    # SECURITY: the person's own terminal is not inside; keys could be put into it (TIOCSTI).
    assert (state / "terminal").read_text() != person.device
    assert termios.tcgetattr(person.kept) == person.before


def test_a_wrong_answer_is_a_failed_login(person: Person) -> None:
    person.wait_for("User: ")
    person.type("eve\r")
    person.wait_for("Password: ")
    person.type("guess\r")
    assert person.end() == 1
    assert "login command failed with exit code 1" in person.seen


def test_interrupts_go_to_the_program_and_the_third_ends_it_anyway(person: Person) -> None:
    person.wait_for("User: ")
    person.type("\x03")  # one that comes just before Python reads is not noticed there
    person.type("\x03")
    person.type("\x03")
    assert person.end() != 0
    assert termios.tcgetattr(person.kept) == person.before
