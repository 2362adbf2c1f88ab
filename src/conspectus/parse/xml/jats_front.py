"""The metadata of a JATS article."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conspectus.lexicon.calendar import month_number
from conspectus.parse.blocks import clean_line
from conspectus.parse.dates import iso_date, iso_text
from conspectus.parse.identifiers import named_identifiers
from conspectus.parse.inline import Words
from conspectus.parse.people import orcid_in
from conspectus.parse.xml.build import page_span
from conspectus.parse.xml.jats_refs import people_of, person
from conspectus.parse.xml.jats_text import JatsText
from conspectus.parse.xml.load import Element, plain_text
from conspectus.records import Author, Metadata

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


def metadata_of(article: Element, text: JatsText) -> tuple[Metadata, list[Words]]:
    """What the front matter says, and the paragraphs of the abstract."""
    meta = article.find("front/article-meta")
    if meta is None:
        return Metadata(), []
    journal = article.find("front/journal-meta")
    abstract = _abstract(meta, text)
    date = _date(meta)
    ids = named_identifiers(
        (one.get("pub-id-type", ""), clean_line(plain_text(one))) for one in meta.iterfind("article-id")
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
    found = []
    for order, element in enumerate(meta.iterfind("pub-date")):
        kind = element.get("pub-type") or element.get("date-type") or "pub"
        late = 2 if kind in _LATE_DATES else 1 if kind in _OTHER_DATES else 0
        if date := _written_date(element):
            electronic = kind.startswith("e") or element.get("publication-format") == "electronic"
            found.append((late, -len(date), not electronic, order, date))
    return min(found)[-1] if found else ""


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


def _abstract(meta: Element, text: JatsText) -> list[Words]:
    """The paragraphs of the main abstract; titles of its sections run in."""
    kinds = [(part.get("abstract-type") or "", part) for part in meta.iterfind("abstract")]
    chosen = [part for kind, part in kinds if not kind] or [part for kind, part in kinds if kind not in _NO_ABSTRACT]
    return paragraphs_of(chosen[0], text) if chosen else []


def paragraphs_of(part: Element, text: JatsText) -> list[Words]:
    """The paragraphs of an abstract, each with the title of its section in front of the first."""
    found: list[Words] = []
    loose = text.words(part).text if next(part.iter("p"), None) is None else ""
    if loose:
        return [Words(loose)]
    for paragraph in part.iter("p"):
        section = paragraph.getparent()
        title = section.find("title") if section is not None and section.tag == "sec" else None
        first = section is not None and section.find("p") is paragraph
        words = text.words(paragraph) if title is None or not first else _run_in(title, paragraph, text)
        if words.text and not words.text.startswith("DOI: http"):
            found.append(words)
    return found


def _run_in(title: Element, paragraph: Element, text: JatsText) -> Words:
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
    loose = [place for element in meta.iter("aff") if _is_shared(element) and (place := _affiliation(element))]
    everybody = tuple(loose) if len(loose) == 1 and not linked else ()
    for contrib in contribs:
        author = _author(contrib, text)
        if author is None:
            continue
        named = [name for xref in contrib.iterfind("xref") for name in (xref.get("rid") or "").split()]
        own = [places[name] for name in named if name in places]
        own += [_affiliation(element) for element in contrib.iterfind("aff")]
        yield Author(
            author.name,
            author.family,
            author.given,
            _orcid(contrib),
            tuple(dict.fromkeys(filter(None, own))) or everybody,
        )


def _is_shared(aff: Element) -> bool:
    parent = aff.getparent()
    return parent is not None and parent.tag in ("article-meta", "contrib-group")


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
        said = plain_text(element) + " " + " ".join(str(value) for value in element.attrib.values())
        if "orcid" in said.lower() and (found := orcid_in(plain_text(element))):
            return found
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
