"""What is kept of language models' work, as it crosses the catalog's border, and as it lies in its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from conspectus.records import Answer, AskOptions, Filters, Opinion, Usage

TITLE_CHARS = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one call took, made or answered from the cache (then: what it took when it was made).

    Attributes:
        at: ISO 8601, UTC.
        role: what the model was asked as: `write`, `judge` …
        model: the model's id.
        answer_id: of the answer that it was made for; "": none.
        prompt: the prompt's name and version; "": none.
        cost: in US dollars; None where the price is not known.
        seconds: what the server took.
        from_cache: whether the library had the reply.
        failed: whether it ended in an error.
    """

    at: str
    role: str
    model: str
    answer_id: str = ""
    prompt: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    from_cache: bool = False
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Totals:
    """What the calls of one day, model, role, prompt or answer (`name`) took together.

    Attributes:
        calls: those that a model was asked, the failed ones too; tokens, `cost` and `seconds` are of these.
        from_cache: those that the library had the reply to.
        unpriced: those asked whose price is not known; `cost` is without them.
        saved: what those from the cache would have cost, in US dollars.
    """

    name: str
    calls: int
    from_cache: int
    failed: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    unpriced: int
    cost: float
    saved: float
    seconds: float

    def __add__(self, other: Totals) -> Totals:
        """Both together, under this one's name."""
        sums = {one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)[1:]}
        return replace(self, **sums)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation: when it was begun and last went on (ISO 8601, UTC), and how many `turns` it has."""

    id: str
    title: str
    made: str
    updated: str
    turns: int = 0


def titled(question: str) -> str:
    """The title of a conversation that begins with this question."""
    line = " ".join(question.split())
    if len(line) <= TITLE_CHARS:
        return line
    return f"{line[:TITLE_CHARS].rpartition(' ')[0] or line[:TITLE_CHARS]} …"


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


# What follows lies packed in a column. No word of a paper is in it: sentences are named, and copied when it is read.


@dataclass(frozen=True, slots=True)
class StoredCitation:
    """A citation by names: `passage_id` begins with the paper's id, as it was then."""

    passage_id: str
    span_ids: tuple[str, ...]

    @property
    def paper_id(self) -> str:
        """The paper's id, as it was then."""
        return self.passage_id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """See `records.Statement`; the text of a quote is empty."""

    text: str
    status: str
    citations: tuple[StoredCitation, ...] = ()
    score: float = 0.0
    why: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """See `records.Draft`; the text is empty where it is made of statements."""

    name: str
    text: str = ""
    statements: tuple[StoredStatement, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredBody:
    """What an answer's row says besides its columns. `letters`: paper id -> what its label ends with.

    `readings`: figure id -> the model that was shown it, and the digest of what it said, which lies with the calls.
    """

    reason: str = ""
    statements: tuple[StoredStatement, ...] = ()
    letters: Mapping[str, str] = field(default_factory=dict)
    drafts: tuple[StoredDraft, ...] = ()
    background: str = ""
    queries: Mapping[str, str] = field(default_factory=dict)
    opinion: Opinion | None = None
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    note: str = ""
    options: AskOptions = field(default_factory=AskOptions)
    filters: Filters = field(default_factory=Filters)
    probability: float | None = None
    readings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
