"""Synchronising: everything that is known locally is looked up in every registry, and what else they offer is fetched.

(1) organization policy   (2) patterns   (3) shims of the given digests   (4) shims by name, from the catalogue

Changes nothing but the registries' own folders; `syncing` hands the result to the store.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError
from atip.model.value import Value
from atip.registry import tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.registry.remote.remote import RemoteRegistry
    from atip.registry.remote.remotes import RemoteShims
    from atip.registry.shims.approval import ShimUpdate

MAX_PATTERNS = 1000


class PendingChange(Value):
    """A shim with weaker claims that needs approval."""

    registry: str
    digest: str
    name: str
    update: ShimUpdate

    def to_json(self) -> dict[str, Any]:
        return {
            "registry": self.registry,
            "name": self.name,
            "digest": self.digest,
            "weaker": [change.to_json() for change in self.update.weaker],
        }


class RegistrySyncReport(Value):
    """Report of a synchronization."""

    lookups: int
    requests: int
    answers: Mapping[str, str]
    """Digest → address of the registry that answered."""
    fetched: frozenset[str]
    """Digests whose shim is new or changed."""
    prefetched: int
    patterns: int
    waiting: tuple[PendingChange, ...]
    problems: tuple[dict[str, str], ...]
    warnings: tuple[dict[str, str], ...] = ()
    """Hashes that registries without private lookup learned."""

    def to_json(self) -> dict[str, Any]:
        return {
            "asked": self.lookups,
            "requests": self.requests,
            "found": len(self.answers),
            "fetched": len(self.fetched),
            "prefetched": self.prefetched,
            "patterns": self.patterns,
            "waiting": [change.to_json() for change in self.waiting],
            "problems": list(self.problems),
            "warnings": list(self.warnings),
        }


def synchronise(
    shims: RemoteShims, tools: Iterable[tuple[str, str, bool]], *, prefetch: Iterable[str] = ()
) -> RegistrySyncReport:
    """Run all steps.

    Args:
        tools: (name, digest, whether it is the user's own file) of what is on this machine.
        prefetch: names whose shims are fetched for every platform and version in the catalogues.
    """
    problems: list[dict[str, str]] = []
    patterns = 0
    for registry in shims.registries:
        try:
            fetch_policy(registry)
            patterns += _fetch_patterns(registry)
        except AtipError as error:
            registry.fail(error)
            problems.append(problem(registry.source.name, "", error))
    answers: dict[str, str] = {}
    lookups = 0
    for name, digest, private in tools:
        lookups += 1
        shim = shims.find_or_warn(digest, name, private)
        if shim is not None:
            answers[digest] = shim.registry
    prefetched = sum(_prefetch(registry, prefetch, problems) for registry in shims.registries)
    problems += [problem(name, digest, error) for name, digest, error in shims.problems]
    return RegistrySyncReport(
        lookups=lookups,
        requests=sum(registry.fetcher.requests for registry in shims.registries),
        answers=answers,
        fetched=frozenset(d for registry in shims.registries for d in registry.acceptance.fetched),
        prefetched=prefetched,
        patterns=patterns,
        waiting=tuple(_pending_changes(shims)),
        problems=tuple(
            {row["code"] + row["registry"] + row["digest"]: row for row in problems}.values()
        ),
        warnings=tuple(shims.warnings),
    )


def problem(registry: str, digest: str, error: AtipError) -> dict[str, str]:
    return {
        "registry": registry,
        "digest": digest,
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
    }


def _pending_changes(shims: RemoteShims) -> Iterable[PendingChange]:
    for registry in shims.registries:
        for digest, update in registry.acceptance.waiting.items():
            cached = registry.cache.find(digest)
            name = registry.acceptance.load(cached).tool.name if cached is not None else ""
            yield PendingChange(
                registry=registry.source.name, digest=digest, name=name, update=update
            )


def fetch_policy(registry: RemoteRegistry) -> bool:
    """(1) Read before it is stored: a policy that is not understood must not come into force half.

    SECURITY: a policy that vanished stays in force; leaving it out would be the easiest attack on it.

    Returns:
        Whether the registry gave one.

    Raises:
        FetchError, TrustError, FormatError: it cannot be had, is not the signed one, or is not understood.
    """
    if not registry.source.organization or registry.options.offline:
        return False
    data = registry.read_listed(tree.POLICY)
    if data is None:
        return False
    from atip.policy.reading import read_policy

    read_policy(data, layer="organisation", origin=registry.source.url)
    if data != registry.files.read(registry.files.policy, tree.MAX_INDEX):
        registry.files.write(registry.files.policy, data)
    return True


def _fetch_patterns(registry: RemoteRegistry) -> int:
    """(2) Shared workflows (§4.4.1); those that the registry no longer lists go."""
    if registry.options.offline:
        return 0
    data = registry.read_listed(tree.PATTERNS)
    names = pattern_names(data) if data is not None else []
    folder = registry.files.patterns
    for name in names:
        document = registry.read_listed(tree.pattern_path(name))
        if document is not None:
            registry.files.write(os.path.join(folder, f"{name}.json"), document)
    for entry in os.listdir(folder) if os.path.isdir(folder) else ():
        if entry.removesuffix(".json") not in names:
            os.unlink(os.path.join(folder, entry))
    return len(names)


def pattern_names(data: bytes) -> list[str]:
    """Names in a patterns index that can be file names."""
    from atip.model.reading.reader import read_json
    from atip.model.text.names import why_unsafe

    document = read_json(data)
    patterns = document.get("patterns") if isinstance(document, dict) else None
    # SECURITY: a name becomes a path.
    names = [name for name in patterns or () if isinstance(name, str) and not why_unsafe(name)]
    return names[:MAX_PATTERNS]


def _prefetch(
    registry: RemoteRegistry, names: Iterable[str], problems: list[dict[str, str]]
) -> int:
    """(4) Every version and platform of some tools, for machines that will be offline."""
    count = 0
    for name in names:
        try:
            for digest in registry.catalogue().get(name, ()):
                count += registry.find(digest) is not None
        except AtipError as error:
            problems.append(problem(registry.source.name, "", error))
    return count
