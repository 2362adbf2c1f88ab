"""Articles in JATS and its forerunner NLM, as PMC, PLOS, eLife, BMC and many others write them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from conspectus.core.errors import InputError
from conspectus.parse.xml.build import Keys, PaperBuilder, key_of
from conspectus.parse.xml.jats_body import JatsBody
from conspectus.parse.xml.jats_front import lay_summaries, metadata_of
from conspectus.parse.xml.jats_refs import citations_of
from conspectus.parse.xml.jats_text import JatsText
from conspectus.parse.xml.load import Element, id_of, load, nothing_in, unexpanded_note
from conspectus.records import ParsedPaper

_NOT_THE_PAPER = ("sub-article", "response")
_MISSING = {
    "formula": "Formulas within the text that are only pictures: {n}; [formula] stands where they were.",
    "equation": "Displayed formulas that are only pictures, and were left out: {n}.",
    "image": "Small pictures within the text: {n}; [image] stands where they were.",
}


def read_jats(path: Path) -> ParsedPaper:
    """The article of a file.

    Raises:
        InputError: It is no article in JATS, or is damaged, too large or empty.
    """
    root = load(path)
    if root.tag != "article":
        raise InputError(
            f"'{path.name}' is XML, but no article in JATS: its first element is <{root.tag[:60]}>.",
            "Only articles, TEI and lists of records can be read of XML.",
        )
    return article_of(root, path.name)


def article_of(article: Element, name: str) -> ParsedPaper:
    """The paper of an `article` element.

    Raises:
        InputError: It has no front matter, as other kinds of XML with that element; or all its text is in entities.
        EmptyTextError: There is neither title nor abstract nor text in it.
    """
    if article.find("front") is None and article.find("body") is None:
        raise InputError(
            f"'{name}' is XML with an <article>, but not in JATS: it has neither front matter nor body.",
            "Only articles, TEI and lists of records can be read of XML.",
        )
    warnings = _set_apart(article)
    keys = _keys(article)
    builder = PaperBuilder(keys)
    builder.warnings += warnings
    missing = builder.missing
    text = JatsText(keys, lambda what: missing.update([what]))
    metadata, abstract = metadata_of(article, text)
    for words in abstract:
        builder.text("abstract", words)
    _fill(article, JatsBody(builder, text))
    builder.warnings += [_MISSING[what].format(n=count) for what, count in missing.items()]
    builder.warnings += unexpanded_note(article)
    paper = builder.paper(metadata)
    if not (paper.blocks or paper.figures or metadata.title):
        raise nothing_in(article, name, "Fetch it anew; the publisher may give the text elsewhere.")
    return _record(paper) if not paper.has_full_text else paper


def _fill(article: Element, body: JatsBody) -> None:
    """Body, floats, back matter and references; without a body only the references."""
    main, back, meta = (article.find(path) for path in ("body", "back", "front/article-meta"))
    has_text = main is not None and any(text.strip() for text in main.itertext())
    if has_text and main is not None:
        for summary in lay_summaries(article):
            body.titled(summary, 1, "Summary")
        body.content(main, 1)
    for group in article.iterchildren("floats-group", "floats-wrap"):
        body.content(group, 1)
    if back is not None and has_text:
        body.content(back, 1)
    elif back is not None:
        for references in back.iterchildren("ref-list"):
            body.references(references, 1)
    if meta is not None and has_text:
        body.funding(meta)
        for note in meta.iterfind("author-notes/fn"):
            body.footnote(note, 1)


def _record(paper: ParsedPaper) -> ParsedPaper:
    """An article without text is a record: what stands in front of nothing goes."""
    kept = tuple(block for block in paper.blocks if block.kind in ("abstract", "reference"))
    return replace(paper, blocks=kept, figures=())


def _set_apart(article: Element) -> list[str]:
    """Takes out what is not the paper's own text (reviews, replies, translations), and says so."""
    found: Counter[str] = Counter()
    for part in list(article.iterchildren(*_NOT_THE_PAPER)):
        found[(part.get("article-type") or part.get("response-type") or "part").replace("-", " ")] += 1
        article.remove(part)
    if not found:
        return []
    listed = ", ".join(f"{count} × {name}" if count > 1 else name for name, count in found.items())
    return [f"What is attached to the article was left out: {listed}."]


def _keys(article: Element) -> Keys:
    keys = Keys()
    for ref in article.iter("ref"):
        keys.add_reference(ref, (id_of(citation) for citation in citations_of(ref)))
    for figure in article.iter("fig", "table-wrap"):
        keys.add_figure("table" if figure.tag == "table-wrap" else "figure", figure)
    for group in article.iter("fig-group", "table-wrap-group"):
        inner = [key_of(part) for part in group.iter("fig", "table-wrap")]
        if inner and id_of(group):
            keys.meaning.setdefault(id_of(group), ("table" if inner[0].startswith("t") else "figure", tuple(inner)))
    keys.add_other("footnote", article.iterfind(".//fn"))
    keys.add_other("equation", article.iter("disp-formula"))
    return keys
