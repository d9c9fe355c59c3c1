"""The script of a model: its steps, the results that came back, and who is told between two steps."""

from __future__ import annotations

import dataclasses
import json
import typing

from tests.simulators.api_server import Reply

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class ToolCall(typing.NamedTuple):
    """A call of a tool of the client."""

    name: str
    arguments: Mapping[str, object]


@dataclasses.dataclass
class Script:
    """What a model says, one step for each result that it gets."""

    steps: Sequence[str | ToolCall]
    """A text is a line for the client's shell."""
    shell: ToolCall
    """The shell of the client; its argument is the name under which the line is passed."""
    on_turn: Callable[[int], None] = lambda _done: None
    """Told how many steps are done, before the next one is given out."""
    results: dict[int, str] = dataclasses.field(default_factory=dict)
    tools: list[str] = dataclasses.field(default_factory=list)
    """Names of the tools that the client offers."""

    def next_call(self, results: Sequence[object], tools: Sequence[str]) -> ToolCall | None:
        """The call that follows these results; None: the work is done."""
        self.tools = list(tools)
        done = len(results)
        if done > len(self.results):
            self.results = {at: _text(result) for at, result in enumerate(results)}
            self.on_turn(done)
        if done >= len(self.steps):
            return None
        step = self.steps[done]
        if isinstance(step, ToolCall):
            return step
        (name,) = (key for key, value in self.shell.arguments.items() if value is None)
        return ToolCall(self.shell.name, {**self.shell.arguments, name: step})


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def events(blocks: Sequence[Mapping[str, object] | str], *, named: bool) -> Reply:
    """Server-sent events.

    Args:
        named: whether each says its type in a line of its own.
    """
    parts = []
    for block in blocks:
        data = block if isinstance(block, str) else json.dumps(block)
        name = f"event: {block['type']}\n" if named and not isinstance(block, str) else ""
        parts.append(f"{name}data: {data}\n\n")
    return Reply(body="".join(parts).encode(), headers={"Content-Type": "text/event-stream"})
