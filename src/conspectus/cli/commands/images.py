"""`images add`, `list`, `show`, `search`, `clusters`, `duplicates`, `map` and `remove`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.app import VerbGroup, verb
from conspectus.cli.options import F, stack
from conspectus.cli.polite import step_back
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.core.errors import UsageError
from conspectus.core.plural import pluralize
from conspectus.faces.printer import Printer, one_line
from conspectus.records.figures import crop_of
from conspectus.records.images import IMAGES, CollectedImage, ImageGroups, ImageHit, ImageMap, ImageResult, ImagesReport
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.library import Library

Pair = tuple[str, str]
SHEET = b'content="Conspectus: contact sheet"'
"""Stands near the beginning of a page of pictures."""
_HEAD = 2000


class Pairs(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4, not before
    """`NAME=VALUE`."""

    name = "pair"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """(name, value)."""
        name, equals, said = value.partition("=")
        if not equals or not name.strip():
            self.fail(f"'{value}' is not of the form NAME=VALUE.", param, ctx)
        return name.strip(), said


_collection = click.option("--collection", default="", metavar="NAME", help="The collection (else the only one).")
_sheet = click.option(
    "--sheet", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also write a page of pictures."
)


def _which(function: F) -> F:
    return stack(
        click.option("--where", multiple=True, type=Pairs(), metavar="NAME=VALUE", help="What is known. Repeatable."),
        click.option("--words", default="", metavar="WORDS", help="Words that stand in what is known of the image."),
    )(function)


@click.group("images", cls=VerbGroup)
def images_verb() -> None:
    """Keep collections of images of any kind: add, list, show, search by a picture, group, remove."""


@verb("add", of=images_verb)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS…")
@click.option("--collection", default=IMAGES, show_default=True, metavar="NAME", help="Made where there is none.")
@click.option("--csv", type=click.Path(path_type=Path), metavar="FILE", help="A table with a column `file` and others.")
@click.option("--prune", is_flag=True, help="Take out images whose files are gone from there.")
def add_verb(state: State, paths: tuple[str, ...], collection: str, csv: Path | None, prune: bool) -> int:
    """Take images among files, folders and globs into a collection; again, only what is new or changed.

    PNG, JPEG, TIFF (each page), GIF, WebP (of animations the first picture), BMP. A file that cannot be read is named
    and does not stop the others; then the exit code is 1. After an interruption the same command goes on.
    """
    step_back()
    with showing(state), state.library(create=True) as library:
        report = library.add_images(paths, collection, csv=csv, prune=prune)
    state.tell(lambda: encode.plain(report), lambda out: _added(out, report))
    return int(bool(report.failed))


def _added(out: Printer, report: ImagesReport) -> None:
    for row in report.failed:
        out.line(("failed", "bad"), f" {one_line(row.path)}")
        out.fold(typed(row.reason), indent=4)
    for path in report.gone:
        out.line(f"gone {one_line(path)}")
    if report.passed_over:
        kinds = ", ".join(f"{ending or 'without ending'} ({n})" for ending, n in sorted(report.passed_over.items()))
        out.fold(f"Passed over, for they are no images that can be read: {kinds}")
    counts = [f"{getattr(report, name)} {name}" for name in ("added", "updated", "unchanged")]
    out.line(f"{', '.join(counts)}, {len(report.failed)} failed, {len(report.gone)} gone ({report.removed} removed)")
    if report.gone and not report.removed:
        out.line("What is gone is taken out with --prune.")
    if report.described:
        out.line(f"The table says something of {pluralize(report.described, 'image')}.")
    elif report.described == 0:
        out.fold("The table fits no image: its column `file` has to name files, or ends of their paths.")
    has = f"The collection '{one_line(report.collection)}' has {pluralize(report.images, 'image')}."
    out.line(
        has if report.images else f"There is no collection '{one_line(report.collection)}': no image came into it."
    )


@verb("list", of=images_verb)
@click.option("--collection", default="", metavar="NAME", help="Its images; else the collections are listed.")
@_which
@click.option("-n", "--limit", type=click.IntRange(1, 100_000), default=100, show_default=True, help="How many.")
@click.option("--after", default="", metavar="IMAGE", help="Go on behind this one.")
def list_verb(state: State, collection: str, where: Sequence[Pair], words: str, limit: int, after: str) -> None:
    """List the collections, or the images of one, or those that something is known of."""
    with state.library() as library:
        if not (collection or where or words or after):
            known = library.image_collections()
            lines = [f"{one_line(one.name)}  {pluralize(one.images, 'image')}" for one in known]
            body = {"collections": encode.plain(known)}
            state.tell(lambda: body, lines or ["There is no collection of images yet."])
            return
        found = library.images(words, collection, where, after=after, limit=limit)
    state.tell(lambda: encode.plain(found), lambda out: _listed(out, found.images, found.total))


def _listed(out: Printer, images: Sequence[CollectedImage], total: int) -> None:
    for one in images:
        out.line((one.id, "dim"), f"  {_place(one)}  {one.width} × {one.height}")
    out.line((f"{len(images)} of {pluralize(total, 'image')}", "dim"))


def _place(image: CollectedImage) -> str:
    return one_line(image.path) + (f" p. {image.page}" if image.page > 1 else "")


@verb("show", of=images_verb)
@click.argument("image", metavar="IMAGE")
def show_verb(state: State, image: str) -> None:
    """Show what is known of an image: IMAGE is its id, or its file."""
    with state.library() as library:
        found = library.image(image)
    state.tell(lambda: {"images": encode.plain(found)}, lambda out: _show(out, found))


def _show(out: Printer, found: Sequence[CollectedImage]) -> None:
    for one in found:
        out.line((_place(one), "title"), f"  {one.width} × {one.height}")
        out.line((f"{one.id} · {one_line(one.collection)} · sha256 {one.sha256}", "dim"))
        for name, values in one.facts.items():
            out.fold(one_line(f"{name}: {', '.join(values)}"), indent=4)
        if one.note:
            out.fold(one.note, indent=4)


@verb("search", of=images_verb)
@click.argument("picture", type=click.Path(path_type=Path), metavar="PICTURE")
@_collection
@click.option("-k", "--k", type=click.IntRange(1, 10_000), default=12, show_default=True, help="How many images.")
@click.option("--measure", type=click.Choice(["cosine", "euclidean", "dot"]), default="cosine", show_default=True)
@click.option("--crop", default="", metavar="X,Y,W,H", help="Of the picture a part: in pixels, or all at most 1.")
@_which
@_sheet
def search_verb(
    state: State, /, picture: Path, sheet: Path | None, where: Sequence[Pair], crop: str, **chosen: Any
) -> None:
    """Find the images that look most like PICTURE, a file."""
    _check_sheet(sheet)
    with state.library() as library:
        found = library.search_images(picture, where=where, crop=crop_of(crop), **chosen)
        _write(library, found, sheet)
    state.tell(lambda: encode.body(found), lambda out: _found(out, found, sheet))


def _found(out: Printer, found: ImageResult, sheet: Path | None) -> None:
    _hits(out, found.hits)
    said = (
        f"{len(found.hits)} of {pluralize(found.searched, 'image')}",
        found.measure,
        found.encoder,
        f"{found.took:.2f} s",
    )
    _end(out, found.note, said, sheet)


def _hits(out: Printer, hits: Sequence[ImageHit]) -> None:
    for hit in hits:
        out.line(f"{hit.rank:>3}  {hit.score:.3f}  {_place(hit.image)}")


def _end(out: Printer, note: str, said: Sequence[str], sheet: Path | None) -> None:
    if note:
        out.fold(typed(note))
    out.line((" · ".join(said), "dim"))
    if sheet:
        out.line(f"Wrote {sheet}")


def _write(library: Library, found: ImageResult | ImageGroups | ImageMap, sheet: Path | None) -> None:
    if sheet:
        from conspectus.core.output import writing_to

        text = library.image_sheet(found)
        with writing_to(sheet) as stream:
            stream.write(text)


def _check_sheet(sheet: Path | None) -> None:
    """An older sheet is written over, and nothing else."""
    if sheet and sheet.is_file() and sheet.stat().st_size:
        from conspectus.core.disk import open_file

        with open_file(sheet) as file:
            if SHEET not in file.read(_HEAD):
                raise UsageError(f"'{sheet}' is there already, and is no page of pictures.", "Choose another file.")


@verb("clusters", of=images_verb)
@_collection
@click.option("-k", "--k", type=click.IntRange(1, 200), help="How many clusters (else chosen by their silhouette).")
@_sheet
def clusters_verb(state: State, collection: str, k: int | None, sheet: Path | None) -> None:
    """Put the images of a collection into clusters of those that look alike."""
    _grouped(state, lambda library: library.image_clusters(collection, k), sheet)


@verb("duplicates", of=images_verb)
@_collection
@_sheet
def duplicates_verb(state: State, collection: str, sheet: Path | None) -> None:
    """Find images of a collection that are nearly the same: copies, other sizes, other formats."""
    _grouped(state, lambda library: library.image_duplicates(collection), sheet)


@verb("map", of=images_verb)
@_collection
@click.option("--method", type=click.Choice(["tsne", "umap", "pca"]), help="How images are brought into the plane.")
@_sheet
def map_verb(state: State, collection: str, method: Any, sheet: Path | None) -> None:
    """Map a collection: images that look alike stand together. --sheet shows it; with --json places are told."""
    _check_sheet(sheet)
    step_back()
    with showing(state), state.library() as library:
        found = library.image_map(collection, method=method)
        _write(library, found, sheet)
    said = (f"{pluralize(len(found), 'image')} by {found.method}", found.encoder, f"{found.took:.2f} s")
    state.tell(lambda: encode.body(found), lambda out: _end(out, found.note, said, sheet))


def _grouped(state: State, ask: Callable[[Library], ImageGroups], sheet: Path | None) -> None:
    _check_sheet(sheet)
    with state.library() as library:
        found = ask(library)
        _write(library, found, sheet)

    def show(out: Printer) -> None:
        for number, group in enumerate(found.groups, 1):
            out.line((f"{number}. {pluralize(group.size, 'image')}", "title"))
            _hits(out, group.images)
        said = (
            f"{pluralize(len(found.groups), 'group')} among {pluralize(found.searched, 'image')}",
            found.rule,
            f"{found.took:.2f} s",
        )
        _end(out, found.note, said, sheet)

    state.tell(lambda: encode.body(found), show)


@verb("remove", of=images_verb)
@click.argument("images", nargs=-1, metavar="[IMAGE…]")
@click.option("--collection", default="", metavar="NAME", help="Of this one; without IMAGE all that is in it.")
def remove_verb(state: State, images: tuple[str, ...], collection: str) -> None:
    """Remove images, by ids or files, or a whole collection, with every trace of them. The files stay."""
    with state.library() as library:
        number = library.remove_images(images, collection)
    state.tell(lambda: {"removed": number}, [f"Removed {pluralize(number, 'image')}."])
