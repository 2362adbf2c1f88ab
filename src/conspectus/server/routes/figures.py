"""Figures: found by words, by pictures, or by one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, File, Query, UploadFile
from starlette.responses import Response

from conspectus.records import Measure
from conspectus.records.figures import MOST, Shown, crop_of
from conspectus.records.parsed_paper import FIGURE_SCALE
from conspectus.server.exchange import TheLibrary, answers, json_response, uploaded
from conspectus.server.routes.papers import PNG, Known, Scale, ThePictures, drawn_picture
from conspectus.server.verb_routes import TheFilters
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
    return {
        name: json_response for name, json_response in (("crop", crop_of(crop)), ("measure", measure)) if json_response
    }


TheLikeness = Annotated[dict[str, Any], Depends(_likeness)]


@router.get("/figures/{figure:one}/image", response_class=Response, responses=PNG)
async def figure_image(
    library: TheLibrary, pictures: ThePictures, figure: str, scale: Scale = FIGURE_SCALE, known: Known = ""
) -> Response:
    """A figure or table by its id as a picture."""

    def draw() -> Image:
        return library.figures.image(figure, scale=scale)

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
    matches = library.figures.like(uploaded(file), k=k, filters=filters, only=only, encode=False, **likeness)
    return json_response("figures.search", encode.body(matches))
