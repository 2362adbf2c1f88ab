"""Rows of figures and tables, with the sentences that mention them, and of what their pictures show."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conspectus.core.groups import grouped
from conspectus.ingest.derivations.protocol import Made, OfPaper, Subject, WhenAsked
from conspectus.parse.text.passages import Ids
from conspectus.records import Figure, ParsedPaper
from conspectus.records.passage import digest_of
from conspectus.store import figures as kept
from conspectus.store import schema
from conspectus.store.catalog import Catalog
from conspectus.store.codec import pack
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import DerivedRows, Row
from conspectus.store.rows import local_name


class FigureRows(OfPaper):
    """See `Derivation`; the ids of papers are left out of the rows, so that these outlive a change of theirs."""

    name = "figures"
    parts: tuple[DerivedRows, ...] = (DerivedRows(schema.figures),)

    def digest(self, paper: Subject) -> bytes:
        """See `Derivation.digest`."""
        return digest_of(*_rows(paper))

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `Derivation.make`."""
        return [(_rows(paper),) for paper in batch]

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.exported`."""
        names = ("id", "name", "kind", "label", "caption", "place", "mentions")
        found = kept.figures_of_papers(catalog, paper_keys)
        return {key: [{name: getattr(one, name) for name in names} for one in group] for key, group in found.items()}


def _rows(paper: Subject) -> list[Row]:
    if not paper.parsed.figures:
        return []
    ids, mentions = Ids(paper.id), _mentions(paper)
    return [_row(paper.parsed, figure, number, ids, mentions) for number, figure in enumerate(paper.parsed.figures)]


def _row(parsed: ParsedPaper, figure: Figure, number: int, ids: Ids, mentions: Mapping[str, Sequence[str]]) -> Row:
    known = figure.caption is not None and figure.caption < len(parsed.blocks)
    caption = parsed.blocks[figure.caption].text if known and figure.caption is not None else ""
    cells, picture = (cell for row in figure.cells for cell in row), figure.href.rpartition("/")[2]
    return {
        "ordinal": number,
        "id": local_name(ids.make("f", "\0".join((figure.kind, figure.label, caption, picture, *cells)))),
        "name": figure.key,
        "kind": figure.kind,
        "label": figure.label,
        "caption": caption,
        "page": figure.place.page if figure.place else None,
        "box": pack(figure.place.rect) if figure.place else None,
        "mentions": pack([local_name(name) for name in dict.fromkeys(mentions.get(figure.key, ()))]),
    }


def _mentions(paper: Subject) -> dict[str, list[str]]:
    """Figure -> the ids of the spans with a mark that leads to it, in reading order."""
    spans = grouped((_words(span.text), span.id) for passage in paper.passages for span in passage.spans)
    found: dict[str, list[str]] = {}
    for block in paper.parsed.blocks:
        for mark in block.marks:
            if mark.kind in ("figure", "table"):
                said = (one for one in block.sentences if one.start <= mark.start < one.end)
                names = [name for one in said for name in spans.get(_words(block.text[one.start : one.end]), ())]
                for target in mark.targets:
                    found.setdefault(target, []).extend(names)
    return found


def _words(text: str) -> str:
    return " ".join(text.split())


Look = Callable[[Subject], Made | tuple[()]]
"""The rows of a paper's pictures, and of their files; none at all where they cannot be had, and are still lacking."""


class PictureRows(WhenAsked):
    """See `Derivation`; its version is that of who looks, an encoder and what is told by its vectors.

    Args:
        look: looks at a paper's figures; None: what was made can be read, and goes with its figures.
        version: of `look`.
        again: the keys of papers, ascending, that are to be looked at anew though this version has looked at them.
    """

    name = "pictures"
    doing = "looking at figures"
    parts: tuple[DerivedRows, ...] = (DerivedRows(schema.pictures), DerivedRows(schema.picture_files))

    def __init__(self, look: Look | None = None, version: str = "", again: Sequence[int] = ()) -> None:
        super().__init__(look, version)
        self._again = again

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`."""
        parsed = paper.parsed
        captions = [parsed.blocks[one.caption].text if one.caption is not None else "" for one in parsed.figures]
        return digest_of(*((one.key, one.label, one.place, one.href) for one in parsed.figures), *captions)

    def count_lacking(self, catalog: Catalog, noted: Mapping[tuple[str, str], int]) -> int:  # noqa: ARG002
        """See `Derivation.count_lacking`: papers without figures lack none."""
        return kept.count_without_pictures(catalog, self.name, self.version) + len(self._again)

    def lacking(self, catalog: Catalog, after: int, limit: int) -> list[int]:
        """See `Derivation.lacking`."""
        found = kept.papers_without_pictures(catalog, self.name, self.version, after, limit)
        again = self._again[bisect_right(self._again, after) :][:limit]
        return sorted({*found, *again})[:limit]

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.exported`; without vectors, which another encoder would not understand."""
        names = ("figure", "label", "caption", "box", "kind", "probability")
        found = kept.pictures_of_papers(catalog, paper_keys)
        return {key: [{name: getattr(one, name) for name in names} for one in group] for key, group in found.items()}
