"""Whether a shim may replace the one we have: what never changes, and what a person must see first. Pure.

An update may change description, commands, options, effects, patterns and what `trust` claims, and nothing else;
`binary` is immutable (ATIP 0.6 §4.7). A newer shim that warns of less than
the one before it – a fact that was dangerous or unknown is now said to be harmless, a dangerous command or flag is
gone – is set aside until it is approved (threat 28 of conformance/threats.toml); the old one stays in use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import TrustError
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.model.diff.change import Change
    from atip.model.diff.compare import Diff
    from atip.model.tool import Tool

IMMUTABLE = ("hash", "name", "version", "platform")
CHANGEABLE = frozenset(
    [
        "description", "commands", "options", "globalOptions", "arguments", "effects", "patterns", "examples",
        "trust",
    ]
)  # fmt: skip
"""Fields of a shim that an update may change; besides those with a leading `x-`, `_` or `$`. `trust` is a claim, of
which the signature may be renewed; nothing that we decide reads the rest of it."""


class ShimUpdate(Value):
    """Changes of an update."""

    changes: Diff
    weaker: tuple[Change, ...]
    """Weaker claims; empty: no approval needed."""


def check_binary(tool: Tool, digest: str) -> None:
    """Check that the shim describes the requested binary (§3.2.2 step 4, §4.5).

    Raises:
        TrustError: `registry.wrong-binary`.
    """
    declared = tool.binary.hash if tool.binary is not None else None
    # SECURITY: compared whole, both normalized; a shim of another binary would describe this one.
    if declared is None or declared.lower() != digest:
        raise TrustError(
            "registry.wrong-binary",
            f"the shim describes {str(declared)[:80]}, not {digest}",
            hint="report it to the registry's owner",
        )


def plan_update(old: Tool, new: Tool) -> ShimUpdate:
    """Plan the replacement of `old` by `new`.

    Raises:
        TrustError: `registry.immutable-changed`.
    """
    from atip.model.diff.compare import diff
    from atip.model.reading.encode import encode

    for field in IMMUTABLE:
        before, after = _binary(old, field), _binary(new, field)
        if before != after:
            raise _immutable(f"binary.{field}", before, after)
    left, right = encode(old), encode(new)
    for field in sorted({*left, *right} - CHANGEABLE - {"binary"}):
        if not field.startswith(("x-", "_", "$")) and left.get(field) != right.get(field):
            raise _immutable(field, left.get(field), right.get(field))
    changes = diff(old, new)
    weaker = [change for change in changes.changes if change.is_weaker_claim]
    weaker += [change for change in changes.changes if _loses_warning(change)]
    return ShimUpdate(changes=changes, weaker=tuple(weaker))


def _immutable(field: str, before: object, after: object) -> TrustError:
    return TrustError(
        "registry.immutable-changed",
        f"`{field}` changed from `{str(before)[:80]}` to `{str(after)[:80]}`",
        hint="an update may never change it; the old shim stays in use",
    )


def _binary(tool: Tool, field: str) -> str | None:
    value = getattr(tool.binary, field) if tool.binary is not None else None
    if field == "hash" and value is not None:
        return str(value).lower()
    return value


def _loses_warning(change: Change) -> bool:
    """A command or option that was described and is no longer: its warnings are gone with it."""
    return change.kind in ("command-removed", "option-removed") and not change.is_weaker_claim
