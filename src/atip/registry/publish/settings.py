"""`publisher.json`: publisher and rules of a registry. Closed: a misspelt key stops the build."""

from __future__ import annotations

import os
from typing import Any

from atip.errors import FormatError, NotFoundError
from atip.model.reading.reader import read_json
from atip.model.shapes.check import check_shape
from atip.model.shapes.registry import SIGNER
from atip.model.shapes.shape import ANYTHING, Field, Integer, Items, Shape, Table, Text
from atip.model.text.durations import parse_duration
from atip.model.value import Value
from atip.system.files import read_bytes

FILE = "publisher.json"
DAY_S = 86400.0
LIFETIMES_S = {
    "root": 365 * DAY_S,
    "targets": 365 * DAY_S,
    "snapshot": 30 * DAY_S,
    "timestamp": 3 * DAY_S,
}
"""Default lifetime of each role's signature, in seconds. Bins live as long as targets."""
MAX_TIMESTAMP_S = 3 * DAY_S
"""SECURITY: a longer one would let a network attacker freeze a registry for that long (docs/concepts/registries.md)."""

SHAPE = Shape(
    FILE,
    "publisher and rules of a registry",
    {
        "name": Field(str, "name of the registry", required=True),
        "url": Field(Text(pattern=r"^https?://"), "base address", required=True),
        "kind": Field(Text(choices=("community", "private")), "community: the rules of §12.4 hold"),
        "requireSignatures": Field(bool, "every shim is signed by one of `signers` or `keys`"),
        "signers": Field(Items(SIGNER), "identities whose signatures count"),
        "keys": Field(Items(Table(ANYTHING)), "public keys whose signatures count"),
        "lifetimes": Field(
            Shape(
                "lifetimes",
                "validity of each role's signature",
                {role: Field(str, "such as `72h`") for role in LIFETIMES_S},
                closed=True,
            )
        ),
        "rootKeys": Field(Integer(1, 9), "number of root keys created initially"),
        "rootThreshold": Field(Integer(1, 9), "number of keys that must sign a root"),
        "acceptObserved": Field(
            bool,
            "shims with the cases of their binary may be marked `verified`; only for registries filled by our own crawler",
        ),
        "wanted": Field(Items(Table(ANYTHING)), "tools and platforms that are not described yet"),
    },
    closed=True,
)


class PublisherSettings(Value):
    """`publisher.json`, read."""

    name: str
    url: str
    kind: str = "community"
    require_signatures: bool = False
    signers: tuple[dict[str, str], ...] = ()
    keys: tuple[dict[str, Any], ...] = ()
    lifetimes_s: dict[str, float]
    root_keys: int = 3
    root_threshold: int = 2
    wanted: tuple[dict[str, Any], ...] = ()
    accept_observed: bool = False


def load_publisher_settings(folder: str) -> PublisherSettings:
    """The settings of a folder of contributions.

    Raises:
        NotFoundError: `publish.no-settings`.
        FormatError: with all problems; `publish.lifetime`, `publish.threshold`.
    """
    path = os.path.join(folder, FILE)
    try:
        document: Any = read_json(read_bytes(path, 1_000_000))
    except NotFoundError as error:
        raise NotFoundError(
            "publish.no-settings",
            f"`{folder}` has no `{FILE}`",
            hint='write {"name": "…", "url": "https://…"} into it',
        ) from error
    problems = [p for p in check_shape(document, SHAPE, "strict") if p.severity == "error"]
    if problems:
        first = problems[0]
        text = f"`{path}`: {first.path}: {first.message}"
        raise FormatError(first.code, text, problems=problems, hint=first.hint)
    settings = PublisherSettings(
        name=document["name"],
        url=document["url"].rstrip("/"),
        kind=document.get("kind", "community"),
        require_signatures=document.get("requireSignatures", False),
        signers=tuple(document.get("signers", ())),
        keys=tuple(document.get("keys", ())),
        lifetimes_s=_lifetimes(document.get("lifetimes", {})),
        root_keys=document.get("rootKeys", 3),
        root_threshold=document.get("rootThreshold", 2),
        wanted=tuple(document.get("wanted", ())),
        accept_observed=document.get("acceptObserved", False),
    )
    if settings.root_threshold > settings.root_keys:
        raise FormatError("publish.threshold", "`rootThreshold` is above `rootKeys`")
    return settings


def _lifetimes(configured: dict[str, str]) -> dict[str, float]:
    lifetimes = dict(LIFETIMES_S)
    for role, text in configured.items():
        parsed = parse_duration(text)
        if parsed is None or parsed[1] < 60:
            raise FormatError(
                "publish.lifetime", f"`{text}` is not a valid duration", hint="such as `72h`"
            )
        lifetimes[role] = parsed[1]
    if lifetimes["timestamp"] > MAX_TIMESTAMP_S:
        raise FormatError("publish.lifetime", "a timestamp lasts at most 72 hours")
    return lifetimes


def public_key(key: dict[str, Any], folder: str) -> dict[str, Any]:
    """A key of `keys` with its content: one given as `file` is read, relative to the folder.

    Raises:
        NotFoundError: `file.not-found`.
    """
    if isinstance(key.get("file"), str):
        return {**key, "key": read_bytes(os.path.join(folder, key["file"]), 1_000_000)}
    return key
