"""Token figures: what an agent reads without us, and what it needs to read for one call with us.

`traditional` is the raw description (minified), as a model would get it. `codeMode` is the manifest, the lines that a search
of the index yields, and the wrapper of a median operation – not a file of counts. Counted with cl100k_base where it
is installed; the method is written into the manifest (T8, ATM §B).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.apis.wrappers.writing import index_of, wrap_api
from atip.system.tokens import find_counter

if TYPE_CHECKING:
    from atip.apis.sync.incremental import SyncState
    from atip.model.operation import Api
    from atip.model.reading.document_pieces import Pieces

SEARCH_LINES = 5
SAMPLE = 101
"""Number of wrappers to sample for the median."""
MANIFEST_TOKENS = 350
"""Estimated tokens of a manifest without definitions, which contains this figure itself."""


def figures(states: list[SyncState]) -> dict[str, Any]:
    """Figures for `tokenReduction`, with the method."""
    return {
        "traditional": sum(sum(state.tokens.values()) for state in states),
        "codeMode": MANIFEST_TOKENS + max((state.path_tokens for state in states), default=0),
        "x-method": f"{find_counter()[0]}, raw documents per path and schema; manifest + {SEARCH_LINES}"
        " index lines + the median wrapper",
    }


def raw_tokens(raw: str, pieces: Pieces | None) -> dict[str, int]:
    """Tokens of a raw description, piece by piece where it has pieces, so that a change is counted alone."""
    count = find_counter()[1]
    if pieces is None:
        return {"": count(minify(raw))}
    from atip.apis.sync.incremental import texts_of

    counts = {key: count(text) for key, text in texts_of(pieces).items()}
    counts[""] = count(json.dumps(pieces.rest, ensure_ascii=False, separators=(",", ":")))
    return counts


def path_tokens(api: Api, language: str) -> int:
    """Tokens for one call of a median operation: lines of the index, and its wrapper."""
    count = find_counter()[1]
    if not api.operations:
        return 0
    step = max(1, len(api.operations) // SAMPLE)
    sample = api.replace(operations=api.operations[::step])
    lengths = sorted(count(text) for text in wrap_api(sample, language).values())
    lines = sorted(count(line) for line in index_of(sample).splitlines())
    return lengths[len(lengths) // 2] + SEARCH_LINES * lines[len(lines) // 2]


def minify(raw: str) -> str:
    """A JSON document without its spaces; anything else as it is."""
    try:
        return json.dumps(json.loads(raw), ensure_ascii=False, separators=(",", ":"))
    except ValueError:
        return raw
