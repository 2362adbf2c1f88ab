"""How well words find figures: what a paper says of a figure, without its label, finds it by its caption.

    python benchmarks/figure_search.py [--library FOLDER]

The papers are the 72 of PLOS in `jats_plos`, whose sentences name the figures and tables that they speak of. Each such
sentence of one figure is asked without the words that name it; the caption alone ranks (`factors["caption"]`), for by
the passages that speak of it a figure would be found by its own question. Reciprocal ranks, within the paper and among
all; beside it BM25 of the captions alone (`search.dense_weight` 0, nothing re-ranked) in the same run.
"""

from __future__ import annotations

import argparse
import lzma
import random
import statistics
import tarfile
from collections.abc import Iterator
from pathlib import Path

import corpora

from conspectus import Library
from conspectus.records import Paper

LIMIT = 0.8
WAYS = {"as it is": {}, "BM25": {"search.dense_weight": 0.0, "search.rerank": 0, "search.by_query": False}}


def made(folder: Path) -> Path:
    """The library of the 72 papers."""
    with tarfile.open(fileobj=lzma.open(corpora.data_folder() / "jats_plos" / "plos_72.tar.xz")) as archive:
        archive.extractall(folder / "papers", filter="data")
    with Library(folder / "library") as library:
        library.add(folder / "papers")
    return folder / "library"


def asked(library: Library, paper: Paper) -> Iterator[tuple[str, str]]:
    """(figure, what a sentence says of it) of a paper's figures, for sentences that speak of one only."""
    parsed = library.parsed(paper.id)
    for figure in parsed.figures:
        for block, sentence in parsed.mentions(figure.key):
            marks = [one for one in block.marks if sentence.start <= one.start < sentence.end]
            if {target for one in marks if one.kind in ("figure", "table") for target in one.targets} != {figure.key}:
                continue
            text = "".join(
                " " if any(one.start <= at < one.end for one in marks) else block.text[at]
                for at in range(sentence.start, sentence.end)
            )
            if len(text.split()) >= 6:
                yield figure.key, text


def ranks(library: Library, paper: str, figure: str, words: str) -> tuple[float, float]:
    """The reciprocal ranks of a figure by its caption: within its paper, and among all."""
    hits = [hit for hit in library.figures(words, k=1000, plain=True).hits if hit.factors["caption"]]
    hits.sort(key=lambda hit: -hit.factors["caption"])
    names = [(hit.figure.paper.id, hit.figure.name) for hit in hits]
    own = [name for name in names if name[0] == paper]
    wanted = (paper, figure)
    return tuple(1 / (1 + group.index(wanted)) if wanted in group else 0.0 for group in (own, names))  # type: ignore[return-value]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--sentences", type=int, default=300)
    options = parser.parse_args()
    folder = options.library or corpora.WORK / "figure_search" / "library"
    if not folder.exists():
        folder = made(folder.parent)
    with Library(folder) as library:
        every = [(paper.id, *one) for paper in library.papers() for one in asked(library, paper)]
        figures = {(paper, figure) for paper, figure, _ in every}
    chosen = random.Random(0).sample(every, min(options.sentences, len(every)))
    print(f"{len(every):,} sentences of {len(figures)} figures and tables; {len(chosen)} are asked")
    for name, settings in WAYS.items():
        with Library(folder, settings) as library:
            found = [ranks(library, *one) for one in chosen]
        within, among = (statistics.mean(column) for column in zip(*found, strict=True))
        print(f"{name:<9} MRR within the paper {within:.3f} ({within / LIMIT:.2f} of the limit), among all {among:.3f}")


if __name__ == "__main__":
    main()
