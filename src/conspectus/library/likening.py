"""Figures that are like a picture: a file, a part of one, or a figure of the library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, get_args

import numpy as np

from conspectus.core.disk import user_path
from conspectus.core.errors import BusyError, ConspectusError, InputError, LibraryReadOnlyError, UsageError
from conspectus.figures import sql as figures_sql
from conspectus.library.figure_pictures import figure_image, figure_named
from conspectus.library.looking import look as look_at
from conspectus.library.looking import looker
from conspectus.papers.page_pictures import of_file
from conspectus.parse.markup.pictures import SUFFIXES
from conspectus.parse.process.wire import Box
from conspectus.records import Crop, FigureResult, Filters, Measure
from conspectus.records.figures import SentPicture, Shown, check_kinds
from conspectus.session.session import Session

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.figures.likeness import Asked, Seen

    Like = Image | Path | SentPicture | bytes | str


_FARTHEST = 10**6
"""Pixels of a crop's sides."""
_MOST = 500
"""Pictures in which words are seen that are looked at."""


def figures_like(
    session: Session,
    like: Like,
    k: int | None = None,
    filters: Filters | None = None,
    *,
    crop: Crop | None = None,
    measure: Measure = "cosine",
    kinds: Sequence[Shown] = (),
    look: bool = True,
) -> FigureResult:
    """The k figures of which the whole, or a panel, is most like a picture, or a figure of the library.

    Args:
        like: a picture, its file as a `Path`, the bytes of that (also as a `SentPicture`), or as a str a figure's id or
            `PAPER.f3`, never a file.
        k: how many; None: as the setting `search.k` says.
        filters: which papers; no kind of passage.
        crop: x, y, width and height of the part that is asked for: in pixels, or where none is above 1, in parts of
            the picture's width and height.
        measure: how near two pictures are, by their vectors as the encoder gives them.
        kinds: of what figures are called (`figure`, `table`), or show (`plot` …); none: all.
        look: whether figures that nobody has looked at are looked at first (`encode_figures`).

    Raises:
        UsageError: the crop is none, k is below 1, or there is no such kind or measure.
        InputError, LimitError: the picture cannot be read.
        NotFoundError: there is no such figure.
    """
    from conspectus.figures.likeness import find_like

    check_kinds(kinds)
    if measure not in get_args(Measure):
        raise UsageError(f"There is no measure '{measure}'.", f"There are: {', '.join(get_args(Measure))}.")
    asked = _asked(session, like, crop, measure)
    seen, note = _seen(session, look=look)
    k = session.settings.search.k if k is None else k
    return find_like(session.catalog, seen, asked, k, filters or Filters(), kinds, note)


def in_pictures(session: Session, words: str) -> tuple[dict[str, dict[int, float]], str]:
    """Factor -> key of a picture -> its score for words, 0..1, of pictures that were looked at; and what is to be told.

    `inside`: by the words that stand in it; `picture`: by what it shows, where the encoder takes texts.
    """
    from conspectus.index.inside import WordsInside

    catalog, state = session.catalog, figures_sql.pictures_state(session.catalog)
    if not words.strip() or not state[1]:
        return {}, ""
    inside = session.parts.held("pictures", lambda: WordsInside(figures_sql.picture_words(catalog)), "inside", *state)
    found, note = {"inside": inside.best(words, _MOST)}, ""
    if session.settings.models.encoder != "efficientnet" or session.given.encoder is not None:
        try:
            found |= _by_what_they_show(session, words)
        except ConspectusError as error:
            note = f"What pictures show was not compared: {error.message}"
    return {name: scores for name, scores in found.items() if scores}, note


def _by_what_they_show(session: Session, words: str) -> dict[str, dict[int, float]]:
    from conspectus.search.candidates import min_max

    if "text" not in session.encoder.takes:
        return {}
    seen, _ = _seen(session, look=False)
    near = seen.index.nearest(session.encoder.text(words), _MOST, "cosine")
    scaled = min_max(np.array([score for _, score in near]))
    return {"picture": dict(zip((key for key, _ in near), scaled.tolist(), strict=True))}


def _seen(session: Session, *, look: bool) -> tuple[Seen, str]:
    """The pictures of the library's figures, and what is to be told of those that nobody has looked at."""
    from conspectus.figures.likeness import Seen
    from conspectus.search.picture_index import PictureIndex

    if look:
        look = _looked(session)
    catalog, pictures = session.catalog, looker(session)
    lacking = pictures.count_lacking(catalog, {})
    why = "their files are gone, or cannot be drawn" if look else "nobody has looked at them yet (`encode_figures`)"
    note = f"The figures of {lacking} papers are not among them: {why}." if lacking else ""

    def load() -> Seen:
        found = figures_sql.picture_vectors(catalog, pictures.name, pictures.version, session.encoder.dimensions)
        return Seen(PictureIndex(found.keys, found.matrix), found.papers, session.encoder.id)

    return session.parts.held("pictures", load, pictures.version, *figures_sql.pictures_state(catalog)), note


def _looked(session: Session) -> bool:
    """Look at what nobody has looked at; False: it could not be kept."""
    try:
        look_at(session, failed=False)
    except (BusyError, LibraryReadOnlyError):
        return False
    return True


def _asked(session: Session, like: Like, crop: Crop | None, measure: Measure) -> Asked:
    from conspectus.figures.likeness import Asked

    if isinstance(like, str):
        is_file = like.lower().endswith(SUFFIXES)  # nobody looks whether it is there: who asks a server may not know
        like = figure_named(session, like, "A file is given as a Path, not as a str." if is_file else "")[1].id
    if isinstance(like, str) and crop is None:
        pictures = looker(session)
        known = figures_sql.picture_vector(session.catalog, like, pictures.name, pictures.version)
        if known is not None:
            return Asked(like, known.astype(np.float32), measure, like)
    what = str(like) if isinstance(like, str | Path) else "a picture"
    (vector,) = session.encoder.images([picture_of(session, like, crop)])
    return Asked(what, vector, measure, like if isinstance(like, str) else "")


def picture_of(session: Session, like: Like, crop: Crop | None) -> Image:
    """The picture that is asked for, or the part of it."""
    from conspectus.parse.process.images import cropped

    if isinstance(like, bytes):
        like = SentPicture("picture", like)
    if isinstance(like, SentPicture):
        with TemporaryDirectory() as folder:
            file = Path(folder) / like.name
            file.write_bytes(like.data)
            return _of_file(session, file, crop)
    if isinstance(like, Path):
        return _of_file(session, like, crop)
    image = figure_image(session, like) if isinstance(like, str) else like
    return image if crop is None else cropped(image, _box(crop, image.size))


def _of_file(session: Session, path: Path, crop: Crop | None) -> Image:
    from conspectus.parse.process.images import decode_picture

    if not user_path(path).is_file():
        raise InputError(f"There is no picture '{path}'.", "Name a file.")
    size = (1, 1)
    if crop is not None and max(crop) <= 1:
        whole = of_file(session, path)
        size = whole.width, whole.height
    return decode_picture(of_file(session, path, crop and _box(crop, size)))


def _box(crop: Crop, size: tuple[int, int]) -> Box:
    """A part of a picture of this size in its pixels.

    Raises:
        UsageError: it is not made of four numbers that pixels can have.
    """
    if len(crop) != 4 or not all(abs(number) < _FARTHEST for number in crop):  # nor what is no number
        raise UsageError(
            f"{crop} is no part of a picture.", "Give x, y, width and height: in pixels, or all at most 1."
        )
    wide, high = size if max(crop) <= 1 else (1, 1)
    left, top = int(crop[0] * wide), int(crop[1] * high)
    return left, top, round((crop[0] + crop[2]) * wide) - left, round((crop[1] + crop[3]) * high) - top
