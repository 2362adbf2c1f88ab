"""Records as HTML, for notebooks and as pages of their own; the templates escape all that papers and models say."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from conspectus.core.text import cleaned
from conspectus.map.overlay_plot import colour_key, pick_colours
from conspectus.records.notes import BACKGROUND, Drawn, Note, Notes
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.records import AddReport, Answer, SearchResult, Status
    from conspectus.records.atlas import Atlas, Impact, Overlay, Trend
    from conspectus.records.consensus import Consensus
    from conspectus.records.images import ImageGroup, ImageGroups, ImageMap, ImageResult
    from conspectus.records.paper import Paper
    from conspectus.records.passage import Passage


MOST = 50
"""Items shown of a long list."""
MOST_CHARS = 600
"""Characters shown of a long text."""
FAR = "far from the others found"
DOTS, WIDE = 5000, 900
"""Texts of a map that are drawn, and how wide it is."""
TILES = 40
"""Cells a side of a map of images, in each of which one is shown."""
_NOTHING = Drawn()
_KNOWN = {
    "BACKGROUND": BACKGROUND,
    "BOX": "max-width:60em;line-height:1.45",
    "DIM": "opacity:.65;font-size:.9em",
    "FAR": FAR,
    "MOST": MOST,
    "MOST_CHARS": MOST_CHARS,
    "QUOTE": "border-left:3px solid rgba(128,128,128,.5);padding-left:.7em;margin:.3em 0",
    "RULE": "border-top:1px solid rgba(128,128,128,.35);margin-top:.6em;padding-top:.6em",
    "new_notes": Notes,
}


def search_result(result: SearchResult) -> str:
    """The hits, each with its passage."""
    return render_template("search_result", result=result)


def paper(record: Paper) -> str:
    """Title, authors, names and abstract."""
    return render_template("paper", record=record)


def add_report(report: AddReport) -> str:
    """How many files became what, and which have something to say."""
    names = ("added", "updated", "unchanged", "failed", *(["duplicates"] if report.duplicates else []))
    return render_template(
        "add_report", report=report, counts=[f"{len(getattr(report, name))} {name}" for name in names]
    )


def status(library_status: Status) -> str:
    """The numbers, and the files that failed, are missing or had records refused."""
    states = Counter(row.state for row in library_status.files)
    numbers = {
        "library": library_status.path,
        **{name.replace("_", " "): str(count) for name, count in library_status.counts.items()},
        "ledger": ", ".join(f"{count} {name}" for name, count in states.most_common()),
        "embedder": library_status.embedder,
        "index": library_status.index,
    }
    troubled = [row for row in library_status.files if row.is_troubled]
    return render_template("status", numbers=numbers, troubled=troubled)


def consensus(verdict: Consensus) -> str:
    """The level or why there is none, and each paper's stance with its quotes."""
    counts = ", ".join(f"{number} {stance}" for stance, number in verdict.counts.items())
    return render_template("consensus", verdict=verdict, counts=counts)


def atlas(paper_map: Atlas) -> str:
    """The map as a picture of at most `DOTS` texts, with the names of its regions, and these as a table.

    With an overlay texts have the colours of their values; those that have none are drawn first.
    """
    every, map_overlay = max(1, -(-len(paper_map) // DOTS)), paper_map.overlay
    low, high = paper_map.positions.min(axis=0), paper_map.positions.max(axis=0)
    scale = (WIDE - 20) / (float((high - low).max()) or 1.0)

    def at(x: float, y: float) -> tuple[float, float]:
        return round(10 + (x - float(low[0])) * scale, 1), round(10 + (float(high[1]) - y) * scale, 1)

    regions = paper_map.at(1)
    colours = {region.id: f"hsl({number * 137 % 360} 60% 50%)" for number, region in enumerate(regions)}
    rows: Sequence[int] = range(0, len(paper_map), every)
    dot_colours = [colours.get(region_id, "#888") for region_id in paper_map.region_ids[:, 1].tolist()]
    if map_overlay is not None:
        dot_colours, has = pick_colours(map_overlay), [value == value for value in map_overlay.values.tolist()]  # noqa: PLR0124
        rows = sorted(range(len(paper_map)) if map_overlay.kind == "lit" else rows, key=lambda row: has[row])
        rows = [row for row in rows if has[row] or row % every == 0]
    dots = [(*at(*paper_map.positions[row].tolist()), dot_colours[row]) for row in rows]
    labels = [(*at(region.x, region.y), region.name) for region in regions]
    height = round(20 + float(high[1] - low[1]) * scale)
    path = [(*at(step.x, step.y), step.year) for step in map_overlay.path] if map_overlay else []
    drawn = {"dots": dots, "labels": labels, "path": path, "width": WIDE, "height": height}
    key = colour_key(map_overlay) if map_overlay else ()
    rows_of = {row.id: row for row in map_overlay.regions} if map_overlay else {}
    return render_template(
        "atlas", paper_map=paper_map, regions=regions, overlay=map_overlay, key=key, rows=rows_of, **drawn
    )


def overlay(map_overlay: Overlay) -> str:
    """What an overlay's colours mean, and what it says of the regions of the map's middle level."""
    rows = {row.id: row for row in map_overlay.regions if row.level == 1}
    return render_template("overlay", map_overlay=map_overlay, key=colour_key(map_overlay), rows=rows)


def trend(result: Trend) -> str:
    """The shares of a trend as bars, and its years as a table."""
    rows = [
        (year.year, f"{year.papers} of {year.all}", f"{year.share:.2%} ({year.low:.2%} to {year.high:.2%})")
        for year in result.years
    ]
    return render_template(
        "trend", result=result, rows=rows, most=max((year.share for year in result.years), default=0.0) or 1.0
    )


def impact(result: Impact) -> str:
    """How many papers, since when, over how many regions, and in which."""
    rows = [(row.region.name, row.papers, f"{row.share:.1%} of the region's") for row in result.regions[:MOST]]
    return render_template("impact", result=result, rows=rows)


def answer(result: Answer) -> str:
    """The answer for a notebook: prose whose notes stand below it, or the reason why there is none."""
    return render_template("answer", result=result, notes=Notes(), marks=_Marks())


def page(title: str, answers: Sequence[Answer], drawn: Drawn = _NOTHING) -> str:
    """Answers as a document of its own; nothing in it comes from elsewhere, and nothing in it runs.

    Args:
        title: of the document; where it is the only answer's question, that is not repeated.
        answers: a label should mean the same paper in all of them.
        drawn: the pages behind the notes, which are numbered through, and figures.
    """
    return render_template("page", title=title, answers=answers, drawn=drawn, notes=Notes(), marks=_Marks())


def contact_sheet(
    images: ImageResult | ImageGroups, groups: Sequence[ImageGroup], thumbnails: Mapping[str, bytes]
) -> str:
    """Images as a document of its own, as `page`; `thumbnails`: image id -> a JPEG."""
    kind = getattr(images, "kind", "")
    title = f"{kind.capitalize()} of {images.collection}" if kind else f"Nearest in {images.collection}"
    return render_template("contact_sheet", images=images, groups=groups, thumbnails=thumbnails, title=title, kind=kind)


def tiles(layout: ImageMap) -> list[int]:
    """The images of a map that are shown: of each cell of a grid the one nearest to its middle."""
    low, wide = layout.positions.min(axis=0), float(np.ptp(layout.positions, axis=0).max()) or 1.0
    spots = (layout.positions - low) / wide * (TILES - 1)
    far = ((spots - np.rint(spots)) ** 2).sum(axis=1)
    best: dict[tuple[int, int], int] = {}
    for row in np.argsort(far, kind="stable").tolist():
        best.setdefault(tuple(np.rint(spots[row]).astype(int).tolist()), row)
    return sorted(best.values())


def image_map(layout: ImageMap, tile_rows: Sequence[int], thumbnails: Mapping[str, bytes]) -> str:
    """A map of images as a document of its own, as `page`: small pictures of `tile_rows`, the others as dots."""
    low, high = layout.positions.min(axis=0), layout.positions.max(axis=0)
    step = 2 * WIDE / TILES
    scale = (TILES - 1) * step / (float((high - low).max()) or 1.0)
    spots = np.stack([layout.positions[:, 0] - low[0], high[1] - layout.positions[:, 1]], axis=1) * scale + step / 2
    others = sorted(set(range(len(layout))) - set(tile_rows))
    drawn = {"dots": spots[others].round(1).tolist(), "step": step, "wide": 2 * WIDE}
    cells = np.rint(spots / step - 0.5) * step + step / 2  # so that none lies over another
    pictures = [(*cells[row].tolist(), layout.images[row]) for row in tile_rows]
    height = float(high[1] - low[1]) * scale + step
    return render_template(
        "image_map", layout=layout, pictures=pictures, thumbnails=thumbnails, height=round(height), **drawn
    )


class _Marks:
    """Which notes have had a mark in the text: the first is what a note leads back to."""

    def __init__(self) -> None:
        self._seen_numbers: set[int] = set()

    def first(self, note: Note) -> bool:
        new = note.number not in self._seen_numbers
        self._seen_numbers.add(note.number)
        return new


def render_template(template: str, **values: Any) -> str:
    """One of the templates, filled."""
    return _templates().get_template(f"{template}.html").render(values)


@cache
def _templates() -> Environment:
    render_template = Environment(
        loader=PackageLoader("conspectus.wire"),
        extensions=["jinja2.ext.do"],
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_escape,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    render_template.globals |= _KNOWN
    render_template.filters |= {"base64": _base64, "cut": _cut, "joined": _joined, "name": _name, "place": _place}
    return render_template


def _escape(value: Any) -> Any:
    """A value as it is escaped: without characters that lie."""
    return cleaned(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _cut(text: str, most: int = MOST_CHARS) -> str:
    text = cleaned(text)
    return text if len(text) <= most else text[:most].rstrip() + "…"


def _name(path: str) -> str:
    """The last part of a path."""
    return path.replace("\\", "/").rpartition("/")[2]


def _joined(parts: Iterable[object]) -> str:
    """The parts that say something, with points between them."""
    return " · ".join(str(part) for part in parts if part)


def _place(passage: Passage) -> str:
    pages = passage.pages
    where = f", p. {pages[0]}" if len(pages) == 1 else f", pp. {pages[0]}–{pages[-1]}" if pages else ""
    return f"{passage.section or passage.kind}{where}{', OCR' if passage.recognised else ''}"


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


BUNDLE = files("conspectus") / "web_static" / "map_file"
STILL = "This installation has no web page (it was built without Node.js), so the file is a static picture."


def is_still() -> bool:
    """Whether there is nothing here that could draw it anew: then the file has a picture of at most 5,000 texts."""
    return not (BUNDLE / "map.js").is_file()


def map_file(paper_map: Atlas, name: str) -> str:
    """The map of `name` as a document: to move and to look into, with titles to search by, and with its overlay."""
    if is_still():
        return render_template("map_file", name=name, still=atlas(paper_map), styles="", packed="", script="")
    content = {
        "name": name,
        "map": encode.body(replace(paper_map, overlay=None)),
        "titles": list(paper_map.titles),
        "points": b64encode(encode.map_points(paper_map)).decode(),
        "overlay": None if paper_map.overlay is None else encode.body(paper_map.overlay),
    }
    packed = b64encode(gzip.compress(msgspec.json.encode(content), 6, mtime=0)).decode()
    styles, script = ((BUNDLE / f"map.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return render_template("map_file", name=name, still="", styles=styles, packed=packed, script=script)
