"""The map as a picture: dots or a land, and what an overlay shows on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from conspectus.core.disk import user_path
from conspectus.core.errors import UsageError
from conspectus.library.mapping import atlas
from conspectus.library.overlaying import overlay as shown_on
from conspectus.records.atlas import Mapped, Overlay
from conspectus.session.session import Session

if TYPE_CHECKING:
    from conspectus.atlas.showing import Shown


def draw_map(
    session: Session,
    path: str | Path,
    *,
    of: Mapped = "papers",
    terrain: bool = False,
    overlay: str = "",
    since: int | None = None,
    year: tuple[int | None, int | None] | None = None,
) -> Path:
    """Write a picture of the map: dots in their regions' colours, or a land that is high where much is written.

    Args:
        path: ends in .png, .svg or .pdf.
        of: which map; it is brought up to date.
        terrain: the land, as a poster (A1).
        overlay: what is shown on it, as of the verb `overlay`: dots have the colours of their values, and the land has
            dots for texts with a value.
        since, year: as of `overlay`.

    Raises:
        UnavailableError: matplotlib is not installed.
        LibraryError: the disk is full.
        UsageError: the name ends otherwise, or the file cannot be written; and as `atlas`, and `overlay`.
    """
    from conspectus.atlas import drawing

    path = user_path(path)
    if path.suffix.lower() not in drawing.ENDINGS:
        raise UsageError(f"A picture cannot be written as '{path.name}'.", f"End it in {', '.join(drawing.ENDINGS)}.")
    if (since or year) and not overlay:
        raise UsageError(
            "`since` and `year` are of an overlay, and none is asked for.", "Name one: `overlay=year`, for instance."
        )
    found = atlas(session, of)
    shown = _shown(shown_on(session, overlay, of=of, since=since, year=year)) if overlay else None
    if terrain:
        drawing.terrain(found, path, session.folder.name, shown)
    else:
        drawing.dots(found, path, shown)
    return path


def _shown(found: Overlay) -> Shown:
    from conspectus.atlas.showing import Shown
    from conspectus.wire import colours

    since = f", since {found.since}" if found.since is not None else ""
    meaning = "" if found.kind == "lit" else f": {found.legend.meaning}"  # which the key has
    title = f"{found.name}{since}{meaning}"
    return Shown(
        title, colours.colours(found), np.isfinite(found.values), colours.key(found), found.path, found.kind == "lit"
    )
