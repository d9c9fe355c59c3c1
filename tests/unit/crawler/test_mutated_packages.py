"""Mutated packages: whatever the bytes, the extractor refuses with a reason or writes inside its folder, and a job ends with a result."""

from __future__ import annotations

import hashlib
import os
import random
import shutil

import pytest

from atip.crawler.depot import Depot
from atip.crawler.packages import EMPTY, LEARNED, REFUSED, Package, PackageFile
from atip.crawler.steps.work import examine
from atip.errors import FormatError
from atip.system.archives.unpack import unpack
from tests.simulators.package_files import make_deb, make_tar, script, system_files

CASES = 2_000


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Bits flipped, or the end cut off, or a piece repeated."""
    kind = chance.randrange(3)
    if kind == 0:
        return data[: chance.randrange(len(data))]
    changed = bytearray(data)
    if kind == 1:
        for _ in range(chance.randrange(1, 8)):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        return bytes(changed)
    start = chance.randrange(len(data))
    return data[:start] + data[start : start + chance.randrange(64)] + data[start:]


def test_no_mutation_ends_the_extractor_or_leaves_its_folder(tmp_path):
    chance = random.Random(19)
    files = {
        "usr/bin/tool": script("tool"),
        "usr/share/man/man1/tool.1": b".TH",
        "usr/bin/alias": "tool",
    }
    samples = [
        make_deb("tool", files),
        make_tar(files, prefix="package/"),
        make_tar(files, mode="w"),
    ]
    inside = tmp_path / "inside"
    refused = 0
    for number in range(CASES):
        try:
            unpack(mutated(samples[number % 3], chance), str(inside), unix=True)
        except FormatError:
            refused += 1
            assert not inside.exists() or not os.listdir(inside)
        assert os.listdir(tmp_path) in ([], ["inside"])
        shutil.rmtree(inside, ignore_errors=True)
    assert refused > CASES // 4


def artifact(depot: Depot, data: bytes) -> PackageFile:
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    depot.put_blob(digest, data)
    return PackageFile(name="tool.deb", digest=digest, locator="tool=1.0")


def every_job_ends(folder, cases: int) -> None:
    """Whole jobs, from bytes to shims: each has an outcome, maintainer scripts never run, nothing is written elsewhere."""
    chance = random.Random(1910)
    mark = folder / "ran"
    programs = {"usr/bin/tool": script("tool"), "usr/bin/alias": "tool"}
    scripts = {"postinst": f"#!/bin/sh\ntouch {mark}\n".encode()}
    plain = make_deb("tool", programs, scripts=scripts)
    state = folder / "state"
    depot = Depot(str(state / "depot"))
    base = artifact(depot, make_deb("base", system_files()))
    outcomes = dict.fromkeys((LEARNED, EMPTY, REFUSED), 0)
    for _ in range(cases):
        own = artifact(depot, mutated(plain, chance))
        package = Package(
            source="apt", name="tool", version="1.0", platform="any", layout="system", own=own,
            needs=(base,),
        )  # fmt: skip
        result = examine(package, depot, str(state / "layers"), "2026-01-01T00:00:00Z")
        outcomes[result["outcome"]] += 1
        assert sorted(os.listdir(folder)) == ["state"]
        assert set(result["shims"]) <= {row.get("hash") for row in result["programs"]}
    assert outcomes[REFUSED] > cases // 4 and outcomes[LEARNED]


@pytest.mark.sandbox
def test_every_job_on_a_mutated_package_ends_with_a_result(tmp_path):
    every_job_ends(tmp_path, 60)


@pytest.mark.soak
@pytest.mark.sandbox
def test_two_thousand_jobs_on_mutated_packages(tmp_path):
    every_job_ends(tmp_path, CASES)
