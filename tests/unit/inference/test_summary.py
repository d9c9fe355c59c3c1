"""What is a summary of a tool, and what only stands where one is expected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.inference.summary import find_summary, first_summary, why_not_summary

GOOD = [
    (
        "boat",
        "Create a harbour if it does not exist",
        "Create a harbour if it does not exist",
    ),
    (
        "mpif77",
        "Deprecated Open MPI Fortran wrapper compilers .",
        "Deprecated Open MPI Fortran wrapper compilers",
    ),
    ("rbs", "Type signature for Ruby.", "Type signature for Ruby."),
    ("boat", "boat, a carrier for lakes. Version 4.1.0 Copyright A. B., 2002", "a carrier for lakes"),
    ("cp", "cp - copy files and directories", "copy files and directories"),
    ("cp", "cp: copy files", "copy files"),
    ("git", "the stupid content tracker", "the stupid content tracker"),
    ("less", "opposite of more", "opposite of more"),
    ("jq", "jq - commandline JSON processor [version 1.6]", "commandline JSON processor [version 1.6]"),
    ("false", "do nothing, unsuccessfully", "do nothing, unsuccessfully"),
    ("errno", "look up errno names and descriptions", "look up errno names and descriptions"),
    ("licensecheck", "simple license checker for source files", "simple license checker for source files"),
    ("run-parts", "run scripts or programs in a directory", "run scripts or programs in a directory"),
    ("obj", "OVERVIEW: Manifest Tool for objects", "Manifest Tool for objects"),
    ("apt-get", "apt 2.6.1 (amd64) apt-get is a command line interface for packages.", "apt-get is a command line interface for packages."),
    ("info", "/usr/bin/info: Output information about this", "Output information about this"),
    ("boat-14", "boat: Fetch things over water", "Fetch things over water"),
    ("bzip2", "a block-sorting file compressor, v1.0.8", "a block-sorting file compressor"),
    ("halt", "Halt, power-off or reboot the machine", "Halt, power-off or reboot the machine"),
    ("bzip2", "bzip2, a file compressor", "a file compressor"),
    ("chkfont", "checks figlet 2.0 and up font files", "checks figlet 2.0 and up font files"),
    ("sor", "Sorcerer - A tree-parser generator Version 13333 1992-2001 - take input from stdin", "Sorcerer - A tree-parser generator"),
    ("boat", "boat 2.0 a tool for the sea", "a tool for the sea"),
    ("avr-gdb", "This is the GNU debugger. Usage:", "This is the GNU debugger."),
    ("upw", "safely update /etc/passwd, /etc/shadow and /etc/group", "safely update /etc/passwd, /etc/shadow and /etc/group"),
    ("when", "show the time to which a thing can be restored to", "show the time to which a thing can be restored to"),
    ("0xFFFF", "Open Free Fiasco Firmware Flasher, version 0.9", "Open Free Fiasco Firmware Flasher"),
    ("bcd", '"reformat input as punch cards"', "reformat input as punch cards"),
    ("a+", "This manual page documents briefly the a+ command. The interpreter reads APL scripts.", "The interpreter reads APL scripts."),
    ("tool", "Part of raft: float on a few logs", "Part of raft: float on a few logs"),
    ("man", "manual page viewer for everyone", "manual page viewer for everyone"),
    ("ocs", "To inspect the checksum in the image Usage: To run ocs: IMAGE [-x]", "To inspect the checksum in the image"),
    ("mpg123", "play audio MPEG 1.0/2.0/2.5 stream (layers 1, 2 and 3)", "play audio MPEG 1.0/2.0/2.5 stream (layers 1, 2 and 3)"),
    ("tool", "a tool that can be used to move boats", "a tool that can be used to move boats"),
    ("boat", "Error: no cargo found. Moves things over water and back.", "Moves things over water and back."),
]  # fmt: skip
BAD = [
    ("boat print", "boat print: missing file", "error"),
    ("boat sink", "boat sink: too few arguments", "error"),
    ("boat", "see listed input files below.", "pointer"),
    ("boat", "Your directory /var/boat do not exists.", "error"),
    ("boat", "boatinit: Aborting. $DISPLAY is not set.", "error"),
    ("boat", "boat v4.0 Oct 23 2015 renamed from ship in 2020", "version"),
    ("boat", "Deprecated in favor of ship", "pointer"),
    ("boat", "Obsolete: use ship instead", "pointer"),
    ("boat", "Type boat -h for help", "pointer"),
    (
        "boat",
        "Use of uninitialized value $DSN in concatenation (.) or string at /usr/bin/boat line 21.",
        "error",
    ),
    ("boat", "No devices.", "error"),
    ("boat", "Centre for Speech Technology Research University of Edinburgh, UK", "license"),
    ("boat", "BusyBox v1.36.1 (Debian 1:1.36.1-6) multi-call binary.", "pointer"),
    ("boat", 'use "-" to make input and output files stdin/out', "pointer"),
    ("boat", "output/processing options", "pointer"),
    ("nboat", "boat, nboat", "fragment"),
    ("ebtablesu", "For the ebtables options, see # ebtables -h or # man ebtables", "pointer"),
    ("oletimes", "oletimes.py", "fragment"),
    ("lessfile", "lessfile/lesspipe", "fragment"),
    ("mpg123", "input options", "pointer"),
    ("fai-kvm", "You can add more options for kvm after --", "pointer"),
    ("linter", "Main entrypoint to the app.", "pointer"),
    ("ex3", "Generic CTN manual page", "pointer"),
    ("mono", "No manpage for this program.", "pointer"),
    ("conf", "part of the ldap2dns DNS management system", "pointer"),
    ("studly", "ken, b1ff, censor, chef, cockney, eleet, fanboy", "fragment"),
    ("merge", "font1 ... fontN Files to merge.", "usage"),
    ("aread", "preliminary manpage aread awrite enitune ilmid", "pointer"),
    ("casync", "casync Documentation", "pointer"),
    ("conjugue", "To report bugs, use the `gawkbug' program.", "pointer"),
    ("align", "Can be a mixture of paired and unpaired.", "pointer"),
    ("inspect", "With -n, just prints names.", "pointer"),
    ("rcopy", "exactly one of each of the two forms must be provided", "pointer"),
    ("control", "mode is one of (us224, us428, mixxx)", "pointer"),
    ("analyzer", "An IPv6 address must be enclosed in square brackets.", "pointer"),
    ("release", "or to read request lines from stdin", "pointer"),
    ("yamcfg", "1998 by Jean-Paul ROUBELAT", "license"),
    ("mvn", "Licensed to the Apache Software Foundation under one or more agreements.", "license"),
    ("align", "<ebwt> Index filename prefix. Mixtures of paired and unpaired are fine.", "usage"),
    ("bnamazu", "Notes: Other options will be passed to namazu.", "pointer"),
    ("cairo-trace", "This log will be stored in a file in the local directory.", "pointer"),
    ("cpack", "CPack Command-Line Reference", "pointer"),
    ("cpack", "Options --version,-version,/V [<file>] = Print version number and exit.", "usage"),
    ("ssh", "unknown option -- -", "error"),
    ("tss2_sign", "tss2_sign(1)", "name"),
    ("boat", "a remote control utility for", "fragment"),
    ("idle", "Error: option --help not recognized", "error"),
    ("x", "cannot open display :0", "error"),
    ("x", "x: missing operand", "error"),
    ("x", "must be run as root", "error"),
    ("npm", "npm <command>", "usage"),
    ("x", "Usage: x [options] FILE", "usage"),
    ("x", "x [OPTION]... SOURCE DEST", "usage"),
    ("curl", "This is not the full help, this menu is stripped into categories.", "pointer"),
    ("x", "Try 'x --help' for more information.", "pointer"),
    ("x", "See https://example.org for details", "pointer"),
    ("x", "Report bugs to the list of the project.", "pointer"),
    ("x", "For more information, see the manual.", "pointer"),
    ("x", "Run 'x COMMAND --help' for more information on a command.", "pointer"),
    ("x", "Copyright (C) 2020 The Project", "license"),
    ("x", "This is free software: you may change and redistribute it.", "license"),
    ("x", "License GPLv3+: GNU GPL version 3 or later", "license"),
    ("node", "Node runtime v18.2.0", "version"),
    ("x", "x", "name"),
    ("python3.12", "Python", "name"),
    ("x", "The following commands are known:", "fragment"),
    ("x", "status: ready", "fragment"),
    ("x", "", "fragment"),
    ("x", "/usr/lib/x/plugins/main.so and more", "usage"),
]


@pytest.mark.parametrize(("name", "text", "summary"), GOOD)
def test_a_phrase_about_the_tool_is_found_without_name_and_banner(name, text, summary):
    assert find_summary(text, name) == summary


@pytest.mark.parametrize(("name", "text", "reason"), BAD)
def test_what_only_stands_in_its_place_is_refused(name, text, reason):
    assert find_summary(text, name) == "", reason


@pytest.mark.parametrize("reason", sorted({reason for *_, reason in BAD}))
def test_every_reason_is_given(reason):
    given_reasons = [
        why_not_summary(text.strip(), name) for name, text, one in BAD if one == reason
    ]
    assert reason in given_reasons


def test_the_first_good_source_wins():
    assert (
        first_summary(["", "ssh", "usage: ssh", "Log in elsewhere", "Other words here"], "ssh")
        == "Log in elsewhere"
    )
    assert first_summary([], "ssh") == ""


@given(st.text(max_size=300), st.text(max_size=12))
def test_what_is_found_passes_the_checker_and_is_found_again(text, name):
    found = find_summary(text, name)
    if found:
        assert why_not_summary(found, name) is None
        assert found in " ".join(text.split())


@given(st.sampled_from([text for _, text, _ in GOOD]), st.integers(0, 4))
def test_blanks_and_line_breaks_do_not_matter(text, blanks):
    assert find_summary(text.replace(" ", "\n" + " " * blanks), "x") == find_summary(text, "x")
