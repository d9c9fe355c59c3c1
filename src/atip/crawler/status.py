"""Status of a crawl, running or finished, read from its depot."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from atip.crawler.packages import REFUSED, Refusal
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.crawler.depot import Depot


class CrawlStatus(Value):
    """Counts, and the refused packages."""

    packages: int
    outcomes: dict[str, int]
    blobs: int
    started: str
    """When the current crawl was started; empty: none is running."""
    dead_letters: tuple[Refusal, ...]

    def to_json(self) -> dict[str, object]:
        return {
            "packages": self.packages,
            "outcomes": self.outcomes,
            "files": self.blobs,
            "started": self.started or None,
            "deadLetters": [letter.to_json() for letter in self.dead_letters],
        }


def count_status(depot: Depot) -> CrawlStatus:
    """Read every result once."""
    outcomes: collections.Counter[str] = collections.Counter()
    dead: list[Refusal] = []
    keys = depot.known_results()
    for key in sorted(keys):
        result = depot.find_result(key)
        if result is None:
            continue
        outcomes[result["outcome"]] += 1
        if result["outcome"] == REFUSED:
            source, _, name = str(result["package"]).partition(":")
            dead.append(Refusal(source=source, name=name, step="work", **result["reason"]))
    return CrawlStatus(
        packages=len(keys),
        outcomes=dict(sorted(outcomes.items())),
        blobs=len(depot.known_blobs()),
        started=depot.under_way(),
        dead_letters=tuple(sorted(dead, key=lambda one: one.label)),
    )
