"""What words mean that a language model found: an entity of a vocabulary, or a new one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from conspectus.graph import candidate_rows as kept
from conspectus.graph import sql
from conspectus.graph.candidate_rows import Candidate
from conspectus.graph.name_table_cache import table_of
from conspectus.graph.recalling import recalled
from conspectus.ingest.derivations.protocol import Made, Subject
from conspectus.records.graph import LOCAL
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.connection import transact
from conspectus.store.derivations import Row

if TYPE_CHECKING:
    from conspectus.graph.linking.fuzzy import Fuzzy

_LEFT_OUT = 0.5
"""How sure a name means its concept that texts are not searched for, since it mostly means something else."""


_NEARLY = 0.9
"""The likeness to a word of names of one that a model found: one letter in ten is another one."""


@dataclass(frozen=True, slots=True)
class Resolver:
    """Finds what words mean, alone or by what their paper abbreviates."""

    session: Session

    def of(self, texts: Sequence[str]) -> Callable[[Candidate], Candidate]:
        """What words mean in a paper of these sentences."""
        from conspectus.graph.linking.abbreviations import definitions

        return partial(self._resolved, definitions(texts))

    def _resolved(self, defined: Mapping[str, str], one: Candidate) -> Candidate:
        from conspectus.graph.linking.linker import link_question
        from conspectus.graph.linking.words import new_id

        name = defined.get(one.text) or defined.get(one.text.removesuffix("s")) or one.text
        table = table_of(self.session)
        for words in (None, _nearly(self.session)):
            for match in link_question(table, name, lambda keys: keys, words):
                if (match.start, match.stop) != (0, len(name)):
                    continue
                ids = entities.concept_ids(self.session.catalog, {match.concept, *(key for key, _ in match.others)})
                others = tuple((ids[key], score) for key, score in match.others)
                return replace(one, entity=ids[match.concept], score=match.score, others=others)
        if ids_of := kept.ids_by_name(self.session.catalog, name):
            others = tuple((id, _LEFT_OUT) for id in ids_of[1:])
            return replace(one, entity=ids_of[0], score=_LEFT_OUT, others=others)
        return replace(one, entity=new_id(name), score=1.0, others=())


def _nearly(session: Session) -> Fuzzy:
    """The words of names, and what is nearly one of them; made once, until they are others."""
    from conspectus.graph.linking.fuzzy import Fuzzy

    state = sql.names_state(session.catalog)
    return session.parts.held("graph", lambda: Fuzzy(table_of(session).words, _NEARLY), "nearly", state)


def recalling(session: Session) -> Callable[[Subject, Sequence[Candidate]], Made] | None:
    """Brings what names find in a paper together with what a model said of it; None where none has read any."""
    return _Recalling(session, Resolver(session)).made if kept.has_candidates(session.catalog) else None


@dataclass(frozen=True, slots=True)
class _Recalling:
    session: Session
    resolver: Resolver

    def made(self, paper: Subject, fresh: Sequence[Candidate]) -> Made:
        catalog = self.session.catalog
        key = catalog.paper_key(paper.id)
        if not (before := kept.candidates_of_papers(catalog, [key]).get(key)):
            return ()
        texts = [span.text for passage in paper.passages for span in passage.spans]
        return rows_of(self.session, recalled(fresh, before, self.resolver.of(texts)))


def rows_of(session: Session, found: Sequence[Candidate]) -> tuple[list[Row], list[Row]]:
    """The mentions that candidates of a paper come to, and these; what is new is put into the catalog."""
    engine, prefix = session.catalog.engine, f"{LOCAL}:"
    if new := {one.entity: one.text for one in found if one.entity.startswith(prefix)}:
        transact(engine, partial(kept.put_new_entities, found=new))
    with engine.connect() as connection:
        return kept.mention_rows(connection, found), [kept.candidate_row(one) for one in found]
