"""Regions of the map beside BERTopic's topics, of the same vectors: are a topic's terms said together, and its own?

    python benchmarks/atlas_topics.py [--library DIR] [--seeds N]

Run it where BERTopic and umap-learn are installed beside this project. The library is that of `atlas.py`.

* NPMI: of each two of a topic's first eight terms, how much more often the same title and abstract have both than by
  chance, from -1 (never) to 1 (always); their mean, then that of the topics. All are counted in the same 5,500 texts. A
  phrase is there where its words stand there in this order, as they are: its plural does not count.
* Diversity: the share of the terms of all topics that are different ones.
* A topic's terms are those that each gives: key phrases here, words there. So that regions are compared without that,
  both are also told by the same words: BERTopic's class-based TF-IDF, without English function words.

BERTopic is run as it comes, with function words left out (as its documentation advises), and told how many topics there
are to be; with the seeds 1 to N of UMAP, which it leaves to chance. Papers that it calls outliers are in no topic.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from bertopic import BERTopic
from bertopic.vectorizers import ClassTfidfTransformer
from sklearn.feature_extraction.text import CountVectorizer
from umap import UMAP

from atlas import opened, topics, vectors_of
from conspectus import Library

TERMS = 8
Terms = Sequence[Sequence[str]]


def words_of(text: str) -> str:
    """Its words as scikit-learn tells them apart, each with a space before and after."""
    words = re.findall(r"\b\w\w+\b", text.lower())
    return f" {' '.join(words)} "


class Texts:
    """In which texts terms are."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [words_of(text) for text in texts]
        self._known: dict[str, Any] = {}

    def _has(self, term: str) -> Any:
        if term not in self._known:
            self._known[term] = np.array([words_of(term) in text for text in self._texts])
        return self._known[term]

    def npmi(self, terms: Sequence[str]) -> float:
        """The mean of a topic's pairs."""
        found = []
        for one, other in combinations(terms, 2):
            own, of_other = self._has(one), self._has(other)
            both = (own & of_other).mean()
            chance = own.mean() * of_other.mean()
            found.append(-1.0 if not both else 1.0 if both == 1 else np.log(both / chance) / -np.log(both))
        return float(np.mean(found))


def measured(texts: Texts, topics: Terms) -> tuple[int, float, float]:
    """How many topics, their NPMI and their diversity."""
    short = [list(dict.fromkeys(one))[:TERMS] for one in topics]
    every = [term.casefold() for one in short for term in one]
    return len(short), float(np.mean([texts.npmi(one) for one in short])), len(set(every)) / len(every)


def by_words(texts: Sequence[str], labels: Any) -> Terms:
    """The words of groups by class-based TF-IDF, as BERTopic has it; -1 is no group."""
    groups = [
        " ".join(text for text, own in zip(texts, labels, strict=True) if own == one)
        for one in sorted(set(labels) - {-1})
    ]
    counter = CountVectorizer(stop_words="english")
    weights = ClassTfidfTransformer().fit_transform(counter.fit_transform(groups)).toarray()
    names = counter.get_feature_names_out()
    return [[names[column] for column in np.argsort(-row, kind="stable")[:TERMS]] for row in weights]


def theirs(texts: Sequence[str], vectors: Any, seed: int, **how: Any) -> tuple[Any, Terms]:
    """The topic of each text, -1 for none, and the words of each topic, by BERTopic."""
    reducer = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed)
    model = BERTopic(umap_model=reducer, **how)
    labels, _ = model.fit_transform(list(texts), vectors)
    found: Mapping[int, Any] = model.get_topics()
    return np.array(labels), [[word for word, _ in found[one] if word] for one in sorted(found) if one >= 0]


def tell(name: str, rows: Sequence[tuple[float, ...]]) -> None:
    """The mean of runs, and from where to where they go."""
    table = np.array(rows)
    low, high = table.min(axis=0), table.max(axis=0)
    spread = [f" ({one:.3f} to {other:.3f})" if one != other else "" for one, other in zip(low, high, strict=True)]
    mean = table.mean(axis=0)
    line = f"{name:42} {mean[0]:5.1f} topics, NPMI {mean[1]:.3f}{spread[1]}, diversity {mean[2]:.3f}{spread[2]}"
    print(line + (f", {mean[3]:.0%} in none" if len(mean) > 3 else ""), flush=True)


def ours(library: Library, texts: Sequence[str], found: Texts) -> list[int]:
    """Print the measures of the middle and the smallest regions; how many there are."""
    atlas, counts = library.atlas(), []
    for level, what in ((1, "middle"), (2, "smallest")):
        regions = atlas.at(level)
        counts.append(len(regions))
        tell(f"{what} regions, key phrases", [measured(found, [one.terms for one in regions])])
        tell(f"{what} regions, words", [measured(found, by_words(texts, atlas.region_ids[:, level]))])
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    with opened(asked.library, "topics", topics) as library:
        atlas, vectors = library.atlas(), vectors_of(library)
        said = {paper.id: f"{paper.title}\n{paper.abstract}" for paper in library.papers()}
        texts = [said[paper] for paper in atlas.papers]
        found = Texts(texts)
        counts = ours(library, texts, found)
    plain = {"vectorizer_model": CountVectorizer(stop_words="english")}
    ways: dict[str, dict[str, Any]] = {"as it comes": {}, "without function words": plain}
    ways |= {f"the same, {count} topics": {**plain, "nr_topics": count + 1} for count in counts}  # one is of outliers
    for way, how in ways.items():
        made = [theirs(texts, vectors, seed, **how) for seed in range(1, asked.seeds + 1)]
        outside = [float((labels == -1).mean()) for labels, _ in made]
        tell(f"BERTopic {way}", [(*measured(found, words), out) for (_, words), out in zip(made, outside, strict=True)])


if __name__ == "__main__":
    main()
