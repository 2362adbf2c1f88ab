"""Highlights: words of papers that users mark, with notes."""

import io
import json
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from conspectus import Library
from conspectus.core.errors import BusyError, NotFoundError, UsageError
from conspectus.curation import highlight_verbs, sql, views
from conspectus.curation import highlights as marks
from conspectus.curation.highlights import SentenceText
from conspectus.faces.printer import Printer
from conspectus.store.connection import aside
from conspectus.store.schema import highlights
from helpers import assert_consistent, markdown, open_library, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
QUOKKA = (
    "Quokkas hop about at night. They eat dry scrub. Some of them swim.",
    "By day they sleep in the shade. They eat dry scrub. They are “small”.",
)


def quokkas(folder: Path, *paragraphs: str) -> Path:
    return write(
        folder / "quokka.md", markdown("Quokkas", *(paragraphs or QUOKKA), doi="10.1000/q", authors="Quill, A")
    )


@pytest.fixture
def library(tmp_path: Path) -> Any:
    with open_library(tmp_path / "lib") as library:
        library.add([quokkas(tmp_path), write_jsonl(tmp_path / "dogs.jsonl", [{"title": "Dogs", "abstract": "Bark."}])])
        yield library


def test_words_are_marked_wherever_they_begin_and_end(library: Library) -> None:
    """A reader could mark only what a program takes for a sentence."""
    marked = library.highlights.add("Quokkas", "about at NIGHT they\neat dry", color="green", note="Check *this*.")
    assert (marked.color, marked.note, marked.quote) == ("green", "Check *this*.", "about at night. They eat dry")
    assert [one.text for one in marked.sentences] == ["about at night.", "They eat dry"]
    for sentence in marked.sentences:
        assert library.citation(sentence.id)[2].text[sentence.start : sentence.end] == sentence.text
    whole = library.highlights.add("Quokkas", "they are small")
    assert (whole.quote, whole.color, whole.note) == ("They are “small”.", "yellow", "")
    assert library.highlights.add("Quokkas", sentences=[whole.sentences[0].id], color="red").id == whole.id
    assert [one.id for one in library.highlights.list("Quokkas")] == [marked.id, whole.id]
    assert [one.id for one in library.highlights.list()] == [whole.id, marked.id]


def test_the_words_near_a_sentence_are_meant(library: Library) -> None:
    """Of words that a paper has twice, the wrong ones would be marked."""
    spans = [span for passage in library.passages("Quokkas") for span in passage.spans]
    twice = [number for number, span in enumerate(spans) if span.text == "They eat dry scrub."]
    assert len(twice) == 2
    for number in twice:
        marked = library.highlights.add("Quokkas", "eat dry", sentences=[spans[number].id])
        assert marked.sentences[0].id == spans[number].id
        near = library.highlights.add("Quokkas", "eat dry", before=f"… {spans[number - 1].text} They ", color="red")
        assert (near.id, near.color) == (marked.id, "red")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"quote": "koalas"}, NotFoundError),
        ({"quote": " … "}, NotFoundError),
        ({}, UsageError),
        ({"sentences": ["no.such"]}, NotFoundError),
        ({"quote": "at night", "color": "pink"}, UsageError),
        ({"quote": "at night", "note": "a" * 20_001}, UsageError),
        ({"quote": "a" * 20_001}, UsageError),
    ],
)
def test_what_cannot_be_marked_is_refused(library: Library, given: dict[str, Any], error: type[Exception]) -> None:
    """A highlight of nothing would be kept."""
    with pytest.raises(error):
        library.highlights.add("Quokkas", **given)
    assert library.highlights.list() == ()


def test_they_are_searched_changed_removed_and_brought_back(library: Library) -> None:
    """A note would not be found again, and a slip would cost it."""
    one = library.highlights.add("Quokkas", "at night", note="See Smith")
    two = library.highlights.add("Quokkas", "in the shade", color="blue")
    found = {
        words: [one.id for one in library.highlights.list(text=words)] for words in ("SMITH", "shade", "smith shade")
    }
    assert found == {"SMITH": [one.id], "shade": [two.id], "smith shade": []}
    assert [each.id for each in library.highlights.list(color="blue")] == [two.id]
    assert {each.id for each in library.highlights.list(text="quokkas")} == {one.id, two.id}, "by the title"
    assert library.highlights.edit(one.id, color="red").note == "See Smith"
    assert library.highlights.edit(one.id, note="").color == "red"
    with pytest.raises(UsageError):
        library.highlights.edit(one.id, color="pink")
    before = library.highlights.list()
    library.highlights.remove(one.id)
    assert [each.id for each in library.highlights.list()] == [two.id]
    library.highlights.restore(one.id)
    assert {each.id: each for each in library.highlights.list()} == {each.id: each for each in before}
    with pytest.raises(NotFoundError):
        library.highlights.restore(one.id)


def test_the_texts_of_many_papers_are_read_one_by_one(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of all highlights would hold the sentences of every marked paper."""
    names = [f"Beasts {number}" for number in range(6)]
    library.add(
        write_jsonl(tmp_path / "b.jsonl", [{"title": name, "abstract": "They bark. So what?"} for name in names])
    )
    for words in ("bark", "what"):
        for name in names:
            library.highlights.add(name, words)
    alive, most, made = WeakSet[Any](), [0], list[int]()

    class Counted(SentenceText):
        def __init__(self, passages: Any) -> None:
            super().__init__(passages)
            alive.add(self)
            made.append(1)
            most[0] = max(most[0], len(alive))

    monkeypatch.setattr(marks, "SentenceText", Counted)
    assert [one.title for one in library.highlights.list()] == [*names[::-1], *names[::-1]]
    assert len(made) == len(names) and most[0] <= 2


def test_who_changes_the_colour_leaves_the_note_as_it_is_by_then(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note that another page saves meanwhile would be written over."""
    one = library.highlights.add("Quokkas", "at night", note="first")
    write_now = highlight_verbs.write_aside

    def write_late(session: Any, action: Any) -> Any:
        with aside(session.catalog.engine) as connection:
            connection.execute(update(highlights).values(note="saved meanwhile"))
        return write_now(session, action)

    monkeypatch.setattr(highlight_verbs, "write_aside", write_late)
    changed = library.highlights.edit(one.id, color="red")
    assert (changed.color, changed.note) == ("red", "saved meanwhile")
    assert library.highlights.edit(one.id, note="").note == ""


def test_one_that_could_not_be_written_can_be_brought_back_later(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy catalog would cost what was removed by a slip."""
    one = library.highlights.add("Quokkas", "at night", note="dear")
    library.highlights.remove(one.id)
    with monkeypatch.context() as broken:
        broken.setattr(sql, "add_highlight", lambda *_: (_ for _ in ()).throw(BusyError("Busy.")))
        with pytest.raises(BusyError):
            library.highlights.restore(one.id)
    assert library.highlights.restore(one.id).note == "dear"


def test_they_are_found_in_another_reading_of_the_paper(library: Library, tmp_path: Path) -> None:
    """Notes of a month would be lost with a newer reader or a corrected file."""
    same = library.highlights.add("Quokkas", "Some of them swim.", note="kept")
    part = library.highlights.add("Quokkas", "hop about at", note="part")
    alike = library.highlights.add("Quokkas", "By day they sleep in the shade.")
    lost = library.highlights.add("Quokkas", "They are “small”.", note="gone?")
    changed = ("Quokkas never hop  about at night — they walk. Some of them swim.", "By day they sleep in tbe shade.")
    library.add(quokkas(tmp_path, *changed))
    now = {one.id: one for one in library.highlights.list("Quokkas")}
    assert [one.found for one in now.values()] == [True, True, True, False], "the lost one is the last"
    assert now[same.id].sentences == same.sentences
    assert (now[part.id].quote, now[part.id].sentences[0].start) == ("hop about at", len("Quokkas never "))
    assert now[alike.id].quote == "By day they sleep in tbe shade."
    assert (now[lost.id].quote, now[lost.id].note, now[lost.id].sentences) == ("They are “small”.", "gone?", ())
    assert f"not found in the current text: '{lost.id}'" in str(library.doctor())
    library.add(quokkas(tmp_path))
    assert {one.quote for one in library.highlights.list()} >= {same.quote, alike.quote, lost.quote, part.quote}
    assert all(one.found for one in library.highlights.list())
    assert_consistent(library)


def test_they_go_with_the_paper_and_come_back_with_it(library: Library, tmp_path: Path) -> None:
    """A removed paper would be quoted, or a slip would cost what was written."""
    library.highlights.add("Quokkas", "at night", note="quokkanote")
    before = library.highlights.list()
    library.remove("Quokkas")
    assert library.highlights.list() == ()
    assert "quokka" not in str(table_rows(library)).lower()
    library.undo_remove()
    assert library.highlights.list() == before
    library.remove("Quokkas")
    library.add(quokkas(tmp_path))
    assert library.highlights.list() == (), "a paper that was removed is another when it is added again"


@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data())
def test_whatever_is_marked_nothing_is_left_of_a_removed_paper(tmp_path_factory: Any, data: st.DataObject) -> None:
    """Words of a withdrawn paper would stay with its highlights."""
    folder = tmp_path_factory.mktemp("marks")
    with open_library(folder / "lib") as library:
        library.add(
            [quokkas(folder), write_jsonl(folder / "dogs.jsonl", [{"title": "Dogs", "abstract": "Dogs bark."}])]
        )
        empty = {name: rows for name, rows in table_rows(library).items() if name == "highlights"}
        spans = [span for passage in library.passages("Quokkas") for span in passage.spans]
        for _ in range(data.draw(st.integers(1, 4))):
            first = data.draw(st.integers(0, len(spans) - 1))
            last = data.draw(st.integers(first, len(spans) - 1))
            ids = [span.id for span in spans[first : last + 1]]
            library.highlights.add("Quokkas", sentences=ids, note=data.draw(st.sampled_from(["", "of quokkas"])))
        other = library.highlights.add("Dogs", "bark")
        library.remove("Quokkas")
        assert [one.id for one in library.highlights.list()] == [other.id]
        library.highlights.remove(other.id)
        assert {"highlights": table_rows(library)["highlights"]} == empty
        assert "quokka" not in str(table_rows(library)).lower()


@pytest.mark.parametrize("to", ["jsonl", "library"])
def test_an_export_brings_them_into_another_library(library: Library, tmp_path: Path, to: str) -> None:
    """Who moves to another machine would lose what he marked."""
    library.highlights.add("Quokkas", "at night", color="purple", note="See **Smith**")
    library.highlights.add("Dogs", "Bark.")
    library.export(to, tmp_path / "out.jsonl")
    with open_library(tmp_path / "other") as other:
        for name in ("out", "same"):
            other.add(write(tmp_path / f"{name}.jsonl", (tmp_path / "out.jsonl").read_text("utf-8")))
            told = {(one.title, one.color, one.quote, one.note, one.made) for one in other.highlights.list()}
            assert told == {(one.title, one.color, one.quote, one.note, one.made) for one in library.highlights.list()}


def test_what_a_stranger_wrote_of_highlights_is_checked(tmp_path: Path) -> None:
    """A file from another would put what no program can read into the library."""
    anchor = {"sentences": ["x"], "start": -5, "end": 10**9}
    marks = [
        {"color": "red", "quote": "Bark.", "anchor": anchor},
        {"color": "pink", "quote": "Bark.", "anchor": anchor},
        {"color": "red", "quote": " ", "anchor": anchor},
    ]
    records = [
        {
            "title": f"Dogs {number}",
            "abstract": "Bark.",
            "doi": f"10.1000/{number}",
            "conspectus": {"highlights": [one]},
        }
        for number, one in enumerate(marks)
    ]
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        assert [(one.title, one.found) for one in library.highlights.list()] == [("Dogs 0", True)]


def test_one_bad_highlight_takes_nothing_else_with_it(tmp_path: Path) -> None:
    """A colour of a newer version would cost the tags, notes and other highlights of the paper."""
    anchor = {"sentences": [], "start": 0, "end": 0}
    marks = [
        {"color": "pink", "quote": "Bark.", "anchor": anchor},
        {"color": "red", "quote": "Bark.", "anchor": 7},
        {"color": "red", "quote": " ", "anchor": anchor},
        {"color": "blue", "quote": "Bark.", "anchor": anchor, "note": "good"},
        "nonsense",
    ]
    kept = {"tags": ["pets"], "collections": ["Dogs"], "notes": [{"text": "read"}], "highlights": marks}
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Dogs", "abstract": "Bark.", "conspectus": kept}]))
        [paper] = library.papers()
        assert (paper.tags, paper.collections) == (("pets",), ("Dogs",))
        assert [note.text for note in library.collections.notes()] == ["read"]
        assert [(one.color, one.note) for one in library.highlights.list()] == [("blue", "good")]


def test_a_later_export_changes_highlights_and_doubles_none(library: Library, tmp_path: Path) -> None:
    """Who edits a note in two places would have the words marked twice, or lose what was written last."""
    for words in ("at night", "dry scrub", "swim", "in the shade"):
        library.highlights.add("Quokkas", words, note="first")
    clean = library.highlights.add("Quokkas", "They are “small”.")

    def edit(where: Library, words: str, note: str, when: str) -> None:
        [one] = where.highlights.list(text=words)
        with aside(where.session.catalog.engine) as connection:
            query = update(highlights).where(highlights.c.id == one.id)
            connection.execute(query.values(note=note, updated=f"{when}T00:00:00+00:00"))

    def exported(name: str) -> Path:
        library.export("library", tmp_path / name)
        return tmp_path / name

    with open_library(tmp_path / "other") as other:
        other.add(exported("one.jsonl"))
        edit(other, "night", "ours is newer", "2099-02-01")
        edit(library, "night", "theirs", "2099-01-01")
        edit(library, "dry scrub", "theirs is newer", "2099-01-01")
        edit(library, "shade", "", "2099-01-01")
        library.highlights.edit(clean.id, color="red")
        edit(library, "small", "now with a note", "2099-01-01")
        lines = exported("two.jsonl").read_text("utf-8").splitlines()
        other.add(write(tmp_path / "three.jsonl", "\n".join([*lines, *lines, ""])))
        assert {one.quote: one.note for one in other.highlights.list()} == {
            **{"at night.": "ours is newer", "dry scrub.": "theirs is newer", "swim.": "first"},
            **{"in the shade.": "", "They are “small”.": "now with a note"},
        }
        assert len(other.highlights.list()) == 5
        assert [one.quote for one in other.highlights.list(color="red")] == ["They are “small”."]


def test_the_note_of_another_on_the_same_words_does_not_replace_mine(library: Library, tmp_path: Path) -> None:
    """A colleague's export would overwrite what I wrote."""
    with open_library(tmp_path / "other") as other:
        other.add(quokkas(tmp_path))
        other.highlights.add("Quokkas", "at night", note="theirs")
        other.highlights.add("Quokkas", "swim", note="useful")
        with aside(other.session.catalog.engine) as connection:
            connection.execute(update(highlights).values(made="2001-01-01", updated="2099-01-01"))
        other.export("library", tmp_path / "out.jsonl")
    library.highlights.add("Quokkas", "at night", note="mine")
    library.highlights.add("Quokkas", "swim")
    library.add(tmp_path / "out.jsonl")
    assert {one.quote: one.note for one in library.highlights.list()} == {"at night.": "mine", "swim.": "useful"}


def test_markdown_has_what_was_marked_in_the_order_of_the_text(library: Library) -> None:
    """Notes could not be taken into a text."""
    library.highlights.add("Quokkas", "They are “small”.", color="blue")
    library.highlights.add("Quokkas", "at night", note="Check *this*.")
    library.collections.note("Quokkas", "About all of it.")
    out = io.StringIO()
    assert library.export("markdown", out) == 1
    parts = out.getvalue().strip().split("\n\n")
    assert parts[0] == "# Quokkas" and parts[2:] == [
        "<https://doi.org/10.1000/q>",
        "About all of it.",
        "> at night. (Quill, yellow)",
        "Check *this*.",
        "> They are “small”. (Quill, blue)",
    ]


def test_doctor_tells_of_one_that_cannot_be_read(library: Library) -> None:
    """A damaged row would only be seen when a page breaks."""
    library.highlights.add("Quokkas", "at night")
    with aside(library.session.catalog.engine) as connection:
        connection.execute(update(highlights).values(anchor=json.dumps({"sentences": 5})))
    [finding] = [one for one in library.doctor().findings if one.check == "highlights"]
    assert not finding.ok and "restore" in finding.remedy


def test_they_go_to_the_paper_that_takes_theirs_up(library: Library, tmp_path: Path) -> None:
    """What was marked in an abstract would be lost when the paper's full text comes."""
    abstract = {
        "title": "Koalas",
        "abstract": "Koalas sleep in trees. They eat leaves.",
        "year": 2001,
        "authors": ["Ko, A"],
    }
    library.add(write_jsonl(tmp_path / "a.jsonl", [abstract]))
    marked = library.highlights.add("Koalas", "sleep in trees", note="Really?")
    library.add(write_jsonl(tmp_path / "b.jsonl", [{**abstract, "doi": "10.1000/k"}]))
    [paper] = [paper for paper in library.papers() if paper.title == "Koalas"]
    [now] = library.highlights.list(paper.id)
    assert paper.doi and (now.id, now.found, now.quote, now.note) == (marked.id, True, marked.quote, "Really?")
    assert_consistent(library)


def test_a_terminal_says_how_to_make_the_first_one() -> None:
    """An empty list would not say of what there is none."""
    out = io.StringIO()
    printer = Printer(out)
    printer.width = 80
    views.highlights_list(printer, ())
    assert out.getvalue() == "No highlights yet. Add one: conspectus highlights add PAPER QUOTE\n"
