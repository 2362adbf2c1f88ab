"""The facade: one object, thin, the same verbs everywhere."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from inspect import iscoroutinefunction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypeVar, Unpack
from weakref import WeakSet

from conspectus.catalog import conversations
from conspectus.core.disk import user_path
from conspectus.core.errors import ConspectusError, UsageError
from conspectus.core.job_context import listen
from conspectus.ingest.merge import merge
from conspectus.library import (
    adding,
    agreeing,
    asking,
    curating,
    discovering,
    figure_cards,
    figure_export,
    figure_pictures,
    graph_export,
    graph_use,
    graphing,
    held_map,
    history,
    image_maps,
    learning,
    likening,
    linking,
    looking,
    maintenance,
    map_pictures,
    mapping,
    merging,
    overlaying,
    pictures,
    reading,
    region_names,
    relating,
    removing,
    reviewing,
    revising,
    routing,
    searching,
    summarising,
    surveying,
)
from conspectus.library import images as image_verbs
from conspectus.library import vocabularies as vocabulary_verbs
from conspectus.library.asking import AskKeywords
from conspectus.library.delegating import verb
from conspectus.library.job import Job
from conspectus.library.opening import opened
from conspectus.library.retrieving import Wanted
from conspectus.library.session import Given
from conspectus.records import (
    Answer,
    AuditReport,
    Backup,
    CitedWork,
    Filters,
    Finding,
    Paper,
    PaperDocument,
    ParsedPaper,
    Passage,
    SearchResult,
    SettingRow,
    Tried,
    Use,
)
from conspectus.records.events import Event
from conspectus.records.jobs import Progress
from conspectus.records.results import PaperOrder, PaperPage, PaperSort
from conspectus.settings import Settings

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.catalog.stored_records import Conversation
    from conspectus.export.output import Output
    from conspectus.index.protocol import SearchIndex
    from conspectus.llm.prompting import Prompts
    from conspectus.models.language import LanguageModel
    from conspectus.models.protocol import Embedder, Encoder, Reranker


P = ParamSpec("P")
ProgressCallback = Callable[[Progress], None]
T = TypeVar("T")
LET_GO = 5.0
"""Seconds to wait, when the library is closed, for each job to end."""
STREAMS = ("aask", "stream", "events", "watch")
"""Verbs that give what comes, one after the other, and are no jobs."""


class Library:
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

    Attributes:
        session: the open library, as its verbs are given it: catalog, index, embedder, models, prompts, event loop.

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
        self.session = opened(
            folder, settings, Given(embedder, index, models or {}, rerankers or {}, encoder), create=create
        )

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

    def begin(self, verb: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> Job[T]:
        """A verb of this library as a job, in a thread of its own: `library.begin(library.add, "papers/")`.

        What it emits (`core.job_context`) are the job's events; it can be cancelled from any thread, and closing the
        library cancels it.

        Args:
            verb: or another function, which may use the library: `library.begin(evaluate_self, library.folder, …)`.
                What a generator gives are events as they come (`Part`); then the result is a list of all.
            given: what it is given, as `named`.

        Raises:
            UsageError: it is a verb of another library, or one that gives what comes (`events`, `watch`).
        """
        own = verb.func if isinstance(verb, partial) else verb
        name, of = getattr(own, "__name__", type(own).__name__), getattr(own, "__self__", None)
        if (isinstance(of, Library) and (of is not self or name in STREAMS)) or iscoroutinefunction(own):
            raise UsageError(f"'{name}' cannot be a job.", "Give a verb: library.begin(library.add, FILES).")
        job = Job(name, partial(verb, *given, **named))
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
        if "session" not in self.__dict__:  # it could not be opened
            return super().__repr__()
        try:
            counts = {} if self.session.parts.is_closed else self.counts()
            said = f"{counts['papers']} papers, {counts['passages']} passages" if counts else "closed"
        except ConspectusError as error:
            said = error.message
        return f"{type(self).__name__}({str(self.folder)!r}, {said})"

    # adding and removing

    add = verb(adding.add)
    watch = verb(adding.watch)
    retry = verb(adding.retry)
    forget = verb(adding.forget)
    remove = verb(removing.remove)
    removals = verb(removing.removals)
    undo_remove = verb(removing.undo_remove)
    split = verb(adding.split)

    # looking

    def paper(self, name: str) -> Paper:
        """The paper called `name`: its id, external id, DOI, arXiv id, PMID, bibcode, file or title.

        Raises:
            NotFoundError: none, or more than one.
        """
        return self.session.paper(name)

    def papers(self, filters: Filters | None = None, *, after: str = "") -> Iterator[Paper]:
        """All papers, or those that pass `filters`, in the order they were added; behind the one named `after`."""
        catalog = self.session.catalog
        return catalog.papers(filters, catalog.paper_key(self.paper(after).id) if after else 0)

    def browse(
        self,
        filters: Filters | None = None,
        text: str = "",
        *,
        sort: PaperSort = "added",
        order: PaperOrder = "",
        after: str = "",
        offset: int = 0,
        limit: int = 100,
    ) -> PaperPage:
        """A page of the papers in an order; those without what they are sorted by come last.

        Args:
            filters: which papers.
            text: words that stand in the title or the authors' names, each anywhere there, also within a word.
            sort: by when they were `added`, or by `title`, `year`, `venue`, or how often they are `cited`.
            order: `asc` or `desc`; "": years and citations from the greatest down, else from the least up.
            after: `next` of the page before; "": from the first.
            offset: how many papers behind that are left out.
            limit: how many a page has at most.

        Raises:
            UsageError: `after` is no place in this list.
        """
        from conspectus.catalog.listing import Table

        return Table(filters or Filters(), text, sort, order).page(self.session.catalog, after, offset, limit)

    def documents(self, name: str) -> tuple[PaperDocument, ...]:
        """What a paper is made of: what its files say of it, in the order of their paths, and why it is one paper."""
        from conspectus.ingest.splitting import described

        return described(self.session.documents(self.paper(name)))

    def passages(self, name: str) -> Iterator[Passage]:
        """A paper's passages in reading order; the paper by any of its names."""
        return self.session.catalog.passages(self.paper(name).id)

    def parsed(self, name: str) -> ParsedPaper:
        """A paper's structure: headings, paragraphs, captions, footnotes, figures and references; by any of its names.

        Of a paper of several files it is that of the one whose text is searched.
        """
        return merge(self.session.documents(self.paper(name)))

    def references(self, name: str) -> tuple[CitedWork, ...]:
        """A paper's reference list in its order, each entry with the paper of the library that it is, if any."""
        from conspectus.ingest.cited import cited_works

        return cited_works(self.session.catalog, self.parsed(name).references)

    def audit(self, references: str | Path, *, online: bool | None = None) -> AuditReport:
        """Whether the works of a reference list (a file, or a text) exist and are as the list says (K10).

        `online`: whether the service at `sources.crossref_url` is asked what the library does not have; None: as
        `sources.online` says. A service that is away is no error: what could not be asked is `unchecked`.

        Raises:
            InputError: the file cannot be read.
        """
        from conspectus.references.audit import audit

        return audit(self.session.catalog, self.session.own_index(), references, self.settings, online=online)

    citation = verb(pictures.citation)

    def open(self, span_id: str | Sequence[str], scale: float = 2.0, page: int | None = None) -> Image:
        """The page of a citation as a picture, with the sentence lit up.

        Args:
            span_id: as for `citation`; of several sentences of one paper, those on the page are lit up.
            scale: pixels per point.
            page: where they stand on several pages, which of them (from 1); None: the one that the first begins on.

        Raises:
            NotFoundError: no such sentence, or its file is no longer there or has other bytes.
            InputError: the source has no pages (a record, Markdown).
            UsageError: the sentence does not stand on that page; no sentence, or sentences of several papers.
        """
        return pictures.of_sentences(self.session, [span_id] if isinstance(span_id, str) else span_id, scale, page)

    page = verb(pictures.page)
    pages = verb(reading.pages)
    page_text = verb(reading.page_text)
    outline = verb(reading.outline)
    find = verb(reading.find)
    inspect = verb(pictures.inspect)
    figure_image = verb(figure_pictures.figure_image)
    figure_file = verb(figure_pictures.figure_file)

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
            to: `bibtex`, `ris`, `csl`, `csv` or `jsonl`; the last keeps all that is known of a paper. `library`:
                everything, as JSON Lines (the ledger, papers, what was read of their files, passages).
            output: a file, which is replaced when all is written, or anything with `write(text)`.
            files: whether the papers' own files are named; None: in `jsonl` only. `library` always names them.
            vectors: with `library`, whether the passages' vectors are written too.

        Raises:
            NotFoundError: a name that no paper has.
            UsageError: no such format, an option that it does not have, the file cannot be written, or more than 10,000
                names that are no ids.
        """
        from conspectus.export.output import export

        wanted = self.session.paper_ids(papers) if papers else None
        return export(self.session.catalog, to, output, wanted, filters, files, vectors)

    # finding

    def search(
        self,
        query: str,
        k: int | None = None,
        filters: Filters | None = None,
        *,
        use: Use | Literal[""] = "",
        prefer: Sequence[str] = (),
        auto: bool = False,
        plain: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> SearchResult:
        """The k best papers for words or a question, each with its best passage.

        A query may have phrases ("…"), exclusions (-word), fields (author:smith), AND, OR and parentheses. One of
        conditions only lists the newest papers that meet them.

        Args:
            query: words or a question.
            k: how many; None: as the setting `search.k` says.
            filters: which papers and kinds of text.
            use: whether papers' own passages are searched (`raw`), their summaries (`summary`), or `both`; "": as the
                setting `search.use` says. A hit by a summary has it in `summary`: its words are a model's.
            prefer: keywords; papers that have them are preferred, also where the setting `search.keywords` is off.
            auto: take the settings that suit the kind of question (`route`), and search for the sub-questions of a
                compositional one apart.
            plain: take all signs of the query for text.
            settings: values for this search alone, such as `{"search.recency": True}`: of the groups `search`,
                `language` and `budget`.

        Raises:
            UsageError: an empty query, one with a mistake in its signs, k below 1, or a `use` that there is not.
            SettingsError: a setting that there is not, or a value it cannot have; or a language model is needed
                (`search.expand`, `search.reranker`), and none is set.
            ServiceError: that model cannot be asked, or gives nothing that can be used.
        """
        wanted = Wanted(k, filters or Filters(), use, tuple(prefer))
        return searching.search(self.session, query, wanted, settings or {}, auto=auto, plain=plain)

    count = verb(searching.count)
    facets = verb(searching.facets)
    similar = verb(searching.similar)
    figure = verb(figure_cards.figure)
    export_figures = verb(figure_export.export_figures)
    figures = verb(searching.figures)
    figures_like = verb(likening.figures_like)
    encode_figures = verb(looking.encode_figures)

    # collections of images

    add_images = verb(image_verbs.add_images)
    images = verb(image_verbs.images)
    image = verb(image_verbs.image)
    image_collections = verb(image_verbs.image_collections)
    thumbnail = verb(image_verbs.thumbnail)
    search_images = verb(image_verbs.search_images)
    image_clusters = verb(image_verbs.image_clusters)
    image_duplicates = verb(image_verbs.image_duplicates)
    image_map = verb(image_maps.image_map)
    image_sheet = verb(image_verbs.image_sheet)
    remove_images = verb(image_verbs.remove_images)

    # what papers speak of

    link = verb(linking.link)
    relate = verb(relating.relate)
    entities = verb(linking.entities)
    mentions = verb(linking.mentions)
    is_linked = verb(linking.is_linked)
    graph = verb(graphing.graph)
    graph_verdicts = verb(graph_use.graph_verdicts)
    merge_entities = verb(merging.merge_entities)
    unmerge_entity = verb(merging.unmerge_entity)
    entity_merges = verb(merging.entity_merges)
    new_entities = verb(reviewing.new_entities)
    review_entity = verb(reviewing.review_entity)
    export_graph = verb(graph_export.export_graph)
    query_graph = verb(graph_export.query_graph)
    discover = verb(discovering.discover)

    # the map

    atlas = verb(mapping.atlas)
    map_texts = verb(held_map.map_texts)
    draw_map = verb(map_pictures.draw_map)
    topics = verb(surveying.topics)
    name_region = verb(region_names.name_region)
    name_regions = verb(region_names.name_regions)
    overlay = verb(overlaying.overlay)
    gaps = verb(surveying.gaps)
    trends = verb(surveying.trends)
    impact = verb(surveying.impact)

    # vocabularies

    add_vocabulary = verb(vocabulary_verbs.add_vocabulary)
    vocabularies = verb(vocabulary_verbs.vocabularies)
    concept = verb(vocabulary_verbs.concept)
    concepts = verb(vocabulary_verbs.concepts)
    remove_vocabulary = verb(vocabulary_verbs.remove_vocabulary)
    name_rules = verb(vocabulary_verbs.name_rules)
    rule_name = verb(vocabulary_verbs.rule_name)
    learn_names = verb(learning.learn_names)
    forget_learnt_names = verb(learning.forget_learnt_names)
    sample_mentions = verb(learning.sample_mentions)
    route = verb(routing.route)

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
        return asking.answer_of(done)

    async def aask(self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]) -> Answer:
        """`ask`, without blocking the event loop."""
        done: Event | None = None
        async for event in self.stream(question, filters, **options):
            done = event
        return asking.answer_of(done)

    def events(
        self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]
    ) -> Generator[Event, None, None]:
        """`ask` as typed events, as they come (`conspectus.records.events`); `Done` with the answer is the last."""
        return self.session.loop.events(asking.job(self.session, question, filters, options))

    async def stream(
        self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]
    ) -> AsyncIterator[Event]:
        """`events` for an event loop: `async for event in library.stream(question)`."""
        events = self.session.loop.aevents(asking.job(self.session, question, filters, options))
        async with aclosing(events):
            async for event in events:
                yield event

    consensus = verb(agreeing.consensus)
    summarise = verb(summarising.summarise)
    summaries = verb(summarising.summaries)
    summarised = verb(summarising.summarised)

    # what was asked

    answers = verb(history.answers)

    def answer(self, name: str = "last") -> Answer:
        """The answer called `name`: its id, the beginning of it, or `last`.

        Quotes are copied from the library as it is now; a statement whose source is gone says so.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
        """
        return self.saved_answer(name).answer

    saved_answer = verb(history.saved_answer)
    remove_answer = verb(history.remove_answer)
    rerun = verb(history.rerun)
    export_answer = verb(history.export_answer)
    usage = verb(history.usage)

    @property
    def prompts(self) -> Prompts:
        """What is asked of language models: an iterable of `Prompt`, with `get(name)` and `copy(name)`."""
        return self.session.prompts

    # conversations

    def converse(self, title: str = "", answer: str = "") -> str:
        """Begin a conversation; returns its id, for `ask(question, conversation=id)`.

        Where the library can only be read, the conversation is known until it is closed, and each answer's `note` says
        so.

        Args:
            title: "": that of its first question.
            answer: the answer that it goes on from, by any name: its first turn. One that is in a conversation stays
                there, and the id of that is returned.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
        """
        return self.session.conversations.begin(title, answer)

    def conversations(self, limit: int | None = None) -> tuple[Conversation, ...]:
        """The conversations that the library keeps, those first that went on last."""
        return conversations.listed(self.session.catalog, limit)

    conversation = verb(history.conversation)

    def keeps_conversation(self, conversation_id: str) -> bool:
        """Whether a conversation outlasts the closing of the library."""
        return self.session.conversations.keeps(conversation_id)

    def rename_conversation(self, name: str, title: str) -> Conversation:
        """Give a conversation another title; returns it.

        Raises:
            NotFoundError: as `conversation`.
            LibraryReadOnlyError: the library cannot be written.
        """
        return self.session.conversations.rename(name, title)

    def remove_conversation(self, name: str) -> Conversation:
        """Remove a conversation with all its answers; returns it as it was.

        Raises:
            NotFoundError: as `conversation`.
            LibraryReadOnlyError: the library cannot be written.
        """
        return self.session.conversations.remove(name)

    export_conversation = verb(history.export_conversation)

    # what users keep about papers and answers

    tags = verb(curating.tags)
    tag = verb(curating.tag)
    untag = verb(curating.untag)
    change_tags = verb(curating.change_tags)
    collections = verb(curating.collections)
    collection = verb(curating.collection)
    collect = verb(curating.collect)
    uncollect = verb(curating.uncollect)
    change_collection = verb(curating.change_collection)
    rename_collection = verb(curating.rename_collection)
    remove_collection = verb(curating.remove_collection)
    notes = verb(curating.notes)
    note = verb(curating.note)
    edit_note = verb(curating.edit_note)
    remove_note = verb(curating.remove_note)
    edits = verb(revising.edits)
    edit = verb(revising.edit)
    feedback = verb(revising.feedback)
    judge = verb(revising.judge)
    export_feedback = verb(revising.export_feedback)

    # looking after it

    status = verb(maintenance.status)

    def counts(self) -> dict[str, int]:
        """How many papers, papers with full text, passages, files and failed files there are."""
        return self.session.catalog.counts()

    reindex = verb(maintenance.reindex)

    def doctor(self, *, fix: bool = False) -> list[Finding]:
        """Checks of the library, its index, its model and its files, each with a remedy where it is not well.

        With `fix`, what can be mended without losing anything is.
        """
        from conspectus.library.doctor import examine

        return list(examine(self.session, fix=fix))

    def configuration(self) -> tuple[SettingRow, ...]:
        """Every setting with its value, where that comes from, and what it means; secrets are not shown."""
        from conspectus.library.configuring import rows

        return rows(self.settings)

    def configure(self, values: Mapping[str, Any]) -> tuple[SettingRow, ...]:
        """Set settings of this library (None: as if never set); returns them as they are now.

        They are written to the library's own file, or, where that may not set them, to the library's section of the
        user's configuration. What is asked next has them; those of the groups `catalog`, `index` and `models` are used
        when the library is opened again. Comments in the files stay. Secrets, and what names an address, a file or a
        program, are not set in this way, for it is how the server is asked.

        Raises:
            SettingsError: one that there is not, a value that it cannot have, or one that is not set in this way; or
                the environment or the command line sets it, which go before the files. Nothing was changed.
            LibraryReadOnlyError: the file cannot be written.
        """
        from conspectus.library import configuring

        self.session = configuring.changed(self.session, values)
        return tuple(row for row in configuring.rows(self.settings) if row.name in values)

    def try_models(self, names: Sequence[str] = ()) -> tuple[Tried, ...]:
        """A small call to language models, by name (none: to those of the settings): whether each answers.

        Raises:
            SettingsError: a name that is none of the settings', and is an address or a file.
        """
        from conspectus.library.configuring import tried

        return tried(self.session, names)

    def backup(self, path: str | os.PathLike[str], progress: ProgressCallback | None = None) -> Backup:
        """Write the library as it is at this moment to one file with checksums, also while others write to it.

        The catalog and the settings are in it; the index is not, for it is built anew from the catalog. Papers' files
        stay where they are.

        Raises:
            UsageError: the file is there already.
            LibraryDamagedError: the catalog is damaged; nothing is written.
            LibraryError: it cannot be written.
        """
        from conspectus.library import backup

        with listen(progress, Progress):
            return backup.write(self.session.catalog, self.folder, user_path(path))

    def remove_backup(self, name: str) -> str:
        """Delete a backup that `restore replace=True` made of the papers it replaced; returns its name.

        Args:
            name: as `status().backups` lists it.

        Raises:
            NotFoundError: the library's folder has no such backup.
            LibraryError: it cannot be deleted.
        """
        from conspectus.library import backup

        return backup.remove_replaced_backup(self.folder, name)

    restore = verb(maintenance.restore)
