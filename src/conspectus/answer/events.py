"""What `Library.stream` yields."""

from __future__ import annotations

from dataclasses import dataclass

from conspectus.records import Answer, Statement


@dataclass(frozen=True, slots=True)
class Searching:
    """The library is being searched for the question."""

    question: str


@dataclass(frozen=True, slots=True)
class Stated:
    """A statement of the answer, with its citations."""

    statement: Statement


@dataclass(frozen=True, slots=True)
class Done:
    """The whole answer."""

    answer: Answer
