"""Build directions: train them on the library's vectors, name them, and keep them with the texts that have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import numpy as np
from sqlalchemy import Connection

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import LibraryDamagedError, LibraryReadOnlyError, UsageError
from conspectus.core.job_context import emit
from conspectus.directions import sql as direction_sql
from conspectus.directions.autoencoder import Autoencoder, Ints, pack_arrays, unpack_arrays
from conspectus.directions.explain import report_direction
from conspectus.directions.label_terms import TermSources, collect_terms
from conspectus.directions.labels import DirectionLabel, DirectionLabeller, Embed, find_parents
from conspectus.directions.model_labels import LabelEvidence, label_words, word_labels
from conspectus.directions.sql import CatalogCheckpoints, StoredSet
from conspectus.directions.stored_directions import (
    Codes,
    LoadedDirections,
    encode_texts,
    join_codes,
    lacking_papers,
    list_directions,
    load_directions,
    pack_code,
)
from conspectus.directions.training_plan import TrainedDirections, VectorFile, plan_training, train
from conspectus.ingest.derivations.facts import ActivationRows
from conspectus.records.atlas import Mapped
from conspectus.records.directions import RECURS, DirectionList
from conspectus.records.events import Progress
from conspectus.session.session import Session
from conspectus.store import derivations
from conspectus.store.catalog import Catalog
from conspectus.store.connection import split_chunks, transact
from conspectus.store.derivations import Derived
from conspectus.store.text_vectors import papers_with_vectors, texts

EMPTY = "No text of the library was embedded, so there is nothing to find directions in."
LABELLED = 20_000
"""Texts, drawn evenly, by whose words directions are named."""
SHOWN, NEAR_MISSES = 3, 2
"""Texts of a direction, and near misses, whose sentences a language model is shown."""
MOST_TOLD = 20
"""New directions that are named after a refit."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What a user asks of a build: size 0: by the number of texts; seed None: that of the directions that are there, or
    0; `refit`: train again what is there; `wording`: the language model that words labels ("": that of the settings).
    """

    of: Mapped = "papers"
    size: int = 0
    seed: int | None = None
    refit: bool = False
    wording: str | None = None


def build_directions(session: Session, sources: TermSources, options: BuildOptions) -> DirectionList:
    """Train directions if there are none, or others are asked for; else encode what is new. Returns them.

    Raises:
        UsageError: too few texts, all vectors are the same, or a size that does not suit their number.
        LibraryReadOnlyError: they have to be trained, and the library cannot be written to.
        BusyError: another process is writing to the library.
    """
    catalog = session.catalog
    try:
        stored_set = direction_sql.read_set(catalog, options.of)
    except LibraryDamagedError:
        if not options.refit:
            raise
        stored_set = None
    model = _model(catalog)
    facts = stored_set.facts if stored_set else {}
    seed = facts.get("seed", 0) if options.seed is None else options.seed
    is_other = (options.size and options.size != facts.get("size")) or seed != facts.get("seed")
    notes = []
    if stored_set is None or options.refit or is_other or facts["model"] != model:
        _train(session, sources, options, seed, model, stored_set)
    else:
        try:
            _encode_new(session, options.of, stored_set)
        except LibraryReadOnlyError:
            notes.append("The library cannot be written to: what is new is encoded each time it is read.")
    if options.wording is not None:
        notes += _word(session, sources, options.of, options.wording)
    return list_directions(load_directions(session, options.of), notes=notes)


def _word(session: Session, sources: TermSources, of: Mapped, model: str) -> list[str]:
    """Let a language model word the labels of directions that recur; returns what the user should know."""
    direction_set = load_directions(session, of)
    stored, autoencoder = direction_set.stored, direction_set.autoencoder
    with session.writing():  # whoever cannot write learns it before a model is paid
        numbers = [
            number for number, direction in enumerate(direction_set.directions) if direction.recurs and direction.terms
        ]
    evidence = [_gather_evidence(session, direction_set, number) for number in numbers]
    worded = word_labels(session, evidence, model)
    labeller = _labeller(
        session, sources, stored.facts["model"], direction_set.codes, autoencoder, stored.facts["seed"]
    )
    labels = labeller.labels()
    taken = 0
    for number, text in zip(numbers, worded, strict=True):
        if text:
            labels[number] = labeller.reword(number, labels[number], text, label_words(text))
            taken += labels[number].terms[0].kind == "model"
    arrays = {
        "ids": stored.ids,
        "levels": stored.levels,
        "recurrence": stored.recurrence,
        "aucs": np.array([label.auc for label in labels], np.float32),
        "parents": stored.parents,
    }
    weights = pack_arrays({**unpack_arrays(autoencoder.to_bytes()), **arrays})
    with session.writing():
        there = set(session.catalog.ids_of(np.unique(direction_set.codes.papers).tolist()))
        rows = [row for row in _label_rows(of, stored.ids, labels) if row["paper_key"] in there]

        def put(connection: Connection) -> None:
            direction_sql.put_labels(connection, of, rows)
            direction_sql.put_set(connection, of, stored.version, stored.facts, weights)
            direction_sql.note_change(connection)

        transact(session.catalog.engine, put)
    refused = len(numbers) - taken
    return [f"{refused} of {len(numbers)} labels stay: the model's words were not those of the sentences."] * (
        refused > 0
    )


def _gather_evidence(session: Session, direction_set: LoadedDirections, number: int) -> LabelEvidence:
    report = report_direction(session, direction_set, number, SHOWN)
    strong, near = (
        tuple(example.sentence for example in examples if example.sentence)
        for examples in (report.strongest, report.near_misses)
    )
    papers = tuple(example.paper for example in (*report.strongest, *report.near_misses))
    return LabelEvidence(report.direction.terms, strong, near[:NEAR_MISSES], papers)


def _model(catalog: Catalog) -> str:
    counts = catalog.model_counts()
    if not counts:
        raise UsageError(EMPTY, "`add` adds papers, and embeds them.")
    return max(counts, key=lambda model: counts[model])


def _train(
    session: Session, sources: TermSources, options: BuildOptions, seed: int, model: str, before: StoredSet | None
) -> None:
    catalog = session.catalog
    with session.writing():  # whoever cannot write learns it now
        keys: list[int] = papers_with_vectors(catalog, model).tolist()
    digest = blake2b(f"{model} {replace(options, wording=None)} {seed}".encode(), digest_size=16)
    with VectorFile(_read_parts(catalog, model, options.of, keys, digest.update), session.folder) as vectors:
        plan = plan_training(vectors.count, options.size, seed)
        trained = train(vectors, plan, CatalogCheckpoints(catalog, options.of, digest.hexdigest()))
    autoencoder, order = _keep_ids(trained, before)
    change = catalog.change()
    codes, digests = _encode_all(catalog, model, options.of, trained, keys)
    labels = _labeller(session, sources, model, codes, autoencoder, seed).labels()
    facts = {
        "model": model,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "trained": vectors.count,
        "seed": seed,
        "size": plan.size,
        "unexplained": round(trained.unexplained, 4),
        "dead": trained.dead,
        **order.facts(before),
    }
    arrays = {
        "ids": order.ids,
        "levels": trained.levels,
        "recurrence": trained.recurrence,
        "aucs": np.array([label.auc for label in labels], np.float32),
        "parents": find_parents(codes, autoencoder.size),
    }
    weights = pack_arrays({**unpack_arrays(autoencoder.to_bytes()), **arrays})
    with session.writing():
        version = str(int(before.version) + 1 if before else 1)
        if catalog.change() != change:  # papers came or went meanwhile
            keys = papers_with_vectors(catalog, model).tolist()
            codes, digests = _encode_all(catalog, model, options.of, trained, keys)
        rows = [row for row in _label_rows(options.of, order.ids, labels) if row["paper_key"] in digests]

        def put(connection: Connection) -> None:
            direction_sql.forget_activations(connection, options.of, ActivationRows(options.of).name)
            _put_codes(connection, options.of, version, codes, digests)
            direction_sql.put_labels(connection, options.of, rows)
            direction_sql.put_set(connection, options.of, version, facts, weights)
            direction_sql.note_change(connection)

        transact(catalog.engine, put)


def _read_parts(
    catalog: Catalog, model: str, of: Mapped, keys: Sequence[int], note: Callable[[bytes], object]
) -> Iterator[FloatArray]:
    done = 0
    for batch in texts(catalog, model, of, keys):
        for digest in batch.digests.values():
            note(digest)
        done += len(batch.digests)
        emit(Progress("reading vectors", done, len(keys), "papers"))
        yield batch.vectors


def _encode_all(
    catalog: Catalog, model: str, of: Mapped, trained: TrainedDirections, keys: Sequence[int]
) -> tuple[Codes, dict[int, bytes]]:
    """The codes of all texts, and what stands for the words of each paper."""
    emit(Progress("finding active directions", 0, len(keys), "papers"))
    autoencoder, levels = trained.autoencoder, trained.levels
    parts = [(encode_texts(autoencoder, levels, batch), batch.digests) for batch in texts(catalog, model, of, keys)]
    return join_codes([part for part, _ in parts]), {
        key: digest for _, digests in parts for key, digest in digests.items()
    }


@dataclass(frozen=True, slots=True)
class _Order:
    """The ids of directions, and which of them continue."""

    ids: Ints
    continued: int

    def facts(self, before: StoredSet | None) -> dict[str, Any]:
        if before is None:
            return {"continued": None, "new": [], "gone": 0}
        new = np.setdiff1d(self.ids, before.ids)
        return {
            "continued": self.continued,
            "new": new[:MOST_TOLD].tolist(),
            "gone": len(before.ids) - self.continued,
        }


def _keep_ids(trained: TrainedDirections, before: StoredSet | None) -> tuple[Autoencoder, _Order]:
    """Directions that are as they were (cosine from `RECURS` on) keep their numbers; the others get new ones."""
    autoencoder = trained.autoencoder
    if before is None or before.autoencoder.decoder.shape[1] != autoencoder.decoder.shape[1]:
        first = int(before.ids.max(initial=0)) + 1 if before else 1
        return autoencoder, _Order(np.arange(first, first + autoencoder.size), 0)
    cosines = autoencoder.decoder @ before.autoencoder.decoder.T
    ids = np.zeros(autoencoder.size, np.int64)
    taken: set[int] = set()
    rows, columns = np.nonzero(cosines >= RECURS)
    for place in np.argsort(-cosines[rows, columns], kind="stable").tolist():
        row, column = int(rows[place]), int(columns[place])
        if not ids[row] and column not in taken:
            ids[row] = before.ids[column]
            taken.add(column)
    fresh = np.flatnonzero(ids == 0)
    ids[fresh] = int(before.ids.max(initial=0)) + 1 + np.arange(len(fresh))
    return autoencoder, _Order(ids, len(taken))


def _labeller(
    session: Session, sources: TermSources, model: str, codes: Codes, autoencoder: Autoencoder, seed: int
) -> DirectionLabeller:
    """What labels directions, by a sample of their texts."""
    rows: Any = slice(None)
    if len(codes.papers) > LABELLED:
        chance = np.random.default_rng((seed, 4))
        rows = np.sort(chance.choice(len(codes.papers), LABELLED, replace=False))
        units = [codes.units[row] for row in rows.tolist()]
        codes = replace(
            codes, papers=codes.papers[rows], units=units, numbers=codes.numbers[rows], values=codes.values[rows]
        )
    terms = collect_terms(session.catalog, codes, sources)
    embedder = session.embedder
    embed: Embed | None = None
    if embedder.id == model:
        embed = lambda phrases: np.array([embedding.vector for embedding in embedder.embed(phrases)])  # noqa: E731
    return DirectionLabeller(codes, terms, autoencoder.decoder, embed, seed)


def _label_rows(of: Mapped, ids: Ints, labels: Sequence[DirectionLabel]) -> list[dict[str, Any]]:
    return [
        {
            **{"paper_key": paper, "of": of, "direction": key, "rank": rank},
            **{"term": term.term, "kind": term.kind, "weight": term.weight},
        }
        for key, label in zip(ids.tolist(), labels, strict=True)
        for rank, (term, papers) in enumerate(zip(label.terms, label.witnesses, strict=True))
        for paper in papers
    ]


def _put_codes(connection: Connection, of: Mapped, version: str, codes: Codes, digests: Mapping[int, bytes]) -> None:
    """Let papers, which have no activations yet, have these."""
    kind = ActivationRows(of, version)
    order = np.argsort(codes.papers, kind="stable")
    keys = codes.papers[order]
    for chunk in split_chunks(sorted(digests)):
        rows: dict[int, tuple[list[dict[str, Any]]]] = {key: ([],) for key in chunk}
        first, last = np.searchsorted(keys, (chunk[0], chunk[-1] + 1)).tolist()
        for row in order[first:last].tolist():
            code = {"of": of, "unit": codes.units[row], "codes": pack_code(codes, row)}
            rows[int(codes.papers[row])][0].append(code)
        derivations.save_derivation(connection, Derived(kind.name, version, kind.parts, rows, digests), rows)


def _encode_new(session: Session, of: Mapped, stored: StoredSet) -> None:
    """Encode papers that came since."""
    catalog = session.catalog
    keys = direction_sql.read_codes(catalog, of, ActivationRows(of).name, stored.version)[0]
    if not (new := lacking_papers(catalog, stored, keys)):
        return
    with session.writing():
        for batch in texts(catalog, stored.facts["model"], of, new):
            codes = encode_texts(stored.autoencoder, stored.levels, batch)

            def put(connection: Connection, codes: Codes = codes, batch: Any = batch) -> None:
                for chunk in split_chunks(list(batch.digests)):
                    direction_sql.forget_activations(connection, of, ActivationRows(of).name, chunk)
                _put_codes(connection, of, stored.version, codes, batch.digests)
                direction_sql.note_change(connection)

            transact(catalog.engine, put)
