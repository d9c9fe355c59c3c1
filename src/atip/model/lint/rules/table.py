"""The rules: name → category, summary, severity per preset, options, where the check lives. Data.

A new rule is one row here, one function in a file of this package, one line in
docs/formats/lint-rules.md (a test holds the three together).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from atip.model.lint.findings import LintFacts, RuleHit
    from atip.model.lint.index import DocumentIndex

    Check = Callable[[DocumentIndex, Mapping[str, Any], LintFacts], Iterator[RuleHit]]

PRESETS = ("minimal", "recommended", "strict")


class LintRule(Value):
    """One row. `levels` are the severities in (minimal, recommended, strict); None: off."""

    category: str
    summary: str
    levels: tuple[str | None, str | None, str | None]
    options: Mapping[str, Any] = {}
    strict_options: Mapping[str, Any] = {}
    """Settings that `strict` changes."""
    fixable: bool = False


_ERROR = ("error", "error", "error")
_WARN = (None, "warning", "error")
_SOFT = (None, "warning", "warning")
_NOTE = (None, "info", "warning")

RULES: dict[str, LintRule] = {
    # Is it well formed?
    "valid-document": LintRule(
        category="quality", summary="the document can be read", levels=_ERROR
    ),
    "no-missing-required-fields": LintRule(
        category="quality",
        summary="arguments, options and commands have the fields the specification requires",
        levels=_ERROR,
    ),
    "valid-effects-values": LintRule(
        category="consistency", summary="effects have values of the right type", levels=_ERROR
    ),
    # Does it say enough?
    "no-empty-effects": LintRule(
        category="quality",
        summary="every command declares its effects",
        levels=_WARN,
        options={"minFields": 1, "requiredFields": []},
        strict_options={"minFields": 2},
    ),
    "description-quality": LintRule(
        category="quality",
        summary="descriptions are meaningful, clean, neither too short nor too long",
        levels=_WARN,
        options={
            "minLength": 10,
            "maxLength": 200,
            "placeholderPatterns": ["TODO", "FIXME", "TBD", "XXX"],
            "requireSentenceCase": True,
            "requireEndingPunctuation": False,
        },
        strict_options={"minLength": 20, "requireEndingPunctuation": True},
        fixable=True,
    ),
    "missing-version": LintRule(
        category="quality", summary="the tool's version is given and valid", levels=_WARN
    ),
    "deprecated-without-note": LintRule(
        category="quality", summary="deprecated items name a replacement", levels=_NOTE
    ),
    # Do names and parameters fit together?
    "consistent-naming": LintRule(
        category="consistency",
        summary="commands and options follow one naming convention",
        levels=_SOFT,
        options={
            "commandCase": "kebab-case",
            "optionCase": "kebab-case",
            "allowUppercase": False,
            "allowNumbers": True,
        },
    ),
    "no-duplicate-flags": LintRule(
        category="consistency", summary="a flag means one thing in one command", levels=_ERROR
    ),
    "no-shadowed-flags": LintRule(
        category="consistency",
        summary="a flag does not mean something else in a global option or a group above",
        levels=_SOFT,
    ),
    "duplicate-names": LintRule(
        category="consistency",
        summary="parameters of a command have different names",
        levels=(None, "error", "error"),
    ),
    "alias-conflict": LintRule(
        category="consistency",
        summary="an alias does not repeat the name or alias of a sibling command",
        levels=(None, "error", "error"),
    ),
    "flag-form": LintRule(
        category="consistency", summary="flags are written as they are typed", levels=_WARN
    ),
    "positional-order": LintRule(
        category="consistency",
        summary="no argument follows a variadic one, no required argument follows an optional one",
        levels=_WARN,
    ),
    "enum-values": LintRule(
        category="consistency",
        summary="an enum has distinct values of one kind",
        levels=_WARN,
        fixable=False,
    ),
    "default-fits": LintRule(
        category="consistency",
        summary="a default is a value that the parameter would accept",
        levels=_WARN,
    ),
    "unknown-exclusive": LintRule(
        category="consistency", summary="`exclusive` names options that exist", levels=_WARN
    ),
    "example-fits": LintRule(
        category="consistency",
        summary="examples call this tool, this command, with flags it has",
        levels=_WARN,
    ),
    "pattern-variables": LintRule(
        category="consistency", summary="variables of a pattern are declared and used", levels=_WARN
    ),
    "pattern-steps": LintRule(
        category="consistency",
        summary="steps of a pattern that call this tool call something it has",
        levels=_WARN,
    ),
    "partial-without-omitted": LintRule(
        category="consistency",
        summary="a partial document says what it omits and how to treat it",
        levels=_WARN,
    ),
    "deprecated-field": LintRule(
        category="consistency",
        summary="fields that a later version of the protocol replaced are not used",
        levels=_SOFT,
    ),
    # Is it safe to believe?
    "destructive-needs-reversible": LintRule(
        category="security",
        summary="destructive commands say whether they can be undone",
        levels=_WARN,
        fixable=True,
    ),
    "billable-needs-confirmation": LintRule(
        category="security",
        summary="billable commands are not declared idempotent and can be confirmed",
        levels=_WARN,
    ),
    "effects-contradict-name": LintRule(
        category="security",
        summary="effects do not contradict the verb in the command's name",
        levels=_WARN,
    ),
    "contradictory-effects": LintRule(
        category="security", summary="effects do not contradict each other", levels=_WARN
    ),
    "network-with-urls": LintRule(
        category="security",
        summary="commands that take URLs do not claim to work without network",
        levels=_WARN,
    ),
    "executable-pattern": LintRule(
        category="security",
        summary="a pattern that may be run has only steps whose effects are known",
        levels=_WARN,
    ),
    "invisible-text": LintRule(
        category="security",
        summary="no characters that hide, reorder or overwrite text",
        levels=_ERROR,
        fixable=True,
    ),
    "lookalike-letters": LintRule(
        category="security", summary="no words with letters of two alphabets", levels=_WARN
    ),
    "instruction-like-text": LintRule(
        category="security", summary="texts describe and do not instruct a model", levels=_WARN
    ),
    # May it be trusted?
    "trust-source-requirements": LintRule(
        category="trust",
        summary="the claimed source matches the content of the document",
        levels=_WARN,
    ),
    "trust-without-evidence": LintRule(
        category="trust",
        summary="claims of verification come with evidence that can be checked",
        levels=_WARN,
        options={"native": False},
        strict_options={"native": True},
    ),
    "shim-without-hash": LintRule(
        category="trust", summary="a shim names the digest of its binary", levels=_WARN
    ),
    "claim-disproved": LintRule(
        category="trust", summary="no observed effect contradicts the document", levels=_WARN
    ),
    # Is it true on this machine?
    "binary-exists": LintRule(
        category="executable", summary="the tool is installed (needs facts)", levels=_WARN
    ),
    "binary-hash-matches": LintRule(
        category="executable",
        summary="the file is the one that the document describes (needs facts)",
        levels=(None, "error", "error"),
    ),
    "agent-flag-works": LintRule(
        category="executable",
        summary="a native tool answers `--agent` with this document (needs facts)",
        levels=_WARN,
    ),
}

_HOMES = {
    "quality": "quality",
    "consistency": "consistency",
    "security": "security",
    "trust": "trust",
    "executable": "trust",
}
_ELSEWHERE = {
    "valid-effects-values": "quality",
    "example-fits": "usage",
    "pattern-variables": "usage",
    "pattern-steps": "usage",
    "executable-pattern": "usage",
    "partial-without-omitted": "trust",
    "deprecated-field": "trust",
    "destructive-needs-reversible": "effects",
    "billable-needs-confirmation": "effects",
    "effects-contradict-name": "effects",
    "contradictory-effects": "effects",
    "network-with-urls": "effects",
    "invisible-text": "text",
    "lookalike-letters": "text",
    "instruction-like-text": "text",
}


def check_of(name: str) -> Check:
    """The function of a rule: `no-empty-effects` → `no_empty_effects`."""
    import importlib

    home = _ELSEWHERE.get(name) or _HOMES[RULES[name].category]
    check: Check = getattr(
        importlib.import_module(f"atip.model.lint.rules.{home}"), name.replace("-", "_")
    )
    return check
