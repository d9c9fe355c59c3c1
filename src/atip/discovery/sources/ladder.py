"""The ladder of asking: who is asked about a tool, in which order, and what is merged.

user override → native `--agent` → shim by digest → CLI.md / CMP adapter → framework → completion script →
help → man page. The first that answers gives the structure; effects of all are joined; what only a completion
script tells is held against help and man page; knowledge is merged over all but the first two. Rungs that run a foreign
program are climbed only when `may_execute`.
Implements DESIGN §4 and ATIP 0.1 §3.4.2.
"""

from __future__ import annotations

from atip.inference.completion.borne_out import borne_out
from atip.inference.merge import merge_tools
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from atip.discovery.files.stubs import Stub
    from atip.model.tool import Tool

    class Asker(Protocol):
        """One rung. `executes` says whether asking runs the tool."""

        rung: str
        executes: bool

        def ask(self, subject: ProbeSubject) -> Tool | None: ...

    class Summarizer(Protocol):
        """Chooses the summary of a tool; `summaries.sources.SummarySources.find` is one."""

        def __call__(self, subject: ProbeSubject, descriptions: Mapping[str, str]) -> str: ...

    class Knower(Protocol):
        """Merges curated knowledge over what a rung said."""

        def __call__(self, tool: Tool) -> Tool: ...


RUNGS = (
    "override",
    "native",
    "shim",
    "adapter",
    "framework",
    "completion",
    "help",
    "man",
    "knowledge",
)
"""From the most to the least believed for structure."""
_PLACES = {rung: place for place, rung in enumerate(RUNGS)}
OUTRANKS_KNOWLEDGE = frozenset(["override", "native"])
SOURCES = {
    # rung → `source` of the registry entry (0.1 §3.3.2, A18)
    "override": "manual",
    "native": "native",
    "shim": "shim",
    "adapter": "shim",
}


_COMPLETE = frozenset(["override", "native", "shim", "framework"])
"""Rungs that describe a tool wholly: nothing below them is asked. An adapter tells what its author needed."""
_DOCUMENTS = frozenset(["help", "man"])
"""Rungs that belong to the very program that is installed; a completion script may belong to another."""
_LAST_RESORT = frozenset(["knowledge"])


class ProbeSubject(Value):
    """The program asked about."""

    name: str
    path: str
    real_path: str
    digest: str
    stub: Stub
    known_native: Tool | None = None
    """A native answer that was had already in this scan."""

    @property
    def program(self) -> str:
        """What to start: the target of a wrapper, else the file itself under its own name (programs
        with several personalities look at it)."""
        return self.stub.target or self.path


class SourceFinding(Value):
    """What the ladder found."""

    tool: Tool
    rung: str
    """The rung that gave the structure."""
    also: tuple[str, ...] = ()
    """Further rungs that had something to say."""

    @property
    def source(self) -> str:
        return SOURCES.get(self.rung, "inferred")


def _place(asker: Asker) -> int:
    return _PLACES[asker.rung]


def climb(
    subject: ProbeSubject,
    askers: Sequence[Asker],
    *,
    may_execute: bool,
    merge_knowledge: Knower,
    summarize: Summarizer | None = None,
) -> SourceFinding | None:
    """Ask source by source. None when no source knows the tool.

    Args:
        summarize: chooses the description among those of all sources.
    """
    descriptions: dict[str, str] = {}
    found: Tool | None = None
    rung, also = "", []
    documents: list[Tool] = []
    for asker in sorted(askers, key=_place):
        if asker.executes and not may_execute:
            continue
        if found is not None and (rung in _COMPLETE or asker.rung in _LAST_RESORT):
            break
        answer = asker.ask(subject)
        if answer is None:
            continue
        descriptions.setdefault(asker.rung, answer.description)
        if asker.rung in _DOCUMENTS:
            documents.append(answer)
        if found is None:
            found, rung = answer, asker.rung
        else:
            found = merge_tools(found, answer)
            also.append(asker.rung)
    if found is None:
        return None
    if rung == "completion" and documents:
        found = borne_out(found, documents)
    if summarize is not None:
        found = found.replace(description=summarize(subject, descriptions) or subject.name)
    if rung not in OUTRANKS_KNOWLEDGE:
        found = merge_knowledge(found)
    return SourceFinding(tool=found, rung=rung, also=tuple(also))
