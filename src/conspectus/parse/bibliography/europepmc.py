"""Papers as Europe PMC describes them: results of the type `core`, in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conspectus.parse.bibliography.fields import Description, list_at, objects_at, text, text_at
from conspectus.parse.bibliography.open_copies import licence_id
from conspectus.parse.people.authors import organisation, person
from conspectus.parse.text.dates import read_date
from conspectus.parse.text.identifiers import find_doi
from conspectus.parse.text.plain_text import plain_html

_NOTICES = {
    "retractionin": "retraction",
    "retractedandrepublishedin": "retraction",
    "partialretractionin": "correction",
    "erratumin": "correction",
    "correctedandrepublishedin": "correction",
    "expressionofconcernin": "concern",
}
_PREPRINTS = re.compile(
    r"(?:bioRxiv|medRxiv|arXiv|chemRxiv|psyArXiv|Res(?:earch)? Sq(?:uare)?|SSRN|Preprints)\b|[^;]{0,80}\[preprint\]",
    re.I,
)
_DATE = re.compile(r"[.?] ?((?:19|20)\d\d(?: [A-Z][a-z]{2,8}(?:-[A-Z][a-z]{2,8})?(?: \d{1,2})?)?)(?=[-;.:]| ;| doi|$)")


def notice_kind(relation: str) -> str:
    """The kind of notice that a relation is (`retraction`); "" if it is none."""
    return _NOTICES.get(relation.replace(" ", "").lower(), "")


def notices_of(relations: Iterable[tuple[str, str, str]], types: Iterable[str], service: str) -> list[dict[str, str]]:
    """The notices about a paper, in the form of `services.protocol`.

    Args:
        relations: of the paper: each relation, and DOI and date of the other paper, "" where they are not known.
        types: of the publication; one that is a `Retracted Publication` has a notice even where none is named.
        service: that says so.
    """
    notices = []
    for relation, doi, date in relations:
        notice = {"kind": notice_kind(relation), "service": service, "doi": doi, "date": date}
        if notice["kind"] and notice not in notices:
            notices.append(notice)
    retracted = any(kind.lower() == "retracted publication" for kind in types)
    if retracted and not any(notice["kind"] == "retraction" for notice in notices):
        notices.append({"kind": "retraction", "service": service, "doi": "", "date": ""})
    return notices


def versions_of(relations: Iterable[tuple[str, str]], *, is_preprint: bool) -> dict[str, str]:
    """The DOI of the published version of a preprint, or of the preprint of what was published."""
    for relation, reference in relations:
        name = relation.replace(" ", "").lower()
        if is_preprint and name == "updatein" and (doi := find_doi(reference)):
            return {"published": doi}
        if not is_preprint and name == "updateof" and _PREPRINTS.match(reference) and (doi := find_doi(reference)):
            return {"preprint": doi}
    return {}


def reference_date(reference: str) -> str:
    """The date in `Lancet. 2010 Feb 6;375(9713):445`, as ISO 8601 and as exact as written; "" where there is none."""
    match = _DATE.search(reference)
    return read_date(match[1]) if match else ""


_TELLING = frozenset({"authorString", "authorList", "journalInfo", "journalTitle", "pubTypeList", "abstractText"})
_HEADING = re.compile(r"<h4>([^<>]{1,200})</h4>", re.I)
_SIDES = {"preprintof": "published", "preprintin": "preprint"}
_KINDS = {"PPR": "preprint", "PAT": "patent", "ETH": "thesis", "NBK": "book"}
_OPEN = frozenset({"OA", "F"})
"""Codes of copies that everybody can read: open access, or free."""
RecordName = tuple[str, str]
"""Source and id, by which Europe PMC names its records: `("MED", "123")`."""


def is_europepmc(value: Mapping[str, Any]) -> bool:
    """Whether an object is a result of Europe PMC."""
    return isinstance(value.get("source"), str) and "id" in value and not _TELLING.isdisjoint(value)


def describe_europepmc(
    work: Mapping[str, Any], others: Mapping[RecordName, tuple[str, str]] | None = None
) -> Description:
    """Describe a result.

    `others`: DOI and date of records to which the result is related, where they are known.
    """
    source, number = text(work.get("source")), text(work.get("id"))
    mesh = [text(heading.get("descriptorName")) for heading in objects_at(work, "meshHeadingList.meshHeading")]
    types = _texts_at(work, "pubTypeList.pubType")
    record: dict[str, Any] = {
        "id": f"{source}:{number}",
        "title": plain_html(text(work.get("title"))).strip().removesuffix("."),
        "authors": list(_authors(work)),
        "abstract": _abstract(text(work.get("abstractText"))),
        "venue": text_at(work, "journalInfo.journal.title")
        or text(work.get("journalTitle"))
        or text_at(work, "bookOrReportDetails.publisher"),
        "year": text(work.get("pubYear")),
        "date": _date(work, text_at(work, "journalInfo.dateOfPublication")),
        "doi": text(work.get("doi")),
        "pmid": text(work.get("pmid")) or (number if source == "MED" else ""),
        "keywords": _texts_at(work, "keywordList.keyword") or mesh,
        "citation_count": work.get("citedByCount"),
        "url": f"https://europepmc.org/article/{source}/{number}",
    }
    licence = licence_id(text(work.get("license")))
    known = [
        (relation, find_doi(reference) or doi, reference_date(reference) or date)
        for relation, reference, other in relations_of(work)
        for doi, date in [(others or {}).get(other, ("", ""))]
    ]
    extra = {
        "type": _KINDS.get(source, "article-journal"),
        "volume": text_at(work, "journalInfo.volume"),
        "number": text_at(work, "journalInfo.issue"),
        "pages": text(work.get("pageInfo")),
        "issn": text_at(work, "journalInfo.journal.issn") or text_at(work, "journalInfo.journal.essn"),
        "language": text(work.get("language")),
        "journal_abbreviation": text_at(work, "journalInfo.journal.isoabbreviation")
        or text_at(work, "journalInfo.journal.medlineAbbreviation"),
        "mesh": mesh,
        "publication_types": types,
        "pmcid": text(work.get("pmcid")),
        "licence": licence,
        "full_text": list(_copies(work, licence)),
        "notices": notices_of(known, types, "europepmc"),
        "versions": {side: doi for kind, doi, _ in known if doi and (side := version_side(kind))},
    }
    return record, extra


def relations_of(work: Mapping[str, Any]) -> Iterator[tuple[str, str, RecordName]]:
    """Yield each relation of a result to another (`Preprint of`), its reference, and the other's name."""
    for other in objects_at(work, "commentCorrectionList.commentCorrection"):
        reference = " ".join(text(other.get("reference")).split())
        yield text(other.get("type")), reference, (text(other.get("source")), text(other.get("id")))


def version_side(relation: str) -> str:
    """Which version of the same work a relation leads to: `published`, `preprint`, or "" for none."""
    return _SIDES.get(relation.replace(" ", "").lower(), "")


def copy_version(work: Mapping[str, Any]) -> str:
    """Which version the copies of a result are of, as `FullTextLink.version`."""
    manuscript = any(text(work.get(name)) == "Y" for name in ("authMan", "epmcAuthMan", "nihAuthMan"))
    return "submitted" if text(work.get("source")) == "PPR" else "accepted" if manuscript else "published"


def _texts_at(work: Mapping[str, Any], path: str) -> list[str]:
    return [word for value in list_at(work, path) if (word := text(value))]


def _authors(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for author in objects_at(work, "authorList.author"):
        if group := text(author.get("collectiveName")):
            yield organisation(group)
            continue
        family, given_name = text(author.get("lastName")), text(author.get("firstName")) or text(author.get("initials"))
        known = person(given_name, family) if family else {"literal": text(author.get("fullName"))}
        places = objects_at(author, "authorAffiliationDetailsList.authorAffiliation")
        yield {
            **known,
            "orcid": text_at(author, "authorId.value") if text_at(author, "authorId.type") == "ORCID" else "",
            "affiliations": [place for entry in places if (place := text(entry.get("affiliation")))],
        }


def _abstract(html: str) -> str:
    return plain_html(_HEADING.sub(lambda match: f"\n\n{match[1].strip().rstrip(' :')}: ", html)).strip()


def _date(work: Mapping[str, Any], printed: str) -> str:
    """The date of the issue, as PubMed has it; where there is no issue, when it was first published."""
    return read_date(printed) or text(work.get("firstPublicationDate"))


def _copies(work: Mapping[str, Any], licence: str) -> Iterator[dict[str, str]]:
    """Yield the copies that everybody can read; the licence is that of open access, not of what is only free."""
    seen = set()
    for copy in objects_at(work, "fullTextUrlList.fullTextUrl"):
        url, form, code = (text(copy.get(name)) for name in ("url", "documentStyle", "availabilityCode"))
        if form in ("pdf", "html") and code in _OPEN and url not in seen:
            seen.add(url)
            open_licence = licence if code == "OA" else ""
            yield {"url": url, "format": form, "licence": open_licence, "version": copy_version(work)}
