"""An article as a Word file: made with python-docx, and with notes and formulas, which that cannot make, put in."""

# ruff: noqa: E501 - the XML of other programs

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from articles import Article, Cite, Formula, Grid, Heading, Italic, Items, Math, Note, Para, Picture, See
from docx import Document
from docx.oxml import parse_xml
from PIL import Image

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
FOOTNOTES = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"


class _Writer:
    def __init__(self, article: Article, *, styled: bool) -> None:
        self.article = article
        self.styled = styled
        self.notes: list[str] = []
        self.document = Document()

    def write(self) -> Any:
        document, article = self.document, self.article
        if self.styled:
            document.add_paragraph(article.title, style="Title")
        else:
            document.add_paragraph().add_run(article.title).bold = True
        document.add_paragraph(", ".join(article.authors))
        document.add_paragraph(article.affiliation)
        self.heading("Abstract", 1)
        for text in article.abstract:
            document.add_paragraph(text)
        for part in article.parts:
            self.part(part)
        self.heading("References", 1)
        for i, entry in enumerate(article.references, 1):
            line = document.add_paragraph()
            self.bookmark(line, f"ref{i}")
            line.add_run(f"[{i}] {entry.text}")
        return document

    def heading(self, text: str, level: int) -> None:
        if self.styled:
            self.document.add_heading(text, level)
        else:
            self.document.add_paragraph().add_run(text).bold = True

    def part(self, part: object) -> None:
        document = self.document
        if isinstance(part, Heading):
            self.heading(part.text, part.level)
        elif isinstance(part, Para):
            line = document.add_paragraph()
            for piece in part.pieces:
                self.piece(line, piece)
        elif isinstance(part, Items):
            for item in part.items:
                document.add_paragraph(item, style="List Bullet")
        elif isinstance(part, Formula):
            line = document.add_paragraph()
            math = f"<m:oMath {M}><m:r><m:t>T=</m:t></m:r><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>τ</m:t></m:r></m:den></m:f></m:oMath>"
            line._p.append(parse_xml(f"<m:oMathPara {M}>{math}</m:oMathPara>"))
            line.add_run(f"\t{part.label}")
        elif isinstance(part, Picture):
            picture = io.BytesIO()
            Image.new("RGB", (8, 8)).save(picture, "png")
            picture.seek(0)
            document.add_picture(picture)
            self.caption(part.id, part.label, part.caption)
        elif isinstance(part, Grid):
            self.caption(part.id, part.label, part.caption)
            table = document.add_table(len(part.rows), max(map(len, part.rows)))
            for i, row in enumerate(part.rows):
                for j, cell in enumerate(row):
                    table.cell(i, j).text = cell

    def caption(self, id: str, label: str, text: str) -> None:
        line = self.document.add_paragraph(style="Caption" if self.styled else None)
        self.bookmark(line, id)
        line.add_run(f"{label}. {text}")

    def bookmark(self, line: Any, name: str) -> None:
        line._p.append(parse_xml(f'<w:bookmarkStart {W} w:id="{abs(hash(name)) % 9999}" w:name="{name}"/>'))

    def piece(self, line: Any, piece: object) -> None:
        if isinstance(piece, Cite):
            line.add_run(" [")
            for at, number in enumerate(piece.numbers):
                line.add_run("," if at else "")
                line._p.append(
                    parse_xml(f'<w:hyperlink {W} w:anchor="ref{number}"><w:r><w:t>{number}</w:t></w:r></w:hyperlink>')
                )
            line.add_run("]")
        elif isinstance(piece, See):
            for kind, text in (
                ("begin", ""),
                ("", f" REF {piece.id} \\h "),
                ("separate", ""),
                ("t", self.article.label(piece.id)),
                ("end", ""),
            ):
                if kind in ("begin", "separate", "end"):
                    inner = f'<w:fldChar w:fldCharType="{kind}"/>'
                else:
                    inner = f"<w:t>{text}</w:t>" if kind == "t" else f"<w:instrText>{text}</w:instrText>"
                line._p.append(parse_xml(f"<w:r {W}>{inner}</w:r>"))
        elif isinstance(piece, Math):
            line._p.append(parse_xml(f"<m:oMath {M}><m:r><m:t>q=-k∇T</m:t></m:r></m:oMath>"))
        elif isinstance(piece, Note):
            self.notes.append(piece.text)
            line._p.append(parse_xml(f'<w:r {W}><w:footnoteReference w:id="{len(self.notes)}"/></w:r>'))
        elif isinstance(piece, Italic):
            line.add_run(piece.text).italic = True
        else:
            line.add_run(str(piece))


def docx(article: Article, *, styled: bool = True, core_title: str = "") -> bytes:
    """The file's bytes; without styles headings are only bold."""
    writer = _Writer(article, styled=styled)
    document = writer.write()
    document.core_properties.title = core_title
    document.core_properties.author = "python-docx"
    out = io.BytesIO()
    document.save(out)
    return with_notes(out.getvalue(), writer.notes)


def with_notes(data: bytes, notes: list[str]) -> bytes:
    """The file with footnotes 1, 2 … in it."""
    body = "".join(
        f'<w:footnote w:id="{i}"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> {text}</w:t></w:r></w:p></w:footnote>'
        for i, text in enumerate(notes, 1)
    )
    separator = '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    return replace_parts(data, {"word/footnotes.xml": f"<w:footnotes {W}>{separator}{body}</w:footnotes>".encode()})


def replace_parts(data: bytes, parts: dict[str, bytes]) -> bytes:
    """A zip archive with some of its files put in or replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in parts:
                content = old.read(name)
                if name == "[Content_Types].xml" and "word/footnotes.xml" in parts:
                    line = f'<Override PartName="/word/footnotes.xml" ContentType="{FOOTNOTES}"/></Types>'
                    content = content.replace(b"</Types>", line.encode())
                new.writestr(name, content)
        for name, content in parts.items():
            new.writestr(name, content)
    return out.getvalue()


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
