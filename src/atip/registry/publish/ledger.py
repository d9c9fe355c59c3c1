"""The ledger: every shim that is published, unpacked only where a build touches it.

Kept in two ways: by slot for the bins, by tool for the catalogue. A rebuild of a hundred changes among 100,000 shims
unpacks the slots and tools of those hundred and carries the rest over as it is.
"""

from __future__ import annotations

from atip.model import shim_records as packed
from atip.model.shim_records import ShimRecord
from atip.registry.publish.documents import catalog_entry, version_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.model.shim_records import Packed, PublishedState, Row

SLOTS = 256


class Ledger:
    """All shims of a registry."""

    def __init__(self, state: PublishedState | None = None) -> None:
        self._packed = list(state.slots) if state else [packed.pack_records([])] * SLOTS
        self._rows = dict(state.rows) if state else {}
        self.rendered = dict(state.rendered) if state else {}
        self.platforms = dict(state.platforms) if state else {}
        self.sources = dict(state.sources) if state else {}
        self.total = state.total if state else 0
        self._open: dict[int, dict[str, ShimRecord]] = {}
        self._tools: dict[str, dict[str, Row]] = {}
        self.touched: set[int] = set()
        """Slots with anything new, different or gone."""
        self._renamed = False

    def slot(self, number: int) -> dict[str, ShimRecord]:
        """The shims of a slot by digits."""
        if number not in self._open:
            records = packed.unpack_records(self._packed[number])
            self._open[number] = {record.hex: record for record in records}
        return self._open[number]

    def records(self, number: int) -> list[ShimRecord]:
        """The shims of a slot, sorted by digits."""
        held = self.slot(number)
        return [held[digits] for digits in sorted(held)]

    def find(self, digits: str, slot: int) -> ShimRecord | None:
        return self.slot(slot).get(digits)

    def put(self, record: ShimRecord) -> None:
        """Add a shim or replace the one of the same binary."""
        slot, digits = record.slot, record.hex
        held = self._open.get(slot) or self.slot(slot)
        old = held.get(digits)
        if old is not None:
            if old == record:
                return
            self._uncount(old)
        held[digits] = record
        self.total += 1
        platform, source = record.platform, record.source
        self.platforms[platform] = self.platforms.get(platform, 0) + 1
        self.sources[source] = self.sources.get(source, 0) + 1
        self._tool(record.name)[digits] = (record.version, platform, digits, slot)
        self.touched.add(slot)

    def remove(self, digits: str, slot: int) -> None:
        """Take a shim out; one that is not there does not matter."""
        old = self.slot(slot).pop(digits, None)
        if old is not None:
            self._uncount(old)
            self.touched.add(slot)

    def newest(self, name: str, platform: str) -> str | None:
        """Digits of the newest shim of a tool on a platform."""
        rows = [row for row in self._tool(name).values() if row[1] == platform]
        return max(rows, key=lambda row: (version_key(row[0]), row[2]))[2] if rows else None

    def has_tool(self, name: str, platform: str = "") -> bool:
        """Whether a tool is described, on this platform where one is given."""
        if name not in self._rows and name not in self._tools:
            return False
        return any(not platform or row[1] == platform for row in self._tool(name).values())

    def tools(self) -> int:
        return len(self.rendered)

    def render(self) -> None:
        """Bring the catalogue's entries up to date."""
        for name, rows in self._tools.items():
            if not rows:
                self.rendered.pop(name, None)
                self._rows.pop(name, None)
                continue
            ordered = list(rows.values())
            if len(ordered) > 1:
                ordered.sort(key=lambda row: (version_key(row[0]), row))
            newest = self.find(ordered[-1][2], ordered[-1][3])
            self._renamed = self._renamed or name not in self.rendered
            entry = packed.encode_text(catalog_entry(ordered, newest))
            self.rendered[name] = f"{packed.encode_text(name)}:{entry}"
            self._rows[name] = packed.pack_rows(ordered)
        if self._renamed:
            self.rendered = dict(sorted(self.rendered.items()))
            self._renamed = False

    def packed_slots(self) -> list[Packed]:
        """All slots, packed again where something changed."""
        for number in self.touched:
            self._packed[number] = packed.pack_records(self.records(number))
        return self._packed

    def packed_rows(self) -> dict[str, Packed]:
        return self._rows

    def _tool(self, name: str) -> dict[str, Row]:
        if name not in self._tools:
            there = self._rows.get(name)
            rows = packed.unpack_rows(there) if there is not None else []
            self._tools[name] = {row[2]: row for row in rows}
        return self._tools[name]

    def _uncount(self, old: ShimRecord) -> None:
        self.total -= 1
        for counts, key in ((self.platforms, old.platform), (self.sources, old.source)):
            counts[key] -= 1
            if not counts[key]:
                del counts[key]
        self._tool(old.name).pop(old.hex, None)

    def __iter__(self) -> Iterator[ShimRecord]:
        for number in range(SLOTS):
            yield from self.records(number)
