"""Calling: a model's tool call → the argv it means → a run under policy and sandbox.

    result = call_tool(box, call)                      # a `ToolCall` of a Session
    session, calls = understand(box, response)         # or whatever a provider sent

Where the workflow meets: names of functions → tools of the store (`calls.functions`) → argv (`calls.build`) →
`running`. What the metadata describes is what runs: the program is the file of the store's entry, with its digest.
Adds no flag and answers no question (A48). Implements ATIP 0.6 §6, §7.1; DESIGN §5 `Toolbox.call`.
"""

from __future__ import annotations

from atip.calls.names import function_name
from atip.codecs.provider_guess import enveloped, guess_provider
from atip.codecs.provider_messages import read_calls
from atip.errors import FormatError, NotFoundError, UsageError
from atip.execution.result import DEFAULT_MAX_BYTES
from atip.running import make_call, make_runner
from atip.session import Session, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from atip.calls.functions import Function
    from atip.execution.consent import Asker
    from atip.execution.result import Result
    from atip.execution.runner import Call
    from atip.model.tool import Tool
    from atip.toolbox import Toolbox

MAX_CANDIDATES = 8


def call_tool(
    box: Toolbox,
    call: object,
    *,
    provider: str = "",
    cwd: str | None = None,
    stdin: bytes | None = None,
    timeout_s: float | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    ask: Asker | None = None,
) -> Result:
    """Run one call: a `ToolCall`, or a provider's own tool call as values, text or an SDK's object.

    Args:
        provider: whose call it is, where its shape does not tell.
        ask: reaches the user; None: nobody can be asked, and what needs a yes is refused.

    Raises:
        FormatError: `call.invalid`, with every problem; nothing was started.
        UsageError: `call.not-one` for a response with no call or several (`Session.run_all`).
        Denied, NeedsConfirmation, SandboxError, ExecutionError: as `execution.runner.Runner.run`.
    """
    if not isinstance(call, ToolCall):
        _, calls = understand(box, call, provider)
        if len(calls) != 1:
            raise UsageError("call.not-one", f"{len(calls)} calls where one is expected")
        call = calls[0]
    made = prepared(box, call, cwd=cwd, stdin=stdin, timeout_s=timeout_s, max_bytes=max_bytes)
    return make_runner(box, ask=ask).run(made)


def prepared(box: Toolbox, call: ToolCall, **options: Any) -> Call:
    """The run that a call means; options are those of `running.make_call`.

    Raises:
        FormatError: `call.invalid`.
        NotFoundError: `tool.not-found`.
    """
    if call.problems or call.argv is None:
        problems = list(call.problems)
        first = problems[0] if problems else None
        raise FormatError(
            first.code if first is not None and len(problems) == 1 else "call.invalid",
            f"`{call.name[:80]}`: {first.message if first else 'it has no argv'}",
            problems=problems,
            hint=first.hint if first else "",
        )
    if call.function is not None and "api" in call.function.tool.own:
        from atip.api_calling import api_call

        return api_call(box, call.function.tool, call.function.path, call.arguments, **options)
    return located(box, call.argv, **options)


def located(box: Toolbox, argv: Sequence[str], **options: Any) -> Call:
    """The run of an argv, by the file that the store knows under its name, else by the PATH."""
    known = box.store.find(argv[0]) if argv else None
    if known is None:
        return make_call(box, argv, **options)
    if (known.get("x-atip") or {}).get("rung") == "api":
        from atip.api_calling import api_call, arguments_of

        tool = box.get(argv[0])
        path, arguments = arguments_of(tool, argv)
        return api_call(box, tool, path, arguments, **options)
    entry = box.resolve(argv[0])  # an entry whose file changed is learnt anew first
    made = make_call(box, [str(entry["path"]), *argv[1:]], **options)
    digest = str(entry.get("hash", ""))
    # SECURITY: effects and schema were those of this very file; another one under its name is refused.
    expected = digest if digest.startswith("sha256:") else None
    return made.replace(argv=tuple(argv), expected=expected)


# --- what a call means ---------------------------------------------------------------------------


def understand(
    box: Toolbox,
    response: object,
    provider: str = "",
    *,
    tools: Iterable[Tool] = (),
    **compiled: Any,
) -> tuple[Session, list[ToolCall]]:
    """The calls in a provider's response, and the session that answers them.

    Args:
        tools: what was offered; empty: every known tool, found by the names of the functions.
        compiled: how it was offered, as for `Session` (`strict`, `strategy`, `max_tokens`).

    Raises:
        UsageError: `call.unknown-provider` when the shape tells nothing.
    """
    provider = provider or guess_provider(response)
    if not provider:
        raise UsageError(
            "call.unknown-provider",
            "this is no tool call of a provider that is known here",
            hint="name it: `--for openai`, `anthropic`, `gemini` or `mcp`",
        )
    wrapped = enveloped(provider, response)
    offered = list(tools)
    if not offered:
        offered = tools_of(box, [raw.name for raw in read_calls(provider, wrapped)])
    compiled.setdefault("strategy", "discrete")
    session = Session(offered, provider, **compiled)
    return session, session.parse(wrapped)


def tools_of(box: Toolbox, names: Iterable[str]) -> list[Tool]:
    """The known tools that functions of these names may belong to."""
    wanted = [name for name in dict.fromkeys(names) if name]
    known = list(box.store.load_index()["tools"])
    found: dict[str, Tool] = {}
    for name in wanted:
        close = sorted((tool for tool in known if may_belong(name, tool)), key=len, reverse=True)
        if (
            not close
        ):  # not known yet: it is looked for under the name that the function begins with
            close = [name.lstrip("_").partition("_")[0]]
        for tool in close[:MAX_CANDIDATES]:
            if tool not in found:
                described = box.find(tool)
                if described is not None:
                    found[tool] = described
    return list(found.values())


def may_belong(function: str, tool: str) -> bool:
    """Whether a function of this name could be one of the tool's. The table of functions decides."""
    plain = function_name(tool, ())
    if function == plain or function.startswith(plain + "_"):
        return True
    if "___" not in function:
        return False
    readable = "_".join("".join(c if c.isascii() and c.isalnum() else " " for c in tool).split())
    head = function.rpartition("___")[0]
    return head.startswith((readable, f"t{readable}"))


# --- commands by their words ---------------------------------------------------------------------


def find_command(box: Toolbox, words: Sequence[str]) -> tuple[Function, tuple[str, ...]]:
    """The function that a line begins with, and the words that are left.

    Raises:
        NotFoundError: `tool.not-found`, `calls.no-function`.
    """
    from atip.calls.functions import find_function, functions_of

    rest = tuple(words[1:])
    tool = box.get(words[0], rest)
    paths = {function.path: function for function in functions_of(tool)}
    for count in range(len(rest), -1, -1):
        path = tuple(rest[:count])
        if path in paths:
            return paths[path], rest[count:]
    # What was probably meant may lie in another branch.
    return find_function(box.get(words[0]) if tool.partial else tool, rest[:1]), ()


def target_words(box: Toolbox, target: str) -> list[str]:
    """`gh.pr.list`, `gh pr list` or a function's name → `["gh", "pr", "list"]`.

    A tool's name may hold dots itself (`python3.11`), so the longest that is known counts.
    """
    if " " in target:
        return target.split()
    known = box.store.load_index()["tools"]
    parts = target.split(".")
    for count in range(len(parts), 0, -1):
        name = ".".join(parts[:count])
        if name in known:
            return [name, *parts[count:]]
    for tool in tools_of(box, [target]):
        from atip.calls.functions import functions_of

        for function in functions_of(tool):
            if function.name == target:
                return [tool.name, *function.path]
    return parts


def call_function(
    function: Function, arguments: Mapping[str, object], *, provider: str = "mcp"
) -> ToolCall:
    """A call of one function with arguments in the tool's own terms; what is wrong is in its `problems`."""
    from atip.calls.build import build

    call = ToolCall(
        id="0",
        name=function.name,
        provider=provider,
        position=0,
        function=function,
        arguments=arguments,
    )
    try:
        built = build(function, arguments)
    except FormatError as error:
        return call.replace(problems=tuple(error.problems))
    return call.replace(arguments=built.values, argv=built.argv, invocation=built.invocation)


def call_published(function: Function, given: Mapping[str, Any]) -> ToolCall:
    """A call of one function as MCP clients are offered it."""
    from atip.codecs.provider_tools import compile_functions, undone

    compiled = compile_functions({function.name: function}, "mcp")
    meant = undone(compiled, function.name, given)
    assert meant is not None, "the function is the one that was compiled"
    return call_function(function, meant[1])


def find_exact(box: Toolbox, words: Sequence[str]) -> Function:
    """The function that these words are, with none left over.

    Raises:
        NotFoundError: `tool.not-found`, `calls.no-function`.
    """
    function, left = find_command(box, words)
    if left:
        raise NotFoundError(
            "calls.no-function",
            f"`{function.line}` has no command `{left[0][:80]}`",
            hint=f"see `atip show {function.tool.name}`",
        )
    return function
