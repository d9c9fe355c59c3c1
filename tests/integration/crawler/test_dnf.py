"""`dnf:NAME`: a repository made by rpmbuild and createrepo_c, on loopback; hostile indexes and packages."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform

import pytest

from atip.crawler.packages import Package, Refusal
from atip.crawler.sources import open_source
from atip.crawler.sources.interface import CrawlRequest, SourceContext
from atip.crawler.sources.web.dnf_index import RpmIndex, RpmPackage
from atip.system.archives.unpack import read_archive
from tests.integration.crawler.test_crawl import crawl, loaded, root
from tests.integration.crawler.test_web_sources import service
from tests.simulators.package_files import script, system_files
from tests.simulators.rpm_repository import make_repository, make_rpm, needs_rpm


def publish(answers: dict[str, bytes], folder) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            answers[f"/{path.relative_to(folder)}"] = path.read_bytes()


def repository(tmp_path, compress: str = "gz"):
    needs_rpm()
    folder = tmp_path / "repository"
    folder.mkdir()
    base = make_rpm(tmp_path, "base", system_files(), "Provides: /bin/sh", "w9.gzdio")
    own = make_rpm(tmp_path, "wordcount", {"usr/bin/wordcount": script("wordcount")}, "Requires: base")  # fmt: skip
    make_repository(folder, [base, own], compress)
    return folder


@pytest.mark.sandbox
@pytest.mark.proves("ATIP6-4.10.1-03")
@pytest.mark.parametrize("compress", ["gz", "xz"])
def test_a_package_of_a_repository_becomes_a_shim_and_no_scriptlet_runs(tmp_path, compress):
    folder = repository(tmp_path, compress)
    with service() as (address, answers, full):
        publish(answers, folder)
        sources = tmp_path / "sources.json"
        sources.write_text(json.dumps({"private": [address], "dnf": {"repos": [address]}}))
        ran = crawl(tmp_path, "dnf:wordcount", "--accept-new", "--json", "--sources", str(sources))
        assert ran.code == 0, ran.out + ran.err
        assert len([path for path in full if path.endswith(".rpm")]) == 2
    assert ran.document["deadLetters"] == [] and not (tmp_path / "ran").exists()
    shim = loaded(tmp_path)["wordcount"]
    digits = hashlib.sha256(script("wordcount")).hexdigest()
    assert (shim["binary"]["hash"], shim["binary"]["version"]) == (f"sha256:{digits}", "1.0")
    flags = {flag for option in root(shim)["options"] for flag in option["flags"]}
    assert {"-o", "--output", "--quiet"} <= flags


def found(address: str, tmp_path, name: str = "wordcount") -> list[Package | Refusal]:
    settings = {"private": [address], "dnf": {"repo": address}}
    source = open_source("dnf", SourceContext(folder=str(tmp_path / "context"), settings=settings))
    return list(source.discover([CrawlRequest(source="dnf", name=name)]))


REPOMD = """<repomd xmlns="http://linux.duke.edu/metadata/repo"><data type="primary">
<checksum type="sha256">{digest}</checksum><location href="{path}"/><size>{size}</size></data></repomd>"""
PRIMARY = """<metadata xmlns="http://linux.duke.edu/metadata/common" xmlns:rpm="http://linux.duke.edu/metadata/rpm">
<package type="rpm"><name>wordcount</name><arch>noarch</arch><version epoch="0" ver="1.0" rel="1"/>
<checksum type="sha256" pkgid="YES">{digest}</checksum><summary>Counts</summary><url/>
<size package="{size}" installed="10" archive="10"/><location href="{path}"/><format/></package></metadata>"""


def index(answers, *, data: bytes = b"rpm", **changes: object) -> None:
    """An index of one package; `changes` are lies."""
    digest = hashlib.sha256(data).hexdigest()
    package = {"digest": digest, "size": len(data), "path": "wordcount.rpm"}
    package |= {key[3:]: value for key, value in changes.items() if key.startswith("of_")}
    compress = changes.get("compress", gzip.compress)
    primary = compress(str(changes.get("primary", PRIMARY)).format(**package).encode())
    listed = {"digest": hashlib.sha256(primary).hexdigest(), "size": len(primary), "path": "p.xml.gz"}  # fmt: skip
    listed |= {key: value for key, value in changes.items() if key in listed}
    answers["/repodata/repomd.xml"] = REPOMD.format(**listed).encode()
    answers["/p.xml.gz"] = primary
    answers["/wordcount.rpm"] = data


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"digest": "0" * 64}, "crawl.index"),
        ({"digest": "abc"}, "crawl.no-digest"),
        ({"size": 5}, "crawl.size"),
        ({"path": "../p.xml.gz"}, "crawl.index"),
        ({"path": "https://elsewhere.example/p.xml.gz"}, "crawl.index"),
        ({"of_path": "/etc/passwd"}, "crawl.index"),
        ({"of_size": "many"}, "crawl.index"),
        ({"primary": "<!DOCTYPE x>" + PRIMARY}, "crawl.index"),
        ({"primary": "<metadata"}, "crawl.index"),
        ({"primary": "<metadata/>"}, "crawl.unknown"),
    ],
    ids=str,
)
@pytest.mark.proves("ATIP6-4.10.1-03")
def test_an_index_that_lies_is_refused(tmp_path, changes, code):
    with service() as (address, answers, _full):
        index(answers, **changes)
        (refused,) = found(address, tmp_path)
    assert isinstance(refused, Refusal) and refused.code == code


def test_a_list_of_packages_in_zstandard_is_read(tmp_path):
    import zstandard

    with service() as (address, answers, _full):
        index(answers, compress=zstandard.ZstdCompressor().compress)
        (package,) = found(address, tmp_path)
    assert (package.name, package.version, package.platform) == ("wordcount", "1.0", "any")


def test_a_package_of_another_size_than_listed_is_not_kept(tmp_path):
    with service() as (address, answers, _full):
        index(answers, data=b"rpm", of_size=4)
        settings = {"private": [address], "dnf": {"repo": address}}
        source = open_source("dnf", SourceContext(folder=str(tmp_path), settings=settings))
        (package,) = source.discover([CrawlRequest(source="dnf", name="wordcount")])
        kept: list[object] = []
        (refused,) = source.fetch([package.own], lambda *pair: kept.append(pair))
    assert (refused.code, kept) == ("crawl.size", [])


def test_real_packages_of_every_compression_are_read(tmp_path):
    needs_rpm()
    for name, payload in (("a", "w9.gzdio"), ("b", "w6.xzdio"), ("c", "w3.zstdio")):
        made = make_rpm(tmp_path, name, {f"usr/bin/{name}": script(name)}, payload=payload)
        members = read_archive(made.read_bytes(), unix=True)
        assert [(member.name, member.data, member.executable) for member in members] == [
            (f"usr/bin/{name}", script(name), True)
        ]


def version(ver: str, rel: str = "1", epoch: str = "0") -> RpmPackage:
    return RpmPackage(
        name="x", version=ver, release=rel, epoch=epoch, architecture=platform.machine(), path="x.rpm",
        digest="sha256:" + "0" * 64, size=1, installed=1, description="", homepage="", needs=(), provides=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (version("1.9"), version("1.10")),
        (version("2.0~rc1"), version("2.0")),
        (version("2.0"), version("2.0^git1")),
        (version("1.0a"), version("1.0.1")),
        (version("9"), version("1", epoch="1")),
        (version("1", "1.fc40"), version("1", "2.fc40")),
    ],
)
def test_the_newest_version_in_the_order_of_rpm_is_taken(older, newer):
    for pair in ([older, newer], [newer, older]):
        assert RpmIndex(pair).packages["x"] == newer
