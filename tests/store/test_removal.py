"""After a paper is removed, no row but the user's own answers has a word of it, whatever models were told and said."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.answer import sql as answer_sql
from conspectus.llm import sql as llm_sql
from conspectus.llm.sql import Spent
from conspectus.models.language import ModelReply
from conspectus.records import Answer, AskOptions, Citation, Evidence, Statement, Step
from conspectus.store.connection import aside, transact
from helpers import HANG, assert_consistent, markdown, open_library, table_rows, write

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
FILES = {
    "a.md": markdown("On quaggas", "The quaggaword grazes. It is striped.", pmid="11"),
    "b.md": markdown("On zebras", "The zebraword grazes. It has stripes.", arxiv_id="2001.00001"),
    "c.md": markdown("On okapis", "The okapiword hides. It is shy.", doi="10.1000/o"),
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        made.add([write(tmp_path / name, body) for name, body in FILES.items()])
        keep_everything(made)
        yield made


def keep_everything(library: Library) -> None:
    """Calls and answers about each paper alone, and about each two of them, that repeat their words."""
    papers = {paper.id: paper for paper in library.papers()}
    pairs = [(one, two) for one in papers for two in papers if one <= two]
    made, numbers = [], []
    for number, ids in enumerate(pairs):
        named = sorted(set(ids))
        said = " ".join(passage.text for name in named for passage in library.passages(name))
        made.append((f"digest{number}", ModelReply(said), named))
        numbers.append(Spent(at="2026-01-01T00:00:00+00:00", role="write", model="m", cost=0.5))
        passages = [next(library.passages(name)) for name in named]
        citations = [
            Citation(papers[one.paper_id], one.id, one.spans[:1], one.spans[0].text, papers[one.paper_id].label)
            for one in passages
        ]
        answer = Answer(
            "What grazes?", True, "", "agent", said, (Statement(citations[0].quote, "quoted", tuple(citations)),),
            id=f"ans-{number:08}", trace=(Step(1, "", "read_passage", "", said),),
            evidence=tuple(
                Evidence(f"e{turn}", one.paper, one.passage_id, one.spans, f"It says: {one.quote}", 5, 0.5)
                for turn, one in enumerate(citations)
            ),
        )  # fmt: skip
        save(library, answer)
        seen = replace(answer, id=f"ans-{number + 90:08}", statements=(), evidence=())
        save(library, seen, named)  # the tools have shown the papers, but nothing came of them
    llm_sql.keep_calls(library.session.catalog.engine, made, numbers)


def save(library: Library, answer: Answer, papers: list[str] | None = None) -> None:
    transact(
        library.session.catalog.engine,
        lambda one: answer_sql.save_answer(one, answer, AskOptions(), papers or ()),
        aside,
    )


def tables_with(library: Library, word: str) -> set[str]:
    """The tables with a row that has the word in any column, packed or not."""
    return {
        name for name, rows in table_rows(library).items() if any(word in said(value) for row in rows for value in row)
    }


def said(value: Any) -> str:
    if not isinstance(value, bytes | memoryview):
        return str(value)
    raw = bytes(value)
    with suppress(zlib.error):
        raw += zlib.decompress(raw)
    return raw.decode("utf-8", "replace")


def kept_of(library: Library) -> int:
    return len(llm_sql.read_replies(library.session.catalog, [f"digest{number}" for number in range(6)]))


def test_every_place_is_looked_into(library: Library) -> None:
    """Else the tests below prove nothing."""
    assert tables_with(library, "okapiword") == {"documents", "key_phrases", "passages", "calls", "evidence", "answers"}
    assert kept_of(library) == 6


def test_a_removed_paper_leaves_no_word(library: Library) -> None:
    """Else what a user had to remove can be read in the file."""
    library.remove("On okapis")
    assert tables_with(library, "okapiword") == set()
    assert kept_of(library) == 3, "those of the other two papers are as good as before"
    assert tables_with(library, "zebraword") == {"documents", "key_phrases", "passages", "calls", "evidence", "answers"}
    rows = table_rows(library)
    assert len(rows["answers"]) == 12 and len(rows["spending"]) == 6, "the questions and the numbers are the user's"
    assert llm_sql.sum_spending(library.session.catalog)[0].cost == 3.0
    library.remove("On zebras")
    library.remove("On quaggas")
    assert not any(tables_with(library, word) for word in ("quaggaword", "zebraword"))
    assert not any(rows for name, rows in table_rows(library).items() if name in ("calls", "call_papers", "evidence"))
    assert_consistent(library)


def edited(library: Library, folder: Path) -> None:
    """The paper is edited before it goes: what was said of it was said of the old words."""
    library.add(write(folder / "c.md", FILES["c.md"].replace("okapiword", "otherword")))
    assert "calls" in tables_with(library, "okapiword")


def joined(library: Library, folder: Path) -> None:
    """Another paper is found to be the same one, and takes it up, or is taken up."""
    library.add(write(folder / "d.bib", "@article{d, title = {On okapis}, doi = {10.1000/o}, file = {b.md;c.md}}"))
    assert len(list(library.papers())) == 2
    assert kept_of(library) == 6 and "calls" in tables_with(library, "okapiword")


def parted(library: Library, folder: Path) -> None:
    """What joined it with another paper goes again."""
    joined(library, folder)
    library.add(write(folder / "d.bib", "@article{d, title = {On nothing}, doi = {10.1000/n}}"))
    assert len(list(library.papers())) == 4


@pytest.mark.parametrize("change", [edited, joined, parted])
def test_a_paper_that_has_changed_before_it_goes(
    library: Library, tmp_path: Path, change: Callable[[Library, Path], None]
) -> None:
    """Else words survive in what was said before two papers became one, or one became two."""
    change(library, tmp_path)
    for name in [paper.id for paper in library.papers() if "quaggas" not in paper.title]:
        library.remove(name)
    for word in ("okapiword", "zebraword", "otherword"):
        assert tables_with(library, word) == set(), word
    replies = llm_sql.read_replies(library.session.catalog, [f"digest{number}" for number in range(6)])
    assert "quaggaword" in replies.popitem()[1].text
    assert_consistent(library)


def test_a_file_that_no_longer_speaks_of_a_paper(library: Library, tmp_path: Path) -> None:
    """Else a paper that goes because its file was edited leaves what was said of it."""
    library.add(write(tmp_path / "c.md", markdown("On giraffes", "They are tall.", doi="10.1000/g")))
    assert tables_with(library, "okapiword") == set() and kept_of(library) == 3


def test_what_is_kept_while_its_paper_is_removed(library: Library) -> None:
    """Else a reply that is written at the moment when its paper goes stays for ever, as nothing leads to it."""
    paper = library.paper("On okapis").id
    removing = threading.Thread(target=library.remove, args=[paper])
    with aside(library.session.catalog.engine) as connection:
        llm_sql._keep_calls(connection, [("late", ModelReply("the okapiword"), [paper])], [])
        removing.start()
        time.sleep(0.5)  # it is waiting now
    removing.join(HANG)
    assert not removing.is_alive() and not library.session.catalog.has_paper(paper)
    assert tables_with(library, "okapiword") == set()


def test_clearing_up(library: Library) -> None:
    """Else an answer that a user throws away stays."""
    for row in answer_sql.list_answers(library.session.catalog):
        with aside(library.session.catalog.engine) as connection:
            answer_sql.remove_answer(connection, row.id)
    assert tables_with(library, "okapiword") == {"documents", "key_phrases", "passages", "calls"}
