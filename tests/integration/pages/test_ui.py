"""`atip ui` as a visitor meets it: token, cookie, Host, Origin, live log, revoking, export."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import urllib.parse

import pytest

from atip.execution.approvals import Approvals
from atip.system.paths import Places
from atip.toolbox import Toolbox
from tests.integration.pages.test_hostile import corpus
from tests.simulators.pages import broken_flags, is_too_wide, keep_picture, opened, serious

SECRET = "ghp_" + "Zx8" * 12
DECISION = {
    "event": "decision",
    "client": "claude",
    "line": "git push --force origin main",
    "decision": "deny",
    "rule": "organization: no force",
    "reasons": ["destroys data"],
}


@pytest.fixture
def home(tmp_path):
    box = Toolbox(home=str(tmp_path))
    add_record(box, ["git", "status"])
    os.makedirs(box.places.config, mode=0o700, exist_ok=True)
    Approvals(box.places.config).remember(
        "ab" * 32, argv=("make", f"TOKEN={SECRET}"), cwd="/w", destructive=False
    )
    return tmp_path


def add_record(box, argv):
    box.audit.append({"event": "start", "argv": argv, "decision": {"decision": "allow"}})


def environment(home):
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ATIP_"))
    }
    return {**kept, "HOME": str(home)}


@pytest.fixture
def address(home):
    """The address that the command prints, while it serves."""
    argv = [sys.executable, "-m", "atip.cli.main", "ui", "--no-open"]
    process = subprocess.Popen(
        argv, stdout=subprocess.PIPE, env=environment(home), cwd=home, text=True
    )
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()


def ask(address, path, *, method="GET", headers=None, body=None):
    parts = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def enter(address):
    """The cookie of who opened the address."""
    parts = urllib.parse.urlsplit(address)
    status, headers, _ = ask(address, f"{parts.path}?{parts.query}")
    assert status == 303 and headers["Location"] == "/"
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    return cookie.partition(";")[0]


def test_only_who_opened_the_address_gets_in(address):
    origin = address.partition("/?")[0]
    assert ask(address, "/")[0] == 401
    assert ask(address, "/log.json")[0] == 401
    assert ask(address, "/?token=guess")[0] == 401
    cookie = enter(address)
    assert ask(address, f"/?{address.partition('?')[2]}")[0] == 401  # good for one visit
    mine = {"Cookie": cookie}
    status, headers, body = ask(address, "/", headers=mine)
    assert status == 200 and b"Tools of this machine" in body
    assert "unsafe-inline" not in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    assert ask(address, "/", headers={**mine, "Host": "evil.example"})[0] == 403
    assert ask(address, "/", headers={**mine, "Origin": "https://evil.example"})[0] == 403
    form = {**mine, "Content-Type": "application/x-www-form-urlencoded"}
    revoke = {"method": "POST", "body": "id=abababababab&confirm=yes"}
    assert ask(address, "/approvals/revoke", headers=form, **revoke)[0] == 403
    evil = {**form, "Origin": "https://evil.example"}
    assert ask(address, "/approvals/revoke", headers=evil, **revoke)[0] == 403
    assert ask(address, "/approvals/revoke", headers=mine)[0] == 404  # GET changes nothing
    own = {**form, "Origin": origin}
    huge = {"method": "POST", "body": "x" * 100_000}
    assert ask(address, "/approvals/revoke", headers=own, **huge)[0] == 400
    assert ask(address, "/../../etc/passwd", headers=mine)[0] == 404


def test_the_log_is_live_and_an_approval_is_revoked_after_a_second_question(browser, address, home):
    box = Toolbox(home=str(home))
    url = address.partition("/?")[0]
    with opened(browser, url, viewport={"width": 1280, "height": 800}) as page:
        page.goto(address)
        page.click("nav >> text=Log")
        assert "git status" in page.inner_text("#log")
        add_record(box, ["rm", "-rf", "<img src=x onerror=alert(1)>", SECRET])
        page.wait_for_selector("#log code:has-text('rm -rf')")
        assert SECRET not in page.content()
        page.fill("#filter", "status")
        assert page.locator("#log tr:visible").count() == 1
        page.fill("#filter", "")
        box.audit.append(DECISION)
        page.select_option("#filter-decision", "deny")
        page.wait_for_selector("#log tr:visible:has-text('organization: no force')")
        assert page.locator("#log tr:visible").count() == 1
        page.select_option("#filter-decision", "")
        box.audit.append({"event": "start", "run": "r1", "argv": ["cargo", "build", "--release"]})
        box.audit.append({"event": "end", "run": "r1", "exitCode": 101})
        page.wait_for_selector("#log tr:has-text('exit 101: cargo build --release')")
        page.reload()
        assert page.locator("#log tr:has-text('exit 101: cargo build --release')").count() == 1
        keep_picture(page, "ui-log-1280-light")
        page.goto(f"{url}/log/?event=decision")
        assert page.locator("#log tr:visible").count() == 1
        assert page.locator("#filter-event").input_value() == "decision"
        page.click("nav >> text=Approvals")
        assert "make" in page.inner_text("main") and SECRET not in page.content()
        page.click("button:has-text('Revoke')")
        assert page.inner_text("h1").startswith("Revoke the approval")
        assert len(Approvals(box.places.config).list()) == 1
        page.click("text=Revoke it")
        page.wait_for_url("**/approvals/")
        assert Approvals(box.places.config).list() == ()


def test_lines_are_explained_by_the_policies_in_force_here(browser, address, home):
    places: Places = Toolbox(home=str(home)).places
    rule = {"name": "no pushes", "decision": "deny", "tools": ["git"], "commands": ["push"]}
    policy = os.path.join(places.config, "policy.json")
    with open(policy, "w") as file:
        json.dump({"policy": {"version": "1", "rules": [rule]}}, file)
    os.chmod(policy, 0o600)
    with opened(browser, address.partition("/?")[0]) as page:
        page.goto(address)
        for name in ("Tools", "Policies", "Bundles", "Registries", "Doctor", "Explain"):
            page.click(f"nav >> text={name}")
            assert page.inner_text("h1")
            assert serious(page) == [], name
        page.goto(f"{address.partition('/?')[0]}/policies/?line=git+push")
        assert "no pushes" in page.inner_text("#decided") and "user" in page.inner_text("#decided")
        assert "deny" in page.inner_text("#decided")
        line = "git push --force && rm -rf build --preserve-root"
        page.goto(f"{address.partition('/?')[0]}/policies/?line={urllib.parse.quote(line)}")
        assert page.locator("#decided li code").all_inner_texts() == ["git push --force"]
        assert broken_flags(page, "main") == []
        page.click("nav >> text=Explain")
        page.wait_for_selector("body[data-judge=ready]")  # before, Enter is a new line
        page.fill("#shell", "git push")
        page.keyboard.press("Enter")
        page.wait_for_selector("#explanation .card")
        assert "no pushes" in page.inner_text("#explanation")
        page.fill("#shell", "rm -rf build --preserve-root")
        page.keyboard.press("Enter")
        page.wait_for_selector("#explanation[data-line^=rm]")
        assert broken_flags(page, "main") == []


def test_the_doctor_runs_after_a_second_question(browser, address):
    with opened(browser, address.partition("/?")[0]) as page:
        page.goto(address)
        page.click("nav >> text=Doctor")
        assert "sandbox" not in page.inner_text("table")
        page.click("text=Run all checks…")
        assert page.inner_text("h1").startswith("Run all checks?")
        page.click("button:text-is('Run all checks')")
        page.wait_for_selector("td:has-text('sandbox')")
        assert "store" in page.inner_text("table")


def test_hostile_texts_are_text_on_every_page(browser, address, home):
    box = Toolbox(home=str(home))
    approvals = Approvals(box.places.config)
    for number, text in enumerate(corpus()):
        record = {"event": text[:50], "line": text, "decision": text[:50], "rule": text}
        box.audit.append(record if number % 2 else {"event": "start", "argv": [text]})
        if number % 10 == 0:
            digest = f"{number:064x}"
            approvals.remember(digest, argv=(text[:4000],), cwd=f"/w/{number}", destructive=False)
    url = address.partition("/?")[0]
    with opened(browser, url, viewport={"width": 360, "height": 800}) as page:
        page.goto(address)
        for path in ("log/", "approvals/", "policies/?line=%3Cscript%3Ealert(1)%3C/script%3E"):
            page.goto(f"{url}/{path}")
            assert page.title() != "owned" and not is_too_wide(page), path
            assert page.locator("main script, main img, main svg").count() == 0


def test_a_report_holds_no_secret(home, tmp_path):
    add_record(Toolbox(home=str(home)), ["curl", "-H", f"Authorization: Bearer {SECRET}"])
    argv = [sys.executable, "-m", "atip.cli.main", "ui", "--export", "report", "--json"]
    done = subprocess.run(
        argv, capture_output=True, env=environment(home), cwd=home, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)["files"]
    assert "index.html" in written and "policies/index.json" in written
    for name in written:
        assert SECRET not in (home / "report" / name).read_text()
    assert "curl" in (home / "report" / "log" / "index.html").read_text()
