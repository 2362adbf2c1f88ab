"""What language models wrote of papers: made by a verb of its own (`ingest.summaries`), kept as long as it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from conspectus.index.protocol import SUMMARIES
from conspectus.ingest.derivations.protocol import Derivation, Lines, passage_fields
from conspectus.records import Passage, Summary
from conspectus.records.views import pick_fields
from conspectus.store import summaries as kept
from conspectus.store.catalog import Catalog
from conspectus.store.derivations import Prepared, Stored
from conspectus.store.rows import Draft, StoredPassages, StoredSummary
from conspectus.store.summaries import digest_of


class Summaries(Derivation):
    """See `Derivation`.

    They hold as long as the paper has the same sentences in the same order, whatever is known of it otherwise and
    however it is cut. Else none is kept: what a model wrote of the paper as it was may say what it no longer says.
    """

    name = "summaries"
    version = ""
    beside = SUMMARIES
    schema = "conspectus.summary/1"

    def carried(self, catalog: Catalog, drafts: Sequence[Draft]) -> Sequence[Draft]:
        """See `Derivation.carried`."""
        keys = [key for draft in drafts for key in draft.keys]
        stored = kept.of_papers(catalog, keys)
        ids = {key: paper.id for key, paper in catalog.papers_by_key(list(stored)).items()}
        return [_with(draft, stored, ids) if stored else draft for draft in drafts]

    def prepared(self, catalog: Catalog, drafts: Sequence[Draft], held: StoredPassages) -> Prepared:  # noqa: ARG002
        """See `Derivation.prepared`."""
        return _Carried([one for draft in drafts for one in draft.summaries])

    def passages(self, catalog: Catalog) -> npt.NDArray[np.int64]:
        """See `Derivation.passages`."""
        return kept.keys(catalog)

    def lines(self, catalog: Catalog, paper_keys: Sequence[int]) -> Lines:
        """See `Derivation.lines`."""
        return {
            key: [_line(one.summary) for one in group] for key, group in kept.of_papers(catalog, paper_keys).items()
        }


@dataclass(frozen=True, slots=True)
class _Carried:
    """See `Prepared`: what is known of summaries whose passages are stored."""

    summaries: Sequence[Summary]

    def put(self, connection: Connection, stored: Stored) -> set[int]:
        kept.put(connection, [(stored.passages[one.passage.id], one) for one in self.summaries])
        return set()


def _line(summary: Summary) -> dict[str, Any]:
    return {**passage_fields(summary.passage), **pick_fields(summary, "model", "prompt", "made", "links")}


def _with(draft: Draft, stored: Mapping[int, Sequence[StoredSummary]], ids: Mapping[int, str]) -> Draft:
    """The draft with the summaries of the first of its papers, of those that it takes up too, whose summaries hold."""
    for key in draft.keys:
        if key in stored:
            digest = digest_of(_called(passage, draft.id, ids[key]) for passage in draft.passages)
            holding = [_moved(one.summary, ids[key], draft) for one in stored[key] if one.summary.digest == digest]
            if holding:
                numbered = enumerate(holding, len(draft.passages))
                return replace(draft, summaries=tuple(_numbered(one, number) for number, one in numbered))
    return draft


def _moved(summary: Summary, old: str, draft: Draft) -> Summary:
    """The summary of a paper that was called `old` as one of a draft, which takes that up."""
    if old == draft.id:
        return summary
    links = tuple(tuple(_name(name, old, draft.id) for name in names) for names in summary.links)
    passage = _called(summary.passage, old, draft.id)
    return replace(summary, passage=passage, links=links, digest=digest_of(draft.passages))


def _called(passage: Passage, old: str, new: str) -> Passage:
    """A passage with its spans, of a paper that is called otherwise."""
    if old == new:
        return passage
    spans = tuple(replace(span, id=_name(span.id, old, new)) for span in passage.spans)
    return replace(passage, id=_name(passage.id, old, new), paper_id=new, spans=spans)


def _name(name: str, old: str, new: str) -> str:
    return f"{new}{name.removeprefix(old)}"


def _numbered(summary: Summary, number: int) -> Summary:
    return replace(summary, passage=replace(summary.passage, ordinal=number))
