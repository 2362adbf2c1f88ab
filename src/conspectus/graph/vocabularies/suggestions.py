"""Suggest terms that papers use often and a vocabulary lacks, each with where it would belong (F19)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Literal

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.job_context import emit
from conspectus.graph.example_sentences import rate_clarity
from conspectus.graph.vocabularies import sql as vocabulary_sql
from conspectus.graph.vocabularies.phrase_counts import (
    DatedSentence,
    PhraseCount,
    PhraseKey,
    PhraseStatistics,
    count_phrases,
    phrase_key,
)
from conspectus.graph.vocabularies.term_model import TermModel
from conspectus.models.protocol import Embedder
from conspectus.parse.text.key_phrases import singular
from conspectus.records import Citation, Filters
from conspectus.records.events import Progress
from conspectus.records.vocabularies import SuggestionReport, TermSuggestion
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.facets import count_papers

READ_EACH = 30_000
"""Characters of a paper that are read."""
FEWEST, SHARE = 3, 0.001
"""Papers, and share of all papers, that a term needs; see `fewest_papers`."""
SHOWN = 2
"""Sentences that are shown of each."""
NEIGHBOURS, HEAD = 8, 0.1
"""Concepts nearest to a term by the cosine of their names, which say by what is above them where it belongs, and what
it adds to a cosine that the last word is the same."""
FAR = 0.4
"""The same below which a concept is no neighbour."""
NEAREST, ITSELF, END = 0.6, 1.0, 1.5
"""The cosine from which on the nearest concept may be the parent itself, what it counts, and what a concept counts that
the term ends with; a neighbour counts the square of its cosine."""
LEAST = 1.0
"""What the best parent counts at least; below it, as if one near concept spoke for it, none is named."""
PARTLY = 0.5
"""Share of its occurrences from which on a phrase is part of a longer one."""
AT_ONCE = 64
"""Terms that are compared with all concepts at a time."""
ParentBasis = Literal["head", "siblings", "nearest", ""]


@dataclass(frozen=True)
class ConceptNames:
    """The names of a vocabulary's concepts.

    Attributes:
        labels: of concepts, by key.
        names: concepts by the words of a name, in the singular and in order.
        parents: the concepts above each.
    """

    labels: Mapping[int, str]
    names: Mapping[tuple[str, ...], int]
    parents: Mapping[int, Sequence[int]]

    @cached_property
    def by_head(self) -> Mapping[str, list[int]]:
        """Concepts by the last word of their labels."""
        keys_by_word = defaultdict(list)
        for key, label in self.labels.items():
            if words := split_words(label):
                keys_by_word[words[-1]].append(key)
        return keys_by_word


def split_words(text: str) -> tuple[str, ...]:
    """The words of a name in the singular, in order."""
    return tuple(singular(word) for word in text.replace("-", " ").split())


@dataclass(frozen=True)
class ParentFinder:
    """Finds where terms would belong.

    Attributes:
        concepts: of the vocabulary.
        embedder: of names.
    """

    concepts: ConceptNames
    embedder: Embedder

    def find(self, terms: Sequence[str]) -> list[tuple[int, ParentBasis]]:
        """The concept that each term would be below, and by what; 0: none is near."""
        keys, parents = list(self.concepts.labels), []
        for start in range(0, len(terms), AT_ONCE):
            chunk = terms[start : start + AT_ONCE]
            for term, row in zip(chunk, self._vectors(chunk) @ self._label_vectors.T, strict=True):
                parents.append(self._best(term, dict(zip(keys, row.tolist(), strict=True))))
        return parents

    @cached_property
    def _label_vectors(self) -> FloatArray:
        return self._vectors(list(self.concepts.labels.values()))

    def _best(self, term: str, cosines: Mapping[int, float]) -> tuple[int, ParentBasis]:
        words = split_words(term)
        heads = set(self.concepts.by_head.get(words[-1], ())) if words else set[int]()
        near = {key: cosine + HEAD * (key in heads) for key, cosine in cosines.items()}
        worth: dict[int, float] = defaultdict(float)
        by: dict[int, ParentBasis] = {}
        close = [key for key, cosine in near.items() if cosine >= FAR]
        for key in sorted(close, key=lambda concept: (-near[concept], concept))[:NEIGHBOURS]:
            above = [up for up in self.concepts.parents.get(key, ()) if up in cosines]
            for up in above:
                worth[up] += near[key] ** 2 / len(above)
                by[up] = "siblings"
        if (
            near
            and (best := max(near, key=lambda concept: (near[concept], -concept))) is not None
            and cosines[best] >= NEAREST
        ):
            worth[best] += ITSELF * near[best] ** 2
            by.setdefault(best, "nearest")
        for start in range(1, len(words)):
            end = self.concepts.names.get(words[start:])
            if end is not None and end in cosines:
                worth[end] += END
                by[end] = "head"
                break
        key = max(worth, key=lambda concept: (round(worth[concept], 9), -concept), default=0)
        return (key, by[key]) if worth[key] >= LEAST else (0, "")

    def _vectors(self, texts: Sequence[str]) -> FloatArray:
        vectors = np.zeros((len(texts), self.embedder.dimensions), np.float32)
        for row, embedding in enumerate(self.embedder.embed(list(texts))):
            vectors[row] = embedding.vector
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), np.float32)


def suggest_terms(session: Session, vocabulary: int, filters: Filters, k: int) -> SuggestionReport:
    """The k best suggestions for a vocabulary, by its key."""
    catalog = session.catalog
    name = vocabulary_sql.sources(catalog)[vocabulary].name
    papers = count_papers(catalog, filters)
    table = count_phrases(_sentences(session, filters, papers), fewest_papers(papers))
    concepts = read_concepts(session, vocabulary)
    covered = {phrase_key(text) for _, text in vocabulary_sql.every_name(catalog)}
    ranked = rank_terms(table, concepts, covered)
    chosen = ranked[:k]
    labels = [label_of(table.counts[key]) for key, _ in chosen]
    parents = _parent_finder(session, concepts).find(labels)
    ids = entities.concept_ids(catalog, [parent for parent, _ in parents])
    suggestions = tuple(
        TermSuggestion(
            rank,
            label,
            variants_of(table, key, label),
            score,
            table.counts[key].papers,
            *_years(table.counts[key]),
            ids.get(parent, ""),
            concepts.labels.get(parent, ""),
            by,
            tuple(_citations(session, table.counts[key])),
        )
        for rank, ((key, score), label, (parent, by)) in enumerate(zip(chosen, labels, parents, strict=True), 1)
    )
    return SuggestionReport(name, table.papers, len(table.counts), len(covered & table.counts.keys()), suggestions)


def _parent_finder(session: Session, concepts: ConceptNames) -> ParentFinder:
    """Held with the vectors of all labels for as long as the vocabulary and the embedder are the same."""
    name = session.embedder.id, blake2b(repr(concepts).encode(), digest_size=16).digest()
    return session.parts.get_cached("parents of terms", lambda: ParentFinder(concepts, session.embedder), *name, most=2)


def fewest_papers(papers: int) -> int:
    """How many papers a term needs in a library of so many."""
    return max(FEWEST, min(10, papers // 200), round(SHARE * papers))


def read_concepts(session: Session, vocabulary: int) -> ConceptNames:
    """The names of a vocabulary's concepts."""
    parents = entities.broader_concepts(session.catalog, vocabulary)
    labels = entities.concept_labels(session.catalog, parents)
    names = {split_words(label): key for key, label in labels.items()}
    return ConceptNames(labels, names, parents)


def rank_terms(
    table: PhraseStatistics, concepts: ConceptNames, covered: set[PhraseKey]
) -> list[tuple[PhraseKey, float]]:
    """Phrases that no vocabulary has, the best first, without short forms and fragments."""
    model = TermModel.of(table, list(concepts.labels.values()))
    scores = model.score(table.counts, covered)
    short = {form for form, long in table.short_forms.items() if long in covered or long in table.counts}
    order = sorted(scores, key=lambda key: (-scores[key], key))
    return [
        (key, scores[key])
        for key in order
        if not (key in covered or key in short or is_fragment(table.counts[key]))
        and phrase_key(table.counts[key].writing.replace("-", "")) not in covered
        and all(map(_is_word, key))
        and (len(key) > 1 or key[0] not in model.words)
    ]


def is_fragment(phrase: PhraseCount) -> bool:
    """Whether a phrase mostly is the end of one longer phrase (`Tauri stars`), or of any longer names.

    What ends many different phrases may be a term by itself (after the C-value, Frantzi et al. 2000); the end of names
    (`Survey Telescope`) is none.
    """
    is_name = all(word[:1].isupper() for word in phrase.writing.split())
    inside = phrase.times - phrase.whole_times if is_name else max(phrase.before.values(), default=0)
    return inside > PARTLY * phrase.times


def _is_word(word: str) -> bool:
    return len(word) > 1 and any(map(str.isalpha, word))


def label_of(phrase: PhraseCount) -> str:
    """How a phrase is written most often, in the singular or plural as it is, without capitals of titles."""
    lower: Counter[str] = Counter()
    for writing, number in phrase.writings.items():
        plain = [word if sum(map(str.isupper, word)) > 1 else word.lower() for word in writing.split()]
        lower[" ".join(plain)] += number
    best = lower.most_common(1)[0][0]
    proper = Counter({text: number for text, number in phrase.writings.items() if text.casefold() == best.casefold()})
    return proper.most_common(1)[0][0] if proper.most_common(1)[0][1] > sum(proper.values()) / 2 else best


def variants_of(table: PhraseStatistics, key: PhraseKey, label: str) -> tuple[str, ...]:
    """Other writings of a phrase that are not rare, and its short form."""
    count = table.counts[key]
    others = (text for text, number in count.writings.most_common() if number > max(1, count.times / 50))
    plain = dict.fromkeys(text.casefold() for text in others if text.casefold() != label.casefold())
    short = ("".join(form).upper() for form, long in table.short_forms.items() if long == key and form in table.counts)
    return (*plain, *short)


def _years(count: PhraseCount) -> tuple[int | None, int | None]:
    known = [year for year in count.years if year]
    return (min(known), max(known)) if known else (None, None)


def _sentences(session: Session, filters: Filters, papers: int) -> Iterator[DatedSentence]:
    """Those of all papers; an id is that of the passage and of the sentence in it."""
    for number, paper in enumerate(session.catalog.papers(filters), 1):
        year, length, seen = paper.year or 0, 0, set[str]()
        yield DatedSentence(number, year, True, "", paper.title)
        for passage in session.catalog.passages(paper.id):
            for span in passage.spans:
                if span.id not in seen and length < READ_EACH:
                    seen.add(span.id)
                    length += len(span.text)
                    yield DatedSentence(number, year, False, f"{passage.id} {span.id}", span.text)
        emit(Progress("reading", min(number, papers), papers, "papers"))


def _citations(session: Session, count: PhraseCount) -> Iterator[Citation]:
    for sentence in sorted(count.sentences, key=lambda each: -rate_clarity(each.text))[:SHOWN]:
        name = sentence.id.partition(".")[0]
        for paper in session.catalog.papers_by_key(list(session.catalog.keys_of([name]).values())).values():
            for passage in session.catalog.passages(paper.id):
                spans = [span for span in passage.spans if sentence.id == f"{passage.id} {span.id}"]
                yield from (Citation(paper, passage.id, (span,), span.text, paper.label) for span in spans)
