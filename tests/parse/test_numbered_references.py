"""Numbered reference lists, each entry apart: merged ones lose a work, and its numbers lead to the wrong one."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from pdf_samples import AUTHORS, FIRST, SECOND, THIRD, TITLE, Sheet, save, wrap_lines

from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.references.completion import complete
from conspectus.parse.references.lists import references_of_text
from conspectus.parse.text.blocks import text_block
from conspectus.records import Metadata, ParsedPaper

ENTRIES = [
    "Lind A, Renzo M. Tides of small moons around ringed planets in the outer parts of systems. J Ice. 2011;3:14-18.",
    "Stone B, Roe C. Heat in shells. Ann Snow. 2014;9:1-7.",
    "Quist F. On the melting of moons, with a title that goes on over the end of its line. Ice Phys. 2001;4:2-9.",
    "Haw G, Ivy H. Rings of ice. J Ice. 1999;12:345.",
    "Moe K. Craters and their counts on the leading sides of six moons. J Ice. 2015;8:100-18.",
    "Nord L. Snow on the inner moons. Ice Phys. 1987;1:12.",
]
LABELS = {"[1]": "[{}]", "1.": "{}.", "1": "{}", "1)": "{})", "(1)": "({})"}
FIRST_WORDS = [entry.split()[0] for entry in ENTRIES]


def labelled(label: str) -> list[str]:
    return [f"{label.format(number)} {entry}" for number, entry in enumerate(ENTRIES, 1)]


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("form", ["one line", "lines", "wrapped", "hanging", "with heading"])
def test_every_label_begins_an_entry_of_a_text(label: str, form: str) -> None:
    """Lost otherwise: works that an audit should look at."""
    entries = labelled(label)
    text = {
        "one line": " ".join(entries),
        "lines": "\n".join(entries),
        "wrapped": "\n".join("\n".join(textwrap.wrap(entry, 60)) for entry in entries),
        "hanging": "\n".join("\n".join(textwrap.wrap(entry, 60, subsequent_indent="   ")) for entry in entries),
    }
    text["with heading"] = "References\n" + text["wrapped"]
    found = references_of_text(text[form]).references
    assert [reference.authors[0].family for reference in found] == FIRST_WORDS


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
def test_one_block_with_several_labels_is_several_references(label: str) -> None:
    """Lost otherwise: all entries but the first of lists that a file has as one paragraph."""
    paper = complete(ParsedPaper(Metadata(title=TITLE), (text_block("reference", " ".join(labelled(label))),)))
    assert [reference.authors[0].family for reference in paper.references] == FIRST_WORDS


def test_numbers_inside_an_entry_begin_none() -> None:
    """Lost otherwise: entries cut in two at a number of their own title."""
    entry = "1 Lind A. The 2 Moons. 2 Tides of them. J Ice. 2011;3:14-18."
    paper = complete(ParsedPaper(Metadata(title=TITLE), (text_block("reference", entry),)))
    assert len(paper.references) == 1


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("hang", [0, 14])
@pytest.mark.parametrize("torn", ["", "page", "column"])
def test_every_label_begins_an_entry_of_a_pdf(tmp_path: Path, label: str, hang: int, torn: str) -> None:
    """Lost otherwise: entries of two merged, or of a page's all, whose labels are taken for numbers of lines."""
    sheet = Sheet()
    sheet.put(72, 90, TITLE, "Times-Bold", 17)
    sheet.put(72, 120, AUTHORS, "Times-Roman", 11)
    y = 150.0
    for text in (FIRST, SECOND, THIRD):
        y = sheet.paragraph(72, y, 450, text)
    sheet.put(72, y + 14, "References", "Times-Bold", 12)
    sheets, x, y, top = [sheet], 72, y + 32, y + 32
    for number in range(1, 13):
        if number == 6 and torn:
            sheets += [Sheet()] if torn == "page" else []
            x, y = (72, 60) if torn == "page" else (310, top)
        text = f"{label.format(number)} {ENTRIES[number % 6]}"
        for row, (line, _) in enumerate(
            wrap_lines(text, (210 if torn == "column" else 420) - hang, 0, "Times-Roman", 9)
        ):
            sheets[-1].put(x + (hang if row else 0), y, line, size=9)
            y += 11
    found = complete(read_pdf(save(tmp_path / "paper.pdf", sheets))).references
    assert [reference.authors[0].family for reference in found] == [FIRST_WORDS[n % 6] for n in range(1, 13)]
