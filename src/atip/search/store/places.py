"""Places: where the commands of the lexicon are in an index. Pure."""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class LexiconPlaces(Value):
    """Documents of the lexicon's commands in this index."""

    documents: Sequence[int] = ()
    """Number in the lexicon → document; 0 when the command is not here."""
    twins: Sequence[tuple[int, int]] = ()
    """(document, another document of the same number): one program under two names."""
    numbers: Mapping[int, int] = {}
    """Document → number in the lexicon."""


def find_places(
    known: Iterable[tuple[int, int]],
    last: int,
    mains: Callable[[Iterable[int]], Mapping[int, str]],
    heirs: Iterable[tuple[int, int]],
    span: Callable[[str], tuple[int, int] | None],
) -> LexiconPlaces:
    """Of several names of a command the main one stands for all; where it is not installed, its heirs do.

    Args:
        known: (number in the lexicon, document).
        last: the highest number of the lexicon; a higher one was written with another.
        mains: of numbers that several names share, the tool with the main one.
        heirs: (number, number of the main command).
        span: first and last document of a tool.
    """
    found: dict[int, list[int]] = {}
    for number, document in known:
        if number <= last:
            found.setdefault(number, []).append(document)
    several = [number for number, documents in found.items() if len(documents) > 1]
    for number, tool in mains(several).items():
        first, end = span(tool) or (0, -1)
        of_main = range(first, end + 1)
        row = found[number]
        found[number] = [*filter(of_main.__contains__, row), *(d for d in row if d not in of_main)]
    numbers = {document: number for number, row in found.items() for document in row}
    missing: dict[int, list[int]] = {}
    for number, main in heirs:
        if main not in found and number in found:
            missing.setdefault(main, []).extend(found[number])
    found.update(missing)
    documents = [0] * (last + 1)
    for number, row in found.items():
        documents[number] = row[0]
    twins = [(row[0], twin) for row in found.values() for twin in row[1:]]
    return LexiconPlaces(documents=documents, twins=twins, numbers=numbers)
