"""Tools of each client beyond its shell: the kind of each name, and which arguments are files and addresses. Data, and one reader.

Names that are not listed have no known effect on files or the network (todo lists, questions, other agents), and get no answer;
MCP tools are recognized by the form of their name.
"""

from __future__ import annotations

from atip.policy.lines.client_tools import FETCH, LIST, MCP, READ, SEARCH, WRITE, ClientTool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

KINDS = {
    **dict.fromkeys(
        ("Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "write_file", "replace", "create", "edit", "str_replace_editor",
         "str_replace", "write", "multiedit", "patch", "WriteFile", "StrReplaceFile"), WRITE),
    **dict.fromkeys(
        ("Read", "NotebookRead", "read_file", "read_many_files", "view", "read", "ReadFile", "ReadMediaFile", "view_image"), READ),
    **dict.fromkeys(("Glob", "LS", "glob", "list", "list_directory", "list_dir"), LIST),
    **dict.fromkeys(("Grep", "grep", "search_file_content", "grep_search", "grep_files"), SEARCH),
    **dict.fromkeys(("WebFetch", "web_fetch", "webfetch", "FetchURL", "fetch"), FETCH),
}  # fmt: skip
_PATHS = frozenset(
    """file_path path notebook_path absolute_path filePath filepath dir_path file paths
    include glob target_file""".split()  # noqa: SIM905
)
_URLS = frozenset(("url", "uri", "prompt", "urls"))
_PATCHES = frozenset(("input", "patch", "patchText", "command"))
_MARKS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ ", "--- ", "rename to ")  # fmt: skip
_MAX_TEXTS = 500


class BadArguments(ValueError):
    """A required file or address is missing in the arguments of a tool."""


def read_tool(
    name: str, arguments: Mapping[str, Any], annotations: object = None, server: str = ""
) -> ClientTool | None:
    """Read the call of a tool by its name in any client; None: a tool without effects to judge.

    Args:
        server: name of the MCP server, where the client sends it separately.

    Raises:
        BadArguments: a tool that writes or fetches has no path or address.
    """
    if server or name.startswith("mcp__"):
        hints = annotations if isinstance(annotations, dict) else {}
        owner = server or name.split("__")[1]
        texts = tuple(_all_texts(arguments))
        return ClientTool(name=name, kind=MCP, server=owner, texts=texts, annotations=hints)
    kind = KINDS.get(name)
    if kind is None:
        return None
    if kind == FETCH:
        urls = tuple(_addresses(arguments))
        if not urls:
            raise BadArguments("the address is missing")
        return ClientTool(name=name, kind=kind, urls=urls)
    paths = tuple(dict.fromkeys(_path_arguments(arguments)))
    if kind == WRITE:
        paths += tuple(_patched_files(arguments))
    if not paths and kind in (READ, WRITE):
        raise BadArguments("the path is missing")
    return ClientTool(name=name, kind=kind, paths=paths or (".",))


def _path_arguments(arguments: Mapping[str, Any]) -> Iterator[str]:
    for key, value in arguments.items():
        if key in _PATHS:
            yield from _texts(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str) and item)


def _patched_files(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Files in the text of a patch."""
    for key, value in arguments.items():
        for text in _texts(value) if key in _PATCHES else ():
            for line in text.splitlines():
                mark = next((mark for mark in _MARKS if line.startswith(mark)), "")
                name = line.removeprefix(mark).split("\t")[0].strip() if mark else ""
                if name and name != "/dev/null":
                    yield name.removeprefix("b/").removeprefix("a/") if mark in ("+++ ", "--- ") else name  # fmt: skip


def _addresses(arguments: Mapping[str, Any]) -> Iterator[str]:
    for key, value in arguments.items():
        for text in _texts(value) if key in _URLS else ():
            if key != "prompt":
                yield text
                continue
            yield from (word.strip("<>()[],.'\"") for word in text.split() if "://" in word)


def _all_texts(value: Any) -> Iterator[str]:
    """Every text in the arguments.

    Raises:
        BadArguments: there are too many.
    """
    left = _MAX_TEXTS
    stack = [value]
    while stack:
        left -= 1
        if left < 0:
            raise BadArguments("too many arguments")
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list):
            stack += item
