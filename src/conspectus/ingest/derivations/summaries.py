"""Summaries that language models wrote: cut into passages, kept as long as they hold (`summaries` makes them)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from conspectus.index.protocol import SUMMARIES
from conspectus.ingest.derivations.protocol import Derivation, Lines, passage_fields
from conspectus.ingest.derivations.vectors import Vectors
from conspectus.models.protocol import Embedder
from conspectus.parse.text.passages import Ids, cuts
from conspectus.records import Paper, Passage, Span, Summary
from conspectus.records.passage import embedding_text
from conspectus.records.views import pick_fields
from conspectus.store import rows, summaries
from conspectus.store import summaries as summary_rows
from conspectus.store.catalog import Catalog
from conspectus.store.connection import bump, transact
from conspectus.store.derivations import Prepared, Stored
from conspectus.store.rows import PaperDraft, StoredPassages, StoredSummary
from conspectus.store.summaries import digest_of


class Summaries(Derivation):
    """See `Derivation`.

    They hold as long as the paper has the same sentences in the same order, whatever is known of it otherwise and
    however it is cut. Else none is kept: what a model wrote of the paper as it was may say what it no longer says.
    """

    name = "summaries"
    version = ""
    index_name = SUMMARIES
    schema = "conspectus.summary/1"

    def carry_passages(self, catalog: Catalog, drafts: Sequence[PaperDraft]) -> Sequence[PaperDraft]:
        """See `Derivation.carry_passages`."""
        keys = [key for draft in drafts for key in draft.keys]
        stored = summary_rows.of_papers(catalog, keys)
        ids = {key: paper.id for key, paper in catalog.papers_by_key(list(stored)).items()}
        return [_with(draft, stored, ids) if stored else draft for draft in drafts]

    def prepare(self, catalog: Catalog, drafts: Sequence[PaperDraft], stored_passages: StoredPassages) -> Prepared:  # noqa: ARG002
        """See `Derivation.prepare`."""
        return _Carried([summary for draft in drafts for summary in draft.summaries])

    def passages(self, catalog: Catalog, paper_keys: Sequence[int] | None = None) -> npt.NDArray[np.int64]:
        """See `Derivation.passages`."""
        return summary_rows.keys(catalog, paper_keys)

    def lines(self, catalog: Catalog, paper_keys: Sequence[int]) -> Lines:
        """See `Derivation.lines`."""
        return {
            key: [_line(row.summary) for row in group]
            for key, group in summary_rows.of_papers(catalog, paper_keys).items()
        }


@dataclass(frozen=True, slots=True)
class _Carried:
    """See `Prepared`: what is known of summaries whose passages are stored."""

    summaries: Sequence[Summary]

    def put(self, connection: Connection, stored: Stored) -> set[int]:
        summary_rows.save_summaries(
            connection, [(stored.passages[summary.passage.id], summary) for summary in self.summaries]
        )
        return set()


def _line(summary: Summary) -> dict[str, Any]:
    return {**passage_fields(summary.passage), **pick_fields(summary, "model", "prompt", "made", "links")}


def _with(draft: PaperDraft, stored: Mapping[int, Sequence[StoredSummary]], ids: Mapping[int, str]) -> PaperDraft:
    """The draft with the summaries of the first of its papers, of those that it takes up too, whose summaries hold."""
    for key in draft.keys:
        if key in stored:
            digest = digest_of(_rename_passage(passage, draft.id, ids[key]) for passage in draft.passages)
            holding = [_moved(row.summary, ids[key], draft) for row in stored[key] if row.summary.digest == digest]
            if holding:
                numbered = enumerate(holding, len(draft.passages))
                return replace(draft, summaries=tuple(_numbered(summary, number) for number, summary in numbered))
    return draft


def _moved(summary: Summary, old: str, draft: PaperDraft) -> Summary:
    """The summary of a paper that was called `old` as one of a draft, which takes that up."""
    if old == draft.id:
        return summary
    links = tuple(tuple(_name(name, old, draft.id) for name in names) for names in summary.links)
    passage = _rename_passage(summary.passage, old, draft.id)
    return replace(summary, passage=passage, links=links, digest=digest_of(draft.passages))


def _rename_passage(passage: Passage, old: str, new: str) -> Passage:
    """A passage with its spans, of a paper that is called otherwise."""
    if old == new:
        return passage
    spans = tuple(replace(span, id=_name(span.id, old, new)) for span in passage.spans)
    return replace(passage, id=_name(passage.id, old, new), paper_id=new, spans=spans)


def _name(name: str, old: str, new: str) -> str:
    return f"{new}{name.removeprefix(old)}"


def _numbered(summary: Summary, number: int) -> Summary:
    return replace(summary, passage=replace(summary.passage, ordinal=number))


@dataclass(frozen=True, slots=True)
class SummarySentenceRow:
    """What a model wrote, and the ids of the paper's spans that carry it."""

    text: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condensed:
    """A stretch of a paper, condensed; `section` is the path of headings that it stands under."""

    section: str
    sentences: tuple[SummarySentenceRow, ...]


@dataclass(frozen=True, slots=True)
class SummaryOrigin:
    """Who wrote a summary, asked what, when (ISO 8601, UTC), of which sentences (`digest_of`)."""

    model: str
    prompt: str
    made: str
    digest: bytes


def as_summaries(
    paper_id: str, condensed: Sequence[Condensed], by: SummaryOrigin, chars: int, passage_count: int
) -> list[Summary]:
    """Summary passages of at most `chars` characters, each of one stretch; `passage_count`: the paper's.

    Their ids, and those of their sentences, are made as the paper's own are, with other letters.
    """
    ids = Ids(paper_id)
    new_summaries: list[Summary] = []
    for stretch in condensed:
        spans = _spans(stretch.sentences, ids)
        for first, last in cuts(spans, chars, 0):
            passage = _passage(paper_id, stretch, spans[first : last + 1], passage_count + len(new_summaries), ids)
            links = tuple(sentence.sources for sentence in stretch.sentences[first : last + 1])
            new_summaries.append(Summary(passage, links, by.model, by.prompt, by.made, by.digest))
    return new_summaries


def _spans(sentences: Sequence[SummarySentenceRow], ids: Ids) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for sentence in sentences:
        end = start + len(sentence.text)
        spans.append(Span(ids.make("v", sentence.text), start, end, sentence.text))
        start = end + 1
    return spans


def _passage(paper_id: str, stretch: Condensed, spans: Sequence[Span], ordinal: int, ids: Ids) -> Passage:
    start = spans[0].start
    text = " ".join(span.text for span in spans)
    own_spans = tuple(replace(span, start=span.start - start, end=span.end - start) for span in spans)
    name = ids.make("u", "\0".join((stretch.section, text)))
    return Passage(name, paper_id, "summary", stretch.section, text, own_spans, ordinal)


def store(catalog: Catalog, embedder: Embedder, paper: Paper, new_summaries: Sequence[Summary]) -> bool:
    """Make these the summaries of a paper, in one transaction; False, and nothing done, if it has changed since.

    The caller holds the library's writer lock.
    """
    if not catalog.has_paper(paper.id) or new_summaries[0].digest != digest_of(catalog.passages(paper.id)):
        return False
    key = catalog.paper_key(paper.id)
    texts = {summary.passage.id: embedding_text(paper, summary.passage)[0] for summary in new_summaries}
    embedded = Vectors(embedder).of_texts(catalog, texts, {}, [key])

    def put(connection: Connection) -> None:
        summaries.drop(connection, key)
        keys = rows.add_passages(connection, [(key, summary.passage) for summary in new_summaries])
        embedded.put(connection, Stored([key], (), keys, {}))
        summaries.save_summaries(connection, [(keys[summary.passage.id], summary) for summary in new_summaries])
        bump(connection, [key])

    transact(catalog.engine, put)
    return True
