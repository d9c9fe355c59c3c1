"""A Dask cluster: the same jobs on many machines. Results are JSON; workers hold no key.

`dask` starts two workers here, `dask://HOST:PORT` (or `dask+tls://`) joins a cluster whose certificates are in Dask's own
configuration (`distributed.comm.tls`). State that all workers can reach (`--depot s3://…`) is the caller's choice.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from atip.crawler.engines.interface import EngineAnswer

AHEAD = 4
LOCAL_WORKERS = 2


class DaskEngine:
    """Jobs as futures of a cluster; a job of a worker that died is run again by another."""

    def __init__(self, place: str, jobs: int = 0) -> None:
        self._place = place
        self._jobs = jobs or LOCAL_WORKERS

    def run(
        self, task: Callable[[bytes], bytes], orders: Iterable[bytes]
    ) -> Iterator[EngineAnswer]:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError as error:
            hint = "pip install 'atip-cli[crawl]'"
            raise UsageError("crawl.missing-extra", "Dask is not installed", hint=hint) from error
        with _client(self._place, self._jobs) as client:
            queue = iter(orders)
            under_way: dict[Any, bytes] = {}
            completed = distributed.as_completed(raise_errors=False)
            self._fill(client, task, queue, under_way, completed)
            for future in completed:
                order = under_way.pop(future.key)
                failure = future.exception()
                yield (
                    order,
                    _to_atip_error(failure) if failure is not None else bytes(future.result()),
                )
                self._fill(client, task, queue, under_way, completed)

    def _fill(
        self,
        client: Any,
        task: Callable[[bytes], bytes],
        queue: Iterator[bytes],
        under_way: dict[Any, bytes],
        completed: Any,
    ) -> None:
        workers = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        while len(under_way) < workers * AHEAD:
            order = next(queue, None)
            if order is None:
                return
            future = client.submit(task, order, pure=False, retries=2)
            under_way[future.key] = order
            completed.add(future)


def _client(place: str, jobs: int) -> Any:
    distributed: Any = importlib.import_module("distributed")
    if place == "dask":
        # Jobs share no memory and start processes of their own: one at a time in each worker.
        cluster = distributed.LocalCluster(
            n_workers=jobs, threads_per_worker=1, dashboard_address=None
        )
        return _LocalCluster(distributed.Client(cluster), cluster)
    address = place.removeprefix("dask+").removeprefix("dask://")
    return distributed.Client(address if "://" in address else f"tcp://{address}")


class _LocalCluster:
    """A client together with the cluster that was started for it."""

    def __init__(self, client: Any, cluster: Any) -> None:
        self._client = client
        self._cluster = cluster

    def __enter__(self) -> Any:
        return self._client

    def __exit__(self, *_failure: object) -> None:
        self._client.close()
        self._cluster.close()


def _to_atip_error(failure: BaseException) -> BaseException:
    """Convert failures of the cluster itself to `AtipError`."""
    if isinstance(failure, AtipError):
        return failure
    return AtipError("crawl.worker-died", f"{type(failure).__name__}: {str(failure)[:200]}")
