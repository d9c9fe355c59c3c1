"""Setup: every kind of step, persisting, skipping, resuming, and what happens when nobody is there."""

from __future__ import annotations

import json
import threading
import urllib.parse
import urllib.request

import pytest

from atip.bundles.ledger import SetupLedger, definition
from atip.bundles.login.oauth import OAuth
from atip.bundles.login.secrets import SecretStore
from atip.bundles.setup import BundleSetup
from atip.errors import AtipError, FormatError
from tests.simulators.bundle_host import FakeSpawner, FakeSurface, make_bundle

STEPS = [
    {"id": "daemon", "kind": "cmd", "cmd": "demo daemon install", "description": "Starts it."},
    {
        "id": "url",
        "kind": "prompt",
        "prompt": "URL",
        "default": "wss://x",
        "persist": {"env": "DEMO_URL"},
    },
    {
        "id": "token",
        "kind": "prompt",
        "type": "secret",
        "prompt": "Token",
        "persist": {"secret_slug": "demo/token"},
    },
    {
        "id": "region",
        "kind": "prompt",
        "type": "select",
        "prompt": "Region",
        "options": ["eu", "us"],
        "persist": {"cmd": "demo config set region ${value}"},
    },
    {
        "id": "beta",
        "kind": "prompt",
        "type": "boolean",
        "prompt": "Beta?",
        "persist": {"env": "DEMO_BETA"},
    },
]
ANSWERS = {"url": "", "token": " s3cret ", "region": "2", "beta": "y"}


class Place:
    """One bundle with its ledger, secrets and a fake program."""

    def __init__(self, tmp_path, steps, *, answers=None, surface=None, spawner=None, **changes):
        self.bundle = make_bundle(tmp_path / "demo", setup=steps, **changes)
        self.ledger = SetupLedger(str(tmp_path / "state"), workspace="/w", user="u")
        self.secrets = SecretStore(str(tmp_path / "secrets"))
        self.spawner = spawner or FakeSpawner()
        self.surface = surface or FakeSurface(ANSWERS)
        self.records: list[dict] = []
        self.setup = BundleSetup(
            self.bundle,
            ledger=self.ledger,
            secrets=self.secrets,
            spawner=self.spawner,
            surface=self.surface,
            confinement=self.bundle.requested,
            oauth=OAuth(self.secrets, lambda url, form: {"access_token": f"at-{form['code']}"}),
            answers=answers,
            record=self.records.append,
        )

    def kept(self, slot):
        return self.secrets.get("demo@1", slot)


SETUP_IDS = (
    "AIP29-SETUP-01",
    "AIP29-SETUP-02",
    "AIP29-SETUP-03",
    "AIP29-SETUP-07",
    "AIP29-SETUP-09",
)


@pytest.mark.proves(*SETUP_IDS, "AIP29-SETUP-10", "AIP29-SETUP-11", "AIP29-SETUP-06")
def test_steps_run_in_order_and_values_go_where_persist_says(tmp_path):
    place = Place(tmp_path, STEPS)
    assert place.setup.run() == ["daemon", "url", "token", "region", "beta"]
    assert place.spawner.ran == ["demo daemon install", "demo config set region ${value}"]
    assert place.surface.asked == ["url", "token", "region", "beta"]
    assert place.surface.shown == ["Starts it."]
    assert place.kept("env:DEMO_URL") == "wss://x"
    assert place.kept("demo/token") == " s3cret "
    assert place.kept("env:DEMO_BETA") == "true"
    assert [record["step"] for record in place.records] == [
        "daemon",
        "url",
        "token",
        "region",
        "beta",
    ]
    assert "s3cret" not in json.dumps(place.records) + place.ledger.path


@pytest.mark.proves("AIP29-SETUP-15")
def test_finished_steps_are_not_asked_again(tmp_path):
    Place(tmp_path, STEPS).setup.run()
    again = Place(tmp_path, STEPS)
    assert again.setup.run() == [] and again.surface.asked == []
    other = SetupLedger(str(tmp_path / "state"), workspace="/other", user="u")
    assert len(other.pending(again.bundle.manifest.setup)) == 5
    other = SetupLedger(str(tmp_path / "state"), workspace="/w", user="v")
    assert len(other.pending(again.bundle.manifest.setup)) == 5


def test_changed_step_is_pending_again_and_changed_words_are_not(tmp_path):
    Place(tmp_path, STEPS).setup.run()
    steps = [dict(step) for step in STEPS]
    steps[0]["description"] = "Other words."
    steps[3]["options"] = ["eu", "us", "ap"]
    place = Place(tmp_path, steps)
    assert [step.id for step in place.setup.pending()] == ["region"]


@pytest.mark.proves("AIP29-SETUP-14")
def test_failure_stops_and_names_the_step_and_the_next_run_goes_on_there(tmp_path):
    steps = [STEPS[0], {"id": "bad", "kind": "cmd", "cmd": "demo bad"}, STEPS[1]]
    place = Place(tmp_path, steps, spawner=FakeSpawner({"demo bad": (3, "no luck")}))
    with pytest.raises(AtipError) as caught:
        place.setup.run()
    assert (caught.value.code, caught.value.details["step"]) == ("setup_failed", "bad")
    assert place.surface.asked == []
    place = Place(tmp_path, steps)
    assert place.setup.run() == ["bad", "url"]


@pytest.mark.proves("AIP29-SETUP-08")
@pytest.mark.parametrize(("code", "ran"), [(7, []), (0, ["demo a"])])
def test_skip_if_settles_a_step(tmp_path, code, ran):
    step = {
        "id": "a",
        "kind": "cmd",
        "cmd": "demo a",
        "skip_if": {"cmd": "demo check", "exit_code": 7},
    }
    place = Place(tmp_path, [step], spawner=FakeSpawner({"demo check": code}))
    assert place.setup.run() == ["a"]
    assert place.spawner.ran == ["demo check", *ran]
    assert place.setup.pending() == []


@pytest.mark.proves("AIP29-SURFACE-03")
def test_without_a_person_the_pending_steps_are_returned_and_nothing_runs(tmp_path):
    place = Place(tmp_path, STEPS, surface=FakeSurface(can_ask=False))
    with pytest.raises(AtipError) as caught:
        place.setup.run()
    assert caught.value.code == "setup_required"
    pending = caught.value.details["pending"]
    assert [one["id"] for one in pending] == ["daemon", "url", "token", "region", "beta"]
    assert pending[2] == {
        "id": "token", "kind": "prompt", "description": "", "prompt": "Token", "type": "secret",
    }  # fmt: skip
    assert place.spawner.ran == [] and place.ledger.events() == []


def test_answers_given_beforehand_need_no_person(tmp_path):
    answers = {"url": "wss://y", "token": "t", "region": "us", "beta": "no"}
    place = Place(tmp_path, STEPS, answers=answers, surface=FakeSurface(can_ask=False))
    assert len(place.setup.run()) == 5
    assert place.kept("env:DEMO_URL") == "wss://y"
    place = Place(tmp_path / "b", STEPS, answers={**answers, "region": "moon"})
    with pytest.raises(AtipError) as caught:
        place.setup.run()
    assert caught.value.details["step"] == "region"


@pytest.mark.proves("AIP29-SETUP-16")
def test_bundle_without_setup_skips_the_phase(tmp_path):
    place = Place(tmp_path, None)
    assert place.setup.run() == [] and place.ledger.events() == []


@pytest.mark.proves("AIP29-SETUP-12")
@pytest.mark.parametrize(
    "persist", [{}, {"env": "A", "cmd": "demo x"}, {"env": "A", "secret_slug": "ab"}]
)
def test_persist_is_exactly_one(tmp_path, persist):
    step = {"id": "a", "kind": "cmd", "cmd": "demo a", "persist": persist}
    with pytest.raises(FormatError):
        make_bundle(tmp_path / "demo", setup=[step])


@pytest.mark.parametrize("name", ["LD_PRELOAD", "PATH", "NODE_OPTIONS", "A B"])
def test_bundle_cannot_plant_a_variable_that_changes_what_runs(tmp_path, name):
    step = {"id": "a", "kind": "prompt", "prompt": "?", "persist": {"env": name}}
    place = Place(tmp_path, [step], answers={"a": "x"})
    with pytest.raises(AtipError):
        place.setup.run()


def test_values_of_earlier_steps_reach_later_ones_even_after_a_restart(tmp_path):
    seen = {}
    steps = [
        {"id": "host", "kind": "prompt", "prompt": "Host"},
        {"id": "use", "kind": "cmd", "cmd": "demo use ${input.host}"},
    ]
    failing = FakeSpawner({"demo use ${input.host}": 1})
    with pytest.raises(AtipError):
        Place(tmp_path, steps, answers={"host": "h1"}, spawner=failing).setup.run()
    spawner = FakeSpawner({"demo use ${input.host}": lambda values: seen.update(values) or 0})
    Place(tmp_path, steps, spawner=spawner).setup.run()
    assert seen == {"input.host": "h1"}


def visit(url_of, **changes):
    """A browser that follows the page's redirect, in a thread."""

    def on_open(url):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        target = url_of(query)
        request = urllib.request.Request(target, **changes)
        threading.Thread(target=lambda: urllib.request.urlopen(request, timeout=5).read()).start()

    return on_open


@pytest.mark.proves("AIP29-SETUP-05")
def test_external_step_opens_the_page_and_reads_the_callback(tmp_path):
    step = {
        "id": "channel",
        "kind": "external",
        "url": "https://example.com/pick",
        "callback": {"param": "channel_id", "timeout_ms": 5000},
        "persist": {"env": "DEMO_CHANNEL"},
    }
    surface = FakeSurface(
        on_open=visit(lambda query: f"{query['redirect_uri']}?channel_id=42&state={query['state']}")
    )
    place = Place(tmp_path, [step], surface=surface)
    place.setup.run()
    assert place.kept("env:DEMO_CHANNEL") == "42"
    assert surface.opened[0].startswith(
        "https://example.com/pick?redirect_uri=http%3A%2F%2F127.0.0.1"
    )


def test_external_step_without_callback_waits_for_the_person(tmp_path):
    step = {"id": "terms", "kind": "external", "url": "https://example.com/terms"}
    place = Place(tmp_path, [step], surface=FakeSurface({"terms": "yes"}))
    place.setup.run()
    assert place.surface.opened == ["https://example.com/terms"] and place.surface.asked == [
        "terms"
    ]


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "javascript:alert(1)", "http://evil.example/"]
)
def test_other_schemes_are_not_opened(tmp_path, url):
    place = Place(tmp_path, [{"id": "a", "kind": "external", "url": url}])
    with pytest.raises(AtipError):
        place.setup.run()
    assert place.surface.opened == []


OAUTH = """---
secrets:
  - slug: demo-oauth
    name: Demo
    description: Tokens.
    kind: oauth
    metadata: { oauth: { authorize_url: "https://a.example/auth", token_url: "https://a.example/t", client_id: c1, scopes: [r] } }
    exposures: [{ kind: env, name: DEMO_TOKEN, field: accessToken }]
---
"""


@pytest.mark.proves("AIP29-SETUP-04")
def test_oauth_step_stores_tokens_in_the_named_slot(tmp_path):
    surface = FakeSurface(
        on_open=visit(lambda query: f"{query['redirect_uri']}?code=abc&state={query['state']}")
    )
    place = Place(
        tmp_path,
        [{"id": "auth", "kind": "oauth", "secret_slug": "demo-oauth"}],
        surface=surface,
        extra={"SECRETS.md": OAUTH},
        auth={"ref": "./SECRETS.md"},
    )
    place.setup.run()
    assert json.loads(place.kept("demo-oauth")) == {"access_token": "at-abc"}
    assert "code_challenge=" in surface.opened[0] and "client_id=c1" in surface.opened[0]


def test_oauth_without_settings_is_refused(tmp_path):
    place = Place(tmp_path, [{"id": "auth", "kind": "oauth", "secret_slug": "none"}])
    with pytest.raises(AtipError) as caught:
        place.setup.run()
    assert caught.value.details["reason"] == "oauth.unknown-slot"


# --- the ledger -----------------------------------------------------------------------------------


def test_half_a_line_at_the_end_counts_as_not_written(tmp_path):
    bundle = make_bundle(tmp_path / "demo", setup=STEPS[:2])
    steps = bundle.manifest.setup
    ledger = SetupLedger(str(tmp_path / "s"), workspace="/w", user="u")
    ledger.record(steps[0], "done")
    with open(ledger.path, "ab") as file:
        file.write(b'{"step": "url", "event": "do')
    assert [step.id for step in ledger.pending(steps)] == ["url"]
    ledger.record(steps[1], "done")
    assert ledger.pending(steps) == [] and len(ledger.events()) == 2
    assert definition(steps[0]) != definition(steps[1])


def test_started_step_is_not_a_completed_one(tmp_path):
    bundle = make_bundle(tmp_path / "demo", setup=STEPS[:1])
    ledger = SetupLedger(str(tmp_path / "s"), workspace="/w", user="u")
    for event in ("started", "failed"):
        ledger.record(bundle.manifest.setup[0], event)
    assert len(ledger.pending(bundle.manifest.setup)) == 1
