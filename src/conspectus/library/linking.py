"""Entities: linking the papers' sentences to vocabularies, and what is spoken of most and least."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from conspectus.catalog import derivations
from conspectus.catalog import mentions as kept
from conspectus.catalog.candidates import Candidate, mention_row
from conspectus.catalog.connected import chunks
from conspectus.catalog.filter_clauses import count_papers
from conspectus.catalog.mentions import Together
from conspectus.catalog.passage_rows import own_name
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.job_context import listen
from conspectus.ingest.derivations.mentions import Mentions
from conspectus.ingest.derivations.of_paper import Made, Subject
from conspectus.library.kept_names import LINKED, table_of
from conspectus.library.link_methods import finder_of, keep_method, methods_version
from conspectus.library.resolving import recalling
from conspectus.library.session import Session
from conspectus.models.store import ModelStore
from conspectus.models.vocabulary import plain_ranks
from conspectus.records import Filters, Passage
from conspectus.records.entities import ExtractReport
from conspectus.records.graph import Entity, LinkReport, Mention
from conspectus.records.jobs import Progress

if TYPE_CHECKING:
    from conspectus.graph.linking import Match

_WORDS = 150
"""Words of a passage, about, that stand in none before."""
NONE = "`link` finds the entities of papers, and `vocabularies` lists by which; `add_vocabulary` adds one."


def link(
    session: Session,
    model: str | None = None,
    *,
    method: str = "",
    progress: Callable[[Progress], None] | None = None,
) -> LinkReport:
    """Find the entities of the library's vocabularies in all sentences of its papers; with a model, others as well.

    Papers that were gone through by these vocabularies are left as they are; where it is interrupted, it goes on from
    there. A language model then reads each passage that it has not read (K3): what it names counts where it stands
    there, beside what names find, and it says which of both are entities (K4). What no vocabulary has waits for review
    (`new_entities`).

    Args:
        model: reads the passages, too; "": that which `language.summarise` names; None: none does.
        method: `exact`: names, in all forms that are made of them; `fuzzy`: words, too, that are nearly theirs, as
            misprints are; `semantic`: where no name is found, what is near one by its vector; `both`: all of these. The
            library goes on with it; "": that of before, at first `exact`.
        progress: is told how far it is.

    Raises:
        UsageError: the library has no vocabulary, and no model is to read; or there is no such method.
        UnavailableError: no language model is set.
        ServiceError: the model cannot be asked.
        BusyError: another process, or job of this one, is writing to the library.
    """
    from conspectus.ingest.derive import derive_missing

    catalog, by = session.catalog, kept.vocabulary_names(session.catalog)
    if not by and model is None:
        raise UsageError("The library has no vocabulary yet.", "`add_vocabulary` reads one: OWL, SKOS, OBO, MeSH, CSV.")
    if model is not None:
        session.chosen(model).of("summarise")  # what is set wrong is told before anything is done
    with listen(progress, Progress):
        with session.writing():
            keep_method(session, method)
            mentions = Mentions(_Linking(session, recalling(session)), version(session))
            lacking = mentions.count_lacking(catalog, derivations.noted(catalog))
            made = derive_missing(catalog, [mentions])[mentions.name]
        extracted = None if model is None else _extracted(session, model)
    rows, entities = kept.size(catalog)
    return LinkReport(made, count_papers(catalog, Filters()), rows, entities, lacking - made, by, extracted)


def _extracted(session: Session, model: str) -> ExtractReport:
    from conspectus.library.extracting import extract

    return extract(session, model)


def version(session: Session) -> str:
    """What mentions are noted with: who links, how, and by what."""
    return f"{LINKED}/{kept.vocabularies_digest(session.catalog)}{methods_version(session)}"


@dataclass(frozen=True, slots=True)
class _Linking:
    """Finds the mentions of a paper; what a language model said of its words holds on."""

    session: Session
    recall: Callable[[Subject, Sequence[Candidate]], Made] | None

    def __call__(self, paper: Subject) -> Made:
        found = named(self.session, paper.passages)
        if self.recall and (made := self.recall(paper, [candidate for _, candidate in found])):
            return made
        return ([mention_row(candidate, one.concept) for one, candidate in found], ())


def named(session: Session, passages: Sequence[Passage]) -> list[tuple[Match, Candidate]]:
    """Where names of vocabularies stand in a paper of these passages."""
    spans = {span.id: (passage.id, span.text) for passage in reversed(passages) for span in passage.spans}
    found = finder_of(session).link([text for _, text in reversed(spans.values())])
    names = kept.ids(session.catalog, {key for group in found for one in group for key in _keys(one)})
    return [
        (one, Candidate(own_name(passage), own_name(span), one.start, one.stop, text[one.start : one.stop],
                        names[one.concept], one.score, one.method,
                        tuple((names[key], score) for key, score in one.others)))
        for (span, (passage, text)), group in zip(reversed(spans.items()), found, strict=True)
        for one in group
    ]  # fmt: skip


def _keys(one: Match) -> Iterator[int]:
    yield one.concept
    yield from (key for key, _ in one.others)


def entities(
    session: Session,
    paper: str = "",
    *,
    top: int = 50,
    rare: bool = False,
    general: bool = False,
    vocabulary: str = "",
    filters: Filters | None = None,
) -> tuple[Entity, ...]:
    """The entities that are most, or least, spoken of (K11), in the library or in one paper, by sentences.

    Of a library of 100 papers or more those that are most spoken of are without general ones: everyday words (`data`,
    `number`) of which all papers speak alike; see `graph.generality`.

    Args:
        paper: its id; "": all that pass the filters.
        top: how many at most.
        rare: those that fewest sentences speak of, first.
        general: general ones, too.
        vocabulary: only those of this one.
        filters: which papers.

    Raises:
        NotFoundError: there is no such paper, or vocabulary.
    """
    catalog = session.catalog
    own = kept.of_vocabulary(catalog, vocabulary) if vocabulary else None
    if own is not None and not len(own):
        raise NotFoundError(f"There is no vocabulary '{vocabulary}'.", "`vocabularies` lists them.")
    found = (
        kept.counts_of_paper(catalog, catalog.paper_key(session.paper(paper).id))
        if paper
        else kept.counts(catalog, filters=filters)
    )
    wanted = found.keys() if own is None else found.keys() & set(own.tolist())
    sign = 1 if rare else -1
    order = sorted(wanted, key=lambda key: (sign * found[key].sentences, sign * found[key].papers, key))
    if not (rare or general or paper):
        order = _own(session, order, found, filters or Filters(), top)
    return tuple(kept.entities(catalog, {key: found[key] for key in order[:top]}).values())


def _own(
    session: Session, order: Sequence[int], found: Mapping[int, Together], filters: Filters, top: int
) -> list[int]:
    """The first `top` concepts that are not general, in their order."""
    from conspectus.graph.generality import Generality

    catalog, ranks = session.catalog, plain_ranks(ModelStore(session.settings.models.store or None))
    papers, counts = count_papers(catalog, filters), catalog.counts()
    words = _WORDS * counts["passages"] * papers // max(1, counts["papers"])
    judge, own = Generality(ranks or {}, papers, max(1, words)), list[int]()
    for some in chunks(order):
        names = kept.one_word_names(catalog, some)
        own += [
            key for key in some if not judge.is_general(names.get(key, ()), found[key].sentences, found[key].papers)
        ]
        if len(own) >= top:
            break
    return own[:top]


def mentions(session: Session, paper: str = "", *, spans: Sequence[str] = ()) -> tuple[Mention, ...]:
    """Where a paper's sentences, or some sentences of any papers, speak of entities, in reading order.

    Args:
        paper: any of its names.
        spans: instead, ids of sentences; those that are not here any more are passed over.

    Raises:
        NotFoundError: there is no such paper.
    """
    if not paper:
        order = {name: number for number, name in enumerate(spans)}
        said = [one for some in chunks(list(order)) for one in kept.of_sentences(session.catalog, some)]
        return tuple(sorted(said, key=lambda one: (order[one.span_id], one.start)))
    known = session.paper(paper)
    all_of_it = (span for passage in session.catalog.passages(known.id) for span in passage.spans)
    own = {span.id: (number, span.text) for number, span in enumerate(all_of_it)}
    key = session.catalog.paper_key(known.id)
    found = [one for one in kept.of_papers(session.catalog, [key]).get(key, ()) if one.span_id in own]
    said = [replace(one, text=own[one.span_id][1][one.start : one.stop]) for one in found]
    return tuple(sorted(said, key=lambda one: (own[one.span_id][0], one.start)))


def is_linked(session: Session) -> bool:
    """Whether any sentence of the library is known to speak of an entity."""
    return kept.are_any(session.catalog)


def as_linked(session: Session, text: str, *, whole: bool = False, spoken: bool = True) -> list[int]:
    """The concepts that a text, such as a question, speaks of.

    Args:
        text: its abbreviations need no definition.
        whole: only those that all of it means.
        spoken: only those that papers speak of, too.
    """
    from conspectus.graph.linking.linker import link_question

    catalog = session.catalog
    if not kept.vocabulary_names(catalog):
        return []
    every = partial(kept.spoken_of, catalog) if spoken else lambda keys: keys
    found = link_question(table_of(session), text, every)
    wanted = (one.concept for one in found if not whole or one.stop - one.start == len(text))
    return kept.merged_into(catalog, list(dict.fromkeys(wanted)))
