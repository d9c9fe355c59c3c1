"""References inside an API description: `$ref` by JSON Pointer, cycle-safe, never outside the document.

SECURITY: only `#/…` is followed. A reference to a file or an address could make us read or fetch what the author
of the document chooses (row 25); documents that are split over files are bundled by the caller, who
names the files it allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from atip.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_HOPS = 32


class ReferenceProblem(FormatError):
    """A reference that leads nowhere, in a circle, or outside."""


class Pointers(Mapping[str, "Any"]):
    """A document seen as a mapping from reference (`#/components/schemas/User`) to what stands there."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._known: dict[str, Any] = {}

    def __getitem__(self, reference: str) -> Any:
        found = self._known.get(reference, self)
        if found is self:
            found = self._known[reference] = _walk(self._document, reference)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def resolved(self, value: Any) -> Any:
        """What `value` stands for: itself, or the end of its chain of references.

        Raises:
            ReferenceProblem: `api.reference-outside`, `api.reference-missing`, `api.reference-circle`.
        """
        for _ in range(_MAX_HOPS):
            if not (isinstance(value, dict) and isinstance(value.get("$ref"), str)):
                return value
            value = self[value["$ref"]]
        raise ReferenceProblem("api.reference-circle", "a `$ref` leads back to itself")


def _walk(document: Mapping[str, Any], reference: str) -> Any:
    if not reference.startswith("#"):
        raise ReferenceProblem(
            "api.reference-outside",
            f"`$ref` leads outside the document: {reference[:120]}",
            hint="bundle the document into one file first",
        )
    here: Any = document
    for part in unquote(reference[1:]).split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict) and key in here:
            here = here[key]
        elif isinstance(here, list) and key.isdecimal() and int(key) < len(here):
            here = here[int(key)]
        else:
            raise ReferenceProblem(
                "api.reference-missing", f"`$ref` leads nowhere: {reference[:120]}"
            )
    return here
