"""Programs asked for their own parser: Python programs against helpbench's truth, cobra programs against their help.

    python -m benchmarks frameworks            # both; installs what the table names into a cache folder
    python benchmarks/bench_frameworks.py cobra [PROGRAM…]
    python benchmarks/bench_frameworks.py python [DISTRIBUTION…]

Takes minutes. `ATIP_BENCH_CACHE` is where virtual environments go, `ATIP_SHARED` where helpbench is.
Cobra programs are those of the list that are installed here (`apt-get install gh skopeo …`). Their help is the truth,
read by its headings (`cobra_help.py`), command by command; what it does not name must be offered by `__complete`.
"""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import typing

import atip
from atip.inference.cobra import parse_answer
from benchmarks.measure import figure

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cobra_help import commands_in, flags_in, is_handmade  # noqa: E402

SHARED = pathlib.Path(os.environ.get("ATIP_SHARED") or HERE.parent.parent / "shared")
CACHE = pathlib.Path(
    os.environ.get("ATIP_BENCH_CACHE") or pathlib.Path.home() / ".cache/atip-bench"
)
COBRA = (
    "aws-nuke", "badger", "balboa", "buildah", "caddy", "cobra-cli", "cscli", "deck", "dlv", "docker",
    "docker-registry", "dockerd", "dqlite", "dqlite-benchmark", "dqlite-demo", "etcd", "etcdctl", "fever",
    "fuidshift", "gdu", "gh", "gifwrap", "git-lfs", "gobgp", "gobuster", "hcloud", "hugo", "jqp", "kubectl",
    "lxc", "lxc-to-lxd", "lxd", "lxd-agent", "lxd-benchmark", "lxd-migrate", "lxd-user", "mender-cli",
    "mockery", "notary", "obs-cli", "podman", "rclone", "restic", "seqkit", "siac", "siad", "siftool",
    "skopeo", "slinkwatch", "unikmer", "wormhole-william", "xq",
)  # fmt: skip
"""Programs of Debian 12 that hold cobra: all but `toolbox`, which starts only inside its own containers."""
BAR = 30
"""Python programs that must be known exactly."""
NOT_PARAMETERS = {"-h", "--help", "--version"}
"""Answered by programs whose help does not name them."""
MAX_DEPTH = 6
SHOWN = 20
"""Faults of one program that are printed."""
PYTHON = {
    # distribution → its programs; further requirements behind a plus sign
    "alembic": "alembic",
    "ansible-core": "ansible ansible-config ansible-console ansible-doc ansible-galaxy",
    "autopep8": "autopep8",
    "bandit": "bandit bandit-baseline bandit-config-generator",
    "black +aiohttp": "black blackd",
    "build": "pyproject-build",
    "celery": "celery",
    "codecov-cli": "codecov codecov-cli codecovcli",
    "codespell": "codespell",
    "commitizen": "cz",
    "cookiecutter": "cookiecutter",
    "cruft": "cruft",
    "csvkit": "csvclean csvcut csvformat csvgrep csvjoin",
    "docutils": "docutils rst2html rst2latex rst2man rst2odt",
    "esptool": "esptool espefuse espsecure esp_rfc2217_server",
    "gallery-dl": "gallery-dl",
    "gcovr": "gcovr",
    "ggshield": "ggshield-py",
    "gitlint": "gitlint",
    "griffe": "griffe",
    "howdoi": "howdoi",
    "httpie": "http https httpie",
    "isort": "isort isort-identify-imports",
    "kedro": "kedro",
    "litestar +litestar[cli]": "litestar",
    "llm": "llm",
    "luigi": "luigi luigi-deps luigi-deps-tree luigi-grep luigid",
    "magic-wormhole": "wormhole magic-wormhole",
    "mcp +mcp[cli]": "mcp",
    "mitmproxy": "mitmproxy mitmdump mitmweb",
    "mycli": "mycli",
    "nox": "nox tox-to-nox",
    "openapi-python-client": "openapi-python-client",
    "pip-tools": "pip-compile pip-sync",
    "pipx": "pipx",
    "pre-commit": "pre-commit",
    "ptpython +ipython": "ptpython ptipython",
    "pyinfra": "pyinfra",
    "pylint": "pylint pyreverse symilar",
    "pytest": "pytest py.test",
    "radon": "radon",
    "safety": "safety",
    "scrapy": "scrapy",
    "speedtest-cli": "speedtest speedtest-cli",
    "sqlfluff": "sqlfluff",
    "sqlite-utils": "sqlite-utils",
    "streamlit": "streamlit",
    "textual-dev": "textual",
    "thefuck": "thefuck",
    "towncrier": "towncrier",
    "twine": "twine",
    "typer": "typer",
    "uvicorn": "uvicorn",
    "wandb": "wandb wb",
    "yamllint": "yamllint",
}


def main() -> bool:
    words = sys.argv[1:] if sys.argv[0].endswith("bench_frameworks.py") else []
    kinds = [word for word in words if word in ("cobra", "python")] or ["cobra", "python"]
    names = [word for word in words if word not in kinds]
    good = True
    with tempfile.TemporaryDirectory() as home:
        box = atip.Toolbox(home=home)
        if "cobra" in kinds:
            good &= bench_cobra(box, names or COBRA)
        if "python" in kinds:
            good &= bench_python(box, names)
    return good


# -- cobra: everything that the program's own help names, nothing that neither help nor protocol names


def bench_cobra(box: atip.Toolbox, names: typing.Iterable[str]) -> bool:
    good = True
    for name in names:
        program = shutil.which(name)
        if program is None:
            print(f"--   {name}: not installed here")
            continue
        started = time.monotonic()
        finding = box.infer(name)
        seconds = time.monotonic() - started
        tally = Tally(finding.tool, program)
        tally.compare(())
        for fault in tally.missed[:SHOWN]:
            print(f"     {name} {fault}: not known")
        for fault in tally.invented[:SHOWN]:
            print(f"     {name} {fault}: invented")
        recall = 1 - len(tally.missed) / max(tally.named, 1)
        fine = recall >= 0.99 and not tally.invented and tally.named > 0
        good &= fine
        print(
            f"{'ok  ' if fine else 'MISS'} {name:<12} {finding.source_kind}: {tally.named} names in help, {recall:.4f} known;"
            f" {tally.claimed} claimed, {len(tally.invented)} invented ({seconds:.0f} s)",
            flush=True,
        )
    return good


class Tally:
    """One program: its own help, command by command, beside what is known of it."""

    def __init__(self, tool: atip.Tool, program: str) -> None:
        self._tool = tool
        self._program = program
        self.named = self.claimed = 0
        self.missed: list[str] = []
        self.invented: list[str] = []

    def compare(self, path: tuple[str, ...]) -> None:
        """Count one command and all below it: those that its help lists and those that are known."""
        shown = run(self._program, *path, "--help")
        listed = {(*path, *words) for words in commands_in(shown) if words != path}
        flags = flags_in(shown)
        self.named += len(listed) + len(flags)
        have = set().union(
            *(flags_of(self._tool, path[:n]) for n in range(len(path) + 1)), NOT_PARAMETERS
        )
        self.missed += [" ".join((*path, flag)) for flag in sorted(flags - have)]
        self.missed += [" ".join(one) for one in sorted(listed) if not finds(self._tool, one)]
        command = self._tool.find(path) if path else self._tool
        if command is None:
            return
        offered = offers(self._program, *path, "-") | offers(self._program, *path, "")
        mine = flags_of(self._tool, path) - NOT_PARAMETERS
        commands = [name for name in command.commands or {} if name]
        self.claimed += len(mine) + len(commands)
        if is_handmade(shown):  # prose may name any of them
            flags |= set(re.findall(r"(?<![\w-])--?[\w.-]*\w", shown))
        self.invented += [" ".join((*path, flag)) for flag in sorted(mine - flags - offered)]
        next_words = {words[: len(path) + 1] for words in listed}
        for name in commands:
            if (*path, name) not in next_words and name not in offered:
                self.invented.append(" ".join((*path, name)))
            if name != "help" and len(path) < MAX_DEPTH:
                self.compare((*path, name))


def finds(tool: atip.Tool, path: tuple[str, ...]) -> bool:
    """Whether a command is known, by its name or an alias."""
    node: typing.Any = tool
    for word in path:
        commands = node.commands or {}
        aliased = (one for one in commands.values() if word in (one.aliases or ()))
        node = commands.get(word) or next(aliased, None)
        if node is None:
            return False
    return True


def flags_of(tool: atip.Tool, path: tuple[str, ...]) -> set[str]:
    node: typing.Any = tool.find(path) if path else tool
    if node is None:
        return set()
    options = [*(node.options or ()), *(getattr(node, "global_options", None) or ())]
    if not path and (root := tool.find(("",))) is not None:
        options += root.options or ()
    return {flag for option in options for flag in option.flags}


def offers(program: str, *words: str) -> set[str]:
    answer = parse_answer(run(program, "__complete", *words))
    return set(answer.candidates) if answer else set()


def run(*argv: str) -> str:
    done = subprocess.run(
        argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    )
    return done.stdout or done.stderr


# -- Python: the live parser, as helpbench recorded it


def bench_python(box: atip.Toolbox, names: typing.Iterable[str]) -> bool:
    corpus = SHARED / "helpbench" / "dev.jsonl.gz"
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    live = ("argparse", "click", "typer", "optparse")
    by_tool = {one["tool"]: one for one in records if one["framework"] in live}
    chosen: list[dict[str, typing.Any]] = []
    answers: list[str] = []
    for requirement, programs in PYTHON.items():
        distribution, _, more = requirement.partition(" +")
        scripts = [script for script in programs.split() if script in by_tool]
        if not scripts or (names and distribution not in set(names)):
            continue
        folder = environment(distribution, by_tool[scripts[0]]["version"], more)
        for script in scripts:
            if folder is None or not (folder / "bin" / script).exists():
                print(f"--   {script}: cannot be installed here")
                continue
            try:
                finding = box.infer(str(folder / "bin" / script))
            except atip.AtipError as error:
                print(f"MISS {script}: {error}")
                continue
            if finding.source_kind != "framework":
                print(f"MISS {script}: structure from {finding.source_kind}")
            chosen.append(by_tool[script])
            answers += [
                json.dumps(prediction(finding.tool, tuple(command["path"])))
                for command in by_tool[script]["commands"]
            ]
    return score(chosen, answers)


def environment(distribution: str, version: str, more: str) -> pathlib.Path | None:
    """A virtual environment with one distribution in the version of the truth, made once."""
    folder = CACHE / distribution
    if not (folder / "ok").exists():
        is_ready = subprocess.run([sys.executable, "-m", "venv", folder]).returncode == 0
        install: list[typing.Any] = [
            folder / "bin" / "pip",
            "install",
            "-q",
            f"{distribution}=={version}",
            *more.split(),
        ]
        if not is_ready or subprocess.run(install).returncode != 0:
            return None
        (folder / "ok").touch()
    return folder


def prediction(tool: atip.Tool, path: tuple[str, ...]) -> dict[str, typing.Any]:
    """One command in the scorer's shape."""
    node: typing.Any = tool.find(path) if path else tool
    if node is None:
        return {"subcommands": [], "options": [], "arguments": []}
    root: typing.Any = tool.find(("",)) if not path else None
    options = [*(node.options or ()), *(getattr(node, "global_options", None) or ())]
    options += (root.options or ()) if root else ()
    arguments = [*(node.arguments or ()), *((root.arguments or ()) if root else ())]
    return {
        "subcommands": [name for name in node.commands or {} if name],
        "options": [
            {
                "flags": list(option.flags),
                "takes_value": option.takes_value,
                "choices": list(option.enum) if option.enum else None,
            }
            for option in options
            if not option.hidden
        ],
        "arguments": [
            {"name": one.name, "required": one.is_required, "variadic": bool(one.variadic)}
            for one in arguments
        ],
    }


def score(chosen: list[dict[str, typing.Any]], answers: list[str]) -> bool:
    """The scorer's own table; good when enough programs are without a fault."""
    with tempfile.TemporaryDirectory() as folder:
        corpus, given, out = (
            pathlib.Path(folder) / name for name in ("c.jsonl", "p.jsonl", "o.json")
        )
        corpus.write_text("".join(json.dumps(one) + "\n" for one in chosen))
        given.write_text("".join(one + "\n" for one in answers))
        scorer = [sys.executable, str(SHARED / "helpbench" / "score.py"), "--corpus", str(corpus)]
        command = [*scorer, "--pred", str(given), "--json", str(out), "--errors", "1000"]
        printed = subprocess.run(command, capture_output=True, text=True).stdout
        print(printed)
    wrong = {line.split()[2] for line in printed.splitlines() if line.startswith("ERR ")}
    perfect = len(chosen) - len(wrong)
    name = f"Python programs read without a fault, of {len(chosen)}"
    return figure(name, perfect, BAR, unit="programs", higher=True)


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
