"""What a user has said of libraries, kept in the user's own state folder: which were made here, and which are trusted.

A library that is made on this machine gets a file with a name of its own, and the state folder keeps what a copy of
that file, or another catalog in its place, cannot have: their inodes, and when they were made. Nobody can set these,
and `chmod`, `chown`, `mv` and edits leave them. (A secret in the mark would prove nothing: a stranger to whom the
library was given has the mark, too.) Where the mark itself was written to since, by `chmod` or by an archive that was
unpacked over it, the library has to say what it said when it was last open here.

What was moved to another disk or restored from a backup is other files all the same, as is a library that a stranger
had and sends back. If such a one says what it said when it was last open here, that counts, for it is what this user
set. Its catalog and index do not until the user takes it back, which makes it made here again.

A library from elsewhere is trusted by its folder and a digest of what it says, so that a copy of it, or another
content, is not; and its catalog as long as that is the same file.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from conspectus.core import disk
from conspectus.core.errors import UsageError
from conspectus.settings.births import birth_time

STATE = "CONSPECTUS_STATE"
"""The variable that names another state folder."""
MARK = "library.id"
"""The file in a library by which it is known as made here; its content is no secret."""
CATALOG = "catalog.sqlite"
_ID = re.compile(r"[0-9a-f]{32}")


def state_folder() -> Path:
    """The folder of what is this user's alone and of this machine; nothing in it comes from a library."""
    if named := os.environ.get(STATE):
        return Path(named)
    from platformdirs import user_state_path

    return user_state_path("conspectus")


def adopt(folder: Path, digest: str = "") -> None:
    """Remember that the library in `folder`, which says this, is this user's own; where it cannot be it is foreign."""
    name = secrets.token_hex(16)
    with suppress(OSError):
        mark = folder / MARK
        mark.unlink(missing_ok=True)  # one that was written is never changed: the moment it was made tells it
        handle = os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(name + "\n")
        said = {"folder": str(folder), "digest": digest, "mark": _birth(mark), "catalog": _catalog(folder)}
        _keep(_made(name), said)


def is_made_here(folder: Path, digest: str) -> bool:
    """Whether this user made the library in `folder`, which says this, on this machine."""
    known = _known(folder)
    if not _is_it(folder, known) or known.get("catalog") not in (None, _catalog(folder)):
        return False
    return known.get("mark") == _birth(folder / MARK) or known.get("digest") == digest


def is_without_catalog(folder: Path) -> bool:
    """Whether the library in `folder` was made here, and its catalog was taken away since."""
    return _is_it(folder, _known(folder)) and not os.path.lexists(folder / CATALOG)


def moved(folder: Path) -> str | None:
    """The digest of what the library in `folder` said when it was last open here, where its mark says it was made here.

    None: it never was, or the one that was is where it was, so that this is a copy; or that was revoked of this one.
    """
    name, known = _name(folder), _known(folder)
    before = known.get("folder")
    if not isinstance(before, str) or _file(_birth(folder / MARK)) in _revoked(known):
        return None
    there = Path(before)
    is_copy = not _is_it(folder, known) and _name(there) == name and _is_it(there, known)
    return None if is_copy else str(known.get("digest", ""))


def note(folder: Path, digest: str) -> None:
    """Remember what a library of this user's own says now, and where it is."""
    path = _made(_name(folder))
    known = _known(folder)
    now: dict[str, Any] = {"folder": str(folder), "digest": digest}
    if _is_it(folder, known):
        now["mark"] = _birth(folder / MARK)  # as `chmod` left it
    if known and {key: known.get(key) for key in now} != now:
        with suppress(OSError):
            _keep(path, {**known, **now})


def is_allowed(folder: Path, digest: str) -> bool:
    """Whether the library in `folder` is trusted with the content of which this is the digest."""
    known = _kept(_allowed(folder))
    return bool(known) and known.get("digest") == digest and known.get("inode") == _inode(folder)


def has_same_catalog(folder: Path) -> bool:
    """Whether the catalog in `folder` is the file that was there when the library was trusted."""
    known = _kept(_allowed(folder))
    return "catalog" in known and known["catalog"] == _catalog(folder)


def allow(folder: Path, digest: str) -> None:
    """Trust the library in `folder`, with this content.

    Raises:
        LibraryError: the state folder cannot be written.
    """
    said = {"folder": os.path.realpath(folder), "digest": digest, "inode": _inode(folder), "catalog": _catalog(folder)}
    with disk.explained(state_folder()):
        _keep(_allowed(folder), said)


def amend(folder: Path, digest: str) -> None:
    """Let what the library in `folder` says now be what it is trusted with; raises as `allow`."""
    if known := _kept(_allowed(folder)):
        with disk.explained(state_folder()):
            _keep(_allowed(folder), {**known, "digest": digest})


def revoke(folder: Path) -> bool:
    """Trust the library in `folder` no more, also where it was made here; whether it was trusted.

    Raises:
        UsageError: what is kept of it cannot be taken away.
    """
    mine, known, path = moved(folder) is not None, _known(folder), _made(_name(folder))
    was = mine or _allowed(folder).is_file()
    try:
        _allowed(folder).unlink(missing_ok=True)
        if mine and _is_it(folder, known):
            path.unlink(missing_ok=True)
        elif mine:  # perhaps a copy of one that lies elsewhere now, and stays this user's own
            _keep(path, {**known, "revoked": [*_revoked(known), _file(_birth(folder / MARK))]})
    except OSError as error:
        raise UsageError(
            f"'{error.filename}' cannot be removed: {error.strerror}.", "Give yourself the right to it."
        ) from error
    return was


def remember(kind: str, name: str, said: Mapping[str, Any]) -> None:
    """Keep something under a name, until it is told otherwise; where that cannot be, it is found out again."""
    with suppress(OSError):
        _keep(_noted(kind, name), said)


def recall(kind: str, name: str) -> Mapping[str, Any]:
    """What `remember` kept; empty where there is nothing."""
    return _kept(_noted(kind, name))


def _noted(kind: str, name: str) -> Path:
    return state_folder() / kind / f"{blake2b(os.fsencode(name), digest_size=16).hexdigest()}.json"


def _made(name: str) -> Path:
    return state_folder() / "made" / f"{name}.json"


def _allowed(folder: Path) -> Path:
    name = blake2b(os.fsencode(os.path.realpath(folder)), digest_size=16).hexdigest()
    return state_folder() / "trusted" / f"{name}.json"


def _name(folder: Path) -> str:
    """The name that the library's mark says; "" where there is none, as where the mark is no file."""
    try:
        mark = folder / MARK
        if not stat.S_ISREG(mark.lstat().st_mode):  # a link may lead to the mark of another library
            return ""
        name = disk.read_file(mark, 100).decode("ascii", "replace").strip()
    except OSError:
        return ""
    return name if _ID.fullmatch(name) else ""


def _known(folder: Path) -> Mapping[str, Any]:
    """What is kept of the library that the folder's mark names; of older versions, which kept its inode and `ctime`."""
    known = _kept(_made(_name(folder)))
    now = _birth(folder / MARK)
    if now and "mark" not in known and (known.get("inode"), known.get("born")) == (now["inode"], now["changed"]):
        return {**known, "mark": now}
    return known


def _is_it(folder: Path, known: Mapping[str, Any]) -> bool:
    """Whether the mark in the folder is the file that was made when the library was."""
    then, now = known.get("mark"), _birth(folder / MARK)
    if not isinstance(then, dict) or not now:
        return False
    return then == now or (now["born"] != 0 and all(then.get(key) == now[key] for key in ("inode", "born")))


def _revoked(known: Mapping[str, Any]) -> list[Any]:
    """The marks of other files, copied or moved, that the user would not have for this library."""
    found = known.get("revoked")
    return found if isinstance(found, list) else []


def _file(birth: Mapping[str, int] | None) -> list[int]:
    """What tells one file from another whatever its rights are set to."""
    return [birth["inode"], birth["born"]] if birth else []


def _catalog(folder: Path) -> dict[str, int] | None:
    """The catalog's birth; None where it is on a server."""
    found = _birth(folder / CATALOG)
    return found and {**found, "changed": 0}  # it is changed all the time


def _birth(path: Path) -> dict[str, int] | None:
    """What a copy of a file cannot have: its inode, when it was made (0: nobody says), when it was changed last."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return {"inode": found.st_ino, "born": birth_time(path, found), "changed": found.st_ctime_ns}


def _inode(folder: Path) -> int:
    try:
        return folder.stat().st_ino
    except OSError:
        return 0


def _kept(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _keep(path: Path, said: Mapping[str, Any]) -> None:
    """Write one record, so that others see all of it or nothing, and only this user sees it."""
    path.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.parent.mkdir(exist_ok=True, mode=0o700)
    with disk.replacing(path) as part:
        part.touch(0o600, exist_ok=False)
        part.write_text(json.dumps(said), "utf-8")
