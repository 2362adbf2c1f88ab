"""The facade: one object, thin, the same verbs everywhere."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from inspect import iscoroutinefunction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypeVar, Unpack, get_args
from weakref import WeakSet

from conspectus.core.disk import user_path
from conspectus.core.errors import ConspectusError, UsageError
from conspectus.core.listening import hearing
from conspectus.library import (
    adding,
    agreeing,
    asking,
    citation,
    curating,
    discovering,
    figure_cards,
    figure_export,
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
    AddReport,
    Answer,
    AuditReport,
    Backup,
    CitedWork,
    Consensus,
    Filters,
    Finding,
    LedgerRow,
    Paper,
    PaperDocument,
    ParsedPaper,
    Passage,
    Rerun,
    Routing,
    SearchResult,
    SettingRow,
    Span,
    Status,
    SummariseReport,
    Summary,
    Tried,
    Use,
    WordCount,
)
from conspectus.records.events import Event
from conspectus.records.jobs import Progress
from conspectus.records.parsed import FIGURE_SCALE
from conspectus.records.reading import Heading, Occurrence, PageSize, PageText
from conspectus.records.results import FacetCounts, PaperOrder, PaperPage, PaperSort
from conspectus.settings import Settings
from conspectus.settings.standing import Claim

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.catalog.calls import By
    from conspectus.catalog.stored_records import AnswerRow, Conversation, SavedAnswer, SavedConversation, Totals
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

    @property
    def left_out(self) -> tuple[Claim, ...]:
        """What the library's folder says and does not count, because it was not made here and is not trusted."""
        return self.settings.left_out

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

        What it tells (`core.listening`) are the job's events; it is cancelled from any thread, and when the library is
        closed.

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

    def add(self, paths: Sequence[str | Path] | str | Path, progress: ProgressCallback | None = None) -> AddReport:
        """Read what is new or changed among files, folders and globs; make it searchable.

        A file that cannot be read is reported and does not stop the others; what is committed stays, also when the run
        is interrupted, and the same call goes on from there.

        Raises:
            ModelMissingError: the embedder is not in the model store.
            ModelMismatchError: the library was embedded with another model.
            BusyError: another process, or job of this one, is writing to the library.
        """
        with hearing(progress, Progress):
            return adding.add(self.session, paths)

    def watch(
        self, paths: Sequence[str | Path] | str | Path, progress: ProgressCallback | None = None
    ) -> Iterator[AddReport]:
        """`add`, and again whenever something has changed there; a report each time, without end.

        Raises:
            InputError: there is nothing to watch; else as `add`.
        """
        return adding.watch(self.session, paths, progress)

    def retry(
        self,
        progress: ProgressCallback | None = None,
        *,
        everything: bool = False,
        paths: Sequence[str | Path] | str | Path = (),
    ) -> AddReport:
        """Read again the files that failed where that can help, or were not read to the end; or all that failed.

        Files of which records were refused are read again where they have changed since.

        Args:
            progress: is told how far it is.
            everything: also those that failed for reasons that stay.
            paths: of these files alone, or those of these folders, whatever their reasons.

        Raises:
            NotFoundError: the library knows no such file.
            UntrustedError: there are such files, and the library is neither made here nor trusted: its ledger may name
                any file of this machine. Else as `add`.
        """
        with hearing(progress, Progress):
            return adding.retry(self.session, paths, everything=everything)

    def forget(self, paths: Sequence[str | Path] | str | Path, *, papers: bool = False) -> tuple[LedgerRow, ...]:
        """Let go of files that were added, failed or are gone, and of what they said; returns their rows as they were.

        Papers that other files speak of too stay, without what these said. The files themselves are not touched.

        Args:
            paths: files as they were added, or folders with all that was added from there.
            papers: whether papers that rest on these files alone are removed.

        Raises:
            NotFoundError: the library knows no such file.
            UsageError: papers rest on these files alone, and `papers` is False; nothing was done.
        """
        return adding.forget(self.session, paths, papers=papers)

    def remove(self, name: str) -> Paper:
        """Remove a paper, by id or any other name of it, with every trace; returns it as it was.

        Until the library is closed, `undo_remove` brings it back out of memory.

        Raises:
            NotFoundError: no paper, or more than one, is called so.
        """
        return removing.remove(self.session, name)

    removals = verb(removing.removals)
    undo_remove = verb(removing.undo_remove)

    def split(self, name: str, documents: Sequence[str | int] = (), *, undo: bool = False) -> tuple[Paper, ...]:
        """Take a paper apart that was made of documents of several; returns what became of it, the one it was first.

        They stay apart when they are added again, also where their files have changed or were moved.

        Args:
            name: the paper, by any of its names.
            documents: those that are to be another paper, as `documents` numbers or names them (a path, a file's name);
                none: each becomes a paper of its own.
            undo: instead let what was split off from the paper be judged again, as if it was never split.

        Raises:
            NotFoundError: no paper, or more than one, is called so; or none of its documents.
            UsageError: it is made of one document only, of those named only, or was never split.
        """
        return adding.split(self.session, name, documents, undo=undo)

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
        from conspectus.ingest.merge import merge

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

    def citation(self, span_id: str) -> tuple[Paper, Passage, Span]:
        """Where a citation's sentence stands.

        Args:
            span_id: a span's id as citations give it, or a passage's id (then its first sentence is meant).

        Raises:
            NotFoundError: the library has no such sentence (any more).
        """
        return citation.citation(self.session, span_id)

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
        from conspectus.library import pictures

        return pictures.of_sentences(self.session, [span_id] if isinstance(span_id, str) else span_id, scale, page)

    def page(self, name: str, page: int = 1, scale: float = 2.0) -> Image:
        """A page of a paper as a picture.

        Raises:
            NotFoundError: no such paper or page, or its file is no longer there or has other bytes.
            InputError: the source has no pages.
        """
        from conspectus.library import pictures

        return pictures.of_page(self.session, name, page, scale)

    def pages(self, name: str) -> tuple[PageSize, ...]:
        """How large the pages of a paper's PDF are.

        Raises:
            NotFoundError: no such paper, or its file is no longer there or has other bytes.
            InputError: the source has no pages.
        """
        return reading.pages(self.session, name)

    def page_text(self, name: str, page: int = 1) -> PageText:
        """What stands on a page of a paper's PDF, line by line in reading order, so that it can be laid over a picture.

        Which words of a sentence stand on which of its lines is reckoned by how long these are.

        Raises:
            NotFoundError: as `pages`, or no such page.
            InputError: the source has no pages.
        """
        return reading.page_text(self.session, name, page)

    def outline(self, name: str) -> tuple[Heading, ...]:
        """A paper's headings in reading order."""
        return reading.outline(self.session, name)

    def find(self, name: str, words: str) -> tuple[Occurrence, ...]:
        """The sentences of a paper, headings and references too, in which words stand together as they are given.

        Case, accents and line breaks do not count. No more than 1,000 are told.

        Raises:
            UsageError: there are no words.
        """
        return reading.find(self.session, name, words)

    def inspect(self, name: str, page: int = 1, scale: float = 2.0) -> Image:
        """A page of a paper as a picture, with what was read on it in colour: blocks, sentences, figures, order.

        Raises:
            NotFoundError: no such paper or page, or its file is no longer there or has other bytes.
            InputError: the source has no pages.
        """
        from conspectus.library import pictures

        return pictures.of_structure(self.session, name, page, scale)

    def figure_image(self, name: str, key: str = "", scale: float = FIGURE_SCALE) -> Image:
        """A figure or table as a picture, without its caption: cut from its page, or the picture file of its source.

        What was drawn is kept in the library's folder `drawings`, which may be deleted at any time.

        Args:
            name: its id, as `figures` has it; or with `key` its paper, by any name.
            key: as in `parsed(name).figures`: `f1`, `t2`.
            scale: pixels for each point, of which an inch has 72; usual are 200 pixels an inch. A picture file counts
                as drawn with so many: a smaller scale makes it smaller, none makes it larger.

        Raises:
            NotFoundError: no such paper or figure; its file is no longer there or has other bytes; or the picture
                that it names is not in it, nor below its folder.
            InputError: nothing says where the picture is, or it is none that can be drawn.
            LimitError: drawing takes too long, or too much memory.
        """
        from conspectus.library import figure_pictures

        return figure_pictures.of_figure(self.session, name, key, scale)

    def figure_file(self, name: str, key: str = "", scale: float = FIGURE_SCALE) -> Path:
        """The PNG of `figure_image` in the library's folder, where it may be deleted at any time.

        Raises:
            LibraryReadOnlyError: it cannot be kept there. Else as `figure_image`.
        """
        from conspectus.library import figure_pictures

        return figure_pictures.file_of(self.session, name, key, scale)

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
            UsageError: no such format, an option that it does not have, or the file cannot be written.
        """
        from conspectus.export.output import export

        wanted = {self.paper(name).id for name in papers} if papers else None
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

    def count(self, words: str = "", filters: Filters | None = None, *, plain: bool = False) -> WordCount:
        """How many papers have a passage with all of the words, in any of their forms; exact, by the words alone.

        A passage counts with its paper's title and its section's heading; summaries do not count. Without words: the
        papers that pass the filters. `words` may have signs as in `search`.

        Raises:
            UsageError: there is a mistake in the signs, or none of the words can be looked for.
        """
        return searching.count(self.session, words, filters, plain=plain)

    def facets(self, query: str = "", filters: Filters | None = None, *, most: int = 20) -> FacetCounts:
        """How many papers there are of each year, venue, keyword, language and kind of text.

        Without a query of all papers that pass the filters; with one of the 300 best that are found.

        Args:
            query: as for `search`.
            filters: which papers.
            most: how many venues and keywords are told.

        Raises:
            UsageError: there is a mistake in the query's signs.
        """
        return searching.facets(self.session, query, filters or Filters(), most)

    def similar(
        self,
        names: str | Sequence[str] = (),
        *,
        text: str | None = None,
        k: int | None = None,
        filters: Filters | None = None,
    ) -> SearchResult:
        """The k papers nearest in meaning to papers of the library, or to a text (F16).

        Of several papers it is the mean of their vectors that others are compared with; they themselves are left out.

        Args:
            names: one paper or several, by any names.
            text: instead of them, or beside them.
            k: how many; None: as the setting `search.k` says.
            filters: which papers and kinds of text.

        Raises:
            UsageError: nothing to compare with, or a text that is longer than `BOUNDS.query`.
            NotFoundError: no paper, or more than one, is called so.
        """
        return searching.similar(self.session, names, text, k, filters)

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
    topics = verb(mapping.topics)
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

    def route(self, question: str, *, model: str = "", cache: bool = True) -> Routing:
        """What kind of question it is, what is special about it, and which settings suit it (F9).

        With a language model (`language.ask` or `language.model` in the settings, or `model` here) the model tells;
        without one, or with `model="none"`, a small model tells that knows English only. So it does, at once and with a
        note, where the model of the settings cannot be asked: what it says is a suggestion.

        Args:
            question: as it would be asked.
            model: instead of the one for the role `ask`.
            cache: False: the model is asked also what it has answered before.

        Raises:
            UsageError: the question is empty, or the library is closed.
            SettingsError: a model's name that has no known form.
            ServiceError: `model` cannot be asked, or gives nothing that can be used.
        """
        return routing.route(self.session, question, model, cache=cache)

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

    def consensus(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        *,
        claim: str = "",
        model: str = "",
        use: Use | Literal[""] = "",
        cache: bool = True,
        tell: Callable[[Event], None] | None = None,
    ) -> Consensus:
        """How far the k papers found agree with what is asked, made a claim.

        A language model says of each paper, read alone, whether it supports or opposes the claim, and by which of its
        sentences; these are quoted. The level follows from the stances by a rule (docs/consensus.md). What models said
        is kept; the settings `budget.*` hold.

        Args:
            question: what is asked; a question is made a claim by a model.
            k: how many papers are judged, at most; None: the setting `consensus.papers`.
            filters: which papers.
            claim: the claim itself; then no model restates the question.
            model: instead of those for the roles `ask` and `judge`.
            use: as for `search`.
            cache: False: the model is asked also what it has answered before.
            tell: told typed events as they come (`conspectus.records.events`), `Concluded` last; in the calling thread.

        Raises:
            UnavailableError: no language model is set: nothing is guessed without.
            UsageError: an empty question, or k below 1.
            ServiceError: the model cannot be asked, or could judge no paper.
        """
        wanted = Wanted(k, filters or Filters(), use)
        with hearing(tell, *get_args(Event)):
            return agreeing.consensus(self.session, question, wanted, claim, model, cache=cache)

    def summarise(
        self,
        names: Sequence[str] | str = (),
        filters: Filters | None = None,
        progress: ProgressCallback | None = None,
        *,
        model: str = "",
        again: bool = False,
        abstracts: bool = False,
    ) -> SummariseReport:
        """Have a language model write summary passages of papers, to be searched with `use`.

        Each sentence of a summary leads to the paper's own sentences that carry it, and those are what is cited. A
        paper is written in one transaction when all of it is done; a run that ends before goes on where it was. The
        settings `budget.*` hold for the whole run.

        Args:
            names: the papers, by any names; none: all that pass `filters`.
            filters: which papers.
            progress: told how far it is.
            model: instead of the one for the role `summarise`.
            again: also papers that have summaries, and without what the library knows of earlier calls.
            abstracts: also papers of which there is only an abstract.

        Raises:
            NotFoundError: a name that no paper has.
            UnavailableError: no language model is set.
            ServiceError: the model cannot be asked at all.
        """
        with hearing(progress, Progress):
            return summarising.summarise(self.session, names, filters, model, again=again, abstracts=abstracts)

    def summaries(self, name: str) -> list[Summary]:
        """What a language model wrote of a paper, in the order of the paper; the paper by any of its names."""
        return summarising.summaries_of(self.session, name)

    def summarised(self, *, after: str = "") -> Iterator[Paper]:
        """The papers that have summaries, in the order they were added; behind the one named `after`."""
        return summarising.summarised(self.session, after)

    # what was asked

    def answers(self, limit: int | None = None, conversation: str = "") -> tuple[AnswerRow, ...]:
        """The answers that the library keeps, the newest first; of one conversation (any name of it), by its turns."""
        return history.answers(self.session, limit, conversation)

    def answer(self, name: str = "last") -> Answer:
        """The answer called `name`: its id, the beginning of it, or `last`.

        Quotes are copied from the library as it is now; a statement whose source is gone says so.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
        """
        return self.saved_answer(name).answer

    def saved_answer(self, name: str = "last") -> SavedAnswer:
        """`answer`, with how it was asked for."""
        return history.saved_answer(self.session, name)

    def remove_answer(self, name: str) -> AnswerRow:
        """Remove an answer with its evidence; returns its row. What models answered stays, and what it took.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
            LibraryReadOnlyError: the library cannot be written.
        """
        return history.remove_answer(self.session, name)

    def rerun(
        self, name: str = "last", tell: Callable[[Event], None] | None = None, **changed: Unpack[AskKeywords]
    ) -> Rerun:
        """Ask again what was asked, with the same options and filters; says what has changed.

        A question of a conversation is asked as it was understood, outside the conversation. What models answered
        since is used, also where it was asked without that then (`cache=False`).

        Args:
            name: as for `answer`.
            tell: told the events as they come.
            changed: options that go before those of then.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
            UntrustedError: the answer names a language model, and the library is neither made here nor trusted. Else as
                `ask`.
        """
        with hearing(tell, *get_args(Event)):
            return history.rerun(self.session, name, changed)

    def export_answer(self, name: str, to: str, output: Output, *, pictures: bool = True) -> Answer:
        """Write an answer with its sources and quotes; returns it.

        Args:
            name: as for `answer`.
            to: `md` (with footnotes), `html` (a page that needs nothing else), `json` (as `ask --json`), or
                `bib`, `ris`, `csv` (the papers that it cites).
            output: a file, which is replaced when all is written, or anything with `write(text)`.
            pictures: behind the notes of `html` and `md` stand pictures of the pages, the cited sentences lit up; those
                of `md` in a folder beside the file.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
            UsageError: no such format, or the file cannot be written.
        """
        return history.export_answer(self.session, name, to, output, pictures=pictures)

    def usage(self, since: str = "", by: By = "day", answer: str = "") -> tuple[Totals, ...]:
        """What language models took, added up.

        Args:
            since: a day or a moment, ISO 8601, UTC; "": from the first on.
            by: what is added up together: `day`, `model`, `role`, `prompt` or `answer`.
            answer: the calls made for one answer only, by any name of it; "": all.

        Raises:
            UsageError: `since` is no date, or `by` is none of these.
            NotFoundError: there is no such answer.
        """
        return history.usage(self.session, since, by, answer)

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
        from conspectus.catalog import conversations

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

    def export_conversation(self, name: str, to: str, output: Output, *, pictures: bool = True) -> SavedConversation:
        """Write a conversation, each answer with its sources and quotes; returns it.

        Args:
            name: as for `conversation`.
            to: `md` (with footnotes), `html` (a page that needs nothing else), `json`, or `bib`, `ris`, `csv` (the
                papers cited).
            output: a file, which is replaced when all is written, or anything with `write(text)`.
            pictures: as in `export_answer`.

        Raises:
            NotFoundError: as `conversation`.
            UsageError: no such format, or the file cannot be written.
        """
        return history.export_conversation(self.session, name, to, output, pictures=pictures)

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

    def status(self) -> Status:
        """The library in numbers, and its ledger."""
        return maintenance.status(self.session)

    def counts(self) -> dict[str, int]:
        """How many papers, papers with full text, passages, files and failed files there are."""
        return self.session.catalog.counts()

    def reindex(self, progress: ProgressCallback | None = None) -> int:
        """Embed what the embedder set now has not embedded, then build the index anew; returns passages embedded."""
        with hearing(progress, Progress):
            return maintenance.reindex(self.session)

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
        """Set settings in the library's file (None: as if never set there); returns them as they are now.

        What is asked next has them; those of the groups `catalog`, `index` and `models` count when the library is
        opened again. Comments in the file stay. Secrets, and what names an address, a file or a program, are not set
        in this way, for it is how the server is asked.

        Raises:
            SettingsError: one that there is not, a value that it cannot have, or one that is not set in this way; or
                the environment or the command line sets it, which go before the file. Nothing was changed.
            UntrustedError: it would not count, because the library is not trusted.
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

        with hearing(progress, Progress):
            return backup.write(self.session.catalog, self.folder, user_path(path))

    def restore(
        self,
        path: str | os.PathLike[str],
        progress: ProgressCallback | None = None,
        *,
        replace: bool = False,
        settings: bool = False,
    ) -> Backup:
        """Make the library what a backup holds: all of it, or, if that fails, nothing; the index follows.

        Where the papers are already those of the backup, because making the index of an earlier call failed, the same
        call makes the index.

        Args:
            path: a file that `backup` wrote.
            progress: told how far it is.
            replace: also where the library has papers. They are backed up beside it first.
            settings: take the backup's settings too, where the library has none of its own; they then count as they
                would if you had written them.

        Returns:
            What was restored; `left_out` names what the backup had and was not taken: its settings, and triggers and
            views, which no catalog of ours has and which would run.

        Raises:
            UsageError: the library has papers, and `replace` is False.
            InputError: the file is no backup, or damaged.
            LibraryTooNewError: a newer Conspectus made it.
            SettingsError: its settings are to be taken, and hold a key or are none.
        """
        with hearing(progress, Progress):
            return maintenance.restore(self.session, user_path(path), replace=replace, settings=settings)
