"""Login: states, completion, refresh, expiry that is confirmed, callbacks, secrets."""

from __future__ import annotations

import os
import stat
import threading
import urllib.error
import urllib.request

import pytest

from atip.bundles.login import states
from atip.bundles.login.auth import BundleLogin
from atip.bundles.login.callback import LoginCallback
from atip.bundles.login.secrets import SecretStore
from atip.bundles.state import BundleStore
from atip.errors import AtipError, AuthRequired
from tests.simulators.bundle_host import FakeSpawner, FakeSurface, make_bundle

AUTH = {
    "state": {"paths": ["~/.config/demo"], "env": ["DEMO_TOKEN"]},
    "login": {
        "cmd": "demo login",
        "interactive": True,
        "completes_when": {"cmd": "demo whoami", "exit_code": 0},
    },
    "refresh": {"cmd": "demo refresh", "every": "PT24H"},
    "expiry": {"detect": "exit_code:4"},
}


class Place:
    def __init__(self, tmp_path, answers=None, *, surface=None, env=None, auth=AUTH, **changes):
        self.bundle = make_bundle(tmp_path / "demo", auth=auth, **changes)
        self.store = BundleStore(str(tmp_path / "data"), str(tmp_path / "programs"))
        self.secrets = SecretStore(str(tmp_path / "secrets"))
        self.spawner = FakeSpawner(answers, env)
        self.surface = surface or FakeSurface()
        self.now = 1_000_000.0
        self.records: list[dict] = []
        self.login = BundleLogin(
            self.bundle, store=self.store, secrets=self.secrets, spawner=self.spawner,
            confinement=self.bundle.requested, surface=self.surface, clock=lambda: self.now,
            record=self.records.append,
        )  # fmt: skip


@pytest.mark.proves("AIP29-STATE-01", "AIP29-STATE-02", "AIP29-AUTH-04", "AIP29-AUTH-07")
def test_login_goes_from_unknown_over_unauthed_to_authed(tmp_path):
    place = Place(tmp_path, {"demo whoami": 1})
    assert place.login.state == "unknown"
    place.login.version_seen()
    assert place.login.state == "unauthed"
    place.spawner.answers["demo whoami"] = 0
    place.login.login()
    assert place.login.state == "authed"
    assert place.spawner.ran == ["demo login", "demo whoami"]
    assert [record["to"] for record in place.records] == ["unauthed", "logging-in", "authed"]


@pytest.mark.proves("AIP29-STATE-04", "AIP29-AUTH-09")
def test_call_while_unauthed_ends_early_with_the_login_command(tmp_path):
    place = Place(tmp_path, {"demo whoami": 1})
    with pytest.raises(AuthRequired) as caught:
        place.login.ensure()
    assert caught.value.code == "auth_required" and caught.value.exit_code == 4
    assert caught.value.details["login"] == "demo login"
    assert "atip bundle login" in caught.value.hint
    assert place.spawner.ran == ["demo whoami"]


def test_login_outside_of_us_is_noticed(tmp_path):
    place = Place(tmp_path, {"demo whoami": 0})
    place.login.ensure()
    assert place.login.state == "authed"


@pytest.mark.proves("AIP29-AUTH-08", "AIP29-STATE-05")
def test_refresh_runs_before_a_call_when_its_time_has_come(tmp_path):
    place = Place(tmp_path)
    place.login.login()
    place.spawner.ran.clear()
    place.now += 23 * 3600
    place.login.ensure()
    assert place.spawner.ran == []
    place.now += 2 * 3600
    place.login.ensure()
    assert place.spawner.ran == ["demo refresh"]
    place.login.ensure()
    assert place.spawner.ran == ["demo refresh"]


def test_failed_refresh_logs_out_only_when_the_check_agrees(tmp_path):
    place = Place(tmp_path)
    place.login.login()
    place.now += 90_000
    place.spawner.answers["demo refresh"] = 1
    place.login.ensure()
    assert place.login.state == "authed"
    place.spawner.answers["demo whoami"] = 1
    with pytest.raises(AuthRequired):
        place.login.ensure()
    assert (place.login.state, place.login.reported) == ("expired", "unauthed")


@pytest.mark.proves("AIP29-AUTH-09", "AIP29-STATE-03")
def test_expiry_is_believed_only_after_the_check(tmp_path):
    place = Place(tmp_path)
    place.login.login()
    assert place.login.after(0) is False
    assert place.login.after(1) is False
    assert place.login.after(4) is False and place.login.state == "authed"
    place.spawner.answers["demo whoami"] = 1
    assert place.login.after(4) is True and place.login.reported == "unauthed"


@pytest.mark.proves("AIP29-STATE-06")
def test_login_can_be_started_again(tmp_path):
    place = Place(tmp_path, {"demo login": 1})
    for _ in range(2):
        with pytest.raises(AtipError) as caught:
            place.login.login()
        assert caught.value.code == "login.failed"
        assert place.login.state == "unauthed"
    place.spawner.answers.clear()
    place.login.login()
    assert place.login.state == "authed"


def test_login_that_does_not_complete_is_no_login(tmp_path):
    place = Place(tmp_path, {"demo whoami": 1})
    with pytest.raises(AtipError) as caught:
        place.login.login()
    assert caught.value.code == "login.failed" and place.login.state == "unauthed"


@pytest.mark.proves("AIP29-AUTH-05")
def test_interactive_login_gets_a_terminal_and_needs_a_person(tmp_path):
    place = Place(tmp_path)
    place.login.login()
    assert place.spawner.confinements[0].tty is True
    assert "running demo login" in place.surface.shown
    alone = Place(tmp_path / "b", surface=FakeSurface(can_ask=False))
    with pytest.raises(AuthRequired):
        alone.login.login()
    assert "demo login" not in alone.spawner.ran


@pytest.mark.proves("AIP29-OPTIONAL-03")
def test_bundle_without_auth_needs_no_login(tmp_path):
    place = Place(tmp_path, auth=None)
    place.login.ensure()
    place.login.login()
    assert not place.login.needs_login and place.spawner.ran == []


@pytest.mark.proves("AIP29-AUTH-02")
@pytest.mark.parametrize("source", ["environment", "secret"])
def test_state_in_variables_counts_as_login(tmp_path, source):
    auth = {"state": {"env": ["DEMO_TOKEN"]}}
    env = {"DEMO_TOKEN": "x"} if source == "environment" else {}
    place = Place(tmp_path, auth=auth, env=env)
    if source == "secret":
        with pytest.raises(AuthRequired):
            place.login.ensure()
        place.secrets.put("demo@1", "env:DEMO_TOKEN", "x")
    place.login.ensure()
    assert place.login.state == "authed"
    assert place.bundle.requested.env_pass == ("DEMO_TOKEN",)


def test_login_without_a_command_asks_for_the_values(tmp_path):
    auth = {"state": {"env": ["DEMO_TOKEN"]}}
    place = Place(tmp_path, auth=auth, surface=FakeSurface({"env:DEMO_TOKEN": "tok"}))
    place.login.login()
    assert place.secrets.get("demo@1", "env:DEMO_TOKEN") == "tok"
    assert place.login.state == "authed"


@pytest.mark.proves("AIP29-AUTH-06")
def test_login_with_callback_is_given_an_address_and_the_answer(tmp_path):
    login = {
        **AUTH["login"],
        "cmd": "demo login --to ${callback_url}",
        "requires_callback_url": True,
    }
    threads = []

    def browser(url):
        def go():
            urllib.request.urlopen(url.replace("https://idp/", ""), timeout=5).read()

        threads.append(threading.Thread(target=go))
        threads[0].start()

    place = Place(tmp_path, auth={**AUTH, "login": login}, surface=FakeSurface(on_open=browser))
    seen = []

    def answer(values):
        seen.append(values["callback_url"])
        return 0, f"{values['callback_url']}?code=77\n" if len(seen) == 1 else ""

    place.spawner.answers[login["cmd"]] = answer
    place.login.login()
    assert place.login.state == "authed"
    assert place.spawner.stdins[1] == b"code=77\n"
    assert dict(place.spawner.confinements[0].env_set)["CALLBACK_URL"] == seen[0]


def test_every_move_of_the_machine():
    assert states.next_state("authed", "version-bad") == "unknown"
    assert states.next_state("unknown", "login-done") == "unknown"
    for (before, event), after in states.MOVES.items():
        assert before in states.STATES and after in states.STATES
        assert states.next_state(before, event) == after
    assert {states.reported_state(state) for state in states.STATES} == {
        "unknown",
        "unauthed",
        "authed",
    }


def test_clock_that_went_back_makes_a_refresh_due():
    assert states.is_due(200.0, 60.0, 100.0)
    assert not states.is_due(100.0, 60.0, 120.0)
    assert not states.is_due(None, None, 0.0)


# --- callbacks ------------------------------------------------------------------------------------


def ask(url, *, method="GET", **headers):
    request = urllib.request.Request(url, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


@pytest.mark.proves("AIP29-SECURITY-05")
def test_callback_is_single_use_and_refuses_everything_else():
    statuses = []
    with LoginCallback() as callback:
        port = callback.url.split(":")[2].split("/")[0]
        good = f"{callback.url}?code=1&state={callback.state}"

        def attacks():
            statuses.append(ask(f"http://127.0.0.1:{port}/callback/guess?code=2"))
            statuses.append(ask(f"{callback.url}?code=2&state=other"))
            statuses.append(ask(good, Host="evil.example"))
            statuses.append(ask(good, Origin="https://evil.example"))
            statuses.append(ask(good, method="POST"))
            statuses.append(ask(good))

        thread = threading.Thread(target=attacks)
        thread.start()
        values = callback.wait(10)
        thread.join()
        assert values["code"] == "1"
        assert statuses == [403, 403, 403, 403, 403, 200]
        with pytest.raises(AtipError) as caught:
            callback.wait(1)
        assert caught.value.code == "callback.used"
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(good, timeout=2)


@pytest.mark.proves("AIP29-SECURITY-05")
def test_callback_ends_with_its_time_and_with_the_caller():
    with LoginCallback() as callback, pytest.raises(AtipError) as caught:
        callback.wait(0.3)
    assert caught.value.code == "callback.timeout"
    with LoginCallback() as callback, pytest.raises(AtipError) as caught:
        callback.wait(5, is_cancelled=lambda: True)
    assert caught.value.code == "callback.cancelled"


def test_error_of_the_other_side_is_told():
    with LoginCallback() as callback:
        thread = threading.Thread(target=ask, args=(f"{callback.url}?error=access_denied",))
        thread.start()
        with pytest.raises(AtipError) as caught:
            callback.wait(5)
        thread.join()
    assert caught.value.code == "callback.failed"


# --- secrets --------------------------------------------------------------------------------------


def test_file_of_secrets_is_private_and_refused_when_open(tmp_path):
    store = SecretStore(str(tmp_path))
    store.put("a@1", "x", "värde")
    store.put("b@1", "x", "other")
    path = tmp_path / "secrets.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert SecretStore(str(tmp_path)).get("a@1", "x") == "värde"
    store.drop("a@1")
    assert (store.get("a@1", "x"), store.get("b@1", "x")) == (None, "other")
    path.chmod(0o644)
    with pytest.raises(AtipError) as caught:
        store.get("b@1", "x")
    assert caught.value.code == "secret.exposed"


KEYRING = """#!/usr/bin/python3
import os, sys
folder = os.environ["FAKE_KEYRING"]
name = "_".join(word.replace("/", "+") for word in sys.argv[2:] if not word.startswith("--"))
with open(os.path.join(folder, "argv.log"), "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
path = os.path.join(folder, name)
if sys.argv[1] == "store":
    open(path, "w").write(sys.stdin.read())
elif sys.argv[1] == "lookup":
    if not os.path.exists(path):
        sys.exit(1)
    sys.stdout.write(open(path).read())
else:
    os.path.exists(path) and os.unlink(path)
"""


def test_keyring_is_used_where_there_is_one_and_values_stay_off_its_argv(tmp_path):
    tool = tmp_path / "secret-tool"
    tool.write_text(KEYRING)
    tool.chmod(0o755)
    env = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": "unix:x", "FAKE_KEYRING": str(tmp_path)}
    store = SecretStore(str(tmp_path / "s"), find=lambda name: str(tool), env=env)
    assert store.kind == "keyring"
    store.put("a@1", "gh/token", "hunter2")
    assert store.get("a@1", "gh/token") == "hunter2"
    assert "hunter2" not in (tmp_path / "argv.log").read_text()
    store.drop("a@1", "gh/token")
    assert store.get("a@1", "gh/token") is None
    assert not (tmp_path / "s").exists()
    assert SecretStore(str(tmp_path / "s"), find=lambda name: str(tool), env={}).kind == "file"
