"""The meaning of words that a language model found: an entity of a vocabulary, or a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from conspectus.graph import candidate_rows, sql
from conspectus.graph.candidate_rows import MentionCandidate
from conspectus.graph.name_table_cache import load_name_table
from conspectus.ingest.derivations.protocol import Made, Subject
from conspectus.records.graph import LOCAL
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.connection import transact
from conspectus.store.derivations import Row

if TYPE_CHECKING:
    from conspectus.graph.linking.words import Fuzzy

MODEL = "model"
"""How those were found whose words a model named, whether or not they are a name."""
Resolve = Callable[[MentionCandidate], MentionCandidate]
"""What words that a model found mean by the vocabularies of now."""


def reapply_judgements(
    fresh: Sequence[MentionCandidate], before: Iterable[MentionCandidate], resolve: Resolve
) -> list[MentionCandidate]:
    """What names find, as a model judged the same words before; and what it found itself."""
    by_place = {candidate.place: candidate for candidate in before}
    known = [_reapply(candidate, by_place.get(candidate.place)) for candidate in fresh]
    places = {candidate.place for candidate in fresh}
    model_candidates = (
        candidate
        for candidate in by_place.values()
        if candidate.method == MODEL and candidate.kept and candidate.place not in places
    )
    return [*known, *map(resolve, model_candidates)]


def _reapply(candidate: MentionCandidate, before: MentionCandidate | None) -> MentionCandidate:
    if before is None:
        return candidate
    candidate = replace(candidate, method=MODEL if before.method == MODEL else candidate.method)
    return (
        choose_sense(candidate, before.entity)
        if before.kept
        else replace(candidate, kept=candidate.entity != before.entity)
    )


def choose_sense(candidate: MentionCandidate, entity: str) -> MentionCandidate:
    """The candidate in the sense of one of those that its words can have; as it is where that is none of them."""
    senses = dict([(candidate.entity, candidate.score), *candidate.others])
    if (score := senses.pop(entity, None)) is None:
        return candidate
    return replace(candidate, entity=entity, score=score, others=tuple(senses.items()))


_LEFT_OUT = 0.5
"""How sure a name means its concept that texts are not searched for, since it mostly means something else."""


_NEARLY = 0.9
"""The likeness to a word of names of one that a model found: one letter in ten is another one."""


@dataclass(frozen=True, slots=True)
class Resolver:
    """Finds what words mean, alone or by what their paper abbreviates."""

    session: Session

    def of(self, texts: Sequence[str]) -> Callable[[MentionCandidate], MentionCandidate]:
        """What words mean in a paper of these sentences."""
        from conspectus.graph.linking.linker import definitions

        return partial(self._resolve, definitions(texts))

    def _resolve(self, defined: Mapping[str, str], candidate: MentionCandidate) -> MentionCandidate:
        from conspectus.graph.linking.linker import link_question
        from conspectus.graph.linking.words import new_id

        name = defined.get(candidate.text) or defined.get(candidate.text.removesuffix("s")) or candidate.text
        table = load_name_table(self.session)
        for words in (None, _nearly(self.session)):
            for match in link_question(table, name, lambda keys: keys, words):
                if (match.start, match.stop) != (0, len(name)):
                    continue
                ids = entities.concept_ids(self.session.catalog, {match.concept, *(key for key, _ in match.others)})
                others = tuple((ids[key], score) for key, score in match.others)
                return replace(candidate, entity=ids[match.concept], score=match.score, others=others)
        if ids_of := candidate_rows.ids_by_name(self.session.catalog, name):
            others = tuple((id, _LEFT_OUT) for id in ids_of[1:])
            return replace(candidate, entity=ids_of[0], score=_LEFT_OUT, others=others)
        return replace(candidate, entity=new_id(name), score=1.0, others=())


def _nearly(session: Session) -> Fuzzy:
    """The words of names, and what is nearly one of them; made once, until they are others."""
    from conspectus.graph.linking.words import Fuzzy

    state = sql.names_state(session.catalog)
    return session.parts.get_cached("graph", lambda: Fuzzy(load_name_table(session).words, _NEARLY), "nearly", state)


def recall_judgements(session: Session) -> Callable[[Subject, Sequence[MentionCandidate]], Made] | None:
    """Brings what names find in a paper together with what a model said of it; None where none has read any."""
    return (
        _JudgementRecall(session, Resolver(session)).recall if candidate_rows.has_candidates(session.catalog) else None
    )


@dataclass(frozen=True, slots=True)
class _JudgementRecall:
    session: Session
    resolver: Resolver

    def recall(self, paper: Subject, fresh: Sequence[MentionCandidate]) -> Made:
        catalog = self.session.catalog
        key = catalog.paper_key(paper.id)
        if not (before := candidate_rows.candidates_of_papers(catalog, [key]).get(key)):
            return ()
        texts = [span.text for passage in paper.passages for span in passage.spans]
        return make_rows(self.session, reapply_judgements(fresh, before, self.resolver.of(texts)))


def make_rows(session: Session, candidates: Sequence[MentionCandidate]) -> tuple[list[Row], list[Row]]:
    """The mentions that candidates of a paper come to, and these; what is new is put into the catalog."""
    engine, prefix = session.catalog.engine, f"{LOCAL}:"
    if new := {candidate.entity: candidate.text for candidate in candidates if candidate.entity.startswith(prefix)}:
        transact(engine, partial(candidate_rows.put_new_entities, names_by_id=new))
    with engine.connect() as connection:
        return candidate_rows.mention_rows(connection, candidates), [
            candidate_rows.candidate_row(candidate) for candidate in candidates
        ]
