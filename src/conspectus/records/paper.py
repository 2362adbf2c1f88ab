"""Papers: what a source says about one (`Metadata`), one as the library holds it (`Paper`), and their labels."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from string import ascii_lowercase
from typing import Any, Literal, get_args
from urllib.parse import quote

from conspectus.core.groups import grouped
from conspectus.records.views import show_record

PublicationStatus = Literal["", "unchecked", "corrected", "concern", "retracted", "reinstated"]
"""`""`: a service that knows was asked, and knows of nothing; `unchecked`: none was asked."""
_STATUS: Mapping[str, PublicationStatus] = {
    "retraction": "retracted",
    "concern": "concern",
    "correction": "corrected",
    "reinstatement": "reinstated",
}
_WORDS: Mapping[str, str] = {
    "retracted": "retracted",
    "concern": "under an expression of concern",
    "corrected": "corrected",
    "reinstated": "reinstated after a retraction or a concern",
}
_MARKS: Mapping[str, str] = {"retracted": "RETRACTED: ", "concern": "EXPRESSION OF CONCERN: "}
_MARKED = re.compile(r"\W*(?:RETRACTED|Retracted (?:Article|Paper|Chapter))\b(?! (?:and|by)\b)[^:\])]{0,20}[:\])]")
"""How publishers mark the title of a retracted paper."""
_AROUND = re.compile(
    r"^\W*+(?:retracted|withdrawn)(?: (?:article|paper|chapter))?\s*+[:.\])]+\s*+"
    r"|(?<!\s)\s*+[\[(](?:retracted|withdrawn)(?: (?:article|paper))?[\])]\W*+$",
    re.I,
)
"""The same, also behind the title, and of papers that were withdrawn."""
_NOTICE_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_DOI = re.compile(r"10\.\d{4,9}/\S{1,200}")


def publication_status(title: str, extra: Mapping[str, Any]) -> PublicationStatus:
    """The status that a paper's notices give it; the gravest, unless it was reinstated later.

    Without a notice it is what the source says of it as a whole (`retracted`, `publication_status`), or its title does.
    """
    by_kind = {kind: max(_date(notice) for notice in notices) for kind, notices in _by_kind(extra).items()}
    doubts = [by_kind[kind] for kind in ("retraction", "concern") if kind in by_kind]
    lifted = by_kind.get("reinstatement", "")
    if "reinstatement" in by_kind and (not doubts or (lifted > max(doubts) != "")):
        return "reinstated"
    if "retraction" in by_kind or _says_retracted(extra) or _MARKED.match(title):
        return "retracted"
    for kind in ("concern", "correction"):
        if kind in by_kind:
            return _STATUS[kind]
    status_text = extra.get("publication_status")
    for status in get_args(PublicationStatus)[2:]:
        if status == status_text:
            known_status: PublicationStatus = status
            return known_status
    return "" if _NOTICE_DATE.match(str(extra.get("checked") or "")) else "unchecked"


def describe_status(title: str, extra: Mapping[str, Any]) -> str:
    """The status with its date and who says so, as a sentence has it: `retracted 2013-01-01 (crossref, 10.1000/x)`."""
    status, checked = publication_status(title, extra), str(extra.get("checked") or "")[:10]
    if status in ("", "unchecked"):
        return f"no notice known on {checked}" if not status and checked else status and f"{status} for retractions"
    last, date = _last_notice(status, extra), status_date(title, extra)
    by = [text for text in (str(last.get("service") or ""), _doi(last)) if text]
    return _WORDS[status] + (f" {date}" if date else "") + (f" ({', '.join(by)})" if by else "")


def status_date(title: str, extra: Mapping[str, Any]) -> str:
    """The date of the notice that the status is from, ISO 8601; "" if not known."""
    return _date(_last_notice(publication_status(title, extra), extra))


def _last_notice(status: str, extra: Mapping[str, Any]) -> Mapping[str, Any]:
    kinds = [kind for kind, name in _STATUS.items() if name == status]
    return max((notice for kind in kinds for notice in _by_kind(extra).get(kind, ())), key=_date, default={})


def title_mark(title: str, extra: Mapping[str, Any]) -> str:
    """What is before the title of a paper that was retracted or is doubted, unless the title says it itself."""
    return "" if _MARKED.match(title) else _MARKS.get(publication_status(title, extra), "")


def without_mark(title: str) -> str:
    """A title without what publishers add to it when the paper is retracted or withdrawn."""
    return _AROUND.sub("", title) or title


def _by_kind(extra: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for notice in _notices(extra):
        by_kind.setdefault(notice["kind"], []).append(notice)
    return by_kind


def _notices(extra: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    listed = extra.get("notices")
    for notice in listed if isinstance(listed, list) else ():
        if isinstance(notice, Mapping) and isinstance(notice.get("kind"), str) and notice["kind"] in _STATUS:
            yield notice


def _date(notice: Mapping[str, Any]) -> str:
    match = _NOTICE_DATE.match(str(notice.get("date") or ""))
    return match[0] if match else ""


def _doi(notice: Mapping[str, Any]) -> str:
    doi = str(notice.get("doi") or "")
    return doi if _DOI.fullmatch(doi) else ""


def _says_retracted(extra: Mapping[str, Any]) -> bool:
    value = extra.get("retracted")
    return value is True or (isinstance(value, str) and value.lower() in ("true", "yes", "retracted", "1"))


_GROUP = re.compile(
    r"^The |\b(?:Collaborations?|Committee|Consorti(?:um|a)|Contributors|Developers|Group|Initiative|Investigators"
    r"|Network|Project|Society|Team|Trialists|Alliance|Program(?:me)?)\b"
    r"|\b(?:collaborations?|consorti(?:um|a)|contributors|developers|investigators|team|trialists)$"
)

_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_INITIALS = re.compile("[A-ZÀ-ÖØ-ÞŁŚŠŽŻČŐ]{1,3}")
_RESOLVERS = {
    "doi": "https://doi.org/",
    "arxiv_id": "https://arxiv.org/abs/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "bibcode": "https://ui.adsabs.harvard.edu/abs/",
}
"""Where papers are found by their identifiers."""
_WEB = re.compile(r"https?://[\w.-]+(?::\d+)?(?:[/?#][^\s<>\"'\\^`{|}]*)?", re.ASCII | re.I)
_LONGEST_LINK = 2_000


@dataclass(frozen=True, slots=True)
class Author:
    """One author. `name` is always the whole name in reading order; the parts only where the source gave them."""

    name: str
    family: str = ""
    given: str = ""
    orcid: str = ""
    affiliations: tuple[str, ...] = ()

    @property
    def surname(self) -> str:
        """The family name: as given, else the part before a comma, else the last word; of a group its whole name."""
        if self.family:
            return self.family
        if _GROUP.search(self.name):
            return self.name.removeprefix("The ")
        if "," in self.name:
            return self.name.split(",")[0].strip()
        words = self.name.split()
        if len(words) > 1 and _INITIALS.fullmatch(words[-1]):  # "van der Berg K", as PubMed writes names
            return " ".join(words[:-1])
        return words[-1] if words else ""


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What one source says about one paper. Empty strings, empty tuples and None mean "not said".

    `date` is ISO 8601, as exact as known (`2019`, `2019-03` or `2019-03-07`). `references` are as the source wrote
    them: identifiers or whole reference strings. `external_id` is the record's own id.
    """

    title: str = ""
    authors: tuple[Author, ...] = ()
    abstract: str = ""
    year: int | None = None
    date: str = ""
    doi: str = ""
    arxiv_id: str = ""
    pmid: str = ""
    bibcode: str = ""
    venue: str = ""
    keywords: tuple[str, ...] = ()
    citation_count: int | None = None
    references: tuple[str, ...] = ()
    url: str = ""
    external_id: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def published(self) -> float | None:
        """When, in years: the middle of the day, the month or the year that is known; None where none is."""
        match = _DATE.fullmatch(self.date)
        year, month, day = (int(part or 0) for part in match.groups()) if match else (self.year or 0, 0, 0)
        try:
            first = datetime.date(year, month or 1, day or 1)
        except ValueError:
            return None if self.year is None else self.year + 0.5
        days = 366 if calendar.isleap(year) else 365
        span = 1 if day else calendar.monthrange(year, month)[1] if month else days
        return year + (first.timetuple().tm_yday - 1 + span / 2) / days

    @property
    def byline(self) -> str:
        """`Author`, `Author & Other` or `Author et al.`; empty where no author is known."""
        names = [author.surname for author in self.authors]
        if len(names) > 2:
            return f"{names[0]} et al."
        return " & ".join(names)

    @property
    def publication_status(self) -> PublicationStatus:
        """Whether it was retracted, is doubted, was corrected or reinstated; `unchecked` where nobody was asked."""
        return publication_status(self.title, self.extra)

    @property
    def status_words(self) -> str:
        """`publication_status` with its date and who says so, for people to read."""
        return describe_status(self.title, self.extra)

    @property
    def display_title(self) -> str:
        """What a paper is called where its title is wanted."""
        return self.title

    @property
    def heading(self) -> str:
        """The title, for people to read; marked if it was retracted or is doubted."""
        return title_mark(self.title, self.extra) + self.display_title

    @property
    def label(self) -> str:
        """How the paper is cited in running text: byline and year, else a short title."""
        title = self.display_title
        head = self.byline or (title if len(title) <= 40 else title[:39].rstrip() + "…")
        return f"{head} {self.year}" if self.year else head

    @property
    def link(self) -> str:
        """Where the paper is found on the web, by its best identifier; "" where it has none and no address."""
        for name, address in _RESOLVERS.items():
            if known := getattr(self, name):
                return address + quote(known, safe="/:;()")
        return self.url if len(self.url) <= _LONGEST_LINK and _WEB.fullmatch(self.url) else ""

    @property
    def reference(self) -> str:
        """The paper as a list of sources names it."""
        names = [author.name for author in self.authors]
        authors = ", ".join(names if len(names) <= 4 else [*names[:3], "et al."])
        head = " ".join(part for part in (authors, f"({self.year})" if self.year else "") if part)
        where = f"doi:{self.doi}" if self.doi else f"arXiv:{self.arxiv_id}" if self.arxiv_id else self.url
        return ". ".join(part.rstrip(".") for part in (head, self.heading, self.venue, where) if part)


@dataclass(frozen=True, slots=True)
class PaperFile:
    """A file that a paper came from: where it lies, and the SHA-256 of its bytes."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class PaperDocument:
    """What one file says of a paper, and why it is of this paper.

    Attributes:
        number: from 1, in the order of the paths.
        record: its number in the file; 0 where the whole file is the paper.
        title: as it says it.
        why: what holds it together with others of the paper (`DOI 10.1000/x, with 2`); empty for the only one.
        service: the service whose record it is; "" for a file of the user's own.
        gives: the fields of the paper that come from it.
    """

    number: int
    path: str
    record: int
    title: str
    full_text: bool
    why: tuple[str, ...] = ()
    service: str = ""
    gives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyPhrase:
    """Words of a paper that say what it is about, as written there; `score` (0 to 1): how sure that is."""

    text: str
    score: float


@dataclass(frozen=True, kw_only=True)
class Paper(Metadata):
    """A paper of the library: the merged metadata of all its sources. `id` is stable and short.

    `keywords` are those that its sources give; `key_phrases` were found in its own words, best first. `facts` are what
    else its words tell, by names: `language`, an ISO 639-1 code; what cannot be told is left out. `tags` and
    `collections` are the names of those that users have put it in, `edited` the fields that they have written by hand.
    """

    id: str
    files: tuple[PaperFile, ...] = ()
    has_full_text: bool = False
    key_phrases: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()

    @property
    def display_title(self) -> str:
        """The title; in brackets, of a paper without one, its file's name or its id."""
        return self.title or f"[{PurePath(self.files[0].path).name if self.files else self.id}]"

    @property
    def extent(self) -> str:
        """How much of the paper there is: `full text`, `abstract`, `title` or `no text`."""
        known = {"full text": self.has_full_text, "abstract": self.abstract, "title": self.title}
        return next((name for name, there in known.items() if there), "no text")

    def _repr_html_(self) -> str:
        return show_record("html", "paper", self)


def label_papers(papers: Iterable[Paper]) -> dict[str, str]:
    """How each paper is called, by its id; a letter tells apart those of the same author and year."""
    unique = {paper.id: paper for paper in papers}
    shared = grouped((paper.label, paper.id) for paper in unique.values())
    return {
        paper_id: label + (ascii_lowercase[number % 26] if len(ids) > 1 else "")
        for label, ids in shared.items()
        for number, paper_id in enumerate(ids)
    }
