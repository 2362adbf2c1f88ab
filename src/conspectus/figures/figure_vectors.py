"""Looking at figures: their pictures cut from the pages, told in panels, and given vectors and kinds."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ConspectusError, InputError, LimitError, NotFoundError
from conspectus.figures.figure_images import find_figure, of_figures, places
from conspectus.figures.page_images import limits_of, recognises
from conspectus.figures.sql import GIVEN_UP, PictureFile, list_picture_files
from conspectus.ingest.derivations.facts import PictureRows
from conspectus.ingest.derivations.protocol import Made, Subject
from conspectus.models.efficientnet import last_roots
from conspectus.models.store import sha256
from conspectus.parse.markup.pictures import file_of, path_of_link
from conspectus.records import Figure, FigureWord, FoundPanel, PictureKind
from conspectus.session.session import Session
from conspectus.store import figures as stored_figures
from conspectus.store.codec import half, pack
from conspectus.store.derivations import Noted, Row
from conspectus.store.figures import files_with_papers
from conspectus.store.rows import StoredDocument, StoredFigure, local_name

if TYPE_CHECKING:
    from PIL.Image import Image


LOOKED = 3
"""Goes up when figures are to be looked at anew, whatever the encoder."""
_CHARACTERS = 10_000
"""Of the words in a picture, which are kept; a map's labels have 3,000."""
_LONGEST = 1200
"""Pixels of the longer side of a picture that is looked at."""


def looker(session: Session, repeat_keys: Sequence[int] = ()) -> PictureRows:
    """The derivation `pictures` with what the library looks by; `repeat_keys`: papers, ascending, to be looked at anew.

    Raises:
        ModelMissingError, ModelDamagedError, SettingsError: the image encoder cannot be had.
    """
    ocr = "/ocr" if recognises(session) else ""
    return PictureRows(_Encoding(session), f"{session.encoder.id}/{LOOKED}{ocr}", repeat_keys)


def encode_figures(session: Session) -> int:
    """Look at the figures that nobody has looked at by the image encoder that is set; returns of how many papers.

    `figures` does it where it is asked for what is like a picture. Where it is interrupted, it goes on from there;
    papers whose PDF is gone are left out, and tried again. So are figures that took too long; and a picture beside its
    source that was put there later, or is another one by now, is looked at.

    Raises:
        ModelMissingError, ModelDamagedError, SettingsError: the encoder cannot be had.
        BusyError: another process, or job of this one, is writing.
    """
    return look(session, failed=True)


def look(session: Session, *, failed: bool) -> int:
    """See `encode_figures`; what took too long is tried again with `failed`, or where it is given more than before."""
    from conspectus.ingest.derivations.registry import derive_missing

    pictures = looker(session, changed(session, failed=failed))
    if not pictures.count_lacking(session.catalog, Noted()):
        return 0
    with session.writing():
        return derive_missing(session.catalog, [pictures])[pictures.name]


def picture_looked_at(session: Session, figure: str) -> Image:
    """A figure's picture as it is looked at, by the figure's id.

    Raises:
        NotFoundError, InputError, LimitError: there is none, or it cannot be drawn.
    """
    paper, known = find_figure(session, figure)
    for _, picture in of_figures(session, paper, [known], _LONGEST):
        if isinstance(picture, ConspectusError):
            raise picture
        return picture[0]
    raise NotFoundError(f"There is no picture of figure '{figure}'.", "`figures search` shows the ids.")


@dataclass(frozen=True, slots=True)
class _Encoding:
    """See `ingest.derivations.pictures.Look`."""

    session: Session

    def __call__(self, paper: Subject) -> Made | tuple[()]:
        catalog = self.session.catalog
        (figures,) = stored_figures.figures_of_papers(catalog, [catalog.paper_key(paper.id)]).values()
        try:
            known = self.session.paper(paper.id)
            documents = self.session.documents(known)
            pictures = of_figures(self.session, known, figures, _LONGEST)
            every = list(pictures)
        except (InputError, NotFoundError):  # of the whole paper: its file is gone
            return ()
        drawn = [(figure, picture) for figure, picture in every if not isinstance(picture, ConspectusError)]
        failed = any(isinstance(picture, LimitError) for _, picture in every)
        if not drawn and failed:
            return ()  # another time there may be more time, or memory
        noted = [row for figure in paper.parsed.figures for row in notes_of(documents, figure)]
        noted += [failure_note(self.session)] if failed else []
        encoded_pictures = [
            encoded_picture
            for figure, (picture, words) in drawn
            for encoded_picture in _pictures_of(figure, picture, words)
        ]
        return list(self._rows(encoded_pictures)), noted

    def _rows(self, pictures: Sequence[_EncodedPicture]) -> Iterator[Row]:
        if pictures:
            encoder = self.session.encoder
            vectors = np.stack(list(encoder.images(encoded_picture.picture for encoded_picture in pictures)))
            for encoded_picture, *row_values in zip(pictures, vectors, _kinds(vectors, encoder.id), strict=True):
                yield encoded_picture.row(*row_values)


def _kinds(vectors: FloatArray, encoder: str) -> list[tuple[str, float]]:
    """Of each vector what its picture is, and the probability of that; "" where it is not clear."""

    kinds = kinds_of(vectors, encoder)
    if kinds is None:
        return [("", 0.0)] * len(vectors)
    return [(kind, probability) if probability >= LEAST else ("", 0.0) for kind, probability in kinds]


@dataclass(frozen=True, slots=True)
class _EncodedPicture:
    """A figure's picture with its words, or a panel of it."""

    figure: str
    picture: Image
    number: int = 0
    panel: FoundPanel | None = None
    words: Sequence[FigureWord] = ()

    def row(self, vector: FloatArray, kind: tuple[str, float]) -> Row:
        """As the catalog keeps it."""
        label, caption = (self.panel.label, self.panel.caption) if self.panel else ("", "")
        return {
            "figure": self.figure,
            "number": self.number,
            "label": label,
            "caption": caption,
            "box": pack(self.panel.box) if self.panel else None,
            "kind": kind[0],
            "probability": kind[1],
            "words": " ".join(word.text for word in self.words)[:_CHARACTERS],
            "recognised": any(word.recognised for word in self.words),
            "vector": half(vector).astype("<f2").tobytes(),
        }


def _pictures_of(figure: StoredFigure, picture: Image, words: Sequence[FigureWord]) -> Iterator[_EncodedPicture]:
    """The whole, and its panels."""
    from conspectus.figures.panels import split

    name, (wide, high) = local_name(figure.id), picture.size
    yield _EncodedPicture(name, picture, words=words)
    panels = split(picture, words, figure.caption) if figure.kind == "figure" else ()
    for number, panel in enumerate(panels, 1):
        left, top, right, bottom = panel.box
        part = picture.crop((int(left * wide), int(top * high), math.ceil(right * wide), math.ceil(bottom * high)))
        yield _EncodedPicture(name, part, number, panel)


def notes_of(documents: Sequence[StoredDocument], figure: Figure) -> Iterator[Row]:
    """Of a figure that is no part of a page: what the files of its picture are now, as the catalog keeps it."""
    for document, document_figure in places(documents, figure):
        if document_figure.place is None and document_figure.href:
            yield asdict(_picture_file(document.path, document_figure.href))


def failure_note(session: Session) -> Row:
    """Of figures that took too long, or too much memory, to draw: what they were given."""
    return asdict(PictureFile("", "", GIVEN_UP, *_drawing_limits(session)))


def changed(session: Session, *, failed: bool) -> list[int]:
    """The keys of papers, ascending, of which a picture was put beside the source, or is another one by now.

    What took too long is among them where it would be given more now, or else with `failed`. A picture that is gone is
    not, nor one whose source has not the bytes that were read: what it showed stays known.
    """
    limits, names, keys = _drawing_limits(session), cache(_names_in), set[int]()
    for paper, was in list_picture_files(session.catalog):
        if paper in keys:
            continue
        if was.path == GIVEN_UP:
            other = failed or (was.size, was.mtime_ns) != limits
        else:
            other = (_is_other(was) if was.path else _is_there_now(was, names)) and _is_as_read(session, was)
        if other:
            keys.add(paper)
    return sorted(keys)


def _drawing_limits(session: Session) -> tuple[int, int]:
    limits = limits_of(session)
    return int(limits.seconds), int(limits.memory_mb)


def _picture_file(source: str, href: str) -> PictureFile:
    path = file_of(Path(source), href)
    try:
        at = path.stat() if path else None
    except OSError:  # gone meanwhile
        at = None
    return PictureFile(source, href, str(path), at.st_size, at.st_mtime_ns) if at else PictureFile(source, href)


def _is_other(was: PictureFile) -> bool:
    try:
        at = os.stat(was.path)  # noqa: PTH116
    except OSError:
        return False
    return (at.st_size, at.st_mtime_ns) != (was.size, was.mtime_ns)


def _is_there_now(was: PictureFile, names: Callable[[str], Collection[str]]) -> bool:
    """One look at a folder serves all that are missing there."""
    folder, name = os.path.split(os.path.join(os.path.dirname(was.source), path_of_link(was.href)))  # noqa: PTH118, PTH120
    near, name = names(folder), name.casefold()
    return (name in near or name.rpartition(".")[0] in near) and file_of(Path(was.source), was.href) is not None


def _is_as_read(session: Session, was: PictureFile) -> bool:
    try:
        return bool(files_with_papers(session.catalog, [sha256(Path(was.source))]))
    except OSError:
        return False


def _names_in(folder: str) -> frozenset[str]:
    """The names of files there, with and without their endings."""
    try:
        names = [name.casefold() for name in os.listdir(folder)]  # noqa: PTH208
    except (OSError, ValueError):
        return frozenset()
    return frozenset([*names, *(name.rpartition(".")[0] for name in names)])


LEAST = 0.5
"""The probability below which a kind is not to be believed: a picture is then unclassified.

Of 314 pictures of origins that the model never saw, 58 % reach it, and of these the kind of 83.5 % is right.
"""
KINDS: tuple[PictureKind, ...] = get_args(PictureKind)
Floats = npt.NDArray[np.floating]


class FigureKindModel(msgspec.Struct, frozen=True):
    """Log odds of kinds: `intercepts` and the products of `weights` with the `last_roots` of a vector.

    Attributes:
        encoder: the id of the encoder whose vectors it knows.
        unit: what a whole number in `weights` stands for.
        intercepts: one a kind, in the order of `KINDS`.
        weights: a row a kind, a whole number for each of the last layer.
    """

    encoder: str
    unit: float
    intercepts: tuple[float, ...]
    weights: tuple[tuple[int, ...], ...]

    def probabilities(self, vectors: Floats) -> npt.NDArray[np.float64]:
        """Of each vector, that it is of each kind: float64 [n, kinds]; a row adds up to 1."""
        odds = last_roots(vectors) @ (self.unit * np.array(self.weights, np.float64)).T + np.array(self.intercepts)
        raised = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))


@lru_cache(maxsize=1)
def model() -> FigureKindModel:
    """The one that comes with the program."""
    return msgspec.json.decode(files("conspectus.figures").joinpath("kinds.json").read_bytes(), type=FigureKindModel)


def kinds_of(vectors: Floats, encoder_id: str) -> list[tuple[PictureKind, float]] | None:
    """Of each picture the most probable kind with its probability; None where nothing is known of such vectors.

    Below `LEAST` the kind is not to be believed.

    Args:
        vectors: raw ones of the encoder, float32 [n, dimensions].
        encoder_id: `Encoder.id`.
    """
    classifier = model()
    if encoder_id != classifier.encoder:
        return None
    if not len(vectors):
        return []
    probabilities = classifier.probabilities(vectors)
    return [
        (KINDS[best], float(row[best]))
        for row, best in zip(probabilities, probabilities.argmax(axis=1).tolist(), strict=True)
    ]
