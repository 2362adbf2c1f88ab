"""One web page as a paper; pages that are no article (a login, an error) are refused."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from lxml import etree

from conspectus.core.errors import InputError
from conspectus.parse.files.streams import read_limited
from conspectus.parse.markup.page_body import Page, Walker
from conspectus.parse.markup.page_metadata import MetaValues, page_metadata, read_meta_values
from conspectus.parse.markup.page_tree import (
    Element,
    elements,
    folded,
    is_element,
    names_of,
    nothing_in,
    page_tree,
    plain_text,
    remove,
    take_hidden,
)
from conspectus.parse.markup.page_words import enriched, hidden
from conspectus.parse.people.authors import author_of_name
from conspectus.parse.text.blocks import clean_line, hidden_notes
from conspectus.parse.text.identifiers import find_arxiv_id
from conspectus.records import Author, ParsedPaper

_ALWAYS = ("nav", "style", "noscript", "template", "iframe", "object", "embed", "button", "select", "dialog", "svg")
_ROLES = frozenset("navigation banner contentinfo complementary search dialog alertdialog menu menubar".split())
_NOISE = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|navbox|menu|breadcrumbs?|cookies?|consent|gdpr|share|sharing|social|related"
    r"|recommend(?:ed|ations?)|sidebar|newsletter|subscribe|subscription|signup|promo|advert(?:isement)?|ads?|banner"
    r"|comments?|toolbar|popup|modal|overlay|altmetrics?|metrics|widget|skip|skip-?link|toc|table-of-contents|masthead"
    r"|pagination|pager|editsection|noprint|catlinks|printfooter|downloads?|permissions|authors?|byline|author-?list"
    r"|affiliations?|contrib-group|ltx_dates|ltx_page_footer|ltx_page_logo|trending|most-read|feedback|sitesub"
    r"|author-notes|article-?info|article-?meta|entry-meta|post-meta|license(?:-info)?|copyright|crossmark|dateline|hatnote|infobox|ambox|shortdescription)(?:$|[\s_-])"
)
_NOISE_ID = re.compile(
    r"(?:(?:site|page|main|global|top|left|right|mw|article)[-_]?)?(?:nav|navbar|navigation|menu|sidebar|footer|comments"
    r"|respond|share|sharing|breadcrumbs?|toc|cookies?|cookie-?(?:banner|notice|consent|bar)|newsletter|related"
    r"|related-?(?:articles|posts|content)|author-?(?:list|info)|metrics|panel|catlinks|sitesub|disqus_thread|banner)"
)
_MAY_GO = frozenset("div section aside ul ol header footer form table dl details span fieldset".split())
_KEEP = re.compile(
    r"(?:^|[\s_-])(?:abstract|ref-?list|references?|bibliography|ltx_bibliography|article-body)(?:$|[\s_-])"
)
_SPACES = re.compile(r"\s+")
_PROSE = 0.25
_LINKED = 0.6
_ENTER = r"(?:log(?:ging)?[ -]?in|sign(?:ing)?[ -]?in|create (?:an )?account)"
_LOGIN_TITLE = re.compile(
    rf"(?:please |you (?:must|have to|need to) )?{_ENTER}(?:(?: or |/| and ){_ENTER})?"
    r"(?:[ :]+(?:to|with|via|using|for|required|page|here)\b.{0,60})?"
    r"|authentication required|(?:institutional|member|user|account) (?:access|log[ -]?in|sign[ -]?in)|single sign-on"
    r"|shibboleth.{0,40}|(?:your )?session (?:has )?expired",
    re.I,
)
_LOGIN = re.compile(
    r"\b(?:log[ -]?in (?:to|with|via|first|here)|(?:please|must|have to|need to) (?:first )?(?:log|sign)[ -]?in"
    r"|sign[ -]?in (?:to (?:see|read|view|continue|access|your)|with your)|authentication required"
    r"|institutional login|single sign-on|shibboleth|create an account|session (?:has )?expired)\b",
    re.I,
)
_ERROR_TITLE = re.compile(
    r"^(?=.*(?:\b[45]\d\d\b|found|denied|forbidden|error|gateway|unavailable|went wrong|time-?out|too many requests))"
    r"(?:(?:http|an|error|status|code|oops|whoops|sorry|the|this|that|your|our|page|file|document|article|site|access"
    r"|you requested|requested|cannot be|could not be|was|is|has been|not found|found|404|403|410|429|50[0-4]|1"
    r"|denied|forbidden|internal|server|bad gateway|gateway time-?out|service|temporarily|unavailable"
    r"|something went wrong|has|occurred"
    r"|too many requests)\b\W*+)+",
    re.I,
)
_ERROR = re.compile(
    r"\b(?:(?:error|http|status)(?: code)?\W{0,2}[45]\d\d"
    r"|[45]\d\d\W{1,3}(?:error|not found|forbidden|bad gateway|internal)"
    r"|(?:page|file|document|resource|url|address)\b[^.]{0,40}\bnot (?:be )?found|access (?:is |was )?denied"
    r"|internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable|something went wrong"
    r"|an error (?:has )?occurred|gateway time-?out|too many requests)\b",
    re.I,
)
_ROBOT_TITLE = re.compile(
    r"just a moment|one moment,? please|please wait|checking your browser.{0,40}|are you (?:a )?(?:human|robot)"
    r"|captcha|security check|(?:please )?verify (?:that )?you are (?:a )?human|unusual traffic.{0,40}"
    r"|attention required|ddos protection.{0,40}",
    re.I,
)
_ROBOT = re.compile(
    r"\b(?:checking your browser|are you (?:a )?(?:human|robot)\?|(?:solve|complete|enter) (?:the |this )?captcha"
    r"|verify (?:that )?you are (?:a )?human|unusual traffic (?:from|on) your|enable javascript and cookies"
    r"|ddos protection by)\b",
    re.I,
)
_PARTS_OF_TITLE = re.compile(r"(?<!\s)\s*+[|·»]\s*+|(?<!\s)\s++[-–—]\s++")
_LONG = 1500
"""Characters: a page with more text is an article, whatever it says at its top."""

_LONG_TITLE = 300
"""Characters: what refuses says so in less."""

_LEAST_PROSE = 200
"""Characters: paragraphs with so many that say nothing of logins, errors or robots are an article's."""

_LOGIN_HINT = "The download may have met a login: open the address in a browser, sign in, and save the page again."
_OPEN_IT = "Open the address in a browser and save the page from there."
_KINDS = (
    (_ROBOT_TITLE, _ROBOT, "looks like a check for robots", _OPEN_IT),
    (_ERROR_TITLE, _ERROR, "looks like an error page", "Look whether its address is right, and fetch it again."),
    (_LOGIN_TITLE, _LOGIN, "looks like a login page", _LOGIN_HINT),
)


def article_root(root: Element) -> Element:
    """The element that holds the article, with what is not part of it taken out."""
    body = next(elements(root, "body"), root)
    for script in list(elements(body, "script")):
        if not (script.get("type") or "").startswith("math/tex"):
            remove(script)
    _open_headings(body)
    for element in [e for tag in _ALWAYS for e in elements(body, tag)]:
        remove(element)
    total = max(1, _prose(body))
    _take_out_noise(body, total)
    best = _main(body, total)
    _take_out_link_lists(best, total)
    return best


def _open_headings(body: Element) -> None:
    """A button that is all there is of a heading folds its section up: its words are the heading's."""
    for heading in elements(body, "h1", "h2", "h3", "h4", "h5", "h6"):
        buttons = list(elements(heading, "button"))
        if len(buttons) == 1 and plain_text(buttons[0]) == plain_text(heading):
            buttons[0].tag = "span"


def _prose(element: Element) -> int:
    """Characters in paragraphs that are not links."""
    count, paragraphs, links = 0, 0, 0
    for event, node in etree.iterwalk(element, ("start", "end", "comment", "pi")):
        step = {"start": 1, "end": -1}.get(event, 0)
        paragraphs += step * (node.tag == "p")
        links += step * (node.tag == "a")
        piece = node.text if event == "start" else node.tail if node is not element else ""
        if piece and paragraphs and not links:
            count += len(_SPACES.sub(" ", piece))
    return count


def _take_out_noise(body: Element, total: int) -> None:
    for element in [e for e in body.iterdescendants() if is_element(e) and e.tag in _MAY_GO]:
        if element.getparent() is None or _is_in(element, ("figure", "math")):
            continue
        names = names_of(element)
        noise = _NOISE.search((element.get("class") or "").lower()) or _NOISE_ID.fullmatch(
            (element.get("id") or "").lower()
        )
        framing = (element.get("role") or "").lower() in _ROLES or _is_frame(element)
        if not (noise or framing or hidden(element)) or _KEEP.search(names):
            continue
        if (element.tag == "span" and not hidden(element)) or _holds(element, "math", "h1"):
            continue
        if _prose(element) < _PROSE * total and not any(
            _KEEP.search(names_of(e)) for e in element.iter() if is_element(e)
        ):
            remove(element)


def _holds(element: Element, *tags: str) -> bool:
    return next(elements(element, *tags), None) is not None


def _is_frame(element: Element) -> bool:
    """A header or footer of the page, a column beside it."""
    if element.tag == "footer":
        return True
    if element.tag == "header":
        return not _is_in(element, ("article", "main")) and not _holds(element, "h1")
    return element.tag in ("aside", "form") and "note" not in names_of(element)


def _is_in(element: Element, tags: tuple[str, ...]) -> bool:
    return any(parent.tag in tags for parent in element.iterancestors())


def _main(body: Element, total: int) -> Element:
    """The smallest `main` or `article` with nearly all text, and with the references; else the body."""
    candidates = list(elements(body, "article", "main"))
    candidates += [e for e in elements(body, "div", "section") if (e.get("role") or "").lower() == "main"]
    fitting = [e for e in candidates if _prose(e) >= 0.7 * total]
    parts = (e for e in body.iterdescendants() if is_element(e) and _KEEP.search(names_of(e)))
    counts = Counter(outer for e in parts for outer in e.iterancestors())
    most = max((counts[e] for e in fitting), default=0)
    return min((e for e in fitting if counts[e] == most), key=lambda e: len(plain_text(e)), default=body)


def _take_out_link_lists(root: Element, total: int) -> None:
    """Lists and boxes that are mostly links to elsewhere go, unless they are references, tables or parts of prose."""
    for element in [e for e in root.iterdescendants() if is_element(e) and e.tag in ("ul", "div", "dl", "aside")]:
        if element.getparent() is None or _is_in(element, ("figure", "table", "li", "p")):
            continue
        text = len(plain_text(element))
        if not text or text > 0.2 * max(total, 1) + 400 or _in_references(element):
            continue
        away = sum(len(plain_text(a)) for a in elements(element, "a") if not (a.get("href") or "").startswith("#"))
        inner = sum(1 for _ in elements(element, "p", "figure", "img", "h1", "table", "math"))
        if away > _LINKED * text and not inner:
            remove(element)


def _in_references(element: Element) -> bool:
    near = [element, *element.iterancestors(), *(e for e in element.iterdescendants() if is_element(e))]
    return any(_KEEP.search(names_of(e)) or "cit" in names_of(e) for e in near)


def refuse_no_article(root: Element, meta_values: MetaValues, name: str) -> None:
    """Does nothing for a page that may be an article.

    Raises:
        InputError: The page is clearly something else; the message says what.
        EmptyTextError, LimitError: There are no words in it, or they lie too deep.
    """
    body = next(elements(root, "body"), root)
    for script in [*elements(body, "script", "style", "noscript")]:
        script.text = script.text if "math" in (script.get("type") or "") else None
    text = plain_text(body)
    if meta_values.get("citation_title") or meta_values.get("citation_abstract") or len(text) > _LONG:
        return
    password = any((e.get("type") or "").lower() == "password" for e in elements(body, "input"))
    if password:
        raise InputError(f"'{name}' looks like a login page.", _LOGIN_HINT)
    titles = [] if _has_prose(body) else _titles(root, body)
    for title_pattern, pattern, what, hint in _KINDS:
        if any(title_pattern.fullmatch(title) for title in titles) or (len(text) < 300 and pattern.search(text)):
            raise InputError(f"'{name}' {what}.", hint)
    if not text and not meta_values:
        raise nothing_in(root, name)


def _titles(root: Element, body: Element) -> list[str]:
    """What may be a short title of the page, each as a whole: parts of what the window shows, the highest headings."""
    title_parts = [part for e in elements(root, "title") for part in _PARTS_OF_TITLE.split(plain_text(e))]
    headings = [*elements(body, "h1")] or [*elements(body, "h2")]
    titles = (title.strip(" .…!?:") for title in (*title_parts, *map(plain_text, headings)))
    return [title for title in titles if len(title) < _LONG_TITLE]


def _has_prose(body: Element) -> bool:
    paragraphs = [plain_text(e) for e in elements(body, "p")]
    return sum(len(p) for p in paragraphs if not any(pattern.search(p) for _, pattern, _, _ in _KINDS)) >= _LEAST_PROSE


MAX_BYTES = 64 * 2**20
_AUTHOR = re.compile(r"(?:^|\s)(?:ltx_personname|p-author|author-name|byline__name|byline-name)(?:$|\s)")
_ONLY_ABSTRACT = "The page has no full text; only its abstract was read."


def read_html(path: Path) -> ParsedPaper:
    """The paper of a web page.

    Raises:
        LimitError: The file is larger than 64 MiB, or its text lies too deep.
        InputError: It is no page, or one that is clearly no article (a login, an error).
        EmptyTextError: There is nothing to read in it.
    """
    return paper_of_page(read_limited(path, MAX_BYTES, "a web page"), path.name)


def paper_of_page(data: bytes, name: str) -> ParsedPaper:
    """The paper of the bytes of a page; raises as `read_html`."""
    root, warnings = page_tree(data, name)
    hidden = take_hidden(root)
    meta_values = read_meta_values(root)
    refuse_no_article(root, meta_values, name)
    metadata, notes = page_metadata(root, meta_values)
    metadata = replace(metadata, authors=metadata.authors or _authors(root))
    article = article_root(root)
    page = Page()
    title = _heading_title(article, metadata.title)
    Walker(page).walk(article)
    builder = page.builder
    builder.references = enriched(builder.references, meta_values.get("citation_reference", []))
    builder.warnings += [*warnings, *notes, *hidden_notes(text for text in hidden if text.reason != "switched off")]
    arxiv_id = metadata.arxiv_id or find_arxiv_id(f"arXiv:{Path(name).stem}")
    paper = builder.article(replace(metadata, title=title or metadata.title, arxiv_id=arxiv_id), title, hidden)
    if not paper.blocks and not paper.metadata.abstract:
        raise nothing_in(root, name)
    if not paper.has_full_text:
        return replace(paper, warnings=(*paper.warnings, _ONLY_ABSTRACT))
    return paper


def _heading_title(article: Element, meta_title: str) -> str:
    """The title as the article's own first or only `h1` has it, else as given."""
    heads = [text for head in elements(article, "h1") if (text := clean_line(plain_text(head)))]
    same = next((text for text in heads if folded(text) == folded(meta_title)), "")
    return same or (heads[0] if len(heads) == 1 and len(heads[0]) > 3 else meta_title)


def _authors(root: Element) -> tuple[Author, ...]:
    """Authors that only the page itself names."""
    names = [
        e for e in elements(root, "span", "a", "div", "p") if _AUTHOR.search(names_of(e)) or e.get("rel") == "author"
    ]
    authors: dict[str, Author] = {}
    for element in names[:500]:
        text = re.sub(r"^(?:by|von)\s+", "", plain_text(element), flags=re.I)
        for part in re.split(r"(?<!\s)\s*+(?:,|;|&|\band\b)\s++", text) if len(text) < 300 else ():
            part = re.sub(r"(?<![\d*†‡§\W])[\d*†‡§\W]++$", "", part)  # noqa: PLW2901
            if 2 <= len(part.split()) <= 5 and not re.search(r"[\d@]", part):
                authors.setdefault(part, author_of_name(part))
    return tuple(authors.values())
