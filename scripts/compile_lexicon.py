"""Compile `lexicon.sqlite`: `python scripts/compile_lexicon.py [TEXTS.jsonl | --learned]`.

Each line of the input is `{"name": "git commit", "text": "…"}`: words of a manual page or a completion script of
a well-known command. Only weighted stems are stored, at most `TERMS` a command. Without an input the stems of the
last run stay, and intents (from the knowledge pack) and synonyms (thesaurus.txt) are compiled anew. `--learned` adds to the
stems of the last run what the learned store of this machine says of the same commands: descriptions, options, commands below.
"""

from __future__ import annotations

import collections
import json
import math
import os
import re
import sqlite3
import sys
import typing
from array import array
from typing import TYPE_CHECKING, Any

from atip import Toolbox
from atip.search.lexicon import NEAR, PATH, shorter_keys
from atip.search.stems import stem
from atip.search.store.postings import FULL, K1, pack, unpack
from atip.search.store.wordings import wording_postings
from atip.search.text import STOP, phrase_key, terms_of, words_of
from atip.workflows.search.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from atip import Command, Tool

    Bags = dict[str, collections.Counter[str]]

SEARCH = os.path.dirname(PATH)
PACK = os.path.join(SEARCH, os.pardir, "knowledge", "pack")
TERMS = 200
SHARE = 0.6
"""Weight of a word of a manual, relative to a word of a summary."""
NORM = 1.5
INTENT = 1.8
"""Weight of a word of a phrase that means the command …"""
SINGLE = 0.05
"""… which counts less the more of its phrases lack it: by a third where one in ten has it …"""
TEXT = 0.8
"""… of a word of its summary …"""
BELOW = 0.3
"""… and of a word of a phrase that means a command below it: that command is the better answer."""
LEAST = 6
"""Impacts below this are not worth their bytes."""
THIN = 30
"""What the learned store says of a command counts in full where the lexicon has at most so many stems of it …"""
ADDED = 0.5
"""… and otherwise this much."""
WORDS = 8
"""A shorter text is no more than a summary."""
_VERSIONED = re.compile(r"(?<=[\w+])[-0-9.]*[0-9](?= |$)")
"""The version in `pip3.11 install`, `gcc-12`."""
_SCHEMA = """
CREATE TABLE size(commands INTEGER, last INTEGER);
CREATE TABLE name(name TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
CREATE TABLE main(id INTEGER PRIMARY KEY, tool TEXT);
CREATE TABLE heir(id INTEGER PRIMARY KEY, main INTEGER);
CREATE TABLE profile(term TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;
CREATE TABLE intent(term TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;
CREATE TABLE phrase(term TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;
CREATE TABLE wording(term TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;
CREATE TABLE meaning(wording INTEGER PRIMARY KEY, data BLOB);
CREATE TABLE synonym(term TEXT PRIMARY KEY, data TEXT) WITHOUT ROWID;
"""


def read_bags(lines: Iterable[str]) -> Bags:
    """Name → counts of stems; several lines of one name are added."""
    bags: Bags = {}
    for line in lines:
        record = json.loads(line)
        bag = bags.setdefault(record["name"], collections.Counter())
        for word in words_of(record["text"]):
            if word not in STOP and 2 <= len(word) <= 18 and not word.isdigit():
                bag[stem(word)] += 1
    return bags


def profiles(bags: Bags) -> dict[str, list[tuple[str, int]]]:
    """Name → the stems that set it apart, with impacts."""
    holding: collections.Counter[str] = collections.Counter()
    for bag in bags.values():
        holding.update(bag.keys())
    by_name = {}
    for name, bag in bags.items():
        norm = NORM * (0.25 + 0.75 * min(4.0, max(0.3, bag.total() / 1000)) ** 0.5)
        worth = {t: f / (f + norm) * math.log(1 + len(bags) / holding[t]) for t, f in bag.items()}
        best = sorted(worth, key=lambda t: (-worth[t], t))[:TERMS]
        impacts = ((t, int(FULL * SHARE * bag[t] / (bag[t] + norm))) for t in best)
        by_name[name] = [(t, i) for t, i in impacts if i >= LEAST]
    return by_name


class Meaning(typing.NamedTuple):
    """Entry of the knowledge pack for one command line."""

    line: str
    aliases: list[str]
    phrases: list[str]
    summary: str
    below: Sequence[str] = ()
    """Phrases that mean commands below it."""
    heir_of: str = ""
    """The command whose phrases it gets where that one is not installed."""


def intents() -> Iterator[Meaning]:
    """Every command of the knowledge pack."""
    for file in sorted(os.listdir(PACK)):
        if file == "aliases.json":
            continue
        with open(os.path.join(PACK, file), encoding="utf-8") as opened:
            node = json.load(opened)
        phrases_of, summary = node.get("intents") or {}, node.get("summary", "")
        alone = sorted(path[1:] for path in phrases_of if path[:1] == "@")
        aliases = [alias for alias in node.get("aliases", ()) if alias not in alone]
        below = [
            phrase
            for path, found in phrases_of.items()
            if path[:1] not in ("", "@")
            for phrase in found
        ]
        yield Meaning(node["name"], aliases, phrases_of.get("", []), summary, below)
        for name in alone:
            yield Meaning(name, [], phrases_of[f"@{name}"], summary, heir_of=node["name"])
        commands = dict(_commands(node, ()))
        # a pattern (`list-*`) stands for commands that the pack does not name, but whose phrases it has
        unnamed = (tuple(path.split()) for path in phrases_of if path[:1] not in ("", "@", "*"))
        for path in dict.fromkeys((*commands, *unnamed)):
            others = [" ".join((alias, *path)) for alias in aliases]
            phrases = phrases_of.get(" ".join(path), [])
            line = " ".join((node["name"], *path))
            yield Meaning(line, others, phrases, commands.get(path, {}).get("summary", ""))


def _commands(
    node: dict[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    for name, command in (node.get("commands") or {}).items():
        yield (*path, name), command
        yield from _commands(command, (*path, name))


def synonyms(lines: Iterable[str]) -> dict[str, dict[str, int]]:
    """Stem → near stems with closeness in percent: 100 to the head of a line, 50 within it."""
    near: dict[str, dict[str, int]] = collections.defaultdict(dict)
    for line in lines:
        if line.startswith("#") or ":" not in line:
            continue
        stems = list(dict.fromkeys(stem(word) for word in line.partition(":")[2].split()))
        for one in stems:
            for other in stems:
                if one != other:
                    close = 100 if stems[0] in (one, other) else 50
                    near[one][other] = max(near[one].get(other, 0), close)
    return near


def learned_bags(lines: Collection[str]) -> Bags:
    """Stems of these commands in the learned store of this machine, of tools with commands."""
    box = Toolbox()
    bags: Bags = {}
    with Sources(box.host).index() as index:
        sizes = index.storage.sizes({*index.storage.stamps()})
    for name in sorted({line.partition(" ")[0] for line in lines}):
        if sizes.get(name, 0) < 3:
            continue
        tool = box.get(name)
        for path, command in (((), tool), *tool.walk()):
            line, text = " ".join((name, *path)), _text_of(command)
            if line in lines and len(text.split()) >= WORDS:
                bags.update(read_bags([json.dumps({"name": line, "text": text})]))
    return bags


def _text_of(command: Tool | Command) -> str:
    parts = [command.description]
    for option in command.options or ():
        parts += [*(option.flags or ()), option.description]
    for name, below in (command.commands or {}).items():
        parts += [name, below.description]
    return " ".join(filter(None, parts))


def add(profile: dict[str, list[int]], numbers: dict[str, int], more: Bags) -> None:
    """Raise the impacts of commands that have a number to what further texts say."""
    stems = collections.Counter(entry >> 8 for found in profile.values() for entry in found)
    for name, found in sorted(profiles(more).items()):
        number = numbers[name]
        share = 1.0 if stems[number] <= THIN else ADDED
        for term, impact in found:
            entries = profile.setdefault(term, [])
            old = next((entry for entry in entries if entry >> 8 == number), number << 8)
            new = number << 8 | int(impact * share)
            if new > old and new & FULL >= LEAST:
                profile[term] = sorted({*entries, new} - {old})


def compile_lexicon(path: str, bags: Bags | None, *, is_learned: bool = False) -> None:
    """Write the whole file; without `bags` the profiles of the old file stay."""
    names: dict[str, int] = {}
    numbers: dict[str, int] = {}
    profile: dict[str, list[int]] = collections.defaultdict(list)
    if bags is None:
        numbers, profile = _old(path)
        numbers = _told_apart(numbers, profile)
        if is_learned:
            add(profile, numbers, learned_bags(numbers.keys()))
        profiled = {entry >> 8 for found in profile.values() for entry in found}
        names = {name: number for name, number in numbers.items() if number in profiled}
    else:
        for name, found in sorted(profiles(bags).items()):
            number = names.setdefault(name, len(names))
            for term, impact in found:
                profile[term].append(number << 8 | impact)
    strong, phrases_by_key = _strong(names, numbers)
    wordings = _wordings(names)
    mains, heirs = _families(names)
    new = f"{path}.new"
    if os.path.exists(new):
        os.unlink(new)
    with sqlite3.connect(new) as db:
        db.executescript(f"PRAGMA page_size = 4096;{_SCHEMA}")
        profiled = {entry >> 8 for found in profile.values() for entry in found}
        db.execute(
            "INSERT INTO size VALUES (?, ?)", (len(profiled), max(names.values(), default=0))
        )
        db.executemany("INSERT INTO name VALUES (?, ?)", sorted(names.items()))
        db.executemany("INSERT INTO main VALUES (?, ?)", sorted(mains.items()))
        db.executemany("INSERT INTO heir VALUES (?, ?)", sorted(heirs.items()))
        db.executemany("INSERT INTO profile VALUES (?, ?)", _rows(profile))
        db.executemany("INSERT INTO intent VALUES (?, ?)", _rows(strong))
        db.executemany("INSERT INTO phrase VALUES (?, ?)", _rows(phrases_by_key))
        db.executemany("INSERT INTO wording VALUES (?, ?)", _rows(wording_postings([*wordings])))
        db.executemany(
            "INSERT INTO meaning VALUES (?, ?)",
            ((at, pack(array("I", sorted(found)))) for at, found in enumerate(wordings.values())),
        )
        with open(os.path.join(SEARCH, "thesaurus.txt"), encoding="utf-8") as lines:
            near = synonyms(lines)
        rows = (
            (t, " ".join(f"{o} {c}" for o, c in sorted(n.items()))) for t, n in sorted(near.items())
        )
        db.executemany("INSERT INTO synonym VALUES (?, ?)", rows)
    db.execute("VACUUM")
    db.close()
    os.replace(new, path)


def _old(path: str) -> tuple[dict[str, int], dict[str, list[int]]]:
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    profile = {
        term: list(unpack(data)) for term, data in db.execute("SELECT term, data FROM profile")
    }
    numbers = dict(db.execute("SELECT name, id FROM name ORDER BY id"))
    db.close()
    return numbers, profile


def _told_apart(numbers: dict[str, int], profile: dict[str, list[int]]) -> dict[str, int]:
    """Numbers without the names that shared one when the pack described them together and no longer does. The stems of the
    number come from one manual: that of the name which they mention most."""
    mains = {one.line: one.line for one in intents()}
    plain = {one.line: one.heir_of or one.line for one in intents()}
    for one in intents():
        for alias in one.aliases:
            mains.setdefault(alias, one.line)
    sharing: dict[int, list[str]] = collections.defaultdict(list)
    for name, number in numbers.items():
        sharing[number].append(name)
    apart: set[str] = set()
    for number, names in sharing.items():
        found = {
            name: mains.get(name, name) if name == bare else plain.get(bare, mains.get(name, name))
            for name in names
            for bare in [_VERSIONED.sub("", name)]
        }
        if len(set(found.values())) > 1:
            keeper = found[max(sorted(names), key=lambda name: _mentioned(name, number, profile))]
            apart.update(name for name, main in found.items() if main != keeper)
    return {name: number for name, number in numbers.items() if name not in apart}


def _mentioned(name: str, number: int, profile: dict[str, list[int]]) -> int:
    entries = (entry for term in terms_of(name) for entry in profile.get(term, ()))
    return max((entry & FULL for entry in entries if entry >> 8 == number), default=0)


def _strong(
    names: dict[str, int], numbers: dict[str, int]
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Packed entries of intents by term, and numbers by whole phrase. Names get the number of the last run, with which indexes
    were built, or a new one."""
    strong: dict[str, set[int]] = collections.defaultdict(set)
    phrases_by_key: dict[str, set[int]] = collections.defaultdict(set)
    used = set(names.values())
    last = max((*used, *numbers.values()), default=-1)
    for one in intents():
        if not any((*one.phrases, *one.below, one.summary)):
            continue
        if one.line not in names:
            own = numbers.get(one.line, -1)
            if own < 0 or own in used:
                own = last = last + 1
            names[one.line] = own
            used.add(own)
        own = names[one.line]
        for alias in one.aliases:
            names.setdefault(alias, own)
        for term, impact in _impacts(one).items():
            strong[term].add(own << 8 | impact)
        for phrase in one.phrases:
            key = phrase_key(phrase)
            phrases_by_key[key].add(own)
            for shorter in shorter_keys(key):
                phrases_by_key[NEAR + shorter].add(own)
    return _sorted(strong), _sorted(phrases_by_key)


def _families(names: dict[str, int]) -> tuple[dict[int, str], dict[int, int]]:
    """Of numbers that several names share, the tool with the main one; and of names with a number of their own, the number of
    the main name."""
    mains: dict[int, str] = {}
    heirs: dict[int, int] = {}
    for one in intents():
        if one.line not in names:
            continue
        own = names[one.line]
        for alias in one.aliases:
            if names.get(alias) == own:
                mains[own] = one.line.partition(" ")[0]
            elif alias in names:
                heirs.setdefault(names[alias], own)
        if one.heir_of in names and names[one.heir_of] != own:
            heirs[own] = names[one.heir_of]
    return mains, heirs


def _wordings(names: dict[str, int]) -> dict[frozenset[str], set[int]]:
    """Bags of words of the phrases, each with the numbers of the commands that they mean."""
    found: dict[frozenset[str], set[int]] = collections.defaultdict(set)
    for one in intents():
        for phrase in one.phrases:
            if bag := frozenset(terms_of(phrase)):
                found[bag].add(names[one.line])
    return found


def _impacts(one: Meaning) -> dict[str, int]:
    impacts: dict[str, int] = {}
    # the stronger last
    for weight, found in ((BELOW, one.below), (TEXT, [one.summary])):
        impacts.update(
            dict.fromkeys((t for text in found for t in terms_of(text)), _impact(weight))
        )
    holding = collections.Counter(t for phrase in one.phrases for t in {*terms_of(phrase)})
    for term, phrases in holding.items():
        weight = INTENT * phrases / (phrases + SINGLE * len(one.phrases))
        impacts[term] = max(impacts.get(term, 0), _impact(weight))
    return impacts


def _impact(weight: float) -> int:
    return int(FULL * weight / (weight + K1))


def _sorted(found: dict[str, set[int]]) -> dict[str, list[int]]:
    return {key: sorted(entries) for key, entries in found.items() if key}


def _rows(found: dict[str, list[int]]) -> Iterator[tuple[str, object]]:
    return ((term, pack(array("I", found[term]))) for term in sorted(found))


def main(argv: list[str]) -> int:
    bags = None
    is_learned = argv == ["--learned"]
    if argv and not is_learned:
        with open(argv[0], encoding="utf-8") as lines:
            bags = read_bags(lines)
    compile_lexicon(PATH, bags, is_learned=is_learned)
    sys.stdout.write(f"{PATH}: {os.path.getsize(PATH):,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
