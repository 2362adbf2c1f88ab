"""The vectors of a collection of images, which stay in memory, and which collection and images a name means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ModelMismatchError, NotFoundError, UsageError
from conspectus.images import sql as kept
from conspectus.records.images import ImageHit
from conspectus.search.pictures import PictureIndex
from conspectus.session.session import Session


@dataclass(frozen=True, slots=True)
class CollectionVectors:
    """The vectors of a collection as they were at a change.

    Attributes:
        name: of the collection.
        change: of the catalog, and the encoder.
        index: vectors by the keys of their images.
        hashes: perceptual hashes, in the same order.
        note: which images are not among them.
    """

    name: str
    change: tuple[str, str]
    index: PictureIndex
    hashes: list[bytes]
    note: str

    def hits(self, session: Session, rows: npt.NDArray[np.int64], scores: FloatArray) -> tuple[ImageHit, ...]:
        """The images of these rows, with their scores."""
        return make_hits(session, zip(self.index.keys[rows].tolist(), scores.tolist(), strict=True))


def read_vectors(session: Session, collection: str = "") -> CollectionVectors:
    """The vectors of a collection as it is now; "": the only one.

    Raises:
        NotFoundError: there is no such collection.
        UsageError: there are several, and none is named.
        ModelMismatchError: no image of it has vectors of the encoder in the settings.
    """
    key, name = find_collection(session, collection)
    holder: dict[int, CollectionVectors] = session.parts.of(dict, "images")
    change = (kept.change(session.catalog), session.encoder.id)
    found = holder.get(key)
    if found is None or found.change != change:
        found = holder[key] = _load(session, key, name, change)
    return found


def _load(session: Session, key: int, name: str, change: tuple[str, str]) -> CollectionVectors:
    with session.catalog.snapshot() as now:
        made = kept.encoders(now, key)
        keys, matrix, hashes = kept.vectors(now, key, session.encoder.id, session.encoder.dimensions)
    others = sum(made.values()) - len(keys)
    again = "Add them again (`images add FILES…`) to make vectors with the encoder in the settings."
    if others and not keys:
        raise ModelMismatchError(
            f"The vectors of '{name}' are of {', '.join(made)}, but models.encoder is {session.encoder.id}.",
            f"{again} Or set models.encoder back.",
        )
    note = f"{others} images have vectors of another encoder and are left out. {again}" if others else ""
    return CollectionVectors(name, change, PictureIndex(keys, matrix), hashes, note)


def make_hits(session: Session, scores: Iterable[tuple[int, float]]) -> tuple[ImageHit, ...]:
    """Images by their keys, each with its score, in this order."""
    by_key = dict(scores)
    found = kept.images_of(session.catalog, list(by_key))
    return tuple(ImageHit(rank, by_key[key], image) for rank, (key, image) in enumerate(found.items(), 1))


def find_collection(session: Session, name: str) -> tuple[int, str]:
    """The key and the name of a collection; "": the only one."""
    known = kept.names(session.catalog)
    key = kept.collection_key(session.catalog, name) if name else next(iter(known)) if len(known) == 1 else None
    if key in known and key is not None:
        return key, known[key]
    names = ", ".join(f"'{one}'" for one in known.values())
    if not known:
        raise NotFoundError("There is no collection of images yet.", "Make one: `images add FILES…`")
    if name:
        raise NotFoundError(f"There is no collection of images '{name}'.", f"There are: {names}.")
    raise UsageError("There are several collections of images.", f"Name one of them: {names}.")


def find_images(session: Session, name: str, collection: int | None = None) -> list[int]:
    """The keys of the images that a name means: an id, or the path of a file."""
    whole = str(Path(name).absolute())
    found = kept.keys_named(session.catalog, name, collection) or kept.keys_named(session.catalog, whole, collection)
    if not found:
        raise NotFoundError(
            f"There is no image '{name}' in the library.", "`images list` lists the collections and what is in them."
        )
    return found
