"""Fit the weights of `atip.search.reranking` on public requests, and measure them on tools that the fit has not seen.

    PYTHONPATH=. python scripts/fit_search.py CATALOGUE.json.gz REQUESTS.jsonl.gz [--everyday FILE.tsv …]
    PYTHONPATH=. python scripts/fit_search.py CATALOGUE.json.gz REQUESTS.jsonl.gz --product

Prints hit@1 and hit@5 of each track before and after, held out (four folds by tool), then the weights of all
requests for the table `WEIGHTS`: over all tools, and within one. Requests that name their tool count three times: they are few
here, and frequent in use. Everyday requests, on the learned store of this machine, take part in each fit over all tools, once with
curated phrases and once without. A conditional logit: the chance of a command among the first hits is the
softmax of its weighted features; each step follows the gradient of one request (Adagrad). `--product` fits nothing and
measures the search as it is.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import hashlib
import json
import math
import random
import typing

from atip import Toolbox
from atip.search.index import SearchIndex
from atip.search.reranking import WEIGHTS
from atip.workflows.search.sources import Sources
from benchmarks.adapters.intents import tools_of

FOLDS = 4
PASSES = 4
STEP = 0.15
DECAY = 1e-5
COUNTS = {"blind_named": 3.0}
"""What a request of a track counts in the fit, where not 1."""
CHOSEN = "similar"
"""Weight that is not fitted: the others are fitted beside it, and it is put back to that of the product."""
NEVER_HELD = -1
"""Fold of everyday requests: they are never held out."""

if typing.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.search.reranking import FirstHit, SearchRequest

    Vector = list[float]


class Sample(typing.NamedTuple):
    """One request: its features, and which of the hits are right."""

    track: str
    fold: int
    rows: list[Vector]
    right: list[bool]
    is_final: bool
    """A curated intent that is the request itself has no second pass: the rows are the places of the first."""


class Recorder(SearchIndex):
    """Keeps the features of the first hits, which stay in their order."""

    def __init__(self, path: str = ":memory:") -> None:
        super().__init__(path)
        self.rows: list[Vector] = []

    def _order(self, request: SearchRequest, candidates: Sequence[FirstHit]) -> list[int]:
        self.rows = [list(request.features(one)) for one in candidates]
        return list(range(len(candidates)))


def samples(catalogue: list[dict[str, str]], requests: list[dict[str, typing.Any]]) -> list[Sample]:
    index = Recorder()
    index.put(tools_of(catalogue))
    asked = {row["command"] for row in catalogue}
    made = []
    for one in requests:
        index.rows = []
        hits = index.search(one["query"], tool=one["tool"], limit=30)
        by_tool = one["track"].startswith("nl2bash")
        gold = {line.split()[0] if by_tool else line for line in one["gold"]}
        rows = index.rows or [[-float(at), *[0.0] * (len(WEIGHTS) - 1)] for at in range(len(hits))]
        kept = [(hit.line, row) for hit, row in zip(hits, rows, strict=False) if hit.line in asked]
        right = [(line.split()[0] if by_tool else line) in gold for line, _ in kept]
        name = min(one["gold"]).split()[0]
        fold = hashlib.sha256(name.encode()).digest()[0] % FOLDS
        sample = Sample(one["track"], fold, [row for _, row in kept], right, not index.rows)
        made.append(sample)
    return made


def everyday_samples(files: list[str], *, with_phrases: bool) -> list[Sample]:
    """Requests of which an answer is installed, on the learned store of this machine."""
    with Sources(Toolbox().host).index() as current:
        path, installed = current.storage.path, current.storage.stamps()
    index, made = Recorder(path), []
    if not with_phrases:
        index.lexicon.wordings = 0
        index.lexicon.saying_any = lambda _: set()  # type: ignore[method-assign]
    for words, answers in (row for file in files for row in _rows(file)):
        if not any(answer[0] in installed for answer in answers):
            continue
        index.rows = []
        lines = [hit.line.split() for hit in index.search(words, limit=30)]
        right = [any(line[: len(a)] == a for a in answers) for line in lines[: len(index.rows)]]
        made.append(Sample("everyday", NEVER_HELD, index.rows, right, not index.rows))
    index.close()
    return made


def _rows(file: str) -> Iterator[tuple[str, list[list[str]]]]:
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            words, _, told = line.strip().partition("\t")
            yield words, [one.split() for one in told.split("|")]


def product(catalogue: list[dict[str, str]], requests: list[dict[str, typing.Any]]) -> None:
    """Print hit@1 and hit@5 of each track for the search as it is."""
    index = SearchIndex()
    index.put(tools_of(catalogue))
    asked = {row["command"] for row in catalogue}
    places: dict[str, list[int]] = collections.defaultdict(list)
    for one in requests:
        by_tool = one["track"].startswith("nl2bash")
        gold = {line.split()[0] if by_tool else line for line in one["gold"]}
        hits = index.search(one["query"], tool=one["tool"], limit=30)
        lines = [hit.line for hit in hits if hit.line in asked]
        found = ((line.split()[0] if by_tool else line) in gold for line in lines)
        places[one["track"]].append(
            next((at for at, is_right in enumerate(found) if is_right), 999)
        )
    for track, at in places.items():
        first, five = (sum(place < top for place in at) / len(at) for top in (1, 5))
        print(f"{track}: {len(at):,} requests, hit@1 {first:.4f}, hit@5 {five:.4f}", flush=True)


def fit(chosen: list[Sample], seed: int = 7) -> Vector:
    """Weights, that of the score of the first pass being 1."""
    useful = [one for one in chosen if any(one.right) and not (one.is_final or all(one.right))]
    scale = _spread(useful)
    weights = [10 * scale[0], *[0.0] * (len(scale) - 1)]
    squares = [1e-3] * len(scale)
    chance = random.Random(seed)
    for number in range(PASSES):
        chance.shuffle(useful)
        for one in useful:
            slope = _slope(one, [w / s for w, s in zip(weights, scale, strict=True)])
            for place, value in enumerate(slope):
                counts = COUNTS.get(one.track, 1.0)
                step = counts * value / scale[place] + DECAY * weights[place]
                squares[place] += step * step
                weights[place] -= STEP / (1 + number) * step / math.sqrt(squares[place])
    plain = [w / s for w, s in zip(weights, scale, strict=True)]
    by_name = {name: value / plain[0] for name, value in zip(WEIGHTS, plain, strict=True)}
    by_name[CHOSEN] = WEIGHTS[CHOSEN][0]
    return [*by_name.values()]


def _spread(chosen: list[Sample]) -> Vector:
    columns = list(zip(*(row for one in chosen for row in one.rows), strict=True))
    return [_deviation(column) or 1.0 for column in columns]


def _deviation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def _slope(one: Sample, weights: Vector) -> Vector:
    values = [_value(row, weights) for row in one.rows]
    top = max(values)
    chances = [math.exp(value - top) for value in values]
    whole = sum(chances)
    good = sum(c for c, is_right in zip(chances, one.right, strict=True) if is_right)
    shares = [
        c / whole - (c / good if good and is_right else 0.0)
        for c, is_right in zip(chances, one.right, strict=True)
    ]
    return [
        sum(s * value for s, value in zip(shares, column, strict=True))
        for column in zip(*one.rows, strict=True)
    ]


def _value(row: Vector, weights: Vector) -> float:
    return sum(map(float.__mul__, row, weights))


def place(one: Sample, weights: Vector) -> int:
    """Of the first right hit; large where there is none."""
    values = [row[0] if one.is_final else _value(row, weights) for row in one.rows]
    order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    return next((at for at, number in enumerate(order) if one.right[number]), 999)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("catalogue")
    parser.add_argument("requests")
    parser.add_argument("--every", type=int, default=1, help="only every n-th request")
    parser.add_argument(
        "--everyday", nargs="+", default=[], metavar="FILE", help="fit on these too"
    )
    parser.add_argument("--product", action="store_true", help="measure the weights as they are")
    options = parser.parse_args()
    with gzip.open(options.catalogue, "rt") as file:
        catalogue = json.load(file)
    with gzip.open(options.requests, "rt") as file:
        requests = [json.loads(line) for line in file]
    if options.product:
        product(catalogue, requests[:: options.every])
        return
    made = samples(catalogue, requests[:: options.every])
    for with_phrases in (True, False):
        made += everyday_samples(options.everyday, with_phrases=with_phrases)
    for is_within in (False, True):
        report([one for one in made if (one.track == "in_tool") == is_within])


def report(made: list[Sample]) -> None:
    before = [1.0, *[0.0] * (len(WEIGHTS) - 1)]
    places: dict[str, list[tuple[int, int]]] = collections.defaultdict(list)
    for fold in range(FOLDS):
        weights = fit([one for one in made if one.fold != fold])
        for one in made:
            if one.fold == fold:
                places[one.track].append((place(one, before), place(one, weights)))
    for track, pairs in places.items():
        told = [sum(p[k] < top for p in pairs) / len(pairs) for top in (1, 5) for k in (0, 1)]
        line = "{}: hit@1 {:.4f} -> {:.4f}, hit@5 {:.4f} -> {:.4f}".format(track, *told)
        print(line, flush=True)
    for feature, weight in zip(WEIGHTS, fit(made), strict=True):
        print(f"{feature}: {weight:.2f}", flush=True)


if __name__ == "__main__":
    main()
