"""Find figures and tables by words or by what they look like, show them, and write their pictures.

Modules that need numpy or SQLAlchemy are imported by the verbs, so that help is fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conspectus.core.errors import UsageError
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import PaperFilters
from conspectus.records import Crop, FigureCard, FigureResult, Filters, Measure
from conspectus.records.figures import MOST, Shown, check_kinds, crop_of
from conspectus.records.parsed_paper import FIGURE_SCALE

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.figures.image_similarity import Like

FigureName = Annotated[
    str, Option("Id of a figure, or PAPER.NAME (f1, t2).", metavar="FIGURE", max_length=200, example="p3f8a1c.f1")
]
Query = Annotated[
    str,
    Option(
        "Words of what is shown, or a question, with operators as in `search`. Without words: the newest.",
        metavar="[WORDS…]",
        words=True,
        query="q",
        example="phase diagram",
    ),
]
FigureCount = Annotated[
    int | None, Option("Number of figures (default: the setting search.k).", ge=1, le=MOST, short="k", metavar="N")
]
PictureFile = Annotated[
    Path | None, Option("Find figures that look like this picture.", metavar="FILE", faces=("cli",))
]
LikeFigure = Annotated[
    str, Option("Find figures that look like this figure of the library.", metavar="FIGURE", max_length=200)
]
Cropped = Annotated[
    Crop | None,
    Option(
        "Part of the picture to compare: in pixels, or all numbers at most 1.",
        metavar="X,Y,W,H",
        read=crop_of,
        max_length=200,
        faces=("cli", "http"),
    ),
]
ComparedBy = Annotated[Measure | None, Option("How pictures are compared (default: cosine).", faces=("cli", "http"))]
Kinds = Annotated[tuple[Shown, ...], Option("Only figures with this name (figure, table) or look.", max_items=20)]
Plain = Annotated[
    bool,
    Option('Treat all operators of the query ("", -, AND, author: …) as plain text.', faces=("cli", "http")),
]


class FigureVerbs(VerbGroup, name="figures"):
    """Figures and tables of papers, found by words or by what they look like."""

    @verb(http="GET /figures", tool="figures")
    def search(
        self,
        query: Query = "",
        *,
        k: FigureCount = None,
        image: PictureFile = None,
        like: LikeFigure = "",
        crop: Cropped = None,
        measure: ComparedBy = None,
        only: Kinds = (),
        filters: PaperFilters = None,
        plain: Plain = False,
        encode: Annotated[bool, Option("Encode new figures first.", faces=("cli",), absent=False)] = True,
    ) -> FigureResult:
        """Find figures and tables by words, or by what they look like.

        Words are compared with captions, with the text that mentions a figure, and with words in the picture. With a
        picture, panels of figures are found, too; the first time, all figures of the library are encoded for it.

        Shell:
            `conspectus open ID` cuts the picture of a figure from its page.

        Raises:
            UsageError: a mistake in the query's signs, k below 1, an unknown kind or measure, a bad crop, or a kind of
                passage among the filters.
            InputError, LimitError: the picture cannot be read.
            NotFoundError: there is no such figure.
        """
        if bool(query) + bool(image) + bool(like) > 1:
            raise UsageError("Figures are found by words, by `image=FILE`, or by `like=FIGURE`.", "Give one of them.")
        if like and Path(like).is_file():
            raise UsageError(f"'{like}' is a file, and no figure of the library.", "Give it as `image=FILE`.")
        if image or like:
            return self.like(
                image or like, k=k, filters=filters, crop=crop, measure=measure or "cosine", only=only, encode=encode
            )
        if crop or measure:
            raise UsageError(
                "`crop=X,Y,W,H` and `measure=NAME` are about a picture, and none is given.",
                "Give `image=FILE` or `like=FIGURE`, too.",
            )
        return self._by_words(query, k, filters, only, plain=plain)

    def _by_words(
        self, query: str, k: int | None, filters: Filters | None, only: Sequence[Shown], *, plain: bool
    ) -> FigureResult:
        from conspectus.figures.figure_search import find_figures
        from conspectus.figures.image_similarity import in_pictures
        from conspectus.search import query_syntax

        session = self.session
        check_kinds(only)
        query = query_syntax.check_query(query)
        parsed_query = query_syntax.plain_query(query) if plain else query_syntax.parse_query(query)
        retriever = session.retriever("raw", reranked=False)
        picture_scores, note = in_pictures(session, parsed_query.words)
        retriever = replace(retriever, note=" ".join(filter(None, (retriever.note, note))))
        with session.parts.searching:
            k = session.settings.search.k if k is None else k
            return find_figures(retriever, parsed_query, k, filters or Filters(), only, picture_scores)

    def like(
        self,
        picture: Like,
        *,
        k: int | None = None,
        filters: Filters | None = None,
        crop: Crop | None = None,
        measure: Measure = "cosine",
        only: Sequence[Shown] = (),
        encode: bool = True,
    ) -> FigureResult:
        """Find the figures of which the whole, or a panel, is most like a picture, or a figure of the library.

        Args:
            picture: a picture, its file as a `Path`, the bytes of that (also as a `SentPicture`), or as a str a
                figure's id or `PAPER.f3`, never a file.
            k: how many; None: the setting `search.k`.
            filters: which papers; no kind of passage.
            crop: x, y, width and height of the part to compare: in pixels, or if none is above 1, in parts of the
                picture's width and height.
            measure: how near two pictures are, by their vectors as the encoder gives them.
            only: what figures are called (`figure`, `table`), or show (`plot` …); none: all.
            encode: whether figures that are not encoded yet are encoded first (`encode`).

        Raises:
            UsageError, InputError, LimitError, NotFoundError: as `search`.
        """
        from conspectus.figures.image_similarity import figures_like

        return figures_like(self.session, picture, k, filters, crop=crop, measure=measure, kinds=only, look=encode)

    @verb(http="GET /figures/{figure}")
    def show(self, figure: FigureName) -> FigureCard:
        """Show a figure or table: the sentences that mention it, a table's cells, and where its picture is.

        Raises:
            NotFoundError: there is no such figure.
        """
        from conspectus.figures.figure_search import figure_card

        return figure_card(self.session, figure)

    @verb(http="POST /figures/encode", key="papers", job=True, writes=True)
    def encode(self) -> int:
        """Encode the figures that the current image encoder has not seen. Returns the number of their papers.

        Searching by a picture does it, too. An interrupted run continues where it was. Papers whose PDF is gone are
        left out and tried again, as are figures that took too long. A picture that was put beside its source later, or
        has changed, is encoded.

        Raises:
            ModelMissingError, ModelDamagedError, SettingsError: the encoder is not available.
            BusyError: another process, or job of this one, is writing.
        """
        from conspectus.figures.figure_vectors import look

        return look(self.session, failed=True)

    def image(self, name: str, key: str = "", scale: float = FIGURE_SCALE) -> Image:
        """A figure or table as a picture, without its caption: cut from its page, or the picture file of its source.

        It is drawn once and stored in the user's cache, which may be deleted at any time.

        Args:
            name: its id, as `search` has it; or with `key` its paper, by any name.
            key: as in `parsed(name).figures`: `f1`, `t2`.
            scale: pixels per point, of which an inch has 72; usual are 200 pixels an inch. A picture file counts as
                drawn with so many: a smaller scale makes it smaller, none makes it larger.

        Raises:
            NotFoundError: no such paper or figure; its file is no longer there or has other bytes; or the picture that
                it names is not in it, nor below its folder.
            InputError: nothing says where the picture is, or it is none that can be drawn.
            LimitError: drawing takes too long, or too much memory.
        """
        from conspectus.figures.figure_images import figure_image

        return figure_image(self.session, name, key, scale)

    def file(self, name: str, key: str = "", scale: float = FIGURE_SCALE) -> Path:
        """The PNG of `image` in the user's cache, where it may be deleted at any time.

        Raises:
            LibraryReadOnlyError: it cannot be stored there. Otherwise as `image`.
        """
        from conspectus.figures.figure_images import figure_file

        return figure_file(self.session, name, key, scale)
