"""Small files of every kind that is read, and what spoils them: for tests that one file never stops the others."""

import gzip
import io
import json
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from xml.sax.saxutils import escape

from reportlab.pdfgen.canvas import Canvas

WORDS = "{word} swim at night in the sea of {word}. They sleep by day among the stones."
REFERENCE = "Smith J. Eels of the north. Journal of Eels 12, 2010."


@dataclass(frozen=True)
class Said:
    """What a small paper says, as far as its format can."""

    title: str = ""
    text: str = ""
    heading: str = ""
    reference: str = ""


Render = Callable[[Said], bytes]


def make_paper(word: str) -> Said:
    """A paper about `word`, with text."""
    return Said(f"On {word} and stones", WORDS.format(word=word), "Results")


LITTLE = {
    "nothing": Said(),
    "one sign": Said(text="x"),
    "signs alone": Said(text="- - -"),
    "a title alone": Said("Stones"),
    "a heading alone": Said(heading="Results"),
    "references alone": Said(heading="References", reference=REFERENCE),
}
"""The smallest papers; most of them have no passage."""


def _pdf(said: Said) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(595, 842), invariant=1)
    rows = [(said.title, 18), (said.heading, 13), (said.text, 9), (said.reference, 9)]
    for number, (text, size) in enumerate(row for row in rows if row[0]):
        canvas.setFont("Times-Roman", size)
        canvas.drawString(72, 740 - 40 * number, text)
    canvas.showPage()
    canvas.save()
    return stream.getvalue()


def _html(said: Said) -> bytes:
    list_ = f"<ol><li>{said.reference}</li></ol>" if said.reference else ""
    heading = f"<h2>{said.heading}</h2>" if said.heading else ""
    body = f"<h1>{said.title}</h1>{heading}<p>{said.text}</p>{list_}"
    return f"<!DOCTYPE html><html><head><title>{said.title}</title></head><body>{body}</body></html>".encode()


def _docx(said: Said) -> bytes:
    rows = [("Title", said.title), ("Heading1", said.heading), ("", said.text), ("", said.reference)]
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>' for style, text in rows
    )
    name = "http://schemas.openxmlformats.org"
    return _zip(
        {
            "[Content_Types].xml": f'<Types xmlns="{name}/package/2006/content-types"><Override '
            'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'wordprocessingml.document.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{name}/package/2006/relationships"><Relationship Id="r1" '
            f'Type="{name}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
            "</Relationships>",
            "word/document.xml": f'<w:document xmlns:w="{name}/wordprocessingml/2006/main"><w:body>{body}</w:body>'
            "</w:document>",
        }
    )


def _epub(said: Said) -> bytes:
    page = (
        _html(said)
        .decode()
        .replace("<!DOCTYPE html>", "")
        .replace("<html>", '<html xmlns="http://www.w3.org/1999/xhtml">')
    )
    return _zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "a.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{said.title}</dc:title></metadata><manifest><item '
            'id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine>'
            "</package>",
            "a.xhtml": page,
        }
    )


def _zip(parts: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, text in parts.items():
            file.writestr(zipfile.ZipInfo(name), text)
    return stream.getvalue()


def _latex(said: Said) -> bytes:
    title = f"\\title{{{said.title}}}\\maketitle\n" if said.title else ""
    heading = f"\\section{{{said.heading}}}\n" if said.heading else ""
    entry = f"\\begin{{thebibliography}}{{9}}\\bibitem{{a}} {said.reference}\\end{{thebibliography}}\n"
    body = f"{title}{heading}{said.text}\n\n{entry if said.reference else ''}"
    return f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\\end{{document}}\n".encode()


def _archive(said: Said) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        data = _latex(said)
        info = tarfile.TarInfo("main.tex")
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def _article(said: Said) -> str:
    title = f"<title-group><article-title>{said.title}</article-title></title-group>" if said.title else ""
    section = f"<sec><title>{said.heading}</title><p>{said.text}</p></sec>" if said.heading else f"<p>{said.text}</p>"
    mixed = f"<ref-list><ref><mixed-citation>{said.reference}</mixed-citation></ref></ref-list>"
    return (
        f"<article><front><article-meta>{title}</article-meta></front><body>{section}</body>"
        f"<back>{mixed if said.reference else ''}</back></article>"
    )


def _tei(said: Said) -> bytes:
    listed = f"<listBibl><biblStruct><note>{said.reference}</note></biblStruct></listBibl>" if said.reference else ""
    return (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>'
        f"<title>{said.title}</title></titleStmt></fileDesc></teiHeader><text><body><div><head>{said.heading}</head>"
        f"<p>{said.text}</p></div></body><back>{listed}</back></text></TEI>"
    ).encode()


def _record(said: Said) -> dict[str, str]:
    return {"title": said.title, "abstract": said.text}


def _csv(said: Said, sign: str = ",") -> bytes:
    return f'title{sign}abstract\n"{said.title}"{sign}"{said.text}"\n'.encode()


def _pubmed(said: Said) -> bytes:
    return (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><Article>"
        f"<ArticleTitle>{said.title}</ArticleTitle><Abstract><AbstractText>{said.text}</AbstractText></Abstract>"
        "</Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    ).encode()


def _atom(said: Said) -> bytes:
    entry = f"<entry><title>{said.title}</title><summary>{said.text}</summary></entry>"
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>'.encode()


def _endnote(said: Said) -> bytes:
    return (
        f"<xml><records><record><titles><title>{escape(said.title)}</title></titles>"
        f"<abstract>{escape(said.text)}</abstract></record></records></xml>"
    ).encode()


def _markdown(said: Said) -> bytes:
    parts = [said.title and f"# {said.title}", said.heading and f"## {said.heading}", said.text, said.reference]
    return ("\n\n".join(filter(None, parts)) + "\n").encode()


def _text(said: Said) -> bytes:
    return ("\n\n".join(filter(None, [said.title, said.heading, said.text, said.reference])) + "\n").encode()


def _zipped(render: Render) -> Render:
    return lambda said: gzip.compress(render(said), mtime=0)


def _kinds() -> dict[str, tuple[str, Render]]:
    plain: dict[str, tuple[tuple[str, ...], Render]] = {
        "pdf": ((".pdf",), _pdf),
        "html": ((".html", ".htm", ".xhtml"), _html),
        "docx": ((".docx", ".docm"), _docx),
        "epub": ((".epub",), _epub),
        "latex": ((".tex", ".ltx", ".latex"), _latex),
        "latex-archive": ((".tar.gz", ".tgz"), _archive),
        "jats": ((".nxml", ".xml"), lambda said: _article(said).encode()),
        "jats-set": ((".xml",), lambda said: f"<pmc-articleset>{_article(said)}</pmc-articleset>".encode()),
        "tei": ((".tei", ".xml"), _tei),
        "jsonl": ((".jsonl", ".ndjson"), lambda said: json.dumps(_record(said)).encode() + b"\n"),
        "table": ((".csv",), _csv),
        "tabs": ((".tsv",), lambda said: _csv(said, "\t")),
        "bibtex": (
            (".bib", ".bibtex"),
            lambda said: f"@article{{a, title = {{{said.title}}}, abstract = {{{said.text}}}}}\n".encode(),
        ),
        "ris": ((".ris", ".txt"), lambda said: f"TY  - JOUR\nTI  - {said.title}\nAB  - {said.text}\nER  - \n".encode()),
        "medline": (
            (".nbib", ".medline"),
            lambda said: f"PMID- {zlib.crc32(said.text.encode())}\nTI  - {said.title}\nAB  - {said.text}\n".encode(),
        ),
        "json": ((".json",), lambda said: json.dumps([{**_record(said), "type": "article-journal"}]).encode()),
        "pubmed": ((".xml",), _pubmed),
        "atom": ((".atom", ".xml"), _atom),
        "endnote": ((".xml",), _endnote),
        "markdown": ((".md", ".markdown"), _markdown),
        "text": ((".txt", ".text"), _text),
    }
    found = {f"{name} {suffix}": (suffix, render) for name, (ends, render) in plain.items() for suffix in ends}
    zipped = {f"{name}.gz": (f"{end}.gz", _zipped(render)) for name, (end, render) in found.items() if end in GZIPPED}
    packed = {
        "tex.gz": (".tex.gz", _zipped(_latex)),
        "tar": (".tar", lambda said: gzip.decompress(_archive(said))),
        **zipped,
    }
    return found | packed


GZIPPED = (".xml", ".nxml", ".tei", ".jsonl", ".ndjson", ".csv", ".tsv", ".bib", ".ris", ".nbib", ".json")
KINDS: Mapping[str, tuple[str, Render]] = _kinds()
"""Name -> the ending, and how such a file is made: every ending of every reader."""


@cache
def file(kind: str, said: Said) -> bytes:
    """The bytes of a file of a kind that says this."""
    return KINDS[kind][1](said)


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _flipped(data: bytes) -> bytes:
    return bytes(sign ^ 0x55 if place % 7 == 3 else sign for place, sign in enumerate(data))


SPOILT: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "one byte": lambda data: data[:1],
    "cut in two": _cut,
    "scrambled": _flipped,
    "zeros": lambda data: bytes(len(data)),
    "no UTF-8": lambda data: data[:20] + b"\xff\xfe\x80" + data[20:],
    "another's bytes": lambda _: b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
}
"""What becomes of the bytes of a good file."""
