"""The registry's TUF metadata, seen from a client: what is signed, fresh and not older than what we saw before.

python-tuf keeps the rules (signatures, thresholds, versions, expiry, hashes); this file gives it our HTTP client, a
place on disk, our clock, and turns what it refuses into our errors. Beyond TUF: the versions seen are remembered a
second time, so that a lost or damaged file cannot make us forget them; and a clock that is far off is reported as such
instead of making old metadata look fresh. Implements docs/concepts/registries.md. Needs the extra `registry`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

from atip.errors import AtipError, FetchError, TrustError
from atip.model.value import Value
from atip.registry.tree import FIRST_ROOT, MAX_INDEX, TUF
from atip.system.digests import sha256_hex
from atip.system.files import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tuf.ngclient.updater import Updater

    Fetch = Callable[[str, int], bytes | None]
    """(address, most bytes) → content; None: there is no such file."""

ROLE = "root"
MAX_ROOT = 512_000
MAX_TIMESTAMP = 16_384
LONGEST_TIMESTAMP_S = 72 * 3600.0
"""No honest timestamp is valid for longer (docs/formats/registry.md)."""
SLACK_S = 12 * 3600.0
"""Clocks of honest machines may be wrong by this much."""
MAX_SKEW_S = 24 * 3600.0


class TargetFile(Value):
    """One file that the registry's metadata lists."""

    path: str
    length: int
    sha256: str
    bundle_length: int = 0
    bundle_sha256: str = ""
    """Of the signature beside a shim; empty: there is none."""

    def verify(self, data: bytes) -> bytes:
        """The bytes, when they are the listed ones.

        Raises:
            TrustError: `tuf.mismatch`.
        """
        return _same(self.path, data, self.length, self.sha256)

    def verify_bundle(self, data: bytes) -> bytes:
        return _same(f"{self.path}.bundle", data, self.bundle_length, self.bundle_sha256)


class SeenVersions(Value):
    """The newest versions that were ever accepted, and under which root."""

    root: int = 0
    timestamp: int = 0
    snapshot: int = 0


class RootSummary(Value):
    """Summary of a root for the user to confirm."""

    fingerprint: str
    version: int
    threshold: int
    keys: tuple[str, ...]
    expires: str


def fingerprint_of(root: bytes) -> str:
    """The pinned fingerprint: the digest of the first root's bytes."""
    return f"sha256:{sha256_hex(root)}"


def read_root(root: bytes) -> RootSummary:
    """The content of a root, after checking that its own threshold of keys signed it.

    Raises:
        TrustError: `tuf.root`.
    """
    exceptions = _library()
    from tuf.api.metadata import Metadata

    try:
        metadata: Any = Metadata.from_bytes(root)
        signed = metadata.signed
        if signed.type != ROLE:
            raise exceptions.RepositoryError("not a root")
        signed.verify_delegate(ROLE, metadata.signed_bytes, metadata.signatures)
    except (exceptions.RepositoryError, ValueError, TypeError) as error:
        raise TrustError("tuf.root", f"this is not a valid TUF root: {str(error)[:200]}") from error
    role = signed.roles[ROLE]
    return RootSummary(
        fingerprint=fingerprint_of(root),
        version=signed.version,
        threshold=role.threshold,
        keys=tuple(role.keyids),
        expires=signed.expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


class SignedIndex:
    """One session with a registry's metadata: refreshed once, then queried for targets."""

    def __init__(
        self,
        folder: str,
        base_url: str,
        root: bytes,
        *,
        fetch: Fetch,
        now: float,
        seen: SeenVersions,
    ) -> None:
        """
        Args:
            folder: where accepted metadata is kept.
            root: the pinned root; the caller compared its fingerprint.
            seen: what earlier sessions accepted; `seen` of this object is what to remember.

        Raises:
            TrustError: `tuf.root`, `registry.missing-extra`.
        """
        exceptions = _library()
        from tuf.ngclient.config import UpdaterConfig
        from tuf.ngclient.updater import Updater

        make_private(folder)
        self._now = now
        self.seen = seen
        config = UpdaterConfig(
            root_max_length=MAX_ROOT,
            timestamp_max_length=MAX_TIMESTAMP,
            snapshot_max_length=MAX_INDEX,
            targets_max_length=MAX_INDEX,
            prefix_targets_with_hash=False,
        )
        try:
            self._updater: Updater = Updater(
                folder,
                f"{base_url}/{TUF}/",
                fetcher=_make_fetcher(fetch),
                config=config,
                bootstrap=root,
            )
        except (exceptions.RepositoryError, OSError, ValueError) as error:
            raise TrustError(
                "tuf.root", f"the pinned root is refused: {str(error)[:200]}"
            ) from error
        import datetime

        # python-tuf does not take a clock; the whole session uses one moment.
        self._trusted.reference_time = datetime.datetime.fromtimestamp(now, datetime.UTC)

    @property
    def _trusted(self) -> Any:
        return self._updater._trusted_set

    def refresh(self) -> None:
        """Root chain, timestamp, snapshot, top-level targets.

        Raises:
            TrustError: `tuf.rollback`, `tuf.expired`, `tuf.signature`, `tuf.mismatch`, `tuf.clock`, `tuf.invalid`.
            FetchError: what the fetch raised, or `tuf.missing`.
        """
        with _TufErrors():
            self._updater.refresh()
        self._check_clock()
        self._remember()

    def find(self, path: str) -> TargetFile | None:
        """The metadata entry of a file; fetches at most one bin. None: verified as not listed.

        Raises:
            TrustError, FetchError: as `refresh`.
        """
        with _TufErrors():
            info = self._updater.get_targetinfo(path)
        return _target(path, info) if info is not None else None

    def paths(self) -> list[str]:
        """Files of the top-level metadata: everything that is not a shim."""
        return sorted(self._trusted.targets.targets)

    @property
    def expires_at(self) -> float:
        return float(self._trusted.timestamp.expires.timestamp())

    def _check_clock(self) -> None:
        # SECURITY: with a clock far behind, a timestamp that expired long ago would look fresh.
        if self.expires_at - self._now > LONGEST_TIMESTAMP_S + SLACK_S:
            raise TrustError(
                "tuf.clock",
                "the registry's timestamp is valid for longer than allowed",
                hint="check the clock of this machine; it may be behind",
            )

    def _remember(self) -> None:
        trusted = self._trusted
        current = SeenVersions(
            root=trusted.root.version,
            timestamp=trusted.timestamp.version,
            snapshot=trusted.snapshot.version,
        )
        before = self.seen
        # A new root may have replaced stolen keys: versions then start over (TUF 5.3.11).
        older = current.timestamp < before.timestamp or current.snapshot < before.snapshot
        if current.root < before.root or (current.root == before.root and older):
            raise TrustError(
                "tuf.rollback",
                "the registry's metadata is older than what was accepted before",
                hint="an attacker may be replaying old metadata; ask the registry's owner",
            )
        self.seen = current


def check_skew(headers: Mapping[str, str], now: float) -> None:
    """Compare our clock with a server's.

    Raises:
        TrustError: `tuf.clock` when they are more than a day apart: then nothing can be said about freshness.
    """
    from email.utils import parsedate_to_datetime

    try:
        server_time = parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (TypeError, ValueError):
        return
    if abs(server_time - now) > MAX_SKEW_S:
        days = abs(server_time - now) / 86400
        raise TrustError(
            "tuf.clock",
            f"this machine's clock and the registry's are {days:.0f} days apart",
            hint="set the clock; until then freshness of metadata cannot be checked",
        )


def fetch_first_root(fetch: Fetch, base_url: str) -> bytes | None:
    """The root to pin, or None when the registry has no TUF metadata."""
    return fetch(f"{base_url}/{FIRST_ROOT}", MAX_ROOT)


def _same(path: str, data: bytes, length: int, sha256: str) -> bytes:
    if len(data) != length or sha256_hex(data) != sha256:
        raise TrustError(
            "tuf.mismatch",
            f"`{path}` does not match the registry's metadata",
            hint="it was changed in transit, or the registry is being updated; try again later",
        )
    return data


def _target(path: str, info: Any) -> TargetFile:
    custom = info.custom if isinstance(info.custom, dict) else {}
    bundle = custom.get("bundle", {"length": 0, "sha256": ""})
    try:
        return TargetFile(
            path=path,
            length=info.length,
            sha256=info.hashes["sha256"],
            bundle_length=int(bundle["length"]),
            bundle_sha256=str(bundle["sha256"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TrustError("tuf.invalid", f"the metadata entry of `{path}` is not valid") from error


def _make_fetcher(fetch: Fetch) -> Any:
    from tuf.api.exceptions import DownloadHTTPError
    from tuf.ngclient.fetcher import FetcherInterface

    class Fetcher(FetcherInterface):
        """Our HTTP client; errors of ours pass through python-tuf untouched."""

        def _fetch(self, url: str) -> Iterator[bytes]:
            return iter([self.download_bytes(url, MAX_INDEX)])

        def download_bytes(self, url: str, max_length: int) -> bytes:
            data = fetch(url, max_length)
            if data is None:
                raise DownloadHTTPError(f"{os.path.basename(url)} was not found", 404)
            return data

    return Fetcher()


class _TufErrors:
    """Turns python-tuf's refusals into ours."""

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None or isinstance(error, AtipError):
            return
        exceptions = _library()
        if isinstance(error, (exceptions.RepositoryError, exceptions.DownloadError, ValueError)):
            _raise(exceptions, error)
        if isinstance(error, OSError):
            raise AtipError("file.unwritable", f"metadata cannot be stored: {error}") from error


def _raise(exceptions: Any, error: Exception) -> NoReturn:
    detail = str(error)[:200]
    for kind, code, meaning in (
        (exceptions.ExpiredMetadataError, "tuf.expired", "the registry's metadata has expired"),
        (
            exceptions.BadVersionNumberError,
            "tuf.rollback",
            "the registry's metadata has an older version than before",
        ),
        (exceptions.UnsignedMetadataError, "tuf.signature", "too few valid signatures"),
        (
            exceptions.LengthOrHashMismatchError,
            "tuf.mismatch",
            "metadata files do not belong together",
        ),
    ):
        if isinstance(error, kind):
            hint = "check the clock; otherwise the registry is outdated, or an attacker withholds updates"
            raise TrustError(code, f"{meaning}: {detail}", hint=hint) from error
    if isinstance(error, exceptions.DownloadError):
        raise FetchError("tuf.missing", f"the registry lacks metadata: {detail}") from error
    raise TrustError("tuf.invalid", f"the registry's metadata is refused: {detail}") from error


def _library() -> Any:
    try:
        from tuf.api import exceptions
    except ImportError as error:
        raise TrustError(
            "registry.missing-extra",
            "signed registries cannot be read without the package `tuf`",
            hint="pip install 'atip-cli[registry]'",
        ) from error
    return exceptions
