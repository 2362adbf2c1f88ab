"""Are the pairs that `discover` suggests later said together? Judged by time, on papers with years.

    python benchmarks/discovery.py [choose | judge]

A network of the papers up to a year ranks all pairs of concepts that no sentence joins; right are those that a sentence
of a later paper joins. P@100 and AUC (ties count half), with 95 % intervals: 200 resamples of the concepts, for pairs
with a concept in common are not independent. Held against, in the same run: common neighbours, Adamic–Adar, chance, and
preferential attachment (the product of how many sentences speak of each), which is no reason to look anywhere but
predicts well. `choose` has the earlier slices, by which the score's form and half-life were chosen; `judge` the later
ones. Texts are linked by the vocabularies UAT (astronomy) and NIFSTD (neuroscience) as `link` does it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from corpora import WORK, data_folder, read_lines

from conspectus import Library
from conspectus.graph.discovery import MEASURES, PLAIN, Floats, Ints, Network, network_and_foresight
from conspectus.graph.mention_finder import finder_of
from conspectus.parse.text.sentences import split_sentences

CORPORA = {
    "arxiv_astro": ("uat/UAT.rdf.xz", ("arxiv_astro/astro_abstracts",)),
    "arxiv_topics": ("nifstd/nifstd_terms.jsonl.gz", ("arxiv_topics/qbio_nc_neuroscience",)),
    "neuro_corpus": ("nifstd/nifstd_terms.jsonl.gz", ("neuro_corpus/fulltext", "neuro_corpus/abstracts")),
    "arxiv_physics": ("uat/UAT.rdf.xz", ("arxiv_scale/arxiv_350k",)),
    "arxiv_life": ("nifstd/nifstd_terms.jsonl.gz", ("arxiv_scale/arxiv_350k",)),
}
ARCHIVES = {
    "arxiv_physics": "physics hep-th hep-ph hep-ex hep-lat gr-qc nucl-th nucl-ex quant-ph math-ph",
    "arxiv_life": "q-bio stat cs eess",
}
"""By what their first category begins with; without papers that astro-ph or q-bio.NC have, which the others hold."""
SLICES = {
    "choose": [
        ("arxiv_astro", 2004, 2007),
        ("arxiv_astro", 2007, 2010),
        ("arxiv_astro", 2010, 2013),
        ("arxiv_topics", 2007, 2010),
        ("arxiv_topics", 2010, 2013),
        ("neuro_corpus", 2014, 2016),
        ("neuro_corpus", 2017, 2019),
    ],
    "judge": [
        ("arxiv_astro", 2014, 2019),
        ("arxiv_astro", 2019, 2025),
        ("arxiv_topics", 2014, 2019),
        ("neuro_corpus", 2019, 2024),
        ("arxiv_physics", 2014, 2019),
        ("arxiv_life", 2014, 2019),
    ],
}
"""Corpus, the last year that is known, the last that is asked of."""
OURS, RESAMPLES, BEST = "discover", 200, 100


def texts(corpus: str) -> Iterator[tuple[int, list[str]]]:
    """The year of each paper, and its sentences."""
    for path in CORPORA[corpus][1]:
        (file,) = (data_folder() / path).parent.glob(f"{path.split('/')[1]}.jsonl.*")
        for paper in (one for one in read_lines(file) if counts(corpus, one)):
            parts = [paper["title"], paper.get("abstract") or "", *(paper.get("body") or "").split("\n\n")]
            yield paper["year"], [part[start:end] for part in parts for start, end in split_sentences(part)]


def counts(corpus: str, paper: dict[str, Any]) -> bool:
    """Whether a paper is of a corpus."""
    if corpus not in ARCHIVES:
        return True
    held = any(one.startswith(("astro-ph", "q-bio.NC")) for one in paper["categories"])
    return paper["primary_category"].split(".")[0] in ARCHIVES[corpus].split() and not held


def spoken(corpus: str) -> Ints:
    """(paper, sentence, concept, year) of all mentions, int64; linked once and kept."""
    if (kept := WORK / f"discovery_{corpus}.npy").exists():
        return np.asarray(np.load(kept))
    rows: list[tuple[int, int, int, int]] = []
    with tempfile.TemporaryDirectory() as folder, Library(folder) as library:
        library.vocabularies.add(data_folder() / CORPORA[corpus][0])
        linker = finder_of(library.session)
        for number, (year, sentences) in enumerate(texts(corpus)):
            for place, found in enumerate(linker.link(sentences)):
                rows += [(number, place, concept, year) for concept in {one.concept for one in found}]
    WORK.mkdir(exist_ok=True)
    np.save(kept, np.array(rows, np.int64))
    return np.array(rows, np.int64)


def said(rows: Ints) -> Any:
    """Mentions as a network takes them."""
    told = ((paper, str(place), concept) for paper, place, concept, _ in rows.tolist())
    return told, dict(rows[:, [0, 3]].tolist())


@dataclass(frozen=True)
class Slice:
    """Pairs of concepts that nothing joins up to a year, in compressed form.

    Attributes:
        first, second: the two concepts of each pair, int64 [pairs].
        right: whether a later sentence joins them, bool [pairs].
        scores: by the name of who ranks, each float64 [pairs].
        concepts: how many there are.
    """

    first: Ints
    second: Ints
    right: Any
    scores: dict[str, Floats]
    concepts: int


def joined(rows: Ints, concepts: Ints) -> Any:
    """Which pairs of concepts a sentence joins, bool [concepts, concepts]."""
    found, known = np.zeros((len(concepts), len(concepts)), bool), Network.of(*said(rows))
    place = {key: row for row, key in enumerate(concepts.tolist())}
    for row, key in enumerate(known.concepts.tolist()):
        if key in place:
            near = known.concepts[known.around(row)].tolist()
            found[place[key], [place[one] for one in near if one in place]] = True
    return found


def cut(rows: Ints, until: int, last: int) -> Slice:
    """The pairs of a slice with all scores of them."""
    began = perf_counter()
    before = rows[rows[:, 3] <= until]
    known, foresight = network_and_foresight(*said(before))
    made = perf_counter() - began
    size = len(known.concepts)
    ours, plain, beside = np.zeros((3, size, size))
    for row in range(size):
        worth = known.shared(row)[0]
        ours[row], plain[row] = (one.scores(known, row, worth) for one in (foresight, PLAIN))
        beside[row] = known.papers_beside(row)
    print(f"{len(before)} mentions, {len(known.near) // 2} joined pairs: {made:.1f} s, then", end=" ")
    print(f"{(perf_counter() - began - made) / size * 1000:.1f} ms a concept")
    told = ", ".join(f"{name} {weight:.3f}" for name, weight in zip(MEASURES, foresight.weights, strict=True))
    print(f"  learnt of {foresight.learnt} pairs that were joined: {told}")
    old = joined(before, known.concepts)
    near = old.astype(np.float64)
    often = np.bincount(np.searchsorted(known.concepts, before[:, 2]), minlength=size)
    every = {
        OURS: ours,
        "worth + spoken": plain,
        "common neighbours": near @ near,
        "Adamic–Adar": (near * known.rare) @ near,
        "papers beside": beside,
        "preferential": np.outer(often, often).astype(np.float64),
        "chance": np.random.default_rng(0).random((size, size)),
    }
    first, second = np.triu_indices(size, 1)
    apart = ~old[first, second]
    first, second = first[apart], second[apart]
    new = joined(rows[(rows[:, 3] > until) & (rows[:, 3] <= last)], known.concepts)
    scores = {name: found[first, second] for name, found in every.items()}
    return Slice(first, second, new[first, second], scores, size)


@dataclass(frozen=True)
class Ranked:
    """Pairs from the best to the worst; `ends`: where each group of equals ends."""

    order: Ints
    ends: Ints

    @classmethod
    def of(cls, scores: Floats) -> Ranked:
        """By their scores."""
        order = np.argsort(-scores, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(scores[order])) + 1, len(order))
        return cls(order, ends)

    def judged(self, right: Any, weights: Floats) -> tuple[float, float]:
        """P@100 and AUC; equals count as if in any order, a pair as often as its weight."""
        own = weights[self.order]
        hits = np.cumsum(own * right[self.order])[self.ends - 1]
        number = np.cumsum(own)[self.ends - 1]
        precision = float(np.interp(BEST, np.append(0, number), np.append(0, hits))) / BEST
        wrong = np.append(0, number - hits)
        area = np.sum(np.diff(wrong) * (np.append(0, hits)[:-1] + np.append(0, hits)[1:])) / 2
        return precision, float(area / (hits[-1] * wrong[-1]))


def resampled(one: Slice, ranked: dict[str, Ranked]) -> Floats:
    """P@100 and AUC of each who ranks, of concepts drawn again, float64 [resamples, rankers, 2]."""
    draw = np.random.default_rng(1)
    found = np.zeros((RESAMPLES, len(ranked), 2))
    for number in range(RESAMPLES):
        often = np.bincount(draw.integers(0, one.concepts, one.concepts), minlength=one.concepts)
        weights = (often[one.first] * often[one.second]).astype(np.float64)
        found[number] = [each.judged(one.right, weights) for each in ranked.values()]
    return found


def span(values: Floats) -> str:
    """A 95 % interval."""
    return "[{:+.3f}, {:+.3f}]".format(*np.quantile(values, (0.025, 0.975)))


def told(names: list[str], real: Floats, drawn: Floats) -> None:
    """A line for each who ranks, with what ours has more."""
    for row, name in enumerate(names):
        parts = [
            f"{what} {real[row, at]:.3f} {span(drawn[:, row, at])}"
            + (f" ours {real[0, at] - real[row, at]:+.3f} {span(drawn[:, 0, at] - drawn[:, row, at])}" if row else "")
            for at, what in enumerate(("P@100", "AUC"))
        ]
        print(f"  {name:18} {' | '.join(parts)}", flush=True)


def main(which: str) -> None:
    """Prints all slices of `choose` or `judge`, and their mean."""
    reals, draws = [], []
    for corpus, until, last in SLICES[which]:
        print(f"{corpus}, up to {until}, asked of {until + 1} to {last}:", end=" ")
        one = cut(spoken(corpus), until, last)
        print(f"  {len(one.right)} pairs of {one.concepts} concepts, {int(one.right.sum())} said later")
        ranked = {name: Ranked.of(scores) for name, scores in one.scores.items()}
        reals.append(np.array([each.judged(one.right, np.ones(len(one.right))) for each in ranked.values()]))
        draws.append(resampled(one, ranked))
        told(list(ranked), reals[-1], draws[-1])
    print("mean of all")
    told(list(ranked), np.mean(reals, axis=0), np.mean(draws, axis=0))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "judge")
