"""Libraries that read simulators of Zotero."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen import canvas
from zotero_server import ZoteroServer

from conspectus.library import Library
from helpers import open_library

NOWHERE = "http://127.0.0.1:9/api"
Open = Callable[..., Library]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, with nothing in it."""
    for name in ("HOME", "USERPROFILE", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.delenv("ZOTERO_API_KEY", raising=False)
    return tmp_path / "home"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens the one library of a test with the Zotero on this machine (None: none runs) and that on the web."""
    with ExitStack() as stack:

        def open_it(local: ZoteroServer | None = None, web: ZoteroServer | None = None, **more: Any) -> Library:
            named: dict[str, Any] = {"sources__zotero_url": local.url if local else NOWHERE}
            if web:
                named |= {"sources__zotero_web_url": web.url, "sources__zotero_key": "secret", "sources__online": True}
            return stack.enter_context(open_library(tmp_path / "library", **named | more))

        yield open_it


@pytest.fixture
def stored(home: Path) -> Path:
    """Zotero's data folder, with one PDF in its storage."""
    folder = home / "Zotero" / "storage" / "ATTACH01"
    folder.mkdir(parents=True)
    (home / "Zotero" / "zotero.sqlite").touch()
    page = canvas.Canvas(str(folder / "berg.pdf"), pagesize=(600, 800))
    for number, text in enumerate(["Grid cells map space", "The grid cell fires at every vertex of a lattice.",
                                   "Place cells fire at one place only, as was shown before."]):  # fmt: skip
        page.drawString(72, 700 - 100 * number, text)
    page.save()
    return folder / "berg.pdf"
