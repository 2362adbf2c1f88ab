"""Libraries of groups: read beside the user's own, and never written."""

from typing import Any

import pytest
from zotero_server import ZoteroServer, zotero_server

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.job_context import Notice, listen

WORK = {"itemType": "journalArticle", "title": "Grid cells map space", "DOI": "10.1000/grid", "date": "2012"}


def filled(server: ZoteroServer) -> ZoteroServer:
    """One work that the user and the group have, and one that only the group has; the group's library."""
    group = server.join("Lab")
    server.put(WORK | {"tags": [{"tag": "mine"}, {"tag": "both"}]})
    key = group.put(WORK | {"tags": [{"tag": "theirs"}, {"tag": "both"}], "collections": [group.collect("Reading")]})
    group.put({"itemType": "note", "parentItem": key, "note": "<p>of the group</p>"})
    group.put(WORK | {"title": "Of the group alone", "DOI": "10.1000/lab"})
    return group


def shown(library: Any) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Tags and collections by DOI."""
    return {paper.doi: (paper.tags, paper.collections) for paper in library.papers()}


@pytest.mark.parametrize("on_the_web", [False, True])
def test_a_group_is_imported_as_a_collection(opened, on_the_web: bool) -> None:
    """Members of a lab read what their group has collected, and see it listed."""
    with zotero_server(0 if on_the_web else 9) as server:
        filled(server)
        library = opened(None, server) if on_the_web else opened(server)
        listed = [(one.path, one.items, one.imported, one.group) for one in library.zotero.status().collections]
        assert listed == [("group/Lab", 3, False, "Lab"), ("group/Lab/Reading", 1, False, "Lab")]
        assert library.zotero.import_items("group/Lab/Reading").added == 1
        assert shown(library) == {"10.1000/grid": (("both", "theirs"), ("Lab", "Lab/Reading"))}
        library.add("zotero:group/lab")
        assert shown(library)["10.1000/lab"] == ((), ("Lab",))
        assert [one.imported for one in library.zotero.status().collections] == [True, True]
        assert library.zotero.status().imported
        with pytest.raises(NotFoundError, match="no group 'Labb/Reading'") as error:
            library.add("zotero:group/Labb/Reading")
        assert "Lab" in str(error.value.hint)


def test_both_libraries_of_a_paper_count(opened) -> None:
    """What is taken off in a group stays where the user's own library has it, and is not written to that."""
    with zotero_server(10) as server:
        group = filled(server)
        library = opened(server)
        library.add(["zotero:", "zotero:group/Lab"])
        assert shown(library)["10.1000/grid"] == (("both", "mine", "theirs"), ("Lab", "Lab/Reading"))
        library.export_to_zotero("", ["10.1000/grid"])
        assert server.writes == []
        item = next(item for item in group.items.values() if item.get("DOI") == "10.1000/grid")
        group.put({"key": item["key"], "tags": []})
        library.add("zotero:group/Lab")
        assert shown(library)["10.1000/grid"][0] == ("both", "mine")
        with pytest.raises(UsageError, match="groups are not written"):
            library.export_to_zotero("group/Lab", ["10.1000/grid"])


def test_an_item_is_not_taken_for_two_papers(opened) -> None:
    """Two works to which somebody gave one DOI would be written to one item, and be a conflict with each other."""
    with zotero_server(10) as server:
        server.put(WORK | {"creators": [{"creatorType": "author", "lastName": "Berg", "firstName": "Ada"}]})
        other = {"title": "Sleep of the alpine marmot", "date": "1999"}
        server.join("Lab").put(
            WORK | other | {"creators": [{"creatorType": "author", "lastName": "Falk", "firstName": "Ines"}]}
        )
        library = opened(server)
        library.add(["zotero:", "zotero:group/Lab"])
        assert library.counts()["papers"] == 2
        done = library.export_to_zotero("New")
        assert (done.conflicts, done.made, done.changed) == ((), 1, 1)
        assert library.export_to_zotero("New").unchanged == 2


def test_a_paper_of_a_group_is_removed_and_comes_back(opened) -> None:
    """Removing a paper removes it from what is remembered of each library; undoing brings all of it back."""
    with zotero_server(9) as server:
        group = filled(server)
        library = opened(server)
        library.add(["zotero:", "zotero:group/Lab"])
        library.remove("10.1000/grid")
        for _ in range(2):
            texts = [path.read_text("utf-8") for path in (library.folder / "online").rglob("*.json")]
            assert not any("10.1000/grid" in text for text in texts) and any("10.1000/lab" in text for text in texts)
            library.add(["zotero:", "zotero:group/Lab"])
            assert shown(library) == {"10.1000/lab": ((), ("Lab",))}
        library.undo_remove()
        group.put({"key": next(iter(group.items)), "title": "Grid cells map space again"})
        library.add(["zotero:", "zotero:group/Lab"])
        assert shown(library)["10.1000/grid"] == (("both", "mine", "theirs"), ("Lab", "Lab/Reading"))
        assert [note.text for note in library.collections.notes()] == ["of the group"]


def test_a_removed_work_of_a_group_is_taken_again_by_its_key(opened) -> None:
    """The key that the import names works for groups as for the user's own library."""
    with zotero_server(9) as server:
        filled(server)
        library = opened(server)
        library.add("zotero:group/Lab")
        library.remove("10.1000/lab")
        told: list[Notice] = []
        with listen(told.append, Notice):
            library.add("zotero:group/Lab")
        [text] = [notice.text for notice in told if "add zotero:" in notice.text]
        library.add(text.split("`")[1].removeprefix("add "))
        assert set(shown(library)) == {"10.1000/grid", "10.1000/lab"}


def test_notes_and_files_without_an_item_are_counted(opened) -> None:
    """A user learns that a note or a PDF of the collection does not come, and what to do."""
    with zotero_server(9) as server:
        place = server.collect("Reading")
        for where in (place, place, server.collect("Other")):
            server.put({"itemType": "note", "note": "<p>of nothing</p>", "collections": [where]})
        server.put({"itemType": "attachment", "linkMode": "imported_file", "filename": "a.pdf", "collections": [place]})
        server.put(WORK | {"collections": [place]})
        told: list[Notice] = []
        with listen(told.append, Notice):
            opened(server).add("zotero:Reading")
        assert any(notice.text.startswith("2 notes and 1 attachment of Zotero without an item") for notice in told)
