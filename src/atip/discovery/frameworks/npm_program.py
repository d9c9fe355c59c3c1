"""npm: the help of all its commands in one start, from the classes that print it. Runs the tool's own code, confined.

Every start of npm takes a third of a second, and it has seventy commands. A version without these classes is asked like any other program.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.discovery.frameworks.node_package import package_folder, package_of
from atip.errors import FormatError
from atip.model.reading.reader import STORE, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.discovery.sources.help_tree import Runner
    from atip.discovery.sources.native import ProbeAnswer
    from atip.discovery.sources.source_order import ProbeSubject

COMMANDS = "lib/utils/cmd-list.js"
WALL_S = 25.0
SCRIPT = """
const lib = process.argv[1], texts = {}
for (const name of require(lib + 'utils/cmd-list.js').commands) {
  try {
    const command = require(lib + 'commands/' + name)
    texts[name] = command.describeUsage
    for (const [word, nested] of Object.entries(command.subcommands || {}))
      texts[name + ' ' + word] = nested.getUsage(name)
  } catch { delete texts[name] }
}
process.stdout.write(JSON.stringify(texts))
"""
"""`npm NAME --help` prints `describeUsage`, whatever words follow that are not the name of a nested command."""


def npm_runner(subject: ProbeSubject, runner: Runner) -> Runner:
    """A runner that knows the help of npm's commands, if the subject is npm; else `runner` itself."""
    folder = package_folder(subject)
    is_npm = (
        folder is not None
        and subject.name == "npm"
        and package_of(folder).get("name") == "npm"
        and os.path.isfile(os.path.join(folder, COMMANDS))
    )
    if not is_npm or subject.stub.interpreter is None:
        return runner
    interpreter = subject.stub.interpreter
    if not os.path.isabs(interpreter):
        interpreter = f"/usr/bin/{interpreter}"
    answer = runner.run([interpreter, "-e", SCRIPT, f"{folder}/lib/"], wall_s=WALL_S)
    return _WithTexts(runner, read_texts(answer))


def read_texts(answer: ProbeAnswer) -> dict[str, str]:
    """Words of a command → its help; empty where npm's own code failed or printed something else."""
    if answer.failure or answer.timed_out or answer.exit_code:
        return {}
    try:
        texts = read_json(answer.stdout, STORE)
    except FormatError:
        return {}
    if not isinstance(texts, dict):
        return {}
    return {name: text for name, text in texts.items() if isinstance(text, str) and text.strip()}


class _WithTexts:
    """Answers `WORDS --help` from texts, and runs everything else."""

    def __init__(self, runner: Runner, texts: Mapping[str, str]) -> None:
        self._runner = runner
        self._texts = texts
        self._groups = {name.split()[0] for name in texts if " " in name}

    def run(self, argv: Sequence[str], *, wall_s: float | None = None) -> ProbeAnswer:
        text = self._find(argv[1:-1]) if argv[-1] == "--help" else ""
        if not text:
            return self._runner.run(argv, wall_s=wall_s)
        from atip.sandbox.probes.worker import ProbeResult

        return ProbeResult(exit_code=0, stdout=text.encode("utf-8", "surrogatepass"))

    def _find(self, words: Sequence[str]) -> str:
        if len(words) > 1 and words[0] in self._groups:
            return self._texts.get(" ".join(words), "")
        return self._texts.get(words[0], "") if words else ""
