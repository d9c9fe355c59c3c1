"""Proposal: what would start, a program or an operation alike: all that a question shows, a yes is bound to, and a record names."""

from __future__ import annotations

import os

from atip.execution.consent import Question, bind
from atip.execution.redaction.secret_values import named_values, passed_values
from atip.model.text.globs import parse_glob
from atip.model.value import Value
from atip.system.digests import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.execution.call import Judgment, OperationCall, ProgramCall
    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.verified import VerifiedBinary


class Proposal(Value):
    """The program that would start."""

    argv: tuple[str, ...]
    """As the question shows it."""
    program: str
    digest: str
    cwd: str
    """Directory of the caller."""
    starts_in: str | None = None
    """Working directory; None: an empty home of its own."""
    env: Mapping[str, str] = {}
    """Variables that are passed."""
    image: str = ""
    """System that it runs on; empty: this host's."""
    judgment: Judgment
    confinement: Confinement | None = None
    """None: nothing of ours is confined, as with a request to an API."""
    assume_yes: bool = False
    secrets: tuple[bytes, ...] = ()
    """Secrets that must not stand in a record."""
    record: Mapping[str, object] = {}
    """Content of its record besides the decision."""
    needs_record: bool = False
    """Refuse to start without a record, regardless of policy."""

    @property
    def question(self) -> Question:
        """The question for a person, bound to everything in it."""
        judgment = self.judgment
        walls = repr(self.confinement) if self.confinement is not None else ""
        return Question(
            argv=self.argv,
            program=self.program,
            digest=self.digest,
            cwd=self.cwd,
            starts_in=self.starts_in,
            image=self.image,
            reasons=judgment.decision.reasons,
            rule=judgment.decision.rule,
            # SECURITY: what is not known to spare data counts as destroying it.
            destructive=judgment.effects.destructive is not False,
            confinement=self.confinement,
            binding=bind(
                digest=self.digest, argv=self.argv, env=self.env, cwd=self.cwd,
                policy=f"{judgment.policy} {walls}{self.image}",
            ),
        )  # fmt: skip


def program_proposal(call: ProgramCall, judgment: Judgment, binary: VerifiedBinary) -> Proposal:
    """The start of a program, by its very bytes."""
    confinement = judgment.confinement
    start = starts_in(confinement, call.cwd)
    return Proposal(
        argv=call.argv,
        program=binary.path,
        digest=binary.digest,
        cwd=call.cwd,
        starts_in=start,
        image=call.image,
        env={**handed(call, confinement), **confinement.environment},
        judgment=judgment,
        confinement=confinement,
        assume_yes=call.assume_yes,
        secrets=passed_values(confinement.env_pass, call.env),
        record={
            "argv": list(call.argv),
            "program": binary.path,
            "interpreter": list(binary.interpreter),
            "digest": binary.digest,
            "cwd": call.cwd,
            "startsIn": start,
            **({"image": call.image} if call.image else {}),
        },
        needs_record=judgment.audit,
    )


def operation_proposal(call: OperationCall, judgment: Judgment) -> Proposal:
    """The call of an operation; a yes is bound to its arguments, and a record never holds them."""
    import json  # brings `re` along; a program's call starts without it

    arguments = json.dumps(call.arguments, sort_keys=True, default=str)
    return Proposal(
        argv=("atip", "api", "call", call.target, "--args", arguments),
        program=f"{call.method} {call.path}".strip() or call.name,
        digest=f"sha256:{sha256_hex(arguments.encode())}",
        cwd=call.cwd,
        starts_in=call.cwd,
        judgment=judgment,
        assume_yes=call.assume_yes,
        secrets=named_values(os.environ),
        record={
            "api": call.target,
            "argv": ["atip", "api", "call", call.target],
            "method": call.method,
            "path": call.path,
            "cwd": call.cwd,
        },
        # An operation without a record is not called.
        needs_record=True,
    )


def handed(call: ProgramCall, confinement: Confinement) -> dict[str, str]:
    """The caller's variables that a confinement lets in."""
    return {name: call.env[name] for name in confinement.env_pass if name in call.env}


def starts_in(confinement: Confinement, path: str) -> str | None:
    """The directory that a program starts in: the caller's, if it may see that; None: an empty home of its own.

    A command that surely reads and writes nothing has no use for the directory, and gets none.
    """
    folder = parse_glob(path)
    entries = (*confinement.fs_read, *confinement.fs_write)
    is_shown = any(parse_glob(entry).surely_covers(folder) for entry in entries)
    return path if is_shown else None
