"""Calls: a model's tool call → its argv → a run under policy and sandbox.

    result = call_tool(host, call)                      # a `ToolCall` of a Session
    session, calls = understand(host, response)         # or whatever a provider sent

Steps: names of functions → tools of the store (`calls.functions`) → argv (`calls.build`) →
`run.runner`. The program that runs is the file of the store's entry, checked by its digest.
Adds no flag and confirms nothing (A48). Implements ATIP 0.6 §6, §7.1; docs/architecture.md `Toolbox.call`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.calls.names import function_name
from atip.codecs.providers.guess import guess_provider, with_envelope
from atip.codecs.providers.messages import read_calls
from atip.errors import FormatError, NotFoundError, UsageError
from atip.session import Session, ToolCall
from atip.workflows.run.runner import make_call, make_runner
from atip.workflows.tools import find_tool, get_tool, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.calls.functions import Function
    from atip.execution.call import Call, CallOptions
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import Result
    from atip.model.tool import Tool
    from atip.workflows.host import Host

MAX_CANDIDATES = 8


def call_tool(
    host: Host,
    call: object,
    options: CallOptions | None = None,
    *,
    provider: str = "",
    ask: ConsentPrompt | None = None,
) -> Result:
    """Run one call: a `ToolCall`, or a provider's own tool call as values, text or an SDK's object.

    Args:
        provider: the provider of the call, where its shape is ambiguous.
        ask: prompts the user; None: a call that needs confirmation is refused.

    Raises:
        FormatError: `call.invalid`, with every problem; nothing was started.
        UsageError: `call.not-one` for a response with no call or several (`Session.run_all`).
        Denied, NeedsConfirmation, SandboxError, ExecutionError: as `execution.runner.Runner.run`.
    """
    if not isinstance(call, ToolCall):
        _, calls = understand(host, call, provider)
        if len(calls) != 1:
            raise UsageError("call.not-one", f"expected one call, got {len(calls)}")
        call = calls[0]
    return make_runner(host, ask=ask).run(prepare_call(host, call, options))


def prepare_call(host: Host, call: ToolCall, options: CallOptions | None = None) -> Call:
    """Convert a tool call to a run.

    Raises:
        FormatError: `call.invalid`.
        NotFoundError: `tool.not-found`.
    """
    if call.problems or call.argv is None:
        problems = list(call.problems)
        first = problems[0] if problems else None
        raise FormatError(
            first.code if first is not None and len(problems) == 1 else "call.invalid",
            f"`{call.name[:80]}`: {f'{first.path} {first.message}' if first else 'the call has no argv'}",
            problems=problems,
            hint=first.hint if first else "",
        )
    if call.function is not None and "api" in call.function.tool.own:
        from atip.workflows.api.operations import api_call

        return api_call(call.function.tool, call.function.path, call.arguments, options)
    return locate_call(host, call.argv, options)


def locate_call(host: Host, argv: Sequence[str], options: CallOptions | None = None) -> Call:
    """Convert an argv to a run of the stored program of that name, else of the one on the PATH."""
    stored = host.store.find(argv[0]) if argv else None
    if stored is None:
        return make_call(host, argv, options)
    if (stored.get("x-atip") or {}).get("rung") == "api":
        from atip.workflows.api.operations import api_call, arguments_of

        tool = get_tool(host, argv[0])
        path, arguments = arguments_of(tool, argv)
        return api_call(tool, path, arguments, options)
    entry = resolve(host, argv[0])  # refreshes an entry whose file changed
    call = make_call(host, [str(entry["path"]), *argv[1:]], options)
    digest = str(entry.get("hash", ""))
    # SECURITY: effects and schema were those of this very file; another one under its name is refused.
    expected = digest if digest.startswith("sha256:") else None
    return call.replace(argv=tuple(argv), expected=expected)


# --- what a call means ---------------------------------------------------------------------------


def understand(
    host: Host,
    response: object,
    provider: str = "",
    *,
    tools: Iterable[Tool] = (),
    strict: bool = False,
    strategy: str = "discrete",
    max_tokens: int | None = None,
) -> tuple[Session, list[ToolCall]]:
    """Read the calls in a provider's response, and make the session that answers them.

    Args:
        tools: the tools offered; empty: every stored tool, found by the names of the functions.
        strict, strategy, max_tokens: how they were offered, as for `Session`.

    Raises:
        UsageError: `call.unknown-provider` when the shape is ambiguous.
    """
    provider = provider or guess_provider(response)
    if not provider:
        raise UsageError(
            "call.unknown-provider",
            "the input is not a tool call of a supported provider",
            hint="name the provider: `--for openai`, `anthropic`, `gemini` or `mcp`",
        )
    wrapped = with_envelope(provider, response)
    all_tools = list(tools)
    if not all_tools:
        all_tools = tools_of(host, [raw.name for raw in read_calls(provider, wrapped)])
    session = Session(all_tools, provider, strict=strict, strategy=strategy, max_tokens=max_tokens)
    return session, session.parse(wrapped)


def tools_of(host: Host, names: Iterable[str]) -> list[Tool]:
    """Tools that functions of these names may belong to."""
    requested = [name for name in dict.fromkeys(names) if name]
    stored_names = list(host.store.load_index()["tools"])
    tools: dict[str, Tool] = {}
    for name in requested:
        close = sorted(
            (tool for tool in stored_names if may_belong(name, tool)), key=len, reverse=True
        )
        if not close:  # not stored yet: try the first part of the function's name
            close = [name.lstrip("_").partition("_")[0]]
        for tool in close[:MAX_CANDIDATES]:
            if tool not in tools:
                description = find_tool(host, tool)
                if description is not None:
                    tools[tool] = description
    return list(tools.values())


def may_belong(function: str, tool: str) -> bool:
    """Whether a function of this name could belong to the tool. The table of functions decides."""
    tool_function = function_name(tool, ())
    if function == tool_function or function.startswith(tool_function + "_"):
        return True
    if "___" not in function:
        return False
    readable = "_".join("".join(c if c.isascii() and c.isalnum() else " " for c in tool).split())
    head = function.rpartition("___")[0]
    return head.startswith((readable, f"t{readable}"))


# --- commands by their words ---------------------------------------------------------------------


def find_command(host: Host, words: Sequence[str]) -> tuple[Function, tuple[str, ...]]:
    """Return the function that a line begins with, and the remaining words.

    Raises:
        NotFoundError: `tool.not-found`, `calls.no-function`.
    """
    from atip.calls.functions import find_function, functions_of

    rest = tuple(words[1:])
    tool = get_tool(host, words[0], rest)
    paths = {function.path: function for function in functions_of(tool)}
    for count in range(len(rest), -1, -1):
        path = tuple(rest[:count])
        if path in paths:
            return paths[path], rest[count:]
    # What was probably meant may lie in another branch.
    return find_function(get_tool(host, words[0]) if tool.partial else tool, rest[:1]), ()


def target_words(host: Host, target: str) -> list[str]:
    """`gh.pr.list`, `gh pr list` or a function's name → `["gh", "pr", "list"]`.

    A tool's name may contain dots (`python3.11`), so the longest stored name wins.
    """
    if " " in target:
        return target.split()
    stored_tools = host.store.load_index()["tools"]
    parts = target.split(".")
    for count in range(len(parts), 0, -1):
        name = ".".join(parts[:count])
        if name in stored_tools:
            return [name, *parts[count:]]
    for tool in tools_of(host, [target]):
        from atip.calls.functions import functions_of

        for function in functions_of(tool):
            if function.name == target:
                return [tool.name, *function.path]
    return parts


def find_exact(host: Host, words: Sequence[str]) -> Function:
    """Return the function that exactly these words name.

    Raises:
        NotFoundError: `tool.not-found`, `calls.no-function`.
    """
    function, remaining = find_command(host, words)
    if remaining:
        raise NotFoundError(
            "calls.no-function",
            f"`{function.line}` has no command `{remaining[0][:80]}`",
            hint=f"list its commands: `atip show {function.tool.name}`",
        )
    return function


class Calls:
    """Converts model output to calls, for one user."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def target_words(self, target: str) -> list[str]:
        """`gh.pr.list`, `gh pr list` or a function's name → `["gh", "pr", "list"]`."""
        return target_words(self._host, target)

    def find_exact(self, words: Sequence[str]) -> Function:
        """Return the function that exactly these words name; raises `tool.not-found`, `calls.no-function`."""
        return find_exact(self._host, words)

    def understand(
        self,
        response: object,
        provider: str = "",
        *,
        tools: Iterable[Tool] = (),
        strict: bool = False,
        strategy: str = "discrete",
        max_tokens: int | None = None,
    ) -> tuple[Session, list[ToolCall]]:
        """Read the calls in a provider's response, and make the session that answers them."""
        return understand(
            self._host, response, provider,
            tools=tools, strict=strict, strategy=strategy, max_tokens=max_tokens,
        )  # fmt: skip

    def prepare(self, call: ToolCall, options: CallOptions | None = None) -> Call:
        """Convert a tool call to a run; raises `call.invalid`, `tool.not-found`."""
        return prepare_call(self._host, call, options)

    def prepare_argv(self, argv: Sequence[str], options: CallOptions | None = None) -> Call:
        """Convert an argv to a run of the stored program of that name, else of the one on the PATH."""
        return locate_call(self._host, argv, options)
