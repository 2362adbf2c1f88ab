"""Figures that are like a picture: a file, a part of one, or a figure of the library."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, get_args

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import user_path
from conspectus.core.errors import BusyError, ConspectusError, InputError, LibraryReadOnlyError, UsageError
from conspectus.figures import sql
from conspectus.figures.figure_images import figure_image, find_figure
from conspectus.figures.figure_search import is_of_kind, make_figure, make_panel
from conspectus.figures.figure_vectors import look as look_at
from conspectus.figures.figure_vectors import looker
from conspectus.figures.page_images import of_file
from conspectus.parse.markup.pictures import SUFFIXES
from conspectus.parse.process.wire import Box
from conspectus.records import Crop, FigureHit, FigureResult, Filters, Measure
from conspectus.records.figures import SentPicture, Shown, check_kinds
from conspectus.search.search import MOST_CANDIDATES, too_few_error
from conspectus.session.session import Session
from conspectus.store import figures as stored_figures
from conspectus.store.catalog import Catalog
from conspectus.store.derivations import Noted
from conspectus.store.facets import filtered_paper_keys
from conspectus.store.rows import StoredFigure

if TYPE_CHECKING:
    from PIL.Image import Image

    Like = Image | Path | SentPicture | bytes | str
    from conspectus.search.picture_index import PictureIndex


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
        look: whether figures that nobody has looked at are looked at first (`figures encode`).

    Raises:
        UsageError: the crop is none, k is below 1, or there is no such kind or measure.
        InputError, LimitError: the picture cannot be read.
        NotFoundError: there is no such figure.
    """

    check_kinds(kinds)
    if measure not in get_args(Measure):
        raise UsageError(f"There is no measure '{measure}'.", f"There are: {', '.join(get_args(Measure))}.")
    query = _make_query(session, like, crop, measure)
    encoded_figures, note = _load_figures(session, look=look)
    k = session.settings.search.k if k is None else k
    return find_like(session.catalog, encoded_figures, query, k, filters or Filters(), kinds, note)


def in_pictures(session: Session, words: str) -> tuple[dict[str, dict[int, float]], str]:
    """Factor -> key of a picture -> its score for words, 0..1, of pictures that were looked at; and what is to be told.

    `inside`: by the words that stand in it; `picture`: by what it shows, where the encoder takes texts.
    """
    from conspectus.index.inside import WordsInside

    catalog, state = session.catalog, sql.pictures_state(session.catalog)
    if not words.strip() or not state[1]:
        return {}, ""
    inside = session.parts.get_cached("pictures", lambda: WordsInside(sql.picture_words(catalog)), "inside", *state)
    scores_by_factor, note = {"inside": inside.best(words, _MOST)}, ""
    if session.settings.models.encoder != "efficientnet" or session.injected.encoder is not None:
        try:
            scores_by_factor |= _by_what_they_show(session, words)
        except ConspectusError as error:
            note = f"What pictures show was not compared: {error.message}"
    return {name: scores for name, scores in scores_by_factor.items() if scores}, note


def _by_what_they_show(session: Session, words: str) -> dict[str, dict[int, float]]:
    from conspectus.search.candidates import min_max

    if "text" not in session.encoder.takes:
        return {}
    encoded_figures, _ = _load_figures(session, look=False)
    near = encoded_figures.index.nearest(session.encoder.text(words), _MOST, "cosine")
    scaled = min_max(np.array([score for _, score in near]))
    return {"picture": dict(zip((key for key, _ in near), scaled.tolist(), strict=True))}


def _load_figures(session: Session, *, look: bool) -> tuple[EncodedFigures, str]:
    """The pictures of the library's figures, and what is to be told of those that nobody has looked at."""
    from conspectus.search.picture_index import PictureIndex

    if look:
        look = _looked(session)
    catalog, pictures = session.catalog, looker(session)
    lacking = pictures.count_lacking(catalog, Noted())
    why = "their files are gone, or cannot be drawn" if look else "nobody has looked at them yet (`figures encode`)"
    note = f"The figures of {lacking} papers are not among them: {why}." if lacking else ""

    def load() -> EncodedFigures:
        vectors = sql.picture_vectors(catalog, pictures.name, pictures.version, session.encoder.dimensions)
        return EncodedFigures(PictureIndex(vectors.keys, vectors.matrix), vectors.papers, session.encoder.id)

    return session.parts.get_cached("pictures", load, pictures.version, *sql.pictures_state(catalog)), note


def _looked(session: Session) -> bool:
    """Look at what nobody has looked at; False: it could not be kept."""
    try:
        look_at(session, failed=False)
    except (BusyError, LibraryReadOnlyError):
        return False
    return True


def _make_query(session: Session, like: Like, crop: Crop | None, measure: Measure) -> PictureQuery:

    if isinstance(like, str):
        is_file = like.lower().endswith(SUFFIXES)  # nobody looks whether it is there: who asks a server may not know
        like = find_figure(session, like, "A file is given as a Path, not as a str." if is_file else "")[1].id
    if isinstance(like, str) and crop is None:
        pictures = looker(session)
        known = sql.picture_vector(session.catalog, like, pictures.name, pictures.version)
        if known is not None:
            return PictureQuery(like, known.astype(np.float32), measure, like)
    what = str(like) if isinstance(like, str | Path) else "a picture"
    (vector,) = session.encoder.images([picture_of(session, like, crop)])
    return PictureQuery(what, vector, measure, like if isinstance(like, str) else "")


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
        image = of_file(session, path)
        size = image.width, image.height
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


_AMONG = 4
"""Pictures looked at for each figure that is wanted: several may be panels of one."""


@dataclass(frozen=True, slots=True)
class PictureQuery:
    """A picture that is asked for.

    Attributes:
        what: how it is make_figure, in one line.
        vector: float32 [dimensions].
        measure: how near two vectors are.
        figure: the id of the figure that it is, which is not to be found; "": it is none.
    """

    what: str
    vector: FloatArray
    measure: Measure
    figure: str = ""


@dataclass(frozen=True, slots=True)
class EncodedFigures:
    """All that was looked at: the pictures' vectors, and the papers of each, int64 [pictures]."""

    index: PictureIndex
    papers: np.ndarray
    model: str


def find_like(
    catalog: Catalog,
    encoded_figures: EncodedFigures,
    query: PictureQuery,
    k: int,
    filters: Filters,
    kinds: Sequence[Shown],
    note: str = "",
) -> FigureResult:
    """The k figures of which the whole, or a panel, is most like a picture; `note` is told with them.

    The score is that of `query.measure` on the raw vectors of the encoder; of a figure's pictures the best counts.

    Raises:
        UsageError: k below 1, or `filters` ask for a kind of passage.
    """
    if k < 1:
        raise too_few_error(k)
    if filters.kind:
        raise UsageError("Figures like a picture are in no kind of passage.", "Leave the kind of passage out.")
    began = time.perf_counter()
    mask = None if filters == Filters() else np.isin(encoded_figures.papers, filtered_paper_keys(catalog, filters))
    hits = tuple(_hits(catalog, encoded_figures, query, k, mask, kinds))
    took, method = time.perf_counter() - began, f"{query.measure} of pictures"
    if not hits and not note:
        other = "other figure" if query.figure else "figure"
        note = (
            f"No {other} that was looked at passes."
            if len(encoded_figures.index)
            else "No paper has figures with pictures."
        )
    return FigureResult(query.what, hits, method, (encoded_figures.model,), took, note)


def _hits(
    catalog: Catalog,
    encoded_figures: EncodedFigures,
    query: PictureQuery,
    k: int,
    mask: np.ndarray | None,
    kinds: Sequence[Shown],
) -> list[FigureHit]:
    count = min(_AMONG * k, MOST_CANDIDATES)
    while True:
        near = encoded_figures.index.nearest(query.vector, count, query.measure, mask)
        hits = _figures(catalog, near, query, kinds)[:k]
        if len(hits) == k or len(near) < count or count >= MOST_CANDIDATES:
            return hits
        count = min(_AMONG * count, MOST_CANDIDATES)


def _figures(
    catalog: Catalog, near: Sequence[tuple[int, float]], query: PictureQuery, kinds: Sequence[Shown]
) -> list[FigureHit]:
    """The figures of pictures, best first, each once."""
    keys = sorted({paper for paper, _ in sql.figures_of_pictures(catalog, [key for key, _ in near]).values()})
    papers, figures = catalog.papers_by_key(keys), stored_figures.figures_of_papers(catalog, keys)
    pictures_by_paper = stored_figures.pictures_of_papers(catalog, keys)
    by_key = {picture.key: picture for group in pictures_by_paper.values() for picture in group}
    by_id: dict[str, tuple[int, StoredFigure]] = {
        figure.id: (paper, figure) for paper, group in figures.items() for figure in group
    }
    hits: dict[str, FigureHit] = {}
    for key, score in near:
        picture = by_key.get(key)
        if picture is None or picture.figure in hits or picture.figure == query.figure or picture.figure not in by_id:
            continue
        paper, figure = by_id[picture.figure]
        found_figure = make_figure(
            figure, papers[paper], [picture for picture in pictures_by_paper[paper] if picture.figure == figure.id]
        )
        if is_of_kind(found_figure, kinds):
            factors = {"picture": score}
            panel = make_panel(picture) if picture.number else None
            hits[figure.id] = FigureHit(len(hits) + 1, score, factors, found_figure, panel)
    return list(hits.values())
