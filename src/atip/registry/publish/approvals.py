"""`approvals.json`: reviewed and approved shims. Each approval applies to exactly these bytes.

Required before a shim may declare fewer dangers than its predecessor, before an inferred one becomes `community`, and
before one is marked as verified (threat 28 of conformance/threats.toml, ATIP 0.6 §4.10.4, §12.4).
"""

from __future__ import annotations

import json
import os
from typing import Any

from atip.errors import FormatError, NotFoundError
from atip.model.reading.reader import read_json
from atip.model.shapes.check import check_shape
from atip.model.shapes.registry import DIGEST
from atip.model.shapes.shape import Field, Items, Shape
from atip.system.files import locked, read_bytes, write_atomic

FILE = "approvals.json"
SHAPE = Shape(
    FILE,
    "changes that were reviewed and approved",
    {
        "approvals": Field(
            Items(
                Shape(
                    "approval",
                    "one shim, these bytes",
                    {
                        "hash": Field(DIGEST, "digest of the binary", required=True),
                        "content": Field(DIGEST, "digest of the shim's bytes", required=True),
                        "by": Field(str, "who", required=True),
                        "at": Field(str, "when", required=True),
                        "reason": Field(str, "why"),
                    },
                    closed=True,
                )
            ),
            "in the order in which they were given",
            required=True,
        )
    },
    closed=True,
)


def load_approvals(folder: str) -> frozenset[tuple[str, str]]:
    """(digits of the binary, digits of the shim's bytes) that were approved.

    Raises:
        FormatError: with all problems: a file that is not understood approves nothing.
    """
    return frozenset(
        (row["hash"].removeprefix("sha256:"), row["content"].removeprefix("sha256:"))
        for row in _load(folder)
    )


def add_approval(folder: str, digits: str, content: str, *, by: str, at: str, reason: str) -> None:
    """Record the approval of a shim."""
    with locked(os.path.join(folder, f".{FILE}.lock")):
        approvals = _load(folder)
        entry = {"hash": f"sha256:{digits}", "content": f"sha256:{content}", "by": by, "at": at}
        if reason:
            entry["reason"] = reason
        approvals.append(entry)
        text = json.dumps({"approvals": approvals}, indent=2, ensure_ascii=False) + "\n"
        write_atomic(os.path.join(folder, FILE), text.encode(), mode=0o644)


def _load(folder: str) -> list[dict[str, Any]]:
    try:
        document: Any = read_json(read_bytes(os.path.join(folder, FILE), 10_000_000))
    except NotFoundError:
        return []
    problems = [p for p in check_shape(document, SHAPE, "strict") if p.severity == "error"]
    if problems:
        first = problems[0]
        raise FormatError(first.code, f"`{FILE}`: {first.path}: {first.message}", problems=problems)
    return list(document["approvals"])
