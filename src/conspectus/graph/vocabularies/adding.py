"""Vocabularies come into a library: each read in a child process, and stored in one transaction or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from conspectus.core.errors import ConspectusError, InputError, UnavailableError, UsageError
from conspectus.core.job_context import emit
from conspectus.graph.vocabularies import cleaning
from conspectus.graph.vocabularies import sql as kept
from conspectus.graph.vocabularies.reading import VERSION
from conspectus.graph.vocabularies.shelf import footprint, stem
from conspectus.graph.vocabularies.sql import VocabularySource
from conspectus.parse.pool import Limits
from conspectus.parse.wire import Order, Report, VocabularyHead, VocabularyOrder
from conspectus.parse.worker_process import WorkerProcess
from conspectus.records.jobs import Progress
from conspectus.records.vocabularies import AddedVocabulary, VocabularyOutcome
from conspectus.store import entities
from conspectus.store.connection import CatalogReader, writing
from conspectus.store.entities import note_graph_change

WORKER = (sys.executable, "-P", "-m", "conspectus.graph.vocabularies.worker")
_KEPT = ("subtree", "languages")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A vocabulary to be added: what it is to be called, of which files, and what of it.

    `named`: its name was given, and not taken from the file's: it may take the place of one from elsewhere.
    """

    name: str
    paths: tuple[Path, ...]
    subtree: tuple[str, ...]
    languages: tuple[str, ...]
    named: bool = True

    @property
    def source(self) -> str:
        """Where it comes from, in words."""
        return ", ".join(map(str, self.paths))


def wanted(paths: Sequence[Path], name: str, subtree: Sequence[str], languages: Sequence[str]) -> list[Wanted]:
    """One vocabulary of all paths where there is a name for it, else one of each, called as the file is."""
    parts = tuple(subtree), tuple(languages)
    if name:
        return [Wanted(name, tuple(paths), *parts)]
    return [Wanted(stem(path.name), (path,), *parts, named=False) for path in paths]


def add(catalog: CatalogReader, every: Sequence[Wanted], limits: Limits) -> Iterator[AddedVocabulary]:
    """What became of each; one that fails costs itself alone, and what there was of it stays.

    Args:
        catalog: whose writer lock is held.
        every: what is to be added.
        limits: what reading one may take.

    Raises:
        UnavailableError: what reads them is missing.
    """
    for number, one in enumerate(every):
        emit(Progress("adding", number, len(every), "vocabularies", one.name))
        try:
            yield _added(catalog, one, limits)
        except UnavailableError:
            raise
        except ConspectusError as error:
            yield AddedVocabulary(one.name, one.source, "failed", reason=str(error))


def _added(catalog: CatalogReader, one: Wanted, limits: Limits) -> AddedVocabulary:
    for path in one.paths:
        if not path.exists():
            raise InputError(f"There is no file '{path}'.", "Patterns (`*.ttl`) are the shell's to fill in.")
    before = kept.sources(catalog).get(entities.vocabulary_key(catalog, one.name) or 0)
    if before and not one.named and before.source != one.source:
        raise UsageError(
            f"There is a vocabulary '{before.name}' already, from '{before.source}'.",
            "Give `name`: the same one to put this in its place, or another to keep both.",
        )
    if before and before.sha256 == _digest(one, before.options):
        counted = next(row for row in kept.list_vocabularies(catalog) if row.name == before.name)
        numbers = {name: getattr(counted, name) for name in ("concepts", "names", "left_out", "missing")}
        return AddedVocabulary(before.name, one.source, "unchanged", **numbers)
    with closing(_reports(one, limits)) as reports, writing(catalog.engine) as connection:
        return _stored(connection, one, reports, is_new=before is None)


def _digest(one: Wanted, options: Mapping[str, Any]) -> str:
    """Of all that a vocabulary was read of, and how."""
    held = footprint(one.paths, options.get("imported", ()), incomplete=bool(options.get("missing")))
    said = [VERSION, cleaning.VERSION, one.subtree, one.languages, sorted(held.items())]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _reports(one: Wanted, limits: Limits) -> Generator[Report]:
    """What the child tells; nothing of it before it has read all."""
    paths = tuple(os.fsencode(path.absolute()) for path in one.paths)
    order = Order(paths[0], "vocabulary", vocabulary=VocabularyOrder(paths, one.name, one.subtree, one.languages))
    child = WorkerProcess(WORKER, limits.seconds, limits.memory_mb)
    try:
        for report, error in child.read(order):
            if error:
                raise error
            yield report
    finally:
        child.close()


def _stored(connection: Connection, one: Wanted, reports: Iterator[Report], *, is_new: bool) -> AddedVocabulary:
    counts: Counter[str] = Counter()
    ids: set[str] = set()
    head, key = VocabularyHead("", (), (), ()), 0
    for report in reports:
        if report.concepts:
            key = key or kept.put_vocabulary(connection, VocabularySource(one.name, one.source, "", "", {}))
            counts.update(kept.put_concepts(connection, key, report.concepts, cleaning.left_out))
            ids.update(concept.id for concept in report.concepts)
        head = report.vocabulary or head
        emit(Progress("adding", len(ids), 0, "concepts", one.name))
    if not ids:
        raise InputError(
            f"'{one.name}' has no concept with a name.", "Is it a vocabulary? `docs/vocabularies.md` says what is read."
        )
    removed = kept.keep_only(connection, key, ids)
    options = {
        "subtree": one.subtree,
        "languages": one.languages,
        "missing": head.missing,
        "imported": [os.fsdecode(path) for path in head.imported],
    }
    kept.put_vocabulary(
        connection, VocabularySource(one.name, one.source, _digest(one, options), head.version, options)
    )
    note_graph_change(connection)
    outcome: VocabularyOutcome = "added" if is_new else "updated"
    return AddedVocabulary(
        one.name,
        one.source,
        outcome,
        added=counts["added"],
        changed=counts["changed"],
        removed=removed,
        concepts=counts["concepts"],
        names=counts["names"],
        left_out=counts["left_out"],
        notes=head.notes,
        missing=head.missing,
    )
