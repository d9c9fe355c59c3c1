"""Judging one CMP document on its own: manifest, capability or examples, as `validate` and `lint` meet them in a folder.

The rules of the text are those of `document`; here are also the ones that no reader needs: a manifest of fewer than
50 tokens, and patterns that no request can reach. Implements CMP 0.2.0 §3, §4.
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
"""A start of text after something, or something after the end of text."""


def judge_document(
    value: object, *, kind: str | None = None, mode: Mode = "strict", folder: str = ""
) -> DocumentReport:
    """`model.reading.documents.judge`, and the three documents of CMP.

    Args:
        folder: name of the tool's folder, with which a manifest must agree (C3).
    """
    found = kind or cmp_kind(value)
    if found not in KINDS or mode == "schema":
        return judge(value, kind=kind, mode=mode)
    reader = Reader(strict=mode == "strict")
    if found == MANIFEST:
        manifest = reader.manifest(value, folder=folder)
        more = _long_manifest(value) if manifest is not None and isinstance(value, dict) else ()
    elif found == CAPABILITY:
        reader.intents(value)
        more = tuple(_unreachable(value)) if isinstance(value, dict) else ()
    else:
        reader.examples(value)
        more = ()
    own = (problem.replace(path=_own_path(problem.path)) for problem in reader.problems)
    return DocumentReport(kind=found, problems=(*own, *more))


def cmp_kind(value: object) -> str | None:
    """Which document of CMP this is, by its content; None for any other."""
    if isinstance(value, list):
        shaped = value and all(isinstance(one, dict) and "intent" in one for one in value)
        return EXAMPLES if shaped else None
    if not isinstance(value, dict) or "atip" in value:
        return None
    if isinstance(value.get("intents"), list):
        return CAPABILITY
    if isinstance(value.get("examples"), list) and len(value) <= 2:
        return EXAMPLES
    return MANIFEST if {"domain", "name"} <= value.keys() and "tools" not in value else None


def _own_path(path: str) -> str:
    """The reader speaks of a bundle of three; alone, a document starts at `$`."""
    return re.sub(r"^\$\.(?:manifest|capability|examples)\b", "$", path)


def _long_manifest(value: dict[str, Any]) -> tuple[Problem, ...]:
    import json

    tokens = estimated_tokens(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
    if tokens < MAX_TOKENS:
        return ()
    message = f"about {tokens} tokens; a manifest should have fewer than {MAX_TOKENS} (§3.4)"
    return (Problem(path="$", code="cmp.manifest-tokens", message=message, severity="warning"),)


def _unreachable(value: dict[str, Any]) -> Iterator[Problem]:
    """Patterns that no request reaches: without a word, impossible, or taken by an earlier intent."""
    taken: dict[str, int] = {}
    listed = value.get("intents")
    for place, intent in enumerate(listed if isinstance(listed, list) else ()):
        patterns = intent.get("patterns") if isinstance(intent, dict) else None
        for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
            reason = _why_unreachable(pattern, place, taken) if isinstance(pattern, str) else ""
            if reason:
                path = f"$.intents[{place}].patterns[{index}]"
                yield Problem(
                    path=path, code="cmp.pattern-never-matches", message=reason, severity="warning"
                )


def _why_unreachable(pattern: str, place: int, taken: dict[str, int]) -> str:
    text = pattern.strip().lower()
    first = taken.setdefault(text, place)
    if first != place:
        return f"intent {first} has the same pattern, and is found first"
    if not _WORD.search(text.removeprefix(RE)):
        return "no request can match a pattern without a word"
    if text.startswith(RE) and _IMPOSSIBLE.search(_CLASS.sub("x", text.removeprefix(RE))):
        return "nothing can stand before the start or after the end of a request"
    return ""
