"""What texts can be told by: phrases and words of titles and abstracts, and concepts of the library's vocabularies."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Protocol

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.job_context import emit
from conspectus.directions.autoencoder import Ints
from conspectus.directions.labels import Terms
from conspectus.directions.stored_directions import Codes
from conspectus.lexicon.word_lists import BREAKING, GENERAL
from conspectus.parse.text.key_phrases import singular
from conspectus.records.events import Progress
from conspectus.store import entities
from conspectus.store.catalog import Catalog
from conspectus.store.rows import local_name

_WORD = re.compile(r"[^\W\d_]{3,}")
FEWEST = 4
"""Texts that have a word or a phrase."""
OFTEN = 0.4
"""Share of the texts above which a word tells nothing."""
BATCH = 2000
CONCEPT = 0.8
"""How likely the label of a concept is the name of a subject."""
VAGUE, PHRASE_FREE, PHRASE_MOST = 0.5, 1.5, 2.0
"""What the log odds that a phrase is too general cost its quality, as powers of e; those that cost nothing, as no
vocabulary says anything of a phrase, so that its odds are higher; and how much above these it is no name at all."""
WORD = 1e-6
"""The same of a single word: it is a name only where nothing else fits."""
SAID = 0.25
"""Share of the texts of a concept and of its kinds that mention the concept itself."""


class PhraseRows(Protocol):
    """Phrases of texts: how each is written, how likely it is the name of a subject, and which texts have it."""

    @property
    def spellings(self) -> Sequence[str]:
        """As most texts write them."""

    @property
    def quality(self) -> FloatArray:
        """From 0 to 1."""

    @property
    def rows(self) -> Sequence[Ints]:
        """Texts, ascending."""


@dataclass(frozen=True, slots=True)
class TermSources:
    """What other wings say of phrases and concepts.

    Attributes:
        mine_phrases: the phrases of texts' papers, by these papers' keys; the last argument is what is reported
            meanwhile.
        rate_concepts: the log odds that each concept that papers mention is too general to be listed, by its key.
        rate_phrases: the same of phrases, by how many papers have each and by the number of papers.
    """

    mine_phrases: Callable[[Catalog, Sequence[int], str], PhraseRows]
    rate_concepts: Callable[[], Mapping[int, float]]
    rate_phrases: Callable[[Mapping[str, int], int], Mapping[str, float]]


@dataclass(slots=True)
class _TermList:
    texts: list[str]
    kinds: list[str]
    quality: list[float]
    rows: list[Ints]

    def add(self, text: str, kind: str, quality: float, rows: Ints) -> None:
        self.texts.append(text)
        self.kinds.append(kind)
        self.quality.append(quality)
        self.rows.append(rows)


def collect_terms(catalog: Catalog, codes: Codes, sources: TermSources) -> Terms:
    """The terms of texts; the more general a phrase or concept is, the less likely it is the name of a subject."""
    phrases = sources.mine_phrases(catalog, codes.papers.tolist(), "reading phrases")
    counts = {spelling: len(rows) for spelling, rows in zip(phrases.spellings, phrases.rows, strict=True)}
    general = sources.rate_phrases({name: count for name, count in counts.items() if count}, len(codes.papers))
    words, writings = read_words(catalog, codes)
    terms = _TermList([], [], [], [])
    for spelling, quality, rows in zip(phrases.spellings, phrases.quality, phrases.rows, strict=True):
        text_rows = _with_all_words(spelling, rows, words) if codes.units and codes.units[0] else rows
        if len(text_rows) >= FEWEST:
            vague = max(general[spelling] - PHRASE_FREE, 0.0)
            terms.add(spelling, "phrase", float(quality) * exp(-VAGUE * vague) * (vague <= PHRASE_MOST), text_rows)
    for label, rows in _read_concepts(catalog, codes, sources.rate_concepts).items():
        if FEWEST <= len(rows) <= OFTEN * len(codes.papers):
            terms.add(label, "concept", CONCEPT, rows)
    word_rows = {
        writings[word]: rows
        for word, rows in words.items()
        if word not in GENERAL and FEWEST <= len(rows) <= OFTEN * len(codes.papers)
    }
    general = sources.rate_phrases({word: len(rows) for word, rows in word_rows.items()}, len(codes.papers))
    for word, rows in word_rows.items():
        terms.add(word, "word", WORD * exp(-VAGUE * general[word]), rows)
    return Terms(terms.texts, terms.kinds, np.array(terms.quality), terms.rows)


def read_words(catalog: Catalog, codes: Codes) -> tuple[dict[str, Ints], dict[str, str]]:
    """The words of texts in the singular -> the texts that have each, and -> how most texts write it."""
    rows_by_word: defaultdict[str, list[int]] = defaultdict(list)
    writings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row, text in _read_texts(catalog, codes):
        written = {singular(match): match.lower() for match in _WORD.findall(text)}
        for word in written.keys() - BREAKING:
            rows_by_word[word].append(row)
            writings[word][written[word]] += 1
    frequent_words = {word: np.array(rows, np.int64) for word, rows in rows_by_word.items() if len(rows) >= FEWEST}
    return frequent_words, {
        word: min(writings[word], key=lambda form: (-writings[word][form], form)) for word in frequent_words
    }


def _read_texts(catalog: Catalog, codes: Codes) -> Iterable[tuple[int, str]]:
    """Each text's number and words: of a paper its title and abstract, in ascending order."""
    keys = codes.papers.tolist()
    for start in range(0, len(keys), BATCH):
        emit(Progress("reading words", start, len(keys), "texts"))
        chunk = keys[start : start + BATCH]
        if codes.units[start]:
            passages = catalog.passages_of(list(dict.fromkeys(chunk))).values()
            texts = {(entry.paper_key, local_name(entry.passage.id)): entry.passage.text for entry in passages}
            yield from ((row, texts.get((key, codes.units[row]), "")) for row, key in enumerate(chunk, start))
        else:
            papers = catalog.papers_by_key(chunk)
            yield from ((row, f"{papers[key].title}. {papers[key].abstract}") for row, key in enumerate(chunk, start))


def _with_all_words(phrase: str, rows: Ints, words: Mapping[str, Ints]) -> Ints:
    """Of these texts those that have all words of a phrase."""
    for word in {singular(match) for match in _WORD.findall(phrase)} - BREAKING:
        rows = np.intersect1d(rows, words.get(word, rows[:0]), assume_unique=True)
    return rows


def _read_concepts(catalog: Catalog, codes: Codes, rate_concepts: Callable[[], Mapping[int, float]]) -> dict[str, Ints]:
    """The label of a concept -> the texts that mention it, or what is a kind of it; none where nothing is linked.

    Without concepts that are too general to be listed as entities, and without those that papers seldom mention by a
    name of their own: these are shelves of a vocabulary (`Structured knowledge resource`).
    """
    labels, parents = entities.broader_labels(catalog)
    texts: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for row, (key, unit) in enumerate(zip(codes.papers.tolist(), codes.units, strict=True)):
        texts[key, unit].append(row)
    has_units = bool(codes.units and codes.units[0])
    above: dict[int, frozenset[int]] = {}
    general = rate_concepts() if labels else {}
    rows_by_label: defaultdict[str, set[int]] = defaultdict(set)
    direct_rows: defaultdict[str, set[int]] = defaultdict(set)
    for key, passage, _, concept in entities.iterate_mentions(catalog) if labels else ():
        rows = texts.get((key, passage if has_units else ""), ())
        for broader in _with_broader(concept, parents, above):
            if broader in labels:
                rows_by_label[labels[broader]].update(rows)
        if concept in labels and general.get(concept, 0.0) <= 0:
            direct_rows[labels[concept]].update(rows)
    return {
        label: np.array(sorted(rows_by_label[label]), np.int64)
        for label, rows in direct_rows.items()
        if len(rows) >= SAID * len(rows_by_label[label])
    }


def _with_broader(
    concept: int, parents: Mapping[int, Sequence[int]], known: dict[int, frozenset[int]]
) -> frozenset[int]:
    """A concept and all that it is a kind of."""
    if concept not in known:
        concepts, waiting = {concept}, [concept]
        while waiting:
            new = [parent for parent in parents.get(waiting.pop(), ()) if parent not in concepts]
            concepts.update(new)
            waiting += new
        known[concept] = frozenset(concepts)
    return known[concept]
