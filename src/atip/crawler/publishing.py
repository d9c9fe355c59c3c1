"""Publish the shims of a crawl: write them into a registry's source, sign them by the role for inferred shims, build and check.

    (1) plan     compare every shim with what the registry has
    (2) accept   updates, and new tools with `accept_new`; the rest waits for review
    (3) sign     with the key for inferred shims, never with the maintainers' key
    (4) build    the static tree with its metadata
    (5) check    as a client would

The same results give the same source folder, byte for byte.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.crawler.changes import NEW, SAME, UPDATE, WEAKER, ShimFolder, plan_changes, save_shim
from atip.crawler.reviewing import ReviewQueue
from atip.errors import FormatError
from atip.model.value import Value
from atip.registry.publish.build import BuildOrder, build
from atip.registry.publish.check import CheckOrder, check_tree
from atip.registry.publish.contributions import DEFAULT_PLACE
from atip.registry.publish.settings import FILE
from atip.registry.publish.signing.shim_signing import default_key, key_signer, sign_shims
from atip.registry.publish.source import SHIMS
from atip.system.clock import from_iso
from atip.system.files import write_atomic

if TYPE_CHECKING:
    from atip.crawler.changes import ShimChange
    from atip.crawler.crawl import CrawlReport
    from atip.registry.publish.build import BuildReport

NAME, URL = "catalogue", "https://catalogue.invalid"
"""Defaults for a new registry; change them in `publisher.json`."""


class PublishOrder(Value):
    """Destination and rules of publishing a crawl."""

    folder: str
    """Source folder of the registry; created if missing."""
    keys: str | None
    """Folder of keys; None: nothing is signed."""
    place: str = ""
    """Output folder; empty: `public` inside the source folder."""
    accept_new: bool = False
    """Accept new tools without review. They stay `inferred`."""


class PublishReport(Value):
    """Outcome for the shims of a crawl."""

    accepted: tuple[ShimChange, ...]
    waiting: tuple[ShimChange, ...]
    unchanged: int
    signed: int
    built: BuildReport | None
    problems: tuple[str, ...] = ()
    """Errors that `registry check` reports; empty: clients accept the registry."""

    def to_json(self) -> dict[str, Any]:
        return {
            "accepted": [change.to_json() for change in self.accepted],
            "waiting": [change.to_json() for change in self.waiting],
            "unchanged": self.unchanged,
            "signed": self.signed,
            "registry": self.built.to_json() if self.built else None,
            "problems": list(self.problems),
        }


def publish(crawled: CrawlReport, order: PublishOrder) -> PublishReport:
    """Run all steps.

    Raises:
        FormatError: `publish.refused` when the source contains another file that clients refuse.
    """
    prepare(order.folder)
    # (1)
    published = ShimFolder(order.folder)
    changes = list(plan_changes(crawled.results, published))
    # (2)
    kinds = (UPDATE, NEW) if order.accept_new else (UPDATE,)
    accepted = [change for change in changes if change.kind in kinds]
    pending = [change for change in changes if change.kind not in (*kinds, SAME)]
    for update in accepted:
        save_shim(order.folder, update.digits, update.document)
    ReviewQueue(order.folder).put(pending)
    # (3), (4), (5)
    signed, built, held_back = _build(order, crawled.at, accepted)
    return PublishReport(
        accepted=tuple(update for update in accepted if update.digits not in held_back),
        waiting=(*pending, *(update for update in accepted if update.digits in held_back)),
        unchanged=sum(change.kind == SAME for change in changes),
        signed=signed,
        built=built,
        problems=_check(order, crawled.at) if built else (),
    )


def prepare(folder: str) -> None:
    """Create a source folder with settings; an existing one is left unchanged."""
    os.makedirs(os.path.join(folder, SHIMS), exist_ok=True)
    settings = os.path.join(folder, FILE)
    if not os.path.exists(settings):
        document = {"name": NAME, "url": URL, "kind": "community", "acceptObserved": True}
        write_atomic(settings, (json.dumps(document, indent=2) + "\n").encode(), mode=0o644)


def _build(
    order: PublishOrder, at: str, accepted: list[ShimChange]
) -> tuple[int, BuildReport | None, set[str]]:
    if not any(os.scandir(os.path.join(order.folder, SHIMS))):
        return 0, None, set()
    held_back: set[str] = set()
    while True:
        signed = _sign(order)
        try:
            built = build(
                BuildOrder(
                    folder=order.folder,
                    place=order.place or os.path.join(order.folder, DEFAULT_PLACE),
                    at=from_iso(at) or 0.0,
                    keys=order.keys,
                )
            )
            return signed, built, held_back
        except FormatError as error:
            refused = _refused_by_build(error, accepted) - held_back
            if not refused:
                raise
            held_back |= refused
            _hold_back(order.folder, [change for change in accepted if change.digits in refused])


def _sign(order: PublishOrder) -> int:
    if order.keys is None:
        return 0
    key = default_key(order.keys, inferred=True)
    return len(sign_shims(order.folder, key_signer(key), inferred=True).signed)


def _refused_by_build(error: FormatError, accepted: list[ShimChange]) -> set[str]:
    """Shims of this crawl that the build refused: they wait for review, the others are published."""
    refused_digits = {
        problem.path.partition(".json")[0].rpartition("/")[2] for problem in error.problems
    }
    return refused_digits & {change.digits for change in accepted}


def _hold_back(folder: str, changes: list[ShimChange]) -> None:
    for change in changes:
        path = os.path.join(folder, SHIMS, change.digits[:2], f"{change.digits}.json")
        for name in (path, f"{path}.bundle"):
            if os.path.exists(name):
                os.unlink(name)
    ReviewQueue(folder).put([change.replace(kind=WEAKER) for change in changes])


def _check(order: PublishOrder, at: str) -> tuple[str, ...]:
    """(5) Check as of the release time: keeping the metadata fresh later is the publisher's daily task."""
    place = order.place or os.path.join(order.folder, DEFAULT_PLACE)
    report = check_tree(CheckOrder(place=place, at=from_iso(at) or 0.0))
    errors = [problem for problem in report.problems if problem.severity == "error"]
    return tuple(f"{error.path}: {error.message} [{error.code}]" for error in errors)
