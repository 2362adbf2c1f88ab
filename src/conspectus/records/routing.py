"""What kind of question is asked, what is special about it, and which settings suit it (F9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

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
