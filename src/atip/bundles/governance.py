"""Approvals for what a bundle changes, and the review of a bundle that changed.

Rules on `mutates` are written once and hold for every tool of a bundle: `approvals` in the user's `bundles.json`
(`{"bundle": "gh@1", "mutates": ["external:*"], "decision": "ask"}`), the tool's own `approval`, and the
bundle's `metadata.mutates` for all of them. They only ever make a decision stricter. Implements AIP-29 "With
AIP-7", "Stable identity", "Security considerations" on `spawn`.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError
from atip.model.permissions.narrowing import widened
from atip.model.permissions.sandbox_block import read_sandbox
from atip.model.text.version_ranges import major_of
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.state import Installation
    from atip.codecs.climd.tool import BundleTool

RANKS = ("allow", "ask", "deny")


class ApprovalRule(Value):
    """One rule of the user."""

    mutates: tuple[str, ...]
    """Globs over `class:scope`; any match counts."""
    decision: str = "ask"
    bundle: str = "*"
    """Glob over `id@major`."""


class BundleChange(Value):
    """A difference from what the user reviewed."""

    path: str
    message: str
    bump: str = "minor"
    """Part of the manifest's version to raise: `major` or `minor`."""
    needs_review: bool = False

    def to_json(self) -> dict[str, object]:
        return {
            "path": self.path,
            "message": self.message,
            "bump": self.bump,
            "review": self.needs_review,
        }


def read_approvals(document: object) -> tuple[ApprovalRule, ...]:
    """`approvals` of `bundles.json`.

    Raises:
        AtipError: `bundle.approvals`: a rule that cannot be read stops the run.
    """
    if document is None:
        return ()
    entries = document.get("approvals", []) if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise AtipError("bundle.approvals", "`approvals` must be a list")
    rules = []
    for entry in entries:
        ok = (
            isinstance(entry, dict)
            and isinstance(entry.get("mutates"), list)
            and entry.get("decision", "ask") in RANKS
            and not entry.keys() - {"mutates", "decision", "bundle"}
        )
        if not ok:
            raise AtipError(
                "bundle.approvals",
                "an approval must have `mutates` and may have `decision` (ask or deny) and `bundle`, nothing else",
            )
        rules.append(
            ApprovalRule(
                mutates=tuple(map(str, entry["mutates"])),
                decision=entry.get("decision", "ask"),
                bundle=str(entry.get("bundle", "*")),
            )
        )
    return tuple(rules)


def mutations_of(bundle: Bundle, tool: BundleTool) -> tuple[str, ...]:
    """Targets that a tool changes: its own `mutates` and the bundle's for all tools."""
    declared = bundle.manifest.metadata.get("mutates")
    shared = (
        tuple(target for target in declared if isinstance(target, str))
        if isinstance(declared, list)
        else ()
    )
    return tuple(dict.fromkeys((*shared, *tool.mutates)))


def gate(bundle: Bundle, tool: BundleTool, approvals: Sequence[ApprovalRule]) -> tuple[str, str]:
    """Return `allow`, `ask` or `deny`, and why; `allow` leaves the decision to policy."""
    mutates = mutations_of(bundle, tool)
    outcome, reason = "allow", ""
    if tool.approval == "always" or tool.approval.startswith("policy:"):
        outcome, reason = "ask", "the tool requires approval for every call"
    elif tool.approval == "on-mutate" and mutates:
        outcome, reason = "ask", f"changes {', '.join(mutates[:4])}"
    for rule in approvals:
        hit = [
            target
            for target in mutates
            if any(fnmatch.fnmatchcase(target, glob) for glob in rule.mutates)
        ]
        stricter = RANKS.index(rule.decision) > RANKS.index(outcome)
        if hit and stricter and fnmatch.fnmatchcase(bundle.key, rule.bundle):
            outcome, reason = rule.decision, f"your rule for {', '.join(hit[:4])}"
    return outcome, reason


def review(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[BundleChange]:
    """List changes between two front matters of one bundle that matter to an approval of the first."""
    changes: list[BundleChange] = []
    old_spawn, new_spawn = _spawn(before), _spawn(after)
    for name in sorted(new_spawn - old_spawn):
        text = f"may now start `{name}`"
        changes.append(
            BundleChange(path="$.sandbox.exec.spawn", message=text, bump="major", needs_review=True)
        )
    changes += _sandbox_changes(before, after)
    changes += _range_changes(before, after)
    for name in ("bin", "bin_args", "install", "auth", "setup", "runner"):
        if before.get(name) != after.get(name):
            major = name in ("bin", "bin_args") or (
                name == "install" and _lost_methods(before, after)
            )
            changes.append(
                BundleChange(
                    path=f"$.{name}",
                    message=f"`{name}` differs from what you approved",
                    bump="major" if major else "minor",
                    needs_review=True,
                )
            )
    if before.get("commands") != after.get("commands"):
        changes.append(BundleChange(path="$.commands", message="`commands` changed"))
    return changes


def missing_bump(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Advice if the manifest's content changed more than its version; None otherwise."""
    changes = review(before, after)
    if not any(change.bump == "major" for change in changes):
        return None
    old, new = major_of(str(before.get("version", ""))), major_of(str(after.get("version", "")))
    if new > old:
        return None
    reasons = "; ".join(change.message for change in changes if change.bump == "major")
    return f"raise the version to {old + 1}.0.0: {reasons}"


def refuse_unreviewed(key: str, changes: Sequence[BundleChange]) -> None:
    """
    Raises:
        AtipError: `bundle.review-needed`, with every change that needs a review.
    """
    serious = [change for change in changes if change.needs_review]
    if serious:
        raise AtipError(
            "bundle.review-needed",
            f"`{key}` changed since you approved it: {'; '.join(change.message for change in serious)[:400]}",
            hint="review the changes, then run `atip bundle install` again",
            details={"bundle": key, "changes": [change.to_json() for change in changes]},
        )


def _spawn(fields: Mapping[str, Any]) -> set[str]:
    block = fields.get("sandbox")
    execution = block.get("exec") if isinstance(block, dict) else None
    if not isinstance(execution, dict) or execution.get("allow") is not True:
        return set()
    names = execution.get("spawn")
    return {str(name) for name in names} if isinstance(names, list) else set()


def _sandbox_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[BundleChange]:
    from atip.codecs.climd.sandbox import absolute_block
    from atip.errors import FormatError

    if before.get("sandbox") == after.get("sandbox"):
        return []
    try:
        old = read_sandbox(absolute_block(before.get("sandbox")))
        new = read_sandbox(absolute_block(after.get("sandbox")))
    except FormatError:
        return [
            BundleChange(
                path="$.sandbox",
                message="`sandbox` cannot be compared",
                bump="major",
                needs_review=True,
            )
        ]
    wider = [
        BundleChange(
            path=f"$.sandbox{change.path[1:]}",
            message=change.message,
            bump="major",
            needs_review=True,
        )
        for change in widened(old, new)
        if change.path != "$.exec.spawn"
    ]
    return wider or [BundleChange(path="$.sandbox", message="the sandbox is narrower")]


def _range_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[BundleChange]:
    old, new = before.get("version_check") or {}, after.get("version_check") or {}
    if old == new:
        return []
    if old.get("range") != new.get("range"):
        text = f"version range changed from {old.get('range')} to {new.get('range')}"
        return [
            BundleChange(
                path="$.version_check.range", message=text, bump="major", needs_review=True
            )
        ]
    return [
        BundleChange(path="$.version_check", message="`version_check` changed", needs_review=True)
    ]


def _lost_methods(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    def methods(fields: Mapping[str, Any]) -> set[object]:
        entries = fields.get("install")
        return {entry.get("method") for entry in entries or () if isinstance(entry, dict)}

    return bool(methods(before) - methods(after))


def changed_documents(bundle: Bundle, installed: Installation) -> list[BundleChange]:
    """Differences from what the user approved: the manifest field by field, other documents as a whole."""
    changes = review(installed.manifest, bundle.manifest.fields)
    now = dict(bundle.digests)
    for path, digest in installed.documents.items():
        if path != "CLI.md" and now.get(path) != digest:
            text = f"`{path}` differs from what you approved"
            changes.append(BundleChange(path=path, message=text, needs_review=True))
    for path in now.keys() - installed.documents.keys():
        text = f"`{path}` was added after you approved the bundle"
        changes.append(BundleChange(path=path, message=text, needs_review=True))
    return changes
