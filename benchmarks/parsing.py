"""How well PDF files are read: titles, authors, abstracts, and whether rectangles hold exactly their sentence's words.

Run `python benchmarks/parsing.py [--data DIR] [--show]`; DIR holds `pdf_jose` and `pdf_rescience`, papers with their
publisher's metadata. The default is the environment's CONSPECTUS_DATA, else `../shared/data` beside the repository.

Read back: another library (pdfplumber) gives the characters of each page. Those whose centre lies within a rectangle of
a span, in order of the rectangles and then from left to right, must be the span's characters: without white space, in
NFKC form, hyphens at line ends left out on both sides. Nothing else is forgiven.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pdfplumber
import pypdfium2

from conspectus.parse.pdf import read_pdf
from conspectus.records import ParsedPaper, Place, normal_name

HYPHENS = "-\u2010\u00ad"
READ_BACK = ("paragraph", "abstract", "caption")


@dataclass
class Truth:
    """What the publisher's record says of one file."""

    path: Path
    title: str
    authors: tuple[str, ...]
    abstract: str


@dataclass
class Tally:
    """Counts over all files."""

    files: int = 0
    read: int = 0
    titles: int = 0
    authors: int = 0
    abstracts: int = 0
    with_abstract: int = 0
    spans: int = 0
    exact: int = 0
    pages: int = 0
    seconds: float = 0.0
    bare_seconds: float = 0.0
    misses: list[str] = field(default_factory=list)


def default_data() -> Path:
    """The shared data folder."""
    given = os.environ.get("CONSPECTUS_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"


def truths(data: Path) -> Iterator[Truth]:
    """The files and what is known of them, in order of their names."""
    for path in sorted((data / "pdf_jose").glob("*.pdf")):
        yield from_jats(path)
    for path in sorted((data / "pdf_rescience").glob("*.pdf")):
        yield from_yaml(path)


def from_jats(path: Path) -> Truth:
    """The front matter of the JATS file beside `path`."""
    from xml.etree import ElementTree

    front = ElementTree.parse(path.with_suffix(".jats.xml")).getroot().find("front/article-meta")
    assert front is not None
    title = front.find("title-group/article-title")
    names = [
        " ".join(filter(None, (name.findtext("given-names"), name.findtext("surname"))))
        for name in front.findall("contrib-group/contrib[@contrib-type='author']/name")
    ]
    abstract = front.find("abstract")
    return Truth(
        path,
        "".join(title.itertext()) if title is not None else "",
        tuple(names),
        "".join(abstract.itertext()) if abstract is not None else "",
    )


def from_yaml(path: Path) -> Truth:
    """The few keys needed of the YAML file beside `path`; its format is simple enough to go without a YAML library."""
    text = path.with_suffix(".yaml").read_text(encoding="utf-8")
    authors = text.partition("\nauthors:")[2].partition("\naffiliations:")[0]
    names = re.findall(r"^\s*-\s*name:\s*(.+?)\s*(?:#.*)?$", authors, re.M)
    return Truth(
        path, yaml_value(text, "title"), tuple(name.strip("\"'") for name in names), yaml_value(text, "abstract")
    )


def yaml_value(text: str, key: str) -> str:
    """A plain or double-quoted scalar, over one line or several."""
    found = re.search(rf'^{key}:\s*(?:"((?:[^"\\]|\\.)*)"|\'((?:[^\']|\'\')*)\'|(.*))', text, re.M)
    if not found:
        return ""
    value = found.group(1) or found.group(2) or found.group(3) or ""
    return " ".join(value.replace("''", "'").replace('\\"', '"').split())


def folded(text: str) -> str:
    """`text` without case, accents, punctuation and white space."""
    return re.sub(r"[\W_]", "", normal_name(unicodedata.normalize("NFKC", text)))


def squeezed(text: str) -> str:
    """`text` in NFKC form without white space and hyphens at line ends (which `read_back` marks)."""
    return "".join(unicodedata.normalize("NFKC", text).split())


class ReadBack:
    """The characters of a file as pdfplumber places them."""

    def __init__(self, path: Path) -> None:
        self._document = pdfplumber.open(path)
        self._pages: dict[int, list[dict[str, Any]]] = {}

    def _chars(self, number: int) -> list[dict[str, Any]]:
        """The page's characters, with coordinates relative to the visible box."""
        if number not in self._pages:
            page = self._document.pages[number - 1]
            left, top, _, _ = page.cropbox
            self._pages[number] = [
                {"text": c["text"], "x": (c["x0"] + c["x1"]) / 2 - left, "y": (c["top"] + c["bottom"]) / 2 - top}
                for c in page.chars
                if c["text"].strip()
            ]
            page.close()
        return self._pages[number]

    def lines(self, places: tuple[Place, ...]) -> list[str]:
        """What stands in each rectangle, left to right. A character counts once, in the first rectangle that has it."""
        taken: set[tuple[int, int]] = set()
        found = []
        for place in places:
            x0, y0, x1, y1 = place.rect
            inside = []
            for i, char in enumerate(self._chars(place.page)):
                if x0 <= char["x"] <= x1 and y0 <= char["y"] <= y1 and (place.page, i) not in taken:
                    taken.add((place.page, i))
                    inside.append((char["x"], i, char["text"]))
            found.append("".join(text for _, _, text in sorted(inside)))
        return found


def same_words(text: str, lines: list[str]) -> bool:
    """Whether the lines read back are the span's text; a hyphen at a line's end may have been mended away or kept."""
    wanted = squeezed(text)
    read = [squeezed(line) for line in lines]
    at = 0
    for i, line in enumerate(read):
        if wanted.startswith(line, at) and not (
            i + 1 < len(read) and not wanted[at + len(line) :].startswith(read[i + 1][:1])
        ):
            at += len(line)
        elif line[-1:] and line[-1] in HYPHENS and wanted.startswith(line[:-1], at):
            at += len(line) - 1
        else:
            return False
    return at == len(wanted)


def check_spans(paper: ParsedPaper, path: Path, tally: Tally, show: bool) -> None:
    """Reads every span of running text back."""
    back = ReadBack(path)
    for block in paper.blocks:
        if block.kind not in READ_BACK:
            continue
        for sentence in block.sentences:
            text = block.text[sentence.start : sentence.end]
            lines = back.lines(sentence.places)
            tally.spans += 1
            if same_words(text, lines):
                tally.exact += 1
            elif show:
                page = sentence.places[0].page if sentence.places else 0
                print(f"  {path.name} p{page} {block.kind}")
                print(f"    said: {squeezed(text)[:300]}\n    read: {'|'.join(lines)[:300]}")


def check_metadata(paper: ParsedPaper, truth: Truth, tally: Tally) -> None:
    """Compares title, authors and abstract."""
    found = paper.metadata
    if folded(found.title) == folded(truth.title):
        tally.titles += 1
    else:
        tally.misses.append(f"title of {truth.path.name}: {found.title!r}, not {truth.title!r}")
    if [folded(a.name) for a in found.authors] == [folded(name) for name in truth.authors]:
        tally.authors += 1
    else:
        tally.misses.append(
            f"authors of {truth.path.name}: {[a.name for a in found.authors]}, not {list(truth.authors)}"
        )
    tally.abstracts += bool(found.abstract)


def bare_extraction(path: Path) -> None:
    """Nothing but the text of every page, as pypdfium2 gives it."""
    document = pypdfium2.PdfDocument(path)
    for page in document:
        textpage = page.get_textpage()
        textpage.get_text_range()
        textpage.close()
        page.close()
    document.close()


def measure(data: Path, show: bool) -> Tally:
    """Reads and checks all files."""
    tally = Tally()
    for truth in truths(data):
        tally.files += 1
        begin = time.process_time()
        bare_extraction(truth.path)
        middle = time.process_time()
        try:
            paper = read_pdf(truth.path)
        except Exception as error:  # noqa: BLE001 - a benchmark counts whatever goes wrong
            tally.misses.append(f"{truth.path.name} not read: {error}")
            continue
        tally.seconds += time.process_time() - middle
        tally.bare_seconds += middle - begin
        tally.read += 1
        tally.pages += paper.pages
        before = tally.spans, tally.exact
        check_metadata(paper, truth, tally)
        check_spans(paper, truth.path, tally, show)
        spans, exact = tally.spans - before[0], tally.exact - before[1]
        if show:
            counts = Counter(block.kind for block in paper.blocks)
            print(f"{truth.path.name}: {exact}/{spans} spans, {dict(counts)}")
    return tally


def report(tally: Tally) -> bool:
    """Prints the table; returns whether all targets are met."""
    files, pages = max(tally.files, 1), max(tally.pages, 1)
    titles, exact = tally.titles / files, tally.exact / max(tally.spans, 1)
    per_page, bare = 1000 * tally.seconds / pages, 1000 * tally.bare_seconds / pages
    rows = [
        ("files read", f"{tally.read} of {tally.files}", "all", tally.read == tally.files),
        ("titles right", f"{tally.titles} of {tally.files} ({titles:.1%})", ">= 95 %", titles >= 0.95),
        ("spans read back exactly", f"{tally.exact} of {tally.spans} ({exact:.2%})", ">= 98 %", exact >= 0.98),
        ("CPU-ms a page", f"{per_page:.1f}", "< 30", per_page < 30),
        ("… bare text extraction", f"{bare:.1f} (ratio {per_page / max(bare, 1e-9):.1f})", "-", True),
        ("authors right", f"{tally.authors} of {tally.files}", "-", True),
        ("abstracts found", f"{tally.abstracts} of {tally.files}", "-", True),
    ]
    for name, figure, target, met in rows:
        print(f"{name:26} {figure:28} {target:8} {'ok' if met else 'MISSED'}")
    for miss in tally.misses:
        print(f"- {miss}")
    return all(met for *_, met in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with pdf_jose and pdf_rescience")
    parser.add_argument("--show", action="store_true", help="print every span that does not read back")
    arguments = parser.parse_args()
    if not (arguments.data / "pdf_jose").is_dir():
        print(f"No 'pdf_jose' in '{arguments.data}': give the data folder with --data.", file=sys.stderr)
        return 2
    return 0 if report(measure(arguments.data, arguments.show)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
