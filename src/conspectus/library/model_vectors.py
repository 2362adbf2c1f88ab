"""Compute vectors of another model while the library is still searched by the old ones.

That is done after a first pass with static vectors (`models.vectors`), and when another embedder is set. Others can add
papers meanwhile, except while the new index is made. Killed at any time, it continues.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial

from conspectus.core.errors import BusyError, ConspectusError, LibraryDamagedError, LibraryError, UnavailableError
from conspectus.core.job_context import Notice, emit
from conspectus.ingest.executor import Executor
from conspectus.models.protocol import Embedder
from conspectus.session.session import Session
from conspectus.store.connection import writing
from conspectus.store.vectors import count_without, drop_others

FEW = 256
"""The most vectors that are computed while holding the writer lock."""


def choose_embedder(session: Session) -> Embedder:
    """The embedder of new papers: in a new library as `models.vectors` says, else that of the papers already there."""
    is_new = not session.catalog.model_ids()
    is_static_first = is_new and session.settings.models.vectors != "now"
    return session.static_embedder if is_static_first else session.embedder


def open_executor_of(session: Session, embedder: Embedder) -> AbstractContextManager[Executor]:
    """The executor that reads files and embeds texts with `embedder`."""
    from conspectus.ingest.executor import open_executor
    from conspectus.models.registry import computes_here
    from conspectus.models.static import STATIC

    is_set = session.injected.embedder is None and computes_here(session.settings.models)
    name = "static" if embedder.id == STATIC else session.settings.models.embedder if is_set else ""
    return open_executor(session.settings, embedder, name)


def compute_missing_vectors(session: Session) -> None:
    """Compute the vectors by which the library is searched, of papers that another process added with others."""
    from conspectus.ingest.derivations.vectors import compute_missing

    if len(session.catalog.model_ids()) > 1:
        with session.share_lock() as lock:
            compute_missing(session.catalog, session.embedder, lock, lambda: True)


def end_first_pass(session: Session) -> None:
    """Compute the chosen model's vectors of passages that have static ones alone, then search by them.

    With `models.vectors` `later` nothing is done while all can be searched, and a service is not sent a whole library
    unless `models.vectors` or `library reindex` asks for it.
    """
    from conspectus.models.registry import computes_here
    from conspectus.models.static import STATIC

    if STATIC not in session.catalog.model_ids() or session.chosen_embedder.id == STATIC:
        return
    if session.settings.models.vectors == "later" and session.is_first_pass():
        return
    if session.settings.models.vectors == "now" and not computes_here(session.settings.models):
        emit(
            Notice(
                f"The library is still searched by static vectors. To have all passages embedded by "
                f"{session.chosen_embedder.id}, which is a service: `library reindex`."
            )
        )
        return
    try:
        with open_executor_of(session, session.chosen_embedder) as executor:
            switch_model(session, executor.embedder)
    except LibraryDamagedError:
        raise
    except (BusyError, UnavailableError, LibraryError) as error:
        emit(
            Notice(
                "The papers are added and can be searched by static vectors. The vectors of "
                f"{session.chosen_embedder.id} are not all computed: {error.message} {error.hint} Then continue: "
                "`library reindex`."
            )
        )


def switch_model(session: Session, embedder: Embedder, *, fresh: bool = False) -> int:
    """Compute what lacks vectors of `embedder`, then search by them and delete all others; returns how many are new.

    The library is searched by what it has until the index is of the new model. The writer lock is held for each batch,
    and while the index is made: whoever adds then waits, at most `catalog.wait` seconds.

    Args:
        session: the library.
        embedder: the one that `models.embedder` names, or what has workers do its work.
        fresh: whether the index is made in any case, and the catalog's file rewritten.

    Raises:
        UnavailableError: the embedder has given no vector at all; nothing is deleted.
    """
    from conspectus.ingest.derivations.vectors import compute_missing
    from conspectus.ingest.index_sync import sync

    catalog, computed = session.catalog, 0
    with session.share_lock(checked=False) as lock:
        compute = partial(compute_missing, catalog, embedder, lock, lambda: session.index.stats().model == embedder.id)
        while True:
            new, failed = compute()
            computed += new
            with lock():
                if (lacking := count_without(catalog, embedder.id)) > failed + FEW:
                    continue  # others have added so many meanwhile
                if lacking > failed:
                    new, failed = compute()
                    computed += new
                if failed and embedder.id not in catalog.model_ids():
                    raise UnavailableError(
                        f"No passage could be embedded by {embedder.id}, so the library keeps the vectors that it has.",
                        "Set models.embedder to another, or repair this one, then: `library reindex`.",
                    )
                sync(catalog, session.index, embedder.id, fresh=fresh)
                if set(catalog.model_ids()) - {embedder.id}:
                    with writing(catalog.engine) as connection:
                        drop_others(connection, embedder.id)
                    if failed:
                        emit(
                            Notice(f"{failed} passages have no vector of {embedder.id} and cannot be found: `doctor`.")
                        )
                if fresh:
                    catalog.erase_deleted()
                return computed


def count_waiting(session: Session) -> int:
    """How many passages have static vectors alone, and wait for those of the chosen model; 0 if none of it is here."""
    try:
        return count_without(session.catalog, session.chosen_embedder.id) if session.is_first_pass() else 0
    except ConspectusError:  # the embedder cannot be had, which `doctor` reports
        return 0
