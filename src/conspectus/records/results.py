"""What searching returns (hits, counts, references), and what kind of question was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from conspectus.records.curation import PaperNote
from conspectus.records.paper import Paper, PaperDocument
from conspectus.records.parsed_paper import ParsedPaper, Reference
from conspectus.records.passage import Passage, Summary
from conspectus.records.views import show_record

QuestionKind = Literal["single-paper", "multi-paper", "consensus", "compositional", "what-if", "unclassified"]
"""The kinds of questions (pathfinder, section 4.4).

`single-paper`: a fact that one paper states. `multi-paper`: what several papers together tell. `consensus`: whether a
claim holds, so that papers can support or oppose it. `compositional`: has to be broken down. `what-if`: is about
something that is not so. `unclassified`: none of these.
"""

QuestionFlag = Literal["named-entity", "jargon", "bibliometric", "time-sensitive"]
"""What is special about a question (pathfinder, section 4.4); one may have several.

`named-entity`: it names a particular thing. `jargon`: it has specialists' words, or words that mean something else in
another field. `bibliometric`: it asks for papers, authors or citations. `time-sensitive`: its answer changes with time.
"""

QUESTION_KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
QUESTION_FLAGS: tuple[QuestionFlag, ...] = get_args(QuestionFlag)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Settings that suit a question.

    Attributes:
        k: how many papers, at least and at most.
        keywords: whether papers with the question's keywords are preferred.
        recency: whether recent papers are.
        citations: whether papers that are cited much are.
        expand: whether to search by a hypothetical answer, too (HyDE).
        rerank: whether to rank what was found once more with a better model.
        agent: whether a model should choose what to do next (ReAct), instead of the fixed steps.
    """

    k: tuple[int, int]
    keywords: bool
    recency: bool
    citations: bool
    expand: bool
    rerank: bool
    agent: bool


@dataclass(frozen=True, slots=True)
class Routing:
    """The kind of a question, and what follows.

    Attributes:
        question: as it was asked.
        flags: in the order of `QUESTION_FLAGS`.
        reasons: what in the question made each choice; the first is on the kind, then one for each flag.
        by: `rules` without a language model, else its name.
        suggested: None for an unclassified question: the settings stay as they are.
        parts: a compositional question's sub-questions, each standing alone; empty where it cannot be broken down.
        note: why a language model that is set did not tell; else empty.
    """

    question: str
    kind: QuestionKind
    flags: tuple[QuestionFlag, ...]
    reasons: tuple[str, ...]
    by: str
    suggested: Suggestion | None
    parts: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outlying:
    """How far a paper found is from the others found with it.

    Attributes:
        distance: of its vector from the centroid of the others (leave-one-out), from 0 to 2; None where there are too
            few papers, or it has no vector.
        cut: the distance above which it is an outlier, from `D95 - gamma` (`search.outliers`); None where the library
            is too small to say.
        outlier: whether it is above.
    """

    distance: float | None
    cut: float | None
    outlier: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper found, with its best passage that has a word of the query, if one has.

    `score` is made of `factors` (name -> number): those of the passage by which the paper was found.
    `more` are further passages of the same paper among the candidates, best first. `summary` is there where the passage
    is one that a model wrote: whose words those are, and which of the paper's sentences they rest on. `outlying` is
    there with the setting `search.outliers`.
    """

    rank: int
    score: float
    factors: Mapping[str, float]
    paper: Paper
    passage: Passage
    more: tuple[Passage, ...] = ()
    summary: Summary | None = None
    outlying: Outlying | None = None


@dataclass(frozen=True, slots=True)
class Spelling:
    """A word of a query that no paper has, and the library's word that it may mean, which is searched for; or ""."""

    word: str
    likely: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, and what made them. Ties: the higher cosine, then the paper added first, then reading order.

    They are in order of their score, or, where diversity was asked for, of their factor `mmr`.

    `took` is in seconds. `note` says why there are no hits, or what was not searched. `expansions` are texts that a
    language model wrote to search by, such as a hypothetical abstract: no paper says them, and they are never cited.
    `routing` is the kind of question and what suits it; with `auto` its sub-questions were searched for apart, and each
    hit's factor `part` says for which it was found best (0: the question itself).

    Attributes:
        words: those of the query that ranked, without signs; "" where there were only conditions.
        conditions: what the query asked of passages, as it was understood; "" where it asked nothing.
        spelling: its words that no paper has; those with a likely spelling stand so in `words`.
        total: how many papers match, exactly: those that pass the filters and the query's conditions. A search by
            meaning ranks all of them; `count` says how many have the words.
    """

    query: str
    hits: tuple[Hit, ...]
    method: str
    models: tuple[str, ...]
    took: float
    note: str = ""
    expansions: tuple[str, ...] = ()
    routing: Routing | None = None
    words: str = ""
    conditions: str = ""
    spelling: tuple[Spelling, ...] = ()
    total: int = 0

    def _repr_html_(self) -> str:
        return show_record("html", "search_result", self)


@dataclass(frozen=True, slots=True)
class FormattedReference:
    """A paper's reference in the style of a journal.

    Attributes:
        paper: the id of the paper.
        text: the reference, without markup.
        html: the reference; the style's italics, bold and small capitals are tags, all else is escaped.
        mark: how the text cites it: `(Hafting et al., 2005)`, `[1]`.
    """

    paper: str
    text: str
    html: str
    mark: str


@dataclass(frozen=True, slots=True)
class CitedWork:
    """An entry of a paper's reference list, and the paper of the library that it is.

    `paper_id` is empty where the library has none; `by` says what they share: an identifier's name, or `title`.
    """

    reference: Reference
    paper_id: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class WordCount:
    """How many papers a search for words finds.

    Attributes:
        words: each word looked for -> the papers with a passage that has it; without those too common to be looked for.
        papers: those with a passage that has all the words and meets the conditions; where neither was given: those
            that pass the filters.
        passages: those passages; 0 where neither was given.
        note: what was not counted, and why.
        conditions: what the query asked of passages, as it was understood; "" where it asked nothing.
        query: as it was asked.
    """

    words: Mapping[str, int]
    papers: int
    passages: int = 0
    note: str = ""
    conditions: str = ""
    query: str = ""


@dataclass(frozen=True, slots=True)
class PaperCounts:
    """How many papers have a value, which is written as one of them writes it; a filter takes it so."""

    value: str
    papers: int


@dataclass(frozen=True, slots=True)
class SubjectNeighbours:
    """A subject of the library, and those that stand in the same papers.

    Attributes:
        subject: a noun phrase.
        papers: that have it, of those that were read.
        neighbours: with the number of papers that have both, those first that are together more often than by chance.
    """

    subject: str
    papers: int
    neighbours: tuple[PaperCounts, ...]


@dataclass(frozen=True, slots=True)
class SubjectOverview:
    """What the papers are about, before anything is asked.

    Attributes:
        subjects: the best first; only such as stand together with others.
        vocabulary: the well-known vocabulary whose field is the nearest; "": the library has no subjects.
    """

    subjects: tuple[SubjectNeighbours, ...]
    vocabulary: str


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """How many papers there are of each year, venue …; the most frequent first, years ascending.

    Attributes:
        papers: how many are counted.
        best: whether these are the best that were found for words, of which there may be more; else they are all.
        year: of papers that have one.
        keyword: that sources give, or key phrases.
        language: ISO 639-1 codes.
        kind: kinds of text that papers have passages of.
    """

    papers: int
    best: bool
    year: tuple[PaperCounts, ...]
    venue: tuple[PaperCounts, ...]
    keyword: tuple[PaperCounts, ...]
    language: tuple[PaperCounts, ...]
    kind: tuple[PaperCounts, ...]


PaperSort = Literal["added", "title", "year", "venue", "cited"]
PaperOrder = Literal["asc", "desc", ""]


@dataclass(frozen=True, slots=True)
class PaperPage:
    """A page of a list of papers.

    Attributes:
        papers: in the order of the list.
        next: what the next page is asked for with; "" at the end.
        total: how many papers the whole list has; None on a later page than the first.
    """

    papers: tuple[Paper, ...]
    next: str
    total: int | None


PaperPart = Literal["passages", "summaries", "references", "figures"]


@dataclass(frozen=True, slots=True)
class PaperView:
    """A paper, what was read of it and what was written about it.

    Attributes:
        parts: what is to be shown in full; `references` is empty if they are not among it.
    """

    paper: Paper
    parsed: ParsedPaper
    documents: tuple[PaperDocument, ...]
    passages: tuple[Passage, ...]
    summaries: tuple[Summary, ...]
    versions: tuple[Paper, ...]
    notes: tuple[PaperNote, ...]
    references: tuple[CitedWork, ...]
    parts: tuple[PaperPart, ...]
