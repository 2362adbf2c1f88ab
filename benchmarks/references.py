"""How well reference lists and citation marks are read, in text and in PDFs.

Run `python benchmarks/references.py [--data DIR] [--part held-out|developed-on] [--show N]`.

* **Entries**: the references of JATS articles, as their publishers printed them (`mixed-citation`) or, where the file
  has only the parts, in two of twenty-six styles each (`reference_styles.py`): is the title (in styles that print none:
  its absence) and the year right?
* **Marks**: the same articles' texts as running text, their reference lists as printed: does each `xref` lie in a mark
  that leads to its reference, and is each mark one of the publisher's?
* **pdf_jose**: PDFs with the JATS beside them. An entry is found if one of the list's holds its title.

Articles are parted by the hash of their names; nothing was developed on those held out. Titles are compared without
case, accents, punctuation and white space.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from parsing import default_data, fold_text
from reference_styles import TITLED, UNTITLED, Work, print_reference
from reference_truth import Article, Entry, article_of, articles

from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.references.completion import complete
from conspectus.parse.references.entries import parse_reference
from conspectus.parse.text.blocks import text_block
from conspectus.records import Block, Metadata, ParsedPaper, Reference, Sentence

STYLES = (*sorted(TITLED), *sorted(UNTITLED))
Misses = list[str]


def fits(reference: Reference, work: Work, titled: bool = True) -> bool:
    """Whether title and year are right."""
    title = work.title if titled or work.book else ""
    return fold_text(reference.title) == fold_text(title) and reference.year == work.year


def texts(article: Article) -> Iterator[tuple[str, str, Work]]:
    """(style, entry, work) of an article's references."""
    for entry in article.entries:
        work = entry.work
        if not work.title or not work.year:
            continue
        if entry.printed:
            yield "as printed", entry.printed, work
        elif work.authors and ((work.source and work.volume and work.first) or (work.book and work.publisher)):
            chance = hashlib.sha256((article.name + entry.id).encode()).digest()
            for style in sorted({STYLES[chance[0] % len(STYLES)], STYLES[chance[1] % len(STYLES)]}):
                yield style, print_reference(style, work), work


def measure_entries(chosen: Iterable[Article], misses: Misses) -> dict[str, Counter[str]]:
    """Counts for each style."""
    counts: dict[str, Counter[str]] = {}
    for article in chosen:
        for style, text, work in texts(article):
            found, count = parse_reference(text, "b1"), counts.setdefault(style, Counter())
            right = fits(found, work, style not in UNTITLED)
            first = fold_text(found.authors[0].surname) if found.authors else ""
            count["entries"] += 1
            count["title and year"] += right
            count["first author"] += not work.authors or first == fold_text(work.authors[0][0])
            shown = bool(work.doi) and work.doi in text
            count["with DOI"] += shown
            count["DOI"] += shown and found.doi == work.doi.lower()
            if not right:
                misses.append(f"{style}: {text}\n    read {found.title!r} {found.year}, not {work.title!r} {work.year}")
    return counts


def as_paper(article: Article) -> ParsedPaper:
    """The article as a reader without structure gives it: numbered entries where it cites by numbers."""
    names = [text[pointer.start : pointer.end] for text, pointers in article.paragraphs for pointer in pointers]
    numeric = sum(re.fullmatch(r"[\W\d⁰¹²³⁴-⁹]+", name) is not None for name in names) > len(names) / 2
    body = [Block("paragraph", text, (Sentence(0, len(text)),)) for text, _ in article.paragraphs]
    entries = [text_block("reference", entry_text(entry, numeric)) for entry in article.entries]
    return ParsedPaper(Metadata(title=article.name), (*body, *entries))


def entry_text(entry: Entry, numeric: bool) -> str:
    """The entry as printed, else in a usual style; with its number, or with the letter of its year."""
    text = entry.printed or print_reference("plos" if numeric else "apa", entry.work)
    if entry.letter:
        text = text.replace(f"({entry.work.year})", f"({entry.work.year}{entry.letter})", 1)
    return f"{entry.label.strip('.[]()')}. {text}" if numeric else text


def measure_marks(chosen: Iterable[Article], misses: Misses) -> Counter[str]:
    """How many of the publisher's marks are linked, and how many of ours are the publisher's."""
    count: Counter[str] = Counter()
    for article in chosen:
        paper = complete(as_paper(article))
        named = {r.key: entry.id for r, entry in zip(paper.references, article.entries, strict=False)}
        for block, (text, pointers) in zip(paper.blocks, article.paragraphs, strict=False):
            marks = [mark for mark in block.marks if mark.kind == "reference"]
            for pointer in pointers:
                meant = [
                    named.get(key)
                    for m in marks
                    if m.start < pointer.end and pointer.start < m.end
                    for key in m.targets
                ]
                count["truth"] += 1
                count["linked"] += pointer.target in meant
                if pointer.target not in meant:
                    misses.append(f"mark in {article.name}: …{text[max(pointer.start - 60, 0) : pointer.end + 20]}…")
            for mark in marks:
                near = [p.target for p in pointers if mark.start < p.end + 2 and p.start < mark.end + 2]
                count["made"] += 1
                count["right"] += any(named.get(key) in near for key in mark.targets)
    return count


class Running:
    """The running text of a paper without case and punctuation, and its marks in it."""

    def __init__(self, paper: ParsedPaper, named: dict[str, str]) -> None:
        self.text = ""
        self.marks: list[tuple[int, int, set[str]]] = []
        for block in paper.blocks:
            if block.kind not in ("paragraph", "abstract", "caption", "footnote"):
                continue
            at = [len(self.text)]
            for char in block.text:
                self.text += fold_text(char)
                at.append(len(self.text))
            for mark in block.marks:
                if mark.kind == "reference":
                    self.marks.append((at[mark.start], at[mark.end], {named.get(key, "") for key in mark.targets}))

    def meant_after(self, before: str) -> set[str]:
        """What the marks mean that follow right after these words."""
        words = fold_text(before)[-25:]
        meant: set[str] = set()
        for place in re.finditer(re.escape(words), self.text):
            end = place.end()
            for first, last, targets in self.marks:
                if place.end() - 1 <= first <= end + 12 and last >= end:
                    meant |= targets
                    end = max(end, last)
        return meant


def pair(
    paper: ParsedPaper, works: dict[str, Work], titled: bool, count: Counter[str], misses: Misses
) -> dict[str, str]:
    """Which reference of the paper is which work; counts what is found and right."""
    left, named = list(paper.references), {}
    for name, work in works.items():
        count["entries"] += 1
        found = next((reference for reference in left if holds(reference, work, titled)), None)
        if found is None:
            misses.append(f"not found: {work.title} {work.year}")
            continue
        left.remove(found)
        named[found.key] = name
        count["found"] += len(found.text) < 400 + len(work.title) + 40 * len(work.authors)  # not several in one
        count["title and year"] += fits(found, work, titled)
        if not fits(found, work, titled):
            misses.append(f"{found.text}\n    read {found.title!r} {found.year}, not {work.title!r} {work.year}")
    return named


def holds(reference: Reference, work: Work, titled: bool) -> bool:
    """Whether the printed entry is this work's: it has its title, else its author, year and first page."""
    text = fold_text(reference.text)
    if titled or work.book:
        begins = not work.authors or fold_text(work.authors[0][0]) in text[: max(40, text.find(fold_text(work.title)))]
        return fold_text(work.title) in text and begins
    return (
        fold_text(work.authors[0][0]) in text
        and str(work.year) in text
        and (work.first or work.volume) in reference.text
    )


def measure_jose(data: Path, misses: Misses) -> Counter[str]:
    """References and marks of the PDFs with JATS beside them."""
    count: Counter[str] = Counter()
    for path in sorted((data / "pdf_jose").glob("*.pdf")):
        article = article_of(ElementTree.parse(path.with_suffix(".jats.xml")).getroot(), path.name)
        paper = complete(read_pdf(path))
        works = {entry.id: entry.work for entry in article.entries if entry.work.title}
        running = Running(paper, pair(paper, works, True, count, misses))
        for text, pointers in article.paragraphs:
            for pointer in pointers:
                words = fold_text(text[max(pointer.start - 60, 0) : pointer.end])[-45:]
                place = running.text.find(words)
                end = place + len(words)
                linked = place >= 0 and any(
                    a < end <= b + 1 and pointer.target in meant for a, b, meant in running.marks
                )
                count["truth"] += 1
                count["linked"] += linked
                if not linked:
                    misses.append(f"mark in {path.name}: …{text[max(pointer.start - 60, 0) : pointer.end]}")
    return count


def share(part: int, whole: int) -> str:
    return f"{part / whole:6.1%} of {whole:,}" if whole else "–"


def show_lists(title: str, counts: dict[str, Counter[str]]) -> None:
    """A line for each list, and one for all."""
    total: Counter[str] = Counter()
    print(f"\n{title}")
    for name, count in [*counts.items(), ("all", total)]:
        if name != "all":
            total.update(count)
        found, right = share(count["found"], count["entries"]), share(count["title and year"], count["entries"])
        print(
            f"  {name:18} found {found:18} title and year {right:18} marks linked"
            f" {share(count['linked'], count['truth'])}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with the JATS sets and pdf_jose")
    parser.add_argument("--part", choices=("held-out", "developed-on"), default="held-out")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N of the misses of each kind")
    arguments = parser.parse_args()
    if not (arguments.data / "jats_plos").is_dir():
        print(f"No 'jats_plos' in '{arguments.data}': give the data folder with --data.", file=sys.stderr)
        return 2
    chosen = [a for a in articles(arguments.data) if a.held_out == (arguments.part == "held-out")]
    misses: Misses = []
    entries = measure_entries(chosen, misses)
    print(f"Entries of {len(chosen)} articles ({arguments.part})")
    rendered: Counter[str] = Counter()
    for style, count in sorted(entries.items()):
        if style != "as printed":
            rendered.update(count)
    for style, count in [*sorted(entries.items()), ("all styles of ours", rendered)]:
        right, first = share(count["title and year"], count["entries"]), share(count["first author"], count["entries"])
        print(
            f"  {style:18} title and year {right:18} first author {first:18} DOI"
            f" {share(count['DOI'], count['with DOI'])}"
        )
    marks = measure_marks(chosen, misses)
    print(f"\nMarks: linked {share(marks['linked'], marks['truth'])}, right {share(marks['right'], marks['made'])}")
    show_lists("PDFs of pdf_jose", {"pdf_jose": measure_jose(arguments.data, misses)})
    step = max(len(misses) // arguments.show, 1) if arguments.show else 0
    for miss in misses[:: step or 1][: arguments.show]:
        print(f"- {miss}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
