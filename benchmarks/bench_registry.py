"""Publishing 100,000 shims: the build against hashing and writing the same bytes, and a rebuild of 100 changes.

CPU time, user and system; the other side holds all bytes in memory already and need not read them. `SHIMS=20000
python -m benchmarks registry` takes fewer.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
import tempfile

from atip.registry.publish.build import BuildOrder, build
from benchmarks.measure import cpu_of_call, report

SHIMS = int(os.environ.get("SHIMS", "100000"))
CHANGES = 100
RELEASE = 1_768_435_200.0


def shim(number: int, *, text: str = "", danger: bool = False) -> tuple[str, bytes]:
    """A shim of about 3 KB: three commands with seven options each; eight shims to a tool.

    `text` and `danger` make the two usual updates: a description is corrected, an effect is added.
    """
    digits = hashlib.sha256(b"%d" % number).hexdigest()
    options = [
        {"name": f"o{i}", "flags": [f"-{chr(97 + i)}", f"--option-{i}"], "type": "string", "description": "what it is for, in a few words"}
        for i in range(7)
    ]  # fmt: skip
    command = {
        "description": "Does one thing",
        "options": options,
        "effects": {"network": True, "filesystem": {"read": True, "write": number % 3 == 0}},
    }
    document = {
        "atip": {"version": "0.6"},
        "binary": {
            "hash": f"sha256:{digits}",
            "name": f"tool{number // 8}",
            "version": f"1.{number % 4}",
            "platform": "linux-amd64" if number % 8 < 4 else "linux-arm64",
        },
        "trust": {"source": "community", "verified": False},
        "description": f"Tool number {number // 8}",
        "commands": dict.fromkeys(("get", "put", "drop"), command),
    }
    if text:
        document["commands"]["put"] = {**command, "description": text}
    if danger:
        document["commands"]["drop"] = {
            **command,
            "effects": {**command["effects"], "destructive": True},
        }
    return digits, json.dumps(document).encode()


def hash_and_write(contents: dict[str, bytes], folder: pathlib.Path) -> None:
    folder.mkdir()
    for digits, data in contents.items():
        hashlib.sha256(data).hexdigest()
        with open(folder / f"{digits}.json", "wb") as file:
            file.write(data)


def main() -> bool:
    root = pathlib.Path(tempfile.mkdtemp(prefix="atip-bench-"))
    try:
        return _measure(root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _measure(root: pathlib.Path) -> bool:
    source = root / "source"
    contents = dict(shim(number) for number in range(SHIMS))
    hash_and_write(contents, _made(source / "shims"))
    (source / "publisher.json").write_text('{"name": "Bench", "url": "https://registry.example"}')
    order = BuildOrder(
        folder=str(source),
        place=str(root / "public"),
        at=RELEASE,
        keys=str(root / "keys"),
        judge=False,
    )
    # Imports and keys are made once; both belong to no build.
    (root / "small" / "shims").mkdir(parents=True)
    shutil.copy(source / "publisher.json", root / "small")
    build(order.replace(folder=str(root / "small"), place=str(root / "small" / "public")))
    other = cpu_of_call(lambda: hash_and_write(contents, root / "plain"))
    ours = cpu_of_call(lambda: build(order))
    good = report(f"build {SHIMS:,} shims / hash and write", (ours, other, ours / other), 2.0)
    again = cpu_of_call(lambda: build(order.replace(at=RELEASE + 60)))
    good &= report("nothing changed / build", (again, ours, again / ours), 0.1)
    _change(source, round_=1)
    few = cpu_of_call(lambda: build(order.replace(at=RELEASE + 120)))
    good &= report(
        f"rebuild {CHANGES} changes, found by a walk / build", (few, ours, few / ours), 0.05
    )
    names = _change(source, round_=2)
    told = order.replace(at=RELEASE + 180, changed=tuple(names))
    few = cpu_of_call(lambda: build(told))
    return (
        report(f"rebuild {CHANGES} changes, told / build", (few, ours, few / ours), 0.05) and good
    )


def _change(source: pathlib.Path, round_: int) -> list[str]:
    """Correct a description in each of the changed shims, and add an effect to every tenth."""
    names = []
    for number in range(CHANGES):
        place = number * (SHIMS // CHANGES) + round_
        digits, data = shim(place, text="Corrected", danger=number % 10 == 0)
        (source / "shims" / f"{digits}.json").write_bytes(data)
        names.append(f"{digits}.json")
    return names


def _made(folder: pathlib.Path) -> pathlib.Path:
    folder.parent.mkdir(parents=True)
    return folder
