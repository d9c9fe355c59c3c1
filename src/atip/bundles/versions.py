"""The version check: output of a program → version → in range or not. The caller runs the program.

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
    """Result of a version check."""

    ok: bool
    printed: str = ""
    """As the program prints it."""
    version: str = ""
    """As a semantic version; empty: not recognized."""
    range: str = ""
    reason: str = ""
    """Why the version is not accepted; empty if it is."""


def judge_version(check: VersionCheck, output: str, exit_code: int) -> VersionFinding:
    """Judge the output of the version command.

    Raises:
        FormatError: the manifest's pattern or range cannot be used.
    """
    if exit_code != 0:
        reason = f"`{check.cmd}` ended with {exit_code}"
        return VersionFinding(ok=False, range=check.range, reason=reason)
    groups = compile_regex(check.parse).search(output)
    printed = ""
    if groups is not None:
        groups_in_order = [
            groups[key] for key in sorted(key for key in groups if isinstance(key, int)) if key
        ]
        printed = next((text for text in groups_in_order if text), "")
    version = coerce_version(printed) if printed else None
    if version is None:
        reason = f"`{check.cmd}` printed no version that the pattern matches"
        return VersionFinding(ok=False, printed=printed, range=check.range, reason=reason)
    if in_range(version, check.range):
        return VersionFinding(ok=True, printed=printed, version=version, range=check.range)
    reason = f"version {printed} is not in the range {check.range}"
    return VersionFinding(
        ok=False, printed=printed, version=version, range=check.range, reason=reason
    )


def version_mismatch(key: str, finding: VersionFinding) -> AtipError:
    """The error `version_mismatch` of the specification."""
    return AtipError(
        "version_mismatch",
        f"`{key}` cannot be used: {finding.reason}",
        hint="install a version in the range; `atip bundle install` tries every method of the bundle",
        details={
            "bundle": key,
            "found": finding.printed or None,
            "version": finding.version or None,
            "range": finding.range,
        },
    )
