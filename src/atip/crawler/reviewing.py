"""Review: shims that wait for a decision; accept, reject, edit, promote. §4.10.1 step 5, §4.10.4.

The queue is a folder beside the shims (`review/<hex>.json`), one file each: the shim, why it waits, what changed. The
reviewer is recorded in `approvals.json`, for exactly these bytes. Rejected bytes stay rejected (`rejected.json`).
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from atip.crawler.changes import ShimFolder, encode_shim, save_shim
from atip.errors import FormatError, NotFoundError
from atip.model.reading.documents import judge
from atip.model.value import Value
from atip.registry.publish.approvals import add_approval
from atip.system.files import read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.crawler.changes import ShimChange

QUEUE = "review"
REJECTED = "rejected.json"
MAX_ENTRY = 3_000_000


class ReviewDecision(Value):
    """Reviewer, time and reason of a decision."""

    by: str
    at: str
    reason: str = ""


class ReviewQueue:
    """The review queue of one registry."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._queue = os.path.join(folder, QUEUE)

    def put(self, changes: Iterable[ShimChange]) -> int:
        """Add changes, except those rejected before; returns how many were added."""
        rejected = self._load_rejected()
        count = 0
        for change in changes:
            content = hashlib.sha256(encode_shim(change.document)).hexdigest()
            if rejected.get(change.digits) == content:
                continue
            os.makedirs(self._queue, exist_ok=True)
            entry = {**change.to_json(), "shim": change.document}
            write_atomic(self._path(change.digits), encode_shim(entry), mode=0o644, durable=False)
            count += 1
        return count

    def waiting(self) -> list[dict[str, Any]]:
        """All entries, without the shims themselves."""
        try:
            names = sorted(os.listdir(self._queue))
        except FileNotFoundError:
            return []
        entries = [self.get(name.removesuffix(".json")) for name in names if name.endswith(".json")]
        return [{key: entry[key] for key in entry if key != "shim"} for entry in entries]

    def get(self, digits: str) -> dict[str, Any]:
        """One entry, by its digest or a prefix of it (6 digits or more).

        Raises:
            NotFoundError: `crawl.no-review`.
        """
        digits = digits.removeprefix("sha256:")
        for candidate in (digits, *self._match_prefix(digits)):
            if os.path.isfile(self._path(candidate)):
                entry: dict[str, Any] = json.loads(read_bytes(self._path(candidate), MAX_ENTRY))
                return entry
        raise NotFoundError(
            "crawl.no-review",
            f"no entry `{digits[:80]}` in the review queue",
            hint="list the entries: `atip crawl review DIR`",
        )

    def accept(
        self, digits: str, decision: ReviewDecision, *, edited: dict[str, Any] | None = None
    ) -> str:
        """Move a shim into the registry's source; returns its digits.

        Raises:
            NotFoundError: `crawl.no-review`.
            FormatError: `crawl.edit` when the edited shim is about another binary, or not valid.
        """
        entry = self.get(digits)
        document = edited if edited is not None else entry["shim"]
        full_digits = str(entry["hash"]).removeprefix("sha256:")
        _check_edit(document, entry["shim"])
        self._approve(full_digits, document, decision)
        os.unlink(self._path(full_digits))
        return full_digits

    def reject(self, digits: str, decision: ReviewDecision) -> str:
        """Reject a shim permanently: these bytes are not queued again."""
        entry = self.get(digits)
        full_digits = str(entry["hash"]).removeprefix("sha256:")
        rows = self._rejected_rows()
        content = hashlib.sha256(encode_shim(entry["shim"])).hexdigest()
        rows.append(
            {
                "hash": full_digits,
                "content": content,
                "by": decision.by,
                "at": decision.at,
                "reason": decision.reason,
            }
        )
        data = json.dumps({"rejected": rows}, indent=2, ensure_ascii=False) + "\n"
        write_atomic(os.path.join(self._folder, REJECTED), data.encode(), mode=0o644)
        os.unlink(self._path(full_digits))
        return full_digits

    def promote(self, digits: str, decision: ReviewDecision) -> str:
        """Change an inferred shim of the registry to `community` after review (§4.10.4). Another role signs it.

        Raises:
            NotFoundError: `publish.no-shim`.
        """
        published = ShimFolder(self._folder)
        matches = [
            path for path in published.files if path.startswith(digits.removeprefix("sha256:"))
        ]
        if len(matches) != 1:
            raise NotFoundError(
                "publish.no-shim",
                f"`{self._folder}` does not have exactly one shim `{digits[:80]}`",
            )
        document = published.load(matches[0])
        trust = {**document.get("trust", {}), "source": "community", "verified": False}
        generation = {**document.get("_generation", {}), "review": f"by {decision.by}"}
        self._approve(matches[0], {**document, "trust": trust, "_generation": generation}, decision)
        bundle = f"{published.files[matches[0]]}.bundle"
        if os.path.exists(bundle):
            os.unlink(bundle)  # made by the role for inferred shims, over other bytes
        return matches[0]

    def _approve(self, digits: str, document: dict[str, Any], decision: ReviewDecision) -> None:
        save_shim(self._folder, digits, document)
        content = hashlib.sha256(encode_shim(document)).hexdigest()
        add_approval(
            self._folder, digits, content, by=decision.by, at=decision.at, reason=decision.reason
        )

    def _path(self, digits: str) -> str:
        return os.path.join(self._queue, f"{os.path.basename(digits)}.json")

    def _match_prefix(self, digits: str) -> list[str]:
        if len(digits) < 6 or not os.path.isdir(self._queue):
            return []
        return [
            name.removesuffix(".json")
            for name in sorted(os.listdir(self._queue))
            if name.startswith(digits)
        ]

    def _load_rejected(self) -> dict[str, str]:
        return {row["hash"]: row["content"] for row in self._rejected_rows()}

    def _rejected_rows(self) -> list[dict[str, str]]:
        try:
            rows = json.loads(read_bytes(os.path.join(self._folder, REJECTED), 50_000_000))[
                "rejected"
            ]
        except NotFoundError:
            return []
        return list(rows)


def _check_edit(document: dict[str, Any], before: dict[str, Any]) -> None:
    if document.get("binary") != before.get("binary"):
        raise FormatError(
            "crawl.edit", "the edited shim is about another binary: keep `binary` unchanged"
        )
    problems = [
        problem for problem in judge(document, kind="shim").problems if problem.severity == "error"
    ]
    if problems:
        first = problems[0]
        raise FormatError("crawl.edit", f"{first.path}: {first.message}", problems=problems)
