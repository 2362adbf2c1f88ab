"""Words, formulas, figures and references of a page's elements."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from conspectus.lexicon.word_lists import CAPTIONED, FURTHER
from conspectus.parse.markup.inline import Inline, raised
from conspectus.parse.markup.page_tree import BLOCK_TAGS, Element, elements, folded, is_element, names_of, plain_text
from conspectus.parse.markup.pictures import data_name, is_address
from conspectus.parse.markup.xml_tree import math_text, rows_of
from conspectus.parse.people.authors import author_of_name
from conspectus.parse.text.blocks import clean_line, numbered_entry
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi, normal_pmid
from conspectus.records import Figure, FigureKind, MarkKind, Reference

_SILENT = frozenset(
    "script style noscript template button select option input textarea iframe object embed audio video canvas svg map"
    " head title img picture source rp rt wbr".split()
)
_HIDDEN = re.compile(
    r"(?:^|[\s_-])(?:sr-only|screen-?reader(?:-only|-text)?|visually-?hidden|mw-editsection|noprint|tooltip|ltx_eqn_eqno"
    r"|mathjax_preview|mathjax|assistive)(?:$|[\s_-])"
)
_NO_SHOW = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_BACK = re.compile(r"[↩↑^←⤴\ufe0e\ufe0f\s]+|back to (?:top|text)|return to text", re.I)
_NOTE = re.compile(r"(?:^|\s)ltx_note(?:$|\s)")
_LETTERS = re.compile(r"[^\W\d_]\w{0,4}")
_DEPTH = 150
_STYLE = re.compile(r"^\{\\(?:display|text)style\s*+(.*)\}$", re.S)
_EQUATION = re.compile(
    r"(?:^|[\s_-])(?:ltx_equation|ltx_equationgroup|disp-formula|disp_formula|display-?math|mathdisplay|equation"
    r"|display-formula|mathjax_display|katex-display)(?:$|[\s_-])"
)
_NUMBER = re.compile(r"(?:^|[\s_-])(?:ltx_tag_equation|label|eqn?-?(?:no|num|number)|equation-?number)(?:$|[\s_-])")


@dataclass(slots=True)
class Links:
    """What links into the page mean: ids as they stand there, and what was found to lie behind them."""

    target: Callable[[str], str]
    meaning: dict[str, tuple[MarkKind, tuple[str, ...]]]
    waiting: list[str] = field(default_factory=list)
    """Ids of empty anchors that stand before what they name."""

    def register(self, element: Element, kind: MarkKind, key: str) -> None:
        """Every id in and just before the element leads to it."""
        names = [*self.waiting]
        self.waiting.clear()
        for inner in element.iter():
            if is_element(inner):
                names += [name for name in (inner.get("id"), inner.get("name")) if name]
        for name in names:
            self.meaning.setdefault(self.target("#" + name), (kind, (key,) if key else ()))


def page_target(href: str) -> str:
    """The id that a link within one page leads to, else ""."""
    path, sign, name = href.strip().partition("#")
    return unquote(name) if sign and (not path or path.startswith("./")) else ""


@dataclass(slots=True)
class LineFiller:
    """Fills lines with the words of elements; footnotes that stand within the text are kept aside."""

    links: Links
    notes: list[Element] = field(default_factory=list)
    drop: Callable[[Element], bool] | None = None
    """What is left out besides what is hidden."""

    def fill(self, line: Inline, element: Element, depth: int = 0) -> None:
        """Adds the words of `element` and of all within it."""
        line.add(element.text or "")
        for child in element:
            self.child(line, child, depth)
            line.add(child.tail or "")

    def child(self, line: Inline, child: Element, depth: int = 0) -> None:
        """Adds one element as words."""
        if not is_element(child):
            return
        if is_math(child):
            line.add(formula(child))
        elif self._silent(child):
            self._anchor(child)
        elif child.tag == "br":
            line.add(" ")
        elif _NOTE.search(child.get("class") or ""):
            self._note(line, child)
        elif child.tag == "a" and self._link(line, child, depth):
            pass
        elif child.tag == "sup" and not len(child):
            line.add(raised(child.text or ""))
        elif depth < _DEPTH:
            spaced = child.tag in BLOCK_TAGS
            line.add(" " if spaced else "")
            self.fill(line, child, depth + 1)
            line.add(" " if spaced else "")

    def _silent(self, element: Element) -> bool:
        if element.tag in _SILENT or element.get("hidden") is not None:
            return True
        if self.drop and self.drop(element):
            return True
        return hidden(element)

    def _anchor(self, element: Element) -> None:
        name = element.get("id") or element.get("name")
        if name and element.tag == "a":
            self.links.waiting.append(name)

    def _link(self, line: Inline, link: Element, depth: int) -> bool:
        words = "".join(piece for piece in link.itertext() if isinstance(piece, str))
        if not words.strip() or _BACK.fullmatch(words):
            if not link.get("href"):
                self._anchor(link)
            return True
        target = self.links.target(link.get("href") or "")
        parent = link.getparent()
        if target and parent is not None and parent.tag == "sup" and _LETTERS.fullmatch(words.strip()):
            line.add(" ")  # else the mark is read as the end of the word before it
        if not target or depth >= _DEPTH or not line.open("reference", (target,)):
            return False
        if not len(link) and parent is not None and parent.tag == "sup":
            line.add(raised(link.text or ""))
        else:
            self.fill(line, link, depth + 1)
        line.close()
        return True

    def _note(self, line: Inline, note: Element) -> None:
        sign = next((inner for inner in note.iter("sup") if "ltx_note_mark" in names_of(inner)), None)
        if sign is not None and line.open("footnote", (self.links.target("#" + (note.get("id") or "")),)):
            line.add(raised("".join(sign.itertext())))
            line.close()
        self.notes.append(note)

    def text(self, element: Element) -> str:
        """The words on one line, without marks."""
        line = Inline()
        self.fill(line, element)
        return line.text


def hidden(element: Element) -> bool:
    """Whether a reader of the page does not see the element."""
    if element.get("aria-hidden") == "true" and element.tag != "a":
        return True
    return bool(_HIDDEN.search(names_of(element)) or _NO_SHOW.search(element.get("style") or ""))


def is_math(element: Element) -> bool:
    """Whether the element is one formula: MathML, MathJax, KaTeX, a picture that Wikipedia made of one."""
    if element.tag in ("math", "mjx-container"):
        return True
    if element.tag == "script":
        return (element.get("type") or "").startswith("math/tex")
    names = (element.get("class") or "").split()
    return "katex" in names or "mwe-math-element" in names or (element.tag == "img" and "tex" in names)


def is_equation(element: Element) -> bool:
    """Whether the element is a formula on a line of its own."""
    if not _EQUATION.search(names_of(element)):
        return element.tag in ("math", "mjx-container") and element.get("display") in ("block", "true")
    return any(is_math(inner) for inner in element.iter() if is_element(inner))


def formula(element: Element) -> str:
    """The formula as `$…$`, or without dollars where only its signs are known, or ""."""
    tex = _tex(element)
    if tex:
        return f"${tex}$"
    math = element if element.tag == "math" else next(elements(element, "math"), None)
    return math_text(math) if math is not None else ""


def equation(element: Element) -> tuple[str, str]:
    """A displayed formula without dollars, and its number as printed, `(3)`."""
    pieces: list[str] = []
    label = ""
    skip: set[Element] = set()
    for inner in element.iter():
        if not is_element(inner) or inner in skip:
            continue
        if not label and _NUMBER.search(names_of(inner)):
            label = " ".join("".join(inner.itertext()).split())
        elif is_math(inner):
            pieces.append(formula(inner).strip("$"))
            skip.update(inner.iterdescendants())
    return " ".join(piece for piece in pieces if piece), label[:20]


def _tex(element: Element) -> str:
    if element.tag == "script":
        return " ".join((element.text or "").split())
    if element.tag == "img":
        return _plain(element.get("alt") or "")
    math = element if element.tag == "math" else next(elements(element, "math"), None)
    if math is not None and math.get("alttext"):
        return _plain(math.get("alttext"))
    for annotation in elements(element, "annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return _plain(annotation.text)
    return ""


def _plain(tex: str) -> str:
    tex = " ".join(tex.split())
    match = _STYLE.match(tex)
    tex = (match[1] if match else tex).strip().strip("$").strip()
    return tex.removeprefix("\\displaystyle").strip()


LABEL = re.compile(
    rf"(?:(?:{FURTHER.title()})\s+)?"
    rf"(?:Fig(?:ure|s?\.)?|FIG(?:URE|\.)?|Table|TABLE|Tab\.|{CAPTIONED.title()})"
    r"\s*(?:S\s?)?[A-Z]?[\dIVX]+(?:[.\-–]\d+)*(?![\w])",
)
_FIGURE = re.compile(
    r"(?:^|[\s_-])(?:fig|figure|figures?-?(?:wrap|box|container)|thumb|asset-viewer-inline|table-?wrap|tablewrap|tw"
    r"|inline-table|table-container|wp-caption|image-?box|article-table-content)(?:$|[\s_-]|\d)"
)
_CAPTION = re.compile(
    r"(?:^|[\s_-])(?:fig|table|thumb|wp|asset)?-?(?:captions?|captiontext|captioned|legend|description)(?:$|[\s_-])"
)
_LEAST_DATA = 300
"""Characters; shorter data are a spacer, or a dot that counts readers."""
_URL = re.compile(r"(?:https?://|doi:\s*)\S+|\W*")


def is_figure(element: Element) -> bool:
    """Whether the element is one figure, or one table with its caption."""
    if element.tag == "figure":
        return True
    if element.tag == "table":
        return any(child.tag == "caption" and plain_text(child) for child in element)
    if element.tag not in ("div", "section", "aside", "p", "li") or not _FIGURE.search(names_of(element)):
        return False
    inside = [e for e in element.iterdescendants() if is_element(e)]
    if any(
        e.tag == "figure" or (e.tag in ("div", "section") and _FIGURE.search(names_of(e)) and _captions(e))
        for e in inside
    ):
        return False
    return any(e.tag in ("img", "table", "picture", "svg", "object") for e in inside) and bool(_captions(element))


def is_figure_box(element: Element) -> bool:
    """Whether the page's maker calls the element a figure, with whatever stands in it."""
    return element.tag in ("div", "section", "aside") and bool(_FIGURE.search(names_of(element)))


def read_page_figure(element: Element, words: LineFiller, folder: str = "") -> tuple[Figure, Inline | None]:
    """The figure or table that `element`, which `is_figure`, holds in a page of `folder`, and its caption if any.

    It has no key yet.
    """
    line = _caption_line(element, words)
    text = line.text
    match = LABEL.match(text)
    label = match[0] if match else ""
    table = element if element.tag == "table" else next(_own_elements(element, "table"), None)
    names = names_of(element)
    is_table = label.lower().startswith("tab") or (not label and table is not None)
    is_table = is_table or ("ltx_table" in names)
    cells = table_cells(table, words) if table is not None and is_table else ()
    kind: FigureKind = "table" if is_table else "figure"
    return Figure("", kind, label, href=_href(element, folder), cells=cells), line if text else None


def _captions(element: Element) -> list[Element]:
    """The outermost elements that say what is shown."""
    captions: list[Element] = []
    for inner in element.iterdescendants():
        if not is_element(inner) or any(parent in captions for parent in inner.iterancestors()):
            continue
        nested = next((p for p in inner.iterancestors("figure")), element)
        if element.tag == "figure" and nested is not element:
            continue
        by_name = inner.tag in ("div", "p", "span", "section", "h3", "h4", "h5", "h6") and _CAPTION.search(
            names_of(inner)
        )
        if (inner.tag in ("figcaption", "caption") or by_name) and not _URL.fullmatch(plain_text(inner)):
            captions.append(inner)
    return captions


def _caption_line(element: Element, words: LineFiller) -> Inline:
    captions = _captions(element)
    line = Inline()
    head = next(
        (
            e
            for e in _own_elements(element, "h2", "h3", "h4", "h5", "h6", "span", "strong")
            if LABEL.match(plain_text(e))
        ),
        None,
    )
    if head is not None and not any(c in (head, *head.iterancestors()) for c in captions):
        words.fill(line, head)
        line.add(" ")
    for caption in captions:
        words.fill(line, caption)
        line.add(" ")
    return line


def _own_elements(element: Element, *tags: str) -> Iterator[Element]:
    """The elements of these tags that belong to no figure within this one."""
    for inner in elements(element, *tags):
        nearest = next(inner.iterancestors("figure"), None)
        if element.tag != "figure" or nearest is element or inner is element:
            yield inner


def _href(element: Element, folder: str) -> str:
    """Where the picture is: a path in the book or beside the page, an address, or the name of data (`data_name`)."""
    for image in elements(element, "img", "source", "embed", "object"):
        addresses = (image.get(name) for name in ("data-src", "src", "data", "srcset"))
        address = next(filter(None, addresses), "").split(" ")[0]
        if address.startswith("data:"):
            if len(address) > _LEAST_DATA:
                return data_name(address)
        elif address:
            path = unquote(address.partition("?")[0].partition("#")[0])
            return address if is_address(address) else posixpath.normpath(posixpath.join(folder, path))
    return ""


def table_cells(table: Element, words: LineFiller) -> tuple[tuple[str, ...], ...]:
    """The rows of a table; a cell that spans several columns or rows is followed by empty ones."""
    return rows_of([table], words.text, repeated=False)[0]


_LIST = re.compile(
    r"(?:^|[\s_-])(?:ref-?list|references?|bibliography|ltx_biblist|ltx_bibliography|biblist|citation-?list|reflist"
    r"|literature-?cited|doc-bibliography|works-?cited)(?:$|[\s_-])"
)
_ENTRY = re.compile(r"(?:^|[\s_-])(?:ref|reference|citation|cite|bibitem|bib|csl-entry|doc-biblioentry)")
_LABEL = re.compile(r"(?:^|[\s_-])(?:label|ltx_tag|order|ref-number|number|counter|csl-left-margin)(?:$|[\s_-])")
_BUTTON = re.compile(
    r"(?:google scholar|doi|cross-?ref|pub ?med(?:/ncbi)?(?: central)?|pmc(?: free article)?"
    r"|view (?:article|in article)"
    r"|full text|free full text|article|cas|isi|isi web of science|web of science|scopus|ads|mathscinet|zbmath|medline"
    r"|search google scholar|open in new tab|download(?: pdf)?|pdf|link|go to .{0,40}"
    r"|external link.{0,40}|open url.{0,20}|\^|[a-z]|[↑↩])",
    re.I,
)
_EMPTY_BRACKETS = re.compile(r"(?<!\s)\s*+[\[(]\s*+(?:[,;|·•]\s*+)*+[\])]")
_TAIL = re.compile(r"(?<![\s•·|])\s*+[•·|][\s•·|]*+$")


Entry = tuple[Reference, Element]
"""One entry of a list, and the element it stands in."""


def is_reference_list(element: Element) -> bool:
    """Whether the page's maker calls the element a list of references."""
    if element.tag not in ("ol", "ul", "div", "section", "dl", "aside") or not _LIST.search(names_of(element)):
        return False
    return bool(_entries(element))


def read_references(element: Element, words: LineFiller, first: int) -> Iterator[Entry]:
    """The entries of a list; the keys count on from `first`."""
    for item in _entries(element):
        entry = read_reference(item, words, first)
        if entry is not None:
            first += 1
            yield entry


def read_reference(item: Element, words: LineFiller, number: int) -> Entry | None:
    """One entry, or None where there are no words in it."""
    label_element = next((e for e in item.iterdescendants() if is_element(e) and _is_label(e, item)), None)
    label = clean_line(plain_text(label_element)) if label_element is not None else ""
    keep = words.drop
    words.drop = lambda e: e is label_element or _is_button(e)
    line = Inline()
    words.fill(line, item)
    words.drop = keep
    text = _TAIL.sub("", _EMPTY_BRACKETS.sub("", line.text)).strip(" ^|·•")
    if not label:
        label, text = numbered_entry(text)
    if not label and item.tag == "li" and item.getparent() is not None and item.getparent().tag == "ol":
        label = str(number)
    if not re.search(r"\w", text):
        return None
    return _identified(Reference(f"b{number}", text, label.rstrip(".")), item), item


def _entries(element: Element) -> list[Element]:
    items = [
        li for li in elements(element, "li") if not any(e is not element and e.tag == "li" for e in li.iterancestors())
    ]
    if items:
        return [li for li in items if plain_text(li)]
    parts = [e for e in element.iterdescendants() if is_element(e) and e.tag in ("div", "p", "dd", "tr")]
    entries = [e for e in parts if _ENTRY.search(names_of(e)) and not _LIST.search(names_of(e))]
    chosen = entries or [e for e in parts if e.tag in ("p", "dd")]
    known = frozenset(chosen)
    return [e for e in chosen if not any(other in known for other in e.iterancestors())]


def _is_label(element: Element, item: Element) -> bool:
    if element.tag not in ("span", "div", "b", "strong", "sup", "dt") or not _LABEL.search(names_of(element)):
        return False
    before = "".join(item.itertext()).strip()
    label = plain_text(element)
    return 0 < len(label) <= 80 and " ".join(before.split()).startswith(label)


def _is_button(element: Element) -> bool:
    if element.tag in ("a", "span", "sup") and len(element) < 3:
        words = plain_text(element).strip("[]() ")
        linked = element.tag == "a" or next(elements(element, "a"), None) is not None
        return bool(linked and _BUTTON.fullmatch(words))
    return bool(element.tag == "ul")


def _identified(reference: Reference, item: Element) -> Reference:
    """The reference with what its links and its text say it is."""
    doi = arxiv_id = pmid = url = ""
    for link in elements(item, "a"):
        href = (link.get("href") or "").strip()
        if not href.startswith("http"):
            continue
        doi = doi or (find_doi(href) if "doi.org/" in href else "")
        arxiv_id = arxiv_id or find_arxiv_id(href)
        pmid = pmid or (normal_pmid(href) if "ncbi.nlm.nih.gov" in href else "")
        shows_address = plain_text(link).startswith(("http", "www."))
        if not url and shows_address and "doi.org/" not in href:
            url = clean_line(href)[:2000]
    text = reference.text
    return replace(reference, doi=doi or find_doi(text), arxiv_id=arxiv_id or find_arxiv_id(text), pmid=pmid, url=url)


def enriched(references: list[Reference], values: list[str]) -> list[Reference]:
    """References with what the page's `citation_reference` values say, where these are as many and fit."""
    if len(values) != len(references):
        return references
    return [_enriched(reference, value) for reference, value in zip(references, values, strict=True)]


def _enriched(reference: Reference, value: str) -> Reference:
    fields: dict[str, list[str]] = {}
    for part in re.split(r";\s*(?=citation_)", value):
        name, _, content = part.partition("=")
        if content.strip(" ;"):
            fields.setdefault(name.strip().removeprefix("citation_"), []).append(clean_line(content.strip(" ;")))
    title = fields.get("title", [""])[0]
    if not title or folded(title)[:60] not in folded(reference.text):
        return reference
    year = re.match(r"(?:1[5-9]|20)\d\d", next(iter(fields.get("publication_date") or fields.get("year") or [""])))
    names = [
        name
        for value in fields.get("author", [])
        for name in re.split(r"(?<!\s)\s*+;\s*+|,\s+(?=\S+ \S)", value)
        if name
    ]
    first, last = fields.get("firstpage", [""])[0], fields.get("lastpage", [""])[0]
    return replace(
        reference,
        title=title,
        authors=tuple(author_of_name(name) for name in names),
        year=int(year[0]) if year else None,
        venue=fields.get("journal_title", [""])[0],
        volume=fields.get("volume", [""])[0],
        pages=f"{first}–{last}" if first and last else first or fields.get("pages", [""])[0],
        doi=reference.doi or find_doi(fields.get("doi", [""])[0]),
    )
