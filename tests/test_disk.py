"""What the operating system says when it does not write, told to the user."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

import conspectus
from conspectus.core.disk import explain_write_errors, explained, meaning, number_of, possible_path, sync, user_path
from conspectus.core.errors import ConspectusError, LibraryError, UsageError
from conspectus.index.protocol import IndexRow
from conspectus.index.vectors import CODES, Columns, RowFiles


@pytest.mark.parametrize(
    ("error", "number"),
    [
        (OSError(errno.EDQUOT, "Disk quota exceeded"), errno.EDQUOT),
        (OSError("6 requested and 0 written"), 0),
        (ValueError("An IO error occurred: 'No space left on device (os error 28)'"), 28),
        (ValueError('Failed to acquire Lockfile: IoError(Os { code: 13, kind: PermissionDenied, message: "…" })'), 13),
        (
            ValueError("An error occurred in a thread: 'A worker thread encountered an error (io::Error most likely)'"),
            0,
        ),
        (RuntimeError("Error in write_index: 'ret == (1)' failed: 0 != 1 (No space left on device)"), 28),
        (ValueError("no such field: abc"), None),
        (RuntimeError("a mistake of ours"), None),
        (KeyError("key"), None),
    ],
)
def test_the_number_is_found(error: Exception, number: int | None) -> None:
    """Else a full disk is told as a mistake of the program, or a mistake as a full disk."""
    assert number_of(error) == number


@pytest.mark.parametrize(
    ("number", "words", "remedy"),
    [
        (errno.ENOSPC, "is full", "Make room"),
        (errno.EDQUOT, "is full", "Make room"),
        (errno.EACCES, "Permission denied", "right"),
        (errno.EROFS, "Read-only", "right"),
        (errno.EIO, "Input/output", "failing"),
        (errno.ENOENT, "No such file", "folder"),
        (errno.EMFILE, "Too many open files", "ulimit"),
        (0, "in part", "failing"),
    ],
)
def test_each_has_its_remedy(number: int, words: str, remedy: str) -> None:
    """Else who has a full disk looks for a missing right."""
    with pytest.raises(LibraryError) as caught, explained(Path("/library")):
        raise OSError(number, "…") if number else OSError("…")
    assert "'/library'" in caught.value.message and words in caught.value.message
    assert remedy in caught.value.hint and str(meaning("/library", number)) == str(caught.value)


def test_mistakes_stay_mistakes() -> None:
    """Else a fault of the program is blamed on the disk."""
    with pytest.raises(ValueError, match="ours"), explained(Path("/library")):
        raise ValueError("ours")


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems sync folders")
def test_a_drive_that_cannot_sync_folders_is_let_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nothing can be backed up to a drive of another machine; or a file that is not kept seems to be."""
    (tmp_path / "file").write_text("text")
    sync(tmp_path)

    def refuse(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    number = errno.EINVAL
    sync(tmp_path)
    with pytest.raises(OSError, match="Invalid"):
        sync(tmp_path / "file")
    number = errno.EIO
    with pytest.raises(OSError, match="Input/output"):
        sync(tmp_path)


@pytest.mark.parametrize(
    ("number", "kind", "hint"),
    [
        (errno.ENOENT, UsageError, "Name a file."),
        (errno.EISDIR, UsageError, "Name a file."),
        (errno.ENOSPC, LibraryError, "Make room"),
    ],
)
def test_a_name_that_was_wrong_is_told_from_a_full_disk(number: int, kind: type[ConspectusError], hint: str):
    """Who has no room left would try names until the disk is no longer full."""
    with pytest.raises(kind, match=r"'a.png'") as caught, explain_write_errors("a.png", "Name a file."):
        raise OSError(number, os.strerror(number))
    assert hint in caught.value.hint


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a file that is always full")  # noqa: PTH110
@pytest.mark.parametrize("name", [*Columns.__slots__, CODES])
def test_the_last_bytes_are_not_lost(tmp_path: Path, name: str) -> None:
    """Else an index whose last bytes found no room becomes the one in use."""
    (tmp_path / name).symlink_to("/dev/full")
    vector = np.eye(1, 8, dtype=np.float32)[0]
    row = IndexRow(1, 1, "body", False, 2000, (("venue", "nature"),), "text", vector)
    with pytest.raises(OSError, match="No space"):
        RowFiles(tmp_path, 8).add([row])


def test_the_home_of_nobody_is_told_with_a_remedy():
    """A mistyped `~name` ended in a RuntimeError that names neither the path nor what to do."""
    with pytest.raises(UsageError, match="'~nobody-of-this-name/x' cannot") as caught:
        user_path("~nobody-of-this-name/x")
    assert "'./~nobody-of-this-name'" in caught.value.hint
    assert possible_path("~nobody-of-this-name/x") == Path("~nobody-of-this-name/x")
    assert user_path("~/x") == possible_path("~/x") == Path.home() / "x"


def test_homes_are_looked_up_in_one_place():
    """A second place would not tell whose home is not known, or would make a folder called `~`."""
    package = Path(conspectus.__file__).parent
    found = {path.relative_to(package).as_posix() for path in package.rglob("*.py") if "expanduser" in path.read_text()}
    assert found == {"core/disk.py"}
