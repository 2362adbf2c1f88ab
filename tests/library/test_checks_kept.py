"""`doctor` looks at what users keep."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from conspectus import Library
from conspectus.records import Finding
from conspectus.store.connection import aside, transact
from conspectus.store.schema import edits, feedback, notes, sets
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")


@pytest.fixture
def library(tmp_path: Path) -> Any:
    with open_library(tmp_path / "lib") as library:
        record = {"id": "p0", "title": "Grid cells", "abstract": "Grid cells fire on a lattice. They like theta."}
        library.add(write_jsonl(tmp_path / "a.jsonl", [record]))
        library.ask("Where do grid cells fire?")
        library.answers.judge("last", verdict="up", comment="Good.")
        library.collections.tag("to read", "p0")
        library.collections.note("p0", "Mine.")
        library.edit("p0", {"year": 2005})
        yield library


def looked(library: Library, *, fix: bool = False) -> Finding:
    return next(one for one in library.doctor(fix=fix).findings if one.check == "kept")


def written(library: Library, *statements: Any) -> None:
    transact(library.session.catalog.engine, lambda connection: [connection.execute(one) for one in statements], aside)


def test_what_is_well_is_left_as_it_is(library: Library) -> None:
    """`doctor --fix` would take away what somebody wrote."""

    def all_kept() -> tuple[object, ...]:
        kept = library.collections
        return kept.tags(), kept.notes(), library.edits("p0"), library.answers.feedback()

    before = all_kept()
    assert looked(library).ok and looked(library, fix=True).ok
    assert (
        library.collections.tags(),
        library.collections.notes(),
        library.edits("p0"),
        library.answers.feedback(),
    ) == before


def test_what_says_nothing_is_found_and_mended(library: Library) -> None:
    """A collection whose name is empty could be neither opened nor deleted."""
    made = {"made": "2026-01-01T00:00:00Z"}
    library.collections.note("p0", "Another.")
    written(
        library,
        insert(sets).values(id="col-1", kind="collection", name=" ", term="", **made),
        insert(sets).values(id="col-2", kind="collection", name="Lost", term="other", **made),
        insert(sets).values(id="tag-9", kind="tag", name="idle", term="idle", **made),
        update(notes).where(notes.c.text == "Mine.").values(text=""),
        update(feedback).values(verdict="", comment=""),
    )
    found = looked(library)
    assert not found.ok
    for part in ("col-1", "col-2", "'idle'", "empty notes", "1 judgements"):
        assert part in found.detail, part
    assert looked(library, fix=True).ok and looked(library).ok
    assert [one.name for one in library.collections.list()] == ["col-1", "Lost"] and library.collections.show(
        "lost"
    ).id == "col-2"
    assert [one.name for one in library.collections.tags()] == ["to read"] and library.answers.feedback() == ()
    assert [one.text for one in library.collections.notes()] == ["Another."]


def test_edits_that_cannot_be_read_are_told_and_kept(library: Library) -> None:
    """What a newer version wrote by hand would be thrown away by an older one."""
    written(library, update(edits).values(field="colour"))
    assert "'colour'" in looked(library, fix=True).detail
    assert not looked(library).ok
    written(library, update(edits).values(field="year", value='"soon"'))
    assert not looked(library, fix=True).ok
