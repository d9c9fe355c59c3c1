"""Honest token figures: what an agent reads without us, and what it must really read for one call with us.

`traditional` is the raw description (minified), as a model would get it. `codeMode` is the manifest, the lines that a search
of the index yields, and the wrapper of a median operation – not a file of counts. Counted with cl100k_base where it
is installed; the method is written into the manifest (T8, ATM §B).
"""

from __future__ import annotations

import json

from atip.apis.wrappers.writing import index_of, wrap_api
from atip.system.tokens import find_counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from atip.apis.config import ApiConfig
    from atip.apis.interface import Loaded

SEARCH_LINES = 5
SAMPLE = 101
"""Wrappers whose length is looked at to find the median one."""
MANIFEST_TOKENS = 350
"""A manifest without definitions, itself included before it can be counted."""


def measure(loaded: list[Loaded], config: ApiConfig, language: str) -> dict[str, Any]:
    """Figures for `tokenReduction`, with the method."""
    name, count = find_counter()
    traditional = sum(count(minified(each.raw)) for each in loaded)
    code_mode = MANIFEST_TOKENS + max(_path(each, language, count) for each in loaded)
    return {
        "traditional": traditional,
        "codeMode": code_mode,
        "x-method": f"{name}; manifest + {SEARCH_LINES} index lines + the median wrapper",
    }


def _path(found: Loaded, language: str, count: Callable[[str], int]) -> int:
    """Tokens for one call of a median operation of one source."""
    operations = found.api.operations
    if not operations:
        return 0
    step = max(1, len(operations) // SAMPLE)
    sample = found.api.replace(operations=operations[::step])
    lengths = sorted(count(text) for text in wrap_api(sample, language).values())
    lines = sorted(count(line) for line in index_of(sample).splitlines())
    return lengths[len(lengths) // 2] + SEARCH_LINES * lines[len(lines) // 2]


def minified(raw: str) -> str:
    """A JSON document without its spaces; anything else as it is."""
    try:
        return json.dumps(json.loads(raw), ensure_ascii=False, separators=(",", ":"))
    except ValueError:
        return raw
