"""Start-up: CPU of common commands over CPU of a bare interpreter of the same virtual environment."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import tempfile

from benchmarks.measure import cpu_of_command, ratio, report

SMALL = {
    "atip": {"version": "0.6"},
    "name": "x",
    "version": "1",
    "description": "does things",
    "commands": {"run": {"description": "Run it", "effects": {"network": False}}},
}


def main() -> bool:
    python = sys.executable
    command = str(pathlib.Path(python).parent / "atip")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HOME": folder}
        for name in [name for name in env if name.startswith("XDG_")]:
            del env[name]
        # an installation has its bytecode; a fresh checkout gets it with the first call
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        small = pathlib.Path(folder) / "small.json"
        small.write_text(json.dumps(SMALL))
        fill_store(folder)

        def bare() -> float:
            return cpu_of_command([python, "-c", "pass"], env)

        for name, argv, bar in (
            ("import atip / bare python", [python, "-c", "import atip"], 1.3),
            ("atip --version / bare python", [command, "--version"], 2.0),
            ("atip validate small.json / bare python", [command, "validate", str(small)], 4.0),
            ("atip show NAME --json / bare python", [command, "show", "tool7", "--json"], 3.0),
            ("atip list of 1,000 --json / bare python", [command, "list", "--json"], 3.5),
        ):
            good &= report(
                name, ratio(lambda argv=argv: cpu_of_command(argv, env), bare, rounds=15), bar
            )
    return good


def fill_store(home: str, size: int = 1000) -> None:
    """A store with this many known tools."""
    from atip.registry.store import Store
    from atip.system.clock import now_iso
    from atip.system.paths import find_places

    store = Store(find_places(home=home, cwd=home))
    entries = {}
    status = os.stat(sys.executable)
    key = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    for number in range(size):
        digest = f"sha256:{number:064x}"
        hashed = store.save_metadata(
            f"tools/sha256-{number:064x}.json", {**SMALL, "name": f"tool{number}"}
        )
        entries[f"tool{number}"] = {
            "path": sys.executable,
            "hash": digest,
            "source": "native",
            "lastChecked": now_iso(),
            "x-atip": {
                "metadataHash": hashed,
                "rung": "native",
                "stat": key,
                "description": "does things",
            },
        }
    store.put(entries)


if __name__ == "__main__":
    raise SystemExit(not main())
