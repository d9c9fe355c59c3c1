"""Request confirmation: on the user's terminal, nowhere, or through the calling program.

A program that can prompt the user itself (generated TypeScript wrappers) passes one end of a socket, `--ask fd:3`: a question is sent as
one line of JSON, the answer comes back with the question's binding. It must be a socket, so that nothing written beforehand – a file, a
here-string, a filled pipe – can be an answer.
"""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

from atip.errors import NeedsConfirmation, UsageError

if TYPE_CHECKING:
    from atip.execution.consent import ConsentPrompt, Question

MAX_ANSWER = 4096


def prompt_for(where: str) -> ConsentPrompt | None:
    """Return the prompt for `--ask`.

    Args:
        where: `terminal`, `none` or `fd:N`.

    Raises:
        UsageError: `consent.ask`.
    """
    from atip.execution.consent import ask_on_terminal

    if where == "terminal":
        return ask_on_terminal
    if where == "none":
        return _refuse_questions
    kind, _, number = where.partition(":")
    if kind != "fd" or not number.isascii() or not number.isdecimal():
        raise UsageError(
            "consent.ask", f"`{where[:40]}` is not `terminal`, `none` or `fd:N`", hint="see --help"
        )
    channel = int(number)
    try:
        is_socket = stat.S_ISSOCK(os.fstat(channel).st_mode)
    except OSError as error:
        raise UsageError("consent.ask", f"descriptor {channel} is not open") from error
    # SECURITY: an answer is given to a question that was read; what lies ready in a file is not one.
    if not is_socket:
        raise UsageError("consent.ask", f"descriptor {channel} is not a socket")
    return lambda question: _ask_through(channel, question)


def _refuse_questions(question: Question) -> bool:
    raise NeedsConfirmation(
        "consent.no-asker",
        "this needs confirmation, and `--ask none` refuses to ask",
        hint='choose how to ask: `--ask terminal`; from wrappers `use({ ask: "terminal" })` or a function',
        details={"argv": list(question.argv[:4]), "reasons": list(question.reasons)},
    )


def _ask_through(channel: int, question: Question) -> bool:
    message = {
        "text": question.render(),
        "argv": list(question.argv),
        "program": question.program,
        "reasons": list(question.reasons),
        "destructive": question.destructive,
        "binding": question.binding,
    }
    try:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(channel, data) :]
        answer = b""
        while not answer.endswith(b"\n") and len(answer) <= MAX_ANSWER:
            piece = os.read(channel, MAX_ANSWER)
            if not piece:
                break
            answer += piece
        reply = json.loads(answer)
    except (OSError, ValueError) as error:
        raise NeedsConfirmation(
            "consent.no-answer", "the program that prompts the user did not answer"
        ) from error
    # SECURITY: an answer to another question is none.
    return (
        isinstance(reply, dict)
        and reply.get("binding") == question.binding
        and reply.get("answer") is True
    )
