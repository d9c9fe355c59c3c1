"""Result: what one run said and how it ended, ready to be shown. Bounded, without secrets, cleaned on request.

A tool's own failure is a Result, not an error. Text of the tool is data: to display it, use `text`, which has
no character that moves, hides or reorders. Implements ATIP 0.6 §6, §11.3; AIP-29 "Output conventions".
"""

from __future__ import annotations

import os

from atip.execution.redaction.redact import Redactor
from atip.model.permissions.confinement import Confinement
from atip.model.tool import MISSING
from atip.model.value import Value, brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from atip.execution.needs import Need
    from atip.execution.output.saved_output import SavedOutput
    from atip.policy.decision import Decision
    from atip.sandbox.network.proxy import Attempt

DEFAULT_MAX_BYTES = 256 * 1024

MEANINGS = {
    0: "ok",
    1: "error",
    2: "usage_error",
    4: "auth_required",
    124: "timeout",
    137: "killed",
}
"""Reserved meanings of AIP-29; a bundle may add its own."""


class OperationAnswer(Value):
    """Answer of an API operation."""

    data: Any
    status: int = 0
    next_page: str = ""
    problems: tuple[Mapping[str, Any], ...] = ()
    """Differences between the answer and the described schema."""


class Result(Value):
    """Result of a run."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: str = ""
    """Without secrets, at most the bound; may hold control characters, see `text`."""
    stderr: str = ""
    truncated: bool = False
    redactions: tuple[tuple[str, int], ...] = ()
    """Kind → how many secrets were taken out."""
    confinement: Confinement = Confinement()
    decision: Decision | None = None
    duration_s: float = 0.0
    timed_out: bool = False
    cancelled: bool = False
    signal: int | None = None
    backend: str = ""
    layers: tuple[str, ...] = ()
    digest: str = ""
    """Of the very bytes that ran."""
    meaning: str = ""
    """Meaning of the exit code, if known (AIP-29 `exit_codes`)."""
    env_dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes for the caller, such as questions that were not answered."""
    backend_notes: tuple[str, ...] = ()
    """Notes of the sandbox, such as limits that apply per process."""
    run_id: str = ""
    """Its records in the audit; empty: none was kept."""
    data: object = MISSING
    """The output as a value, where JSON was requested and received; MISSING: it is only text."""
    message: str = ""
    """The stream on which the tool reports success or failure (AIP-29)."""
    attempts: tuple[Attempt, ...] = ()
    """Tries to reach the network through the gate, allowed and refused."""
    kept: tuple[tuple[str, str], ...] = ()
    """Stream → run whose whole output is kept in the cache (`atip audit output`)."""
    answer: OperationAnswer | None = None
    """Of an operation of an API; None: a program ran."""

    def __repr__(self) -> str:
        argv = brief(" ".join(self.argv))
        return f"Result({argv}, exit_code={self.exit_code}, stdout={brief(self.stdout)}, stderr={brief(self.stderr)})"

    @property
    def needs(self) -> tuple[Need, ...]:
        """Accesses that the sandbox refused; empty: none known."""
        if not self.attempts and not self.exit_code:
            return ()
        from atip.execution.needs import needs_of

        output = f"{self.stderr}\n{self.stdout}"
        return needs_of(
            self.attempts, bool(self.exit_code), output, self.confinement, os.path.isdir
        )

    @property
    def text(self) -> str:
        """Both streams for a person or a model: cleaned, newlines kept."""
        parts = [part for part in (self.stdout, self.stderr) if part]
        return clean_output("\n".join(part.rstrip("\n") for part in parts))

    def to_json(self) -> dict[str, object]:
        """The document of `run --json`."""
        return {
            "argv": list(self.argv),
            "exitCode": self.exit_code,
            "meaning": self.meaning or None,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "truncated": self.truncated,
            "redactions": dict(self.redactions),
            "timedOut": self.timed_out,
            "cancelled": self.cancelled,
            "signal": self.signal,
            "durationS": round(self.duration_s, 3),
            "backend": self.backend,
            "layers": list(self.layers),
            "digest": self.digest,
            "decision": self.decision.to_json() if self.decision is not None else None,
            "confinement": self.confinement.to_json(),
            "notes": [*self.notes, *self.backend_notes],
            "run": self.run_id or None,
            **({} if self.data is MISSING else {"data": self.data}),
            **({"kept": dict(self.kept)} if self.kept else {}),
            **({"network": shown_attempts(self.attempts)} if self.attempts else {}),
            **({"refused": [need.to_json() for need in self.needs]} if self.needs else {}),
        }


class CapturedStream:
    """One stream on its way into a Result: redacted first, then cut, never kept whole.

    The beginning and the end are kept, since errors stand at the end; the middle is counted and dropped.
    """

    def __init__(
        self,
        name: str,
        secrets: Sequence[bytes],
        max_bytes: int = DEFAULT_MAX_BYTES,
        *,
        keep: SavedOutput | None = None,
    ) -> None:
        """
        Args:
            keep: takes the whole stream, redacted, once more came than fits here; None: the rest is lost.
        """
        self._name = name
        self._writer = keep
        self._redactor = Redactor(secrets)
        self._head_room = max_bytes * 3 // 4
        self._tail_room = max_bytes - self._head_room
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    @property
    def truncated(self) -> bool:
        return self._dropped > 0

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        return self._redactor.counts

    def take(self, data: bytes) -> bytes:
        """Redact and keep a piece; returns what may be shown now."""
        return self._keep(self._redactor.feed(data))

    def end(self) -> bytes:
        """The end of the stream; returns the last that may be shown."""
        remaining = self._keep(self._redactor.finish())
        if self._writer is not None:
            self._writer.close()
        return remaining

    @property
    def kept(self) -> str:
        """The run under which the whole stream can be had; empty: it is not kept."""
        return self._writer.run if self._writer is not None and self._writer.begun else ""

    def _keep(self, data: bytes) -> bytes:
        room = self._head_room - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail += data[max(0, room) :]
        over = len(self._tail) - self._tail_room
        if self._writer is not None and (over > 0 or self._dropped):
            # the first that does not fit brings along all that came before it
            self._writer.write(data if self._dropped else bytes(self._head + self._tail))
        if over > 0:
            self._dropped += over
            del self._tail[:over]
        return data

    def text(self) -> str:
        """The stored output, with a marker where something is missing and how to get it."""
        head, tail = bytes(self._head), bytes(self._tail)
        if not self._dropped:
            return (head + tail).decode("utf-8", "replace")
        mark = f"\n[{self._dropped:,} bytes of {self._name} left out here; {self._how()}]\n"
        # A character that was cut in half is dropped, not shown as damage.
        return head.decode("utf-8", "ignore") + mark + tail.decode("utf-8", "ignore")

    def _how(self) -> str:
        """Hint that says how to get the rest of the output."""
        if not self.kept or self._writer is None:
            return "for the rest narrow the command, or run it with `--max-bytes N`"
        words = f"atip audit output {self.kept} --from {len(self._head)}"
        if self._name != "stdout":
            words += f" --stream {self._name}"
        return f"for the rest run `{words}`" + ("" if self._writer.whole else " (kept in part)")


def shown_attempts(attempts: Sequence[Attempt]) -> list[dict[str, object]]:
    """Tries to reach the network, for documents."""
    return [
        {"target": attempt.target, "allowed": attempt.allowed, "why": attempt.why}
        for attempt in attempts
    ]


def clean_output(text: str) -> str:
    """Output of a tool without anything that moves the cursor, hides or reorders; lines and tabs stay.

    # SECURITY: escape, control, bidi, zero-width and private-use characters become visible marks, and a
    carriage return inside a line does too, so that output cannot overwrite text on the user's screen.
    """
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    import unicodedata

    bad = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return "".join(
        character
        if character in "\n\t" or unicodedata.category(character) not in bad
        else f"\\u{{{ord(character):x}}}"
        for character in text
    )
