"""Write a report: gather evidence, group it, write each group as a section, and name what disagrees.

Quotes come first: the outline is stored as sections of quotes, and each section is then replaced by what a model writes
from its sentences alone. So a run that was killed goes on with the sections that are still quotes.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from conspectus.answer.missing_words import explain_missing
from conspectus.answer.pipeline import METHOD, QuestionRun
from conspectus.answer.prose import prose
from conspectus.answer.sentences import QuotableSentence, read
from conspectus.consensus.survey import survey_papers
from conspectus.core.errors import BudgetError, ConspectusError, ModelAnswerError, ServiceError
from conspectus.core.groups import grouped
from conspectus.core.text import pluralize
from conspectus.evidence.gather import Gathering, select
from conspectus.llm.client import LlmClient
from conspectus.papers.retriever import make_retriever
from conspectus.records import Answer, AskOptions, Citation, Evidence, Filters, Paper, Passage, Statement
from conspectus.records.events import Event, PassagesFound, Progress
from conspectus.records.paper import label_papers
from conspectus.records.review import ReportCoverage, ReportSection, Review
from conspectus.review.report import store
from conspectus.review.report.contradictions import compare_statements
from conspectus.review.report.limitations import surest_limitation
from conspectus.review.report.outline import (
    LEAST_EACH,
    group_by_subject,
    group_evidence,
    model_titles,
    outline_pieces,
)
from conspectus.review.report.paper_statements import PaperStatement
from conspectus.search.retriever import Retriever
from conspectus.search.search import explain_nothing
from conspectus.session.session import Session
from conspectus.settings import NO_MODEL, Settings
from conspectus.store.facets import count_papers

READ_EACH, KEPT_EACH = 6, 5
"""Passages read, and pieces of evidence kept, for each section that is wanted."""
OF_ONE_PAPER = 3
"""Sentences of one paper in an outline without a model, at most."""
REACH = 0.6
"""Of the best sentence's score: those below are not quoted in an outline."""
OTHERS = "Other findings"
FEW_SECTIONS = 2
"""With so few sections none is about one named subject, with the rest as other findings."""
LIMITATIONS = "Limitations and open questions"
AGREEMENT = "How far the papers agree"
_MOST_LIMITATIONS = 12
"""Papers whose limitations an outline without a model quotes."""
_LIMITS = "Limitations, open questions and conflicting results: {}"
_JUDGED = 40
"""Pairs of the evidence that are judged for disagreements, at most."""
Put = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What a report is to be.

    Attributes:
        sections: groups of evidence, at most; limitations come on top.
        model: sets the language model of every role; "": as the settings say.
        cache: False: models are asked also what they have answered before.
        level, language: as of `AskOptions`.
    """

    question: str
    filters: Filters
    sections: int = 8
    model: str = ""
    cache: bool = True
    level: str = ""
    language: str = ""

    @property
    def options(self) -> AskOptions:
        """How each section is asked for."""
        return AskOptions(model=self.model, level=self.level, language=self.language, cache=self.cache)


def writes(session: Session, model: str) -> bool:
    """Whether there is a language model that writes."""
    name = model or session.settings.language.of("write")
    return bool(name) and name != NO_MODEL


@dataclass(slots=True)
class _OutlineDraft:
    """What an outline is made of: pieces of evidence in groups, each with its title, and how it was gathered.

    `why_empty`: why there is no evidence, where more is known than that the search found none.
    """

    groups: list[list[Evidence]] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    coverage: ReportCoverage = field(default_factory=ReportCoverage)
    notes: list[str] = field(default_factory=list)
    models: tuple[str, ...] = ()
    why_empty: str = ""


def outline(session: Session, review: Review, request: ReportRequest) -> None:
    """Gather evidence for a report, and store it as sections of quotes.

    Raises:
        ServiceError: a model cannot be asked.
    """
    retriever = make_retriever(session)
    with_model = writes(session, request.model)
    draft = (_by_model if with_model else _by_search)(session, retriever, request)
    if not draft.groups:
        draft.notes.append(draft.why_empty or explain_nothing(retriever, request.filters))
    searched = count_papers(session.catalog, request.filters)
    coverage = replace(draft.coverage, searched=searched)
    sections = [
        (title, _quote_section(group, store.new_section_id(session), draft.models))
        for group, title in zip(draft.groups, draft.titles, strict=True)
    ]
    why = session.settings.language.none_for("write", request.model)
    quotes = f"A language model writes sections and finds disagreements, and {why}: these are quotes."
    notes = {"outline": " ".join(dict.fromkeys(draft.notes)), "writing": "" if with_model or not sections else quotes}
    stage = "outlined" if sections else "begun"
    store.add_outline(session, review, sections, {"coverage": asdict(coverage), "notes": notes, "stage": stage})


def _by_search(session: Session, retriever: Retriever, request: ReportRequest) -> _OutlineDraft:
    """The best sentences for the question, in groups, and what their papers say of their limits."""
    passages = max(session.settings.answer.passages, READ_EACH * request.sections)
    with retriever.at_one_moment() as now:
        query = now.encode(request.question, request.filters)
        reading = read(now, query, now.retrieve(query, request.filters, passages)[:passages])
        candidates = reading.candidates
        why_empty = explain_missing(now, query, reading) if candidates else ""
    papers = {candidate.paper.id: candidate.paper.has_full_text for candidate in candidates}
    coverage = ReportCoverage(0, len(papers), len(papers), sum(not full for full in papers.values()))
    notes = [retriever.note] if retriever.note else []
    if why_empty:
        return _OutlineDraft(coverage=coverage, notes=notes, why_empty=why_empty)
    chosen = _best(candidates, KEPT_EACH * request.sections)
    groups, titles = _group(session, [_evidence(candidate) for candidate in chosen], request)
    if limits := _limitations(session, [candidate.paper for candidate in chosen]):
        groups, titles = [*groups, limits], [*titles, LIMITATIONS]
    return _OutlineDraft(groups, titles, coverage, notes, (session.embedder.id,))


def _limitations(session: Session, quoted: Sequence[Paper]) -> list[Evidence]:
    """What papers say most surely of the limits of their studies, of those first that are quoted first."""
    papers = {paper.id: paper for paper in quoted}
    keys = session.catalog.keys_of(list(papers))
    stored = session.catalog.passages_of(sorted(keys.values())).values()
    passages_by_paper = grouped((stored_passage.paper_key, stored_passage.passage) for stored_passage in stored)
    limitations = (
        (paper, surest_limitation(passages_by_paper.get(keys[name], ())))
        for name, paper in papers.items()
        if name in keys
    )
    return [
        Evidence("", paper, limitation[0].id, (limitation[1],), "", 0, 0.0)
        for paper, limitation in limitations
        if limitation
    ][:_MOST_LIMITATIONS]


def _best(candidates: Sequence[QuotableSentence], most: int) -> list[QuotableSentence]:
    """The best sentences, a few of each paper and none of them twice; those far behind the first are left out."""
    best_sentences: list[QuotableSentence] = []
    count: Counter[str] = Counter()
    top = max((candidate.score for candidate in candidates), default=0.0)
    for candidate in candidates:
        if len(best_sentences) == most:
            break
        if candidate.score < REACH * top:
            continue
        if count[candidate.paper.id] < OF_ONE_PAPER and not any(
            candidate.words == other.words for other in best_sentences
        ):
            count[candidate.paper.id] += 1
            best_sentences.append(candidate)
    return best_sentences


def _evidence(candidate: QuotableSentence) -> Evidence:
    return Evidence("", candidate.paper, candidate.passage.id, (candidate.span,), "", 0, candidate.score)


def _by_model(session: Session, retriever: Retriever, request: ReportRequest) -> _OutlineDraft:
    """What a model reads of the passages found, in groups that it names."""
    draft: _OutlineDraft

    async def job(put: Put) -> None:
        async with session.client(request.model, fresh=not request.cache) as client:
            put(await _read(session, retriever, request, client, put))

    *_, draft = session.loop.events(job)  # what comes before the draft is told to who listens
    return draft


async def _read(
    session: Session, retriever: Retriever, request: ReportRequest, client: LlmClient, put: Put
) -> _OutlineDraft:
    paper_count = 0

    def tell(event: Event) -> None:
        nonlocal paper_count
        paper_count = max(paper_count, event.papers) if isinstance(event, PassagesFound) else paper_count
        put(event)

    settings = _widened(session.settings, request.sections)
    run = QuestionRun(retriever, client, request.question, request.filters, request.options, settings, tell)
    await run.prepare()
    gathering = await run.gather(request.question)
    limits = Gathering()
    try:
        narrow = replace(run, settings=_widened(session.settings, 1))
        limits = await narrow.gather(_LIMITS.format(request.question), alone=True)
    except (ServiceError, BudgetError) as error:
        run.note(f"Limitations were not read: {error.message}")
    evidence = list(select(gathering.evidence, run.reading))
    further = list(select(gathering.new_in(limits), _widened(session.settings, 1).evidence))
    groups, titles = await asyncio.to_thread(_group, session, evidence, request)
    unnamed = [group for group, title in zip(groups, titles, strict=True) if not title]
    texts = [[span.text for item in group for span in item.spans] for group in unnamed]
    try:
        papers = [item.paper.id for item in evidence]
        names = await model_titles(client, request.question, texts, papers) if unnamed else []
        titles = [*names, *titles[len(names) :]]
    except (ModelAnswerError, BudgetError) as error:
        run.note(f"The sections are called by their key phrases: {error.message}")
    if further and groups:
        groups, titles = [*groups, further], [*titles, LIMITATIONS]
    read_papers = {*gathering.papers, *limits.papers}
    full = {item.paper.id: item.paper.has_full_text for group in groups for item in group}
    coverage = ReportCoverage(
        0,
        max(paper_count, len(read_papers)),
        len(read_papers),
        sum(not has_text for has_text in full.values()),
        max(paper_count - len(read_papers), 0),
    )
    return _OutlineDraft(groups, titles, coverage, [run.noted] if run.noted else [], client.names())


def _widened(settings: Settings, sections: int) -> Settings:
    """The settings, with so much to be read as a report of so many sections needs."""
    evidence_settings = settings.evidence
    wide = replace(
        evidence_settings,
        read=max(evidence_settings.read, READ_EACH * sections),
        keep=max(evidence_settings.keep, KEPT_EACH * sections),
    )
    return replace(settings, evidence=wide)


def _group(
    session: Session, evidence: Sequence[Evidence], request: ReportRequest
) -> tuple[list[list[Evidence]], list[str]]:
    """Evidence in groups, each about one subject, and their titles; "": it gets one by what it says."""
    vectors = np.array(
        [embedding.vector for embedding in session.embedder.embed([item.quote for item in evidence])], np.float32
    )
    groups: list[list[int]] = []
    others = list(range(len(evidence)))
    if len(evidence) > LEAST_EACH and request.sections > FEW_SECTIONS:
        groups, others = group_by_subject(outline_pieces(evidence), vectors, request.question, request.sections - 1)
    if not groups:  # nothing is called by a name that is known: such as in other languages
        groups, others = group_evidence(vectors, request.sections), []
    titles = [""] * len(groups) + [OTHERS] * bool(others)
    return [[evidence[place] for place in group] for group in (*groups, *([others] if others else []))], titles


def _quote_section(group: Sequence[Evidence], answer_id: str, models: tuple[str, ...]) -> Answer:
    """A group of evidence as a section of quotes, paper by paper."""
    group = [item for items in grouped((piece.paper.id, piece) for piece in group).values() for item in items]
    labels = label_papers(item.paper for item in group)
    evidence = tuple(
        replace(item, id=f"e{number}", label=labels[item.paper.id]) for number, item in enumerate(group, 1)
    )
    statements = tuple(
        Statement(item.quote, "quoted", (Citation(item.paper, item.passage_id, item.spans, item.quote, item.label),))
        for item in evidence
    )
    return Answer("", True, "", METHOD, prose(statements), statements, models, id=answer_id, evidence=evidence)


# writing


def write_sections(
    session: Session, review: Review, request: ReportRequest, sections: Sequence[ReportSection], *, more: bool = False
) -> str:
    """Have a model write sections from their evidence, several at a time; each is stored as it comes.

    Args:
        more: whether each is searched for and read again, so that there is more to write from.

    Returns:
        Why some were not written; "" where all were.

    Raises:
        ServiceError: none could be written.
    """
    retriever = make_retriever(session)
    failed: list[ConspectusError] = []
    done = 0

    async def write(client: LlmClient, section: ReportSection, put: Put) -> None:
        nonlocal done
        try:
            answer = await _write_section(session, retriever, request, client, section, more, put)
            title = review_title(review, section)
            await asyncio.to_thread(store.replace_section, session, review, title, answer)
        except (ServiceError, BudgetError, ModelAnswerError) as error:
            failed.append(error)
        done += 1
        put(Progress("writing", done, len(sections), "sections", section.title))

    async def job(put: Put) -> None:
        async with session.client(request.model, fresh=not request.cache) as client:
            await asyncio.gather(*(write(client, section, put) for section in sections))

    for _ in session.loop.events(job):
        pass
    if failed and len(failed) == len(sections) and not isinstance(failed[0], BudgetError):
        raise failed[0]
    if not failed:
        return ""
    return f"{pluralize(len(failed), 'section')} of {len(sections)} could not be written: {failed[0].message}"


def review_title(review: Review, section: ReportSection) -> str:
    """The title of a section as it is stored: "" of one that is made of key phrases."""
    titles = (row["title"] for row in review.spec.get("sections", ()) if row["answer"] == section.answer.id)
    return next(titles, "")


async def _write_section(
    session: Session,
    retriever: Retriever,
    request: ReportRequest,
    client: LlmClient,
    section: ReportSection,
    more: bool,
    put: Put,
) -> Answer:
    question = f"{request.question} In particular: {section.title}"
    settings = _widened(session.settings, 1)
    run = QuestionRun(retriever, client, question, request.filters, request.options, settings, put)
    await run.prepare()
    gathering = Gathering(section.answer.evidence)
    if more:
        gathering += await run.gather(question, alone=True)
        keep = 2 * max(len(section.answer.evidence), KEPT_EACH)
        evidence = select(gathering.evidence, replace(settings.evidence, keep=keep))
    else:
        evidence = run.chosen(gathering)
    run.passages |= await asyncio.to_thread(_passages, session, evidence)
    answer = await run.answer(gathering, evidence)
    if not answer.answered:
        raise ModelAnswerError(
            f"The model wrote nothing for the section '{section.title}' that its sentences support.",
            "The quotes stay. Another model may do better.",
        )
    return replace(answer, id=section.answer.id)


def _passages(session: Session, evidence: Sequence[Evidence]) -> dict[str, Passage]:
    keys = session.catalog.keys_of([item.paper.id for item in evidence])
    passage_ids = {item.passage_id for item in evidence}
    stored = session.catalog.passages_of(sorted(keys.values())).values()
    return {
        stored_passage.passage.id: stored_passage.passage
        for stored_passage in stored
        if stored_passage.passage.id in passage_ids
    }


def find_disagreements(session: Session, review: Review, request: ReportRequest) -> str:
    """Have pairs of the evidence judged, and keep those that cannot both hold; returns what the user should know."""
    sections = store.load_sections(session, review)
    evidence = [item for section in sections for item in section.answer.evidence]
    passages = _passages(session, evidence)
    statements = {
        span.id: PaperStatement(item.paper, passages[item.passage_id], span, span.text)
        for item in evidence
        if item.passage_id in passages
        for span in item.spans
    }
    try:
        report = compare_statements(
            session,
            list(statements.values()),
            most=_JUDGED,
            model=request.model,
            cache=request.cache,
            crowded=True,
        )
    except (ServiceError, BudgetError) as error:
        return f"Disagreements were not looked for: {error.message}"
    store.keep_disagreements(session, review, report.contradictions, f"model:{', '.join(report.models[:-1])}")
    return report.note


def add_consensus(session: Session, review: Review, request: ReportRequest) -> str:
    """Put in a section on how far the papers agree: what each says to the question as a claim; returns a note."""
    try:
        survey = survey_papers(
            session,
            request.question,
            None,
            request.filters,
            claim="",
            model=request.model,
            use="",
            cache=request.cache,
            tell=None,
        )
    except ConspectusError as error:
        return f"How far the papers agree was not judged: {error.message}"
    stances = [paper_stance for paper_stance in survey.stances if paper_stance.citations]
    statements = tuple(
        Statement(
            f"{paper_stance.stance.capitalize()}: {paper_stance.why or survey.claim}",
            "supported",
            paper_stance.citations,
        )
        for paper_stance in stances
    )
    if not statements:
        return f"How far the papers agree cannot be said: {survey.reason}"
    level = survey.level or survey.reason
    answer = Answer(
        "",
        True,
        "",
        METHOD,
        prose(statements),
        statements,
        survey.models,
        survey.usage,
        id=store.new_section_id(session),
    )
    store.add_section(session, review, AGREEMENT, answer)
    return f"Claim: {survey.claim} {level.rstrip('.')}."
