"""Vectors of words: how near a request and a text are in meaning, where they share no word.

`vectors.bin` ships with the package and is read only; `scripts/distil_vectors.py` makes it and says from what. A text
is the sum of its words. The length of a word's vector is its weight, so no further weights are needed.

The file: a line of JSON (`dimensions`, `words`, `source`), the stems in order, a line each, then a byte per number,
a row per stem; 128 stands for zero. Rows are added as whole numbers of 16-bit lanes: one addition for all dimensions.
"""

from __future__ import annotations

import json
import math
import os
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "vectors.bin")
NOUGHT = 128
MOST_WORDS = 200
"""Of a text; a lane of 16 bits holds 257 bytes added up."""
SCALE = 300.0
"""Length of a direction: about that of a text, so that no digits are lost."""
MOST_ROWS = 20_000
"""Kept in memory."""


class Direction:
    """Direction of a request, as a vector of length SCALE."""

    __slots__ = ("_shifted", "values")

    def __init__(self, values: list[float]) -> None:
        self.values = values
        self._shifted: dict[int, tuple[tuple[float, ...], tuple[float, ...]]] = {}

    def shifted(self, words: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Origin and direction as seen by a sum of this many rows, whose lanes are too high by `NOUGHT` for each."""
        points = self._shifted.get(words)
        if points is None:
            excess = float(NOUGHT * words)
            points = (excess,) * len(self.values), tuple([excess + v for v in self.values])
            self._shifted[words] = points
        return points


class WordVectors(dict[str, int]):
    """Stem → row as one number of 16-bit lanes, 0 for an unknown word. The table is read on first use;
    without the file every word is unknown."""

    def __init__(self, path: str = PATH) -> None:
        super().__init__()
        self._path = path
        self._places: dict[str, int] | None = None
        self._rows = b""
        self.dimensions = 0

    def direction(self, words: Iterable[tuple[str, float]]) -> Direction | None:
        """Of weighted words; None if all of them are unknown."""
        rows = [(row, weight) for stem, weight in words if (row := self[stem]) and weight > 0]
        whole = sum(weight for _, weight in rows)
        # weights as whole numbers that add up to MOST_WORDS, so that the lanes can be added as those of a text
        shares = [(row, round(MOST_WORDS * weight / whole)) for row, weight in rows]
        excess = NOUGHT * sum(share for _, share in shares)
        lanes = self._lanes(sum(row * share for row, share in shares))
        length = math.dist(lanes, (excess,) * self.dimensions)
        if not length:
            return None
        factor = SCALE / length
        return Direction([factor * (value - excess) for value in lanes])

    def nearness(self, direction: Direction | None, stems: Iterable[str]) -> float:
        """Cosine between a direction and a text, −1 to 1; 0 where either is unknown."""
        if direction is None:
            return 0.0
        rows = [row for row in map(self.__getitem__, stems) if row][:MOST_WORDS]
        if not rows:
            return 0.0
        total = self._lanes(sum(rows))
        origin, aim = direction.shifted(len(rows))
        length = math.dist(total, origin)
        if not length:
            return 0.0
        # the law of cosines: two distances, which C computes, instead of a product, which Python would
        apart = math.dist(total, aim)
        return (length * length + SCALE * SCALE - apart * apart) / (2 * length * SCALE)

    def __missing__(self, stem: str) -> int:
        if self._places is None:
            self._places = self._read()
        place = self._places.get(stem)
        row = 0
        if place is not None:
            lanes = bytearray(2 * self.dimensions)
            low = 0 if sys.byteorder == "little" else 1
            lanes[low::2] = self._rows[place * self.dimensions : (place + 1) * self.dimensions]
            row = int.from_bytes(lanes, sys.byteorder)
        if len(self) < MOST_ROWS:
            self[stem] = row
        return row

    def _lanes(self, number: int) -> tuple[int, ...]:
        data = number.to_bytes(2 * self.dimensions, sys.byteorder)
        return struct.unpack(f"{self.dimensions}H", data)

    def _read(self) -> dict[str, int]:
        try:
            with open(self._path, "rb") as file:
                about = json.loads(file.readline())
                data = file.read()
        except OSError:
            return {}
        self.dimensions = about["dimensions"]
        end = len(data) - about["words"] * self.dimensions
        self._rows = data[end:]
        return {word: place for place, word in enumerate(data[:end].decode().split())}
