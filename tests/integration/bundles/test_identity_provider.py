"""Setup kinds `oauth` and `external` to the end, against an identity provider on loopback: PKCE, device code, callback."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.server
import json
import threading
import urllib.parse
import urllib.request

import pytest

from atip.bundles.login import device
from atip.bundles.login.oauth import OAuth
from atip.errors import AtipError
from atip.system.network.http_form import post_form
from tests.packages import package


class Provider:
    """Issues codes and tokens as RFC 6749, 7636 and 8628 say, and remembers what it was asked."""

    def __init__(self) -> None:
        self.address = ""
        self.challenges: dict[str, str] = {}
        self.pending = 2
        self.forms: list[dict[str, str]] = []
        self.refuse = ""

    def authorize(self, query: dict[str, str]) -> str:
        """Where the browser is sent after the consent of the person."""
        self.challenges["code-1"] = query["code_challenge"]
        assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
        return f"{query['redirect_uri']}?code=code-1&state={query['state']}"

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, object]]:
        self.forms.append(form)
        if form.get("grant_type") == device.GRANT:
            if self.refuse:
                return 400, {"error": self.refuse}
            self.pending -= 1
            if self.pending >= 0:
                return 400, {"error": "authorization_pending" if self.pending else "slow_down"}
            return 200, {"access_token": "at-device", "token_type": "bearer"}
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        made = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if self.challenges.pop(form["code"], "") != made:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "at-pkce", "refresh_token": "rt", "id_token": "dropped"}


@contextlib.contextmanager
def provider():
    made = Provider()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
            self.send_response(302)
            self.send_header("location", made.authorize(query))
            self.send_header("content-length", "0")
            self.end_headers()

        def do_POST(self):
            data = self.rfile.read(int(self.headers["content-length"])).decode()
            form = dict(urllib.parse.parse_qsl(data))
            if self.path == "/token":
                status, told = made.token(form)
            else:
                page = f"{made.address}/activate"
                status, told = 200, {"device_code": "d1", "user_code": "WDJB-MJHT", "verification_uri": page, "interval": 1, "expires_in": 60}  # fmt: skip
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Browser:
    """A surface whose person agrees to everything: addresses are followed like a browser would."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.threads: list[threading.Thread] = []

    def show(self, text: str) -> None:
        self.lines.append(text)

    def open(self, url: str) -> None:
        if "/authorize?" in url:
            self.threads.append(threading.Thread(target=lambda: urllib.request.urlopen(url).read()))
            self.threads[-1].start()


class Slot:
    """A store of secrets with one drawer."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def put(self, key: str, slot: str, value: str) -> None:
        self.kept[slot] = value


class Described:
    """What of a bundle the flow reads."""

    key = "demo@1"

    def __init__(self, **oauth: object) -> None:
        self.secrets = ({"slug": "demo", "metadata": {"oauth": {"client_id": "c1", **oauth}}},)


@pytest.mark.proves("AIP29-SETUP-90")
def test_the_code_flow_runs_to_the_end_with_pkce(tmp_path):
    package("httpcore2")
    with provider() as idp:
        settings = {"authorize_url": f"{idp.address}/authorize", "token_url": f"{idp.address}/token", "scopes": ["r"]}  # fmt: skip
        browser, store = Browser(), Slot()
        OAuth(store, post_form).obtain(Described(**settings), "demo", browser)
        for thread in browser.threads:
            thread.join()
    assert json.loads(store.kept["demo"]) == {"access_token": "at-pkce", "refresh_token": "rt"}
    assert "client_secret" not in idp.forms[0]


@pytest.mark.proves("AIP29-SETUP-90")
def test_the_device_flow_shows_the_code_and_asks_as_often_as_it_may(monkeypatch):
    package("httpcore2")
    waits: list[float] = []
    with provider() as idp:
        settings = {"device_url": f"{idp.address}/device", "token_url": f"{idp.address}/token", "client_id": "c1"}  # fmt: skip
        browser = Browser()
        tokens = device.obtain_by_device(settings, post_form, browser, waits.append)
    assert tokens["access_token"] == "at-device"
    assert browser.lines == [f"enter the code WDJB-MJHT at {idp.address}/activate"]
    assert waits == [1.0, 1.0, 6.0]


@pytest.mark.parametrize("code", ["access_denied", "expired_token"])
def test_a_device_flow_that_is_refused_ends_and_keeps_nothing(code):
    package("httpcore2")
    with provider() as idp:
        idp.refuse = code
        settings = {"device_url": f"{idp.address}/device", "token_url": f"{idp.address}/token", "client_id": "c1"}  # fmt: skip
        with pytest.raises(AtipError) as refusal:
            device.obtain_by_device(settings, post_form, Browser(), lambda _s: None)
    assert refusal.value.details["error"] == code


def test_a_code_that_is_never_typed_ends_with_its_time():
    def exchange(url: str, _fields: object) -> dict[str, object]:
        if url.endswith("/device"):
            return {"device_code": "d", "user_code": "u", "verification_uri": "https://a.example/", "interval": 5, "expires_in": 20}  # fmt: skip
        raise AtipError("http.form", "not yet", details={"error": "authorization_pending"})

    waits: list[float] = []
    settings = {"device_url": "https://a.example/device", "token_url": "https://a.example/t", "client_id": "c"}  # fmt: skip
    with pytest.raises(AtipError) as refusal:
        device.obtain_by_device(settings, exchange, Browser(), waits.append)
    assert (refusal.value.code, sum(waits)) == ("oauth.device", 20.0)
