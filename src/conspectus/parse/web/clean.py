"""What of a page is not the article: navigation, cookie notes, share bars, lists of other articles."""

from __future__ import annotations

import re
from collections import Counter

from lxml import etree

from conspectus.parse.web.tree import Element, elements, is_element, names_of, plain_text, remove
from conspectus.parse.web.words import hidden

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
    found, paragraphs, links = 0, 0, 0
    for event, node in etree.iterwalk(element, ("start", "end", "comment", "pi")):
        step = {"start": 1, "end": -1}.get(event, 0)
        paragraphs += step * (node.tag == "p")
        links += step * (node.tag == "a")
        piece = node.text if event == "start" else node.tail if node is not element else ""
        if piece and paragraphs and not links:
            found += len(_SPACES.sub(" ", piece))
    return found


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
    named = list(elements(body, "article", "main"))
    named += [e for e in elements(body, "div", "section") if (e.get("role") or "").lower() == "main"]
    fitting = [e for e in named if _prose(e) >= 0.7 * total]
    parts = (e for e in body.iterdescendants() if is_element(e) and _KEEP.search(names_of(e)))
    kept = Counter(outer for e in parts for outer in e.iterancestors())
    most = max((kept[e] for e in fitting), default=0)
    return min((e for e in fitting if kept[e] == most), key=lambda e: len(plain_text(e)), default=body)


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
