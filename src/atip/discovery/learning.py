"""The rungs of inference as askers: completion scripts and man pages (read), help (run, confined)."""

from __future__ import annotations

from atip.discovery.help_tree import Budget, HelpTree
from atip.model.tool import Command, Tool, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.discovery.documents import InstalledTexts
    from atip.discovery.help_tree import Runner
    from atip.discovery.ladder import Subject

GENERATOR = "atip"


class HelpAsker:
    """`TOOL --help`, recursively. Runs the tool."""

    rung = "help"
    executes = True

    def __init__(
        self, open_runner: Callable[[Subject], Runner], budget: Budget | None = None
    ) -> None:
        self._open_runner = open_runner
        self._budget = budget or Budget()

    def ask(self, subject: Subject) -> Tool | None:
        from atip.inference.help import infer_help

        tree = HelpTree(
            self._open_runner(subject),
            subject.program,
            lambda text, path: infer_help(text, tool=subject.name, path=path),
            self._budget,
        )
        command = tree.explore()
        if command is None:
            return None
        return inferred(subject.name, command, "help-parsing", cut=tree.was_cut)


class CompletionAsker:
    """Completion scripts on disk, read as text, never sourced."""

    rung = "completion"
    executes = False

    def __init__(self, texts: InstalledTexts) -> None:
        self._texts = texts

    def ask(self, subject: Subject) -> Tool | None:
        for shell, text in self._texts.completions(subject.name):
            command = _read_completion(shell, text, subject.name)
            if command.options or command.commands:
                return inferred(subject.name, command, f"completion-{shell}")
        return None


class ManAsker:
    """The manual page on disk."""

    rung = "man"
    executes = False

    def __init__(self, texts: InstalledTexts) -> None:
        self._texts = texts

    def ask(self, subject: Subject) -> Tool | None:
        from atip.inference.man import infer_man

        page = self._texts.man(subject.name)
        if page is None:
            return None
        command = infer_man(page, tool=subject.name)
        if not (command.options or command.commands or command.description):
            return None
        return inferred(subject.name, command, "man-page")


def _read_completion(shell: str, text: str, name: str) -> Command:
    if shell == "bash":
        from atip.inference.completion_bash import infer_bash

        return infer_bash(text, name)
    if shell == "zsh":
        from atip.inference.completion_zsh import infer_zsh

        return infer_zsh(text, name)
    from atip.inference.completion_fish import infer_fish

    return infer_fish(text, name)


def inferred(name: str, command: Command, method: str, *, cut: bool = False) -> Tool:
    """A tool made from what its root command says; marked as inferred (§4.10.4)."""
    extra = dict(command.extra)
    generation: dict[str, object] = {"method": method, "confidence": "low", "generator": GENERATOR}
    if cut:
        generation["incomplete"] = "the budget of questions was used up"
    extra["_generation"] = generation
    has_commands = bool(command.commands)
    return Tool(
        name=name,
        description=command.description or name,
        trust=Trust(source="inferred", verified=False),
        commands=command.commands,
        arguments=command.arguments if not has_commands else None,
        options=None if has_commands else command.options,
        global_options=command.options if has_commands else None,
        examples=command.examples,
        extra=extra,
    )
