"""Maps of collections of images, by what projects papers; made when they are asked for, and not kept."""

from __future__ import annotations

import time

import numpy as np

from conspectus.catalog import images as kept
from conspectus.core.errors import NotFoundError
from conspectus.library.images import chosen_collection, held_vectors
from conspectus.records.atlas import ProjectionMethod
from conspectus.records.images import ImageMap
from conspectus.session.session import Session


def image_map(session: Session, collection: str = "", *, method: ProjectionMethod | None = None) -> ImageMap:
    """The images of a collection in the plane: those that look alike, by the encoder's vectors, stand together.

    The same collection has the same map. Above `atlas.sample` images so many, drawn evenly, are on it.

    Args:
        collection: "": the only one.
        method: of projection; None: as the setting `atlas.method` says.

    Raises:
        NotFoundError: there is no such collection, or no image in it.
        ModelMismatchError: no image of it has vectors of the encoder set.
        UnavailableError: the package that projects is not installed.
    """
    from conspectus.figures.grouping import unit
    from conspectus.map.projection import SEED, project

    begun, settings = time.monotonic(), session.settings.atlas
    key, own = chosen_collection(session, collection)
    held = held_vectors(session, key, own)
    total = len(held.index)
    if not total:
        raise NotFoundError(f"The collection '{own}' has no images.", "`images add FILES…` adds some.")
    drawn = np.random.default_rng(SEED).permutation(total)[: settings.sample]
    rows = np.sort(drawn)
    vectors = np.concatenate([unit(held.index, rows[start : start + 4096]) for start in range(0, len(rows), 4096)])
    by = method or settings.method
    positions = project(vectors, by, perplexity=settings.perplexity)
    found = kept.images_of(session.catalog, held.index.keys[rows].tolist())
    left = f"{len(rows)} of {total} images are on it (`atlas.sample`)." if len(rows) < total else ""
    note = " ".join(filter(None, (held.note, left)))
    ids = [one.id for one in found.values()]
    return ImageMap(own, by, session.encoder.id, ids, positions, time.monotonic() - begun, note)
