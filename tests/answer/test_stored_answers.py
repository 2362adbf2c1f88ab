"""Answers that are kept: they come back as they were, with the sentences of the library as it is now."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from conspectus import Library
from conspectus.answer import sql as answer_sql
from conspectus.core.errors import LibraryDamagedError, NotFoundError
from conspectus.records import Answer, AskOptions, Citation, Draft, Evidence, Filters, Opinion, Statement, Step, Usage
from conspectus.store import schema
from conspectus.store.connection import aside, new_id, transact, writing
from helpers import assert_consistent, markdown, open_library, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
LONG = f"They sleep by day{', in the sun or in the shade' * 8}."
CATS = markdown("Cats", f"Cats purr at 25 hertz. {LONG} They hunt by night.", doi="10.1000/c")
DOGS = markdown("Dogs", "Dogs bark at 500 hertz. They run by day.", doi="10.1000/d")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        made.add([write(tmp_path / "cats.md", CATS), write(tmp_path / "dogs.md", DOGS)])
        yield made


def cited(library: Library, title: str, *numbers: int) -> Citation:
    paper = library.paper(title)
    passage = next(one for one in library.passages(paper.id) if len(one.spans) > max(numbers))
    spans = tuple(passage.spans[number] for number in numbers)
    return Citation(paper, passage.id, spans, " … ".join(span.text for span in spans), paper.label + "a")


def evidence(name: str, citation: Citation, summary: str) -> Evidence:
    return Evidence(name, citation.paper, citation.passage_id, citation.spans, summary, 8, 0.25, citation.label)


def render(statements: Sequence[Statement]) -> str:
    return " ".join(f"{one.text} {''.join(cited.marker for cited in one.citations)}" for one in statements)


def made(library: Library, name: str = "ans-00000001", question: str = "Who is louder?") -> Answer:
    """An answer with all that one can have."""
    cats, dogs = cited(library, "Cats", 2, 0), cited(library, "Dogs", 0)
    statements = (
        Statement("Cats purr low and hunt late.", "supported", (cats,), 0.5, "", ("e1",)),
        Statement("Dogs are louder than cats.", "partly", (dogs, cats), 0.0, "cats are not said to be", ("e1", "e2")),
        Statement(dogs.quote, "quoted", (dogs,)),
        Statement("Nobody knows.", "unsupported", ()),
    )
    earlier = (Statement("Dogs bark.", "unchecked", (dogs,), evidence=("e2",)),)
    return Answer(
        question, True, "", "agent", render(statements), statements, ("openai:a", "openai:b"),
        Usage(1.5, 20, 90, 1000, 100, 10, 22, 2, 0.125, 30.0), "a note", name, "2026-01-01T00:00:00+00:00", "nuanced",
        "Who is louder, cats or dogs?",
        (evidence("e1", cats, "Purring is low."), evidence("e2", dogs, "Barking is loud.")),
        "Dogs are loud, says the model.",
        (Draft("first answer", render(earlier), earlier), Draft("critique", "Too short.")),
        {"ads": 'abs:"purr"'}, Opinion("openai:c", False, "It is not so."),
        (Step(1, "Look first.", "search", '{"words": "loud"}', "Cats; Dogs", 12, None, 0.5),),
    )  # fmt: skip


def keep(library: Library, answer: Answer, papers: Sequence[str] = (), **options: object) -> None:
    asked = AskOptions(**options)  # type: ignore[arg-type]
    transact(
        library.session.catalog.engine,
        lambda connection: answer_sql.save_answer(connection, answer, asked, papers),
        aside,
    )


def test_an_answer_comes_back_as_it_was(library: Library) -> None:
    """Else what a user comes back to next week is not what was answered."""
    answer, change = made(library), library.session.catalog.change()
    keep(library, answer, kind="nuanced", level="a child", language="es", agent=True)
    saved = answer_sql.load_answer(library.session.catalog, "ans-00000001", render)
    assert saved.answer == answer
    assert saved.options == AskOptions(kind="nuanced", level="a child", language="es", agent=True)
    assert library.session.catalog.change() == change
    assert_consistent(library)


def test_filters_come_back_as_they_were(library: Library) -> None:
    """Else an answer that is asked again is asked of other papers than it was."""
    filters = Filters(year=(None, 2015), author=("Li", "Smith"), kind=("abstract",), full_text=False)
    engine, answer = library.session.catalog.engine, made(library)
    transact(engine, lambda link: answer_sql.save_answer(link, answer, AskOptions(), filters=filters), aside)
    assert library.answers.show("ans-00000001").filters == filters
    keep(library, made(library, "ans-00000002"))
    assert library.answers.show("last").filters == Filters()


def test_answers_are_found_by_parts_of_their_ids(library: Library) -> None:
    """Else a user has to type twelve characters that mean nothing."""
    with pytest.raises(NotFoundError, match="no answers in the library yet"):
        answer_sql.load_answer(library.session.catalog, "last")
    for name in ("ans-0000aaaa", "ans-0000bbbb", "ans-11110000"):
        keep(library, made(library, name, f"Question {name}"))
    find = answer_sql.find_answer
    for name in ("ans-0000aaaa", "ans-0000a", "0000a", "0000aaaa"):
        assert find(library.session.catalog, name).question == "Question ans-0000aaaa"
    assert find(library.session.catalog, "last").id == find(library.session.catalog, "1").id == "ans-11110000"
    with pytest.raises(NotFoundError, match="ans-0000aaaa, ans-0000bbbb"):
        find(library.session.catalog, "ans-0000")
    for name in ("", "ans-2", "%", "_", "x" * 999, "\0"):
        with pytest.raises(NotFoundError, match="There is no answer"):
            find(library.session.catalog, name)
    assert [row.id for row in answer_sql.list_answers(library.session.catalog, 2)] == ["ans-11110000", "ans-0000bbbb"]
    names = {new_id(library.session.catalog, schema.answers, "ans-") for _ in range(5)}
    assert len(names) == 5 and all(len(name) == 12 and name.startswith("ans-") for name in names)
    with aside(library.session.catalog.engine) as connection:
        answer_sql.remove_answer(connection, "ans-11110000")
    assert len(answer_sql.list_answers(library.session.catalog)) == 2
    rows = table_rows(library)
    assert (len(rows["evidence"]), len(rows["answer_papers"])) == (4, 4)


def test_what_failed_the_check_stays_failed_without_its_paper(library: Library) -> None:
    """A statement that the judge struck out would be shown as one that nobody has looked at."""
    answer = made(library)
    wrong = replace(answer.statements[1], status="unsupported")
    keep(library, replace(answer, statements=(wrong,)))
    library.remove("Dogs")
    (found,) = answer_sql.load_answer(library.session.catalog, "last", render).answer.statements
    assert found.status == "unsupported" and found.why.startswith("cats are not said to be Its source")


def test_a_removed_paper_is_no_longer_cited(library: Library) -> None:
    """Else an answer shows the words of a paper that somebody had to remove, or cites what nobody can look up."""
    keep(library, made(library))
    (gone,) = library.remove("Dogs").removed
    answer = answer_sql.load_answer(library.session.catalog, "last", render).answer
    low, louder, quote, none = answer.statements
    assert (low.status, low.citations) == ("supported", (cited(library, "Cats", 2, 0),))
    assert (louder.status, louder.citations, louder.evidence) == ("unchecked", low.citations, ("e1",))
    assert gone.id in louder.why and "no longer in the library" in louder.why
    assert (quote.text, quote.citations, quote.status) == ("", (), "unchecked")
    assert none.status == "unsupported" and not none.why
    assert [item.id for item in answer.evidence] == ["e1"] and answer.trace == ()
    assert "500 hertz" not in str(answer) and answer.question == "Who is louder?"


def test_sentences_are_found_where_they_stand_now(library: Library, tmp_path: Path) -> None:
    """Else reading the papers again, in other passages, takes the sources from every answer."""
    answer = made(library)
    keep(library, answer)
    library.close()
    with open_library(tmp_path / "lib", passages__chars=200, passages__overlap=0) as other:
        other.reindex()
        now = answer_sql.load_answer(other.session.catalog, "last").answer
        assert [one.status for one in now.statements] == [one.status for one in answer.statements]
        first = now.statements[0].citations
        assert {one.quote for one in first} == {"They hunt by night.", "Cats purr at 25 hertz."}
        for citation in first:
            texts = {passage.id: passage.text for passage in other.passages("Cats")}
            assert all(texts[citation.passage_id][span.start : span.end] == span.text for span in citation.spans)
        other.add(write(tmp_path / "cats.md", CATS.replace("25 hertz", "26 hertz")))
        now = answer_sql.load_answer(other.session.catalog, "last").answer
        assert now.statements[0].status == "unchecked" and not now.statements[0].citations
        assert "a sentence of" in now.statements[0].why and [item.id for item in now.evidence] == ["e2"]


def test_a_paper_that_two_turn_out_to_be_is_still_cited(library: Library, tmp_path: Path) -> None:
    """Else a better record of a paper takes the sources from the answers that cite it, or leaves its words behind."""
    first = {"title": "Eels", "abstract": "Eels swim to the Sargasso sea. They spawn there.", "pmid": "77"}
    second = markdown("Eels of the sea", "Eels are long fish. They are thin.", arxiv_id="2001.00007")
    library.add([write_jsonl(tmp_path / "e.jsonl", [first]), write(tmp_path / "f.md", second)])
    old, new = cited(library, "Eels", 0), cited(library, "Eels of the sea", 1)
    keep(library, replace(made(library), statements=(Statement("They swim.", "supported", (new, old)),)))
    library.add(write_jsonl(tmp_path / "g.jsonl", [{"title": "Eels", "pmid": "77", "arxiv_id": "2001.00007"}]))
    assert len({paper.id for paper in library.papers()}) == 3, "else nothing was joined"
    kept = answer_sql.load_answer(library.session.catalog, "last").answer.statements[0]
    (eels,) = [paper for paper in library.papers() if "Eels" in paper.title]
    texts = {span.text for passage in library.passages(eels.id) for span in passage.spans}
    assert old.paper.id != new.paper.id and eels.id == old.paper.id
    assert {one.quote for one in kept.citations} == {old.quote, new.quote} & texts
    assert new.quote in {one.quote for one in kept.citations}, "the sentence is there, under another paper's name"
    assert {one.paper.id for one in kept.citations} == {eels.id}
    library.remove(eels.id)
    answer = answer_sql.load_answer(library.session.catalog, "last").answer
    assert not answer.statements[0].citations and not answer.trace


def test_conversations(library: Library) -> None:
    """Else a user cannot take up a conversation where it was left."""
    catalog = library.session.catalog
    with pytest.raises(NotFoundError, match="no conversations"):
        answer_sql.find_conversation(catalog, "last")
    with aside(catalog.engine) as connection:
        answer_sql.begin_conversation(connection, "con-0000aaaa", "Cats")
        answer_sql.begin_conversation(connection, "con-0000bbbb", "Dogs")
    for number, name in enumerate(("ans-00000003", "ans-00000002", "ans-00000009")):
        keep(library, made(library, name, f"Question {number}"), conversation="con-0000aaaa")
    keep(library, made(library))
    turns = answer_sql.list_answers(catalog, conversation="con-0000aaaa")
    assert [(row.question, row.turn, row.conversation) for row in turns] == [
        (f"Question {number}", number + 1, "con-0000aaaa") for number in range(3)
    ]
    assert answer_sql.load_answer(catalog, "ans-00000009").turn == 3
    assert (
        answer_sql.find_conversation(catalog, "0000a").turns,
        answer_sql.find_conversation(catalog, "con-0000b").turns,
    ) == (3, 0)
    with aside(catalog.engine) as connection:
        answer_sql.rename_conversation(connection, "con-0000bbbb", "Barking")
        answer_sql.remove_conversation(connection, "con-0000aaaa")
    assert [(one.title, one.turns) for one in answer_sql.list_conversations(catalog)] == [("Barking", 0)]
    assert answer_sql.find_conversation(catalog, "last").title == "Barking"
    assert [row.id for row in answer_sql.list_answers(catalog)] == ["ans-00000001"]
    with pytest.raises(NotFoundError, match="no conversation 'con-0000aaaa' any more"):
        keep(library, made(library, "ans-00000004"), conversation="con-0000aaaa")
    assert len(answer_sql.list_answers(catalog)) == 1
    assert_consistent(library)


def test_what_was_removed_while_it_was_answered(library: Library) -> None:
    """Else an answer that was on its way brings the words of a removed paper back."""
    answer = made(library)
    (dogs,) = library.remove("Dogs").removed
    keep(library, answer)
    keep(
        library, replace(answer, id="ans-00000002", statements=answer.statements[:1], evidence=(), drafts=()), [dogs.id]
    )
    for name in ("ans-00000001", "ans-00000002"):
        found = answer_sql.load_answer(library.session.catalog, name).answer
        assert found.trace == () and "500 hertz" not in str(found)
    assert {row[2] for row in table_rows(library)["evidence"]} == {
        library.session.catalog.paper_key(library.paper("Cats").id)
    }


def test_an_answer_that_cannot_be_read_is_told(library: Library) -> None:
    """Else one damaged row is a traceback."""
    keep(library, made(library))
    with writing(library.session.catalog.engine) as connection:
        connection.execute(text("UPDATE answers SET body = :raw"), {"raw": b"\xc1"})
    with pytest.raises(LibraryDamagedError, match="ans-00000001"):
        answer_sql.load_answer(library.session.catalog, "last")
    assert len(answer_sql.list_answers(library.session.catalog)) == 1
