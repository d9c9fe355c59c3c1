"""A yes is a person's, for one run as it was shown, once."""

from __future__ import annotations

import json
import os
import pty
import threading

import pytest

from atip.errors import AtipError, Denied, NeedsConfirmation, PolicyError
from atip.execution import approvals, consent
from atip.execution.approvals import Approvals
from atip.execution.consent import Question, Tokens, ask_on_terminal, bind, obtain
from atip.model.permissions.confinement import Confinement
from tests.shared import shared

PARTS = {"digest": "sha256:a", "argv": ("rm", "x"), "env": {"A": "1"}, "cwd": "/w", "policy": "p"}
QUESTION = Question(
    argv=("rm", "-r", "a b"), program="/bin/rm", digest="sha256:" + "0" * 64, cwd="/w", binding="b"
)


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("digest", "sha256:b"),
        ("argv", ("rm", "y")),
        ("argv", ("rm x",)),
        ("env", {"A": "2"}),
        ("cwd", "/"),
        ("policy", "q"),
    ],
)
def test_a_token_for_one_run_is_refused_for_any_other(part, other):
    tokens = Tokens()
    token = tokens.grant(bind(**PARTS))
    with pytest.raises(NeedsConfirmation) as refusal:
        tokens.redeem(token, bind(**{**PARTS, part: other}))
    assert refusal.value.code == "consent.changed"


def test_a_token_works_once():
    tokens = Tokens()
    token = tokens.grant(bind(**PARTS))
    tokens.redeem(token, bind(**PARTS))
    with pytest.raises(NeedsConfirmation) as refusal:
        tokens.redeem(token, bind(**PARTS))
    assert refusal.value.code == "consent.unknown"


def test_a_token_expires(monkeypatch):
    moment = [0.0]
    monkeypatch.setattr(consent, "monotonic", lambda: moment[0])
    tokens = Tokens(lifetime_s=10)
    token = tokens.grant("b")
    moment[0] = 11.0
    with pytest.raises(NeedsConfirmation) as refusal:
        tokens.redeem(token, "b")
    assert refusal.value.code == "consent.expired"


@pytest.mark.proves("CMP-8.1-01")
def test_nobody_to_ask_and_no_are_different_refusals():
    with pytest.raises(NeedsConfirmation):
        obtain(QUESTION, None, Tokens())
    with pytest.raises(Denied) as refusal:
        obtain(QUESTION, lambda question: False, Tokens())
    assert refusal.value.code == "consent.refused"


def test_the_question_shows_the_whole_argv_cleaned():
    for line in (shared("corpora/security/terminal") / "escapes.jsonl").read_text().splitlines():
        text = bytes.fromhex(json.loads(line)["bytes_hex"]).decode("utf-8", "surrogateescape")
        shown = QUESTION.replace(argv=("rm", text, "x" * 5000)).render()
        assert "\x1b" not in shown
        assert "\r" not in shown
        assert len(shown.splitlines()) == 5
        assert "x" * 5000 in shown
        assert all(character.isprintable() or character == "\n" for character in shown)


@pytest.mark.proves("CMP-8.2-02", "CMP-8.2-03")
def test_destruction_is_warned_of_with_the_advice_to_copy_first():
    shown = QUESTION.replace(destructive=True).render()
    assert "cannot be restored" in shown
    assert "copy" in shown


def test_grants_are_part_of_the_question():
    shown = QUESTION.replace(
        confinement=Confinement(fs_write=("/w/**",), egress=("api.example.com",))
    ).render()
    assert "/w/**" in shown
    assert "api.example.com" in shown


def answer(question: Question, typed: bytes) -> bool:
    ours, theirs = pty.openpty()
    seen = bytearray()

    def person() -> None:
        while b"to run it" not in seen:
            seen.extend(os.read(ours, 4096))
        os.write(ours, typed)

    worker = threading.Thread(target=person)
    worker.start()
    try:
        return ask_on_terminal(question, device=os.ttyname(theirs))
    finally:
        worker.join(10)
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(
    ("typed", "destructive", "expected"),
    [
        (b"y\n", False, True),
        (b"yes\n", False, True),
        (b"\n", False, False),
        (b"n\n", False, False),
        (b"y\n", True, False),
        (b"yes\n", True, True),
    ],
)
@pytest.mark.proves("CMP-8.1-02")
def test_answers_on_the_terminal(typed, destructive, expected):
    assert answer(QUESTION.replace(destructive=destructive), typed) is expected


def test_without_a_terminal_nothing_is_assumed(tmp_path):
    file = tmp_path / "no-terminal"
    file.write_text("yes\n")
    for device in (str(file), str(tmp_path / "missing")):
        with pytest.raises(NeedsConfirmation) as refusal:
            ask_on_terminal(QUESTION, device=device)
        assert refusal.value.code == "consent.no-terminal"


def test_remembered_approvals_are_scoped_listed_and_taken_back(tmp_path):
    remembered = Approvals(str(tmp_path))
    made = remembered.remember("b" * 64, ("make",), "/w", destructive=False)
    assert remembered.holds("b" * 64)
    assert not remembered.holds("c" * 64)
    assert remembered.list() == (made,)
    assert remembered.forget(made.id)
    assert not remembered.forget(made.id)
    assert remembered.list() == ()


def test_remembered_approvals_end(tmp_path, monkeypatch):
    remembered = Approvals(str(tmp_path))
    made = remembered.remember("b" * 64, ("make",), "/w", destructive=False)
    monkeypatch.setattr(approvals, "now", lambda: made.until + 1)
    assert not remembered.holds("b" * 64)


def test_destruction_is_never_remembered(tmp_path):
    with pytest.raises(PolicyError) as refusal:
        Approvals(str(tmp_path)).remember("b", ("rm",), "/", destructive=True)
    assert refusal.value.code == "approvals.destructive"


def test_approvals_that_others_may_write_are_refused(tmp_path):
    remembered = Approvals(str(tmp_path))
    remembered.remember("b" * 64, ("make",), "/w", destructive=False)
    os.chmod(tmp_path / "approvals.json", 0o666)
    with pytest.raises(AtipError) as refusal:
        remembered.holds("b" * 64)
    assert refusal.value.code == "approvals.unsafe-file"
