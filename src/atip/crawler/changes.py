"""Change set: what a crawl would do to a registry, shim by shim, and which ones need review. §4.10.1 step 5.

An update of a known tool is accepted automatically unless it declares fewer effects than before, or cases observed more. New tools wait for
review unless the crawl runs with `accept_new`; either way they stay `inferred` (§4.10.4).
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError
from atip.model.diff.compare import diff
from atip.model.reading.decode import decode_tool
from atip.model.reading.shim_records import read_head
from atip.model.value import Value
from atip.registry.publish.source import SHIMS
from atip.registry.shims.approval import plan_update
from atip.system.files import read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from atip.model.diff.change import Change

MAX_SHIM = 2_000_000
WIDENED = "observed-wider"
"""Kind of a change that always waits for review, whatever the descriptions say."""
NEW, UPDATE, SAME, WEAKER, WIDER = "new", "update", "same", "weaker", "wider"


class ShimChange(Value):
    """One shim of a crawl, compared with what the registry has."""

    digits: str
    name: str
    version: str
    platform: str
    kind: str
    """`new` tool, `update` (another version, or the same binary better described), `same`, `weaker`, `wider` (cases observed
    effects that the version before did not have)."""
    package: str
    document: Mapping[str, Any]
    predecessor: str = ""
    """Digits of the shim it follows; empty: the tool is new."""
    differences: tuple[str, ...] = ()
    """The changes, one line each."""

    @property
    def needs_person(self) -> bool:
        return self.kind in (NEW, WEAKER, WIDER)

    def to_json(self) -> dict[str, Any]:
        return {
            "hash": f"sha256:{self.digits}",
            "name": self.name,
            "version": self.version,
            "platform": self.platform,
            "kind": self.kind,
            "package": self.package,
            "follows": f"sha256:{self.predecessor}" if self.predecessor else None,
            "differences": list(self.differences),
        }


class ShimFolder:
    """The shims of a registry's source folder, by digits and by tool and platform."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.files: dict[str, str] = {}
        self._newest: dict[tuple[str, str], str] = {}
        for path in sorted(_files(os.path.join(folder, SHIMS))):
            digits = os.path.basename(path).removesuffix(".json")
            self.files[digits] = path
            try:
                binary = read_head(read_bytes(path, MAX_SHIM)).binary
            except AtipError:
                continue  # the build names it
            self._newest[binary.name, binary.platform] = digits

    def predecessor(self, name: str, platform: str) -> str:
        """Digits of a shim of the same tool on the same platform; empty: none."""
        return self._newest.get((name, platform), "")

    def load(self, digits: str) -> dict[str, Any]:
        document: Any = json.loads(read_bytes(self.files[digits], MAX_SHIM))
        return document if isinstance(document, dict) else {}


def save_shim(folder: str, digits: str, document: Mapping[str, Any]) -> None:
    """Write one shim into a registry's source."""
    path = os.path.join(folder, SHIMS, digits[:2], f"{digits}.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomic(path, encode_shim(document), mode=0o644, durable=False)


def encode_shim(document: Mapping[str, Any]) -> bytes:
    """The bytes of a shim: compact, in the order of the document."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def plan_changes(
    results: Iterable[Mapping[str, Any]], published: ShimFolder
) -> Iterator[ShimChange]:
    """Every shim of a crawl, once, in the order of packages."""
    seen: set[str] = set()
    for result in results:
        for digits, document in sorted(result["shims"].items()):
            if digits not in seen:
                seen.add(digits)
                yield _plan(digits, document, str(result["package"]), published)


def _plan(
    digits: str, document: Mapping[str, Any], package: str, published: ShimFolder
) -> ShimChange:
    binary = document["binary"]
    change = ShimChange(
        digits=digits,
        name=str(document["name"]),
        version=str(binary.get("version", "")),
        platform=str(binary.get("platform", "")),
        kind=NEW,
        package=package,
        document=document,
    )
    if digits in published.files:
        return _against_same(change, published.load(digits))
    before = published.predecessor(change.name, change.platform)
    if not before:
        return change
    changes = diff(decode_tool(published.load(before)), decode_tool(dict(document)))
    lines = tuple(_line(change) for change in changes.changes)
    kind = WIDER if any(change.kind == WIDENED for change in changes.changes) else UPDATE
    kind = WEAKER if any(_warns_less(change) for change in changes.changes) else kind
    return change.replace(kind=kind, predecessor=before, differences=lines)


def _against_same(change: ShimChange, published: dict[str, Any]) -> ShimChange:
    """Compare two descriptions of the same binary. A promoted shim is left unchanged."""
    change = change.replace(predecessor=change.digits)
    if published.get("trust", {}).get("source") != "inferred":
        return change.replace(kind=SAME)
    new = {**change.document, "_generation": published.get("_generation")}
    if new == published:
        return change.replace(kind=SAME)
    try:
        update = plan_update(decode_tool(published), decode_tool(dict(change.document)))
    except AtipError as error:
        return change.replace(kind=WEAKER, differences=(error.message,))
    lines = tuple(_line(change) for change in update.changes.changes)
    return change.replace(kind=WEAKER if update.weaker else UPDATE, differences=lines)


def _warns_less(change: Change) -> bool:
    return change.is_weaker_claim


def _line(change: Change) -> str:
    return f"{change.at}: {change.message}"


def _files(folder: str) -> Iterator[str]:
    for above, _names, files in os.walk(folder):
        yield from (os.path.join(above, name) for name in files if name.endswith(".json"))
