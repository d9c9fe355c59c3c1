"""The version check: output of a program → version → in range or not. Running the program is the caller's.

Implements AIP-29 "Version detection"; RESOLUTIONS P13, P14, P15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.model.text.regex import compile_regex
from atip.model.text.version_ranges import coerce_version, in_range
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.codecs.climd.manifest import VersionCheck

MAX_TIMEOUT_S = 10.0
"""SECURITY: a manifest cannot make a check hang for longer than this."""


class VersionFinding(Value):
    """What a check found."""

    ok: bool
    written: str = ""
    """As the program prints it."""
    version: str = ""
    """As a semantic version; empty: none could be read."""
    range: str = ""
    reason: str = ""
    """Why it will not do; empty when it does."""


def judge_version(check: VersionCheck, output: str, exit_code: int) -> VersionFinding:
    """The finding for what the version command said.

    Raises:
        FormatError: the manifest's pattern or range cannot be used.
    """
    if exit_code != 0:
        reason = f"`{check.cmd}` ended with {exit_code}"
        return VersionFinding(ok=False, range=check.range, reason=reason)
    groups = compile_regex(check.parse).search(output)
    written = ""
    if groups is not None:
        named = [
            groups[key] for key in sorted(key for key in groups if isinstance(key, int)) if key
        ]
        written = next((text for text in named if text), "")
    version = coerce_version(written) if written else None
    if version is None:
        reason = "no version could be read from what it printed"
        return VersionFinding(ok=False, written=written, range=check.range, reason=reason)
    if in_range(version, check.range):
        return VersionFinding(ok=True, written=written, version=version, range=check.range)
    reason = f"version {written} is not in the range {check.range}"
    return VersionFinding(
        ok=False, written=written, version=version, range=check.range, reason=reason
    )


def version_mismatch(key: str, finding: VersionFinding) -> AtipError:
    """The error of the specification, with all that was found."""
    return AtipError(
        "version_mismatch",
        f"`{key}` cannot be used: {finding.reason}",
        hint="install a version in the range; `atip bundle install` tries every way the bundle names",
        details={
            "bundle": key,
            "found": finding.written or None,
            "version": finding.version or None,
            "range": finding.range,
        },
    )
