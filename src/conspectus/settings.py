"""One frozen tree of settings: `conspectus.toml` in the library < `CONSPECTUS_*` in the environment < flags.

A key is written `group.name`: in the file as `name = …` under `[group]`, in the environment as
`CONSPECTUS_GROUP_NAME`, on the command line as `--set group.name=…`.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from conspectus.errors import SettingsError
from conspectus.setting_layers import from_environment, from_file
from conspectus.web import is_address

Count = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]
Role = Literal["ask", "summarise", "write", "agent", "judge"]
NO_MODEL = "none"
"""The name that stands for no language model, in settings as empty is."""
"""What language models are used for."""


class Secret(str):
    """A string that does not show itself: keys and passwords."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'" if self else "''"

    __str__ = __repr__

    def reveal(self) -> str:
        """The secret itself, for the one call that needs it."""
        return str.__add__(self, "")


def without_user(address: str) -> str:
    """An address as it may be shown: `***` for the user and the password in it."""
    return re.sub(r"(?<=//)[^#]*@", "***@", address)


def _doc(text: str, default: Any) -> Any:
    return field(default=default, metadata={"doc": text})


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSettings:
    """Where the catalog is: in the library's folder, or in a PostgreSQL database that a group shares."""

    url: Secret = _doc(
        "`postgresql://USER@HOST/DATABASE` of a catalog for a group; empty: SQLite in the library's folder", Secret()
    )
    schema: str = _doc("the schema in that database; each is a library of its own", "conspectus")
    wait: Seconds = _doc("seconds to wait while another process writes", 3600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Which models are used, and where they are kept."""

    embedder: str = _doc(
        "`minilm` (local), `openai:NAME`, `ollama:NAME`, or `URL#NAME` of an OpenAI-compatible server", "minilm"
    )
    store: str = _doc("folder of the model store; empty: the user's cache folder", "")
    api_key: Secret = _doc("key for the embedding service; empty: `OPENAI_API_KEY`, where `openai:` is used", Secret())
    threads: Natural = _doc("threads that embed; 0: as many as there are processors", 0)
    timeout: Seconds = _doc("seconds to wait for an embedding service", 60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseSettings:
    """Limits of the child processes that read files."""

    workers: Natural = _doc("processes that read files; 0: as many as there are processors, at most 8", 0)
    timeout: Seconds = _doc("seconds that one file may take", 120.0)
    memory: Annotated[int, msgspec.Meta(ge=100)] = _doc("MB of memory that reading one file may take", 2000)
    grobid_url: str = _doc("address of a GROBID server that reads PDFs; empty: they are read here", "")
    grobid_away: Literal["fail", "wait", "embedded"] = _doc(
        "when it does not answer: its files fail, are waited for, or are read by the embedded reader", "fail"
    )
    grobid_wait: Seconds = _doc("seconds to wait, at most, for a GROBID server that is busy or away", 300.0)
    ocr: Literal["no", "auto"] = _doc(
        "recognise text in PDF pages that are pictures, such as scans (needs `pip install 'conspectus[ocr]'`): `no`, "
        "or `auto`: in pages without a text layer",
        "no",
    )
    linked: bool = _doc("add the files that records name as the same paper (BibTeX `file`, RIS `L1`)", True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageSettings:
    """How papers are cut into passages (S2)."""

    chars: Annotated[int, msgspec.Meta(ge=200, le=20000)] = _doc("characters in a passage, about", 1400)
    overlap: Annotated[int, msgspec.Meta(ge=0, le=10000)] = _doc(
        "characters shared by neighbouring passages, about", 280
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How passages are found and ranked."""

    k: Count = _doc("papers that a search returns", 10)
    candidates: Annotated[int, msgspec.Meta(ge=1, le=10000)] = _doc(
        "passages taken from full text and from vectors, each, before fusion", 50
    )
    dense_weight: Fraction = _doc("weight of vector similarity in the fusion; full text has the rest", 0.7)
    rerank: Annotated[int, msgspec.Meta(ge=0, le=1000)] = _doc(
        "best passages re-ranked by late interaction; 0: none", 30
    )
    rerank_weight: Fraction = _doc("weight of late interaction among those; fusion has the rest", 0.3)
    use: Literal["raw", "summary", "both"] = _doc(
        "what is searched: papers' own passages (`raw`), what `summarise` made of them (`summary`), or `both`",
        "raw",
    )
    outlier_gamma: Annotated[float, msgspec.Meta(ge=-2, le=2)] = _doc(
        "outliers are farther from the centroid of the others found than D95 less this; more: more outliers", -0.05
    )
    outlier_cut: Literal["midway", "published"] = _doc(
        "that limit itself (`published`, with gamma 0.1), or halfway from it to the set's median (`midway`)", "midway"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """How `ask` quotes."""

    threshold: Fraction = _doc("support below which nothing is said to answer; see docs/answering.md", 0.6)
    statements: Count = _doc("sentences quoted, at most", 5)
    per_paper: Count = _doc("sentences quoted from one paper, at most", 2)
    passages: Count = _doc("passages whose sentences are considered", 12)


def set_name(name: str) -> str:
    """The name of a language model as a setting gives it; "" for `none`, too."""
    return "" if name.strip() == NO_MODEL else name


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageSettings:
    """Which language models answer, and within what limits."""

    model: str = _doc(
        "the language model, also written `model`: `openai:NAME`, `anthropic:NAME`, `google:NAME`, `ollama:NAME`, the "
        "URL of an OpenAI-compatible server (`URL#NAME` to name its model), or `local:FILE.gguf`; empty: answers are "
        "made of quotes",
        "",
    )
    ask: str = _doc("the model that rewrites questions and tells background; empty: `language.model`", "")
    summarise: str = _doc("the model that reads passages; empty: `language.model`", "")
    write: str = _doc("the model that writes answers; empty: `language.model`", "")
    agent: str = _doc("the model that chooses what to do next; empty: `language.model`", "")
    judge: str = _doc("the model that judges whether sentences support a statement; empty: `language.model`", "")
    api_key: Secret = _doc(
        "key for the service; empty: the provider's own variable, such as `OPENAI_API_KEY`", Secret()
    )
    timeout: Seconds = _doc("seconds to wait for an answer", 120.0)
    concurrency: Count = _doc("calls at a time, for each provider", 10)
    requests_per_minute: Natural = _doc("calls begun in a minute, for each provider; 0: no limit", 0)
    tokens_per_minute: Natural = _doc("tokens sent in a minute, for each provider, about; 0: no limit", 0)
    max_tokens: Count = _doc("tokens of one answer, at most", 4000)
    context: Natural = _doc("tokens that a prompt and its answer may have together; 0: as the model is known to", 0)
    threads: Natural = _doc("threads that a model in a file computes with; 0: as many as there are processors", 0)
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = _doc("how freely words are chosen", 0.0)
    cache: bool = _doc("keep what models answered in the library, and do not ask the same again", True)

    def of(self, role: Role) -> str:
        """The name of the model for a role; "" where none is set. The name `none` is as empty."""
        own: str = getattr(self, role)
        return set_name(own) or set_name(self.model)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """How passages are read for an answer that a language model writes (P3)."""

    read: Count = _doc("passages read for a question", 20)
    keep: Count = _doc("pieces of evidence an answer is written from, at most", 8)
    per_paper: Count = _doc("pieces of evidence from one paper, at most", 3)
    least: Annotated[int, msgspec.Meta(ge=0, le=10)] = _doc("relevance (0 to 10) below which a passage is left out", 3)
    phrasings: Natural = _doc("other phrasings of the question to search by", 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusSettings:
    """How many papers are asked for their stance on a claim (F10)."""

    papers: Count = _doc("papers whose stance is told", 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """When an agent (`--agent`) has done enough (P6)."""

    steps: Count = _doc("calls of tools, at most", 12)
    pieces: Count = _doc("pieces of evidence that are enough to answer", 5)
    papers: Count = _doc("papers that they have to come from; fewer where there are fewer", 2)
    idle: Count = _doc("turns in a row without new evidence after which it has to answer", 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """What one answer may take; then it ends with what it has. 0: no limit."""

    cost: Annotated[float, msgspec.Meta(ge=0)] = _doc("US dollars, where the price is known", 0.0)
    tokens: Natural = _doc("tokens of prompts and answers", 0)
    seconds: Annotated[float, msgspec.Meta(ge=0)] = _doc("seconds", 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesSettings:
    """Services that know publications. Nothing is asked of them unless `online` says so."""

    online: Literal["no", "yes"] = _doc("look references up at the service at `crossref_url`: `no` or `yes`", "no")
    crossref_url: str = _doc("address of Crossref, or of a service that answers as it does", "https://api.crossref.org")
    mailto: str = _doc("your e-mail address, told to the service, which then serves you better; empty: not told", "")
    timeout: Seconds = _doc("seconds to wait for such a service", 30.0)


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
