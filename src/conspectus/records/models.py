"""Language models: what they are used for, those that can be connected, and what connecting one came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

OfferKind = Literal["server", "provider", "hub"]


@dataclass(frozen=True, slots=True)
class NeededModel:
    """The model that makes the library's vectors.

    Attributes:
        name: as in `models.embedder`.
        title: as people know it.
        licence: of its weights; "" if it is a service's, or another package's.
        megabytes: to be downloaded once; 0: it need not be.
        is_here: whether it can be used without a download.
    """

    name: str
    title: str
    licence: str
    megabytes: int
    is_here: bool


@dataclass(frozen=True, slots=True)
class StoreModel:
    """A model that can be downloaded into the store.

    Attributes:
        name: what `models fetch` takes.
        title: as people know it.
        licence: of its weights.
        megabytes: to be downloaded.
        there: whether the store has it.
        used: whether the settings name it.
        folder: where the store has it, or would.
    """

    name: str
    title: str
    licence: str
    megabytes: int
    there: bool
    used: bool
    folder: str


@dataclass(frozen=True, slots=True)
class StoreModels:
    """The model store: its folder, and the models that it can have."""

    store: str
    models: tuple[StoreModel, ...]


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """Where a model was downloaded to.

    Attributes:
        name: of the model.
        folder: in the store.
        file: of a language model of the hub, with its `megabytes`, `licence` and `sha256`; "": it has several files.
    """

    name: str
    folder: str
    file: str = ""
    megabytes: int = 0
    licence: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class ModelIntegrity:
    """Whether every file of a model has the bytes that it should have."""

    name: str
    ok: bool = True


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model that can be connected.

    Attributes:
        name: what `models connect` takes.
        label: as its server calls it.
        megabytes: of its file, where it has to be fetched; 0: it need not be.
        licence: as its repository says; "": it does not say, or nothing is fetched.
        is_here: whether its file has been fetched.
    """

    name: str
    label: str
    megabytes: int = 0
    licence: str = ""
    is_here: bool = False


@dataclass(frozen=True, slots=True)
class ModelOffer:
    """A place that has language models.

    Attributes:
        kind: a `server` that runs on this machine, a `provider`, or a repository of files (`hub`).
        name: what `models connect` takes to list its models.
        title: as people know it.
        models: those that it has; none of a provider that was not asked.
        has_key: whether there is a key for it, in the environment or kept.
        variable: the environment variable that its key can be in; "": it needs none.
    """

    kind: OfferKind
    name: str
    title: str
    models: tuple[OfferedModel, ...] = ()
    has_key: bool = False
    variable: str = ""


@dataclass(frozen=True, slots=True)
class RecommendedModel:
    """A small model for people who have none.

    Attributes:
        name: what `models connect` and `models fetch` take.
        title: as people know it.
        megabytes: of its file.
        licence: of its weights.
        memory: GB that the computer should have.
        minutes: that an answer takes, about, on a laptop without a graphics card.
        is_here: whether its file has been fetched.
    """

    name: str
    title: str
    megabytes: int
    licence: str
    memory: int
    minutes: int
    is_here: bool = False


@dataclass(frozen=True, slots=True)
class ModelTitles:
    """What people call language models: name -> `qwen3 (LM Studio)`."""

    titles: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ModelTest:
    """How a model answered a small question, in the form that the program needs.

    Attributes:
        model: its name.
        seconds: what it took.
        prompt_tokens, completion_tokens: what the call took.
        estimated: its server did not count them.
        question_cost: US dollars that a question costs, about; 0: nothing; None: its price is not known.
        context: tokens that prompt and answer may have together; 0: not known.
        advice: what could be better, and how.
    """

    model: str
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    estimated: bool = False
    question_cost: float | None = None
    context: int = 0
    advice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelConnection:
    """What can be connected, or what was.

    Attributes:
        offers: places that have language models.
        tested: the model that was connected; None: none was, or without a test.
        roles: the model that each role has now; "": none.
        key: where a key was kept: `keyring`, or a file; "": none was.
        recommended: small models to fetch, where nothing was named.
    """

    offers: tuple[ModelOffer, ...] = ()
    tested: ModelTest | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    recommended: tuple[RecommendedModel, ...] = ()


Role = Literal["ask", "summarise", "write", "agent", "judge", "vision"]


DeviceName = Literal["auto", "cpu", "cuda", "coreml", "directml"]
