"""Papers planted among search results: how many are found as outliers, and how many that belong there are called so.

    python benchmarks/outliers.py [scifact] [cranfield] [arxiv] [--k 10] [--at NAME=LIBRARY …]

Each set is the k best papers for a question (claims of `scifact`, queries of `cranfield`; for `arxiv` titles of papers
of `arxiv_scale` that the library does not have), in which one or two, by chance, are replaced by papers of the same
library that are not among the 300 nearest to the question; for `arxiv` also by papers of another archive (`another
field`). Half of the questions are for choosing gamma, the other half is held out.

A rate of false alarms counts every paper that the search found, also those that are in fact off the topic. The
libraries are made under `.bench/` the first time (5 minutes for `scifact`); `arxiv` is the library of `scale.py`
(100,000 abstracts), named with `--at`. Target, at k = 10: 80 % found at 5 % false alarms.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import corpora
import numpy as np

from conspectus import Library
from conspectus.papers.retriever import make_retriever
from conspectus.search.outliers import cut_off, distances_from_others, typical_distance
from conspectus.settings import SearchSettings
from conspectus.store import vectors
from conspectus.store.vectors import vectors_of

QUESTIONS = 300
NEAR = 300
FOUND, FALSE = 0.8, 0.05
GAMMAS = (-0.2, -0.1, -0.05, 0.0, 0.05, 0.1, 0.15)
CUTS: tuple[Literal["published", "midway"], ...] = ("published", "midway")
RELATED = {
    "astro-ph": "astro-ph gr-qc hep-ph physics hep-th nucl-th",
    "cond-mat": "cond-mat physics quant-ph nlin math-ph",
    "q-bio": "q-bio cond-mat nlin physics cs stat eess",
    "hep-th": "hep-th hep-ph gr-qc math-ph math quant-ph q-alg alg-geom hep-lat",
    "cs": "cs stat math eess cmp-lg q-bio",
    "stat": "stat math cs q-bio physics eess q-fin",
}
"""Archives whose titles are asked, with those that are not another field."""
Floats = Any


@dataclass(frozen=True)
class Case:
    """A set with planted papers: vectors [k, d], which are planted, and the question's vector."""

    vectors: Floats
    planted: Floats
    question: Floats


@dataclass(frozen=True)
class Corpus:
    library: Library
    papers: Floats
    vectors: Floats
    groups: Sequence[str]
    questions: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, library: Library, questions: Sequence[tuple[str, str]], group: Mapping[str, str]) -> Corpus:
        catalog, model = library.session.catalog, make_retriever(library.session).embedder.id
        first = vectors.first_passages(catalog, vectors.all_paper_keys(catalog).tolist())
        known = vectors_of(catalog, list(first.values()), model)
        keys = [paper for paper, passage in first.items() if passage in known]
        names = {catalog.paper_key(paper.id): paper.external_id for paper in library.papers()} if group else {}
        groups = [group.get(names.get(key, ""), "") for key in keys]
        return cls(library, np.array(keys), np.stack([known[first[key]] for key in keys]), groups, questions)

    def cases(self, k: int, *, field: bool) -> Iterator[Case]:
        """Sets with planted papers; those with fewer than k papers found are left out."""
        draw = np.random.default_rng(0)
        place = {int(key): row for row, key in enumerate(self.papers)}
        embedder = make_retriever(self.library.session).embedder
        for text, group in self.questions:
            hits = self.library.search(text, k).hits
            rows = [place.get(self.library.session.catalog.paper_key(hit.paper.id), -1) for hit in hits]
            if len(rows) < k or -1 in rows:
                continue
            question = embedder.embed_query(text).vector
            far = np.argsort(self.vectors @ question)[:-NEAR]
            if field:
                related = RELATED[group].split()
                far = np.array([row for row in draw.choice(far, 2000) if self.groups[row] not in (*related, "")])
            planted = np.zeros(k, bool)
            planted[draw.choice(k, draw.integers(1, 3), replace=False)] = True
            chosen = np.array(rows)
            chosen[planted] = draw.choice(np.setdiff1d(far, rows), planted.sum(), replace=False)
            yield Case(self.vectors[chosen], planted, question)


def rates(cases: Sequence[Case], d95: float, settings: SearchSettings) -> tuple[float, float]:
    """Which share of planted papers is found, and which share of the others is called an outlier."""
    called, planted = [], np.concatenate([case.planted for case in cases])
    for case in cases:
        far = distances_from_others(case.vectors)
        called.append(far > cut_off(d95, far.tolist(), settings))
    outlying = np.concatenate(called)
    return float(outlying[planted].mean()), float(outlying[~planted].mean())


def report(name: str, corpus: Corpus, k: int, *, field: bool) -> bool:
    """Print the rates of one kind of sets; whether the default reaches the target on those held out."""
    library = corpus.library
    settings, retriever = library.settings.search, make_retriever(library.session)
    began = time.perf_counter()
    d95 = typical_distance(library.session.catalog, library.session.index, retriever.embedder.id, k)
    took = time.perf_counter() - began
    assert d95 is not None
    found = list(corpus.cases(k, field=field))
    kind = "another field" if field else "another topic of the same library"
    print(f"\n{name}, {len(corpus.papers)} papers, k = {k}, {len(found)} sets, planted: {kind}; "
          f"D95 {d95:.3f} ({took:.1f} s)")  # fmt: skip
    halves = {"fit": found[::2], "held out": found[1::2]}
    letter = replace(settings, outlier_cut="published", outlier_gamma=0.1)
    for label, chosen in (("published, gamma 0.1", letter), ("default", settings)):
        cells = [f"{half}: found {hit:.3f}, false {false:.3f}"
                 for half, cases in halves.items() for hit, false in [rates(cases, d95, chosen)]]  # fmt: skip
        print(f"  {label:22} {'; '.join(cells)}")
    hit, false = rates(halves["held out"], d95, settings)
    return hit >= FOUND and false <= FALSE


def scifact() -> tuple[Path, Iterator[dict[str, Any]], list[str]]:
    claims = corpora.read_lines(corpora.data_folder() / "scifact" / "claims_train.jsonl")
    return corpora.WORK / "scifact", corpora.scifact_records(), [claim["claim"] for claim in claims]


def cranfield() -> tuple[Path, Iterator[dict[str, Any]], list[str]]:
    folder = corpora.data_folder() / "cranfield"
    records = ({"id": f"cranfield:{item['id']}", "title": item["title"], "abstract": item["abstract"]}
               for item in corpora.read_lines(folder / "corpus.jsonl.gz"))  # fmt: skip
    return corpora.WORK / "cranfield", records, [item["query"] for item in corpora.read_lines(folder / "queries.jsonl")]


def arxiv(library: Library) -> Corpus:
    """Titles of papers that the library does not have, a like number of each archive; and each paper's archive."""
    have = {paper.external_id: paper.title for paper in library.papers()}
    titles, archive, asked = set(have.values()), {}, {}
    data = corpora.data_folder()
    folders = (data / name for name in ("arxiv_astro", "arxiv_topics", "arxiv_cited_9394"))
    sources = [path for folder in folders for path in sorted(folder.glob("*.gz"))]
    sources.append(data / "arxiv_scale" / "arxiv_350k.jsonl.zst")
    for source in sources:
        for item in corpora.read_lines(source):
            name = str(item["id"]).removeprefix("arXiv:")
            category = item.get("primary_category") or item.get("categories") or ""
            main = (category if isinstance(category, str) else category[0]).split(".")[0].split(" ")[0]
            archive.setdefault(name, main)
            if name not in have and item["title"] not in titles and main in RELATED:
                asked.setdefault(main, []).append((item["title"], main))
    each = QUESTIONS // len(RELATED)
    chosen = [pair for group in sorted(asked) for pair in random.Random(0).sample(asked[group], each)]
    return Corpus.of(library, chosen, archive)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["scifact", "cranfield"])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--at", action="append", default=[], metavar="NAME=LIBRARY")
    chosen = parser.parse_args()
    at = {name: Path(folder) for name, _, folder in (pair.partition("=") for pair in chosen.at)}
    well = []
    for name in chosen.names:
        if name == "arxiv":
            with Library(at[name], create=False) as library:
                corpus = arxiv(library)
                well += [report(name, corpus, chosen.k, field=field) for field in (True, False)]
            continue
        folder, records, questions = {"scifact": scifact, "cranfield": cranfield}[name]()
        with Library(at.get(name, folder)) as library:
            if not library.counts()["papers"]:
                library.add(corpora.write_lines(corpora.WORK / f"{name}.jsonl", records))
            random.Random(0).shuffle(questions)
            corpus = Corpus.of(library, [(text, "") for text in questions[:QUESTIONS]], {})
            well.append(report(name, corpus, chosen.k, field=False))
    print("\ntarget reached" if all(well) else "\nTARGET NOT REACHED")
    return int(not all(well))


if __name__ == "__main__":
    sys.exit(main())
