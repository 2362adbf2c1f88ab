"""Reference lists without labels: each entry is one reference, whatever the list is called and however it is set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pdf_samples import FIRST, SECOND, TITLE, Sheet, save, wrap_lines

from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.references.completion import complete
from conspectus.records import ParsedPaper

ENTRIES = [
    "Lindqvist, A., & di Renzo, M. (2012). Tides of small moons around ringed planets in the outer parts of systems. "
    "Journal of Ice, 4(1), 1-9. https://doi.org/10.1234/ice.1",
    "Snow Hub. (2023). https://example.org/snow",
    "Van der Berg, A., Quist, F., & O'Neill, P. (2015). On the melting of moons, with a title that goes on over the "
    "end of its line and of the next line too. Ice Physics, 33, 100-120.",
    "R Core Team. (2021). R: A language and environment for statistical computing. https://example.org/r",
    "Lee, H. (2001a). Rings. Ice Press.",
    "Lee, H. (2001b). More rings of ice. In K. Cho (Ed.), Handbook of rings (pp. 12-34). Ice Press.",
    "von Neuland, J. (1951). Various counts of craters on the leading sides of six moons. Annals of Snow, 12, 36-38.",
    "de la Cruz, M. (2018). Shells. Ice Press.",
]


def read(
    path: Path,
    entries: list[str] = ENTRIES,
    *,
    heading: str = "References",
    look: tuple[str, float] = ("Times-Bold", 12.0),
    hang: float = 18.0,
    gap: float = 3.0,
    size: float = 10.0,
    after: str = "",
) -> ParsedPaper:
    sheet = Sheet()
    sheet.put(72, 90, TITLE, "Times-Bold", 17)
    sheet.put(72, 112, "Ada Lindqvist and Marco di Renzo", "Times-Roman", 11)
    y = 140.0
    for name, text in (("Introduction", FIRST), ("Results", SECOND)):
        sheet.put(72, y, name, "Times-Bold", 12)
        y = sheet.paragraph(72, y + 16, 450, text) + 14
    if heading:
        sheet.put(72, y, heading, *look)
        y += 16
    for entry in entries:
        for line, first in wrap_lines(entry, 450 - hang, 0.0, "Times-Roman", size):
            sheet.put(72 + (0 if first else hang), y, line, "Times-Roman", size)
            y += 1.2 * size
        y += gap
    if after:
        sheet.put(72, y + 14, after, "Times-Bold", 12)
        sheet.paragraph(72, y + 30, 450, "We thank the towns that lent us their telescopes, and all who carried them.")
    return complete(read_pdf(save(path / "paper.pdf", [sheet])))


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"size": 8.0},
        {"gap": 0.0},
        {"hang": 0.0},
        {"look": ("Times-Roman", 10.0)},
        {"look": ("Times-Italic", 10.0)},
        {"look": ("Helvetica", 14.0), "heading": "REFERENCES"},
        {"heading": "4. References"},
        {"heading": "# References"},
        {"heading": "References and software"},
        {"heading": "What we built on"},
        {"heading": "Literatura"},
        {"heading": "Literaturverzeichnis"},
        {"heading": "Referências bibliográficas"},
        {"heading": ""},
        {"after": "Acknowledgements"},
        {"after": "Supplementary table"},
        {"heading": "What we built on", "after": "Acknowledgements"},
    ],
    ids=str,
)
def test_every_entry_is_one_reference(tmp_path: Path, form: dict[str, Any]) -> None:
    """Lost otherwise: all references of papers that call their list otherwise, or single ones of short papers."""
    paper = read(tmp_path, **form)
    assert [block.text for block in paper.blocks if block.kind == "reference"] == ENTRIES
    assert len(paper.references) == len(ENTRIES)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_short_list_is_whole(tmp_path: Path, count: int) -> None:
    """Lost otherwise: addresses on a first page, which are no notes about the paper, and entries with them."""
    paper = read(tmp_path, ENTRIES[:count])
    assert [block.text for block in paper.blocks if block.kind == "reference"] == ENTRIES[:count]


def test_text_under_any_heading_is_no_list(tmp_path: Path) -> None:
    """Lost otherwise: paragraphs that name people and years, which nobody would find again."""
    claims = [
        "Lindqvist and di Renzo (2012) found that tides warm small moons, and Quist (2015) that they do not.",
        "Lee (2001) counted rings. The count was repeated in 2015 by others, who found a few more of them.",
        "In 1951 von Neuland saw craters on six moons. We see them on the leading side of each of them.",
        "Since 2018 shells of ice are modelled in three dimensions, which costs a hundred times as much.",
    ]
    paper = read(tmp_path, claims, heading="Discussion", hang=0.0, gap=8.0)
    assert not paper.references
