"""A program that keeps a file for each command has no command without one, whatever completion scripts name."""

from __future__ import annotations

import pytest

from atip.discovery.scan import ScanOptions
from atip.toolbox import Toolbox

NAMES = ("add", "branch", "clone", "diff", "fetch", "grep", "init", "log", "merge", "push")


def executable(path, text="#!/bin/sh\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def prefix(tmp_path):
    """`~/.local` with the program `quill`, whose completion script also names `svn`, of a package of its own."""
    prefix = tmp_path / "home" / ".local"
    executable(prefix / "bin" / "quill")
    script = prefix / "share" / "bash-completion" / "completions" / "quill"
    script.parent.mkdir(parents=True)
    words = " ".join((*NAMES, "svn"))
    script.write_text(
        "_quill()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]}\n"
        f'    COMPREPLY=( $(compgen -W "{words}" -- "$cur") )\n}}\ncomplete -F _quill quill\n'
    )
    return prefix


@pytest.fixture
def commands(tmp_path, prefix):
    """Scan, and report the commands of `quill`."""
    box = Toolbox(home=str(tmp_path / "home"))

    def scan() -> set[str]:
        box.scan(ScanOptions(paths=(str(prefix / "bin"),)))
        return set(box.get("quill").commands or ())

    return scan


def test_a_command_without_a_file_is_not_of_this_machine(prefix, commands):
    for name in NAMES:
        executable(prefix / "libexec" / "quill-core" / f"quill-{name}")
    assert commands() == set(NAMES)


def test_it_is_known_once_its_package_is_installed(prefix, commands):
    for name in NAMES:
        executable(prefix / "libexec" / "quill-core" / f"quill-{name}")
    assert "svn" not in commands()
    executable(prefix / "libexec" / "quill-core" / "quill-svn")
    executable(prefix / "bin" / "other")  # a scan begins anew when a folder of programs has changed
    assert "svn" in commands()


def test_a_file_on_the_search_path_counts(tmp_path, prefix, commands, monkeypatch):
    for name in NAMES:
        executable(prefix / "libexec" / "quill-core" / f"quill-{name}")
    executable(tmp_path / "elsewhere" / "quill-svn")
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"), prepend=":")
    assert "svn" in commands()


@pytest.mark.parametrize("files", [0, 3, len(NAMES) // 2])
def test_a_program_with_most_commands_within_itself_keeps_them(prefix, commands, files):
    for name in NAMES[:files]:
        executable(prefix / "libexec" / "quill-core" / f"quill-{name}")
    assert commands() == {*NAMES, "svn"}
