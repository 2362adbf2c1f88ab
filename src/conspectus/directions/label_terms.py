"""What texts can be told by: phrases and words of titles and abstracts, and concepts of the library's vocabularies."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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


def collect_terms(catalog: Catalog, codes: Codes, phrases: PhraseRows) -> Terms:
    """The terms of texts; `phrases` are those of their papers."""
    words = read_words(catalog, codes)
    found = _TermList([], [], [], [])
    for spelling, quality, rows in zip(phrases.spellings, phrases.quality, phrases.rows, strict=True):
        own = _with_all_words(spelling, rows, words) if codes.units and codes.units[0] else rows
        if len(own) >= FEWEST:
            found.add(spelling, "phrase", float(quality), own)
    for label, rows in _read_concepts(catalog, codes).items():
        if FEWEST <= len(rows) <= OFTEN * len(codes.papers):
            found.add(label, "concept", CONCEPT, rows)
    for word, rows in words.items():
        if word not in GENERAL and FEWEST <= len(rows) <= OFTEN * len(codes.papers):
            found.add(word, "word", 0.0, rows)
    return Terms(found.texts, found.kinds, np.array(found.quality), found.rows)


def read_words(catalog: Catalog, codes: Codes) -> dict[str, Ints]:
    """The words of texts in the singular -> the texts that have each."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for row, text in _read_texts(catalog, codes):
        for word in {singular(match) for match in _WORD.findall(text)}:
            if word not in BREAKING:
                found[word].append(row)
    return {word: np.array(rows, np.int64) for word, rows in found.items() if len(rows) >= FEWEST}


def _read_texts(catalog: Catalog, codes: Codes) -> Iterable[tuple[int, str]]:
    """Each text's number and words: of a paper its title and abstract, in ascending order."""
    keys = codes.papers.tolist()
    for start in range(0, len(keys), BATCH):
        emit(Progress("reading words", start, len(keys), "texts"))
        some = keys[start : start + BATCH]
        if codes.units[start]:
            passages = catalog.passages_of(list(dict.fromkeys(some))).values()
            texts = {(one.paper_key, local_name(one.passage.id)): one.passage.text for one in passages}
            yield from ((row, texts.get((key, codes.units[row]), "")) for row, key in enumerate(some, start))
        else:
            papers = catalog.papers_by_key(some)
            yield from ((row, f"{papers[key].title}. {papers[key].abstract}") for row, key in enumerate(some, start))


def _with_all_words(phrase: str, rows: Ints, words: Mapping[str, Ints]) -> Ints:
    """Of these texts those that have all words of a phrase."""
    for word in {singular(match) for match in _WORD.findall(phrase)} - BREAKING:
        rows = np.intersect1d(rows, words.get(word, rows[:0]), assume_unique=True)
    return rows


def _read_concepts(catalog: Catalog, codes: Codes) -> dict[str, Ints]:
    """The label of a concept -> the texts that mention it, or what is a kind of it; none where nothing is linked."""
    labels, parents = entities.broader_labels(catalog)
    texts: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for row, (key, unit) in enumerate(zip(codes.papers.tolist(), codes.units, strict=True)):
        texts[key, unit].append(row)
    has_units = bool(codes.units and codes.units[0])
    above: dict[int, frozenset[int]] = {}
    found: defaultdict[str, set[int]] = defaultdict(set)
    for key, passage, _, concept in entities.iterate_mentions(catalog) if labels else ():
        for one in _with_broader(concept, parents, above):
            if one in labels:
                found[labels[one]].update(texts.get((key, passage if has_units else ""), ()))
    return {label: np.array(sorted(rows), np.int64) for label, rows in found.items()}


def _with_broader(
    concept: int, parents: Mapping[int, Sequence[int]], known: dict[int, frozenset[int]]
) -> frozenset[int]:
    """A concept and all that it is a kind of."""
    if concept not in known:
        found, waiting = {concept}, [concept]
        while waiting:
            new = [one for one in parents.get(waiting.pop(), ()) if one not in found]
            found.update(new)
            waiting += new
        known[concept] = frozenset(found)
    return known[concept]
