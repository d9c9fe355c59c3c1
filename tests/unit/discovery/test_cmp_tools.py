"""CMP folders: four levels of disclosure, both places, clashes kept apart, whole writes."""

from __future__ import annotations

import json
import os
import pathlib

import pytest

from atip.discovery.cmp import tools as cmp_tools
from atip.discovery.cmp.folder import write_folder
from atip.discovery.cmp.metadata_source import CmpSource
from atip.discovery.files.stubs import Stub
from atip.discovery.sources.source_order import ProbeSubject, find_metadata
from atip.errors import AtipError, FormatError, NotFoundError
from atip.model.tool import Command, Tool
from tests.unit.codecs.cmp_examples import jot
from tests.unit.discovery.cmp_folders import write_program, write_tool


@pytest.fixture
def place(tmp_path) -> pathlib.Path:
    (tmp_path / ".cmp" / "tools").mkdir(parents=True)
    return tmp_path / ".cmp" / "tools"


@pytest.fixture
def reads(monkeypatch) -> list[str]:
    """Names of the files that are read."""
    seen: list[str] = []
    real = cmp_tools.read_bytes

    def recording(path, limit):
        data = real(path, limit)
        seen.append(os.path.basename(path))
        return data

    monkeypatch.setattr(cmp_tools, "read_bytes", recording)
    return seen


@pytest.mark.proves("CMP-5.1-01")
def test_tools_lie_below_the_home_and_in_configured_places(tmp_path):
    places = cmp_tools.places(str(tmp_path), ["~/more", "/opt/cmp", "relative", 7])
    assert places[:3] == [f"{tmp_path}/.cmp/tools", f"{tmp_path}/more", "/opt/cmp"]
    assert not any(path.endswith("relative") for path in places)


@pytest.mark.proves("CMP-5.4-01", "CMP-5.2-01", "CMP-5.2-03")
def test_each_level_reads_only_its_own_files(place, reads):
    write_tool(place, "jot")
    write_tool(place, "other", jot(name="other"))
    where = [str(place)]
    assert [folder.name for folder in cmp_tools.folders(where)] == ["jot", "other"]
    assert reads == []
    assert [tool.key for tool in cmp_tools.manifests(where).tools] == ["notes/jot", "notes/other"]
    assert reads == ["manifest.json", "manifest.json"]
    reads.clear()
    cmp_tools.capability(cmp_tools.folders(where)[0])
    assert reads == ["manifest.json", "capability.json"]


@pytest.mark.proves("CMP-3.3-01", "CMP-4.3-01")
def test_the_preferred_holder_wins_and_the_other_serves(place):
    write_tool(place, "jot", jot(summary="old"), holder=".cmp")
    folder = cmp_tools.folders([str(place)])[0]
    assert cmp_tools.read_manifest(folder).manifest.summary == "old"
    assert cmp_tools.capability(folder).problems == ()
    write_tool(place, "jot", {"manifest": jot(summary="new")["manifest"]})
    assert cmp_tools.read_manifest(folder).manifest.summary == "new"
    assert [problem.code for problem in cmp_tools.capability(folder).problems] == ["cmp.split"]


@pytest.mark.proves("CMP-3.1-05")
def test_equal_names_in_two_domains_stay_apart(place):
    write_tool(place, "a", jot(domain="notes"))
    write_tool(place, "b", jot(domain="work"))
    write_tool(place, "c", jot(domain="work"))
    found = cmp_tools.manifests([str(place)])
    assert [tool.key for tool in found.tools] == ["notes/jot", "work/jot"]
    assert [(p.code, os.path.basename(p.path)) for p in found.problems] == [("cmp.twice", "c")]
    with pytest.raises(FormatError) as caught:
        cmp_tools.find_tool([str(place)], "jot")
    assert (caught.value.code, caught.value.hint) == ("cmp.ambiguous", "one of notes/jot, work/jot")
    assert cmp_tools.find_tool([str(place)], "work/jot").folder.name == "b"
    assert cmp_tools.find_tool([str(place)], "a").key == "notes/jot"


def test_a_damaged_tool_is_a_problem_and_the_others_are_found(place):
    write_tool(place, "good")
    (place / "empty").mkdir()
    write_tool(place, "broken", {"manifest": []})
    (place / "file").write_text("x")
    found = cmp_tools.manifests([str(place), "/nowhere"])
    assert [tool.folder.name for tool in found.tools] == ["good"]
    assert {p.code for p in found.problems} == {"cmp.no-manifest", "cmp.invalid"}


@pytest.mark.proves("CMP-9-02")
def test_the_program_is_in_bin_or_on_the_path(place, tmp_path):
    folder = write_tool(place)
    tool = cmp_tools.find_tool([str(place)], "jot")
    assert cmp_tools.find_program(tool, "/nowhere") is None
    outside = tmp_path / "bin"
    outside.mkdir()
    (outside / "jot-cli").write_text("#!/bin/sh\n")
    (outside / "jot-cli").chmod(0o755)
    assert cmp_tools.find_program(tool, str(outside)) == str(outside / "jot-cli")
    own = write_program(folder, "jot-cli", "#!/bin/sh\n")
    assert cmp_tools.find_program(tool, str(outside)) == str(own)


@pytest.mark.proves("CMP-3.1-07")
def test_domains_that_nothing_provides_are_reported(place):
    write_tool(place, "jot")
    write_tool(place, "rg", jot(name="rg", domain="search", requires=["notes"]))
    tools = cmp_tools.manifests([str(place)]).tools
    assert {tool.key: cmp_tools.missing_domains(tool, tools) for tool in tools} == {
        "notes/jot": ["files"],
        "search/rg": [],
    }


def test_the_stamp_changes_with_the_documents_and_reads_none(place, reads):
    folder = write_tool(place)
    one = cmp_tools.folders([str(place)])[0]
    before = cmp_tools.stamp_of(one)
    assert cmp_tools.stamp_of(one) == before
    (folder / "cmp" / "capability.json").write_text("{}")
    assert cmp_tools.stamp_of(one) != before
    assert reads == []


@pytest.mark.proves("CMP-5.1-01")
def test_a_written_folder_is_a_tool_and_is_never_written_over(place):
    path = write_folder(str(place), "jot", jot(), program="/bin/ls")
    assert sorted(os.listdir(f"{path}/cmp")) == ["capability.json", "manifest.json"]
    assert os.readlink(f"{path}/bin/ls") == "/bin/ls"
    assert cmp_tools.find_tool([str(place)], "notes/jot").folder.path == path
    with pytest.raises(AtipError) as caught:
        write_folder(str(place), "jot", jot())
    assert caught.value.code == "cmp.exists"
    write_folder(str(place), "jot", jot(summary="other"), replace=True)
    assert json.loads((place / "jot/cmp/manifest.json").read_text())["summary"] == "other"


@pytest.mark.parametrize("name", ["../x", "a/b", "", "-x", ".hidden"])
def test_an_unsafe_folder_name_is_refused(place, name):
    with pytest.raises(AtipError) as caught:
        write_folder(str(place), name, jot())
    assert caught.value.code == "cmp.unsafe-name"
    assert os.listdir(place) == []


def test_a_link_in_place_of_the_folder_is_not_followed(place, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (place / "jot").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AtipError) as caught:
        write_folder(str(place), "jot", jot(), replace=True)
    assert caught.value.code == "cmp.exists"
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_unknown_tools_are_not_found(place):
    with pytest.raises(NotFoundError) as caught:
        cmp_tools.find_tool([str(place)], "nobody")
    assert caught.value.code == "cmp.not-found"


class Help:
    source_kind = "help"
    executes = False

    def ask(self, subject):
        return Tool(name=subject.name, commands={"more": Command(description="more")})


@pytest.mark.proves("CMP-7-02")
def test_an_adapter_is_a_rung_and_lower_rungs_add_to_it(place, tmp_path):
    write_tool(place, "rg-adapter", jot(adapter=True, wraps="jot", binary=None))
    subject = ProbeSubject(
        name="jot", path="/bin/jot", real_path="/bin/jot", digest="", stub=Stub()
    )
    sources = [CmpSource(str(tmp_path)), Help()]
    found = find_metadata(
        subject, sources, may_execute=False, merge_knowledge=lambda tool, **_: tool
    )
    assert (found.source_kind, found.also) == ("adapter", ("help",))
    assert {"drop", "more"} <= set(found.tool.commands)
    assert found.tool.commands["drop"].effects.destructive is True
    assert CmpSource(str(tmp_path)).ask(subject.replace(name="other")) is None
