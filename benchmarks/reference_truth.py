"""What JATS files say of their references and citation marks: the truth for `references.py`."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from reference_styles import Work

ARCHIVES = ("jats_plos/plos_72.tar.xz", "jats_craft/craft_nxml_67.tar.xz", "jats_samples/jats_samples.tar.xz")
CITATIONS = ("mixed-citation", "element-citation", "citation", "nlm-citation")
SKIPPED = {"table-wrap", "fig", "disp-formula", "table", "graphic", "media", "tex-math", "math"}


@dataclass
class Entry:
    """One reference: `printed` is its text as the publisher printed it, or "" where the file has only parts."""

    id: str
    label: str
    work: Work
    printed: str = ""
    letter: str = ""


@dataclass
class Pointer:
    """A citation mark: `text[start:end]` of a paragraph names the entry `target`."""

    start: int
    end: int
    target: str


@dataclass
class Article:
    """One article: its entries, and its paragraphs with their marks."""

    name: str
    entries: list[Entry] = field(default_factory=list)
    paragraphs: list[tuple[str, list[Pointer]]] = field(default_factory=list)

    @property
    def held_out(self) -> bool:
        """Whether the article is of the half that nothing was developed on."""
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 1


def articles(data: Path) -> Iterator[Article]:
    """The articles of the three JATS sets that have references, in a fixed order."""
    for archive in ARCHIVES:
        with tarfile.open(data / archive) as tar:
            members = sorted((m for m in tar if m.name.endswith(("xml", "nxml"))), key=lambda m: m.name)
            for member in members:
                file = tar.extractfile(member)
                assert file is not None
                try:
                    root = ElementTree.parse(io.BytesIO(file.read())).getroot()
                except ElementTree.ParseError:
                    continue
                if (article := article_of(root, Path(member.name).name)).entries:
                    yield article


def article_of(root: Element, name: str) -> Article:
    article = Article(name)
    for number, ref in enumerate(root.iter("ref"), 1):
        cited = next((e for kind in CITATIONS for e in ref.iter(kind)), None)
        if cited is not None:
            label = (ref.findtext("label") or "").strip() or str(number)
            work = work_of(cited)
            if not work.source and work.volume and not work.book:  # the venue is tagged as part of the title
                work = replace(work, title="")
            letter = re.search(r"\d{4}([a-z])\b", plain(cited.find("year")))
            article.entries.append(
                Entry(ref.get("id", ""), label, work, as_printed(cited), letter[1] if letter else "")
            )
    known = {entry.id for entry in article.entries}
    body = root.find("body")
    for paragraph in body.iter("p") if body is not None else ():
        text, pointers = reading(paragraph, known)
        if text.strip():
            article.paragraphs.append((text, pointers))
    return article


def plain(element: Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def work_of(cited: Element) -> Work:
    kind = cited.get("publication-type") or cited.get("citation-type") or ""
    article = next(
        (
            e
            for tag in ("article-title", "chapter-title", "part-title", "data-title")
            if (e := cited.find(tag)) is not None
        ),
        None,
    )
    source = plain(cited.find("source"))
    editors = {
        id(name)
        for group in cited.iter("person-group")
        if group.get("person-group-type") == "editor"
        for name in group.iter("name")
    }
    names = tuple(
        (plain(name.find("surname")), re.sub(r"[^A-ZÀ-Þ]", "", plain(name.find("given-names"))))
        for name in cited.iter("name")
        if id(name) not in editors
    )
    year = re.search(r"(1[5-9]|20)\d\d", plain(cited.find("year")))
    ids = {e.get("pub-id-type"): plain(e) for tag in ("pub-id", "object-id") for e in cited.iter(tag)}
    links = [plain(e) for e in cited.iter("ext-link")] + list(ids.values())
    doi = next((found[0] for link in links if (found := re.search(r"10\.\d{4,9}/\S+", link))), "")
    pages = re.split(r"[–-]", plain(cited.find("page-range")))
    return Work(
        title=plain(article) if article is not None else source,
        authors=names or tuple((plain(e), "") for e in cited.iter("collab")),
        year=int(year[0]) if year else None,
        source=source if article is not None else "",
        volume=plain(cited.find("volume")),
        issue=plain(cited.find("issue")),
        first=plain(cited.find("fpage")) or plain(cited.find("elocation-id")) or pages[0],
        last=plain(cited.find("lpage")) or (pages[1] if len(pages) > 1 else ""),
        doi=doi.rstrip(".,;"),
        pmid=ids.get("pmid", ""),
        publisher=plain(cited.find("publisher-name")),
        city=plain(cited.find("publisher-loc")),
        book=article is None and (bool(cited.findtext("publisher-name")) or kind in ("book", "other")),
    )


def as_printed(cited: Element) -> str:
    """The text with the publisher's own punctuation; "" where there is none between the parts."""
    pieces: list[str] = []

    def walk(element: Element) -> None:
        pieces.append(element.text or "")
        for child in element:
            if child.tag == "given-names" and not next((p for p in reversed(pieces) if p), " ").endswith(" "):
                pieces.append(" ")
            if child.tag != "label":
                walk(child)
            pieces.append(child.tail or "")

    own = " ".join([cited.text or "", *(child.tail or "" for child in cited)])
    if cited.tag != "mixed-citation" or len(re.findall(r"[.,:;()]", own)) < 2:
        return ""
    walk(cited)
    return " ".join("".join(pieces).split())


def reading(paragraph: Element, known: set[str]) -> tuple[str, list[Pointer]]:
    """A paragraph's text, and its marks; what floats in it is left out."""
    pieces: list[str] = []
    pointers: list[Pointer] = []
    length = 0

    def say(text: str | None, raised: bool) -> None:
        nonlocal length
        line = re.sub(r"\s+", " ", text or "")
        if raised:
            line = line.translate(str.maketrans("0123456789–-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁻"))
        pieces.append(line)
        length += len(line)

    def walk(element: Element, raised: bool) -> None:
        raised = raised or element.tag == "sup"
        start = length
        say(element.text, raised)
        for child in element:
            if child.tag not in SKIPPED:
                walk(child, raised)
            say(child.tail, raised)
        if element.tag == "xref" and element.get("ref-type") == "bibr" and length > start:
            pointers.extend(Pointer(start, length, rid) for rid in (element.get("rid") or "").split() if rid in known)

    walk(paragraph, raised=False)
    return "".join(pieces), pointers
