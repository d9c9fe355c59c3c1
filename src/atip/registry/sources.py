"""Remote registries as configured: order, strictness, freshness, addresses. Pure; asks nobody.

Lower priority numbers are asked first (A23); the strictest word on signatures wins, and a registry's own
manifest can only tighten (A25); an answer is fresh for 24 hours unless configured otherwise (A24); a shim's
bundle is its sibling, and an address inside the shim counts only on the same origin (A26).
Implements ATIP 0.6 §4.6.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from atip.errors import FormatError
from atip.model.durations import parse_duration
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

DEFAULT_PRIORITY = 100
DEFAULT_EXPIRY_S = 86400.0


class RegistrySource(Value):
    """One remote registry."""

    name: str
    url: str
    priority: int = DEFAULT_PRIORITY
    require_signatures: bool = False
    signers: tuple[tuple[str, str], ...] = ()
    """(identity, issuer) whose signatures count; from our configuration only (A6)."""
    token_env_var: str | None = None
    root: str | None = None
    """Pinned fingerprint of the TUF root."""


def configured_sources(
    settings: Mapping[str, Any], env: Mapping[str, str]
) -> tuple[RegistrySource, ...]:
    """Enabled registries in the order in which they are asked; `ATIP_REGISTRIES` adds to the file.

    Raises:
        FormatError: `registry.url` for an address that is neither https nor loopback.
    """
    defaults = settings.get("defaults") or {}
    found = [
        _source(entry, bool(defaults.get("requireSignatures")))
        for entry in settings.get("registries") or ()
        if entry.get("enabled", True)
    ]
    known = {source.url for source in found}
    for url in filter(None, (part.strip() for part in env.get("ATIP_REGISTRIES", "").split(","))):
        if url.rstrip("/") not in known:
            found.append(
                _source({"name": url, "url": url}, bool(defaults.get("requireSignatures")))
            )
    return tuple(sorted(found, key=lambda source: source.priority))


def _source(entry: Mapping[str, Any], default_signatures: bool) -> RegistrySource:
    url = str(entry["url"]).rstrip("/")
    parts = urlsplit(url)
    loopback = parts.hostname in ("127.0.0.1", "localhost", "::1")
    # SECURITY: over plain http anyone on the way may answer; loopback is for tests and local mirrors.
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and loopback)):
        raise FormatError(
            "registry.url", f"`{url[:200]}` is not an https address", hint="use https"
        )
    signers = tuple((one["identity"], one.get("issuer", "")) for one in entry.get("signers") or ())
    return RegistrySource(
        name=str(entry.get("name", url)),
        url=url,
        priority=int(entry.get("priority", DEFAULT_PRIORITY)),
        require_signatures=bool(entry.get("requireSignatures")) or default_signatures,
        signers=signers,
        token_env_var=(entry.get("auth") or {}).get("tokenEnvVar"),
        root=entry.get("root"),
    )


def needs_signature(source: RegistrySource, *, manifest: bool | None, policy: bool | None) -> bool:
    """Whether an unsigned shim is refused: the strictest of configuration, manifest and policy."""
    return source.require_signatures or bool(manifest) or bool(policy)


def expiry_s(settings: Mapping[str, Any]) -> float:
    """How long an answer counts as fresh; never for ever.

    Raises:
        FormatError: `registry.expiry` when the configured text is no duration.
    """
    text = (settings.get("defaults") or {}).get("cacheExpiry")
    if text is None:
        return DEFAULT_EXPIRY_S
    parsed = parse_duration(str(text))
    if parsed is None:
        raise FormatError(
            "registry.expiry", f"`{text}` is not a duration", hint="write `24h` or `7d`"
        )
    return parsed[1]


def bundle_url(shim_url: str, claimed: str | None) -> tuple[str, ...]:
    """Where the signature of a shim may lie, best first."""
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
