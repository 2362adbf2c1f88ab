"""Answers and conversations in `export --to library`."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.answer import sql as answer_sql
from conspectus.records import Answer, AskOptions, Citation, Evidence, Statement, Step
from conspectus.store.connection import aside
from helpers import markdown, open_library, write

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")


def keep_two(library: Library) -> Citation:
    paper = library.paper("Cats")
    passage = next(library.passages(paper.id))
    citation = Citation(paper, passage.id, passage.spans[:1], passage.spans[0].text, paper.label)
    evidence = Evidence("e1", paper, passage.id, passage.spans[:1], "They purr.", 9, 0.5, paper.label)
    statement = Statement("Cats purr.", "supported", (citation,), evidence=("e1",))
    trace = (Step(1, "Look.", "search", "{}", "Cats"),)
    with aside(library.session.catalog.engine) as connection:
        answer_sql.begin_conversation(connection, "con-00000001", "On cats")
        for name, asked in (("ans-00000009", AskOptions(conversation="con-00000001")), ("ans-00000001", AskOptions())):
            made = Answer("What?", True, "", "model", "", (statement,), id=name, evidence=(evidence,), trace=trace)
            answer_sql.save_answer(connection, made, asked)
    return citation


def exported(library: Library, *names: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    library.export("library", out, names)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_answers_come_last_and_whole(tmp_path: Path) -> None:
    """Else who leaves with the library leaves what was asked and answered behind."""
    with open_library(tmp_path / "lib") as library:
        library.add(write(tmp_path / "cats.md", markdown("Cats", "Cats purr at 25 hertz. They sleep.")))
        citation = keep_two(library)
        *_, talk, first, second = exported(library)
        assert talk["schema"] == "conspectus.conversation/1" and (talk["conversation"], talk["turns"]) == (
            "con-00000001",
            1,
        )
        assert [line["answer"] for line in (first, second)] == ["ans-00000009", "ans-00000001"]
        assert (first["conversation"], first["turn"], second["conversation"]) == ("con-00000001", 1, "")
        (cited,) = first["statements"][0]["citations"]
        assert cited == {
            "paper": citation.paper.id,
            "passage": citation.passage_id,
            "spans": [citation.spans[0].id],
            "quote": "Cats purr at 25 hertz.",
        }
        assert first["evidence"][0]["summary"] == "They purr." and first["trace"][0]["tool"] == "search"
        some = exported(library, "Cats")
        assert not [line for line in some if "answer" in line["schema"]], "a part is of papers"
        library.export("library", tmp_path / "all.jsonl")
        with open_library(tmp_path / "other", parse__linked=False) as other:
            (row,) = other.add(tmp_path / "all.jsonl").added
            assert (row.papers, row.reason, row.notes) == (1, "", ())


def test_a_backup_has_the_answers(tmp_path: Path) -> None:
    """Else what was asked and answered is lost with the disk."""
    with open_library(tmp_path / "lib") as library, open_library(tmp_path / "new") as new:
        library.add(write(tmp_path / "cats.md", markdown("Cats", "Cats purr at 25 hertz. They sleep.")))
        keep_two(library)
        library.backup(tmp_path / "all.zip")
        new.restore(tmp_path / "all.zip")
        kept = [answer_sql.load_answer(one.session.catalog, "last") for one in (library, new)]
        assert kept[0] == kept[1] and kept[1].answer.statements[0].citations
        with aside(new.session.catalog.engine) as connection:  # new rows are numbered after those that came
            answer_sql.save_answer(
                connection, Answer("Which?", False, "None.", "model", "", (), id="ans-5"), AskOptions()
            )
        assert answer_sql.find_answer(new.session.catalog, "last").id == "ans-5"
