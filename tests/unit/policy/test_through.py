"""Readers of project files: the lines that a command leads to, for everyday files and for hostile ones; never an exception."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.policy.through.shell_files import git_programs, script_interpreter
from atip.policy.through.table import code_source_of, source_of

PACKAGE = json.dumps(
    {
        "scripts": {
            "pretest": "lint .",
            "test": "vitest run",
            "posttest": "report",
            "build": "tsc",
            "postinstall": "node x.js",
        }
    }
)
MAKEFILE = """\
CC = gcc
FLAGS := -O2 $(shell pkg-config --cflags x)
.PHONY: all clean
all: prog docs | out
prog: a.c b.c
\t@$(CC) $(FLAGS) -o $@ $^
docs:
\techo $$HOME \\
\t  done
clean: ; rm -rf build
%.o: %.c
\tcc -c $<
"""
JUST = """\
version := "1"
build target='x': lint
    cargo build {{target}}
lint:
    @cargo clippy
py:
    #!/usr/bin/env python3
    print(1)
"""
TASKS = """\
version: '3'
tasks:
  default: {deps: [build], cmds: [echo done]}
  build:
    cmds:
      - go build ./...
      - task: lint
  lint: golint {{.DIR}}
"""
TOX = "[tox]\nenvlist = py3\n[testenv]\ncommands =\n    pytest {posargs}\n    - coverage report\n"
POE = '[tool.poe.tasks]\ntest = "pytest"\nall = ["test", "lint"]\nlint.cmd = "ruff check"\ncode.script = "m:f"\n'
CARGO = '[alias]\nb = "build --release"\nx = ["run", "--bin", "x"]\n'
COMPOSER = '{"scripts": {"test": ["phpunit", "@lint"], "post-install-cmd": "php x.php"}}'


@pytest.mark.parametrize(
    ("words", "text", "lines"),
    [
        ("npm test", PACKAGE, ("lint .", "vitest run", "report")),
        ("npm run build", PACKAGE, ("tsc",)),
        ("yarn build", PACKAGE, ("tsc",)),
        ("npm ci", PACKAGE, ("node x.js",)),
        ("npm", PACKAGE, ("node x.js",)),
        ("npm ls", PACKAGE, ()),
        ("npm test", "{", None),
        ("npm test", '{"scripts": {"test": 1}}', None),
        (
            "make",
            MAKEFILE,
            (
                "pkg-config --cflags x",
                "gcc -O2 ${make_value} -o ${make_value} ${make_value}",
                "echo $HOME  \t  done",
            ),
        ),
        ("make clean", MAKEFILE, ("pkg-config --cflags x", "rm -rf build")),
        ("make x.o", MAKEFILE, None),
        ("make CC=evil", MAKEFILE, None),
        ("make -f other.mk", MAKEFILE, None),
        ("make", "include evil.mk\nall:\n\techo\n", None),
        ("make", "$(eval x)\n", None),
        ("make", "a:\n\techo a\na: b\nb: a\n\techo b\n", ("echo a", "echo b")),
        ("just build", JUST, ("cargo build ${just_value}", "cargo clippy")),
        ("just py", JUST, None),
        ("just", "import 'x'\n", None),
        ("task", TASKS, ("echo done", "go build ./...", "golint ${task_value}")),
        ("task other", TASKS, None),
        ("task", "includes: {a: b}\ntasks: {}\n", None),
        ("tox", TOX, ("pytest ${tox_value}", "coverage report")),
        ("poe all", POE, ("pytest", "ruff check")),
        ("poe code", POE, None),
        ("cargo b", CARGO, ("cargo build --release",)),
        ("cargo x", CARGO, ("cargo run --bin x",)),
        ("cargo test", CARGO, ()),
        ("composer test", COMPOSER, ("phpunit", "@lint")),
        ("composer install", COMPOSER, ("php x.php",)),
        ("direnv allow", "export A=1", ("export A=1",)),
        ("bash x.sh", "rm x", ("rm x",)),
        ("./x", "#!/bin/bash -e\nls", ("#!/bin/bash -e\nls",)),
        ("./x", "#!/usr/bin/env python3\nprint()", None),
        ("./x", "\x7fELF", None),
    ],
)
def test_lines_of_project_files(words: str, text: str, lines: tuple[str, ...] | None) -> None:
    source = source_of(words.split())
    assert source is not None
    read = source.read(text, words.split())
    assert read == lines or (
        read and lines and [x.split() for x in read] == [x.split() for x in lines]
    )


@pytest.mark.parametrize(
    ("words", "text", "lines"),
    [
        ("mypy .", "[mypy]\nplugins = ./evil.py, pydantic.mypy\n", ("./evil.py",)),
        ("mypy .", "[mypy]\nplugins =\n    a.py,\n    lib/b.py\n", ("./a.py", "./lib/b.py")),
        ("mypy .", '[tool.mypy]\nplugins = [\n  "tools/x.py",\n]\n', ("./tools/x.py",)),
        ("mypy .", "[mypy]\nplugins = pydantic.mypy\n", ()),
        ("flake8", "[flake8:local-plugins]\nextension =\n  X = plug.in:C\n", ("./plug/in.py",)),
        ("flake8", "[flake8]\nmax-line-length = 99\n", ()),
        ("yarn why x", "yarnPath: .yarn/releases/y.cjs\n", ("./.yarn/releases/y.cjs",)),
        ("yarn why x", 'yarn-path "./y.js"\n', ("./y.js",)),
        ("yarn why x", "nodeLinker: node-modules\n", ()),
        ("cargo --version", '[toolchain]\npath = "evil"\n', ("./evil/bin",)),
        ("rustc -vV", '[toolchain]\nchannel = "stable"\n', ()),
        ("alembic history", "[alembic]\nscript_location = db\n", ("./db/versions",)),
        ("alembic list_templates", "[alembic]\nscript_location = db\n", ()),
        ("mvn -v", "-Xmx1g\n-javaagent:x.jar\n", ("./.mvn/jvm.config",)),
        ("mvn -v", "-Xmx1g\n", ()),
        (
            "composer show",
            '{"config": {"allow-plugins": {"a/b": true, "c/d": false}}}',
            ("./vendor/a/b",),
        ),
        ("composer show", '{"config": {"allow-plugins": true}}', ("./vendor",)),
        ("composer show", "[" * 5000, ()),
        ("bundle list", "source 'x'", ("./Gemfile",)),
        ("bundle --version", "source 'x'", ()),
        ("jest --listTests", "", ("./jest.config",)),
        ("mix format --check-formatted", "", ("./mix.exs",)),
        ("ctest -N", "", ("./CTestTestfile.cmake",)),
        ("django-admin check", "", ("./manage.py",)),
        ("terraform validate", "", ("./.terraform/providers",)),
        ("terraform version", "", ()),
        ("mypy .", "plugins = $(rm -rf x).py\n", ("'./x).py'",)),
    ],
)
def test_settings_that_name_code(words: str, text: str, lines: tuple[str, ...]) -> None:
    source = code_source_of(words.split())
    assert source is not None
    assert source.read(text, words.split()) == lines


@given(
    st.text(), st.sampled_from(["mypy .", "flake8", "yarn x", "cargo b", "mvn -v", "composer x"])
)
def test_readers_of_settings_never_fail(text: str, words: str) -> None:
    source = code_source_of(words.split())
    assert source is not None
    assert isinstance(source.read(text, words.split()), tuple)


@pytest.mark.parametrize("words", ["ls -l", "bash -c x", "git status", ""])
def test_other_commands_lead_nowhere(words: str) -> None:
    assert source_of(words.split()) is None


@pytest.mark.parametrize(
    ("text", "subcommand", "found"),
    [
        ("[core]\n\tfsmonitor = ./evil\n", "status", (("core.fsmonitor", "./evil"),)),
        ("[core]\n\tfsmonitor = true\n[user]\n\tname = x\n", "status", ()),
        ('[diff "pdf"]\ntextconv = pdf2txt\n', "diff", (("diff.pdf.textconv", "pdf2txt"),)),
        ('[filter "lfs"]\n\tclean = git-lfs clean -- %f\n', "status", ()),
        ('[filter "x"]\n\tclean = evil %f\n', "status", (("filter.x.clean", "evil %f"),)),
        ("[core]\nhooksPath = .husky\n", "status", ()),
        ("[core]\nhooksPath = .husky\n", "commit", (("core.hookspath", "./.husky"),)),
        ("[alias]\nst = status\nx = !evil\n", "x", (("alias.x", "evil"),)),
        ("[alias]\nst = status\n", "st", (("alias.st", "git status"),)),
        ("[include]\npath = ../x\n", "log", (("include.path", "./../x"),)),
        ("[gpg]\n\tprogram = ./evil\n", "log", (("gpg.program", "./evil"),)),
        ('[gpg "ssh"]\n\tprogram = ./evil\n', "show", (("gpg.ssh.program", "./evil"),)),
        ('[browser "x"]\n\tcmd = ./evil\n', "help", (("browser.x.cmd", "./evil"),)),
        ("nonsense here\n", "log", None),
    ],
)
def test_settings_of_a_repository(text: str, subcommand: str, found: object) -> None:
    assert git_programs(text, subcommand) == found


COMMANDS = [
    "npm test",
    "make",
    "make all",
    "just",
    "task",
    "tox",
    "poe x",
    "cargo x",
    "composer x",
    "./x",
    "bash x",
]
PIECES = [
    "\t",
    "\n",
    ":",
    "=",
    "$(",
    "${",
    ")",
    "}",
    "all",
    "define",
    "\\\n",
    '"',
    "[",
    "]",
    "{",
    "{{",
    "- ",
    "#!",
    "x",
]


@given(
    words=st.sampled_from(COMMANDS),
    text=st.one_of(
        st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=80).map("".join)
    ),
)
def test_no_text_breaks_a_reader(words: str, text: str) -> None:
    source = source_of(words.split())
    assert source is not None
    lines = source.read(text, words.split())
    assert lines is None or all(isinstance(line, str) for line in lines)
    git_programs(text, "status")
    assert isinstance(script_interpreter(text), str)
