"""Anchor: how long the audit is and how it ends, kept in a second place.

A chain shows every change but a cut at its end. So the number of records and the last hash stand in a file of their own, in another
folder, which no confined program can reach either. A chain that does not match its anchor was truncated, replaced or
deleted; that stays written here when the chain goes on. A head that was noted elsewhere is checked in the same way.
"""

from __future__ import annotations

from atip.errors import AtipError, NotFoundError, UsageError
from atip.model.reading.plain_json import dumps, loads
from atip.model.value import Value
from atip.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_BYTES = 1_000_000
MAX_LOST = 100
_DIGITS, _HEX = "0123456789", "0123456789abcdef"


class Head(Value):
    """A chain up to here."""

    records: int
    last: str

    def to_text(self) -> str:
        """As a person notes it down."""
        return f"{self.records}:{self.last}"


class ChainAnchor(Value):
    """Content of the file."""

    head: Head
    lost: tuple[Head, ...] = ()
    """Heads of chains that were found cut or gone."""


def parse_head(text: str) -> Head:
    """
    Raises:
        UsageError: `audit.head`.
    """
    records, _, last = text.strip().partition(":")
    is_number = 0 < len(records) <= 15 and not records.strip(_DIGITS)
    if not is_number or len(last) != 64 or last.strip(_HEX):
        raise UsageError(
            "audit.head",
            f"`{text}` is not a head",
            hint="write RECORDS:HASH, as `atip audit verify` prints it",
        )
    return Head(records=int(records), last=last)


def read_anchor(path: str) -> ChainAnchor | None:
    """None: there is none.

    Raises:
        AtipError: `audit.anchor`, it cannot be read.
    """
    try:
        document = loads(files.read_bytes(path, MAX_BYTES).decode())
        return ChainAnchor(
            head=parse_head(document["head"]),
            lost=tuple(parse_head(each) for each in document["lost"]),
        )
    except NotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AtipError) as error:
        raise AtipError(
            "audit.anchor",
            f"`{path}` cannot be read",
            hint="the end of the audit can no longer be proven; delete the file to start over",
        ) from error


def move_anchor(path: str, previous: str, last: str, hashes: Iterable[str]) -> None:
    """Follow the chain by one record.

    Args:
        previous: hash of the record before the new one.
        hashes: of the whole chain with the new record; looked at only where the anchor does not fit.
    """
    anchor = read_anchor(path)
    if anchor is not None and anchor.head.last == previous:
        head, lost = Head(records=anchor.head.records + 1, last=last), anchor.lost
    else:
        chain = tuple(hashes)
        head, lost = Head(records=len(chain), last=last), anchor.lost if anchor else ()
        # A writer that was killed between record and anchor left the chain ahead; else something is gone.
        if anchor is not None and not holds(anchor.head, chain):
            lost = (*lost, anchor.head)[-MAX_LOST:]
    document = {"head": head.to_text(), "lost": [each.to_text() for each in lost]}
    # Not durable: after a power failure the chain may be ahead of its anchor, never behind it.
    files.write_atomic(path, dumps(document).encode(), durable=False)


def holds(head: Head, chain: tuple[str, ...]) -> bool:
    """Whether a chain was as long and ended so at some time."""
    return head.records == 0 or (
        head.records <= len(chain) and chain[head.records - 1] == head.last
    )
