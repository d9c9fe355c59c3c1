"""The pack of compiled modules: used by the program, never stale, never needed."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

from atip.cli.module_pack import PackedLoader, PackFinder

EXPLAIN = [sys.executable, "-m", "atip.cli.main", "explain", "ls -la"]
LOADERS = (
    "import sys; from atip.cli import module_pack; module_pack.install(); import atip.toolbox;"
    "print(type(atip.toolbox.__loader__).__name__, atip.toolbox.__file__)"
)


def run(argv: list[str], cache: pathlib.Path, **more: str) -> str:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env |= {"PYTHONPYCACHEPREFIX": str(cache), "HOME": str(cache), **more}
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=True).stdout


def pack_of(cache: pathlib.Path) -> list[pathlib.Path]:
    return list(cache.rglob("*.pack"))


def test_the_first_call_makes_it_and_the_next_one_uses_it(tmp_path: pathlib.Path) -> None:
    first = run(EXPLAIN, tmp_path)
    (pack,) = pack_of(tmp_path)
    made = pack.stat().st_mtime_ns
    loader, file = run([sys.executable, "-c", LOADERS], tmp_path).split()
    assert loader == "PackedLoader"
    assert file.endswith("/atip/toolbox.py")
    assert run(EXPLAIN, tmp_path) == first
    assert pack.stat().st_mtime_ns == made, "nothing new was loaded: it is not written again"


def test_a_damaged_pack_is_ignored_and_replaced(tmp_path: pathlib.Path) -> None:
    first = run(EXPLAIN, tmp_path)
    (pack,) = pack_of(tmp_path)
    good = pack.read_bytes()
    for damaged in (b"", b"\xff" * 64, good[:1000], b"\0" * 8 + good[8:]):
        pack.write_bytes(damaged)
        assert run(EXPLAIN, tmp_path) == first
    assert run([sys.executable, "-c", LOADERS], tmp_path).startswith("PackedLoader")


def test_no_bytecode_no_pack(tmp_path: pathlib.Path) -> None:
    run(EXPLAIN, tmp_path, PYTHONDONTWRITEBYTECODE="1")
    assert pack_of(tmp_path) == []


def test_importing_atip_installs_nothing() -> None:
    code = "import sys; n = len(sys.meta_path); import atip.toolbox; print(len(sys.meta_path) - n)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


@pytest.fixture
def packed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[PackFinder, pathlib.Path]:
    """A pack with one small module in it."""
    source = tmp_path / "packed_probe.py"
    source.write_text("VALUE = 1\n")
    spec = importlib.util.spec_from_file_location("atip.packed_probe", source)
    assert spec is not None and spec.loader is not None
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "atip.packed_probe", module)
    PackFinder(
        str(tmp_path / "modules.pack"), [str(tmp_path)]
    ).update()  # all that is loaded is new to it
    pack = PackFinder(str(tmp_path / "modules.pack"), [str(tmp_path)])
    pack.read()
    return pack, source


def test_a_module_of_the_pack(packed: tuple[PackFinder, pathlib.Path]) -> None:
    spec = packed[0].find_spec("atip.packed_probe")
    assert spec is not None and isinstance(spec.loader, PackedLoader)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.VALUE == 1
    assert spec.loader.get_source("atip.packed_probe") == "VALUE = 1\n"


def test_a_changed_source_is_not_taken_from_the_pack(
    packed: tuple[PackFinder, pathlib.Path],
) -> None:
    pack, source = packed
    status = source.stat()
    source.write_text("VALUE = 2\n")  # as long as before
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert pack.find_spec("atip.packed_probe") is None
    source.unlink()
    assert pack.find_spec("atip.packed_probe") is None


def test_others_are_left_to_python(packed: tuple[PackFinder, pathlib.Path]) -> None:
    assert packed[0].find_spec("json") is None
    assert packed[0].find_spec("atip.no_such_module") is None


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import atexit; atexit.register(print, 'late')", "late"),
        (
            "import threading, time\n"
            "threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()",
            "thread",
        ),
    ],
)
def test_the_end_runs_what_was_registered(code: str, told: str) -> None:
    """What a process still has to do is done, and the exit code stays."""
    program = f"{code}\nimport sys; from atip.cli.main import main\nsys.argv = ['atip', 'no-such-verb']\nsys.exit(main())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == told
    assert done.returncode == 2
