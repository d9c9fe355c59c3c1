"""The order of the sources of a tool's summary, with real files in place of the machine's."""

from __future__ import annotations

import json
import sys

import pytest

from atip.discovery.files.documents import InstalledTexts
from atip.discovery.files.stubs import parse_stub
from atip.discovery.sources.knowledge_source import KnowledgeSource
from atip.discovery.sources.source_order import ProbeSubject
from atip.discovery.summaries.debian import DebianPackages, listed_purpose
from atip.discovery.summaries.packages import InstalledPackages
from atip.discovery.summaries.sources import SummarySources
from atip.inference.manual.man import read_purpose
from atip.inference.summary import find_summary
from atip.knowledge.summaries import conversion_summary, family_summary, own_summary
from tests.shared import ROOT

PAGE = ".TH BOAT 1\n.SH NAME\nboat, ship \\- carry things over water\n.SH SYNOPSIS\nboat\n"


@pytest.fixture
def machine(tmp_path):
    pages = tmp_path / "usr/share/man/man1"
    pages.mkdir(parents=True)
    (pages / "boat.1").write_text(PAGE)
    dpkg = tmp_path / "dpkg"
    (dpkg / "info").mkdir(parents=True)
    (dpkg / "status").write_text(
        "Package: raft\nStatus: install ok installed\nDescription: float on a few logs\n more\n\n"
        "Package: fleet\nDescription: many boats at once\n\nPackage: libsea-dev\nDescription: files of the sea\n"
    )
    (dpkg / "info/raft.list").write_text("/.\n/usr\n/usr/bin\n/usr/bin/raft\n/usr/share/doc/raft\n")
    (dpkg / "info/fleet.list").write_text("/usr/bin/one\n/usr/bin/two\n/usr/bin/fleet\n")
    (dpkg / "info/libsea-dev.list").write_text("/usr/bin/sea-config\n")
    return SummarySources(
        InstalledTexts([str(tmp_path / "usr")]), InstalledPackages(str(dpkg))
    ), dpkg


def subject(name, path=None, head=b""):
    path = path or f"/usr/bin/{name}"
    return ProbeSubject(
        name=name, path=path, real_path=path, digest="sha256:0", stub=parse_stub(path, head)
    )


def test_manual_outranks_help_and_framework(machine):
    sources, _ = machine
    told = {"help": "prints a boat on the screen", "framework": "the boat's parser speaks"}
    assert sources.find(subject("boat"), told) == "carry things over water"
    assert sources.find(subject("boat-14"), told) == "carry things over water"


def test_the_word_of_user_and_tool_is_taken_as_it_is(machine):
    sources, _ = machine
    assert sources.find(subject("boat"), {"native": "Boat!", "help": "x y z"}) == "Boat!"
    assert sources.find(subject("boat"), {"override": "mine", "native": "Boat!"}) == "mine"


def test_a_package_speaks_for_its_only_program_or_the_one_of_its_name(machine):
    sources, dpkg = machine
    assert sources.find(subject("raft"), {"help": "unknown option -- -"}) == "float on a few logs"
    packages = DebianPackages(str(dpkg))
    assert {name: packages.purpose(f"/usr/bin/{name}") for name in ("raft", "fleet", "one")} == {
        "raft": "float on a few logs",
        "fleet": "many boats at once",
        "one": "",
    }
    assert packages.purpose("/usr/bin/sea-config") == ""
    assert packages.membership("/bin/one") == "Part of fleet: many boats at once"


def test_packages_are_not_read_for_a_program_that_none_of_them_owns(machine, monkeypatch):
    _, dpkg = machine
    monkeypatch.setattr("atip.discovery.summaries.debian.read_text", pytest.fail)
    packages = DebianPackages(str(dpkg))
    assert packages.purpose("/opt/tools/raft") == packages.membership("/opt/tools/raft") == ""


def test_curated_summary_outranks_the_manual_only_under_its_own_name(machine, tmp_path):
    sources, _ = machine
    assert sources.find(subject("git"), {"help": "x y z"}) == "Distributed version control"


def test_junk_of_every_source_gives_nothing(machine):
    sources, _ = machine
    told = {
        "framework": "skiff",
        "help": "skiff: invalid option -- '-'",
        "completion": "Usage: skiff",
    }
    assert sources.find(subject("skiff"), told) == ""


def test_node_and_python_packages_describe_their_program(machine, tmp_path):
    sources, _ = machine
    package = tmp_path / "node_modules/skiff"
    package.mkdir(parents=True)
    (package / "package.json").write_text(
        json.dumps({"name": "skiff", "bin": "cli.js", "description": "rows a small boat"})
    )
    program = package / "cli.js"
    program.write_text("#!/usr/bin/env node\n")
    assert (
        sources.find(subject("skiff", str(program), b"#!/usr/bin/env node\n"), {})
        == "rows a small boat"
    )
    info = tmp_path / "venv/lib/python3.11/site-packages/canoe-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text("[console_scripts]\ncanoe = canoe:main\n")
    (info / "METADATA").write_text("Name: canoe\nSummary: paddle through text\n\nLong words")
    script = tmp_path / "venv/bin/canoe"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!{tmp_path}/venv/bin/python\nfrom canoe import main\n")
    assert (
        sources.find(subject("canoe", str(script), script.read_bytes()), {})
        == "paddle through text"
    )


@pytest.mark.parametrize(
    ("page", "name", "purpose"),
    [
        (PAGE, "ship", "carry things over water"),
        (
            ".Dd x\n.Dt BOAT 1\n.Sh NAME\n.Nm boat\n.Nd carry things\n.Sh SYNOPSIS\n",
            "boat",
            "carry things",
        ),
        ('.SH "NAME"\nboat \\- carry\nthings far\n.SH X\n', "boat", "carry things far"),
        (".SH DESCRIPTION\nnothing\n", "boat", ""),
    ],
)
def test_name_line_of_a_manual(page, name, purpose):
    assert read_purpose(page, name) == purpose


def test_our_list_says_of_one_name_what_an_entry_for_several_cannot(machine):
    sources, _ = machine
    assert sources.find(subject("uptime"), {}) == own_summary("uptime")


def test_usage_lines_behind_the_purpose_are_no_part_of_it():
    page = '.TH BOAT 1\n.SH "NAME"\nboat \\- carry things\n.sp\n\\fBboat\\fP \\fIoptions file\\fP ...\n.SH "DESCRIPTION"\n'
    assert read_purpose(page, "boat") == "carry things"


def test_a_program_of_which_nothing_is_known_is_part_of_its_package(machine):
    sources, _ = machine
    assert sources.find(subject("two"), {}) == "Part of fleet: many boats at once"
    assert sources.find(subject("two"), {"help": "row one boat"}) == "row one boat"


def test_the_page_of_a_file_with_several_programs_comes_after_what_the_program_says(machine):
    sources, _ = machine
    link = subject("dinghy").replace(real_path="/usr/bin/boat")
    assert sources.find(link, {}) == "carry things over water"
    assert sources.find(link, {"man": "row to the shore"}) == "row to the shore"


@pytest.mark.usefixtures("machine")
def test_a_versioned_file_has_its_own_page_first(tmp_path):
    page = PAGE.replace("boat, ship", "boat-2").replace("carry", "tow")
    (tmp_path / "usr/share/man/man1/boat-2.1").write_text(page)
    texts = InstalledTexts([str(tmp_path / "usr")])
    found = SummarySources(texts, InstalledPackages(str(tmp_path))).find(subject("boat-2"), {})
    assert found == "tow things over water"


def test_a_purpose_of_several_lines_is_whole():
    page = ".Dd today\n.Dt BOAT 1\n.Sh NAME\n.Nm boat\n.Nd a remote control for\n.Nm ship\nand others\n.Sh SYNOPSIS\n"
    assert read_purpose(page, "boat") == "a remote control for ship and others"


def test_a_package_of_several_programs_speaks_for_those_that_it_names(tmp_path):
    text = (
        "Tools of the sea.\n.\n - oar: moves a boat\n   by hand\n * sail - moves it by wind\n"
        "Log file converters: asc2log,\nlog2asc and log2long.\nThis package contains: keel, hull."
    )
    names = ("oar", "sail", "log2asc", "log2long", "keel", "sea")
    assert {name: listed_purpose(text, name) for name in names} == {
        "oar": "moves a boat by hand",
        "sail": "moves it by wind",
        "log2asc": "Log file converters",
        "log2long": "Log file converters",
        "keel": "",
        "sea": "",
    }
    (tmp_path / "info").mkdir()
    (tmp_path / "status").write_text(
        "Package: sea\nDescription: things of the sea\n Tools.\n .\n  * oar: moves a boat\nHomepage: x\n hull: no\n"
    )
    (tmp_path / "info/sea.list").write_text("/usr/bin/oar\n/usr/bin/hull\n")
    packages = DebianPackages(str(tmp_path))
    assert packages.purpose("/usr/bin/oar") == packages.purpose("/bin/oar") == "moves a boat"
    assert packages.purpose("/usr/bin/hull") == ""


def test_names_in_one_paragraph_have_their_own_purposes():
    page = ".TH X 1\n.SH NAME\na2b \\- convert a to b\nb2a \\- convert b to a\n.SH SYNOPSIS\n"
    assert [read_purpose(page, name) for name in ("a2b", "b2a")] == [
        "convert a to b",
        "convert b to a",
    ]


def test_a_page_of_another_program_outranks_the_curated_summary_of_that_name(machine, tmp_path):
    sources, _ = machine
    pages = tmp_path / "usr/share/man/man1"
    (pages / "act.1").write_text(
        ".TH ACT 1\n.SH NAME\nact \\- visualize comparisons of genomes\n.SH OPTIONS\n"
    )
    (pages / "sort.1").write_text(
        ".TH SORT 1\n.SH NAME\nsort \\- put text in order\n.SH OPTIONS\n\\-\\-reverse \\-\\-unique\n"
    )
    assert sources.find(subject("act"), {}) == "visualize comparisons of genomes"
    assert sources.find(subject("sample"), {"help": "Print a bar code"}) == "Print a bar code"
    assert sources.find(subject("sort"), {}) == "Sort lines"


@pytest.mark.skipif(sys.platform == "darwin", reason="there it is that program")
def test_a_program_of_macos_describes_no_program_of_that_name_elsewhere():
    assert KnowledgeSource().ask(subject("sample")) is None
    assert KnowledgeSource().ask(subject("sort")) is not None


def test_builds_and_targets_of_a_program_have_its_manual(machine):
    sources, _ = machine
    assert sources.find(subject("boat-s-debug"), {}) == "carry things over water"
    assert sources.find(subject("boat.py"), {}) == "carry things over water"
    assert sources.find(subject("boat.opt"), {}) == "carry things over water"
    assert sources.find(subject("z80-unknown-coff-as"), {}) == own_summary("as")
    assert sources.find(subject("raft-as"), {}) == ""


def test_desktop_entries_and_units_speak_for_the_program_that_they_start(machine, tmp_path):
    sources, _ = machine
    applications, units = tmp_path / "usr/share/applications", tmp_path / "usr/lib/systemd/system"
    applications.mkdir(parents=True)
    units.mkdir(parents=True)
    (applications / "canoe.desktop").write_text(
        "[Desktop Entry]\nName=Canoe\nComment=Paddle on rivers\nExec=env A=1 canoe %F\n"
        "[Desktop Action New]\nExec=other\nComment=Not this one\n"
    )
    (applications / "mail.desktop").write_text(
        "[Desktop Entry]\nComment=Write a letter\nExec=kayak compose\n"
    )
    (units / "harbord.service").write_text(
        "[Unit]\nDescription=Harbor control daemon\n[Service]\nExecStart=-/usr/sbin/harbord -n\n"
    )
    (units / "debug.service").write_text(
        "[Unit]\nDescription=Early root shell\n[Service]\nExecStart=/bin/dinghy\n"
    )
    assert sources.find(subject("canoe"), {}) == "Paddle on rivers"
    assert sources.find(subject("harbord"), {}) == "Harbor control daemon"
    assert [sources.find(subject(name), {}) for name in ("kayak", "dinghy", "other")] == [
        "",
        "",
        "",
    ]


def test_the_head_of_a_script_counts_before_its_help(machine, tmp_path):
    sources, _ = machine
    script = tmp_path / "skiff"
    script.write_text("#!/bin/sh\n# skiff - row along the coast\nexit\n")
    found = sources.find(
        subject("skiff", str(script), script.read_bytes()), {"help": "prints the tide of today"}
    )
    assert found == "row along the coast"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("atmtcp", "a tool to set up ATM over TCP"),
        ("les", "ATM LAN service daemons"),
        ("foo", "show all the bars"),
        ("quoted", "say it twice"),
        ("bus", ""),
    ],
)
def test_more_forms_of_lists_in_explanations(name, said):
    text = "Programs for ATM:\n  * atmtcp, a tool to set up ATM over TCP\n  * les and bus, ATM LAN service daemons\n  'quoted': say it twice\nIt has foo (show all the bars) too."
    assert listed_purpose(text, name) == said


def test_a_page_that_names_only_other_programs_counts_after_help(machine, tmp_path):
    sources, _ = machine
    pages = tmp_path / "usr/share/man/man1"
    (pages / "yawl.1").symlink_to(pages / "boat.1")
    assert sources.find(subject("yawl"), {"help": "Sail with two masts"}) == "Sail with two masts"
    assert sources.find(subject("yawl"), {}) == "carry things over water"


def test_a_page_about_a_group_gives_way_to_what_it_or_the_help_says_of_one_program(
    machine, tmp_path
):
    sources, _ = machine
    (tmp_path / "usr/share/man/man1/skiff.1").write_text(
        ".TH SHIPS 1\n.SH NAME\nskiff, yawl \\- shipping tools\n.SH SYNOPSIS\nskiff\n"
        ".SH DESCRIPTION\n.TP\n.B skiff\nRows one person to the shore\n"
    )
    (tmp_path / "usr/share/man/man1/yawl.1").write_text(
        ".TH SHIPS 1\n.SH NAME\nskiff, yawl \\- shipping tools\n"
    )
    assert sources.find(subject("skiff"), {}) == "Rows one person to the shore"
    assert sources.find(subject("yawl"), {"help": "sails with two masts"}) == "sails with two masts"
    assert sources.find(subject("yawl"), {}) == "shipping tools"


def gem_script(tmp_path, name, gem):
    path = tmp_path / "usr/bin" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"#!/usr/bin/ruby\nrequire 'rubygems'\nload Gem.activate_bin_path('{gem}', '{name}', version)\n"
    )
    return subject(name, str(path), b"#!/usr/bin/ruby\n")


@pytest.mark.parametrize(
    ("programs", "said"),
    [('"boat".freeze', "Carries things over water."), ('"boat".freeze, "oar".freeze', "")],
)
def test_a_gem_speaks_for_its_only_program(machine, tmp_path, programs, said):
    folder = tmp_path / "usr/lib/ruby/gems/3.1.0/specifications"
    folder.mkdir(parents=True)
    (folder / "harbour-1.2.gemspec").write_text(
        f'Gem::Specification.new do |s|\n  s.executables = [{programs}]\n  s.summary = "Carries things over water.".freeze\nend\n'
    )
    (folder / "harbour-extra-1.0.gemspec").write_text('  s.summary = "Something else here."\n')
    _, dpkg = machine
    packages = InstalledPackages(str(dpkg))
    assert packages.summary(gem_script(tmp_path, "boat", "harbour")) == said
    assert packages.summary(gem_script(tmp_path, "boat", "absent")) == ""


def test_a_script_of_the_old_form_has_the_docstring_of_its_module(machine, tmp_path):
    site = tmp_path / "usr/lib/python3/dist-packages"
    (site / "sea_tools-1.0.egg-info").mkdir(parents=True)
    (site / "sea_tools-1.0.egg-info/entry_points.txt").write_text(
        "[console_scripts]\nrow = sea.rowing:main\n"
    )
    (site / "sea").mkdir()
    (site / "sea/rowing.py").write_text('"""\nrow: move a ``boat`` by hand\n====\n\nMore.\n"""\n')
    path = tmp_path / "usr/bin/row"
    path.parent.mkdir(exist_ok=True)
    head = "#!/usr/bin/python3\n# EASY-INSTALL-ENTRY-SCRIPT: 'sea-tools==1.0','console_scripts','row'\nimport re\n"
    path.write_text(head)
    sources, _ = machine
    assert sources.find(subject("row", str(path), head.encode()), {}) == "move a `boat` by hand"


def test_a_unit_of_the_user_describes_the_program_of_its_name(tmp_path):
    folder = tmp_path / "usr/lib/systemd/user"
    folder.mkdir(parents=True)
    (folder / "plasma-keys.service").write_text(
        "[Unit]\nDescription=Global shortcuts of the desktop\n[Service]\nExecStart=/usr/bin/keys5\n"
    )
    (folder / "debug.service").write_text(
        "[Unit]\nDescription=A shell for repairs\n[Service]\nExecStart=/bin/bash\n"
    )
    (folder / "debug-shell.service").write_text(
        "[Unit]\nDescription=A shell for more repairs\n[Service]\nExecStart=/bin/sh\n"
    )
    texts = InstalledTexts([str(tmp_path / "usr")], root=str(tmp_path))
    assert texts.launcher("sh") == ""
    assert texts.launcher("keys5") == "Global shortcuts of the desktop"
    assert texts.launcher("bash") == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fasta_to_fastq.pl", "Convert fasta to fastq"),
        ("log2asc", "Convert log to asc"),
        ("oauth2tool", ""),
        ("bz2cat", ""),
        ("up2date", ""),
        ("h2ph", ""),
    ],
)
def test_a_name_that_says_what_is_converted(name, said):
    assert conversion_summary(name) == said


def test_our_list_is_sorted_and_every_line_is_a_summary():
    path = ROOT / "src/atip/knowledge/summaries.tsv"
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    names = [name for name, _ in rows]
    assert names == sorted(set(names))
    assert {name: text for name, text in rows if find_summary(text, name) != text} == {}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "akonadi_imap_resource",
            "Connect Akonadi, the storage of KDE's mail and calendars, to imap",
        ),
        ("indi_ccd_dome", "Driver of the astronomy framework INDI for ccd dome"),
        ("akonadi__resource", ""),
        ("indi_", ""),
        ("akonadi_imap", ""),
    ],
)
def test_a_program_of_a_family_is_told_by_its_own_part(name, said):
    assert family_summary(name) == said


def test_a_program_with_a_new_name_has_the_purpose_of_that_name(machine, tmp_path):
    pages = tmp_path / "usr/share/man/man1"
    (pages / "oldboat.1").write_text(
        ".TH OLDBOAT 1\n.SH NAME\noldboat \\- replaced by boat\n.SH SYNOPSIS\noldboat\n"
    )
    texts = InstalledTexts([str(tmp_path / "usr")])
    _, dpkg = machine
    found = SummarySources(texts, InstalledPackages(str(dpkg))).find(subject("oldboat"), {})
    assert found == "carry things over water (old name of boat)"


def test_a_name_that_converts_comes_behind_own_help_and_before_the_page_behind_a_link(machine):
    sources, _ = machine
    told = {"help": "reads tapes fast and well"}
    assert sources.find(subject("dds2tar"), told) == "reads tapes fast and well"
    assert sources.find(subject("dds2tar"), {}) == "Convert dds to tar"
    link = subject("odt2pdf").replace(real_path="/usr/bin/boat")
    assert sources.find(link, told) == "Convert odt to pdf"
