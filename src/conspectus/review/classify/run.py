"""Classify the papers of a library, with a language model or by their vectors; a run that ends goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import msgspec

from conspectus.core.errors import BudgetError, ConspectusError
from conspectus.core.job_context import emit
from conspectus.records import Filters, Usage
from conspectus.records.events import Progress
from conspectus.records.review import Classification, Review
from conspectus.review import sql
from conspectus.review.classify.classification import (
    EXAMPLES,
    USER,
    VECTORS,
    CategoryDecision,
    decisions,
    entries_by,
    make_entry,
    make_spec,
    show_classification,
)
from conspectus.review.classify.classifier import VectorClassifier
from conspectus.review.classify.files import CategorySet, PaperLabels
from conspectus.review.classify.papers import AT_ONCE, load_papers
from conspectus.review.classify.reader import PROMPT, ROLE, CategoryReader, Choices, PaperSentences
from conspectus.session.session import Session
from conspectus.settings import NO_MODEL
from conspectus.store.facets import filtered_paper_ids

CALLED = "Categories"


@dataclass(frozen=True, slots=True)
class ClassifyRequest:
    """What is to be classified, and how.

    Attributes:
        least: the probability that a category needs.
        model: of language; "": that of the settings, `none`: without one.
        redo: without what was decided before and what models have replied before.
        limit: papers in the result.
    """

    categories: CategorySet
    labels: PaperLabels
    filters: Filters
    name: str = ""
    least: float = 0.5
    model: str = ""
    redo: bool = False
    limit: int = 1000

    @property
    def review_name(self) -> str:
        """The name of the classification."""
        return self.name or self.categories.name or CALLED


def classify(session: Session, request: ClassifyRequest) -> Classification:
    """Classify papers and keep what was decided; see `ClassifyVerbs.classify`."""
    review = sql.find_of_name(session.catalog, "classify", request.review_name)
    ids = filtered_paper_ids(session.catalog, request.filters)
    model = request.model or session.settings.language.of(ROLE)
    with_model = bool(model) and model != NO_MODEL
    if not with_model:
        session.check_model()
    category_set = request.categories
    if not ids:
        nothing = Classification(
            "", request.review_name, category_set.categories, category_set.several, "", request.least
        )
        return replace(
            nothing,
            failed=request.labels.failed,
            notes=("No paper passes the filters, so nothing was classified.",),
        )
    run = _Run(session, request, _open_review(session, request, review, ids))
    run.prepare()
    run.read_by_model() if with_model else run.read_by_vectors()
    return run.result()


def _open_review(session: Session, request: ClassifyRequest, review: Review | None, ids: Sequence[str]) -> Review:
    """The classification that is kept, with these papers; made where there is none."""
    if review:
        sql.add_papers(session, review, ids)
        return review
    spec = make_spec(request.categories, request.filters, request.least, VECTORS, {})
    return sql.create_review(session, "classify", request.review_name, spec, ids)


@dataclass(slots=True)
class _Run:
    """One run: `papers` are keys by ids, `labels` what examples and corrections say."""

    session: Session
    request: ClassifyRequest
    review: Review
    papers: dict[str, int] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stopped: str = ""
    usage: Usage = field(default_factory=Usage)

    def prepare(self) -> None:
        """Keep the labels that were given, and collect what is known of papers."""
        labels, names = self.request.labels, self.request.categories.names
        self.failed |= labels.failed
        examples = [
            make_entry(paper, EXAMPLES, list(map(CategoryDecision, category_names)))
            for paper, category_names in labels.of.items()
        ]
        sql.keep_entries(self.session, self.review, examples, instead=True)
        for by in (EXAMPLES, USER):
            for paper, entry in entries_by(self.session, self.review, by).items():
                self.labels[paper] = tuple(decision.name for decision in decisions(entry, names))
        self.papers = sql.papers_of(self.session.catalog, self.review)

    def begin(self, by: str, *criteria: Any) -> list[str]:
        """The ids of papers that `by` has not decided by the same categories and the same `criteria`."""
        category_set = self.request.categories
        digest = blake2b(
            msgspec.json.encode((category_set.categories, category_set.several, *criteria)), digest_size=16
        ).hexdigest()
        digests = self.review.spec["digests"]
        entries = entries_by(self.session, self.review, by)
        if digests.get(by) != digest or self.request.redo:
            sql.drop_entries(self.session, self.review, [entry.key for entry in entries.values()])
            entries = {}
        spec = make_spec(category_set, self.request.filters, self.request.least, by, {**digests, by: digest})
        self.review = sql.change_review(self.session, self.review, spec=spec)
        return [paper for paper in self.papers if paper not in entries]

    def read_by_vectors(self) -> None:
        """Decide by vectors and words, a few hundred papers at a time."""
        least, embedder = self.request.least, self.session.embedder.id
        todo = self.begin(VECTORS, embedder, least, sorted(self.labels.items()), sorted(self.papers))
        if not todo:
            return
        classifier = VectorClassifier.fit(self.session, self.request.categories, least, self.labels, self.papers)
        self.notes += classifier.notes
        done = len(self.papers) - len(todo)
        for start in range(0, len(todo), AT_ONCE):
            block = todo[start : start + AT_ONCE]
            loaded = load_papers(self.session, [self.papers[paper] for paper in block])
            sql.keep_entries(self.session, self.review, classifier.decide(loaded), instead=True)
            for paper in {*block} - {embedded_paper.paper.id for embedded_paper in loaded}:
                self.failed[paper] = "It has no embedded text."
            done += len(block)
            emit(Progress("classifying", done, len(self.papers), "papers"))

    def read_by_model(self) -> None:
        """Have a language model decide, several papers at a time; each is kept as it comes."""
        client, call_cache = self.session.caller(self.request.model, fresh=self.request.redo)
        category_set = self.request.categories
        by = f"model:{client.models.of(ROLE).id}"
        todo = self.begin(by, client.prompts.get(PROMPT).id)
        reader = CategoryReader(client, category_set.categories, category_set.several)
        done = len(self.papers) - len(todo)

        async def job(put: Callable[[tuple[PaperSentences, Choices | ConspectusError]], None]) -> None:
            try:
                await reader.run(self._readable(todo), lambda paper_text, outcome: put((paper_text, outcome)))
            finally:
                await call_cache.finish()

        for paper_text, outcome in self.session.loop.events(job) if todo else ():
            done += 1
            if isinstance(outcome, ConspectusError):
                if not isinstance(outcome, BudgetError):
                    self.failed[paper_text.paper.id] = outcome.message
            else:
                chosen = [
                    CategoryDecision(category_set.names[place], None, (passage.id, span.id))
                    for place, passage, span in outcome
                ]
                sql.keep_entries(self.session, self.review, [make_entry(paper_text.paper.id, by, chosen)], instead=True)
            emit(Progress("classifying", done, len(self.papers), "papers", paper_text.paper.title))
        self.stopped = str(reader.stopped) if reader.stopped else ""
        self.usage = client.usage
        self.notes += [call_cache.trouble] if call_cache.trouble else []

    def _readable(self, todo: Sequence[str]) -> Iterator[PaperSentences]:
        """The papers that have sentences."""
        catalog = self.session.catalog
        for paper in todo:
            readable = [
                PaperSentences.of(stored_paper, catalog.passages(paper)) for stored_paper in catalog.find_papers(paper)
            ]
            if readable and readable[0].sentences:
                yield readable[0]
            else:
                self.failed[paper] = "It has no sentences that a model could read."

    def result(self) -> Classification:
        """What is kept now, and what came of the run."""
        classification = show_classification(self.session, self.review, self.request.limit)
        return replace(
            classification,
            failed=self.failed,
            stopped=self.stopped,
            usage=self.usage,
            notes=tuple(dict.fromkeys(self.notes)),
        )
