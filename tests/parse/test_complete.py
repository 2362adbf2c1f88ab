"""Marks, references and figures made from text: a wrong mark puts words into the mouth of the wrong paper."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conspectus.parse.references.completion import complete
from conspectus.parse.text.blocks import text_block
from conspectus.records import Block, Figure, Mark, Metadata, ParsedPaper, Reference

WORKS = [
    "Green, A. (2010). Waves in sleep. Cell, 1, 2–3.",
    "Green, A., & Brown, B. (2011a). Waves in rest. Cell, 2, 3–4.",
    "Green, A., & Brown, B. (2011b). Waves in work. Cell, 3, 4–5.",
    "van der Berg, C., White, D., & Black, E. (1999). Waves in play. Cell, 4, 5–6.",
]


def paper(text: str, *entries: str, captions: tuple[str, ...] = ()) -> ParsedPaper:
    """A paper with one paragraph, captions and a list of references."""
    blocks = [text_block("heading", "Results of 2010", 1), text_block("paragraph", text)]
    blocks += [text_block("caption", caption) for caption in captions]
    return ParsedPaper(Metadata(title="T"), (*blocks, *(text_block("reference", entry) for entry in entries)))


def marks(found: ParsedPaper, kind: str = "reference") -> list[tuple[str, tuple[str, ...]]]:
    """The words of the marks in the paragraph, and what they mean."""
    block = found.blocks[1]
    return [(block.text[mark.start : mark.end], mark.targets) for mark in block.marks if mark.kind == kind]


def numbered(*names: str, form: str = "[{}]") -> list[str]:
    return [f"{form.format(i)} {name}" for i, name in enumerate(WORKS, 1)]


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("So [1], and [2,4]; also [1–3] here.", "[{}]", [("[1]", "1"), ("[2,4]", "24"), ("[1–3]", "123")]),
        ("So [1]–[3], see [4, Section 2].", "[{}]", [("[1]–[3]", "123"), ("[4, Section 2]", "4")]),
        ("It lies in [0, 1] as said [1, 2] and [3; 4].", "{}.", [("[1, 2]", "12"), ("[3; 4]", "34")]),
        ("It is so (1), then (2, 3), then (4).", "{}.", [("(1)", "1"), ("(2, 3)", "23"), ("(4)", "4")]),
        ("As shown ¹, known ²⁻⁴, at 10² cm² and 5 m³.", "{}.", [("¹", "1"), ("²⁻⁴", "234")]),
        ("It was so.¹,³ Others²,⁴ too.", "{}.", [("¹,³", "13"), ("²,⁴", "24")]),
    ],
)
def test_numbers_lead_to_their_entries(text: str, form: str, expected: list[tuple[str, str]]) -> None:
    """Nobody could follow a citation by number."""
    found = complete(paper(text, *numbered(form=form)))
    assert marks(found) == [(words, tuple(f"b{n}" for n in keys)) for words, keys in expected]


def test_authors_and_years_lead_to_their_entries() -> None:
    """Nobody could follow a citation by name, or the letters of years would be mixed up."""
    text = (
        "So says Green (2010). Others (see Green & Brown 2011a,b; van der Berg et al., 1999, p. 7) agree; Green and "
        "Brown’s (2011b) work too. In 2010 Brown (2010) and Grey (2010) said nothing."
    )
    assert marks(complete(paper(text, *WORKS))) == [
        ("Green (2010)", ("b1",)),
        ("Green & Brown 2011a,b", ("b2", "b3")),
        ("van der Berg et al., 1999, p. 7", ("b4",)),
        ("Green and Brown’s (2011b)", ("b3",)),
    ]


def test_a_mark_that_may_mean_two_works_leads_nowhere() -> None:
    """One of two works would be chosen by chance."""
    text = "So Green & Brown (2011), but Green (2010)."
    assert marks(complete(paper(text, *WORKS))) == [("Green & Brown (2011)", ()), ("Green (2010)", ("b1",))]


def test_keys_lead_to_their_entries() -> None:
    """Papers that cite by keys would have no marks."""
    entries = [f"[{key}] {work}" for key, work in zip(["Gre10", "GB11a", "GB11b", "vdB+99"], WORKS, strict=True)]
    found = complete(paper("So [Gre10], [GB11a, vdB+99], not [sic] nor [a, b].", *entries))
    assert marks(found) == [("[Gre10]", ("b1",)), ("[GB11a, vdB+99]", ("b2", "b4"))]


def test_numbers_in_a_paper_that_cites_by_name_are_no_marks() -> None:
    """Intervals and lists would become citations."""
    found = complete(paper("First (1) and [2, 3]: Green (2010), van der Berg et al. 1999.", *WORKS))
    assert [words for words, _ in marks(found)] == ["Green (2010)", "van der Berg et al. 1999"]


def test_several_entries_in_one_block_are_parted() -> None:
    """Of a list without line breaks only one entry would be known."""
    found = complete(paper("So [2].", " ".join(numbered())))
    assert [reference.label for reference in found.references] == ["[1]", "[2]", "[3]", "[4]"]
    assert marks(found) == [("[2]", ("b2",))]


def test_mentions_lead_to_figures_and_tables() -> None:
    """Nobody would find the sentences that speak of a figure."""
    captions = (
        "Figure 1. A wave.",
        "Fig. 2: Another, as in Fig. 1.",
        "Figure 3 | Third.",
        "Table 1. Numbers.",
        "Supplementary Fig. S1. More.",
    )
    text = (
        "See Figs. 1–3, Fig. 2a,b and Figure 3C (Table 1). Supplementary Figure 1 differs, and so does Fig. 7. "
        "Figure 1 of Green (2010) is another, and Tables 1 and 2 are not all ours."
    )
    found = complete(paper(text, *WORKS, captions=captions))
    assert [(f.key, f.kind, f.label, f.caption) for f in found.figures] == [
        ("f1", "figure", "Figure 1", 2),
        ("f2", "figure", "Fig. 2", 3),
        ("f3", "figure", "Figure 3", 4),
        ("t1", "table", "Table 1", 5),
        ("f4", "figure", "Supplementary Fig. S1", 6),
    ]
    assert marks(found, "figure") == [
        ("Figs. 1–3", ("f1", "f2", "f3")),
        ("Fig. 2a,b", ("f2",)),
        ("Figure 3C", ("f3",)),
        ("Supplementary Figure 1", ("f4",)),
    ]
    assert marks(found, "table") == [("Table 1", ("t1",)), ("Tables 1 and 2", ("t1",))]
    assert [block.label for block in found.blocks[2:7]] == [f.label for f in found.figures]
    own = [found.blocks[3].text[mark.start : mark.end] for mark in found.blocks[3].marks]
    assert own == ["Fig. 1"], "a caption's own label is no mention"


def test_what_a_reader_gave_is_kept() -> None:
    """The structure of a good source would be written over by guesses."""
    given = paper("So [1], as in Fig. 1.", *numbered(), captions=("Figure 1. A wave.",))
    mark = Mark(3, 6, "reference", ("r9",))
    blocks = list(given.blocks)
    blocks[1] = replace(blocks[1], marks=(mark,))
    references, figures = (Reference("r9", "Green 2010", title="A wave"),), (Figure("fig-a", "figure", "Figure 1", 2),)
    found = complete(replace(given, blocks=tuple(blocks), references=references, figures=figures))
    assert (found.references, found.figures) == (references, figures)
    assert [(m.kind, m.targets) for m in found.blocks[1].marks] == [("reference", ("r9",)), ("figure", ("fig-a",))]


def test_records_and_headings_have_no_marks() -> None:
    """A list of a million abstracts would take longer to read, and headings would cite."""
    record = ParsedPaper(Metadata(title="T", abstract="As in [1]."), (text_block("abstract", "As in [1]."),))
    assert complete(record) is record
    found = complete(paper("So Green (2010).", *WORKS))
    assert not found.blocks[0].marks
    assert not any(block.marks for block in found.blocks if block.kind == "reference")


def test_marks_are_in_order_and_never_overlap() -> None:
    """What shows a text with its links would break."""
    text = "See [1] and Fig. 1 [2]; Table 1 and [3, Fig. 1] and [4]."
    found = complete(paper(text, *numbered(), captions=("Figure 1. A.", "Table 1. B.")))
    block: Block = found.blocks[1]
    ends = [0] + [mark.end for mark in block.marks]
    assert all(end <= mark.start < mark.end <= len(text) for end, mark in zip(ends, block.marks, strict=False))
    assert len(block.marks) == 6


def test_an_entry_that_a_reader_gave_as_printed_is_taken_apart() -> None:
    """Lost otherwise: titles of works that web pages and Word files cite, and with them the links to papers."""
    text = "Rubin, V. C., & Ford, W. K. (1970). Rotation of the Andromeda nebula. The Astrophysical Journal, 159, 379."
    given = Reference("ref-7", text, "[7]", doi="10.1000/m31")
    (found,) = complete(ParsedPaper(Metadata(), references=(given,))).references
    assert (found.key, found.label, found.doi, found.text) == ("ref-7", "[7]", "10.1000/m31", text)
    assert (found.title, found.year) == ("Rotation of the Andromeda nebula", 1970)
    assert [author.family for author in found.authors] == ["Rubin", "Ford"]


def test_raised_numbers_behind_names_lead_to_their_entries_beside_brackets() -> None:
    """Citations such as `Green¹` would have no link in papers that cite in brackets as well."""
    text = "So say Green² and Berg et al.⁴ of waves [1–4]. Our tool³ has an area of 5 cm² per Brown¹."
    everything = ("b1", "b2", "b3", "b4")
    found = complete(paper(text, *numbered()))
    assert marks(found) == [("²", ("b2",)), ("⁴", ("b4",)), ("[1–4]", everything)]
    note = text_block("footnote", "² Green is a town.")
    noted = complete(replace(paper(text, *numbered()), blocks=(*paper(text, *numbered()).blocks, note)))
    assert marks(noted) == [("⁴", ("b4",)), ("[1–4]", everything)], "a footnote's mark cites nothing"


def test_digits_of_raised_decimals_are_no_marks() -> None:
    """An exponent's decimals would cite the second entry."""
    assert marks(complete(paper("It was so.¹ So it is.³ And he said.⁴ But x)⁰.² is less.", *numbered(form="{}.")))) == [
        ("¹", ("b1",)),
        ("³", ("b3",)),
        ("⁴", ("b4",)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Original Fig. 1 shows it.",
        "We did not draw its Fig. 1 anew.",
        "Next, their Figure 1 displayed it.",
        "See the original paper’s Figure 1 for it.",
        "It is in Figure 1 of the original article.",
        "It is in Fig. 1 of [2] already.",
        "It is in Fig. 1 from Green² already.",
    ],
)
def test_figures_of_other_papers_are_not_mentioned(text: str) -> None:
    """Words about another paper's figure would stand under this paper's."""
    assert marks(complete(paper(text, *numbered(), captions=("Figure 1. A wave.",))), "figure") == []
