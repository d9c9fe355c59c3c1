"""Check a published tree: everything a client would refuse, found before clients do.

    (1) manifest    there, and well-formed
    (2) shims       named by the binary's hash, readable, valid, signed where that is required
    (3) documents   catalogue, patterns, policy: well-formed, within limits, and about the shims that are there
    (4) metadata    as our own client verifies it: signatures, thresholds, versions, expiry
    (5) listed      every file is listed with its length and hash, and every listed file is there
    (6) update      against an older tree: nothing immutable changed

Reads; writes nothing. The metadata is verified by python-tuf, which did not write it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, FormatError
from atip.model.problems import Problem
from atip.model.reading.documents import judge
from atip.model.reading.reader import STORE, read_json
from atip.model.value import Value
from atip.registry import tree
from atip.registry.publish.check_metadata import check_metadata
from atip.registry.publish.files.delivery import headers_for
from atip.registry.publish.files.extra_files import read_patterns
from atip.registry.shims.check import verify_signature_of
from atip.system.stores.objects import open_store

if TYPE_CHECKING:
    from atip.system.stores.objects import ObjectStore
    from atip.trust.expected import TrustPolicy

_KNOWN = {tree.MANIFEST, tree.CATALOG, tree.PATTERNS, tree.POLICY, tree.COVERAGE}
_FOLDERS = (f"{tree.SHIMS}/", f"{tree.TUF}/", "patterns/")


class CheckOrder(Value):
    """Options of a check."""

    place: str
    at: float
    """The moment at which metadata must not have expired."""
    policy: TrustPolicy | None = None
    """Accepted signers; None: any signature is enough."""
    against: str = ""
    """An older tree of the same registry."""


class CheckReport(Value):
    """Result of a check."""

    place: str
    shims: int
    is_signed: bool
    problems: tuple[Problem, ...]

    @property
    def is_ok(self) -> bool:
        return all(problem.severity != "error" for problem in self.problems)

    def to_json(self) -> dict[str, object]:
        return {
            "place": self.place,
            "ok": self.is_ok,
            "shims": self.shims,
            "tuf": self.is_signed,
            "problems": [problem.to_json() for problem in self.problems],
        }


def check_tree(order: CheckOrder) -> CheckReport:
    """Check a published tree in a folder or an object store.

    Raises:
        AtipError, FetchError: the place cannot be read at all.
    """
    return _Check(order).run()


class _Check:
    """One check; collects problems."""

    def __init__(self, order: CheckOrder) -> None:
        self.order = order
        self.store: ObjectStore = open_store(order.place, headers_for)
        self.sizes = {info.key: info.size for info in self.store.list("")}
        self.problems: list[Problem] = []
        self.shims: set[str] = set()
        self.requires_signatures = False

    def run(self) -> CheckReport:
        older = open_store(self.order.against, headers_for) if self.order.against else None
        self._manifest()
        for key in sorted(self.sizes):
            if key.startswith(f"{tree.SHIMS}/"):
                self._shim_file(key, older)
            elif key not in _KNOWN and not key.startswith(_FOLDERS):
                self.add(key, "registry.unexpected", "is not part of a registry", "warning")
        self._catalog()
        self._patterns()
        self._policy()
        is_signed = check_metadata(self.store, self.sizes, self.order.at, self.add)
        return CheckReport(
            place=self.store.place,
            shims=len(self.shims),
            is_signed=is_signed,
            problems=tuple(self.problems),
        )

    def add(self, path: str, code: str, message: str, severity: Any = "error") -> None:
        self.problems.append(Problem(path=path, code=code, message=message, severity=severity))

    def _read(self, key: str, max_bytes: int) -> bytes | None:
        """The bytes of a file; None after a problem was noted."""
        try:
            stored = self.store.find(key, max_bytes)
        except AtipError as error:
            self.add(key, error.code, error.message)
            return None
        if stored is None:
            self.add(key, "registry.missing", "does not exist")
        return stored.data if stored is not None else None

    def _document(self, key: str, kind: str) -> Any:
        data = self._read(key, tree.MAX_INDEX)
        if data is None:
            return None
        try:
            value = read_json(data, STORE)
            problems = [
                problem
                for problem in judge(value, kind=kind).problems
                if problem.severity == "error"
            ]
        except FormatError as error:
            value, problems = None, list(error.problems)
        for problem in problems:
            self.add(f"{key} {problem.path}", problem.code, problem.message)
        return None if problems else value

    def _manifest(self) -> None:
        manifest = self._document(tree.MANIFEST, "manifest")
        if manifest is not None:
            trust = manifest.get("trust") or {}
            self.requires_signatures = bool(trust.get("requireSignatures"))

    def _shim_file(self, key: str, older: ObjectStore | None) -> None:
        """(2)"""
        if key.endswith(".json.bundle"):
            if key.removesuffix(".bundle") not in self.sizes:
                self.add(key, "registry.orphan", "has no shim beside it")
            return
        digest = tree.digest_of_shim_path(key)
        if digest is None:
            self.add(key, "registry.name", "is not named by a SHA-256 in lower case")
            return
        data = self._read(key, tree.MAX_SHIM)
        if data is None:
            return
        self.shims.add(digest)
        try:
            # The strict judgment finds all that a client's lenient one does, and more.
            document: Any = read_json(data)
            for problem in judge(document, kind="shim").problems:
                if problem.severity == "error":
                    self.add(f"{key} {problem.path}", problem.code, problem.message)
            self._binary(key, document, digest)
            self._signature(key, data)
            self._update(key, data, older)
        except AtipError as error:
            self.add(key, error.code, error.message)

    def _binary(self, key: str, document: Any, digest: str) -> None:
        binary = document.get("binary") if isinstance(document, dict) else None
        declared = binary.get("hash") if isinstance(binary, dict) else None
        if str(declared).lower() != digest:
            self.add(key, "registry.wrong-binary", f"describes {str(declared)[:80]}")

    def _signature(self, key: str, data: bytes) -> None:
        signature = f"{key}.bundle"
        if signature not in self.sizes:
            required = self.order.policy is not None and self.order.policy.require_signatures
            if required or self.requires_signatures:
                self.add(key, "registry.unsigned", "is not signed, but a signature is required")
            return
        bundle = self._read(signature, tree.MAX_BUNDLE)
        if bundle is not None and self.order.policy is not None:
            verify_signature_of(data, bundle, self.order.policy)

    def _update(self, key: str, data: bytes, older: ObjectStore | None) -> None:
        """(6)"""
        old = older.find(key, tree.MAX_SHIM) if older is not None else None
        if old is None or old.data == data:
            return
        from atip.model.reading.decode import decode
        from atip.registry.shims.approval import plan_update

        update = plan_update(decode(old.data).tool, decode(data).tool)
        for change in update.weaker:
            text = f"{change.message}: clients will require approval"
            self.add(f"{key} {change.at}", "registry.weaker", text, "warning")

    def _catalog(self) -> None:
        """(3)"""
        if tree.CATALOG not in self.sizes:
            return
        catalog = self._document(tree.CATALOG, "catalog")
        if catalog is None:
            return
        names: set[str] = set()
        for name, tool in catalog["tools"].items():
            for platforms in tool["versions"].values():
                for digest in platforms.values():
                    if digest in names:
                        self.add(f"{tree.CATALOG} {name}", "registry.duplicate", f"{digest} twice")
                    names.add(digest)
        for digest in sorted(names - self.shims):
            self.add(tree.CATALOG, "registry.missing", f"lists {digest}, which does not exist")
        for digest in sorted(self.shims - names):
            self.add(tree.CATALOG, "registry.unlisted", f"does not list {digest}")
        if catalog.get("totalShims", len(self.shims)) != len(self.shims):
            self.add(tree.CATALOG, "registry.count", "`totalShims` is wrong")

    def _patterns(self) -> None:
        if tree.PATTERNS not in self.sizes:
            return
        data = self._read(tree.PATTERNS, tree.MAX_INDEX)
        try:
            index: Any = read_json(data or b"{}")
            names = {tree.pattern_path(name) for name in index["patterns"]}
        except (FormatError, KeyError, TypeError):
            self.add(tree.PATTERNS, "registry.patterns", "is not an index of patterns")
            return
        files = {key for key in self.sizes if key.startswith("patterns/")} - {tree.PATTERNS}
        for key in sorted(names | files):
            if key not in names:
                self.add(key, "registry.unlisted", "is not in the index", "warning")
            content = self._read(key, tree.MAX_SHIM)
            if content is None:
                continue
            try:
                read_patterns(content, key)
            except FormatError as error:
                self.add(key, error.code, error.message)

    def _policy(self) -> None:
        from atip.policy.reading import read_policy

        if tree.POLICY not in self.sizes:
            return
        data = self._read(tree.POLICY, tree.MAX_INDEX)
        try:
            read_policy(data or b"", layer="organisation", origin=tree.POLICY)
        except FormatError as error:
            self.add(tree.POLICY, error.code, error.message)
