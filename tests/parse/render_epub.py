"""An article as an e-book: a page for each section, notes on a page of their own."""

from __future__ import annotations

import io
import zipfile
from html import escape

from articles import Article, Grid, Heading, Note, Part, Picture, Piece
from render_html import Shape

HEAD = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
CONTAINER = (
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


class _Chapter(Shape):
    def cite(self, cite: object) -> str:
        return super().cite(cite).replace('href="#ref', 'href="refs.xhtml#ref')  # type: ignore[arg-type]

    def piece(self, piece: Piece) -> str:
        text = super().piece(piece)
        return text.replace('href="#fn', 'href="notes.xhtml#fn') if isinstance(piece, Note) else text

    def heading(self, part: Heading) -> str:
        return f"<h{part.level}>{escape(part.text)}</h{part.level}>"


def page(body: str, kind: str = "chapter") -> str:
    return f'{HEAD}<head><title>x</title></head><body epub:type="{kind}">{body}</body></html>'


def chapters(article: Article) -> list[list[Part]]:
    found: list[list[Part]] = [[]]
    for part in article.parts:
        if isinstance(part, Heading) and part.level == 1 and found[-1]:
            found.append([])
        found[-1].append(part)
    return found


def epub(article: Article, extra: dict[str, bytes] | None = None) -> bytes:
    """The book's bytes, with more files in it if wanted."""
    shape = _Chapter(article)
    pages = {"nav.xhtml": page('<nav epub:type="toc"><ol><li><a href="c0.xhtml">One</a></li></ol></nav>')}
    pages["abstract.xhtml"] = page("<h1>Abstract</h1>" + "".join(f"<p>{escape(p)}</p>" for p in article.abstract))
    for i, parts in enumerate(chapters(article)):
        pages[f"text/c{i}.xhtml"] = page("".join(shape.part(part) for part in parts).replace('href="', 'href="../'))
    for id in (part.id for part in article.parts if isinstance(part, Picture | Grid)):
        home = next(name for name, text in pages.items() if f'id="{id}"' in text)
        right = f'href="{home.removeprefix("text/")}#{id}"'
        pages = {name: text.replace(f'href="../#{id}"', right) for name, text in pages.items()}
    pages["notes.xhtml"] = page(
        "".join(
            f'<aside epub:type="footnote" id="fn{i}"><p>{escape(n)}</p></aside>' for i, n in enumerate(shape.notes, 1)
        )
    )
    pages["refs.xhtml"] = page(f'<h1>References</h1><ol class="references">{"".join(shape.entries())}</ol>')
    properties = {0: ' properties="nav"'}
    items = "".join(
        f'<item id="i{i}" href="{name}" media-type="application/xhtml+xml"{properties.get(i, "")}/>'
        for i, name in enumerate(pages)
    )
    spine = "".join(f'<itemref idref="i{i}"/>' for i in range(len(pages)))
    people = "".join(f"<dc:creator>{name}</dc:creator>" for name in article.authors)
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(article.title)}</dc:title>{people}<dc:date>{article.date}</dc:date>"
        f"<dc:identifier>doi:{article.doi}</dc:identifier></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    files: dict[str, str | bytes] = {"META-INF/container.xml": CONTAINER, "OEBPS/content.opf": opf}
    files |= {f"OEBPS/{name}": text for name, text in pages.items()}
    files |= extra or {}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip")
        for name, data in files.items():
            book.writestr(name, data)
    return out.getvalue()
