"""Generate one shim from one local program, with the steps of a crawl (§4.10.3, §4.10.4)."""

from __future__ import annotations

from typing import Any

from atip.crawler.depot import Depot
from atip.crawler.packages import Refusal
from atip.crawler.sources.interface import CrawlRequest, SourceContext
from atip.crawler.sources.local import LocalSource
from atip.crawler.steps.work import examine
from atip.errors import FormatError, NotFoundError
from atip.system.scratch import scratch_folder


def generate_shim(binary: str, name: str, version: str, at: str) -> dict[str, Any]:
    """Return the shim of a local program.

    Raises:
        NotFoundError: `crawl.unknown`; `infer.nothing` when no source yields metadata.
        FormatError: the result is not a valid shim.
        SandboxError: no sandbox is available.
    """
    with scratch_folder() as folder:
        source = LocalSource(SourceContext(folder=folder))
        request = CrawlRequest(
            source="local", name=binary, settings={"name": name, "version": version}
        )
        package = next(iter(source.discover([request])))
        if isinstance(package, Refusal):
            raise NotFoundError(
                package.code,
                package.message,
                hint="give the name of an installed program, or its path",
            )
        result = examine(package, Depot(folder), folder, at)
    for document in result["shims"].values():
        shim: dict[str, Any] = document
        return shim
    for row in result["programs"]:
        if "problem" in row:
            raise FormatError(row["problem"], row.get("message", "the shim is not valid"))
    raise NotFoundError(
        "infer.nothing",
        f"no metadata found for `{binary[:80]}`: no answer to `--help`, no manual page, no completion script",
    )
