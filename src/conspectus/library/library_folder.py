"""A library's folder, opened or made, and the settings in it."""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin

from conspectus.core.disk import explained, is_private, replacing
from conspectus.core.errors import LibraryError, SettingsError, describe_os_error
from conspectus.core.output import LIBRARY_FILES
from conspectus.models.languages.registry import is_served
from conspectus.papers.retriever import make_retriever
from conspectus.records.models import Role
from conspectus.records.reports import SettingRow, Tried
from conspectus.session.session import InjectedParts, Session
from conspectus.settings import (
    KEYS,
    NO_MODEL,
    Key,
    Secret,
    Settings,
    default_folder,
    describe,
    explain_ignored,
    find_setting,
    load_settings,
    place_of,
    without_user,
)
from conspectus.settings.fields import LibraryScope
from conspectus.settings.layers import FILE_NAME, SECTION, convert, section_heading, section_origin
from conspectus.settings.user_folders import config_file
from conspectus.store.catalog import Catalog


def opened(
    folder: str | os.PathLike[str] | None,
    settings: Settings | Mapping[str, Any] | None,
    injected: InjectedParts,
    *,
    create: bool,
) -> Session:
    """See `Library`."""
    place = place_of(default_folder() if folder is None else folder)
    library_settings = settings if isinstance(settings, Settings) else load_settings(place, settings)
    _check_catalog_setting(place, library_settings)
    _refuse_links(place)
    if library_settings.ignored and not isinstance(settings, Settings):  # else whoever loaded them reports it
        logging.getLogger("conspectus").warning("%s %s", *explain_ignored(library_settings))
    _make_folder(place, new=create and _is_new(place), catalog=not library_settings.catalog.url)
    catalog = Catalog(
        place / "catalog.sqlite", library_settings.catalog.url.reveal(), library_settings.catalog.schema, create=create
    )
    return Session(place, library_settings, catalog, make_retriever, injected)


def settings_session(folder: str | os.PathLike[str], settings: Settings) -> Session:
    """See `Library.of_settings`; it has no catalog."""
    return Session(place_of(folder), settings, cast("Catalog", None), make_retriever)


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
    own_paths = [path for name in LIBRARY_FILES for path in folder.glob(name)]
    folders = (path for path in own_paths if not path.is_symlink())
    within = (Path(root) / name for path in folders for root, *names in os.walk(path) for name in chain(*names))
    for path in chain(own_paths, within):
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


CHANGING = threading.Lock()
"""Held while files of settings are changed."""


def rows(settings: Settings) -> tuple[SettingRow, ...]:
    """Every setting, in order, as it may be shown; see `Library.configuration`."""
    return tuple(
        SettingRow(
            name,
            printable_value(value),
            where,
            printable_value(KEYS[name].default),
            describe(KEYS[name].type),
            KEYS[name].doc,
            tuple(map(str, get_args(KEYS[name].type))) if get_origin(KEYS[name].type) is Literal else (),
            why_not(KEYS[name]),
            settings.ignored.get(name, ""),
        )
        for name, value, where in settings.rows()
    )


def printable_value(value: Any) -> Any:
    """A setting's value as it may be shown: no secret, no user and no password in an address."""
    if isinstance(value, Secret):
        return "***" if value.reveal() else ""
    return without_user(value) if isinstance(value, str) else value


def why_not(key: Key, value: Any = None) -> str:
    """Why a program that is asked over the network must not set this (to this value); "" where it may."""
    if key.type is Secret:
        return "A secret is set where the server is started, in the environment."
    served = key.name.startswith("language.")
    may_name = served or len(key.built_in) > 1
    if key.scope is not LibraryScope.BUILT_IN or key.type is not str or (value is None and may_name):
        return ""
    if value is not None and (key.is_harmless(value) or (served and is_served(value))):
        return ""
    return "For safety, this can only be set by editing the configuration file."


def changed(session: Session, values: Mapping[str, Any]) -> Session:
    """The library with other settings, which its files set from now on; see `Library.configure`."""
    changes = {find_setting(name, "flag"): value for name, value in values.items()}
    with CHANGING:
        for name, value in changes.items():
            _check(KEYS[name], value)
        before: dict[Path, str] = {}
        after: dict[Path, str] = {}
        for name, value in changes.items():
            path, heading, key = _place_of(session, KEYS[name], value)
            if path not in before:
                before[path] = after[path] = read_settings_file(path)
            after[path] = edited(after[path], heading, key, value)
        flags = {name: session.settings.get(name) for name, by in session.settings.origins.items() if by == "flag"}
        try:
            for path, text in after.items():
                write_settings_file(path, text)
            settings = load_settings(session.folder, flags)
            _check_holds(session, settings, changes)
        except BaseException:
            for path, text in before.items():
                write_settings_file(path, text)
            raise
        return replace(session, settings=settings)


def _place_of(session: Session, key: Key, value: Any) -> tuple[Path, tuple[str, ...], str]:
    """Where a setting is written: the file, the heading there, and the key below it."""
    user, group, _, name = config_file(), *key.name.partition(".")
    origin = session.settings.origins.get(key.name, "")
    is_allowed = value is None or key.is_harmless(value)
    if is_allowed and origin != section_origin(user, session.folder):
        return session.folder / FILE_NAME, (group,), name
    return user, (SECTION, str(session.folder)), key.name


def _check(key: Key, value: Any) -> None:
    if value is not None and not isinstance(value, str | int | float):
        raise SettingsError(f"'{key.name}' cannot be {value!r}: it must be {describe(key.type)}.", key.doc)
    if why := why_not(key, "" if value is None else value):
        raise SettingsError(f"'{key.name}' is not set from here. {why}", f"The file: {config_file()}.")
    if value is not None:
        convert(key.name, value, "flag")  # an error when the file is read would name the file, which never had it


def _check_holds(session: Session, settings: Settings, changes: Mapping[str, Any]) -> None:
    files = (str(session.folder / FILE_NAME), section_origin(config_file(), session.folder))
    for name, value in changes.items():
        where = settings.origins.get(name, "default")
        if where not in (*files, "default") or (value is None) != (where == "default"):
            raise SettingsError(f"'{name}' is set by {where}, which wins over what is set here.", "Change it there.")


def edited(text: str, heading: tuple[str, ...], key: str, value: Any) -> str:
    """A file of settings with another value for a key, or (None) without it; all else stays as it is, comments too.

    Args:
        text: the file.
        heading: of the table, such as `("search",)` or `("library", FOLDER)`.
        key: below the heading, such as `k` or `search.k`.
        value: the new one.

    Raises:
        SettingsError: it is written in a way that is not understood here.
    """
    lines = text.splitlines()
    new = [] if value is None else [f"{key} = {_toml(value)}"]
    title = section_heading(heading[1]) if len(heading) > 1 else heading[0]
    head = next(
        (n for n, line in enumerate(lines) if re.fullmatch(rf"\s*\[\s*{re.escape(title)}\s*\]\s*(#.*)?", line)), None
    )
    if head is None:
        lines += [*([""] if lines and new else []), *([f"[{title}]"] if new else []), *new]
    else:
        end = next((n for n in range(head + 1, len(lines)) if re.match(r"\s*\[", lines[n])), len(lines))
        at = next((n for n in range(head + 1, end) if re.match(rf"\s*{re.escape(key)}\s*=", lines[n])), None)
        lines[slice(head + 1, head + 1) if at is None else slice(at, at + 1)] = new
    new_text = "\n".join(lines) + "\n" if lines else ""
    expected = _tree(text)
    *tables, last = (*heading, *key.split("."))
    table = expected
    for name in tables:
        table = table.setdefault(name, {})
    if value is None:
        table.pop(last, None)
    else:
        table[last] = value
    with suppress(ValueError):
        if _bare(tomllib.loads(new_text)) == _bare(expected):
            return new_text
    raise SettingsError(f"'{key}' is written in a way that only you can change.", f"Edit the file below [{title}].")


def _tree(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise SettingsError(f"The file is not valid TOML: {error}.", "Mend that line.") from error


def _bare(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The tree without empty tables."""
    tables = {name: _bare(value) if isinstance(value, dict) else value for name, value in tree.items()}
    return {name: value for name, value in tables.items() if value != {}}


def _toml(value: str | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") if isinstance(value, str) else repr(value)


def read_settings_file(path: Path) -> str:
    """A file of settings; "" where there is none."""
    try:
        return path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"'{path}' cannot be read: {describe_os_error(error)}.", "Mend it, or give yourself the right to it."
        ) from error


def write_settings_file(path: Path, text: str) -> None:
    """Replace a file of settings; a new one is its owner's alone."""
    with explained(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with explained(path), replacing(path) as part:
        part.write_text(text, encoding="utf-8")
        part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o600)


def is_askable(session: Session, name: str) -> bool:
    """Whether who asks from elsewhere may name this model: it is none, or set or handed in here, or a provider's.

    Any other could have the program send papers, or requests, anywhere.
    """
    return is_configured(session, name) or is_served(name)


def is_configured(session: Session, name: str) -> bool:
    """Whether a language model is none, or set or handed in here."""
    language = session.settings.language
    return name in {
        "",
        NO_MODEL,
        *session.injected.models,
        *(getattr(language, field.name) for field in fields(language)),
    }


def tried(session: Session, names: Sequence[str]) -> tuple[Tried, ...]:
    """See `Library.try_models`."""
    from conspectus.models.languages.registry import ping_models

    language, injected_models = session.settings.language, session.injected.models
    for name in names:
        if name in ("", NO_MODEL) or not is_askable(session, name):
            raise SettingsError(f"'{name}' is not tried from here.", "Set it first, in your configuration.")
    role_models = filter(None, (language.of(role) for role in get_args(Role)))
    pings = ping_models(list(dict.fromkeys(names or role_models)), language, injected_models)
    return tuple(Tried(without_user(ping.name), not ping.remedy, ping.detail, ping.remedy) for ping in pings)
