"""What belongs to an answer that a language model wrote: how it was asked for, evidence, drafts, the trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from conspectus.records.passage import Use

if TYPE_CHECKING:
    from conspectus.records.answer import Statement, StatementStatus
    from conspectus.records.paper import Paper
    from conspectus.records.passage import Span

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
    def said(self) -> str:
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
