"""The ledger: every shim that is published, unpacked only where a build touches it.

Kept in two ways: in parts for the bins, by tool for the catalogue. A rebuild of a hundred changes among 100,000 shims
unpacks the parts and tools of those hundred; the lines of the other parts are carried over as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.reading import shim_records as packed
from atip.registry.publish.files.documents import catalog_entry, version_key
from atip.registry.publish.signing.canonical import target_line

if TYPE_CHECKING:
    from atip.model.reading.shim_records import Row, ShimRecord
    from atip.registry.publish.state import BuildState

_PARTS = 16
"""Parts of a slot, by the first digit of a shim: small enough to be cheap to write, few enough to be quick to read."""


def part_of(digits: str, slot: int) -> int:
    return slot * _PARTS + int(digits[0], 16)


class ShimLedger:
    """All shims of a registry."""

    def __init__(self, state: BuildState) -> None:
        self._state = state
        head = state.head
        self.platforms = dict(head.platforms) if head else {}
        self.sources = dict(head.sources) if head else {}
        self.total = head.total if head else 0
        self._parts: dict[int, dict[str, ShimRecord]] = {}
        self._tools: dict[str, dict[str, Row]] = {}
        self._changed: set[int] = set()
        self._lines: dict[int, list[str]] = {}
        self.touched: set[int] = set()
        """Slots with anything new, different or gone."""

    def find(self, digits: str, slot: int) -> ShimRecord | None:
        return self._part(part_of(digits, slot)).get(digits)

    def lines(self, first: int, end: int) -> list[str]:
        """The shims of the slots from `first` to before `end` as targets, sorted."""
        lines: list[str] = []
        stored = {}
        if self._state.head is not None:
            stored = dict(self._state.lines(first * _PARTS, end * _PARTS))
        for number in range(first * _PARTS, end * _PARTS):
            if number in self._changed:
                lines += self._changed_lines(number)
            elif number in stored:
                lines += packed.unpack_lines(stored[number])
        lines.sort()
        return lines

    def put(self, record: ShimRecord) -> None:
        """Add a shim or replace the one of the same binary."""
        digits = record.hex
        number = part_of(digits, record.slot)
        part = self._parts.get(number)
        if part is None:
            part = self._part(number)
        old = part.get(digits)
        if old is not None:
            if old == record:
                return
            self._uncount(old)
        part[digits] = record
        self.total += 1
        platform, source = record.platform, record.source
        self.platforms[platform] = self.platforms.get(platform, 0) + 1
        self.sources[source] = self.sources.get(source, 0) + 1
        self._tool(record.name)[digits] = (record.version, platform, digits, record.slot)
        self._change(number, record.slot)

    def remove(self, digits: str, slot: int) -> None:
        """Take a shim out; one that is not there does not matter."""
        number = part_of(digits, slot)
        old = self._part(number).pop(digits, None)
        if old is not None:
            self._uncount(old)
            self._change(number, slot)

    def newest(self, name: str, platform: str) -> str | None:
        """Digits of the newest shim of a tool on a platform."""
        rows = [row for row in self._tool(name).values() if row[1] == platform]
        return max(rows, key=lambda row: (version_key(row[0]), row[2]))[2] if rows else None

    def has_tool(self, name: str, platform: str = "") -> bool:
        """Whether a tool is described, on this platform where one is given."""
        rows = self._tools.get(name)
        if rows is None:
            rows = self._known_rows(name)
        return any(not platform or row[1] == platform for row in rows.values())

    def tools(self) -> int:
        """Number of tools; valid after `render`."""
        return self._state.tools()

    def render(self) -> None:
        """Bring the catalogue's entries up to date."""
        tools, entries, removed = [], [], []
        for name, rows in self._tools.items():
            if not rows:
                removed.append(name)
                continue
            ordered = list(rows.values())
            if len(ordered) > 1:
                ordered.sort(key=lambda row: (version_key(row[0]), row))
            newest = self.find(ordered[-1][2], ordered[-1][3])
            entry = packed.encode_text(catalog_entry(ordered, newest))
            entries.append((name, f"{packed.encode_text(name)}:{entry}"))
            tools.append((name, packed.pack(ordered)))
        self._state.drop_tools(removed)
        # sorted: the trees are filled from left to right
        self._state.put_tools(sorted(tools))
        self._state.put_entries(sorted(entries))

    def entries(self) -> list[str]:
        """The catalogue's entries, once rendered, by name of the tool."""
        return self._state.entries()

    def save(self) -> None:
        """Hand every part that changed back to the state."""
        self._state.put_parts(
            (
                number,
                packed.pack(self._changed_lines(number)),
                packed.pack(list(self._parts[number].values())),
            )
            for number in sorted(self._changed)
        )

    def _changed_lines(self, number: int) -> list[str]:
        """Made once: for the bin, and to be remembered."""
        if number not in self._lines:
            self._lines[number] = [target_line(entry) for entry in self._parts[number].values()]
        return self._lines[number]

    def _change(self, number: int, slot: int) -> None:
        if self._lines:
            self._lines.pop(number, None)
        self._changed.add(number)
        self.touched.add(slot)

    def _part(self, number: int) -> dict[str, ShimRecord]:
        """The shims of a part by digits."""
        part = self._parts.get(number)
        if part is None:
            data = self._state.records(number) if self._state.head is not None else None
            records = packed.unpack_records(data) if data is not None else []
            part = self._parts[number] = {record.hex: record for record in records}
        return part

    def _tool(self, name: str) -> dict[str, Row]:
        if name not in self._tools:
            self._tools[name] = self._known_rows(name)
        return self._tools[name]

    def _known_rows(self, name: str) -> dict[str, Row]:
        data = self._state.rows(name) if self._state.head is not None else None
        return {row[2]: row for row in packed.unpack_rows(data)} if data is not None else {}

    def _uncount(self, old: ShimRecord) -> None:
        self.total -= 1
        for counts, key in ((self.platforms, old.platform), (self.sources, old.source)):
            counts[key] -= 1
            if not counts[key]:
                del counts[key]
        self._tool(old.name).pop(old.hex, None)
