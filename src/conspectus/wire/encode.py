"""Records as JSON speaks of them: the field names are the records' own (docs: the public contract)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from functools import singledispatch
from typing import Any

from conspectus.records import (
    AddReport,
    CitedWork,
    Figure,
    Hit,
    Paper,
    ParsedPaper,
    Rerun,
    SearchResult,
    SummariseReport,
    Summary,
    WordCount,
)
from conspectus.records.answer import SavedConversation
from conspectus.records.atlas import Atlas, Overlay
from conspectus.records.curation import SplitPaper
from conspectus.records.figures import FigureView
from conspectus.records.images import ImageGroup, ImageGroups, ImageHit, ImageMap, ImageResult
from conspectus.records.results import PaperPage, PaperView
from conspectus.records.views import pick_fields


@singledispatch
def body(record: Any) -> Any:
    """What a verb gives as JSON has it, of several each: in the shape that it has there, else with all its fields."""
    from conspectus.wire import shapes  # with the first record: help needs none

    shape = shapes.SHAPES.get(type(record))
    return shapes.encoded(record, shape) if shape else plain(record)


@body.register(list)
@body.register(tuple)
def _each(records: Iterable[Any]) -> list[Any]:
    return [body(record) for record in records]


def plain(record: Any) -> Any:
    """A record, or records, as dictionaries, lists, text and numbers, with all that they have."""
    import msgspec

    return msgspec.to_builtins(record)


def brief(paper: Paper) -> dict[str, Any]:
    """A paper without its long fields."""
    from conspectus.wire import shapes

    record: dict[str, Any] = shapes.encoded(paper, shapes.PAPER)
    return record


def _but(record: Any, **overrides: Any) -> dict[str, Any]:
    """A record with all its fields, those last that are in a form of their own."""
    rest = {field.name: plain(getattr(record, field.name)) for field in fields(record) if field.name not in overrides}
    return rest | overrides


@body.register
def _cited(work: CitedWork) -> dict[str, Any]:
    """An entry of a reference list, with the paper of the library that it is."""
    return {**plain(work.reference), "paper_id": work.paper_id, "by": work.by}


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


@body.register
def _paper(paper: Paper) -> dict[str, Any]:
    record: dict[str, Any] = plain(paper)
    return record | {"publication_status": paper.publication_status}


@body.register
def _paper_view(view: PaperView) -> dict[str, Any]:
    """The paper, with how much else there is; the parts that are to be shown; else only what there is."""
    found = {"paper": body(view.paper), "passage_count": len(view.passages)}
    found |= {"summary_count": len(view.summaries), "documents": plain(view.documents)}
    found |= {"versions": [brief(paper) for paper in view.versions]} if view.versions else {}
    found |= {"notes": plain(view.notes)} if view.notes else {}
    found |= {"summaries": body(view.summaries)} if "summaries" in view.parts else {}
    found |= {"passages": plain(view.passages)} if "passages" in view.parts else {}
    found |= {"references": body(view.references)} if "references" in view.parts else {}
    found |= {"accounts": plain(view.parsed.accounts)} if view.parsed.accounts else {}
    found |= {"hidden": plain(view.parsed.hidden)} if view.parsed.hidden else {}
    return found | ({"figures": figures(view.parsed)} if "figures" in view.parts else {})


@body.register
def _figure_view(view: FigureView) -> dict[str, Any]:
    return {**body(view.card), "path": view.path, "why": view.why}


@body.register
def _split_paper(part: SplitPaper) -> dict[str, Any]:
    return {**brief(part.paper), "documents": plain(part.documents)}


@body.register
def _paper_page(page: PaperPage) -> dict[str, Any]:
    return {"papers": [brief(paper) for paper in page.papers], "next": page.next or None, "total": page.total}


@body.register
def _search_result(result: SearchResult) -> dict[str, Any]:
    query_fields = {**pick_fields(result, "query", "words", "conditions"), "spelling": plain(result.spelling)}
    hits = [_hit(hit) for hit in result.hits]
    return {**query_fields, "hits": hits, "total": result.total, **_but(result, hits=hits)}


@body.register
def _word_count(word_count: WordCount) -> dict[str, Any]:
    return {
        "query": word_count.query,
        "count": {name: value for name, value in plain(word_count).items() if name != "query"},
    }


def _hit(hit: Hit) -> dict[str, Any]:
    """Of one by a summary also the paper's sentences that it rests on, and who wrote it."""
    record = {"rank": hit.rank, "score": hit.score, "factors": dict(hit.factors), "paper": brief(hit.paper)}
    record |= {"passage": plain(hit.passage), "more": [passage.id for passage in hit.more]}
    record |= {"sources": list(hit.summary.sources), "summary": _encode_summary(hit.summary)} if hit.summary else {}
    return record | ({"outlying": plain(hit.outlying)} if hit.outlying else {})


@body.register
def _summary(summary: Summary) -> dict[str, Any]:
    """The passage, whose it is, and for each of its sentences the ids of the paper's that carry it."""
    return {**plain(summary.passage), **_encode_summary(summary)}


def _encode_summary(summary: Summary) -> dict[str, Any]:
    return {**pick_fields(summary, "model", "prompt", "made"), "links": plain(summary.links)}


@body.register
def _image_hit(hit: ImageHit) -> dict[str, Any]:
    return {"rank": hit.rank, "score": hit.score, **plain(hit.image)}


@body.register
def _image_result(result: ImageResult) -> dict[str, Any]:
    return _but(result, hits=body(result.hits))


@body.register
def _image_groups(image_groups: ImageGroups) -> dict[str, Any]:
    return _but(image_groups, groups=body(image_groups.groups))


@body.register
def _image_group(image_group: ImageGroup) -> dict[str, Any]:
    return _but(image_group, images=body(image_group.images))


@body.register
def _image_map(image_map: ImageMap) -> dict[str, Any]:
    record = pick_fields(image_map, "collection", "method", "encoder", "took", "note")
    spots = image_map.positions.round(4).astype(float)
    return {**record, "images": list(image_map.images), "x": spots[:, 0].tolist(), "y": spots[:, 1].tolist()}


@body.register
def _atlas(atlas: Atlas) -> dict[str, Any]:
    record = pick_fields(
        atlas, "of", "method", "model", "regions_by", "made", "fitted", "left_out", "moved", "notes", "state"
    )
    record |= {"texts": len(atlas), "changes": plain(atlas.changes), "regions": plain(atlas.regions)}
    if atlas.overlay is not None:
        record["overlay"] = body(atlas.overlay)
    if not atlas.with_points:
        return record
    names = ("paper", "unit", "title", "year", "citations", "x", "y", "region")
    known = [
        [None if number < 0 else number for number in column.tolist()] for column in (atlas.years, atlas.citations)
    ]
    spots = atlas.positions.round(4).astype(float).T.tolist()
    columns = (atlas.papers, atlas.units, atlas.titles, *known, *spots, atlas.region_ids[:, -1].tolist())
    return {**record, "points": [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]}


def map_points(paper_map: Atlas) -> bytes:
    """A map's columns, one behind the other, little-endian: x and y of each text (float32), regions, years.

    Regions are the smallest (int32), years int16, -1 where one is not known: 14 bytes a text.
    """
    columns = (
        (paper_map.positions, "<f4"),
        (paper_map.region_ids[:, -1], "<i4"),
        (paper_map.years.clip(-1, 9999), "<i2"),
    )
    return b"".join(column.astype(kind).tobytes() for column, kind in columns)


@body.register
def _overlay(overlay: Overlay) -> dict[str, Any]:
    """Values in the order of the map's points, null where a text has none."""
    values = overlay.values.astype(float).round(6).tolist()
    return _but(overlay, values=[None if value != value else value for value in values])  # noqa: PLR0124 - NaN


@body.register
def _add_report(report: AddReport) -> dict[str, Any]:
    outcomes = {name: getattr(report, name) for name in ("added", "updated", "unchanged", "failed", "duplicates")}
    return {
        "files": [{**plain(row), "outcome": name} for name, rows in outcomes.items() for row in rows],
        "counts": {name: len(rows) for name, rows in outcomes.items()},
        "passed_over": dict(report.passed_over),
        "library": dict(report.library),
    }


@body.register
def _summarise_report(report: SummariseReport) -> dict[str, Any]:
    summarised = [
        {"paper": name, "passages": number, "summaries": body(report.summaries.get(name, ()))}
        for name, number in report.summarised.items()
    ]
    failed = [{"paper": name, "reason": reason} for name, reason in report.failed.items()]
    names = ("already", "short", "left", "stopped", "model")
    details = {"usage": plain(report.usage), "notes": plain(report.notes)}
    return {"summarised": summarised, "failed": failed, **pick_fields(report, *names), **details}


@body.register
def _rerun(rerun: Rerun) -> dict[str, Any]:
    record = {"before": rerun.before.id, "changed": rerun.changed, "new": body(rerun.new), "gone": body(rerun.gone)}
    for name in ("new_sources", "gone_sources"):
        record[name] = [brief(paper) for paper in getattr(rerun, name)]
    return {**record, "answer": body(rerun.after)}


@body.register
def _saved_conversation(saved_conversation: SavedConversation) -> dict[str, Any]:
    return {**plain(saved_conversation.conversation), "answers": body(saved_conversation.answers)}
