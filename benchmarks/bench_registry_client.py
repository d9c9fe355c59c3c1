"""The registry client at scale: look-ups in a large cache, damage found, requests of a synchronization.

    python benchmarks/bench_registry_client.py [--shims 100000] [--lookups 20000] [--folder DIR]

Prints one JSON document. Everything is local; the registry of the second half is a folder behind loopback.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable

from benchmarks.measure import figure

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from atip.registry import tree  # noqa: E402
from atip.registry.remote.remote import RemoteRegistry  # noqa: E402
from atip.registry.remote.session_options import RegistrySessionOptions  # noqa: E402
from atip.registry.remote.sources import RegistrySource  # noqa: E402
from atip.registry.shims import cache as cache_module  # noqa: E402
from atip.registry.shims.cache import ShimCache, ShimFacts  # noqa: E402
from atip.system.files import write_atomic  # noqa: E402
from atip.system.paths import find_places  # noqa: E402
from tests.simulators.registry import RegistrySimulator, digest_for, shim_of  # noqa: E402


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def spread(values: list[float]) -> dict[str, float]:
    return {"p50": round(percentile(values, 0.5), 3), "p99": round(percentile(values, 0.99), 3)}


def timed(find: Callable[[str], object], digests: list[str]) -> tuple[list[float], list[float]]:
    """Milliseconds of each call, by the clock on the wall and of the processor."""
    wall, cpu = [], []
    for digest in digests:
        begun, worked = time.perf_counter(), time.process_time()
        assert find(digest) is not None
        wall.append((time.perf_counter() - begun) * 1000)
        cpu.append((time.process_time() - worked) * 1000)
    return wall, cpu


def look_ups(folder: str, shims: int, lookups: int) -> dict[str, object]:
    """Times of `ShimCache.find` and of a whole `RemoteRegistry.find`; damage of one entry in a hundred."""
    places = find_places(home=folder)
    source = RegistrySource(name="bench", url="https://bench.example", lookup="hash")
    registry = RemoteRegistry(source, places, RegistrySessionOptions(offline=True))
    cache = registry.cache
    facts = ShimFacts(
        url="https://bench.example", cached_at=time.time(), expires_at=time.time() + 1e6
    )
    digests = [digest_for(str(number)) for number in range(shims)]
    # What is measured is reading; a durable write per entry would only test the disk.
    cache_module.write_atomic = functools.partial(write_atomic, durable=False)
    start = time.perf_counter()
    for digest in digests:
        cache.save(digest, json.dumps(shim_of(digest)).encode(), None, facts)
    written = time.perf_counter() - start
    source_of_chance = random.Random(7)
    chosen = [source_of_chance.choice(digests) for _ in range(lookups)]
    raw, raw_cpu = timed(cache.find, chosen)
    whole, whole_cpu = timed(registry.find, chosen)
    return {
        "shims": shims,
        "write_s": round(written, 1),
        "find_ms": {"wall": spread(raw), "cpu": spread(raw_cpu)},
        "find_and_read_ms": {"wall": spread(whole), "cpu": spread(whole_cpu)},
        "damage": damage(cache, os.path.join(registry.files.cache, "shims", "sha256"), digests),
    }


def damage(cache: ShimCache, folder: str, digests: list[str]) -> dict[str, int]:
    """One entry in a hundred gets one random byte of one of its two files changed; all are read again."""
    chance = random.Random(11)
    sides = {name.split(".")[0]: name for name in os.listdir(folder) if name.endswith(".side")}
    chosen = set(chance.sample(digests, max(1, len(digests) // 100)))
    for digest in chosen:
        bare = digest[7:]
        path = os.path.join(folder, chance.choice([f"{bare}.json", sides[bare]]))
        with open(path, "r+b") as file:
            data = bytearray(file.read())
            data[chance.randrange(len(data))] ^= 1 + chance.randrange(255)
            file.seek(0)
            file.write(data)
    lost = {digest for digest in digests if cache.find(digest) is None}
    return {"damaged": len(chosen), "found": len(lost & chosen), "false_alarms": len(lost - chosen)}


def synchronization(folder: str, published: int, local: int) -> dict[str, object]:
    """Requests and time of looking up `local` hashes, twice."""
    simulator = RegistrySimulator(bits=tree.bin_bits(published))
    for number in range(published):
        simulator.add(shim_of(digest_for(f"published {number}")))
    ours = [digest_for(f"published {number}") for number in range(20)]
    ours += [digest_for(f"local {number}") for number in range(local - len(ours))]
    simulator.put_manifest()
    simulator.publish()
    known = {"/" + tree.shim_path(digest) for digest in ours[:20]}
    result: dict[str, object] = {
        "published": published,
        "local": local,
        "bins": 1 << simulator.bits,
    }
    places = find_places(home=folder)
    with simulator.serve() as server:
        source = RegistrySource(
            name="bench", url=server.url, root=simulator.fingerprint, lookup="bins"
        )
        for label in ("cold", "warm"):
            server.requests.clear()
            start = time.perf_counter()
            with RemoteRegistry(source, places, RegistrySessionOptions(refresh=True)) as registry:
                hits = sum(registry.find(digest) is not None for digest in ours)
            asked = [path for path in server.paths if path not in known]
            unknown = [path for path in asked if "/shims/sha256/" in path]
            result[label] = {
                "hits": hits,
                "look_up_requests": len(asked),
                "requests_with_unknown_hash": len(unknown),
                "seconds": round(time.perf_counter() - start, 2),
            }
    return result


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shims", type=int, default=100_000)
    parser.add_argument("--lookups", type=int, default=20_000)
    parser.add_argument("--published", type=int, default=20_000)
    parser.add_argument("--local", type=int, default=2_000)
    parser.add_argument("--folder", default=None)
    options = parser.parse_args(None if __name__ == "__main__" else [])
    folder = tempfile.mkdtemp(dir=options.folder)
    try:
        found = {
            "cache": look_ups(os.path.join(folder, "a"), options.shims, options.lookups),
            "sync": synchronization(os.path.join(folder, "b"), options.published, options.local),
        }
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    cache, sync = found["cache"], found["sync"]
    damage = cache["damage"]
    unseen = damage["damaged"] - damage["found"] + damage["false_alarms"]
    return all(
        [
            figure(f"look-up in a cache of {options.shims:,} shims, read, p99", cache["find_and_read_ms"]["cpu"]["p99"], 5, unit="ms CPU"),
            figure(f"damaged entries not noticed, of {damage['damaged']:,}", unseen, 0, unit="entries"),
            figure(f"requests for {options.local:,} hashes, cold", sync["cold"]["look_up_requests"], 300, unit="requests"),
            figure(f"requests for {options.local:,} hashes, warm", sync["warm"]["look_up_requests"], 5, unit="requests"),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(not main())
