"""Does `vocabulary suggest` find terms that a vocabulary lacks? Concepts are hidden, and searched for.

    python benchmarks/vocabulary_suggestions.py

Of the concepts whose label enough papers use, `HIDDEN` are hidden with all their names, `DRAWS` times. Measured over
the draws: how many of them are among the first 100 suggestions, for how many a parent is named, and how often
that is one that the vocabulary puts it below (or below that). Held against, in the same run, on the same candidates:
frequency (papers), and c-TF-IDF (Grootendorst 2022: how often, times the logarithm of papers by papers that have it);
for parents the concept whose label is nearest by vectors.
"""

from __future__ import annotations

import pickle
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log
from typing import Any

import numpy as np
from corpora import WORK, data_folder
from dated_mentions import CORPORA
from results import Figure, join_figures, store_figures

from conspectus import Library
from conspectus.graph.vocabularies import sql as vocabulary_sql
from conspectus.graph.vocabularies.phrase_counts import DatedSentence, PhraseStatistics, count_phrases, phrase_key
from conspectus.graph.vocabularies.suggestions import ConceptNames, ParentFinder, label_of, rank_terms, read_concepts
from conspectus.models.protocol import Embedder, Embedding
from conspectus.parse.text.sentences import split_sentences
from conspectus.store import entities

SETS = ("arxiv_astro", "neuro_corpus")
HIDDEN, DRAWS, FIRST, READ_EACH = 0.3, 5, 100, 30_000
SHARE = 0.001


def read_sentences(corpus: str) -> Iterator[DatedSentence]:
    """The sentences of a corpus."""
    for number, paper in enumerate(CORPORA[corpus][1](), 1):
        yield DatedSentence(number, paper.when, True, "", paper.texts[0])
        length = 0
        for part in paper.texts[1:]:
            for start, end in split_sentences(part):
                if length < READ_EACH:
                    length += end - start
                    yield DatedSentence(number, paper.when, False, "", part[start:end])


def read_table(corpus: str) -> PhraseStatistics:
    """The phrases of a corpus; counted once and kept."""
    kept = WORK / f"phrases_{corpus}.pickle"
    if not kept.exists():
        papers = sum(1 for _ in CORPORA[corpus][1]())
        WORK.mkdir(exist_ok=True)
        kept.write_bytes(pickle.dumps(count_phrases(read_sentences(corpus), max(3, round(SHARE * papers)))))
    return pickle.loads(kept.read_bytes())


class RememberingEmbedder:
    """Embeds each name once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._known = embedder, dict[str, Embedding]()
        self.id, self.dimensions = embedder.id, embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        """See `Embedder.embed`."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return (self._known[text] for text in texts)

    def embed_query(self, text: str) -> Embedding:
        """See `Embedder.embed_query`."""
        return self._embedder.embed_query(text)


def hide(concepts: ConceptNames, hidden: set[int]) -> ConceptNames:
    """The names without some concepts; what is below these is below what is above them."""
    return replace(
        concepts,
        labels={key: label for key, label in concepts.labels.items() if key not in hidden},
        names={name: key for name, key in concepts.names.items() if key not in hidden},
        parents={
            key: tuple(up for up in above if up not in hidden)
            for key, above in concepts.parents.items()
            if key not in hidden
        },
    )


def right_parents(concepts: ConceptNames, key: int, hidden: set[int]) -> set[int]:
    """What is next above a concept among those that are left."""
    found, waiting = set[int](), list(concepts.parents.get(key, ()))
    while waiting:
        up = waiting.pop()
        if up in hidden:
            waiting += concepts.parents.get(up, ())
        else:
            found.add(up)
    return found


def measure(corpus: str) -> dict[str, float]:
    """The shares of a corpus, in the mean of the draws."""
    table, rows = read_table(corpus), list[list[float]]()
    with tempfile.TemporaryDirectory() as folder, Library(folder) as library:
        library.vocabularies.add(data_folder() / CORPORA[corpus][0])
        session = library.session
        (name,) = (one.name for one in library.vocabularies.list())
        vocabulary = entities.vocabulary_key(session.catalog, name)
        assert vocabulary is not None
        concepts = read_concepts(session, vocabulary)
        by_key: dict[Any, set[int]] = {}
        for key, text in vocabulary_sql.every_name(session.catalog):
            by_key.setdefault(phrase_key(text), set()).add(key)
        finder = ParentFinder(concepts, RememberingEmbedder(session.embedder))
        used = sorted({key for phrase, keys in by_key.items() if phrase in table.counts for key in keys})
        for draw in range(DRAWS):
            rows.append(_draw(random.Random(draw), used, by_key, table, concepts, finder))
    found = np.array(rows)
    names = ("ours", "frequency", "c-TF-IDF", "parent", "parent within one", "named", "nearest parent", "hidden")
    means = dict(zip(names, found.mean(axis=0).tolist(), strict=True))
    print(corpus, {name: round(value, 3) for name, value in means.items()}, "deviation", found.std(axis=0).round(3))
    return means


def _draw(
    draw: random.Random,
    used: list[int],
    by_key: dict[Any, set[int]],
    table: PhraseStatistics,
    concepts: ConceptNames,
    finder: ParentFinder,
) -> list[float]:
    hidden = set(draw.sample(used, round(HIDDEN * len(used))))
    covered = {phrase for phrase, keys in by_key.items() if keys - hidden}
    targets = {phrase for phrase, keys in by_key.items() if phrase in table.counts and not keys - hidden}
    left = hide(concepts, hidden)
    ranked = [key for key, _ in rank_terms(table, left, covered)]
    often = sorted(ranked, key=lambda key: (-table.counts[key].papers, key))
    weight = {key: table.counts[key].times * log(table.papers / table.counts[key].papers) for key in ranked}
    strange = sorted(ranked, key=lambda key: (-weight[key], key))
    hits = [sum(key in targets for key in order[:FIRST]) / FIRST for order in (ranked, often, strange)]
    asked = [key for key in ranked if key in targets]
    own = replace(finder, concepts=left)
    texts = [label_of(table.counts[key]) for key in asked]
    found = own.find(texts)
    by_name, labels = (
        np.array([one.vector for one in finder.embedder.embed(names)]) for names in (texts, [*left.labels.values()])
    )
    at = (by_name @ (labels / np.linalg.norm(labels, axis=1, keepdims=True)).T).argmax(axis=1)
    nearest = np.array(list(left.labels))[at].tolist()
    right = near = plain = 0
    for key, (parent, _), other in zip(asked, found, nearest, strict=True):
        wanted = set[int]().union(*(right_parents(concepts, one, hidden) for one in by_key[key]))
        above = {up for one in wanted for up in concepts.parents.get(one, ())}
        right += parent in wanted
        near += parent in wanted | above
        plain += other in wanted
    named = sum(parent > 0 for parent, _ in found)
    share = named / len(asked)
    return [*hits, right / max(named, 1), near / max(named, 1), share, plain / len(asked), float(len(targets))]


if __name__ == "__main__":
    figures = []
    for corpus in SETS:
        means = measure(corpus)
        peers = f"frequency {means['frequency']:.2f}, c-TF-IDF {means['c-TF-IDF']:.2f}"
        figures.append(Figure(f"Hidden concepts among 100 suggestions, {corpus}", f"{means['ours']:.2f}", peer=peers))
        peer = f"nearest label {means['nearest parent']:.2f} of all"
        what = f"Right among the parents named for {means['named']:.0%} of hidden concepts, {corpus}"
        figures.append(Figure(what, f"{means['parent']:.2f}", peer=peer))
    store_figures(
        "vocabulary_suggestions",
        "graph",
        "python benchmarks/vocabulary_suggestions.py",
        [join_figures("Terms that a vocabulary lacks", figures)],
    )
