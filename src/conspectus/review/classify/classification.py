"""A classification as it is kept and shown: its categories, what was decided about each paper, and by whom.

What decides is an entry of the review: the labels that were given as examples, what a model or the vectors say, and the
user's own corrections, which go before all. Sentences are kept by their ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.text import line
from conspectus.curation.verbs import keep_all
from conspectus.records import Citation, Filters, Paper, Passage
from conspectus.records.filters import set_term
from conspectus.records.paper import label_papers
from conspectus.records.review import (
    NONE,
    Category,
    CategoryChoice,
    CategoryCollections,
    Classification,
    ClassifiedPaper,
    Review,
    ReviewEntry,
)
from conspectus.review import sql
from conspectus.review.classify.files import CategorySet
from conspectus.session.session import Session
from conspectus.store.schema import passages

FIELD = "categories"
VECTORS, EXAMPLES, USER = "vectors", "examples", "user"


@dataclass(frozen=True, slots=True)
class CategoryDecision:
    """A category that a paper was given: its name, its probability, and the ids of a passage and a sentence of it."""

    name: str
    probability: float | None = None
    place: tuple[str, str] | None = None

    def as_entry(self) -> dict[str, Any]:
        """As an entry of the review has it."""
        passage, span = self.place or ("", "")
        probability = None if self.probability is None else round(self.probability, 4)
        return {"name": self.name, "probability": probability, "passage": passage, "span": span}

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> CategoryDecision:
        """The inverse of `stored`."""
        place = (stored["passage"], stored["span"]) if stored["passage"] else None
        return cls(stored["name"], stored["probability"], place)


def make_entry(
    paper_id: str,
    by: str,
    chosen: Sequence[CategoryDecision],
    closest: CategoryDecision | None = None,
    *,
    learnt: bool = False,
) -> ReviewEntry:
    """What is kept of a paper; `learnt`: it was decided by what had learnt from this very paper."""
    value = {
        "categories": [decision.as_entry() for decision in chosen],
        "closest": closest.as_entry() if closest else None,
    }
    return ReviewEntry(paper_id, FIELD, by, {**value, "learnt": learnt})


def decisions(entry: ReviewEntry, names: Iterable[str]) -> tuple[CategoryDecision, ...]:
    """The categories that an entry gives a paper, of those that there still are."""
    known = set(names)
    all_decisions = map(CategoryDecision.read, entry.value["categories"])
    return tuple(decision for decision in all_decisions if decision.name in known)


def categories_of(review: Review) -> CategorySet:
    """The categories of a classification."""
    listed = tuple(Category(row["name"], row["description"]) for row in review.spec["categories"])
    return CategorySet(listed, review.spec["several"], review.name)


def make_spec(
    category_set: CategorySet, filters: Filters, least: float, by: str, digests: Mapping[str, str]
) -> dict[str, Any]:
    """What a classification asks, as the review keeps it; `digests` say what each classifier went by."""
    listed = [{"name": category.name, "description": category.description} for category in category_set.categories]
    return {
        "categories": listed,
        "several": category_set.several,
        **sql.filters_spec(filters),
        "least": least,
        "by": by,
        "digests": dict(digests),
    }


def entries_by(session: Session, review: Review, by: str) -> dict[str, ReviewEntry]:
    """Paper id -> what somebody decided of it."""
    return {entry.paper: entry for entry in sql.entries_of(session.catalog, review, field=FIELD, by=by)}


def deciding_entries(session: Session, review: Review) -> dict[str, ReviewEntry]:
    """Paper id -> the entry that counts: the user's, else the label, else of what classified last."""
    entry_by_paper: dict[str, ReviewEntry] = {}
    for by in (review.spec["by"], EXAMPLES, USER):
        entry_by_paper |= entries_by(session, review, by)
    return entry_by_paper


def show_classification(session: Session, review: Review, limit: int, after: str = "") -> Classification:
    """A classification with the papers of a part of the list, behind the one whose id is `after`.

    Raises:
        UsageError: `after` is the id of no paper in the list.
    """
    category_set = categories_of(review)
    entries = deciding_entries(session, review)
    ids = list(sql.papers_of(session.catalog, review))
    counts = Counter(dict.fromkeys((*category_set.names, NONE), 0))
    for paper_id in ids:
        if entry := entries.get(paper_id):
            counts.update([decision.name for decision in decisions(entry, category_set.names)] or [NONE])
    decided = [paper_id for paper_id in ids if paper_id in entries]
    if after and after not in decided:
        raise UsageError(f"'{line(after)}' is not where a list goes on.", "Give `next` of the list before.")
    begin = decided.index(after) + 1 if after else 0
    part = decided[begin : begin + limit]
    return Classification(
        review.id,
        review.name,
        category_set.categories,
        category_set.several,
        review.spec["by"],
        review.spec["least"],
        read_papers(session, [entries[paper_id] for paper_id in part], category_set.names),
        len(ids),
        dict(counts),
        part[-1] if part and begin + limit < len(decided) else "",
        left=len(ids) - len(decided),
    )


def read_papers(session: Session, entries: Sequence[ReviewEntry], names: Sequence[str]) -> tuple[ClassifiedPaper, ...]:
    """Papers with what entries decide, and the words of the sentences; a sentence that is gone is left out."""
    chosen = {entry.paper: decisions(entry, names) for entry in entries}
    closest = {
        entry.paper: CategoryDecision.read(entry.value["closest"]) for entry in entries if entry.value.get("closest")
    }
    places = [decision.place for group in (*chosen.values(), closest.values()) for decision in group if decision.place]
    sentences = read_sentences(session, places)
    keys = session.catalog.keys_of([entry.paper for entry in entries])
    papers = {paper.id: paper for paper in session.catalog.papers_by_key([*keys.values()]).values()}
    labels = label_papers(papers.values())

    def choice(paper: Paper, decision: CategoryDecision) -> CategoryChoice:
        return cite_category(
            decision.name, decision.probability, paper, labels[paper.id], sentences.get(decision.place or ("", ""))
        )

    return tuple(
        ClassifiedPaper(
            papers[entry.paper],
            tuple(choice(papers[entry.paper], decision) for decision in chosen[entry.paper]),
            entry.by,
            choice(papers[entry.paper], closest[entry.paper]) if entry.paper in closest else None,
        )
        for entry in entries
        if entry.paper in papers
    )


Sentence = tuple[Passage, int]
"""A passage, and the place of a sentence in it."""


def read_sentences(session: Session, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Sentence]:
    """The sentences at places (ids of a passage and of a sentence) that there still are."""
    distinct_places = list(dict.fromkeys(places))
    stored = session.catalog.passages_where(passages.c.id, sorted({passage for passage, _ in distinct_places}))
    known = {stored_passage.passage.id: stored_passage.passage for stored_passage in stored.values()}
    sentence_by_place = {}
    for passage_id, span_id in distinct_places:
        spans = known[passage_id].spans if passage_id in known else ()
        for number, span in enumerate(spans):
            if span.id == span_id:
                sentence_by_place[passage_id, span_id] = (known[passage_id], number)
    return sentence_by_place


def cite_category(
    name: str, probability: float | None, paper: Paper, label: str, sentence: Sentence | None
) -> CategoryChoice:
    """A category of a paper with the sentence that speaks for it."""
    if sentence is None:
        return CategoryChoice(name, probability)
    passage, number = sentence
    span = passage.spans[number]
    return CategoryChoice(name, probability, (Citation(paper, passage.id, (span,), span.text, label),))


def correct_paper(
    session: Session, review: Review, paper_id: str, names: Sequence[str], *, undo: bool = False
) -> Classification:
    """Keep the user's own categories of a paper, or take them back; returns that paper alone.

    Raises:
        NotFoundError: there is no such category, or the paper is not in the classification.
        UsageError: there are several, and a paper has one only.
    """
    category_set = categories_of(review)
    chosen = find_categories(category_set, names)
    if len(chosen) > 1 and not category_set.several:
        raise UsageError(f"In '{review.name}' a paper has one category.", "Name one.")
    if paper_id not in sql.papers_of(session.catalog, review):
        raise NotFoundError(f"The paper '{paper_id}' is not in '{review.name}'.", "`review classify` adds papers.")
    if undo:
        user_entries = sql.entries_of(session.catalog, review, field=FIELD, by=USER, paper=paper_id)
        sql.drop_entries(session, review, [entry.key for entry in user_entries])
    else:
        sql.keep_entries(
            session, review, [make_entry(paper_id, USER, list(map(CategoryDecision, chosen)))], instead=True
        )
    classification = show_classification(session, sql.find_review(session, "classify", review.id), 0)
    deciding_entry = deciding_entries(session, review).get(paper_id)
    return replace(
        classification,
        papers=read_papers(session, [deciding_entry], category_set.names) if deciding_entry else (),
        next="",
    )


def find_categories(category_set: CategorySet, names: Sequence[str]) -> tuple[str, ...]:
    """The categories of these names, in any case.

    Raises:
        NotFoundError: there is no such category.
    """
    known = {set_term(name): name for name in category_set.names}
    if unknown := [name for name in names if set_term(name) not in known]:
        raise NotFoundError(
            f"There is no category '{line(unknown[0])}'.", f"There are {', '.join(category_set.names)}."
        )
    return tuple(dict.fromkeys(known[set_term(name)] for name in names))


def collect_papers(session: Session, review: Review, names: Sequence[str]) -> CategoryCollections:
    """Put the papers of categories (none named: of all that have papers) into collections of their names.

    Raises:
        NotFoundError: there is no such category.
    """
    category_set = categories_of(review)
    chosen_names = find_categories(category_set, names) or category_set.names
    entries = deciding_entries(session, review)
    papers: dict[str, list[str]] = {name: [] for name in chosen_names}
    for paper_id in sql.papers_of(session.catalog, review):
        for decision in decisions(entries[paper_id], chosen_names) if paper_id in entries else ():
            papers[decision.name].append(paper_id)
    full = {name: ids for name, ids in papers.items() if ids}
    keep_all(session, {("collection", name): ids for name, ids in full.items()}, ())
    return CategoryCollections({name: len(ids) for name, ids in full.items()})
