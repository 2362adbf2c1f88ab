"""Libraries of other versions: older ones are brought up, whole or not at all; newer ones are left as they are."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from click.testing import CliRunner
from sqlalchemy import text

from conspectus import Filters
from conspectus.catalog import answers, calls, conversations, key_phrases
from conspectus.catalog.engine import MIGRATIONS, Store, writing
from conspectus.catalog.postgres import PostgresStore
from conspectus.catalog.schema import HEAD
from conspectus.catalog.sqlite import SqliteStore
from conspectus.catalog.writer import put_meta
from conspectus.cli.app import app
from conspectus.cli.verbs import VERBS
from conspectus.ingest.derivations.key_phrases import KeyPhrases
from conspectus.ingest.derive import lacking
from conspectus.parse.passages import PASSAGES_VERSION
from conspectus.records.jobs import Progress
from helpers import (
    HashEmbedder,
    assert_consistent,
    catalog_flags,
    markdown,
    open_library,
    table_rows,
    write,
    write_jsonl,
)

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
RELEASED = sorted(path.name.split("_")[0] for path in (MIGRATIONS / "versions").glob("0*.py"))
FLAGS = {
    "papers": ("has_full_text",),
    "files": ("retry",),
    "pictures": ("recognised",),
    "concepts": ("deprecated",),
    "candidates": ("kept",),
    "answers": ("answered",),
    "spending": ("from_cache", "failed"),
}
ON_BOTH = [
    *(("sqlite", revision) for revision in RELEASED),
    *(pytest.param("postgres", revision, marks=pytest.mark.postgres) for revision in (RELEASED[0], RELEASED[-1])),
]
"""The first version goes through all migrations; what each left in its tables is seen on SQLite."""
WAYS = [
    *(("sqlite", revision, how) for revision in ("0001", "0002") for how in ("add", "doctor", "reindex")),
    pytest.param("postgres", "0001", "add", marks=pytest.mark.postgres),
]
DUMPS = Path(__file__).parent / "released"


def make(folder: Path, revision: str) -> None:
    """A library as that version has left it: its tables, and in them what `released/dump.py` wrote down then."""
    store: Store = SqliteStore(folder / "catalog.sqlite")
    if flags := catalog_flags(folder):
        store = PostgresStore(flags["catalog.url"], flags["catalog.schema"])
    folder.mkdir()
    engine, config = store.make_engine(), Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    store.before_making(engine)
    with writing(engine) as connection:
        store.begin_making(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        store.after_making(connection)
        rows_of = json.loads((DUMPS / f"{revision}.json").read_text("utf-8"))
        for table, rows in rows_of.items():
            flags_of = FLAGS.get(table, ())
            for row in rows:
                values = {name: bool(raw(value)) if name in flags_of else raw(value) for name, value in row.items()}
                names = ", ".join(values)
                marks = ", ".join(f":{name}" for name in values)
                connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), values)
        if flags:
            for table in [name for name in rows_of if "key" in next(iter(rows_of[name]), {})]:
                name = f"pg_get_serial_sequence('{table}', 'key')"
                connection.execute(text(f"SELECT setval({name}, 100)"))
    engine.dispose()


def raw(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value


def revision_of(library: Any) -> str:
    return str(table_rows(library)["alembic_version"][0][0])


@pytest.mark.parametrize(("both_catalogs", "revision"), ON_BOTH, indirect=["both_catalogs"])
def test_a_library_of_every_version_opens_whole(tmp_path: Path, revision: str) -> None:
    """Else an upgrade of the program costs the library."""
    make(tmp_path / "lib", revision)
    for _ in range(2):
        with open_library(tmp_path / "lib") as library:
            assert revision_of(library) == HEAD
            titles = {paper.title: paper for paper in library.papers()}
            assert set(titles) == {"The purring of cats", "The hopping of quokkas"}
            cats = titles["The purring of cats"]
            assert (cats.doi, cats.venue, cats.year, cats.has_full_text) == ("10.1000/cats", "Felis", 2001, True)
            assert [author.name for author in cats.authors] == ["Ann Ågren", "The Team"]
            assert [file.path for file in cats.files] == ["/papers/cats.md", "/papers/refs.jsonl"]
            hit = library.search("hertz of warm cats").hits[0]
            assert hit.paper.id == cats.id
            span = hit.passage.spans[0]
            assert library.citation(span.id)[2].text == span.text == "Cats purr at 25 hertz when they are warm [1]."
            parsed = library.parsed(cats.id)
            assert "On warm cats" in parsed.references[0].text and any(block.marks for block in parsed.blocks)
            states = {
                Path(row.path).name: row.reason for row in library.session.catalog.file_rows() if row.state == "failed"
            }
            assert list(states) == ["empty.md"] and states["empty.md"]
            assert_consistent(library)
            if revision >= "0009":
                (one,) = library.images(where={"part": "15kv"}).images
                assert (one.collection, one.path, one.width) == ("sem", "/papers/sem 15kV.png", 40)
            if revision >= "0002":
                saved = answers.load(library.session.catalog, "last")
                (statement,) = saved.answer.statements
                assert statement.citations[0].quote == span.text and saved.answer.evidence[0].spans == (span,)
                assert (
                    saved.answer.trace
                    and saved.turn == 1
                    and conversations.find(library.session.catalog, "con").turns == 1
                )
                assert (
                    calls.known(library.session.catalog, ["d" * 32])
                    and calls.spent(library.session.catalog)[0].cost == 0.01
                )
    with open_library(tmp_path / "lib") as library:
        paper = write(tmp_path / "new.md", markdown("Dogs", "Dogs bark.", doi="10.1000/d"))
        assert not library.add(paper).failed
        library.remove("10.1000/cats")
        assert sorted(paper.title for paper in library.papers()) == ["Dogs", "The hopping of quokkas"]
        assert_consistent(library)
        assert not calls.known(library.session.catalog, ["d" * 32])
        assert not any(
            answers.load(library.session.catalog, row.id).answer.trace
            for row in answers.listed(library.session.catalog)
        )


def cut_as_now(library: Any) -> None:
    """Let its passages be as they are cut today, so that nothing but what is looked at is made anew."""
    with writing(library.session.catalog.engine) as connection:
        put_meta(connection, "cut", f"1400/280/{PASSAGES_VERSION}")


def of_check(library: Any, check: str, *, fix: bool = False) -> Any:
    return next(found for found in library.doctor(fix=fix) if found.check == check)


@pytest.mark.parametrize(("both_catalogs", "revision", "how"), WAYS, indirect=["both_catalogs"])
def test_key_phrases_of_an_older_library_are_found_later(tmp_path: Path, revision: str, how: str) -> None:
    """Else its papers are never found by them; or all has to be embedded again."""
    make(tmp_path / "lib", revision)
    embedder = HashEmbedder()
    asked = Filters(keyword=("quokkas",))
    with open_library(tmp_path / "lib", embedder) as library:
        cut_as_now(library)
        found = of_check(library, "key phrases")
        assert not found.ok and found.detail.startswith("2 papers") and "`doctor fix=True`" in found.remedy
        assert not library.search("hop", filters=asked).hits, "the index is there before they are"
        assert all(not paper.key_phrases for paper in library.papers())
        keys = next(library.session.catalog.paper_keys(9))
        assert sorted(one.published for one in key_phrases.standings(library.session.catalog, keys).values()) == [
            1999.5,
            2001.5,
        ]
        rows = table_rows(library)["vectors"]
        embedder.embedded.clear()
        if how == "add":
            library.add(tmp_path)
        elif how == "doctor":
            assert of_check(library, "key phrases", fix=True).ok
        else:
            library.reindex()
        assert not embedder.embedded and table_rows(library)["vectors"] == rows
        assert of_check(library, "key phrases").ok and of_check(library, "index").ok
        assert "warm" in str(library.paper("10.1000/cats").key_phrases)
        assert [hit.paper.title for hit in library.search("hop", filters=asked).hits] == ["The hopping of quokkas"]
        standing = key_phrases.standings(
            library.session.catalog, [library.session.catalog.paper_key(library.paper("10.1000/cats").id)]
        )
        assert [*standing.values()] == [(2001.5, 3)]
        change = library.session.catalog.change()
        library.add(tmp_path)
        assert library.session.catalog.change() == change, "once is enough"
        assert_consistent(library)


def test_finding_them_can_be_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is kept and searched, and the next run goes on."""
    make(tmp_path / "lib", "0002")
    monkeypatch.setattr(KeyPhrases, "batch", 1)
    with open_library(tmp_path / "lib") as library:
        cut_as_now(library)
        assert library.search("hop").hits
        with pytest.raises(KeyboardInterrupt):
            library.add(tmp_path, progress=interrupt)
        assert lacking(library.session.catalog)["key phrases"] == 1
        found = [hit.paper.title for word in ("cats", "quokkas") for hit in
                 library.search("night", filters=Filters(keyword=(word,))).hits]  # fmt: skip
        assert len(found) == 1
        library.add(tmp_path)
        assert lacking(library.session.catalog)["key phrases"] == 0
        assert library.search("hop", filters=Filters(keyword=("quokkas",))).hits
        assert library.search("warm", filters=Filters(keyword=("hertz",))).hits
        assert_consistent(library)


def interrupt(progress: Progress) -> None:
    if progress.stage == "finding key phrases":
        raise KeyboardInterrupt


def test_an_interrupted_upgrade_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a power cut during an upgrade leaves tables that no version knows."""
    newest = RELEASED[-1]
    make(tmp_path / "lib", newest)
    with open_library(tmp_path / "lib") as library:
        before = table_rows(library)
    folder = Path(shutil.copytree(MIGRATIONS, tmp_path / "migrations"))
    body = f'revision = "9001"\ndown_revision = "{newest}"\nfrom alembic import op\nimport sqlalchemy as sa\n\n\n'
    body += "def upgrade() -> None:\n    op.add_column('papers', sa.Column('more', sa.Integer))\n"
    body += "    op.execute(\"UPDATE papers SET title = 'lost'\")\n    op.drop_table('token_vectors')\n"
    with monkeypatch.context() as patch:
        patch.setattr("conspectus.catalog.engine.MIGRATIONS", folder)
        patch.setattr("conspectus.catalog.engine.HEAD", "9001")
        (folder / "versions" / "9001_more.py").write_text(body + "    raise KeyboardInterrupt\n", "utf-8")
        with pytest.raises(KeyboardInterrupt):
            open_library(tmp_path / "lib")
    with open_library(tmp_path / "lib") as library:
        assert table_rows(library) == before
        assert library.search("quokkas").hits
    with monkeypatch.context() as patch:
        patch.setattr("conspectus.catalog.engine.MIGRATIONS", folder)
        patch.setattr("conspectus.catalog.engine.HEAD", "9001")
        (folder / "versions" / "9001_more.py").write_text(body, "utf-8")
        with open_library(tmp_path / "lib") as library:
            assert revision_of(library) == "9001", "else the first half of this test proves nothing"


def test_every_verb_refuses_a_newer_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one of them writes to what it does not know."""
    folder, file = tmp_path / "lib", write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides of the sea"}])
    with open_library(folder) as library:
        library.add(file)
        library.backup(tmp_path / "good.zip")
        with writing(library.session.catalog.engine) as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        rows = table_rows(library)
    for name, value in catalog_flags(folder).items():
        monkeypatch.setenv("CONSPECTUS_" + name.upper().replace(".", "_"), value)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    words: dict[str, list[str | Path]] = {
        "add": [file], "retry": [], "list": [], "show": ["x"], "export": ["--to", "library"], "inspect": ["x"],
        "remove": ["x", "--yes"], "search": ["x"], "ask": ["x"], "open": ["x"], "similar": ["x"], "figures": ["x"],
        "images": ["list"], "link": [], "relate": [], "entities": [], "graph": ["x"], "discover": ["x"],
        "vocabulary": ["list"], "map": [], "gaps": [], "trends": ["x"], "impact": ["x"],
        "status": [], "doctor": ["--fix"], "reindex": [], "backup": [tmp_path / "new.zip"],
        "restore": [tmp_path / "good.zip", "--replace"], "answers": [], "rerun": ["last"], "chat": [],
        "conversations": [], "usage": [], "audit": [file], "summarise": [], "route": ["x"], "consensus": ["x"],
        "eval": ["self"], "split": ["x"], "forget": ["x"], "serve": ["--port", "0"], "mcp": [],
        "tag": ["x", "y"], "tags": [], "collect": ["x"], "collections": [], "note": ["x", "y"], "notes": [],
        "edit": ["x"], "feedback": [],
    }  # fmt: skip
    assert set(words) == VERBS.keys() - {"config", "models", "prompts"}, "these need no catalog"
    for verb, rest in words.items():
        result = CliRunner().invoke(app, ["--library", str(folder), verb, *map(str, rest)])
        assert result.exit_code == 4, (verb, result.output)
        assert "newer Conspectus" in result.stderr and "pip install --upgrade" in result.stderr, verb
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "new.zip").exists()
    with writing_past(folder) as library:
        assert table_rows(library) == rows


def writing_past(folder: Path) -> Any:
    """The library, opened by the newer version."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conspectus.catalog.engine.HEAD", "9999")
        return open_library(folder)
