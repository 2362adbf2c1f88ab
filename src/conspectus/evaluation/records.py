"""What an evaluation is made of and what it leaves: questions, configurations, scores, results. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["retrieval", "self", "answers", "judge"]
Scalar = bool | int | float | str
"""What a setting can be."""
TROUBLE = "trouble"
"""The detail of a question that has no result, with why: a model gave nothing usable, or the budget was used up."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a set.

    Attributes:
        id: its own within the set.
        text: what is searched for or asked.
        relevant: the names of the papers that answer it, each with its grade (1 where the set has no grades).
        exclude: names of papers that are left out of what was found: the one that the question was taken from, where
            it is no answer.
        source: where the question comes from, for who reads a failure (a span's id, a topic); may be empty.
    """

    id: str
    text: str
    relevant: Mapping[str, int] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions, and where they come from."""

    kind: Kind
    dataset: str
    about: str
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Configuration:
    """A name, and the settings that it overrides (`group.name` -> value as text)."""

    name: str
    overrides: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a library: equal `content` means the same papers with the same passages.

    Attributes:
        change: the catalog's counter, which grows with every change.
        content: a digest of all papers' ids and titles and all passages' ids, which are made of their words.
    """

    folder: str
    papers: int
    passages: int
    change: int
    content: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % bootstrap interval, over `count` questions."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """The scores of one question.

    Attributes:
        scores: by metric; one that does not apply to the question (precision where nothing was answered) is left out.
        ranking: names of the papers found, best first (kinds `retrieval` and `self`).
        details: what else was said, by name (for answers: what was answered and what was expected).
        seconds: that it took.
    """

    id: str
    question: str
    scores: Mapping[str, float]
    relevant: Mapping[str, int] = field(default_factory=dict)
    ranking: tuple[str, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Environment:
    """The program's version, its git revision where it runs from a checkout, and versions of engines."""

    conspectus: str
    git: str
    versions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One configuration measured on one set, with all that is needed to compare it with another.

    Attributes:
        id: short, of its content; "" until it is stored.
        run: common to the results that were made together.
        settings: every setting as it was in effect, `group.name` -> value; secrets are left out.
        models: the models that had a part in it.
        prompts: names and versions of what language models were asked.
        made: when, ISO 8601, UTC.
        seed: of what was drawn at random: the sample of questions, the bootstrap.
        depth: papers asked for, for each question (0: does not apply).
        metrics: the names of the metrics, the main one first.
        aggregates: by metric, over the questions that have it; a metric that none has is left out.
        questions: in the order of the set.
        notes: for the reader, one sentence each.
    """

    id: str = ""
    run: str = ""
    kind: Kind
    dataset: str
    about: str = ""
    configuration: Configuration
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    library: Snapshot | None = None
    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    environment: Environment
    made: str
    seed: int = 0
    depth: int = 0
    metrics: tuple[str, ...] = ()
    aggregates: Mapping[str, Estimate] = field(default_factory=dict)
    questions: tuple[ScoredQuestion, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """`scifact · hybrid`."""
        return f"{self.dataset} · {self.configuration.name}"


@dataclass(frozen=True, slots=True)
class ResultHead:
    """A stored result without its questions."""

    id: str
    run: str
    kind: Kind
    dataset: str
    configuration: Configuration
    made: str
    metrics: tuple[str, ...]
    aggregates: Mapping[str, Estimate]
    library: Snapshot | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A paired difference, second minus first, over the questions both have: 95 % interval and two-sided p."""

    metric: str
    mean: float
    low: float
    high: float
    p: float
    count: int


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A question whose score changed."""

    id: str
    question: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class ResultComparison:
    """Two results, or two configurations over several sets (then `dataset` is the union).

    Attributes:
        first: what is compared with: the baseline's name or id.
        second: what is compared.
        differences: by metric, in the results' order; none where there is no common question.
        changed: the questions that changed most by the main metric, those that lost first; not of a union.
        warnings: why the two may not be comparable.
    """

    dataset: str
    first: str
    second: str
    differences: tuple[Difference, ...]
    changed: tuple[ScoreChange, ...] = ()
    warnings: tuple[str, ...] = ()
