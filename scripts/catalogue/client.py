"""A machine with the catalogue and without: `python scripts/catalogue/client.py FOLDER` (the folder of `make catalogue`).

Serves the catalogue on loopback, adds it by its fingerprint in a home of its own and scans this machine; then the same in a
home without it. Prints the share of described tools, the time, what was executed, and how many executables of the installed
packages that were crawled in the same version came by hash.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import typing

from atip.crawler.depot import Depot
from atip.crawler.sources.apt_index import upstream

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

ATIP = str(pathlib.Path(sys.executable).with_name("atip"))
PROGRAMS = re.compile(r"/(usr/)?(s?bin|games)/[^/]+$")


def ask(home: str, *words: str) -> typing.Any:
    ran = subprocess.run(
        [ATIP, *words, "--json"],
        env={**os.environ, "HOME": home},
        stdout=subprocess.PIPE,
        check=False,
    )
    return json.loads(ran.stdout)


@contextlib.contextmanager
def served(place: pathlib.Path) -> Iterator[str]:
    command = [ATIP, "registry", "serve", str(place), "--port", "0"]
    with subprocess.Popen(
        command, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = re.findall(r"http://[0-9.:]+", server.stdout.readline())[0]
            # a full pipe would stop the server at the line that it logs next
            threading.Thread(target=server.stdout.read, daemon=True).start()
            yield address
        finally:
            server.kill()


def installed(depot: Depot) -> dict[str, str]:
    """Path → package, for programs of this machine whose package was crawled in the version that is installed."""
    listed = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${Version}\\n"], capture_output=True, text=True, check=True
    )  # fmt: skip
    here = {name: upstream(version) for name, version in map(str.split, listed.stdout.splitlines())}
    programs: dict[str, str] = {}
    for key in depot.known_results():
        result = depot.find_result(key) or {}
        source, _, name = str(result.get("package", "")).partition(":")
        if source == "apt" and here.get(name) == result["version"]:
            files = subprocess.run(
                ["dpkg", "-L", name], capture_output=True, text=True, check=False
            )
            for path in filter(PROGRAMS.match, files.stdout.splitlines()):
                if os.path.isfile(path) and os.access(path, os.X_OK):
                    programs[os.path.realpath(path)] = name
    return programs


def scan(home: str) -> tuple[dict[str, typing.Any], float]:
    began = time.monotonic()
    return ask(home, "scan"), time.monotonic() - began


def print_scan(title: str, report: dict[str, typing.Any], took: float) -> None:
    described = report["found"] - report["unknown"]
    share = 100 * described / max(1, report["found"])
    print(
        f"{title}: {described:,} of {report['found']:,} described ({share:.1f} %), "
        f"{report['sources'].get('shim', 0):,} by hash, {report['executed']} executed, {took:.0f} s"
    )


def main() -> int:
    folder = pathlib.Path(sys.argv[1]).absolute()
    fingerprint = json.loads((folder / "report.json").read_bytes())["registry"]["fingerprint"]
    with tempfile.TemporaryDirectory() as without:
        print_scan("without the catalogue", *scan(without))
    with tempfile.TemporaryDirectory() as home, served(folder / "registry" / "public") as address:
        ask(home, "registry", "add", address, "--name", "catalogue", "--fingerprint", fingerprint)
        print_scan("with the catalogue", *scan(home))
        tools = ask(home, "list")["tools"]
    by_hash = {os.path.realpath(one["path"]) for one in tools if one.get("rung") == "shim"}
    crawled = installed(Depot(str(folder / "state" / "depot")))
    missing = sorted(path for path in crawled if path not in by_hash)
    print(
        f"of crawled packages: {len(crawled) - len(missing):,} of {len(crawled):,} executables by hash"
    )
    print("not:", *(f"{path} ({crawled[path]})" for path in missing[:40]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
