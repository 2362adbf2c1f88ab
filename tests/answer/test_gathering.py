"""What becomes evidence: the best there is, as much as there is room for, and nothing that says nothing."""

from __future__ import annotations

import pytest

from conspectus.answer.gather import select
from conspectus.answer.readable import worth_reading
from conspectus.answer.write import Writer
from conspectus.records import Citation, Evidence, Paper, Passage, PassageKind, Place, Span
from conspectus.settings import EvidenceSettings


def paper(name: str) -> Paper:
    return Paper(id=name, external_id=name, title=f"On {name}")


def piece(of: str, number: int, score: int = 7) -> Evidence:
    span = Span(f"{of}.s{number}", 0, 5, "Cats.")
    return Evidence("", paper(of), f"{of}.p{number}", (span,), "", score, 1.0 / (number + 1), of)


def test_one_paper_may_fill_the_room_that_others_leave() -> None:
    """Lost otherwise: most of what the one paper that answers has to say, and the truth on what it does not say."""
    found = [piece("a", n, 9) for n in range(7)] + [piece("b", 1, 4)]
    chosen = select(found, EvidenceSettings(keep=6, per_paper=3))
    assert [item.paper.id for item in chosen] == ["a"] * 5 + ["b"]
    assert [item.id for item in chosen] == [f"e{n}" for n in range(1, 7)]


def test_others_go_before_more_of_one() -> None:
    """Lost otherwise: what other papers say, where one says the same often."""
    found = [piece("a", n, 9) for n in range(7)] + [piece(name, 1, 4) for name in "bcdef"]
    chosen = select(found, EvidenceSettings(keep=6, per_paper=3))
    assert sorted(item.paper.id for item in chosen) == ["a", "a", "a", "b", "c", "d"]


def test_the_same_sentences_count_once() -> None:
    """Lost otherwise: room for evidence, to a sentence that two passages share."""
    assert len(select([piece("a", 1), piece("a", 1)], EvidenceSettings())) == 1


def test_a_writer_knows_that_there_is_more() -> None:
    """Lost otherwise: the truth, where a writer says that the library has nothing on what it was not shown."""
    from conspectus.answer.write import MORE

    assert "5 more pieces" in MORE.format(5)
    assert Writer(None, "?", (), None).left == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "section", "text", "worth"),
    [
        ("body", "Results", "We thank nobody.", True),
        ("body", "5. Acknowledgements", "We thank R. Roe for the cats.", False),
        ("body", "Back > Funding", "Paid by the crown.", False),
        ("body", "Competing interests", "None.", False),
        ("body", "Funding and acknowledgments", "Paid by the crown.", False),
        ("body", "Authors' contributions", "AB wrote it.", False),
        ("body", "Funding of cat shelters", "Shelters are paid by towns.", True),
        ("body", "Support vector machines", "They part two classes.", True),
        ("body", "", "It began.", True),
        ("caption", "Acknowledgements", "Figure 2. Rates of five cells at rest and in motion.", True),
        ("caption", "Results", "Figure 3. Continued.", False),
        ("abstract", "Funding", "Grants change what is studied.", True),
        ("table", "Funding", "Table 1, row NIH: Sum = 3", True),
    ],
)
def test_what_says_nothing_of_the_matter_is_not_read(kind: PassageKind, section: str, text: str, worth: bool) -> None:
    """Lost otherwise: tokens and room, to thanks and bare captions; or text, to a heading that only looks like that."""
    assert worth_reading(Passage("p", "a", kind, section, text, ())) is worth


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("Table 2, row Golgi (Cell): Rate = 8.3", "[a, Table 2, p. 4]"),
        ("Figure 3. Rates of cells at rest.", "[a, Figure 3, p. 4]"),
        ("Fig. S1: Rates.", "[a, Fig. S1, p. 4]"),
        ("Figure 3 shows that cells rest.", "[a, p. 4]"),
        ("Cells rest.", "[a, p. 4]"),
    ],
)
def test_captions_and_rows_are_cited_as_such(text: str, marker: str) -> None:
    """Lost otherwise: that a quote stands under a figure or in a table, and in which."""
    span = Span("s", 0, len(text), text, (Place(4, (0.0, 0.0, 1.0, 1.0)),))
    assert Citation(paper("a"), "p", (span,), text, "a").marker == marker
