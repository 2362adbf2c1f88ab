"""What the pictures of figures show: a vector and a kind of each, and of each panel. It is made when somebody asks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conspectus.ingest.derivations.of_paper import Made, Subject, WhenAsked
from conspectus.records.passage import digest_of
from conspectus.store import figures as kept
from conspectus.store import schema
from conspectus.store.catalog import Catalog
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import Part

Look = Callable[[Subject], Made | tuple[()]]
"""The rows of a paper's pictures, and of their files; none at all where they cannot be had, and are still lacking."""


class Pictures(WhenAsked):
    """See `Derivation`; its version is that of who looks, an encoder and what is told by its vectors.

    Args:
        look: looks at a paper's figures; None: what was made can be read, and goes with its figures.
        version: of `look`.
        again: the keys of papers, ascending, that are to be looked at anew though this version has looked at them.
    """

    name = "pictures"
    doing = "looking at figures"
    parts: tuple[Part, ...] = (Part(schema.pictures), Part(schema.picture_files))

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
