"""Entities that no vocabulary has: what a language model found, and what users say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.answer import Citation, Usage

LOCAL = "local"
"""The vocabulary of entities that models found, and the prefix of their ids."""
EntityState = Literal["new", "accepted", "rejected"]
"""`new`: it waits for somebody to say which of the others it is."""
REVIEWED: Mapping[str, EntityState] = {"accept": "accepted", "reject": "rejected", "undo": "new"}
"""What is said of an entity, and what it then is."""


@dataclass(frozen=True, slots=True)
class NewEntity:
    """An entity that a language model found, and no vocabulary has.

    Attributes:
        id: `local:` and digits that stand for its name.
        name: the one that papers use most.
        names: as they stand in papers.
        state: what was said of it.
        papers, sentences: how many have such a name in which the model read the entity.
        examples: some of the sentences.
    """

    id: str
    name: str
    names: tuple[str, ...]
    state: EntityState
    papers: int = 0
    sentences: int = 0
    examples: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class NewEntities:
    """Some of these, those first that most sentences have; `total`: how many there are in all."""

    entities: tuple[NewEntity, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """What a language model brought to linking.

    Attributes:
        read: papers that it read now.
        found: places where it found an entity and no name was.
        refused: places where a name was found and it read none of the entities that have it.
        new: entities that wait for review, of all papers.
        failed: passage -> why what it said of that cannot be used; there the names count alone.
        left: papers that were not come to.
        stopped: why the run ended before all were read; "" where it did not.
        model: that was asked; "" where none had to be.
        usage: what that took.
        notes: what the user should know.
    """

    read: int = 0
    found: int = 0
    refused: int = 0
    new: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    left: int = 0
    stopped: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
