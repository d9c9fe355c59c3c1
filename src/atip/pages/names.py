"""Addresses of pages of a site, from untrusted names of tools and commands. Pure.

A plain name is its own part of the path. Any other one (upper case, blanks, separators, 1 MB) gets what is readable of it and
a digest, so that two names never share a file, not even on a file system that ignores case.
"""

from __future__ import annotations

import functools
import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLAIN = re.compile(r"(?!index$)[a-z0-9_][a-z0-9_+-]*(\.[a-z0-9_+-]+)*(?<!\.html)(?<!\.json)")
"""`index` and the endings are ours: a command `x.html` must not take the file of the command `x`."""
_MAX_PLAIN = 80
_MAX_JOINED = 200
_UNREADABLE = re.compile(r"[^a-z0-9]+")

TOOLS = "t"
"""Folder of all tools."""


@functools.lru_cache(maxsize=65536)
def path_name(name: str) -> str:
    """One tool or command as a part of a path."""
    if len(name) <= _MAX_PLAIN and _PLAIN.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    readable = _UNREADABLE.sub("-", name[:200].lower()).strip("-")[:40]
    return f"{readable}~{digest[:12]}"


def tool_folder(name: str) -> str:
    """Folder of all pages of a tool, with `/` at the end."""
    return f"{TOOLS}/{path_name(name)}/"


def page_address(name: str, path: Sequence[str] = ()) -> str:
    """The page of a tool or of one of its commands, without `.html`: `t/git/index`, `t/git/remote/add`.

    Deep trees are cut off by a digest, as paths have a limit.
    """
    if not path:
        return f"{tool_folder(name)}index"
    joined = "/".join([path_name(part) for part in path])
    if len(joined) > _MAX_JOINED:
        joined = path_name("\0".join(path))
    return f"{tool_folder(name)}{joined}"


def root_of(address: str) -> str:
    """The way back to the start page from an address: `../../`. Sites may lie anywhere below a host."""
    return "../" * address.count("/")


def plain_url(address: str) -> str:
    """The address as a link for people: a folder instead of its `index`."""
    if address.endswith("/index") or address == "index":
        return address[:-5]
    return f"{address}.html"
