"""CMP adapters as a metadata source: the description in a tool folder of the program it wraps (docs/architecture.md, CMP 0.2.0 §7).

Reads manifests once per scan, and the capability of a tool only when its program is looked up. An adapter
describes what its author needed, seldom the whole program: later sources add the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.discovery.cmp import tools as cmp_tools
from atip.errors import AtipError

if TYPE_CHECKING:
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Tool


class CmpSource:
    """CMP tools by the program that they name."""

    source_kind = "adapter"
    executes = False

    def __init__(self, home: str, configured: object = ()) -> None:
        self._where = cmp_tools.places(home, configured)
        self._tools: dict[str, cmp_tools.CmpTool] | None = None

    def ask(self, subject: ProbeSubject) -> Tool | None:
        """The tool as its folder describes it, under the program's own name; None where there is none."""
        if self._tools is None:
            self._tools = {}
            for tool in cmp_tools.manifests(self._where).tools:
                self._tools.setdefault(tool.manifest.program, tool)
        cmp_tool = self._tools.get(subject.name)
        if cmp_tool is None:
            return None
        try:
            document = cmp_tools.capability(cmp_tool.folder).tool
        except AtipError:
            return None  # `cmp list` reports the problem
        # the documents stay where they are; the store keeps what they mean
        return document.replace(name=subject.name, version="unknown", binary=None, extra={})
