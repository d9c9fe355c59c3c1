"""Run a whole shell line in one sandbox, with streams, exit code and child processes as in a shell.

    runner, call = line_runner(host, "npm ci && npm test")
    result = runner.run(call)

The line is always judged again here. If the sandbox makes it safe it runs without confirmation; otherwise the user must confirm; a denied
line does not run. A caller cannot widen the confinement: the workspace is writable except for files that run later, its secrets are hidden,
the home is empty, the environment clean, and only the hosts that policy grants are reachable.
"""

from __future__ import annotations

import contextlib
import os

from atip.errors import Denied, UsageError
from atip.execution.call import Judgment, ProgramCall
from atip.execution.redaction.redact import redact_text
from atip.execution.runner import Runner
from atip.model.permissions.confinement import ANY_PROGRAM, Confinement
from atip.policy.confinement.confine import RUN_LIMITS, RunContext, plan_confinement
from atip.policy.confinement.granting import grants
from atip.policy.decision import ALLOW, ASK, CONFINE
from atip.system.digests import sha256_hex
from atip.workflows.judge import LocalJudge
from atip.workflows.look import explain_through
from atip.workflows.run.hooks import linked_repository, protected_hooks
from atip.workflows.run.masked import masked_files
from atip.workflows.run.packages import cache_of, cache_variables, package_settings, prepare_cache
from atip.workflows.run.plan import MANAGERS, find_workspace
from atip.workflows.run.undo import journal_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from atip.execution.consent import ConsentPrompt
    from atip.policy.decision import Decision
    from atip.policy.policy import Policy
    from atip.workflows.host import Host
    from atip.workflows.judge import Explanation

SHELLS = ("/bin/bash", "/usr/bin/bash", "/bin/sh")
ENVIRONMENT = frozenset(
    (
        *("LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES", "CI", "NO_COLOR", "FORCE_COLOR"),
        *("NODE_ENV", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "RUST_BACKTRACE", "MAKEFLAGS"),
    )
)
"""Variables passed to a line, with `LC_…`; all others are removed: tokens, agent sockets, `BASH_ENV`, `LD_…`."""
WALL_S = 4 * 3600.0
_MARKED = 'eval "set --\n$1"; printf "%s %%s\\n" "$?" >&2; wait'
"""Runs a line, prints its exit code, and waits for its background jobs."""


def line_runner(
    host: Host,
    line: str,
    *,
    cwd: str | None = None,
    stdin_fd: int = -1,
    ask: ConsentPrompt | None = None,
    on_output: Callable[[str, bytes], None] | None = None,
    read_only: bool = False,
    keyboard: int = -1,
    mark: str = "",
) -> tuple[Runner, ProgramCall]:
    """Return the runner for a line, and the call to pass to it.

    Args:
        keyboard: the user's terminal: the line gets a terminal of its own that receives the keys typed; -1: none.
        read_only: the workspace is readable but not writable.

        mark: written to standard error with the exit code when the line ends while its background jobs continue; empty: they end with it.

    Raises:
        UsageError: `run.empty`, `run.nul`.
    """
    if not line.strip():
        raise UsageError("run.empty", "the line is empty")
    if "\0" in line:
        raise UsageError(
            "run.nul", "the line contains a NUL byte, which cannot be passed to a program"
        )
    shell = next((path for path in SHELLS if os.path.exists(path)), SHELLS[-1])
    call = ProgramCall(
        argv=(os.path.basename(shell), "-c", *((_MARKED % mark, "bash") if mark else ()), line),
        program=shell,
        cwd=os.path.realpath(cwd or os.getcwd()),
        home=os.path.realpath(host.places.home),
        stdin_fd=stdin_fd,
        keyboard=keyboard,
        terminal_size=_size(keyboard),
        env=dict(os.environ),
    )
    runner = Runner(
        lambda each, _digest: judge_shell_line(host, line, each, read_only=read_only),
        audit=host.audit,
        ask=ask,
        on_output=on_output,
        run_context=lambda run: _run_context(host, line, call, run, on_output, read_only),
    )
    return runner, call


def _size(terminal: int) -> tuple[int, int]:
    """Rows and columns."""
    try:
        size = os.get_terminal_size(terminal)
    except OSError:
        return 24, 80
    return size.lines, size.columns


@contextlib.contextmanager
def _run_context(
    host: Host,
    line: str,
    call: ProgramCall,
    run: str,
    on_output: Callable[[str, bytes], None] | None,
    read_only: bool,
) -> Iterator[None]:
    """Set up terminal and undo journal while the line runs, after all confirmations."""
    with contextlib.ExitStack() as stack:
        if call.keyboard >= 0:
            from atip.system.programs.terminal import typed_keys

            stack.enter_context(typed_keys(call.keyboard))
        if not read_only:
            stack.enter_context(_watch(host, line, call, run, on_output))
        yield


def _watch(
    host: Host,
    line: str,
    call: ProgramCall,
    run: str,
    on_output: Callable[[str, bytes], None] | None,
) -> AbstractContextManager[None]:
    """Record what the line changes, for `atip undo`; creates the package cache first."""
    prepare_cache(_cache_of(host, call.cwd))
    if call.cwd == call.home:
        return contextlib.nullcontext()  # a home directory cannot be written

    def tell(reason: str) -> None:
        if on_output is not None:
            on_output("stderr", f"atip: `atip undo` cannot undo this line: {reason}\n".encode())

    return journal_of(host, call.cwd).watch(run=run, line=redact_text(line), tell=tell)


def judge_shell_line(
    host: Host, line: str, call: ProgramCall, *, read_only: bool = False
) -> Judgment:
    """Return decision and confinement of a line.

    Raises:
        Denied: `policy.unreadable-line`; a line that cannot be parsed never runs confined.
    """
    local = LocalJudge(host, call.cwd)
    explained = explain_through(local, line)
    if explained.problem:
        raise Denied("policy.unreadable-line", f"the line cannot be parsed: {explained.problem}")
    return Judgment(
        decision=_permit(explained, host, call.cwd),
        # how single commands take input and time is the shell's business
        effects=explained.effects.replace(
            interactive=explained.effects.interactive.replace(stdin=None, tty=None),
            duration=explained.effects.duration.replace(timeout=None),
        ),
        confinement=_narrow(line_confinement(explained, local.policies, host, call), read_only),
        audit=local.audit,
        # a yes is bound to what was read: a changed script is a new question
        policy=sha256_hex(f"{local.digest} {explained.digest}".encode()),
        keep="",
    )


def _narrow(confinement: Confinement, read_only: bool) -> Confinement:
    """For a client in plan mode: make writable paths read-only."""
    if not read_only:
        return confinement
    readable = dict.fromkeys((*confinement.fs_read, *confinement.fs_write))
    return confinement.replace(fs_read=tuple(readable), fs_write=(), fs_keep=(), fs_cache=())


def _permit(explained: Explanation, host: Host, cwd: str) -> Decision:
    """Turn `confine` into permission to run confined, with the reason. A line that could not be undone still needs confirmation."""
    decision = explained.in_sandbox
    if decision.outcome != CONFINE:
        return decision
    if journal_of(host, cwd).is_full:
        reason = (
            "no space to save the files it changes (`atip undo --list`, `atip undo --forget RUN`)"
        )
        return decision.replace(outcome=ASK, reasons=(*decision.reasons, reason))
    return decision.replace(outcome=ALLOW)


def line_confinement(
    explained: Explanation, policies: tuple[Policy, ...], host: Host, call: ProgramCall
) -> Confinement:
    """Return the confinement of a line.

    Raises:
        FormatError: a grant is not understood.
    """
    home = os.path.realpath(host.places.home)
    state_folders = tuple(
        map(os.path.realpath, (host.places.config, host.places.data, host.places.cache))
    )
    workspace = find_workspace(call.cwd, home)
    programs, path = _search_path(call.env, home)
    planned = plan_confinement(
        # SECURITY: marks of single commands open nothing here; what runs later stays closed to the whole line
        explained.effects.replace(network=None, subprocess=True, extra={}),
        policies,
        context=RunContext(
            cwd=workspace,
            home=home,
            own=state_folders,
            repository=any(subject.tool == "git" for subject in explained.invocations),
            libraries=programs,
        ),
    )
    common = next((pattern.removesuffix("/**") for pattern in linked_repository(workspace)), "")
    hooks = protected_hooks(workspace, home, common) if planned.fs_write else ()
    cache, variables = _packages(host, call) if planned.fs_write else ((), {})
    passed = tuple(name for name in call.env if name in ENVIRONMENT or name.startswith("LC_"))
    return planned.replace(
        fs_deny=tuple(dict.fromkeys((*planned.fs_deny, *masked_files(workspace, planned)))),
        fs_keep=tuple(dict.fromkeys((*planned.fs_keep, *hooks))),
        fs_cache=cache,
        # a proxy that grants nothing still reports what a line tried to reach; a line that stays local starts without it
        egress_watched=explained.effects.network is not False,
        exec_allow=True,
        exec_spawn=(ANY_PROGRAM,),
        exec_written=True,
        env_pass=tuple(dict.fromkeys((*planned.env_pass, *passed))),
        env_set=(*planned.env_set, *variables.items(), ("PATH", path)),
        # servers of a line are reached where a person said so
        ingress=tuple(url for url in grants(policies, "ingress") if url.endswith("/**"))
        if explained.effects.network is not False
        else (),
        tty=call.keyboard >= 0,
        limits=RUN_LIMITS.replace(wall_s=WALL_S, output_bytes=None),
    )


def _cache_of(host: Host, cwd: str) -> str:
    workspace = find_workspace(cwd, os.path.realpath(host.places.home))
    return cache_of(os.path.realpath(host.places.cache), workspace)


def _packages(host: Host, call: ProgramCall) -> tuple[tuple[str, ...], dict[str, str]]:
    """The package cache of a workspace, and the variables that package managers need to use it."""
    home = os.path.realpath(host.places.home)
    folder = _cache_of(host, call.cwd)
    variables = {**package_settings(home, call.env), **cache_variables(folder)}
    if os.path.isdir(f"{home}/.rustup"):
        variables["RUSTUP_HOME"] = f"{home}/.rustup"
    return (folder,), variables


def _search_path(env: Mapping[str, str], home: str) -> tuple[tuple[str, ...], str]:
    """Paths that must be visible to find programs, and the PATH that finds them."""
    visible: dict[str, None] = {}
    folders: dict[str, None] = {}
    for folder in env.get("PATH", "").split(os.pathsep):
        if not os.path.isabs(folder) or not os.path.isdir(folder):
            continue  # SECURITY: a relative entry finds programs in any folder
        folders[folder] = None
        real = os.path.realpath(folder)
        if real.startswith(f"{home}/"):
            tree = next(
                (f"{home}/{name}" for name in MANAGERS if real.startswith(f"{home}/{name}/")), real
            )
            visible[f"{tree}/**"] = None
            if tree == f"{home}/.cargo":  # its programs only lead to the toolchain
                visible[f"{home}/.rustup/**"] = None
    return tuple(visible), os.pathsep.join(folders) or "/usr/bin:/bin"
