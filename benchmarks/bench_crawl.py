"""What a crawl costs: CPU against a bare loop, and two workers against one, from downloaded Debian packages.

`CRAWL_PACKAGES=40 python -m benchmarks crawl`. The bare loop copies each package, unpacks it and what it needs
with `dpkg-deb` (each once), stacks them with overlayfs and asks every executable for `--help` inside plain `bwrap`. It
learns nothing. Needs root (overlayfs) and the configured archives; `CRAWL_FOLDER` keeps what was downloaded.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import typing

from atip.crawler.crawl import Crawler, CrawlOrder
from atip.crawler.sources.interface import CrawlRequest

if typing.TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.crawler.packages import Package, PackageFile

BAR_CORE, BAR_WORKERS = 0.7, 1.6
ANSWER_S = 4
PR_SET_CHILD_SUBREAPER = 36
PLACES = ("usr/bin", "usr/sbin", "usr/games", "bin", "sbin")


def reap() -> None:
    """Wait for every process that was started, the workers of a crawl that ended included."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def used() -> float:
    """CPU seconds of all processes that were started and have ended."""
    reap()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def blob(depot: pathlib.Path, digest: str) -> pathlib.Path:
    digits = digest.partition(":")[2]
    return depot / "blobs" / "sha256" / digits[:2] / digits


def bare(packages: Sequence[Package], depot: pathlib.Path, folder: pathlib.Path) -> None:
    layers: dict[str, str] = {}
    os.chdir(folder)
    for name in ("new", "root"):
        (folder / name).mkdir()
    for package in packages:
        own = layer(package.own, depot, layers)
        # Short names, relative: the list has to fit into one page.
        names = [own, *(layer(one, depot, layers) for one in reversed(package.needs))]
        programs = [
            f"/{place}/{path.name}"
            for place in PLACES
            for path in sorted((folder / own / place).glob("*"))
        ]
        if not programs:
            continue
        stack = f"lowerdir={':'.join(names)}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", stack, "root"], check=True)
        try:
            for program in programs:
                ask(program)
        finally:
            subprocess.run(["umount", "root"], check=True)


def layer(artifact: PackageFile, depot: pathlib.Path, layers: dict[str, str]) -> str:
    """The folder of an unpacked package, below the one we are in."""
    if artifact.digest not in layers:
        name = layers[artifact.digest] = str(len(layers))
        shutil.copy(blob(depot, artifact.digest), "new/fetched.deb")
        subprocess.run(["dpkg-deb", "-x", "new/fetched.deb", name], check=True)
    return layers[artifact.digest]


def ask(program: str) -> None:
    confine = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "root", "/"]
    confine += ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--setenv", "HOME", "/tmp"]
    subprocess.run(
        ["timeout", str(ANSWER_S), *confine, program, "--help"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip


def ours(count: int, kept: pathlib.Path, folder: pathlib.Path, jobs: int) -> tuple[float, float]:
    """CPU of a crawl whose files are there, and seconds from the first job to the last; publishing is left out on
    both sides. Without jobs: the index alone."""
    state = folder / f"state{jobs}"
    (state / "depot").mkdir(parents=True)
    subprocess.run(["cp", "-al", str(kept / "state/depot/blobs"), str(state / "depot")], check=True)
    shutil.copytree(kept / "state" / "sources", state / "sources")
    code = (
        "import sys; from atip.crawler.crawl import *; from atip.crawler.sources.interface import CrawlRequest;"
        "order = CrawlOrder(requests=(CrawlRequest(source='apt', name='*'),), state=sys.argv[1], limit=int(sys.argv[2]),"
        " jobs=int(sys.argv[3])); steps = []; crawler = Crawler(order, steps.append);"
        "crawler.run() if order.jobs else crawler.discover(); print(max(one.seconds for one in steps))"
    )
    before = used()
    words = [sys.executable, "-c", code, str(state), str(count), str(jobs)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as crawl:
        assert crawl.stdout is not None
        seconds = float(crawl.stdout.read())
    return used() - before, seconds


def main() -> bool:
    count = int(os.environ.get("CRAWL_PACKAGES", "40"))
    kept = pathlib.Path(os.environ.get("CRAWL_FOLDER", ".cache/bench-crawl")).absolute()
    # Workers are children of a server of processes: what it leaves behind comes to us.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    order = CrawlOrder(
        requests=(CrawlRequest(source="apt", name="*"),), state=str(kept / "state"), limit=count
    )
    crawler = Crawler(order)
    packages = crawler.discover()
    crawler._fetch(packages, set(crawler.depot.known_blobs()))
    with tempfile.TemporaryDirectory(prefix="bench-crawl-", dir=kept) as folder:
        index_cpu, _ = ours(count, kept, pathlib.Path(folder), 0)
        one_cpu, one = ours(count, kept, pathlib.Path(folder), 1)
        one_cpu -= index_cpu
        _, two = ours(count, kept, pathlib.Path(folder), 2)
        loop = pathlib.Path(folder, "bare")
        loop.mkdir()
        before, began = used(), time.monotonic()
        bare(packages, kept / "state" / "depot", loop)
        bare_cpu, bare_wall = used() - before, time.monotonic() - began
        os.chdir(kept)
    print(
        f"{len(packages)} packages: crawl {one_cpu:.1f} s CPU, {one:.1f} s; two workers {two:.1f} s"
    )
    print(f"bare loop {bare_cpu:.1f} s CPU, {bare_wall:.1f} s")
    core, workers = bare_cpu / one_cpu, one / two
    print(f"throughput per core: {core:.2f} of the bare loop (bar {BAR_CORE})")
    print(f"two workers: {workers:.2f} x one (bar {BAR_WORKERS})")
    return core >= BAR_CORE and workers >= BAR_WORKERS


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
