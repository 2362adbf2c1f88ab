"""The facade: one object, thin, the same verbs everywhere."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from contextlib import aclosing
from functools import partial, wraps
from inspect import iscoroutinefunction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack
from weakref import WeakSet

from conspectus.consensus.verbs import ConsensusVerbs
from conspectus.core.errors import ConspectusError, UsageError
from conspectus.export.figures import export_figures
from conspectus.faces.declare import VerbGroup
from conspectus.figures import page_images
from conspectus.hypotheses.verbs import HypothesisVerbs
from conspectus.ingest.paper_merge import merge
from conspectus.library import (
    history,
    paper_changes,
    questions,
    zotero_exchange,
)
from conspectus.library.add_verbs import AddVerbs
from conspectus.library.library_folder import opened, settings_session
from conspectus.library.questions import AskKeywords
from conspectus.library.show_verbs import ShowVerbs
from conspectus.library.verbs import CareVerbs
from conspectus.papers import paper_text
from conspectus.papers.change_verbs import ChangeVerbs
from conspectus.papers.search_verbs import SearchVerbs
from conspectus.papers.verbs import PaperVerbs
from conspectus.records import (
    Answer,
    Filters,
    Paper,
    PaperDocument,
    ParsedPaper,
)
from conspectus.records.events import Event, Progress
from conspectus.references.verbs import ReferenceVerbs
from conspectus.session.jobs import Job
from conspectus.session.session import InjectedParts, Session
from conspectus.settings import Settings
from conspectus.summaries.verbs import SummaryVerbs

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.core.output import Output
    from conspectus.curation.highlight_verbs import HighlightVerbs
    from conspectus.curation.verbs import CollectionVerbs
    from conspectus.directions.verbs import DirectionVerbs
    from conspectus.figures.verbs import FigureVerbs
    from conspectus.graph.verbs import GraphVerbs
    from conspectus.graph.vocabularies.verbs import VocabularyVerbs
    from conspectus.images.verbs import ImageVerbs
    from conspectus.index.protocol import SearchIndex
    from conspectus.library.answer_verbs import AnswerVerbs
    from conspectus.library.model_verbs import ModelVerbs
    from conspectus.library.verbs import SampleVerbs
    from conspectus.llm.prompts import Prompts
    from conspectus.map.verbs import MapVerbs
    from conspectus.models.language import LanguageModel
    from conspectus.models.protocol import Embedder, Encoder, Reranker
    from conspectus.review.verbs import ReviewVerbs
    from conspectus.sources.verbs import SourceVerbs
    from conspectus.zotero.verbs import ZoteroVerbs


P = ParamSpec("P")
T = TypeVar("T")


def verb(function: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[Library, P], T]:
    """A method that gives `function` the library's session; its name, docstring and signature are the function's."""

    @wraps(function)
    def method(library: Library, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(library.session, *args, **kwargs)

    return method


ProgressCallback = Callable[[Progress], None]
LET_GO = 5.0
"""Seconds to wait, when the library is closed, for each job to end."""
STREAMS = ("aask", "stream", "events", "watch")
"""Verbs that give what comes, one after the other, and are no jobs."""


class Library(
    PaperVerbs,
    ShowVerbs,
    AddVerbs,
    ChangeVerbs,
    SearchVerbs,
    ConsensusVerbs,
    SummaryVerbs,
    ReferenceVerbs,
    HypothesisVerbs,
    CareVerbs,
):
    """A library of papers in one folder; a context manager.

    What is put in (`embedder`, `index`, `models`, `rerankers`, `encoder`) is not closed with the library.

    Args:
        folder: opened, or made where it is not there; None: `default_folder()`.
        settings: checked settings, or `{"group.name": value}` that goes before the library's file and the environment.
        create: whether a catalog is made where there is none.
        embedder: what makes vectors of texts, instead of the one that `models.embedder` names.
        index: what is searched, instead of the index in the folder.
        models: language models, by the names that the settings `language.*` have for them.
        rerankers: by the names that `search.reranker` has for them.
        encoder: what makes vectors of pictures, instead of the one that `models.encoder` names.

    Raises:
        NotFoundError: there is no catalog, and `create` is False.
        LibraryError: the folder cannot be made or used, or a newer Conspectus wrote it.
        SettingsError: an unknown setting or a value out of bounds.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        create: bool = True,
        embedder: Embedder | None = None,
        index: SearchIndex | None = None,
        models: Mapping[str, LanguageModel] | None = None,
        rerankers: Mapping[str, Reranker] | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self._jobs: WeakSet[Job[Any]] = WeakSet()
        self._session = opened(
            folder, settings, InjectedParts(embedder, index, models or {}, rerankers or {}, encoder), create=create
        )

    @classmethod
    def of_settings(cls, folder: str | os.PathLike[str], settings: Settings) -> Self:
        """A library that is not opened, and need not exist: verbs that use its settings alone work."""
        library = cls.__new__(cls)
        library._jobs, library._session = WeakSet(), settings_session(folder, settings)
        return library

    @property
    def owner(self) -> Self:
        """Itself."""
        return self

    @property
    def session(self) -> Session:
        """The open library, as its verbs see it: catalog, index, embedder, models, prompts, event loop, settings."""
        return self._session

    def replace_session(self, session: Session) -> None:
        """Go on with other settings."""
        self._session = session

    @property
    def folder(self) -> Path:
        """Where the library lies."""
        return self.session.folder

    @property
    def settings(self) -> Settings:
        """The settings that hold."""
        return self.session.settings

    def close(self) -> None:
        """Give everything back; closing again does nothing. What is being asked ends, and what was paid is kept."""
        jobs = list(self._jobs)
        for job in jobs:
            job.cancel()
        for job in jobs:
            job.wait(LET_GO)
        self.session.close()

    def begin(self, verb: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Job[T]:
        """A verb of this library as a job, in a thread of its own: `library.begin(library.add, "papers/")`.

        What it emits (`core.job_context`) are the job's events; it is cancelled from any thread, and when the library
        is closed.

        Args:
            verb: or another function, which may use the library: `library.begin(evaluate_self, library.folder, …)`.
                What a generator gives are events as they come (`Part`); then the result is a list of all.
            args: what it is given, as `kwargs`.

        Raises:
            UsageError: it is a verb of another library, or one that gives what comes (`events`, `watch`).
        """
        function = verb.func if isinstance(verb, partial) else verb
        name, of = getattr(function, "__name__", type(function).__name__), getattr(function, "__self__", None)
        if isinstance(of, VerbGroup) and of.group:
            name = f"{of.group}.{name}"
        if (isinstance(of, Library) and (of is not self or name in STREAMS)) or iscoroutinefunction(function):
            raise UsageError(f"'{name}' cannot be a job.", "Give a verb: library.begin(library.add, FILES).")
        job = Job(name, partial(verb, *args, **kwargs))
        self._jobs.add(job)
        return job

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        """`Library('/home/ada/papers', 24 papers, 78 passages)`, or why that cannot be said."""
        if "_session" not in self.__dict__:  # it could not be opened
            return super().__repr__()
        try:
            counts = {} if self.session.parts.is_closed else self.counts()
            status = f"{counts['papers']} papers, {counts['passages']} passages" if counts else "closed"
        except ConspectusError as error:
            status = error.message
        return f"{type(self).__name__}({str(self.folder)!r}, {status})"

    # adding

    watch = verb(paper_changes.watch)

    # looking

    def documents(self, name: str) -> tuple[PaperDocument, ...]:
        """What a paper is made of: what its files say of it, in the order of their paths, and why it is one paper."""
        from conspectus.ingest.corrections import described

        return described(self.session.documents(self.paper(name)))

    def versions(self, name: str) -> tuple[Paper, ...]:
        """Papers of the library that are other versions of the same work, such as its preprint, with their own DOI."""
        from conspectus.ingest.corrections import find_versions

        return find_versions(self.session.catalog, self.paper(name))

    def parsed(self, name: str) -> ParsedPaper:
        """A paper's structure: headings, paragraphs, captions, footnotes, figures and references; by any of its names.

        Of a paper of several files it is that of the one whose text is searched.
        """
        return merge(self.session.documents(self.paper(name)))

    citation = verb(page_images.citation)

    def open(self, span_id: str | Sequence[str], scale: float = 2.0, page: int | None = None) -> Image:
        """The page of a citation as a picture, with the sentence highlighted.

        Args:
            span_id: as for `citation`; of several sentences of one paper, those on the page are lit up.
            scale: pixels per point.
            page: where they stand on several pages, which of them (from 1); None: the one that the first begins on.

        Raises:
            NotFoundError: no such sentence, or its file is no longer there or has other bytes.
            InputError: the source has no pages (a record, Markdown).
            UsageError: the sentence does not stand on that page; no sentence, or sentences of several papers.
        """
        return page_images.of_sentences(self.session, [span_id] if isinstance(span_id, str) else span_id, scale, page)

    page = verb(page_images.page)
    find = verb(paper_text.find)
    inspect = verb(page_images.inspect)

    def export(
        self,
        to: str,
        output: Output,
        papers: Sequence[str] = (),
        filters: Filters | None = None,
        *,
        files: bool | None = None,
        vectors: bool = False,
    ) -> int:
        """Write papers (by any names; none: all) that pass the filters as a bibliography; returns how many.

        Args:
            to: `bibtex`, `ris`, `csl`, `csv` or `jsonl`; the last keeps all that is known of a paper. `apa`,
                `vancouver`, `ieee`, `nature`, `chicago` or `style:NAME`: formatted references. `library`:
                everything, as JSON Lines (the ledger, papers, what was read of their files, passages).
            output: a file, which is replaced when all is written, or anything with `write(text)`.
            files: whether the papers' own files are named; None: in `jsonl` only. `library` always names them.
            vectors: with `library`, whether the passages' vectors are written too.

        Raises:
            NotFoundError: a name that no paper has.
            UsageError: no such format, an option that it does not have, the file cannot be written, or more than 10,000
                names that are no ids.
        """
        from conspectus.export.write import export

        ids = self.session.paper_ids(papers) if papers else None
        return export(self.session.catalog, to, output, ids, filters, files, vectors)

    export_to_zotero = verb(zotero_exchange.export_to_zotero)
    export_figures = verb(export_figures)

    # finding

    @property
    def figures(self) -> FigureVerbs:
        """Figures and tables of papers, found by words or by what they look like."""
        from conspectus.figures.verbs import FigureVerbs

        return FigureVerbs(self)

    @property
    def images(self) -> ImageVerbs:
        """Collections of images of any kind."""
        from conspectus.images.verbs import ImageVerbs
        from conspectus.library.wing_sources import image_sources

        return ImageVerbs(self, image_sources(self.session))

    @property
    def graph(self) -> GraphVerbs:
        """Entities that papers mention, and what connects them."""
        from conspectus.graph.verbs import GraphVerbs

        return GraphVerbs(self)

    @property
    def vocabularies(self) -> VocabularyVerbs:
        """Vocabularies, their concepts, and which names papers are searched for."""
        from conspectus.graph.vocabularies.verbs import VocabularyVerbs

        return VocabularyVerbs(self)

    @property
    def map(self) -> MapVerbs:
        """Map of the library: regions of papers with similar meaning."""
        from conspectus.library.wing_sources import map_sources
        from conspectus.map.verbs import MapVerbs

        return MapVerbs(self, map_sources(self))

    @property
    def directions(self) -> DirectionVerbs:
        """Directions of the vectors: what they mean, why texts are near, and what differs."""
        from conspectus.directions.verbs import DirectionVerbs
        from conspectus.library.wing_sources import direction_sources

        return DirectionVerbs(self, direction_sources(self.session))

    @property
    def sources(self) -> SourceVerbs:
        """Find, add and follow papers online, and complete their metadata."""
        from conspectus.sources.verbs import SourceVerbs

        return SourceVerbs(self)

    @property
    def zotero(self) -> ZoteroVerbs:
        """Import from Zotero, and write to it."""
        from conspectus.zotero.verbs import ZoteroVerbs

        return ZoteroVerbs(self)

    @property
    def review(self) -> ReviewVerbs:
        """Rank, classify, screen, tabulate and report papers."""
        from conspectus.review.verbs import ReviewVerbs

        return ReviewVerbs(self)

    # asking

    def ask(self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]) -> Answer:
        """An answer whose every statement is cited, or the reason why there is none.

        With a language model (`language.model` in the settings, or `model` here) it is written from evidence that the
        model gathers; without one it is made of quoted sentences. `options` are those of `AskOptions`. The answer is
        kept in the library under its `id`.

        Raises:
            UsageError: an empty question, an option that does not exist or needs a model where there is none, or the
                library is closed.
            SettingsError: a model's name that has no known form.
            ServiceError: the model cannot be asked, or gives nothing that can be used. What was read is kept.
        """
        *_, done = self.events(question, filters, **options)
        return questions.answer_of(done)

    async def aask(self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]) -> Answer:
        """`ask`, without blocking the event loop."""
        done: Event | None = None
        async for event in self.stream(question, filters, **options):
            done = event
        return questions.answer_of(done)

    def events(
        self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]
    ) -> Generator[Event, None, None]:
        """`ask` as typed events, as they come (`conspectus.records.events`); `Done` with the answer is the last."""
        return self.session.loop.events(questions.job(self.session, question, filters, options))

    async def stream(
        self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]
    ) -> AsyncIterator[Event]:
        """`events` for an event loop: `async for event in library.stream(question)`."""
        events = self.session.loop.aevents(questions.job(self.session, question, filters, options))
        async with aclosing(events):
            async for event in events:
                yield event

    @property
    def samples(self) -> SampleVerbs:
        """Sample papers to try the program with."""
        from conspectus.library.verbs import SampleVerbs

        return SampleVerbs(self)

    # what was asked

    @property
    def answers(self) -> AnswerVerbs:
        """Answers and conversations that the library keeps."""
        from conspectus.library.answer_verbs import AnswerVerbs

        return AnswerVerbs(self)

    export_answer = verb(history.export_answer)

    @property
    def models(self) -> ModelVerbs:
        """Connect language models."""
        from conspectus.library.model_verbs import ModelVerbs

        return ModelVerbs(self)

    @property
    def prompts(self) -> Prompts:
        """What is asked of language models: an iterable of `Prompt`, with `get(name)` and `copy(name)`."""
        return self.session.prompts

    export_conversation = verb(history.export_conversation)

    # what users keep about papers and answers

    @property
    def collections(self) -> CollectionVerbs:
        """Collections of papers, tags and notes."""
        from conspectus.curation.verbs import CollectionVerbs

        return CollectionVerbs(self)

    @property
    def highlights(self) -> HighlightVerbs:
        """Words of papers that users mark, and notes on them."""
        from conspectus.curation.highlight_verbs import HighlightVerbs

        return HighlightVerbs(self)

    # looking after it

    def counts(self) -> dict[str, int]:
        """How many papers, papers with full text, passages, files and failed files there are."""
        return self.session.catalog.counts()
