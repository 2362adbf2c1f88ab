"""Running text, metadata and reference list of a JATS article."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from conspectus.lexicon.word_lists import month_number
from conspectus.parse.markup.document import DocumentBuilder, page_span, with_text
from conspectus.parse.markup.inline import MarkedText, is_raisable
from conspectus.parse.markup.xml_article import Flow
from conspectus.parse.markup.xml_tree import Element, formula_text, href_of, plain_text
from conspectus.parse.people.authors import author_of_name, orcid_in
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.dates import iso_date, iso_text
from conspectus.parse.text.identifiers import (
    find_arxiv_id,
    find_doi,
    identifiers_by_kind,
    normal_arxiv_id,
    normal_doi,
    normal_pmid,
)
from conspectus.records import Author, MarkKind, Metadata, Reference

REF_TYPES: dict[str, MarkKind] = {
    "bibr": "reference",
    "fig": "figure",
    "table": "table",
    "fn": "footnote",
    "table-fn": "footnote",
    "disp-formula": "equation",
}
_FORMULAS = frozenset({"inline-formula", "math", "tex-math", "disp-formula", "chem-struct", "alternatives"})
_SKIPPED = frozenset("label object-id graphic media permissions alt-text long-desc index-term processing-meta".split())
_SKIPPED_IN_TITLE = frozenset({"xref", "fn", "contrib-group"})
MISSING_FORMULA = "[formula]"
MISSING_IMAGE = "[image]"


class JatsText(Flow):
    """Gathers the text of elements; the builder counts what could not be read."""

    skipped = _SKIPPED
    spaces = frozenset({"break", "hr"})
    paragraphs = frozenset("p title list-item def-item disp-quote list def-list sec verse-line".split())

    def __init__(self, builder: DocumentBuilder) -> None:
        super().__init__(builder)
        self.handlers = {
            **dict.fromkeys(_FORMULAS, self._formula),
            "inline-graphic": self._picture,
            "xref": self._xref,
            "sup": self._superscript,
        }

    def title(self, element: Element | None) -> str:
        """The text of a title on one line, without marks of footnotes."""
        if element is None:
            return ""
        self.skipped = _SKIPPED | _SKIPPED_IN_TITLE
        try:
            return clean_line(self.words(element).text)
        finally:
            self.skipped = _SKIPPED

    def _picture(self, _: Element) -> None:
        self.builder.missing["image"] += 1
        self._add(MISSING_IMAGE)

    def _formula(self, element: Element) -> None:
        text = formula_text(element)
        if not text:
            self.builder.missing["formula"] += 1
        self._add(text or MISSING_FORMULA)

    def _superscript(self, element: Element) -> None:
        text = plain_text(element)
        if not is_raisable(text) or self._raising:
            return self._inside(element)
        if self.out.last.isalpha() and next(element.iter("xref"), None) is not None:
            self.out.space()  # `cells ¹²`: a mark is no part of the word before it
        return self._add_raised(element)

    def _xref(self, element: Element) -> None:
        kind, targets = self.builder.follow(
            (element.get("rid") or "").split(), REF_TYPES.get(element.get("ref-type", ""))
        )
        if kind is None or self._marking:
            return self._inside(element)
        sup = element[0] if len(element) == 1 and element[0].tag == "sup" and not (element.text or "").strip() else None
        digits = is_raisable(plain_text(element))
        if (sup is not None or kind == "footnote") and digits and self.out.last.isalpha():
            self.out.space()
        return self._mark(element, kind, targets, raised=kind == "footnote" and digits)


_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title", "trans-title")
_EDITORS = frozenset({"editor", "translator", "guest-editor", "assignee", "sponsor", "compiler", "director"})
_SPACE_BEFORE = re.compile(r"(?<!\s)\s++([.,;:)])")
_DOUBLE_STOP = re.compile(r"(?<!\.)\.\.$")
_UNPRINTED = frozenset({"object-id", "pub-id", "label", "person-group-type"})


def citations_of(ref: Element) -> list[Element]:
    """The citations of a `ref`: of alternatives the structured one."""
    citations = list(ref.iter(*_CITATIONS))
    alternatives = next(ref.iter("citation-alternatives"), None)
    return citations if alternatives is None else citations[:1]


def reference_of(ref: Element, key: str, text: JatsText) -> Reference:
    """The entry. Where it is not printed as a whole, `text` is put together from its parts."""
    citations = citations_of(ref)
    label = _line(ref, "label")
    printed_text = " ".join(filter(None, (_printed_text(citation, text) for citation in citations)))
    if not citations:
        note = text.words(*[child for child in ref if child.tag not in ("label",)])
        return Reference(key, clean_line(note.text), label, doi=find_doi(note.text))
    return _parsed(citations[0], key, label, printed_text, text)


def _parsed(citation: Element, key: str, label: str, printed_text: str, text: JatsText) -> Reference:
    title = next((candidate for name in _TITLES if (candidate := text.title(_first(citation, name)))), "")
    source = text.title(_first(citation, "source"))
    main_title = title or source
    publisher = _line(citation, "publisher-name")
    first, last, span, place = (_line(citation, tag) for tag in ("fpage", "lpage", "page-range", "elocation-id"))
    doi, arxiv, pmid, url = _identifiers(citation, printed_text)
    known = Reference(
        key,
        printed_text,
        label,
        main_title if main_title.endswith("..") else main_title.removesuffix("."),
        tuple(_cited_authors(citation, text)),
        venue=source if title else publisher,
        volume=_line(citation, "volume"),
        pages=page_span(first, last) or span or place,
        doi=doi,
        arxiv_id=arxiv,
        pmid=pmid,
        url=url,
    )
    return with_text(
        known,
        year=_line(citation, "year"),
        issue=_line(citation, "issue"),
        publisher=publisher if title else "",
        otherwise=clean_line(" ".join(filter(None, map(plain_text, citation)))),
    )


def _printed_text(citation: Element, text: JatsText) -> str:
    """The citation as it stands, if it has the punctuation of a printed one; else ""."""
    loose = (citation.text or "") + "".join(child.tail or "" for child in citation)
    if not loose.strip():
        return ""
    printed_text = text.words(citation, interrupt=lambda child: child.tag in _UNPRINTED).text
    return clean_line(_DOUBLE_STOP.sub(".", _SPACE_BEFORE.sub(r"\1", printed_text)))


def _cited_authors(citation: Element, text: JatsText) -> Iterator[Author]:
    groups = [group for group in citation.iter("person-group") if group.get("person-group-type") not in _EDITORS]
    everyone = groups or [citation]
    if not groups and next(citation.iter("person-group"), None) is not None:
        loose = [child for child in citation if child.tag in ("name", "string-name", "collab")]
        everyone = list(citation.iter("person-group"))[:1] if not loose else []
        yield from people_of(loose, text)
    for group in everyone:
        yield from people_of(group, text)


def people_of(elements: Iterable[Element], text: JatsText) -> Iterator[Author]:
    """The people and groups among the elements."""
    for element in elements:
        if element.tag == "name-alternatives" and len(element):
            element = element[0]  # noqa: PLW2901 - the first form is the one of the article's language
        if element.tag in ("name", "string-name"):
            author = person(element, text)
        elif element.tag in ("collab", "institution"):
            author = Author(text.title(element))
        else:
            continue
        if author.name:
            yield author


def person(element: Element, text: JatsText) -> Author:
    """The author of a `name` or `string-name`."""
    family, given_names, suffix = (text.title(_first(element, tag)) for tag in ("surname", "given-names", "suffix"))
    if not family:
        return author_of_name(text.title(element)) if element.tag == "string-name" else Author(given_names)
    eastern = element.get("name-style") == "eastern"
    name = f"{family} {given_names}" if eastern else f"{given_names} {family}"
    return Author(" ".join(filter(None, (name.strip(), suffix))), family, given_names)


def _identifiers(citation: Element, printed_text: str) -> tuple[str, str, str, str]:
    """DOI, arXiv id, PMID and address."""
    doi = arxiv = pmid = url = ""
    for element in citation.iter("pub-id", "object-id", "article-id", "ext-link", "uri", "self-uri"):
        kind = element.get("pub-id-type") or element.get("ext-link-type") or ""
        value, href = clean_line(plain_text(element)), href_of(element)
        doi = doi or (normal_doi(value) if kind == "doi" else "") or normal_doi(href) or find_doi(href)
        arxiv = arxiv or (normal_arxiv_id(value) if kind == "arxiv" else "") or find_arxiv_id(href)
        linked = normal_pmid(href) if "ncbi.nlm.nih.gov" in href else ""
        pmid = pmid or (normal_pmid(value) if kind == "pmid" else "") or linked
        if element.tag in ("ext-link", "uri", "self-uri") and not url:
            address = href or value
            url = address if address.startswith(("http://", "https://", "ftp://")) and not find_doi(address) else ""
    everything = printed_text or " ".join(map(plain_text, citation.iter("comment")))
    return doi or find_doi(everything), arxiv or find_arxiv_id(everything), pmid, url


def _first(element: Element, tag: str) -> Element | None:
    return next(element.iter(tag), None)


def _line(element: Element, tag: str) -> str:
    """The text of the first such element, on one line."""
    child = _first(element, tag)
    return "" if child is None else clean_line(plain_text(child))


_LAY = frozenset({"summary", "executive-summary", "plain-language-summary", "synopsis", "author-summary"})
_NO_ABSTRACT = _LAY | frozenset(
    """graphical graphical-abstract graphical_abstract teaser toc key-points highlights video web-summary precis
    editor editors-summary editor-summary significance short objective patient background stereochemical
    ASCII caption extract tweet""".split()
)
_NO_AUTHORS = frozenset("editor reviewer translator non-byline".split())
_OTHER_DATES = frozenset({"collection", "corrected", "retracted", "update", "preprint", "epreprint", "ecorrected"})
_LATE_DATES = frozenset({"pmc-release", "nihms-submitted", "aheadofprint"})
_NO_KEYWORDS = frozenset({"abbreviations", "abbreviation", "abbr", "abb", "toc", "subject", "heading"})
_LABEL_SIGNS = re.compile(r"^[\s\d*†‡§¶#,.]*(?=\D)")


def metadata_of(article: Element, text: JatsText) -> tuple[Metadata, list[MarkedText]]:
    """What the front matter says, and the paragraphs of the abstract."""
    meta = article.find("front/article-meta")
    if meta is None:
        return Metadata(), []
    journal = article.find("front/journal-meta")
    abstract = _abstract(meta, text)
    date = _date(meta)
    ids = identifiers_by_kind(
        (element.get("pub-id-type", ""), clean_line(plain_text(element))) for element in meta.iterfind("article-id")
    )
    extra = {"pmcid": ids.pop("pmcid"), **_place(meta)}
    metadata = Metadata(
        title=_title(meta, text),
        authors=tuple(_authors(meta, text)),
        abstract="\n\n".join(words.text for words in abstract),
        date=date,
        year=int(date[:4]) if date else None,
        venue=_journal(journal),
        keywords=tuple(_keywords(meta, text)),
        extra={name: value for name, value in extra.items() if value},
        **ids,
    )
    return metadata, abstract


def lay_summaries(article: Element) -> list[Element]:
    """Abstracts for readers outside the field: authors' summaries, digests."""
    return [part for part in article.iterfind("front/article-meta/abstract") if part.get("abstract-type") in _LAY]


def _title(meta: Element, text: JatsText) -> str:
    group = meta.find("title-group")
    if group is None:
        return ""
    title, subtitle = (text.title(group.find(tag)) for tag in ("article-title", "subtitle"))
    return f"{title}{'' if title.endswith(('?', '!', ':')) else ':'} {subtitle}" if title and subtitle else title


def _journal(journal: Element | None) -> str:
    if journal is None:
        return ""
    for tag in ("journal-title", "abbrev-journal-title"):
        for element in journal.iter(tag):
            if title := clean_line(plain_text(element)):
                return title
    ids = [
        element for element in journal.iter("journal-id") if element.get("journal-id-type") in ("nlm-ta", "iso-abbrev")
    ]
    return clean_line(plain_text(ids[0])) if ids else ""


def _place(meta: Element) -> dict[str, str]:
    """Volume, issue and pages."""
    volume, issue, first, last, number = (
        clean_line(plain_text(element)) if (element := meta.find(tag)) is not None else ""
        for tag in ("volume", "issue", "fpage", "lpage", "elocation-id")
    )
    return {"volume": volume, "issue": issue, "pages": page_span(first, last) or number}


def _date(meta: Element) -> str:
    """The date of publication: online before print, exact before vague, the journal issue's last."""
    candidates = []
    for order, element in enumerate(meta.iterfind("pub-date")):
        kind = element.get("pub-type") or element.get("date-type") or "pub"
        late = 2 if kind in _LATE_DATES else 1 if kind in _OTHER_DATES else 0
        if date := _written_date(element):
            electronic = kind.startswith("e") or element.get("publication-format") == "electronic"
            candidates.append((late, -len(date), not electronic, order, date))
    return min(candidates)[-1] if candidates else ""


def _written_date(element: Element) -> str:
    year, month, day = (clean_line(element.findtext(tag) or "") for tag in ("year", "month", "day"))
    return iso_date(year, str(month_number(month)), day) or iso_text(element.get("iso-8601-date", ""))


def _keywords(meta: Element, text: JatsText) -> Iterator[str]:
    seen = set()
    for group in meta.iterfind("kwd-group"):
        if (group.get("kwd-group-type") or "").lower() in _NO_KEYWORDS:
            continue
        for element in group.iter("kwd", "compound-kwd"):
            parts = [text.title(part) for part in element.iter("compound-kwd-part")]
            keyword = ": ".join(filter(None, parts)) if parts else text.title(element)
            if keyword and keyword not in seen:
                seen.add(keyword)
                yield keyword


def _abstract(meta: Element, text: JatsText) -> list[MarkedText]:
    """The paragraphs of the main abstract; titles of its sections run in."""
    kinds = [(part.get("abstract-type") or "", part) for part in meta.iterfind("abstract")]
    chosen = [part for kind, part in kinds if not kind] or [part for kind, part in kinds if kind not in _NO_ABSTRACT]
    return paragraphs_of(chosen[0], text) if chosen else []


def paragraphs_of(part: Element, text: JatsText) -> list[MarkedText]:
    """The paragraphs of an abstract, each with the title of its section in front of the first."""
    paragraphs: list[MarkedText] = []
    loose = text.words(part).text if next(part.iter("p"), None) is None else ""
    if loose:
        return [MarkedText(loose)]
    for paragraph in part.iter("p"):
        section = paragraph.getparent()
        title = section.find("title") if section is not None and section.tag == "sec" else None
        first = section is not None and section.find("p") is paragraph
        words = text.words(paragraph) if title is None or not first else _run_in(title, paragraph, text)
        if words.text and not words.text.startswith("DOI: http"):
            paragraphs.append(words)
    return paragraphs


def _run_in(title: Element, paragraph: Element, text: JatsText) -> MarkedText:
    name = text.title(title)
    return text.words(paragraph, head=name + ("" if not name or name[-1] in ".:?!" else ":"))


def _authors(meta: Element, text: JatsText) -> Iterator[Author]:
    places = {
        name: place
        for element in meta.iter("aff", "aff-alternatives")
        if (name := element.get("id")) and (place := _affiliation(element))
    }
    contribs = [contrib for group in meta.iterfind("contrib-group") for contrib in group.iterfind("contrib")]
    contribs = [
        contrib for contrib in contribs if not _NO_AUTHORS & set((contrib.get("contrib-type") or "author").split())
    ]
    linked = any(xref.get("ref-type") == "aff" for contrib in contribs for xref in contrib.iter("xref"))
    shared = (
        element
        for element in meta.iter("aff")
        if (parent := element.getparent()) is not None and parent.tag in ("article-meta", "contrib-group")
    )
    loose = [place for element in shared if (place := _affiliation(element))]
    everybody = tuple(loose) if len(loose) == 1 and not linked else ()
    for contrib in contribs:
        author = _author(contrib, text)
        if author is None:
            continue
        place_ids = [name for xref in contrib.iterfind("xref") for name in (xref.get("rid") or "").split()]
        affiliations = [places[name] for name in place_ids if name in places]
        affiliations += [_affiliation(element) for element in contrib.iterfind("aff")]
        yield Author(
            author.name,
            author.family,
            author.given,
            _orcid(contrib),
            tuple(dict.fromkeys(filter(None, affiliations))) or everybody,
        )


def _author(contrib: Element, text: JatsText) -> Author | None:
    alternatives = contrib.find("name-alternatives")
    name = next((alternatives if alternatives is not None else contrib).iterchildren("name", "string-name"), None)
    if name is not None:
        author = person(name, text)
        return author if author.name else None
    collab = next(contrib.iter("collab"), None)
    if collab is None:
        return None
    group = collab.find("institution")
    return next(people_of([collab if group is None else group], text), None)


def _orcid(contrib: Element) -> str:
    for element in contrib.iter("contrib-id", "uri", "ext-link"):
        text = plain_text(element) + " " + " ".join(str(value) for value in element.attrib.values())
        if "orcid" in text.lower() and (orcid := orcid_in(plain_text(element))):
            return orcid
    return ""


def _affiliation(element: Element) -> str:
    """The text of an `aff` without its label; parts with nothing between them are parted by commas."""
    return _LABEL_SIGNS.sub("", clean_line(_parted(element)).replace(" ,", ",")).strip(" ,;")


def _parted(element: Element) -> str:
    text = element.text or ""
    after_part = False
    for child in element:
        if child.tag not in _NO_PLACE:
            inner = _parted(child)
            part = child.tag in _PARTS and bool(inner.strip())
            text = f"{text.rstrip()}, {inner}" if part and after_part else text + inner
            after_part = part or after_part
        text += child.tail or ""
        after_part = after_part and not (child.tail or "").strip()
    return text


_NO_PLACE = frozenset({"label", "sup", "institution-id", "email", "target"})
_PARTS = frozenset(
    {"institution", "institution-wrap", "addr-line", "country", "city", "state", "postal-code", "named-content"}
)


_NOTICES = {
    "retraction-forward": "retraction",
    "correction-forward": "correction",
    "object-of-concern-forward": "concern",
    "expression-of-concern-forward": "concern",
}


def notices_in(article: Element, service: str) -> list[dict[str, str]]:
    """The notices about an article, in the form of `services.protocol`; not those that the article itself is."""
    notices = []
    for other in article.iterfind("front/article-meta/related-article"):
        if kind := _NOTICES.get(other.get("related-article-type", "")):
            ids = [
                clean_line(plain_text(element))
                for element in other.iter("pub-id")
                if element.get("pub-id-type") == "doi"
            ]
            notice = {"kind": kind, "service": service, "doi": normal_doi((ids or [href_of(other)])[0]), "date": ""}
            if notice not in notices:
                notices.append(notice)
    return notices


def pmc_properties(article: Element) -> dict[str, str]:
    """What PMC adds to an article about itself: `pmc-prop-open-access` → `yes`, `pmc-license-ref` → `CC BY`."""
    metas = article.iterfind("front/article-meta/custom-meta-group/custom-meta")
    pairs = ((meta.findtext("meta-name") or "", meta.find("meta-value")) for meta in metas)
    return {name.strip(): clean_line(plain_text(value)) for name, value in pairs if name and value is not None}


def licence_of(article: Element) -> str:
    """The address of the licence, else what PMC calls it; "" where neither is given."""
    for licence in article.iterfind("front/article-meta/permissions/license"):
        inner = [clean_line(plain_text(element)) for element in licence.iter("license_ref")]
        links = [href_of(element) for element in licence.iter("ext-link")]
        for address in (href_of(licence), *inner, *links):
            if "creativecommons.org/" in address:
                return address
    return pmc_properties(article).get("pmc-license-ref", "")


def cited_ids(article: Element) -> list[str]:
    """The works that an article cites: a DOI, else a PMID; those with neither are left out."""
    works: dict[str, Any] = {}
    for reference in article.iterfind("back//ref"):
        ids = identifiers_by_kind(
            (element.get("pub-id-type", ""), clean_line(plain_text(element))) for element in reference.iter("pub-id")
        )
        doi = ids["doi"] or next((doi for link in reference.iter("ext-link") if (doi := find_doi(href_of(link)))), "")
        if doi or ids["pmid"]:
            works[doi or f"PMID:{ids['pmid']}"] = None
    return list(works)
