"""Collections of images: adding, listing, finding by a picture, what is alike, removing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from conspectus.catalog import images as kept
from conspectus.catalog.connection import writing
from conspectus.core.disk import user_path
from conspectus.core.errors import ModelMismatchError, NotFoundError, UsageError
from conspectus.core.job_context import listen
from conspectus.ingest.paths import Paths, names_of
from conspectus.library.likening import picture_of
from conspectus.parse.pool import Limits
from conspectus.records import Crop, Measure, normal_name
from conspectus.records.figures import SentPicture
from conspectus.records.images import (
    IMAGES,
    CollectedImage,
    ImageCollection,
    ImageGroup,
    ImageGroups,
    ImageHit,
    ImageList,
    ImageMap,
    ImageResult,
    ImagesReport,
)
from conspectus.records.jobs import Progress
from conspectus.session.session import Session

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.core.arrays import FloatArray
    from conspectus.search.pictures import PictureIndex

SHOWN = 12
"""Images of a group that are told, if nothing else is said."""
_LIST = "`images list` lists the collections and what is in them."
_WORKERS = 8
Where = Mapping[str, str] | Sequence[tuple[str, str]]
"""What is known of images, by name; a name may stand there several times."""


def add_images(
    session: Session,
    paths: Paths,
    collection: str = IMAGES,
    *,
    csv: str | Path | None = None,
    prune: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> ImagesReport:
    """Take the images among files, folders and globs into a collection; again, only what is new or changed.

    PNG, JPEG, TIFF (each page), GIF and WebP (of animations the first picture) and BMP. A file that cannot be read is
    reported and does not stop the others; what is stored stays, also when the run is interrupted.

    Args:
        paths: what to add.
        collection: made where there is none of this name.
        csv: a table whose column `file` names files, or ends of their paths; what its other columns say is known of
            these images, until another table says otherwise.
        prune: take out images whose files are gone from there.
        progress: is told how far it is.

    Raises:
        InputError: the table cannot be read.
        ModelMissingError: the encoder is not in the model store.
        BusyError: another process, or job of this one, is writing to the library.
    """
    from conspectus.figures.collecting import Collector, describe

    _check_name(collection)
    parse, roots = session.settings.parse, session.settings.sources.root_folders
    limits, workers = Limits(parse.timeout, parse.memory), parse.workers or _processors()
    with session.writing(), listen(progress, Progress):
        report = Collector(session.catalog, session.encoder, collection, limits, workers).run(
            names_of(paths), roots, prune=prune
        )
        described = describe(session.catalog, collection, Path(csv)) if csv else None
    key = kept.collection_key(session.catalog, collection)
    number = len(kept.matching(session.catalog, key)) if key else 0
    return replace(report, images=number, described=described)


def image_collections(session: Session) -> tuple[ImageCollection, ...]:
    """The collections of images, by name, with how many each has."""
    return tuple(kept.collections(session.catalog).values())


def images(
    session: Session,
    words: str = "",
    collection: str = "",
    where: Where = (),
    *,
    after: str = "",
    limit: int = 100,
) -> ImageList:
    """The images of a collection, or of all, in the order they came.

    Args:
        words: each of which stands in what is known of the image, also within a word.
        collection: "": all.
        where: what is known of it by name: `{"folder": "run 3", "detector": "SE2"}`, or pairs of them.
        after: `next` of the list before.
        limit: how many at most.

    Raises:
        UsageError: `limit` is below 1.
        NotFoundError: there is no such collection, or no image `after`.
    """
    if limit < 1:
        raise UsageError(f"limit is {limit} but must be at least 1.")
    key = chosen_collection(session, collection)[0] if collection else None
    keys = kept.matching(session.catalog, key, words, _pairs(where))
    begin = int(np.searchsorted(keys, _one(session, after)[0], "right")) if after else 0
    page = keys[begin : begin + limit].tolist()
    found = tuple(kept.images_of(session.catalog, page).values())
    more = found[-1].id if found and begin + limit < len(keys) else ""
    return ImageList(found, more, len(keys))


def image(session: Session, name: str) -> tuple[CollectedImage, ...]:
    """An image by its id, or those of a file by its path.

    Raises:
        NotFoundError: there is none.
    """
    return tuple(kept.images_of(session.catalog, _one(session, name)).values())


def thumbnail(session: Session, name: str) -> bytes:
    """A small picture of an image, by its id or its file's path: a JPEG of at most 160 × 160 pixels.

    Raises:
        NotFoundError: there is none.
    """
    found = image(session, name)[0]
    return kept.thumbnails(session.catalog, [found.id])[found.id]


def search_images(
    session: Session,
    picture: str | Path | SentPicture | bytes | Image,
    collection: str = "",
    k: int = SHOWN,
    measure: Measure = "cosine",
    *,
    crop: Crop | None = None,
    where: Where = (),
    words: str = "",
) -> ImageResult:
    """The k images of a collection that are nearest to a picture, of all of them, by the encoder's raw vectors.

    Args:
        picture: a file by its path (also as a str: no figure), its bytes (also as a `SentPicture`), or one in memory.
        collection: "": the only one.
        k: how many.
        measure: `cosine`, `euclidean` (a distance: the smallest is the nearest) or `dot`.
        crop: look for this part of the picture: x, y, width and height, in pixels, or where none is above 1, in parts
            of the picture's width and height.
        where: as for `images`, as `words`.
        words: as for `images`.

    Raises:
        InputError: the picture cannot be read.
        NotFoundError: there is no such collection.
        ModelMismatchError: no image of it has vectors of the encoder set.
        UsageError: the crop lies outside the picture, k is below 1, or there is no such measure.
    """
    begun = time.monotonic()
    if k < 1:
        raise UsageError(f"k is {k} but must be at least 1.")
    if measure not in ("cosine", "euclidean", "dot"):
        raise UsageError(f"There is no measure '{measure}'.", "There are cosine, euclidean and dot.")
    key, own = chosen_collection(session, collection)
    held = held_vectors(session, key, own)
    mask = None
    if where or words:
        mask = np.isin(held.index.keys, kept.matching(session.catalog, key, words, _pairs(where)))
    vector = next(iter(session.encoder.images([_shown(session, picture, crop)])))
    pairs = held.index.nearest(vector, k, measure, mask)
    searched = len(held.index) if mask is None else int(mask.sum())
    name = str(picture) if isinstance(picture, str | Path) else ""
    hits, encoder = _hits(session, pairs), session.encoder.id
    took = time.monotonic() - begun
    return ImageResult(name, own, measure, encoder, hits, searched, took, held.note)


def image_clusters(session: Session, collection: str = "", k: int | None = None, *, shown: int = SHOWN) -> ImageGroups:
    """The images of a collection in clusters, each with those most typical of it.

    Spherical k-means. Without `k` it is the number, of 4 to 32, with the greatest mean simplified silhouette.

    Args:
        collection: "": the only one.
        k: how many clusters.
        shown: how many images of each are told.

    Raises:
        NotFoundError, ModelMismatchError: as `search_images`.
        UsageError: k is below 1 or above 200.
    """
    from conspectus.figures import grouping

    begun = time.monotonic()
    if k is not None and not 1 <= k <= grouping.MOST_K:
        raise UsageError(f"k is {k} but must be from 1 to {grouping.MOST_K}.")
    key, own = chosen_collection(session, collection)
    held = held_vectors(session, key, own)
    made, number = grouping.clusters(held.index, k)
    groups = [
        ImageGroup(len(rows), _hits(session, _scored(held, rows[:shown], cosines[:shown]))) for rows, cosines in made
    ]
    rule = f"{number} by spherical k-means" + ("" if k else ", the number with the greatest mean silhouette")
    return ImageGroups("clusters", own, tuple(groups), len(held.index), rule, time.monotonic() - begun, held.note)


def image_duplicates(session: Session, collection: str = "", *, shown: int = SHOWN) -> ImageGroups:
    """Images of a collection that are nearly the same, in groups.

    Two are where the cosine of their vectors is high, or fairly high with perceptual hashes that differ in few bits;
    `rule` has the numbers. All pairs are compared.

    Args:
        collection: "": the only one.
        shown: how many images of each group are told.

    Raises:
        NotFoundError, ModelMismatchError: as `search_images`.
    """
    from conspectus.figures import grouping

    begun = time.monotonic()
    key, own = chosen_collection(session, collection)
    held = held_vectors(session, key, own)
    groups = []
    for rows in grouping.duplicates(held.index, held.hashes):
        vectors = grouping.unit(held.index, rows[:shown])
        groups.append(ImageGroup(len(rows), _hits(session, _scored(held, rows[:shown], vectors @ vectors[0]))))
    rule = (
        f"cosine at least {grouping.SAME}, or at least {grouping.LIKELY} with at most {grouping.BITS} of the 128 bits "
        "of their perceptual hashes different"
    )
    took = time.monotonic() - begun
    return ImageGroups("duplicates", own, tuple(groups), len(held.index), rule, took, held.note)


def remove_images(session: Session, names: Sequence[str] = (), collection: str = "") -> int:
    """Remove images (by ids, or paths of their files), or a whole collection; returns how many. Files stay.

    Raises:
        NotFoundError: there is no such image or collection; nothing was removed.
        UsageError: neither is named.
    """
    if not names and not collection:
        raise UsageError("Nothing is named to be removed.", "Name images, or a collection.")
    catalog = session.catalog
    key = chosen_collection(session, collection)[0] if collection else None
    with session.writing():
        keys = sorted({one for name in names for one in _one(session, name, key)})
        number = len(keys) if names else len(kept.matching(catalog, key))
        with writing(catalog.engine) as connection:
            if names:
                kept.remove_images(connection, keys)
            elif key is not None:
                kept.remove_collection(connection, key)
    return number


def image_sheet(session: Session, found: ImageResult | ImageGroups | ImageMap) -> str:
    """What was found as a page of HTML with small pictures, all in one file; nothing in it runs or is fetched."""
    from conspectus.wire import html

    if isinstance(found, ImageMap):
        shown = html.tiles(found)
        thumbnails = kept.thumbnails(session.catalog, [found.images[row] for row in shown])
        return html.image_map(found, shown, thumbnails)
    groups = found.groups if isinstance(found, ImageGroups) else [ImageGroup(len(found.hits), found.hits)]
    ids = [hit.image.id for group in groups for hit in group.images]
    return html.contact_sheet(found, groups, kept.thumbnails(session.catalog, ids))


@dataclass(frozen=True, slots=True)
class _Held:
    """The vectors and hashes of a collection as they were at a change; `note` says what is not among them."""

    change: tuple[str, str]
    index: PictureIndex
    hashes: list[bytes]
    note: str


def held_vectors(session: Session, key: int, name: str) -> _Held:
    """Those of now: one for each collection stays in memory."""
    holder: dict[int, _Held] = session.parts.of(dict, "images")
    change = (kept.change(session.catalog), session.encoder.id)
    found = holder.get(key)
    if found is None or found.change != change:
        found = holder[key] = _loaded(session, key, name, change)
    return found


def _loaded(session: Session, key: int, name: str, change: tuple[str, str]) -> _Held:
    from conspectus.search.pictures import PictureIndex

    with session.catalog.snapshot() as now:
        made = kept.encoders(now, key)
        keys, matrix, hashes = kept.vectors(now, key, session.encoder.id, session.encoder.dimensions)
    others = sum(made.values()) - len(keys)
    again = "Add them again (`images add FILES…`), which makes vectors of the encoder set."
    if others and not keys:
        raise ModelMismatchError(
            f"The vectors of '{name}' are of {', '.join(made)}, but models.encoder is {session.encoder.id}.",
            f"{again} Or set models.encoder back.",
        )
    note = f"{others} images have vectors of another encoder and are left out. {again}" if others else ""
    return _Held(change, PictureIndex(keys, matrix), hashes, note)


def _shown(session: Session, picture: str | Path | SentPicture | bytes | Image, crop: Crop | None) -> Image:
    """The picture, or the part of it, as those of a collection were made small."""
    from conspectus.parse.images import small

    like = user_path(picture) if isinstance(picture, str | Path) else picture
    if isinstance(like, Path) and not like.is_file():
        raise NotFoundError(f"There is no picture '{like}'.", "Name a file.")
    return small(picture_of(session, like, crop))


def _hits(session: Session, pairs: Iterable[tuple[int, float]]) -> tuple[ImageHit, ...]:
    scores = dict(pairs)
    found = kept.images_of(session.catalog, list(scores))
    return tuple(ImageHit(rank, scores[key], one) for rank, (key, one) in enumerate(found.items(), 1))


def _scored(held: _Held, rows: npt.NDArray[np.int64], scores: FloatArray) -> Iterable[tuple[int, float]]:
    return zip(held.index.keys[rows].tolist(), scores.tolist(), strict=True)


def chosen_collection(session: Session, name: str) -> tuple[int, str]:
    """The key and the name of the collection called so; "": the only one."""
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


def _one(session: Session, name: str, collection: int | None = None) -> list[int]:
    """The keys of the images that a name means."""
    whole = str(Path(name).absolute())
    found = kept.keys_named(session.catalog, name, collection) or kept.keys_named(session.catalog, whole, collection)
    if not found:
        raise NotFoundError(f"There is no image '{name}' in the library.", _LIST)
    return found


def _check_name(name: str) -> None:
    if not normal_name(name) or len(name) > 100:
        raise UsageError(f"'{name[:100]}' is no name of a collection.", "It has letters or digits, at most 100 signs.")


def _processors() -> int:
    import os

    return min(_WORKERS, os.cpu_count() or 1)


def _pairs(where: Where) -> list[tuple[str, str]]:
    return list(where.items() if isinstance(where, Mapping) else where)
