"""An entry of `define_cli`, given to the toolbox: its adapters log in, refresh, read outputs and notice expiry of a real program."""

from __future__ import annotations

import pathlib

import pytest

import atip
from atip import define_cli
from atip.errors import AtipError, AuthRequired
from tests.integration.bundles.fake_cli import write_fake
from tests.simulators.bundle_host import FakeSurface

pytestmark = pytest.mark.sandbox

IDENTITY = {
    "id": "fake",
    "name": "Fake",
    "description": "A scripted program.",
    "version": "1.0.0",
    "bin": "fake",
}


class Author:
    """The author's own side of an entry; it remembers what it was asked."""

    def __init__(self, state: pathlib.Path) -> None:
        self.state, self.asked, self.wants = state, [], "yes"

    def login(self, context, signal):
        self.asked.append(("login", context.bundle, signal.aborted))
        if self.wants != "yes":
            return {"ok": False, "reason": self.wants, "message": "not today"}
        (self.state / "token").write_text("good")
        return {"ok": True}

    def refresh(self, context, signal):
        self.asked.append(("refresh", context.bundle, signal.aborted))
        return {"ok": True}

    def parse_output(self, *, exit_code, stdout, stderr, expected):
        if exit_code:
            return {"ok": False, "error": {"code": f"fake-{exit_code}", "message": stderr.strip()}}
        return {"ok": True, "value": {"seen": len(stdout) > 0, "format": expected["format"]}}

    def detect_expiry(self, exit_code, stdout, stderr):
        return "not logged in" in stderr


@pytest.fixture
def place(tmp_path, monkeypatch):
    home, work = tmp_path / "home", tmp_path / "work"
    for folder in (home / ".config" / "fake", work):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    author = Author(home / ".config" / "fake")
    entry = define_cli(
        IDENTITY,
        login=author.login,
        refresh=author.refresh,
        parse_output=author.parse_output,
        detect_expiry=author.detect_expiry,
    )
    box = atip.Toolbox(home=str(home))
    host = box.bundles(entry=entry, surface=FakeSurface(), workspace=str(work))
    bundle = host.load(str(write_fake(tmp_path / "fake", setup=False)))
    known = host.install(bundle, confirm=lambda _: True, confirm_root=lambda _: False)
    return author, host, bundle, known


@pytest.mark.proves("AIP29-DEFINECLI-90")
def test_adapters_of_an_entry_serve_a_real_program_from_login_to_expiry(place):
    author, host, bundle, known = place
    with pytest.raises(AuthRequired):
        host.run(bundle, ["list"], {}, assume_yes=True)
    host.login(bundle, known).login()
    # the program itself confirms what the adapter says
    assert (host.status(bundle).phase, host.status(bundle).auth) == ("ready", "authed")
    done = host.run(bundle, ["list"], {}, assume_yes=True)
    assert (done.ok, done.value) == (True, {"seen": True, "format": "json"})
    failed = host.run(bundle, ["fail"], {"value": "7"}, assume_yes=True)
    assert (failed.ok, failed.error["code"], failed.error["message"]) == (
        False,
        "fake-7",
        "it failed",
    )
    # an hour later the login is refreshed by the entry before anything runs
    document = host.store.load(bundle.key, "auth.json")
    host.store.store(bundle.key, "auth.json", {**document, "refreshed_at": 0})
    assert host.run(bundle, ["list"], {}, assume_yes=True).ok
    assert author.asked == [("login", "fake@1", False), ("refresh", "fake@1", False)]
    # the sign of expiry is the adapter's; that the program agrees is asked for
    (author.state / "token").write_text("stale")
    expired = host.run(bundle, ["list"], {}, assume_yes=True)
    assert (expired.ok, expired.meaning) == (False, "auth_required")
    assert host.status(bundle).phase == "login"


def test_login_that_its_adapter_refuses_is_no_login(place):
    author, host, bundle, known = place
    author.wants = "user_cancelled"
    with pytest.raises(AtipError) as caught:
        host.login(bundle, known).login()
    assert (caught.value.code, caught.value.message) == ("login.cancelled", "not today")
    assert host.status(bundle).auth == "unauthed"
