"""Which language a text is in."""

import tempfile

import pytest

from conspectus.core.errors import LibraryError
from conspectus.core.text import identifier


def test_no_room_for_temporary_files_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """`add` ended with an error of Python's that names no remedy."""

    def full() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", full)
    with pytest.raises(LibraryError, match="TMPDIR"):
        identifier.__wrapped__()
