"""An answer: its statements, what each rests on, and what it took."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.answering import AnswerKind, BibliographicQueries, Draft, Evidence, Opinion, Step
from conspectus.records.figures import FoundFigure
from conspectus.records.paper import Paper
from conspectus.records.passage import Span
from conspectus.records.views import shown

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
    def said(self) -> str:
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
    figures: tuple[CitedFigure, ...] = ()

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
