"""Programs that print a machine-readable description of themselves. Runs the tool, confined.

A program is probed only if its help announces the format, or its file contains
the mark of a framework that always answers. The output is recognized by its shape.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.discovery.frameworks.marks import CARAPACE, SWIFT, marks_in
from atip.discovery.sources.help_tree import PATIENT, HelpBudget
from atip.discovery.sources.inference_sources import ask_version, inferred_tool
from atip.inference.described import recognize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atip.discovery.sources.help_tree import Runner
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Tool

ANNOUNCED: tuple[tuple[str, tuple[str, ...]], ...] = (
    # pattern in a help text → arguments of the probe
    (r"--usage-spec\b", ("--usage-spec",)),
    (r"^\s{2,}usage\s{2,}.*(?:usage spec|usage CLI spec|KDL)", ("usage",)),
    (r"--help-json\b", ("--help-json",)),
    (r"--json-help\b", ("--json-help",)),
    (r"--help[= ]json\b", ("--help=json",)),
    (r"\bhelp --json\b", ("help", "--json")),
    (r"--help --json\b", ("--help", "--json")),
    (r"--cli-schema\b", ("--cli-schema",)),
    (r"--opencli\b", ("--opencli",)),
    (r"^\s{2,}opencli\s", ("opencli",)),
    (r"^\s{2,}json_reference\s", ("json_reference",)),
    (r"--dump-(?:cli|help|schema)\b", ("",)),
    (r"--describe(?:-cli)?\b.{0,80}(?:JSON|machine|schema)", ("",)),
    (r"^\s{2,}(?:schema|describe|spec)\s{2,}.{0,80}(?:command[- ]line|CLI|all commands)", ("",)),
)
"""An empty word stands for the first word of what was found."""
MARKED = ((CARAPACE, ("_carapace", "spec")), (SWIFT, ("--experimental-dump-help",)))
_PATTERNS = tuple((re.compile(pattern, re.M | re.I), words) for pattern, words in ANNOUNCED)
MAX_HELP = 200_000


class SelfDescribedSource:
    """Probes programs that offer it; one probe each, the first answer of a known shape counts."""

    source_kind = "framework"
    executes = True

    def __init__(self, open_runner: Callable[[ProbeSubject], Runner]) -> None:
        self._open_runner = open_runner

    def ask(self, subject: ProbeSubject) -> Tool | None:
        runner = self._open_runner(subject)
        for words in self._questions(runner, subject):
            answer = runner.run([subject.program, *words])
            if answer.failure or answer.timed_out:
                continue
            description = recognize(answer.stdout.decode("utf-8", "replace"), subject.name)
            if description is None or not (
                description.command.options or description.command.commands
            ):
                continue
            method = f"self-description-{description.kind}"
            tool = inferred_tool(subject.name, description.command, method, confidence="high")
            return tool.replace(version=description.version or ask_version(runner, subject))
        return None

    def _questions(self, runner: Runner, subject: ProbeSubject) -> Iterator[tuple[str, ...]]:
        marks = marks_in(subject.stub.target or subject.real_path)
        yield from (words for mark, words in MARKED if mark in marks)
        budget = PATIENT if subject.stub.language else HelpBudget()
        answer = runner.run([subject.program, "--help"], wall_s=budget.answer_s)
        if answer.failure or answer.timed_out:
            return
        text = max(answer.stdout, answer.stderr, key=len)[:MAX_HELP].decode("utf-8", "replace")
        for pattern, words in _PATTERNS:
            match = pattern.search(text)
            if match:
                first = match[0].split()[0]
                yield tuple(word or first for word in words)
