"""Programs that a project's API configuration names – MCP servers, `command:` helpers – started in our sandbox.

The user approved the command; the sandbox enforces that. It sees the project without its secrets, an empty home, and what `reads` and
`writes` list; it reaches only the `hosts` of the source; our settings, secret folders, and files that run later are protected as in
any run. Policy limits apply too.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from atip.apis.interface import open_access
from atip.errors import ExecutionError
from atip.model.effects import Effects, Filesystem
from atip.model.permissions.confinement import ANY_PROGRAM
from atip.policy.confinement.confine import RUN_LIMITS, RunContext, plan_confinement
from atip.policy.places.named import NamedPlaces
from atip.policy.places.sensitive import is_secret
from atip.registry.policies import load_policies
from atip.sandbox.run import RunRequest, start_confined
from atip.sandbox.verified import seal
from atip.workflows.run.masked import masked_files
from atip.workflows.run.plan import own_libraries

if TYPE_CHECKING:
    from atip.apis.config import SourceConfig
    from atip.apis.interface import ApiAccess, ProgramOrder
    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.run import OnOutput
    from atip.sandbox.running import RunningProcess
    from atip.workflows.host import Host

ANSWER_S = 20.0
_LOOKS = Effects(filesystem=Filesystem(read=True, write=False, delete=False), subprocess=True)
_SERVES = Effects(subprocess=True)


def project_access(host: Host) -> ApiAccess:
    """Access for the sources of a project: programs run confined."""

    def start(source: SourceConfig, order: ProgramOrder, on_output: OnOutput) -> RunningProcess:
        return _start(host, source, order, on_output)

    return open_access(offline=host.offline).replace(programs=start)


def _start(
    host: Host, source: SourceConfig, order: ProgramOrder, on_output: OnOutput
) -> RunningProcess:
    program = _find(order.argv[0], source.folder)
    folder = os.path.realpath(source.folder)
    binary = seal(program)
    try:
        confinement = confine_program(host, source, order, program)
        is_visible = f"{folder}/**" in (*confinement.fs_read, *confinement.fs_write)
        request = RunRequest(
            argv=(program, *order.argv[1:]),
            binary=binary,
            cwd=folder if is_visible else None,
            workspace=folder,
            stdin_fd=order.stdin_fd,
            home=os.path.realpath(host.places.home),
            journal=os.path.join(host.audit.folder, "unfinished"),
        )
        return start_confined(confinement, request, on_output)
    finally:
        binary.close()


def confine_program(
    host: Host, source: SourceConfig, order: ProgramOrder, program: str
) -> Confinement:
    """Return the confinement of one program.

    Raises:
        FormatError: an entry of `reads`, `writes` or `hosts` is not understood.
    """
    home, folder = (os.path.realpath(path) for path in (host.places.home, source.folder))
    reads, writes = (_paths(source, key, home) for key in ("reads", "writes"))
    hosts = tuple(_endpoint(text) for text in source.settings.get("hosts", ()))
    planned = plan_confinement(
        _SERVES if order.serves else _LOOKS,
        load_policies(host.places, folder, preset=host.policy),
        named=NamedPlaces(paths=(*reads, *writes), hosts=hosts),
        context=RunContext(
            cwd=folder,
            home=home,
            own=tuple(
                map(os.path.realpath, (host.places.config, host.places.data, host.places.cache))
            ),
            libraries=(*own_libraries(program, home), *_operands(order.argv[1:], home)),
        ),
    )
    limits = RUN_LIMITS.replace(wall_s=None, output_bytes=None)
    return planned.replace(
        fs_write=tuple(path for path in planned.fs_write if path not in reads or path in writes),
        fs_deny=(*planned.fs_deny, *masked_files(folder, planned)),
        egress_private=(
            *planned.egress_private,
            *(hosts if source.settings.get("private") else ()),
        ),
        exec_allow=True,
        exec_spawn=(ANY_PROGRAM,),
        exec_written=order.serves,
        env_set=(*planned.env_set, *order.env.items()),
        limits=limits if order.serves else limits.replace(wall_s=ANSWER_S),
    )


def _find(word: str, folder: str) -> str:
    """Return the path of a program of a source's configuration.

    Raises:
        ExecutionError: `process.not-started`.
    """
    path = os.path.join(folder, os.path.expanduser(word)) if "/" in word else ""
    # SECURITY: a relative entry of PATH would find a program of the project under any name
    entries = [part for part in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(part)]
    program = path if "/" in word else shutil.which(word, path=os.pathsep.join(entries))
    if not program or not os.access(program, os.X_OK):
        raise ExecutionError("process.not-started", f"program `{word}` not found or not executable")
    return os.path.normpath(program)


def _paths(source: SourceConfig, key: str, home: str) -> tuple[str, ...]:
    """Paths of a list in the configuration, as entries; folders as subtrees."""
    entries = []
    for text in source.settings.get(key, ()):
        path = home + text[1:] if text == "~" or text.startswith("~/") else str(text)
        real = os.path.realpath(os.path.join(source.folder, path.removesuffix("/**")))
        entries.append(f"{real}/**" if os.path.isdir(real) else real)
    return tuple(entries)


def _operands(words: tuple[str, ...], home: str) -> tuple[str, ...]:
    """Files in the approved command line: readable, with the packages that they belong to. Folders and secrets need
    `reads`."""
    entries: dict[str, None] = {}
    for word in words:
        real = os.path.realpath(word)
        if not os.path.isabs(word) or not os.path.isfile(real) or is_secret(real):
            continue
        tree, inside, _ = real.partition("/node_modules/")
        entries[f"{tree}/node_modules/**" if inside and tree != home else real] = None
    return tuple(entries)


def _endpoint(text: str) -> str:
    """`https://host:8443/x` → `host:8443`, as an entry of an egress list."""
    return urlsplit(text).netloc if "://" in text else text
