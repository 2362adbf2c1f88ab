"""The JSON of records as types, made of the records' own fields: what is encoded and what a schema says are one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from inspect import cleandoc
from typing import Annotated, Any, get_type_hints

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus import records
from conspectus.records import (
    answer,
    atlas,
    consensus,
    curation,
    events,
    graph,
    hypotheses,
    images,
    ranks,
    results,
    review,
    review_screen,
    sources,
    vocabularies,
)
from conspectus.records.answer import SavedAnswer

LONG = ("references", "extra", "key_phrases", "facts")
"""Left out of a paper where it only accompanies something."""
_KNOWN = {
    **vars(records),
    **vars(consensus),
    **vars(review),
    **vars(review),
    **vars(review_screen),
    **vars(curation),
    **vars(graph),
    **vars(events),
    **{"Sequence": Sequence, "np": np, "npt": npt},
}


_ABSENT = "x-absent"
"""Marks, within this module, what of a schema need not be there."""


def shape(
    record: type,
    names: Iterable[str] = (),
    called: Mapping[str, str] | None = None,
    /,
    *,
    kind: str = "",
    title: str = "",
    **own: Any,
) -> Any:
    """A type with fields of a record, of the types that they have there.

    Args:
        record: a dataclass.
        names: the fields, and properties of which `own` has the type; none: all fields, and what else `own` has.
        called: fields that have another name in JSON.
        kind: what the field `kind` says, for one of several that a reader has to tell apart.
        title: what it is called, if not as the record.
        own: types of fields that are otherwise in JSON.
    """
    hints = get_type_hints(record, localns=_KNOWN)
    field_names = tuple(names) or tuple(dict.fromkeys((*(field.name for field in fields(record)), *own)))
    types = {name: own.get(name) or hints[name] for name in field_names}
    return struct(title or record.__name__, record.__doc__ or "", kind, called, **types)


def struct(title: str, doc: str, kind: str = "", called: Mapping[str, str] | None = None, /, **types: Any) -> Any:
    """A type with these fields."""
    tagged: dict[str, Any] = {"tag_field": "kind", "tag": kind} if kind else {}
    absent = [name for name, field_type in types.items() if msgspec.UnsetType in getattr(field_type, "__args__", ())]
    field_specs: list[Any] = [
        (n, field_type, msgspec.UNSET) if n in absent else (n, field_type) for n, field_type in types.items()
    ]
    struct_type = msgspec.defstruct(
        title, field_specs, frozen=True, kw_only=True, module=__name__, rename=called, **tagged
    )
    struct_type.__doc__ = doc
    return struct_type


def optional(field_type: Any) -> Any:
    """A field that need not be there."""
    return Annotated[field_type, msgspec.Meta(extra_json_schema={_ABSENT: True})] | msgspec.UnsetType


def components(types: Iterable[Any], ref_template: str) -> tuple[tuple[dict[str, Any], ...], dict[str, dict[str, Any]]]:
    """The schemas of types, and of all that stands in them, by names. What is encoded has all of its fields, always."""
    schemas, parts = msgspec.json.schema_components(tuple(types), ref_template=ref_template)
    settled_parts = {name: _settled(part) for name, part in parts.items()}
    return tuple(map(_settled, schemas)), {name: _require_defaults(part) for name, part in settled_parts.items()}


_OF_SCHEMAS = ("items", "prefixItems", "anyOf", "additionalProperties")


def _settled(schema: Any) -> Any:
    """A schema as all versions of msgspec write it: 0.23 adds which keys a mapping may have, and empty defaults."""
    if isinstance(schema, list | tuple):
        return [_settled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    settled = {key: _settled(value) if key in _OF_SCHEMAS else value for key, value in schema.items()}
    settled.pop("propertyNames", None)
    if settled.get("default") == {}:
        del settled["default"]
    if "properties" in settled:
        settled["properties"] = {name: _settled(part) for name, part in settled["properties"].items()}
    return settled


def _require_defaults(part: dict[str, Any]) -> dict[str, Any]:
    """Fields with a usual value are always there too."""
    description = {"description": cleandoc(part["description"])} if "description" in part else {}
    if part.get("type") != "object":
        return {**part, **description}
    absent = [name for name, schema in part["properties"].items() if schema.pop(_ABSENT, False)]
    return {**part, **description, "required": [name for name in part["properties"] if name not in absent]}


def list_of(entry_type: Any) -> Any:
    """Several of a shape."""
    return list[entry_type]


def encoded(record: object, as_type: Any) -> Any:
    """A record as dictionaries, lists, text and numbers, with the fields of its shape."""
    return msgspec.to_builtins(msgspec.convert(record, as_type, from_attributes=True))


PAPER = shape(
    records.Paper,
    (*(field.name for field in fields(records.Paper) if field.name not in LONG), "publication_status"),
    publication_status=records.PublicationStatus,
)
CITATION = shape(records.Citation, ("paper", "passage_id", "quote", "marker", "spans"), paper=PAPER, marker=str)
STATEMENT = shape(
    records.Statement, ("text", "status", "why", "score", "evidence", "citations"), citations=list_of(CITATION)
)
EVIDENCE = shape(
    records.Evidence,
    ("paper", "id", "passage_id", "quote", "summary", "score", "retrieval", "label", "spans"),
    paper=PAPER,
    quote=str,
)
DRAFT = shape(records.Draft, statements=list_of(STATEMENT))
FOUND_FIGURE = shape(records.FoundFigure, paper=PAPER)
FIGURE_READING = shape(records.FigureReading, ("model", "tells", "text", "values"))
ANSWER = shape(
    records.Answer,
    (
        *("question", "answered", "reason", "method", "text", "models", "usage", "note", "id", "made", "kind"),
        *("standalone", "background", "queries", "opinion", "trace", "probability"),
        "unread",
        *("statements", "evidence", "drafts", "figures", "closest"),
    ),
    closest=CITATION | None,
    statements=list_of(STATEMENT),
    evidence=list_of(EVIDENCE),
    drafts=list_of(DRAFT),
    figures=list_of(shape(records.CitedFigure, figure=FOUND_FIGURE, reading=FIGURE_READING | None)),
)
_ORIGIN = struct(
    "SummaryOrigin",
    "Who wrote a summary, and for each of its sentences the ids of the paper's own that carry it.",
    **{"model": str, "prompt": str, "made": str, "links": list_of(list_of(str))},
)
_HIT = shape(
    records.Hit,
    ("rank", "score", "factors", "paper", "passage", "more", "sources", "summary", "outlying"),
    paper=PAPER,
    more=list_of(str),
    sources=optional(list_of(str)),
    summary=optional(_ORIGIN),
    outlying=optional(records.Outlying),
)
_OPEN = msgspec.Meta(
    description="What else its sources said, as they said it.", extra_json_schema={"additionalProperties": True}
)
_COUNTED = ("words", "papers", "passages", "note", "conditions")
FIGURES = shape(records.FigureResult, title="FigureHits", hits=list_of(shape(records.FigureHit, figure=FOUND_FIGURE)))
FIGURE_CARD = shape(records.FigureCard, figure=FOUND_FIGURE)
_EDGE = shape(
    graph.Edge,
    ("source", "target", "kind", "papers", "sentences", "spans", "examples"),
    spans=list_of(records.Span),
    examples=list_of(CITATION),
)
SUBGRAPH = shape(graph.Subgraph, edges=list_of(_EDGE))
_PARAGRAPH = shape(graph.EntityParagraph, paper=PAPER, citations=list_of(CITATION))
_MENTION = shape(graph.Mention, title="EntityMention")
NEW_ENTITY = shape(graph.NewEntity, examples=list_of(CITATION))
NEW_ENTITIES = shape(graph.NewEntities, entities=list_of(NEW_ENTITY))
_LATER = shape(graph.Later, first=CITATION | None)
_HYPOTHESIS = shape(graph.Hypothesis, paths=list_of(shape(graph.Bridge, hops=list_of(_EDGE))), later=_LATER | None)
_PREMISE = shape(hypotheses.Premise, citations=list_of(CITATION))
_TESTABLE = shape(
    hypotheses.TestableHypothesis,
    ledger=list_of(shape(hypotheses.Assumption, citation=CITATION | None)),
    later=_LATER | None,
    proposal=shape(hypotheses.HypothesisProposal, premises=list_of(_PREMISE)) | None,
)
_LEAD = shape(
    hypotheses.HypothesisLead,
    ledger=list_of(shape(hypotheses.LeadAssumption, citation=CITATION | None)),
    later=shape(hypotheses.LaterPapers, first=CITATION | None) | None,
)
DISCOVERY = shape(graph.Discovery, pairs=list_of(_HYPOTHESIS))
STANCE = shape(
    records.Stance,
    ("rank", "stance", "why", "score", "outlying", "label", "paper", "citations"),
    paper=PAPER,
    citations=list_of(CITATION),
)
UNJUDGED = shape(consensus.Unjudged, ("rank", "paper", "label", "reason"), paper=PAPER)
CONSENSUS = shape(
    records.Consensus,
    (
        *("question", "claim", "level", "reason", "balance", "relevance", "explanation", "models", "usage", "note"),
        *("made", "counts", "stances", "unjudged"),
    ),
    counts=dict[consensus.StanceKind, int],
    stances=list_of(STANCE),
    unjudged=list_of(UNJUDGED),
)
_WORK = ("title", "authors", "year", "venue", "doi", "arxiv_id", "pmid")
"""What is told of a work that a reference was compared with."""
_CHECK = shape(records.ReferenceCheck, record=shape(records.Metadata, _WORK, title="Work") | None)
AUDIT = shape(
    records.AuditReport,
    ("counts", "looked_up", "service", "notes", "checks"),
    {"checks": "references"},
    counts=dict[str, int],
    looked_up=list_of(records.LookUps),
    checks=list_of(_CHECK),
)
_RERUN = shape(
    records.Rerun,
    ("before", "changed", "new", "gone", "new_sources", "gone_sources", "answer"),
    before=str,
    changed=bool,
    new=list_of(STATEMENT),
    gone=list_of(STATEMENT),
    new_sources=list_of(PAPER),
    gone_sources=list_of(PAPER),
    answer=ANSWER,
)
_SAVED_ANSWER = shape(SavedAnswer, answer=ANSWER)
_SAVED_CONVERSATION = shape(answer.Conversation, title="ConversationWithAnswers", answers=list_of(ANSWER))
_FOUND_WORK = shape(
    sources.FoundWork,
    paper=shape(records.Metadata, title="FoundPaper", extra=Annotated[dict[str, Any], _OPEN]),
)
OVERLAY = shape(atlas.Overlay, values=list_of(float | None))
_POINT = struct(
    "MapPoint",
    "A text on the map: its paper, its passage (`unit`; empty on a map of papers), its place and its smallest region.",
    **{"paper": str, "unit": str, "title": str, "year": int | None, "citations": int | None},
    **{"x": float, "y": float, "region": int},
)
MAP = shape(
    atlas.Atlas,
    (
        *("of", "method", "model", "regions_by", "made", "fitted", "left_out", "moved", "notes", "state"),
        *("texts", "changes", "regions", "overlay", "points"),
    ),
    title="Map",
    texts=int,
    overlay=optional(OVERLAY),
    points=optional(list_of(_POINT)),
)
_IMAGE_HIT = shape(images.CollectedImage, title="CollectedImageHit", rank=int, score=float)
_LAST_ADD = struct(
    "LastAdd",
    "When the last run of `add` that read anything ended, how many files it read, in how many seconds; else nothing.",
    **{"at": optional(str), "files": optional(int), "seconds": optional(float)},
)
STATUS = shape(records.Status, last_add=_LAST_ADD)
_CATEGORY_CHOICE = shape(review.CategoryChoice, citations=list_of(CITATION))
_CLASSIFIED = shape(
    review.ClassifiedPaper,
    paper=PAPER,
    categories=list_of(_CATEGORY_CHOICE),
    closest=_CATEGORY_CHOICE | None,
)
_DISAGREEMENT = shape(
    review.LabelDisagreement,
    paper=PAPER,
    labels=list_of(_CATEGORY_CHOICE),
    categories=list_of(_CATEGORY_CHOICE),
)
_TABLE_CELL = shape(review.TableCell, citations=list_of(CITATION))
_TABLE_ROW = shape(review.PaperRow, paper=PAPER, cells=list_of(_TABLE_CELL))
_TABLE = shape(review.ReviewTable, rows=list_of(_TABLE_ROW))
_ASKED = msgspec.Meta(
    description="What was asked, as its kind has it: a criterion, categories, columns.",
    extra_json_schema={"additionalProperties": True},
)
CONTRADICTION = shape(review.Contradiction, first=CITATION, second=CITATION)
_RANKED = shape(ranks.RankedPaper, paper=PAPER)
SUMMARY = shape(records.Passage, title="SummaryPassage", model=str, prompt=str, made=str, links=list_of(list_of(str)))
_SUMMARISED = struct(
    "Summarised", "A paper that has new summaries.", paper=str, passages=int, summaries=list_of(SUMMARY)
)
_NOT = struct("NotSummarised", "A paper that has none, and why.", paper=str, reason=str)
SHAPES: dict[type, Any] = {
    records.SummariseReport: shape(
        records.SummariseReport,
        ("summarised", "failed", "already", "short", "left", "stopped", "model", "usage", "notes"),
        summarised=list_of(_SUMMARISED),
        failed=list_of(_NOT),
    ),
    atlas.Atlas: MAP,
    atlas.Overlay: OVERLAY,
    images.ImageGroups: shape(
        images.ImageGroups,
        title="GroupsOfImages",
        groups=list_of(shape(images.ImageGroup, title="GroupOfImages", images=list_of(_IMAGE_HIT))),
    ),
    images.ImageMap: shape(
        images.ImageMap,
        ("collection", "method", "encoder", "took", "note", "images", "x", "y"),
        title="MapOfImages",
        images=list_of(str),
        x=list_of(float),
        y=list_of(float),
    ),
    images.ImageResult: shape(images.ImageResult, hits=list_of(_IMAGE_HIT)),
    records.Answer: ANSWER,
    records.AuditReport: AUDIT,
    records.Consensus: CONSENSUS,
    records.FigureCard: FIGURE_CARD,
    records.FigureResult: FIGURES,
    records.CitedWork: shape(records.Reference, title="CitedReference", paper_id=str, by=str),
    records.Paper: shape(
        records.Paper,
        title="WholePaper",
        extra=Annotated[dict[str, Any], _OPEN],
        publication_status=records.PublicationStatus,
    ),
    records.Rerun: _RERUN,
    results.PaperPage: shape(results.PaperPage, title="PageOfPapers", papers=list_of(PAPER), next=str | None),
    records.SearchResult: shape(records.SearchResult, title="SearchHits", hits=list_of(_HIT)),
    records.WordCount: struct("WordCountOfQuery", "", query=str, count=shape(records.WordCount, _COUNTED)),
    records.Statement: STATEMENT,
    records.Status: STATUS,
    curation.SplitPaper: struct(
        "PaperOfSplit",
        "A paper with the documents that it is made of.",
        **{field.name: field.type for field in msgspec.structs.fields(PAPER)},
        documents=list_of(records.PaperDocument),
    ),
    curation.EditedPaper: shape(curation.EditedPaper, paper=PAPER),
    curation.RemovedPapers: shape(curation.RemovedPapers, removed=list_of(PAPER)),
    SavedAnswer: _SAVED_ANSWER,
    answer.SavedConversation: _SAVED_CONVERSATION,
    graph.EntityCard: shape(graph.EntityCard, edges=list_of(_EDGE)),
    graph.EntityParagraphs: shape(
        graph.EntityParagraphs,
        paragraphs=list_of(shape(graph.EntityParagraph, paper=PAPER, citations=list_of(CITATION))),
    ),
    graph.EntityList: shape(graph.EntityList, mentions=list_of(_MENTION)),
    graph.Mention: _MENTION,
    graph.SentenceMentions: shape(graph.SentenceMentions, mentions=list_of(_MENTION)),
    graph.NewEntities: NEW_ENTITIES,
    graph.NewEntity: NEW_ENTITY,
    graph.Discovery: DISCOVERY,
    graph.Subgraph: SUBGRAPH,
    hypotheses.HypothesisReport: shape(
        hypotheses.HypothesisReport, hypotheses=list_of(_TESTABLE), leads=list_of(_LEAD)
    ),
    vocabularies.SuggestionReport: shape(
        vocabularies.SuggestionReport,
        suggestions=list_of(shape(vocabularies.TermSuggestion, examples=list_of(CITATION))),
    ),
    review.Classification: shape(review.Classification, papers=list_of(_CLASSIFIED)),
    review.ClassificationCheck: shape(review.ClassificationCheck, disagreements=list_of(_DISAGREEMENT)),
    ranks.PaperRanking: shape(ranks.PaperRanking, ranking=list_of(_RANKED)),
    ranks.PairVerdict: shape(ranks.PairVerdict, first=PAPER, second=PAPER, citations=list_of(CITATION)),
    review.Review: shape(review.Review, spec=Annotated[dict[str, Any], _ASKED]),
    review.ReviewTable: _TABLE,
    review.TableCell: _TABLE_CELL,
    review.ContradictionReport: shape(
        review.ContradictionReport,
        title="Contradictions",
        contradictions=list_of(CONTRADICTION),
        candidates=list_of(CONTRADICTION),
    ),
    review.LiteratureReport: shape(
        review.LiteratureReport,
        title="ReportWithSections",
        sections=list_of(shape(review.ReportSection, answer=ANSWER)),
        papers=list_of(shape(review.ReportedPaper, paper=PAPER, main=CITATION)),
        disagreements=list_of(CONTRADICTION),
        tables=list_of(_TABLE),
    ),
    review_screen.Screening: shape(
        review_screen.Screening,
        paper=PAPER | None,
        disputed=list_of(shape(review_screen.ScreeningConflict, paper=PAPER)),
    ),
    sources.OnlineResults: shape(sources.OnlineResults, results=list_of(_FOUND_WORK)),
}
"""In which shape records are told that are not told with all their fields."""
