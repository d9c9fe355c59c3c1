"""Plan of the full backend: a Confinement as environment, gates and mounts. Starts nothing.

The argument list made here *is* the protection (bubblewrap enforces its arguments), so it is built
by plain functions whose results tests can read.
"""

from __future__ import annotations

import os

from atip.errors import SandboxError
from atip.model.permissions.confinement import ANY_PROGRAM
from atip.model.text.environment import is_never_passed
from atip.model.value import Value
from atip.sandbox.bubblewrap import system_view
from atip.sandbox.bubblewrap.grants import FilePlan, plan_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.network.ingress import CallbackAddress
    from atip.sandbox.run import RunRequest
    from atip.sandbox.verified import VerifiedBinary

SCRATCH_BYTES = 256 * 1024 * 1024
PROXY_PORT = 3128
_LOOPBACK = ("localhost", "127.0.0.1")
_NAMES = "/run/program"
READ_ONLY, NOEXEC, RECURSIVE = 1, 8, 0x8000
_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108  the sandbox's own


class SandboxPlan(Value):
    """The plan of a run, complete before anything is started."""

    confinement: Confinement
    request: RunRequest
    files: FilePlan
    home: str
    program: str
    """The program executed inside: the binary, or the interpreter of a script."""
    argv: tuple[str, ...]
    env: Mapping[str, str]
    env_dropped: tuple[str, ...]
    gates: tuple[tuple[str, int], ...]
    """Addresses to listen on inside: the proxy first if there is one, then one for each of `tcp`."""
    callbacks: tuple[CallbackAddress, ...] = ()
    """Addresses to listen on outside, for `ingress`."""

    @property
    def spawns(self) -> bool:
        """Whether other programs may be started."""
        return self.confinement.exec_allow and bool(self.confinement.exec_spawn)

    @property
    def root(self) -> str:
        """Folder that stands for `/` of the system that is shown; empty: this host's system."""
        return self.request.binary.root

    @property
    def lists(self) -> bool:
        """Whether only some programs of the system may be started."""
        return self.spawns and self.confinement.exec_spawn != (ANY_PROGRAM,)


class OuterOrder(Value):
    """Mounts that bubblewrap cannot make."""

    overlays: tuple[tuple[str, str, bool], ...]
    """For a preview: path, the stage that takes its changes, whether it is a folder."""
    mounts: tuple[str, ...]
    """Mounted onto themselves."""
    layer: str = ""
    """Shown over `/usr`."""


def plan(confinement: Confinement, request: RunRequest) -> SandboxPlan:
    """Decide how a Confinement is enforced here; starts nothing.

    Raises:
        SandboxError: for what cannot be enforced exactly.
    """
    home = os.path.realpath(request.home or os.path.expanduser("~"))
    workspace = request.workspace or request.cwd or home
    files = plan_files(confinement, home=home, workspace=os.path.realpath(workspace))
    interpreter = request.binary.interpreter
    gates = gates_of(confinement)
    inside = _home_inside(home)
    env, dropped = build_environment(confinement, request.caller_env, inside, gates)
    return SandboxPlan(
        confinement=confinement,
        request=request,
        files=files,
        home=inside,
        program=_program(request.binary),
        argv=(*interpreter, script_name(request), *request.argv[1:])
        if interpreter
        else request.argv,
        env=env,
        env_dropped=dropped,
        gates=gates,
        callbacks=_callbacks(confinement),
    )


def _program(binary: VerifiedBinary) -> str:
    if not binary.interpreter:
        return binary.path
    # in another system it was resolved when the program was sealed
    return binary.interpreter[0] if binary.root else os.path.realpath(binary.interpreter[0])


def _callbacks(confinement: Confinement) -> tuple[CallbackAddress, ...]:
    if not confinement.ingress:
        return ()
    from atip.sandbox.network.ingress import parse_callback

    return tuple(parse_callback(url) for url in confinement.ingress)


def script_name(request: RunRequest) -> str:
    """argv[0] of a script. One file may serve many commands under links of their names
    (`psql`, `pg_dump` …): then a link of the called name leads to the sealed bytes."""
    called, path = os.path.basename(request.argv[0]), request.binary.path
    if called in ("", ".", "..", os.path.basename(path)):
        return path
    return f"{_NAMES}/{called}"


def _home_inside(home: str) -> str:
    """Path of the scratch home: the caller's own, unless that belongs to the system."""
    system = ("/", *system_view.TOP, *system_view.TREES, "/etc", "/proc", "/sys", "/dev", "/run")
    is_system = any(home == path or home.startswith(path.rstrip("/") + "/") for path in system[1:])
    return f"/home/{system_view.USER}" if is_system or home == "/" else home


def build_environment(
    confinement: Confinement,
    caller: Mapping[str, str],
    home: str,
    gates: tuple[tuple[str, int], ...],
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Variables inside, and those of `env_pass` that were not handed in."""
    env = {
        "PATH": system_view.SEARCH_PATH,
        "HOME": home,
        "TMPDIR": "/tmp",  # noqa: S108  the sandbox's own
        "LANG": "C.UTF-8",
        "TERM": "xterm" if confinement.tty else "dumb",
        "USER": system_view.USER,
        "LOGNAME": system_view.USER,
    }
    # SECURITY: loader and interpreter variables are never passed, even on request.
    dropped = tuple(name for name in confinement.env_pass if is_never_passed(name))
    for name in confinement.env_pass:
        if name in caller and name not in dropped and name != "HOME":
            env[name] = caller[name]
    env.update(confinement.env_set)
    if confinement.has_gate:
        proxy = f"http://127.0.0.1:{PROXY_PORT}"
        for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"):
            env[name] = env[name.lower()] = proxy
        local = ",".join(("localhost", *(address for address, _ in gates)))
        env["NO_PROXY"] = env["no_proxy"] = local
    return env, dropped


def gates_of(confinement: Confinement) -> tuple[tuple[str, int], ...]:
    """Proxy and this machine's own services on 127.0.0.1, where programs look for them; each other
    forwarded host on an address of its own, so that ports never clash."""
    gates = [("127.0.0.1", PROXY_PORT)] if confinement.has_gate else []
    for index, text in enumerate(confinement.tcp):
        host, port = _endpoint(text)
        own = host in _LOOPBACK and ("127.0.0.1", port) not in gates
        gates.append(("127.0.0.1" if own else f"127.0.1.{index + 1}", port))
    return tuple(gates)


def _endpoint(text: str) -> tuple[str, int]:
    from atip.model.text.hosts import parse_endpoint

    return parse_endpoint(text)


def hosts_file(confinement: Confinement) -> bytes:
    """Forwarded names lead to their gates."""
    lines = ["127.0.0.1 localhost", "::1 localhost"]
    for index, text in enumerate(confinement.tcp):
        host, _ = _endpoint(text)
        if host != "localhost":
            lines.append(f"127.0.1.{index + 1} {host}")
    return ("\n".join(lines) + "\n").encode()


def arguments_of(decided: SandboxPlan, binary_fd: int, copied: Mapping[str, int]) -> list[str]:
    """The mounts for bubblewrap. Later ones cover earlier ones.

    Args:
        copied: settings of the system that are copied from descriptors, not mounted.
    """
    confinement = decided.confinement
    size = str(confinement.limits.file_bytes or SCRATCH_BYTES)
    arguments = [
        *_system_arguments(decided, copied),
        *("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"),
        *system_view.device_arguments(),
    ]
    if confinement.tty:
        arguments += ["--dev-bind", "/dev/tty", "/dev/tty"]
    if decided.lists:
        from atip.sandbox.bubblewrap import programs

        arguments += programs.spawn_arguments(confinement.exec_spawn, decided.program, decided.root)
    for path in (*_SCRATCH, decided.home):
        arguments += [*_parents_of(path), "--perms", "1777", "--size", size, "--tmpfs", path]
    arguments += _file_arguments(decided.files)
    arguments += _launcher_arguments(decided)
    binary = decided.request.binary
    arguments += _parents_of(binary.path)
    arguments += ["--perms", "0555", "--ro-bind-data", str(binary_fd), binary.path]
    if binary.interpreter and (name := script_name(decided.request)) != binary.path:
        arguments += ["--perms", "0755", "--dir", _NAMES, "--symlink", binary.path, name]
    if binary.interpreter and decided.lists:
        arguments += ["--ro-bind", decided.root + decided.program, decided.program]
    if decided.lists:
        from atip.sandbox.bubblewrap import programs

        arguments += programs.seal_arguments(decided.root)
    return arguments


def _system_arguments(decided: SandboxPlan, copied: Mapping[str, int]) -> list[str]:
    if not decided.root:
        mounted = tuple(name for name in system_view.SETTINGS if f"/etc/{name}" not in copied)
        arguments = system_view.system_arguments(settings=mounted)
        # SECURITY: before any grant is mounted; a file that bubblewrap writes in one would be the host's
        for path, descriptor in copied.items():
            arguments += ["--perms", "0444", "--file", str(descriptor), path]
        return arguments
    covered = [mount.path for mount in decided.files.mounts]
    covered += [name for name, _ in decided.files.links]
    own = decided.request.binary.path
    if not os.path.exists(decided.root + own):  # a file of the caller's, not of that system
        covered.append(own)
    tree = system_view.find_interpreter().tree
    return system_view.image_arguments(
        decided.root, [*covered, decided.home, *([tree] if tree else [])]
    )


def launcher_mounts(decided: SandboxPlan) -> tuple[str, ...]:
    """Mounts of this host's own programs, which only the inner launcher needs; with another system they go before the
    program starts."""
    if not decided.root:
        return ()
    tree = system_view.find_interpreter().tree
    return (*system_view.host_mounts(), *((tree,) if tree else ()))


def _launcher_arguments(decided: SandboxPlan) -> list[str]:
    """The library of the Python that our inner launcher runs on, if it is not the system's."""
    tree = system_view.find_interpreter().tree
    if not tree:
        return []
    arguments = [*_parents_of(tree), "--ro-bind", tree, tree]
    if decided.lists and os.path.isdir(f"{tree}/bin"):
        arguments += ["--tmpfs", f"{tree}/bin", "--remount-ro", f"{tree}/bin"]
    return arguments


def _file_arguments(files: FilePlan) -> list[str]:
    arguments: list[str] = []
    for mount in files.mounts:
        match mount.kind:
            case "read":
                arguments += [*_parents_of(mount.path), "--ro-bind", mount.path, mount.path]
            case "keep":
                arguments += ["--ro-bind", mount.path, mount.path]
            case "write":
                arguments += [*_parents_of(mount.path), "--bind", mount.path, mount.path]
            case "pin":
                arguments += ["--bind", mount.path, mount.path]
            case "hide-dir":
                arguments += ["--perms", "0000", "--tmpfs", mount.path, "--remount-ro", mount.path]
            case _:
                arguments += ["--ro-bind", "/dev/null", mount.path]
    for name, real in files.links:
        arguments += [*_parents_of(name), "--symlink", real, name]
    return arguments


def _parents_of(path: str) -> list[str]:
    return system_view.parent_arguments(path)


def check_cwd(decided: SandboxPlan) -> None:
    """The working directory must be something the program may see.

    Raises:
        SandboxError: `sandbox.cwd`.
    """
    cwd = decided.request.cwd
    if cwd is not None and not _visible(os.path.realpath(cwd), decided.files):
        raise SandboxError(
            "sandbox.cwd",
            f"the working directory `{cwd}` is not visible to the program",
            hint="grant it in `fs.read` or `fs.write`",
        )


def outer_order(decided: SandboxPlan, *, root: bool) -> OuterOrder | None:
    """Mounts to make before bubblewrap starts; None if it starts from the caller's own view."""
    roots = [mount for mount in decided.files.mounts if mount.kind in ("read", "write")]
    overlays = decided.request.overlays
    if not root and not overlays and not decided.request.layer:
        return None
    return OuterOrder(
        overlays=tuple(
            (mount.path, overlays[mount.path], os.path.isdir(mount.path))
            for mount in roots
            if mount.kind == "write" and mount.path in overlays
        ),
        mounts=tuple(mount.path for mount in roots),
        layer=decided.request.layer,
    )


def mount_changes(decided: SandboxPlan) -> tuple[tuple[str, int, int, int], ...]:
    """For the inner launcher: path, attributes to set and to clear, flags, as `mount_setattr` takes them.

    Where other programs may be started, nothing that was planted may be one of them.
    """
    if not decided.spawns:
        # no second exec at all, so no capability to change mounts with, but for those of another system
        return (("/", READ_ONLY, 0, 0),) if decided.root else ()
    writable = [mount.path for mount in decided.files.mounts if mount.kind == "write"]
    own = decided.request.binary.path
    inside = any(own == path or own.startswith(f"{path}/") for path in writable)
    if decided.confinement.exec_written:
        return (("/", READ_ONLY, 0, 0),)
    return (
        ("/", READ_ONLY, 0, 0),
        *((path, NOEXEC, 0, 0) for path in (*_SCRATCH, decided.home)),
        # SECURITY: with all that is mounted below, also by others.
        *((path, NOEXEC, 0, RECURSIVE) for path in writable),
        *(((own, 0, NOEXEC, 0),) if inside else ()),  # the verified bytes, a mount of their own
    )


def _visible(path: str, files: FilePlan) -> bool:
    roots = [mount.path for mount in files.mounts if mount.kind in ("read", "write")]
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)
