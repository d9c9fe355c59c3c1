"""Manual pages in man(7) and mdoc(7) source."""

from __future__ import annotations

import gzip
import pathlib

import pytest

from atip.inference.manual.man import infer_man
from atip.inference.manual.roff import render
from atip.inference.manual.roff_text import split_arguments, unescape

MAN = r""".\" a comment
.TH PLOUGH 1 "2024-01-01" "field 1.0"
.SH NAME
plough \- turn the soil
.SH SYNOPSIS
.B plough
[\fB\-dv\fR] [\fB\-\-depth\fR=\fICM\fR] \fIFIELD\fR...
.SH OPTIONS
.TP
\fB\-d\fR, \fB\-\-deep\fR
go deep
.TP
.BI \-\-depth= CM
how deep to go;
at most 40
.IP "\fB\-m\fR, \fB\-\-mode\fR=\fIMODE\fR" 4
one of \(lqwet\(rq or \(lqdry\(rq
.PP
\fB\-q\fR, \fB\-\-quiet\fR
.RS 4
say less
.RE
.if n .TP
\-v
say more
.de XX
.TP
\-\-never
..
.SH "SEE ALSO"
harrow(1)
"""

MDOC = r""".Dd January 1, 2024
.Dt RELAY 1
.Os
.Sh NAME
.Nm relay
.Nd pass things on
.Sh SYNOPSIS
.Nm
.Op Fl 46v
.Op Fl p Ar port
.Op Fl -mode Ns = Ns Ar mode
.Ar destination
.Op Ar command ...
.Sh DESCRIPTION
The options are as follows:
.Bl -tag -width Ds
.It Fl 4
Use IPv4 only.
.It Fl p Ar port , Fl -port Ar port
Port to connect to.
.Bl -bullet
.It
nested
.El
.It Fl v
Say more.
.El
"""


def flags(command) -> dict[str, bool]:
    return {flag: option.takes_value for option in command.options for flag in option.flags}


def test_man_macros_give_options_with_values() -> None:
    command = infer_man(MAN, tool="plough")
    assert flags(command) == {
        "-d": False, "--deep": False, "--depth": True, "-m": True, "--mode": True, "-q": False,
        "--quiet": False, "-v": False,
    }  # fmt: skip
    assert command.description == "turn the soil"
    assert [argument.name for argument in command.arguments or ()] == ["FIELD"]


def test_evidence_points_into_the_source() -> None:
    command = infer_man(MAN, tool="plough")
    deep = next(option for option in command.options or () if "--deep" in option.flags)
    assert deep.own["evidence"]["source"] == "man"  # type: ignore[index]
    assert deep.own["evidence"]["lines"][0] == 10  # type: ignore[index]


def test_mdoc_macros_give_options_with_values() -> None:
    command = infer_man(MDOC.encode(), tool="relay")
    found = flags(command)
    assert found["-p"] and found["--port"] and found["--mode"]
    assert not found["-4"] and not found["-v"] and not found["-6"]
    assert [argument.name for argument in command.arguments or ()] == ["destination", "command"]
    assert command.description == "pass things on"


def test_name_is_taken_from_the_title_if_not_given() -> None:
    assert infer_man(MAN).usage == "plough [-dv] [--depth=CM] FIELD..."


def test_preamble_of_generators_is_skipped() -> None:
    preamble = (
        ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n.de URL\n\\fI\\\\$2\\fP\n..\n.if \\n[.g] \\{\\\n"
        ".  mso www.tmac\n.  am URL\n.    ad l\n.  .\n.\\}\n"
    )
    page = ".TH X 1\n" + preamble + ".SH OPTIONS\n.TP\n\\-a\nall\n"
    assert flags(infer_man(page, tool="x")) == {"-a": False}


def test_page_that_points_elsewhere_is_empty() -> None:
    assert infer_man(".so man1/other.1\n", tool="x").options == ()


def test_formatted_page_is_read_too() -> None:
    text = "X(1)   Manual   X(1)\n\nNAME\n       x - y\n\nOPTIONS\n       -a     all\n"
    assert flags(infer_man(text, tool="x")) == {"-a": False}


def test_bytes_of_any_kind_do_not_fail() -> None:
    assert infer_man(bytes(range(256)) * 10, tool="x").commands is None


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"\fB\-\-x\fR", "--x"), (r"a\ b\~c", "a b c"), (r"\(lqa\(rq", "“a”"), (r"\[u2014]", "—"),
        (r"\s-1A\s0", "A"), (r"\e", "\\"), (r"\N'45'", "-"), (r"\h'1'x", "x"), ("\\", ""),
    ],
)  # fmt: skip
def test_escapes(text: str, plain: str) -> None:
    assert unescape(text, {}) == plain


def test_quoted_arguments_stay_together() -> None:
    assert split_arguments('a "b c" "d""e" f\\ g') == ["a", "b c", 'd"e', "f\\ g"]


def test_nested_conditions_do_not_exhaust_the_stack() -> None:
    assert render(".if n " * 5_000 + "x") == []


def test_installed_pages_are_read() -> None:
    pages = sorted(pathlib.Path("/usr/share/man/man1").glob("[cl]s.1.gz"))
    if not pages:
        pytest.skip("no manual pages here")
    for page in pages:
        assert infer_man(gzip.decompress(page.read_bytes())).options


@pytest.mark.parametrize("name", ["pg_dump", "c89", "[", "w", "x86_64", "plain"])
def test_head_of_the_page_is_no_description(name):
    page = (
        f'.TH "{name.upper()}" "1"\n.SH NAME\n{name} \\- look at things\n.SH SYNOPSIS\n.B {name}\n'
    )
    assert infer_man(page, tool=name).description == "look at things"


def test_pages_of_commands_are_commands() -> None:
    entries = "".join(
        f".PP\n\\fBship-{name}\\fR(1)\n.RS 4\nWill {name} things.\n.RE\n"
        for name in ("load", "sail")
    )
    page = f".TH SHIP 1\n.SH NAME\nship \\- move\n.SH SYNOPSIS\n.B ship\n<command>\n.SH COMMANDS\n{entries}"
    found = infer_man(page, tool="ship").commands or {}
    assert {name: (one.description, one.aliases) for name, one in found.items()} == {
        "load": ("Will load things.", None),
        "sail": ("Will sail things.", None),
    }


STASH = """.TH GIT-STASH 1
.SH NAME
git-stash \\- Stash the changes away
.SH SYNOPSIS
.nf
\\fIgit stash\\fR list [<log\\-options>]
\\fIgit stash\\fR drop [\\-q | \\-\\-quiet] [<stash>]
\\fIgit stash\\fR branch <branchname> [<stash>]
\\fIgit stash\\fR [push [\\-p | \\-\\-patch] [\\-\\-] [<pathspec>...]]
.fi
.SH DESCRIPTION
Use it.
"""


def test_other_pages_beside_those_of_commands_are_not_commands():
    listed = (
        "box-add(1)",
        "box-drop(1)",
        "box-list(1)",
        "box-go(1)",
        "boxk(1)",
        "boxignore(5)",
        "HEAD",
    )
    rows = "".join(f".PP\n{name}\n.RS 4\nTell about it.\n.RE\n" for name in listed)
    page = f".TH BOX 1\n.SH NAME\nbox \\- keep things\n.SH SYNOPSIS\nbox <command>\n.SH COMMANDS\n{rows}"
    assert set(infer_man(page, tool="box").commands or {}) == {"add", "drop", "go", "list"}


def test_the_page_of_a_command_gives_its_nested_commands_and_their_arguments():
    stash = infer_man(STASH, tool="git", path=("stash",))
    assert stash.description == "Stash the changes away"
    assert not stash.arguments
    shown = {
        name: [
            (argument.name, argument.is_required, bool(argument.variadic))
            for argument in child.arguments or ()
        ]
        for name, child in stash.commands.items()
    }
    assert shown == {
        "list": [],
        "drop": [("stash", False, False)],
        "branch": [("branchname", True, False), ("stash", False, False)],
        "push": [("pathspec", False, True)],
    }
    flags = {flag for option in stash.commands["drop"].options for flag in option.flags}
    assert flags == {"-q", "--quiet"}


def test_the_word_of_the_command_is_no_positional():
    page = ".TH X509 1\n.SH NAME\nopenssl\\-x509 \\- show certificates\n.SH SYNOPSIS\n\\fBopenssl\\fR \\fBx509\\fR [\\fB\\-help\\fR] [\\fB\\-in\\fR \\fIfile\\fR]\n"
    assert not infer_man(page, tool="openssl", path=("x509",)).arguments
