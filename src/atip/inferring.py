"""Inferring: everything that can be learnt about one tool, confined; nothing is stored."""

from __future__ import annotations

import os
from contextlib import ExitStack

from atip.discovery.content import ContentReader
from atip.discovery.executables import Executable, stat_key
from atip.discovery.ladder import Subject
from atip.discovery.scan import ScanOptions
from atip.discovery.stubs import parse_stub
from atip.errors import NotFoundError
from atip.model.tool import Binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.discovery.ladder import Finding
    from atip.toolbox import Toolbox


def infer_tool(box: Toolbox, name: str) -> Finding:
    """Climb the whole ladder for one tool.

    Raises:
        NotFoundError: no such executable, or nothing could be learnt.
        SandboxError: when this host cannot confine.
    """
    path = box.locate(name, real=False)
    real = os.path.realpath(path)
    content = ContentReader().read(real)
    label = os.path.basename(path)
    one = Executable(name=label, path=path, real_path=real, key=stat_key(os.stat(real)), size=0)
    stub = parse_stub(path, content.head)
    subject = Subject(name=label, path=path, real_path=real, digest=content.digest, stub=stub)
    with ExitStack() as stack:
        found = box._climber(ScanOptions(learn=True, jobs=1), [one], stack)(subject)
    if found is None:
        raise NotFoundError("infer.nothing", f"nothing could be learnt about `{label}`")
    binary = Binary(hash=content.digest, name=label, version=found.tool.version)
    return found.replace(tool=found.tool.replace(binary=found.tool.binary or binary))
