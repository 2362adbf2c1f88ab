"""Directions of the library, read and written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import asdict
from sqlalchemy import Connection, delete, insert, select

from conspectus.core.arrays import FloatArray
from conspectus.directions.autoencoder import Autoencoder, unpack_arrays
from conspectus.records.atlas import Mapped
from conspectus.store.codec import damaged, unpack_json
from conspectus.store.connection import CatalogReader, aside, count_on, insert_rows, transact
from conspectus.store.derivations import is_of, key_of
from conspectus.store.direction_tables import activations, direction_labels, direction_sets, direction_trainings
from conspectus.store.schema import derived, papers

CHANGE = "directions_change"
Ints = npt.NDArray[np.int64]


class _Facts(msgspec.Struct):
    """How directions were trained; see `records.directions.DirectionList`."""

    model: str
    made: str
    trained: int
    seed: int
    size: int
    unexplained: float
    dead: int
    continued: int | None
    new: list[int]
    gone: int


@dataclass(frozen=True, slots=True)
class StoredSet:
    """Directions as they are kept, by their numbers in the autoencoder.

    Attributes:
        version: of the training.
        facts: how they were trained.
        autoencoder: their weights.
        ids: of each, the number that it keeps: int64 [directions].
        levels: see `stored_directions.Codes`.
        recurrence: see `records.directions.Direction`; float32 [directions], as `aucs`, NaN where there is none.
        parents: of each the number of the direction whose family it is of; -1: none.
    """

    version: str
    facts: Mapping[str, Any]
    autoencoder: Autoencoder
    ids: Ints
    levels: FloatArray
    recurrence: FloatArray
    aucs: FloatArray
    parents: Ints


@dataclass(frozen=True, slots=True)
class LabelTerm:
    """A word of a label: a phrase, a word or a concept, and what it counts in the label's score."""

    term: str
    kind: str
    weight: float


def read_set(catalog: CatalogReader, of: Mapped) -> StoredSet | None:
    """The directions of papers, or of passages; None: there are none."""
    row = next(iter(catalog.rows(select(direction_sets).where(direction_sets.c.of == of))), None)
    if row is None:
        return None
    facts = asdict(unpack_json(row.facts, _Facts, "what directions say of themselves"))
    try:
        arrays = unpack_arrays(row.weights)
        autoencoder = Autoencoder.from_bytes(row.weights)
        columns = [arrays[name] for name in ("ids", "levels", "recurrence", "aucs", "parents")]
        if any(len(column) != autoencoder.size for column in columns):
            raise ValueError("lengths differ")
    except (ValueError, KeyError) as error:
        raise damaged("the weights of directions", f"cannot be read ({error})") from error
    return StoredSet(row.version, facts, autoencoder, *columns)


def put_set(connection: Connection, of: Mapped, version: str, facts: Mapping[str, Any], weights: bytes) -> None:
    """Let these be the directions."""
    connection.execute(delete(direction_sets).where(direction_sets.c.of == of))
    row = {"of": of, "version": version, "facts": json.dumps(facts), "weights": weights}
    connection.execute(insert(direction_sets).values(row))
    connection.execute(delete(direction_trainings).where(direction_trainings.c.of == of))


def forget_activations(connection: Connection, of: Mapped, name: str, keys: Sequence[int] | None = None) -> None:
    """Let papers (a `CHUNK` at most; None: all) have no activations."""
    for table, same in ((activations, activations.c.of == of), (derived, is_of(name))):
        query = delete(table).where(same)
        connection.execute(query if keys is None else query.where(table.c.paper_key.in_(keys)))


def note_change(connection: Connection) -> None:
    """Directions, or texts that have them, are others now."""
    count_on(connection, CHANGE)


def state_of(catalog: CatalogReader) -> str:
    """A text that changes when papers or directions do."""
    return f"{catalog.meta('change') or 0}.{catalog.meta(CHANGE) or 0}"


def read_codes(catalog: CatalogReader, of: Mapped, name: str, version: str) -> tuple[list[int], list[str], list[bytes]]:
    """The codes of all texts that have some of this version: keys of papers, units, and the codes."""
    query = select(activations.c.paper_key, activations.c.unit, activations.c.codes)
    query = query.join(derived, derived.c.paper_key == activations.c.paper_key)
    query = query.where(derived.c.derivation_key == key_of(catalog, name, version), activations.c.of == of)
    keys, units, codes = catalog.columns(query.order_by(activations.c.paper_key, activations.c.unit))
    return keys, units, codes


def put_labels(connection: Connection, of: Mapped, rows: Sequence[Mapping[str, Any]]) -> None:
    """Let directions be called so: rows of `direction_labels`."""
    connection.execute(delete(direction_labels).where(direction_labels.c.of == of))
    insert_rows(connection, direction_labels, rows)


def read_labels(catalog: CatalogReader, of: Mapped) -> dict[int, list[LabelTerm]]:
    """The id of a direction -> the words of its label, the first first."""
    columns = direction_labels.c
    query = select(columns.direction, columns.rank, columns.term, columns.kind, columns.weight).distinct()
    rows = catalog.rows(query.where(columns.of == of).order_by(columns.direction, columns.rank))
    labels: dict[int, list[LabelTerm]] = defaultdict(list)
    for row in rows:
        labels[row.direction].append(LabelTerm(row.term, row.kind, row.weight))
    return dict(labels)


class CatalogCheckpoints:
    """See `training_plan.Checkpoints`: kept in the catalog; `digest`: of what is trained on, and how."""

    def __init__(self, catalog: CatalogReader, of: Mapped, digest: str) -> None:
        self._catalog, self._of, self._digest = catalog, of, digest

    def load(self) -> bytes | None:
        """What was kept last of the same training; None: nothing."""
        mine = direction_trainings.c
        query = select(mine.state).where(mine.of == self._of, mine.digest == self._digest)
        state: bytes | None = self._catalog.scalar(query)
        return state

    def save(self, state: bytes) -> None:
        """Keep where the training is."""

        def put(connection: Connection) -> None:
            connection.execute(delete(direction_trainings).where(direction_trainings.c.of == self._of))
            row = {"of": self._of, "digest": self._digest, "state": state}
            connection.execute(insert(direction_trainings).values(row))

        transact(self._catalog.engine, put, aside)


@dataclass(frozen=True, slots=True)
class PaperFacts:
    """Papers in columns, by key: years and citations, -1 where one is not known."""

    keys: Ints
    years: Ints
    citations: Ints


def read_paper_facts(catalog: CatalogReader) -> PaperFacts:
    """All papers."""
    keys, years, cited = catalog.columns(select(papers.c.key, papers.c.year, papers.c.cited_by).order_by(papers.c.key))
    columns = (np.array([-1 if value is None else value for value in column], np.int64) for column in (years, cited))
    return PaperFacts(np.array(keys, np.int64), *columns)
