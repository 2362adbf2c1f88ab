"""Files, folders and globs on the command line become the list of files to read."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conspectus.core.disk import possible_path
from conspectus.core.errors import UsageError

ABOUT = frozenset({"readme", "license", "licence", "copying", "changelog", "contributing", "code_of_conduct", "notice"})

LONGEST_PATH = 2400
"""Bytes that every catalog can look up."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, or (`problem`) a name that leads to none, and why, or (`supported` False) one to pass over."""

    path: str
    size: int = 0
    mtime_ns: int = 0
    problem: str = ""
    supported: bool = True


def find_files(
    names: Sequence[str | Path],
    supported: Callable[[Path], bool],
    without: Path | None = None,
    roots: Sequence[str] = (),
) -> Iterator[FoundFile]:
    """The files that `names` mean, each once: files as named, folders walked (supported kinds only), globs expanded.

    Inside a walked folder hidden files and folders are passed over, and files that by their name are about the folder
    (README, LICENSE …), and the folder `without`; links to folders are not followed, and links to files that are
    neither in the folder nor in one of `roots` are a problem: who made the folder may not be who adds it.

    Raises:
        UsageError: a name is empty.
    """
    seen: set[str] = set()
    for name in names:
        if name == "":  # what a shell makes of a variable that is not set; not the folder one is in
            raise UsageError("The name of a file to add is empty.", "Write '.' for the folder you are in.")
        whole = Path(os.path.abspath(possible_path(name)))  # noqa: PTH100 - links stay links
        for found in _expand(whole, supported, without, roots):
            if found.path not in seen:
                seen.add(found.path)
                yield found


def lies_in(path: str | Path, folders: Sequence[str | Path]) -> bool:
    """Whether a file lies in one of the folders, or below, whatever links lead to it or to them."""
    real = os.path.realpath(path)
    return any(real.startswith(os.path.join(os.path.realpath(folder), "")) for folder in folders)  # noqa: PTH118


def _expand(
    path: Path, supported: Callable[[Path], bool], without: Path | None, roots: Sequence[str]
) -> Iterator[FoundFile]:
    if path.is_dir():
        yield from _walk(path, supported, without, roots)
    elif os.path.lexists(path):
        yield _look(path)
    elif glob.has_magic(str(path)):
        matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - the pattern may be absolute
        if not matches:
            yield FoundFile(str(path), problem="nothing matches this pattern")
        folder = path
        while glob.has_magic(str(folder)):
            folder = folder.parent
        for match in map(Path, matches):
            expanded = _expand(match, supported, without, roots)
            yield from expanded if match.is_dir() else (_within(found, [folder, *roots]) for found in expanded)
    else:
        yield FoundFile(str(path), problem="there is no such file or folder")


def _walk(
    folder: Path, supported: Callable[[Path], bool], without: Path | None, roots: Sequence[str]
) -> Iterator[FoundFile]:
    problems: list[OSError] = []
    for base, folders, names in os.walk(folder, onerror=problems.append):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and Path(base, name) != without)
        for path in (Path(base, name) for name in folders):  # links are not gone into; what lies inside comes anyway
            if path.is_symlink() and not lies_in(path / "_", [folder]):
                yield FoundFile(
                    _printable(path), problem="it is a link to a folder out of the one that was named; name it itself"
                )
        for name in sorted(names):
            path = Path(base, name)
            if not name.startswith(".") and path.stem.lower() not in ABOUT:
                looked = _look(path) if supported(path) else FoundFile(_printable(path), supported=False)
                yield _within(looked, [folder, *roots])
        while problems:
            yield _problem(problems.pop(0))
    while problems:
        yield _problem(problems.pop(0))


def _look(path: Path) -> FoundFile:
    if _printable(path) != str(path):
        return FoundFile(_printable(path), problem="its name is not valid UTF-8; rename it")
    if len(os.fsencode(path)) > LONGEST_PATH:
        return FoundFile(str(path), problem="its path is too long; move it to where it is shorter")
    try:
        stat = path.stat()
    except OSError as error:
        return FoundFile(str(path), problem=_describe_error(error))
    if not path.is_file():
        return FoundFile(str(path), problem="it is not a regular file")
    return FoundFile(str(path), stat.st_size, stat.st_mtime_ns)


def _within(found: FoundFile, folders: Sequence[str | Path]) -> FoundFile:
    """What was found, or, where it is a link to a file in none of the folders, the problem."""
    path = Path(found.path)
    if found.problem or not found.supported or not path.is_symlink() or lies_in(path, folders):
        return found
    return FoundFile(
        found.path, problem="it is a link out of the folder that was named; name it itself, or set sources.roots"
    )


def _problem(error: OSError) -> FoundFile:
    return FoundFile(_printable(Path(error.filename)), problem=_describe_error(error))


def _printable(path: Path) -> str:
    """The path as text that can be stored and printed; bytes that are no UTF-8 are written out."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _describe_error(error: OSError) -> str:
    return (
        "you have no right to read it" if isinstance(error, PermissionError) else str(error.strerror or error).lower()
    )


Paths = Sequence[str | Path] | str | Path


def names_of(paths: Paths) -> list[str | Path]:
    """Files and folders, of which one may be given alone."""
    return [paths] if isinstance(paths, str | Path) else list(paths)
