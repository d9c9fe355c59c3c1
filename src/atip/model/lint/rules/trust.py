"""Rules on claims about the document itself: trust, protocol, parts, and the binary here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.lint.findings import RuleHit
from atip.model.lint.index import as_dict
from atip.model.observed import read_observed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.lint.findings import LintFacts
    from atip.model.lint.index import DocumentIndex

_FOREIGN = frozenset(["vendor", "org", "community", "user", "inferred"])


def trust_source_requirements(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """§3.2.2: the claimed author should have declared what they know."""
    source = index.trust.get("source")
    if source == "native":
        for node in index.commands:
            if node.is_leaf and not node.effects:
                text = "a native tool knows its effects and should declare them"
                yield RuleHit(parts=node.parts, message=text)
    elif source == "vendor":
        for field in ("homepage", "version"):
            if not index.raw.get(field):
                yield RuleHit(
                    parts=("trust", "source"), message=f"vendor metadata without `{field}`"
                )
    elif (
        source == "inferred"
        and index.trust.get("verified") is not False
        and not _was_observed(index)
    ):
        yield RuleHit(
            parts=("trust", "verified" if "verified" in index.trust else "source"),
            message="inferred metadata should say `verified: false`",
            hint="or add observations of this exact binary: `atip crawl --observe`",
        )


def _was_observed(index: DocumentIndex) -> bool:
    """Whether `verified: true` stands on cases of exactly this binary."""
    block = read_observed(as_dict(index.raw.get("x-atip")))
    digest = str(as_dict(index.raw.get("binary")).get("hash", ""))
    return index.trust.get("verified") is True and block is not None and block.corroborates(digest)


def trust_without_evidence(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """A claim that cannot be checked is worthless but looks trustworthy."""
    trust = index.trust
    shim = as_dict(as_dict(trust.get("shimIntegrity")).get("signature"))
    binary = as_dict(as_dict(trust.get("integrity")).get("signature"))
    legacy = as_dict(trust.get("signature"))
    is_counted = trust.get("source") != "native" or options["native"]
    is_signed = bool(shim or binary or legacy)
    if trust.get("verified") is True and is_counted and not is_signed and not _was_observed(index):
        yield RuleHit(
            parts=("trust", "verified"),
            message="`verified: true` without a signature that could be checked, or cases of this binary",
        )
    for place, signature in (
        (("trust", "shimIntegrity", "signature"), shim),
        (("trust", "integrity", "signature"), binary),
        (("trust", "signature"), legacy),
    ):
        if signature and not signature.get("identity"):
            yield RuleHit(parts=place, message="a signature needs `identity`")
    provenance = as_dict(trust.get("provenance"))
    level = provenance.get("slsaLevel")
    if isinstance(level, int) and level > 0 and not provenance.get("url"):
        text = f"SLSA level {level} without an attestation (`url`)"
        yield RuleHit(parts=("trust", "provenance"), message=text)


def claim_disproved(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Observed effects count more than declared ones."""
    block = read_observed(as_dict(index.raw.get("x-atip")))
    for each in block.disproved if block else ():
        yield RuleHit(
            parts=("x-atip", "observed", "facts", each.fact),
            message=f"{each.fact} was observed and is denied: `{each.line}`",
            hint="declare it, or run the case again: `atip observe`",
        )
    for fact, line in facts.disproved:
        yield RuleHit(
            parts=("name",),
            message=f"{fact} was observed on this machine and is denied: `{line[:120]}`",
            hint="declare it; `atip show NAME --evidence` shows the cases",
        )


def shim_without_hash(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """§4.5: a shim is found by, and valid for, exactly one binary."""
    binary = index.raw.get("binary")
    if isinstance(binary, dict):
        if not binary.get("hash"):
            yield RuleHit(parts=("binary",), message="shim without `binary.hash`")
    elif index.trust.get("source") in _FOREIGN:
        yield RuleHit(
            parts=("trust", "source"),
            message=f"{index.trust['source']} metadata without `binary.hash` may be about any binary",
        )


def partial_without_omitted(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """§3.1.1: what is not said of missing commands is taken for unsafe."""
    raw = index.raw
    omitted = as_dict(raw.get("omitted"))
    if raw.get("partial") is True:
        for field in ("reason", "safetyAssumption"):
            if not omitted.get(field):
                yield RuleHit(
                    parts=("omitted",) if omitted else ("partial",),
                    message=f"a part without `omitted.{field}`",
                )
        for field in ("totalCommands", "includedCommands"):
            if field not in raw:
                yield RuleHit(parts=("partial",), message=f"a part without `{field}`")
    elif omitted:
        yield RuleHit(parts=("omitted",), message="`omitted` without `partial: true`")


def deprecated_field(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """§12.3: still read, no longer to be written (A1, A5, A8)."""
    atip = index.raw.get("atip")
    if isinstance(atip, str) and atip not in ("0.1", "0.2", "0.3"):
        yield RuleHit(
            parts=("atip",),
            message="the string form of `atip` is deprecated since 0.4",
            hint=f'write {{"version": "{atip[:10]}"}}',
        )
    if "signature" in index.trust:
        yield RuleHit(
            parts=("trust", "signature"),
            message="`trust.signature` is deprecated",
            hint="write `trust.shimIntegrity.signature`",
        )
    for _node, parts, effects in index.effects():
        if as_dict(effects.get("cost")).get("estimate") == "none":
            yield RuleHit(
                parts=(*parts, "cost", "estimate"),
                message="the estimate `none` is deprecated",
                hint="write `free`",
            )


def binary_exists(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """For the program of this machine, where one was looked for."""
    if facts.binary_exists is False:
        yield RuleHit(parts=("name",), message=f"program `{index.name}` not found")


def binary_hash_matches(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """§4.5: the document is about these bytes, or about others."""
    claimed = as_dict(index.raw.get("binary")).get("hash")
    if isinstance(claimed, str) and facts.binary_hash and claimed.lower() != facts.binary_hash:
        yield RuleHit(
            parts=("binary", "hash"),
            message=f"`{facts.binary_path or index.name}` has another digest: {facts.binary_hash}",
        )


def agent_flag_works(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """For native tools, with what a probe brought back."""
    if index.trust.get("source") not in ("native", None):
        return
    if facts.agent_error:
        yield RuleHit(
            parts=("name",), message=f"`--agent` does not work: {facts.agent_error[:200]}"
        )
    for field in ("name", "version"):
        reported = facts.agent_document.get(field) if facts.agent_document else None
        if reported is not None and reported != index.raw.get(field):
            yield RuleHit(parts=(field,), message=f"`--agent` reports `{str(reported)[:60]}`")
