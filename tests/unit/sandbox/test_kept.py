"""Rules of kept names, and the settings of git that start nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.sandbox.protected.git_settings import foreign_settings
from atip.sandbox.protected.repository import is_repository
from atip.sandbox.protected.rules import parse_rules

HARMLESS = b"""[core]
\trepositoryformatversion = 0
\tfilemode = true ; a comment
[remote "origin"]
\turl = https://example.com/x.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"] remote = origin
\tmerge = refs/heads/main
"""


def test_what_git_itself_writes_is_harmless() -> None:
    assert foreign_settings(b"", HARMLESS) == ()


@pytest.mark.parametrize(
    "text",
    [
        b"[core]\nfsmonitor = x",
        b"[CORE]\n  fsMonitor=x",
        b"[core] fsmonitor = x",
        b"[core]\nfs\\\nmonitor = x",
        b"[core]\nhookspath = x",
        b"[core]\nsshcommand = x",
        b"[include]\npath = x",
        b'[includeIf "gitdir:."]\npath = x',
        b"[alias]\nstatus = !x",
        b'[filter "x"]\nclean = x',
        b'[diff "x"]\ntextconv = x',
        b'[remote "o"]\nuploadpack = x',
        b'[submodule "a"]\nupdate = !x',
        b'[url "x"]\ninsteadOf = https://',
        b"[core]\nworktree = /etc",
        b"[credential]\nhelper = !x",
        b"[gpg]\nprogram = x",
        b"fsmonitor = x",
        b"[core\nfsmonitor = x",
        b"\0",
        b'[branch "a"]\nmergeoptions = --strategy=x',
    ],
)
def test_settings_that_run_programs_are_foreign(text: bytes) -> None:
    assert foreign_settings(HARMLESS, HARMLESS + text)


def test_what_was_there_before_stays() -> None:
    own = HARMLESS + b"[core]\n\tfsmonitor = mine\n"
    assert foreign_settings(own, own + b"[user]\nname = me\n") == ()
    assert foreign_settings(own, own.replace(b"mine", b"theirs")) == ("core.fsmonitor",)


@given(st.binary(max_size=200))
def test_any_bytes_are_judged(data: bytes) -> None:
    foreign_settings(b"", data)
    assert foreign_settings(data, data) == ()


def test_rules() -> None:
    rules = parse_rules(("**/.git", "**/.envrc", "**/.github/workflows", "/plain/path"))
    assert rules.sealed and rules.names == {".envrc"}
    assert rules.names_in(".github") == {".envrc", "workflows"}
    assert rules.names_in("node_modules") == frozenset()
    assert not parse_rules(("/plain",)).watches
    assert is_repository(("HEAD", "commondir")) and not is_repository(("HEAD", "refs"))
