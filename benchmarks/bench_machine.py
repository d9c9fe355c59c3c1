"""A real machine: everyday commands and search on the learned store of the machine that this runs on.

Learn it first: `atip scan --learn`. Nothing here writes to the store but the search index. `python -m benchmarks.bench_machine
ask [N [SEED]]` asks the programs of N random commands of the index, confined, whether they know them.
"""

from __future__ import annotations

import functools
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import time
import typing

from atip.toolbox import Toolbox
from benchmarks.measure import cpu_of_command, figure, ratio, report

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.sandbox.probes.worker import ProbeResult
    from atip.search.index import SearchIndex

FEW = 50
"""A store with fewer tools was not learned."""
ASKED = 300
NO_WORD = "qzxvw"
"""Command of no program; one that answers it as it answers a real one does not tell."""
OF_ONE = 8
"""Most commands of one tool that are asked: else nearly all would be those of one cloud."""
EVERYDAY = (0.80, 0.95)
_UNKNOWN = re.compile(
    r"(unknown|invalid|unrecogni[sz]ed|no such|not a|is not an?) [\w' \-]*(sub)?command|invalid choice"
    r"|no manual entry|is not a (git|docker) command|unknown operation|command not found|no such option: ",
    re.IGNORECASE,
)


def main() -> bool:
    box = Toolbox()
    tools = box.store.load_index()["tools"]
    if len(tools) < FEW:
        print("     no learned store here: run `atip scan --learn` first")
        return True
    command = str(pathlib.Path(sys.executable).parent / "atip")
    # as after an installation, with compiled modules
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    cpu_of_command([command, "search", "warm up"], env)
    good = _searches(box, len(tools))

    def bare() -> float:
        return cpu_of_command([sys.executable, "-c", "pass"], env)

    for words, bar in (
        (["show", "git", "commit", "--json"], 3.0),
        (["run", "true"], 5.0),
        (["run", "--line", "true"], 6.0),
        (["explain", "ls -la"], 3.2),
        (["explain", "git status"], 3.2),
        (["list", "--json"], 3.5),
    ):
        if words[0] != "show" or words[1] in tools:
            argv = [command, *words]
            # an empty workspace: what a line changes is kept for `undo`, which grows with the files
            with tempfile.TemporaryDirectory() as folder:
                ours = functools.partial(cpu_of_command, argv, env, cwd=folder)
                measured = ratio(ours, bare, rounds=15)
            good &= report(f"atip {' '.join(words)} / bare python", measured, bar)
    return _first_answer() and good


def _first_answer() -> bool:
    from benchmarks.bench_mcp import MAX_FIRST_S, first_answer

    spent = min(first_answer(os.path.expanduser("~")) for _ in range(5))
    return figure("atip mcp serve: `initialize` answered", spent, MAX_FIRST_S, unit="s CPU")


def _searches(box: Toolbox, tools: int) -> bool:
    from atip.workflows.search.sources import Sources

    with Sources(box.host).index() as index:
        print(f"     {tools:,} tools, {index.storage.size:,} commands")
        rows = list(_requests(index))
        if not rows:
            return True
        start = time.process_time()
        places = [_place(index, words, answers) for words, answers in rows]
        spent = (time.process_time() - start) / len(rows)
    first = sum(place == 0 for place in places) / len(places)
    five = sum(place is not None for place in places) / len(places)
    name = f"{len(rows)} everyday requests"
    detail = f"{spent * 1000:.1f} ms CPU each"
    good = figure(f"{name}, hit@1", first, EVERYDAY[0], unit="share", higher=True, detail=detail)
    return figure(f"{name}, hit@5", five, EVERYDAY[1], unit="share", higher=True) and good


def _requests(index: SearchIndex) -> Iterator[tuple[str, list[list[str]]]]:
    """Everyday requests of which at least one answer is installed."""
    base = os.environ.get("ATIP_SHARED") or pathlib.Path(__file__).resolve().parents[2] / "shared"
    path = pathlib.Path(base) / "everyday" / "requests.dev.tsv"
    if not path.exists():
        print("     everyday requests are not here (set ATIP_SHARED)")
        return
    installed = index.storage.stamps()
    for line in path.read_text(encoding="utf-8").splitlines():
        words, _, told = line.partition("\t")
        answers = [one.split() for one in told.split("|")]
        if any(answer and answer[0] in installed for answer in answers):
            yield words, answers


def _place(index: SearchIndex, words: str, answers: list[list[str]]) -> int | None:
    lines = [hit.line.split() for hit in index.search(words, limit=5)]
    found = (at for at, line in enumerate(lines) if any(line[: len(a)] == a for a in answers))
    return next(found, None)


def ask(number: int = ASKED, seed: int = 7) -> bool:
    """Ask the programs of random commands for help on them, confined and without a network."""
    from atip.sandbox.probes.probe import Probe, ProbeSandbox

    chosen = _sample(Toolbox(), number, seed)
    nonsense = [(*path[:-1], NO_WORD) for _, _, path in chosen]
    questions = [_question(program, path) for _, program, path in chosen]
    questions += [
        (program, *path, "--help") for (_, program, _), path in zip(chosen, nonsense, strict=True)
    ]
    folders = {os.path.dirname(program) for _, program, _ in chosen}
    with ProbeSandbox(visible=sorted(folders)) as sandbox:
        answers = dict(sandbox.run_all(Probe(argv=words, wall_s=10.0) for words in questions))
    unknown, undecided = [], []
    for place, (name, _, path) in enumerate(chosen):
        text, other = (_text(answers[at]) for at in (place, place + len(chosen)))
        line = " ".join((name, *path))
        if answers[place].exit_code != 0 and _UNKNOWN.search(text):
            unknown.append(f"{line}: {text.splitlines()[0][:100]}")
        elif text.replace(path[-1], "") == other.replace(NO_WORD, ""):
            undecided.append(line)
    for line in unknown:
        print(f"     {line}")
    print(
        f"     the same answer as to a word that is none, to be judged by a person: {', '.join(undecided)}"
    )
    print(
        f"{'MISS' if unknown else 'ok  '} {len(chosen)} random commands: {len(unknown)} unknown to their programs,"
        f" {len(undecided)} undecided"
    )
    return not unknown


def _text(answer: ProbeResult) -> str:
    return (answer.stdout + answer.stderr).decode(errors="replace").strip()


def _question(program: str, path: tuple[str, ...]) -> tuple[str, ...]:
    return (program, *path) if path[-1] == "help" else (program, *path, "--help")


def _sample(box: Toolbox, number: int, seed: int) -> list[tuple[str, str, tuple[str, ...]]]:
    from atip.workflows.search.sources import Sources

    entries = box.store.load_index()["tools"]
    with Sources(box.host).index() as index:
        rows = {name: index.storage.of_tool(name) for name in entries}
    chance = random.Random(seed)
    found = []
    for name, of_tool in rows.items():
        program = str(entries[name]["path"])
        paths = [tuple(path.split("\t")) for _, path in of_tool if path]
        if shutil.which(program):
            some = chance.sample(paths, min(OF_ONE, len(paths)))
            found += [(name, program, path) for path in some]
    return chance.sample(found, min(number, len(found)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["ask"]:
        raise SystemExit(not ask(*map(int, sys.argv[2:4])))
    raise SystemExit(not main())
