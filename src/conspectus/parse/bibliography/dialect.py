"""`Dialect`: the names that a source of records uses for our fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from conspectus.parse.bibliography.names import NameOrder


def column_key(name: str) -> str:
    """Normalize a column's name for comparison: lower-case letters and digits; a tag of signs stays as it is."""
    return re.sub(r"[\W_]+", "", name.casefold()) or name.strip()


_SHARED = {
    **{"title": "Title", "abstract": "Abstract", "authors": "Authors", "venue": "Journal", "year": "Year"},
    **{"volume": "Volume", "number": "Issue", "pages": "Pages", "doi": "DOI", "url": "URL", "language": "Language"},
    **{"publisher": "Publisher", "issn": "ISSN", "isbn": "ISBN", "keywords": "Keywords", "editor": "Editors"},
    **{"pmcid": "PMCID", "pmid": "PMID"},
}
"""Columns that many sources share, so they do not identify a source."""


@dataclass(frozen=True)
class Dialect:
    """The fields of one source.

    Attributes:
        columns: by our field, the columns or tags that may hold it, separated by ` | `, the best first. Further fields:
            `first_page`, `last_page`, `month`, `day`, `kind` (the type of the work), `groups` (organisations as
            authors), `links` (files), `citation` (journal, volume and pages in one text).
        order: how it writes names.
        quoted: whether cells may be quoted, as in CSV.
        keywords: the possible separators of keywords; the first that a text contains is used.
        list_end: the text that it appends to a list of names.
        shared: whether it also uses the columns that many sources share.
    """

    name: str
    columns: Mapping[str, str]
    order: NameOrder = NameOrder.COMMA
    keywords: str = ";"
    list_end: str = ""
    quoted: bool = True
    shared: bool = True

    @cached_property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """The keys of the columns that may hold each field, the best first."""
        shared = _SHARED if self.shared else {}
        columns = {
            field: [*self.columns.get(field, "").split(" | "), shared.get(field, "")]
            for field in {**shared, **self.columns}
        }
        return {
            field: tuple(dict.fromkeys(column_key(name) for name in names if name)) for field, names in columns.items()
        }

    @cached_property
    def known(self) -> frozenset[str]:
        """The keys of all its columns."""
        return frozenset(key for keys in self.fields.values() for key in keys)

    @cached_property
    def own(self) -> frozenset[str]:
        """The keys of the columns by which it is recognised."""
        return self.known - SHARED_KEYS


SHARED_KEYS = frozenset(column_key(name) for name in _SHARED.values())
