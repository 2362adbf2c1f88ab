"""How well web pages, Word files, e-books and LaTeX are read, against articles whose text is known.

Run `python benchmarks/documents.py [--data DIR] [--files N] [--formats html,docx,epub,latex]`. JATS articles of
`pdf_jose` and `jats_plos` under DIR become pages in the shape of six publishers, with navigation, cookie notes and
related articles around them; Word files; e-books; LaTeX. Each is read back.

* body: similarity of the words of all paragraphs with the truth, 2 × matching / (both), in order (difflib).
* headings: F1 of section headings, and of headings with their level.
* captions, references, marks: share of the truth that was found (marks: that lead to the right reference).
* noise: words of the page's frame per paper that were taken for the article.

Other libraries that are installed (trafilatura, readability-lxml; python-docx, mammoth, docx2python; pylatexenc) are
measured on the same files.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "parse"))

from articles import Article, Cite, Entry, Grid, Heading, Items, Para, Part, Picture, Piece, See, paragraphs

HERE = Path(__file__).resolve()
Run = Callable[[Path, int], None]


def default_data() -> Path:
    """The shared data folder."""
    given = os.environ.get("CONSPECTUS_DATA")
    return Path(given) if given else HERE.parents[2] / "shared" / "data"


# JATS to articles


class JatsArticle:
    """What the benchmark needs of a JATS file; no reader for users."""

    def __init__(self, text: bytes) -> None:
        root = ElementTree.fromstring(text)
        self.front = root.find("front/article-meta")
        self.body = root.find("body")
        self.refs = root.findall("back//ref-list/ref")
        self.numbers = {ref.get("id") or "": i for i, ref in enumerate(self.refs, 1)}
        self.parts: list[Part] = []
        self.ids: set[str] = set()

    def article(self) -> Article | None:
        """The article, or None where there is no text."""
        if self.front is None or self.body is None:
            return None
        for kind in ("fig", "table-wrap"):
            self.ids |= {e.get("id") or "" for e in self.body.iter(kind)}
        self._walk(self.body, 1)
        names = [
            f"{name.findtext('given-names', '')} {name.findtext('surname', '')}".strip()
            for name in self.front.findall(".//contrib[@contrib-type='author']/name")
        ]
        title = self.front.find("title-group/article-title")
        abstract = self.front.find("abstract")
        return Article(
            line(title) if title is not None else "",
            tuple(names),
            "An Institute",
            tuple(filter(None, (line(p) for p in abstract.iter("p")))) if abstract is not None else (),
            tuple(self.parts),
            tuple(Entry(line(ref), ref.findtext(".//pub-id[@pub-id-type='doi']", "")) for ref in self.refs),
            venue="A Journal",
            date="2019-03-07",
        )

    def _walk(self, element: ElementTree.Element, level: int) -> None:
        for child in element:
            if child.tag == "sec":
                title = child.find("title")
                if title is not None and line(title):
                    self.parts.append(Heading(level, line(title)))
                self._walk(child, level + 1)
            elif child.tag == "p":
                self._paragraph(child)
            elif child.tag in ("fig-group", "boxed-text", "disp-quote"):
                self._walk(child, level)
            elif child.tag == "list":
                items = tuple(filter(None, (line(item) for item in child.findall("list-item"))))
                if items:
                    self.parts.append(Items(items))
            elif child.tag in ("fig", "table-wrap"):
                self._float(child)

    def _paragraph(self, p: ElementTree.Element) -> None:
        inner = [e for e in p if e.tag in ("fig", "table-wrap", "list", "disp-formula", "code", "fig-group")]
        for e in inner:
            tail = e.tail
            e_kind = e.tag
            if e_kind in ("fig", "table-wrap"):
                self._float(e)
            at = list(p).index(e)
            p.remove(e)
            if tail and at:
                p[at - 1].tail = (p[at - 1].tail or "") + " " + tail
            elif tail:
                p.text = (p.text or "") + " " + tail
        pieces = tuple(self._merged(list(self._pieces(p))))
        if pieces and "".join(x for x in pieces if isinstance(x, str)).strip():
            self.parts.append(Para(pieces))

    def _pieces(self, element: ElementTree.Element) -> Iterator[Piece]:
        yield element.text or ""
        for child in element:
            rid = child.get("rid") or ""
            if child.tag == "xref" and rid in self.numbers:
                yield Cite((self.numbers[rid],))
            elif child.tag == "xref" and rid in self.ids:
                yield See(rid)
            elif child.tag in ("inline-formula", "tex-math", "code"):
                pass
            elif child.tag != "fn":
                yield from self._pieces(child)
            yield child.tail or ""

    @staticmethod
    def _merged(pieces: list[Piece]) -> Iterator[Piece]:
        """Text pieces put together, white space folded at both ends of the paragraph."""
        text = ""
        for piece in pieces:
            if isinstance(piece, str):
                text += piece
                continue
            if text:
                yield re.sub(r"\s+", " ", text)
            text = ""
            yield piece
        if text:
            yield re.sub(r"\s+", " ", text)

    def _float(self, element: ElementTree.Element) -> None:
        id = element.get("id") or f"x{len(self.parts)}"
        label = (element.findtext("label") or "").strip(" .:")
        caption = " ".join(line(c) for c in element.findall("caption"))
        if not label:
            count = sum(isinstance(p, Picture if element.tag == "fig" else Grid) for p in self.parts) + 1
            label = f"{'Figure' if element.tag == 'fig' else 'Table'} {count}"
        if element.tag == "fig":
            self.parts.append(Picture(id, label, caption, f"{id}.png"))
            return
        rows = [tuple(line(c) for c in row if c.tag in ("td", "th")) for row in element.iter("tr")]
        rows = [row for row in rows if any(row)]
        self.parts.append(Grid(id, label, caption, tuple(rows) or (("a", "b"),)))


def line(element: ElementTree.Element) -> str:
    """Its words on one line."""
    return (
        " ".join(" ".join(element.itertext()).split())
        if element.tag == "ref"
        else " ".join("".join(element.itertext()).split())
    )


def articles(data: Path, count: int) -> Iterator[tuple[str, Article]]:
    """Articles with a body, as many of each collection."""
    for source in (jose(data), plos_files(data)):
        found = 0
        for name, text in source:
            article = JatsArticle(text).article()
            if article is not None and len(paragraphs(article)) > 5:
                yield name, article
                found += 1
            if found >= count:
                break


def jose(data: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted((data / "pdf_jose").glob("*.jats.xml")):
        yield path.name, path.read_bytes()


def plos_files(data: Path) -> Iterator[tuple[str, bytes]]:
    for archive in sorted((data / "jats_plos").glob("*.tar.xz")):
        with tarfile.open(archive) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.name.endswith(".xml") else None
                if file is not None:
                    yield member.name, file.read()


# What was read, and how far it is right


@dataclass
class Got:
    """What one library made of one file."""

    paragraphs: list[str]
    headings: list[tuple[int, str]] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    marks: int = 0


@dataclass
class Score:
    """Sums over files."""

    files: int = 0
    failed: int = 0
    body: float = 0.0
    f1: float = 0.0
    f1_level: float = 0.0
    captions: float = 0.0
    references: float = 0.0
    marks: float = 0.0
    noise: float = 0.0
    seconds: float = 0.0

    def row(self) -> str:
        """The means as a row of a table."""
        n = max(1, self.files)
        values = (self.body, self.f1, self.f1_level, self.captions, self.references, self.marks)
        cells = [f"{value / n:.3f}" for value in values]
        return " | ".join([str(self.files), *cells, f"{self.noise / n:.1f}", f"{1000 * self.seconds / n:.0f}"])


def words(texts: list[str]) -> list[str]:
    return re.findall(r"\w+", " ".join(texts).lower())


def f1(found: list[object], truth: list[object]) -> float:
    if not truth:
        return 1.0 if not found else 0.0
    common = sum((Counter(found) & Counter(truth)).values())
    return 2 * common / (len(found) + len(truth))


def share(found: list[str], truth: list[str]) -> float:
    """The share of the true texts that stand in one of those found."""
    if not truth:
        return 1.0
    folded = ["".join(words([text])) for text in found]
    return sum(any("".join(words([text])) in other for other in folded) for text in truth) / len(truth)


def measure(score: Score, got: Got, article: Article, *, abstract_in_body: bool) -> None:
    truth = paragraphs(article)
    body = got.paragraphs
    if abstract_in_body:
        truth = [*article.abstract, *truth]
    found, wanted = words(body), words(truth)
    matcher = difflib.SequenceMatcher(None, found, wanted, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    score.files += 1
    score.body += 2 * same / max(1, len(found) + len(wanted))
    extra = Counter(found) - Counter(wanted)
    score.noise += sum(extra.values())
    skip = ("abstract", "references")
    heads = [(p.level, p.text.lower()) for p in article.parts if isinstance(p, Heading)]
    seen = [(level, text.lower()) for level, text in got.headings if text.lower() not in skip]
    score.f1 += f1([t for _, t in seen], [t for _, t in heads])
    score.f1_level += f1(list(seen), list(heads))
    score.captions += share(
        got.captions, [p.caption for p in article.parts if isinstance(p, Picture | Grid) and p.caption]
    )
    score.references += share(got.references, [entry.text for entry in article.references])
    cites = sum(
        len(piece.numbers)
        for part in article.parts
        if isinstance(part, Para)
        for piece in part.pieces
        if isinstance(piece, Cite)
    )
    score.marks += min(1.0, got.marks / cites) if cites else 1.0


def ours(paper: object) -> Got:
    """What Conspectus read."""
    from conspectus.records import ParsedPaper

    assert isinstance(paper, ParsedPaper)
    blocks = paper.blocks
    keep = ("paragraph", "abstract")
    tables = {"\n".join(" | ".join(filter(None, row)) for row in f.cells) for f in paper.figures}
    return Got(
        [without_marks(b) for b in blocks if b.kind in keep and b.text not in tables],
        [(b.level, b.text) for b in blocks if b.kind == "heading"],
        [b.text for b in blocks if b.kind == "caption"],
        [r.text for r in paper.references] or [b.text for b in blocks if b.kind == "reference"],
        sum(len(m.targets) for b in blocks for m in b.marks if m.kind == "reference"),
    )


def without_marks(block: object) -> str:
    text: str = block.text  # type: ignore[attr-defined]
    for mark in reversed(block.marks):  # type: ignore[attr-defined]
        if mark.kind in ("reference", "footnote"):
            text = text[: mark.start] + " " + text[mark.end :]
    return text


# Web pages


def html_readers() -> dict[str, Callable[[bytes], Got]]:
    from conspectus.parse.markup.page import paper_of_page

    found: dict[str, Callable[[bytes], Got]] = {"conspectus": lambda data: ours(paper_of_page(data, "page.html"))}
    try:
        import trafilatura

        def by_trafilatura(data: bytes) -> Got:
            xml = trafilatura.extract(data, output_format="xml", include_tables=False, include_comments=False)
            return xml_got(xml or "<doc/>")

        found["trafilatura"] = by_trafilatura
        found["trafilatura, recall"] = lambda data: xml_got(
            trafilatura.extract(
                data, output_format="xml", include_tables=False, include_comments=False, favor_recall=True
            )
            or "<doc/>"
        )
    except ImportError:
        pass
    try:
        from readability import Document

        def by_readability(data: bytes) -> Got:
            return html_got(Document(data.decode()).summary())

        found["readability-lxml"] = by_readability
    except ImportError:
        pass
    return found


def xml_got(xml: str) -> Got:
    root = ElementTree.fromstring(xml)
    heads = [(max(1, int(h.get("rend", "h2")[1:2] or 2) - 1), line(h)) for h in root.iter("head")]
    stop = next((i for i, (_, text) in enumerate(heads) if text.lower() == "references"), None)
    texts, refs, in_refs = [], [], False
    for element in root.iter():
        if element.tag == "head":
            in_refs = line(element).lower() == "references"
        elif element.tag in ("p", "item", "quote"):
            (refs if in_refs else texts).append(line(element))
    return Got(texts, heads[:stop] if stop is not None else heads, texts, refs)


def html_got(text: str) -> Got:
    from lxml import html

    root = html.fromstring(text)
    got = Got([])
    in_refs = False
    for element in root.iter("h1", "h2", "h3", "h4", "h5", "p", "li", "figcaption"):
        value = " ".join(element.text_content().split())
        if element.tag[0] == "h":
            in_refs = value.lower() == "references"
            got.headings.append((max(1, int(element.tag[1]) - 1), value))
        elif element.tag == "figcaption":
            got.captions.append(value)
        elif in_refs:
            got.references.append(value)
        else:
            got.paragraphs.append(value)
    return got


def run_html(data: Path, count: int) -> None:
    from render_html import SHAPES

    readers = html_readers()
    per_shape: dict[tuple[str, str], Score] = {}
    for _, article in articles(data, count):
        for shape, render in SHAPES.items():
            page = render(article).encode()
            for name, reader in readers.items():
                score = per_shape.setdefault((name, shape), Score())
                run(score, lambda reader=reader, page=page: reader(page), article, abstract_in_body=True)
    report("web pages", {f"{name} · {shape}": score for (name, shape), score in per_shape.items()})


def run(score: Score, read: Callable[[], Got], article: Article, *, abstract_in_body: bool) -> None:
    began = time.process_time()
    try:
        got = read()
    except Exception as error:  # noqa: BLE001 - a failure counts
        score.failed += 1
        score.files += 1
        print(f"  failed: {type(error).__name__}: {error}"[:200], file=sys.stderr)
        return
    score.seconds += time.process_time() - began
    measure(score, got, article, abstract_in_body=abstract_in_body)


def report(title: str, scores: dict[str, Score]) -> None:
    print(
        f"\n{title}\n| reader | files | body | headings F1 | with level | captions | references | marks | noise | ms |"
    )
    print("| --- " * 10 + "|")
    for name, score in scores.items():
        print(f"| {name} | {score.row()} |" + (f" {score.failed} failed" if score.failed else ""))


# Word files, e-books, LaTeX


def docx_readers() -> dict[str, Callable[[Path], Got]]:
    from conspectus.parse.markup.word import read_docx

    found: dict[str, Callable[[Path], Got]] = {"conspectus": lambda path: ours(read_docx(path))}
    try:
        import docx

        found["python-docx"] = lambda path: styled(
            [(p.style.name, p.text) for p in docx.Document(str(path)).paragraphs]
        )
    except ImportError:
        pass
    try:
        import mammoth

        def by_mammoth(path: Path) -> Got:
            with path.open("rb") as file:
                return html_got(f"<div>{mammoth.convert_to_html(file).value}</div>")

        found["mammoth"] = by_mammoth
    except ImportError:
        pass
    try:
        from docx2python import docx2python

        def by_docx2python(path: Path) -> Got:
            with docx2python(path) as file:
                lines = [line for line in file.text.split("\n") if line.strip()]
            return styled([("", re.sub(r"<[^<>]{1,200}>|----.*?----", "", line).strip()) for line in lines])

        found["docx2python"] = by_docx2python
    except ImportError:
        pass
    return found


def styled(lines: list[tuple[str, str]]) -> Got:
    """Paragraphs by their style names."""
    got = Got([])
    in_refs = False
    for style, text in lines:
        if style.startswith("Heading"):
            in_refs = text.lower() == "references"
            got.headings.append((int(style[-1]), text))
        elif style == "Caption":
            got.captions.append(text)
        elif text and style != "Title":
            (got.references if in_refs else got.paragraphs).append(text)
    return got


def run_files(
    title: str, ending: str, render: Callable[[Article], bytes], readers: dict[str, Callable[[Path], Got]]
) -> Run:
    def measured(data: Path, count: int) -> None:
        scores: dict[str, Score] = {}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"paper{ending}")
            for _, article in articles(data, count):
                path.write_bytes(render(article))
                for name, reader in readers.items():
                    score = scores.setdefault(name, Score())
                    run(score, lambda reader=reader: reader(path), article, abstract_in_body=True)
        report(title, scores)

    return measured


def run_docx(data: Path, count: int) -> None:
    from render_docx import docx

    run_files("Word files", ".docx", docx, docx_readers())(data, count)


def run_epub(data: Path, count: int) -> None:
    from render_epub import epub

    from conspectus.parse.markup.epub import read_epub

    run_files("e-books", ".epub", epub, {"conspectus": lambda path: ours(read_epub(path))})(data, count)


def run_latex(data: Path, count: int) -> None:
    from render_tex import archive, document

    from conspectus.parse.markup.latex import read_tex_archive

    def source(article: Article) -> bytes:
        return archive({"main.tex": document(article).encode()})

    readers = {"conspectus": lambda path: ours(read_tex_archive(path)), **tex_peers()}
    run_files("LaTeX", ".tar.gz", source, readers)(data, count)


def tex_peers() -> dict[str, Callable[[Path], Got]]:
    try:
        from pylatexenc.latex2text import LatexNodes2Text
    except ImportError:
        return {}

    def by_pylatexenc(path: Path) -> Got:
        with tarfile.open(path) as tar:
            source = tar.extractfile("main.tex").read().decode()  # type: ignore[union-attr]
        text = LatexNodes2Text().latex_to_text(source[source.find(r"\begin{document}") :])
        parts = [" ".join(part.split()) for part in text.split("\n\n")]
        heads = [(1, part.strip("§ .")) for part in parts if part.startswith("§")]
        return Got([part for part in parts if part and not part.startswith("§")], heads)

    return {"pylatexenc": by_pylatexenc}


RUNS: dict[str, Run] = {"html": run_html, "docx": run_docx, "epub": run_epub, "latex": run_latex}


def main() -> None:
    """Measures what is asked for and prints one table a format."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default_data())
    parser.add_argument("--files", type=int, default=10, help="articles of each collection")
    parser.add_argument("--formats", default=",".join(RUNS))
    given = parser.parse_args()
    for name in given.formats.split(","):
        RUNS[name](given.data, given.files)


if __name__ == "__main__":
    main()
