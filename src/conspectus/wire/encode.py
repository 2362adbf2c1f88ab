"""Records as JSON speaks of them: the field names are the records' own (docs: the public contract)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from conspectus.records import (
    AddReport,
    Answer,
    AuditReport,
    CitedWork,
    Consensus,
    Figure,
    FigureCard,
    FigureResult,
    Hit,
    LedgerRow,
    Paper,
    ParsedPaper,
    ReferenceCheck,
    Rerun,
    SearchResult,
    Status,
    SummariseReport,
    Summary,
)

if TYPE_CHECKING:
    from conspectus.catalog.stored_records import SavedAnswer, SavedConversation
    from conspectus.records.atlas import Atlas, Overlay
    from conspectus.records.entities import NewEntities, NewEntity
    from conspectus.records.graph import Discovery, Subgraph
    from conspectus.records.images import ImageGroups, ImageHit, ImageMap, ImageResult

WORK = ("title", "authors", "year", "venue", "doi", "arxiv_id", "pmid")
"""What is told of a work that a reference was compared with."""


def references(works: Iterable[CitedWork]) -> list[dict[str, Any]]:
    """A reference list, each entry with the paper of the library that it is."""
    return [{**plain(work.reference), "paper_id": work.paper_id, "by": work.by} for work in works]


def audit(report: AuditReport) -> dict[str, Any]:
    """The body of `audit`."""
    return {
        "counts": dict(report.counts),
        "looked_up": [plain(one) for one in report.looked_up],
        "service": report.service,
        "notes": list(report.notes),
        "references": [_check(check) for check in report.checks],
    }


def _check(check: ReferenceCheck) -> dict[str, Any]:
    record = check.record
    return {
        "verdict": check.verdict,
        "reference": plain(check.reference),
        "paper_id": check.paper_id,
        "record": record and {name: plain(getattr(record, name)) for name in WORK},
        "agrees": list(check.agrees),
        "contradicts": list(check.contradicts),
        "note": check.note,
        "titled": check.titled,
    }


def figures(parsed: ParsedPaper) -> list[dict[str, Any]]:
    """A paper's figures and tables, each with the words of its caption and the sentences that mention it."""
    return [
        {**plain(figure), "caption": caption(parsed, figure), "mentions": mentions(parsed, figure)}
        for figure in parsed.figures
    ]


def caption(parsed: ParsedPaper, figure: Figure) -> str:
    """The words of a figure's caption; empty where it has none."""
    return parsed.blocks[figure.caption].text if figure.caption is not None else ""


def mentions(parsed: ParsedPaper, figure: Figure) -> list[dict[str, Any]]:
    """The sentences that mention a figure, with the page where the source has pages."""
    return [
        {
            "text": block.text[sentence.start : sentence.end],
            "page": sentence.places[0].page if sentence.places else None,
        }
        for block, sentence in parsed.mentions(figure.key)
    ]


def search_result(result: SearchResult) -> dict[str, Any]:
    """The body of `search` and `similar`."""
    return {
        "query": result.query,
        "words": result.words,
        "conditions": result.conditions,
        "spelling": [plain(one) for one in result.spelling],
        "hits": [_hit(hit) for hit in result.hits],
        "method": result.method,
        "models": list(result.models),
        "took": result.took,
        "note": result.note,
        "expansions": list(result.expansions),
        "routing": plain(result.routing) if result.routing else None,
    }


def figure_card(card: FigureCard) -> dict[str, Any]:
    """The body of `show FIGURE`."""
    figure = plain(card.figure) | {"paper": brief(card.figure.paper)}
    return {"figure": figure, "said": plain(card.said), "href": card.href, "cells": plain(card.cells)}


def figure_result(result: FigureResult) -> dict[str, Any]:
    """The body of `figures`."""
    return _as("FIGURES", result)


def image_hit(hit: ImageHit) -> dict[str, Any]:
    """A hit of `images search`."""
    return {"rank": hit.rank, "score": hit.score, **plain(hit.image)}


def image_result(found: ImageResult) -> dict[str, Any]:
    """The body of `images search`."""
    names = ("query", "collection", "measure", "encoder", "searched", "took", "note")
    return {**{name: getattr(found, name) for name in names}, "hits": [image_hit(hit) for hit in found.hits]}


def image_groups(found: ImageGroups) -> dict[str, Any]:
    """The body of `images clusters` and `images duplicates`."""
    names = ("kind", "collection", "searched", "rule", "took", "note")
    groups = [{"size": one.size, "images": [image_hit(hit) for hit in one.images]} for one in found.groups]
    return {**{name: getattr(found, name) for name in names}, "groups": groups}


def image_map(found: ImageMap) -> dict[str, Any]:
    """The body of `images map`."""
    told = {name: getattr(found, name) for name in ("collection", "method", "encoder", "took", "note")}
    spots = found.positions.round(4).astype(float)
    return {**told, "images": list(found.images), "x": spots[:, 0].tolist(), "y": spots[:, 1].tolist()}


def subgraph(found: Subgraph) -> dict[str, Any]:
    """The body of `graph`."""
    return _as("SUBGRAPH", found)


def new_entities(found: NewEntities) -> dict[str, Any]:
    """The body of `entities --review`."""
    return _as("NEW_ENTITIES", found)


def new_entity(found: NewEntity) -> dict[str, Any]:
    """One of the review list."""
    return _as("NEW_ENTITY", found)


def discovery(found: Discovery) -> dict[str, Any]:
    """The body of `discover`."""
    return _as("DISCOVERY", found)


def atlas(found: Atlas, *, points: bool = False) -> dict[str, Any]:
    """The body of `map`; `points`: with a place for each text."""
    names = ("of", "method", "model", "regions_by", "made", "fitted", "left_out", "moved", "notes", "state")
    told: dict[str, Any] = {name: getattr(found, name) for name in names} | {"texts": len(found)}
    told |= {"changes": plain(found.changes), "regions": plain(found.regions)}
    if not points:
        return told
    spots = found.positions.round(4).astype(float)
    columns: dict[str, Any] = {name: list(getattr(found, name)) for name in ("papers", "units", "titles")}
    columns |= {name: getattr(found, name).tolist() for name in ("years", "citations")}
    columns |= {"x": spots[:, 0].tolist(), "y": spots[:, 1].tolist(), "regions": found.region_ids[:, -1].tolist()}
    return {**told, "points": columns}


def map_points(found: Atlas) -> bytes:
    """A map's columns, one behind the other, little-endian: x and y of each text (float32), regions, years.

    Regions are the smallest (int32), years int16, -1 where one is not known: 14 bytes a text.
    """
    columns = (found.positions, "<f4"), (found.region_ids[:, -1], "<i4"), (found.years.clip(-1, 9999), "<i2")
    return b"".join(column.astype(kind).tobytes() for column, kind in columns)


def overlay(found: Overlay) -> dict[str, Any]:
    """The body of `map --overlay`; values in the order of the map's points, null where a text has none."""
    names = ("name", "of", "since", "kind", "categories", "notes", "state")
    told: dict[str, Any] = {name: getattr(found, name) for name in names}
    told |= {name: plain(getattr(found, name)) for name in ("legend", "regions", "modes", "path")}
    values = found.values.astype(float).round(6).tolist()
    return {**told, "values": [None if value != value else value for value in values]}  # noqa: PLR0124 - NaN


def add_report(report: AddReport, library: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The body of `add`; `library`: the counts of the whole library afterwards, where they are told."""
    outcomes = {name: getattr(report, name) for name in ("added", "updated", "unchanged", "failed", "duplicates")}
    return {
        "files": [{**plain(row), "outcome": name} for name, rows in outcomes.items() for row in rows],
        "counts": {name: len(rows) for name, rows in outcomes.items()},
        "passed_over": dict(report.passed_over),
        **({"library": dict(library)} if library is not None else {}),
    }


def summarise_report(report: SummariseReport, made: Mapping[str, Iterable[Summary]]) -> dict[str, Any]:
    """The body of `summarise`; `made`: the summaries of each paper that was."""
    return {
        "summarised": [
            {"paper": name, "passages": number, "summaries": [summary(one) for one in made.get(name, ())]}
            for name, number in report.summarised.items()
        ],
        "failed": [{"paper": name, "reason": reason} for name, reason in report.failed.items()],
        "already": report.already,
        "short": report.short,
        "left": report.left,
        "stopped": report.stopped,
        "model": report.model,
        "usage": plain(report.usage),
        "notes": list(report.notes),
    }


def status(found: Status, *, failed_only: bool = False) -> dict[str, Any]:
    """The body of `status`."""
    rows = [row for row in found.files if not failed_only or troubled(row)]
    return {
        "path": found.path,
        "counts": dict(found.counts),
        "embedder": found.embedder,
        "index": found.index,
        "space": dict(found.space),
        "last_add": dict(found.last_add),
        "files": plain(rows),
    }


def troubled(row: LedgerRow) -> bool:
    """Whether the user should hear of a file: it failed, is missing, or some of its records were refused."""
    return bool(row.reason) or row.state in ("failed", "missing")


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "score": hit.score,
        "factors": dict(hit.factors),
        "paper": brief(hit.paper),
        "passage": plain(hit.passage),
        "more": [passage.id for passage in hit.more],
        **(_written(hit.summary) if hit.summary else {}),
        **({"outlying": plain(hit.outlying)} if hit.outlying else {}),
    }


def summary(found: Summary) -> dict[str, Any]:
    """A summary passage, whose it is, and for each of its sentences the ids of the paper's that carry it."""
    said: dict[str, Any] = plain(found.passage)
    return said | {"model": found.model, "prompt": found.prompt, "made": found.made, "links": plain(found.links)}


def _written(found: Summary) -> dict[str, Any]:
    """What a hit by a summary has besides: the paper's sentences that it rests on, and who wrote it."""
    return {
        "sources": list(found.sources),
        "summary": {"model": found.model, "prompt": found.prompt, "made": found.made, "links": plain(found.links)},
    }


def _as(shape: str, record: object) -> dict[str, Any]:
    """A record in one of `wire.shapes`, which are loaded with the first record: help needs none."""
    from conspectus.wire import shapes

    found: dict[str, Any] = shapes.encoded(record, getattr(shapes, shape))
    return found


def plain(record: Any) -> Any:
    """A record, or records, as dictionaries, lists, text and numbers."""
    import msgspec

    return msgspec.to_builtins(record)


def brief(paper: Paper) -> dict[str, Any]:
    """A paper without its long fields."""
    return _as("PAPER", paper)


def answer(found: Answer) -> dict[str, Any]:
    """All that an answer has; a paper as `brief` has it."""
    return _as("ANSWER", found)


def saved_answer(found: SavedAnswer) -> dict[str, Any]:
    """An answer, how it was asked for, and where it stands in which conversation."""
    how = {name: plain(getattr(found, name)) for name in ("options", "filters", "conversation", "turn")}
    return {**answer(found.answer), **how}


def rerun(found: Rerun) -> dict[str, Any]:
    """What has changed, and the answer of now."""
    return {
        "before": found.before.id,
        "changed": found.changed,
        "new": [_as("STATEMENT", one) for one in found.new],
        "gone": [_as("STATEMENT", one) for one in found.gone],
        "new_sources": [brief(paper) for paper in found.new_sources],
        "gone_sources": [brief(paper) for paper in found.gone_sources],
        "answer": answer(found.after),
    }


def consensus(found: Consensus) -> dict[str, Any]:
    """All that `consensus` gives; a paper as `brief` has it."""
    return _as("CONSENSUS", found)


def conversation(found: SavedConversation) -> dict[str, Any]:
    """A conversation with its answers."""
    return {**plain(found.conversation), "answers": [answer(one) for one in found.answers]}
