"""Vocabularies, their concepts, and which names papers are searched for."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from conspectus.core.disk import user_path
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.groups import grouped
from conspectus.core.job_context import emit, listen
from conspectus.core.output import Output, csv_line, writing_to
from conspectus.faces.declare import Option, VerbGroup, failures_code, verb
from conspectus.faces.filters import Next, PaperFilters, Progressing
from conspectus.graph import sql
from conspectus.graph.mention_finder import NO_ENTITY
from conspectus.graph.name_table_cache import drop_cache, load_name_table
from conspectus.graph.vocabularies import sql as vocabulary_sql
from conspectus.graph.vocabularies.public_vocabularies import fetch_known, find_known, list_known
from conspectus.ingest.files import Paths, names_of
from conspectus.parse.process.pool import Limits
from conspectus.records import Filters, normal_name
from conspectus.records.events import Progress
from conspectus.records.vocabularies import (
    ConceptList,
    KeptConcept,
    KnownVocabulary,
    LearnReport,
    NameRule,
    SuggestionReport,
    Vocabulary,
    VocabularyReport,
)
from conspectus.store import entities
from conspectus.store.connection import writing

if TYPE_CHECKING:
    from conspectus.graph.vocabularies.gold import Gold
    from conspectus.graph.vocabularies.loader import VocabularyRequest
    from conspectus.library import Library
    from conspectus.session.session import Session

UPLOADS, GOLD = "vocabularies", "gold"
"""Folders of the library that keep files that were sent."""
LONGEST = 500
"""Letters of a name of a concept."""
_NEXT_PATH = re.compile(r", (?=/|[A-Za-z]:[\\/]|\\\\)")
"""Between the paths that a vocabulary was read from."""
_BETWEEN = "\t"
_PAPERS = 500
"""Papers whose sentences are sampled, at most."""
VocabularyName = Annotated[str, Option("Name of the vocabulary.", max_length=100, metavar="NAME", example="uat")]
ConceptId = Annotated[str, Option("Id of a concept.", max_length=LONGEST, metavar="CONCEPT", example="UAT:1319")]
OfVocabulary = Annotated[
    str, Option("Only concepts of this vocabulary.", max_length=100, flag="of", metavar="NAME", example="uat")
]


class VocabularyVerbs(
    VerbGroup,
    name="vocabularies",
    about={"vocabulary": "Vocabularies (OWL, SKOS, OBO, MeSH, tables), their concepts and names."},
):
    """Vocabularies, their concepts, and which names papers are searched for."""

    @verb("vocabulary add", http="POST /vocabularies", job=True, writes=True, creates=True, exit_code=failures_code)
    def add(
        self,
        paths: Annotated[
            Paths,
            Option("Turtle, RDF/XML, OBO, MeSH's XML, tables …", metavar="PATHS…", upload=UPLOADS, query="file"),
        ],
        *,
        name: Annotated[
            str, Option("Make one vocabulary of this name of all files.", max_length=100, metavar="NAME")
        ] = "",
        subtree: Annotated[
            Sequence[str],
            Option("Only concepts at and below these ids or tree numbers (MeSH: A, A08).", metavar="ROOT,…"),
        ] = (),
        languages: Annotated[
            Sequence[str],
            Option(
                "Languages of names (default: vocabulary.languages); *: all.",
                flag="language",
                query="language",
                metavar="CODE",
            ),
        ] = (),
        progress: Progressing = None,
    ) -> VocabularyReport:
        """Add vocabularies. Run it again to update them: unchanged files are not read again.

        OWL and SKOS (Turtle, RDF/XML, N-Triples, JSON-LD), OBO, obographs, MeSH's XML, and tables of names (CSV, TSV,
        JSON Lines, JSON), also compressed (gzip, xz, bzip2, zstd). Each file is a vocabulary; all files of a folder or
        an archive (zip, tar) are one. Imports are read if they are next to the file. A file that cannot be read is
        named, and its vocabulary stays as it was; then the exit code is 1.

        Raises:
            UsageError: the name has no letter, or no file is named.
            UnavailableError: a library that reads them is not installed.
            BusyError: another process, or job of this one, is writing to the library.
        """  # fmt: skip
        from conspectus.graph.vocabularies.loader import add_vocabularies, check_name, make_requests

        places = [user_path(path).absolute() for path in names_of(paths)]
        if not places:
            raise UsageError("Nothing is named to be added.", "Name files, folders or archives.")
        roots = tuple(root.strip() for roots in subtree for root in roots.split(",") if root.strip())
        settings = self.session.settings
        sources = make_requests(places, name, roots, tuple(languages) or settings.vocabulary.language_list)
        for source in sources:
            if source.has_given_name:
                check_name(source.name)
        limits = Limits(settings.parse.timeout, settings.parse.memory)
        listed = self.list()
        before = _source_files(listed)
        sources = [self._as_new_version(source, listed) for source in sources]
        try:
            with self.session.writing(), listen(progress, Progress):
                return VocabularyReport(tuple(add_vocabularies(self.session.catalog, sources, limits)))
        finally:
            self._drop_uploads({*before, *places})

    @verb("vocabulary list", http="GET /vocabularies", key="vocabularies")
    def list(self) -> tuple[Vocabulary, ...]:
        """List the vocabularies. If two have the same name for a concept, the first one counts."""
        return vocabulary_sql.list_vocabularies(self.session.catalog)

    @verb("vocabulary available", http="GET /vocabularies/available", key="vocabularies")
    def available(self) -> tuple[KnownVocabulary, ...]:
        """List well-known vocabularies that can be fetched, with their sizes and licences."""
        return list_known(self.list())

    @verb(
        "vocabulary fetch",
        http="POST /vocabularies/fetch",
        job=True,
        writes=True,
        creates=True,
        exit_code=failures_code,
    )
    def fetch(
        self,
        name: Annotated[
            str, Option("Which one; `available` lists them.", max_length=100, metavar="NAME", example="uat")
        ],
        *,
        online: Annotated[
            bool | None, Option("Download in this call (default: sources.online).", faces=("cli",))
        ] = None,
        progress: Progressing = None,
    ) -> VocabularyReport:
        """Download a well-known vocabulary and add it. Run it again to update it.

        Raises:
            NotFoundError: it is none of the well-known ones.
            UsageError: asking servers online is not allowed.
            ServiceError: it cannot be downloaded; what came is kept for the next time.
            BusyError: another process, or job of this one, is writing to the library.
        """
        from conspectus.services.pool import check_online

        vocabulary = find_known(name)
        check_online(self.session.settings.sources, online)
        with listen(progress, Progress):
            files = fetch_known(vocabulary, self.session.folder / UPLOADS / vocabulary.name)
        return self.add([str(file) for file in files], name=vocabulary.name, progress=progress)

    @verb("vocabulary search", http="GET /concepts")
    def search(
        self,
        words: Annotated[
            str,
            Option(
                "Beginning of a name.", max_length=LONGEST, metavar="WORDS…", words=True, query="q", example="hippocamp"
            ),
        ] = "",
        *,
        vocabulary: OfVocabulary = "",
        left_out: Annotated[bool, Option("Only names that papers are not searched for, and why.")] = False,
        mentioned: Annotated[bool, Option("Only entities that papers mention, most mentioned first.")] = False,
        limit: Annotated[int, Option("Maximum number of results.", ge=1, le=1000, short="n", metavar="N")] = 50,
        after: Next = "",
    ) -> ConceptList:
        """Find concepts by the beginning of a name. Case, accents and punctuation do not matter.

        With `mentioned`, what was merged is one entity, and no label is listed twice.

        Raises:
            NotFoundError: there is no such vocabulary.
            UsageError: `after` is no `next` of a list, or is given with `mentioned`; this together with `left_out`.
        """  # fmt: skip
        key = _key(self.session, vocabulary) if vocabulary else None
        if mentioned:
            if after or left_out:
                raise UsageError("`mentioned` has neither `after` nor `left_out`.", "Ask for more with `limit`.")
            return ConceptList(tuple(sql.complete_entities(self.session.catalog, words, key, limit)), "")
        number, _, term = after.partition(_BETWEEN)
        if after and not number.isdecimal():
            raise UsageError(f"'{after}' is not where a list goes on.", "Give `next` of the list before.")
        dropped = load_name_table(self.session).dropped if left_out else None
        start = (term, int(number or 0))
        hits = vocabulary_sql.search_concepts(self.session.catalog, words, key, limit + 1, start, dropped)
        page = hits[:limit]
        following = f"{page[-1][0]}{_BETWEEN}{page[-1][1]}" if len(hits) > limit else ""
        return ConceptList(tuple(hit for *_, hit in page), following)

    @verb("vocabulary show", http="GET /concepts/{concept}", key="concepts")
    def show(self, concept: ConceptId) -> tuple[KeptConcept, ...]:
        """Show the concept of an id (`UBERON:0000955`), as each vocabulary that has the id describes it.

        Raises:
            NotFoundError: there is none.
        """
        return _with_id(self.session, concept)

    @verb("vocabulary remove", http="DELETE /vocabularies/{vocabulary}", key="removed", writes=True)
    def remove(self, vocabulary: VocabularyName) -> Vocabulary:
        """Remove a vocabulary and all data about its concepts.

        Files stay, unless they were uploaded to the library.

        Raises:
            NotFoundError: there is none of this name.
            BusyError: another process, or job of this one, is writing to the library.
        """
        with self.session.writing():
            key = _key(self.session, vocabulary)
            removed = next(
                candidate for candidate in self.list() if normal_name(candidate.name) == normal_name(vocabulary)
            )
            with writing(self.session.catalog.engine) as connection:
                vocabulary_sql.remove_vocabulary(connection, key)
            drop_cache(self.session)
        self._drop_uploads(_source_files([removed]))
        return removed

    def _as_new_version(self, source: VocabularyRequest, listed: Iterable[Vocabulary]) -> VocabularyRequest:
        """A file that was sent takes the place of one of the same name that was sent before."""
        known = next(
            (
                _source_files([vocabulary])
                for vocabulary in listed
                if normal_name(vocabulary.name) == normal_name(source.name)
            ),
            set(),
        )
        is_sent = all(self._is_upload(path) for path in (*source.paths, *known))
        is_same = {path.name for path in known} == {path.name for path in source.paths}
        return replace(source, has_given_name=True) if is_sent and is_same else source

    def _is_upload(self, file: Path) -> bool:
        return file.parent.parent == self.session.folder.absolute() / UPLOADS

    def _drop_uploads(self, files: Iterable[Path]) -> None:
        """Delete those files that were sent to the library and that no vocabulary was read from."""
        used = _source_files(self.list())
        for file in set(files) - used:
            if self._is_upload(file):
                file.unlink(missing_ok=True)
                with suppress(OSError):  # the same bytes under another name
                    file.parent.rmdir()

    @verb("vocabulary names", http="GET /name-rules", key="rules")
    def names(self) -> tuple[NameRule, ...]:
        """List the rules about names: which are searched for and which are not, by name."""
        return vocabulary_sql.list_rules(self.session.catalog)

    @verb("vocabulary name", http="POST /name-rules", key="rules", writes=True)
    def name(
        self,
        name: Annotated[str, Option("A name of concepts.", max_length=LONGEST, metavar="NAME", example="cell")],
        verdict: Annotated[
            Literal["use", "leave", "undo"],
            Option("Search papers for it, or not; or undo what you said.", metavar="use|leave|undo", example="use"),
        ],
        *,
        concept: Annotated[str, Option("Only as a name of this concept.", max_length=LONGEST, metavar="ID")] = "",
    ) -> tuple[NameRule, ...]:
        """Decide whether papers are searched for a name (use, leave or undo), and list the rules.

        Your rule goes before what was learnt and before the rules by which names are left out. It counts from the next
        `graph link` on.

        Raises:
            UsageError: the name has no letter or digit, or there is no such verdict.
            NotFoundError: there is no such concept.
        """  # fmt: skip
        if verdict not in ("use", "leave", "undo") or not normal_name(name):
            raise UsageError(
                f"There can be no rule '{verdict}' for the name '{name}'.", "Give a name and `use`, `leave` or `undo`."
            )
        if concept and verdict != "undo":
            _with_id(self.session, concept)
        rule = None if verdict == "undo" else verdict
        with self.session.writing(), writing(self.session.catalog.engine) as connection:
            vocabulary_sql.put_rule(connection, name, concept, rule)
        return self.names()

    @verb("vocabulary learn", http="POST /name-rules/learn", job=True, writes=True)
    def learn(
        self,
        gold: Annotated[
            Paths,
            Option("JSON Lines, PubTator, or a table from a sample.", metavar="GOLD…", upload=GOLD, query="file"),
        ],
        *,
        least: Annotated[float, Option("Least probability that a name is right.", ge=0, le=1, metavar="P")] = 0.5,
        progress: Progressing = None,
    ) -> LearnReport:
        """Learn which names to search for from texts in which every mention is marked.

        GOLD is JSON Lines (`text`, `entities` with `start`, `end` and `id`), PubTator, or a table (CSV) that
        `vocabulary sample` wrote and you corrected. Forms that occur twice or more and that no vocabulary has are used;
        names that are less probable to be right than `least` are left out. What was learnt before is replaced; your own
        rules (`vocabulary name`) go first. Then run `graph link`.

        Raises:
            UsageError: nothing is named, `least` is out of bounds, or gold has no concept that the library has.
            InputError: a file cannot be read.
            BusyError: another process, or job of this one, is writing to the library.
        """
        from conspectus.graph.vocabularies.gold import NameLearner, read_gold

        if not 0 <= least <= 1:
            raise UsageError(f"{least} is no probability.", "Give one from 0 to 1.")
        with self.session.writing(), listen(progress, Progress):
            files = (user_path(path).absolute() for path in names_of(gold))
            texts = [*_with_progress(chain.from_iterable(map(read_gold, files)))]
            learner = NameLearner(self.session, texts)
            rules = learner.rules(least)
            with writing(self.session.catalog.engine) as connection:
                vocabulary_sql.forget_learnt(connection)
                is_new = {rule: vocabulary_sql.put_new_rule(connection, *rule, vocabulary_sql.LEARNT) for rule in rules}
        new = [verdict for (_, _, verdict), was_new in is_new.items() if was_new]
        return LearnReport(
            len({text.paper for text in texts}),
            sum(len(text.mentions) for text in texts),
            learner.unknown,
            new.count("use"),
            new.count("leave"),
            len(is_new) - len(new),
        )  # fmt: skip

    @verb("vocabulary forget-learnt", http="DELETE /name-rules/learnt", key="forgotten", writes=True)
    def forget_learnt(self) -> tuple[NameRule, ...]:
        """Forget all rules about names that were learnt. Your own rules stay. Returns the rules that are gone.

        Raises:
            BusyError: another process, or job of this one, is writing to the library.
        """
        learnt = tuple(rule for rule in self.names() if rule.source == vocabulary_sql.LEARNT)
        with self.session.writing(), writing(self.session.catalog.engine) as connection:
            vocabulary_sql.forget_learnt(connection)
        shutil.rmtree(self.session.folder / GOLD, ignore_errors=True)
        return learnt

    @verb("vocabulary sample", key="sentences")
    def sample(
        self,
        output: Annotated[Output, Option("Table (CSV) to write.", metavar="FILE", faces=("cli",))],
        *,
        sentences: Annotated[int, Option("Maximum number of sentences.", ge=1, short="n", metavar="N")] = 100,
    ) -> int:
        """Write random sentences and the mentions found in them, as a table (CSV) to correct and learn from.

        Each mention is a row. Empty `concept` where the words mean no concept, or put another id there. Add a row below
        its sentence for each mention that was missed. `vocabulary learn` reads the table.

        Raises:
            UsageError: no paper is linked, or the file cannot be written.
        """
        from conspectus.graph.vocabularies.gold import COLUMNS

        keys = sql.papers_with_mentions(self.session.catalog)
        if not keys:
            raise UsageError("No paper mentions an entity yet.", NO_ENTITY)
        draw = random.Random(0)  # noqa: S311 - no secret: the same sample as long as the library is the same
        papers = draw.sample(keys, min(len(keys), _PAPERS))
        drawn = [sentence for key in papers for sentence in _sentences(self.owner, key)]
        chosen = draw.sample(drawn, min(len(drawn), sentences))
        with writing_to(output) as stream:
            stream.write(csv_line(COLUMNS))
            for paper, text, mentions in sorted(chosen):
                for mention in mentions:
                    stream.write(csv_line((paper, text, *mention)))
        return len(chosen)

    @verb("vocabulary suggest", http="POST /vocabularies/{vocabulary}/suggestions", job=True)
    def suggest(
        self,
        vocabulary: VocabularyName,
        *,
        k: Annotated[int, Option("Maximum number of results.", ge=1, le=1000, short="k", metavar="N")] = 40,
        filters: PaperFilters = None,
        output: Annotated[
            Output, Option("Write them as SKOS (Turtle) to this file.", metavar="FILE", short="o", faces=("cli",))
        ] = "",
        progress: Progressing = None,
    ) -> SuggestionReport:
        """Suggest terms that papers use often and a vocabulary lacks, with where they would belong.

        What a term is is learnt from the phrases of the papers that the vocabulary has. Phrases that any vocabulary of
        the library has are left out; plurals, short forms and other orders of the words are one term. Each comes with
        the concept that it would be below, and sentences. A curator decides.

        Raises:
            NotFoundError: there is no such vocabulary.
            UsageError: the file cannot be written.
        """
        from conspectus.graph.vocabularies.skos import write_turtle
        from conspectus.graph.vocabularies.suggestions import suggest_terms

        key = _key(self.session, vocabulary)
        with listen(progress, Progress):
            report = suggest_terms(self.session, key, filters or Filters(), k)
        if not output:
            return report
        with writing_to(output) as stream:
            for text in write_turtle(report, vocabulary_sql.concept_iris(self.session.catalog, key)):
                stream.write(text)
        return replace(report, path=os.fspath(output) if isinstance(output, str | os.PathLike) else "")


def _with_progress(texts: Iterator[Gold]) -> Iterator[Gold]:
    for number, text in enumerate(texts, 1):
        yield text
        emit(Progress("reading gold", number, 0, "texts"))


def _sentences(library: Library, key: int) -> Iterator[tuple[str, str, tuple[tuple[int, str, str, str], ...]]]:
    """A paper's sentences with mentions: paper, sentence, (start, words, id, label) of each mention."""
    catalog = library.session.catalog
    for paper in catalog.papers_by_key([key]).values():
        spans = {(passage.id, span.id): span for passage in catalog.passages(paper.id) for span in passage.spans}
        mentions = library.graph.mentions(paper.id)
        for place, group in grouped(((mention.passage_id, mention.span_id), mention) for mention in mentions).items():
            span = spans[place]
            yield (
                paper.id,
                span.text,
                tuple((mention.start - span.start, mention.text, mention.entity, mention.name) for mention in group),
            )


def _source_files(vocabularies: Iterable[Vocabulary]) -> set[Path]:
    """The files that vocabularies were read from; a path may have commas, too, and each begins at a root."""
    sources = (source for vocabulary in vocabularies for source in _NEXT_PATH.split(vocabulary.source))
    return {Path(source) for source in sources}


def _with_id(session: Session, name: str) -> tuple[KeptConcept, ...]:
    if concepts := vocabulary_sql.concepts_with_id(session.catalog, name):
        return concepts
    raise NotFoundError(f"There is no concept '{name}'.", "`vocabulary search WORDS` finds concepts by their names.")


def _key(session: Session, name: str) -> int:
    if (key := entities.vocabulary_key(session.catalog, name)) is not None:
        return key
    known = ", ".join(f"'{source.name}'" for source in vocabulary_sql.sources(session.catalog).values())
    remedy = f"There are: {known}." if known else "Add one: `vocabulary add FILES…`."
    raise NotFoundError(f"There is no vocabulary '{name}'.", remedy)
