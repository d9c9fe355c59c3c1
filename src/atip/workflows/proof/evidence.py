"""Stored evidence: what cases observed of a program, on this machine or in our knowledge pack.

Bound to the digest: for another file than the one that ran, it is marked as evidence of another build.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.system.paths import Places

MAX_EVIDENCE = 20_000_000


class ObservedRow(Value):
    """One observed fact of one command or flag."""

    subject: str
    fact: str
    verdict: str
    line: str
    version: str
    own: bool
    """Whether exactly this file was observed."""

    @property
    def text(self) -> str:
        whose = "" if self.own else f", another build ({self.version or 'version unknown'})"
        return f"observed: {self.fact} {self.verdict} – {self.line}{whose}"


def observed_rows(places: Places, name: str, path: str | None) -> tuple[ObservedRow, ...]:
    """Observations of a tool: local ones by digest, else those in our knowledge pack."""
    digest = _digest(path)
    local = _local(places, digest) if digest else None
    if local is not None:
        return _verified_rows(name, local) + tuple(
            ObservedRow(
                subject=row["subject"], fact=row["fact"], verdict=row["verdict"],
                line=(row["lines"] or [""])[0], version=local.get("version", ""), own=True,
            )
            for row in local["facts"]
            if row["verdict"] in ("agrees", "undeclared", "unsaid")
        )  # fmt: skip
    from atip.knowledge.proof import rows_of

    return tuple(
        ObservedRow(
            subject=subject, fact=fact, verdict="agrees", line=line, version=version,
            own=digest == row_digest,
        )
        for subject, fact, line, version, row_digest in rows_of(name)
    )  # fmt: skip


def _verified_rows(name: str, local: dict[str, Any]) -> tuple[ObservedRow, ...]:
    """A row that says that the whole description was verified against this file; empty if it was not."""
    if local.get("verified") is not True:
        return ()
    line = f"every claimed fact was observed in {local.get('cases', 0)} cases"
    return (
        ObservedRow(
            subject=name, fact="trust.verified", verdict="agrees", line=line,
            version=local.get("version", ""), own=True,
        ),
    )  # fmt: skip


def _digest(path: str | None) -> str:
    from atip.discovery.files.content import ContentReader

    try:
        return ContentReader().read(os.path.realpath(path)).digest if path else ""
    except (AtipError, OSError):
        return ""


def _local(places: Places, digest: str) -> dict[str, Any] | None:
    from atip.system.files import read_bytes

    path = os.path.join(places.data, "observed", digest.removeprefix("sha256:"), "proof.json")
    if not os.path.isfile(path):
        return None
    try:
        document = json.loads(read_bytes(path, MAX_EVIDENCE))
    except (AtipError, ValueError):
        return None
    return document if isinstance(document, dict) and document.get("facts") else None
