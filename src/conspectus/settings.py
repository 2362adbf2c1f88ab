"""One frozen tree of settings: `conspectus.toml` in the library < `CONSPECTUS_*` in the environment < flags.

A key is written `group.name`: in the file as `name = …` under `[group]`, in the environment as
`CONSPECTUS_GROUP_NAME`, on the command line as `--set group.name=…`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from conspectus.errors import SettingsError
from conspectus.setting_groups import (
    NO_MODEL,
    AgentSettings,
    AnswerSettings,
    BudgetSettings,
    CatalogSettings,
    ConsensusSettings,
    EvidenceSettings,
    LanguageSettings,
    ModelSettings,
    ParseSettings,
    PassageSettings,
    Role,
    SearchSettings,
    Secret,
    SourcesSettings,
    set_name,
    without_user,
)
from conspectus.setting_layers import from_environment, from_file
from conspectus.web import is_address

__all__ = [
    "GROUPS",
    "KEYS",
    "NO_MODEL",
    "AgentSettings",
    "AnswerSettings",
    "BudgetSettings",
    "CatalogSettings",
    "ConsensusSettings",
    "EvidenceSettings",
    "Key",
    "LanguageSettings",
    "ModelSettings",
    "ParseSettings",
    "PassageSettings",
    "Role",
    "SearchSettings",
    "Secret",
    "Settings",
    "SourcesSettings",
    "default_folder",
    "describe",
    "load_settings",
    "set_name",
    "without_user",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, checked. `origins` says for each key that is not at its default where it was set."""

    catalog: CatalogSettings = field(default_factory=CatalogSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    parse: ParseSettings = field(default_factory=ParseSettings)
    passages: PassageSettings = field(default_factory=PassageSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    language: LanguageSettings = field(default_factory=LanguageSettings)
    evidence: EvidenceSettings = field(default_factory=EvidenceSettings)
    consensus: ConsensusSettings = field(default_factory=ConsensusSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    sources: SourcesSettings = field(default_factory=SourcesSettings)
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """(key, value, where it came from) of every setting, in order."""
        for key in KEYS:
            yield key, self.get(key), self.origins.get(key, "default")

    def get(self, key: str) -> Any:
        """The value of `group.name`."""
        group, _, name = key.partition(".")
        return getattr(getattr(self, group), name)

    def changed(self, values: Mapping[str, Any]) -> Settings:
        """The same with other values, by `group.name`; each is checked.

        Raises:
            SettingsError: as `load_settings`.
        """
        groups: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            group, _, name = _known(key, "flag").partition(".")
            groups.setdefault(group, {})[name] = _convert(f"{group}.{name}", value, "flag")
        made = {group: replace(getattr(self, group), **new) for group, new in groups.items()}
        return replace(self, **made, origins={**self.origins, **dict.fromkeys(values, "flag")})


GROUPS: dict[str, type[Any]] = {
    "catalog": CatalogSettings,
    "models": ModelSettings,
    "parse": ParseSettings,
    "passages": PassageSettings,
    "search": SearchSettings,
    "answer": AnswerSettings,
    "language": LanguageSettings,
    "evidence": EvidenceSettings,
    "consensus": ConsensusSettings,
    "agent": AgentSettings,
    "budget": BudgetSettings,
    "sources": SourcesSettings,
}

ALIASES = {"model": "language.model"}
"""Settings that may be written without their group."""


@dataclass(frozen=True, slots=True)
class Key:
    """One setting as the reference shows it."""

    name: str
    type: Any
    default: Any
    doc: str


def _keys() -> dict[str, Key]:
    found = {}
    for group, cls in GROUPS.items():
        hints = get_type_hints(cls, include_extras=True)
        for item in fields(cls):
            name = f"{group}.{item.name}"
            found[name] = Key(name, hints[item.name], item.default, item.metadata["doc"])
    return found


KEYS = _keys()


def default_folder() -> Path:
    """The library's folder where none is named: `CONSPECTUS_LIBRARY`, else in the user's data folder."""
    from platformdirs import user_data_path

    named = os.environ.get("CONSPECTUS_LIBRARY")
    return Path(named).expanduser() if named else user_data_path("conspectus") / "library"


def load_settings(
    folder: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """The settings for the library in `folder`, checked.

    Args:
        folder: the library's folder; None or without a `conspectus.toml`: no file is read.
        flags: `group.name` -> value, from the command line or from Python; text is converted.
        environ: the environment; None: the process's own.

    Raises:
        SettingsError: an unknown key (the nearest right name is given), a wrong type, a value out of bounds.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    layers = [*from_file(folder), *from_environment(os.environ if environ is None else environ)]
    layers += [(key, value, "flag") for key, value in (flags or {}).items()]
    for key, value, origin in layers:
        known = _known(key, origin)
        values[known] = _convert(known, value, origin)
        origins[key] = origin
    groups = {
        group: cls(**{key.split(".")[1]: value for key, value in values.items() if key.startswith(group + ".")})
        for group, cls in GROUPS.items()
    }
    settings = Settings(**groups, origins=origins)
    if settings.passages.overlap >= settings.passages.chars:
        raise SettingsError(
            f"passages.overlap ({settings.passages.overlap}) must be less than passages.chars "
            f"({settings.passages.chars}).",
            "Lower the first or raise the second.",
        )
    _check_address(settings, "parse.grobid_url", "http://localhost:8070")
    _check_address(settings, "sources.crossref_url", "https://api.crossref.org")
    return settings


def _check_address(settings: Settings, key: str, example: str) -> None:
    """Refuses what cannot be the address of a server."""
    if (address := settings.get(key)) and not is_address(address):
        shown = f"***@{address.rpartition('@')[2]}" if "@" in address else address  # what stands before may be secret
        raise SettingsError(f"{key} '{shown}' is not an address.", f"It looks like {example}.")


def _known(key: str, origin: str) -> str:
    key = ALIASES.get(key, key)
    if key not in KEYS:
        raise _unknown(key, origin)
    return key


def _unknown(key: str, origin: str) -> SettingsError:
    near = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.5)
    where = "" if origin == "flag" else f" (in {origin})"
    hint = f"Did you mean '{near[0]}'?" if near else "`conspectus config` lists the settings."
    return SettingsError(f"There is no setting '{key}'{where}.", hint)


def _convert(key: str, value: Any, origin: str) -> Any:
    wanted = KEYS[key].type
    if wanted is Secret:
        return value if isinstance(value, Secret) else Secret(value)
    try:
        return msgspec.convert(value, wanted, strict=not isinstance(value, str))
    except msgspec.ValidationError as error:
        where = "" if origin == "flag" else f" (in {origin})"
        raise SettingsError(
            f"'{key}' cannot be {value!r}{where}: it must be {describe(wanted)}.", f"It means: {KEYS[key].doc}."
        ) from error


def describe(kind: Any) -> str:
    """A setting's type in words: `a whole number, at least 1`."""
    bounds = ""
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(f"`{choice}`" for choice in get_args(kind))
    if get_origin(kind) is Annotated:
        kind, meta = get_args(kind)
        words = {"ge": "at least {}", "gt": "more than {}", "le": "at most {}"}
        bounds = "".join(
            ", " + text.format(getattr(meta, bound))
            for bound, text in words.items()
            if getattr(meta, bound) is not None
        )
    return {int: "a whole number", float: "a number", str: "text", bool: "true or false", Secret: "a secret"}[
        kind
    ] + bounds
