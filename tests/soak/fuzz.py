"""A small mutation fuzzer for readers: byte flips, splices, tokens that readers stumble over.

Interesting inputs (those that reach a new outcome) join the corpus while it runs; inputs that crashed
are written to conformance/fuzz and stay there as regression tests.
"""

from __future__ import annotations

import random
import time
import typing

if typing.TYPE_CHECKING:
    from collections.abc import Callable

TOKENS = [
    b'"', b"\\", b"\\u", b"\\ud800", b"{", b"}", b"[", b"]", b":", b",", b"null", b"true", b"NaN", b"-Infinity", b"1e999",
    b"0" * 30, b"-", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"- ", b"? ", b"&a", b"*a", b"<<: ", b"!!x ", b"|+\n",
    b">-\n", b"---\n", b"...\n", b"%YAML 1.2\n", b"\t", b"\r", b"\n", b"#", b"'", b"@", b"`", b'"atip"', b'"commands"', b'"effects"',
    b'"x-atip"', b'"flags"', b"[" * 70, b'{"a":' * 70,
]  # fmt: skip


def mutate(data: bytes, rng: random.Random, corpus: list[bytes]) -> bytes:
    """One changed copy, at most 20,000 bytes."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        place = rng.randrange(len(made) + 1)
        action = rng.randrange(6)
        if action == 0 and made:
            made[place % len(made)] ^= 1 << rng.randrange(8)
        elif action == 1:
            made[place:place] = rng.choice(TOKENS)
        elif action == 2:
            del made[place : place + rng.choice((1, 2, 8, 64))]
        elif action == 3:
            other = rng.choice(corpus)
            start = rng.randrange(len(other) + 1)
            made[place:place] = other[start : start + rng.randrange(64)]
        elif action == 4:
            made[place : place + 1] = bytes([rng.randrange(256)])
        else:
            end = min(len(made), place + rng.randrange(1, 64))
            made[place:place] = made[place:end] * rng.choice((1, 2, 20))
    return bytes(made[:20_000])


def fuzz(
    target: Callable[[bytes], str], seeds: list[bytes], *, seconds: float, seed: int = 0
) -> tuple[int, list[tuple[bytes, BaseException]]]:
    """(runs, crashes): `target` returns the outcome's name; any exception is a crash."""
    rng = random.Random(seed)
    corpus, outcomes, crashes = list(seeds), set(), []
    deadline, runs = time.monotonic() + seconds, 0
    while time.monotonic() < deadline and len(crashes) < 5:
        data = mutate(rng.choice(corpus), rng, corpus)
        runs += 1
        try:
            outcome = target(data)
        except BaseException as error:
            crashes.append((data, error))
            continue
        if outcome not in outcomes and len(corpus) < 2000:
            outcomes.add(outcome)
            corpus.append(data)
    return runs, crashes
