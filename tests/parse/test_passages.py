"""Passages are what is searched and spans are what is quoted: both must be the paper's own words, all of them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.parse.text.blocks import text_block
from conspectus.parse.text.passages import passages
from conspectus.records import Block, BlockKind, Metadata, ParsedPaper, Passage, Place, Sentence


def paper(*blocks: Block, **metadata: str) -> ParsedPaper:
    return ParsedPaper(Metadata(**metadata), blocks)  # type: ignore[arg-type]


def prose(count: int, length: int = 50, kind: BlockKind = "paragraph", first: int = 0) -> Block:
    text = " ".join(f"Sentence {n} {'x' * (length - 12 - len(str(n)))}." for n in range(first, first + count))
    return text_block(kind, text)


def heading(text: str, level: int = 1) -> Block:
    return text_block("heading", text, level)


def outline(found: tuple[Passage, ...]) -> list[tuple[str, str, str]]:
    return [(p.kind, p.section, p.text) for p in found]


def test_a_paper_is_cut_along_its_sections() -> None:
    """Lost otherwise: where in the paper a passage stands; references and captions mixed into its text."""
    found = passages(
        "p1",
        paper(
            heading("Abstract"),
            text_block("abstract", "Cats sleep."),
            heading("Methods"),
            heading("Animals", 2),
            text_block("paragraph", "Ten cats.\nAll black."),
            text_block("caption", "Fig. 1. A cat."),
            text_block("footnote", "None was harmed."),
            text_block("paragraph", "They slept."),
            heading("Food", 2),
            text_block("paragraph", "Fish."),
            heading("References"),
            text_block("reference", "Lee A. Dogs."),
        ),
    )
    assert outline(found) == [
        ("abstract", "Abstract", "Cats sleep."),
        ("body", "Methods > Animals", "Ten cats. All black.\n\nThey slept."),
        ("caption", "Methods > Animals", "Fig. 1. A cat."),
        ("body", "Methods > Food", "Fish."),
        ("body", "Footnotes", "None was harmed."),
    ]
    assert [p.ordinal for p in found] == [0, 1, 2, 3, 4]
    assert all(p.paper_id == "p1" and p.id.startswith("p1.p") for p in found)


def test_long_sections_become_passages_that_overlap() -> None:
    """Lost otherwise: what is said across the border of two passages."""
    found = passages("p", paper(prose(100)), chars=500, overlap=120)
    assert all(300 < len(p.text) <= 500 for p in found[:-1])
    for before, after in pairwise(found):
        shared = [span.id for span in before.spans if span.id in {s.id for s in after.spans}]
        assert len(shared) == 2
        assert [s.id for s in after.spans[:2]] == shared
    ids = {span.id: span.text for p in found for span in p.spans}
    assert len(ids) == 100


def test_no_passage_is_nothing_but_overlap() -> None:
    """Lost otherwise: room in the list of hits, to the same sentences twice."""
    found = passages("p", paper(prose(10)), chars=509, overlap=280)
    assert len(found) == 1
    found = passages("p", paper(prose(11)), chars=509, overlap=280)
    assert len(found) == 2
    assert found[1].spans[-1].text.startswith("Sentence 10 ")


def test_a_sentence_longer_than_a_passage_stands_alone() -> None:
    """Lost otherwise: the end of very long sentences, or quotations that stop in the middle."""
    text = f"Short one. Long {'word ' * 500}end. Short two."
    found = passages("p", paper(text_block("paragraph", text)), chars=300, overlap=100)
    assert [len(p.spans) for p in found] == [1, 1, 1]
    assert found[1].text.endswith("end.")


def test_ids_come_from_the_words_and_survive_other_changes() -> None:
    """Lost otherwise: links to a sentence after the paper has been read anew."""
    first = passages("p", paper(text_block("paragraph", "Cats sleep. Dogs run. Cats sleep.")))[0]
    second = passages("p", paper(heading("New"), text_block("paragraph", "More. Cats\nsleep. Dogs run.")))[0]
    assert len({span.id for span in first.spans}) == 3
    assert [span.id for span in first.spans[:2]] == [span.id for span in second.spans[1:]]
    assert first.spans[0].id == "p.s" + first.spans[0].id[3:]
    assert len(first.spans[0].id) == len("p.s") + 8
    assert first.id != second.id


def test_the_same_passage_twice_has_two_ids() -> None:
    """Lost otherwise: one of two equal captions, and with it the import of the paper."""
    found = passages("p", paper(*[text_block("caption", "See text.")] * 3))
    assert len({p.id for p in found}) == 3


def test_an_abstract_that_only_the_metadata_know_comes_first() -> None:
    """Lost otherwise: the abstract of a PDF whose abstract was known from elsewhere."""
    found = passages("p", paper(heading("A"), text_block("paragraph", "Text."), abstract="Cats sleep. Dogs\n\nrun."))
    assert outline(found) == [("abstract", "", "Cats sleep. Dogs run."), ("body", "A", "Text.")]
    assert [span.text for span in found[0].spans] == ["Cats sleep.", "Dogs", "run."]


def test_a_title_alone_is_a_passage() -> None:
    """Lost otherwise: papers of which nothing but the title is known; no search would find them."""
    assert outline(passages("p", paper(title="On cats"))) == [("abstract", "", "On cats")]
    assert outline(passages("p", paper(heading("A"), title="On cats"))) == [("abstract", "", "On cats")]
    assert passages("p", paper()) == ()


def test_places_go_with_their_sentences() -> None:
    """Lost otherwise: the marks on the page."""
    places = (Place(2, (1.0, 2.0, 3.0, 4.0)),)
    block = Block("paragraph", "A cat. A dog.", (Sentence(0, 6), Sentence(7, 13, places)))
    (found,) = passages("p", paper(block))
    assert [span.places for span in found.spans] == [(), places]
    assert found.pages == (2,)


WORDS = st.sampled_from(
    ["Cats sleep.", "Dogs run!", "It fell (p < .05).", "Why?", "a", "\n", "\n\n", "  ", "Long " + "x" * 60 + "."]
)
TEXT = st.lists(WORDS, min_size=1, max_size=25).map(" ".join).map(str.strip).filter(bool)
BLOCKS = st.lists(
    st.builds(
        lambda kind, text, level: text_block(kind, text, level if kind == "heading" else 0),
        st.sampled_from(["heading", "paragraph", "paragraph", "abstract", "caption", "footnote", "reference"]),
        TEXT,
        st.integers(1, 3),
    ),
    max_size=12,
)


@given(BLOCKS, TEXT | st.just(""), st.integers(20, 300), st.data())
def test_passages_lose_nothing_and_invent_nothing(
    blocks: list[Block], abstract: str, chars: int, data: st.DataObject
) -> None:
    """Lost otherwise: sentences that nobody can find, or quotations that are not in the paper."""
    overlap = data.draw(st.integers(0, chars - 1))
    parsed = paper(*blocks, abstract=abstract)
    found = passages("p", parsed, chars=chars, overlap=overlap)
    assert found == passages("p", parsed, chars=chars, overlap=overlap)
    assert len({p.id for p in found}) == len(found)
    texts: dict[str, str] = {}
    for passage in found:
        check(passage, chars)
        for span in passage.spans:
            assert texts.setdefault(span.id, span.text) == span.text
    for before, after in pairwise(found):
        new = {s.id for s in after.spans} - {s.id for s in before.spans}
        assert new
        shared = [s for s in after.spans if s.id not in new]
        assert not shared or shared[-1].end - shared[0].start <= overlap
    expected = [
        " ".join(b.text[s.start : s.end].split())
        for b in blocks
        for s in b.sentences
        if b.kind not in ("heading", "reference")
    ]
    if any(b.kind == "abstract" for b in blocks) or not abstract:
        assert sorted(" ".join(text.split()) for text in texts.values()) == sorted(expected)


def check(passage: Passage, chars: int) -> None:
    last = 0
    assert passage.spans
    for span in passage.spans:
        assert passage.text[span.start : span.end] == span.text == span.text.strip()
        assert not passage.text[last : span.start].strip()
        last = span.end
    assert last == len(passage.text)
    assert passage.spans[0].start == 0
    assert len(passage.text) <= chars or len(passage.spans) == 1
    assert len({span.id for span in passage.spans}) == len(passage.spans)


@pytest.mark.parametrize("count", [2000])
def test_a_book_takes_no_time(count: int) -> None:
    """Lost otherwise: minutes on a thesis."""
    found = passages("p", paper(*(prose(10, first=10 * n) for n in range(count))))
    assert sum(len(p.spans) for p in found) > 10 * count


def test_a_listing_keeps_its_lines_in_passages() -> None:
    """A program would be found as one long line that nobody could run."""
    listing = "for moon in moons:\n    warm(moon)\n\nprint(moons)"
    blocks = (
        text_block("paragraph", "The program is short."),
        Block("code", listing, (Sentence(0, len(listing)),)),
    )
    (passage,) = passages("p", ParsedPaper(Metadata(title="Moons"), blocks))
    assert passage.text.endswith(listing)
    assert passage.spans[-1].text == listing
