"""Curated facts as data: one YAML per well-known tool, compiled into a pack that is read in a blink.

`load(name)` and `names()` are the whole library; the format is in docs/formats/knowledge.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.knowledge.reading import load, names

__all__ = ["load", "names"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from atip.knowledge import reading

        return getattr(reading, name)
    raise AttributeError(name)
