"""What a library's folder says, and how much of it counts.

Its `conspectus.toml` and its `prompts/` may name where texts and keys go, what is loaded and what models are told. Of a
library that this user made on this machine all of it counts, of another one only after `conspectus trust`. Which
settings these are stands with them (`setting_groups.Reach`). All that reads a library's folder asks here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b, file_digest
from itertools import chain
from pathlib import Path
from typing import Any

from conspectus.core.disk import open_file, user_path
from conspectus.core.errors import NotFoundError, SettingsError, UntrustedError, UsageError
from conspectus.settings import user_state
from conspectus.settings.groups import Reach, Secret, without_user
from conspectus.settings.layers import FILE_NAME, PREFIX, Layer, from_file
from conspectus.settings.names import KEYS, convert, known

PROMPTS = "prompts"
"""The folder of a library's own prompts."""
_WRITTEN = ("catalog.sqlite*", "index*", "linking*", "write.*")
"""What the program writes in a library's folder."""
_PASSWORD = re.compile(r"[?&](ssl)?password=.")


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a library's folder says and that counts only where the library is trusted.

    Attributes:
        name: a setting, a prompt as `prompts/NAME.md`, or a link in the place of what the program writes (`index`).
        value: as it may be shown: without users and passwords; "" for a prompt; where a link leads.
        origin: the file that says it.
        folder: the library's.
        is_link: it is a link: without trust the library is not opened.
    """

    name: str
    value: str
    origin: str
    folder: str
    is_link: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A library's folder, whether this user trusts it as it is now, and what it claims.

    Attributes:
        trusted: what it claims counts.
        made_here: it is this user's own, made on this machine: it is trusted whatever it says.
        moved: it was, and has since been moved to another disk, restored, sent back by somebody or given other rights.
        whole: its catalog and its index count as well: which files `retry` reads, whom `rerun` asks.
        digest: of all that it claims.
        layers: what its file sets, as it was read once.
    """

    folder: Path
    trusted: bool = True
    made_here: bool = True
    moved: bool = False
    whole: bool = True
    claims: tuple[Claim, ...] = ()
    digest: str = ""
    layers: tuple[Layer, ...] = field(default=(), repr=False)

    @property
    def settings(self) -> Iterator[Layer]:
        """What the library's own file sets, without what does not count."""
        without = {claim.name for claim in self.left_out}
        return (layer for layer in self.layers if layer[0] not in without)

    @property
    def left_out(self) -> tuple[Claim, ...]:
        """What does not count."""
        return () if self.trusted else self.claims


def told(claims: Sequence[Claim]) -> str:
    """What does not count and why, as one line for people; "" where nothing is."""
    if not claims:
        return ""
    said = ", ".join(f"{one.name} ({one.value})" if one.value else one.name for one in claims)
    folder = claims[0].folder
    return f"The library '{folder}' {origin(folder)}, so this of what it says does not count: {said}."


def origin(folder: str | Path) -> str:
    """Where a library that is not trusted comes from: `was not made here` or, of one's own, what became of it."""
    if user_state.moved(Path(folder)) is None:
        return "was not made here"
    return "was made here, and since then moved to another disk, restored, sent back or given other rights"


def remedy(folder: str | Path) -> str:
    """What to do where something does not count."""
    known = user_state.moved(Path(folder)) is None
    where = "If you know whom it is from" if known else "If it was you, take it back"
    return f"{where}: conspectus trust --library '{folder}' (with --show: what that allows)."


def refused(claim: Claim) -> UntrustedError:
    """The error to raise where a claim does not count, and nothing can stand for it."""
    says = f"is a link to '{claim.value}'" if claim.is_link else f"sets {claim.name} to '{claim.value}'"
    what = f"'{claim.origin}' {says}, and the library {origin(claim.folder)}."
    return UntrustedError(what, remedy(claim.folder))


def refuse_links(found: Standing) -> None:
    """Raise UntrustedError where a library that is not trusted has links in the place of what is written in it."""
    for claim in found.left_out:
        if claim.is_link:
            raise refused(claim)


def standing(folder: Path | None) -> Standing:
    """How much of what the library in `folder` says counts; None, or a folder without such files: there is nothing.

    Raises:
        SettingsError: its file is not TOML, names an unknown setting, or holds a key.
        LibraryError: the folder cannot be looked into.
    """
    if folder is None:
        return Standing(Path())
    layers = tuple(of_file(folder))
    claims = [claim for layer in layers if (claim := _claimed(layer))]
    names = {claim.name for claim in claims}
    said = [(key, _plain(value)) for key, value, _ in layers if key in names]
    for path in _prompts(folder):
        claims.append(Claim(f"{PROMPTS}/{path.name}", "", str(path), str(folder)))
        with open_file(path) as file:
            said.append((path.name, file_digest(file, "sha256").hexdigest()))
    for path in _links(folder):
        claims.append(Claim(str(path.relative_to(folder)), str(path.readlink()), str(path), str(folder), is_link=True))
        said.append((claims[-1].name, claims[-1].value))
    digest = blake2b(repr(said).encode(), digest_size=16).hexdigest()
    made_here = user_state.is_made_here(folder, digest)
    moved = None if made_here else user_state.moved(folder)
    allowed = user_state.is_allowed(folder, digest)
    return Standing(
        folder,
        trusted=made_here or allowed or moved == digest,
        made_here=made_here,
        moved=moved is not None,
        whole=made_here or (allowed and user_state.has_same_catalog(folder)),
        claims=tuple(claims),
        digest=digest,
        layers=layers,
    )


def place_of(folder: str | os.PathLike[str]) -> Path:
    """A library's folder by the name that a user gave it; absolute: it stays when the process changes folders.

    Raises:
        UsageError: no folder can be called so.
    """
    said = os.fspath(folder)
    if "\0" in said:  # no call of the system takes it
        raise UsageError(f"The name of a library's folder cannot be {said!r}.", "Leave the NUL character out.")
    return Path(os.path.abspath(user_path(said)))  # noqa: PTH100 - links stay


def shown(folder: str | os.PathLike[str]) -> Standing:
    """The standing of the library in `folder`.

    Raises:
        NotFoundError: there is none.
        UsageError: as `place_of`. Else as `standing`.
    """
    path = place_of(folder)
    found = standing(path)
    if not path.is_dir():
        raise NotFoundError(f"There is no folder '{os.fspath(folder)}'.", "Name the library's: `library=FOLDER`.")
    return found


def trust(folder: str | os.PathLike[str], *, revoke: bool = False) -> Standing:
    """Let all that the library in `folder` says now count, or (`revoke`) no more; returns its standing then.

    It is kept in this user's own state folder, for this folder with this content: what is changed later, or copied
    elsewhere, has to be trusted again. A library that was made here needs it only where that was revoked, or where it
    was moved to another disk or restored: then it is taken back, and made here as before.

    Raises:
        NotFoundError: there is no such folder.
        SettingsError: its file is not TOML, names an unknown setting, or holds a key.
        LibraryError: the state folder cannot be written.
    """
    found = shown(folder)
    path = found.folder
    if revoke:
        user_state.revoke(path)
    elif not found.made_here:
        if found.moved:
            user_state.adopt(path, found.digest)
        if not user_state.is_made_here(path, found.digest):  # the folder may be one to read only
            user_state.allow(path, found.digest)
    return standing(path)


@contextmanager
def keeping_trust(folder: Path) -> Iterator[None]:
    """Within, what this user has the program change in a library that is trusted leaves it trusted."""
    before = standing(folder)
    yield
    if before.trusted:
        digest = standing(folder).digest
        user_state.note(folder, digest) if before.made_here or before.moved else user_state.amend(folder, digest)


def of_file(folder: Path | None) -> Iterator[Layer]:
    """What the library's own file sets, under the settings' whole names; a key or a password in it is refused.

    Raises:
        SettingsError: as `standing`.
    """
    for short, value, origin in from_file(folder):
        key = known(short, origin)
        _refuse_secrets(key, value, origin)
        yield key, value, origin


def is_new(folder: Path) -> bool:
    """Whether a library that is made in `folder` now is this user's own: nothing in it came with another library.

    Papers and other files may be there, but no settings, prompts, catalog or index.
    """
    signs = (user_state.MARK, "catalog.sqlite", FILE_NAME, PROMPTS)
    try:
        return not any(os.path.lexists(folder / name) for name in signs) and not any(folder.glob("index*"))
    except OSError:
        return False


def _claimed(layer: Layer) -> Claim | None:
    key, value, origin = layer
    try:
        if KEYS[key].is_harmless(convert(key, value, origin)):
            return None
    except SettingsError:  # told where it counts
        if KEYS[key].reach is Reach.FREE:
            return None
    return Claim(key, without_user(_plain(value)), origin, str(Path(origin).parent))


def _plain(value: Any) -> str:
    return value.reveal() if isinstance(value, Secret) else str(value)


def _prompts(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in (folder / PROMPTS).glob("*.md") if path.is_file())
    except OSError:
        return []


def _links(folder: Path) -> list[Path]:
    """Links in the place of what the program writes: where they lead it would overwrite and delete."""
    own = [path for name in _WRITTEN for path in folder.glob(name)]
    folders = (path for path in own if not path.is_symlink())
    within = (Path(root) / name for path in folders for root, *names in os.walk(path) for name in chain(*names))
    return sorted(path for path in chain(own, within) if path.is_symlink())


def _has_password(text: str) -> bool:
    """Whether an address in the text has `//user:password@`."""
    parts = (part.rpartition(":") for part in text.split("@")[:-1])
    return any("//" in user and "#" not in password for user, _, password in parts)


def _refuse_secrets(key: str, value: Any, origin: str) -> None:
    """Keys and passwords have no place in a file that is copied, backed up and shared."""
    text = str(value)
    variable = PREFIX + key.replace(".", "_").upper()
    if key == "catalog.url":
        if _has_password(text) or _PASSWORD.search(text):
            raise SettingsError(
                f"'{origin}' holds a password: {key}.",
                "Take it out, and put it into PGPASSWORD, ~/.pgpass or the system's keyring "
                "(keyring set conspectus catalog.password).",
            )
    elif KEYS[key].type is Secret and text:
        raise SettingsError(
            f"'{origin}' holds a key: {key}.",
            f"Take it out, and put it into the environment ({variable}=…) or the system's keyring "
            f"(keyring set conspectus {key}).",
        )
    elif any(0 <= part.find("//") < part.rfind("@") for part in text.split("#")):
        raise SettingsError(
            f"'{origin}' holds a user or a password: {key}.", f"Take it out, or set the address in {variable}."
        )
