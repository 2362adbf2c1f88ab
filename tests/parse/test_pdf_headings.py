"""The model that tells headings."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from conspectus.parse.pdf.headings import Features, Headings, is_heading, load_model
from conspectus.parse.pdf.lines import Edges, Usual
from conspectus.parse.pdf.page_text import LineGroup, PaintedStyle, PdfLine, Word

TEXT = PaintedStyle("Serif", 10.0, False, False)
BOLD = PaintedStyle("Serif-Bold", 10.0, True, False)
PROSE = "The tides of a planet bend its moons at every turn."


def _group(text: str, style: PaintedStyle, base: float, gap: float) -> LineGroup:
    at, words = 72.0, []
    for word in text.split():
        words.append(Word(word, at, at + 5 * len(word), base, style))
        at += 5 * len(word) + 3
    return LineGroup([PdfLine(1, words)], gap)


def _headings(*texts: tuple[str, PaintedStyle]) -> list[str]:
    """Which of the texts, set below each other with white space between, are headings."""
    groups = [_group(text, style, 100 + 30 * i, 3.0) for i, (text, style) in enumerate(texts)]
    edges = {line: Edges(72, 500) for line in chain.from_iterable(group.lines for group in groups)}
    told = Headings([groups], Usual(10.0, 12.0, "Serif", False), edges)
    return [group.text for group in groups if group in told]


def test_the_model_has_a_weight_for_each_feature() -> None:
    """A feature that was added without training would break the reading of every PDF."""
    assert set(load_model().weights) == set(Features._fields)


def test_what_stands_out_is_a_heading_and_prose_is_none() -> None:
    """Otherwise passages would be cut anywhere, or nowhere."""
    assert _headings(("How moons are warmed", BOLD), (PROSE, TEXT)) == ["How moons are warmed"]
    assert _headings(("2 How moons are warmed", replace(BOLD, size=14.0)), (PROSE, TEXT)) == ["2 How moons are warmed"]


def test_the_name_of_a_section_is_a_heading_however_it_looks() -> None:
    """In manuscripts without any type but the text's no section would be found."""
    assert _headings(("Introduction", TEXT), (PROSE, TEXT)) == ["Introduction"]


def test_what_can_be_none_is_none_however_it_looks() -> None:
    """Dates, addresses and items of lists in bold type would become sections."""
    bold = replace(BOLD, size=14.0)
    for text in ("12 March 2021", "ada@example.org", "• Moons of ice", "and so on"):
        assert _headings((text, bold), (PROSE, TEXT)) == [], text


def test_larger_type_speaks_for_a_heading_and_a_full_stop_against() -> None:
    """Weights of the wrong sign, as of a training that went wrong, would turn the reading round."""
    plain = Features(*(0.0,) * len(Features._fields))
    assert not is_heading(plain)
    assert is_heading(plain._replace(larger=1, set_off_early=1, set_off_apart=1))
    assert load_model().odds(plain._replace(full_stop=1)) < load_model().odds(plain)
