"""Who may import whom: downward only; pure packages touch nothing; one package imports each third-party package."""

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
    "proving": 4,
    "crawler": 5,
    "pages": 5,
    "session": 5,
    "api": 5,
    "validator": 6,
    "workflows": 6,
    "toolbox": 7,
    "async_toolbox": 8,
    "wrapped": 8,
    "server": 9,
    "cli": 10,
    "__main__": 11,
}
PURE = {"errors", "version", "model", "calls", "codecs", "inference", "policy", "trust"}
ALONE = {"sdk", "knowledge"}
RANKS = (
    # workflows, from the bottom up: a module imports only what stands in a line above its own
    {"api.sessions", "overrides", "verify"},
    {"lookup"},
    {"host", "run.hooks", "run.masked", "run.packages", "verify_command"},
    {
        "api.approve",
        "bundle.host",
        "claims",
        "cmp.places",
        "proof.evidence",
        "judge",
        "run.rewrite",
        "scan.shims",
    },
    {"bundle.judge", "explain_page", "look", "run.plan", "search.sources"},
    {"api.programs", "search.beside"},
    {"scan.machine"},
    {"api.caller"},
    {"api.operations", "run.undo"},
    {"run.line", "run.runner", "scan.infer", "search.find", "sync", "tools"},
    {"run.on_copy"},
    {
        "api.call",
        "agents.call",
        "agents.client_tools",
        "cmp.run",
        "agents.context",
        "proof.cases",
        "proof.observe",
        "run.pattern",
        "run.preview",
    },
    {"bundle.author", "proof.record"},
    {"bundle.run"},
)
DOORS = {"subprocess", "socket", "urllib", "tempfile", "http", "ssl", "asyncio"}
DOOR_ROOMS = {"system", "sandbox"}
ASYNC_ROOMS = {"server", "apis", "async_toolbox", "wrapped", "system", "sandbox"}
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
    "jinja2": {"pages"},
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
        elif isinstance(node, ast.ImportFrom) and (node.module or node.level):
            start = package_of(path, node.level) if node.level else []
            module = ".".join([*start, *filter(None, [node.module])])
            found.append(module)
            found += [f"{module}.{alias.name}" for alias in node.names]
    return found


def package_of(path: pathlib.Path, level: int) -> list[str]:
    """The package that a relative import of this level begins in."""
    parts = path.relative_to(SOURCE.parent).parts
    return list(parts[: len(parts) - level])


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
    """Rooms that a file knows of, if only as types."""
    return {name.split(".")[1] for name in imports(path) if name.startswith("atip.")}


def may_import(room: str, other: str) -> bool:
    if room == "sdk":
        return False
    if room == "knowledge":
        return other in {"model", "errors", "calls"}
    if other == "knowledge":  # data: everything from calls upward may read it
        return LAYERS[room] >= LAYERS["calls"]
    if other == "sdk":
        return room == "cli"
    if room == "errors":
        return other == "model"  # the type of the problems that an error carries
    return LAYERS[other] < LAYERS[room]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_downward(path):
    room = room_of(path)
    if room == "__init__" or path.name in ("python_hooks.py", "python_trees.py"):
        return  # the front door, and what runs elsewhere and is never imported by us
    for other in rooms_imported(path) - {room}:
        assert may_import(room, other), f"{room} imports {other}"


def test_workflows_import_lower_ranks_only():
    rank = {name: number for number, names in enumerate(RANKS) for name in names}
    folder = SOURCE / "workflows"
    found = {
        ".".join(path.relative_to(folder).with_suffix("").parts): path
        for path in folder.rglob("*.py")
        if path.name != "__init__.py"
    }
    assert set(found) == set(rank)
    for name, path in found.items():
        others = {one.removeprefix("atip.workflows.") for one in imports(path)} & set(rank)
        for other in others - {name}:
            assert rank[other] < rank[name], f"workflows.{name} imports workflows.{other}"


@pytest.mark.parametrize("room", ["cli", "server", "async_toolbox"])
def test_doors_use_the_toolbox_only(room):
    for path in modules():
        if room_of(path) == room:
            assert "workflows" not in rooms_imported(path), path


def edges() -> dict[str, set[str]]:
    """Module → modules of ours that it imports anywhere: at the top, late, or for types alone."""
    names = {}
    for path in modules():
        name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        names[name.removesuffix(".__init__")] = path
    return {
        name: {other for other in imports(path) if other in names} - {name}
        for name, path in names.items()
    }


def test_there_is_no_import_cycle():
    """A cycle in types is a cycle in design."""
    left = edges()
    while True:  # what imports nothing that is left is in no cycle
        done = {name for name, others in left.items() if not others & set(left)}
        if not done:
            break
        left = {name: others for name, others in left.items() if name not in done}
    # ... and neither is what nobody that is left imports
    while True:
        imported = {other for others in left.values() for other in others}
        done = set(left) - imported
        if not done:
            break
        left = {name: others for name, others in left.items() if name not in done}
    assert not left


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_the_doors_touch_the_system(path):
    room = room_of(path)
    tops = {name.split(".")[0] for name in runtime_imports(path)} & DOORS
    if room in DOOR_ROOMS or path.relative_to(SOURCE).as_posix() == "sdk/check/__main__.py":
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
            if node.func.id == "exec" and path.name == "value.py":
                continue  # constructors of our own classes, as `dataclasses` makes them
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
