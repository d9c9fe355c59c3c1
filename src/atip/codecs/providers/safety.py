"""Safety: what the effects of a command say in the description that a model reads, and clean text.

No provider has a field for effects, so the flags are at the end of the description; the description is cut to
make room for them, never the reverse (A30). Characters that hide, reorder or overwrite text are removed before a
model sees it; its content is not checked here – the system prompt frames it as untrusted data
(`system_prompt.py`). Implements ATIP 0.6 §8.2 rule 1, A28, A29, A30.
"""

from __future__ import annotations

from atip.model.effects import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.calls.effects.ceiling import Claim
    from atip.model.effects import Effects

PARAMETER_LIMIT = 2_000

_FLAGS = (
    "⚠️ DESTRUCTIVE",
    "⚠️ NOT REVERSIBLE",
    "⚠️ NOT IDEMPOTENT",
    "💰 BILLABLE",
    "⚠️ DELETES FILES",
    "🔒 READ-ONLY",
)
_suffixes: dict[tuple[bool, ...], str] = {}
_PLAIN = (
    r"[\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2015\u2018-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u21ff"
    r"\u2200-\u22ff\u2500-\u257f\u3001-\u30ff\u4e00-\u9fff\uac00-\ud7a3]*\Z"
)
"""Text without invisible characters; compiled at the first non-ASCII text."""


def clean_text(text: str) -> str:
    """Remove invisible characters from a text; line breaks stay."""
    if text.isascii() and text.isprintable():
        return text
    if "\t" in text or "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    import re

    if re.match(_PLAIN, text):
        return text
    from atip.model.lint.text import visible

    # SECURITY: control, bidi, zero-width, tag and private-use characters never reach a model.
    return visible(text)


def is_clean(text: str) -> bool:
    """Whether `clean_text` would return the text unchanged; names and choices must be sent as they are."""
    return (text.isascii() and text.isprintable()) or (
        clean_text(text) == text and "\n" not in text
    )


def flags_of(effects: Iterable[Effects]) -> tuple[bool, ...]:
    """Safety flags of a command whose effects are declared at several levels; danger wins (A42)."""
    destructive = irreversible = once = billable = deletes = False
    quiet_network = quiet_write = changes = False
    for effect in effects:
        if effect is UNKNOWN:
            continue
        files = effect.filesystem
        destructive = destructive or effect.destructive is True
        irreversible = irreversible or effect.reversible is False
        once = once or effect.idempotent is False
        billable = billable or effect.cost.billable is True
        deletes = deletes or files.delete is True
        quiet_network = quiet_network or effect.network is False
        quiet_write = quiet_write or files.write is False
        changes = changes or effect.network is True or files.write is True
        changes = changes or bool(effect.creates or effect.modifies or effect.deletes)
    # A29: read-only needs both denials, and nothing that contradicts them.
    can_lose_data = destructive or irreversible or deletes
    read_only = quiet_network and quiet_write and not (changes or can_lose_data)
    return (destructive, irreversible, once, billable, deletes and not destructive, read_only)


def claim_flags(claim: Claim) -> tuple[bool, ...]:
    """Flags of a command without options; `READ-ONLY` only if no option can change that."""
    flags = flags_of((claim.base,))
    return flags if not claim.raisers else (*flags[:5], claim.is_read_only)


def claim_suffix(claim: Claim, *, with_creates: bool = False) -> str:
    """The flags, and further effects with some options; `with_creates` as in `safety_suffix`."""
    flags_text = suffix(claim_flags(claim))
    if with_creates:
        flags_text = _with_creates(flags_text, claim.base)
    if not claim.raisers:
        return flags_text
    from atip.calls.effects.claim_words import more_words

    more = clean_text("; ".join(more_words(claim)))
    if not more:
        return flags_text
    return f"{flags_text[:-1]} | ⚠️ {more}]" if flags_text else f"[⚠️ {more}]"


def suffix(flags: tuple[bool, ...]) -> str:
    """`[⚠️ DESTRUCTIVE | ⚠️ NOT REVERSIBLE]`, or nothing (A28)."""
    cached = _suffixes.get(flags)
    if cached is None:
        words = [word for word, applies in zip(_FLAGS, flags, strict=True) if applies]
        cached = _suffixes[flags] = f"[{' | '.join(words)}]" if words else ""
    return cached


def safety_suffix(effects: Effects, *, with_creates: bool = False) -> str:
    """The suffix of effects alone. `with_creates` adds `CREATES: …`, which the text only shows (A28)."""
    flags_text = suffix(flags_of((effects,)))
    return _with_creates(flags_text, effects) if with_creates else flags_text


def _with_creates(flags_text: str, effects: Effects) -> str:
    if not effects.creates:
        return flags_text
    creates = "CREATES: " + ", ".join(clean_text(name)[:40] for name in effects.creates[:5])
    return f"{flags_text[:-1]} | {creates}]" if flags_text else f"[{creates}]"


def describe(text: str, flags: str, limit: int) -> str:
    """Description and flags within `limit` code points; the description is cut, never the flags (A30)."""
    if not flags:
        return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
    if not text:
        return flags
    if text[-1] not in ".!?…":
        text += "."
    max_text = limit - len(flags) - 1
    if len(text) > max_text:
        text = text[: max_text - 1].rstrip() + "…"
    return f"{text} {flags}"


def shorten(text: str, limit: int) -> str:
    """The first sentence, at most `limit` characters."""
    end = text.find(". ")
    if 0 < end < limit:
        return text[: end + 1]
    line = text.partition("\n")[0]
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
