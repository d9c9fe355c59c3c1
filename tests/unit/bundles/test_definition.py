"""`define_cli`: names, fields, adapters and the six conformance rules."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

import atip
from atip.bundles.entry.adapters import Signal
from atip.bundles.entry.definition import define_cli
from atip.bundles.login.auth import BundleLogin
from atip.bundles.login.secrets import SecretStore
from atip.bundles.state import BundleStore
from atip.errors import AtipError, FormatError
from tests.simulators.bundle_host import FakeSpawner, FakeSurface, make_bundle

IDENTITY = {"id": "demo", "name": "Demo", "description": "A demo.", "bin": "demo"}


@pytest.mark.proves("AIP29-DEFINECLI-01", "AIP29-RULES-01")
def test_canonical_name_is_exported():
    assert atip.defineCli is atip.define_cli
    assert atip.defineCli(IDENTITY) == define_cli(**IDENTITY)


@pytest.mark.proves("AIP29-DEFINECLI-02")
def test_definition_takes_every_field_in_both_spellings():
    def parse(**_arguments):
        return {"ok": True}

    more = {
        "version": "1.2.0",
        "install": [{"method": "pip", "package": "demo"}],
        "sandbox": {},
        "commands": {},
        "tags": ["a"],
        "metadata": {"x": 1},
    }
    check = {"cmd": "demo --version", "parse": "(x)", "range": "*"}
    one = define_cli({**IDENTITY, **more, "versionCheck": check, "parseOutput": parse})
    two = define_cli(**IDENTITY, **more, version_check=check, parse_output=parse)
    assert one == two and one.adapters.parse_output is parse


def test_wrong_definitions_name_every_problem():
    with pytest.raises(FormatError) as caught:
        define_cli(id="x", login="not a function", colour="red")
    codes = [problem.code for problem in caught.value.problems]
    assert codes == ["define.missing"] * 3 + ["define.unknown", "define.adapter"]


@pytest.mark.proves("AIP29-RULES-02")
def test_front_matter_wins_with_a_warning(tmp_path):
    bundle = make_bundle(tmp_path / "demo")
    handle = define_cli({**IDENTITY, "name": "Other", "version": "1.2.0"})
    found = handle.disagreements(bundle)
    assert [(one.path, one.severity) for one in found] == [("$.name", "warning")]
    assert bundle.manifest.name == "Demo"


def login_of(tmp_path, handle, surface=None):
    auth = {"login": {"cmd": "demo login", "completes_when": {"cmd": "demo whoami"}}}
    auth |= {
        "refresh": {"cmd": "demo refresh", "every": "PT1H"},
        "expiry": {"detect": "exit_code:4"},
    }
    bundle = make_bundle(tmp_path / "demo", auth=auth)
    return BundleLogin(
        bundle,
        store=BundleStore(str(tmp_path / "data"), str(tmp_path / "programs")),
        secrets=SecretStore(str(tmp_path / "secrets")),
        spawner=FakeSpawner(),
        confinement=bundle.requested,
        surface=surface or FakeSurface(),
        adapters=handle.adapters,
    )


@pytest.mark.proves("AIP29-DEFINECLI-03")
@pytest.mark.parametrize(
    ("reason", "code"),
    [
        (None, None),
        ("user_cancelled", "login.cancelled"),
        ("callback_failed", "login.failed"),
        ("upstream_error", "login.failed"),
    ],
)
def test_login_adapter_gets_context_and_signal(tmp_path, reason, code):
    seen = {}

    def login(context, signal):
        seen.update(bundle=context.bundle, surface=context.surface, aborted=signal.aborted)
        return {"ok": True} if reason is None else {"ok": False, "reason": reason, "message": "why"}

    machine = login_of(tmp_path, define_cli(IDENTITY, login=login))
    if code is None:
        machine.login()
        assert machine.state == "authed" and machine.spawner.ran == ["demo whoami"]
    else:
        with pytest.raises(AtipError) as caught:
            machine.login()
        assert (caught.value.code, caught.value.details) == (code, {"reason": reason})
        assert machine.state == "unauthed"
    assert seen == {"bundle": "demo@1", "surface": "fake", "aborted": False}


@pytest.mark.proves("AIP29-DEFINECLI-04", "AIP29-DEFINECLI-06")
def test_refresh_and_expiry_adapters_are_used(tmp_path):
    called = []
    handle = define_cli(
        IDENTITY,
        refresh=lambda context, signal: called.append("refresh") or {"ok": True},
        detect_expiry=lambda exit_code, stdout, stderr: "expired" in stderr,
    )
    machine = login_of(tmp_path, handle)
    machine.check()
    machine.ensure()
    assert called == ["refresh"]
    assert machine.after(4, stderr="broken") is False
    machine.spawner.answers["demo whoami"] = 1
    assert machine.after(1, stderr="token expired") is True


@pytest.mark.measured
@pytest.mark.proves("AIP29-RULES-03")
def test_login_stops_when_its_signal_is_cancelled(tmp_path):
    stopped = threading.Event()

    def login(context, signal):
        signal.wait(30)
        stopped.set()
        return {"ok": False, "reason": "user_cancelled"}

    signal = Signal()
    machine = login_of(tmp_path, define_cli(IDENTITY, login=login).with_signal(signal))
    threading.Timer(0.2, signal.abort).start()
    began = time.monotonic()
    with pytest.raises(AtipError) as caught:
        machine.login()
    assert caught.value.code == "login.cancelled" and stopped.is_set()
    assert time.monotonic() - began < 5 and machine.state == "unauthed"


def test_login_that_ignores_its_signal_is_left_behind(tmp_path):
    def login(context, signal):
        time.sleep(20)

    signal = Signal()
    machine = login_of(tmp_path, define_cli(IDENTITY, login=login).with_signal(signal))
    threading.Timer(0.1, signal.abort).start()
    with pytest.raises(AtipError):
        machine.login()
    assert machine.state == "unauthed"


@pytest.mark.proves("AIP29-DEFINECLI-05")
def test_parse_output_gets_everything_and_returns_value_or_error():
    def parse(exit_code, stdout, stderr, expected):
        if exit_code:
            return {"ok": False, "error": {"code": "stale", "message": stderr, "retryable": True}}
        return {"ok": True, "value": {"lines": stdout.split(), "format": expected["format"]}}

    adapters = define_cli(IDENTITY, parseOutput=parse).adapters
    good = adapters.run_parse_output(0, "a b", "", "text")
    assert (good.ok, good.value) == (True, {"lines": ["a", "b"], "format": "text"})
    bad = adapters.run_parse_output(7, "", "old", "text")
    assert bad.error == {"code": "stale", "message": "old", "retryable": True}
    with pytest.raises(AtipError):
        define_cli(IDENTITY, parse_output=lambda **_: "text").adapters.run_parse_output(
            0, "", "", "text"
        )


def opens_a_file(**_arguments):
    with open("/etc/passwd") as file:
        return {"ok": True, "value": file.read()}


def opens_a_socket(**_arguments):
    import socket

    socket.create_connection(("127.0.0.1", 9), timeout=1)


def starts_a_process(**_arguments):
    subprocess.run(["true"], check=True)
    return {"ok": True}


@pytest.mark.proves("AIP29-RULES-04")
@pytest.mark.parametrize("adapter", [opens_a_file, opens_a_socket, starts_a_process])
def test_parse_output_that_touches_the_world_is_refused(adapter):
    adapters = define_cli(IDENTITY, parse_output=adapter).adapters
    with pytest.raises(AtipError) as caught:
        adapters.run_parse_output(0, "", "", "text")
    assert caught.value.code == "adapter.impure"
    with open("/etc/passwd") as file:
        assert file.read(1)


@pytest.mark.proves("AIP29-RULES-05")
def test_login_adapter_cannot_start_a_process_of_its_own(tmp_path):
    machine = login_of(tmp_path, define_cli(IDENTITY, login=starts_a_process))
    with pytest.raises(AtipError) as caught:
        machine.login()
    assert caught.value.code == "adapter.impure"


QUIET = """
import sys, builtins
import atip
touched = []
def hook(event, details):
    if event.startswith(("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.fork", "os.remove", "os.mkdir")):
        touched.append(event)
    if event == "open" and isinstance(details[1], str) and set(details[1]) & set("wax+"):
        touched.append((event, details[:2]))
sys.dont_write_bytecode = True
sys.addaudithook(hook)
atip.defineCli(id="demo", name="d", description="d", bin="demo")
assert not touched, touched
"""


@pytest.mark.proves("AIP29-RULES-06")
def test_importing_and_defining_do_no_input_or_output():
    done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
