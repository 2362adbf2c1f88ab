"""A library's folder, opened or made."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from conspectus.core.disk import is_private
from conspectus.core.errors import LibraryError, SettingsError
from conspectus.core.output import LIBRARY_FILES
from conspectus.papers.retriever import make_retriever
from conspectus.session.session import InjectedParts, Session
from conspectus.settings import Settings, default_folder, explain_ignored, load_settings, place_of
from conspectus.settings.layers import FILE_NAME, section_heading
from conspectus.settings.user_folders import config_file
from conspectus.store.catalog import Catalog


def opened(
    folder: str | os.PathLike[str] | None,
    settings: Settings | Mapping[str, Any] | None,
    given: InjectedParts,
    *,
    create: bool,
) -> Session:
    """See `Library`."""
    place = place_of(default_folder() if folder is None else folder)
    own = settings if isinstance(settings, Settings) else load_settings(place, settings)
    _check_catalog_setting(place, own)
    _refuse_links(place)
    if own.ignored and not isinstance(settings, Settings):  # else whoever loaded them reports it
        logging.getLogger("conspectus").warning("%s %s", *explain_ignored(own))
    _make_folder(place, new=create and _is_new(place), catalog=not own.catalog.url)
    catalog = Catalog(place / "catalog.sqlite", own.catalog.url.reveal(), own.catalog.schema, create=create)
    return Session(place, own, catalog, make_retriever, given)


def _check_catalog_setting(folder: Path, settings: Settings) -> None:
    """Refuse a library whose catalog is on a server that only its own file names: an empty one would take its place."""
    if "catalog.url" in settings.ignored:
        raise SettingsError(
            f"'{folder / FILE_NAME}' says that the catalog is on a server, and a library's folder does not set that.",
            f"If you know that server, set catalog.url in your configuration '{config_file()}', below "
            f"[{section_heading(folder)}]. If the catalog is in the folder, take the line out.",
        )


def _refuse_links(folder: Path) -> None:
    """Refuse links in place of files that the program writes: it would overwrite or delete what they lead to."""
    written = [path for name in LIBRARY_FILES for path in folder.glob(name)]
    folders = (path for path in written if not path.is_symlink())
    within = (Path(root) / name for path in folders for root, *names in os.walk(path) for name in chain(*names))
    for path in chain(written, within):
        if path.is_symlink():
            raise LibraryError(
                f"'{path}' is a link to '{path.readlink()}', and the library would write there.",
                "Remove the link. To keep a library on another disk, move its folder there.",
            )


def _is_new(folder: Path) -> bool:
    """Whether there is no library in `folder` yet; papers and other files may be there."""
    try:
        return not os.path.lexists(folder / "catalog.sqlite") and not any(folder.glob("index*"))
    except OSError:
        return False


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
