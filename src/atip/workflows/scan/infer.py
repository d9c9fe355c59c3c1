"""Probe one tool, confined: for its own metadata, or for everything that can be learned. Stores nothing."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from atip.discovery.files.content import ContentReader
from atip.discovery.files.executables import Executable
from atip.discovery.files.stubs import head_of, needed_paths, parse_stub
from atip.discovery.findings.memory import NoMemory
from atip.discovery.scan import ScanOptions
from atip.discovery.sources.native import judge_answer, mentions_flag
from atip.discovery.sources.source_order import ProbeSubject
from atip.errors import NotFoundError, ProbeError
from atip.model.text.platforms import shim_platform
from atip.model.tool import Binary
from atip.system.files import stat_key
from atip.workflows.lookup import locate
from atip.workflows.scan.machine import metadata_finder

if TYPE_CHECKING:
    from atip.discovery.sources.native import NativeAnswer
    from atip.discovery.sources.source_order import SourceFinding
    from atip.workflows.host import Host


def probe_tool(name: str, *, force: bool) -> NativeAnswer:
    """Probe one tool for its own metadata.

    Args:
        force: probe although its help does not mention `--agent`.

    Raises:
        ProbeError: with the reason why there is no metadata.
        SandboxError: when this host cannot confine; nothing was run.
    """
    from atip.sandbox.probes.probe import ProbeSandbox

    path = locate(name)
    paths = needed_paths(path, parse_stub(path, head_of(path)))
    with ProbeSandbox(visible=[path, *paths]) as sandbox:
        if not force and not mentions_flag(sandbox.run([path, "--help"])):
            raise ProbeError(
                "probe.not-offered",
                f"the help of `{name[:80]}` does not mention --agent",
                hint="`--force` probes it anyway; `atip infer` reads its help",
            )
        return judge_answer(os.path.basename(name), sandbox.run([path, "--agent"]))


def infer_tool(host: Host, name: str) -> SourceFinding:
    """Query every source about one tool.

    Raises:
        NotFoundError: no such executable, or nothing could be learned.
        SandboxError: when this host cannot confine.
    """
    path = locate(name, real=False)
    real = os.path.realpath(path)
    content = ContentReader().read(real)
    label = os.path.basename(path)
    program = Executable(name=label, path=path, real_path=real, key=stat_key(os.stat(real)), size=0)
    stub = parse_stub(path, content.head)
    subject = ProbeSubject(name=label, path=path, real_path=real, digest=content.digest, stub=stub)
    with ExitStack() as stack:
        finding = metadata_finder(
            host, ScanOptions(learn=True, jobs=1), [program], stack, NoMemory()
        )(subject)
    if finding is None:
        raise NotFoundError("infer.nothing", f"nothing could be learned about `{label}`")
    uname = os.uname()
    binary = Binary(
        hash=content.digest,
        name=label,
        version=finding.tool.version,
        platform=shim_platform(uname.sysname, uname.machine),
    )
    return finding.replace(tool=finding.tool.replace(binary=finding.tool.binary or binary))
