"""What a `Dialect` is: the names that a source of records has for our fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from conspectus.parse.bibliography.names import NameOrder


def column_key(name: str) -> str:
    """A column's name as it is compared: letters and digits in small letters; a tag of signs as it is."""
    return re.sub(r"[\W_]+", "", name.casefold()) or name.strip()


_SHARED = {
    **{"title": "Title", "abstract": "Abstract", "authors": "Authors", "venue": "Journal", "year": "Year"},
    **{"volume": "Volume", "number": "Issue", "pages": "Pages", "doi": "DOI", "url": "URL", "language": "Language"},
    **{"publisher": "Publisher", "issn": "ISSN", "isbn": "ISBN", "keywords": "Keywords", "editor": "Editors"},
    **{"pmcid": "PMCID", "pmid": "PMID"},
}
"""Columns that many sources have; they do not tell one source from another."""


@dataclass(frozen=True)
class Dialect:
    """The fields of one source.

    Attributes:
        columns: by our field, the columns or tags that may hold it, apart by ` | `, the best first. Further fields:
            `first_page`, `last_page`, `month`, `day`, `kind` (what sort of work it is), `groups` (authors that are
            organisations), `links` (files), `citation` (journal, volume and pages in one text).
        order: how it writes names.
        quoted: whether a cell may stand in quotation marks, as in CSV.
        keywords: the signs that may part keywords; the first that a text has counts.
        list_end: what it puts behind the last name of a list.
        shared: whether it has the columns that many sources have.
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
        columns = (_SHARED if self.shared else {}) | dict(self.columns)
        return {ours: tuple(column_key(name) for name in names.split(" | ")) for ours, names in columns.items()}

    @cached_property
    def known(self) -> frozenset[str]:
        """The keys of all its columns."""
        return frozenset(key for keys in self.fields.values() for key in keys)

    @cached_property
    def own(self) -> frozenset[str]:
        """The keys of the columns by which it is recognised."""
        return self.known - SHARED_KEYS


SHARED_KEYS = frozenset(column_key(name) for name in _SHARED.values())
