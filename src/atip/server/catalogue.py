"""Catalogue: what `find` and `describe` answer, in as few tokens as will do: signature first, schema on request.

Reads the store; runs nothing. Everything that a tool wrote stands in a marked block (`marks.py`). Implements
ATIP 0.6 §3.1.1 (agent strategy), §9.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.calls.effects.ceiling import command_claim
from atip.calls.functions import functions_of
from atip.codecs.providers.safety import claim_suffix, clean_text
from atip.errors import NotFoundError
from atip.model.reading.branch import OVERVIEW, is_large, is_part
from atip.model.tool import Command, Option
from atip.model.value import Value
from atip.model.view.signature import signature
from atip.server.marks import block, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.calls.functions import Function, Item
    from atip.model.tool import Tool
    from atip.search.index import SearchHit
    from atip.toolbox import Toolbox

DEFAULT_LIMIT = 5
MAX_LIMIT = 20
SHORT_OPTIONS = 5
MAX_SIGNATURE = 160
MAX_OPTION = 120
"""Characters of the option below a hit."""
MAX_PARAMETERS = 60
MAX_SCHEMA = 40_000
_KEPT = 64
WHOLE = "*"
"""In the place of a branch: all of them."""


class CatalogueTool(Value):
    """One tool, ready to be looked at."""

    tool: Tool
    document: Mapping[str, Any]
    """As stored, before knowledge of ours is merged: what the tool itself said."""
    functions: Mapping[tuple[str, ...], Function]


class Catalogue:
    """All known tools, for one server. Tools are read again when their entry changes."""

    def __init__(self, box: Toolbox) -> None:
        self.box = box
        self._cache: dict[tuple[str, str], tuple[str, CatalogueTool]] = {}

    def get(self, name: str, words: Sequence[str] = ()) -> CatalogueTool:
        """A tool; of a very large one, the branch that `words` name is complete, and branches alone are kept.

        Raises:
            NotFoundError: `tool.not-found`, `store.no-metadata`.
        """
        entry = self.box.resolve(name)
        own = entry.get("x-atip")
        stamp = f"{entry.get('hash')} {own.get('metadataHash') if isinstance(own, dict) else ''}"
        for key in ((name, WHOLE), (name, words[0] if words else WHOLE)):
            cached = self._cache.pop(key, None)
            if cached is not None and cached[0] == stamp:
                self._cache[key] = cached
                return cached[1]
        document = self.box.get_document(name, words[:1])
        tool = self.box.get(name, words[:1])
        functions = {function.path: function for function in functions_of(tool)}
        loaded = CatalogueTool(tool=tool, document=document, functions=functions)
        is_cut = is_part(document)
        if is_cut or not is_large(document):
            self._cache[name, words[0] if is_cut else WHOLE] = (stamp, loaded)
        if len(self._cache) > _KEPT:
            self._cache.pop(next(iter(self._cache)), None)
        return loaded

    def function(self, command: str) -> Function:
        """The function that a command's words mean.

        Raises:
            NotFoundError: `tool.not-found`, `calls.no-function`.
        """
        from atip.calls.functions import find_function

        words = self.box.calls.target_words(command)
        loaded = self.get(words[0], words[1:])
        function = loaded.functions.get(tuple(words[1:]))
        # What was probably meant may lie in another branch.
        tool = self.box.get(words[0]) if function is None and loaded.tool.partial else loaded.tool
        return function or find_function(tool, tuple(words[1:]))

    def nearest(self, words: Sequence[str]) -> Function | None:
        """The command that a line begins with; None where none is known."""
        try:
            functions = self.get(words[0], words[1:]).functions
        except NotFoundError:
            return None
        rest = tuple(words[1:])
        ways = (rest[:count] for count in range(len(rest), -1, -1))
        return next((functions[way] for way in ways if way in functions), None)

    def takes_words(self, words: Sequence[str]) -> bool:
        """Whether a line goes on after its command, with options or with what the command takes."""
        if any(word.startswith("-") for word in words):
            return True
        function = self.nearest(words)
        if function is None or function.path == tuple(words[1:]):
            return False
        return any(not isinstance(item, Option) for item in function.parameters.values())

    # -- find ------------------------------------------------------------------------------------

    def find(self, query: str, limit: int = DEFAULT_LIMIT) -> list[tuple[Function, str]]:
        """The best commands, each with its signature on one line, and the option that answers on a second."""
        names = self.box.store.load_index()["tools"]
        most = max(1, min(limit, MAX_LIMIT))
        hits = self.box.search(query[:2_000], most, accept=lambda name: name in names)
        return [row for hit in hits if (row := self._hit(hit, query)) is not None]

    def nothing(self) -> str:
        """Answer when nothing was found."""
        if not self.box.store.load_index()["tools"]:
            return "No tools are indexed yet: the user can run `atip scan`."
        return "No command found; try other words."

    def _hit(self, hit: SearchHit, query: str) -> tuple[Function, str] | None:
        try:
            loaded = self.get(hit.tool, hit.path)
        except NotFoundError:
            return None
        function = loaded.functions.get(hit.path)
        if function is None:
            return None
        text = _brief(function, query, one_line(hit.summary, 100))
        if hit.option is not None:
            text += f"\n  {one_line(hit.option.line, MAX_OPTION)}"
        return function, text

    # -- describe --------------------------------------------------------------------------------

    def describe(self, command: str, *, schema: bool = False) -> tuple[str, Function | None]:
        """One command or the commands of a group.

        Raises:
            NotFoundError: `tool.not-found`, `calls.no-function`.
        """
        words = self.box.calls.target_words(command)
        loaded = self.get(words[0], words[1:] or OVERVIEW)
        path = tuple(words[1:])
        function = loaded.functions.get(path)
        below = {
            way: function
            for way, function in loaded.functions.items()
            if way[: len(path)] == path != way
        }
        if function is None and not below:
            return self._describe(self.function(command), schema)
        if function is None or (below and not path and len(below) > 1):
            return block("tool-text", _group(loaded.tool, path, below)), None
        return self._describe(function, schema)

    def _describe(self, function: Function, schema: bool) -> tuple[str, Function]:
        if schema:
            return block("tool-text", _schema(function)), function
        text = "\n".join(_parameters(function))
        head = _brief(function, "", "", options=0)
        about = one_line(function.description, 600)
        return block("tool-text", "\n".join(part for part in (head, about, text) if part)), function


def _brief(function: Function, query: str, summary: str, options: int = SHORT_OPTIONS) -> str:
    own = [item for item in function.parameters.values() if isinstance(item, Option)]
    places = tuple(item for item in function.parameters.values() if not isinstance(item, Option))
    query_words = {word for word in query.lower().replace("-", " ").split() if len(word) > 2}
    ranked = (
        sorted(own, key=lambda option: -_count_shared(option, query_words)) if query_words else own
    )
    command = Command(options=tuple(ranked), arguments=places)
    line = ""
    for most in range(options, -1, -1):  # as many options as fit on a short line
        line = clean_text(signature(function.tool, function.path, command, max_options=most))
        if len(line) <= MAX_SIGNATURE:
            break
    # `run` takes any line of the command, not only what its function offers.
    flags = claim_suffix(command_claim(function.tool, function.path))
    parts = (one_line(line, 2 * MAX_SIGNATURE), f"– {summary}" if summary else "", flags)
    return " ".join(part for part in parts if part)


def _count_shared(option: Option, query_words: set[str]) -> int:
    """Number of words that an option shares with the request: the best are shown first."""
    words = f"{option.name} {' '.join(map(str, option.enum or ()))}".lower().replace("-", " ")
    return len(query_words & set(words.split()))


def _group(tool: Tool, path: tuple[str, ...], below: Mapping[tuple[str, ...], Function]) -> str:
    lines = [" ".join((tool.name, *path)) + f": {len(below)} commands"]
    for function in list(below.values())[:MAX_PARAMETERS]:
        flags = claim_suffix(command_claim(function.tool, function.path))
        text = one_line(function.description, 80)
        lines.append(clean_text(function.line) + f" – {text} {flags}".rstrip())
    if len(below) > MAX_PARAMETERS:
        lines.append(f"and {len(below) - MAX_PARAMETERS} more; describe one of the groups")
    return "\n".join(lines)


def _parameters(function: Function) -> Sequence[str]:
    lines = []
    items = list(function.parameters.items())
    for key, item in items[:MAX_PARAMETERS]:
        lines.append(f"  {clean_text(key)}: {_kind(item)} – {one_line(item.description, 120)}")
    if len(items) > MAX_PARAMETERS:
        lines.append(f"  and {len(items) - MAX_PARAMETERS} more (schema)")
    return lines


def _kind(item: Item) -> str:
    words = [item.type]
    if item.enum:
        words = ["|".join(one_line(str(choice), 40) for choice in item.enum[:12])]
    if item.variadic:
        words.append("several")
    if item.is_required:
        words.append("required")
    return " ".join(words)


def _schema(function: Function) -> str:
    """The declaration that `--expose` would publish; without descriptions where it is too long."""
    text = json.dumps(declared(function), ensure_ascii=False, separators=(",", ":"))
    if len(text) > MAX_SCHEMA:
        text = json.dumps(declared(function, brief=True), ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= MAX_SCHEMA else text[:MAX_SCHEMA] + "… (cut)"


def declared(function: Function, *, brief: bool = False) -> dict[str, Any]:
    """The MCP tool object of one function."""
    from atip.codecs.providers.tools import compile_functions

    return compile_functions({function.name: function}, "mcp", brief=brief).declarations[0]
