"""Europe PMC, E-utilities (PubMed, PMC) and PMC's bucket, in the shapes of their answers."""

from __future__ import annotations

import base64
import calendar
import re
from typing import Any

from lxml import etree

from conspectus.records import Author
from conspectus_evaluations.simulator.collection import (
    NOT_FOUND,
    SimulatedAnswer,
    SimulatedRequest,
    WorkCollection,
    json_answer,
    xml_answer,
)
from conspectus_evaluations.simulator.jats import element, write_jats
from conspectus_evaluations.simulator.queries import QueryError, QueryLanguage
from conspectus_evaluations.simulator.works import SimulatedWork

EUROPE_PMC = QueryLanguage(
    {
        **dict.fromkeys(("auth", "author", "auth_first", "auth_last"), "author"),
        **dict.fromkeys(("authorid", "orcid", "author_id"), "orcid"),
        **dict.fromkeys(("journal", "issn"), "venue"),
        **dict.fromkeys(("mesh", "mesh_heading", "kw", "keyword", "mesh_id"), "keyword"),
        **dict.fromkeys(("pub_year", "first_pdate", "e_pdate", "p_pdate", "update_date"), "date"),
        **dict.fromkeys(("first_idate", "creation_date"), "created"),
        **dict.fromkeys(("ext_id", "doi", "pmcid", "pmid"), "name"),
        **dict.fromkeys(("open_access", "in_epmc", "has_ft"), "open"),
        **dict.fromkeys(("src", "has_abstract", "has_doi"), "always"),
        **{"title": "title", "abstract": "abstract", "title_abs": "any"},
        **{"cites": "citing", "reffed_by": "cited_by"},
    }
)
PUBMED = QueryLanguage(
    {
        **dict.fromkeys(("au", "author", "auth", "full author name", "fau", "1au", "lastau"), "author"),
        **dict.fromkeys(("auid", "author - identifier", "author identifier"), "orcid"),
        **dict.fromkeys(("ta", "journal", "jour"), "venue"),
        **dict.fromkeys(("mh", "mesh", "mesh terms", "majr", "mesh major topic"), "mesh"),
        **dict.fromkeys(("ot", "other term"), "keyword"),
        **dict.fromkeys(("dp", "pdat", "date - publication", "publication date", "edat"), "date"),
        **dict.fromkeys(("crdt", "pmclivedate"), "created"),
        **dict.fromkeys(("pmid", "uid", "aid", "doi", "pmcid", "lid", "article identifier"), "name"),
        **dict.fromkeys(("tiab", "title/abstract", "tw", "text word", "all", "all fields", "body - all words"), "any"),
        **dict.fromkeys(("ti", "title"), "title"),
        **dict.fromkeys(("ab", "abstract"), "abstract"),
        **dict.fromkeys(("sb", "filter", "la", "pt"), "always"),
    },
    tagged=True,
)
MOST_HITS = 9_999
"""How far esearch gives PMIDs."""
_EPMC_SORTS = {"CITED": "cited", "P_PDATE_D": "date", "FIRST_PDATE": "date", "DATE": "date", "PUB_YEAR": "date"}


def answer_europepmc(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    """`/search`, `/PMC…/fullTextXML`, `/MED/…/references` and `/MED/…/citations`."""
    parts = asked.path.strip("/").split("/")
    if parts in (["search"], ["searchPOST"]):
        return _search_europepmc(works, asked, language)
    if len(parts) == 2 and parts[1] == "fullTextXML":
        work = works.find(parts[0])
        jats = work.full_text() if work else None
        return SimulatedAnswer(200, jats, "application/xml") if jats else NOT_FOUND
    if len(parts) == 3 and parts[2] in ("references", "citations") and (work := works.find(parts[1])):
        linked = works.cited_by(work) if parts[2] == "references" else works.citing(work)
        page, size = asked.number("page", 1, 10_000), asked.number("pageSize", 25, 1000)
        rows = [_brief(other) for other in asked.page(linked, (page - 1) * size, size)]
        name = parts[2].removesuffix("s")
        answer = {"version": "6.9", "hitCount": asked.total(len(linked)), f"{name}List": {name: rows}}
        return json_answer(answer)
    return NOT_FOUND


def _search_europepmc(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    query, mark = asked.params.get("query", ""), asked.params.get("cursorMark") or "*"
    size = asked.number("pageSize", 25, 1000)
    sort = asked.params.get("sort", "").split()
    order = _EPMC_SORTS.get(sort[0].upper(), "relevance") if sort else "relevance"
    found = works.search(language, query, sort=f"-{order}" if sort[1:] == ["asc"] and order == "date" else order)
    start = 0 if mark == "*" else int(base64.b64decode(mark).decode().partition(":")[2])
    page = found[start : start + size]
    shape = _brief if asked.params.get("resultType", "lite") != "core" else _core
    answer: dict[str, Any] = {"version": "6.9", "hitCount": asked.total(len(found))}
    if page:
        answer["nextCursorMark"] = base64.b64encode(f"AoE:{start + len(page)}".encode()).decode()
    request = {"queryString": query, "resultType": asked.params.get("resultType", "lite"), "cursorMark": mark}
    answer["request"] = {**request, "pageSize": size, "sort": asked.params.get("sort", ""), "synonym": False}
    answer["resultList"] = {"result": [shape(work, works, asked.url) for work in asked.page(found, start, size)]}
    return json_answer(answer)


def _source(work: SimulatedWork) -> tuple[str, str]:
    """Where Europe PMC has a work from, and its id there."""
    if work.data.pmid:
        return "MED", work.data.pmid
    return ("PMC", work.pmcid) if work.pmcid else ("PPR", f"PPR{work.number}")


def _brief(work: SimulatedWork, *_: object) -> dict[str, Any]:
    source, name = _source(work)
    data = work.data
    names = ", ".join(_short_name(author) for author in data.authors)
    known = {"pmid": data.pmid, "pmcid": work.pmcid, "doi": data.doi, "title": data.title, "authorString": names}
    more = {"journalTitle": data.venue, "pubYear": str(data.year or "")}
    return {"id": name, "source": source, **{name: value for name, value in {**known, **more}.items() if value}}


def _core(work: SimulatedWork, works: WorkCollection, url: str) -> dict[str, Any]:
    data, answer = work.data, _brief(work)
    answer.pop("journalTitle", None)
    if data.authors:
        answer["authorList"] = {"author": [_epmc_author(author) for author in data.authors]}
    if data.venue:
        journal = {"title": data.venue, "medlineAbbreviation": data.venue}
        info = {"volume": str(data.extra.get("volume", "")), "issue": str(data.extra.get("issue", ""))}
        dated: dict[str, Any] = {"dateOfPublication": _printed_date(work), "yearOfPublication": data.year}
        dated |= {"monthOfPublication": int(work.date[5:7]), "printPublicationDate": work.date, "journal": journal}
        answer["journalInfo"] = {**{name: value for name, value in info.items() if value}, **dated}
    if data.abstract:
        answer["abstractText"] = data.abstract
    kinds = ["research-article", "Journal Article", *(["Retracted Publication"] if work.retracted else [])]
    answer["pubTypeList"] = {"pubType": ["Preprint"] if answer["source"] == "PPR" else kinds}
    if work.mesh:
        headings = [{"majorTopic_YN": "N", "descriptorName": term} for term in work.mesh]
        answer["meshHeadingList"] = {"meshHeading": headings}
    if data.keywords:
        answer["keywordList"] = {"keyword": list(data.keywords)}
    if notices := _epmc_notices(work):
        answer["commentCorrectionList"] = {"commentCorrection": notices}
    if links := _epmc_links(work, url):
        answer["fullTextUrlList"] = {"fullTextUrl": links}
    is_open = "Y" if work.is_open else "N"
    answer |= {"isOpenAccess": is_open, "inEPMC": "Y" if work.jats else "N", "inPMC": "Y" if work.pmcid else "N"}
    answer |= {"hasPDF": "Y" if work.pdf else "N", "citedByCount": works.times_cited(work)}
    answer |= {"hasReferences": "Y" if work.cites else "N", "firstPublicationDate": work.date}
    return answer | ({"license": work.licence.replace("-", " ", 1)} if work.is_open else {})


def _printed_date(work: SimulatedWork) -> str:
    """As it is known: `2019`, `2019 Mar` or `2019 Mar 7`."""
    if not work.data.year:
        return ""
    year, month, day = work.date.split("-")
    parts = (year, calendar.month_abbr[int(month)], str(int(day)))
    return " ".join(parts[: work.data.date.count("-") + 1])


def _epmc_author(author: Author) -> dict[str, Any]:
    known = {"fullName": _short_name(author), "firstName": author.given, "lastName": author.family or author.surname}
    known["initials"] = _initials(author)
    answer: dict[str, Any] = {name: value for name, value in known.items() if value}
    if author.orcid:
        answer["authorId"] = {"type": "ORCID", "value": author.orcid}
    if author.affiliations:
        details = [{"affiliation": name} for name in author.affiliations]
        answer["authorAffiliationDetailsList"] = {"authorAffiliation": details}
    return answer


def _initials(author: Author) -> str:
    return "".join(part[0] for part in re.split(r"[\s.-]+", author.given) if part)


def _short_name(author: Author) -> str:
    return f"{author.surname} {_initials(author)}".strip()


_EPMC_NOTICES = {"correction": "Erratum in", "concern": "Expression of concern in", "reinstatement": "Update in"}


def _epmc_notices(work: SimulatedWork) -> list[dict[str, Any]]:
    kinds = [*(["Retraction in"] if work.retracted else []), *(_EPMC_NOTICES[kind] for kind in work.notices)]
    return [
        {"id": str(80_000_000 + work.number), "source": "MED", "reference": f"{work.data.venue}.", "type": kind}
        | {"orderIn": number}
        for number, kind in enumerate(kinds, 1)
    ]


def _epmc_links(work: SimulatedWork, url: str) -> list[dict[str, str]]:
    answer = []
    if work.pdf:
        answer.append(("pdf", f"{url}/files/{work.number}.pdf"))
    if work.jats is not None and work.pmcid:
        answer.append(("html", f"https://europepmc.org/articles/{work.pmcid}"))
    known = {"availability": "Open access", "availabilityCode": "OA", "site": "Europe_PMC"}
    return [{**known, "documentStyle": style, "url": address} for style, address in answer]


def answer_eutils(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    """`esearch.fcgi`, `epost.fcgi`, `efetch.fcgi` and `elink.fcgi`, for `pubmed` and `pmc`."""
    name = asked.path.strip("/")
    if name == "esearch.fcgi":
        return _esearch(works, asked, language)
    if name == "epost.fcgi":
        found = [work for one in asked.params.get("id", "").split(",") if (work := works.find(one))]
        history = works.keep_history(found)
        return xml_answer(element("ePostResult", element("QueryKey", "1"), element("WebEnv", history)))
    if name == "efetch.fcgi":
        return _efetch(works, asked, language)
    if name == "elink.fcgi":
        return _elink(works, asked)
    return NOT_FOUND


def _in_database(work: SimulatedWork, base: str) -> str:
    """Its id in `pubmed` or `pmc`; "" where it is not there."""
    return work.pmcid.removeprefix("PMC") if base == "pmc" else work.data.pmid


def _search_database(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> list[SimulatedWork]:
    base = asked.params.get("db", "pubmed")
    low, high = asked.params.get("mindate", ""), asked.params.get("maxdate", "")
    dated = [works.index.dated(low, high)] if low or high else []
    sort = asked.params.get("sort", "").lower().replace("_", " ")
    order = "relevance" if sort == "relevance" else "date"
    found = works.search(language, asked.params.get("term", ""), sort=order, also=dated)
    return [work for work in found if _in_database(work, base)]


def _esearch(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    base, is_json = asked.params.get("db", "pubmed"), asked.params.get("retmode") == "json"
    start, size = asked.number("retstart", 0, 10**9), asked.number("retmax", 20, 10_000)
    try:
        found = _search_database(works, asked, language)
        if base == "pubmed" and start >= MOST_HITS:
            raise QueryError(
                "'retstart' cannot be larger than 9998. For PubMed, ESearch can only retrieve 9,999 records"
            )
    except QueryError as error:
        if is_json:
            return json_answer({"header": _HEADER, "esearchresult": {"ERROR": f"Search Backend failed: {error}"}})
        return xml_answer(element("eSearchResult", element("ERROR", f"Search Backend failed: {error}")))
    page = asked.page(found[: MOST_HITS if base == "pubmed" else None], start, size)
    ids = [_in_database(work, base) for work in page]
    counts = {"count": asked.total(len(found)), "retmax": len(ids), "retstart": start}
    history = {"querykey": "1", "webenv": works.keep_history(found)} if asked.params.get("usehistory") == "y" else {}
    term = asked.params.get("term", "")
    if is_json:
        texts = {name: str(number) for name, number in counts.items()}
        answer = {**texts, **history, "idlist": ids, "translationset": [], "querytranslation": term}
        return json_answer({"header": _HEADER, "esearchresult": answer})
    names = {"count": "Count", "retmax": "RetMax", "retstart": "RetStart", "querykey": "QueryKey", "webenv": "WebEnv"}
    numbers = [element(names[name], str(value)) for name, value in {**counts, **history}.items()]
    listed = element("IdList", *(element("Id", one) for one in ids))
    more = (element("TranslationSet"), element("QueryTranslation", term))
    return xml_answer(element("eSearchResult", *numbers, listed, *more))


_HEADER = {"type": "esearch", "version": "0.3"}


def _efetch(works: WorkCollection, asked: SimulatedRequest, _: QueryLanguage) -> SimulatedAnswer:
    base = asked.params.get("db", "pubmed")
    if web := asked.params.get("WebEnv"):
        if web not in works.histories:
            return xml_answer(element("eFetchResult", element("ERROR", "Unable to obtain query #1")), 400)
        listed = works.histories[web]
        start, size = asked.number("retstart", 0, 10**9), asked.number("retmax", 20, 10_000)
    else:
        ids = [one.strip() for one in asked.params.get("id", "").split(",") if one.strip()]
        names = [f"PMC{one.upper().removeprefix('PMC')}" if base == "pmc" else f"pmid:{one}" for one in ids]
        listed = [work for name in names if (work := works.find(name))]
        start, size = 0, len(listed)
    page = asked.page(listed, start, size)
    if base == "pmc":
        return xml_answer(element("pmc-articleset", *(_pmc_article(work) for work in page if work.pmcid)))
    return xml_answer(element("PubmedArticleSet", *(_pubmed_article(work) for work in page)))


def _pmc_article(work: SimulatedWork) -> etree._Element:
    """Its JATS, with its PMCID; only the front of what is not open."""
    data = work.data
    record = {"title": data.title, "abstract": data.abstract, "year": data.year, "doi": data.doi, "pmid": data.pmid}
    article = etree.fromstring(work.full_text() or write_jats({**record, "journal": data.venue}, ""))
    meta = article.find("front/article-meta")
    if meta is None:
        meta = etree.SubElement(etree.SubElement(article, "front"), "article-meta")
    if meta.find("article-id[@pub-id-type='pmc']") is None:
        meta.insert(0, element("article-id", work.pmcid.removeprefix("PMC"), pub_id_type="pmc"))
    return article


def _pubmed_article(work: SimulatedWork) -> etree._Element:
    data = work.data
    year, month, day = work.date.split("-")
    known = (data.date or "").count("-")
    parts = [element("Year", year), element("Month", month), element("Day", day)][: known + 1] if data.year else []
    issue = element("JournalIssue", element("PubDate", *parts), CitedMedium="Internet")
    journal = element("Journal", issue, element("Title", data.venue), element("ISOAbbreviation", data.venue))
    kinds = ["Journal Article", *(["Retracted Publication"] if work.retracted else [])]
    article = element(
        "Article",
        journal,
        element("ArticleTitle", data.title),
        element("ELocationID", data.doi, EIdType="doi", ValidYN="Y") if data.doi else None,
        element("Abstract", element("AbstractText", data.abstract)) if data.abstract else None,
        element("AuthorList", *map(_pubmed_author, data.authors), CompleteYN="Y") if data.authors else None,
        element("PublicationTypeList", *(element("PublicationType", kind) for kind in kinds)),
        PubModel="Print",
    )
    headings = [element("MeshHeading", element("DescriptorName", term, MajorTopicYN="N")) for term in work.mesh]
    citation = element(
        "MedlineCitation",
        element("PMID", data.pmid, Version="1"),
        article,
        _pubmed_notices(work),
        element("MeshHeadingList", *headings) if headings else None,
        element("KeywordList", *(element("Keyword", word) for word in data.keywords)) if data.keywords else None,
        Owner="NLM",
        Status="MEDLINE",
    )
    ids = {"pubmed": data.pmid, "doi": data.doi, "pmc": work.pmcid}
    listed = [element("ArticleId", value, IdType=kind) for kind, value in ids.items() if value]
    more = element("PubmedData", element("PublicationStatus", "ppublish"), element("ArticleIdList", *listed))
    return element("PubmedArticle", citation, more)


def _pubmed_author(author: Author) -> etree._Element:
    orcid = element("Identifier", author.orcid, Source="ORCID") if author.orcid else None
    places = [element("AffiliationInfo", element("Affiliation", name)) for name in author.affiliations]
    names = [element("LastName", author.surname), element("ForeName", author.given or None)]
    return element("Author", *names, element("Initials", _initials(author) or None), orcid, *places, ValidYN="Y")


_PUBMED_NOTICES = {"correction": "ErratumIn", "concern": "ExpressionOfConcernIn", "reinstatement": "UpdateIn"}


def _pubmed_notices(work: SimulatedWork) -> etree._Element | None:
    kinds = [*(["RetractionIn"] if work.retracted else []), *(_PUBMED_NOTICES[kind] for kind in work.notices)]
    number = str(80_000_000 + work.number)
    rows = [
        element(
            "CommentsCorrections",
            element("RefSource", f"{work.data.venue}."),
            element("PMID", number, Version="1"),
            RefType=kind,
        )
        for kind in kinds
    ]
    return element("CommentsCorrectionsList", *rows) if rows else None


def _elink(works: WorkCollection, asked: SimulatedRequest) -> SimulatedAnswer:
    """Links inside PubMed: `pubmed_pubmed_refs` and `pubmed_pubmed_citedin`."""
    name = asked.params.get("linkname", "")
    sets = []
    for one in asked.params.get("id", "").split(","):
        work = works.find(f"pmid:{one}")
        linked = [] if work is None else works.citing(work) if name.endswith("citedin") else works.cited_by(work)
        links = [element("Link", element("Id", other.data.pmid)) for other in linked if other.data.pmid]
        listed = element("LinkSetDb", element("DbTo", "pubmed"), element("LinkName", name), *links) if links else None
        sets.append(element("LinkSet", element("DbFrom", "pubmed"), element("IdList", element("Id", one)), listed))
    return xml_answer(element("eLinkResult", *sets))


def answer_bucket(works: WorkCollection, asked: SimulatedRequest, _: QueryLanguage) -> SimulatedAnswer:
    """PMC's open files: a list of keys by prefix (`PMC123.1/…`), or a file by its key."""
    key = asked.path.strip("/")
    if asked.params.get("list-type") == "2":
        prefix = asked.params.get("prefix", "")
        work = works.find(prefix.partition(".")[0].partition("/")[0])
        keys = [name for name in (_bucket_keys(work) if work else {}) if name.startswith(prefix)]
        rows = [element("Contents", element("Key", name), element("Size", 1)) for name in keys]
        head = (element("Name", "pmc-oa-opendata"), element("Prefix", prefix), element("KeyCount", len(keys)))
        listed = element("ListBucketResult", *head, element("MaxKeys", 1000), element("IsTruncated", "false"), *rows)
        listed.set("xmlns", "http://s3.amazonaws.com/doc/2006-03-01/")
        return xml_answer(listed, kind="application/xml")
    work = works.find(key.partition(".")[0])
    content = _bucket_keys(work).get(key) if work else None
    if content is None:
        return xml_answer(element("Error", element("Code", "NoSuchKey")), 404, "application/xml")
    return SimulatedAnswer(200, content, "application/pdf" if key.endswith(".pdf") else "application/xml")


def _bucket_keys(work: SimulatedWork) -> dict[str, bytes]:
    folder = f"{work.pmcid}.1/{work.pmcid}.1"
    files = {"xml": work.full_text(), "pdf": work.pdf.read_bytes() if work.pdf else None}
    return {f"{folder}.{ending}": content for ending, content in files.items() if content is not None and work.pmcid}
