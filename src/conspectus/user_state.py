"""What a user has said of libraries, kept in the user's own state folder: which were made here, and which are trusted.

A library that is made on this machine gets a file with a name of its own, and the state folder keeps what a copy of
that file cannot have: its inode and the moment it was made. A library from elsewhere is trusted by its folder and a
digest of what it says, so that a copy of it, or another content, is not.
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

from conspectus import disk
from conspectus.errors import UsageError

STATE = "CONSPECTUS_STATE"
"""The variable that names another state folder."""
MARK = "library.id"
"""The file in a library by which it is known as made here; its content is no secret."""
_ID = re.compile(r"[0-9a-f]{32}")


def state_folder() -> Path:
    """The folder of what is this user's alone and of this machine; nothing in it comes from a library."""
    if named := os.environ.get(STATE):
        return Path(named)
    from platformdirs import user_state_path

    return user_state_path("conspectus")


def adopt(folder: Path) -> None:
    """Remember that this user made the library in `folder` here; where that cannot be kept it has to be trusted."""
    name = secrets.token_hex(16)
    with suppress(OSError):
        mark = folder / MARK
        mark.unlink(missing_ok=True)  # one that was written is never changed: the moment it was made tells it
        handle = os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(name + "\n")
        _keep(_made(name), {"folder": str(folder), **_birth(mark.lstat())})


def is_made_here(folder: Path) -> bool:
    """Whether this user made the library in `folder` on this machine. One that was moved is still it; a copy is not."""
    try:
        mark = (folder / MARK).lstat()
        if not stat.S_ISREG(mark.st_mode):  # a link may lead to the mark of another library
            return False
        name = (folder / MARK).read_text("ascii", "replace").strip()
    except OSError:
        return False
    known = _kept(_made(name)) if _ID.fullmatch(name) else {}
    return bool(known) and {key: known.get(key) for key in ("inode", "born")} == _birth(mark)


def is_allowed(folder: Path, digest: str) -> bool:
    """Whether the library in `folder` is trusted with the content of which this is the digest."""
    known = _kept(_allowed(folder))
    return bool(known) and known.get("digest") == digest and known.get("inode") == _inode(folder)


def allow(folder: Path, digest: str) -> None:
    """Trust the library in `folder`, with this content.

    Raises:
        LibraryError: the state folder cannot be written.
    """
    with disk.explained(state_folder()):
        _keep(_allowed(folder), {"folder": os.path.realpath(folder), "digest": digest, "inode": _inode(folder)})


def revoke(folder: Path) -> bool:
    """Trust the library in `folder` no more, also where it was made here; whether it was trusted.

    Raises:
        UsageError: what is kept of it cannot be taken away.
    """
    was = is_made_here(folder) or _allowed(folder).is_file()
    try:
        _allowed(folder).unlink(missing_ok=True)
        if is_made_here(folder):
            _made((folder / MARK).read_text("ascii").strip()).unlink(missing_ok=True)
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


def _birth(found: os.stat_result) -> dict[str, int]:
    """What a copy of a file cannot have: its inode, and when it was made (or, where nobody says, changed last)."""
    moment = getattr(found, "st_birthtime", None)
    return {"inode": found.st_ino, "born": found.st_ctime_ns if moment is None else int(moment * 1e6)}


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
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(said, file)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)
