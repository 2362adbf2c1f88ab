"""A library's folder, opened or made."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conspectus.catalog.catalog import Catalog
from conspectus.core.disk import is_private
from conspectus.core.errors import LibraryError
from conspectus.library.session import Given, Session
from conspectus.settings import Settings, default_folder, load_settings, user_state
from conspectus.settings.standing import is_new, place_of, refuse_links, remedy, standing, told


def opened(
    folder: str | os.PathLike[str] | None, settings: Settings | Mapping[str, Any] | None, given: Given, *, create: bool
) -> Session:
    """See `Library`."""
    place = place_of(default_folder() if folder is None else folder)
    own = settings if isinstance(settings, Settings) else load_settings(place, settings)
    own.require("catalog.url")
    if own.left_out and not isinstance(settings, Settings):  # else whoever loaded them tells
        logging.getLogger("conspectus").warning("%s %s", told(own.left_out), remedy(place))
    refuse_links(standing(place))
    new = create and is_new(place)
    adopts = new or (create and user_state.is_without_catalog(place))
    _make_folder(place, new=new, catalog=not own.catalog.url)
    catalog = Catalog(place / "catalog.sqlite", own.catalog.url.reveal(), own.catalog.schema, create=create)
    if adopts:
        user_state.adopt(place, standing(place).digest)
    found = standing(place)
    if found.made_here and not adopts:
        user_state.note(place, found.digest)
    return Session(place, own, found, catalog, given)


def _make_folder(folder: Path, *, new: bool, catalog: bool) -> None:
    try:
        os.fsencode(folder).decode("utf-8")
        folder.mkdir(0o700, parents=True, exist_ok=True)
        if new:
            _make_private(folder, catalog=catalog)
    except (OSError, UnicodeDecodeError) as error:
        why = "its name is not valid UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise LibraryError(
            f"The library folder {str(folder)!r} cannot be used: {why}.",
            "Choose another (`library=FOLDER`, or CONSPECTUS_LIBRARY).",
        ) from error


def _make_private(folder: Path, *, catalog: bool) -> None:
    """Let a new library be its user's alone: the folder where nothing else is in it, and else its catalog."""
    if os.name != "posix":
        return
    if not any(folder.iterdir()):
        folder.chmod(0o700)
    if catalog:  # SQLite gives its log the rights of the file
        os.close(os.open(folder / "catalog.sqlite", os.O_CREAT | os.O_RDWR, 0o600))
    if not is_private(folder):
        (folder / "index").mkdir(0o700, exist_ok=True)
