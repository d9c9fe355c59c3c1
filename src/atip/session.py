"""Session: one conversation with a model that may call tools, and the plain functions of Appendix A.

    session = atip.Session([tool], provider="anthropic")
    request(tools=session.tools, system=session.system_prompt)
    calls = session.parse(response)
    results = session.run_all(calls, runner)
    messages += session.results(calls, results)

Parses and builds; decides nothing and runs nothing by itself: `runner` is handed in, and policy stands in
front of it. Implements ATIP 0.6 §7, §8.3, Appendix A.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.calls.build import build
from atip.calls.effects.conflicts import waves
from atip.calls.functions import function_table
from atip.codecs.providers import messages as provider_messages
from atip.codecs.providers import shapes as provider_shapes
from atip.codecs.providers import tools as provider_tools
from atip.codecs.providers.system_prompt import safety_summary, system_prompt
from atip.errors import AtipError, FormatError
from atip.model.effects import UNKNOWN
from atip.model.problems import Problem
from atip.model.value import Value, brief
from atip.model.view.choice import choose_commands, warn_of_many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from atip.calls.functions import Function
    from atip.calls.invocation import Invocation
    from atip.codecs.providers.messages import RawCall
    from atip.model.effects import Effects
    from atip.model.permissions.tool_context import ToolContext
    from atip.model.tool import Tool

    Runner = Callable[["ToolCall"], object]


class ToolCall(Value):
    """One call of a model, understood. With problems there is no argv, and nothing may be run."""

    id: str
    name: str
    provider: str
    position: int
    """Place in the response; Gemini correlates by it."""
    shape: str = ""
    function: Function | None = None
    arguments: Mapping[str, object] = {}
    """In the tool's own terms, defaults left out."""
    argv: tuple[str, ...] | None = None
    invocation: Invocation | None = None
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        line = brief(" ".join(self.argv)) if self.argv is not None else None
        wrong = f", {len(self.problems)} problems" if self.problems else ""
        return f"ToolCall({brief(self.id, 30)}, {brief(self.name)}, {line}{wrong})"

    @property
    def effects(self) -> Effects:
        """Effects of this call, flags included; unknown for a call that cannot be built."""
        if self.function is None or self.invocation is None:
            return UNKNOWN
        from atip.calls.effects.engine import effects_of

        return effects_of(self.function.tool, self.invocation).effects

    def to_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "name": self.name,
            "arguments": dict(self.arguments),
            "argv": list(self.argv) if self.argv is not None else None,
            "problems": [problem.to_json() for problem in self.problems],
        }


MANY = 100
"""Commands of one session from which on a caller is told to choose: a model picks worse from more, and pays for each."""


class Session:
    """Tools of one request, and everything that turns answers back into command lines."""

    def __init__(
        self,
        tools: Iterable[Tool],
        provider: str = "openai",
        *,
        strict: bool = False,
        shape: str = "",
        strategy: str = "auto",
        commands: Sequence[str] = (),
        max_tokens: int | None = None,
        count: Callable[[str], int] | None = None,
        creates: bool = False,
        examples: bool = False,
        context: ToolContext | None = None,
    ) -> None:
        """
        Args:
            provider: `openai`, `anthropic`, `gemini` or `mcp`.
            strict: OpenAI's strict mode.
            shape: for OpenAI, `chat` or `responses`.
            strategy: `discrete`, `action`, or `auto`: discrete unless a limit forbids it.
            commands: only these subtrees of the tools, as `pr`, `pr.create` or `pr create`; empty: all.
            max_tokens: budget for the tools; `left_out` says what did not fit.
            count: tokens of a text.
            creates: descriptions say what a command creates.
            examples: descriptions hold the examples of their command.
            context: what another agent told of its tools; shown to the model as data, for tools of this session only.

        Warns with `UserWarning` where the tools have more than `MANY` commands and neither `commands` nor `max_tokens` chooses.

        Raises:
            NotFoundError: `view.unknown-command`: no tool has one of the `commands`.
        """
        self._context = context
        self._tools = choose_commands(list(tools), commands)
        if not commands and max_tokens is None:
            warn_of_many(self._tools, MANY)
        self.provider = provider
        dialect = provider_shapes.dialect_of(provider, strict)
        limit = dialect.max_functions if strategy == "auto" else None
        self.compiled = provider_tools.compile_tools(
            self._tools,
            provider,
            strict=strict,
            shape=shape,
            strategy=strategy,
            max_tokens=max_tokens,
            max_functions=limit,
            count=count,
            extras=provider_tools.Extras(creates=creates, examples=examples),
        )

    def __repr__(self) -> str:
        names = ", ".join(tool.name for tool in self._tools)
        return f"Session({brief(names)}, provider={self.provider!r}, {len(self.compiled.declarations)} functions)"

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Declarations for the request; for Gemini wrapped in one `function_declarations` (§7.2)."""
        declarations = self.compiled.declarations
        return (
            [{"function_declarations": declarations}]
            if self.provider == "gemini" and declarations
            else declarations
        )

    @property
    def left_out(self) -> tuple[provider_tools.OmittedCommand, ...]:
        """Commands that did not fit, each with the way to get it."""
        return self.compiled.left_out

    @property
    def system_prompt(self) -> str:
        """Frame, safety rules, patterns and examples as marked data, and where to find more."""
        prompt = system_prompt(self._tools, self._functions(), self.left_out)
        if self._context is None:
            return prompt
        from atip.codecs.context_snippets import context_block

        return f"{prompt}\n\n{context_block(self._context, {tool.name for tool in self._tools})}"

    def _functions(self) -> list[Function]:
        functions = list(self.compiled.functions.values())
        for group in self.compiled.groups.values():
            functions += group.actions.values()
        return functions

    def parse(self, response: object) -> list[ToolCall]:
        """The calls in a response, in order. What is wrong with one is in its `problems`."""
        return [
            self._understood(raw) for raw in provider_messages.read_calls(self.provider, response)
        ]

    def _understood(self, raw: RawCall) -> ToolCall:
        call = ToolCall(
            id=raw.id,
            name=raw.name,
            provider=self.provider,
            position=raw.position,
            shape=raw.shape,
            arguments=raw.arguments,
        )
        if raw.problem is not None:
            return call.replace(problems=(raw.problem,))
        undone = provider_tools.undo_call(self.compiled, raw.name, raw.arguments)
        if undone is None:
            return call.replace(problems=(self._unknown(raw),))
        function, arguments = undone
        try:
            prepared = build(function, arguments)
        except FormatError as error:
            return call.replace(
                function=function, arguments=arguments, problems=tuple(error.problems)
            )
        return call.replace(
            function=function,
            arguments=prepared.values,
            argv=prepared.argv,
            invocation=prepared.invocation,
        )

    def _unknown(self, raw: RawCall) -> Problem:
        from atip.model.shapes.shape import closest

        group = self.compiled.groups.get(raw.name)
        if group is not None:
            word = raw.arguments.get(group.action_key)
            close = closest(str(word), list(group.actions))
            message = f"`{raw.name}` has no action `{str(word)[:80]}`"
        else:
            close = closest(raw.name, [*self.compiled.functions, *self.compiled.groups])
            message = f"no function `{raw.name[:80]}` was offered"
        hint = f"did you mean `{close}`?" if close else ""
        return Problem(path="$", code="call.unknown-function", message=message, hint=hint)

    def result(self, call: ToolCall, result: object) -> dict[str, Any]:
        """The provider's message for one result; a call with problems is answered with them."""
        is_error = bool(call.problems) or isinstance(result, (AtipError, BaseException))
        if call.problems and result is None:
            result = {"error": [problem.to_json() for problem in call.problems]}
        elif isinstance(result, AtipError):
            result = {"error": result.to_json()}
        elif isinstance(result, BaseException):
            result = {"error": f"{type(result).__name__}: {result}"}
        elif getattr(result, "exit_code", 0):
            is_error = True
        return provider_messages.result_message(
            self.provider,
            id=call.id,
            name=call.name,
            result=result,
            is_error=is_error,
            shape=call.shape,
        )

    def results(self, calls: Sequence[ToolCall], results: Sequence[object]) -> list[dict[str, Any]]:
        """Messages that answer one response, in the order of its calls."""
        messages = [
            self.result(call, result)
            for call, result in sorted(
                zip(calls, results, strict=True), key=lambda pair: pair[0].position
            )
        ]
        return provider_messages.merge_messages(self.provider, messages)

    def run_all(
        self, calls: Sequence[ToolCall], runner: Runner, *, max_workers: int = 8
    ) -> list[object]:
        """Run calls, together where their effects show no conflict (§7.3), and keep their order.

        A call with problems is not run and gives None. An `AtipError` of the runner is that call's result;
        any other exception is raised once the calls that run beside it have ended.
        """
        results: list[object] = [None] * len(calls)
        runnable = [index for index, call in enumerate(calls) if not call.problems]
        effects = [calls[index].effects for index in runnable]
        for wave in waves(effects):
            _run_wave([runnable[place] for place in wave], calls, runner, results, max_workers)
        return results


def _run_wave(
    indexes: Sequence[int],
    calls: Sequence[ToolCall],
    runner: Runner,
    results: list[object],
    max_workers: int,
) -> None:
    def one(index: int) -> None:
        try:
            results[index] = runner(calls[index])
        except AtipError as error:
            results[index] = error

    if len(indexes) == 1:
        one(indexes[0])
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=min(max_workers, len(indexes))) as pool:
        for future in [pool.submit(one, index) for index in indexes]:
            future.result()


# --- calls of one function ----------------------------------------------------------------------


def call_function(
    function: Function, arguments: Mapping[str, object], *, provider: str = "mcp"
) -> ToolCall:
    """A call of one function with arguments in the tool's own terms; what is wrong is in its `problems`."""
    call = ToolCall(
        id="0",
        name=function.name,
        provider=provider,
        position=0,
        function=function,
        arguments=arguments,
    )
    try:
        prepared = build(function, arguments)
    except FormatError as error:
        return call.replace(problems=tuple(error.problems))
    return call.replace(
        arguments=prepared.values, argv=prepared.argv, invocation=prepared.invocation
    )


def call_published(function: Function, values: Mapping[str, Any]) -> ToolCall:
    """A call of one function as MCP clients are offered it."""
    compiled = provider_tools.compile_functions({function.name: function}, "mcp")
    arguments = provider_tools.undo_call(compiled, function.name, values)
    assert arguments is not None, "the function is the one that was compiled"
    return call_function(function, arguments[1])


# --- the names of Appendix A ---------------------------------------------------------------------


def compile_tools(
    tools: Iterable[Tool],
    provider: str,
    *,
    strict: bool = False,
    shape: str = "",
    strategy: str = "discrete",
    max_tokens: int | None = None,
) -> list[dict[str, Any]]:
    """Tools for one provider's request. Also `atip.compile`."""
    return provider_tools.compile_tools(
        tools, provider, strict=strict, shape=shape, strategy=strategy, max_tokens=max_tokens
    ).declarations


def to_openai(tool: Tool, *, strict: bool = False, shape: str = "") -> list[dict[str, Any]]:
    """OpenAI tools of one tool, one per command."""
    return compile_tools([tool], "openai", strict=strict, shape=shape)


def to_gemini(tool: Tool) -> list[dict[str, Any]]:
    """Gemini declarations of one tool, one per command."""
    return compile_tools([tool], "gemini")


def to_anthropic(tool: Tool) -> list[dict[str, Any]]:
    """Anthropic tools of one tool, one per command."""
    return compile_tools([tool], "anthropic")


def generate_safety_prompt(tools: Iterable[Tool]) -> str:
    """The safety section of a system prompt."""
    return safety_summary(function_table(tools).values())


def handle_tool_result(
    provider: str, id: str, result: object, *, name: str = "", shape: str = ""
) -> dict[str, Any]:
    """The provider's message for a result. `name` is needed by Gemini, which has no ids of its own."""
    provider_shapes.dialect_of(provider, False)
    is_error = bool(getattr(result, "exit_code", 0))
    return provider_messages.result_message(
        provider, id=id, name=name or id, result=result, is_error=is_error, shape=shape
    )


def parse_tool_call(provider: str, response: object) -> list[RawCall]:
    """The calls in a response as the provider sent them; `Session.parse` also understands them."""
    provider_shapes.dialect_of(provider, False)
    return provider_messages.read_calls(provider, response)
