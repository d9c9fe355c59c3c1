"""Flags of ordinary tools with completion scripts, against their own help and manual page.

    python benchmarks/bench_completions.py [TOOL…]

Every tool that has a completion script here, or a sample of them at even distances; no tool is chosen for its result.
A flag of the root is corroborated if its help (asked in the probe sandbox) or its formatted manual page holds the word.
Install `bash-completion`, `zsh-common` and `fish-common` first: the more scripts, the more there is to be wrong about.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import typing

import atip
from atip.discovery.files.documents import InstalledTexts
from atip.sandbox.probes.probe import ProbeSandbox
from benchmarks.measure import figure

SAMPLE = 60
BAR = 0.98
PREFIXES = ("/usr/local", "/usr")
QUESTIONS = ("--help", "-h", "help", "-?")
_FLAG = re.compile(r"(?<![\w-])--?[\w?@#:][\w.+-]*")
_NEGATED = re.compile(r"--\[no-?\]([\w-]+)")


def main() -> bool:
    names = sys.argv[1:] if sys.argv[0].endswith("bench_completions.py") else []
    total = wrong = 0
    with tempfile.TemporaryDirectory() as home, ProbeSandbox() as sandbox:
        box = atip.Toolbox(home=home)
        for name in names or sample():
            words = documented(sandbox, name)
            try:
                inferred = box.infer(name)
            except atip.AtipError as error:
                print(f"--   {name}: {error}")
                continue
            flags = root_flags(inferred.tool)
            lost = sorted(flags - words)
            total, wrong = total + len(flags), wrong + len(lost)
            if lost:
                print(
                    f"     {name} ({inferred.source_kind}): not in its documents: {' '.join(lost[:12])}"
                )
    share = 1 - wrong / max(total, 1)
    name = f"flags at the root from completions that documents name, of {total}"
    return figure(name, share, BAR, unit="share", higher=True)


def sample() -> list[str]:
    """Tools with a completion script and a document, at even distances in the order of their names."""
    texts = InstalledTexts(PREFIXES)
    folders = [f"{prefix}/{folder}" for prefix in PREFIXES for folder in ("bin", "sbin")]
    programs = {name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)}
    candidates = [
        n for n in sorted(programs) if texts.man(n) and any(True for _ in texts.completions(n))
    ]
    step = max(1, len(candidates) // SAMPLE)
    return candidates[::step][:SAMPLE]


def documented(sandbox: ProbeSandbox, name: str) -> set[str]:
    """Every word that looks like a flag in help and manual page."""
    program = shutil.which(name) or name
    answers = [sandbox.run([program, question], wall_s=5.0) for question in QUESTIONS]
    text = "\n".join(
        (one.stdout + b"\n" + one.stderr).decode("utf-8", "replace") for one in answers
    )
    environment = {**os.environ, "MANWIDTH": "250", "LC_ALL": "C.UTF-8", "MANROFFOPT": "-c"}
    page = subprocess.run(
        ["man", "-P", "cat", name], capture_output=True, stdin=subprocess.DEVNULL, env=environment
    )
    text += re.sub(r".\x08|\x1b\[[\d;]*m", "", page.stdout.decode("utf-8", "replace"))
    words = set(_FLAG.findall(text.replace("\u2212", "-")))
    words |= {form for word in _NEGATED.findall(text) for form in (f"--{word}", f"--no-{word}")}
    return words | {word.rstrip(".:-") for word in words}


def root_flags(tool: atip.Tool) -> set[str]:
    root: typing.Any = tool.find(("",))
    nodes = [tool.options, tool.global_options, root.options if root else None]
    options = [option for options in nodes for option in options or ()]
    # `--help` and `--version` count as documented once the program has answered to them.
    return {flag for option in options for flag in option.flags} - {"--help", "--version"}


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
