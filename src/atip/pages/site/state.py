"""State of a site between builds, in a hidden file of its own folder. It may be deleted at any time."""

from __future__ import annotations

import os
from typing import Any

from atip.errors import FormatError
from atip.model.reading.shim_records import decode_quickly, encode_bytes
from atip.system.files import write_atomic

FILE = ".atip-site.json"
VERSION = 3


class SiteState:
    """The tools of the last build: what they were made from, their files, their summaries, their numbers."""

    def __init__(self, folder: str, style: str) -> None:
        """
        Args:
            style: what all pages were made with; under another one nothing of the last build can stay.
        """
        self._path = os.path.join(folder, FILE)
        self._style = style
        document = self._load()
        self.tools: dict[str, dict[str, Any]] = document.get("tools", {})
        """Name → `stamp`, `mark`, `summary`."""
        self.numbers: dict[str, int] = document.get("numbers", {})
        """Address of a page → its number in the search index."""
        self.changes: list[dict[str, str]] = document.get("changes", [])
        self.others: dict[str, str] = document.get("others", {})
        """Files about all tools → digest of what they were made from."""
        self.is_current = document.get("style") == style

    def save(self) -> None:
        document = {
            "version": VERSION,
            "style": self._style,
            "tools": self.tools,
            "numbers": self.numbers,
            "changes": self.changes,
            "others": self.others,
        }
        write_atomic(self._path, encode_bytes(document), mode=0o644, durable=False)

    def number_pages(self, addresses: list[str]) -> None:
        """Give every page a number; those that stay keep theirs, so that few files of the index change."""
        wanted = set(addresses)
        if self.numbers.keys() == wanted:
            return
        kept = dict(self.numbers)
        for address in kept.keys() - wanted:
            del kept[address]
        free = iter(sorted(set(range(len(wanted))).difference(kept.values())))
        for address in addresses:
            if address not in kept:
                kept[address] = next(free)
        self.numbers = kept

    def _load(self) -> dict[str, Any]:
        try:
            with open(self._path, "rb") as file:
                document = decode_quickly(file.read())
        except (OSError, FormatError):
            return {}
        is_ours = isinstance(document, dict) and document.get("version") == VERSION
        return document if is_ours and isinstance(document, dict) else {}
