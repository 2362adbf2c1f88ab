"""Saved conversations and rows of saved answers."""

from __future__ import annotations

from dataclasses import dataclass

from conspectus.records.answer import Answer


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
