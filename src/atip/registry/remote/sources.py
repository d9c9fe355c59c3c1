"""Remote registries as configured: order, strictness, freshness, addresses. Pure; offline.

Lower priority numbers are queried first (A23); the strictest setting for signatures wins, and a registry's own
manifest can only tighten (A25); an answer is fresh for 24 hours unless configured otherwise (A24); a shim's
bundle is its sibling, and an address inside the shim counts only on the same origin (A26).
Implements ATIP 0.6 §4.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from atip.errors import FetchError, FormatError
from atip.model.text.durations import parse_duration
from atip.model.value import Value
from atip.system.digests import sha256_hex
from atip.system.network.http_addresses import Access, parse_address

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_PRIORITY = 100
DEFAULT_EXPIRY_S = 86400.0
PUBLIC = Access()


class RegistrySource(Value):
    """One remote registry."""

    name: str
    url: str
    priority: int = DEFAULT_PRIORITY
    require_signatures: bool = False
    signers: tuple[tuple[str, str], ...] = ()
    """(identity, issuer) whose signatures count; from our configuration only (A6)."""
    keys: tuple[Mapping[str, Any], ...] = ()
    """Public keys whose signatures count, as `trust.json` writes them."""
    token_env_var: str | None = None
    root: str | None = None
    """Pinned fingerprint of the TUF root; None: the registry has no signed index."""
    lookup: str = "auto"
    """Way to look up hashes: `bins` (signed, private), `catalog` (private), `hash` (reveals what is installed); `auto`: through
    the catalogue where the manifest names one, else by hash."""
    names: tuple[str, ...] = ()
    """Tools that only this registry may answer for."""
    private: bool = False
    """Its addresses may be private; from configuration only."""
    organization: bool = False
    """Its `policy.json` is in force here."""
    explicit_expiry: bool = False
    """The configured lifetime counts, regardless of the server (A24)."""

    @property
    def id(self) -> str:
        """Names its folders."""
        return sha256_hex(self.url.encode())[:16]

    @property
    def access(self) -> Access:
        """Loopback, and what was configured as private, may be connected to; nothing else that is not public."""
        if not (self.private or _is_loopback(self.url)):
            return PUBLIC
        return Access(private=(parse_address(self.url).origin,))


def configured_sources(
    settings: Mapping[str, Any], env: Mapping[str, str]
) -> tuple[RegistrySource, ...]:
    """Enabled registries in the order in which they are queried; `ATIP_REGISTRIES` adds to the file.

    Raises:
        FormatError: `registry.url` for an address that is neither https nor loopback.
    """
    defaults = settings.get("defaults") or {}
    entries = list(settings.get("registries") or ())
    sources = [parse_source(entry, defaults) for entry in entries if entry.get("enabled", True)]
    file_urls = {str(entry.get("url", "")).rstrip("/") for entry in entries}
    for url in filter(None, (part.strip() for part in env.get("ATIP_REGISTRIES", "").split(","))):
        if url.rstrip("/") not in file_urls:
            sources.append(parse_source({"name": url, "url": url}, defaults))
    return tuple(sorted(sources, key=lambda source: source.priority))


def _is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")


def checked_url(url: str) -> str:
    """The base address of a registry, without a slash at its end.

    Raises:
        FormatError: `registry.url`.
    """
    url = url.rstrip("/")
    try:
        address = parse_address(url)
    except FetchError as error:
        raise FormatError(
            "registry.url", error.message, hint="give an address like `https://tools.example.org`"
        ) from error
    # SECURITY: over plain http anyone on the path could answer; loopback is for tests and local mirrors.
    if "?" in url or not (address.scheme == "https" or _is_loopback(url)):
        raise FormatError(
            "registry.url", f"`{url[:200]}` is not an https address", hint="use https"
        )
    return url


def parse_source(entry: Mapping[str, Any], defaults: Mapping[str, Any]) -> RegistrySource:
    """One entry of `registries.json`.

    Raises:
        FormatError: `registry.url`.
    """
    url = checked_url(str(entry["url"]))
    root = entry.get("root")
    signers = tuple(
        (signer["identity"], signer.get("issuer", "")) for signer in entry.get("signers") or ()
    )
    return RegistrySource(
        name=str(entry.get("name", url)),
        url=url,
        priority=int(entry.get("priority", DEFAULT_PRIORITY)),
        require_signatures=bool(entry.get("requireSignatures"))
        or bool(defaults.get("requireSignatures")),
        signers=signers,
        keys=tuple(entry.get("keys") or ()),
        token_env_var=(entry.get("auth") or {}).get("tokenEnvVar"),
        root=root,
        lookup="bins" if root else str(entry.get("lookup", "auto")),
        names=tuple(entry.get("names") or ()),
        private=bool(entry.get("private")),
        organization=bool(entry.get("organization")),
        explicit_expiry="cacheExpiry" in defaults,
    )


def needs_signature(source: RegistrySource, *, manifest: bool | None, policy: bool | None) -> bool:
    """Whether an unsigned shim is refused: the strictest of configuration, manifest and policy."""
    return source.require_signatures or bool(manifest) or bool(policy)


def expiry_s(settings: Mapping[str, Any]) -> float:
    """Seconds that an answer counts as fresh; always finite.

    Raises:
        FormatError: `registry.expiry` when the configured text is not a duration.
    """
    text = (settings.get("defaults") or {}).get("cacheExpiry")
    if text is None:
        return DEFAULT_EXPIRY_S
    parsed = parse_duration(str(text))
    if parsed is None:
        raise FormatError(
            "registry.expiry", f"`{text}` is not a valid duration", hint="write `24h` or `7d`"
        )
    return parsed[1]


def bundle_url(shim_url: str, claimed: str | None) -> tuple[str, ...]:
    """Possible locations of a shim's signature, best first."""
    sibling = f"{shim_url}.bundle"
    if claimed and _origin(claimed) == _origin(shim_url) and claimed != sibling:
        return (sibling, claimed)
    return (sibling,)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port
    except ValueError:
        return "", None, None
