"""An index in the catalog's own database, written in the transactions of the passages: nothing is to be synced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from conspectus.index.protocol import InCatalog, IndexStats, SearchIndex
from conspectus.ingest.index_sync import BATCH, gather_rows, side_derivations
from conspectus.store.catalog import Catalog
from conspectus.store.followers import TouchedPapers
from conspectus.store.vectors import dimensions, keys_with


@dataclass(frozen=True, slots=True)
class IndexFollower:
    """Called before each commit of the catalog.

    An index that was behind before, or is of another model, stays as it is, for `index_sync.sync`.
    """

    catalog: Catalog
    index: SearchIndex

    def __call__(self, connection: Connection, touched: TouchedPapers) -> None:
        """Write the rows of what a transaction touches."""
        now, papers = self.catalog.within(connection), sorted(touched.papers)
        models, model = now.model_ids(), _within(self.index, connection).model
        if models and model not in models:
            model = models[0]
        own_keys, changed_keys = keys_with(now, model, papers), keys_with(now, model, sorted(touched.changed))
        change = _Change(now, connection, model, touched, changed_keys)
        for derivation in side_derivations():
            derived_keys = np.intersect1d(own_keys, derivation.passages(now, papers), assume_unique=True)
            own_keys = np.setdiff1d(own_keys, derived_keys, assume_unique=True)
            change.write(
                self.index.beside(derivation.index_name),
                derived_keys,
                lambda derivation=derivation: len(derivation.passages(now)),  # type: ignore[misc]
            )
        change.write(self.index, own_keys, lambda: len(keys_with(now, model)))


@dataclass(frozen=True, slots=True)
class _Change:
    """What a transaction changes in each index; `stale_keys`: those that it has to be told anew."""

    catalog: Catalog
    connection: Connection
    model: str
    touched: TouchedPapers
    stale_keys: npt.NDArray[np.int64]

    def write(self, index: SearchIndex, wanted_keys: npt.NDArray[np.int64], count_all: Callable[[], int]) -> None:
        """Let an index have of the touched papers just the `wanted_keys`; `count_all`: of all papers."""
        assert isinstance(index, InCatalog)
        stats, touched = index.within(self.connection), self.touched
        follows = stats.change == touched.since and stats.model == self.model
        begins = not stats.rows and 0 < len(wanted_keys) == count_all()
        if not (begins or (follows and stats.rows)):
            return
        with index.following(self.connection, self.model, dimensions(self.catalog, self.model)) as change:
            present = change.keys_of(sorted(touched.papers))
            stay = np.setdiff1d(
                np.intersect1d(present, wanted_keys, assume_unique=True), self.stale_keys, assume_unique=True
            )
            change.delete(np.setdiff1d(present, stay, assume_unique=True))
            missing = np.setdiff1d(wanted_keys, stay, assume_unique=True).tolist()
            for start in range(0, len(missing), BATCH):
                change.add(gather_rows(self.catalog, self.model, missing[start : start + BATCH]))
            change.commit(self.catalog.change())


def _within(index: SearchIndex, connection: Connection) -> IndexStats:
    assert isinstance(index, InCatalog)
    return index.within(connection)
