"""Directions of a library as they are stored, with the texts that have them; new papers are encoded when read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.directions import sql as direction_sql
from conspectus.directions.autoencoder import Autoencoder, Ints
from conspectus.directions.sql import LabelTerm, StoredSet
from conspectus.ingest.derivations.facts import ActivationRows
from conspectus.records import normal_name
from conspectus.records.atlas import Mapped
from conspectus.records.directions import RECURS, Direction, DirectionList, DirectionMatch, unnamed_label
from conspectus.session.session import Session
from conspectus.store.catalog import Catalog
from conspectus.store.codec import damaged
from conspectus.store.text_vectors import TextVectors, papers_with_vectors, texts

NONE = "The library has no directions of its {of} yet."
BUILD = "Train them first: `directions build of={of}`."
FIND = "`directions search` finds directions by words, and `directions list` lists them."
SHOWN_WORDS = 3


@dataclass(frozen=True)
class Codes:
    """How active directions are in texts.

    Attributes:
        papers: of each text its paper's key, int64 [texts].
        units: its passage's own name; "" of a paper.
        numbers: its most active directions, strongest first, uint16 [texts, 2 active].
        values: how active they are, float16; those behind the first `active` are near misses.
        active: see `Autoencoder`.
        levels: from which on each direction is clearly active, float32 [directions]; below it is a near miss.
    """

    papers: Ints
    units: Sequence[str]
    numbers: npt.NDArray[np.uint16]
    values: npt.NDArray[np.float16]
    active: int
    levels: FloatArray

    def rows_of(self, number: int) -> tuple[Ints, FloatArray]:
        """The texts in which a direction is active, the strongest first, and how active it is."""
        return self._rows((self.numbers == number) & self.clear)

    @cached_property
    def clear(self) -> npt.NDArray[np.bool_]:
        """Which of the directions in `numbers` are clearly active, [texts, 2 active]."""
        mask: npt.NDArray[np.bool_] = self.values >= self.levels.astype(np.float16)[self.numbers]
        mask[:, self.active :] = False
        return mask

    def near_misses(self, number: int) -> tuple[Ints, FloatArray]:
        """The texts in which it is nearly active, the nearest first, and how active it would be."""
        return self._rows((self.numbers == number) & ~self.clear & (self.values > 0))

    def _rows(self, chosen: npt.NDArray[np.bool_]) -> tuple[Ints, FloatArray]:
        rows, places = np.nonzero(chosen)
        values = self.values[rows, places].astype(np.float32)
        order = np.argsort(-values, kind="stable")
        return rows[order], values[order]

    def counts(self, size: int) -> Ints:
        """In how many texts each of `size` directions is active."""
        counts: Ints = np.bincount(self.numbers[self.clear], minlength=size)
        return counts

    def dense(self, rows: Ints | slice, size: int) -> FloatArray:
        """How active each direction is in some texts, float32 [rows, size]."""
        numbers, values = self.numbers[rows].astype(np.int64), self.values[rows].astype(np.float32)
        activity = np.zeros((len(numbers), size), np.float32)
        np.put_along_axis(activity, numbers, np.where(self.clear[rows], values, 0), axis=1)
        return activity


def encode_texts(autoencoder: Autoencoder, levels: FloatArray, text_vectors: TextVectors) -> Codes:
    """The codes of some texts."""
    numbers, values = autoencoder.encode(text_vectors.vectors, 2 * autoencoder.active)
    return Codes(
        np.array([key for key, _ in text_vectors.names], np.int64),
        [unit for _, unit in text_vectors.names],
        numbers.astype(np.uint16),
        np.minimum(values, 6e4).astype(np.float16),
        autoencoder.active,
        levels,
    )


def join_codes(parts: Sequence[Codes]) -> Codes:
    """The codes of all of the parts' texts; there is one part at least."""
    return Codes(
        np.concatenate([part.papers for part in parts]),
        [unit for part in parts for unit in part.units],
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.values for part in parts]),
        parts[0].active,
        parts[0].levels,
    )


def pack_code(codes: Codes, row: int) -> bytes:
    """A text's row of codes, for the catalog."""
    return bytes(codes.numbers[row].astype("<u2").tobytes() + codes.values[row].astype("<f2").tobytes())


def unpack_codes(keys: Sequence[int], units: Sequence[str], packed: Sequence[bytes], stored: StoredSet) -> Codes:
    """The inverse of `pack_code`, of many texts.

    Raises:
        LibraryDamagedError: these are no codes of the autoencoder's directions.
    """
    autoencoder = stored.autoencoder
    count = min(2 * autoencoder.active, autoencoder.size)
    if odd := next((code for code in packed if len(code) != 4 * count), b""):
        raise damaged("the activations of a text", f"have {len(odd)} bytes, not {4 * count}")
    halves = np.frombuffer(b"".join(packed), "<u2").reshape(len(packed), 2 * count)
    numbers, values = halves[:, :count], halves[:, count:].copy().view("<f2")
    if numbers.size and int(numbers.max()) >= autoencoder.size:
        raise damaged("the activations of a text", "name a direction that there is not")
    return Codes(np.array(keys, np.int64), units, numbers, values, autoencoder.active, stored.levels)


@dataclass(frozen=True)
class LoadedDirections:
    """Directions with their labels and texts."""

    of: Mapped
    stored: StoredSet
    codes: Codes
    labels: Mapping[int, Sequence[LabelTerm]]

    @property
    def autoencoder(self) -> Autoencoder:
        """Their weights."""
        return self.stored.autoencoder

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """All, by their numbers."""
        counts = self.codes.counts(self.autoencoder.size)
        directions = []
        for number, key in enumerate(self.stored.ids.tolist()):
            terms = tuple(term.term for term in self.labels.get(key, ()))
            auc, parent = float(self.stored.aucs[number]), int(self.stored.parents[number])
            directions.append(
                Direction(
                    key,
                    write_label(self.labels.get(key, ())) or unnamed_label(key),
                    terms,
                    None if np.isnan(auc) or not terms else round(auc, 4),
                    int(counts[number]),
                    round(float(self.stored.recurrence[number]), 4),
                    int(self.stored.ids[parent]) if parent >= 0 else None,
                )
            )
        return tuple(directions)

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {key: number for number, key in enumerate(self.stored.ids.tolist())}

    def number_of(self, name: str) -> int:
        """The number of a direction called so: by its id, its label, or a word of that.

        Raises:
            NotFoundError: there is none.
        """
        if name.strip().isdecimal() and int(name) in self._numbers:
            return self._numbers[int(name)]
        query = normal_name(name)
        for is_it in (_is_label, _is_term):
            fits = [number for number, direction in enumerate(self.directions) if query and is_it(direction, query)]
            if fits:
                return max(fits, key=lambda number: (self.directions[number].recurs, self.directions[number].texts))
        near = [match.direction for match in match_labels(self.directions, name)[:SHOWN_WORDS]]
        hints = "; ".join(f"{direction.id} {direction.label}" for direction in near)
        raise NotFoundError(f"There is no direction '{name}'.", f"Near it: {hints}. {FIND}" if hints else FIND)


def write_label(terms: Sequence[LabelTerm]) -> str:
    """The words of a label as it is shown: those terms that were chosen to be its name."""
    return ", ".join(term.term for term in terms if term.kind != "word")


def _is_label(direction: Direction, query: str) -> bool:
    return normal_name(direction.label) == query or query in {normal_name(part) for part in direction.label.split(", ")}


def _is_term(direction: Direction, query: str) -> bool:
    return query in {normal_name(term) for term in direction.terms}


def match_labels(directions: Sequence[Direction], words: str) -> list[DirectionMatch]:
    """The directions whose label has some of the words, the best first."""
    query_words = set(normal_name(words).split())
    matches = []
    for direction in directions:
        label, terms = (set(normal_name(" ".join(part)).split()) for part in ((direction.label,), direction.terms))
        score = 0.7 * len(query_words & label) / max(len(query_words), 1) + 0.2 * len(query_words & terms) / max(
            len(query_words), 1
        )
        score += 0.1 * len(query_words & label) / max(len(label), 1)
        if score > 0:
            matches.append(DirectionMatch(direction, round(score, 4)))
    return sorted(matches, key=lambda match: (-match.score, not match.direction.recurs, -match.direction.texts))


def load_directions(session: Session, of: Mapped) -> LoadedDirections:
    """The directions of papers, or of passages; new papers are encoded, but not stored. Cached until something changes.

    Raises:
        NotFoundError: there are none.
    """
    state = direction_sql.state_of(session.catalog)
    direction_set: LoadedDirections = session.parts.get_cached("directions", lambda: _load(session, of), of, state)
    return direction_set


def _load(session: Session, of: Mapped) -> LoadedDirections:
    direction_set = read_directions(session.catalog, of)
    if direction_set is None:
        raise NotFoundError(NONE.format(of=of), BUILD.format(of=of))
    return direction_set


def read_direction(session: Session, name: str, of: Mapped) -> tuple[str, dict[str, float]]:
    """A direction's label, and how active it is in each paper, or passage, that has it, by the text's id.

    Raises:
        NotFoundError: there is none of this name.
        UsageError: none were built.
    """
    loaded = load_directions(session, of)
    number = loaded.number_of(name)
    rows, values = loaded.codes.rows_of(number)
    keys = loaded.codes.papers[rows].tolist()
    ids = session.catalog.ids_of(keys)
    units = [loaded.codes.units[row] for row in rows.tolist()]
    activations = zip(keys, units, values.tolist(), strict=True)
    values_by_id = {f"{ids[key]}.{unit}" if unit else ids[key]: value for key, unit, value in activations if key in ids}
    return loaded.directions[number].label, values_by_id


def read_directions(catalog: Catalog, of: Mapped) -> LoadedDirections | None:
    """The directions of papers, or of passages, as they are now; None: there are none."""
    with catalog.snapshot() as now:
        stored = direction_sql.read_set(now, of)
        if stored is None:
            return None
        keys, units, packed = direction_sql.read_codes(now, of, ActivationRows(of).name, stored.version)
        parts = [unpack_codes(keys, units, packed, stored)]
        missing = lacking_papers(now, stored, keys)
        model, levels = stored.facts["model"], stored.levels
        parts += (encode_texts(stored.autoencoder, levels, batch) for batch in texts(now, model, of, missing))
        return LoadedDirections(of, stored, join_codes(parts), direction_sql.read_labels(now, of))


def lacking_papers(catalog: Catalog, stored: StoredSet, known: Sequence[int]) -> list[int]:
    """Papers that were embedded, and of which no activations are stored."""
    embedded = papers_with_vectors(catalog, stored.facts["model"])
    missing: list[int] = np.setdiff1d(embedded, np.unique(np.array(known, np.int64))).tolist()
    return missing


def check_embedder(session: Session, direction_set: LoadedDirections) -> None:
    """See that new vectors can be compared with those that the directions are of.

    Raises:
        UsageError: they are of another embedder.
    """
    model = direction_set.stored.facts["model"]
    if model != session.embedder.id:
        raise UsageError(
            f"The directions are of vectors by {model}, and the library's embedder is {session.embedder.id}.",
            "Train them again: `directions build`.",
        )


def list_directions(
    direction_set: LoadedDirections, *, hidden: bool = False, limit: int | None = None, notes: Sequence[str] = ()
) -> DirectionList:
    """The directions that recur, the most frequent first; `hidden`: all."""
    facts, every = direction_set.stored.facts, direction_set.directions
    by_id = {direction.id: direction for direction in every}
    shown_directions = sorted(
        (direction for direction in every if hidden or direction.recurs),
        key=lambda direction: (-direction.texts, direction.id),
    )
    new_labels = [by_id[key].label for key in map(int, facts["new"]) if key in by_id]
    return DirectionList(
        of=direction_set.of,
        model=facts["model"],
        made=facts["made"],
        trained=facts["trained"],
        active=direction_set.autoencoder.active,
        unexplained=facts["unexplained"],
        dead=facts["dead"],
        recurring=sum(direction.recurrence >= RECURS for direction in every),
        directions=tuple(shown_directions[:limit]),
        hidden=len(every) - len(shown_directions),
        continued=facts["continued"],
        gone=facts["gone"],
        new=tuple(new_labels),
        notes=tuple(notes),
    )
