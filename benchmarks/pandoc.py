"""How well pandoc reads LaTeX, Word, e-books, web pages and JATS, beside our readers on the same files.

Run `python benchmarks/pandoc.py PANDOC [--files N] [--latex FOLDER]`. PANDOC is the program
(`pip install pypandoc_binary` in an environment of its own brings it). It runs with `--sandbox`, one process per file.

* Articles whose text is known (`documents.py`): JATS of PLOS and JOSE as they are, and rendered to the other formats.
  The measures are those of `documents.py`, and *cells*, the share of table cells that were read.
* FOLDER of LaTeX: files that have a PDF of the same name beside them (the samples of publishers in TeX Live's
  `texlive-publishers-doc`). *recall*: share of the words of the PDF that were read; *precision*: share of the words
  read that are in the PDF. References and marks are counted.
Each reader's time is wall time per file. Pandoc's includes starting the program, ours does not start one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from documents import Article, Got, Grid, Score, articles, default_data, jose, measure, ours, plos_files, words
from render_docx import docx
from render_epub import epub
from render_html import SHAPES
from render_tex import document

Read = Callable[[Path], "Reading"]
_TEXTS = ("Para", "Plain", "LineBlock")
_REFERENCES = re.compile(r"references|bibliography|literature cited", re.I)


@dataclass
class Reading(Got):
    """What a reader made of a file, and the cells of its tables."""

    cells: list[str] = field(default_factory=list)

    def all_words(self) -> list[str]:
        """Every word that was read, in no order."""
        titles = [text for _, text in self.headings]
        return words([*self.paragraphs, *titles, *self.captions, *self.references, *self.cells])


class PandocTree:
    """Collects paragraphs, headings, captions, references, marks and cells from pandoc's JSON."""

    def __init__(self, tree: dict[str, Any]) -> None:
        self.reading = Reading([])
        self._in_references = False
        self.blocks(tree["meta"].get("abstract", {}).get("c", []), "paragraphs")
        self.blocks(tree["blocks"], "paragraphs")

    def blocks(self, blocks: list[Any], into: str) -> None:
        """Add the text of `blocks` to the list named `into`."""
        for block in blocks:
            kind, content = block["t"], block.get("c")
            if kind in _TEXTS:
                self._add(self.text(content), into)
            elif kind == "Header":
                title = self.text(content[2])
                self._in_references = _REFERENCES.fullmatch(title) is not None
                self.reading.headings.append((content[0], title))
            elif kind == "Figure":
                self._caption(content)
            elif kind == "Table":
                self._caption(content)
                parts = [content[3][1], *(part for body in content[4] for part in body[2:]), content[5][1]]
                self._list([cell[4] for rows in parts for row in rows for cell in row[1]], "cells")
            elif kind == "Div":
                outside = self._in_references
                self._in_references = outside or bool({"refs", "thebibliography"} & {content[0][0], *content[0][1]})
                self.blocks(content[1], into)
                self._in_references = outside
            elif kind in ("BlockQuote", "BulletList", "OrderedList", "DefinitionList"):
                self._list(content, into)

    def _list(self, content: Any, into: str) -> None:
        """Add the blocks at any depth of lists."""
        for part in content if isinstance(content, list) else []:
            self.blocks([part], into) if isinstance(part, dict) else self._list(part, into)

    def _add(self, text: str, into: str) -> None:
        if text:
            getattr(self.reading, "references" if self._in_references else into).append(text)

    def _caption(self, content: Any) -> None:
        self._add(" ".join(self.text(block["c"]) for block in content[1][1] if block["t"] in _TEXTS), "captions")

    def text(self, inlines: Any) -> str:
        """The words of inline elements, without marks, which are counted, and without notes."""
        return " ".join("".join(self._inlines(inlines)).split())

    def _inlines(self, inlines: Any) -> Iterator[str]:
        for inline in inlines if isinstance(inlines, list) else []:
            if isinstance(inline, list):
                yield from self._inlines(inline)
                continue
            kind, content = (inline["t"], inline.get("c")) if isinstance(inline, dict) else ("", None)
            if kind in ("Str", "Space", "SoftBreak", "LineBreak"):
                yield content if kind == "Str" else " "
            elif kind == "Math":
                yield f"${content[1]}$"
            elif kind == "Code":
                yield content[1]
            elif kind == "Cite":
                self.reading.marks += len(content[0])
            elif kind == "Link" and content[2][0].startswith("#") and re.search(r"ref|bib|key", content[2][0]):
                self.reading.marks += 1
            elif kind not in ("Note", "RawInline", "Image"):
                yield from self._inlines(content)


def pandoc_reader(program: str, format: str) -> Read:
    """A reader that runs pandoc."""

    def read(path: Path) -> Reading:
        command = [program, "--sandbox", "-f", format, "-t", "json", str(path)]
        done = subprocess.run(command, capture_output=True, timeout=60, check=True)
        return PandocTree(json.loads(done.stdout)).reading

    return read


def our_reading(path: Path) -> Reading:
    """What Conspectus reads of a file."""
    from conspectus.parse.registry import reader_for

    paper: Any = next(iter(reader_for(path).read(path)))
    cells = [cell for figure in paper.figures for row in figure.cells for cell in row]
    return Reading(**vars(ours(paper)), cells=cells)


def files_of(article: Article, jats: bytes) -> dict[str, tuple[str, bytes]]:
    """Name and content of an article's file by pandoc's name of the format."""
    return {
        "jats": ("paper.nxml", jats),
        "latex": ("paper.tex", document(article).encode()),
        "docx": ("paper.docx", docx(article)),
        "epub": ("paper.epub", epub(article)),
        "html": ("paper.html", SHAPES["plos"](article).encode()),
    }


def compare_articles(program: str, data: Path, count: int) -> None:
    """Print a row per format and reader for articles whose text is known."""
    scores: dict[tuple[str, str], tuple[Score, list[float]]] = {}
    jats = dict((*jose(data), *plos_files(data)))
    with tempfile.TemporaryDirectory() as folder:
        for title, article in articles(data, count):
            true = Counter(c for part in article.parts if isinstance(part, Grid) for row in part.rows for c in row)
            for format, (name, content) in files_of(article, jats[title]).items():
                path = Path(folder, name)
                path.write_bytes(content)
                for reader, read in (("conspectus", our_reading), ("pandoc", pandoc_reader(program, format))):
                    score, cells = scores.setdefault((format, reader), (Score(), []))
                    began = time.perf_counter()
                    reading = read(path)
                    score.seconds += time.perf_counter() - began
                    measure(score, reading, article, abstract_in_body=True)
                    found = (Counter(reading.cells) & true).total()
                    cells.append(found / true.total() if true else 1.0)
    print("| format | reader | files | body | headings | level | captions | references | marks | noise | ms | cells |")
    print("| --- " * 12 + "|")
    for (format, name), (score, cells) in scores.items():
        print(f"| {format} | {name} | {score.row()} | {sum(cells) / len(cells):.3f} |")


def compare_files(files: list[tuple[Path, list[str]]], readers: dict[str, Read]) -> None:
    """Print a row per reader for LaTeX files, given with the words of their PDFs."""
    print("\n| reader | files | failed | recall | precision | references | marks | ms |\n" + "| --- " * 8 + "|")
    for name, read in readers.items():
        failed, recall, precision, references, marks, began = 0, 0.0, 0.0, 0, 0, time.perf_counter()
        for path, true in files:
            try:
                reading = read(path)
            except Exception:  # noqa: BLE001 - a failure counts
                failed += 1
                continue
            found = reading.all_words()
            same = (Counter(found) & Counter(true)).total()
            recall, precision = recall + same / len(true), precision + same / max(1, len(found))
            references, marks = references + len(reading.references), marks + reading.marks
        seconds, count = time.perf_counter() - began, len(files)
        print(
            f"| {name} | {count} | {failed} | {recall / count:.3f} | {precision / max(1, count - failed):.3f}"
            f" | {references} | {marks} | {1000 * seconds / count:.0f} |"
        )


def words_of_pdf(path: Path) -> list[str]:
    """The words of a PDF, with words that are divided at the end of a line put together."""
    import pypdfium2

    pages = [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(path)]
    return words([re.sub(r"[-\ufffe\u0002]\r?\n", "", text) for text in pages])


def main() -> None:
    """Run the comparisons that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--files", type=int, default=12, help="articles of each collection")
    parser.add_argument("--latex", type=Path)
    given = parser.parse_args()
    compare_articles(given.program, default_data(), given.files)
    if given.latex:
        pairs = [(path, path.with_suffix(".pdf")) for path in sorted(given.latex.rglob("*.tex"))]
        pairs = [(tex, pdf) for tex, pdf in pairs if pdf.exists() and b"\\begin{document}" in tex.read_bytes()]
        papers = [(tex, words_of_pdf(pdf)) for tex, pdf in pairs if tex.stat().st_size > 5000]
        readers = {"conspectus": our_reading, "pandoc": pandoc_reader(given.program, "latex")}
        compare_files([(tex, true) for tex, true in papers if 200 < len(true) < 20_000], readers)


if __name__ == "__main__":
    main()
