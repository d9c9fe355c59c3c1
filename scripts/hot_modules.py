"""Which modules the commands of an agent's every step load, and how each module may spell `TYPE_CHECKING`.

    python scripts/hot_modules.py [--list] [--write]

`guard`, `explain`, `show`, `list`, `search`, `validate`, `run` and an unchanged `scan` start with every command an agent runs;
importing `typing` costs as much as nine tenths of a bare interpreter. The modules that they load, and the SDK, which starts with
other people's programs, write `TYPE_CHECKING = False`; all others write `from typing import TYPE_CHECKING`.
The list is measured, not kept: real commands in a home with tools, a policy and an override; then every line of `conformance/guard`.
See docs/decisions/0015-start-up.md.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "atip"
ALWAYS = (
    "sdk.",  # starts with programs of others
    "sandbox.bubblewrap.inner.",  # these four are processes of their own, with every run or probe
    "sandbox.bubblewrap.outer.",
    "sandbox.kernel.landlock_spawner.",
    "sandbox.probes.supervisor.",
)
CONSTANT = "TYPE_CHECKING = False\n"
PLAIN = "from typing import TYPE_CHECKING\n"
REPORT = (
    "import atexit, sys\nreport = sys.argv.pop(1)\n"
    "atexit.register(lambda: print(*sorted(sys.modules), file=open(report, 'w')))\n"
)
COMMAND = REPORT + "from atip.cli.main import main\nsys.exit(main())\n"
"""As the installed program starts: with the module pack, and with its own end."""
LINES = REPORT + (
    "from atip.toolbox import Toolbox\nbox = Toolbox()\n"
    "for line in open(sys.argv[1]).read().splitlines():\n"
    "    if line and line[0] != '#':\n"
    "        box.explain(line.replace('\u23ce', '\\n'))\n"
)
TOOL = {
    "atip": {"version": "0.6"},
    "name": "greet",
    "version": "1",
    "description": "Says words",
    "commands": {
        "say": {
            "description": "Say words aloud",
            "effects": {"network": False},
            "options": [
                {"name": "loud", "flags": ["--loud"], "type": "boolean", "description": "Loudly"}
            ],
        }
    },
}
TASKS = "sh build.sh; python3 -m build; nox -s test; just all; mypy .; ./build.sh"
PROJECT = {
    "Makefile": "all:\n\techo made\n",
    "package.json": '{"scripts": {"test": "echo tested"}}',
    "build.sh": "#!/bin/sh\necho built\n",
    "justfile": "all:\n    echo all\n",
    "mypy.ini": "[mypy]\nplugins = own.py\n",
    "noxfile.py": "import nox\n\n@nox.session\ndef test(session):\n    session.run('pytest')\n",
}
"""Files that the judge looks through."""
HOOKS = (
    {"tool_name": "Bash", "tool_input": {"command": "git status | head"}},
    {"tool_name": "Bash", "tool_input": {"command": f"npm test && make all; {TASKS}"}},
    {"tool_name": "Read", "tool_input": {"file_path": "README.md"}},
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the modules, one per line")
    parser.add_argument("--write", action="store_true", help="correct the spelling in every module")
    options = parser.parse_args()
    hot = measure()
    if options.list:
        print(*sorted(hot), sep="\n")
        return 0
    wrong = misspelled(hot)
    for path in wrong:
        if options.write:
            correct(path, hot)
        print(path.relative_to(ROOT))
    return 1 if wrong and not options.write else 0


def measure() -> frozenset[str]:
    """Names of our modules that a hot command loads."""
    with tempfile.TemporaryDirectory(prefix="hot-modules-") as folder:
        home = pathlib.Path(folder)
        make_home(home)
        modules: set[str] = set()
        for words in COMMANDS:
            modules |= loaded(home, COMMAND, *words)
        for hook in HOOKS:
            event = {"hook_event_name": "PreToolUse", "cwd": f"{home}/work", **hook}
            modules |= loaded(home, COMMAND, "guard", "--for", "claude", given=json.dumps(event))
        loaded(home, COMMAND, "scan", "--path", f"{home}/bin")
        modules |= loaded(home, COMMAND, "scan", "--path", f"{home}/bin")
        for name in ("allows", "asks"):
            modules |= loaded(home, LINES, str(ROOT / "conformance" / "guard" / f"{name}.txt"))
    return frozenset(name for name in modules if name.split(".")[0] == "atip")


COMMANDS = (
    ("--version",),
    ("show", "greet", "--json"),
    ("show", "greet", "say", "--json"),
    ("show", "tar", "--json"),  # learned, and curated
    ("show", "tar"),
    ("show", "greet", "say"),
    ("list",),
    ("list", "--json"),
    ("search", "say", "words"),
    ("validate", "greet.json"),
    ("explain", "git status"),
    ("explain", "git status && rm -rf build", "--json"),
    ("run", "true"),
    ("run", "--line", "true"),
    ("run", "--line", "echo one > two"),
    ("run", "--line", "touch ../outside"),
)


def make_home(home: pathlib.Path) -> None:
    """A store with a tool, a policy of the user's, an override, a program to be scanned, and a repository to work in."""
    from atip.system.clock import now_iso
    from atip.toolbox import Toolbox

    box = Toolbox(home=str(home))
    program = home / "bin" / "greet"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    hashed = box.store.save_metadata("tools/greet.json", TOOL)
    digest = "sha256:" + hashlib.sha256(program.read_bytes()).hexdigest()
    status = program.stat()
    key = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    entry = {"path": str(program), "hash": digest, "source": "native", "lastChecked": now_iso()}
    own = {"metadataHash": hashed, "rung": "native", "stat": key}
    box.store.put({"greet": {**entry, "metadataPath": "tools/greet.json", "x-atip": own}})
    learned = box.store.save_metadata("tools/tar.json", {**TOOL, "name": "tar"})
    origin = {"source": "inferred", "metadataPath": "tools/tar.json"}
    box.store.put(
        {"tar": {**entry, **origin, "x-atip": {**own, "metadataHash": learned, "rung": "help"}}}
    )
    config = pathlib.Path(box.places.config)
    (config / "overrides").mkdir(parents=True)
    config.chmod(0o700)
    rule = {"name": "known", "decision": "allow", "tools": ["greet"]}
    policy = {"policy": {"version": "1", "preset": "cautious", "rules": [rule]}}
    (config / "policy.json").write_text(json.dumps(policy))
    (config / "policy.json").chmod(0o600)
    effects = {"commands": {"push": {"effects": {"destructive": True}}}}
    (config / "overrides" / "git.json").write_text(json.dumps(effects))
    repository = home / "work" / ".git"
    for name in ("objects", "refs", "hooks"):
        (repository / name).mkdir(parents=True)
    (repository / "HEAD").write_text("ref: refs/heads/main\n")
    (repository / "config").write_text("[core]\n\trepositoryformatversion = 0\n")
    (home / "work" / "greet.json").write_text(json.dumps(TOOL))
    for name, text in PROJECT.items():
        (home / "work" / name).write_text(text)


def loaded(home: pathlib.Path, program: str, *words: str, given: str = "") -> set[str]:
    """The modules that a process has loaded when it ends."""
    env = {
        name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ATIP_"))
    }
    report = home / "modules.txt"
    report.unlink(missing_ok=True)
    start = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys; sys.path[:0] = {sys.path!r}\n{program}",
    ]
    done = subprocess.run(
        [*start, str(report), *words], input=given, capture_output=True, text=True, cwd=home / "work",
        env={**env, "HOME": str(home)}, timeout=240, check=False,
    )  # fmt: skip
    if not report.exists():
        raise SystemExit(f"{' '.join(words)}: {done.stderr[-400:]}")
    return set(report.read_text().split())


def misspelled(hot: frozenset[str]) -> list[pathlib.Path]:
    """Modules with the constant that no hot command loads, and hot ones that import `typing` as they start."""
    return [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if (imports_typing(path) if is_hot(path, hot) else has_constant(path))
    ]


def is_hot(path: pathlib.Path, hot: frozenset[str]) -> bool:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    name = ".".join(("atip", *parts)).removesuffix(".__init__")
    return name in hot or f"{name.removeprefix('atip.')}.".startswith(ALWAYS)


def has_constant(path: pathlib.Path) -> bool:
    return bool(re.search(rf"^{re.escape(CONSTANT)}", path.read_text(), re.M))


def imports_typing(path: pathlib.Path) -> bool:
    """Whether `typing` is imported when the module is."""
    return any(
        (isinstance(node, ast.ImportFrom) and node.module == "typing")
        or (isinstance(node, ast.Import) and any(one.name == "typing" for one in node.names))
        for node in ast.parse(path.read_text()).body
    )


def correct(path: pathlib.Path, hot: frozenset[str]) -> None:
    """The other spelling; `ruff check --fix` and `ruff format` then put imports in order."""
    text = path.read_text()
    if is_hot(path, hot):
        head = re.search(r"^from typing import (.*)\n", text, re.M)
        names = (
            [name for name in re.split(r",\s*", head[1]) if name != "TYPE_CHECKING"] if head else []
        )
        inside = f"    from typing import {', '.join(names)}\n" if names else ""
        text = text.replace(head[0], "", 1) if head else text
        block = f"\n{CONSTANT}if TYPE_CHECKING:\n{inside}"
        text = text.replace("\nif TYPE_CHECKING:\n", block, 1)
    else:
        future = "from __future__ import annotations\n"
        text = text.replace(f"\n{CONSTANT}", "\n", 1).replace(future, f"{future}\n{PLAIN}", 1)
    path.write_text(text)


if __name__ == "__main__":
    raise SystemExit(main())
