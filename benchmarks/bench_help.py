"""Figures of the help parser: helpbench through the adapter, and time per text.

    python benchmarks/bench_help.py [DIRECTORY OF helpbench]

Prints the scorer's table, then texts per second and the worst of the hostile texts, measured in
one run so that the two can be compared.
"""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

from atip.inference.help import infer_help

HERE = pathlib.Path(__file__).resolve().parent
HOSTILE = [" ", "-", "[", "(", "-a\n", "  -a, --bb CC  desc\n", "usage: ", "│ --a │ b │\n", '"a", ']


def main() -> int:
    """Runs everything; 0 if the scorer ran."""
    default = os.environ.get("ATIP_SHARED") or str(HERE.parent.parent / "shared")
    bench = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else f"{default}/helpbench")
    adapter = f"{sys.executable} {HERE / 'adapters' / 'help.py'}"
    corpus = bench / "dev.jsonl.gz"
    command = [sys.executable, str(bench / "score.py"), "--corpus", str(corpus), "--cmd", adapter]
    code = subprocess.run(command, check=False).returncode
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        texts = [one["help_text"] for line in lines for one in json.loads(line)["commands"]]
    begin = time.process_time()
    for text in texts:
        infer_help(text)
    spent = time.process_time() - begin
    size = sum(map(len, texts))
    print(
        f"{len(texts)} texts, {size} characters: {spent:.2f} s CPU, {spent / size * 1e6:.2f} s/MB"
    )
    for unit in HOSTILE:
        begin = time.process_time()
        infer_help(unit * (1_000_000 // len(unit)))
        print(f"1 MB of {unit!r}: {time.process_time() - begin:.2f} s CPU")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
