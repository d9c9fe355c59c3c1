"""Who may import whom: downward only; pure rooms touch nothing; one door per third-party package."""

from __future__ import annotations

import ast
import pathlib

import pytest

from tests.shared import ROOT

SOURCE = ROOT / "src" / "atip"

LAYERS = {
    "errors": 0,
    "version": 0,
    "model": 1,
    "calls": 2,
    "system": 2,
    "codecs": 3,
    "inference": 3,
    "policy": 3,
    "trust": 3,
    "sandbox": 3,
    "discovery": 4,
    "registry": 4,
    "search": 4,
    "bundles": 4,
    "apis": 4,
    "execution": 4,
    "crawler": 5,
    "api_sessions": 5,
    "toolbox": 6,
    "api": 6,
    "session": 6,
    "explaining": 6,
    "running": 6,
    "planning": 6,
    "pattern_running": 6,
    "inferring": 6,
    "observing": 6,
    "previewing": 6,
    "calling": 6,
    "searching": 6,
    "api_calling": 6,
    "cmp_running": 6,
    "cmp_looking": 6,
    "search_sources": 6,
    "verifying": 6,
    "bundling": 6,
    "bundle_running": 6,
    "bundle_judging": 6,
    "bundle_authoring": 6,
    "syncing": 6,
    "establishing": 6,
    "async_toolbox": 6,
    "server": 7,
    "cli": 7,
}
PURE = {"errors", "version", "model", "calls", "codecs", "inference", "policy", "trust"}
ALONE = {"sdk", "knowledge"}
SIDE_BY_SIDE = {
    ("inference", "knowledge"),
    ("calls", "knowledge"),
    ("cli", "server"),
    ("cli", "sdk"),
    ("toolbox", "api"),
    ("toolbox", "session"),
    ("async_toolbox", "toolbox"),
    ("async_toolbox", "running"),
    ("async_toolbox", "observing"),
    ("async_toolbox", "previewing"),
    ("toolbox", "explaining"),
    ("toolbox", "verifying"),
    ("toolbox", "syncing"),
    ("syncing", "toolbox"),
    ("explaining", "establishing"),
    ("establishing", "verifying"),
    ("syncing", "verifying"),
    ("toolbox", "running"),
    ("toolbox", "bundling"),
    ("toolbox", "bundle_running"),
    ("bundling", "running"),
    ("bundling", "bundle_running"),
    ("bundle_running", "bundling"),
    ("bundle_running", "running"),
    ("bundle_running", "explaining"),
    ("bundle_running", "bundle_judging"),
    ("bundle_judging", "explaining"),
    ("bundle_authoring", "explaining"),
    ("bundle_authoring", "observing"),
    ("toolbox", "calling"),
    ("calling", "running"),
    ("calling", "session"),
    ("toolbox", "searching"),
    ("searching", "toolbox"),
    ("api_calling", "toolbox"),
    ("calling", "api_calling"),
    ("api_calling", "running"),
    ("toolbox", "cmp_running"),
    ("cmp_running", "toolbox"),
    ("cmp_running", "searching"),
    ("cmp_running", "running"),
    ("cmp_running", "explaining"),
    ("cmp_running", "cmp_looking"),
    ("searching", "cmp_looking"),
    ("searching", "search_sources"),
    ("search_sources", "cmp_looking"),
    ("search_sources", "bundling"),
    ("search_sources", "toolbox"),
    ("toolbox", "cmp_looking"),
    ("cmp_looking", "toolbox"),
    ("running", "toolbox"),
    ("running", "explaining"),
    ("running", "planning"),
    ("toolbox", "pattern_running"),
    ("pattern_running", "toolbox"),
    ("pattern_running", "running"),
    ("toolbox", "inferring"),
    ("inferring", "toolbox"),
    ("planning", "explaining"),
    ("toolbox", "observing"),
    ("observing", "running"),
    ("observing", "planning"),
    ("observing", "toolbox"),
    ("previewing", "running"),
    ("previewing", "toolbox"),
    ("toolbox", "previewing"),
    ("session", "api"),
    ("api", "toolbox"),
}
DOORS = {"subprocess", "socket", "urllib", "tempfile", "http", "ssl", "asyncio"}
DOOR_ROOMS = {"system", "sandbox"}
ASYNC_ROOMS = {"server", "apis", "async_toolbox", "system", "sandbox"}
ONE_ROOM = {
    "msgspec": {"model"},
    "ruamel": {"model"},
    "re2": {"model"},
    "nodesemver": {"bundles", "model"},
    "jsonschema_rs": {"model"},
    "zstandard": {"system"},
    "httpx2": {"system", "apis"},
    "httpcore2": {"system"},
    "tuf": {"registry"},
    "rich": {"cli"},
    "mcp": {"server", "system"},
    "mcp_types": {"server", "system"},
    "uvicorn": {"server"},
    "obstore": {"system"},
}
FORBIDDEN_NAMES = {
    "utils",
    "helpers",
    "common",
    "core",
    "base",
    "manager",
    "handler",
    "impl",
    "types",
    "misc",
}


def modules() -> list[pathlib.Path]:
    return sorted(path for path in SOURCE.rglob("*.py"))


def room_of(path: pathlib.Path) -> str:
    relative = path.relative_to(SOURCE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path: pathlib.Path) -> list[str]:
    """Every module imported anywhere in a file, those only for type checking included."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def runtime_imports(path: pathlib.Path) -> list[str]:
    """Imports that can run: not those under `if TYPE_CHECKING`."""
    tree = ast.parse(path.read_text())
    hidden: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for child in node.body:
                hidden.update(id(inner) for inner in ast.walk(child))
    found = []
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return found


def rooms_imported(path: pathlib.Path) -> set[str]:
    return {name.split(".")[1] for name in runtime_imports(path) if name.startswith("atip.")}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_downward(path):
    room = room_of(path)
    if room in {"__init__"} or path.name in (
        "python_hooks.py",
        "python_trees.py",
    ):  # runs elsewhere, never imported by us
        return
    for other in rooms_imported(path) - {room}:
        if room in ALONE:
            assert room == "knowledge" and other in {"model", "errors", "calls"}, (
                f"{room} must stand alone, imports {other}"
            )
            continue
        if (room, other) in SIDE_BY_SIDE or (other == "knowledge" and LAYERS[room] >= 2):
            continue  # knowledge is data: everything from calls upward may read it
        assert other in LAYERS, f"unknown room {other}"
        assert LAYERS[other] < LAYERS[room], f"{room} (layer {LAYERS[room]}) imports {other}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_the_doors_touch_the_system(path):
    room = room_of(path)
    tops = {name.split(".")[0] for name in runtime_imports(path)} & DOORS
    if room in DOOR_ROOMS or path.relative_to(SOURCE).as_posix() == "sdk/check.py":
        return  # an author runs `python -m atip.sdk.check` on their own tool
    if room in ASYNC_ROOMS:
        tops -= {"asyncio"}
    if "urllib.parse" in runtime_imports(path):
        tops -= {"urllib"}
    assert not tops, f"{room} imports {tops}"


@pytest.mark.parametrize(
    "path",
    [p for p in modules() if room_of(p) in PURE],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_pure_rooms_do_no_input_or_output(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input", "exec", "eval"}, (
                f"{node.func.id}() in a pure room"
            )
    assert not {"time", "datetime", "random", "os", "sys", "shutil"} & {
        name.split(".")[0] for name in runtime_imports(path)
    }


@pytest.mark.parametrize("package", ONE_ROOM)
def test_a_package_has_one_door(package):
    users = {
        room_of(path)
        for path in modules()
        if package in {name.split(".")[0] for name in runtime_imports(path)}
    }
    assert users <= ONE_ROOM[package]


def test_no_room_or_file_has_an_empty_name():
    for path in SOURCE.rglob("*"):
        if path.is_dir() or path.suffix == ".py":
            assert path.stem not in FORBIDDEN_NAMES, path


def test_no_module_is_too_long():
    for path in modules():
        text = path.read_text()
        if "\nData.\n" in text[:800] or " Data.\n" in text[:800] or "Data for" in text[:800]:
            continue
        assert text.count("\n") <= 400, f"{path} has {text.count(chr(10))} lines"


def test_importing_atip_loads_no_room():
    import subprocess
    import sys

    code = "import sys, atip; print(sorted(m for m in sys.modules if m.startswith('atip')))"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert out.strip() == "['atip', 'atip.version']"


def test_forbidden_calls_are_absent():
    banned = (
        "shell=True",
        "os.system(",
        "pickle",
        "yaml.load(",
        "extractall(",
        "verify=False",
        "mktemp(",
    )
    for path in modules():
        text = path.read_text()
        for word in banned:
            assert word not in text, f"{word} in {path}"
