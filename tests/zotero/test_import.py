"""What comes from Zotero, and what of it must not."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from zotero_server import WORK, ZoteroServer, attach, fill, zotero_server

from conspectus.core.errors import NotFoundError, UnavailableError, UsageError
from conspectus.core.http import HttpReply
from conspectus.core.job_context import Notice, listen
from conspectus.library import zotero_exchange
from conspectus.zotero.client import ZoteroApi
from conspectus.zotero.note_texts import markdown_of_note, note_of_markdown
from helpers import open_library, write_jsonl


def added(library: Any, name: str = "zotero:") -> list[str]:
    """Add it; what users are told."""
    told: list[Notice] = []
    with listen(told.append, Notice):
        library.add(name)
    return [notice.text for notice in told]


def test_collections_tags_and_notes_come_with_papers(opened) -> None:
    """A user finds a Zotero library as it was organised."""
    with zotero_server(9) as server:
        inner = server.collect("Cells/all", server.collect("Reading"))
        key = server.put(WORK | {"tags": [{"tag": "to read"}], "collections": [inner]})
        server.put({"itemType": "note", "parentItem": key, "note": "<p>See <b>Fig. 2</b></p>"})
        server.put({"itemType": "note", "note": "<p>of nothing</p>"})
        server.put(WORK | {"title": "In the trash", "DOI": "10.1000/trash", "deleted": 1})
        library = opened(server)
        library.add("zotero:")
        [paper] = list(library.papers())
        assert (paper.doi, paper.tags, paper.collections) == ("10.1000/grid", ("to read",), ("Reading/Cells∕all",))
        assert [note.text for note in library.collections.notes()] == ["See **Fig. 2**"]


def test_a_collection_is_imported_with_those_within_it(opened) -> None:
    """`zotero:Reading` brings what is in Reading, and nothing else; a wrong name is an error with the right ones."""
    with zotero_server(9) as server:
        reading = server.collect("Reading")
        inner = server.collect("Grid", reading)
        for number, place in enumerate([reading, inner, server.collect("Other")]):
            server.put(WORK | {"title": f"Work number {number}", "DOI": f"10.1000/{number}", "collections": [place]})
        library = opened(server)
        library.add("zotero:reading")
        assert {paper.doi for paper in list(library.papers())} == {"10.1000/0", "10.1000/1"}
        with pytest.raises(NotFoundError, match="no collection 'Redding'") as error:
            library.add("zotero:Redding")
        assert "Reading/Grid" in str(error.value.hint)


def test_changes_in_zotero_are_followed_and_changes_here_stay(opened) -> None:
    """A tag taken off in Zotero goes here too; one that was put on here stays; a note that changed there is changed."""
    with zotero_server(9) as server:
        key = server.put(WORK | {"tags": [{"tag": "old"}, {"tag": "kept"}]})
        note = server.put({"itemType": "note", "parentItem": key, "note": "<p>first</p>"})
        library = opened(server)
        library.add("zotero:")
        library.collections.tag("ours", "10.1000/grid")
        server.put({"key": key, "tags": [{"tag": "kept"}, {"tag": "new"}], "title": "Grid cells map space again"})
        server.put({"key": note, "note": "<p>second</p>"})
        library.add("zotero:")
        [paper] = list(library.papers())
        assert (paper.title, paper.tags) == ("Grid cells map space again", ("kept", "new", "ours"))
        assert [note.text for note in library.collections.notes()] == ["second"]
        library.collections.edit_note(library.collections.notes()[0].id, "our own")
        server.put({"key": note, "note": "<p>their own</p>"})
        told = added(library)
        assert any("changed here and in Zotero" in text and "our own" in text and "their own" in text for text in told)
        assert [note.text for note in library.collections.notes()] == ["our own"]


def test_what_is_gone_in_zotero_stays_and_is_told_once(opened) -> None:
    """Nobody loses a paper because it was deleted elsewhere."""
    with zotero_server(9) as server:
        key = server.put(WORK)
        library = opened(server)
        library.add("zotero:")
        server.put({"key": key, "deleted": 1})
        assert any("no longer in Zotero, such as 'Grid cells map space'" in text for text in added(library))
        assert library.counts()["papers"] == 1
        assert added(library) == []


def test_forgetting_the_items_leaves_nothing_of_them(opened) -> None:
    """Titles and notes would stay in the library's folder; the next import brings all again."""
    with zotero_server(9) as server:
        server.put({"itemType": "note", "parentItem": server.put(WORK), "note": "<p>secret</p>"})
        library = opened(server)
        library.add("zotero:")
        library.forget(library.folder / "online" / "zotero" / "items.json", papers=True)
        left = [path.read_text("utf-8") for path in (library.folder / "online").rglob("*.json")]
        assert library.counts()["papers"] == 0 and not any("secret" in text or "Grid" in text for text in left)
        library.add("zotero:")
        assert [note.text for note in library.collections.notes()] == ["secret"]


def test_a_watch_asks_only_for_changes(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Watching a large library costs one small request each time."""
    monkeypatch.setattr(zotero_exchange, "POLL_SECONDS", 0.01)
    with zotero_server(9) as server:
        fill(server, 150)
        library = opened(server)
        reports = library.watch("zotero:")
        assert len(next(reports).rows) == 1
        server.asked.clear()
        key = next(iter(server.items))
        monkeypatch.setattr(time, "sleep", lambda _: server.put({"key": key, "title": "Another title"}))
        assert len(next(reports).updated) == 1
        lists = [path for _, path, _ in server.asked if "/items?" in path and "limit=100" in path]
        assert lists and all("since=" in path for path in lists)
        with pytest.raises(UsageError, match="on its own"):
            next(library.watch(["zotero:", "papers/"]))


def test_citation_keys_say_where_they_come_from(opened) -> None:
    """A pinned key is not mistaken for a generated one."""
    with zotero_server(9) as server:
        titles = ("pinned", "kept", "generated")
        more: list[dict[str, Any]] = [{"extra": "Citation Key: berg12"}, {"citationKey": "bergOwn"}, {}]
        keys = [
            server.put(WORK | {"title": f"The work {t}", "DOI": f"10.1000/{t}"} | m)
            for t, m in zip(titles, more, strict=True)
        ]
        server.better_bibtex = {key: f"made{number}" for number, key in enumerate(keys)}
        library = opened(server)
        library.add("zotero:")
        found = {paper.doi: (paper.external_id, paper.extra["citationKeyOrigin"]) for paper in list(library.papers())}
        assert found == {
            "10.1000/pinned": ("berg12", "pinned by Better BibTeX"),
            "10.1000/kept": ("bergOwn", "kept by Zotero"),
            "10.1000/generated": ("made2", "generated by Better BibTeX"),
        }


def test_an_annotation_opens_like_a_citation(opened, stored: Path) -> None:
    """A mark in Zotero's reader leads to the very sentence here, with its colour, comment and place."""
    with zotero_server(9) as server:
        attach(server, "berg.pdf")
        server.put(
            {
                **{"itemType": "annotation", "parentItem": "ATTACH01", "key": "ANNOT001", "annotationPageLabel": "17"},
                **{"annotationType": "highlight", "annotationText": "grid cell fires at every vertex"},
                **{"annotationComment": "<b>Key</b> claim", "annotationColor": "#ffd400"},
                "annotationPosition": json.dumps({"pageIndex": 0, "rects": [[90, 597, 250, 612]]}),
            }
        )
        library = opened(server)
        library.add("zotero:")
        [paper] = list(library.papers())
        assert paper.has_full_text and str(stored) in [file.path for file in paper.files]
        [mark] = library.highlights.list()
        assert (mark.quote, mark.note, mark.color, mark.page) == (
            "grid cell fires at every vertex", "**Key** claim", "yellow", 1)  # fmt: skip
        [sentence] = mark.sentences
        assert library.citation(sentence.id)[2].text == "The grid cell fires at every vertex of a lattice."
        assert library.collections.notes() == ()
        library.add("zotero:")
        assert [one.id for one in library.highlights.list()] == [mark.id]


@pytest.mark.usefixtures("stored")
def test_an_annotation_and_its_highlight_change_on_both_sides(opened) -> None:
    """A comment that was changed in Zotero would not arrive, or one of ours be overwritten, or come back doubled."""
    with zotero_server(10) as server:
        attach(server, "berg.pdf")
        mark = {
            **{"itemType": "annotation", "parentItem": "ATTACH01", "key": "ANNOT001", "annotationPageLabel": "1"},
            **{"annotationType": "highlight", "annotationText": "every vertex", "annotationColor": "#ffd400"},
            **{"annotationComment": "<b>first</b>", "annotationPosition": "{}", "annotationSortIndex": "0"},
        }
        server.put(mark)
        library = opened(server)
        library.add("zotero:")
        [one] = library.highlights.list()
        assert (one.note, one.color) == ("**first**", "yellow")
        assert library.export_to_zotero("").annotations == 0, "nothing was changed here"
        server.put({**server.items["ANNOT001"], "annotationComment": "theirs", "annotationColor": "#5fb236"})
        library.add("zotero:")
        [one] = library.highlights.list()
        assert (one.note, one.color) == ("theirs", "green")
        library.highlights.edit(one.id, note="ours")
        assert library.export_to_zotero("").annotations == 1
        assert server.items["ANNOT001"]["annotationComment"] == "ours"
        server.put({**server.items["ANNOT001"], "annotationComment": "theirs again"})
        library.highlights.edit(one.id, note="ours again")
        library.add("zotero:")
        assert [one.note for one in library.highlights.list()] == ["ours again"]
        library.highlights.remove(one.id)
        library.add("zotero:")
        assert library.highlights.list() == (), "what was removed here does not come back"


@pytest.mark.usefixtures("stored")
def test_an_annotation_that_is_no_highlight_here_is_a_note(opened) -> None:
    """Ink, words that the text lacks, and a second mark on the same words would be lost."""
    with zotero_server(9) as server:
        attach(server, "berg.pdf")
        words = ("every vertex", "every vertex", "nowhere in this paper", "fire at one place only")
        kinds = ("highlight", "underline", "highlight", "ink")
        for number, (text, kind) in enumerate(zip(words, kinds, strict=True)):
            server.put(
                {
                    **{"itemType": "annotation", "parentItem": "ATTACH01", "key": f"ANNOT00{number}"},
                    **{"annotationType": kind, "annotationText": text, "annotationComment": f"number {number}"},
                    **{"annotationColor": "#ffd400", "annotationSortIndex": f"{number}", "annotationPosition": "{}"},
                }
            )
        library = opened(server)
        for _ in range(2):
            library.add("zotero:")
            assert [(one.quote, one.note) for one in library.highlights.list()] == [("every vertex", "number 0")]
            notes = [note.text for note in library.collections.notes()]
            assert [number for number in range(4) if any(f"number {number}" in text for text in notes)] == [1, 2, 3]
            assert len(notes) == 3


@pytest.mark.parametrize(
    "more",
    [
        {"filename": "../../../secret.pdf"},
        {"filename": "..\\..\\secret.pdf"},
        {"filename": "link.pdf"},
        {"linkMode": "linked_file", "path": "SECRET"},
        {"linkMode": "linked_file", "path": "\0.pdf"},
        {"filename": "berg.pdf", "key": "../ATTACH"},
    ],
)
def test_attachments_lead_nowhere_else(opened, stored: Path, home: Path, more: dict[str, str]) -> None:
    """An item from a stranger's group cannot fetch a file from the disk."""
    secret = home / "secret.pdf"
    secret.write_bytes(stored.read_bytes())
    (stored.parent / "link.pdf").symlink_to(secret)
    more = {name: value.replace("SECRET", str(secret)) for name, value in more.items()}
    with zotero_server(9) as server:
        attach(server, "x.pdf")
        server.put({**server.items["ATTACH01"], **more})
        if "key" in more:
            server.items.pop("ATTACH01")
        library = opened(server)
        if "key" in more:
            with pytest.raises(UnavailableError, match="no list of objects"):
                library.add("zotero:")
            return
        library.add("zotero:")
        [paper] = list(library.papers())
        assert not paper.has_full_text


def test_a_linked_file_in_the_roots_is_added(opened, stored: Path, home: Path) -> None:
    """A user's own folder of PDFs is read once it is named."""
    own = home / "pdfs" / "berg.pdf"
    own.parent.mkdir()
    own.write_bytes(stored.read_bytes())
    with zotero_server(9) as server:
        attach(server, "", linkMode="linked_file", path=str(own))
        library = opened(server, sources__roots=str(own.parent))
        library.add("zotero:")
        assert next(iter(library.papers())).has_full_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a<script>alert(1)</script>b</p>", "ab"),
        ("<p onclick='x()'>a</p><style>p {}</style><p>b</p>", "a\n\nb"),
        ('<a href="javascript:x()">a</a> <a href="https://e.org/1">b</a>', "a [b](https://e.org/1)"),
        ("<svg><script>x</script>y</svg>z", "z"),
        ("<h2>T</h2><ol><li>a</li><li>b</li></ol><blockquote><p>q</p></blockquote>", "## T\n\n1. a\n2. b\n\n> q"),
        ("<p>1 &lt; 2 &amp; <em>so</em></p>", "1 < 2 & *so*"),
        ("<script>" * 3000, ""),
        ("a" + "<a " * 300_000, "a"),
        ("b" + "<!--" * 250_000, "b"),
        ("<ul>" * 5000 + "<li>a", "- a"),
    ],
)
def test_notes_become_text(html: str, text: str) -> None:
    """Nothing in a note runs or leads where it does not say."""
    found = markdown_of_note(html)
    assert found.replace("  ", "").strip() == text.replace("  ", "").strip()
    assert "<script" not in note_of_markdown(f"{found}<script>x</script>")


def test_a_giant_note_is_cut_and_says_so(opened) -> None:
    """A note that is too long does not stop an import, and is never written back cut."""
    with zotero_server(10) as server:
        key = server.put(WORK)
        server.put({"itemType": "note", "parentItem": key, "note": "<p>" + "long words " * 500_000})
        library = opened(server)
        library.add("zotero:")
        [note] = library.collections.notes()
        assert len(note.text) <= 20_000 and "the whole note is in Zotero: zotero://select" in note.text
        library.collections.edit_note(note.id, "shorter")
        assert library.export_to_zotero("").notes == 0


@pytest.mark.parametrize(
    "item",
    [
        {"creators": "nobody", "tags": "x", "collections": "y", "title": "T h e"},
        {"creators": [None, 3, {"name": {}}], "tags": [None, {"tag": 3}], "collections": [3], "title": "T h e"},
        {"title": {"a": 1}, "extra": ["x"], "date": 7, "abstractNote": "a"},
        {"title": "../../etc/passwd\x00\x1b[2J", "tags": [{"tag": "x" * 10_000}, {"tag": " \u202e "}]},
    ],
)
def test_items_of_a_wrong_shape_harm_no_others(opened, item: dict[str, Any]) -> None:
    """One broken item is told, and the others come."""
    with zotero_server(9) as server:
        server.put(WORK)
        server.put({"itemType": "book", **item})
        library = opened(server)
        library.add("zotero:")
        assert "10.1000/grid" in {paper.doi for paper in list(library.papers())}


def test_half_an_answer_is_none(opened) -> None:
    """A list that is shorter than it says is an error, and nothing is forgotten because of it."""
    with zotero_server(9) as server:
        server.put(WORK)
        library = opened(server)
        library.add("zotero:")
        server.put(WORK | {"title": "Another work", "DOI": "10.1000/other"})
        real, server.answer = server.answer, lambda *a: _halved(real(*a))  # type: ignore[method-assign]
        with pytest.raises(UnavailableError, match="announced 5 objects and sent 1"):
            library.add("zotero:")
        assert library.counts()["papers"] == 1


def _halved(answer: Any) -> Any:
    status, said, headers = answer
    return status, said, headers | ({"Total-Results": "5"} if headers else {})


def test_no_zotero_is_an_error_that_says_what_to_do(opened) -> None:
    """Nothing is asked on the web while `sources.online` is off, and the message names the ways."""
    with zotero_server(0) as web:
        library = opened(None, sources__zotero_web_url=web.url)
        with pytest.raises(UnavailableError, match=r"No Zotero library was found|data folder wasn't found") as error:
            library.add("zotero:")
        assert "ZOTERO_API_KEY" in error.value.hint
        library = opened(None, sources__zotero_web_url=web.url, sources__zotero_key="secret")
        with pytest.raises(UsageError, match=r"sources\.online is off"):
            library.add("zotero:")
        assert web.asked == []


def test_backoff_and_retry_after_are_kept(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """zotero.org is not asked again before it wants to be, and no header makes the program sleep for an hour."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    with zotero_server(0) as web:
        web.put(WORK)
        web.answers = [None, (429, "slow down", {"Retry-After": "3"}), (200, {}, {"Backoff": "9999"}), None]
        api = ZoteroApi(web.url, "users/42", "zotero.org", {"Authorization": "Bearer secret"}, 10)
        assert api.keys() != set()
        assert isinstance(api._send("GET", "/collections"), HttpReply)
        assert len(api.keys()) == 1
        assert 3 in waits and 20 < max(waits) <= 30


def test_zotero_that_permits_nothing_says_where_to_permit_it(opened) -> None:
    """A user whose Zotero has the interface switched off learns which switch it is."""
    with zotero_server(9) as server:
        server.answers = [(403, "Local API is not enabled", {})]
        with pytest.raises(UnavailableError, match="does not let other programs read"):
            opened(server).add("zotero:")


def test_files_and_zotero_are_added_together(opened, tmp_path: Path) -> None:
    """`add papers.jsonl zotero:` does both."""
    with zotero_server(9) as server:
        server.put(WORK)
        own = write_jsonl(tmp_path / "own.jsonl", [{"title": "A work of our own", "abstract": "It is ours."}])
        library = opened(server)
        library.add([str(own), "zotero:"])
        assert library.counts()["papers"] == 2


def test_a_tag_stays_while_one_of_the_items_of_a_paper_has_it(opened) -> None:
    """A paper that is twice in Zotero keeps what either has."""
    with zotero_server(9) as server:
        one, _ = (server.put(WORK | {"tags": [{"tag": "kept"}]}) for _ in range(2))
        library = opened(server)
        library.add("zotero:")
        server.put({"key": one, "tags": []})
        library.add("zotero:")
        [paper] = library.papers()
        assert paper.tags == ("kept",)


def words_left(library: Any, *words: str) -> list[tuple[str, str]]:
    """(file, word) of all in the library's folder."""
    found = []
    for path in library.folder.rglob("*"):
        data = path.read_bytes().lower() if path.is_file() else b""
        found += [(path.name, word) for word in words if word.encode() in data]
    return sorted(found)


def put_quokka(server: ZoteroServer) -> str:
    """A work with all that may be left of it, between two others."""
    server.put(WORK)
    key = server.put(
        {"itemType": "book", "title": "Quokkas at night", "abstractNote": "They hopscotch.", "tags": [{"tag": "told"}]}
        | {"DOI": "10.1000/quokka", "extra": "Citation Key: quokka2020"}
    )
    server.put({"itemType": "note", "parentItem": key, "note": "<p>Marsupialword</p>"})
    file = server.put({"itemType": "attachment", "parentItem": key, "title": "Quokkafile"})
    server.put({"itemType": "annotation", "parentItem": file, "annotationText": "quokka"})
    server.put(WORK | {"title": "Dogs bark", "DOI": "10.1000/dog"})
    return key


@pytest.mark.parametrize("imports", [0, 1])
def test_a_removed_paper_leaves_no_words_and_stays_removed_until_it_is_undone(opened, imports: int) -> None:
    """Else a private paper can be read in the library's folder, or is back as soon as Zotero changes."""
    words = ("quokka", "hopscotch", "marsupialword")
    with zotero_server(10) as server:
        key = put_quokka(server)
        library = opened(server)
        library.add("zotero:")
        before = library.paper("10.1000/quokka")
        assert {name for name, _ in words_left(library, *words)} >= {"items.json", "state.json"}
        library.remove(before.id)
        library.collections.tag("ours", "10.1000/dog")
        assert words_left(library, *words, before.id) == []
        for number in range(imports):
            server.put({"key": key, "title": "Quokkas by day"})
            server.put({"itemType": "note", "parentItem": key, "note": "<p>Marsupialword again</p>"})
            server.put(WORK | {"title": f"Another {number}", "DOI": f"10.1000/{number}"})
            assert any(f"`add zotero:{key}`" in text for text in added(library))
            assert library.counts()["papers"] == 3 + number
            assert words_left(library, *words) == []
        assert replace(library.undo_remove(), files=before.files) == before
        assert [note.text for note in library.collections.notes()].count("Marsupialword") == 1
        assert library.export_to_zotero("").conflicts == ()
        tags = {item["DOI"]: [tag["tag"] for tag in item["tags"]] for item in server.items.values() if "DOI" in item}
        assert (tags["10.1000/quokka"], tags["10.1000/dog"], tags["10.1000/grid"]) == (["told"], ["ours"], [])
        library.add("zotero:")
        assert library.counts()["papers"] == 3 + imports
        title = "Quokkas by day" if imports else "Quokkas at night"
        assert library.paper("10.1000/quokka").title == title
        assert (
            len(library.collections.notes()) == len([i for i in server.items.values() if i["itemType"] == "note"]) + 1
        )


def test_a_removed_paper_comes_back_by_name(opened) -> None:
    """`add zotero:KEY` takes it again, with what it has there."""
    with zotero_server(9) as server:
        key = server.put(WORK | {"tags": [{"tag": "told"}]})
        library = opened(server)
        library.add("zotero:")
        library.remove("10.1000/grid")
        library.add("zotero:")
        assert library.counts()["papers"] == 0
        library.add(f"zotero:{key}")
        assert library.paper("10.1000/grid").tags == ("told",)
        assert added(library) == []


def test_removal_finds_the_items_of_a_library_that_was_moved(opened, tmp_path: Path) -> None:
    """The catalog has the paths of where it was."""
    with zotero_server(9) as server:
        put_quokka(server)
        library = opened(server)
        library.add("zotero:")
        library.close()
        moved = (tmp_path / "library").rename(tmp_path / "elsewhere")
        with open_library(moved, sources__zotero_url=server.url) as library:
            library.remove("10.1000/quokka")
            assert words_left(library, "quokka", "hopscotch", "marsupialword") == []
