"""An answer: how it was asked for, its statements, what each rests on, what it took, and how it was made."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.figures import FoundFigure
from conspectus.records.filters import Filters
from conspectus.records.paper import Paper
from conspectus.records.passage import Span, Use
from conspectus.records.usage import Totals
from conspectus.records.views import show_record

AnswerKind = Literal["single", "multi", "bibliometric", "nuanced"]
Depth = Literal["quick", "standard", "thorough"]
Preferred = Literal["keywords", "recency", "citations"]
Weighting = Literal["additive", "published"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """How an answer is to be made.

    Attributes:
        model: sets the language model of every role; `none`: an answer made of quotes; "": as the settings say.
        kind: `single` (terse, from one paper), `multi` (from several), `bibliometric` (a query for ADS, OpenAlex and
            PubMed), `nuanced` (an answer, its critique, a better answer) (F11).
        level: whom the answer is for, in words: "first-year student"; "": an expert (F14).
        language: in which it is written: a name or a code; "": that of the question (F14).
        depth: how much is read: `quick`, `standard` or `thorough`.
        agent: whether a model chooses what to do next (P6).
        strict: whether unsupported statements are left out.
        background: whether the model is asked, apart, what it knows itself (P4).
        second_opinion: a second model that may overrule the answer; "": none (P10).
        conversation: the id of the conversation that the question goes on with; "": none.
        cache: False: the model is asked also what it has answered before.
        use: whether papers' own passages are searched and read (`raw`), what a model wrote of them (`summary`), or
            `both` (S3); "": as the settings say.
        auto: whether the settings that suit the kind of question are taken (F9): weights, a hypothetical abstract, the
            kind of answer, an agent. What is set here otherwise than usual stays.
        weight: by what papers are preferred, besides what the settings `search.*` say.
        weighting: how, as the setting `search.weighting` has it; "": as that says.
        read_figures: whether the model that `language.vision` names is shown the figures that the answer rests on.
        online: whether papers are searched online first, and added (P1); None: only where the library does not
            suffice and `sources.online` allows it.
    """

    model: str = ""
    kind: AnswerKind = "multi"
    level: str = ""
    language: str = ""
    depth: Depth = "standard"
    agent: bool = False
    strict: bool = False
    background: bool = False
    second_opinion: str = ""
    conversation: str = ""
    cache: bool = True
    use: Use | Literal[""] = ""
    auto: bool = False
    weight: tuple[Preferred, ...] = ()
    weighting: Weighting | Literal[""] = ""
    read_figures: bool = False
    online: bool | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one passage says on a question.

    Attributes:
        id: `e1`, `e2` …, within the answer.
        spans: the sentences that carry it, as the model chose them by number; their words are copied by code.
        summary: the model's words, for reading only; never cited.
        score: relevance, 0 to 10, by the model.
        retrieval: the score of the search.
        label: how the answer calls the paper.
    """

    id: str
    paper: Paper
    passage_id: str
    spans: tuple[Span, ...]
    summary: str
    score: int
    retrieval: float
    label: str = ""

    @property
    def quote(self) -> str:
        """The spans' texts, joined by " … "."""
        return " … ".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer that was replaced by a better one, or a critique of one; kept to be read."""

    name: Literal["first answer", "critique", "overruled answer", "rejected answer"]
    text: str
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a second model says of the answer (P10). If it does not agree, its own answer was taken."""

    model: str
    agrees: bool
    why: str

    @property
    def sentence(self) -> str:
        """As a sentence."""
        view = "agrees" if self.agrees else "does not agree, and its own answer was taken"
        return f"Second opinion: {self.model} {view}. {self.why}".strip()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether cited sentences support a statement, and why not; `support`: how probable, where a judge tells."""

    status: StatementStatus
    why: str = ""
    support: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an agent: what it thought, which tool it called with what, what came back, what that took.

    Attributes:
        thought: the text that the model wrote beside the call.
        tool: "" where the model wrote a text and called none.
        arguments: JSON as the model wrote it, also where it is none.
        result: its beginning.
        tokens: of prompts and answers, by the agent and by the models that the tool asked.
        cost: in US dollars; None where a price is not known.
        papers: ids of the papers whose words may be in it.
    """

    number: int
    thought: str
    tool: str
    arguments: str
    result: str
    tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    papers: tuple[str, ...] = ()


def names_answer(name: str) -> bool:
    """Whether a name, where papers and answers may be meant, is an answer's."""
    return name == "last" or name.startswith("ans-")


BibliographicQueries = Mapping[str, str]
"""Service (`ads`, `openalex`, `pubmed`) -> a query in its language. Shown, not run."""


StatementStatus = Literal["quoted", "supported", "partly", "unsupported", "unchecked"]
_DOUBTS = {"partly": "partly supported", "unsupported": "not supported", "unchecked": "not checked"}
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
        with `, OCR` where it was recognised, and with `, retracted` where the paper was.
        """
        pages = sorted({place.page for span in self.spans for place in span.places})
        where = f", p. {pages[0]}" if len(pages) == 1 else f", pp. {pages[0]}–{pages[-1]}" if pages else ""
        row = _SHOWN.match(self.quote)
        part = f", {row[1]}" if row else ""
        return f"{self.label or self.paper.label}{part}{where}{', OCR' if self.recognised else ''}{self._doubt}"

    @property
    def _doubt(self) -> str:
        doubts = {"retracted": ", retracted", "concern": ", expression of concern"}
        return doubts.get(self.paper.publication_status, "")

    def quoting(self, seen_ids: Container[str]) -> str:
        """The quote without the sentences whose ids are in `seen_ids`; "" where all are."""
        return " … ".join(span.text for span in self.spans if span.id not in seen_ids)

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


@dataclass(frozen=True, slots=True)
class FigureReading:
    """What a model that was shown a picture says of it on the question: its own words, never quoted or cited.

    Attributes:
        model: its id.
        tells: whether the picture says something on the question.
        text: what it shows of that; or why it cannot be told.
        values: what can be read off: axes with units and ranges, points, bars.
        digest: by which the library keeps what the model said.
    """

    model: str
    tells: bool
    text: str
    values: tuple[str, ...] = ()
    digest: str = ""

    @property
    def label(self) -> str:
        """What stands before it, wherever it is shown."""
        return f"Read from the picture by {self.model}, not the paper's words:"

    @property
    def display_text(self) -> str:
        """Its text, which says so where the picture does not tell."""
        return self.text if self.tells else f"It cannot be told. {self.text}"


@dataclass(frozen=True, slots=True)
class CitedFigure:
    """A figure or table that citations of an answer rest on.

    Attributes:
        by: `caption`: its own caption or rows are cited; `mention`: only sentences that speak of it.
        spans: the ids of the sentences and rows cited, its own first.
        reading: what a model reads in it, where that was asked for.
    """

    figure: FoundFigure
    by: Literal["caption", "mention"]
    spans: tuple[str, ...]
    reading: FigureReading | None = None


def _money(cost: float | None) -> str:
    if not cost:
        return ""
    return f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}" if cost >= 0.0001 else "less than $0.0001"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or (`answered` False) the reason why there is none. `text` is the statements with citation markers.

    `note` says what was not searched, and why; and what went otherwise than asked.

    `figures` are those that the citations rest on, of the library as it is now; they are not kept with the answer, but
    for what models read in them.

    `probability`, of an answer made of quotes, is that the library answers the question (`answer.probability`), from 0
    to 1; None where it cannot be told.

    `unread` are papers found online whose full texts could not be read, a sentence each.

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
        closest: where it is not answered, the sentence that comes closest; None: nothing was read.
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
    figures: tuple[CitedFigure, ...] = ()
    closest: Citation | None = None
    unread: tuple[str, ...] = ()

    @property
    def took(self) -> str:
        """How it was made, what that took, and its id, in one line."""
        method = self.method if self.kind == "multi" else f"{self.method} ({self.kind})"
        return " · ".join(part for part in (method, self.effort, self.id) if part)

    @property
    def effort(self) -> str:
        """What it took, in one line."""
        usage = self.usage
        parts = (
            f"{usage.passages} passage{'' if usage.passages == 1 else 's'} read",
            f"{len(self.evidence)} piece{'' if len(self.evidence) == 1 else 's'} of evidence" if self.evidence else "",
            usage.spent,
            f"{usage.seconds:.2f} s",
            f"{usage.from_cache} of {usage.calls} calls from the cache" if usage.from_cache else "",
        )
        return " · ".join(part for part in parts if part)

    def __str__(self) -> str:
        """The answer for people to read: prose with numbered notes, the notes, the sources; or why there is none."""
        return show_record("answer_text", "answer_text", self)

    def _repr_html_(self) -> str:
        return show_record("html", "answer", self)


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
class Conversation:
    """A conversation: when it was begun and last went on (ISO 8601, UTC), and how many `turns` it has."""

    id: str
    title: str
    made: str
    updated: str
    turns: int = 0


@dataclass(frozen=True, slots=True)
class SavedConversation:
    """A conversation with its answers, in their order."""

    conversation: Conversation
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """An answer as a list shows it. `turn` counts from 1 within its `conversation` (an id; "": none)."""

    id: str
    made: str
    question: str
    standalone: str
    method: str
    kind: str
    answered: bool
    conversation: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """An answer as it is now: with the sentences that the library still has, and how it was asked for."""

    answer: Answer
    options: AskOptions
    conversation: str = ""
    turn: int = 0
    filters: Filters = field(default_factory=Filters)
    models: tuple[Totals, ...] = ()
