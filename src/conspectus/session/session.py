"""A library that is open, as each of its verbs is given it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from conspectus.core.errors import (
    BusyError,
    ConspectusError,
    LibraryDamagedError,
    LibraryError,
    ModelMismatchError,
    NotFoundError,
    UsageError,
    closed,
)
from conspectus.core.job_context import wait_timeout
from conspectus.core.text import line
from conspectus.index import protocol
from conspectus.llm.call_cache import LibraryCallCache, caching_client
from conspectus.llm.client import LlmClient
from conspectus.llm.event_loop import AnswerLoop
from conspectus.llm.prompts import Prompts
from conspectus.parse.text.identifiers import identify
from conspectus.records import Paper
from conspectus.settings import Settings, explain_ignored
from conspectus.settings.user_folders import prompts_folder
from conspectus.store.catalog import Catalog
from conspectus.store.lock import sharing_lock, writer_lock

if TYPE_CHECKING:
    from conspectus.index.protocol import SearchIndex
    from conspectus.ingest.paper_store import PaperStore
    from conspectus.llm.client import RoleModels
    from conspectus.models.language import LanguageModel
    from conspectus.models.languages.registry import LanguageModels
    from conspectus.models.protocol import Embedder, Encoder, Reranker
    from conspectus.records import Use
    from conspectus.search.retriever import Retriever
    from conspectus.store.rows import StoredDocument

T = TypeVar("T")
_PART, _ALIKE = 4, 3
"""Characters of a title that papers are looked for by where none is called so; so many of these are named."""
_KEPT = 16
"""Things of one kind that are held."""
NAMED = 10_000
"""Names of papers that are looked up one by one."""
_WORDS_LEFT = (
    "The papers are removed, but their words may still be in the library's files. When the disk has room and no other "
    "process writes to it, run `library reindex` to erase them."
)


class MakeRetriever(Protocol):
    """Builds what searches a library from parts of several rooms; see `Session.retriever`."""

    def __call__(self, session: Session, use: Use | Literal[""], prefer: Sequence[str], *, reranked: bool) -> Retriever:
        """Build it."""
        ...


@dataclass(frozen=True, slots=True)
class InjectedParts:
    """LazyResources of a library that are put in from outside; whoever made them closes them.

    Attributes:
        embedder: instead of the one that `models.embedder` names.
        index: instead of the one in the library's folder.
        models: language models by the names that the settings `language.*` have for them.
        rerankers: by the names that `search.reranker` has for them.
        encoder: of pictures, instead of the one that `models.encoder` names.
    """

    embedder: Embedder | None = None
    index: SearchIndex | None = None
    models: Mapping[str, LanguageModel] = field(default_factory=dict)
    rerankers: Mapping[str, Reranker] = field(default_factory=dict)
    encoder: Encoder | None = None

    def __post_init__(self) -> None:
        for name in ("models", "rerankers"):
            if not isinstance(mapping := getattr(self, name), Mapping):
                raise UsageError(
                    f"`{name}` is of the type {type(mapping).__name__}, and has to give each of them a name.",
                    f'Library(…, {name}={{"NAME": …}}), with the names that the settings have for them.',
                )


SEARCHES = 2
"""At one time. Eight at once take half as much processor time again, each (`benchmarks/serving.py`)."""


class LruCache:
    """The last things that were asked for, by names that tell when they are no longer true."""

    def __init__(self) -> None:
        self._values: dict[tuple[Any, ...], Any] = {}
        self._changing = threading.Lock()

    def of(self, make: Callable[[], T], *name: Any, most: int = _KEPT) -> T:
        """What has this name, made where it is not there; `most` things are kept."""
        with self._changing:
            if name in self._values:
                value: T = self._values.pop(name)
                self._values[name] = value
                return value
        new_value = make()
        with self._changing:
            self._values[name] = new_value
            while len(self._values) > most:
                del self._values[next(iter(self._values))]
        return new_value


class LazyResources:
    """What of a library is made when it is first asked for: once, whichever thread asks.

    Attributes:
        preparing: held while the index is brought up to date.
        searching: a turn of each search; threads that all compute take the interpreter from each other at every row.
        is_closed: whether the library is.
    """

    def __init__(self) -> None:
        self.preparing = threading.Lock()
        self.searching = threading.BoundedSemaphore(SEARCHES)
        self.is_closed = False
        self._making = threading.RLock()
        self._resources: dict[tuple[object, ...], Any] = {}

    def of(self, make: Callable[[], T], *name: object) -> T:
        """The part of this name (what kind of part, and which of them), made by `make` where there is none.

        Raises:
            UsageError: the library is closed.
        """
        with self._making:
            if self.is_closed:
                raise closed()
            if name not in self._resources:
                self._resources[name] = make()
            part: T = self._resources[name]
            return part

    def get_cached(self, kind: str, make: Callable[[], T], *name: Any, most: int = _KEPT) -> T:
        """What has this name among the last things of a kind, `most` of them; made where it is not there."""
        cache: LruCache = self.of(LruCache, kind)
        return cache.of(make, *name, most=most)

    def close(self) -> None:
        """End what is being asked, and give back what was made; what was paid for is kept."""
        with self._making:
            self.is_closed = True
            parts = dict(self._resources)
        models: list[LanguageModels] = [part for (kind, *_), part in parts.items() if kind == "models"]

        async def close_models() -> None:
            for model in models:
                await model.close()

        try:
            if (loop := parts.get(("loop",))) is not None:
                loop.close(close_models)
        finally:
            if (index := parts.get(("index",))) is not None:  # one without rows may count as false
                index.close()


@dataclass(frozen=True, slots=True)
class Session:
    """A library that is open. What takes time to open is opened when it is first asked for.

    Attributes:
        folder: where it lies.
        settings: those of the library, or of one search.
        catalog: its source of truth.
        make_retriever: see `retriever`.
        injected: parts that were put in from outside.
        parts: those that are made when they are first asked for.
    """

    folder: Path
    settings: Settings
    catalog: Catalog
    make_retriever: MakeRetriever
    injected: InjectedParts = field(default_factory=InjectedParts)
    parts: LazyResources = field(default_factory=LazyResources)

    @property
    def index(self) -> SearchIndex:
        """What is searched; it may be behind the catalog."""
        from conspectus.index.registry import engine
        from conspectus.ingest.index_follower import IndexFollower
        from conspectus.store.followers import set_follower

        place = self.folder / self.catalog.store.index_name
        trusted = self.settings.index.foreign == "open"
        given_index = self.injected.index  # an engine without rows may count as false

        def make() -> SearchIndex:
            new_index = engine(self.settings.index.engine, place, self.catalog, trusted=trusted)
            if isinstance(new_index, protocol.InCatalog):
                set_follower(self.catalog.engine, IndexFollower(self.catalog, new_index))
            return new_index

        return self.parts.of(make, "index") if given_index is None else given_index

    @property
    def embedder(self) -> Embedder:
        """What makes vectors of texts and of questions: of the model that the library is searched by.

        In the first pass that is the static one, until all passages have vectors of `chosen_embedder`.
        """
        return self.static_embedder if self.is_first_pass() else self.chosen_embedder

    @property
    def static_embedder(self) -> Embedder:
        """What makes the vectors of the first pass."""
        from conspectus.models import registry

        return self.parts.of(lambda: registry.make_static(self.settings.models), "static embedder")

    @property
    def chosen_embedder(self) -> Embedder:
        """The one that `models.embedder` names."""
        from conspectus.models.registry import make_embedder
        from conspectus.models.wrappers import ValidatingEmbedder

        given_embedder = self.injected.embedder
        make = (
            partial(make_embedder, self.settings.models)
            if given_embedder is None
            else partial(ValidatingEmbedder, given_embedder)
        )
        return self.parts.of(make, "embedder")

    def is_first_pass(self) -> bool:
        """Whether the library is searched by static vectors until those of another model are computed."""
        from conspectus.models.static import STATIC

        model_ids = self.catalog.model_ids()
        known = STATIC in model_ids and self._searched_of(model_ids) == STATIC
        return known and self.chosen_embedder.id != STATIC

    def searched_model(self) -> str:
        """The id of the model by whose vectors the library is searched: the index's, if the catalog has some of it."""
        return self._searched_of(self.catalog.model_ids())

    def _searched_of(self, model_ids: Sequence[str]) -> str:
        if len(model_ids) > 1:
            if (model := self.index.stats().model) in model_ids:
                return model
            counts = self.catalog.model_counts()
            return max(counts, key=lambda name: counts[name], default=model_ids[0])
        return model_ids[0] if model_ids else self.index.stats().model

    @property
    def encoder(self) -> Encoder:
        """What makes vectors of pictures."""
        from conspectus.models.registry import make_encoder
        from conspectus.models.wrappers import ValidatingEncoder

        given_encoder = self.injected.encoder
        make = (
            partial(make_encoder, self.settings.models)
            if given_encoder is None
            else partial(ValidatingEncoder, given_encoder)
        )
        return self.parts.of(make, "encoder")

    @property
    def models(self) -> LanguageModels:
        """The language models that the settings name."""
        from conspectus.models.languages.registry import LanguageModels

        language = self.settings.language
        return self.parts.of(partial(LanguageModels, language, self.injected.models), "models", language)

    @property
    def prompts(self) -> Prompts:
        """What language models are asked; the user's own prompts replace the built-in ones."""
        return self.parts.of(partial(Prompts, prompts_folder()), "prompts")

    @property
    def loop(self) -> AnswerLoop:
        """Where language models are asked: an event loop in a thread of its own."""
        return self.parts.of(AnswerLoop, "loop")

    def retriever(self, use: Use | Literal[""] = "", prefer: Sequence[str] = (), *, reranked: bool = True) -> Retriever:
        """What searches the library; its index is brought up to date first.

        Args:
            use: instead of the setting `search.use`.
            prefer: keywords that papers are preferred for.
            reranked: whether the reranker that is set is needed.

        Raises:
            UsageError: there is no such `use`.
        """
        return self.make_retriever(self, use, prefer, reranked=reranked)

    def paper_store(self) -> PaperStore:
        """What writes papers to the catalog, cut as the settings say."""
        from conspectus.ingest.paper_store import PaperStore

        return PaperStore.of(self.catalog, self.embedder, self.settings.passages)

    def with_settings(self, values: Mapping[str, Any]) -> Session:
        """The same with other settings of the groups `search`, `language` and `budget`.

        Raises:
            SettingsError: one that there is not, or a value that it cannot have.
        """
        return replace(self, settings=self.settings.with_values(values)) if values else self

    def role_models(self, model: str = "") -> RoleModels:
        """The language models of the settings, or `model` for all roles."""
        from conspectus.llm.client import RoleModels

        return RoleModels(self.models, model)

    def caller(self, model: str = "", *, fresh: bool = False) -> tuple[LlmClient, LibraryCallCache]:
        """What asks language models paper by paper, and what keeps what they say, which is to be finished."""
        settings, cache = self.settings, LibraryCallCache(self.catalog, "")
        return LlmClient(
            self.role_models(model), self.prompts, cache, settings.language, settings.budget, fresh=fresh
        ), cache

    def client(self, model: str = "", *, fresh: bool = False) -> AbstractAsyncContextManager[LlmClient]:
        """What asks language models for other things than answers; see `llm.call_cache.caching_client`."""
        return caching_client(self.catalog, self.role_models(model), self.prompts, self.settings, fresh=fresh)

    def paper(self, name: str, *, suggest: bool = True) -> Paper:
        """See `Library.paper`; `suggest`: look through all titles for what may be meant, too slow for many names."""
        papers = self.catalog.find_papers(name) or self.catalog.find_papers(identify(name)[1])
        if not papers:
            alike = self.catalog.titled_with(name, _ALIKE) if suggest and len(name) >= _PART else []
            meant = " or ".join(f"'{line(title)}' ({paper_id})" for paper_id, title in alike)
            remedy = f"Did you mean {meant}?" if meant else "`list` shows the papers."
            raise NotFoundError(f"There is no paper '{name}' in the library.", remedy)
        if len(papers) > 1:
            first_ids = ", ".join(paper.id for paper in papers[:5])
            raise NotFoundError(f"'{name}' can mean {len(papers)} papers: {first_ids}.", "Use one of these ids.")
        return papers[0]

    def paper_ids(self, names: Sequence[str]) -> set[str]:
        """The ids of papers called so: ids, of which there may be many, and up to `NAMED` other names.

        Raises:
            NotFoundError: no paper, or more than one, is called so.
            UsageError: there are more names.
        """
        distinct_names = list(dict.fromkeys(names))
        known = self.catalog.keys_of(distinct_names)
        others = [name for name in distinct_names if name not in known]
        if len(others) > NAMED:
            raise UsageError(
                f"{len(others)} names are no ids of papers, and at most {NAMED} such can be looked up.",
                "Give the papers' ids, as `list` shows them.",
            )
        return {*known, *(self.paper(name).id for name in others)}

    def documents(self, paper: Paper) -> list[StoredDocument]:
        """What was read of the paper's files."""
        return self.catalog.documents_of_one(self.catalog.paper_key(paper.id))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """The writer lock; a wait for it is told. Drawings of what was removed meanwhile go with it."""
        from conspectus.session.render_cache import sweep_render_cache

        with writer_lock(self.catalog, self.folder, min(self.settings.catalog.wait, wait_timeout.get())):
            self._have_followed()
            try:
                yield
            finally:
                with suppress(ConspectusError):  # what hinders it is told by what failed before
                    sweep_render_cache(self)

    @contextmanager
    def share_lock(self, *, checked: bool = True) -> Iterator[Callable[[], AbstractContextManager[None]]]:
        """For a run that writes beside others: what holds the writer lock for one commit.

        Args:
            checked: whether each commit makes sure that the model still fits.
        """
        with sharing_lock(self.catalog, self.folder, min(self.settings.catalog.wait, wait_timeout.get())) as hold:
            self._have_followed()

            @contextmanager
            def hold_checked() -> Iterator[None]:
                with hold() as is_outermost:
                    if checked and is_outermost:
                        self.check_model()
                    yield

            yield hold_checked

    def _have_followed(self) -> None:
        """Have an index in the catalog's own database follow each commit from now on."""
        if self.settings.index.engine == "postgres":
            assert self.index is not None

    def follow(self) -> None:
        """Bring the index up to the catalog, with vectors of the model that the library has."""
        from conspectus.ingest.index_sync import sync

        sync(self.catalog, self.index, self.searched_model())

    def forget_removed(self) -> None:
        """Bring the index up to the catalog after a removal, and overwrite what the removed papers left in the files.

        The catalog's file is rewritten whenever the index was: at once in a library of up to 5,000 passages, in a
        larger one when one passage in twenty was taken out, or by `library reindex`.

        Raises:
            LibraryError: the disk is full, for one; the papers are removed nonetheless.
            BusyError: another process holds the file; the same.
        """
        try:
            self.follow()
            if not protocol.dead(self.index):
                self.catalog.erase_deleted()
        except (BusyError, LibraryError) as error:
            if not isinstance(error, LibraryDamagedError):
                error.hint = _WORDS_LEFT
            raise

    def own_index(self) -> SearchIndex:
        """The index, for what searches it as it is; one that was written elsewhere is rebuilt first."""
        from conspectus.ingest.index_sync import catch_up

        if protocol.is_foreign(self.index) and self.catalog.model_ids():
            catch_up(self.catalog, self.index, self.searched_model(), self.folder)
        return self.index

    def check_model(self) -> None:
        """See that new vectors can be compared with those that the library is searched by.

        Vectors of another model may be there beside them: `library reindex` is computing these.

        Raises:
            ModelMismatchError: they are of another model.
        """
        from conspectus.models.static import STATIC  # whose vectors stand until those of the other are computed

        model_ids = self.catalog.model_ids()
        if model_ids and (model := self._searched_of(model_ids)) not in (STATIC, self.chosen_embedder.id):
            message = f"The library's vectors are of {model}, but models.embedder is {self.chosen_embedder.id}."
            remedies = ["Compute them again: `library reindex`. Or set models.embedder back."]
            if "models.embedder" in self.settings.ignored:
                remedies.append(" ".join(explain_ignored(self.settings)))
            raise ModelMismatchError(message, " ".join(remedies))

    def close(self) -> None:
        """Give everything back; again, and nothing happens."""
        try:
            self.parts.close()
        finally:
            self.catalog.close()
