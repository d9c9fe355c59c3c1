"""Engines: where jobs run. In this process's own pool by default, on a Dask cluster by request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import UsageError

if TYPE_CHECKING:
    from atip.crawler.engines.interface import Engine


def open_engine(place: str, jobs: int) -> Engine:
    """`""`: processes of this machine; `dask` or `dask://HOST:PORT`: a cluster.

    Raises:
        UsageError: `crawl.engine`.
    """
    if not place:
        from atip.crawler.engines.in_process import ProcessEngine

        return ProcessEngine(jobs)
    if place == "dask" or place.startswith(("dask://", "dask+tls://")):
        from atip.crawler.engines.dask import DaskEngine

        return DaskEngine(place, jobs)
    hint = "use `dask`, `dask://HOST:PORT`, or no engine at all"
    raise UsageError("crawl.engine", f"unknown engine `{place[:80]}`", hint=hint)
