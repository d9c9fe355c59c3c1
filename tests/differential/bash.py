"""Run generated lines in a real bash, confined, and tell which markers ran.

One process runs a batch. Each line is read by `eval` in a subshell of its own, as `bash -c` would read it; whether
bash accepts it at all is tried first, as the body of a function that nobody calls.
"""

from __future__ import annotations

import pathlib
import typing

from atip.model.permissions.confinement import ANY_PROGRAM, Confinement, Limits
from atip.sandbox.run import RunRequest, run_confined
from atip.sandbox.verified import seal
from tests.differential.grammar import PLACES

if typing.TYPE_CHECKING:
    from collections.abc import Collection, Sequence

BASH = "/bin/bash"
_PROGRAM = '#!/bin/sh\necho "$1" >> {folder}/log\n[ $(($1 % 2)) = 1 ]\n'
_DRIVER = """
exec 2>/dev/null </dev/null >/dev/null
PATH={folder}/bin:/usr/bin:/bin
ulimit -t 5 -f 2000
mark() {{ builtin echo "$1" >> {folder}/log; return $((1 - $1 % 2)); }}
builtin mapfile -d '' -t lines < {folder}/lines
asked=({asked})
for ((start = 0; start < ${{#lines[@]}}; start += 20)); do
    (
        for ((number = start; number < start + 20; number++)); do
            builtin eval "f() {{
${{lines[number]}}
}}" && echo "accepted $number" >> {folder}/log
        done
    )
done
for number in "${{!lines[@]}}"; do
    echo "line $number" >> {folder}/log
    [[ ${{asked[number]}} ]] || (cd {folder}/work; line=${{lines[number]}}; unset lines number; builtin eval "$line"; builtin wait)
done
echo end >> {folder}/log
"""


class Ran:
    """What a batch did: numbers of markers by line, and the lines that bash accepts."""

    def __init__(self) -> None:
        self.marks: dict[int, set[int]] = {}
        self.accepted: set[int] = set()
        self.finished = False
        self.last = -1


def run_batch(
    lines: Sequence[str], folder: pathlib.Path, *, first: int, asked: Collection[int] = ()
) -> Ran:
    """Run lines whose markers begin at `first * PLACES`; a line that hangs ends the batch.

    Args:
        asked: lines about which somebody is asked; whether bash accepts them is tried, but they are not run.
    """
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    (folder / "work").mkdir(exist_ok=True)
    program = folder / "bin" / "mark"
    program.write_text(_PROGRAM.format(folder=folder))
    program.chmod(0o755)
    (folder / "lines").write_bytes(b"\0".join(line.encode() for line in lines))
    (folder / "log").write_bytes(b"")
    confinement = Confinement(
        fs_write=(f"{folder}/**",), exec_allow=True, exec_spawn=(ANY_PROGRAM,),
        limits=Limits(wall_s=20 + len(lines) / 20, processes=200, memory_bytes=1 << 30),
    )  # fmt: skip
    driver = _DRIVER.format(folder=folder, asked=" ".join(f"[{number}]=1" for number in asked))
    binary = seal(BASH)
    try:
        request = RunRequest(
            argv=("bash", "--norc", "-c", driver), binary=binary, cwd=str(folder), caller_env={}
        )
        run_confined(confinement, request, lambda _name, _data: None)
    finally:
        binary.close()
    return _read_log((folder / "log").read_text(errors="replace"), first)


def _read_log(log: str, first: int) -> Ran:
    ran = Ran()
    for entry in log.splitlines():
        word, _, rest = entry.partition(" ")
        if word == "line":
            ran.last = int(rest)
        elif word == "accepted":
            ran.accepted.add(int(rest))
        elif word == "end":
            ran.finished = True
        elif word.isdigit() and int(word) >= first * PLACES:
            ran.marks.setdefault((int(word) - 1) // PLACES - first, set()).add(int(word))
    return ran
