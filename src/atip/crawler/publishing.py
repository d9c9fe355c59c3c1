"""Publish what a crawl found: into a registry's source, signed by the role for inferred shims, built and checked.

    (1) plan     every shim against what the registry holds
    (2) accept   updates, and new tools if that was asked for; the rest waits for a person
    (3) sign     with the key for inferred shims: never with the maintainers'
    (4) build    the static tree with its metadata
    (5) check    as a client would

The source folder is the same byte for byte for the same results.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.crawler.changes import NEW, SAME, UPDATE, WEAKER, Holdings, plan_changes, save_shim
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
    from atip.crawler.crawl import Crawled
    from atip.registry.publish.build import BuildReport

NAME, URL = "catalogue", "https://catalogue.invalid"
"""Of a registry that was not set up before; `publisher.json` is the place to change them."""


class PublishOrder(Value):
    """Where a crawl goes."""

    folder: str
    """Source folder of the registry; made if it is missing."""
    keys: str | None
    """Folder of keys; None: nothing is signed."""
    place: str = ""
    """Where it is published; empty: `public` inside the source folder."""
    accept_new: bool = False
    """New tools need not wait for a person. They stay `inferred`."""


class PublishReport(Value):
    """What became of the shims of a crawl."""

    accepted: tuple[ShimChange, ...]
    waiting: tuple[ShimChange, ...]
    unchanged: int
    signed: int
    built: BuildReport | None
    problems: tuple[str, ...] = ()
    """What `registry check` says; empty: a client takes everything."""

    def to_json(self) -> dict[str, Any]:
        return {
            "accepted": [one.to_json() for one in self.accepted],
            "waiting": [one.to_json() for one in self.waiting],
            "unchanged": self.unchanged,
            "signed": self.signed,
            "registry": self.built.to_json() if self.built else None,
            "problems": list(self.problems),
        }


def publish(crawled: Crawled, order: PublishOrder) -> PublishReport:
    """All steps.

    Raises:
        FormatError: `publish.refused` when the source holds something else that no client would take.
    """
    prepare(order.folder)
    # (1)
    holdings = Holdings(order.folder)
    changes = list(plan_changes(crawled.results, holdings))
    # (2)
    kinds = (UPDATE, NEW) if order.accept_new else (UPDATE,)
    accepted = [one for one in changes if one.kind in kinds]
    waiting = [one for one in changes if one.kind not in (*kinds, SAME)]
    for one in accepted:
        save_shim(order.folder, one.digits, one.document)
    ReviewQueue(order.folder).put(waiting)
    # (3), (4), (5)
    signed, built, held_back = _build(order, crawled.at, accepted)
    return PublishReport(
        accepted=tuple(one for one in accepted if one.digits not in held_back),
        waiting=(*waiting, *(one for one in accepted if one.digits in held_back)),
        unchanged=sum(one.kind == SAME for one in changes),
        signed=signed,
        built=built,
        problems=_check(order, crawled.at) if built else (),
    )


def prepare(folder: str) -> None:
    """A source folder with settings; one that is there is left as it is."""
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
            refused = _refused(error, accepted) - held_back
            if not refused:
                raise
            held_back |= refused
            _hold_back(order.folder, [one for one in accepted if one.digits in refused])


def _sign(order: PublishOrder) -> int:
    if order.keys is None:
        return 0
    key = default_key(order.keys, inferred=True)
    return len(sign_shims(order.folder, key_signer(key), inferred=True).signed)


def _refused(error: FormatError, accepted: list[ShimChange]) -> set[str]:
    """Shims of this crawl that the build would not take: they wait for a person, the others go on."""
    named = {problem.path.partition(".json")[0].rpartition("/")[2] for problem in error.problems}
    return named & {one.digits for one in accepted}


def _hold_back(folder: str, changes: list[ShimChange]) -> None:
    for one in changes:
        path = os.path.join(folder, SHIMS, one.digits[:2], f"{one.digits}.json")
        for name in (path, f"{path}.bundle"):
            if os.path.exists(name):
                os.unlink(name)
    ReviewQueue(folder).put([one.replace(kind=WEAKER) for one in changes])


def _check(order: PublishOrder, at: str) -> tuple[str, ...]:
    """(5) At the moment of the release: whether it is still fresh later is the publisher's daily business."""
    place = order.place or os.path.join(order.folder, DEFAULT_PLACE)
    report = check_tree(CheckOrder(place=place, at=from_iso(at) or 0.0))
    errors = [one for one in report.problems if one.severity == "error"]
    return tuple(f"{one.path}: {one.message} [{one.code}]" for one in errors)
