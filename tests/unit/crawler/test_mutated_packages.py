"""Mutated packages: whatever the bytes, the extractor refuses with a reason or writes inside its folder."""

from __future__ import annotations

import os
import random
import shutil

from atip.errors import FormatError
from atip.system.unpack import unpack
from tests.simulators.package_files import make_deb, make_tar, script

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
