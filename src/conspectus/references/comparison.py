"""The record of a cited work at Crossref, and which fields of a reference agree with it or contradict it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from conspectus.ingest.linked_files import IDENTIFIERS, same_time
from conspectus.parse.text.titles import LEAST_WORDS, holds_title, same_title, title_words
from conspectus.records import Author, Metadata, Reference, normal_name
from conspectus.services.client import ServiceClient
from conspectus.services.crossref import Crossref, look_up_agency, look_up_work, search_works
from conspectus.settings.groups import SourcesSettings

_NAMES_ALIKE = 0.8
_PREPRINTS = (
    *(
        "10.48550/",
        "10.1101/",
        "10.64898/",
        "10.31234/",
        "10.31219/",
        "10.2139/",
        "10.26434/",
        "10.21203/",
        "10.20944/",
    ),
    *("10.36227/", "10.22541/", "10.5281/", "10.6084/", "10.32942/", "10.35542/", "10.31222/"),
)
"""Where preprints and deposits have their DOIs, beside which the article has one of its own."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The fields (`doi`, `arxiv_id`, `pmid`, `title`, `author`, `year`) that agree and that contradict."""

    agrees: tuple[str, ...]
    contradicts: tuple[str, ...]


def compare(reference: Reference, record: Metadata) -> Comparison:
    """What of a reference agrees with a record; a field that one of them does not have is not compared.

    A title that was read wrongly out of an entry agrees if the record's title stands in the entry. The author is the
    first one, by surname; one who stands anywhere in the entry agrees. A year may be one off, and any of the record's
    (print, online) will do. Other identifiers than the record's contradict, but for DOIs of preprints.
    """
    same_by_field = {
        **{name: _same_identifier(name, reference, record) for name in IDENTIFIERS},
        "title": _same_title(reference, record),
        "author": _same_author(reference, record),
        "year": _same_year(reference, record),
    }
    agrees = tuple(name for name, same in same_by_field.items() if same)
    return Comparison(agrees, tuple(name for name, same in same_by_field.items() if same is False))


def is_preprint(doi: str) -> bool:
    """Whether a DOI is of a server of preprints or deposits."""
    return doi.startswith(_PREPRINTS)


def _same_identifier(name: str, reference: Reference, record: Metadata) -> bool | None:
    ours, other = getattr(reference, name).lower(), getattr(record, name).lower()
    if not ours or not other:
        return None
    if ours != other and name == "doi" and is_preprint(ours) != is_preprint(other):
        return None
    return bool(ours == other)


def _same_title(reference: Reference, record: Metadata) -> bool | None:
    if not record.title or (not reference.title and not reference.text):
        return None
    if reference.title and same_title(reference.title, record.title):
        return True
    if holds_title(reference.text, record.title):
        return True
    return False if len(title_words(reference.title)) >= LEAST_WORDS else None


def _same_author(reference: Reference, record: Metadata) -> bool | None:
    if not reference.authors or not record.authors:
        return None
    first, theirs = record.authors[0], normal_name(record.authors[0].surname).split()
    ours = normal_name(reference.authors[0].surname).split()
    if not theirs or not ours or not _latin(theirs) or not _latin(ours):
        return None
    if _alike(ours, theirs) or _alike(ours, normal_name(first.given).split()):
        return True
    return theirs[-1] in normal_name(_without_title(reference)).split()


def _without_title(reference: Reference) -> str:
    return reference.text.replace(reference.title, " ") if reference.title else reference.text


def _latin(words: Iterable[str]) -> bool:
    return all(char < "\u0250" for word in words for char in word)


def _alike(ours: list[str], theirs: list[str]) -> bool:
    """Whether two surnames share a word, as those do that are given with a middle name, or are nearly the same."""
    if any(len(word) > 1 and word in theirs for word in ours):
        return True
    first, other = "".join(ours), "".join(theirs)
    return difflib.SequenceMatcher(None, first, other, autojunk=False).ratio() >= _NAMES_ALIKE


def _same_year(reference: Reference, record: Metadata) -> bool | None:
    years = [year for year in (*record.extra.get("years", ()), record.year) if isinstance(year, int)]
    if reference.year is None or not years:
        return None
    if any(same_time(reference.year, year) for year in years):
        return True
    plain = re.sub(r"(?<!\S)[^\s/]*+/\S*+", " ", reference.text)  # years in identifiers and addresses say nothing
    return any(re.search(rf"(?<![\d–-]){year}(?![\d–-])", plain) for year in years)


class CrossrefLookup:
    """A `ReferenceService` that asks Crossref.

    Args:
        settings: where it is, and how long is waited.
    """

    def __init__(self, settings: SourcesSettings) -> None:
        self._client = ServiceClient(Crossref(), settings)

    @property
    def address(self) -> str:
        """The address without a password in it."""
        scheme, _, rest = self._client.url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"

    def work(self, doi: str) -> Metadata | None:
        """What it has under a DOI; None where it has nothing. `extra["years"]` has all years if they differ.

        Raises:
            ServiceAwayError: it does not answer now.
            ServiceError: it refused, or its answer cannot be read.
        """
        work = look_up_work(self._client, doi)
        return _with_editors(work) if work else None

    def works(self, words: str, rows: int = 5) -> tuple[Metadata, ...]:
        """The works that fit a title, or a whole reference, best: at most `rows`. Errors as `work`."""
        return tuple(map(_with_editors, search_works(self._client, words, rows)))

    def agency(self, doi: str) -> str:
        """Who registered a DOI (`Crossref`, `DataCite`); "" where nobody did. Errors as `work`."""
        return look_up_agency(self._client, doi)


def _with_editors(work: Metadata) -> Metadata:
    """A book without authors is cited by its editors."""
    return work if work.authors else replace(work, authors=tuple(map(Author, work.extra.get("editor", ()))))
