"""Open copies of a paper's text, licences, versions and notices, as services of publications write them.

They are returned as plain objects, in the form that `services.protocol` describes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from conspectus.parse.bibliography.fields import objects_at, text, value_at
from conspectus.parse.text.dates import iso_date
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi, normal_arxiv_id, normal_doi

_CREATIVE_COMMONS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licen[cs]es|publicdomain)/([a-z-]+)(?:/(\d\.\d))?(?:/|$)", re.I
)
_SHORT = re.compile(r"cc[ -]?(by|0|zero)((?:-?(?:nc|nd|sa))*)(?:[ -](\d\.\d))?", re.I)
_VERSIONS = {
    "publishedversion": "published",
    "acceptedversion": "accepted",
    "submittedversion": "submitted",
    "vor": "published",
    "am": "accepted",
}
_FORMATS = {"application/pdf": "pdf", "text/html": "html"}
_NOTICES = {
    **dict.fromkeys(("retraction", "partial_retraction", "withdrawal", "removal", "partial_removal"), "retraction"),
    **dict.fromkeys(("expression_of_concern", "concern"), "concern"),
    **dict.fromkeys(("correction", "corrigendum", "erratum", "addendum", "clarification"), "correction"),
    "reinstatement": "reinstatement",
}
_RELATIONS = {
    **{"is-preprint-of": "published", "has-preprint": "preprint"},
    **{"is-version-of": "version", "has-version": "version"},
}
_DATACITE_RELATIONS = {"IsVersionOf": "version", "HasVersion": "version", "IsPublishedIn": "published"}


def licence_id(words: str) -> str:
    """A licence in one form: `cc-by-4.0`, `cc-by` or `cc0-1.0` for Creative Commons, else as it is written."""
    words = words.strip()
    if match := _CREATIVE_COMMONS.match(words):
        name = match[1].lower()
        name = {"zero": "cc0", "mark": "public-domain"}.get(name, f"cc-{name}")
        return f"{name}-{match[2]}" if match[2] and name != "public-domain" else name
    if match := _SHORT.fullmatch(words):
        limits = re.findall("nc|nd|sa", match[2].lower())
        name = "-".join(["cc0" if match[1] != "by" and match[1] != "BY" else "cc-by", *limits])
        return f"{name}-{match[3]}" if match[3] else name
    return words


def copies_of(locations: Iterable[Mapping[str, Any]], pdf: str, page: str) -> list[dict[str, str]]:
    """The open copies at the places where OpenAlex and Unpaywall know a work, each once.

    Args:
        locations: those that are open, in the order of preference.
        pdf, page: the names of the fields with the address of the PDF and of the page about it.
    """
    copies: dict[str, dict[str, str]] = {}
    for place in locations:
        url, form = text(place.get(pdf)), "pdf"
        if not url:
            url, form = text(place.get(page)), "html"
        if url:
            copies.setdefault(url, _copy(url, form, text(place.get("license")), text(place.get("version"))))
    return list(copies.values())


def published_licence(locations: Iterable[Mapping[str, Any]]) -> str:
    """The licence of the published version at the first place that has one."""
    return next(
        (
            licence_id(licence)
            for place in locations
            if text(place.get("version")).lower() == "publishedversion" and (licence := text(place.get("license")))
        ),
        "",
    )


def preprint_of(locations: Iterable[Mapping[str, Any]], doi: str) -> str:
    """The DOI of a submitted version that is kept in a repository under another DOI than the paper's."""
    for place in locations:
        if text(place.get("version")).lower() == "submittedversion":
            other = find_doi(text(place.get("landing_page_url")))
            if other and doi and other != normal_doi(doi) and not find_arxiv_id(other):
                return other
    return ""


def crossref_terms(work: Mapping[str, Any]) -> dict[str, Any]:
    """`licence`, `full_text`, `notices`, `versions` and `years` of a work of Crossref.

    `years` are all years of publication that it gives, where there are several. Links to full texts are open copies
    only where the licence of the text is of Creative Commons.
    """
    licences = {text(entry.get("content-version")): entry for entry in objects_at(work, "license")}
    entry = licences.get("vor") or licences.get("unspecified") or {}
    licence = licence_id(text(entry.get("URL")))
    links: dict[str, dict[str, str]] = {}
    for link in objects_at(work, "link") if licence.startswith("cc") else ():
        url, form = text(link.get("URL")), _FORMATS.get(text(link.get("content-type")))
        if url and form:
            links.setdefault(url, _copy(url, form, licence, text(link.get("content-version"))))
    dates = [work.get(name) for name in ("issued", "published-print", "published-online")]
    years = {year for date in dates if (year := _ymd(date)[:4])}
    versions: dict[str, str] = {}
    for name, kind in _RELATIONS.items():
        for other in objects_at(work, f"relation.{name}"):
            versions.setdefault(kind, normal_doi(text(other.get("id"))) or normal_arxiv_id(text(other.get("id"))))
    return {
        "licence": licence,
        "full_text": list(links.values()),
        "notices": _crossref_notices(work),
        "versions": {kind: other for kind, other in versions.items() if other},
        "years": sorted(map(int, years)) if len(years) > 1 else [],
    }


def _crossref_notices(work: Mapping[str, Any]) -> list[dict[str, str]]:
    """What publishers and Retraction Watch say happened to a work: by notices, or by the work's own record."""
    own_doi = normal_doi(text(work.get("DOI")))
    updates = objects_at(work, "updated-by")
    updates += [update for update in objects_at(work, "update-to") if normal_doi(text(update.get("DOI"))) == own_doi]
    notices = []
    for update in updates:
        kind = _NOTICES.get(text(update.get("type")).lower().replace("-", "_").replace(" ", "_"))
        watch = text(update.get("source")) == "retraction-watch"
        notice = {
            "kind": kind or "",
            "service": "retraction-watch" if watch else "crossref",
            "doi": normal_doi(text(update.get("DOI"))),
            "date": _ymd(update.get("updated")),
        }
        if kind and notice not in notices:
            notices.append(notice)
    return notices


def datacite_versions(related: Iterable[Mapping[str, Any]], preprint: bool) -> dict[str, str]:
    """Other versions that a record of DataCite names; a preprint is a version of what was published."""
    versions: dict[str, str] = {}
    for other in related:
        if text(other.get("relatedIdentifierType")) in ("DOI", "arXiv"):
            relation, name = text(other.get("relationType")), text(other.get("relatedIdentifier"))
            kind = _DATACITE_RELATIONS.get(relation, "")
            kind = "published" if preprint and relation == "IsVersionOf" else kind
            if kind and (known := normal_doi(name) or normal_arxiv_id(name)):
                versions.setdefault(kind, known)
    return versions


def _copy(url: str, form: str, licence: str, version: str) -> dict[str, str]:
    return {
        "url": url,
        "format": form,
        "licence": licence_id(licence),
        "version": _VERSIONS.get(version.lower(), ""),
    }


def _ymd(date: Any) -> str:
    """The first of a Crossref date's parts, as ISO 8601; "" where there is none."""
    parts = value_at(date, "date-parts")
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    words = [str(part) for part in first if part is not None]
    return iso_date(*words[:3]) if words else ""
