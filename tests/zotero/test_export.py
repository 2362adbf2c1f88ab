"""What is written to Zotero, and what is not."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from zotero_server import ZoteroServer, dump_items, fill, zotero_server

from conspectus.cli.app import app
from conspectus.core.errors import ServiceError
from conspectus.zotero.client import ReadOnlyZoteroError, open_writable
from helpers import write_jsonl

WORK = {"itemType": "journalArticle", "title": "Grid cells map space", "DOI": "10.1000/grid", "date": "2012"}
OWN = [
    {"title": "A new work", "abstract": "It is new.", "doi": "10.1000/new", "year": 2020, "venue": "Cell",
     "pmid": "123", "authors": ["Berg, Ada"]},
    {"title": "A preprint", "abstract": "It is early.", "arxiv_id": "2101.00001", "date": "2021-01-05"},
]  # fmt: skip


def test_new_papers_become_items_in_the_collection(opened, tmp_path: Path) -> None:
    """Papers found elsewhere appear in Zotero with their fields, tags and notes, once."""
    with zotero_server(10) as server:
        library = opened(server)
        library.add(write_jsonl(tmp_path / "own.jsonl", OWN))
        library.collections.tag("to read", "10.1000/new")
        library.collections.note("10.1000/new", "See **Fig. 2** <script>x</script>")
        report = library.export_to_zotero("Reading/Grid cells")
        assert (report.made, report.notes, report.failed) == (2, 1, ())
        rows = {row["title"]: row for row in dump_items(server)}
        new, early = rows["A new work"], rows["A preprint"]
        assert new["in"] == early["in"] == ["Reading/Grid cells"]
        assert (new["itemType"], new["DOI"], new["publicationTitle"], new["extra"]) == (
            "journalArticle", "10.1000/new", "Cell", "PMID: 123")  # fmt: skip
        assert new["creators"] == [{"creatorType": "author", "firstName": "Ada", "lastName": "Berg"}]
        assert new["tags"] == ['{"tag": "to read"}']
        assert "<strong>Fig. 2</strong> &lt;script&gt;" in new["notes"][0]
        assert (early["itemType"], early["extra"], early["date"]) == ("preprint", "arXiv: 2101.00001", "2021-01-05")
        again = library.export_to_zotero("reading/grid CELLS")
        assert (again.made, again.changed, again.notes) == (0, 0, 0)
        library.add("zotero:")
        assert library.counts()["papers"] == 2
        assert len(library.collections.notes()) == 1


def test_an_item_with_the_doi_is_used(opened, tmp_path: Path) -> None:
    """A paper that is in Zotero already is not made again; its own tags stay."""
    with zotero_server(10) as server:
        key = server.put(WORK | {"DOI": "https://doi.org/10.1000/NEW", "tags": [{"tag": "theirs", "type": 1}]})
        library = opened(server)
        library.add(write_jsonl(tmp_path / "own.jsonl", OWN[:1]))
        library.collections.tag("ours", "10.1000/new")
        report = library.export_to_zotero("Reading")
        assert (report.made, report.changed) == (0, 1)
        assert server.items[key]["tags"] == [{"tag": "theirs", "type": 1}, {"tag": "ours"}]
        assert server.items[key]["title"] == WORK["title"]


def test_only_what_changed_here_is_written(opened) -> None:
    """Writing back touches no field and no item that nobody changed."""
    with zotero_server(10) as server:
        fill(server, 120)
        library = opened(server)
        library.add("zotero:")
        library.collections.tag("ours", "10.1234/5")
        library.collections.untag("to read", [paper.id for paper in library.papers() if "to read" in paper.tags][:1])
        note = library.collections.notes()[0]
        library.collections.edit_note(note.id, "our words")
        report = library.export_to_zotero("")
        assert (report.made, report.changed, report.notes) == (0, 2, 1)
        [items, notes] = server.writes
        assert all(item.keys() == {"key", "version", "tags"} for item in items)
        assert [item.keys() for item in notes] == [{"key", "version", "note"}]
        assert server.items[notes[0]["key"]]["note"] == "<p>our words</p>"
        assert library.export_to_zotero("").unchanged == 120


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_conflict_is_shown_and_nothing_is_written(opened, when: str) -> None:
    """Both values are shown where both sides changed a field, whether before the export or while it runs."""
    with zotero_server(10) as server:
        key = server.put(WORK | {"tags": [{"tag": "old"}]})
        library = opened(server)
        library.add("zotero:")
        library.collections.tag("ours", "10.1000/grid")
        change = lambda: server.put({"key": key, "tags": [{"tag": "old"}, {"tag": "theirs"}]})  # noqa: E731
        if when == "before":
            change()
        else:
            server.before_write = change
        report = library.export_to_zotero("")
        [clash] = report.conflicts
        assert (clash.field, clash.item, clash.ours, clash.theirs) == ("tags", key, "old; ours", "old; theirs")
        assert [tag["tag"] for tag in server.items[key]["tags"]] == ["old", "theirs"]
        assert report.changed == 0
        library.add("zotero:")
        assert library.paper("10.1000/grid").tags == ("old", "ours", "theirs")
        assert library.export_to_zotero("").changed == 1
        assert [tag["tag"] for tag in server.items[key]["tags"]] == ["old", "theirs", "ours"]


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_note_that_changed_on_both_sides_is_a_conflict(opened, when: str) -> None:
    """Neither text of a note is lost."""
    with zotero_server(10) as server:
        key = server.put(WORK)
        note = server.put({"itemType": "note", "parentItem": key, "note": "<p>first</p>"})
        library = opened(server)
        library.add("zotero:")
        library.collections.edit_note(library.collections.notes()[0].id, "ours")
        change = lambda: server.put({"key": note, "note": "<p>theirs</p>"})  # noqa: E731
        if when == "before":
            change()
        else:
            server.before_write = change
        [clash] = library.export_to_zotero("").conflicts
        assert (clash.field, clash.ours, clash.theirs) == ("note", "ours", "theirs")
        assert server.items[note]["note"] == "<p>theirs</p>"


@pytest.mark.parametrize(("version", "consent"), [(7, ""), (9, ""), (10, "no")])
def test_where_zotero_cannot_write_the_web_does(opened, version: int, consent: str) -> None:
    """With a key of zotero.org an older Zotero, or one that was told no, is no obstacle; else the error helps."""
    with zotero_server(version) as local, zotero_server(0) as web:
        local.consent = consent
        key = local.put(WORK)
        web.put(local.items[key])
        library = opened(local)
        library.add("zotero:")
        library.collections.tag("ours", "10.1000/grid")
        with pytest.raises(ReadOnlyZoteroError, match="No Zotero allows Conspectus to write") as error:
            library.export_to_zotero("")
        assert "sources.zotero.key" in error.value.hint
        library.close()
        library = opened(local, web)
        report = library.export_to_zotero("")
        assert (report.changed, report.made) == (1, 0)
        assert web.items[key]["tags"] == [{"tag": "ours"}]
        assert local.writes == []


@pytest.mark.parametrize("status", [403, 405, 501])
def test_a_web_key_that_may_not_write_is_told(opened, tmp_path: Path, status: int) -> None:
    """The user learns that it is the key, and nothing is half written."""
    with zotero_server(0) as web:
        library = opened(None, web)
        library.add(write_jsonl(tmp_path / "own.jsonl", OWN))
        real = web.answer
        web.answer = lambda method, *a: (status, "no", {}) if method == "POST" else real(method, *a)  # type: ignore[method-assign]
        with pytest.raises(ReadOnlyZoteroError, match=f"HTTP {status}"):
            library.export_to_zotero("")
        assert web.items == {}


def test_consent_for_one_write_is_asked_again(opened) -> None:
    """`Allow` instead of `Always Allow` costs questions, not data."""
    with zotero_server(10) as server:
        server.consent = "once"
        library = opened(server)
        with zotero_server(9) as source:
            fill(source, 120)
            other = opened(source)
            other.add("zotero:")
            other.close()
        report = library.export_to_zotero("")
        assert (report.made, report.failed) == (120, ())
        assert len(dump_items(server)) == 120


def test_each_refused_item_is_told(opened, tmp_path: Path) -> None:
    """One item that Zotero refuses does not stop the others, and is named with the reason."""
    with zotero_server(0) as web:
        library = opened(None, web)
        library.add(write_jsonl(tmp_path / "own.jsonl", OWN))
        real = web._fault
        web._fault = lambda store, one: (413, "too large") if "preprint" in str(one) else real(store, one)  # type: ignore[method-assign]
        report = library.export_to_zotero("")
        assert report.made == 1
        [(paper, why)] = report.failed
        assert library.paper(paper).title == "A preprint" and why == "too large (HTTP 413)"


def test_a_silent_answer_is_an_error(opened, tmp_path: Path) -> None:
    """Of an item of which Zotero says nothing nobody believes that it was written."""
    with zotero_server(0) as web:
        library = opened(None, web)
        library.add(write_jsonl(tmp_path / "own.jsonl", OWN))
        real = web.answer
        web.answer = lambda m, *a: (200, {"success": {"0": "AAAAAAAA"}}, {}) if m == "POST" else real(m, *a)  # type: ignore[method-assign]
        with pytest.raises(ServiceError, match="said nothing of 1 of 2 objects"):
            library.export_to_zotero("")


def test_a_write_that_is_put_off_is_repeated(opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """429 with Retry-After is waited for; an answer of 500 is not, for the items may have been made."""
    waits: list[float] = []
    monkeypatch.setattr("conspectus.zotero.client.time.sleep", waits.append)
    with zotero_server(0) as web:
        library = opened(None, web)
        library.add(write_jsonl(tmp_path / "own.jsonl", OWN))
        real, first = web.answer, [(429, "slow", {"Retry-After": "7"}), None, (500, "broken", {})]

        def answer(method: str, *given: Any) -> Any:
            return (first.pop(0) if method == "POST" and first else None) or real(method, *given)

        web.answer = answer  # type: ignore[method-assign]
        assert library.export_to_zotero("").made == 2
        assert 7 in waits
        library.collections.tag("x", "10.1000/new")
        with pytest.raises(ServiceError, match="HTTP 500"):
            library.export_to_zotero("")
        assert sum(method == "POST" for method, *_ in web.asked) == 3


def test_citation_keys_survive_a_zotero_without_a_field_for_them(opened) -> None:
    """A key that Zotero 9 has in a field of its own is in `extra` where there is none."""
    with zotero_server(9) as source, zotero_server(0) as web:
        source.put(WORK | {"citationKey": "berg12", "extra": "PMID: 7"})
        library = opened(source)
        library.add("zotero:")
        library.close()
        library = opened(None, web)
        assert library.export_to_zotero("").made == 1
        assert dump_items(web)[0]["extra"] == "PMID: 7\nCitation Key: berg12"


def test_nothing_is_asked_on_the_web_where_that_is_off(opened) -> None:
    """A key alone is no consent."""
    with zotero_server(0) as web:
        library = opened(None, sources__zotero_web_url=web.url, sources__zotero_key="secret")
        with pytest.raises(ReadOnlyZoteroError, match=r"sources\.online is off"):
            open_writable(library.settings.sources)
        assert web.asked == []


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`add zotero:` and `export --to zotero:` do what they say, and a conflict makes the exit code 1."""
    with zotero_server(10) as server:
        key = server.put(WORK | {"tags": [{"tag": "old"}]})
        monkeypatch.setenv("CONSPECTUS_SOURCES_ZOTERO_URL", server.url)
        _fake_embedder(monkeypatch)
        assert _run(tmp_path, "add", "zotero:").exit_code == 0
        done = _run(tmp_path, "export", "--to", "zotero:Reading")
        assert done.exit_code == 0 and "0 made, 1 changed, 0 unchanged" in done.output
        _run(tmp_path, "collections", "tag", "ours", "10.1000/grid")
        server.put({"key": key, "tags": [{"tag": "theirs"}]})
        done = _run(tmp_path, "export", "--to", "zotero:Reading")
        assert done.exit_code == 1
        assert "Here: old; ours. In Zotero: theirs." in " ".join(done.output.split())


def _fake_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    from helpers import HashEmbedder

    monkeypatch.setattr("conspectus.models.registry.make_embedder", lambda _: HashEmbedder())


def _run(folder: Path, *words: str) -> Any:
    return CliRunner().invoke(app, ["--library", str(folder / "library"), *words])


def test_servers_are_told_apart(opened) -> None:
    """Versions of one Zotero mean nothing in another."""
    with zotero_server(10) as one, zotero_server(10, user=43) as other:
        one.put(WORK)
        other.library_version = 1
        other.put(WORK | {"title": "Elsewhere", "DOI": "10.1000/elsewhere"})
        library = opened(one)
        library.add("zotero:")
        library.close()
        library = opened(other)
        library.add("zotero:")
        assert library.counts()["papers"] == 2
        assert isinstance(other, ZoteroServer)


def test_nobody_is_asked_where_there_is_nothing_to_write(opened) -> None:
    """Zotero shows no question to a user whose library is up to date."""
    with zotero_server(10) as server:
        server.put(WORK)
        library = opened(server)
        library.add("zotero:")
        assert library.export_to_zotero("").unchanged == 1
        assert not any("authorize" in path for _, path, _ in server.asked)
