"""Node programs: the manifest of oclif beside the program (read), the completion protocol of yargs (run, confined)."""

from __future__ import annotations

import json
import os

from atip.discovery.help_tree import PATIENT, HelpTree
from atip.discovery.learning import ask_version, inferred
from atip.errors import AtipError
from atip.inference.cobra import Answer, confirm
from atip.inference.described import recognise
from atip.system.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from atip.discovery.help_tree import Runner
    from atip.discovery.ladder import Subject
    from atip.model.tool import Command, Tool

MANIFEST = "oclif.manifest.json"
MAX_MANIFEST = 20_000_000
MAX_LEVELS = 6


class OclifAsker:
    """The manifest that oclif's packages ship: every command and flag, without running anything."""

    rung = "framework"
    executes = False

    def ask(self, subject: Subject) -> Tool | None:
        folder = package_folder(subject)
        if folder is None:
            return None
        text = _read(os.path.join(folder, MANIFEST), MAX_MANIFEST)
        found = recognise(text, subject.name, only="oclif") if text else None
        if found is None:
            return None
        package = _package(folder)
        tool = inferred(subject.name, found.command, "self-description-oclif", confidence="high")
        return tool.replace(
            version=found.version or str(package.get("version") or "unknown"),
            description=str(package.get("description") or tool.description),
        )


class YargsAsker:
    """A program made with yargs: its help, and what it offers for completion."""

    rung = "framework"
    executes = True

    def __init__(self, open_runner: Callable[[Subject], Runner]) -> None:
        self._open_runner = open_runner

    def ask(self, subject: Subject) -> Tool | None:
        folder = package_folder(subject)
        if folder is None or "yargs" not in (_package(folder).get("dependencies") or {}):
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
        tool = inferred(subject.name, command, method, cut=tree.was_cut, confidence="high")
        return tool.replace(version=ask_version(runner, subject))


class _Offers:
    """Questions in yargs' protocol: the program's name, the path, the word to complete."""

    def __init__(self, runner: Runner, subject: Subject) -> None:
        self._runner = runner
        self._subject = subject

    def ask(self, *words: str) -> Answer | None:
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
            word, _, told = line.partition(":")
            candidates[word] = told.strip()
        return Answer(candidates=candidates, directive=0)

    def refine(self, told: Command, path: tuple[str, ...]) -> Command:
        words = self.ask(*path, "") if told.commands else None
        return confirm(told, words, self.ask(*path, "-"))


def package_folder(subject: Subject) -> str | None:
    """The folder of the Node package that a program belongs to, by its `package.json`."""
    if subject.stub.language != "node":
        return None
    folder = os.path.dirname(subject.real_path)
    for _ in range(MAX_LEVELS):
        if os.path.isfile(os.path.join(folder, "package.json")):
            return folder
        folder = os.path.dirname(folder)
    return None


def _package(folder: str) -> dict[str, Any]:
    text = _read(os.path.join(folder, "package.json"), 1_000_000)
    try:
        document = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _read(path: str, limit: int) -> str:
    try:
        return read_bytes(path, limit).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except AtipError:
        return ""
