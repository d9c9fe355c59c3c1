"""Source order: which sources are queried for a tool, in which order, and what is merged.

user override → native `--agent` → shim by digest → CLI.md / CMP adapter → framework → completion script →
help → man page. The first that answers gives the structure; effects of all are joined; what only a completion
script reports is held against help and man page; knowledge is merged over all but the first two. Sources that run a foreign
program are queried only when `may_execute`.
See docs/architecture.md and ATIP 0.1 §3.4.2.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Protocol

from atip.inference.command_names import without_other_lists
from atip.inference.completion.corroborate import corroborate
from atip.inference.merge import merge_tools
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.discovery.files.stubs import Stub
    from atip.model.tool import Tool

    class MetadataSource(Protocol):
        """One source of metadata. `executes`: querying it runs the tool."""

        source_kind: str
        executes: bool

        def ask(self, subject: ProbeSubject) -> Tool | None: ...

    class Summarizer(Protocol):
        """Chooses the summary of a tool, and decides whether it is the curated one; `summaries.sources.SummarySources` is one."""

        def find(
            self, subject: ProbeSubject, descriptions: Mapping[str, str], *, is_curated: bool
        ) -> str: ...
        def is_curated(self, subject: ProbeSubject, answers: Mapping[str, Tool]) -> bool: ...

    class Knower(Protocol):
        """Merges curated knowledge over what a source said; over a namesake only its dangers."""

        def __call__(self, tool: Tool, *, is_namesake: bool = False) -> Tool: ...


SOURCE_ORDER = (
    "override", "native", "shim", "adapter", "framework", "completion", "help", "man", "knowledge", "summary",
)  # fmt: skip
"""From the most to the least believed for structure."""
_PLACES = {source_kind: place for place, source_kind in enumerate(SOURCE_ORDER)}
OUTRANKS_KNOWLEDGE = frozenset(["override", "native"])
SOURCES = {
    # kind of source → `source` of the registry entry (0.1 §3.3.2, A18)
    "override": "manual",
    "native": "native",
    "shim": "shim",
    "adapter": "shim",
}


_COMPLETE = frozenset(["override", "native", "shim", "framework"])
"""Sources that describe a whole tool: no later source is queried. An adapter describes what its author needed."""
_DOCUMENTS = frozenset(["help", "man"])
"""Sources that belong to the very program that is installed; a completion script may belong to another."""
OF_THE_PROGRAM = ("framework", "help")
"""Sources that ask the program itself; completion scripts and manual pages are found by name and may belong to another."""
_LAST_RESORT = frozenset(["knowledge"])


class ProbeSubject(Value):
    """The program to describe."""

    name: str
    path: str
    real_path: str
    digest: str
    stub: Stub
    known_native: Tool | None = None
    """A native answer obtained earlier in this scan."""

    @property
    def program(self) -> str:
        """Program to start: the target of a wrapper that adds no subcommand, else the file itself under its own name
        (programs with several personalities look at it)."""
        return (self.stub.target if not self.stub.command else None) or self.path


class SourceFinding(Value):
    """The metadata of a tool, and where it came from."""

    tool: Tool
    source_kind: str
    """The kind of source that gave the structure."""
    also: tuple[str, ...] = ()
    """Further sources that were merged."""
    is_namesake: bool = False
    """Whether curated facts under this name are about another program."""

    @property
    def source(self) -> str:
        return SOURCES.get(self.source_kind, "inferred")


def _place(source: MetadataSource) -> int:
    return _PLACES[source.source_kind]


def _of_the_program(answers: Mapping[str, Tool]) -> tuple[Tool, str, list[str]] | None:
    """What a program says of itself; completion scripts and manual pages are found by name, and belong to the other program."""
    kinds = [kind for kind in OF_THE_PROGRAM if kind in answers]
    if not kinds:
        return None
    return functools.reduce(merge_tools, (answers[kind] for kind in kinds)), kinds[0], kinds[1:]


def find_metadata(
    subject: ProbeSubject,
    sources: Sequence[MetadataSource],
    *,
    may_execute: bool,
    merge_knowledge: Knower,
    summarize: Summarizer | None = None,
) -> SourceFinding | None:
    """Query source by source. None when no source knows the tool.

    Args:
        summarize: chooses the description among those of all sources; None: curated facts apply to every program of a name.
    """
    answers: dict[str, Tool] = {}
    tool: Tool | None = None
    source_kind, also = "", []
    documents: list[Tool] = []
    for source in sorted(sources, key=_place):
        if source.executes and not may_execute:
            continue
        if tool is not None and (source_kind in _COMPLETE or source.source_kind in _LAST_RESORT):
            break
        answer = source.ask(subject)
        if answer is None:
            continue
        if source.source_kind == "man" and tool is not None:
            answer = without_other_lists(answer, tool.commands)
        answers.setdefault(source.source_kind, answer)
        if source.source_kind in _DOCUMENTS:
            documents.append(answer)
        if tool is None:
            tool, source_kind = answer, source.source_kind
        else:
            tool = merge_tools(tool, answer)
            also.append(source.source_kind)
    if tool is None:
        return None
    if source_kind == "completion" and documents:
        tool = corroborate(tool, documents)
    is_namesake = False
    if summarize is not None:
        is_namesake = not summarize.is_curated(subject, answers)
        if is_namesake and source_kind not in _COMPLETE:
            tool, source_kind, also = _of_the_program(answers) or (tool, source_kind, also)
        descriptions = {kind: answer.description for kind, answer in answers.items()}
        summary = summarize.find(subject, descriptions, is_curated=not is_namesake)
        tool = tool.replace(description=summary or subject.name)
    if source_kind not in OUTRANKS_KNOWLEDGE:
        tool = merge_knowledge(tool, is_namesake=is_namesake)
    return SourceFinding(
        tool=tool, source_kind=source_kind, also=tuple(also), is_namesake=is_namesake
    )
