"""Consent: the user's confirmation of exactly one run.

The question is made from the argv and what policy decided, shown whole and cleaned – nothing a tool or an agent wrote
is shown as if we said it. The answer comes from the user's own terminal (`ask_on_terminal`) or through a protocol
that reaches the user (MCP elicitation, passed as a `ConsentPrompt`), never from arguments, standard input or output of a
tool. A yes is bound to a digest of binary, argv, environment, directory and policy; it works once and expires.
Defends against threat 21 of conformance/threats.toml, CMP §8.1.
"""

from __future__ import annotations

import os

from atip.errors import Denied, NeedsConfirmation
from atip.execution.output.result import clean_output
from atip.model.permissions.confinement import ANY_PROGRAM
from atip.model.reading.plain_json import dumps
from atip.model.value import Value
from atip.policy.command_context import MARKS
from atip.system.clock import monotonic
from atip.system.digests import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from atip.model.effects import Effects
    from atip.model.permissions.confinement import Confinement

    ConsentPrompt = Callable[["Question"], bool]
    """Puts the question to the user, and returns the answer. Raises NeedsConfirmation if it cannot."""

LIFETIME_S = 120.0
MAX_ANSWER = 64


class Question(Value):
    """Everything the user needs to know before confirming."""

    argv: tuple[str, ...]
    program: str
    """Real path of what will run."""
    digest: str
    cwd: str
    """Directory of the caller."""
    starts_in: str | None = None
    """Working directory; None: an empty home of its own."""
    image: str = ""
    """System that it runs on; empty: this host's."""
    reasons: tuple[str, ...] = ()
    """Why confirmation is needed; our words, never a tool's."""
    rule: str = ""
    destructive: bool = False
    confinement: Confinement | None = None
    binding: str = ""

    def render(self) -> str:
        """The question as text: the whole argv, one word after the other, quoted and cleaned."""
        lines = [
            "This command needs your confirmation:",
            "  " + " ".join(shown_word(word) for word in self.argv),
            f"  program    {shown_word(self.program)}  {self.digest[:19]}…",
            f"  directory  {self._directory}",
            f"  because    {clean_line('; '.join(self.reasons) or self.rule or 'policy asks')}",
        ]
        if self.image:
            lines.insert(3, f"  system     the image {shown_word(self.image)}")
        if self.destructive:
            lines.append("  WARNING    what it destroys cannot be restored; make a copy first")
        if self.confinement is not None:
            lines += [f"  {line}" for line in _grants(self.confinement)]
        return "\n".join(lines)

    @property
    def _directory(self) -> str:
        if self.starts_in is not None:
            return shown_word(self.starts_in)
        return f"an empty home of its own; {shown_word(self.cwd)} is not visible to it"


def shown_word(word: str) -> str:
    """A word of an argv, quoted as a shell would, with nothing in it that can move or hide."""
    import shlex

    return clean_line(shlex.quote(word))


def clean_line(text: str) -> str:
    """Cleaned, on one line."""
    # SECURITY: a line break in an argument could forge a further line of the question.
    return clean_output(text).replace("\n", "\\u{a}").replace("\t", "\\u{9}")


def _grants(confinement: Confinement) -> list[str]:
    programs = ("any program of the system",) if ANY_PROGRAM in confinement.exec_spawn else ()
    granted = {
        "may read": confinement.fs_read,
        "may write": confinement.fs_write,
        "may reach": (*confinement.egress, *confinement.tcp),
        "gets": confinement.env_pass,
        "may start": (programs or confinement.exec_spawn) if confinement.exec_allow else (),
    }
    return [
        f"{name:<10} {clean_line(', '.join(values))}" for name, values in granted.items() if values
    ]


def bind(*, digest: str, argv: Sequence[str], env: Mapping[str, str], cwd: str, policy: str) -> str:
    """The digest that a yes is for. Any difference in any part gives another one."""
    parts = [digest, list(argv), sorted(env.items()), cwd, policy]
    return sha256_hex(dumps(parts, ensure_ascii=True).encode())


def yes_covers(effects: Effects) -> bool:
    """Whether `--yes` may stand for a person: where it is *known* that nothing is destroyed, and no secret is read. One rule for every
    entry point."""
    return effects.destructive is False and effects.extra.get(MARKS["secrets"]) is not True


class Tokens:
    """Answers that were given and not used yet. One process, one memory: nothing is written."""

    def __init__(self, lifetime_s: float = LIFETIME_S) -> None:
        self._lifetime_s = lifetime_s
        self._given: dict[str, tuple[str, float]] = {}

    def grant(self, binding: str) -> str:
        """A token for a yes that a person just gave."""
        token = os.urandom(24).hex()
        self._given[token] = (binding, monotonic() + self._lifetime_s)
        return token

    def redeem(self, token: str, binding: str) -> None:
        """Use a token up.

        Raises:
            NeedsConfirmation: `consent.unknown` (or used before), `consent.expired`, `consent.changed`.
        """
        # SECURITY: taken out first, so that a second use and a failed use are both over.
        bound, until = self._given.pop(token, ("", 0.0))
        if not bound:
            raise _again("consent.unknown", "this confirmation was already used, or never given")
        if monotonic() > until:
            raise _again("consent.expired", "this confirmation has expired")
        if bound != binding:
            raise _again("consent.changed", "the call differs from the confirmed one")


def _again(code: str, message: str) -> NeedsConfirmation:
    return NeedsConfirmation(code, message, hint="ask the user again")


def obtain(question: Question, ask: ConsentPrompt | None, tokens: Tokens) -> str:
    """Put the question and return a token for the yes.

    Raises:
        NeedsConfirmation: `consent.no-terminal` when no prompt is possible.
        Denied: `consent.refused` when the answer is no.
    """
    if ask is None:
        raise no_terminal_error(question)
    if not ask(question):
        raise Denied(
            "consent.refused", "the user did not confirm", details={"argv": list(question.argv)}
        )
    return tokens.grant(question.binding)


def no_terminal_error(question: Question | None = None) -> NeedsConfirmation:
    """The error for a run that needs confirmation where no prompt is possible."""
    details = {"argv": list(question.argv), "reasons": list(question.reasons)} if question else None
    why = f" ({'; '.join(question.reasons)[:300]})" if question and question.reasons else ""
    return NeedsConfirmation(
        "consent.no-terminal",
        f"this needs confirmation{why}, and there is no terminal",
        hint="run it in a terminal, or allow it in the policy",
        details=details,
    )


def ask_on_terminal(
    question: Question,
    *,
    device: str = "/dev/tty",
    remember: Callable[[Question], object] | None = None,
) -> bool:
    """Ask on the user's terminal, regardless of standard input and output.

    Args:
        remember: stores the approval if the user chooses so; None: not offered.

    Raises:
        NeedsConfirmation: `consent.no-terminal`.
    """
    # SECURITY: a destructive call is confirmed every time, with the whole word.
    offered = remember is not None and not question.destructive
    answer_word = "yes" if question.destructive else "y"
    ways = f"Type `{answer_word}` to run it" + (
        ", `r` to run it and remember this" if offered else ""
    )
    try:
        answer = answer_on_terminal(
            f"{question.render()}\n{ways}, anything else to cancel: ", device=device
        )
    except NeedsConfirmation as error:
        raise no_terminal_error(question) from error
    if offered and remember is not None and answer in ("r", "remember"):
        remember(question)
        return True
    return answer == "yes" or (answer == "y" and not question.destructive)


def answer_on_terminal(prompt: str, *, device: str = "/dev/tty") -> str:
    """Put a (cleaned) text on the user's terminal and return the line that is typed there.

    Raises:
        NeedsConfirmation: `consent.no-terminal`.
    """
    try:
        terminal = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise no_terminal_error() from error
    try:
        if not os.isatty(terminal):
            raise no_terminal_error()
        import termios

        # SECURITY: keys that were pressed (or pushed) before the question was shown answer nothing.
        termios.tcflush(terminal, termios.TCIFLUSH)
        os.write(terminal, prompt.encode("utf-8", "replace"))
        return os.read(terminal, MAX_ANSWER).decode("utf-8", "replace").strip().lower()
    finally:
        os.close(terminal)
