"""What is in Zotero comes to a library and back whole."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers import open_library, table_rows
from zotero_server import ZoteroServer, fill, held, zotero_server

from conspectus.library import Library

NOWHERE = "http://127.0.0.1:9/api"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "home"))


@contextmanager
def opened(folder: Path, local: ZoteroServer | None = None, web: ZoteroServer | None = None) -> Iterator[Library]:
    named: dict[str, Any] = {"sources__zotero_url": local.url if local else NOWHERE, "sources__online": web is not None}
    if web:
        named |= {"sources__zotero_web_url": web.url, "sources__zotero_key": "secret"}
    with open_library(folder, **named) as library:
        yield library


@pytest.mark.parametrize("version", [7, 9, 10])
def test_500_items_come_back_as_they_were(tmp_path: Path, version: int) -> None:
    """Nothing that Zotero holds of a work is lost on the way, and a second trip changes nothing on either side."""
    with ExitStack() as stack:
        source = stack.enter_context(zotero_server(version))
        target = stack.enter_context(zotero_server(10 if version == 10 else 0, user=43))
        fill(source, 500, seed=version)
        with opened(tmp_path / "library", source) as library:
            report = library.add("zotero:")
            assert not report.failed
            assert library.counts()["papers"] == 500
            before = table_rows(library)
            again = library.add("zotero:")
            assert not again.added and not again.updated
            assert table_rows(library) == before
        away = target if version == 10 else None
        with opened(tmp_path / "library", away, None if away else target) as library:
            made = library.export_to_zotero("")
            assert (made.made, made.conflicts, made.failed) == (500, (), ())
            assert held(target) == held(source)
            assert max(map(len, target.writes)) == 50
            then = target.library_version
            second = library.export_to_zotero("")
            assert (second.made, second.changed, second.unchanged, second.notes) == (0, 0, 500, 0)
            assert target.library_version == then
            library.add("zotero:")
            assert library.counts()["papers"] == 500
            assert len(library.collections.notes()) == 100
            third = library.export_to_zotero("")
            assert (third.made, third.changed, third.notes, third.conflicts) == (0, 0, 0, ())


def test_export_to_where_it_came_from_changes_nothing(tmp_path: Path) -> None:
    """What was only read is not written."""
    with zotero_server(10) as server, opened(tmp_path / "library", server) as library:
        fill(server, 40)
        library.add("zotero:")
        report = library.export_to_zotero("")
        assert (report.made, report.changed, report.unchanged, report.notes) == (0, 0, 40, 0)
        assert server.writes == []
