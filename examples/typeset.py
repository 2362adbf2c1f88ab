"""Typesets the primers of `examples/sources` as two-column papers in `examples/papers`.

`python examples/typeset.py` writes the PDFs; with `--check` it writes nothing and exits with 1 where a PDF is not,
byte for byte, what would be written. Needs reportlab, of the same version for the same bytes.
"""

# mypy: disable-error-code="import-untyped"

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import BaseDocTemplate, CondPageBreak, Frame, FrameBreak, PageTemplate, Paragraph, Spacer
from reportlab.platypus.flowables import Flowable

from figures import FIGURES

HERE = Path(__file__).resolve().parent
SOURCES, PAPERS = HERE / "sources", HERE / "papers"
DATE = "1767225600"  # 1 January 2026, the date that the PDFs bear

MARGIN, GUTTER, HEAD, FOOT = 46.0, 18.0, 56.0, 54.0
WIDTH, HEIGHT = A4
COLUMN, LINE = (WIDTH - 2 * MARGIN - GUTTER) / 2, 11.6


@dataclass(frozen=True)
class Block:
    """A heading, a paragraph, a figure or a reference of a source, with its text."""

    kind: str
    text: str


@dataclass(frozen=True)
class Source:
    """A primer as written: what its front matter says, and its blocks from the abstract on."""

    meta: dict[str, str]
    blocks: tuple[Block, ...]

    @property
    def abstract(self) -> str:
        """The paragraph under the heading "Abstract"."""
        return self.blocks[1].text

    @property
    def authors(self) -> str:
        """The authors as one line."""
        return ", ".join(name.strip() for name in self.meta["authors"].split(";"))


def read(path: Path) -> Source:
    """Reads a source: front matter between two lines of dashes, then plain Markdown."""
    _, front, body = re.split(r"^---\n", path.read_text(encoding="utf-8"), maxsplit=2, flags=re.MULTILINE)
    meta = dict(line.split(": ", 1) for line in front.strip().splitlines())
    return Source(meta, tuple(_blocks(body)))


def _blocks(body: str) -> Iterator[Block]:
    for chunk in re.split(r"\n\s*\n", body.strip()):
        text = " ".join(chunk.split())
        if chunk.startswith("## "):
            yield Block("heading", text[3:])
        elif chunk.startswith("!["):
            yield Block("figure", text)
        elif chunk.startswith("- "):
            yield from (Block("reference", " ".join(item.split())) for item in re.split(r"^- ", chunk, flags=re.M)[1:])
        elif not chunk.startswith("# "):
            yield Block("paragraph", text)


@cache
def _divisions() -> dict[str, list[int]]:
    """For each word of the list of hyphenations the places where it may be divided."""
    lines = (SOURCES / "hyphenation.txt").read_text(encoding="utf-8").splitlines()
    words = " ".join(line for line in lines if not line.startswith("#")).lower().split()
    return {
        word.replace("-", ""): [match.start() - index for index, match in enumerate(re.finditer("-", word))]
        for word in words
    }


def hyphenate(word: str) -> list[tuple[str, str]]:
    """The ways to divide `word`, longest beginning first; two letters at least stay on either side."""
    places = [place for place in _divisions().get(word.lower(), []) if 2 <= place <= len(word) - 3]
    return [(word[:place], word[place:]) for place in reversed(places)]


def _style(name: str, size: float, leading: float, font: str = "Times-Roman", **rest: Any) -> ParagraphStyle:
    settings = {"alignment": TA_JUSTIFY, "hyphenationLang": hyphenate, "allowWidows": 0, "allowOrphans": 0} | rest
    return ParagraphStyle(name, fontName=font, fontSize=size, leading=leading, **settings)


STYLES = {
    "title": _style("title", 17, 21, "Times-Bold", alignment=TA_CENTER, spaceAfter=7),
    "authors": _style("authors", 11, 14, alignment=TA_CENTER, spaceAfter=10),
    "abstract": _style("abstract", 9.4, LINE, leftIndent=34, rightIndent=34, spaceAfter=5),
    "heading": _style("heading", 10.6, 13, "Times-Bold", alignment=0, spaceBefore=8, spaceAfter=2.5),
    "first": _style("first", 9.6, LINE),
    "paragraph": _style("paragraph", 9.6, LINE, firstLineIndent=11),
    "caption": _style("caption", 8.4, 10.2, spaceBefore=3),
    "reference": _style("reference", 8.4, 10.2, alignment=0, leftIndent=11, firstLineIndent=-11, spaceAfter=1.2),
}
RAISED = str.maketrans({"⁴": "<super>4</super>", "⁺": "<super>+</super>", "⁻": "<super>–</super>"})


def _paragraph(text: str, style: str, lead: str = "") -> Paragraph:
    return Paragraph(lead + escape(text, quote=False).translate(RAISED), STYLES[style])


def heading(source: Source) -> list[Flowable]:
    """What stands across both columns of the first page."""
    keywords = source.meta["keywords"].replace(";", ",")
    return [
        _paragraph(source.meta["title"], "title"),
        _paragraph(source.authors, "authors"),
        _paragraph(source.abstract, "abstract", "<b>Abstract.</b> "),
        _paragraph(keywords, "abstract", "<b>Keywords:</b> "),
    ]


def body(source: Source) -> Iterator[Flowable]:
    """What flows through the columns. The paragraph after a heading is not indented."""
    after = ""
    for block in source.blocks[2:]:
        if block.kind != "figure":
            if block.kind == "heading":
                yield CondPageBreak(5 * LINE)
            opens = block.kind == "paragraph" and after == "heading"
            yield _paragraph(block.text, "first" if opens else block.kind)
            after = block.kind


def figure(source: Source) -> list[Flowable]:
    """What stands at the top of the second column: the figure and its caption."""
    text = next(block.text for block in source.blocks if block.kind == "figure")
    match = re.fullmatch(r"!\[(Figure \d+\.) (.*)\]\(figure:(\w+)\)", text)
    if match is None:
        raise ValueError(f"Not a figure: {text}")
    number, caption, name = match.groups()
    return [FIGURES[name](COLUMN), _paragraph(caption, "caption", f"<b>{number}</b> "), Spacer(0, 12)]


def _depth(parts: list[Flowable], width: float) -> float:
    return float(sum(part.wrap(width, HEIGHT)[1] + part.getSpaceAfter() for part in parts))


def _furniture(canvas: Any, doc: Any, source: Source) -> None:
    """Draws the running head and the page number."""
    page, series, head = doc.page, f"{source.meta['venue']}, {source.meta['year']}", HEIGHT - HEAD + 16
    canvas.saveState()
    canvas.setFont("Times-Italic", 8.5)
    canvas.drawString(MARGIN, head, series if page == 1 else source.authors)
    canvas.drawRightString(WIDTH - MARGIN, head, "" if page == 1 else source.meta["title"])
    canvas.setLineWidth(0.4)
    canvas.line(MARGIN, head - 5, WIDTH - MARGIN, head - 5)
    canvas.setFont("Times-Roman", 9)
    canvas.drawCentredString(WIDTH / 2, FOOT - 24, str(page))
    canvas.restoreState()


def _frame(x: float, top: float, bottom: float, width: float = COLUMN) -> Frame:
    return Frame(x, bottom, width, top - bottom, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)


def _first(source: Source, bottom: float) -> PageTemplate:
    """The first page: the title above both columns, and the figure above the text of the second."""
    top, left, right = HEIGHT - HEAD, MARGIN, MARGIN + COLUMN + GUTTER
    below = top - 8 - _depth(heading(source), WIDTH - 2 * MARGIN)
    text = below - _depth(figure(source), COLUMN)

    def draw(canvas: Any, doc: Any) -> None:
        _furniture(canvas, doc, source)
        y = below
        for part in figure(source):
            y -= part.wrap(COLUMN, HEIGHT)[1]
            part.drawOn(canvas, right, y)

    frames = [
        _frame(left, top - 6, below, WIDTH - 2 * MARGIN),
        _frame(left, below, bottom),
        _frame(right, text, bottom),
    ]
    return PageTemplate("1", frames, onPage=draw, autoNextPageTemplate="2")


def _later(source: Source, page: int, bottom: float) -> PageTemplate:
    frames = [_frame(x, HEIGHT - HEAD, bottom) for x in (MARGIN, MARGIN + COLUMN + GUTTER)]
    draw = partial(_furniture, source=source)
    return PageTemplate(str(page), frames, onPage=draw, autoNextPageTemplate=str(page + 1))


def build(source: Source, last: int, spare: float = 0.0) -> tuple[bytes, int]:
    """The PDF, where page `last` ends higher by `spare`, and its number of pages."""
    target, meta = BytesIO(), source.meta
    about = {"title": meta["title"], "author": source.authors, "subject": source.abstract, "lang": "en-GB"}
    about |= {"keywords": meta["keywords"].replace(";", ","), "creator": meta["venue"]}
    doc = BaseDocTemplate(target, pagesize=A4, invariant=1, pageCompression=0, **about)
    later = [_later(source, page, FOOT + (spare if page == last else 0)) for page in range(2, last + 2)]
    doc.addPageTemplates([_first(source, FOOT), *later])
    doc.build([*heading(source), FrameBreak(), *body(source)])
    return target.getvalue(), doc.page


def typeset(source: Source) -> bytes:
    """The PDF with the columns of its last page as even as they can be."""
    _, pages = build(source, last=9)
    best, _ = build(source, pages)
    for lines in range(1, 60):
        shorter, count = build(source, pages, lines * LINE)
        if count > pages:
            break
        best = shorter
    return best


def main() -> int:
    """Writes the PDFs, or with `--check` compares them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only tell whether the PDFs are up to date")
    check = parser.parse_args().check
    os.environ["SOURCE_DATE_EPOCH"] = DATE
    stale = 0
    for path in sorted(SOURCES.glob("*.md")):
        target, pdf = PAPERS / f"{path.stem}.pdf", typeset(read(path))
        if target.exists() and target.read_bytes() == pdf:
            continue
        stale += 1
        if not check:
            target.write_bytes(pdf)
        print(f"{target.name}: {'differs' if check else 'written'}", file=sys.stderr if check else sys.stdout)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
