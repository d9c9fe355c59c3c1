"""The site as files: what is rendered again, what goes, what is remembered."""

from __future__ import annotations

import json
import os

import pytest

from atip.errors import AtipError, NotFoundError
from atip.model.value import Value
from atip.pages.site.quick_values import quicken
from atip.pages.site.state import FILE
from tests.simulators.pages import add_shim, known_registry, known_shim, make_site, publish
from tests.unit.registry.publish.source import DAY, RELEASE


@pytest.fixture
def source(tmp_path):
    return known_registry(tmp_path, ("rm", "ls"))


def tree(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != FILE
    }


def test_the_same_registry_gives_the_same_bytes(source, tmp_path):
    make_site(source, tmp_path / "one")
    make_site(source, tmp_path / "two")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_a_second_build_renders_only_what_changed(source, tmp_path):
    out = tmp_path / "out"
    assert make_site(source, out).rendered == 2
    again = make_site(source, out)
    assert (again.rendered, again.written) == (0, 0)
    add_shim(source, known_shim("rm", "3.0") | {"description": "Delete with care"})
    publish(source, RELEASE + DAY)
    third = make_site(source, out)
    assert third.rendered == 1
    assert "Delete with care" in (out / "t/rm/index.html").read_text()
    feed = json.loads((out / "changes/feed.json").read_text())
    assert [item["title"] for item in feed["items"]] == ["rm: version 3.0 (was 2.0)"]
    make_site(source, tmp_path / "fresh")
    same = {k: v for k, v in tree(tmp_path / "fresh").items() if k.startswith(("t/", "search/"))}
    assert same.items() <= tree(out).items()


def test_several_processes_write_the_same_bytes(source, tmp_path):
    one = make_site(source, tmp_path / "one", jobs=1)
    two = make_site(source, tmp_path / "two", jobs=2)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert one.replace(out="") == two.replace(out="")


def test_what_was_not_written_since_is_not_read_again(source, tmp_path):
    out = tmp_path / "out"
    make_site(source, out)
    shim = next((source.public / "shims/sha256").glob("*.json"))
    there = shim.stat()
    shim.write_bytes(b" " * there.st_size)
    os.utime(shim, ns=(there.st_atime_ns, there.st_mtime_ns))
    assert make_site(source, out).rendered == 0
    os.utime(shim)
    assert make_site(source, out).rendered == 1


def test_the_same_bytes_written_again_render_nothing(source, tmp_path):
    out = tmp_path / "out"
    make_site(source, out)
    for shim in (source.public / "shims/sha256").glob("*.json"):
        os.utime(shim, ns=(0, 0))
    again = make_site(source, out)
    assert (again.rendered, again.written) == (0, 0)


@pytest.mark.parametrize("versions", [[], {"1.0": []}, "1.0", {"1.0": {"linux-amd64": 7}}])
def test_a_catalogue_of_another_shape_lists_no_versions(source, tmp_path, versions):
    catalog = source.public / "shims/index.json"
    document = json.loads(catalog.read_text())
    document["tools"]["rm"]["versions"] = versions
    catalog.write_text(json.dumps(document))
    assert make_site(source, tmp_path / "out").tools == 2
    assert json.loads((tmp_path / "out/t/rm/index.json").read_text())["versions"] == []


def test_pages_of_a_tool_that_is_gone_are_removed(source, tmp_path):
    out = tmp_path / "out"
    make_site(source, out)
    for path in (source.folder / "shims").glob("*.json"):
        if json.loads(path.read_text())["binary"]["name"] == "rm":
            path.unlink()
    publish(source, RELEASE + DAY)
    assert make_site(source, out).removed == 1
    assert not (out / "t/rm").exists() and (out / "t/ls/index.html").exists()
    assert "rm: removed" in (out / "changes/feed.json").read_text()
    assert "/t/rm/" not in (out / "sitemap.xml").read_text()
    blocks = b"".join(data for path, data in tree(out).items() if path.startswith("search/"))
    assert b"t/ls/index" in blocks and b"t/rm/" not in blocks


def test_a_damaged_state_is_forgotten(source, tmp_path):
    out = tmp_path / "out"
    make_site(source, out)
    (out / FILE).write_bytes(b"{")
    assert make_site(source, out).rendered == 2


def test_a_shim_that_cannot_be_read_gets_a_page_that_says_so(source, tmp_path):
    for path in (source.public / "shims/sha256").glob("*.json"):
        if b'"name": "rm"' in path.read_bytes() or b'"name":"rm"' in path.read_bytes():
            path.write_bytes(b"[]")
    make_site(source, tmp_path / "out")
    page = (tmp_path / "out/t/rm/index.html").read_text()
    assert "cannot be read" in page and "effects unknown" in page


def test_what_is_not_a_registry_is_refused(tmp_path):
    class Nothing:
        public = tmp_path

    with pytest.raises(NotFoundError, match=r"index\.json"):
        make_site(Nothing, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_site_is_built_into_a_folder(source):
    with pytest.raises(AtipError, match="not a folder"):
        make_site(source, "s3://bucket/site")


def test_a_state_written_by_others_removes_nothing_outside(source, tmp_path):
    out = tmp_path / "out"
    make_site(source, out)
    victim = tmp_path / "victim.html"
    victim.write_text("mine")
    state = json.loads((out / FILE).read_text())
    pages = [{"address": "../victim"}, {"address": str(tmp_path / "victim")}]
    summary = {**state["tools"]["rm"]["summary"], "pages": pages}
    state["tools"]["gone"] = {"stamp": "", "mark": "", "summary": summary}
    (out / FILE).write_text(json.dumps(state))
    make_site(source, out)
    assert victim.read_text() == "mine"


def test_quick_constructors_make_equal_values():
    class Point(Value):
        x: int
        y: tuple[int, ...] = ()

    before = Point(x=1)
    quicken(Point)
    assert Point(x=1) == before == Point(x=1, y=())
    assert before.replace(y=(2,)) == Point(y=(2,), x=1)
    for wrong in ({}, {"x": 1, "z": 2}):
        with pytest.raises(TypeError):
            Point(**wrong)


def test_charts_are_shares_of_all_tools(source, tmp_path):
    make_site(source, tmp_path / "site")
    charts = json.loads((tmp_path / "site" / "coverage" / "index.json").read_text())["charts"]
    totals = {chart["id"]: chart["total"] for chart in charts}
    assert totals["effects"] == totals["platforms"] == totals["sources"] == 2
    signatures = next(chart for chart in charts if chart["id"] == "signatures")
    assert sum(row["value"] for row in signatures["rows"]) == signatures["total"]


@pytest.mark.parametrize(
    ("base", "start"),
    [("https://tools.example/site", "https://tools.example/site/"), ("javascript:alert(1)", "/")],
)
def test_the_page_for_unknown_addresses_has_links_that_work_anywhere(source, tmp_path, base, start):
    make_site(source, tmp_path / "out", base=base)
    page = (tmp_path / "out" / "404.html").read_text()
    assert f'href="{start}index.html"' in page
    assert "javascript:" not in page


def test_a_tool_without_commands_has_plain_options(source, tmp_path):
    make_site(source, tmp_path / "out")
    page = (tmp_path / "out" / "t/rm/index.html").read_text()
    assert '<h2 id="global-options">Options</h2>' in page
    assert "[--recursive]" in json.loads((tmp_path / "out" / "t/rm/index.json").read_text())["synopsis"]  # fmt: skip
