"""Rewrite a line for a client's hook: answer `allow` with `run --line` instead of `ask`, where that is safe.

    rewritten = rewrite_for(host, "claude-code", "npm test", cwd="/work")
    rewritten.line      # None: ask as before, and `rewritten.reason` says why

A client that ignores the rewritten line would run the original under our *allow*. So only programs count that are proven to run the
rewritten line: versions in `policy.rewriting.PROVEN`, and files that proved it on this machine. The proof: a line that is allowed anyway is
answered with a rewritten line that carries a token; the run that receives the token records the program that started it.
"""

from __future__ import annotations

import os
import sys

from atip.errors import AtipError
from atip.model.reading import plain_json
from atip.model.value import Value
from atip.policy.rewriting import (
    client_name,
    confines_itself,
    is_proven_version,
    original_line,
    rewrite_line,
)
from atip.system.files import make_private, read_bytes, write_atomic
from atip.system.programs.callers import CallerProgram, find_caller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.workflows.host import Host

MAX_BYTES = 100_000
MAX_PROVEN = 50
MAX_LOOK_BACK = 500
"""Audit records to search for the decision on a line."""
MAX_TRIES = 5
"""Trials per program; a client that ignores rewriting is not tried again."""


class Rewrite(Value):
    """The result of rewriting a line."""

    line: str | None = None
    """The line to run instead; None: the sandbox cannot be used through this client."""
    reason: str = ""


class Rewrites:
    """Rewritten lines for the clients of one user."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def confine(self, line: str, client: str, *, cwd: str, read_only: bool = False) -> Rewrite:
        """As `rewrite_for`."""
        return rewrite_for(self._host, client, line, cwd=cwd, read_only=read_only)

    def try_out(self, line: str, client: str, *, cwd: str) -> str | None:
        """As `trial_for`."""
        return trial_for(self._host, client, line, cwd=cwd)

    def accept(self, token: str) -> bool:
        """As `accept_token`."""
        return accept_token(self._host, token)

    def check_ran(self, line: str, client: str, *, cwd: str) -> bool:
        """As `ran_confined`."""
        return ran_confined(self._host, client, line, cwd=cwd)


def rewrite_for(
    host: Host, client: str, line: str, *, cwd: str, read_only: bool = False
) -> Rewrite:
    """Return the confined line for a client that runs it; otherwise the reason."""
    caller = find_caller()
    if caller is None:
        return Rewrite(reason="the program that started the guard could not be identified")
    if caller.path.startswith(f"{os.path.realpath(cwd)}/"):
        # SECURITY: what an agent can change proves nothing
        return Rewrite(reason=f"`{caller.path}` is inside the workspace")
    if not _is_proven(host, client_name(client), caller):
        return Rewrite(reason=f"`{caller.path}` is not proven to run rewritten lines")
    if confines_itself(client_name(client), caller.words):
        return Rewrite(reason="the client's own sandbox prevents ours")
    if problem := _sandbox_problem():
        return Rewrite(reason=f"no sandbox: {problem}")
    return Rewrite(line=rewrite_line(sys.executable, line, read_only=read_only))


def trial_for(host: Host, client: str, line: str, *, cwd: str) -> str | None:
    """For an allowed read-only line: a rewritten one that proves what the client runs; None: no proof is needed or possible."""
    caller = find_caller()
    if caller is None or caller.path.startswith(f"{os.path.realpath(cwd)}/"):
        return None
    name = client_name(client)
    record = _read(host)
    key = _key(name, caller)
    if key in record["ignored"] or confines_itself(name, caller.words):
        return None
    tries = record["trials"].get(key, {"count": 0})["count"]
    if _is_proven(host, name, caller) or tries >= MAX_TRIES or _sandbox_problem():
        return None
    token = os.urandom(16).hex()
    trials = dict(list(record["trials"].items())[-MAX_PROVEN:])
    _write(host, {**record, "trials": {**trials, key: {"count": tries + 1, "token": token}}})
    return rewrite_line(sys.executable, line, token=token)


def accept_token(host: Host, token: str) -> bool:
    """Record that the program which started this run runs rewritten lines; False: the token belongs to another program."""
    from secrets import compare_digest

    caller = find_caller()
    record = _read(host)
    for key, trial in record["trials"].items():
        if caller is None or key.partition(":")[2] != f"{caller.path}:{caller.stamp}":
            continue
        if token and compare_digest(trial.get("token", ""), token):
            remaining = {name: trial for name, trial in record["trials"].items() if name != key}
            proven = [*record["proven"], key][-MAX_PROVEN:]
            _write(host, {**record, "proven": proven, "trials": remaining})
            return True
    return False


def ran_confined(host: Host, client: str, line: str, *, cwd: str) -> bool:
    """Check after a client has run a line: False where it should have run it confined and no confined run is recorded.
    Such a program gets no rewritten line any more."""
    original = original_line(line, sys.executable)
    for count, record in enumerate(host.audit.newest()):
        if count >= MAX_LOOK_BACK:
            return True
        event = record.get("event")
        if event in ("start", "refused") and (record.get("argv") or [""])[-1] == original:
            return True
        is_same = record.get("line") == original and record.get("cwd") == cwd
        if event == "decision" and is_same and record.get("client") == client:
            if record.get("answer") != "confine":
                return True
            break
    else:
        return True
    caller = find_caller()
    if caller is not None:
        state = _read(host)
        ignored = [*state["ignored"], _key(client_name(client), caller)][-MAX_PROVEN:]
        _write(host, {**state, "ignored": ignored})
    return False


def _is_proven(host: Host, client: str, caller: CallerProgram) -> bool:
    if _key(client, caller) in _read(host)["ignored"]:
        return False
    if is_proven_version(client, caller.package, caller.version):
        return True
    return _key(client, caller) in _read(host)["proven"]


def _sandbox_problem() -> str:
    # late: most calls of the guard need no sandbox, and all of them pay for what is imported
    from atip.sandbox.trial import sandbox_problem

    return sandbox_problem()


def _key(client: str, caller: CallerProgram) -> str:
    return f"{client}:{caller.path}:{caller.stamp}"


def _path(host: Host) -> str:
    return os.path.join(host.places.data, "rewriting.json")


def _read(host: Host) -> dict:  # type: ignore[type-arg]
    """Read the recorded proofs; empty when the file cannot be read."""
    try:
        state = plain_json.loads(read_bytes(_path(host), MAX_BYTES).decode())
        return {
            "proven": list(state["proven"]),
            "trials": dict(state["trials"]),
            "ignored": list(state.get("ignored", ())),
        }
    except (AtipError, ValueError, KeyError, TypeError):
        return {"proven": [], "trials": {}, "ignored": []}


def _write(host: Host, record: dict) -> None:  # type: ignore[type-arg]
    make_private(host.places.data)
    write_atomic(_path(host), plain_json.dumps(record).encode(), durable=False)
