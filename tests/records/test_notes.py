"""Answers as prose with numbered notes: as text, as Markdown and as HTML."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from conspectus.export.answer import markdown
from conspectus.records import Answer, Author, Citation, Paper, Place, Span, Statement, StatementStatus
from conspectus.records.notes import Drawn, Notes, PagePicture, noted
from conspectus.wire.answer_text import blocks
from conspectus.wire.html import page

PAPERS = [Paper(id=one, title=f"On {one}", authors=(Author("Ada Katz", "Katz", "Ada"),), year=2001) for one in "pqr"]
ROW = Span("q.s9", 0, 1, "Table 2, row Perth: Amplitude = 2.0", cells=(("Location", "Perth"), ("Amplitude", "2.0")))


def cited(paper: int, sentence: int = 1) -> Citation:
    one = PAPERS[paper]
    span = Span(f"{one.id}.s{sentence}", 0, 1, f"Sentence {sentence} of {one.id}.", (Place(3, (0, 0, 1, 1)),))
    return Citation(one, f"{one.id}.p1", (span,), span.text, f"Katz 2001{one.id}")


def said(text: str, *citations: Citation, status: StatementStatus = "supported", why: str = "") -> Statement:
    return Statement(text, status, citations, why=why)


def answered(*statements: Statement) -> Answer:
    return Answer("Why?", True, "", "model", "", statements, note="Nothing was left out.")


def test_an_answer_printed_is_the_answer():
    """A user of Python would see a dataclass of a thousand characters."""
    text = str(answered(said("Cats purr.", cited(0)), said("Dogs bark.", cited(1), cited(0))))
    assert text.split("\n\n") == [
        "Cats purr.[1] Dogs bark.[1,2]",
        "Notes\n  [1] Katz 2001p, p. 3 · p.s1\n      “Sentence 1 of p.”\n"
        "  [2] Katz 2001q, p. 3 · q.s1\n      “Sentence 1 of q.”",
        "Sources\n  [Katz 2001p] Ada Katz (2001). On p\n    p\n  [Katz 2001q] Ada Katz (2001). On q\n    q",
        "Nothing was left out.",
    ]
    no = Answer("Why?", False, "No paper \x1b[2J says so.", "model", "", ())
    assert str(no) == "No paper says so."


def test_quotes_stand_paper_by_paper_and_not_twice():
    """Sentences of several papers would read as one text, and each would be printed again in its note."""
    quotes = [said(cited(*at).quote, cited(*at), status="quoted") for at in ((0, 1), (0, 2), (1, 1))]
    paragraphs = str(answered(*quotes)).split("\n\n")
    assert paragraphs[0] == "Katz 2001p: “Sentence 1 of p.”[1] “Sentence 2 of p.”[2]"
    assert paragraphs[1] == "Katz 2001q: “Sentence 1 of q.”[3]"
    assert str(answered(*quotes)).count("Sentence 1 of p.") == 1


def test_paragraphs_end_where_others_are_spoken_of():
    """Ten statements would be one block; or each would stand alone."""
    first = [said(f"First {n}.", cited(0, n)) for n in range(4)]
    second = [said(f"Second {n}.", cited(1, n)) for n in range(2)]
    assert [len(one.statements) for one in Notes().prose([*first, *second])] == [4, 2]
    assert [len(one.statements) for one in Notes().prose([*first[:1], *second])] == [3]


def test_what_speaks_against_a_statement_is_in_a_note():
    """A reader would take what failed the check for what holds, or would be told in the middle of each sentence."""
    wrong = said("Cats bark.", cited(0), status="unsupported", why="It says that they purr.")
    text = str(answered(said("Cats purr.", cited(0)), wrong))
    assert text.startswith("Cats purr.[1] Cats bark.[1] (not supported[2])\n")
    assert "\n  [2] It says that they purr.\n" in text


def test_the_same_reason_is_told_once():
    """A judge that is brief would fill the notes with one sentence again and again."""
    wrong = [said(f"Cats bark {n}.", cited(0), status="unsupported", why="It says that they purr.") for n in (1, 2)]
    text = str(answered(*wrong))
    assert text.startswith("Cats bark 1.[1] (not supported[2]) Cats bark 2.[1] (not supported[2])\n")
    assert text.count("It says that they purr.") == 1


def test_quotes_below_statements_have_the_numbers_of_the_notes():
    """`conspectus open 3`, and the export, would show another sentence than the one with this number."""
    wrong = said("Cats bark.", cited(0), status="unsupported", why="It says that they purr.")
    found = answered(wrong, said("Dogs bark.", cited(1)))
    assert "[3] Katz 2001q" in str(found)
    below = [str(line) for block in blocks(found, quotes=True) for line in block]
    assert "    1. “Sentence 1 of p.”" in below and "    3. “Sentence 1 of q.”" in below


def test_only_what_others_had_is_missing_at_one():
    """Without a judge each statement would be marked, which says nothing; with one, its omission would not show."""
    alone = said("Cats purr.", cited(0), status="unchecked")
    assert str(answered(alone)).startswith("Cats purr.[1]\n")
    assert "(not checked)" in str(answered(alone, said("Cats sleep.", cited(0))))
    assert "(not checked[2])" in str(answered(replace(alone, why="No sentence has 'purr'.")))


def test_the_row_of_a_table_is_shown_as_one():
    """The reader would have to take a row apart in the head."""
    row = Citation(PAPERS[1], "q.p1", (ROW,), ROW.text, "Katz 2001q")
    found = answered(said("It is 2.0 in Perth.", row))
    assert "      Location: Perth\n      Amplitude: 2.0\n" in str(found)
    assert "\n    | Location | Amplitude |\n    | --- | --- |\n    | Perth | 2\\.0 |\n" in markdown("Why?", [found])
    html = page("Why?", [found])
    assert "<td" in html and ">Amplitude</td>" in html and ">2.0</td>" in html


def test_each_note_leads_to_its_page():
    """Who is sent an answer could not see the sentences where they stand."""
    found = answered(said("Cats purr.", cited(0)), said("Dogs bark.", cited(1)))
    pages = {1: (PagePicture(3, b"\x89PNG"),), 2: (PagePicture(3, why="The PDF <b>is gone</b>."),)}
    text = markdown("Why?", [found], "why-pages", Drawn(pages))
    assert "[page 3](<why-pages/note-1-page-3.png>)" in text
    assert r"no picture of page 3: The PDF \<b\>is gone\</b\>." in text
    html = page("Why?", [found], Drawn(pages))
    assert '<a id="m1" href="#n1">1</a>' in html and '<li id="n1">' in html
    assert '<a href="#m1" title="Back to the text">' in html
    assert '<img alt="Page 3" src="data:image/png;base64,iVBORw==">' in html
    assert "No picture of page 3: The PDF &lt;b&gt;is gone&lt;/b&gt;." in html


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.booleans()), max_size=12))
def test_numbers_count_up_and_mean_the_same_sentences(shape: list[tuple[int, int, bool]]):
    """A number would lead to another sentence than the statement rests on."""
    statements = [
        said(f"{number}.", cited(paper, sentence), status="partly" if doubted else "supported", why="x" * doubted)
        for number, (paper, sentence, doubted) in enumerate(shape)
    ]
    found = answered(*statements)
    notes = list(noted([found]))
    assert [note.number for note in notes] == list(range(1, len(notes) + 1))
    told = [one for paragraph in Notes().prose(statements) for one in paragraph.statements]
    assert [one.statement for one in told] == statements, "nothing is lost or put elsewhere"
    for one in told:
        (citation,) = one.statement.citations
        assert [note.citation.spans for note in one.notes if note.citation] == [citation.spans]
        assert all(notes[note.number - 1] == note for note in one.notes)
