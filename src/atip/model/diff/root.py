"""Differences outside the command tree: identity, protocol, login, trust, binary, patterns.

Trust counts as effects: a document that is no longer signed, or signed by another signer, is a reason
to look again, whatever its commands say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.diff.change import Change, breaking, compatible, value_text
from atip.model.observed import read_observed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.model.diff.change import Direction, Parts
    from atip.model.tool import Authentication, Pattern, Tool, Trust

_TEXTS = (
    ("version", "version"),
    ("description", "description"),
    ("homepage", "homepage"),
    ("title", "title"),
    ("license", "license"),
)
_SOURCES = ("inferred", "user", "community", "org", "vendor", "native")
"""From the weakest to the strongest claim about who wrote the metadata (§3.2.2)."""


def diff_identity(old: Tool, new: Tool) -> Iterator[Change]:
    """Name, texts, protocol, binary, unknown fields."""
    if old.name != new.name:
        text = f"the tool was renamed from `{old.name}` to `{new.name}`"
        yield breaking("name-changed", ("name",), text, old.name, new.name)
    for field, attribute in _TEXTS:
        before, after = getattr(old, attribute), getattr(new, attribute)
        if before != after:
            text = f"{field} changed"
            if field == "version":
                text += f" from {value_text(before)} to {value_text(after)}"
            yield compatible(f"{field}-changed", (field,), text, before, after, bump="patch")
    yield from _protocol(old, new)
    if old.binary != new.binary:
        yield compatible(
            "binary-changed",
            ("binary",),
            "the document describes another binary",
            old.binary,
            new.binary,
            bump="patch",
        )
    if bool(old.partial) != bool(new.partial):
        text = "the new document is a part only" if new.partial else "the old one was a part only"
        yield compatible("partial-changed", ("partial",), text, old.partial, new.partial)
    yield from diff_extra(old.extra, new.extra, ())


def _protocol(old: Tool, new: Tool) -> Iterator[Change]:
    before, after = old.protocol, new.protocol
    if before.version != after.version:
        text = f"protocol changed from {before.version} to {after.version}"
        yield compatible(
            "protocol-changed", ("atip", "version"), text, before.version, after.version
        )
    if before.min_agent_version != after.min_agent_version:
        where = ("atip", "minAgentVersion")
        text = f"agents must now support {value_text(after.min_agent_version)}"
        make = breaking if after.min_agent_version else compatible
        yield make(
            "min-agent-version-changed",
            where,
            text,
            before.min_agent_version,
            after.min_agent_version,
        )
    if set(before.features or ()) != set(after.features or ()):
        yield compatible(
            "features-changed",
            ("atip", "features"),
            f"features changed from {value_text(before.features)} to {value_text(after.features)}",
            before.features,
            after.features,
        )


def diff_extra(old: Any, new: Any, path: Parts) -> Iterator[Change]:
    """Vendor and unknown fields; internal ones (`_…`) and schema references are not compared."""
    for key in dict.fromkeys((*old, *new)):
        if key[:1] not in ("_", "$") and old.get(key) != new.get(key):
            yield compatible(
                "extra-changed",
                (*path, key),
                f"field `{key[:60]}` changed",
                old.get(key),
                new.get(key),
                bump="patch",
            )


def diff_authentication(
    old: Authentication | None, new: Authentication | None, path: Parts
) -> Iterator[Change]:
    """Login requirements."""
    was, now = bool(old and old.required), bool(new and new.required)
    if was != now:
        make = breaking if now else compatible
        word = "required" if now else "no longer required"
        yield make(
            "authentication-required-changed", (*path, "required"), f"login is {word}", was, now
        )
    before, after = _methods(old), _methods(new)
    for key in [key for key in before if key not in after]:
        text = f"login by {value_text(key[0])} {value_text(key[1])} is no longer offered"
        yield breaking("authentication-method-removed", (*path, "methods"), text, before[key])
    for key in [key for key in after if key not in before]:
        text = f"login by {value_text(key[0])} {value_text(key[1])} is offered"
        yield compatible("authentication-method-added", (*path, "methods"), text, new=after[key])
    yield from _scopes(old, new, before, after, path)
    check = (old.check_command if old else None, new.check_command if new else None)
    if check[0] != check[1]:
        yield compatible(
            "authentication-check-changed",
            (*path, "checkCommand"),
            "the command that checks the login changed",
            *check,
            bump="patch",
        )


def _methods(authentication: Authentication | None) -> dict[tuple[str, str], Any]:
    methods = (authentication.methods if authentication else None) or ()
    return {
        (
            method.type or "",
            method.env_var or method.config_path or method.setup_command or "",
        ): method
        for method in methods
    }


def _scopes(
    old: Authentication | None, new: Authentication | None, before: Any, after: Any, path: Parts
) -> Iterator[Change]:
    pairs = [((*path, "scopes"), old.scopes if old else None, new.scopes if new else None)]
    for key in [key for key in before if key in after]:
        pairs.append(((*path, "methods", "scopes"), before[key].scopes, after[key].scopes))
    for where, left, right in pairs:
        more = tuple(sorted(set(right or ()) - set(left or ())))
        less = tuple(sorted(set(left or ()) - set(right or ())))
        if more:
            yield breaking(
                "scopes-added", where, f"needs permission for {value_text(more)}", new=more
            )
        if less:
            text = f"no longer needs permission for {value_text(less)}"
            yield compatible("scopes-removed", where, text, less)


def diff_trust(old: Trust | None, new: Trust | None) -> Iterator[Change]:
    """Claims of the document about itself, one by one."""
    before, after = _claims(old), _claims(new)
    for name in before:
        left, right = before[name], after[name]
        if left != right:
            direction = _trust_direction(name, left, right)
            yield Change(
                kind="trust-changed",
                path=("trust", *name.split(".")),
                category="effects",
                message=f"trust claim {name} changed from {value_text(left)} to {value_text(right)}",
                old=left,
                new=right,
                direction=direction,
                severity="high" if direction == "more-dangerous" else "medium",
                bump="minor" if direction == "more-dangerous" else "patch",
            )


def diff_observed(old: Tool, new: Tool) -> Iterator[Change]:
    """Facts observed in the new version and not in the old one, whatever the descriptions say."""
    before, after = read_observed(old.own), read_observed(new.own)
    if before is None or after is None:
        return
    for fact in after.facts:
        if fact.fact not in before.names:
            example = f": `{fact.line}`" if fact.line else ""
            yield Change(
                kind="observed-wider",
                path=("x-atip", "observed", fact.fact),
                category="effects",
                message=f"{fact.fact} was observed in the new version only{example}",
                old=sorted(before.names),
                new=fact.fact,
                direction="more-dangerous",
                severity="high",
                bump="minor",
            )


def _claims(trust: Trust | None) -> dict[str, Any]:
    integrity = trust.integrity if trust else None
    provenance = trust.provenance if trust else None
    claims: dict[str, Any] = {
        "source": trust.source if trust else None,
        "verified": trust.verified if trust else None,
        "integrity.checksum": integrity.checksum if integrity else None,
        "provenance.url": provenance.url if provenance else None,
        "provenance.slsaLevel": provenance.slsa_level if provenance else None,
        "provenance.builder": provenance.builder if provenance else None,
    }
    for place, signature in (
        ("integrity.signature", integrity.signature if integrity else None),
        ("shimIntegrity.signature", trust.shim_signature if trust else None),
    ):
        for field in ("type", "identity", "issuer"):
            claims[f"{place}.{field}"] = getattr(signature, field) if signature else None
    return claims


def _trust_direction(name: str, old: Any, new: Any) -> Direction:
    """A claim that is removed, lowered or changes its signer needs a review."""
    if name == "source":
        ranks = {word: rank for rank, word in enumerate(_SOURCES)}
        return _rank(ranks.get(old, -1), ranks.get(new, -1))
    if name == "verified":
        return _rank(int(old is True), int(new is True))
    if name == "provenance.slsaLevel":
        return _rank(old or 0, new or 0)
    if old is None:
        return "changed"
    if new is None or name.endswith((".identity", ".issuer", ".builder", ".type")):
        return "more-dangerous"
    return "changed"


def _rank(old: int, new: int) -> Direction:
    # More trust is claimed, not proven: that is a change, never a reason to relax.
    return "more-dangerous" if new < old else "changed"


def diff_patterns(old: Tool, new: Tool) -> Iterator[Change]:
    """Known ways of use, by name."""
    before = {pattern.name: pattern for pattern in old.patterns or ()}
    after = {pattern.name: pattern for pattern in new.patterns or ()}
    for name in dict.fromkeys((*before, *after)):
        left, right = before.get(name), after.get(name)
        if left == right:
            continue
        word = "was removed" if right is None else "was added" if left is None else "changed"
        yield compatible(
            "patterns-changed", ("patterns", name), f"pattern `{name}` {word}", left, right
        )
        yield from _executable(name, left, right)


def _executable(name: str, old: Pattern | None, new: Pattern | None) -> Iterator[Change]:
    was, now = bool(old and old.executable), bool(new and new.executable)
    if was != now:
        yield Change(
            kind="pattern-executable-changed",
            path=("patterns", name, "executable"),
            category="effects",
            message=f"pattern `{name}` may {'now be' if now else 'no longer be'} run by an agent",
            old=was,
            new=now,
            direction="more-dangerous" if now else "less-dangerous",
            severity="high",
            bump="minor",
        )
