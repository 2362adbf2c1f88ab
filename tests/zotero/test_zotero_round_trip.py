"""What is in Zotero comes to a library and back whole."""

import pytest
from zotero_server import dump_items, fill, zotero_server

from helpers import table_rows


@pytest.mark.parametrize(("version", "count"), [(7, 120), (9, 120), (10, 500)])
def test_items_come_back_as_they_were(opened, version: int, count: int) -> None:
    """Nothing that Zotero holds of a work is lost on the way, and a second trip changes nothing on either side."""
    with zotero_server(version) as source, zotero_server(10 if version == 10 else 0, user=43) as target:
        fill(source, count, seed=version)
        library = opened(source)
        assert not library.add("zotero:").failed
        assert library.counts()["papers"] == count
        before = table_rows(library)
        again = library.add("zotero:")
        assert not again.added and not again.updated
        assert table_rows(library) == before
        library.close()
        library = opened(target) if version == 10 else opened(None, target)
        made = library.export_to_zotero("")
        assert (made.made, made.conflicts, made.failed) == (count, (), ())
        assert dump_items(target) == dump_items(source)
        assert max(map(len, target.writes)) == 50
        then = target.library_version
        second = library.export_to_zotero("")
        assert (second.made, second.changed, second.unchanged, second.notes) == (0, 0, count, 0)
        assert target.library_version == then
        library.add("zotero:")
        assert library.counts()["papers"] == count
        assert len(library.collections.notes()) == count // 5
        third = library.export_to_zotero("")
        assert (third.made, third.changed, third.notes, third.conflicts) == (0, 0, 0, ())


def test_export_to_where_it_came_from_writes_nothing(opened) -> None:
    """What was only read is not written."""
    with zotero_server(10) as server:
        fill(server, 40)
        library = opened(server)
        library.add("zotero:")
        report = library.export_to_zotero("")
        assert (report.made, report.changed, report.unchanged, report.notes) == (0, 0, 40, 0)
        assert server.writes == []
