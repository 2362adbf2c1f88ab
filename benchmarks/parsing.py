"""How well PDF files are read: metadata, words, order, headings, hyphens, and whether rectangles hold their words.

Run `python benchmarks/parsing.py [--data DIR] [--show] [--only PART]`; DIR holds `pdf_jose` and `pdf_rescience`, papers
with their publisher's metadata. The default is the environment's CONSPECTUS_DATA, else `../shared/data` beside the
repository. The typeset documents are those of `tests/parse/typeset`, as they are and stored row by row (needs pypdf).

Read back: another library (pdfplumber) gives the characters of each page. Those whose centre lies within a rectangle of
a span, in order of the rectangles and then from left to right, must be the span's characters: without white space, in
NFKD form, accents and hyphens at line ends left out on both sides; glyphs that stand one above the other may come in
any order. Spans with glyphs that pdfplumber cannot decode are not counted, nor are turned ones (watermarks).
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pdfplumber
import pypdfium2
from parsing_measures import Measures, Share, compare_structure, compare_text, f1, fold_text, grams, tokens
from parsing_truth import Truth, default_data, real_truths, typeset_truths

from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.process.worker import GARBAGE
from conspectus.records import ParsedPaper, Place

HYPHENS = "-\u2010\u00ad"
SPACING_ACCENTS = "´¨ˆ˜ˇ˘˚˙¯¸˝"
READ_BACK = ("paragraph", "abstract", "caption")


@dataclass
class Tally(Measures):
    """Counts over all files of one set."""

    name: str = ""
    files: int = 0
    read: int = 0
    titles: Share = field(default_factory=Share)
    authors: Share = field(default_factory=Share)
    abstracts: Share = field(default_factory=Share)
    spans: Share = field(default_factory=Share)
    pages: int = 0
    seconds: float = 0.0
    bare_seconds: float = 0.0


def squeezed(text: str) -> str:
    """`text` without white space in NFKD form, so that accents printed as glyphs of their own can be left out."""
    whole = unicodedata.normalize("NFKD", "".join(c for c in text if c not in SPACING_ACCENTS))
    return "".join(c for c in whole if not c.isspace() and not unicodedata.combining(c))


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
                if c["text"].strip() and min(abs(c["matrix"][0]), abs(c["matrix"][1])) < 0.01
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


def same_glyphs(text: str, lines: list[str]) -> bool:
    """Whether the rectangles hold exactly the span's glyphs in another order, as the stacked ones of formulas are."""
    read = Counter(squeezed("".join(lines)))
    wanted = Counter(squeezed(text))
    return wanted - read == Counter() and all(c in HYPHENS for c in read - wanted)


def check_spans(paper: ParsedPaper, path: Path, tally: Tally, show: bool) -> None:
    """Reads every span of running text back."""
    back = ReadBack(path)
    for block in paper.blocks:
        if block.kind not in READ_BACK:
            continue
        for sentence in block.sentences:
            text = block.text[sentence.start : sentence.end]
            lines = back.lines(sentence.places)
            if any("(cid:" in line for line in lines):
                continue
            right = same_words(text, lines) or same_glyphs(text, lines)
            tally.spans.add(right)
            if show and not right:
                page = sentence.places[0].page if sentence.places else 0
                print(f"  {path.name} p{page} {block.kind}")
                print(f"    said: {squeezed(text)[:300]}\n    read: {'|'.join(lines)[:300]}")


def check_metadata(paper: ParsedPaper, truth: Truth, bare: str, tally: Tally) -> None:
    """Compares title, authors and abstract, the last where most of it is printed: right if 95 % of its words are."""
    found = paper.metadata
    title = fold_text(found.title) == fold_text(truth.title)
    tally.titles.add(title)
    if not title:
        tally.misses.append(f"title of {truth.path.name}: {found.title!r}, not {truth.title!r}")
    authors = [fold_text(a.name) for a in found.authors] == [fold_text(name) for name in truth.authors]
    tally.authors.add(authors)
    if not authors:
        names = [a.name for a in found.authors]
        tally.misses.append(f"authors of {truth.path.name}: {names}, not {list(truth.authors)}")
    if truth.abstract and is_printed(truth.abstract, bare):
        likeness = same_share(tokens(truth.abstract), tokens(found.abstract))
        tally.abstracts.add(likeness >= 0.95)
        if likeness < 0.95:
            tally.misses.append(f"abstract of {truth.path.name} ({likeness:.2f}): {found.abstract[:150]!r}")


def is_printed(text: str, bare: str) -> bool:
    """Whether most of `text` stands in the file: some publishers' records have abstracts that the paper has not."""
    wanted, printed = set(grams(tokens(text))), set(grams(tokens(bare)))
    return len(wanted & printed) >= 0.8 * len(wanted)


def same_share(wanted: list[str], found: list[str]) -> float:
    """How much of two texts is the same words in the same order, 0 to 1."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, wanted, found, autojunk=False).ratio()


def bare_extraction(path: Path) -> str:
    """Nothing but the text of every page, as pypdfium2 gives it; line-end hyphens are U+0002 or U+FFFE."""
    document = pypdfium2.PdfDocument(path)
    texts = []
    for page in document:
        textpage = page.get_textpage()
        texts.append(textpage.get_text_range())
        textpage.close()
        page.close()
    document.close()
    return "\n".join(texts)


def document_text(paper: ParsedPaper) -> str:
    """All that was read, as one text."""
    return "\n".join([paper.metadata.title, *(block.text for block in paper.blocks)])


def measure(name: str, truths: Iterable[Truth], show: bool) -> Tally:
    """Reads and checks the files of one set."""
    tally = Tally(name=name)
    for truth in truths:
        tally.files += 1
        begin = time.process_time()
        bare = bare_extraction(truth.path)
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
        check_metadata(paper, truth, bare, tally)
        check_spans(paper, truth.path, tally, show)
        if truth.paragraphs:
            compare_text(truth, document_text(paper), bare, tally)
            compare_structure(truth, paper, tally)
        if show:
            counts = Counter(block.kind for block in paper.blocks)
            print(f"{truth.path.name}: {dict(counts)}")
    return tally


def rows(tally: Tally) -> list[tuple[str, Share | float, float]]:
    """What was measured of one set: name, value, and the least that it must be (0: no limit)."""
    scrambled = tally.name == "scrambled"
    everything: list[tuple[str, Share | float, float]] = [
        ("files read", Share(tally.read, tally.files), 1.0),
        ("title right", tally.titles, 0.97),
        ("authors right", tally.authors, 0.92),
        ("abstract right", tally.abstracts, 0.95),
        ("words of the body (4-grams)", tally.words, 0.0),
        ("paragraphs in order", tally.order, 0.95 if scrambled else 0.98),
        ("paragraphs whole", tally.whole, 0.0),
        ("headings F1", f1(tally.heading_recall, tally.heading_precision), 0.92),
        ("headings F1 with level", f1(tally.level_recall, tally.level_precision), 0.85),
        ("running heads, page numbers gone", tally.furniture, 0.98),
        ("line-end hyphens mended", tally.mended, 0.98),
        ("true hyphens kept", tally.kept, 0.97),
        ("captions found", tally.captions, 0.9),
        ("footnotes with label", tally.footnotes, 0.0),
        ("formulas with number", tally.equations, 0.0),
        ("spans read back", tally.spans, 0.99),
    ]
    return [row for row in everything if not isinstance(row[1], Share) or row[1].of]


def report(tally: Tally, misses: bool) -> bool:
    """Prints the table of one set; returns whether all targets are met."""
    print(f"\n{tally.name}: {tally.files} files, {tally.pages} pages")
    met = True
    for name, value, least in rows(tally):
        share = value.value if isinstance(value, Share) else value
        counts = f"{value.good:.0f} of {value.of:.0f}" if isinstance(value, Share) else ""
        good = share >= least
        met = met and good
        print(
            f"{name:34} {share:8.2%} {counts:18} {f'>= {least:.0%}' if least else '-':8} {'ok' if good else 'MISSED'}"
        )
    pages = max(tally.pages, 1)
    per_page, bare = 1000 * tally.seconds / pages, 1000 * tally.bare_seconds / pages
    ratio = per_page / max(bare, 1e-9)
    print(f"CPU-ms a page {per_page:.1f}, bare text {bare:.1f}: ratio {ratio:.1f} (at most 8)")
    if misses:
        for miss in tally.misses:
            print(f"- {miss}")
    return met and ratio <= 8


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with pdf_jose and pdf_rescience")
    parser.add_argument("--show", action="store_true", help="print every span that does not read back")
    parser.add_argument("--misses", action="store_true", help="print what is not as it should be")
    parser.add_argument("--only", default="", help="one set: typeset, scrambled, jose or rescience")
    arguments = parser.parse_args()
    if not (arguments.data / "pdf_jose").is_dir():
        print(f"No 'pdf_jose' in '{arguments.data}': give the data folder with --data.", file=sys.stderr)
        return 2
    met = True
    gc.set_threshold(GARBAGE)  # as the process has it that reads
    with tempfile.TemporaryDirectory() as folder:
        real = list(real_truths(arguments.data))
        sets: dict[str, Any] = {
            "typeset": typeset_truths(),
            "scrambled": typeset_truths(Path(folder)),
            "jose": [truth for truth in real if truth.kind == "jose"],
            "rescience": [truth for truth in real if truth.kind == "rescience"],
        }
        for name, truths in sets.items():
            if arguments.only in ("", name):
                met = report(measure(name, truths, arguments.show), arguments.misses) and met
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
