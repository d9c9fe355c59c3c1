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
from benchmarks.measure import figure

HERE = pathlib.Path(__file__).resolve().parent
HOSTILE = [" ", "-", "[", "(", "-a\n", "  -a, --bb CC  desc\n", "usage: ", "│ --a │ b │\n", '"a", ']


def main() -> bool:
    """Runs everything; whether the scorer ran and no text is slow."""
    default = os.environ.get("ATIP_SHARED") or str(HERE.parent.parent / "shared")
    named = sys.argv[1:] if __name__ == "__main__" else []
    bench = pathlib.Path(named[0] if named else f"{default}/helpbench")
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
    figure(f"{len(texts):,} help texts read", spent / size * 1e6, None, unit="s CPU/MB")
    worst = 0.0
    for unit in HOSTILE:
        begin = time.process_time()
        infer_help(unit * (1_000_000 // len(unit)))
        worst = max(worst, time.process_time() - begin)
    name = f"1 MB of hostile help text, worst of {len(HOSTILE)}"
    return figure(name, worst, 1.0, unit="s CPU") and code == 0


if __name__ == "__main__":
    raise SystemExit(not main())
