"""A crawl that is killed ten times at random ends with the bytes of one that was not."""

from __future__ import annotations

import random
import shutil

import pytest

from tests.simulators.crawls import ManyPackages, kill_at_random, tree

pytestmark = [pytest.mark.sandbox, pytest.mark.soak]


def test_ten_random_kills_during_a_crawl_of_a_hundred_packages(tmp_path):
    if not shutil.which("apt-get"):
        pytest.skip("apt-get is not installed")
    packages = ManyPackages(tmp_path, 100)
    whole, torn = packages.home("whole"), packages.home("torn")
    packages.crawl(whole)
    killed = kill_at_random(packages, torn, 10, random.Random(19))
    assert killed == 10
    done = packages.crawl(torn)
    assert done["reused"] >= 10
    assert tree(torn) == tree(whole)
    assert len([name for name in tree(whole) if name.startswith("out/shims")]) == 100
