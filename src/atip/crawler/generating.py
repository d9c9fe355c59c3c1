"""Generate: one shim from one local program, with the steps of a crawl (§4.10.3, §4.10.4)."""

from __future__ import annotations

from typing import Any

from atip.crawler.depot import Depot
from atip.crawler.packages import Refusal
from atip.crawler.sources.interface import CrawlRequest, Ground
from atip.crawler.sources.local import LocalSource
from atip.crawler.steps.work import examine
from atip.errors import FormatError, NotFoundError
from atip.system.scratch import scratch_folder


def generate_shim(binary: str, name: str, version: str, at: str) -> dict[str, Any]:
    """The shim of a program of this machine.

    Raises:
        NotFoundError: `crawl.unknown`; `infer.nothing` when nothing could be learnt.
        FormatError: what was learnt is no valid shim.
        SandboxError: this machine cannot confine.
    """
    with scratch_folder() as folder:
        source = LocalSource(Ground(folder=folder))
        wanted = CrawlRequest(
            source="local", name=binary, settings={"name": name, "version": version}
        )
        package = next(iter(source.discover([wanted])))
        if isinstance(package, Refusal):
            raise NotFoundError(package.code, package.message, hint="name a program or its path")
        result = examine(package, Depot(folder), folder, at)
    for document in result["shims"].values():
        found: dict[str, Any] = document
        return found
    for row in result["programs"]:
        if "problem" in row:
            raise FormatError(row["problem"], row.get("message", "the shim is not valid"))
    raise NotFoundError("infer.nothing", f"nothing could be learned about `{binary[:80]}`")
