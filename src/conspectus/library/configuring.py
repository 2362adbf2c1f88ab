"""The settings of a library: shown with where each comes from, and changed in its file by a program."""

from __future__ import annotations

import json
import re
import threading
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from conspectus.core.disk import explained, replacing
from conspectus.core.errors import SettingsError, UntrustedError
from conspectus.core.roles import Role
from conspectus.library.session import Session
from conspectus.models.languages.names import is_served
from conspectus.records.reports import SettingRow, Tried
from conspectus.settings import KEYS, NO_MODEL, Key, Secret, Settings, describe, known, load_settings, without_user
from conspectus.settings.groups import Reach
from conspectus.settings.layers import FILE_NAME
from conspectus.settings.names import convert
from conspectus.settings.standing import keeping_trust, origin, remedy, standing

_CHANGING = threading.Lock()


def rows(settings: Settings) -> tuple[SettingRow, ...]:
    """Every setting, in order, as it may be shown; see `Library.configuration`."""
    left = {one.name: f"{one.value} ({one.origin})" for one in settings.left_out}
    return tuple(
        SettingRow(
            name,
            shown(value),
            where,
            shown(KEYS[name].default),
            describe(KEYS[name].type),
            KEYS[name].doc,
            tuple(map(str, get_args(KEYS[name].type))) if get_origin(KEYS[name].type) is Literal else (),
            why_not(KEYS[name]),
            left.get(name, ""),
        )
        for name, value, where in settings.rows()
    )


def shown(value: Any) -> Any:
    """A setting's value as it may be shown: no secret, no user and no password in an address."""
    if isinstance(value, Secret):
        return "***" if value.reveal() else ""
    return without_user(value) if isinstance(value, str) else value


def why_not(key: Key, value: Any = None) -> str:
    """Why a program that is asked over the network must not set this (to this value); "" where it may."""
    if key.type is Secret or key.reach is Reach.NEVER:
        return "A secret is set where the server is started, in the environment."
    served = key.name.startswith("language.")
    if key.reach is not Reach.GUARDED or key.type is not str or (value is None and (served or len(key.free) > 1)):
        return ""
    if value is not None and (key.is_harmless(value) or (served and is_served(value))):
        return ""
    return "What names an address, a file or a program is written in the library's file by hand."


def changed(session: Session, values: Mapping[str, Any]) -> Session:
    """The library with other settings, which its file says from now on; see `Library.configure`."""
    wanted = {known(name, "flag"): value for name, value in values.items()}
    with _CHANGING:
        for name, value in wanted.items():
            _check(session, KEYS[name], value)
        path = session.folder / FILE_NAME
        before = _text_of(path)
        after = before
        for name, value in wanted.items():
            after = edited(after, name, value)
        flags = {name: session.settings.get(name) for name, by in session.settings.origins.items() if by == "flag"}
        with keeping_trust(session.folder):
            _write(path, after)
            try:
                settings = load_settings(session.folder, flags)
                _check_holds(settings, wanted, path)
            except BaseException:
                _write(path, before)
                raise
        return replace(session, settings=settings, standing=standing(session.folder))


def _check(session: Session, key: Key, value: Any) -> None:
    if value is not None and not isinstance(value, str | int | float):
        raise SettingsError(f"'{key.name}' cannot be {value!r}: it must be {describe(key.type)}.", key.doc)
    if why := why_not(key, "" if value is None else value):
        raise SettingsError(f"'{key.name}' is not set from here. {why}", f"The file: {session.folder / FILE_NAME}.")
    if value is not None and not session.standing.trusted and not key.is_harmless(value):
        raise UntrustedError(
            f"The library '{session.folder}' {origin(session.folder)}, so '{key.name}' in its file does not count.",
            remedy(session.folder),
        )
    if value is not None:
        convert(key.name, value, "flag")  # where the file is read it would be told as that file's, which never had it


def _check_holds(settings: Settings, wanted: Mapping[str, Any], path: Path) -> None:
    for name, value in wanted.items():
        where = settings.origins.get(name, "default")
        if where not in (str(path), "default") or (value is None) != (where == "default"):
            raise SettingsError(
                f"'{name}' is set by {where}, which goes before the library's file.", "Change it there."
            )


def edited(text: str, name: str, value: Any) -> str:
    """A file of settings with another value for one, or (None) without it; all else stays as it is, comments too.

    Raises:
        SettingsError: it is written in a way that is not understood here.
    """
    group, _, short = name.partition(".")
    lines = text.splitlines()
    said = [] if value is None else [f"{short} = {_toml(value)}"]
    head = next((n for n, line in enumerate(lines) if re.fullmatch(rf"\s*\[\s*{group}\s*\]\s*(#.*)?", line)), None)
    if head is None:
        lines += [*([""] if lines and said else []), *([f"[{group}]"] if said else []), *said]
    else:
        end = next((n for n in range(head + 1, len(lines)) if re.match(r"\s*\[", lines[n])), len(lines))
        at = next((n for n in range(head + 1, end) if re.match(rf"\s*{short}\s*=", lines[n])), None)
        lines[slice(head + 1, head + 1) if at is None else slice(at, at + 1)] = said
    made = "\n".join(lines) + "\n" if lines else ""
    expected = _tree(text)
    table = expected.setdefault(group, {})
    if value is None:
        table.pop(short, None)
    else:
        table[short] = value
    with suppress(ValueError):
        if _bare(tomllib.loads(made)) == _bare(expected):
            return made
    raise SettingsError(f"'{name}' is written in '{FILE_NAME}' in a way that only you can change.", "Edit that file.")


def _tree(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise SettingsError(f"'{FILE_NAME}' is not valid TOML: {error}.", "Mend that line.") from error


def _bare(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {group: table for group, table in tree.items() if table != {}}


def _toml(value: str | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") if isinstance(value, str) else repr(value)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"'{path}' cannot be read: {error}.", "Mend it, or give yourself the right to it."
        ) from error


def _write(path: Path, text: str) -> None:
    with explained(path), replacing(path) as part:
        part.write_text(text, encoding="utf-8")
        part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o600)


def is_askable(session: Session, name: str) -> bool:
    """Whether who asks from elsewhere may name this model: it is none, or set or handed in here, or a provider's.

    Any other could have the program send papers, or requests, anywhere.
    """
    language = session.settings.language
    known = {"", NO_MODEL, *session.given.models, *(getattr(language, field.name) for field in fields(language))}
    return name in known or is_served(name)


def tried(session: Session, names: Sequence[str]) -> tuple[Tried, ...]:
    """See `Library.try_models`."""
    from conspectus.models.languages.ping import ping_models

    language, given = session.settings.language, session.given.models
    for name in names:
        if name in ("", NO_MODEL) or not is_askable(session, name):
            raise SettingsError(f"'{name}' is not tried from here.", "Set it first, in the library's file.")
    own = filter(None, (language.of(role) for role in get_args(Role)))
    pings = ping_models(list(dict.fromkeys(names or own)), language, given)
    return tuple(Tried(without_user(ping.name), not ping.remedy, ping.detail, ping.remedy) for ping in pings)
