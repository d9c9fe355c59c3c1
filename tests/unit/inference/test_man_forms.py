"""Forms of nested commands in the synopsis of a manual page."""

from __future__ import annotations

from atip.inference.manual.man import infer_man

PAGE = r""".TH NET\-SPACE 8
.SH NAME
net-space \- manage spaces
.SH SYNOPSIS
.nf
net space { COMMAND | help }

net space add [ name ] NAME
[ size BYTES ]
type TYPE [ ARGS ]

net space set NAME SPACEID

SPACEID := auto | NUMBER

net space pids NAME

.fi
.BR "net space" " { " show " | "\
drop " } "
.I NAME
.SH DESCRIPTION
Spaces are copies of the network.
"""


def test_definitions_and_continued_requests_do_not_end_the_forms() -> None:
    command = infer_man(PAGE, tool="net", path=("space",))
    assert set(command.commands or {}) == {"add", "set", "pids", "show", "drop"}
