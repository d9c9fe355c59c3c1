"""Positionals of commands whose usage has several forms, and of names with parts in brackets."""

from __future__ import annotations

import pytest

from atip.inference.help import infer_help


def positionals(text, tool, *path):
    return [render(one) for one in infer_help(text, tool=tool, path=path).arguments or ()]


def render(argument):
    name = argument.name + ("…" if argument.variadic else "")
    return f"[{name}]" if argument.required is False else f"<{name}>"


@pytest.mark.parametrize(
    ("usage", "words", "expected"),
    [
        (
            "Usage: cp [OPTION]... [-T] SOURCE DEST\n  or:  cp [OPTION]... SOURCE... DIRECTORY\n"
            "  or:  cp [OPTION]... -t DIRECTORY SOURCE...\n",
            "cp",
            ["<SOURCE…>", "[DEST]"],
        ),
        (
            "usage: git fetch [<options>] [<repository> [<refspec>...]]\n   or: git fetch [<options>] <group>\n"
            "   or: git fetch --multiple [<options>] [(<repository> | <group>)...]\n",
            "git fetch",
            ["[repository]", "[refspec…]"],
        ),
        (
            "Usage: seq [OPTION]... LAST\n  or:  seq [OPTION]... FIRST LAST\n  or:  seq [OPTION]... FIRST INCREMENT LAST\n",
            "seq",
            ["[FIRST]", "[INCREMENT]", "<LAST>"],
        ),
        (
            "usage: git log [<options>] [<revision-range>] [[--] <path>...]\n   or: git show [<options>] <object>...\n",
            "git log",
            ["[revision-range]", "[path…]"],
        ),
        (
            "usage: git log [<options>] [<revision-range>] [[--] <path>...]\n   or: git show [<options>] <object>...\n",
            "git show",
            ["<object…>"],
        ),
        (
            "Usage: nohup COMMAND [ARG]...\n  or:  nohup OPTION\n",
            "nohup",
            ["<COMMAND>", "[ARG…]"],
        ),
        ("Usage:  docker pull [OPTIONS] NAME[:TAG|@DIGEST]\n", "docker pull", ["<NAME>"]),
        ("Usage: unzip [-Z] file[.zip] [list] [-d exdir]\n", "unzip", ["<file>", "[list]"]),
        ("Usage: chmod [OPTION]... MODE[,MODE]... FILE...\n", "chmod", ["<MODE…>", "<FILE…>"]),
        ("Usage:\n kill [options] <pid> [...]\n", "kill", ["<pid…>"]),
        ("Usage:\nnpm uninstall [<@scope>/]<pkg>...\n", "npm uninstall", ["<pkg…>"]),
        ("Usage: edit [options] [file ..]\n", "edit", ["[file…]"]),
        (
            "Usage:\nnpm run <command> [-- <args>]\n",
            "npm run",
            ["<command>", "[args…]"],
        ),
        (
            "Usage:\n  kubectl exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...] [options]\n",
            "kubectl exec",
            ["<POD|TYPE/NAME>", "<COMMAND>", "[args…]"],
        ),
        (
            "Usage: pip install [options] <requirement specifier> [package-index-options] ...\n",
            "pip install",
            ["<requirement specifier…>"],
        ),
    ],
)
def test_forms_are_one_list(usage, words, expected):
    tool, *path = words.split()
    assert positionals(usage, tool, *path) == expected


def test_nested_commands_behind_flags_and_placeholders_are_commands():
    text = (
        "usage: git submodule [--quiet] [--cached]\n"
        "   or: git submodule [--quiet] add [-b <branch>] [--] <repository> [<path>]\n"
        "   or: git submodule [--quiet] update [--init] [--] [<path>...]\n"
    )
    found = infer_help(text, tool="git", path=("submodule",))
    assert sorted(found.commands) == ["add", "update"]
    reflog = "usage: git reflog [show] [<ref>]\n   or: git reflog expire [<refs>...]\n   or: git reflog exists <ref>\n"
    assert sorted(infer_help(reflog, tool="git", path=("reflog",)).commands) == [
        "exists",
        "expire",
        "show",
    ]
