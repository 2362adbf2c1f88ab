"""Vocabularies come into a library: from files that a child process reads, or from another library's export."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from sqlalchemy import Connection

from conspectus.core.errors import ConspectusError, InputError, UnavailableError, UsageError
from conspectus.core.job_context import Notice, emit
from conspectus.graph.linking.words import LEFT_OUT_VERSION, reason_left_out
from conspectus.graph.vocabularies import concept_merges
from conspectus.graph.vocabularies import sql as vocabulary_sql
from conspectus.graph.vocabularies.files import footprint, stem
from conspectus.graph.vocabularies.reader import VERSION
from conspectus.graph.vocabularies.sql import VocabularySource
from conspectus.parse.bibliography.record_lines import (
    CONCEPT_LINE,
    MERGE_LINE,
    NAME_LINES,
    RULE_LINE,
    VOCABULARY_LINE,
    ExportLines,
)
from conspectus.parse.process.pool import Limits
from conspectus.parse.process.wire import Order, Report, VocabularyHead, VocabularyOrder
from conspectus.parse.process.worker_process import WorkerProcess
from conspectus.records import normal_name
from conspectus.records.events import Progress
from conspectus.records.graph import LOCAL
from conspectus.records.vocabularies import AddedVocabulary, Concept, ConceptName, LinkKind, NameKind, VocabularyOutcome
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.connection import CatalogReader, transact, writing
from conspectus.store.entities import find_concepts, note_graph_change

WORKER = (sys.executable, "-P", "-m", "conspectus.graph.vocabularies.reader")


@dataclass(frozen=True, slots=True)
class VocabularyRequest:
    """A vocabulary to be added: what it is to be called, of which files, and what of it.

    `has_given_name`: its name was given, and not taken from the file's: it may take the place of one from elsewhere.
    """

    name: str
    paths: tuple[Path, ...]
    subtree: tuple[str, ...]
    languages: tuple[str, ...]
    has_given_name: bool = True

    @property
    def source(self) -> str:
        """Where it comes from, in words."""
        return ", ".join(map(str, self.paths))


def make_requests(
    paths: Sequence[Path], name: str, subtree: Sequence[str], languages: Sequence[str]
) -> list[VocabularyRequest]:
    """One vocabulary of all paths where there is a name for it, else one of each, called as the file is."""
    parts = tuple(subtree), tuple(languages)
    if name:
        return [VocabularyRequest(name, tuple(paths), *parts)]
    return [VocabularyRequest(stem(path.name), (path,), *parts, has_given_name=False) for path in paths]


def add_vocabularies(
    catalog: CatalogReader, every: Sequence[VocabularyRequest], limits: Limits
) -> Iterator[AddedVocabulary]:
    """What became of each; one that fails costs itself alone, and what there was of it stays.

    Args:
        catalog: whose writer lock is held.
        every: what is to be added.
        limits: what reading one may take.

    Raises:
        UnavailableError: what reads them is missing.
    """
    for number, request in enumerate(every):
        emit(Progress("adding", number, len(every), "vocabularies", request.name))
        try:
            yield _add_vocabulary(catalog, request, limits)
        except UnavailableError:
            raise
        except ConspectusError as error:
            yield AddedVocabulary(request.name, request.source, "failed", reason=str(error))


def check_name(name: str) -> None:
    """Refuse a name that no vocabulary can have.

    Raises:
        UsageError: it has no letter or digit, is too long, or is taken.
    """
    if not normal_name(name) or len(name) > 100:
        raise UsageError(
            f"'{name[:100]}' is no name of a vocabulary.", "Give `name` letters or digits, at most 100 signs."
        )
    if normal_name(name) == LOCAL:
        raise UsageError(f"'{name}' is the vocabulary of what language models find.", "Give it another name.")


def _add_vocabulary(catalog: CatalogReader, request: VocabularyRequest, limits: Limits) -> AddedVocabulary:
    for path in request.paths:
        if not path.exists():
            raise InputError(
                f"There is no file '{path}'.",
                "Name files or folders; leave patterns (`*.ttl`) to the shell, without quotes.",
            )
    check_name(request.name)
    before = vocabulary_sql.sources(catalog).get(entities.vocabulary_key(catalog, request.name) or 0)
    if before and not request.has_given_name and before.source != request.source:
        raise UsageError(
            f"There is a vocabulary '{before.name}' already, from '{before.source}'.",
            "Give `name`: the same one to put this in its place, or another to keep both.",
        )
    if before and before.sha256 == _digest(request, before.options):
        counted = next(row for row in vocabulary_sql.list_vocabularies(catalog) if row.name == before.name)
        numbers = {name: getattr(counted, name) for name in ("concepts", "names", "left_out", "missing")}
        return AddedVocabulary(before.name, request.source, "unchanged", **numbers)
    with closing(_reports(request, limits)) as reports, writing(catalog.engine) as connection:
        return _store_vocabulary(connection, request, reports, is_new=before is None)


def _digest(request: VocabularyRequest, options: Mapping[str, Any]) -> str:
    """Of all that a vocabulary was read of, and how."""
    digests = footprint(request.paths, options.get("imported", ()), incomplete=bool(options.get("missing")))
    parts = [VERSION, LEFT_OUT_VERSION, request.subtree, request.languages, sorted(digests.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _reports(request: VocabularyRequest, limits: Limits) -> Generator[Report]:
    """What the child tells; nothing of it before it has read all."""
    paths = tuple(os.fsencode(path.absolute()) for path in request.paths)
    order = Order(
        paths[0], "vocabulary", vocabulary=VocabularyOrder(paths, request.name, request.subtree, request.languages)
    )
    child = WorkerProcess(WORKER, limits.seconds, limits.memory_mb)
    try:
        for report, error in child.read(order):
            if error:
                raise error
            yield report
    finally:
        child.close()


def _store_vocabulary(
    connection: Connection, request: VocabularyRequest, reports: Iterator[Report], *, is_new: bool
) -> AddedVocabulary:
    counts: Counter[str] = Counter()
    ids: set[str] = set()
    head, key = VocabularyHead("", (), (), ()), 0
    for report in reports:
        if report.concepts:
            key = key or vocabulary_sql.put_vocabulary(
                connection, VocabularySource(request.name, request.source, "", "", {})
            )
            counts.update(vocabulary_sql.put_concepts(connection, key, report.concepts, reason_left_out))
            ids.update(concept.id for concept in report.concepts)
        head = report.vocabulary or head
        emit(Progress("adding", len(ids), 0, "concepts", request.name))
    if not ids:
        raise InputError(
            f"'{request.name}' has no concept with a name.",
            "Is it a vocabulary? `docs/vocabularies.md` says what is read.",
        )
    removed = vocabulary_sql.keep_only(connection, key, ids)
    options = {
        "subtree": request.subtree,
        "languages": request.languages,
        "missing": head.missing,
        "imported": [os.fsdecode(path) for path in head.imported],
    }
    vocabulary_sql.put_vocabulary(
        connection, VocabularySource(request.name, request.source, _digest(request, options), head.version, options)
    )
    note_graph_change(connection)
    outcome: VocabularyOutcome = "added" if is_new else "updated"
    return AddedVocabulary(
        request.name,
        request.source,
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


_AT_ONCE = 500
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]


class _Vocabulary(msgspec.Struct, tag_field="schema", tag=VOCABULARY_LINE):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    source: str = ""
    version: str = ""
    subtree: list[str] = []
    languages: list[str] = []
    missing: list[str] = []


class _Name(msgspec.Struct):
    text: Name
    kind: NameKind = NameKind.EXACT


class _Link(msgspec.Struct):
    kind: LinkKind
    id: Name


class _Concept(msgspec.Struct, tag_field="schema", tag=CONCEPT_LINE):
    vocabulary: str
    id: Name
    label: Name
    iri: str = ""
    definition: str = ""
    deprecated: bool = False
    names: list[_Name] = []
    links: list[_Link] = []

    def concept(self) -> Concept:
        """As a vocabulary's reader would give it."""
        names = tuple(ConceptName(name.text, name.kind) for name in self.names)
        links = tuple((link.kind, link.id) for link in self.links)
        return Concept(self.id, self.label, names, links, self.definition, self.iri, self.deprecated)


class _Rule(msgspec.Struct, tag_field="schema", tag=RULE_LINE):
    name: Name
    verdict: Literal["use", "leave"]
    concept: str = ""
    source: Literal["user", "learnt"] = "user"


class _Merge(msgspec.Struct, tag_field="schema", tag=MERGE_LINE):
    entity: Name
    into: Name
    made: str = ""


_Line = _Vocabulary | _Concept | _Rule | _Merge
_decode = msgspec.json.Decoder(_Line).decode


def import_name_rules(session: Session, path: str) -> None:
    """Take over what a file that is new says of vocabularies that are not here, of names, and of entities that are one.

    What is said here already stands. What was taken is told, and what could not be.
    """
    lines = ExportLines[_Line](path, NAME_LINES, _decode)
    if not any(lines):
        lines.emit("names")
        return
    taking = _NameImport(lines)
    with session.writing():
        with writing(session.catalog.engine) as connection:
            taking.vocabularies(
                connection, {vocabulary.name for vocabulary in vocabulary_sql.list_vocabularies(session.catalog)}
            )
        _import_merges(session, taking)
    taking.emit()
    lines.emit("names")


@dataclass(slots=True)
class _NameImport:
    lines: ExportLines[_Line]
    done: Counter[str] = field(default_factory=Counter)

    def vocabularies(self, connection: Connection, known: set[str]) -> None:
        """Those that are not here, whole, and rules of names of which nothing is said here."""
        keys: dict[str, int] = {}
        waiting: dict[str, list[Concept]] = {}
        for line in self.lines:
            if isinstance(line, _Vocabulary) and line.name not in (*known, LOCAL):
                options = {"subtree": line.subtree, "languages": line.languages, "missing": line.missing}
                keys[line.name] = vocabulary_sql.put_vocabulary(
                    connection, vocabulary_sql.VocabularySource(line.name, line.source, "", line.version, options)
                )
                self.done["vocabularies"] += 1
            elif isinstance(line, _Concept) and line.vocabulary in keys:
                batch = waiting.setdefault(line.vocabulary, [])
                batch.append(line.concept())
                if len(batch) >= _AT_ONCE:
                    self._put(connection, keys[line.vocabulary], waiting.pop(line.vocabulary))
            elif isinstance(line, _Rule):
                self.done["rules"] += vocabulary_sql.put_new_rule(
                    connection, line.name, line.concept, line.verdict, line.source
                )
        for name, batch in waiting.items():
            self._put(connection, keys[name], batch)
        if self.done:
            note_graph_change(connection)

    def _put(self, connection: Connection, vocabulary: int, batch: list[Concept]) -> None:
        vocabulary_sql.put_concepts(connection, vocabulary, batch, reason_left_out)

    def emit(self) -> None:
        """What was taken over."""
        summary = ", ".join(
            f"{self.done[what]} {what}" for what in ("vocabularies", "rules", "merges") if self.done[what]
        )
        left = f" {self.done['without']} merges name entities that are not here." if self.done["without"] else ""
        if summary or left:
            emit(Notice(f"{summary or 'Nothing'} of names was taken over from '{self.lines.path}'.{left}"))


def _import_merges(session: Session, taking: _NameImport) -> None:
    merge_by_key = dict(concept_merges.list_merges(session.catalog))
    for line in taking.lines:
        if isinstance(line, _Merge):
            ends = [find_concepts(session.catalog, name, resolved=False) for name in (line.entity, line.into)]
            if any(len(keys) != 1 for keys in ends):
                taking.done["without"] += 1
            elif (ours := ends[0][0]) not in merge_by_key and ours != (other := ends[1][0]):
                merge = partial(concept_merges.merge_concepts, key=ours, other=other, made=line.made)
                taking.done["merges"] += transact(session.catalog.engine, merge)
