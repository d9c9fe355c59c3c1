"""Checks of a single CMP document – manifest, capability or examples – for `validate` and `lint`.

Adds to the rules of `document` those that a reader does not need: a manifest of fewer than
50 tokens, and patterns that no request can match. Implements CMP 0.2.0 §3, §4.
"""

from __future__ import annotations

import re

from atip.codecs.cmp.codec import estimated_tokens
from atip.codecs.cmp.document import RE, Reader
from atip.model.problems import Problem
from atip.model.reading.documents import DocumentReport, judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from atip.model.shapes.check import Mode

MANIFEST, CAPABILITY, EXAMPLES = "cmp-manifest", "cmp-capability", "cmp-examples"
KINDS = (MANIFEST, CAPABILITY, EXAMPLES)
MAX_TOKENS = 50
_WORD = re.compile(r"\w")
_CLASS = re.compile(r"\\.|\[\^?\]?[^\]]*\]")
_IMPOSSIBLE = re.compile(r"[^|()]\^|\$[^|)?*]")
"""`^` after a character, or a character after `$`."""


def judge_document(
    value: object, *, kind: str | None = None, mode: Mode = "strict", folder: str = ""
) -> DocumentReport:
    """Extend `model.reading.documents.judge` with the three documents of CMP.

    Args:
        folder: name of the tool's folder, with which a manifest must agree (C3).
    """
    document_kind = kind or cmp_kind(value)
    if document_kind not in KINDS or mode == "schema":
        return judge(value, kind=kind, mode=mode)
    reader = Reader(strict=mode == "strict")
    if document_kind == MANIFEST:
        manifest = reader.manifest(value, folder=folder)
        more = _long_manifest(value) if manifest is not None and isinstance(value, dict) else ()
    elif document_kind == CAPABILITY:
        reader.intents(value)
        more = tuple(_unreachable(value)) if isinstance(value, dict) else ()
    else:
        reader.examples(value)
        more = ()
    problems = (problem.replace(path=_own_path(problem.path)) for problem in reader.problems)
    return DocumentReport(kind=document_kind, problems=(*problems, *more))


def cmp_kind(value: object) -> str | None:
    """Kind of a CMP document, by its content; None for any other document."""
    if isinstance(value, list):
        shaped = value and all(isinstance(item, dict) and "intent" in item for item in value)
        return EXAMPLES if shaped else None
    if not isinstance(value, dict) or "atip" in value:
        return None
    if isinstance(value.get("intents"), list):
        return CAPABILITY
    if isinstance(value.get("examples"), list) and len(value) <= 2:
        return EXAMPLES
    return MANIFEST if {"domain", "name"} <= value.keys() and "tools" not in value else None


def _own_path(path: str) -> str:
    """Path within the single document: the reader's paths start with the document's name."""
    return re.sub(r"^\$\.(?:manifest|capability|examples)\b", "$", path)


def _long_manifest(value: dict[str, Any]) -> tuple[Problem, ...]:
    import json

    tokens = estimated_tokens(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
    if tokens < MAX_TOKENS:
        return ()
    message = f"about {tokens} tokens; a manifest should have fewer than {MAX_TOKENS} (§3.4)"
    return (Problem(path="$", code="cmp.manifest-tokens", message=message, severity="warning"),)


def _unreachable(value: dict[str, Any]) -> Iterator[Problem]:
    """Patterns that no request matches: without a word, impossible, or used by an earlier intent."""
    first_use: dict[str, int] = {}
    intents = value.get("intents")
    for place, intent in enumerate(intents if isinstance(intents, list) else ()):
        patterns = intent.get("patterns") if isinstance(intent, dict) else None
        for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
            reason = _why_unreachable(pattern, place, first_use) if isinstance(pattern, str) else ""
            if reason:
                path = f"$.intents[{place}].patterns[{index}]"
                yield Problem(
                    path=path, code="cmp.pattern-never-matches", message=reason, severity="warning"
                )


def _why_unreachable(pattern: str, place: int, first_use: dict[str, int]) -> str:
    text = pattern.strip().lower()
    first = first_use.setdefault(text, place)
    if first != place:
        return f"intent {first} has the same pattern and matches first"
    if not _WORD.search(text.removeprefix(RE)):
        return "the pattern contains no word, so no request matches"
    if text.startswith(RE) and _IMPOSSIBLE.search(_CLASS.sub("x", text.removeprefix(RE))):
        return "the pattern has text before `^` or after `$`, so no request matches"
    return ""
