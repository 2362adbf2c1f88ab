"""One web page as a paper."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from conspectus.parse.blocks import clean_line
from conspectus.parse.concealed import hidden_notes
from conspectus.parse.identifiers import find_arxiv_id
from conspectus.parse.people import author_named
from conspectus.parse.streams import read_whole
from conspectus.parse.web.clean import article_root, refuse_no_article
from conspectus.parse.web.front import without_apparatus
from conspectus.parse.web.meta import named_values, page_metadata
from conspectus.parse.web.references import enriched
from conspectus.parse.web.tree import Element, elements, folded, names_of, nothing_in, page_tree, plain_text
from conspectus.parse.web.unseen import take_hidden
from conspectus.parse.web.walk import Page, Walker
from conspectus.records import Author, ParsedPaper

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
    return paper_of_page(read_whole(path, MAX_BYTES, "a web page"), path.name)


def paper_of_page(data: bytes, name: str) -> ParsedPaper:
    """The paper of the bytes of a page; raises as `read_html`."""
    root, warnings = page_tree(data, name)
    hidden = take_hidden(root)
    named = named_values(root)
    refuse_no_article(root, named, name)
    metadata, notes = page_metadata(root, named)
    metadata = replace(metadata, authors=metadata.authors or _authors(root))
    article = article_root(root)
    page = Page()
    title = _heading_title(article, metadata.title)
    Walker(page).walk(article)
    page.references = enriched(page.references, named.get("citation_reference", []))
    blocks, figures, references = page.finished()
    kept, shown, metadata = without_apparatus(blocks, figures, metadata, title)
    paper = ParsedPaper(
        replace(
            metadata,
            title=title or metadata.title,
            arxiv_id=metadata.arxiv_id or find_arxiv_id(f"arXiv:{Path(name).stem}"),
        ),
        kept,
        warnings=(*warnings, *notes, *hidden_notes(text for text in hidden if text.reason != "switched off")),
        references=tuple(references),
        figures=shown,
        hidden=hidden,
    )
    if not kept and not paper.metadata.abstract:
        raise nothing_in(root, name)
    if not paper.has_full_text:
        return replace(paper, warnings=(*paper.warnings, _ONLY_ABSTRACT))
    return paper


def _heading_title(article: Element, given: str) -> str:
    """The title as the article's own first or only `h1` has it, else as given."""
    heads = [text for head in elements(article, "h1") if (text := clean_line(plain_text(head)))]
    same = next((text for text in heads if folded(text) == folded(given)), "")
    return same or (heads[0] if len(heads) == 1 and len(heads[0]) > 3 else given)


def _authors(root: Element) -> tuple[Author, ...]:
    """Authors that only the page itself names."""
    names = [
        e for e in elements(root, "span", "a", "div", "p") if _AUTHOR.search(names_of(e)) or e.get("rel") == "author"
    ]
    found: dict[str, Author] = {}
    for element in names[:500]:
        text = re.sub(r"^(?:by|von)\s+", "", plain_text(element), flags=re.I)
        for part in re.split(r"(?<!\s)\s*+(?:,|;|&|\band\b)\s++", text) if len(text) < 300 else ():
            part = re.sub(r"(?<![\d*†‡§\W])[\d*†‡§\W]++$", "", part)  # noqa: PLW2901
            if 2 <= len(part.split()) <= 5 and not re.search(r"[\d@]", part):
                found.setdefault(part, author_named(part))
    return tuple(found.values())
