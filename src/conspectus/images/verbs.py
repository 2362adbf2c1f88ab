"""What users do with collections of images: add, list, find by a picture, group what is alike, map and remove.

Modules that need SQLAlchemy or numpy are imported by the verbs, so that help is fast.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from conspectus.core.disk import open_file, user_path
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.job_context import listen
from conspectus.core.output import writing_to
from conspectus.faces.declare import PICTURE, Option, VerbGroup, failures_code, verb
from conspectus.records import Crop, Measure, normal_name
from conspectus.records.atlas import ProjectionMethod
from conspectus.records.events import Progress, ProgressCallback
from conspectus.records.figures import SentPicture, crop_of
from conspectus.records.images import (
    IMAGES,
    CollectedImage,
    ImageCollection,
    ImageGroup,
    ImageGroups,
    ImageList,
    ImageMap,
    ImageResult,
    ImagesReport,
)

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.core.arrays import FloatArray
    from conspectus.library import Library

SHOWN = 12
"""Images of a group, and hits, if no other number is asked for."""
"""Folder of the library that keeps images sent over HTTP."""
MOST_CLUSTERS = 200
SEED = 20241
_WORKERS = 8
_SHEET = b'content="Conspectus: contact sheet"'
"""Stands near the beginning of a page of pictures."""
_HEAD = 2000
Sheet = ImageResult | ImageGroups | ImageMap
"""What can be written as a page of pictures."""
S = TypeVar("S", bound=Sheet)
Collection = Annotated[
    str, Option("Name of the collection; not needed if there is only one.", metavar="NAME", max_length=200)
]
ImageName = Annotated[str, Option("An image: its id or its file.", metavar="IMAGE", max_length=4000)]
Where = Annotated[
    Sequence[str] | Mapping[str, str],
    Option(
        "Only images with this fact, for example folder=run 3.",
        metavar="NAME=VALUE",
        max_length=1000,
        example=["folder=run 3"],
    ),
]
"""Facts as `NAME=VALUE`, or as a mapping."""
Words = Annotated[str, Option("Only images whose facts have these words.", metavar="WORDS", max_length=1000)]
Shown = Annotated[int, Option("Images shown of each group.", ge=1, le=1000, metavar="N")]
SheetFile = Annotated[Path | None, Option("Also write a page of pictures.", metavar="FILE", faces=("cli",))]
Progressing = Annotated[ProgressCallback | None, Option("Called with each step.", faces=())]


@dataclass(frozen=True, slots=True)
class ImageSources:
    """What other wings do for images; the library hands it in.

    Attributes:
        read_picture: the picture of a file, of bytes or in memory, or a part of it.
        project: places of unit vectors in the plane.
        make_sheet: a page of HTML with the small pictures of what was found.
    """

    read_picture: Callable[[Any, Crop | None], Image]
    project: Callable[..., FloatArray]
    make_sheet: Callable[[Sheet], str]


class ImageVerbs(VerbGroup, name="images"):
    """Collections of images, searchable by picture or metadata.

    Args:
        library: stays open as long as the verbs are used.
        sources: what other wings do for images.
    """

    def __init__(self, library: Library, sources: ImageSources) -> None:
        super().__init__(library)
        self._sources = sources

    @verb(job=True, writes=True, creates=True, exit_code=failures_code)
    def add(
        self,
        paths: Annotated[
            Sequence[str | Path] | str | Path,
            Option("Files, folders and globs.", metavar="PATHS…"),
        ],
        *,
        collection: Annotated[
            str, Option("Collection to add to; made if there is none.", metavar="NAME", max_length=200)
        ] = IMAGES,
        csv: Annotated[
            str | Path | None, Option("Table with a column `file` and others.", metavar="FILE", faces=("cli",))
        ] = None,
        prune: Annotated[bool, Option("Remove images whose files are gone.", faces=("cli",))] = False,
        progress: Progressing = None,
    ) -> ImagesReport:
        """Add images to a collection; the next time, only those that are new or changed.

        PNG, JPEG, TIFF (each page), GIF, WebP (of animations the first picture) and BMP. A file that cannot be read
        is named and does not stop the others; the exit code is then 1. After an interruption, the same command
        continues. The files stay where they are.

        A table says more about images: its column `file` has names of files, or ends of their paths. The other columns
        are facts about them, until another table says otherwise.

        Raises:
            InputError: the table cannot be read.
            ModelMissingError: the encoder is not in the model store.
            BusyError: another process, or job of this one, is writing to the library.
        """
        from conspectus.images import sql as image_sql
        from conspectus.images.collector import Collector, describe
        from conspectus.parse.process.pool import Limits

        if not normal_name(collection) or len(collection) > 100:
            raise UsageError(
                f"'{collection[:100]}' is no name of a collection.", "It has letters or digits, at most 100 characters."
            )
        session = self.session
        parse, roots = session.settings.parse, session.settings.sources.root_folders
        limits, workers = Limits(parse.timeout, parse.memory), parse.workers or min(_WORKERS, os.cpu_count() or 1)
        names = [paths] if isinstance(paths, str | Path) else [*paths]
        with session.writing(), listen(progress, Progress):
            report = Collector(session.catalog, session.encoder, collection, limits, workers).run(
                names, roots, prune=prune
            )
            described = describe(session.catalog, collection, Path(csv)) if csv else None
        key = image_sql.collection_key(session.catalog, collection)
        number = len(image_sql.matching(session.catalog, key)) if key else 0
        return replace(report, images=number, described=described)

    @verb(http="GET /images")
    def list(
        self,
        *,
        collection: Annotated[
            str, Option("Images of this collection; else of all.", metavar="NAME", max_length=200)
        ] = "",
        where: Where = (),
        words: Words = "",
        after: Annotated[str, Option("Continue after this image.", metavar="IMAGE", max_length=4000)] = "",
        limit: Annotated[int, Option("Maximum number of results.", ge=1, le=10_000, short="n", metavar="N")] = 100,
    ) -> ImageList:
        """List the collections, or the images of one in the order they were added.

        Without options the command prints the collections.

        Raises:
            UsageError: `limit` is below 1, or `where` has no name.
            NotFoundError: there is no such collection, or no image `after`.
        """
        import numpy as np

        from conspectus.images import sql as image_sql
        from conspectus.images.vectors import find_collection, find_images

        if limit < 1:
            raise UsageError(f"limit is {limit} but must be at least 1.")
        session = self.session
        key = find_collection(session, collection)[0] if collection else None
        keys = image_sql.matching(session.catalog, key, words, _facts(where))
        begin = int(np.searchsorted(keys, find_images(session, after)[0], "right")) if after else 0
        page = keys[begin : begin + limit].tolist()
        images = tuple(image_sql.images_of(session.catalog, page).values())
        more = images[-1].id if images and begin + limit < len(keys) else ""
        return ImageList(images, more, len(keys), self.collections())

    @verb(http="GET /images/collections", key="collections", command=False)
    def collections(self) -> tuple[ImageCollection, ...]:
        """List the collections of images with the number of their images."""
        from conspectus.images import sql as image_sql

        return tuple(image_sql.collections(self.session.catalog).values())

    @verb(http="POST /images/search")
    def search(
        self,
        picture: Annotated[
            str | Path | SentPicture | bytes | Any,
            Option("PNG, JPEG, TIFF, GIF, WebP or BMP.", metavar="PICTURE", upload=PICTURE, query="file"),
        ],
        *,
        collection: Collection = "",
        k: Annotated[int, Option("Images shown.", ge=1, le=10_000, short="k", metavar="N")] = SHOWN,
        measure: Annotated[Measure, Option("How vectors are compared.")] = "cosine",
        crop: Annotated[
            Crop | None,
            Option(
                "Search with a part of the picture: in pixels, or all at most 1.",
                read=crop_of,
                metavar="X,Y,W,H",
                max_length=200,
            ),
        ] = None,
        where: Where = (),
        words: Words = "",
        sheet: SheetFile = None,
    ) -> ImageResult:
        """Find the images that look most like a picture.

        The picture is compared with all images of the collection, and is not kept. `cosine` and `dot` are greatest for
        the nearest, `euclidean` (a distance) is smallest.

        Args:
            picture: a file by its path, its bytes, or an image of Pillow.

        Raises:
            InputError: the picture cannot be read.
            NotFoundError: there is no such collection.
            ModelMismatchError: no image of it has vectors of the encoder in the settings.
            UsageError: the crop lies outside the picture, k is below 1, or there is no such measure.
        """
        import numpy as np

        from conspectus.images import sql as image_sql
        from conspectus.images.vectors import find_collection, make_hits, read_vectors

        begun, session = time.monotonic(), self.session
        if k < 1:
            raise UsageError(f"k is {k} but must be at least 1.")
        if measure not in ("cosine", "euclidean", "dot"):
            raise UsageError(f"There is no measure '{measure}'.", "There are cosine, euclidean and dot.")
        _check_sheet(sheet)
        vectors = read_vectors(session, collection)
        mask = None
        if where or words:
            key = find_collection(session, collection)[0]
            mask = np.isin(vectors.index.keys, image_sql.matching(session.catalog, key, words, _facts(where)))
        vector = next(iter(session.encoder.images([self._read(picture, crop)])))
        hits = make_hits(session, vectors.index.nearest(vector, k, measure, mask))
        searched = len(vectors.index) if mask is None else int(mask.sum())
        query = str(picture) if isinstance(picture, str | Path) else getattr(picture, "name", "")
        took = time.monotonic() - begun
        result = ImageResult(query, vectors.name, measure, session.encoder.id, hits, searched, took, vectors.note)
        return self._with_sheet(result, sheet)

    @verb(http="GET /images/clusters")
    def clusters(
        self,
        *,
        collection: Collection = "",
        k: Annotated[
            int | None,
            Option("Number of clusters; else chosen by their silhouette.", ge=1, le=MOST_CLUSTERS, short="k"),
        ] = None,
        shown: Shown = SHOWN,
        sheet: SheetFile = None,
    ) -> ImageGroups:
        """Put the images of a collection into clusters of similar ones, the most typical first.

        Spherical k-means. Without a number it is the one, of 4 to 32, with the greatest mean simplified silhouette.

        Raises:
            NotFoundError, ModelMismatchError: as of `search`.
            UsageError: k is below 1 or above 200.
        """
        from conspectus.images.vectors import find_clusters, read_vectors

        begun = time.monotonic()
        if k is not None and not 1 <= k <= MOST_CLUSTERS:
            raise UsageError(f"k is {k} but must be from 1 to {MOST_CLUSTERS}.")
        _check_sheet(sheet)
        vectors = read_vectors(self.session, collection)
        clusters, number = find_clusters(vectors.index, k)
        groups = tuple(
            ImageGroup(len(rows), vectors.hits(self.session, rows[:shown], cosines[:shown]))
            for rows, cosines in clusters
        )
        rule = f"{number} by spherical k-means" + ("" if k else ", the number with the greatest mean silhouette")
        took, searched = time.monotonic() - begun, len(vectors.index)
        return self._with_sheet(
            ImageGroups("clusters", vectors.name, groups, searched, rule, took, vectors.note), sheet
        )

    @verb(http="GET /images/duplicates")
    def duplicates(self, *, collection: Collection = "", shown: Shown = SHOWN, sheet: SheetFile = None) -> ImageGroups:
        """Find images of a collection that are nearly the same: copies, other sizes, other formats.

        Two images are if the cosine of their vectors is high, or fairly high with perceptual hashes that differ in few
        bits; the result says the numbers. All pairs are compared.

        Raises:
            NotFoundError, ModelMismatchError: as of `search`.
        """
        from conspectus.images.vectors import BITS, LIKELY, SAME, find_duplicates, read_vectors, unit

        begun = time.monotonic()
        _check_sheet(sheet)
        vectors = read_vectors(self.session, collection)
        groups = []
        for rows in find_duplicates(vectors.index, vectors.hashes):
            units = unit(vectors.index, rows[:shown])
            groups.append(ImageGroup(len(rows), vectors.hits(self.session, rows[:shown], units @ units[0])))
        rule = (
            f"cosine at least {SAME}, or at least {LIKELY} with at most {BITS} of the 128 bits "
            "of their perceptual hashes different"
        )
        took, searched = time.monotonic() - begun, len(vectors.index)
        return self._with_sheet(
            ImageGroups("duplicates", vectors.name, tuple(groups), searched, rule, took, vectors.note), sheet
        )

    @verb(http="POST /images/map", job=True)
    def map(
        self,
        *,
        collection: Collection = "",
        method: Annotated[
            ProjectionMethod | None, Option("How images are projected into the plane.", example="pca")
        ] = None,
        sheet: SheetFile = None,
    ) -> ImageMap:
        """Map a collection: images that look alike are near each other.

        The same collection has the same map; it is not stored. Of more images than `atlas.sample`, so many are on it,
        drawn evenly. The JSON has the place of each image; a page of pictures shows them.

        Raises:
            NotFoundError: there is no such collection, or no image in it.
            ModelMismatchError: no image of it has vectors of the encoder in the settings.
            UnavailableError: the package that projects is not installed.
        """
        import numpy as np

        from conspectus.images import sql as image_sql
        from conspectus.images.vectors import read_vectors, unit

        begun, settings = time.monotonic(), self.session.settings.atlas
        _check_sheet(sheet)
        vectors = read_vectors(self.session, collection)
        index, total = vectors.index, len(vectors.index)
        if not total:
            raise NotFoundError(f"The collection '{vectors.name}' has no images.", "`images add FILES…` adds some.")
        rows = np.sort(np.random.default_rng(SEED).permutation(total)[: settings.sample])
        units = np.concatenate([unit(index, rows[start : start + 4096]) for start in range(0, len(rows), 4096)])
        by = method or settings.method
        positions = self._sources.project(units, by, perplexity=settings.perplexity)
        images = image_sql.images_of(self.session.catalog, index.keys[rows].tolist()).values()
        left = f"{len(rows)} of {total} images are on it (`atlas.sample`)." if len(rows) < total else ""
        note = " ".join(filter(None, (vectors.note, left)))
        ids, took = [image.id for image in images], time.monotonic() - begun
        return self._with_sheet(ImageMap(vectors.name, by, self.session.encoder.id, ids, positions, took, note), sheet)

    @verb(http="GET /images/{image}", key="images")
    def show(self, image: ImageName) -> tuple[CollectedImage, ...]:
        """Show what is known of an image, or of those of a file.

        Raises:
            NotFoundError: there is none.
        """
        from conspectus.images import sql as image_sql
        from conspectus.images.vectors import find_images

        return tuple(image_sql.images_of(self.session.catalog, find_images(self.session, image)).values())

    @verb(http="DELETE /images", key="removed", writes=True)
    def remove(
        self,
        images: Annotated[
            Sequence[str],
            Option(
                "Images: their ids or their files.", metavar="[IMAGE…]", query="image", max_length=4000, max_items=1000
            ),
        ] = (),
        *,
        collection: Annotated[
            str,
            Option("Remove them from this collection; without images, all of it.", metavar="NAME", max_length=200),
        ] = "",
    ) -> int:
        """Remove images, or a whole collection, with every trace of them. The files stay.

        Raises:
            NotFoundError: there is no such image or collection; nothing was removed.
            UsageError: neither is named.
        """
        from conspectus.images import sql as image_sql
        from conspectus.images.vectors import find_collection, find_images
        from conspectus.store.connection import writing

        if not images and not collection:
            raise UsageError("Neither an image nor a collection is named.", "Name images, or a collection.")
        session = self.session
        key = find_collection(session, collection)[0] if collection else None
        with session.writing():
            keys = sorted({image_key for name in images for image_key in find_images(session, name, key)})
            number = len(keys) if images else len(image_sql.matching(session.catalog, key))
            with writing(session.catalog.engine) as connection:
                if images:
                    image_sql.remove_images(connection, keys)
                elif key is not None:
                    image_sql.remove_collection(connection, key)
        return number

    def thumbnail(self, image: str) -> bytes:
        """A small picture of an image, by its id or its file: a JPEG of at most 160 × 160 pixels.

        Raises:
            NotFoundError: there is none.
        """
        from conspectus.images import sql as image_sql

        first_image = self.show(image)[0]
        return image_sql.thumbnails(self.session.catalog, [first_image.id])[first_image.id]

    def sheet(self, result: Sheet) -> str:
        """What was found as a page of HTML with small pictures, all in one file; nothing in it runs or is fetched."""
        return self._sources.make_sheet(result)

    def _with_sheet(self, result: S, file: Path | None) -> S:
        """What was found, after writing its page of pictures if a file is named."""
        if file:
            with writing_to(file) as stream:
                stream.write(self.sheet(result))
        return result

    def _read(self, picture: Any, crop: Crop | None) -> Image:
        """The picture, or the part of it, made small as those of a collection were."""
        from conspectus.parse.process.images import small

        like = user_path(picture) if isinstance(picture, str | Path) else picture
        if isinstance(like, Path) and not like.is_file():
            raise NotFoundError(f"There is no picture '{like}'.", "Name a file.")
        return small(self._sources.read_picture(like, crop))


def _facts(where: Sequence[str] | Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """Names and values of facts.

    Raises:
        UsageError: one has no name.
    """
    if isinstance(where, Mapping):
        return tuple(where.items())
    pairs = [fact.partition("=") for fact in where]
    for name, equals, _ in pairs:
        if not equals or not name.strip():
            raise UsageError("`where` is not of the form NAME=VALUE.", "Write for example folder=run 3")
    return [(name.strip(), value) for name, _, value in pairs]


def _check_sheet(sheet: Path | None) -> None:
    """Refuse to write over a file that is not an older sheet."""
    if sheet and sheet.is_file() and sheet.stat().st_size:
        with open_file(sheet) as file:
            if _SHEET not in file.read(_HEAD):
                raise UsageError(f"'{sheet}' exists already and is no page of pictures.", "Choose another file.")
