"""How a library's papers are linked: by names alone, by words that are nearly theirs, by what is near by vectors."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from conspectus.catalog import mentions as kept
from conspectus.catalog.engine import transact
from conspectus.catalog.writer import put_meta
from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.core.job_context import emit
from conspectus.library.kept_names import keep, kept_files, table_of
from conspectus.library.session import Session
from conspectus.records.graph import LinkMethod
from conspectus.records.jobs import Progress

if TYPE_CHECKING:
    from conspectus.graph.linking import Linker, Match
    from conspectus.graph.linking.naming import Table
    from conspectus.graph.linking.semantic import Semantic

_META, _FILE = "link_method", ".npy"
_FUZZY, _SEMANTIC = ("fuzzy", "both"), ("semantic", "both")


def method_of(session: Session) -> str:
    """The method by which the library's papers are linked: that which `keep_method` was told last, else `exact`."""
    said = session.catalog.meta(_META)
    return said if said in get_args(LinkMethod) else "exact"


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
    method, own = method_of(session), session.settings.vocabulary
    fuzzy = f"/fuzzy {own.fuzzy:g}" * (method in _FUZZY)
    return fuzzy + (f"/semantic {own.semantic:g} {session.embedder.id}" if method in _SEMANTIC else "")


@dataclass(frozen=True, slots=True)
class Finder:
    """What finds mentions in the texts of a paper."""

    linker: Linker
    semantic: Semantic | None = None

    def link(self, texts: Sequence[str]) -> list[list[Match]]:
        """See `Linker.link`."""
        found = self.linker.link(texts)
        return self.semantic.link(texts, found) if self.semantic else found


def finder_of(session: Session) -> Finder:
    """What finds the names of vocabularies in texts by the library's method; made once, until any is another."""
    from conspectus.graph.linking import Linker

    method, fuzzy = method_of(session), session.settings.vocabulary.fuzzy

    def make() -> Finder:
        table = table_of(session).whole
        linker = Linker(table, fuzzy=fuzzy if method in _FUZZY else 0.0)
        return Finder(linker, _semantic(session, table) if method in _SEMANTIC else None)

    return session.parts.held("graph", make, "linker", kept.names_state(session.catalog), methods_version(session))


def _semantic(session: Session, table: Table) -> Semantic | None:
    from conspectus.graph.linking.semantic import Semantic, names_of

    if not (names := list(names_of(table))):
        return None
    vectors = _vectors(session, names)

    def embed(texts: Sequence[str]) -> FloatArray:
        return np.array([one.vector for one in session.embedder.embed(texts)], np.float32)

    return Semantic(table, vectors, embed, session.settings.vocabulary.semantic)


def _vectors(session: Session, names: Sequence[str]) -> FloatArray:
    """The vectors of names, float16 [names, dimensions], kept beside the table of names until these are others."""
    state = blake2b(repr((session.embedder.id, names)).encode(), digest_size=8).hexdigest()
    for path in kept_files(session, state, _FILE):
        with suppress(OSError, ValueError):  # of a failing disk: made anew
            return np.load(path, allow_pickle=False)  # type: ignore[no-any-return]
    vectors = np.empty((len(names), session.embedder.dimensions), np.float16)
    for at, one in enumerate(session.embedder.embed(names)):
        vectors[at] = one.vector
        emit(Progress("embedding names", at + 1, len(names), "names"))
    with suppress(OSError):  # where nothing can be written, each process makes its own
        keep(session, state, _FILE, partial(_save, vectors))
    return vectors  # type: ignore[return-value] # of half the bytes


def _save(vectors: object, path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.asarray(vectors))
