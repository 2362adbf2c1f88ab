"""Key phrases against the keywords that authors gave (`keywords_truth.py`): precision, recall and F1, beside tf-idf.

    python benchmarks/keywords.py [--develop] [--show 3]

Phrases are compared by the stems of their words. Counted are the authors' keywords that stand in title or abstract; the
means are over papers. By default the half that was held out; `--develop`: the half that the method was made with.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from keywords_truth import Sample, samples, stems
from results import Figure, store_figures

from conspectus.lexicon import STOP_WORDS
from conspectus.parse.text.key_phrases import key_phrases

DEPTHS = (5, 10, 20)
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]")

Extract = Callable[[Sample], list[str]]


def ours(sample: Sample) -> list[str]:
    return [phrase.text for phrase in key_phrases(sample.title, sample.abstract)]


def _stretches(sample: Sample) -> Iterator[list[str]]:
    """Words between function words and signs: candidates of RAKE and tf-idf."""
    found: list[str] = []
    for word in [*_WORD.findall(f"{sample.title} . {sample.abstract}".lower()), "."]:
        if word in STOP_WORDS or word.isdigit() or not word[0].isalnum():
            if found:
                yield found
            found = []
        else:
            found.append(word)


def tf_idf(papers: Sequence[Sample]) -> Extract:
    """Words and phrases of up to three by tf-idf among all papers of the benchmark, which one paper alone has not."""

    def grams(sample: Sample) -> Counter[str]:
        return Counter(
            " ".join(phrase[start : start + size])
            for phrase in _stretches(sample)
            for size in (1, 2, 3)
            for start in range(len(phrase) - size + 1)
        )

    known: dict[str, int] = defaultdict(int)
    for one in papers:
        for gram in grams(one):
            known[gram] += 1

    def extract(sample: Sample) -> list[str]:
        found = grams(sample)
        weigh = {gram: times * math.log(len(papers) / known[gram]) for gram, times in found.items()}
        return sorted(weigh, key=lambda gram: -weigh[gram])

    return extract


def timed(extract: Extract, papers: Sequence[Sample]) -> tuple[list[list[str]], float]:
    """What a method finds, and its CPU milliseconds a paper."""
    extract(papers[0])
    begun = time.process_time()
    found = [extract(one) for one in papers]
    return found, 1000 * (time.process_time() - begun) / len(papers)


def measures(found: Sequence[Sequence[str]], papers: Sequence[Sample], depth: int) -> tuple[float, float, float]:
    """Mean precision, recall and F1 of the first `depth` phrases."""
    rows = []
    for phrases, one in zip(found, papers, strict=True):
        first = list(dict.fromkeys(stem for stem in map(stems, phrases) if stem))[:depth]
        right = len(one.truth.intersection(first))
        precision, recall = right / depth, right / len(one.truth)
        rows.append((precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0))
    means = np.mean(rows, axis=0)
    return float(means[0]), float(means[1]), float(means[2])


def report(name: str, papers: Sequence[Sample], found: Sequence[Sequence[str]], ms: float) -> str:
    """Print a line of the table; returns F1 at the first depth, of both fields."""
    cells, scores = [name], []
    for field in ("neuroscience", "arXiv"):
        of_field = [(phrases, one) for phrases, one in zip(found, papers, strict=True) if one.field == field]
        for depth in DEPTHS:
            three = measures([phrases for phrases, _ in of_field], [one for _, one in of_field], depth)
            cells.append(" / ".join(f"{value:.3f}" for value in three))
            scores += [f"{three[2]:.3f}"] if depth == DEPTHS[0] else []
    print(f"| {' | '.join(cells)} | {ms:.2f} |", flush=True)
    return "; ".join(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--develop", action="store_true", help="the half that the method was made with")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="also the phrases of N papers")
    options = parser.parse_args()
    everything = samples()
    papers = [one for one in everything if one.held_out != options.develop]
    fields = Counter(one.field for one in papers)
    print(f"{len(papers)} papers ({', '.join(f'{name} {number}' for name, number in fields.items())}); P / R / F1")
    heads = [f"{field} @{depth}" for field in ("neuroscience", "arXiv") for depth in DEPTHS]
    print(f"| method | {' | '.join(heads)} | CPU-ms |\n| {' | '.join(['---'] * (len(heads) + 2))} |")
    scores: dict[str, str] = {}
    for name, extract in {"**conspectus**": ours, "tf-idf": tf_idf(everything)}.items():
        scores[name] = report(name, papers, *timed(extract, papers))
    if not options.develop:
        what = f"Key phrases, F1@{DEPTHS[0]}: neuroscience; arXiv"
        figure = Figure(what, scores["**conspectus**"], "", f"tf-idf {scores['tf-idf']}")
        store_figures("keywords", "parsing", "python benchmarks/keywords.py", [figure])
    for one in papers[: options.show]:
        print(f"\n{one.title}\n   {'; '.join(ours(one))}", file=sys.stderr)


if __name__ == "__main__":
    main()
