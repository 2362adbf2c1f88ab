"""Figures: found by words, by pictures, or by one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, File, Query, UploadFile
from starlette.responses import Response

from conspectus.core.errors import UsageError
from conspectus.records import Measure
from conspectus.records.figures import MOST, Shown, crop_of
from conspectus.records.parsed import FIGURE_SCALE
from conspectus.server.exchange import BEGAN, TheBoard, TheFilters, TheLibrary, answers, begun, said, uploaded
from conspectus.server.routes.papers import PNG, Known, Scale, ThePictures, drawn_picture
from conspectus.wire import bodies, encode

if TYPE_CHECKING:
    from PIL.Image import Image

router = APIRouter(tags=["figures"])
ANSWER = answers("The figures and tables that fit best.", bodies.FIGURES)
K = Annotated[int | None, Query(ge=1, le=MOST, description="How many figures; else the setting `search.k`")]
Only = Annotated[list[Shown], Query(description="What is called so, or looks so; none: all")]


def _likeness(
    crop: Annotated[str, Query(description="x,y,width,height of a part of it: in pixels, or all at most 1")] = "",
    measure: Annotated[Measure | None, Query(description="How near pictures are; else cosine")] = None,
) -> dict[str, Any]:
    return {name: said for name, said in (("crop", crop_of(crop)), ("measure", measure)) if said}


TheLikeness = Annotated[dict[str, Any], Depends(_likeness)]


@router.get("/figures", responses=ANSWER)
def figures(
    library: TheLibrary,
    filters: TheFilters,
    likeness: TheLikeness,
    q: Annotated[str, Query(description="Words of what is shown, with signs", examples=["phase diagram"])] = "",
    like: Annotated[str, Query(description="The id of a figure instead of words: those that look like it")] = "",
    k: K = None,
    only: Only = [],  # noqa: B006
    *,
    plain: Annotated[bool, Query(description="Take all signs for text")] = False,
) -> Response:
    """The figures and tables that fit words best, or look like one of them; else those of the newest papers.

    The picture of each is `/figures/{id}/image`, or `/papers/{paper.id}/figures/{name}.png`, where there is one.
    """
    if q and like:
        raise UsageError("Figures are found by words, or by what they look like.", "Give one of `q` and `like`.")
    if likeness and not like:
        raise UsageError("`crop` and `measure` are of a picture, and none is given.", "Give `like`, too.")
    if like:
        return said(
            "figures.search", encode.body(library.figures_like(like, k, filters, kinds=only, look=False, **likeness))
        )
    return said("figures.search", encode.body(library.figures(q, k, filters, kinds=only, plain=plain)))


@router.get("/figures/{figure:one}", responses=answers("The figure.", bodies.FIGURE_CARD))
def figure(library: TheLibrary, figure: str) -> Response:
    """A figure or table by its id: what it is, the sentences that speak of it, a table's cells."""
    return said("figures.show", encode.body(library.figure(figure)))


@router.get("/figures/{figure:one}/image", response_class=Response, responses=PNG)
async def figure_image(
    library: TheLibrary, pictures: ThePictures, figure: str, scale: Scale = FIGURE_SCALE, known: Known = ""
) -> Response:
    """A figure or table by its id as a picture."""

    def draw() -> Image:
        return library.figure_image(figure, scale=scale)

    return await drawn_picture(library, pictures, figure.partition(".")[0], f"figure {figure} {scale}", draw, known)


@router.post("/figures/like", responses=ANSWER)
def figures_like(
    library: TheLibrary,
    filters: TheFilters,
    likeness: TheLikeness,
    file: Annotated[UploadFile, File(description="A picture: PNG, JPEG, TIFF, GIF, WebP, BMP")],
    k: K = None,
    only: Only = [],  # noqa: B006
) -> Response:
    """The figures, and panels of figures, that are most like a picture."""
    found = library.figures_like(uploaded(file), k, filters, kinds=only, look=False, **likeness)
    return said("figures.search", encode.body(found))


@router.post("/figures/encode", status_code=202, responses=BEGAN)
def encode_figures(library: TheLibrary, board: TheBoard) -> Response:
    """Look at the figures that nobody has looked at, so that they are found by what they look like: a job."""
    return begun(board.begin(library.encode_figures))
