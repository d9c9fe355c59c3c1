"""What people type, against what was learnt: intentbench's invocations of the tools that are installed here.

    python benchmarks/bench_invocations.py [--install] [DIRECTORY OF intentbench]

Learns every such tool (`scan --learn`) into a store of its own, writes what it knows with the adapter, and scores. Takes
minutes. `--install` first installs the Debian packages that the data names, in batches (root, and gigabytes).
"""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing

import atip
from atip.discovery.scan import ScanOptions
from benchmarks.measure import figure

HERE = pathlib.Path(__file__).resolve().parent
BAR = 0.90
BATCH = 40


def main() -> bool:
    words = sys.argv[1:] if sys.argv[0].endswith("bench_invocations.py") else []
    default = os.environ.get("ATIP_SHARED") or str(HERE.parent.parent / "shared")
    folders = [word for word in words if not word.startswith("--")]
    bench = pathlib.Path(folders[0] if folders else f"{default}/intentbench")
    data = bench / "invocations.dev.jsonl.gz"
    with gzip.open(data, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    if "--install" in words:
        install(rows)
    names = sorted({row["tool"] for row in rows if shutil.which(row["tool"])})
    with tempfile.TemporaryDirectory() as home:
        box = atip.Toolbox(home=home)
        print(json.dumps(box.scan(ScanOptions(only=tuple(names), learn=True)).summary()["sources"]))
        nodes, out = pathlib.Path(home) / "nodes.jsonl", pathlib.Path(home) / "score.json"
        environment = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        adapter = [sys.executable, str(HERE / "adapters" / "invocations.py"), str(nodes)]
        subprocess.run(adapter, check=True, env={**environment, "HOME": home})
        scorer = [sys.executable, str(bench / "score_invocations.py"), "--data", str(data)]
        subprocess.run(
            [*scorer, "--meta", str(nodes), "--only-known-tools", "--json", str(out)], check=True
        )
        complete = json.loads(out.read_text())["all"]["complete"]
    name = f"lines of {len(names)} tools read completely"
    return figure(name, complete, BAR, unit="share", higher=True)


def install(rows: list[dict[str, typing.Any]]) -> None:
    """Debian packages whose program is confirmed to be the one that the data means."""
    confirmed = [row for row in rows if row["debian_match"] in ("high", "alternative")]
    packages = sorted({row["debian_package"] for row in confirmed if row["debian_package"]})
    for start in range(0, len(packages), BATCH):
        apt(packages[start : start + BATCH])


def apt(packages: list[str]) -> None:
    """A batch; halves of it where a package of it cannot be installed."""
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL)
    if done.returncode and len(packages) > 1:
        middle = len(packages) // 2
        apt(packages[:middle])
        apt(packages[middle:])
    elif done.returncode:
        print(f"--   {packages[0]}: cannot be installed here")


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
