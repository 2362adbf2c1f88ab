"""Every work in recorded answers of services, each field against what the answer says: none wrong, none made up."""

import gzip
import html
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conspectus.records import Metadata
from conspectus.services import ads, crossref, openalex, semanticscholar
from conspectus.services.client import ServiceClient
from conspectus.services.protocol import service
from conspectus.settings.groups import SourcesSettings

READERS = {
    "crossref": crossref._READER,
    "openalex": openalex._READER,
    "semantic_scholar": semanticscholar._READER,
    "unpaywall": openalex._COPY_READER,
    "nasa_ads": ads._READER,
}
LEAST = {"crossref": 277, "openalex": 4, "semantic_scholar": 10_101, "unpaywall": 8, "nasa_ads": 112}
"""Works that the recorded answers have, at least."""


def recorded(data: Path, name: str) -> Iterator[dict[str, Any]]:
    """Each work, wherever it stands in an answer."""
    with gzip.open(data / "api_samples" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            body = json.loads(line)["body"]
            try:
                yield from _works(json.loads(body) if isinstance(body, str) else body)
            except ValueError:
                continue


def _works(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for entry in value:
            yield from _works(entry)
    elif isinstance(value, dict) and "agency" not in value:
        if {"DOI", "paperId", "bibcode", "doi_url"} & value.keys() or ("title" in value and "ids" in value):
            yield value
        else:
            for name in ("message", "items", "results", "response", "data", "docs", "recommendedPapers"):
                yield from _works(value.get(name))
            yield from _works(value.get("citingPaper") or value.get("citedPaper"))


def at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = (
            value.get(name) if isinstance(value, Mapping) else value[0] if isinstance(value, list) and value else None
        )
    return value


def first(value: Any) -> str:
    value = value[0] if isinstance(value, list) and value else value
    return "" if value is None or value == [] else str(value)


def bare(text: Any) -> str:
    """The letters and digits of a text without markup: how something is written does not matter."""
    plain = re.sub(r"</?[a-zA-Z][^<>]*>", " ", html.unescape(html.unescape(first(text))))
    return "".join(re.findall(r"[^\W_]", plain.casefold()))


def parts(date: Any) -> list[int]:
    return [part for part in (at(date, "date-parts") or [[]])[0] if part]


def said_by_crossref(work: Mapping[str, Any]) -> dict[str, Any]:
    dates = [work.get(name) for name in ("issued", "published-print", "published-online", "published")]
    date = next((found for each in dates if (found := parts(each))), [])
    names = [
        " ".join(filter(None, (name.get("given"), name.get("family"), name.get("suffix")))) or name.get("name")
        for name in work.get("author") or ()
    ]
    subtitle = first(work.get("subtitle"))
    title = first(work.get("title"))
    return {
        "title": title if bare(subtitle) in bare(title) else f"{title}: {subtitle}",
        "names": names,
        "year": date[0] if date else None,
        "doi": work["DOI"].lower(),
        "venue": first(work.get("container-title")),
        "citation_count": work.get("is-referenced-by-count"),
        "volume": work.get("volume"),
        "number": work.get("issue"),
        "pages": work.get("page"),
        "publisher": work.get("publisher"),
        "issn": first(work.get("ISSN")),
        "orcids": [(name.get("ORCID") or "")[-19:] for name in work.get("author") or ()],
        "notices": [f"{each['type']}{each['DOI'].lower()}" for each in work.get("updated-by") or ()],
        "month": date[1] if len(date) > 1 else None,
    }


def said_by_openalex(work: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "title": work["title"],
        "names": [each["raw_author_name"] for each in work["authorships"]],
        "year": work["publication_year"],
        "date": work["publication_date"],
        "doi": work["doi"].removeprefix("https://doi.org/").lower(),
        "pmid": (work["ids"].get("pmid") or "").rpartition("/")[2],
        "venue": at(work, "primary_location.source.display_name"),
        "citation_count": work["cited_by_count"],
        "volume": at(work, "biblio.volume"),
        "number": at(work, "biblio.issue"),
        "external_id": work["id"].rpartition("/")[2],
        "copies": len(
            {at(each, "pdf_url") or at(each, "landing_page_url") for each in work["locations"] if each["is_oa"]}
        ),
    }


def said_by_semantic_scholar(paper: Mapping[str, Any]) -> dict[str, Any]:
    pmc = at(paper, "externalIds.PubMedCentral")
    return {
        "title": paper.get("title"),
        "names": [each["name"] for each in paper.get("authors") or ()],
        "year": paper.get("year"),
        "date": paper.get("publicationDate"),
        "doi": (at(paper, "externalIds.DOI") or "").lower(),
        "arxiv_id": at(paper, "externalIds.ArXiv"),
        "pmid": at(paper, "externalIds.PubMed"),
        "pmcid": f"PMC{pmc}" if pmc else None,
        "venue": at(paper, "journal.name") or paper.get("venue"),
        "citation_count": paper.get("citationCount"),
        "volume": at(paper, "journal.volume"),
        "pages": at(paper, "journal.pages"),
        "external_id": paper.get("paperId"),
        "abstract": paper.get("abstract"),
        "copies": int(bool(at(paper, "openAccessPdf.url"))),
    }


def said_by_unpaywall(work: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "title": work["title"][:2000],
        "names": [
            each.get("raw_author_name") or f"{each['given']} {each['family']}" for each in work["z_authors"] or ()
        ],
        "year": work["year"],
        "date": work["published_date"],
        "doi": work["doi"].lower(),
        "venue": work["journal_name"],
        "publisher": work["publisher"],
        "copies": len({each["url_for_pdf"] or each["url_for_landing_page"] for each in work["oa_locations"]}),
    }


def said_by_ads(document: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "title": document.get("title"),
        "names": document.get("author"),
        "year": int(document["year"]) if document.get("year") else None,
        "bibcode": document.get("bibcode"),
        "doi": first(document.get("doi")).lower(),
        "venue": document.get("pub"),
        "citation_count": document.get("citation_count", document.get("num_citations")),
        "volume": document.get("volume"),
        "number": document.get("issue"),
        "pages": document.get("page_range") or first(document.get("page")),
    }


SAID = {
    "crossref": said_by_crossref,
    "openalex": said_by_openalex,
    "semantic_scholar": said_by_semantic_scholar,
    "unpaywall": said_by_unpaywall,
    "nasa_ads": said_by_ads,
}


def mapped(work: Metadata, field: str) -> Any:
    """A field of the record, as `SAID` names it."""
    if field == "names":
        return [author.name for author in work.authors]
    if field == "orcids":
        return [author.orcid for author in work.authors]
    if field == "copies":
        return len(work.extra.get("full_text", ()))
    if field == "notices":
        return [notice["kind"] + notice["doi"] for notice in work.extra.get("notices", ())]
    if field == "month":
        return int(work.date[5:7]) if len(work.date) > 4 else None
    return getattr(work, field, None) if hasattr(work, field) else work.extra.get(field)


def same(said: Any, found: Any) -> bool:
    if isinstance(said, list) and isinstance(found, list):
        return [sorted(bare(each)) for each in said] == [sorted(bare(each)) for each in found]  # in any order
    return bare(said) == bare(found)


@pytest.mark.data
@pytest.mark.parametrize("name", READERS)
def test_every_field_of_every_recorded_work(data: Path, name: str) -> None:
    """A field would be lost, or come from another place of the answer, in one of a hundred works."""
    known = service({"semantic_scholar": "semanticscholar", "nasa_ads": "ads"}.get(name, name))
    client, tally, wrong = ServiceClient(known, SourcesSettings()), Counter[str](), []
    for raw in recorded(data, name):
        tally["works"] += 1
        work = READERS[name].work(client, raw)
        for field, said in SAID[name](raw).items():
            found = mapped(work, field)
            if said in (None, "", []) and found in (None, "", []):
                continue
            tally["fields"] += 1
            if not same(said, found):
                tally["made up" if said in (None, "", []) else "wrong"] += 1
                wrong.append((raw.get("DOI") or raw.get("paperId") or raw.get("bibcode"), field, said, found))
    print(
        f"{name}: {tally['works']} works, {tally['fields']} fields, {tally['wrong']} wrong, {tally['made up']} made up"
    )
    assert tally["works"] >= LEAST[name] and not tally["made up"], wrong
    assert tally["wrong"] <= tally["fields"] / 100, wrong
