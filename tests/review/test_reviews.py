"""What every review keeps: papers in their order, entries, names; and what removing a paper takes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from conspectus import Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.records.review import Review, ReviewEntry
from conspectus.review import sql
from conspectus.store.connection import transact
from conspectus.store.review_tables import reviews
from helpers import assert_consistent, open_library, table_rows, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
RECORDS = [
    {"title": f"Cells {n}", "abstract": f"Grid cells of kind {n} fire.", "doi": f"10.1000/{n}"} for n in range(4)
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", RECORDS))
        yield library


def ids(library: Library) -> list[str]:
    return [library.paper(f"10.1000/{n}").id for n in range(4)]


def rank(library: Library, name: str = "Impact") -> Review:
    return sql.create_review(library.session, "rank", name, {"by": "impact"}, ids(library))


def said(library: Library, review: Review) -> set[tuple[str, str, str]]:
    return {(one.paper, one.other, one.field) for one in sql.entries_of(library.session.catalog, review)}


def test_a_review_keeps_its_papers_in_order_and_what_is_said_of_them(library: Library) -> None:
    """A killed run would not know where it was."""
    a, _, c, d = ids(library)
    review = sql.create_review(library.session, "table", "Sizes", {"columns": ["n"]}, [c, a, c])
    assert list(sql.papers_of(library.session.catalog, review)) == [c, a] and review.papers == 2
    assert sql.add_papers(library.session, review, [a, d]) == 1
    assert list(sql.papers_of(library.session.catalog, review)) == [c, a, d]
    first, *_ = sql.keep_entries(
        library.session,
        review,
        [ReviewEntry(c, "n", "model:m", {"value": 3}), ReviewEntry("gone", "n", "model:m", {"value": 4})],
    )
    assert (first.paper, first.field, first.by, first.value, first.other) == (c, "n", "model:m", {"value": 3}, "")
    sql.keep_entries(library.session, review, [ReviewEntry(c, "n", "model:m", {"value": 5})], instead=True)
    sql.keep_entries(library.session, review, [ReviewEntry(c, "n", "user", {"value": 6})], instead=True)
    kept = sql.entries_of(library.session.catalog, review, paper=c)
    assert [(one.by, one.value["value"]) for one in kept] == [("model:m", 5), ("user", 6)]
    sql.drop_entries(library.session, review, [kept[0].key])
    assert [one.by for one in sql.entries_of(library.session.catalog, review, field="n")] == ["user"]
    assert sql.find_review(library.session, "table").name == "Sizes"
    assert sql.find_review(library.session, "table", "last").name == "Sizes", "as other verbs call it"


def test_names_are_one_of_a_kind(library: Library) -> None:
    """A ranking would hide behind another of the same name."""
    review = rank(library)
    with pytest.raises(UsageError, match="There is a ranking 'impact' already"):
        rank(library, "impact")
    sql.create_review(library.session, "screen", "Impact", {}, [])
    with pytest.raises(NotFoundError, match="can mean several reviews"):
        library.review.rename("impact", "Other")
    assert library.review.rename(review.id, "Predicted impact").name == "Predicted impact"
    assert [one.name for one in library.review.list(kind="rank")] == ["Predicted impact"]
    assert library.review.delete("predicted impact").id == review.id
    with pytest.raises(NotFoundError, match="There is no ranking yet"):
        sql.find_review(library.session, "rank")
    with pytest.raises(NotFoundError, match="deleted meanwhile"):
        sql.keep_entries(library.session, review, [ReviewEntry(ids(library)[0], "", "user", {})])


def test_a_removed_paper_takes_its_rows_and_an_undone_removal_brings_them_back(library: Library) -> None:
    """Verdicts would stand on papers that nobody can read, or be lost by a slip."""
    a, b, c, _ = ids(library)
    review = rank(library)
    sql.keep_entries(
        library.session,
        review,
        [
            ReviewEntry(a, "pair", "user", {"preferred": a}, b),
            ReviewEntry(b, "pair", "user", {"preferred": b}, c),
            ReviewEntry(c, "pair", "user", {"preferred": c}, a),
        ],
    )
    before = said(library, review)
    library.remove(a)
    assert said(library, review) == {(b, c, "pair")} and a not in json.dumps(str(table_rows(library)["review_entries"]))
    assert_consistent(library)
    library.undo_remove()
    assert said(library, review) == before and next(iter(sql.papers_of(library.session.catalog, review))) == a
    library.remove(a)
    library.remove(b)
    library.undo_remove(a)
    assert said(library, review) == {(c, a, "pair")}, "what was said with another that is gone stays away"
    library.undo_remove(b)
    assert said(library, review) == {(c, a, "pair"), (b, c, "pair")}
    library.remove(c)
    library.review.delete("impact")
    library.undo_remove(c)
    assert library.review.list() == ()
    assert_consistent(library)


def test_an_export_of_the_whole_library_has_its_reviews(library: Library, tmp_path: Path) -> None:
    """Who moves to another program would leave the work of weeks behind, and not be told."""
    a, b, *_ = ids(library)
    review = rank(library)
    sql.keep_entries(library.session, review, [ReviewEntry(a, "pair", "user", {"preferred": "first"}, b)])

    def exported() -> list[dict[str, Any]]:
        library.export("library", tmp_path / "all.jsonl")
        lines = map(json.loads, (tmp_path / "all.jsonl").read_text("utf-8").splitlines())
        return [one for one in lines if one["schema"] == "conspectus.review/1"]

    (line,) = exported()
    assert (line["review"], line["name"], line["spec"], line["papers"]) == (
        review.id,
        "Impact",
        {"by": "impact"},
        ids(library),
    )
    (entry,) = line["entries"]
    assert (entry["paper"], entry["other"], entry["value"]) == (a, b, {"preferred": "first"})
    library.remove(b)
    (line,) = exported()
    assert b not in json.dumps(line) and not line["entries"]


def test_doctor_finds_a_review_that_cannot_be_read(library: Library) -> None:
    """All reviews would end in an error that sends to `doctor`, and `doctor` would say that all is well."""
    review = rank(library)
    assert [one.ok for one in library.doctor().findings if one.check == "reviews"] == [True]
    broken = update(reviews).where(reviews.c.id == review.id).values(spec='{"least": NaN}')
    transact(library.session.catalog.engine, lambda connection: connection.execute(broken))
    (found,) = (one for one in library.doctor().findings if one.check == "reviews")
    assert not found.ok and "restore" in found.remedy
