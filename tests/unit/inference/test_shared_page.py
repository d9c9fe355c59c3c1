"""What a manual page of several programs says of one of them."""

from __future__ import annotations

import pytest

from atip.inference.manual.man import names_several
from atip.inference.manual.shared_page import find_own_purpose, is_about_group
from atip.inference.summary import first_summary

LIST = (
    ".TH SHIPS 1\n.SH NAME\nboat, raft, ferry \\- shipping tools\n.SH SYNOPSIS\n.B raft\n[ log ]\n"
    ".SH DESCRIPTION\n.TP\n.B boat [ load ]\nCarries a load over water\n.TP\n.B raft [ log ]\nTies logs together\n"
    ".SH AUTHOR\n.TP\n.B raft\nwas built by Noah\n"
)
PROSE = (
    ".TH SHIPS 1\n.SH NAME\nferry, barge \\- Ship Tools.\n.SH DESCRIPTION\n"
    "Program ferry brings cars across a river. The barge is a flat boat for coal.\n"
)


@pytest.mark.parametrize(
    ("page", "name", "purpose"),
    [
        (LIST, "boat", "Carries a load over water"),
        (LIST, "raft", "Ties logs together"),
        (LIST, "ferry", ""),
        (PROSE, "ferry", "brings cars across a river"),
        (PROSE, "barge", "a flat boat for coal"),
        (PROSE, "river", ""),
    ],
)
def test_a_page_of_several_programs_describes_each(page, name, purpose):
    assert first_summary(find_own_purpose(page, name), name) == purpose


@pytest.mark.parametrize(
    ("purpose", "is_group"),
    [
        ("property list tools", True),
        ("DjVuLibre XML Tools.", True),
        ("tools for communicating with devices", True),
        ("a set of utilities", True),
        ("concatenate audio data from two or more files", False),
        ("run programs and summarize system resource usage", False),
    ],
)
def test_a_purpose_of_a_group_is_recognized(purpose, is_group):
    assert is_about_group(purpose) is is_group


def test_names_before_the_purpose_are_counted():
    assert names_several(LIST)
    assert not names_several(".SH NAME\nboat \\- carry things, people and animals\n")
    assert names_several(".Sh NAME\n.Nm boat ,\n.Nm raft\n.Nd carry things\n.Sh SYNOPSIS\n")
