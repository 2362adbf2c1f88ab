"""Small pictures of images of collections."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from conspectus.server.exchange import TheLibrary, file

router = APIRouter(tags=["images"])


@router.get("/images/{image}.jpg", response_class=Response, responses=file("The small picture.", "image/jpeg"))
def image_thumbnail(library: TheLibrary, image: str) -> Response:
    """A small picture of an image, at most 160 × 160 pixels."""
    headers = {"cache-control": "private, no-cache"}
    return Response(library.images.thumbnail(image), media_type="image/jpeg", headers=headers)
