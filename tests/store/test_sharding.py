"""What an extension that spreads tables over servers by paper, as Citus does, asks of tables. It is not run here."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Table, UniqueConstraint

from conspectus.store.columns import metadata
from conspectus.store.schema import papers
from helpers import open_library, write_jsonl
from postgres_server import Server

VIOLATIONS = {
    "papers": {"unique id"},
    "documents": {"unique key"},
    "figures": {"unique key"},
    "pictures": {"unique key"},
    "picture_files": {"unique key"},
    "passages": {"unique key", "unique id"},
    "vectors": {"no paper", "unique passage_key model_key", "names passages"},
    "token_vectors": {"no paper", "unique passage_key model_key", "names passages"},
    "summaries": {"no paper", "unique passage_key", "names passages"},
    "relations": {"unique key"},
    "evidence": {"unique key"},
    "review_entries": {"unique key"},
    "notes": {"unique key", "unique id"},
    "highlights": {"unique key", "unique id"},
    "answer_papers": {"unique answer_key named"},
}
"""What hinders it today, as `docs/server.md` says; nothing may be added."""


def growing() -> Iterator[Table]:
    """The tables that have more rows with each paper."""
    found = {papers}
    for table in metadata.sorted_tables:
        if table is papers or any(key.column.table in found for key in table.foreign_keys):
            found.add(table)
            yield table


def violations(table: Table) -> set[str]:
    """Rules that a table breaks: the paper's key is in all unique keys, and rows are joined by it."""
    paper = "key" if table is papers else "paper_key"
    constraints = (one for one in table.constraints if isinstance(one, UniqueConstraint))
    unique = [table.primary_key, *constraints, *(index for index in table.indexes if index.unique)]
    keys = [[column.name for column in one.columns] for one in unique]
    unique_columns = [[column.name] for column in table.columns if column.unique]
    broken = {f"unique {' '.join(names)}" for names in keys + unique_columns if paper not in names}
    broken |= {"no paper"} if paper not in table.c else set()
    named = {key.column.table for key in table.foreign_keys} & set(growing()) - {papers}
    return broken | {f"names {other.name}" for other in named}


def test_no_more_tables_break_the_rules_of_distribution() -> None:
    """Else the catalog moves away from what a cluster of servers could hold, and nobody sees it."""
    assert {table.name: broken for table in growing() if (broken := violations(table))} == VIOLATIONS


@pytest.mark.postgres
@pytest.mark.usefixtures("quick_pool")
def test_the_index_keeps_the_rules_of_distribution(vector_server: Server, tmp_path: Path) -> None:
    """Else the index, the largest part and the one that is searched, cannot be spread over servers."""
    flags = {"catalog__url": vector_server.url(), "catalog__schema": "spread", "index__engine": "postgres"}
    with open_library(tmp_path / "library", **flags) as library:
        library.add(write_jsonl(tmp_path / "one.jsonl", [{"id": "a", "title": "Eels", "abstract": "Eels swim far."}]))
    columns = "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = i.indrelid"
    keys = f"SELECT indrelid::regclass || ': ' || ({columns} AND attnum = ANY (indkey)) AS said FROM pg_index i"
    query = f"SELECT string_agg(said, ', ' ORDER BY said) FROM ({keys} WHERE indisunique AND indrelid::regclass::text"
    with vector_server.owned() as run:
        unique = run(f"{query} ~ '^spread.search_(rows|postings)') AS found")
        links = run("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text ~ 'search_'")
    assert unique == "spread.search_postings_1: term block part, spread.search_rows_1: paper key" and not links
