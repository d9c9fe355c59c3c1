"""Run a model's tool call under policy and sandbox, and print the provider's result message.

The call is JSON on standard input in the shape of OpenAI (Chat Completions or Responses), Anthropic, Gemini or
MCP; a whole response with several calls is answered by one message each, or by one with all of them where the
provider requires that. Or name a command: `atip call gh.pr.list state=open limit:=5`; its output is printed as by `run`.
Exit codes are those of `run`; with several calls, the first that is not 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import EXIT_FAILURE, EXIT_OUR_FAILURE, AtipError, FormatError, UsageError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.execution.output.result import Result
    from atip.session import Session, ToolCall

EFFECTS = {"subprocess": True, "interactive": {"stdin": "optional", "prompts": True, "tty": False}}
EXAMPLES = (
    """echo '{"name": "git_status", "arguments": {"short": true}}' | atip call""",
    "atip call git.log max-count=3 oneline:=true",
    "atip call --for anthropic --tools git < response.json",
)
MAX_INPUT = 8 * 1024 * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import positive, seconds

    parser.add_argument(
        "target", nargs="?", default="", metavar="TOOL.COMMAND", help="command to call"
    )
    parser.add_argument(
        "words", nargs="*", metavar="KEY=VALUE", help="its arguments; KEY:=JSON for other types"
    )
    parser.add_argument(
        "--args",
        default="",
        metavar="JSON",
        help="arguments as a JSON object; - reads it from stdin",
    )
    parser.add_argument(
        "--for",
        dest="provider",
        default="",
        metavar="PROVIDER",
        help="openai, anthropic, gemini or mcp; default: detected from the call",
    )
    parser.add_argument(
        "--tools", default="", metavar="A,B", help="the tools offered; default: all known tools"
    )
    parser.add_argument("--strict", action="store_true", help="it was compiled with --strict")
    parser.add_argument(
        "--strategy",
        choices=("auto", "discrete", "action"),
        default="discrete",
        help="as it was compiled",
    )
    parser.add_argument("--max-tokens", type=positive, default=None, help="as it was compiled")
    parser.add_argument("--yes", action="store_true", help="confirm where nothing can be destroyed")
    parser.add_argument(
        "--dry-run", action="store_true", help="print argv and decision of each call; run nothing"
    )
    parser.add_argument("--policy", default=None, metavar="PRESET", help="preset for this run")
    parser.add_argument(
        "--timeout", type=seconds, default=None, metavar="S", help="seconds until killed"
    )
    parser.add_argument(
        "--max-bytes", type=positive, default=None, help="keep this much of each stream"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.verbs.running.run import _exit_code

    try:
        return _Calls(options, ctx).run()
    except AtipError as error:
        error.exit_code = _exit_code(error) if not isinstance(error, FormatError) else EXIT_FAILURE
        raise


class _Calls:
    """One invocation of the verb."""

    def __init__(self, options: argparse.Namespace, ctx: Context) -> None:
        self.options, self.ctx = options, ctx

    def run(self) -> int:
        session, calls = self._direct() if self.options.target else self._read()
        if self.options.dry_run:
            return self._plan(calls)
        if self.options.target and not self.options.provider:
            return self._print_plainly(calls[0])
        results = session.run_all(calls, self._run_one)
        messages = session.results(calls, results)
        codes = [_code(call, result) for call, result in zip(calls, results, strict=True)]
        if self.ctx.as_json:
            rows = [_row(*row) for row in zip(calls, results, codes, strict=True)]
            self.ctx.emit({"provider": session.provider, "calls": rows, "messages": messages})
        else:
            self.ctx.emit(messages[0] if len(messages) == 1 else messages)
            self._tell(calls, results)
        return next((code for code in codes if code), 0)

    # -- what is called --------------------------------------------------------------------------

    def _direct(self) -> tuple[Session, list[ToolCall]]:
        from atip.cli.runs.call_arguments import read_arguments
        from atip.session import Session, call_function

        options, app = self.options, self.ctx.app
        function = app.calls.find_exact(app.calls.target_words(options.target))
        arguments = read_arguments(options.words, options.args, function)
        session = Session([], options.provider or "mcp")
        return session, [call_function(function, arguments, provider=session.provider)]

    def _read(self) -> tuple[Session, list[ToolCall]]:
        from atip.model.reading.reader import read_json

        options = self.options
        data: bytes = self.ctx.stdin.buffer.read(MAX_INPUT + 1)
        if len(data) > MAX_INPUT:
            raise UsageError("call.input", f"more than {MAX_INPUT:,} bytes of input")
        if not data.strip():
            raise UsageError(
                "call.nothing", "no call on standard input", hint="or name a command: `gh.pr.list`"
            )
        session, calls = self.ctx.app.calls.understand(
            read_json(data),
            options.provider,
            tools=[self.ctx.app.get(name) for name in options.tools.split(",") if name],
            strict=options.strict,
            strategy=options.strategy,
            max_tokens=options.max_tokens,
        )
        if not calls:
            raise UsageError("call.none", f"no tool call of `{session.provider}` in the input")
        return session, calls

    # -- running ---------------------------------------------------------------------------------

    def _run_one(self, call: ToolCall) -> Result:
        from atip.execution.call import CallOptions
        from atip.execution.consent import ask_on_terminal

        options = self.options
        bounds = CallOptions(
            timeout_s=options.timeout, max_bytes=options.max_bytes, assume_yes=options.yes
        )
        prepared = self.ctx.app.calls.prepare(call, bounds)
        return self.ctx.app.make_runner(preset=options.policy, ask=ask_on_terminal).run(prepared)

    def _print_plainly(self, call: ToolCall) -> int:
        from atip.cli.verbs.running.run import _print

        result = self._run_one(call)
        if self.ctx.as_json:
            self.ctx.emit(result.to_json())
        else:
            _print(self.ctx, result)
        return result.exit_code

    def _plan(self, calls: list[ToolCall]) -> int:
        from atip.execution.call import OperationCall

        runner = self.ctx.app.make_runner(preset=self.options.policy)
        rows: list[dict[str, Any]] = []
        for call in calls:
            row: dict[str, Any] = call.to_json()
            if not call.problems:
                prepared = self.ctx.app.calls.prepare(call)
                judgment, digest = runner.plan(prepared)
                row["decision"] = judgment.decision.to_json()
                row |= (
                    {"operation": prepared.target}
                    if isinstance(prepared, OperationCall)
                    else {"digest": digest}
                )
            rows.append(row)
        self.ctx.emit({"calls": rows})
        return EXIT_FAILURE if any(call.problems for call in calls) else 0

    def _tell(self, calls: list[ToolCall], results: list[object]) -> None:
        from atip.cli.output import clean

        for call, result in zip(calls, results, strict=True):
            errors = [(p.code, f"{p.path} {p.message}", p.hint) for p in call.problems]
            if isinstance(result, AtipError):
                errors = [(result.code, result.message, result.hint)]
            for code, message, hint in errors:
                self.ctx.note(f"atip: {clean(call.name)}: {clean(message)} [{code}]")
                if hint:
                    self.ctx.note(f"      {clean(hint)}")


def _code(call: ToolCall, result: object) -> int:
    from atip.cli.verbs.running.run import _exit_code

    if call.problems:
        return EXIT_FAILURE
    if isinstance(result, AtipError):
        return _exit_code(result)
    return int(getattr(result, "exit_code", EXIT_OUR_FAILURE))


def _row(call: ToolCall, result: object, code: int) -> dict[str, Any]:
    row: dict[str, Any] = {**call.to_json(), "exitCode": code}
    if isinstance(result, AtipError):
        row["error"] = result.to_json()
    return row
