"""Whether a contribution may be published: everything a client would refuse, and the rules of a community registry.

    (1) schema        the strict reader and the shape of a shim
    (2) update        only what §4.7 allows differs from what is published
    (3) effects       warning of less than before needs a person's approval; for inferred shims also across versions
    (4) community     source, `verified`, patterns (§12.4)
    (5) signature     by a maintainer that the settings name, where signatures are required

Pure apart from what it is handed. Findings of severity `info` are advice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError, TrustError
from atip.model.diff.compare import diff
from atip.model.observed import read_observed
from atip.model.problems import Problem
from atip.model.reading.decode import decode_tool
from atip.model.reading.documents import judge
from atip.model.reading.reader import read_json
from atip.model.reading.shim_records import decode_quickly
from atip.model.value import Value
from atip.registry.shims.approval import plan_update
from atip.registry.shims.check import policy_digest, verify_signature_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.model.diff.change import Change
    from atip.registry.publish.settings import PublisherSettings
    from atip.registry.publish.source import Contribution
    from atip.trust.expected import TrustPolicy

    Json = dict[str, Any]

_APPROVE = "after review, approve it with `atip registry build --approve HASH`"
COMMUNITY_SOURCES = ("community", "inferred", "vendor")


class ReviewRules(Value):
    """Under which a contribution is judged."""

    settings: PublisherSettings
    approvals: frozenset[tuple[str, str]] = frozenset()
    policy: TrustPolicy | None = None
    """Accepted signers; None: signatures are not checked."""
    judges: bool = True
    """False: schema, community rules and signatures are taken as given; updates are compared all the same."""

    @property
    def name(self) -> str:
        """Changes with the rules, so that shims judged under others are judged again."""
        return repr(
            (
                2,
                self.settings.kind,
                self.settings.accept_observed,
                self.policy and policy_digest(self.policy),
            )
        )


def review(
    contribution: Contribution,
    rules: ReviewRules,
    published: bytes | None,
    predecessor: bytes | None,
) -> list[Problem]:
    """All findings on one contribution.

    Args:
        published: the shim of the same binary that is published now.
        predecessor: the newest published shim of another binary of the same tool and platform.

    Raises:
        TrustError: `trust.missing-extra`.
    """
    record = contribution.record
    try:
        document: Any = read_json(contribution.data)
    except FormatError as error:
        return _with_file_name(record.hex, list(error.problems))
    # (1)
    problems = list(judge(document, kind="shim").problems) if rules.judges else []
    if any(problem.severity == "error" for problem in problems):
        return _with_file_name(record.hex, problems)
    problems = []
    approved = (record.hex, record.content) in rules.approvals
    if published is not None:
        problems += _update_problems(document, published, approved)
    elif predecessor is not None and record.source == "inferred" and not approved:
        problems += _weaker_than(predecessor, document)
    if not rules.judges:
        return _with_file_name(record.hex, problems)
    if rules.settings.kind == "community":
        # SECURITY: cases in a document are a claim; they count only where the publisher restricts contributors
        tested = approved or (rules.settings.accept_observed and _was_observed(document))
        problems += _community_problems(document, tested)
    if rules.policy is not None:
        problems += _signature_problems(contribution, rules.policy)
    return _with_file_name(record.hex, problems)


def _update_problems(document: Json, published: bytes, approved: bool) -> list[Problem]:
    """(2) and (3), by the rule that clients apply."""
    old: Any = decode_quickly(published)
    if _same_but_words(old, document):
        return []
    try:
        update = plan_update(decode_tool(old), decode_tool(document))
    except TrustError as error:
        return [Problem(path="$", code=error.code, message=error.message, hint=error.hint)]
    if approved:
        return []
    problems = _weaker(update.weaker)
    if _claimed_source(old) != _claimed_source(document):
        # ATIP 0.6 §4.10.4: what a machine inferred becomes `community` only after a person verified it.
        before, after = _claimed_source(old), _claimed_source(document)
        message = f"its source was `{before}` and is now `{after}`"
        problems.append(
            Problem(path="$.trust.source", code="publish.promoted", message=message, hint=_APPROVE)
        )
    return problems


def _same_but_words(old: Any, new: Any) -> bool:
    """Whether two documents differ in descriptions alone: the common update, and one that can weaken nothing."""
    if type(old) is not type(new):
        return False
    if isinstance(old, dict):
        return old.keys() == new.keys() and all(
            _same_but_words(value, new[key])
            or (key == "description" and isinstance(value, str) and isinstance(new[key], str))
            for key, value in old.items()
            if value != new[key] or type(value) is not type(new[key])
        )
    if isinstance(old, list):
        return len(old) == len(new) and all(map(_same_but_words, old, new))
    return bool(old == new)


def _claimed_source(document: Json) -> object:
    trust = document.get("trust")
    return trust.get("source") if isinstance(trust, dict) else None


def _weaker_than(predecessor: bytes, document: Json) -> list[Problem]:
    old: Any = read_json(predecessor)
    changes = diff(decode_tool(old), decode_tool(document)).weaker_claims
    return _weaker(change for change in changes if change.category == "effects")


def _weaker(changes: Iterable[Change]) -> list[Problem]:
    return [
        Problem(
            path=change.at,
            code="publish.weaker-effects",
            message=f"{change.message}: it declares fewer dangers than the published shim",
            hint=_APPROVE,
        )
        for change in changes
    ]


def _was_observed(document: Json) -> bool:
    """Whether an inferred shim carries the cases of exactly this binary that it was verified by."""
    extension, binary = document.get("x-atip"), document.get("binary")
    block = read_observed(extension) if isinstance(extension, dict) else None
    digest = str(binary.get("hash", "")) if isinstance(binary, dict) else ""
    return (
        _claimed_source(document) == "inferred" and block is not None and block.corroborates(digest)
    )


def _community_problems(document: Json, tested: bool) -> list[Problem]:
    """(4)"""
    trust = document.get("trust") or {}
    problems = []
    if trust.get("source") not in COMMUNITY_SOURCES:
        problems.append(
            Problem(
                path="$.trust.source",
                code="publish.source",
                message="must be `community`, `inferred` or `vendor`",
            )
        )
    if trust.get("verified") and not tested:
        hint = "set it to false, or have it approved after testing"
        message = "is marked as verified without an approval"
        problems.append(
            Problem(path="$.trust.verified", code="publish.verified", message=message, hint=hint)
        )
    elif "verified" not in trust:
        message = "is missing: set it to false unless the shim was tested"
        problems.append(Problem(path="$.trust.verified", code="publish.verified", message=message))
    if not document.get("patterns"):
        message = "add common uses as `patterns`"
        problems.append(
            Problem(path="$", code="publish.no-patterns", message=message, severity="info")
        )
    return problems


def _signature_problems(contribution: Contribution, policy: TrustPolicy) -> list[Problem]:
    """(5), as a client does it."""
    bundle = contribution.bundle or None
    try:
        verify_signature_of(contribution.data, bundle, policy)
    except TrustError as error:
        return [Problem(path="$", code=error.code, message=error.message, hint=error.hint)]
    return []


def _with_file_name(digits: str, problems: list[Problem]) -> list[Problem]:
    """The same problems with the name of the file in front of the path."""
    return [problem.replace(path=f"{digits}.json {problem.path}") for problem in problems]
