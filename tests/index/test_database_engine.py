"""The engine `postgres`: what every engine does, and what it does in the catalog's database."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus import Library
from conspectus.core.errors import BusyError, LibraryDamagedError, ServiceError, SettingsError
from conspectus.index import postgres_engine, postgres_reader, postgres_tables
from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.index.postgres_engine import PostgresIndex
from conspectus.records import Filters
from conspectus.records.filters import Not, Stands
from conspectus.store.catalog import Catalog
from conspectus.testing.index import IndexConformance
from conspectus.testing.index_writes import ALL, DIMENSIONS, MODEL, WORDS, by_text, by_vector, row, unit, write_rows
from helpers import assert_consistent, open_library
from postgres_server import Server

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def admin(vector_server: Server) -> Iterator[Callable[..., Any]]:
    """Runs a statement as the server's owner."""
    with vector_server.owned() as run:
        yield run


@pytest.fixture(scope="module")
def shared_catalog(vector_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    with Catalog(tmp_path_factory.mktemp("engine"), vector_server.url(), "engine") as catalog:
        yield catalog


@pytest.fixture
def catalog(shared_catalog: Catalog, admin: Callable[..., Any]) -> Catalog:
    """A catalog without an index."""
    for table in table_names(admin):
        admin(f"DROP TABLE engine.{table}")
    return shared_catalog


def table_names(admin: Callable[..., Any]) -> list[str]:
    names = "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables WHERE schemaname = 'engine'"
    return (admin(f"{names} AND tablename LIKE 'search%'") or "").split()


class TestPostgresIndex(IndexConformance):
    @pytest.fixture
    def make_index(self, catalog: Catalog) -> Callable[[], PostgresIndex]:
        return lambda: PostgresIndex(catalog)


# the same as the embedded engine


TEXTS = [
    "Grid cells fire in the entorhinal cortex³ while a rat explores.",
    "Dark matter halos and the rotation curves of galaxies, galaxies, galaxies.",
    "遺伝子 expression in naïve neurons; Schrödinger's equation.",
    "the of and",
    "A " + "very long passage of many words " * 40 + "on quasars.",
]


def test_scores_are_those_of_the_embedded_engine(catalog: Catalog, tmp_path: Path) -> None:
    """Else a group that moves its index into the database gets other papers for the same questions."""
    draw = np.random.default_rng(3)
    rows = [
        row(
            key * 700,  # in several blocks
            " ".join([TEXTS[key % len(TEXTS)], *draw.choice(WORDS, int(draw.integers(1, 60)))]),
            title=" ".join(draw.choice(WORDS, 3)),
            names="Müller, A.\nSmith 1999",
            lead="Müller",
            year=1990 + key % 20,
        )
        for key in range(1, 90)
    ]
    embedded, database = EmbeddedIndex(tmp_path / "index"), PostgresIndex(catalog)
    for index in (embedded, database):
        write_rows(index, rows[:60])
        write_rows(index, rows[60:], 2)
    queries = ["galaxies and quasars", "grid cell", "遺伝子", "muller 1999 orbit", "cortexes naive", "of", "nowhere"]
    for query in queries:
        for filters in (ALL, Filters(year=(1995, 2000))):
            for search in ("search_text", "search_exact"):
                want = getattr(embedded, search)(query, 1000, filters)
                have = getattr(database, search)(query, 1000, filters)
                assert {hit.key: hit.score for hit in have} == pytest.approx(
                    {hit.key: hit.score for hit in want}, rel=1e-5
                )
        for ask in ("has", "count"):
            given = (query,) if ask == "has" else (query, ALL)
            assert getattr(database, ask)(*given) == getattr(embedded, ask)(*given)
        assert database.frequencies(query.split()) == embedded.frequencies(query.split())
        assert database.exactness(query, [700, 1400]) == pytest.approx(embedded.exactness(query, [700, 1400]))
    for word in ("galaxi", "qasar", "schrodinegr", "entorhinl"):
        assert sorted(database.near(word, 2, 1000)) == sorted(embedded.near(word, 2, 1000))


# many rows


def test_vectors_of_a_large_index_are_searched_nearly_exactly(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else relevant passages are missed in a large library, and most of them where a narrow filter is set."""
    monkeypatch.setattr(postgres_reader, "EXACT", 500)
    monkeypatch.setattr(postgres_tables, "EXACT", 500)
    vectors, queries = unit(3000, 16, seed=2), unit(30, 16, seed=3)
    index = PostgresIndex(catalog)
    rows = [row(key, vector=vector, year=1000 + key % 1000) for key, vector in enumerate(vectors)]
    write_rows(index, rows[:2500])
    write_rows(index, rows[2500:], 2, delete=[*range(100)])
    for share in (1.0, 0.5, 0.1, 0.01, 0.001):
        filters = Filters(year=(2000 - int(1000 * share), 1999))
        passing = [key for key in range(100, 3000) if 1000 + key % 1000 >= 2000 - int(1000 * share)]
        recalls = []
        for query in queries:
            order = np.argsort(-(vectors[passing] @ query))[:10]
            want = {passing[place] for place in order}
            recalls.append(len(want & set(by_vector(index, query, 10, filters))) / len(want))
        assert np.mean(recalls) >= 0.97, share


def test_the_best_words_are_found_behind_many_that_do_not_pass(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what passes a broad filter is looked for only among the very best, and less than there is comes back."""
    monkeypatch.setattr(postgres_reader, "FEW", 10)
    index = PostgresIndex(catalog)
    write_rows(index, [row(key, "common " * (1 + (key > 100)), year=1900 + (key > 100)) for key in range(1, 301)])
    assert by_text(index, "common", 30, Filters(year=(1900, 1900))) == list(range(1, 31))
    assert len(by_text(index, "common", 1000, Filters(year=(1900, 1900)))) == 100
    assert by_text(index, "common", 30, where=Not(Stands("common common"))) == list(range(1, 31))


def test_what_was_taken_out_leaves_nothing(catalog: Catalog, admin: Callable[..., Any]) -> None:
    """Else words of papers that were removed stay in the database."""
    index = PostgresIndex(catalog)
    write_rows(index, [row(1, "quokka and dog", names="Ebb"), row(2, "dog"), row(20000, "dog"), row(20001, "wombat")])
    write_rows(index, [], 2, delete=[1, 20001, 12345])
    words = admin("SELECT string_agg(term, ' ' ORDER BY term, block) FROM engine.search_postings_1")
    assert words == "fdog fdog tdog tdog"
    assert index.frequencies(["dog", "quokka"]) == [2, 0]
    assert index.stats().rows == 2


def test_tables_of_an_index_that_was_replaced_go(catalog: Catalog, admin: Callable[..., Any]) -> None:
    """Else each `library reindex` leaves the database larger."""
    index = PostgresIndex(catalog)
    write_rows(index, [row(1)])
    for change in (2, 3):
        with index.writing(MODEL, DIMENSIONS, fresh=True) as writer:
            writer.add([row(change)])
            writer.commit(change)
    assert table_names(admin) == ["search_indexes", "search_postings_3", "search_rows_3"]
    write_rows(index.beside("summaries"), [row(7)])
    assert index.keys().tolist() == [3] and index.beside("summaries").keys().tolist() == [7]


def test_a_search_goes_on_while_the_index_is_replaced(catalog: Catalog) -> None:
    """Else who searches during `library reindex` of another machine is told of damage."""
    index, other = PostgresIndex(catalog), PostgresIndex(catalog)
    write_rows(index, [row(1)])
    assert other.keys().tolist() == [1]
    with index.writing(MODEL, DIMENSIONS, fresh=True) as writer:
        writer.add([row(2)])
        assert other.keys().tolist() == [1]
        writer.commit(2)
    assert other.keys().tolist() == [2]


# what is wrong, and what to do


def test_an_index_that_lacks_a_table_is_told_with_the_remedy(catalog: Catalog, admin: Callable[..., Any]) -> None:
    """Else the advice is to restore the catalog, where the index is to be built again."""
    index = PostgresIndex(catalog)
    write_rows(index, [row(1)])
    admin("DROP TABLE engine.search_postings_1")
    with pytest.raises(LibraryDamagedError) as caught:
        by_text(index, "common")
    assert "`library reindex`" in caught.value.hint
    with index.writing(MODEL, DIMENSIONS, fresh=True) as writer:
        writer.add([row(1)])
        writer.commit(2)
    assert by_text(index, "common") == [1]


def test_waiting_for_a_writer_has_an_end(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a hung process makes all others hang without a word."""
    monkeypatch.setattr(postgres_engine, "LOCK_SECONDS", 0.1)
    index = PostgresIndex(catalog)
    with index.writing(MODEL, DIMENSIONS), pytest.raises(BusyError):
        write_rows(PostgresIndex(catalog), [row(2)])


def test_vectors_of_another_model_are_refused(catalog: Catalog) -> None:
    """Else vectors that cannot be compared end up in one index."""
    index = PostgresIndex(catalog)
    write_rows(index, [row(1)])
    with pytest.raises(AssertionError, match="test/1"), index.writing("other/2", DIMENSIONS):
        pass


def test_an_old_pgvector_is_refused(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """pgvector before 0.8.4 damages its indexes: results would be wrong, and nobody would know."""
    monkeypatch.setattr(postgres_tables, "OLDEST_VECTOR", (99,))
    with pytest.raises(ServiceError, match=r"pgvector 0\.") as caught:
        write_rows(PostgresIndex(catalog), [row(1)])
    assert "ALTER EXTENSION vector UPDATE" in caught.value.hint


@pytest.mark.usefixtures("quick_pool")
def test_without_a_database_it_is_refused(tmp_path: Path) -> None:
    """Else a setting that cannot work ends in a traceback."""
    with (
        open_library(tmp_path, index__engine="postgres") as library,
        pytest.raises(SettingsError, match="not in a PostgreSQL database") as caught,
    ):
        library.search("eels")
    assert "catalog.url" in caught.value.hint


@pytest.mark.usefixtures("quick_pool")
def test_a_server_without_pgvector_is_told(server: Server, tmp_path: Path, examples: Path) -> None:
    """Else it is not said what the server's administrator is to do."""
    flags = {"catalog__url": server.url(), "catalog__schema": "no_vectors", "index__engine": "postgres"}
    with open_library(tmp_path / "library", **flags) as library, pytest.raises(ServiceError) as caught:
        library.add(examples / "papers" / "graphene.md")
    assert "pgvector" in caught.value.message and "CREATE EXTENSION vector" in caught.value.hint


@pytest.mark.usefixtures("quick_pool")
def test_who_may_not_install_pgvector_is_told(vector_server: Server, admin: Callable[..., Any], tmp_path: Path) -> None:
    """Else a user without the right is told of SQL."""
    admin("CREATE DATABASE plain")
    admin("CREATE ROLE adder LOGIN PASSWORD 'words'")
    admin("GRANT CREATE ON DATABASE plain TO adder")
    with Catalog(tmp_path / "none", vector_server.url("plain", "adder", "words"), "lib") as catalog:
        with pytest.raises(ServiceError, match="does not have the extension pgvector") as caught:
            write_rows(PostgresIndex(catalog), [row(1)])
        assert "CREATE EXTENSION vector" in caught.value.hint


# a library

QUESTIONS = (
    "What do grid cells encode?",
    "dark matter rotation curves",
    "strength of metals",
    "Hodgkin Huxley",
    "qbit",
)


def answers(library: Library) -> list[Any]:
    """Papers and passages in their order, for questions with and without conditions."""
    queries = [*QUESTIONS, '"action potential"', "dopamine -reward", "year:1900..2100", "graphene has:fulltext"]
    hits = [[(hit.paper.id, hit.passage.id) for hit in library.search(query, k=20).hits] for query in queries]
    reply = library.ask("How do grid cells tile space?")
    return [*hits, reply.text]


@pytest.mark.usefixtures("quick_pool")
def test_a_library_finds_the_same_with_both_engines(
    vector_server: Server, tmp_path: Path, examples: Path, admin: Callable[..., Any]
) -> None:
    """Else a group's library answers otherwise than the library of one person, or each machine makes an index."""
    papers = sorted((examples / "papers").iterdir())
    flags = {"catalog__url": vector_server.url(), "catalog__schema": "group"}
    with (
        open_library(tmp_path / "embedded", **flags) as embedded,
        open_library(tmp_path / "one", **flags, index__engine="postgres") as one,
        open_library(tmp_path / "two", **flags, index__engine="postgres") as two,
    ):
        report = one.add(papers)
        assert report.new_papers == len(papers)
        want = answers(embedded)
        assert answers(one) == want
        before = one.session.index.stats()
        assert answers(two) == want, "the second machine"
        assert two.session.index.stats() == before and not list((tmp_path / "two").glob("index*")), "nothing was built"
        assert_consistent(one)
        two.remove(want[0][0][0])
        assert answers(one) == answers(two) == answers(embedded) != want
        assert one.session.index.stats().rows < before.rows
        assert all(finding.ok for finding in one.doctor().findings)
        two.reindex()
        assert answers(one) == answers(embedded)
        admin("CREATE ROLE student LOGIN PASSWORD 'words'")
        admin('GRANT USAGE ON SCHEMA "group" TO student')
        admin('GRANT SELECT ON ALL TABLES IN SCHEMA "group" TO student')
        one.reindex()
        read = {"catalog__url": vector_server.url(user="student", password="words"), "catalog__schema": "group"}
        with open_library(tmp_path / "three", **read, index__engine="postgres") as three:
            assert [hit.paper.id for hit in three.search(QUESTIONS[0]).hits] == [
                hit.paper.id for hit in one.search(QUESTIONS[0]).hits
            ]


@pytest.mark.usefixtures("quick_pool")
def test_a_standby_is_searched(vector_server: Server, tmp_path: Path, examples: Path) -> None:
    """Else a group with many readers cannot spread them over several servers."""
    flags = {"catalog__schema": "copied", "index__engine": "postgres"}
    standby = vector_server.copy()
    try:
        with open_library(tmp_path / "one", **flags, catalog__url=vector_server.url()) as one:
            one.add(examples / "papers" / "graphene.md")
            want = one.search("graphene").hits
            standby.follow(vector_server)
            with open_library(tmp_path / "two", **flags, catalog__url=standby.url()) as two:
                have = two.search("graphene").hits
                assert have and [hit.passage.id for hit in have] == [hit.passage.id for hit in want]
                one.add(examples / "papers" / "place-and-grid-cells.md")
                standby.follow(vector_server)
                assert two.search("grid cells").hits[0].paper.title == one.search("grid cells").hits[0].paper.title
    finally:
        standby.close()
