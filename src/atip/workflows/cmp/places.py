"""CMP tools in `list`, `show` and `get`.

Reads folders, manifests and single capabilities (CMP 0.2.0 §5.4); runs nothing. The readers are imported only
on machines that have CMP tools, since `list` and `show` are on the fast path.
"""

from __future__ import annotations

import os

from atip.registry.settings import load_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.workflows.host import Host


def cmp_places(host: Host) -> list[str]:
    """Folders of CMP tools: the canonical folder and `cmpPaths` of config.json."""
    from atip.discovery.cmp import tools as cmp_tools

    return cmp_tools.places(host.places.home, _load_settings(host))


def _load_settings(host: Host) -> Any:
    return load_settings(host.places, "config").get("cmpPaths", ())


def _may_have(host: Host) -> bool:
    return os.path.isdir(os.path.join(host.places.home, ".cmp", "tools")) or bool(
        _load_settings(host)
    )


def with_cmp(host: Host, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Append CMP tools to index entries, in the same shape; reads only their manifests."""
    if not _may_have(host):
        return entries
    from atip.discovery.cmp import tools as cmp_tools

    path = os.environ.get("PATH", "")
    cmp_entries = []
    for tool in cmp_tools.manifests(cmp_places(host)).tools:
        extension = {
            "rung": "adapter",
            "description": tool.manifest.summary,
            "cmp": tool.folder.path,
        }
        program = cmp_tools.find_program(tool, path) or ""
        cmp_entries.append(
            {"name": tool.key, "path": program, "source": "shim", "x-atip": extension}
        )
    return [*entries, *cmp_entries]


def find_document(host: Host, name: str) -> dict[str, Any] | None:
    """Find a CMP tool that is not in the store, by `domain/name`, name or folder; returns an ATIP document.

    Raises:
        FormatError: `cmp.ambiguous`, `cmp.invalid`.
    """
    if not _may_have(host) or host.store.find(name) is not None:
        return None
    from atip.discovery.cmp import tools as cmp_tools
    from atip.errors import NotFoundError
    from atip.model.reading.encode import encode

    try:
        tool = cmp_tools.find_tool(cmp_places(host), name)
    except NotFoundError:
        return None
    return encode(cmp_tools.capability(tool.folder).tool)
