"""Node programs made with yargs: their help, and what they offer for completion. Runs the tool, confined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.discovery.frameworks.node_package import package_folder, package_of
from atip.discovery.sources.help_tree import PATIENT, HelpTree
from atip.discovery.sources.inference_sources import ask_version, inferred_tool
from atip.inference.cobra import CompletionAnswer, confirm

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.discovery.sources.help_tree import Runner
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Command, Tool


class YargsSource:
    """A program made with yargs: its help, and what it offers for completion."""

    source_kind = "framework"
    executes = True

    def __init__(self, open_runner: Callable[[ProbeSubject], Runner]) -> None:
        self._open_runner = open_runner

    def ask(self, subject: ProbeSubject) -> Tool | None:
        folder = package_folder(subject)
        if folder is None or "yargs" not in (package_of(folder).get("dependencies") or {}):
            return None
        from atip.inference.help import infer_help

        runner = self._open_runner(subject)
        offers = _Offers(runner, subject)
        if offers.ask("-") is None:
            return None
        tree = HelpTree(
            runner,
            subject.program,
            lambda text, path: infer_help(text, tool=subject.name, path=path),
            PATIENT,
            refine=offers.refine,
        )
        command = tree.explore()
        if command is None:
            return None
        method = "completion-protocol"
        tool = inferred_tool(
            subject.name, command, method, is_truncated=tree.was_cut, confidence="high"
        )
        return tool.replace(version=ask_version(runner, subject))


class _Offers:
    """Questions in yargs' protocol: the program's name, the path, the word to complete."""

    def __init__(self, runner: Runner, subject: ProbeSubject) -> None:
        self._runner = runner
        self._subject = subject

    def ask(self, *words: str) -> CompletionAnswer | None:
        """Candidates; None when the program answers with something else (its help, an error)."""
        question = [self._subject.program, "--get-yargs-completions", self._subject.name, *words]
        answer = self._runner.run(question)
        lines = answer.stdout.decode("utf-8", "replace").splitlines()
        if answer.failure or answer.timed_out or answer.exit_code:
            return None
        if any(" " in line.split(":", 1)[0] for line in lines):
            return None
        candidates = {}
        for line in lines:
            word, _, description = line.partition(":")
            candidates[word] = description.strip()
        return CompletionAnswer(candidates=candidates, directive=0)

    def refine(self, base: Command, path: tuple[str, ...]) -> Command:
        words = self.ask(*path, "") if base.commands else None
        return confirm(base, words, self.ask(*path, "-"))
