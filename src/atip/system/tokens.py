"""Tokens: how many a text costs, by a named tokenizer.

`cl100k_base` through the optional `rs_bpe`; without it a quarter of the characters, and the name says that it
is an estimate. A budget is only as good as its count, so every report names the tokenizer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ESTIMATE = "estimate (characters / 4)"
EXACT = "cl100k_base"


def find_counter(*, exact: bool = True) -> tuple[str, Callable[[str], int]]:
    """Name and function of the best tokenizer here; `exact=False` never loads one."""
    if exact:
        try:
            from rs_bpe.bpe import openai
        except ImportError:
            pass
        else:
            encoder = openai.cl100k_base()
            return EXACT, lambda text: len(encoder.encode(text))
    return ESTIMATE, lambda text: (len(text) + 3) // 4
