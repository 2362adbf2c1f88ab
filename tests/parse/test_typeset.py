"""Documents typeset by LaTeX in ten common layouts, as they are and stored row by row, against what was typeset."""

from __future__ import annotations

import json
import random
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import ConspectusError
from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import ParsedPaper, normal_name

HERE = Path(__file__).resolve().parent / "typeset"
NAMES = ("acm", "article", "elsevier", "ieee", "manuscript", "mnras", "revtex", "thesis", "threecolumns", "twocolumn")
IN_COLUMNS = ("acm", "elsevier", "ieee", "mnras", "revtex", "threecolumns", "twocolumn")
NUMBER = re.compile(r"^(?:Chapter )?(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.|[A-Z]\.)\s+")


@cache
def truth(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


@cache
def read(name: str) -> ParsedPaper:
    return read_pdf(HERE / f"{name}.pdf")


def folded(text: str) -> str:
    return re.sub(r"[\W_]", "", normal_name(text))


def paragraphs(name: str) -> list[str]:
    """The truth's paragraphs: what goes on after a formula is one with what stands before it."""
    found: list[str] = []
    for block in truth(name)["blocks"]:
        if block["kind"] == "paragraph":
            text = re.sub(r"\[\[(\d+)\]\]", r"\1", block["text"])
            if block.get("joined"):
                found[-1] += " " + text
            else:
                found.append(text)
    return [folded(text) for text in found]


def read_paragraphs(paper: ParsedPaper) -> list[str]:
    return [folded(block.text.lstrip("•∙·")) for block in paper.blocks if block.kind == "paragraph"]


def longest_common(one: list[str], two: list[str]) -> int:
    """How many paragraphs stand in both in the same order."""
    row = [0] * (len(two) + 1)
    for a in one:
        before = 0
        for j, b in enumerate(two):
            before, row[j + 1] = row[j + 1], before + 1 if a == b else max(row[j], row[j + 1])
    return row[-1]


@pytest.mark.parametrize("name", NAMES)
def test_title_authors_and_abstract(name: str) -> None:
    """Without this a paper in one of the common layouts would be cited wrongly."""
    found, known = read(name).metadata, truth(name)
    assert folded(found.title) == folded(known["title"])
    assert [author.name for author in found.authors] == known["authors"]
    if name != "thesis":
        assert folded(found.abstract) == folded(known["abstract"])
    assert found.abstract


@pytest.mark.parametrize("name", NAMES)
def test_paragraphs_are_whole_and_in_order(name: str) -> None:
    """Without this sentences would be torn at columns, pages, formulas, lists and footnotes."""
    known = paragraphs(name)
    assert longest_common(known, read_paragraphs(read(name))) >= 0.98 * len(known)


@pytest.mark.parametrize("name", NAMES)
def test_headings_have_their_levels(name: str) -> None:
    """Without this passages would stand under the wrong section."""
    known = [(folded(b["text"]), b["level"]) for b in truth(name)["blocks"] if b["kind"] == "heading"]
    own = ("abstract", "references", "bibliography", "contents", "keywords")
    headings = [b for b in read(name).blocks if b.kind == "heading"]
    found = [(folded(NUMBER.sub("", block.text)), block.level) for block in headings]
    found = [heading for heading in found if heading[0] not in own]
    assert found == known


@pytest.mark.parametrize("name", NAMES)
def test_nothing_printed_around_the_text_is_left_in_it(name: str) -> None:
    """Without this quotes would have running heads, page numbers, line numbers and watermarks in them."""
    text = "\n".join(block.text for block in read(name).blocks if block.kind != "reference")
    for head in truth(name)["furniture"]:
        assert head not in text
    first = truth(name)["first_page"]
    assert not re.search("|".join(rf"\b{first + i}\b" for i in range(30)), text)


@pytest.mark.parametrize("name", NAMES)
def test_formulas_captions_and_footnotes_have_labels(name: str) -> None:
    """Without this nobody could find the formula or the figure that a sentence speaks of."""
    blocks = read(name).blocks
    for kind in ("equation", "caption"):
        known = [folded(block["label"]) for block in truth(name)["blocks"] if block["kind"] == kind]
        assert sorted(folded(block.label) for block in blocks if block.kind == kind) == sorted(known)
    known = [folded(b["text"]) for b in truth(name)["blocks"] if b["kind"] == "footnote"]
    notes = [folded(block.text) for block in blocks if block.kind == "footnote"]
    assert sum(text in notes for text in known) >= 0.5 * len(known)


@pytest.mark.parametrize("name", NAMES)
def test_hyphens_of_line_ends(name: str) -> None:
    """Without this a search would miss words broken at line ends, and compounds would lose their hyphens."""
    text = " ".join(block.text.casefold() for block in read(name).blocks)
    said = " ".join(block.get("text", "").casefold() for block in truth(name)["blocks"])
    compounds = set(re.findall(r"\b[a-z]{3,}-[a-z]{3,}\b", said))
    lost = {word for word in compounds if word not in text}
    assert len(lost) <= 0.05 * len(compounds)


def test_a_captions_label_is_no_sentence() -> None:
    """Without this `Figure 1.` would be quoted as if it said something."""
    captions = [
        block for name in NAMES for block in read(name).blocks if block.kind == "caption" and len(block.text) > 30
    ]
    assert len(captions) > 30
    for block in captions:
        first = block.sentences[0]
        assert len(block.text[first.start : first.end]) > len(block.label) + 5


@pytest.mark.parametrize("name", IN_COLUMNS)
def test_columns_that_are_stored_row_by_row(name: str, tmp_path: Path) -> None:
    """Without this the lines of two columns would be mixed in files of some printers and converters."""
    pytest.importorskip("pypdf")
    sys.path.insert(0, str(HERE))
    try:
        from scramble import scramble
    finally:
        sys.path.remove(str(HERE))
    path = tmp_path / f"{name}.pdf"
    scramble(HERE / f"{name}.pdf", path)
    known = paragraphs(name)
    assert longest_common(known, read_paragraphs(read_pdf(path))) >= 0.95 * len(known)


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """Without this one bad download would end a whole run with a traceback."""
    draw = random.Random(3)
    for i in range(40):
        data = bytearray((HERE / f"{NAMES[i % len(NAMES)]}.pdf").read_bytes())
        damage(data, draw)
        path = tmp_path / f"damaged{i}.pdf"
        path.write_bytes(data)
        try:
            paper = read_pdf(path)
        except ConspectusError as error:
            assert path.name in str(error)
        else:
            for block in paper.blocks:
                assert "".join("".join(block.text[s.start : s.end] for s in block.sentences).split()) == "".join(
                    block.text.split()
                )


def damage(data: bytearray, draw: random.Random) -> None:
    """Changes bytes, takes some out, puts some in twice, or cuts the end off."""
    kind = draw.randrange(4)
    at = draw.randrange(len(data))
    if kind == 0:
        for _ in range(draw.choice((5, 50, 500))):
            data[draw.randrange(20, len(data))] = draw.randrange(256)
    elif kind == 1:
        del data[at : at + draw.randrange(1, 2000)]
    elif kind == 2:
        data[at:at] = data[at // 2 : at // 2 + 1000]
    else:
        del data[max(at, 1000) :]
