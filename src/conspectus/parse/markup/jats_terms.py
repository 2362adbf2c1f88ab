"""What an article in JATS says of its licence, its place in PMC, notices about it, and the works that it cites."""

from __future__ import annotations

from typing import Any

from conspectus.parse.markup.xml_tree import Element, href_of, plain_text
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.identifiers import find_doi, identifiers_by_kind, normal_doi

_NOTICES = {
    "retraction-forward": "retraction",
    "correction-forward": "correction",
    "object-of-concern-forward": "concern",
    "expression-of-concern-forward": "concern",
}


def notices_in(article: Element, service: str) -> list[dict[str, str]]:
    """The notices about an article, in the form of `services.protocol`; not those that the article itself is."""
    found = []
    for other in article.iterfind("front/article-meta/related-article"):
        if kind := _NOTICES.get(other.get("related-article-type", "")):
            ids = [clean_line(plain_text(one)) for one in other.iter("pub-id") if one.get("pub-id-type") == "doi"]
            notice = {"kind": kind, "service": service, "doi": normal_doi((ids or [href_of(other)])[0]), "date": ""}
            if notice not in found:
                found.append(notice)
    return found


def pmc_properties(article: Element) -> dict[str, str]:
    """What PMC adds to an article about itself: `pmc-prop-open-access` → `yes`, `pmc-license-ref` → `CC BY`."""
    metas = article.iterfind("front/article-meta/custom-meta-group/custom-meta")
    pairs = ((meta.findtext("meta-name") or "", meta.find("meta-value")) for meta in metas)
    return {name.strip(): clean_line(plain_text(value)) for name, value in pairs if name and value is not None}


def licence_of(article: Element) -> str:
    """The address of the licence, else what PMC calls it; "" where neither is given."""
    for licence in article.iterfind("front/article-meta/permissions/license"):
        inner = [clean_line(plain_text(one)) for one in licence.iter("license_ref")]
        links = [href_of(one) for one in licence.iter("ext-link")]
        for address in (href_of(licence), *inner, *links):
            if "creativecommons.org/" in address:
                return address
    return pmc_properties(article).get("pmc-license-ref", "")


def cited_ids(article: Element) -> list[str]:
    """The works that an article cites: a DOI, else a PMID; those with neither are left out."""
    found: dict[str, Any] = {}
    for reference in article.iterfind("back//ref"):
        ids = identifiers_by_kind(
            (one.get("pub-id-type", ""), clean_line(plain_text(one))) for one in reference.iter("pub-id")
        )
        doi = ids["doi"] or next((doi for link in reference.iter("ext-link") if (doi := find_doi(href_of(link)))), "")
        if doi or ids["pmid"]:
            found[doi or f"PMID:{ids['pmid']}"] = None
    return list(found)
