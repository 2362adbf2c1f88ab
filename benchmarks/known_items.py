"""Known items: queries as people type them into a search box for one paper that they know; ten kinds, by rule.

    python benchmarks/known_items.py [bm25 dense before default …] [--sealed] [--library FOLDER]

Each query is made of one paper of a library (of arXiv's astronomy, the neuroscience corpus and PLOS; made under
`.bench/known_items` the first time) and is answered by that paper, or by another of which the same holds. Printed is
the mean reciprocal rank among the first ten. By a hash of kind and paper a third of the queries is sealed: nothing was
tuned on it, and it is asked with `--sealed` only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
import tarfile
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import corpora
import numpy as np
from results import Figure, store_figures

from conspectus import Library, Paper
from conspectus.lexicon import STOP_WORDS

FOLDER = corpora.WORK / "known_items"
ASTRO, PLOS = 2500, 38
"""Abstracts, and full texts, that are taken."""
EACH = 240
"""Queries of a kind, the sealed among them."""
K = 10
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "bm25": {"search.dense_weight": 0.0, "search.rerank": 0, "search.spelling": False},
    "dense": {"search.dense_weight": 1.0, "search.rerank": 0, "search.spelling": False},
    "before": {"search.dense_weight": 0.7, "search.rerank_weight": 0.3, "search.spelling": False},
    "default": {},
}
"""Words alone, vectors alone, the weights of questions for all, and what a search is without settings."""

_WORD = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]{3,})*")
_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]{1,5}\b")
_AMOUNT = re.compile(
    r"(?<![\w.-])\d+(?:\.\d+)? ?(?:%|mg|kg|ms|min|Hz|kHz|MHz|GHz|THz|nm|mm|cm|km|eV|keV|MeV|GeV|TeV|pc|kpc|Mpc|AU|Gyr|"
    r"Myr|years?|patients|participants|subjects|K|T|days?|weeks?|hours?|degrees|arcsec|Jy|mJy|mV|μm|µm|mM|μM)\b"
    r"|\b[A-Z][a-z]? (?:I{1,3}|IV|V|VI{0,3})\b|\b(?:[A-Z][a-z]?\d+){1,4}[A-Z]?[a-z]?\b"
)
_OBJECT = re.compile(
    r"\b(?:NGC|IC|UGC|HD|HIP|GJ|M|PSR|PKS|SN|GRB|GW|Mrk|Abell|Kepler|WASP|HAT-P|TOI|SDSS|3C|KIC|Arp|TRAPPIST)[ -]?"
    r"[BJ]?\d{1,7}[\w.+-]*\w\b|\b[A-Z]{2,6}-?\d{1,3}[A-Z]{0,2}\b|\b5-HT\w*\b|\b[A-Z]\d{1,3}[a-z]\b"
)


@dataclass(frozen=True, slots=True)
class Item:
    """A query, and the papers any of which it looks for, by id."""

    kind: str
    query: str
    papers: frozenset[str]
    sealed: bool


@dataclass(frozen=True, slots=True)
class Known:
    """A paper with what queries are made of, and the words of all papers.

    Attributes:
        words: words of the abstract that carry meaning, in its order, each once.
        having: word or name, in small letters -> the papers with it anywhere.
        dated: (first author's surname, year) -> papers.
    """

    paper: Paper
    words: Sequence[str]
    title: Sequence[str]
    having: dict[str, set[str]]
    dated: dict[tuple[str, int | None], set[str]]

    def rare(self, most: int) -> list[str]:
        """Words of the abstract that at most so many papers have."""
        return [word for word in self.words if 1 <= len(self.having[word.lower()]) <= most]


def six_words(one: Known, draw: random.Random) -> str:
    """Six words of the abstract, in its order."""
    return " ".join(one.words[at] for at in sorted(draw.sample(range(len(one.words)), 6)))


def two_rare(one: Known, draw: random.Random) -> str:
    return " ".join(draw.sample(one.rare(10), 2))


def one_rare(one: Known, draw: random.Random) -> str:
    return draw.choice(one.rare(2))


def title_words(one: Known, draw: random.Random) -> str:
    count = min(draw.choice((3, 4, 5)), len(one.title))
    return " ".join(one.title[at] for at in sorted(draw.sample(range(len(one.title)), count)))


def author_title(one: Known, draw: random.Random) -> str:
    return f"{_surname(one.paper)} {' '.join(draw.sample(one.title, 2))}"


def author_year(one: Known, draw: random.Random) -> str:
    name, year = _surname(one.paper), one.paper.year
    return draw.choice((f"{name} {year}", f"{name} {year}", f"{name} et al. {year}", f"{name} ({year})"))


def acronym(one: Known, draw: random.Random) -> str:
    return f"{_rare_match(_ACRONYM, one, 20, draw)} {draw.choice(one.title)}"


def amount(one: Known, draw: random.Random) -> str:
    return f"{draw.choice(_AMOUNT.findall(one.paper.abstract))} {' '.join(draw.sample(one.words, 2))}"


def name_or_id(one: Known, draw: random.Random) -> str:
    found = {kind: getattr(one.paper, kind, "") for kind in ("doi", "arxiv_id", "pmid")}
    if found["arxiv_id"] and draw.random() < 0.5:
        found["arxiv_id"] = f"arXiv:{found['arxiv_id']}"
    ids = [name for name in found.values() if name]
    try:
        names = [_rare_match(_OBJECT, one, 3, draw)]
    except IndexError:
        names = []
    return draw.choice(names or ids)


def misspelt(one: Known, draw: random.Random) -> str:
    """Words of the title, one of them with a letter left out, doubled, changed or exchanged with the next."""
    words = title_words(one, draw).split()
    long = [at for at, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    at = draw.choice(long)
    word, place = words[at], draw.randrange(1, len(words[at]) - 1)
    a, b = word[place], word[place + 1]
    changes = (b, a + a + b, draw.choice("aeioustrn") + b, b + a)
    made = [word[:place] + changed + word[place + 2 :] for changed in changes]
    words[at] = draw.choice([form for form in made if form != word])
    return " ".join(words)


KINDS: dict[str, Callable[[Known, random.Random], str]] = {
    "six words of the abstract": six_words,
    "two rare words": two_rare,
    "single rare word": one_rare,
    "title words": title_words,
    "author and title words": author_title,
    "surname and year": author_year,
    "acronym and a word": acronym,
    "formula or amount": amount,
    "name or identifier": name_or_id,
    "misspelt": misspelt,
}


def items(library: Library) -> list[Item]:
    """All queries; the same for the same library."""
    known = _known(library)
    return [item for kind in KINDS for item in _of_kind(kind, known)]


def _of_kind(kind: str, known: Sequence[Known]) -> list[Item]:
    found: list[Item] = []
    for one in sorted(known, key=lambda one: _hash(kind, one.paper)):
        if len(found) == EACH:
            break
        draw = random.Random(_hash(kind, one.paper))
        try:
            query = KINDS[kind](one, draw)
        except (IndexError, ValueError):  # the paper has nothing of the kind
            continue
        small = draw.random() < 0.5 and kind not in ("name or identifier", "acronym and a word")
        query = query.lower() if small else query
        if answers := _answers(kind, one, query):
            found.append(Item(kind, query, frozenset(answers), _hash(kind, one.paper, "sealed") % 3 == 0))
    return found


def _answers(kind: str, one: Known, query: str) -> set[str]:
    """The papers that the query is answered by; none where it names too many."""
    own = {one.paper.id}
    if kind == "surname and year":
        same = one.dated[_surname(one.paper).lower(), one.paper.year]
        return same if len(same) <= 2 else set()
    if kind == "single rare word" or (kind == "name or identifier" and query.lower() in one.having):
        return one.having[query.lower()] | own
    if kind == "two rare words":
        return set.intersection(*(one.having[word.lower()] for word in query.split())) | own
    return own


def _known(library: Library) -> list[Known]:
    having: dict[str, set[str]] = defaultdict(set)
    dated: dict[tuple[str, int | None], set[str]] = defaultdict(set)
    papers = [paper for paper in library.papers() if paper.abstract and paper.title and paper.authors]
    for paper in papers:
        texts = [f"{paper.title} {paper.abstract}", *(passage.text for passage in library.passages(paper.id))]
        for text in texts:
            for pattern in (_WORD, _ACRONYM, _OBJECT, re.compile(r"[^\W_]+")):
                for word in pattern.findall(text):
                    having[word.lower()].add(paper.id)
        dated[_surname(paper).lower(), paper.year].add(paper.id)
    return [Known(paper, _content(paper.abstract), _content(paper.title), having, dated) for paper in papers]


def _content(text: str) -> list[str]:
    plain = re.sub(r"\$[^$]{0,80}\$|\\\w+", " ", text)
    return list({word.lower(): word for word in _WORD.findall(plain) if word.lower() not in STOP_WORDS}.values())


def _surname(paper: Paper) -> str:
    name = paper.authors[0].surname
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


def _rare_match(pattern: re.Pattern[str], one: Known, most: int, draw: random.Random) -> str:
    found = dict.fromkeys(pattern.findall(one.paper.abstract))
    return draw.choice([name for name in found if 1 <= len(one.having[name.lower()]) <= most])


def _hash(kind: str, paper: Paper, more: str = "") -> int:
    name = paper.external_id or paper.id
    return int(hashlib.sha256(f"{kind} {name} {more}".encode()).hexdigest()[:12], 16)


def made() -> Library:
    """The library, made unless it is there (about 10 minutes on 2 cores)."""
    folder, plos = FOLDER / "library", FOLDER / "plos"
    if folder.is_dir():
        return Library(folder)
    with tarfile.open(corpora.data_folder() / "jats_plos" / "plos_72.tar.xz") as archive:
        archive.extractall(plos, filter="data")
    library = Library(folder)
    library.add([corpora.write_lines(FOLDER / "records.jsonl", _records()), *sorted(plos.glob("*.xml"))[:PLOS]])
    return library


def _records() -> Iterator[dict[str, Any]]:
    data = corpora.data_folder()
    astro = [one for one in corpora.read_lines(next((data / "arxiv_astro").glob("*.jsonl.gz"))) if one.get("abstract")]
    for one in sorted(astro, key=lambda one: hashlib.sha256(one["id"].encode()).hexdigest())[:ASTRO]:
        yield {**corpora.plain(one), "arxiv_id": one["arxiv_id"], "id": f"astro:{one['id']}"}
    for name in ("abstracts", "fulltext"):
        for one in corpora.read_lines(data / "neuro_corpus" / f"{name}.jsonl.gz"):
            if one.get("abstract"):
                yield {**corpora.plain(one), "id": f"neuro:{one['id']}"}


def asked(folder: Path, settings: dict[str, Any], posed: Sequence[Item]) -> tuple[list[float], list[float]]:
    """For each query its reciprocal rank, and its milliseconds."""
    ranks, times = [], []
    with Library(folder, settings) as library:
        for item in posed:
            began = time.perf_counter()
            hits = library.search(item.query, k=K).hits
            times.append(1000 * (time.perf_counter() - began))
            ranks.append(next((1 / hit.rank for hit in hits if hit.paper.id in item.papers), 0.0))
    return ranks, times


def _some(posed: Sequence[Item], each: int) -> list[Item]:
    kinds = [[item for item in posed if item.kind == kind] for kind in KINDS]
    return [item for found in kinds for item in found[:each]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configurations", nargs="*", default=list(CONFIGURATIONS))
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--each", type=int, default=EACH, help="queries of each kind, at most")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--out", type=Path, help="write each query's reciprocal ranks here, as JSON")
    chosen = parser.parse_args()
    with Library(chosen.library) if chosen.library else made() as library:
        folder, everything = library.folder, items(library)
        papers = library.status().counts["papers"]
    posed = _some([item for item in everything if item.sealed == chosen.sealed], chosen.each)
    part = "sealed" if chosen.sealed else "development"
    print(f"{papers} papers, {part} part, {len(posed)} queries: mean reciprocal rank among the first {K}")
    found = {name: asked(folder, CONFIGURATIONS[name], posed) for name in chosen.configurations}
    print(f"{'':28}{'queries':>8}" + "".join(f"{name:>10}" for name in found))
    for kind, count in Counter(item.kind for item in posed).items():
        rows = [row for row, item in enumerate(posed) if item.kind == kind]
        means = (np.mean([ranks[row] for row in rows]) for ranks, _ in found.values())
        print(f"{kind:28}{count:8}" + "".join(f"{mean:10.3f}" for mean in means))
    means = {name: f"{np.mean(ranks):.3f}" for name, (ranks, _) in found.items()}
    if chosen.sealed and {"default", "bm25", "dense"} <= means.keys():
        peers = f"BM25 {means['bm25']}, vectors {means['dense']}"
        command = f"python benchmarks/known_items.py --sealed --each {chosen.each}"
        figure = Figure(f"Ten kinds of typed queries, sealed part: MRR@{K}", means["default"], "", peers)
        store_figures("known_items", "retrieval", command, [figure])
    print(f"{'all':36}" + "".join(f"{np.mean(ranks):10.3f}" for ranks, _ in found.values()))
    for share in (50, 95):
        print(f"{f'p{share}, ms':36}" + "".join(f"{np.percentile(times, share):10.1f}" for _, times in found.values()))
    if chosen.out:
        rows_out = [
            {"kind": item.kind, "query": item.query, **{name: ranks[row] for name, (ranks, _) in found.items()}}
            for row, item in enumerate(posed)
        ]
        chosen.out.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows_out), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
