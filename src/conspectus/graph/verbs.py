"""The entities that papers mention: find them, explore what joins them, review and merge them, export the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.job_context import listen
from conspectus.core.output import Output
from conspectus.faces.declare import Option, VerbGroup, run_code, verb
from conspectus.faces.filters import Budget, ModelName, PaperFilters, PaperName, Progressing, model_or_none
from conspectus.graph import sql
from conspectus.graph.entities import (
    check_linked,
    describe_entity,
    find_entities,
    find_entity,
    leave_out_general,
    list_merged,
    list_reviewed,
    merge_entities,
    set_review_state,
    unmerge_entity,
)
from conspectus.graph.mention_finder import PaperLinker, keep_method, linking_version
from conspectus.graph.resolver import recall_judgements
from conspectus.graph.verdicts import read_verdicts
from conspectus.graph.vocabularies.equal_concepts import merge_equal_concepts
from conspectus.ingest.derivations.facts import MentionRows
from conspectus.records import Filters
from conspectus.records.events import Progress
from conspectus.records.graph import (
    Discovery,
    EntityCard,
    EntityList,
    EntityMerge,
    EntityParagraphs,
    EntityState,
    GraphExport,
    GraphVerdict,
    LinkReport,
    Mention,
    NewEntities,
    NewEntity,
    RelateReport,
    SentenceMentions,
    Subgraph,
)
from conspectus.store import derivations, entities
from conspectus.store.connection import split_chunks, transact
from conspectus.store.facets import count_papers

DEEPEST = 4
"""Hops of a path."""
LONGEST = 500
"""Letters of an entity's name."""
CAUTION = "No sentence was found that names both. The sentences shown suggest where to look; they state no finding."
WEIGHED = "Ordered by sentences, those of entities that may be too general counting less; `general=True` counts all."
NOTHING = "No candidates: no specific entity shares enough others with it. `graph link` with more papers may find some."
EntityName = Annotated[
    str, Option("An entity: a name or an id.", max_length=LONGEST, metavar="ENTITY", example="hippocampus")
]
EntityNames = Annotated[
    Sequence[str],
    Option("Entities: names or ids.", max_length=LONGEST, max_items=100, metavar="ENTITY…", example=["local:5f1e"]),
]
Count = Annotated[int, Option("Maximum number of results.", ge=1, le=1000, short="k", metavar="N")]
ExploredEntities = Annotated[
    Sequence[str],
    Option(
        "Entities: names or ids.",
        max_length=LONGEST,
        max_items=10,
        metavar="ENTITY…",
        query="name",
        example=["neuron"],
    ),
]
Examples = Annotated[int, Option("Maximum sentences to show for each edge.", ge=0, le=100, metavar="N")]
VocabularyName = Annotated[str, Option("Only entities of this vocabulary.", max_length=100, metavar="NAME")]


class GraphVerbs(VerbGroup, name="graph"):
    """Entities that papers mention, and what connects them.

    The terms of a field are defined in vocabularies. Linking finds them in the sentences of papers.
    """

    @verb(http="POST /link", job=True, writes=True, exit_code=run_code)
    def link(
        self,
        *,
        model: Annotated[
            str | None,
            model_or_none(
                "Let a language model read the papers too: the one in the settings, or NAME.", ("cli", "http", "mcp")
            ),
        ] = None,
        method: Annotated[
            Literal["", "exact", "fuzzy", "semantic", "both"],
            Option("How names are matched; by default as the last time, at first `exact`.", metavar="METHOD"),
        ] = "",
        budget: Budget = None,
        progress: Progressing = None,
    ) -> LinkReport:
        """Find the entities of the library's vocabularies in all sentences of its papers.

        Papers that were linked with the same vocabularies are skipped. After an interruption, run it again to continue.
        With a model, a language model also names entities, and judges which of the names found are entities. Entities
        that are in no vocabulary wait for review (`graph review`). If papers failed or the budget ran out, the exit
        code is 1.

        Methods: `exact` finds names in all their forms; `fuzzy` also finds misspelled names; `semantic` also finds
        words whose vector is near that of a name; `both` does all of this.

        Raises:
            UsageError: the library has no vocabulary, and no model is to read; or there is no such method.
            UnavailableError: no language model is set.
            ServiceError: the model cannot be asked.
            BusyError: another process, or job of this one, is writing to the library.
        """
        from conspectus.graph.extraction import extract_entities
        from conspectus.ingest.derivations.registry import derive_missing

        session = self.session.with_settings(budget or {})
        catalog, names = session.catalog, sql.vocabulary_names(session.catalog)
        if not names and model is None:
            raise UsageError("The library has no vocabulary yet.", "`vocabulary add` reads OWL, SKOS, OBO, MeSH, CSV.")
        if model is not None:
            session.role_models(model).of("summarise")  # a wrong setting is reported before anything is done
        with listen(progress, Progress):
            with session.writing():
                keep_method(session, method)
                transact(catalog.engine, merge_equal_concepts)
                derivation = MentionRows(PaperLinker(session, recall_judgements(session)), linking_version(session))
                lacking = derivation.count_lacking(catalog, derivations.noted(catalog))
                linked = derive_missing(catalog, [derivation])[derivation.name]
            extracted = None if model is None else extract_entities(session, model)
        total, number = sql.mention_size(catalog)
        papers = count_papers(catalog, Filters())
        return LinkReport(linked, papers, total, number, lacking - linked, names, extracted)

    @verb(http="POST /relate", job=True, writes=True, exit_code=run_code)
    def relate(
        self,
        *,
        model: ModelName = "",
        again: Annotated[bool, Option("Ask again what was asked before.", example=True)] = False,
        budget: Budget = None,
        progress: Progressing = None,
    ) -> RelateReport:
        """Let a language model read what sentences state about the entities that they mention.

        It gives numbers of a passage's sentences, never its own words. Papers that it has read are skipped. After an
        interruption, or if the budget runs out (exit code 1), run it again to continue.

        Raises:
            UnavailableError: no language model is set.
            UsageError: no paper is linked.
            ServiceError: the model cannot be asked.
        """
        from conspectus.graph.relations import RelationRun

        session = self.session.with_settings(budget or {})
        check_linked(session)
        client, cache = session.caller(model, fresh=again)
        run = RelationRun(session, client)
        with listen(progress, Progress):
            run.work(cache)
        return run.report(cache.trouble)

    @verb(http="GET /entities")
    def entities(
        self,
        paper: PaperName = "",
        *,
        top: Annotated[int, Option("Maximum number of results.", ge=1, le=10_000, metavar="N")] = 50,
        rare: Annotated[bool, Option("List those first that the fewest sentences mention.")] = False,
        general: Annotated[bool, Option("Include entities that are too general for a field.")] = False,
        vocabulary: VocabularyName = "",
        filters: PaperFilters = None,
    ) -> EntityList:
        """List the entities that most, or fewest, sentences mention, in all papers or in one.

        The JSON of one paper also has its mentions, in reading order. In a library of 100 papers or more, entities that
        are too general (`difference`, `response`) are left out unless you ask for them, and those that may be too
        general come later than their sentences alone would place them.

        Raises:
            NotFoundError: there is no such paper, or vocabulary.
        """
        catalog = self.session.catalog
        concept_keys = entities.concepts_of_vocabulary(catalog, vocabulary) if vocabulary else None
        if concept_keys is not None and not len(concept_keys):
            raise NotFoundError(f"There is no vocabulary '{vocabulary}'.", "`vocabulary list` shows them.")
        counts = (
            sql.count_mentions_in(catalog, catalog.paper_key(self.session.paper(paper).id))
            if paper
            else sql.count_mentions(catalog, filters=filters)
        )
        keys = counts.keys() if concept_keys is None else counts.keys() & set(concept_keys.tolist())
        sign = 1 if rare else -1
        order = sorted(keys, key=lambda key: (sign * counts[key].sentences, sign * counts[key].papers, key))
        if not (rare or general or paper):
            order = leave_out_general(self.session, order, counts, filters or Filters(), top)
        listed = tuple(sql.read_entities(catalog, {key: counts[key] for key in order[:top]}).values())
        mentions = self.mentions(paper) if paper else ()
        is_weighed = listed != tuple(sorted(listed, key=lambda entity: sign * entity.sentences))
        own_mentions = tuple(mention for mention in mentions if vocabulary in ("", mention.vocabulary))
        return EntityList(listed, own_mentions, WEIGHED if is_weighed else "")

    @verb(http="GET /papers/{paper}/mentions", key="mentions", command=False)
    def mentions(self, paper: PaperName) -> tuple[Mention, ...]:
        """List where a paper's sentences mention entities, in reading order.

        Raises:
            NotFoundError: there is no such paper.
        """
        catalog, known = self.session.catalog, self.session.paper(paper)
        passages = list(catalog.passages(known.id))
        places = {(passage.id, span.id): (passage, span) for passage in passages for span in passage.spans}
        numbers = {place: number for number, place in enumerate(places)}
        key = catalog.paper_key(known.id)
        rows = [row for row in entities.mentions_of_papers(catalog, [key]).get(key, ()) if row.place in places]
        rows.sort(key=lambda row: (numbers[row.place], row.start))
        return tuple(row.mention(*places[row.place]) for row in rows)

    @verb("sentence-mentions", http="GET /mentions", command=False)
    def sentence_mentions(
        self,
        spans: Annotated[
            Sequence[str],
            Option("Ids of sentences; those that no longer exist are skipped.", query="span", max_items=200),
        ] = (),
    ) -> SentenceMentions:
        """List which entities sentences of any papers mention, and whether any paper is linked at all."""
        catalog, order = self.session.catalog, {name: number for number, name in enumerate(spans)}
        mentions = [
            mention for chunk in split_chunks(list(order)) for mention in sql.mentions_of_sentences(catalog, chunk)
        ]
        mentions.sort(key=lambda mention: (order[mention.span_id], mention.start))
        return SentenceMentions(sql.has_mentions(catalog), tuple(mentions))

    @verb(http="GET /graph", tool="graph")
    def show(
        self,
        entities: ExploredEntities,
        *,
        depth: Annotated[int, Option("Maximum number of hops.", ge=1, le=DEEPEST, metavar="N")] = 2,
        k: Annotated[
            int, Option("Maximum neighbours of each, or paths between two.", ge=1, le=1000, short="k", metavar="N")
        ] = 10,
        examples: Examples = 1,
        filters: PaperFilters = None,
    ) -> Subgraph:
        """Show the neighbours of an entity, or the paths between several, with the sentences.

        ENTITIES are names, or ids (`UBERON:0000955`). A `co-mention` is a sentence that mentions both entities, and
        claims no more. `graph export` writes the whole graph.

        Raises:
            UsageError: no name, or `depth` is out of range.
            NotFoundError: no vocabulary has an entity of this name, or no paper mentions it.
        """  # fmt: skip
        from conspectus.graph.explorer import Explorer, explore

        if not 1 <= depth <= DEEPEST:
            raise UsageError(f"depth is {depth} but must be from 1 to {DEEPEST}.")
        explorer = Explorer(self.session.catalog, filters or Filters(), examples)
        return explore(explorer, find_entities(self.session, explorer, entities), depth, k)

    @verb(http="GET /graph/paragraphs", tool="paragraphs")
    def paragraphs(
        self,
        entities: ExploredEntities,
        *,
        k: Count = 10,
        filters: PaperFilters = None,
    ) -> EntityParagraphs:
        """List the paragraphs that mention an entity, or all of several, those with the most such sentences first.

        Raises:
            UsageError: no name.
            NotFoundError: no vocabulary has an entity of this name, or no paper mentions it.
        """
        from conspectus.graph.explorer import Explorer
        from conspectus.graph.paragraphs import list_paragraphs

        explorer = Explorer(self.session.catalog, filters or Filters())
        return list_paragraphs(explorer, find_entities(self.session, explorer, entities), k)

    def between(self, first: str, second: str, **options: Any) -> Subgraph:
        """The paths between two entities; with the options of `show`."""
        return self.show([first, second], **options)

    @verb(tool="entity", command=False)
    def entity(self, name: EntityName, *, k: Count = 10) -> EntityCard:
        """Describe an entity: names, definition, how many sentences mention it, and its neighbours with a sentence.

        Raises:
            NotFoundError: no vocabulary has an entity of this name, or no paper mentions it.
        """
        return describe_entity(self.session.catalog, self.show([name], depth=1, k=k))

    @verb(http="GET /graph/discover", tool="discover")
    def discover(
        self,
        entity: Annotated[
            str,
            Option(
                "An entity: a name or an id.", max_length=LONGEST, metavar="ENTITY", query="name", example="migraine"
            ),
        ],
        *,
        until: Annotated[
            int | None, Option("Only papers up to this year; later ones are reported.", ge=1, le=9999, metavar="YEAR")
        ] = None,
        k: Count = 20,
        examples: Examples = 1,
        apart: Annotated[bool, Option("Leave out entities that a paper mentions together with ENTITY.")] = False,
        filters: PaperFilters = None,
    ) -> Discovery:
        """Suggest what may be worth looking into: entities linked to a given one only through others.

        No sentence mentions both ENTITY (a name, or an id) and an entity that is suggested; sentences mention each of
        them with the same others (Swanson 1986). The suggestions say where to look, and state no finding.

        Raises:
            UsageError: k is below 1, or examples below 0.
            NotFoundError: no vocabulary has an entity of this name, or no paper that counts mentions it.
        """
        from conspectus.graph.discovery import find_discoverer, split_years
        from conspectus.graph.explorer import Explorer

        if k < 1 or examples < 0:
            raise UsageError(f"k is {k} and examples {examples}, but they must be at least 1 and 0.")
        before, after = split_years(filters or Filters(), until)
        catalog, explorer = self.session.catalog, Explorer(self.session.catalog, before, examples)
        key = find_entity(self.session, explorer, entity)
        discoverer = find_discoverer(self.session, explorer, [key], after)
        candidates, pairs, nodes = discoverer.pairs(key, k, only_apart=apart)
        (start,) = sql.read_entities(catalog, {key: explorer.counts([key])[key]}).values()
        note = CAUTION if pairs else NOTHING
        return Discovery(start, until, candidates, discoverer.forecast.foresight.ranking, nodes, pairs, note)

    @verb(http="GET /entities/review")
    def review(
        self,
        *,
        state: Annotated[EntityState, Option("Entities that wait (new), or were accepted or rejected.")] = "new",
        limit: Annotated[int, Option("Maximum number of results.", ge=1, le=1000, short="n", metavar="N")] = 100,
        offset: Annotated[int, Option("How many to skip.", ge=0, le=10**9, metavar="N")] = 0,
        examples: Annotated[int, Option("Maximum sentences to show for each.", ge=0, le=100, metavar="N")] = 1,
    ) -> NewEntities:
        """List entities that a language model found and that are in no vocabulary, most frequent first.

        `graph accept`, `graph reject` and `graph merge` say what they are. Merged entities are listed by
        `graph merges`.

        Raises:
            UsageError: there is no such state.
        """
        return list_reviewed(self.session, state, limit, offset, examples)

    @verb(http="POST /entities/accept", key="reviewed", writes=True)
    def accept(self, entities: EntityNames) -> tuple[NewEntity, ...]:
        """Accept entities that a language model found: linking searches papers for their names from now on.

        Raises:
            NotFoundError: no model found it, or it belongs to a vocabulary.
            UsageError: several entities have this name.
            BusyError: another process, or job of this one, is writing to the library.
        """
        return set_review_state(self.session, entities, "accepted")

    @verb(http="POST /entities/reject", key="reviewed", writes=True)
    def reject(self, entities: EntityNames) -> tuple[NewEntity, ...]:
        """Reject entities that a language model found: papers no longer mention them, and they do not come back.

        Raises:
            NotFoundError, UsageError, BusyError: as `accept`.
        """
        return set_review_state(self.session, entities, "rejected")

    @verb("undo-review", http="POST /entities/undo", key="reviewed", writes=True)
    def undo_review(self, entities: EntityNames) -> tuple[NewEntity, ...]:
        """Put entities that were accepted or rejected back into the review.

        Raises:
            NotFoundError, UsageError, BusyError: as `accept`.
        """
        return set_review_state(self.session, entities, "new")

    @verb(http="POST /entities/merge", key="merge", writes=True)
    def merge(
        self,
        entity: EntityName,
        into: Annotated[str, Option("The entity that it is.", max_length=LONGEST, metavar="INTO", example="X:2")],
    ) -> EntityMerge:
        """Merge an entity into another one wherever papers mention it. Nothing that was found is changed.

        Name entities by id (`VOCABULARY/ID` if several vocabularies have it), or by a name that only one has. Entities
        that were merged into it go with it. `graph unmerge` undoes it.

        Raises:
            NotFoundError: there is no such entity.
            UsageError: several have this name, both are the same, or it was merged before.
            BusyError: another process, or job of this one, is writing to the library.
        """
        return merge_entities(self.session, entity, into)

    @verb(http="POST /entities/unmerge", key="merge", writes=True)
    def unmerge(self, entity: EntityName) -> EntityMerge:
        """Undo the merge of an entity, and show it as it was.

        Raises:
            NotFoundError: it was not merged into another one.
            UsageError: several have this name.
        """
        return unmerge_entity(self.session, entity)

    @verb(http="GET /entities/merges", key="merges")
    def merges(
        self,
        entity: Annotated[
            str, Option("Only what is one with this entity, whoever says so.", max_length=LONGEST, metavar="ENTITY")
        ] = "",
        *,
        vocabularies: Annotated[bool, Option("Also those that vocabularies say are the same.")] = False,
    ) -> tuple[EntityMerge, ...]:
        """List entities that were merged into others: the newest first, then those that vocabularies say are the same.

        `graph unmerge` separates one for good, even if a vocabulary says that it is the same.

        Raises:
            NotFoundError: no vocabulary has an entity of this name.
        """
        return list_merged(self.session, entity, automatic=vocabularies)

    @verb()
    def export(
        self,
        output: Annotated[Output, Option("File, or folder for `csv`.", metavar="[FILE]", faces=("cli",))] = "",
        *,
        to: Annotated[
            str, Option("graphml, jsonld, cypher, csv, or neo4j+s://HOST[:PORT].", metavar="FORMAT", faces=("cli",))
        ],
        database: Annotated[str, Option("Database on the server.", metavar="NAME")] = "",
        prune: Annotated[bool, Option("Remove from a database what the library no longer has.")] = False,
        filters: PaperFilters = None,
    ) -> GraphExport:
        """Write the graph for other programs: entities, sentences, paragraphs, papers, and the edges between them.

        FILE is a folder for `csv`: tables as Neo4j imports them. A database that speaks Bolt (Neo4j) is loaded without
        a file; run the same command again to update it. The user and password come from NEO4J_USERNAME and
        NEO4J_PASSWORD in the environment, or from the keyring. Pruning leaves what other libraries or people put there.

        Raises:
            UsageError: no such format, no database to `prune`, or filters together with it; no paper is linked; the
                file cannot be written; `csv` without a folder; an address that does not prove who is there.
            BusyError: another process is writing to the library, which needs a name for databases.
            UnavailableError: the driver of databases is not installed.
            ServiceError: the database is away, or refuses.
        """
        from conspectus.graph.exporter import export_graph

        return export_graph(self.session, output, to, database, prune=prune, filters=filters)

    @verb(key="rows")
    def query(
        self,
        statement: Annotated[str, Option("In Cypher, with values as $name.", metavar="CYPHER", faces=("cli",))],
        *,
        address: Annotated[
            str, Option("Database address: neo4j+s://HOST[:PORT].", flag="from", metavar="ADDRESS", faces=("cli",))
        ],
        values: Annotated[
            Mapping[str, Any] | Sequence[str],
            Option("Value of a $NAME in the statement.", flag="value", metavar="NAME=TEXT"),
        ] = (),
        database: Annotated[str, Option("Database on the server.", metavar="NAME")] = "",
        k: Annotated[int, Option("Maximum number of rows.", ge=1, le=10_000, short="k", metavar="N")] = 100,
    ) -> tuple[dict[str, Any], ...]:
        """Query a database into which the graph was exported, in Cypher. It only reads.

        For example `MATCH (a:Entity {label: $a})-[r:RELATED_TO]-(b) RETURN b.label, r.sentences`. Neo4j refuses to
        write; what another database would change is rolled back.

        Raises:
            UsageError, UnavailableError, ServiceError: as `export`; also if the statement is wrong, or writes.
        """
        from conspectus.graph import bolt

        return tuple(bolt.run_query(statement, address, bolt.read_values(values), database, k))

    def verdicts(self) -> tuple[GraphVerdict, ...]:
        """What searching by the graph was last measured to gain in this library (`eval graph`); none: not measured."""
        return read_verdicts(self.session)
