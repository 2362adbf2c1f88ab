"""Vocabularies of another library, and what users said of names and entities there, as its export has them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Literal

import msgspec
from sqlalchemy import Connection

from conspectus.core.job_context import Notice, emit
from conspectus.graph.vocabularies import sql as kept
from conspectus.graph.vocabularies.cleaning import left_out
from conspectus.ingest.export_lines import ExportLines
from conspectus.parse.bibliography.records import CONCEPT_LINE, MERGE_LINE, NAME_LINES, RULE_LINE, VOCABULARY_LINE
from conspectus.records.graph import LOCAL
from conspectus.records.vocabularies import Concept, ConceptName, LinkKind, NameKind
from conspectus.session.session import Session
from conspectus.store.connection import transact, writing
from conspectus.store.entities import find_concepts, note_graph_change

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
        names = tuple(ConceptName(one.text, one.kind) for one in self.names)
        links = tuple((one.kind, one.id) for one in self.links)
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
    taking = _Taking(lines)
    with session.writing():
        with writing(session.catalog.engine) as connection:
            taking.vocabularies(connection, {one.name for one in kept.list_vocabularies(session.catalog)})
        _merge(session, taking)
    taking.emit()
    lines.emit("names")


@dataclass(slots=True)
class _Taking:
    lines: ExportLines[_Line]
    done: Counter[str] = field(default_factory=Counter)

    def vocabularies(self, connection: Connection, known: set[str]) -> None:
        """Those that are not here, whole, and rules of names of which nothing is said here."""
        keys: dict[str, int] = {}
        waiting: dict[str, list[Concept]] = {}
        for line in self.lines:
            if isinstance(line, _Vocabulary) and line.name not in (*known, LOCAL):
                options = {"subtree": line.subtree, "languages": line.languages, "missing": line.missing}
                keys[line.name] = kept.put_vocabulary(
                    connection, kept.VocabularySource(line.name, line.source, "", line.version, options)
                )
                self.done["vocabularies"] += 1
            elif isinstance(line, _Concept) and line.vocabulary in keys:
                some = waiting.setdefault(line.vocabulary, [])
                some.append(line.concept())
                if len(some) >= _AT_ONCE:
                    self._put(connection, keys[line.vocabulary], waiting.pop(line.vocabulary))
            elif isinstance(line, _Rule):
                self.done["rules"] += kept.put_new_rule(connection, line.name, line.concept, line.verdict, line.source)
        for name, some in waiting.items():
            self._put(connection, keys[name], some)
        if self.done:
            note_graph_change(connection)

    def _put(self, connection: Connection, vocabulary: int, some: list[Concept]) -> None:
        kept.put_concepts(connection, vocabulary, some, left_out)

    def emit(self) -> None:
        """What was taken over."""
        said = ", ".join(f"{self.done[what]} {what}" for what in ("vocabularies", "rules", "merges") if self.done[what])
        left = f" {self.done['without']} merges name entities that are not here." if self.done["without"] else ""
        if said or left:
            emit(Notice(f"{said or 'Nothing'} of names was taken over from '{self.lines.path}'.{left}"))


def _merge(session: Session, taking: _Taking) -> None:
    said = dict(kept.list_merges(session.catalog))
    for line in taking.lines:
        if isinstance(line, _Merge):
            ends = [find_concepts(session.catalog, name, resolved=False) for name in (line.entity, line.into)]
            if any(len(keys) != 1 for keys in ends):
                taking.done["without"] += 1
            elif (one := ends[0][0]) not in said and one != (other := ends[1][0]):
                merge = partial(kept.merge_concepts, one=one, other=other, made=line.made)
                taking.done["merges"] += transact(session.catalog.engine, merge)
