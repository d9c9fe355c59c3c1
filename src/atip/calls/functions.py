"""Functions: the tree of a tool as a flat list of callable commands, each with its parameters.

One function per leaf, per group that does something itself, and for the bare tool where it does (A11).
A function has the options of its own command, of every group above it and the global ones, nearest first
where names meet. Does not know providers, and builds no argv (`build.py`).
Implements ATIP 0.6 §3.2 globalOptions, §8.2 rule 3, A11, A12, A35.
"""

from __future__ import annotations

from atip.calls.names import function_name, legal_key, parameter_key
from atip.errors import FormatError, NotFoundError
from atip.model.effects import UNKNOWN, join
from atip.model.root import bare_effects
from atip.model.tool import BOOLEAN, Option
from atip.model.value import Value, brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from atip.model.effects import Effects
    from atip.model.tool import Argument, Command, Tool

    Path = tuple[str, ...]
    Item = Argument | Option

MAX_FUNCTIONS = 20_000
_META_FLAGS = frozenset({"--help", "-h", "-?", "-help", "--version", "-V", "-version"})


class Function(Value):
    """One callable command. Two functions of different tools or paths never share a name."""

    name: str
    tool: Tool
    path: Path = ()
    """Words after the tool's name; `()` is the bare tool."""
    nodes: tuple[Command, ...] = ()
    """The commands along the path; the last may be the `""` command of a group."""
    parameters: Mapping[str, Item] = {}
    """By key. Positionals come first, in their order; then options, nearest level first."""
    levels: Mapping[str, int] = {}
    """For options: how many words of the path stand before them. Absent: all of them."""

    def __repr__(self) -> str:
        return (
            f"Function({brief(self.name)}, {brief(self.line)}, {len(self.parameters)} parameters)"
        )

    @property
    def command(self) -> Command | None:
        """The command itself; None for a tool without any."""
        return self.nodes[-1] if self.nodes else None

    @property
    def line(self) -> str:
        """The command line: `gh pr create`."""
        return " ".join((self.tool.name, *self.path))

    @property
    def description(self) -> str:
        command = self.command
        return command.description if command is not None else self.tool.description

    @property
    def effects(self) -> Effects:
        """Tool, groups and command joined; what its options may add is in `ceiling.function_claim`."""
        return declared_effects(self.tool, self.nodes)

    def keys_of(self, name: str) -> list[str]:
        """Keys of the parameters that have the name `name` in the document."""
        return [key for key, item in self.parameters.items() if item.name == name]


def declared_effects(tool: Tool, nodes: Sequence[Command]) -> Effects:
    """Tool, groups and command joined: danger wins (A42). Curated facts are already complete."""
    if not nodes:
        return bare_effects(tool)
    if is_curated(tool):
        return nodes[-1].effects
    effects = tool.effects
    for node in nodes:
        if node.effects is not UNKNOWN:
            effects = node.effects if effects is UNKNOWN else join(effects, node.effects)
    if "override" in nodes[-1].own:
        from atip.calls.overrides import lowered

        return lowered(effects, nodes[-1])
    return effects


def is_curated(tool: Tool) -> bool:
    """Whether the facts are our own pack's. SECURITY: identity of the mark, not its truth; a document
    that writes `"curated": true` about itself is not."""
    mark = tool.own.get("curated")
    if mark is None:
        return False
    from atip.knowledge.reading import CURATED

    return mark is CURATED


def functions_of(tool: Tool) -> list[Function]:
    """Every function of a tool, parents before children, in document order. Hidden ones are left out.

    Raises:
        FormatError: `calls.too-many-functions`, `calls.name-collision`.
    """
    table: dict[str, Function] = {}
    shared = [option for option in tool.global_options or () if _is_offered(option)]
    keys: dict[str, str] = {}
    stack: list[tuple[Path, tuple[Command, ...], Mapping[str, Command] | None]] = [
        ((), (), tool.commands)
    ]
    while stack:
        path, nodes, children = stack.pop()
        bare = (children or {}).get("")
        if bare is not None and not bare.hidden:
            _put(table, _function(tool, path, (*nodes, bare), shared, keys))
        elif _runs_itself(tool, nodes, children):
            _put(table, _function(tool, path, nodes, shared, keys))
        for name, child in reversed(list((children or {}).items())):
            if name and not child.hidden:
                stack.append(((*path, name), (*nodes, child), child.commands))
    return list(table.values())


def find_function(tool: Tool, path: Path) -> Function:
    """The function at a path.

    Raises:
        NotFoundError: `calls.no-function`, with a suggestion.
    """
    words = tuple(word for word in path if word)
    functions = functions_of(tool)
    for function in functions:
        if function.path == words:
            return function
    from atip.model.shapes.shape import closest

    line = " ".join((tool.name, *words))
    close = closest(line, [function.line for function in functions])
    hint = f"did you mean `{close}`?" if close else f"see `atip show {tool.name}`"
    raise NotFoundError("calls.no-function", f"`{line[:120]}` is not a callable command", hint=hint)


def function_table(tools: Iterable[Tool]) -> dict[str, Function]:
    """Functions of several tools by name, to resolve calls.

    Raises:
        FormatError: `calls.name-collision` when two tools have the same name.
    """
    table: dict[str, Function] = {}
    for tool in tools:
        for function in functions_of(tool):
            _put(table, function)
    return table


def _put(table: dict[str, Function], function: Function) -> None:
    if len(table) >= MAX_FUNCTIONS:
        raise FormatError(
            "calls.too-many-functions", f"more than {MAX_FUNCTIONS} commands in one list"
        )
    other = table.get(function.name)
    if other is None:
        table[function.name] = function
        return
    if (other.tool.name, other.path) == (function.tool.name, function.path):
        raise FormatError(
            "calls.name-collision",
            f"two tools define `{function.line}`",
            hint="pass each tool once",
        )
    # SECURITY: a crafted pair of paths with equal digests must not answer to one name.
    longer = function_name(function.tool.name, function.path, digits=32)
    if longer == function.name or longer in table:
        raise FormatError(
            "calls.name-collision", f"cannot find a unique function name for `{function.line}`"
        )
    table[longer] = function.replace(name=longer)


def _runs_itself(
    tool: Tool, nodes: tuple[Command, ...], children: Mapping[str, Command] | None
) -> bool:
    if not children:
        return True
    node = nodes[-1] if nodes else tool
    if node.arguments or (not nodes and tool.options):
        return True
    return node.own.get("operands") is True or node.own.get("runnable") is True


def _function(
    tool: Tool, path: Path, nodes: tuple[Command, ...], shared: list[Option], keys: dict[str, str]
) -> Function:
    """`keys` remembers the legal key of each name: most options of a tool recur in many commands."""
    parameters: dict[str, Item] = {}
    levels: dict[str, int] = {}
    leaf = nodes[-1] if nodes else None
    depth = len(path)
    arguments = leaf.arguments if leaf is not None else tool.arguments
    if leaf is not None and not path and not arguments:
        arguments = tool.arguments
    for argument in arguments or ():
        parameters[parameter_key(argument.name, parameters)] = argument
    for level in range(len(nodes), 0, -1):
        own = nodes[level - 1].options
        if own:
            _add_options(parameters, levels, own, min(level, depth), keys)
    if not path and tool.options:
        _add_options(parameters, levels, tool.options, 0, keys)
    if shared:
        _add_options(parameters, levels, shared, 0, keys)
    return Function(
        name=function_name(tool.name, path),
        tool=tool,
        path=path,
        nodes=nodes,
        parameters=parameters,
        levels=levels,
    )


def _add_options(
    parameters: dict[str, Item],
    levels: dict[str, int],
    options: Iterable[Option],
    level: int,
    keys: dict[str, str],
) -> None:
    for option in options:
        if not option.flags or option.hidden or not _is_offered(option):
            continue
        name = option.name
        key = keys.get(name)
        if key is None:
            key = keys[name] = legal_key(name)
        other = parameters.get(key)
        if other is not None:
            if isinstance(other, Option) and other.name == name:
                continue  # the nearer option of this name hides the farther one
            key = parameter_key(key, parameters)
        parameters[key] = option
        levels[key] = level


def _is_offered(option: Option) -> bool:
    """Whether callers can use an option: not hidden, not a help flag, with at least one spelling."""
    if not option.flags or option.hidden:
        return False
    if option.name not in ("help", "version") or option.type != BOOLEAN:
        return True
    return not _META_FLAGS.issuperset(option.flags)
