"""Main names: of several names of one program, the one that an answer shows, or shows first. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from atip.search.store.hits import SearchHit
    from atip.search.store.places import LexiconPlaces


def by_main_names(
    kinds: Iterable[SearchHit],
    hits: Iterable[SearchHit],
    documents: Mapping[tuple[str, tuple[str, ...]], int],
    places: LexiconPlaces,
    words: Collection[str],
) -> list[SearchHit]:
    """The hits of `kinds`, each under the main name of its program: with the `c` of `main.c` a request means `gcc`, not `c++`.

    Args:
        hits: all hits, among which the main name has to be with the same path and summary.
        documents: of all hits, by tool and path.
        words: of the request; a name that it says stays.
    """
    by_document = {documents[hit.tool, hit.path]: hit for hit in hits}
    shown = []
    for hit in kinds:
        number = places.numbers.get(documents[hit.tool, hit.path])
        main = None if number is None else by_document.get(places.documents[number])
        if main is None or hit.tool in words or _text(main) != _text(hit):
            shown.append(hit)
        else:
            shown.append(main.replace(score=hit.score))
    return shown


def mains_first(
    hits: Iterable[SearchHit],
    documents: Mapping[tuple[str, tuple[str, ...]], int],
    places: LexiconPlaces,
    words: Collection[str],
) -> list[SearchHit]:
    """The hits, the main name of a program before its other names (`ssh`, `slogin`) unless the request says one of these.
    The score belongs to the place."""
    ordered = list(hits)
    at = {documents[hit.tool, hit.path]: place for place, hit in enumerate(ordered)}
    for place, hit in enumerate(ordered):
        number = places.numbers.get(documents[hit.tool, hit.path])
        main = None if number is None else at.get(places.documents[number])
        if main is not None and main > place and hit.tool not in words:
            ahead, behind = ordered[place], ordered[main]
            ordered[place] = behind.replace(score=ahead.score)
            ordered[main] = ahead.replace(score=behind.score)
            at = {documents[one.tool, one.path]: p for p, one in enumerate(ordered)}
    return ordered


def _text(hit: SearchHit) -> tuple[tuple[str, ...], str]:
    return hit.path, hit.summary
