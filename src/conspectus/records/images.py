"""Images of collections, as they are listed, found, grouped and added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from conspectus.records.atlas import ProjectionMethod
from conspectus.records.figures import Measure
from conspectus.records.reports import LedgerRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

IMAGES = "images"
"""The collection that images come into where none is named."""


@dataclass(frozen=True, slots=True)
class CollectedImage:
    """A picture of a collection.

    Attributes:
        id: it stays as long as the file has its place, and the picture its number in the file.
        path: of its file.
        page: its number there, from 1.
        width, height: in pixels, upright.
        sha256: of the file's bytes.
        facts: name -> values, of what its file and the table that came with it say.
        note: what of the file was not taken.
    """

    id: str
    collection: str
    path: str
    page: int
    width: int
    height: int
    sha256: str
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class ImageCollection:
    """A collection, and how many images it has."""

    name: str
    images: int


@dataclass(frozen=True, slots=True)
class ImageList:
    """Images of a collection, or of all.

    Attributes:
        images: of this part of the list.
        next: where the list continues; "": it ends.
        total: how many images the whole list has.
        collections: all collections of the library.
    """

    images: tuple[CollectedImage, ...]
    next: str
    total: int
    collections: tuple[ImageCollection, ...] = ()


@dataclass(frozen=True, slots=True)
class ImageHit:
    """An image found; `score` is the measure itself."""

    rank: int
    score: float
    image: CollectedImage

    @property
    def path(self) -> str:
        """Of its file."""
        return self.image.path

    @property
    def collection(self) -> str:
        """That it is in."""
        return self.image.collection


@dataclass(frozen=True, slots=True)
class ImageResult:
    """The images nearest to a picture, best first. `searched` says among how many; `took` is in seconds."""

    query: str
    collection: str
    measure: Measure
    encoder: str
    hits: tuple[ImageHit, ...]
    searched: int
    took: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class ImageGroup:
    """Images that are alike: how many, and some of them, the most typical first, as `score` says."""

    size: int
    images: tuple[ImageHit, ...]


@dataclass(frozen=True, slots=True)
class ImageGroups:
    """Clusters, or groups of near-duplicates, the largest first; `rule` says by what they were made."""

    kind: Literal["clusters", "duplicates"]
    collection: str
    groups: tuple[ImageGroup, ...]
    searched: int
    rule: str
    took: float
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ImageMap:
    """Images of a collection in the plane: those that look alike stand together.

    Attributes:
        collection: its name.
        method: of projection; `encoder`: whose vectors were projected.
        images: their ids.
        positions: float32 [images, 2], in their order.
        took: seconds.
        note: what is not on it.
    """

    collection: str
    method: ProjectionMethod
    encoder: str
    images: Sequence[str] = field(repr=False)
    positions: npt.NDArray[np.float32] = field(repr=False)
    took: float
    note: str = ""

    def __len__(self) -> int:
        return len(self.images)


@dataclass(frozen=True, slots=True)
class ImagesReport:
    """What `images add` did.

    Attributes:
        added, updated, unchanged: files.
        images: how many pictures the collection has now.
        failed: files that could not be read, or not to their end, and why.
        gone: files that the collection knows and that are no longer there.
        removed: how many of these were taken out of it.
        passed_over: files inside folders that are no images, by the ending of their names.
        described: how many images the table has something to say of; None: there was no table.
    """

    collection: str
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    images: int = 0
    failed: tuple[LedgerRow, ...] = ()
    gone: tuple[str, ...] = ()
    removed: int = 0
    passed_over: Mapping[str, int] = field(default_factory=dict)
    described: int | None = None
