"""What the verbs give back: hits, answers and reports."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from conspectus.records.answering import AnswerKind, BibliographicQueries, Draft, Evidence, Opinion, Step
from conspectus.records.paper import Paper
from conspectus.records.parsed import Reference
from conspectus.records.passage import Passage, Span, Summary
from conspectus.records.routing import Routing
from conspectus.records.views import shown

FileState = Literal["queued", "parsed", "stored", "indexed", "unchanged", "failed", "missing", "stale"]
StatementStatus = Literal["quoted", "supported", "partly", "unsupported", "unchecked"]
_DOUBTS = {"partly": "partly supported", "unsupported": "not supported", "unchecked": "not checked"}


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
    """A paper found, with its best passage. `score` is made of `factors` (name -> number).

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

    def _repr_html_(self) -> str:
        return shown("html", "search_result", self)


@dataclass(frozen=True, slots=True)
class CitedWork:
    """An entry of a paper's reference list, and the paper of the library that it is.

    `paper_id` is empty where the library has none; `by` says what they share: an identifier's name, or `title`.
    """

    reference: Reference
    paper_id: str = ""
    by: str = ""


_SHOWN = re.compile(r"((?:Fig(?:ure|\.)?|Tab(?:le|\.))\s?[A-Z]?\d{1,3}[a-z]?)(?:[.:|]\s|,\srow\s)", re.I)


@dataclass(frozen=True, slots=True)
class Citation:
    """The sentences a statement rests on, quoted exactly: `quote` is the spans' texts, joined by " … ".

    `label` is how the answer calls the paper: author and year, with a letter where two papers would share that.
    """

    paper: Paper
    passage_id: str
    spans: tuple[Span, ...]
    quote: str
    label: str = ""

    @property
    def marker(self) -> str:
        """`where` in brackets."""
        return f"[{self.where}]"

    @property
    def where(self) -> str:
        """`Author et al. 2015, Table 2, p. 3`.

        Without the page where there are none, with the table or figure where it is a row or a caption that is quoted,
        and with `, OCR` where it was recognised.
        """
        pages = sorted({place.page for span in self.spans for place in span.places})
        where = f", p. {pages[0]}" if len(pages) == 1 else f", pp. {pages[0]}–{pages[-1]}" if pages else ""
        row = _SHOWN.match(self.quote)
        part = f", {row[1]}" if row else ""
        return f"{self.label or self.paper.label}{part}{where}{', OCR' if self.recognised else ''}"

    def quoting(self, seen: Container[str]) -> str:
        """The quote without the sentences whose ids are in `seen`; "" where all are."""
        return " … ".join(span.text for span in self.spans if span.id not in seen)

    @property
    def recognised(self) -> bool:
        """Whether some of it was read from a picture by OCR: its words may be wrong."""
        return any(span.recognised for span in self.spans)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of an answer. With `method: extractive` its text is the quote itself and its status `quoted`.

    `why` says what speaks against a statement that is not simply supported; `evidence` are the ids it was bound to.
    """

    text: str
    status: StatementStatus
    citations: tuple[Citation, ...]
    score: float = 0.0
    why: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def doubt(self) -> str:
        """What is to be said of a statement that is not simply supported: `not supported: why`; else ""."""
        return f"{self.verdict}: {self.why}" if self.verdict and self.why else self.verdict

    @property
    def verdict(self) -> str:
        """`not supported`, `partly supported` or `not checked`; "" of one that is supported, or quoted."""
        return _DOUBTS.get(self.status, "")


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer took: seconds, passages and sentences read, and what language models took.

    `calls` counts what models were asked, `from_cache` those of them that the library had the answer to; tokens are of
    the others. `cached_tokens` are those of the prompts that the server had cached. `cost` is in US dollars, None where
    a price is not known. `model_seconds` adds up the calls, also where they ran at the same time.
    `estimated`: at least one server did not count its tokens, so that they were reckoned from characters.
    """

    seconds: float = 0.0
    passages: int = 0
    sentences: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    calls: int = 0
    from_cache: int = 0
    cost: float | None = None
    model_seconds: float = 0.0
    estimated: bool = False

    @property
    def spent(self) -> str:
        """`5,321 tokens, $0.0031`, without what is not known or nothing; `about`, where a server does not count."""
        tokens = self.prompt_tokens + self.completion_tokens
        about = "about " if self.estimated else ""
        return ", ".join(part for part in (f"{about}{tokens:,} tokens" if tokens else "", _money(self.cost)) if part)


def _money(cost: float | None) -> str:
    if not cost:
        return ""
    return f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}" if cost >= 0.0001 else "less than $0.0001"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or (`answered` False) the reason why there is none. `text` is the statements with citation markers.

    `note` says what was not searched, and why; and what went otherwise than asked.

    `probability`, of an answer made of quotes, is that the library answers the question (`answer.probability`), from 0
    to 1; None where it cannot be told.

    An answer that a language model wrote (`method`: `model` or `agent`) also has:

    Attributes:
        id: the name under which the library keeps it; "" where it does not.
        standalone: the question as it was searched for, where a conversation gave it its meaning.
        evidence: what the statements rest on, the most relevant first.
        background: what a model says from its own knowledge, without a source; never cited.
        drafts: earlier answers and critiques.
        queries: of a bibliometric answer.
        opinion: of a second model.
        trace: the steps of an agent.
    """

    question: str
    answered: bool
    reason: str
    method: str
    text: str
    statements: tuple[Statement, ...]
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    note: str = ""
    id: str = ""
    made: str = ""
    kind: AnswerKind = "multi"
    standalone: str = ""
    evidence: tuple[Evidence, ...] = ()
    background: str = ""
    drafts: tuple[Draft, ...] = ()
    queries: BibliographicQueries = field(default_factory=dict)
    opinion: Opinion | None = None
    trace: tuple[Step, ...] = ()
    probability: float | None = None

    @property
    def took(self) -> str:
        """How it was made, what that took, and its id, in one line."""
        usage = self.usage
        parts = (
            self.method if self.kind == "multi" else f"{self.method} ({self.kind})",
            f"{usage.passages} passage{'' if usage.passages == 1 else 's'} read",
            f"{len(self.evidence)} piece{'' if len(self.evidence) == 1 else 's'} of evidence" if self.evidence else "",
            usage.spent,
            f"{usage.seconds:.2f} s",
            f"{usage.from_cache} of {usage.calls} calls from the cache" if usage.from_cache else "",
            self.id,
        )
        return " · ".join(part for part in parts if part)

    def __str__(self) -> str:
        """The answer for people to read: prose with numbered notes, the notes, the sources; or why there is none."""
        return shown("answer_text", "answer_text", self)

    def _repr_html_(self) -> str:
        return shown("html", "answer", self)


@dataclass(frozen=True, slots=True)
class Rerun:
    """The same question asked again: the answer `before` and `after`, and what has changed.

    Attributes:
        new: statements that are not in `before`; compared by their words.
        gone: statements that are not in `after`.
        new_sources: papers that only `after` cites.
        gone_sources: papers that only `before` cites.
    """

    before: Answer
    after: Answer
    new: tuple[Statement, ...] = ()
    gone: tuple[Statement, ...] = ()
    new_sources: tuple[Paper, ...] = ()
    gone_sources: tuple[Paper, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything has."""
        differ = self.new or self.gone or self.new_sources or self.gone_sources
        return bool(differ) or self.before.answered != self.after.answered


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
    """

    words: Mapping[str, int]
    papers: int
    passages: int = 0
    note: str = ""
    conditions: str = ""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What happened to one file. `retry` says whether trying again can help; times are ISO 8601, UTC.

    `papers` counts the papers it speaks of; `notes` are what could not be read well.
    """

    path: str
    state: FileState
    reason: str = ""
    retry: bool = False
    reader: str = ""
    papers: int = 0
    updated: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AddReport:
    """What `add` did, file by file.

    `duplicates` are new files that have the bytes of another, or are the same paper as another that is one paper as a
    whole; their `reason` says of which. They were read and entered as those `added` were.
    `passed_over` counts the files inside folders that are not papers that can be read, by the ending of their names:
    those of other kinds, parts of LaTeX documents, XML and JSON of other kinds.
    """

    added: tuple[LedgerRow, ...] = ()
    updated: tuple[LedgerRow, ...] = ()
    unchanged: tuple[LedgerRow, ...] = ()
    failed: tuple[LedgerRow, ...] = ()
    duplicates: tuple[LedgerRow, ...] = ()
    passed_over: Mapping[str, int] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[LedgerRow, ...]:
        """All rows: added, updated, unchanged, failed, duplicates."""
        return self.added + self.updated + self.unchanged + self.failed + self.duplicates

    def _repr_html_(self) -> str:
        return shown("html", "add_report", self)


@dataclass(frozen=True, slots=True)
class SummariseReport:
    """What `summarise` did.

    Attributes:
        summarised: id -> number of summary passages, of the papers that have new ones.
        failed: id -> why there is none.
        already: how many papers had summaries, and were passed over.
        short: how many were passed over because there is too little text to make less of.
        left: how many were not come to.
        stopped: why the run ended before all were done; "" where it did not.
        model: that was asked; "" where none had to be.
        usage: what that took.
        notes: what the user should know.
    """

    summarised: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    already: int = 0
    short: int = 0
    left: int = 0
    stopped: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """The library in numbers, and its ledger.

    `space`: megabytes of the catalog, of the index and free on the disk. `last_add`: when the last run of `add` that
    read anything ended (`at`), how many `files` it read, and in how many `seconds`.
    """

    path: str
    counts: Mapping[str, int]
    files: tuple[LedgerRow, ...]
    embedder: str
    index: str
    space: Mapping[str, float] = field(default_factory=dict)
    last_add: Mapping[str, Any] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        return shown("html", "status", self)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup: where it is, when it was made, what the library held then (as `Status.counts`).

    Attributes:
        left_out: what was there and was not written or, on restoring, not taken: `conspectus.toml`, `trigger NAME` …
    """

    path: str
    made: str
    counts: Mapping[str, int]
    megabytes: float
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of `doctor`: what was checked, whether it is well, and what to do if not."""

    check: str
    ok: bool
    detail: str
    remedy: str = ""
