"""Everyday commands are known as their manuals describe them: positionals, choices and nested commands."""

from __future__ import annotations

import os
import shutil

import pytest

from atip.discovery.scan import ScanOptions
from atip.toolbox import Toolbox
from tests.everyday import differences, read_rows

pytestmark = [pytest.mark.sandbox, pytest.mark.soak]

QUICK = frozenset(
    [
        "pip",
        "systemctl",
        "journalctl",
        "timedatectl",
        "hostnamectl",
        "ssh",
        "scp",
        "ssh-keygen",
        "cp",
        "mv",
        "rm",
        "ls",
        "mkdir",
        "cat",
        "head",
        "tail",
        "sort",
        "uniq",
        "wc",
        "tr",
        "touch",
        "chmod",
        "stat",
        "split",
        "join",
        "dirname",
        "readlink",
        "mktemp",
        "base64",
        "sha256sum",
        "tee",
        "du",
        "df",
        "date",
        "timeout",
        "nohup",
        "xargs",
        "grep",
        "find",
        "gzip",
        "jq",
        "diff",
        "make",
        "patch",
        "unzip",
        "psql",
        "sqlite3",
        "useradd",
        "usermod",
        "passwd",
        "groupadd",
        "kill",
        "free",
        "apt-get",
        "apt",
        "apt-cache",
        "apt-mark",
    ]
)
"""Programs that answer within a second or two; git, npm, kubectl and the like have hundreds of pages."""
EXACT = 0.93
"""Rows that may not be worse than they are; the misses are printed when it fails."""


def learn(tmp_path, names):
    """The tools of these names, learned in a folder of links so that nothing else is looked at."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in names:
        os.symlink(shutil.which(name), folder / name)
    box = Toolbox(home=str(tmp_path / "home"))
    box.scan(ScanOptions(paths=(str(folder),), learn=True))
    return {name: box.store.load_metadata(name, box.store.find(name)) for name in names}


def check(tmp_path, rows):
    installed = {row.words[0] for row in rows if shutil.which(row.words[0])}
    rows = [row for row in rows if row.words[0] in installed]
    if len(rows) < 30:
        pytest.skip("too few of the programs are installed")
    tools = learn(tmp_path, sorted(installed))
    wrong = {row.line: found for row in rows if (found := differences(row, tools[row.words[0]]))}
    assert len(wrong) <= (1 - EXACT) * len(rows), wrong


def test_quick_programs(tmp_path):
    check(tmp_path, [row for row in read_rows() if row.words[0] in QUICK])


def test_all_programs(tmp_path):
    check(tmp_path, read_rows())
