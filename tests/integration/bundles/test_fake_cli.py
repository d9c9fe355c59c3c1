"""The whole life of a bundle with a real program in a real sandbox: setup, login, refresh, expiry, kill -9."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

import pytest

import atip
from atip.bundles.surfaces.headless import HeadlessSurface
from atip.errors import AtipError, AuthRequired, TrustError
from tests.integration.bundles.fake_cli import write_fake
from tests.simulators.bundle_host import FakeSurface

pytestmark = pytest.mark.sandbox

ANSWERS = {"url": "wss://y", "token": "s3cret-token", "region": "us"}


class Place:
    """A home, a workspace, the bundle, and hosts for it."""

    def __init__(self, tmp_path: pathlib.Path, monkeypatch, **options) -> None:
        self.home = tmp_path / "home"
        self.workspace = tmp_path / "work"
        self.home.mkdir()
        self.workspace.mkdir()
        monkeypatch.setenv("HOME", str(self.home))
        self.folder = write_fake(tmp_path / "fake", **options)
        self.state = self.home / ".config" / "fake"

    def host(self, surface=None):
        box = atip.Toolbox(home=str(self.home))
        return box.bundles(surface=surface, workspace=str(self.workspace))

    def installed(self, surface=None):
        host = self.host(surface)
        bundle = host.load(str(self.folder))
        known = host.store.find(bundle.key)
        if known is None:
            known = host.install(bundle, confirm=lambda _: True, confirm_root=lambda _: False)
        return host, bundle, known

    def calls(self) -> list[str]:
        path = self.state / "calls.log"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def place(tmp_path, monkeypatch):
    return Place(tmp_path, monkeypatch)


@pytest.fixture
def simple(tmp_path, monkeypatch):
    return Place(tmp_path, monkeypatch, setup=False)


def browser(url):
    """Follows the page's redirect with an answer."""
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    target = f"{query['redirect_uri']}?id=42&state={query['state']}"
    threading.Thread(target=lambda: urllib.request.urlopen(target, timeout=10).read()).start()


@pytest.mark.proves("AIP29-SETUP-13", "AIP29-SETUP-09", "AIP29-SETUP-10", "AIP29-OUTPUT-01")
def test_from_nothing_to_ready_and_a_run_with_what_was_set_up(place):
    surface = FakeSurface(ANSWERS, on_open=browser)
    host, bundle, known = place.installed(surface)
    assert host.status(bundle).phase == "setup"
    with pytest.raises(AtipError) as caught:
        host.run(bundle, ["list"], {})
    assert caught.value.code == "setup_required"
    host.setup(bundle, known).run()
    assert host.status(bundle).phase == "login"
    with pytest.raises(AuthRequired):
        host.run(bundle, ["list"], {})
    host.login(bundle, known).login()
    assert host.status(bundle).phase == "ready"
    done = host.run(bundle, ["list"], {"value": "x y"}, assume_yes=True)
    assert done.ok and done.value["args"] == ["x y"]
    assert done.value["url"] is True
    # the program got the secret, the caller of the bundle does not see it
    assert done.value["token"] != "s3cret-token" and done.result.redactions
    assert (place.state / "set-region").read_text() == "us"
    assert (place.state / "set-channel").read_text() == "42"


@pytest.mark.proves("AIP29-IDENTITY-02", "AIP29-SETUP-06")
def test_secrets_reach_neither_audit_nor_ledger_nor_argv(place):
    surface = FakeSurface(ANSWERS, on_open=browser)
    host, bundle, known = place.installed(surface)
    host.setup(bundle, known).run()
    host.login(bundle, known).login()
    host.run(bundle, ["list"], {}, assume_yes=True)
    data = pathlib.Path(host.host.places.data)
    for path in data.rglob("*"):
        if path.is_file():
            assert b"s3cret-token" not in path.read_bytes(), path
    assert not any("s3cret-token" in call for call in place.calls())
    audit = (data / "audit" / "audit.jsonl").read_text()
    records = [json.loads(line) for line in audit.splitlines()]
    assert {record["step"] for record in records if record.get("event") == "setup"} >= {
        "daemon",
        "token",
    }
    ran = next(record for record in records if record.get("event") == "bundle-run")
    assert (ran["bundle"], ran["tool"]) == ("fake@1", "fake.list")
    assert any(record.get("run") == ran["run"] and record["event"] == "start" for record in records)


@pytest.mark.proves("AIP29-OUTPUT-04", "AIP29-OUTPUT-06", "AIP29-OUTPUT-08", "AIP29-OUTPUT-05")
@pytest.mark.parametrize(
    ("code", "meaning"), [(1, "error"), (2, "usage_error"), (7, "stale_data"), (9, "error")]
)
def test_exit_codes_have_meanings_and_errors_their_message(simple, code, meaning):
    host, bundle, known = simple.installed(FakeSurface())
    host.login(bundle, known).login()
    done = host.run(bundle, ["fail"], {"value": str(code)}, assume_yes=True)
    assert (done.ok, done.meaning, done.result.exit_code) == (False, meaning, code)
    assert done.error["code"] == meaning and done.error["message"] == "it failed"


@pytest.mark.proves("AIP29-AUTH-09", "AIP29-STATE-03")
def test_expired_login_is_noticed_and_confirmed(simple):
    host, bundle, known = simple.installed(FakeSurface())
    login = host.login(bundle, known)
    login.login()
    # an exit code 4 alone logs nobody out
    done = host.run(bundle, ["fail"], {"value": "4"}, assume_yes=True)
    assert login.state == "authed" and done.meaning == "auth_required"
    (simple.state / "token").write_text("bad")
    done = host.run(bundle, ["list"], {}, assume_yes=True)
    assert done.meaning == "auth_required" and login.state == "expired"
    with pytest.raises(AuthRequired):
        host.run(bundle, ["list"], {}, assume_yes=True)
    login.login()
    assert host.run(bundle, ["list"], {}, assume_yes=True).ok


@pytest.mark.proves("AIP29-AUTH-08")
def test_refresh_runs_when_due(simple, monkeypatch):
    host, bundle, known = simple.installed(FakeSurface())
    host.login(bundle, known).login()
    host.run(bundle, ["list"], {}, assume_yes=True)
    assert "refresh" not in simple.calls()
    document = host.store.load(bundle.key, "auth.json")
    host.store.store(bundle.key, "auth.json", {**document, "refreshed_at": time.time() - 4000})
    host.run(bundle, ["list"], {}, assume_yes=True)
    assert simple.calls().count("refresh") == 1


@pytest.mark.proves("AIP29-AUTH-06")
def test_login_with_a_callback(tmp_path, monkeypatch):
    place = Place(tmp_path, monkeypatch, setup=False, callback=True)

    def visit(url):
        threading.Thread(target=lambda: urllib.request.urlopen(url, timeout=10).read()).start()

    host, bundle, known = place.installed(FakeSurface(on_open=visit))
    host.login(bundle, known).login()
    assert host.status(bundle).is_ready


@pytest.mark.proves("AIP29-SECURITY-01", "AIP29-OPTIONAL-02", "AIP29-OPTIONAL-01")
def test_program_cannot_leave_its_sandbox(simple):
    host, bundle, known = simple.installed(FakeSurface())
    host.login(bundle, known).login()
    for target in (simple.workspace / "new", simple.home / "new", simple.home / ".ssh" / "id"):
        done = host.run(bundle, ["escape"], {"value": str(target)}, assume_yes=True)
        assert "escaped" not in str(done.result.stdout) or not target.exists()
        assert not target.exists()


@pytest.mark.proves("AIP29-VERSION-08")
def test_program_that_was_exchanged_is_refused(simple):
    host, bundle, known = simple.installed(FakeSurface())
    host.login(bundle, known).login()
    program = simple.folder / "bin" / "fake"
    program.write_text(program.read_text().replace("1.4.2", "1.5.0"))
    with pytest.raises(TrustError):
        host.run(bundle, ["list"], {}, assume_yes=True)
    program.write_text(program.read_text().replace("1.5.0", "3.0.0"))
    with pytest.raises(AtipError) as caught:
        host.install(bundle, confirm=lambda _: True, confirm_root=lambda _: False, again=True)
    assert caught.value.code == "version_mismatch"


@pytest.mark.proves("AIP29-SECURITY-06")
def test_bundle_that_changed_is_refused_until_it_was_looked_at(simple):
    host, bundle, known = simple.installed(FakeSurface())
    host.login(bundle, known).login()
    cli = simple.folder / "CLI.md"
    cli.write_text(
        cli.read_text().replace("exec: { allow: false }", "exec: { allow: true, spawn: [sh] }")
    )
    changed = host.load(str(simple.folder))
    with pytest.raises(AtipError) as caught:
        host.run(changed, ["list"], {}, assume_yes=True)
    assert caught.value.code == "bundle.review-needed"
    tool = simple.folder / "tools" / "list" / "TOOL.md"
    cli.write_text(
        cli.read_text().replace("exec: { allow: true, spawn: [sh] }", "exec: { allow: false }")
    )
    tool.write_text(tool.read_text().replace("approval: auto", "approval: always"))
    with pytest.raises(AtipError) as caught:
        host.run(host.load(str(simple.folder)), ["list"], {}, assume_yes=True)
    assert caught.value.code == "bundle.review-needed"


def test_wrong_inputs_are_refused_before_anything_runs(simple):
    host, bundle, known = simple.installed(FakeSurface())
    host.login(bundle, known).login()
    before = simple.calls()
    for inputs in ({"value": 3}, {"other": "x"}, {"value": "--evil"}):
        with pytest.raises(atip.FormatError):
            host.run(bundle, ["list"], inputs, assume_yes=True)
    assert [call for call in simple.calls() if call not in before] == []


HOST = """
import sys
sys.path.insert(0, {root!r})
import atip
from tests.simulators.bundle_host import FakeSurface
from tests.integration.bundles.test_fake_cli import browser
box = atip.Toolbox(home={home!r})
host = box.bundles(surface=FakeSurface({answers!r}, on_open=browser), workspace={work!r})
bundle = host.load({folder!r})
host.setup(bundle, host.store.get(bundle.key)).run()
"""


@pytest.mark.proves("AIP29-SETUP-15")
def test_setup_survives_kill_9_between_any_two_steps(place):
    """The host is killed inside each command in turn; what was complete is never run again."""
    host, bundle, _known = place.installed()
    root = str(pathlib.Path(__file__).resolve().parents[3])
    script = HOST.format(
        root=root,
        home=str(place.home),
        answers=ANSWERS,
        work=str(place.workspace),
        folder=str(place.folder),
    )
    done_before: list[str] = []
    for name in ("daemon", "set", None):
        for mark in place.state.glob("slow-*"):
            mark.unlink()
        if name is not None:
            place.state.mkdir(parents=True, exist_ok=True)
            (place.state / f"slow-{name}").touch()
        child = subprocess.Popen(
            [sys.executable, "-c", script], env={**os.environ, "HOME": str(place.home)}
        )
        if name is not None:
            wanted = f"{name}" if name == "daemon" else "set region us"
            deadline = time.monotonic() + 60
            while (
                wanted not in place.calls() and time.monotonic() < deadline and child.poll() is None
            ):
                time.sleep(0.05)
            assert wanted in place.calls()
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
        else:
            assert child.wait(timeout=120) == 0
        completed = list(host.ledger(bundle).completed())
        assert completed[: len(done_before)] == done_before
        done_before = completed
    assert [step.id for step in host.ledger(bundle).pending(bundle.manifest.setup)] == []
    calls = place.calls()
    # the daemon was killed before it was up, so it ran twice; the rest ran once after the last kill
    assert calls.count("set channel 42") == 1 and calls.count("set ready yes") == 1
    assert calls.count("set region us") == 2
    events = host.ledger(bundle).events()
    for step in bundle.manifest.setup:
        assert (
            sum(
                event["step"] == step.id and event["event"] in ("done", "skipped")
                for event in events
            )
            == 1
        )


def test_headless_setup_lists_everything(place):
    host, bundle, known = place.installed(HeadlessSurface())
    with pytest.raises(AtipError) as caught:
        host.setup(bundle, known).run()
    ids = [one["id"] for one in caught.value.details["pending"]]
    assert ids == ["daemon", "url", "token", "region", "channel", "ready"]
    assert place.calls() == []
    assert json.dumps(caught.value.to_json())
