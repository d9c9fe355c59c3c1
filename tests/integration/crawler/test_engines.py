"""Engines: the same bytes wherever the jobs run."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.run import atip
from tests.packages import package
from tests.simulators.package_files import DebianArchive, make_deb, script

pytestmark = pytest.mark.sandbox


def test_two_dask_workers_give_the_same_bytes_as_this_machine(tmp_path):
    package("distributed")
    if not shutil.which("apt-get"):
        pytest.skip("apt-get is not installed")
    archive = DebianArchive(tmp_path / "apt")
    names = [f"tool{number}" for number in range(4)]
    for name in names:
        archive.add(name, make_deb(name, {f"usr/bin/{name}": script(name)}))
    trees = []
    for engine in ("", "dask"):
        home = tmp_path / (engine or "here")
        home.mkdir()
        words = [f"apt:{name}" for name in names]
        options = ("--engine", engine) if engine else ()
        ran = atip(
            *(
                "crawl",
                *words,
                "--accept-new",
                "--unsigned",
                "--out",
                "out",
                "--state",
                "state",
                "--json",
                *options,
            ),
            home=home,
            SOURCE_DATE_EPOCH="1790000000",
            **archive.environment,
        )
        assert ran.code == 0, ran.err
        assert ran.document["deadLetters"] == [], ran.document
        trees.append({p.relative_to(home): p.read_bytes() for p in home.glob("out/**/*.json")})
    assert trees[0] == trees[1] and len([p for p in trees[0] if "shims" in p.parts]) >= 8
