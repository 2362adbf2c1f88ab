"""What becomes of the letters of PDF files: by the reader's own accounts, and counted anew by another hand.

Run `python benchmarks/conservation.py [--data DIR]`; DIR holds `pdf_jose` and `pdf_rescience`, else they are left out.
The typeset documents are those of `tests/parse/typeset`, as they are and with stamps, banners, watermarks, tints and
pictures put under them (needs pypdf).

`accounted` is the part of the characters that PDFium finds on a page (without white space) that are in the account of
the page; `found` the part of them, as a multiset, that stand in blocks, in what was left out, or in hidden
text; `searched or told` the part of pages of which 98 % is in what can be searched (but for title page matter, formulas
and the reference list) or whose account says why not; `silent` the pages that lack more than 2 % and do not say so.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
from parsing_truth import TYPESET, default_data
from results import Figure, store_figures

from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import LEAST_SEARCHED, ParsedPaper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "parse"))
from overlays import OVERLAYS, overlaid

KEPT = ("front", "reference", "equation", "furniture")


@dataclass
class Tally:
    """Counts of one set."""

    files: int = 0
    pages: int = 0
    letters: int = 0
    accounted: int = 0
    printed: int = 0
    found: int = 0
    told: int = 0
    silent: int = 0


def letters(text: str) -> Counter[str]:
    """The letters and digits of a text, in NFKD form, so that ligatures and accents are as they are read."""
    return Counter(char for char in unicodedata.normalize("NFKD", text) if char.isalnum())


def said(paper: ParsedPaper) -> Counter[str]:
    """All letters that the paper has anywhere."""
    blocks = (f"{block.label} {block.text}" for block in paper.blocks)
    return letters(" ".join([*blocks, *(left.text for left in paper.left_out), *(one.text for one in paper.hidden)]))


def count(path: Path, tally: Tally) -> None:
    """Adds one file to the counts."""
    paper = read_pdf(path)
    tally.files += 1
    printed = Counter[str]()
    with pypdfium2.PdfDocument(path) as document:
        for account in paper.accounts:
            text = document[account.page - 1].get_textpage().get_text_range()
            own = len("".join(text.split()))
            printed += letters(text)
            tally.pages += 1
            tally.letters += own
            tally.accounted += min(own, account.letters)
            rest = account.letters * (1 - account.part(*KEPT))
            whole = rest - account.part("text") * account.letters <= (1 - LEAST_SEARCHED) * account.letters
            tally.told += whole or bool(account.why_lacking())
            lost = own - account.letters
            tally.silent += lost > (1 - LEAST_SEARCHED) * own or not (whole or account.why_lacking())
    tally.found += (printed & said(paper)).total()
    tally.printed += printed.total()


def sets(data: Path, folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """The sets by name."""
    typeset = sorted(TYPESET.glob("*.pdf"))
    yield "typeset", typeset
    for name in ("pdf_jose", "pdf_rescience"):
        if files := sorted((data / name).glob("*.pdf")):
            yield name, files
    for name, draw in OVERLAYS.items():
        yield f"typeset, {name}", [overlaid(path, folder / f"{name}-{path.name}", draw) for path in typeset]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with pdf_jose and pdf_rescience")
    arguments = parser.parse_args()
    failed, pages, silent, least = False, 0, 0, 1.0
    print(
        f"{'set':<24} {'files':>5} {'pages':>5} {'accounted':>10} {'found':>8} {'searched or told':>17} {'silent':>6}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, files in sets(arguments.data, Path(folder)):
            tally = Tally()
            for path in files:
                count(path, tally)
            accounted, found = tally.accounted / tally.letters, tally.found / tally.printed
            told = tally.told / tally.pages
            print(
                f"{name:<24} {tally.files:>5} {tally.pages:>5} {accounted:>10.2%} {found:>8.2%} {told:>17.2%}"
                f" {tally.silent:>6}",
                flush=True,
            )
            pages, silent, least = pages + tally.pages, silent + tally.silent, min(least, accounted)
            failed = failed or accounted < 0.995 or found < 0.995 or tally.silent > 0
    what = f"Letters of {pages:,} pages accounted for, at least; pages silent about missing text"
    figure = Figure(what, f"{least:.2%}; {silent}", "≥ 99.5 %; 0")
    store_figures("conservation", "parsing", "python benchmarks/conservation.py", [figure])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
