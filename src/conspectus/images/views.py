"""How images, what was found and what was added look in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.records.images import (
    CollectedImage,
    ImageGroups,
    ImageHit,
    ImageList,
    ImageMap,
    ImageResult,
    ImagesReport,
)

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer


def add(out: Printer, report: ImagesReport) -> None:
    """Files that failed or are gone, the counts, and how many images the collection has."""
    for row in report.failed:
        out.line(("failed", "bad"), f" {one_line(row.path)}")
        out.advise(row.reason, indent=4)
    for path in report.gone:
        out.line(f"gone {one_line(path)}")
    if report.passed_over:
        kinds = ", ".join(f"{ending or 'without ending'} ({n})" for ending, n in sorted(report.passed_over.items()))
        out.fold(f"Skipped, because they are not images that can be read: {kinds}")
    counts = [f"{getattr(report, name)} {name}" for name in ("added", "updated", "unchanged")]
    out.line(f"{', '.join(counts)}, {len(report.failed)} failed, {len(report.gone)} gone ({report.removed} removed)")
    if report.gone and not report.removed:
        out.line("--prune removes what is gone.")
    if report.described:
        out.line(f"The table describes {pluralize(report.described, 'image')}.")
    elif report.described == 0:
        out.fold("The table fits no image: its column `file` has to name files, or ends of their paths.")
    name = one_line(report.collection)
    if report.images:
        out.line(f"The collection '{name}' has {pluralize(report.images, 'image')}.")
    else:
        out.line(f"There is no collection '{name}': no image was added to it.")


def list(
    out: Printer,
    image_list: ImageList,
    *,
    collection: str = "",
    where: Sequence[str] | Mapping[str, str] = (),
    words: str = "",
    after: str = "",
) -> None:
    """The collections if nothing else was asked for, else a line an image."""
    if not (collection or where or words or after):
        for known_collection in image_list.collections:
            out.line(f"{one_line(known_collection.name)}  {pluralize(known_collection.images, 'image')}")
        if not image_list.collections:
            out.line("There is no collection of images yet.")
        return
    for image in image_list.images:
        out.line((image.id, "dim"), f"  {_place(image)}  {image.width} × {image.height}")
    out.line((f"{len(image_list.images)} of {pluralize(image_list.total, 'image')}", "dim"))


def _place(image: CollectedImage) -> str:
    return one_line(image.path) + (f" p. {image.page}" if image.page > 1 else "")


def show(out: Printer, images: Sequence[CollectedImage]) -> None:
    """Each image with its facts."""
    for image in images:
        out.line((_place(image), "title"), f"  {image.width} × {image.height}")
        out.line((f"{image.id} · {one_line(image.collection)} · sha256 {image.sha256}", "dim"))
        for name, values in image.facts.items():
            out.fold(one_line(f"{name}: {', '.join(values)}"), indent=4)
        if image.note:
            out.fold(image.note, indent=4)


def search(out: Printer, result: ImageResult, *, sheet: Path | None = None) -> None:
    """A line a hit."""
    _hits(out, result.hits)
    of = f"{len(result.hits)} of {pluralize(result.searched, 'image')}"
    _end(out, result.note, (of, result.measure, result.encoder, f"{result.took:.2f} s"), sheet)


def clusters(out: Printer, image_groups: ImageGroups, *, sheet: Path | None = None) -> None:
    """The groups, each with some of its images."""
    for number, group in enumerate(image_groups.groups, 1):
        out.line((f"{number}. {pluralize(group.size, 'image')}", "title"))
        _hits(out, group.images)
    of = f"{pluralize(len(image_groups.groups), 'group')} among {pluralize(image_groups.searched, 'image')}"
    _end(out, image_groups.note, (of, image_groups.rule, f"{image_groups.took:.2f} s"), sheet)


duplicates = clusters


def map(out: Printer, image_map: ImageMap, *, sheet: Path | None = None) -> None:
    """What was mapped, and how."""
    of = f"{pluralize(len(image_map), 'image')} by {image_map.method}"
    _end(out, image_map.note, (of, image_map.encoder, f"{image_map.took:.2f} s"), sheet)


def remove(out: Printer, number: int) -> None:
    """How many images were removed."""
    out.line(f"Removed {pluralize(number, 'image')}.")


def _hits(out: Printer, hits: Sequence[ImageHit]) -> None:
    for hit in hits:
        out.line(f"{hit.rank:>3}  {_place(hit.image)}  ", (hit.image.id, "dim"))


def _end(out: Printer, note: str, parts: Sequence[str], sheet: Path | None) -> None:
    if note:
        out.advise(note)
    out.line((" · ".join(parts), "dim"))
    if sheet:
        out.line(f"Wrote {one_line(str(sheet))}")
