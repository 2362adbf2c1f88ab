"""Find mentions of concepts in papers and questions, by the method that the library is linked with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.core.job_context import emit
from conspectus.core.text import pluralize
from conspectus.graph import sql
from conspectus.graph.candidate_rows import MentionCandidate, mention_row
from conspectus.graph.linking.plausibility import PlausibilityModel, read_weights, weights_version
from conspectus.graph.name_table_cache import (
    LINKED,
    cache_file,
    find_cached_files,
    load_name_table,
)
from conspectus.ingest.derivations.facts import MentionRows
from conspectus.ingest.derivations.protocol import Made, Subject
from conspectus.records import Passage
from conspectus.records.events import Progress
from conspectus.records.graph import LinkMethod
from conspectus.session.session import Session
from conspectus.store import derivations, entities
from conspectus.store.connection import put_meta, transact
from conspectus.store.rows import local_name

if TYPE_CHECKING:
    from conspectus.graph.linking.linker import Linker, Match, Semantic
    from conspectus.graph.linking.name_table import NameTable

NO_ENTITY = "`graph link` finds the entities of papers, `vocabulary list` shows by which, `vocabulary add` adds one."
"""The remedy if an entity is missing."""
_META, _FILE = "link_method", ".npy"
_FUZZY, _SEMANTIC = ("fuzzy", "both"), ("semantic", "both")


def method_of(session: Session) -> str:
    """The method by which the library's papers are linked: that which `keep_method` was told last, else `exact`."""
    method = session.catalog.meta(_META)
    return method if method in get_args(LinkMethod) else "exact"


def keep_method(session: Session, method: str) -> None:
    """Let the library's papers be linked by a method from now on; "": by that of before.

    Raises:
        UsageError: there is no such method.
    """
    if method and method not in get_args(LinkMethod):
        raise UsageError(f"There is no way of linking '{method}'.", f"Say one of {', '.join(get_args(LinkMethod))}.")
    if method and method != method_of(session):
        transact(session.catalog.engine, lambda on: put_meta(on, _META, method))


def methods_version(session: Session) -> str:
    """What mentions are noted with beside the names: methods with what they go by; "": by names alone."""
    method, settings = method_of(session), session.settings.vocabulary
    fuzzy = f"/fuzzy {settings.fuzzy:g}" * (method in _FUZZY)
    return fuzzy + (f"/semantic {settings.semantic:g} {session.embedder.id}" if method in _SEMANTIC else "")


@dataclass(frozen=True, slots=True)
class Finder:
    """What finds mentions in the texts of a paper."""

    linker: Linker
    semantic: Semantic | None = None

    def link(self, texts: Sequence[str]) -> list[list[Match]]:
        """See `Linker.link`."""
        matches = self.linker.link(texts)
        return self.semantic.link(texts, matches) if self.semantic else matches


def finder_of(session: Session) -> Finder:
    """What finds the names of vocabularies in texts by the library's method; made once, until any is another."""
    from conspectus.graph.linking.linker import Linker

    method, fuzzy = method_of(session), session.settings.vocabulary.fuzzy

    def make() -> Finder:
        table = load_name_table(session).in_memory
        linker = Linker(table, fuzzy=fuzzy if method in _FUZZY else 0.0, model=PlausibilityModel(read_weights()))
        return Finder(linker, _semantic(session, table) if method in _SEMANTIC else None)

    return session.parts.get_cached("graph", make, "linker", sql.names_state(session.catalog), methods_version(session))


def _semantic(session: Session, table: NameTable) -> Semantic | None:
    from conspectus.graph.linking.linker import Semantic, comparable_names

    if not (names := list(comparable_names(table))):
        return None
    vectors = _vectors(session, names)

    def embed(texts: Sequence[str]) -> FloatArray:
        return np.array([embedding.vector for embedding in session.embedder.embed(texts)], np.float32)

    return Semantic(table, vectors, embed, session.settings.vocabulary.semantic)


def _vectors(session: Session, names: Sequence[str]) -> FloatArray:
    """The vectors of names, float16 [names, dimensions], kept beside the table of names until these are others."""
    state = blake2b(repr((session.embedder.id, names)).encode(), digest_size=8).hexdigest()
    for path in find_cached_files(session, state, _FILE):
        with suppress(OSError, ValueError):  # of a failing disk: made again
            return np.load(path, allow_pickle=False)  # type: ignore[no-any-return]
    vectors = np.empty((len(names), session.embedder.dimensions), np.float16)
    for at, embedding in enumerate(session.embedder.embed(names)):
        vectors[at] = embedding.vector
        emit(Progress("embedding names", at + 1, len(names), "names"))
    with suppress(OSError):  # where nothing can be written, each process makes its own
        cache_file(session, state, _FILE, partial(_save, vectors))
    return vectors  # type: ignore[return-value] # of half the bytes


def _save(vectors: object, path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.asarray(vectors))


def linking_version(session: Session) -> str:
    """What mentions are noted with: the version of the linker, its vocabularies and its methods."""
    return f"{LINKED}{weights_version()}/{sql.vocabularies_digest(session.catalog)}{methods_version(session)}"


@dataclass(frozen=True, slots=True)
class PaperLinker:
    """Finds the mentions of a paper; what a language model said of its words still counts.

    Attributes:
        recall: adds what a model said to what names find; see `resolver.recalling`.
    """

    session: Session
    recall: Callable[[Subject, Sequence[MentionCandidate]], Made] | None

    def __call__(self, paper: Subject) -> Made:
        """The rows of its mentions, and those of what a model said."""
        pairs = find_names(self.session, paper.passages)
        if self.recall and (rows := self.recall(paper, [candidate for _, candidate in pairs])):
            return rows
        return ([mention_row(candidate, match.concept) for match, candidate in pairs], ())


def find_names(session: Session, passages: Sequence[Passage]) -> list[tuple[Match, MentionCandidate]]:
    """Find the names of vocabularies in a paper of these passages."""
    spans = {span.id: (passage.id, span.text) for passage in reversed(passages) for span in passage.spans}
    groups = finder_of(session).link([text for _, text in reversed(spans.values())])
    keys = {key for group in groups for match in group for key in (match.concept, *(key for key, _ in match.others))}
    ids = entities.concept_ids(session.catalog, keys)
    return [
        (match, MentionCandidate(local_name(passage), local_name(span),
                          match.start, match.stop, text[match.start : match.stop],
                          ids[match.concept], match.score, match.method,
                          tuple((ids[key], score) for key, score in match.others)))
        for (span, (passage, text)), group in zip(reversed(spans.items()), groups, strict=True)
        for match in group
    ]  # fmt: skip


def concepts_in(session: Session, text: str, *, whole_text: bool = False, mentioned: bool = True) -> list[int]:
    """The keys of the concepts that a text, such as a question, names.

    Args:
        text: its abbreviations need no definition.
        whole_text: only concepts that the whole text means.
        mentioned: only concepts that papers mention.
    """
    from conspectus.graph.linking.linker import link_question

    catalog = session.catalog
    if not sql.vocabulary_names(catalog):
        return []
    every = partial(sql.mentioned_concepts, catalog) if mentioned else lambda keys: keys
    matches = link_question(load_name_table(session), text, every)
    keys = (match.concept for match in matches if not whole_text or match.stop - match.start == len(text))
    return entities.merged_into(catalog, list(dict.fromkeys(keys)))


def count_unlinked(session: Session) -> int:
    """How many papers were not linked by the vocabularies as they are now."""
    return MentionRows(None, linking_version(session)).count_lacking(
        session.catalog, derivations.noted(session.catalog)
    )


def unlinked_note(session: Session) -> str:
    """A note on the papers that are missing from the graph; "" if there are none."""
    number = count_unlinked(session)
    return f"Not linked by the current vocabularies (run `graph link`): {pluralize(number, 'paper')}." if number else ""
