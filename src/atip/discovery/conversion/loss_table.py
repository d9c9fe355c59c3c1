"""Losses of every pair of formats: measured by converting one sample that uses every field.

The loss of A → B is what of the sample's fields does not survive being written as A, read again and written as B; a field is
counted once, whatever it stands on (`option.default`, `effects.network`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.codecs.interface import FORMATS, codec, encoder
from atip.discovery.conversion.loss_sample import SAMPLE
from atip.discovery.conversion.reading import READABLE, read_format
from atip.model.reading.decode import decode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.codecs.interface import Loss
    from atip.model.tool import Tool

    Pairs = Mapping[tuple[str, str], tuple[str, ...]]

_PARTS = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.([^.\[]+)')
_KINDS = {"options": "option", "globalOptions": "option", "arguments": "argument"}


def loss_table() -> Pairs:
    """(from, to) → fields that are lost, for every pair that can be converted."""
    sample = decode(SAMPLE).tool
    lost_fields: dict[tuple[str, str], tuple[str, ...]] = {}
    for source in readable():
        tool = _as_read(sample, source)
        for target in FORMATS:
            if target != source:
                lost_fields[source, target] = fields_lost(encoder(target)(tool).losses)
    return lost_fields


def readable() -> tuple[str, ...]:
    """Formats that can be read."""
    return tuple(name for name in FORMATS if name in READABLE or hasattr(codec(name), "decode"))


def _as_read(sample: Tool, source: str) -> Tool:
    """The sample as a document of format `source`."""
    data = encoder(source)(sample).data
    content = data.encode() if isinstance(data, str) else data
    return read_format(content, source, origin="boat").tool


def fields_lost(losses: tuple[Loss, ...]) -> tuple[str, ...]:
    """Names of fields, each once: `command.aliases`, `effects.network`, `option.default`."""
    return tuple(sorted({field_name(loss.path) for loss in losses} - {""}))


def field_name(path: str) -> str:
    """The field a path leads to, without the names of commands and the places in lists."""
    parts = [next(part for part in groups if part) for groups in _PARTS.findall(path)]
    kind = ""
    while parts:
        if parts[0] == "commands" and len(parts) > 2:
            kind, parts = "command", parts[2:]
        elif parts[0] in _KINDS and len(parts) > 2:
            kind, parts = _KINDS[parts[0]], parts[2:]
        else:
            break
    if "effects" in parts:
        return ".".join(parts[parts.index("effects") :])
    return ".".join([kind, *parts] if kind else parts)


def matrix(lost_fields: Pairs) -> list[str]:
    """One row per source, one column per target: how many fields are lost; a Markdown table."""
    targets = list(FORMATS)
    lines = ["| from \\ to | " + " | ".join(targets) + " |", "|---" * (len(targets) + 1) + "|"]
    for source in readable():
        cells = [
            str(len(lost_fields[source, target])) if target != source else "·" for target in targets
        ]
        lines.append(f"| **{source}** | " + " | ".join(cells) + " |")
    return lines
