"""Highlights, written to Zotero as annotations of the PDF, or as a note."""

import json
from pathlib import Path

import pytest
from zotero_server import WORK, ZoteroServer, attach, zotero_server

from conspectus.zotero.note_texts import annotation_rects
from helpers import write_jsonl


def annotations(server: ZoteroServer) -> list[dict[str, object]]:
    return [item for item in server.items.values() if item["itemType"] == "annotation"]


@pytest.mark.usefixtures("stored")
def test_a_highlight_becomes_an_annotation_of_the_pdf(opened) -> None:
    """What is marked here would not be seen in Zotero's reader, or beside the words."""
    with zotero_server(10) as server:
        attach(server, "berg.pdf")
        library = opened(server)
        library.add("zotero:")
        quote = "The grid cell fires at every vertex of a lattice."
        whole = library.highlights.add("10.1000/grid", quote, color="blue", note="*Key* claim")
        part = library.highlights.add("10.1000/grid", "fire at one place only")
        report = library.export_to_zotero("")
        assert (report.annotations, report.notes, report.conflicts, report.failed) == (2, 0, (), ())
        first, second = annotations(server)
        assert (first["annotationText"], first["annotationColor"], first["annotationComment"]) == (
            quote, "#2ea8e5", "*Key* claim")  # fmt: skip
        assert (first["parentItem"], first["annotationType"], first["annotationPageLabel"]) == (
            "ATTACH01", "highlight", "1")  # fmt: skip
        [(page, box)] = annotation_rects(first, [(600, 800)])
        assert page == 1 and box == pytest.approx(whole.places[0].rect, abs=0.02)
        [(_, small)] = annotation_rects(second, [(600, 800)])
        assert small == pytest.approx(part.places[0].rect, abs=0.02)
        assert 72 < small[0] < small[2] < 400, "only the words that are marked"
        assert first["annotationSortIndex"] < second["annotationSortIndex"]  # type: ignore[operator]
        again = library.export_to_zotero("")
        assert (again.annotations, len(annotations(server))) == (0, 2)
        library.add("zotero:")
        assert library.collections.notes() == (), "they do not come back as notes"


@pytest.mark.usefixtures("stored")
def test_a_change_is_written_and_a_change_on_both_sides_is_told(opened) -> None:
    """A comment that was written in Zotero would be overwritten."""
    with zotero_server(10) as server:
        attach(server, "berg.pdf")
        library = opened(server)
        library.add("zotero:")
        one = library.highlights.add("10.1000/grid", "every vertex", note="first")
        library.export_to_zotero("")
        library.highlights.edit(one.id, note="second", color="red")
        assert library.export_to_zotero("").annotations == 1
        [written] = annotations(server)
        assert (written["annotationComment"], written["annotationColor"]) == ("second", "#ff6666")
        server.put({**written, "annotationComment": "theirs"})
        library.highlights.edit(one.id, note="ours")
        report = library.export_to_zotero("")
        assert [(clash.field, clash.ours, clash.theirs) for clash in report.conflicts] == [
            ("highlight", "ours", "theirs")]  # fmt: skip
        assert annotations(server)[0]["annotationComment"] == "theirs"
        del server.items[str(written["key"])]
        assert library.export_to_zotero("").annotations == 0, "what was deleted there stays deleted"


def test_without_a_pdf_in_zotero_they_are_a_note(opened, tmp_path: Path) -> None:
    """Highlights of a paper of which Zotero has no file would not arrive at all."""
    with zotero_server(10) as server:
        server.put(WORK)
        library = opened(server)
        abstract = "Grid cells fire. They *map* space."
        library.add(write_jsonl(tmp_path / "own.jsonl", [{"title": WORK["title"], "doi": "10.1000/grid",
                                                          "abstract": abstract}]))  # fmt: skip
        one = library.highlights.add("10.1000/grid", "They *map* space.", note="So **do** we.")
        library.highlights.add("10.1000/grid", "Grid cells fire.")
        report = library.export_to_zotero("")
        assert (report.annotations, report.notes) == (0, 1)
        [note] = [item["note"] for item in server.items.values() if item["itemType"] == "note"]
        assert "<h2>Highlights</h2>" in note and "They *map* space." in note and "<strong>do</strong>" in note
        assert note.index("Grid cells fire.") < note.index("They *map* space.")
        assert library.export_to_zotero("").notes == 0
        library.highlights.edit(one.id, note="No.")
        assert library.export_to_zotero("").notes == 1
        library.add("zotero:")
        assert library.collections.notes() == ()
        assert json.dumps([item for item in server.items.values() if item["itemType"] == "note"]).count("No.") == 1


@pytest.mark.usefixtures("stored")
def test_what_is_removed_here_goes_from_zotero_too(opened) -> None:
    """Zotero would keep highlights that nobody has, or lose a comment that was written there."""
    with zotero_server(10) as server:
        attach(server, "berg.pdf")
        library = opened(server)
        library.add("zotero:")
        gone = library.highlights.add("10.1000/grid", "every vertex", note="first")
        edited = library.highlights.add("10.1000/grid", "fire at one place only")
        library.export_to_zotero("")
        for one in annotations(server):
            if one["annotationText"] != gone.quote:
                server.put({**one, "annotationComment": "theirs"})
        for one in (gone, edited):
            library.highlights.remove(one.id)
        report = library.export_to_zotero("")
        assert (report.annotations, report.failed) == (1, ())
        assert [(clash.field, clash.ours, clash.theirs) for clash in report.conflicts] == [("highlight", "", "theirs")]
        assert {one["annotationText"]: one.get("deleted") for one in annotations(server)} == {
            gone.quote: 1, edited.quote: None}  # fmt: skip
        assert library.export_to_zotero("").conflicts == (), "it is told once"
        library.highlights.restore(gone.id)
        assert library.export_to_zotero("").annotations == 1, "what is brought back is written again"


def test_the_note_loses_highlights_that_were_removed(opened, tmp_path: Path) -> None:
    """The last highlight that was removed would stay in Zotero."""
    with zotero_server(10) as server:
        server.put(WORK)
        library = opened(server)
        library.add(write_jsonl(tmp_path / "own.jsonl", [{"title": WORK["title"], "doi": "10.1000/grid",
                                                          "abstract": "Grid cells fire."}]))  # fmt: skip
        one = library.highlights.add("10.1000/grid", "Grid cells fire.", note="dropped")
        library.export_to_zotero("")
        library.highlights.remove(one.id)
        assert library.export_to_zotero("").notes == 1
        [note] = [item["note"] for item in server.items.values() if item["itemType"] == "note"]
        assert "dropped" not in note and "fire" not in note
        assert library.export_to_zotero("").notes == 0
        library.add("zotero:")
        assert library.collections.notes() == ()


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("page", [0, -7, 99])
def test_a_place_that_no_page_has_is_in_the_note(opened, tmp_path: Path, page: int) -> None:
    """A highlight from a stranger's file would end the export, or stand on the last page."""
    anchor = {"sentences": [], "start": 0, "end": 0, "places": [{"page": page, "rect": [1, 2, 3, 4]}]}
    marks = {"highlights": [{"color": "red", "quote": "Words of another.", "anchor": anchor}]}
    record = {"title": WORK["title"], "doi": WORK["DOI"], "conspectus": marks}
    with zotero_server(10) as server:
        attach(server, "berg.pdf")
        library = opened(server)
        library.add("zotero:")
        library.add(write_jsonl(tmp_path / "a.jsonl", [record]))
        report = library.export_to_zotero("")
        assert (report.annotations, report.notes, report.failed) == (0, 1, ())
