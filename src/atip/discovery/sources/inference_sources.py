"""Inference as metadata sources: completion scripts and man pages (read), help (run, confined)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.discovery.files.stubs import alternative_of
from atip.discovery.frameworks.marks import GO_FLAG, marks_in
from atip.discovery.sources.aliases import ExploredHelp
from atip.discovery.sources.help_tree import (
    PATIENT,
    HelpBudget,
    HelpTree,
    first_text,
    proven_option,
)
from atip.inference.command_names import are_keys
from atip.inference.described import FORMATS
from atip.inference.merge import merge_command
from atip.model.tool import Command, Tool, Trust
from atip.system.clock import now_iso

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from atip.discovery.files.documents import InstalledTexts
    from atip.discovery.sources.help_tree import Runner
    from atip.discovery.sources.native import ProbeAnswer
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Option

GENERATOR = "atip"
UNKNOWN_VERSION = "unknown"
_VERSION = re.compile(
    r"(?<![\w.])[0-9]{1,9}(?:\.[0-9A-Za-z]{1,20}){1,4}(?:[-+~][0-9A-Za-z.+~-]{1,40})?"
)


class HelpSource:
    """`TOOL --help`, recursively. Runs the tool."""

    source_kind = "help"
    executes = True

    def __init__(
        self, open_runner: Callable[[ProbeSubject], Runner], budget: HelpBudget | None = None
    ) -> None:
        self._open_runner = open_runner
        self._budget = budget
        self._explored: dict[str, ExploredHelp] = {}
        """By the bytes of a file, under the name that was asked last."""

    def ask(self, subject: ProbeSubject) -> Tool | None:
        runner = self._open_runner(subject)
        explored = self._explore(subject, runner)
        if explored is None:
            return None
        command = explored.command
        if GO_FLAG in marks_in(subject.stub.target or subject.real_path):
            command = command.replace(options=with_both_dashes(command.options or ()))
        command, version = _with_version(command, runner, subject)
        tool = inferred_tool(subject.name, command, "help-parsing", is_truncated=explored.was_cut)
        return tool.replace(version=version)

    def _explore(self, subject: ProbeSubject, runner: Runner) -> ExploredHelp | None:
        """All commands; those of another name of the same file, if both print the same help."""
        from atip.inference.help import infer_help

        budget = self._budget or (PATIENT if subject.stub.language else HelpBudget())
        is_file = not subject.stub.target
        known = self._explored.get(subject.digest) if is_file else None
        if known is not None:
            text = first_text(runner, subject.program, budget)
            alias = known.under(subject.name, text) if text else None
            if alias is not None:
                return alias
        tree = HelpTree(
            runner,
            subject.program,
            lambda text, path: infer_help(text, tool=subject.name, path=path),
            budget,
        )
        command = tree.explore()
        if command is None:
            return None
        explored = ExploredHelp(
            name=subject.name, text=tree.first_text, command=command, was_cut=tree.was_cut
        )
        if is_file and tree.first_text:
            self._explored[subject.digest] = explored
        return explored


def with_both_dashes(options: Iterable[Option]) -> tuple[Option, ...]:
    """Go's own flag package takes `-name` and `--name` alike, and shows only the first."""
    rewritten = []
    for option in options:
        more = [f"-{f}" for f in option.flags if len(f) > 2 and not f.startswith("--")]
        rewritten.append(option.replace(flags=tuple(dict.fromkeys((*option.flags, *more)))))
    return tuple(rewritten)


def _with_version(command: Command, runner: Runner, subject: ProbeSubject) -> tuple[Command, str]:
    """The version; `--version` is known if it was answered, even where the help is silent about it."""
    answer = runner.run([subject.program, "--version"])
    version = _version_in(answer)
    flags = {flag for option in command.options or () for flag in option.flags}
    is_short = len(answer.stdout) + len(answer.stderr) < 1_500
    if version == UNKNOWN_VERSION or answer.exit_code or not is_short or "--version" in flags:
        return command, version
    option = proven_option("--version", "Show the version")
    return command.replace(options=(*(command.options or ()), option)), version


def ask_version(runner: Runner, subject: ProbeSubject) -> str:
    """The version that `--version` prints, or `unknown` (0.1 §9)."""
    return _version_in(runner.run([subject.program, "--version"]))


def _version_in(answer: ProbeAnswer) -> str:
    if answer.failure or answer.timed_out:
        return UNKNOWN_VERSION
    return version_in((answer.stdout or answer.stderr)[:2000].decode("utf-8", "replace"))


def version_in(text: str) -> str:
    """The first version in a text, or `unknown`."""
    match = _VERSION.search(text)
    return match[0] if match else UNKNOWN_VERSION


class CompletionSource:
    """Completion scripts on disk, read as text, never sourced."""

    source_kind = "completion"
    executes = False

    def __init__(self, texts: InstalledTexts) -> None:
        self._texts = texts

    def fingerprint(self, subject: ProbeSubject) -> str:
        """Paths, sizes and times of the scripts."""
        return self._texts.fingerprint_completions(subject.name)

    def ask(self, subject: ProbeSubject) -> Tool | None:
        for shell, text in self._texts.completions(subject.name):
            command = _read_completion(shell, text, subject.name)
            if command.options or command.commands:
                return inferred_tool(subject.name, command, f"completion-{shell}")
        return None


class ManSource:
    """The manual page on disk."""

    source_kind = "man"
    executes = False

    def __init__(self, texts: InstalledTexts) -> None:
        self._texts = texts

    def fingerprint(self, subject: ProbeSubject) -> str:
        """Paths, sizes and times of the pages."""
        return self._texts.fingerprint_pages(self._page_name(subject))

    def ask(self, subject: ProbeSubject) -> Tool | None:
        name = self._page_name(subject)
        page = self._texts.man(name)
        if page is None:
            return None
        from atip.inference.manual.man import infer_man

        command = infer_man(page, tool=name)
        children = dict(command.commands or {})
        for name, text in self._texts.man_children(subject.name):
            child = infer_man(text, tool=subject.name, path=(name,))
            # `ssh-sk-helper` has its own page and is not a command of ssh: its page does not write `ssh sk-helper`.
            if f"{subject.name} {name}" in (child.usage or "") or name in children:
                children[name] = merge_command(child, children[name]) if name in children else child
        command = command.replace(commands=children or None)
        if not (command.options or command.commands or command.description):
            return None
        return inferred_tool(subject.name, command, "man-page")

    def _page_name(self, subject: ProbeSubject) -> str:
        """The program's own name, or that of the alternative it stands for."""
        if self._texts.has_page(subject.name):
            return subject.name
        return alternative_of(subject.path) or subject.name


def read_text(kind: str, text: str, name: str) -> Tool:
    """Metadata from one text of a known kind; runs nothing."""
    from atip.discovery.sources.knowledge_source import storable

    if kind == "help":
        from atip.inference.help import infer_help

        return storable(inferred_tool(name, infer_help(text, tool=name), "help-parsing"))
    if kind == "man":
        return storable(inferred_tool(name, read_root_command(kind, text, name), "man-page"))
    if kind in FORMATS:
        return storable(_read_description(kind, text, name))
    return storable(inferred_tool(name, _read_completion(kind, text, name), f"completion-{kind}"))


def _read_description(kind: str, text: str, name: str) -> Tool:
    from atip.errors import FormatError
    from atip.inference.described import recognize

    description = recognize(text, name, only=kind)
    if description is None:
        raise FormatError(
            "infer.other-format",
            f"this is not a description in the format `{kind}`",
            hint="name another kind with --from",
        )
    tool = inferred_tool(name, description.command, f"self-description-{kind}", confidence="high")
    return tool.replace(version=description.version or UNKNOWN_VERSION)


def read_root_command(kind: str, text: str, name: str) -> Command:
    """The root command in a manual page (`man`) or the completion script of a shell."""
    if kind == "man":
        from atip.inference.manual.man import infer_man

        return infer_man(text, tool=name)
    return _read_completion(kind, text, name)


def _read_completion(shell: str, text: str, name: str) -> Command:
    command = _read_script(shell, text, name)
    # What one types into `sed` is offered letter by letter.
    return command.replace(commands=None) if are_keys(command.commands or ()) else command


def _read_script(shell: str, text: str, name: str) -> Command:
    if shell == "bash":
        from atip.inference.completion.bash import infer_bash

        return infer_bash(text, name)
    if shell == "zsh":
        from atip.inference.completion.zsh import infer_zsh

        return infer_zsh(text, name)
    from atip.inference.completion.fish import infer_fish

    return infer_fish(text, name)


def inferred_tool(
    name: str, command: Command, method: str, *, is_truncated: bool = False, confidence: str = "low"
) -> Tool:
    """A tool from its root command; marked as inferred (§4.10.4)."""
    extra = dict(command.extra)
    generation: dict[str, object] = {
        "method": method,
        "confidence": confidence,
        "timestamp": now_iso(),
        "generator": GENERATOR,
        "review": "needed",
    }
    if is_truncated:
        generation["incomplete"] = "the probe budget was exhausted"
    extra["_generation"] = generation
    has_commands = bool(command.commands)
    return Tool(
        name=name,
        version=UNKNOWN_VERSION,
        description=command.description or name,
        trust=Trust(source="inferred", verified=False),
        commands=command.commands,
        arguments=command.arguments if not has_commands else None,
        options=None if has_commands else command.options,
        global_options=command.options if has_commands else None,
        examples=command.examples,
        extra=extra,
    )
