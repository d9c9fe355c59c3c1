"""Requests, scratch places, visible paths, and the frames shared with the supervisor."""

from __future__ import annotations

import os
import pathlib

import pytest

from atip.errors import SandboxError
from atip.sandbox.bubblewrap.system_view import visible_arguments
from atip.sandbox.probes import protocol, supervisor
from atip.sandbox.probes.worker import encode_request, scratch_for


def test_supervisor_speaks_the_same_frames_as_the_worker() -> None:
    for name in ("TIMED_OUT", "TRUNCATED", "NOT_STARTED", "NEEDS_RESTART", "MAX_STRETCH"):
        assert getattr(supervisor, name) == getattr(protocol, name)
    assert supervisor.REQUEST.format == protocol.REQUEST.format
    assert supervisor.REPLY.format == protocol.REPLY.format


@pytest.mark.parametrize("argv", [(), ("tool",), ("./tool",), ("/bin/x", "a\0b")])
def test_request_without_absolute_program_or_with_nul_is_refused(argv: tuple[str, ...]) -> None:
    with pytest.raises(SandboxError) as refused:
        encode_request(argv, {}, 2.0, 10)
    assert refused.value.code == "sandbox.argv"


def test_request_carries_arguments_and_variables_apart() -> None:
    frame = encode_request(("/bin/x", "a=b", ""), {"K": "v=w", "E": ""}, 2.0, 10)
    size, count, wall_ms, keep = protocol.REQUEST.unpack(frame[:16])
    assert (size, count, wall_ms, keep) == (len(frame) - 16, 3, 2000, 10)
    assert frame[16:].split(b"\0") == [b"/bin/x", b"a=b", b"", b"K", b"v=w", b"E", b""]


def test_scratch_moves_away_from_what_must_be_visible() -> None:
    assert scratch_for(("/opt/x",)) == "/tmp"
    assert scratch_for(("/tmp/tools/bin",)) == "/var/tmp"
    assert scratch_for(("/tmp/a", "/var/tmp/b")) == "/scratch"


@pytest.mark.parametrize(
    "path", ["/", "/proc/self", "/sys", "/dev", "/run", "relative", "/nowhere/at/all", "~", "/etc"]
)
def test_paths_that_break_the_promise_of_a_probe_are_refused(path: str) -> None:
    shown = os.path.expanduser(path) if path == "~" else path
    with pytest.raises(SandboxError) as refused:
        visible_arguments((shown,))
    assert refused.value.code == "sandbox.visible"


def test_link_is_shown_under_both_names_with_passable_parents(tmp_path: pathlib.Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    arguments = visible_arguments((str(link),))
    binds = [
        tuple(arguments[at + 1 : at + 3])
        for at, part in enumerate(arguments)
        if part == "--ro-bind"
    ]
    assert set(binds) == {(str(real), str(link)), (str(real), str(real))}
    assert arguments[arguments.index(str(tmp_path)) - 3 :][:3] == ["--perms", "0755", "--dir"]


def test_system_paths_need_no_bind_of_their_own() -> None:
    assert visible_arguments(("/usr/bin/env", "/usr/lib")) == []
