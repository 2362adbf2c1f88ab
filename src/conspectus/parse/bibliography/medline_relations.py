"""How records of MEDLINE are related to others (`Retraction in`, `Update of`): notices about a paper, its versions.

PubMed and Europe PMC use the same words, written `RetractionIn` in XML and `Retraction in` in JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conspectus.parse.text.dates import read_date
from conspectus.parse.text.identifiers import find_doi

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
    found = []
    for relation, doi, date in relations:
        notice = {"kind": notice_kind(relation), "service": service, "doi": doi, "date": date}
        if notice["kind"] and notice not in found:
            found.append(notice)
    retracted = any(kind.lower() == "retracted publication" for kind in types)
    if retracted and not any(notice["kind"] == "retraction" for notice in found):
        found.append({"kind": "retraction", "service": service, "doi": "", "date": ""})
    return found


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
