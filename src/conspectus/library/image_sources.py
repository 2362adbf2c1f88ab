"""What collections of images need of other wings, and pages that show them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conspectus.figures.image_similarity import picture_of
from conspectus.images.verbs import ImageSources, Sheet
from conspectus.records.images import ImageGroup, ImageGroups, ImageMap

if TYPE_CHECKING:
    from conspectus.session.session import Session


def image_sources(session: Session) -> ImageSources:
    """The sources of an open library's images."""
    from conspectus.map.projection import project

    return ImageSources(
        read_picture=partial(picture_of, session),
        project=project,
        make_sheet=partial(_make_sheet, session),
    )


def _make_sheet(session: Session, found: Sheet) -> str:
    from conspectus.images import sql as kept
    from conspectus.wire import html

    if isinstance(found, ImageMap):
        shown = html.tiles(found)
        thumbnails = kept.thumbnails(session.catalog, [found.images[row] for row in shown])
        return html.image_map(found, shown, thumbnails)
    groups = found.groups if isinstance(found, ImageGroups) else [ImageGroup(len(found.hits), found.hits)]
    ids = [hit.image.id for group in groups for hit in group.images]
    return html.contact_sheet(found, groups, kept.thumbnails(session.catalog, ids))
