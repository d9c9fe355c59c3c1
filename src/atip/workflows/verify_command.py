"""Verification of a program: the verdict on its bytes, and whether the organization approved them.

Files are hashed and signatures checked only where a policy requires it (`approval`, `trust`, rules with `trust`) or a
description or signature covers the bytes; `guard` must not pay for it otherwise. Opens no socket.
"""

from __future__ import annotations

import os

from atip.calls.invocation import UNKNOWN_TEXT
from atip.errors import AtipError
from atip.model.value import Value
from atip.workflows.lookup import DESCRIBED, on_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.tool import Tool
    from atip.model.verdict import Verdict
    from atip.policy.command_context import CommandContext
    from atip.policy.policy import Policy
    from atip.system.paths import Places
    from atip.workflows.lookup import Lookup


class ProgramFile(Value):
    """The file that a call will run, and the digest of the bytes that will run."""

    word: str
    """As it was typed."""
    path: str
    digest: str


def verify_command(
    subject: CommandContext,
    places: Places,
    policies: Sequence[Policy],
    lookup: Lookup,
    *,
    cwd: str,
    program: ProgramFile | None = None,
) -> CommandContext:
    """Add `verdict` and `listed` to the subject, where a policy uses them or a description or signature covers the bytes.

    SECURITY: a program that contradicts its own description is compromised, and no policy can allow it.
    """
    wants_verdict = any(
        policy.trust is not None or any(rule.trust is not None for rule in policy.rules)
        for policy in policies
    )
    wants_approval = any(policy.allowlist for policy in policies)
    path = _path(subject, cwd, program)
    if not path or not (wants_verdict or wants_approval or _is_vouched(subject.tool, path, lookup)):
        return subject
    file = _program(places, subject, path, program)
    if file is None:
        return subject
    if wants_approval:
        subject = subject.replace(listed=_is_approved(places, file.digest))
    verdict = _verdict(places, file, subject, lookup, is_wanted=wants_verdict)
    if wants_verdict or (verdict is not None and verdict.level.value == "compromised"):
        subject = subject.replace(verdict=verdict)
    return subject


def _is_vouched(name: str, path: str, lookup: Lookup) -> bool:
    """Whether the program's description states a digest, or there is a signature beside it."""
    entry = lookup.entry(name) if lookup.has_store() else None
    extension = (entry or {}).get("x-atip")
    if isinstance(extension, dict) and extension.get("rung") in DESCRIBED:
        trust = (lookup.document(name) or {}).get("trust")
        if isinstance(trust, dict) and (trust.get("integrity") or trust.get("provenance")):
            return True
    from atip.trust.options import PROVENANCES, SIGNATURES

    return any(os.path.isfile(path + ending) for ending in (*SIGNATURES, *PROVENANCES))


def _path(subject: CommandContext, cwd: str, program: ProgramFile | None) -> str:
    """The real path of the program. SECURITY: resolves the word as typed; `./git` is not the `git` on the PATH."""
    word = subject.argv[0] if subject.argv else subject.tool
    if program is not None and word == program.word:
        return program.path
    if UNKNOWN_TEXT in word:
        return ""  # the name is only known when the line runs; the judge has already reported it
    path = os.path.join(cwd, word) if os.sep in word else on_path(word)
    return os.path.realpath(path) if path and os.path.isfile(path) else ""


def _program(
    places: Places, subject: CommandContext, path: str, program: ProgramFile | None
) -> ProgramFile | None:
    word = subject.argv[0] if subject.argv else subject.tool
    if program is not None and word == program.word:
        return program
    from atip.system.file_digests import file_digest

    try:
        digest_cache = os.path.join(places.data, "digests")
        return ProgramFile(word=word, path=path, digest=file_digest(path, digest_cache))
    except AtipError:
        return None


def _is_approved(places: Places, digest: str) -> bool:
    from atip.registry.remote.remotes import is_approved

    return is_approved(places, digest)


def _verdict(
    places: Places,
    program: ProgramFile,
    subject: CommandContext,
    lookup: Lookup,
    *,
    is_wanted: bool,
) -> Verdict | None:
    """None when nothing could be verified."""
    from atip.workflows.verify import verify_file

    entry = lookup.entry(subject.tool) if lookup.has_store() else None
    # A description of other bytes (the program was updated since) does not apply to these, unless a policy requires one.
    counts = is_wanted or (entry is not None and entry.get("hash") == program.digest)
    try:
        tool = _find_stored(subject.tool, lookup) if counts else None
        return verify_file(program.path, places, tool=tool, digest=program.digest)
    except AtipError:
        return None


def _find_stored(name: str, lookup: Lookup) -> Tool | None:
    from atip.model.reading.decode import decode_tool

    document = lookup.document(name)
    return decode_tool(document).replace(name=name) if document is not None else None
