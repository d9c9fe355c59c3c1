"""What policy wants proven about a program: the verdict on its bytes, and whether the organisation approved them.

Only for users whose policies ask for it (`approval`, `trust`, rules with `trust`): files are hashed and signatures
checked, which `guard` must not pay for otherwise. Opens no socket.
"""

from __future__ import annotations

import os

from atip.errors import AtipError
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.model.tool import Tool
    from atip.model.verdict import Verdict
    from atip.policy.policy import Policy
    from atip.policy.subject import Subject
    from atip.system.paths import Places

    Establish = Callable[[Subject], Subject]


class Program(Value):
    """The file that a call will run, and the digest of the bytes that will really run."""

    word: str
    """As it was typed."""
    path: str
    digest: str


def establisher(
    places: Places, policies: Sequence[Policy], *, cwd: str, program: Program | None = None
) -> Establish | None:
    """Adds `verdict` and `listed` to subjects; None when no policy looks at either."""
    wants_verdict = any(
        policy.trust is not None or any(rule.trust is not None for rule in policy.rules)
        for policy in policies
    )
    wants_approval = any(policy.allowlist for policy in policies)
    if not (wants_verdict or wants_approval):
        return None

    def establish(subject: Subject) -> Subject:
        if not subject.tool or subject.evidence == "shell":
            return subject
        found = _find(subject, cwd, program)
        if found is None:
            return subject
        if wants_approval:
            subject = subject.replace(listed=_is_approved(places, found.digest))
        if wants_verdict:
            subject = subject.replace(verdict=_verdict(places, found, subject))
        return subject

    return establish


def _find(subject: Subject, cwd: str, program: Program | None) -> Program | None:
    word = subject.argv[0] if subject.argv else subject.tool
    if program is not None and word == program.word:
        return program
    # SECURITY: by the word as it was typed; `./git` is not the `git` of the PATH.
    path = os.path.join(cwd, word) if os.sep in word else _which(word)
    if not path or not os.path.isfile(path):
        return None
    from atip.discovery.content import ContentReader

    try:
        real = os.path.realpath(path)
        return Program(word=word, path=real, digest=ContentReader().read(real).digest)
    except AtipError:
        return None


def _which(word: str) -> str:
    import shutil

    return shutil.which(word) or ""


def _is_approved(places: Places, digest: str) -> bool:
    from atip.registry.remotes import is_approved

    return is_approved(places, digest)


def _verdict(places: Places, program: Program, subject: Subject) -> Verdict | None:
    """None when nothing could be established: then nothing is."""
    from atip.verifying import verify_file

    try:
        return verify_file(
            program.path, places, tool=_stored(places, subject.tool), digest=program.digest
        )
    except AtipError:
        return None


def _stored(places: Places, name: str) -> Tool | None:
    from atip.model.decode import decode_tool
    from atip.registry.store import Store

    store = Store(places)
    entry = store.find(name)
    return decode_tool(store.load_metadata(name, entry)) if entry is not None else None
