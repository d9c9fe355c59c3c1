"""Files of a tree besides shims: rendered from the source, and old ones that are no longer needed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError, NotFoundError
from atip.model.reading.reader import read_json
from atip.model.shapes.check import check_shape
from atip.model.shapes.registry import PATTERNS as PATTERNS_SHAPE
from atip.registry import tree
from atip.registry.publish.files import documents
from atip.registry.publish.source import PATTERNS, POLICY
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.registry.publish.ledger import ShimLedger
    from atip.registry.publish.settings import PublisherSettings
    from atip.registry.publish.signing.metadata import Metadata
    from atip.registry.publish.signing.published import PublishedMetadata
    from atip.system.stores.objects import ObjectStore

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")


def render_documents(
    folder: str, settings: PublisherSettings, ledger: ShimLedger, release: str, fingerprint: str
) -> dict[str, bytes]:
    """Every file that is neither a shim nor the catalogue, by path.

    Raises:
        FormatError: for a pattern document or policy that clients would refuse.
    """
    patterns = load_pattern_files(folder)
    ledger.render()
    files = {
        tree.MANIFEST: documents.manifest(settings, release, fingerprint or None),
        tree.PATTERNS: documents.pattern_index(
            {name: pattern[1] for name, pattern in patterns.items()}
        ),
        tree.COVERAGE: coverage(ledger, settings.wanted),
    }
    for name, (data, _document) in patterns.items():
        files[tree.pattern_path(name)] = data
    policy = _policy(folder)
    if policy is not None:
        files[tree.POLICY] = policy
    return files


def load_pattern_files(folder: str) -> dict[str, tuple[bytes, dict[str, Any]]]:
    """Pattern documents by name, as bytes and as `{"patterns": […]}`.

    Raises:
        FormatError: `publish.pattern`.
    """
    documents: dict[str, tuple[bytes, dict[str, Any]]] = {}
    start = os.path.join(folder, PATTERNS)
    names = sorted(os.listdir(start)) if os.path.isdir(start) else []
    for name in names:
        if name.startswith("."):
            continue
        stem = name.removesuffix(".json")
        if stem == name or stem == "index" or not _NAME.issuperset(stem):
            raise FormatError(
                "publish.pattern",
                f"`{PATTERNS}/{name}` cannot be published under that name: use letters, digits, `-`, `_` and `.`",
            )
        data = read_bytes(os.path.join(start, name), tree.MAX_SHIM)
        documents[stem] = (data, read_patterns(data, f"{PATTERNS}/{name}"))
    return documents


def read_patterns(data: bytes, origin: str) -> dict[str, Any]:
    """One pattern document, however it is written: one pattern, a list, or `{"patterns": […]}`.

    Raises:
        FormatError: with all problems.
    """
    value: Any = read_json(data)
    if isinstance(value, dict) and "patterns" not in value:
        value = [value]
    document = {"patterns": value} if isinstance(value, list) else value
    problems = [p for p in check_shape(document, PATTERNS_SHAPE, "strict") if p.severity == "error"]
    if problems:
        first = problems[0]
        text = f"`{origin}`: {first.path}: {first.message}"
        raise FormatError("publish.pattern", text, problems=problems)
    return dict(document)


def _policy(folder: str) -> bytes | None:
    from atip.policy.reading import read_policy

    path = os.path.join(folder, POLICY)
    try:
        data = read_bytes(path, tree.MAX_INDEX)
    except NotFoundError:
        return None
    read_policy(data, layer="organisation", origin=path)
    return data


def stale_files(
    store: ObjectStore,
    files: dict[str, bytes],
    published: PublishedMetadata | None,
    metadata: Metadata | None,
) -> list[str]:
    """Patterns that are gone, and metadata that neither this release nor the one before it names.

    The release before stays: a client that began with it must be able to finish.
    """
    stale = [info.key for info in store.list(PATTERNS) if info.key not in files]
    if published is None or metadata is None:
        return stale
    versions: dict[str, set[int]] = {}
    for meta in (published.snapshot, metadata.snapshot):
        for name, facts in meta.items():
            versions.setdefault(name, set()).add(facts["version"])
    newest = published.snapshot_version
    versions["snapshot.json"] = {newest, newest + 1}
    for info in store.list(tree.TUF):
        number, _, role = info.key.removeprefix(f"{tree.TUF}/").partition(".")
        if number.isdigit() and role != "root.json" and int(number) not in versions.get(role, {-1}):
            stale.append(info.key)
    return stale


def coverage(ledger: ShimLedger, tracked: Iterable[Mapping[str, Any]]) -> bytes:
    """`coverage.json`: how much is described, and which tracked tools are missing."""
    missing = []
    for tool in tracked:
        name = str(tool.get("name", ""))
        platforms = [str(platform) for platform in tool.get("platforms", ())]
        missing_platforms = [
            platform for platform in platforms if not ledger.has_tool(name, platform)
        ]
        if missing_platforms or (not platforms and not ledger.has_tool(name)):
            missing.append({"name": name, "platforms": missing_platforms})
    figures = {
        "tracked_tools": ledger.tools(),
        "total_shims": ledger.total,
        "platforms": {name or "any": n for name, n in sorted(ledger.platforms.items())},
        "by_source": {name or "unknown": n for name, n in sorted(ledger.sources.items())},
        "missing": missing,
    }
    return documents.readable({"coverage": figures})
