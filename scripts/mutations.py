"""Mutation check: switch each defence off in a copy of the tree, and see a test turn red.

    python scripts/mutations.py [--only ID]… [--list]

Reads conformance/mutations.toml: one small patch per defence and the tests that must notice it. First all those
tests must pass without a patch; then, for each patch, one of its tests must fail. A patch that does not apply or that
no test notices is printed, and the exit status is 1. The product itself has no switches.
"""

from __future__ import annotations

import argparse
import ast
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "conformance" / "mutations.toml"
COPIED = ("src", "tests", "conformance", "benchmarks", "docs", "examples", "scripts")
PER_TEST_S = 240


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--list", action="store_true", help="print the defences and end")
    options = parser.parse_args()
    defences = [one for one in load() if not options.only or one["id"] in options.only]
    if options.list:
        for one in defences:
            print(f"{one['id']:<36} {one['file']}")
        return 0
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        tree = copy_tree(pathlib.Path(folder))
        wrong = check_green(tree, defences)
        wrong += [trouble for one in defences if (trouble := check(tree, one))]
    print(f"{len(defences) - len(wrong)}/{len(defences)} defences are proven by a test")
    for line in wrong:
        print(f"SURVIVED {line}")
    return 1 if wrong or not defences else 0


def load() -> list[dict]:
    """The table; a patch that needs root is left out for everybody else."""
    table = tomllib.loads(TABLE.read_text())["defence"]
    names = [one["id"] for one in table]
    assert len(names) == len(set(names)), "two defences have the same id"
    return [one for one in table if os.geteuid() == 0 or not one.get("root")]


def copy_tree(folder: pathlib.Path) -> pathlib.Path:
    """What the tests need, without anything that was built."""
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    folder.chmod(0o755)  # tests that run as another user look into it
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignore, symlinks=True)
    for path in ROOT.iterdir():
        if path.is_file() and path.suffix in (".toml", ".md"):
            shutil.copy2(path, folder)
    return folder


def check_green(tree: pathlib.Path, defences: list[dict]) -> list[str]:
    """Without a patch everything passes: what turns red later does so because of the patch."""
    tests = sorted({test for one in defences for test in one["tests"]})
    code, output = run(tree, tests)
    return [] if code == 0 else [f"unpatched tests fail:\n{output[-3000:]}"]


def check_syntax(path: pathlib.Path) -> None:
    """Red for the wrong reason would prove nothing."""
    if path.suffix == ".pl":
        subprocess.run(["perl", "-c", path], check=True, capture_output=True)
    else:
        ast.parse(path.read_text())


def check(tree: pathlib.Path, one: dict) -> str:
    """Apply one patch; empty if a test noticed."""
    path = tree / one["file"]
    source = path.read_text()
    if source.count(one["old"]) != 1:
        return f"{one['id']}: the patch does not apply to {one['file']}"
    began = time.monotonic()
    patched = source.replace(one["old"], one["new"])
    path.write_text(patched)
    check_syntax(path)
    try:
        code, output = run(tree, one["tests"])
    finally:
        path.write_text(source)
    red = code == 1
    print(
        f"{'red ' if red else 'GREEN'} {one['id']:<36} {time.monotonic() - began:5.1f} s",
        flush=True,
    )
    if red:
        return ""
    reason = "no test turned red" if code == 0 else f"the tests did not run ({code})"
    return f"{one['id']}: {reason}\n{output[-1500:] if code else ''}".rstrip()


def run(tree: pathlib.Path, tests: list[str]) -> tuple[int, str]:
    """pytest on some tests of the copy: 0 green, 1 red, others did not run."""
    if not tests:
        return 5, "no test is named"
    env = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not soak"]
    # by thread: a test that hangs in a library is ended, too, and counts as red
    options += ["--timeout", str(PER_TEST_S), "--timeout-method", "thread"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=tree,
        env=env,
        check=False,
        capture_output=True,
        text=True,
        timeout=PER_TEST_S * (4 + len(tests)),
    )
    return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
