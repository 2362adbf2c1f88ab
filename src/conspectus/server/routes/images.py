"""Collections of images: lists, one, its small picture, finding by an uploaded picture, what is alike."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, File, Query, UploadFile
from pydantic import Field
from starlette.responses import Response

from conspectus.core.errors import UsageError
from conspectus.records import Measure
from conspectus.records.atlas import ProjectionMethod
from conspectus.records.figures import crop_of
from conspectus.server.exchange import BEGAN, Body, TheBoard, TheLibrary, answers, begun, file, given, said, uploaded
from conspectus.wire import bodies, encode

router = APIRouter(tags=["images"])
SEARCH = "/images/search"
"""Takes an upload."""
given(bodies.IMAGE_MAP)
Collection = Annotated[str, Query(description="The collection; else the only one")]
Shown = Annotated[int, Query(ge=1, le=1000, description="Images of each group that are told")]


def where(
    where: Annotated[
        list[str], Query(description="What is known of it: `NAME=VALUE`", examples=[["folder=run 3"]])
    ] = [],  # noqa: B006
) -> list[tuple[str, str]]:
    """What is known, with names."""
    pairs = [one.partition("=") for one in where]
    for name, equals, _ in pairs:
        if not equals or not name.strip():
            raise UsageError("`where` is not of the form NAME=VALUE.", "Write for example folder=run 3")
    return [(name.strip(), value) for name, _, value in pairs]


Where = Annotated[list[tuple[str, str]], Depends(where)]
Words = Annotated[str, Query(description="Words that stand in what is known of the image", max_length=1000)]


@router.get("/images/collections", responses=answers("The collections.", bodies.IMAGE_COLLECTIONS))
def list_image_collections(library: TheLibrary) -> Response:
    """The collections of images, with how many each has."""
    return said("images.list", {"collections": encode.plain(library.image_collections())})


@router.get("/images", responses=answers("Some images.", bodies.IMAGES))
def list_images(
    library: TheLibrary,
    where: Where,
    collection: Annotated[str, Query(description="Else all")] = "",
    words: Words = "",
    after: Annotated[str, Query(description="`next` of the list before")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """The images of a collection, or of all, in the order they came."""
    found = library.images(words, collection, where, after=after, limit=limit)
    return said("images.list", encode.plain(found))


@router.post(SEARCH, responses=answers("The images that look most like it.", bodies.IMAGE_HITS))
def search_images(
    library: TheLibrary,
    where: Where,
    upload: Annotated[UploadFile, File(alias="file", description="PNG, JPEG, TIFF, GIF, WebP or BMP")],
    collection: Collection = "",
    k: Annotated[int, Query(ge=1, le=1000)] = 12,
    measure: Measure = "cosine",
    crop: Annotated[str, Query(description="x,y,width,height of a part of it: in pixels, or all at most 1")] = "",
    words: Words = "",
) -> Response:
    """The images that look most like a picture, which is not kept."""
    found = library.search_images(
        uploaded(upload), collection, k, measure, crop=crop_of(crop), where=where, words=words
    )
    return said("images.search", encode.body(found))


@router.get("/images/clusters", responses=answers("The clusters.", bodies.CLUSTERS))
def image_clusters(
    library: TheLibrary,
    collection: Collection = "",
    k: Annotated[int | None, Query(ge=1, le=200, description="How many; else chosen by their silhouette")] = None,
    shown: Shown = 12,
) -> Response:
    """The images of a collection in clusters of those that look alike."""
    return said("images.clusters", encode.body(library.image_clusters(collection, k, shown=shown)))


@router.get("/images/duplicates", responses=answers("The groups.", bodies.DUPLICATES))
def image_duplicates(library: TheLibrary, collection: Collection = "", shown: Shown = 12) -> Response:
    """Images of a collection that are nearly the same."""
    return said("images.duplicates", encode.body(library.image_duplicates(collection, shown=shown)))


class ImageMapping(Body):
    """Of which images a map is made, and how."""

    collection: str = Field("", max_length=200, description="the collection; empty: the only one", examples=[""])
    method: ProjectionMethod | None = Field(None, description="how they are brought into the plane", examples=["pca"])


@router.post("/images/map", status_code=202, responses=BEGAN)
def image_map(library: TheLibrary, board: TheBoard, asked: ImageMapping) -> Response:
    """Put the images of a collection in the plane, those that look alike together: a job, which has the map."""
    return begun(board.begin(library.image_map, **asked.model_dump()))


@router.get("/images/{image}.jpg", response_class=Response, responses=file("The small picture.", "image/jpeg"))
def image_thumbnail(library: TheLibrary, image: str) -> Response:
    """A small picture of an image, at most 160 × 160 pixels."""
    headers = {"cache-control": "private, no-cache"}
    return Response(library.thumbnail(image), media_type="image/jpeg", headers=headers)


@router.get("/images/{image}", responses=answers("What is known of it.", bodies.IMAGE))
def get_image(library: TheLibrary, image: str) -> Response:
    """What is known of an image, by its id."""
    return said("images.show", {"images": encode.plain(library.image(image))})
