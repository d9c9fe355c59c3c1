"""`download`: one program out of an archive, fetched by its hash. Without a hash: declined."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan
from atip.errors import FormatError

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    fetch = fetch_action(entry)
    member = entry.extract_bin
    if not member or member.startswith("/") or ".." in member.split("/") or "\0" in member:
        raise FormatError(
            "install.member",
            f"`extract_bin`: `{member[:80]}` is not a relative path inside the archive",
        )
    target = os.path.join(site.prefix, "bin", site.bin)
    unpack = Action(kind="unpack", sha256=fetch.sha256, member=member, path=target)
    return InstallPlan(
        method="download", actions=(fetch, unpack), binaries=(target,), visible=(site.prefix,)
    )


def fetch_action(entry: InstallEntry) -> Action:
    """Fetching by address and hash.

    Raises:
        FormatError: `install.no-hash`, `install.placeholder`, `install.url`.
    """
    if entry.has_placeholder:
        raise FormatError(
            "install.placeholder",
            "`verify_sha256` is a placeholder, not a hash",
            hint="replace it with the real SHA-256, or ask the bundle's author to",
        )
    if entry.sha256 is None:
        # SECURITY: an attacker who controls the address would control what runs here.
        raise FormatError(
            "install.no-hash",
            "`verify_sha256` is missing; files without a hash are not downloaded",
            hint="add the SHA-256 of the file to the bundle",
        )
    if not entry.url.startswith("https://"):
        raise FormatError("install.url", f"`{entry.url[:120]}` is not an https address")
    return Action(kind="fetch", url=entry.url, sha256=entry.sha256)
