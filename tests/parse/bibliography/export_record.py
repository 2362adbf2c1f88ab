"""What one record of an export says.

A record is its title, its authors in reading order, its year, and other fields where the format is about them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Record:
    """What one record of a file says. `fields` are names of `Metadata`, or of its `extra`."""

    title: str
    authors: str
    year: int | None
    fields: dict[str, Any] = field(default_factory=dict)


def record(title: str, authors: str, year: int | None, **fields: Any) -> Record:
    return Record(title, authors, year, fields)
