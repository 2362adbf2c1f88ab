"""Files, folders and globs on the command line become the list of files to read."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conspectus.core.disk import possible_path
from conspectus.core.errors import InputError, UsageError

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
        full_path = Path(os.path.abspath(possible_path(name)))  # noqa: PTH100 - links stay links
        for file in _expand(full_path, supported, without, roots):
            if file.path not in seen:
                seen.add(file.path)
                yield file


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
            yield from expanded if match.is_dir() else (_within(file, [folder, *roots]) for file in expanded)
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


def _within(file: FoundFile, folders: Sequence[str | Path]) -> FoundFile:
    """What was found, or, where it is a link to a file in none of the folders, the problem."""
    path = Path(file.path)
    if file.problem or not file.supported or not path.is_symlink() or lies_in(path, folders):
        return file
    return FoundFile(
        file.path, problem="it is a link out of the folder that was named; name it itself, or set sources.roots"
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


_MOUNTS = Path("/proc/self/mountinfo")
_NETWORK = re.compile(
    r"nfs\d?|cifs|smb\w*|afpfs|9p|afs|ceph|glusterfs|lustre|gpfs|beegfs|fuse\.(?:sshfs|rclone|s3fs|\w*nfs)"
)


def drive_of(folder: Path, mounts: Path = _MOUNTS) -> str:
    """The type of the file system that `folder` lies on, such as `ext4` or `nfs4`; "" where that is not known."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
        place = folder.resolve()
    except OSError:
        return ""
    best, kind = -1, ""
    for line in lines:
        head, _, tail = line.partition(" - ")
        fields, types = head.split(), tail.split()
        if len(fields) < 5 or not types:
            continue
        mounted = Path(re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        if place.is_relative_to(mounted) and len(mounted.parts) >= best:
            best, kind = len(mounted.parts), types[0]
    return kind


def is_network(kind: str) -> bool:
    """Whether a file system of this type is another machine's."""
    return _NETWORK.fullmatch(kind) is not None


QUIET_MS = 1500
"""So long nothing more may change before it is told: files come in pieces."""
LONGEST_MS = 60_000
BEGIN_MS = 500
"""After so long without a change it is told that the watch has begun."""


def changes(names: Sequence[str | Path], without: Path) -> Iterator[None]:
    """Yields when it has begun to watch, then each time something has changed under `names`, but for `without`.

    What changes while the caller is busy is told when the caller asks again.

    Raises:
        InputError: none of them is a file or folder that is there, or the system cannot watch so many.
    """
    from watchfiles import DefaultFilter, watch

    roots = sorted({root for name in names if (root := _root(possible_path(name))) is not None})
    if not roots:
        raise InputError("There is nothing to watch: none of these is there.", "Name folders or files that exist.")
    polling = any(is_network(drive_of(root)) for root in roots)  # such drives do not tell of changes
    heed = DefaultFilter(ignore_paths=[without])
    change_sets = watch(
        *roots,
        watch_filter=heed,
        debounce=LONGEST_MS,
        step=QUIET_MS,
        rust_timeout=BEGIN_MS,
        yield_on_timeout=True,
        force_polling=polling or None,
    )
    begun = False
    try:
        for changed in change_sets:
            if changed or not begun:
                begun = True
                yield
    except OSError as error:
        raise InputError(
            f"The folders cannot be watched: {error}.",
            "On Linux, raise fs.inotify.max_user_watches, or watch fewer folders.",
        ) from error


def _root(path: Path) -> Path | None:
    """The folder to watch for a name: itself, or what stands before its pattern."""
    while glob.has_magic(str(path)) and not path.exists():
        path = path.parent
    return path if path.exists() else None
