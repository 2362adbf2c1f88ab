"""What is drawn on a page besides text: pictures, paths and rules with their boxes."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from conspectus.parse.pdf import pdf_file
from conspectus.parse.pdf.page_text import Graphic, PageFrame
from conspectus.parse.pdf.thresholds import FIGURES, SIGHT
from conspectus.records import Rect

_MOST_OBJECTS = 40_000
"""Pages with more objects than this are cut: what comes later lies in plots that are known by then."""
_DEEPEST = 5
_CLIP_POINTS, _CORNERS = 64, 5
_ROUNDING = 0.5
"""Points by which bounds may be off."""
_CROWD, _MOST_LARGE = 300, 1500
"""From so many objects on, small ones are put together that begin in the same square."""
_DRAWN_NOTES = frozenset(
    (
        pdfium.FPDF_ANNOT_STAMP,
        pdfium.FPDF_ANNOT_FILEATTACHMENT,
        pdfium.FPDF_ANNOT_MOVIE,
        pdfium.FPDF_ANNOT_SCREEN,
        pdfium.FPDF_ANNOT_THREED,
        pdfium.FPDF_ANNOT_RICHMEDIA,
    )
)
"""Annotations that may show a figure: it stands in their appearance and not on the page."""
_MOST_NOTES = 300
_HIDDEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_FIGURE_WORDS = frozenset({"fig", "sch", "pla", "cha", "map", "sup", "ext", "onl"})
Matrix = tuple[float, float, float, float, float, float]
EYE = 0.299, 0.587, 0.114
"""How much red, green and blue count for lightness (ITU-R BT.601)."""


@dataclass(frozen=True, slots=True)
class Holder:
    """What the objects of a form have from where it is placed; `switched` where the form is in an optional part.

    `clip` is the part of the layout frame that they can be seen in, if any, `shaped` whether it is no rectangle.
    """

    matrix: Matrix | None
    clip: Rect | None
    shaped: bool = False
    switched: bool = False
    transparent: bool = False


class Cover(NamedTuple):
    """A picture, a shading or a path that may lie over or under text; `order` counts what is painted, from 1.

    (A tuple: plots have thousands.)
    """

    order: int
    kind: int
    item: int
    box: Rect


@dataclass(slots=True)
class PageObjects:
    """What a page paints: its graphics in the layout frame, and by address each text's turn and what holds it.

    `complete` is whether all objects were seen.
    """

    graphics: list[Graphic] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    texts: dict[int, tuple[int, Holder]] = field(default_factory=dict)
    complete: bool = True


@dataclass(slots=True)
class _Walk:
    """One page's walk: what was found, how many objects were seen, and boxes that need no more detail inside."""

    frame: PageFrame
    page: Rect
    turned: bool
    objects: PageObjects = field(default_factory=PageObjects)
    holders: list[Rect] = field(default_factory=list)
    object_count: int = 0
    matrix: Any = field(default_factory=pdfium.FS_MATRIX)


def begins_caption(text: str) -> bool:
    """Whether a word may begin a figure's caption."""
    return text[:3].casefold() in _FIGURE_WORDS


def page_objects(page: Any, frame: PageFrame, *, turned: bool) -> PageObjects:
    """What the page paints. Its graphics are pictures, paths and rules as far as they are seen; no backgrounds.

    Objects that lie wholly within a larger one are mostly left out of the graphics too, except rules, which table cells
    are told by. Turned text is looked for where `turned` says so: it takes time.
    """
    walk = _Walk(frame, (0.0, 0.0, frame.width, frame.height), turned)
    raw = ctypes.cast(page.raw, ctypes.c_void_p)
    _objects(
        walk,
        lambda i: pdf_file.page_object(raw, i),
        pdfium.FPDFPage_CountObjects(page.raw),
        Holder(None, walk.page),
        0,
    )
    walk.objects.graphics = _merge_crowds(walk.objects.graphics) + list(_annotated(page, walk))
    return walk.objects


def _annotated(page: Any, walk: _Walk) -> Iterator[Graphic]:
    """What annotations show, such as an attached drawing, a film or a solid body: a picture."""
    for i in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_NOTES)):
        note, at = pdfium.FPDFPage_GetAnnot(page.raw, i), pdfium.FS_RECTF()
        visible = pdfium.FPDFAnnot_GetSubtype(note) in _DRAWN_NOTES and not pdfium.FPDFAnnot_GetFlags(note) & _HIDDEN
        drawn = visible and pdfium.FPDFAnnot_GetAP(note, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) > 2
        if drawn and pdfium.FPDFAnnot_GetRect(note, at):
            box = cut(_framed(walk.frame, (at.left, at.bottom, at.right, at.top), None), walk.page)
            if box and (box[2] - box[0]) * (box[3] - box[1]) > FIGURES.area:
                yield Graphic("image", box)
        pdfium.FPDFPage_CloseAnnot(note)


def _merge_crowds(graphics: list[Graphic]) -> list[Graphic]:
    """The same without crowds: small paths of one place, such as the points of a plot, become one."""
    if len(graphics) <= _CROWD:
        return graphics
    large: dict[tuple[str, int, int, int, int], Graphic] = {}
    small: dict[tuple[int, int], Rect] = {}
    for graphic in graphics:
        x0, y0, x1, y1 = graphic.box
        if graphic.kind == "turned" or max(x1 - x0, y1 - y0) > (
            FIGURES.crowd if graphic.kind == "path" else 2 * FIGURES.crowd
        ):
            large.setdefault((graphic.kind, int(x0), int(y0), int(x1), int(y1)), graphic)
            continue
        place = int(x0 / FIGURES.crowd), int(y0 / FIGURES.crowd)
        known = small.get(place, graphic.box)
        small[place] = min(known[0], x0), min(known[1], y0), max(known[2], x1), max(known[3], y1)
    largest = sorted(large.values(), key=lambda g: g.box[0] + g.box[1] - g.box[2] - g.box[3])[:_MOST_LARGE]
    return largest + [Graphic("path", box) for box in small.values()]


def _objects(walk: _Walk, get: Callable[[int], int], count: int, holder: Holder, depth: int) -> None:
    kind_of, into = pdf_file.kind_of, (ctypes.c_float * 4)()
    pointers = [ctypes.addressof(into) + 4 * i for i in range(4)]
    objects, matrix = walk.objects, holder.matrix
    for i in range(count):
        walk.object_count += 1
        if walk.object_count > _MOST_OBJECTS:
            objects.complete = False
            return
        item = get(i)
        kind = kind_of(item)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            objects.texts[item] = walk.object_count, holder
            turned = walk.turned and _is_turned(walk, item, matrix) and pdf_file.bounds_of(item, *pointers)
            if turned and (box := cut(_framed(walk.frame, tuple(into), matrix), walk.page)) is not None:
                objects.graphics.append(Graphic("turned", box))
            continue
        if kind == pdfium.FPDF_PAGEOBJ_FORM:
            _form(walk, item, holder, depth)
            continue
        if pdf_file.bounds_of(item, *pointers):
            _add_object(walk, item, kind, tuple(into), matrix)


def _is_turned(walk: _Walk, item: int, matrix: Matrix | None) -> bool:
    """Whether a text object runs in another direction than the page's text, as the name of an upright axis does."""
    own_matrix = walk.matrix
    if not pdf_file.matrix_of(item, ctypes.addressof(own_matrix)):
        return False
    a, b = own_matrix.a, own_matrix.b
    if matrix is not None:
        a, b = a * matrix[0] + b * matrix[2], a * matrix[1] + b * matrix[3]
    along = (a, b, -a, -b)[walk.frame.turns]  # how far the baseline runs to the reader's right
    return bool(along < FIGURES.turned * math.hypot(a, b))


def _form(walk: _Walk, item: int, holder: Holder, depth: int) -> None:
    """The objects of a form, whose own matrix leads to where it is placed."""
    if depth >= _DEEPEST:
        walk.objects.complete = False
        return
    own_matrix = pdfium.FS_MATRIX()
    pdf_file.matrix_of(item, ctypes.addressof(own_matrix))
    inner = (own_matrix.a, own_matrix.b, own_matrix.c, own_matrix.d, own_matrix.e, own_matrix.f)
    both = inner if holder.matrix is None else _times(inner, holder.matrix)
    clip, shaped = clipped(walk.frame, item, holder)
    within = Holder(
        both,
        clip,
        shaped,
        holder.switched or is_switched(item),
        holder.transparent or bool(pdf_file.is_transparent(item)),
    )
    _objects(walk, lambda i: pdf_file.form_object(item, i), max(pdf_file.form_count(item), 0), within, depth + 1)


def _add_object(walk: _Walk, item: int, kind: int, bounds: Rect, matrix: Matrix | None) -> None:
    """Takes up one picture, path or shading."""
    box = cut(_framed(walk.frame, bounds, matrix), walk.page)
    if box is None:
        return
    graphics, holders = walk.objects.graphics, walk.holders
    if kind == pdfium.FPDF_PAGEOBJ_PATH and min(box[2] - box[0], box[3] - box[1]) > 2 * FIGURES.thin:
        box = _inked_box(box, item, matrix)
    width, height = box[2] - box[0], box[3] - box[1]
    if width > SIGHT.cover and height > SIGHT.cover:
        walk.objects.covers.append(Cover(walk.object_count, kind, item, box))
    thin = kind == pdfium.FPDF_PAGEOBJ_PATH and min(width, height) <= FIGURES.thin
    if holders and not (thin and max(width, height) > 3 * FIGURES.clip) and any(_within(box, h) for h in holders[-4:]):
        return
    if max(width, height) > FIGURES.clip:
        visible_box = clipped(walk.frame, item, Holder(matrix, box))[0]
        if visible_box is None:
            return
        box = visible_box
        width, height = box[2] - box[0], box[3] - box[1]
    area = width * height
    if area > FIGURES.background * walk.frame.width * walk.frame.height:
        return
    if kind == pdfium.FPDF_PAGEOBJ_PATH:
        if area > 400 and _is_unseen(item):
            return
        if min(width, height) <= FIGURES.thin:
            graphics.append(Graphic("rule" if max(width, height) > FIGURES.clip else "path", box))
            return
    graphics.append(Graphic("image" if kind == pdfium.FPDF_PAGEOBJ_IMAGE else "path", box))
    if area > 2500:
        holders.append(box)


def clipped(frame: PageFrame, item: int, holder: Holder) -> tuple[Rect | None, bool]:
    """What of the holder's clip the object's own clip paths let through, taken as rectangles; whether one is none."""
    visible_box, shaped = holder.clip, holder.shaped
    clip = pdf_file.clip_of(item)
    for path in range(pdf_file.clip_paths(clip)):  # -1 where there is none
        points = _path_points(clip, path)
        if not points or visible_box is None:
            shaped = True
            continue
        xs, ys = [x for x, _ in points], [y for _, y in points]
        shaped = shaped or len(points) > _CORNERS or len(set(xs)) > 2 or len(set(ys)) > 2
        visible_box = cut(visible_box, _framed(frame, (min(xs), min(ys), max(xs), max(ys)), holder.matrix))
    return visible_box, shaped


def _path_points(clip: int, path: int) -> list[tuple[float, float]]:
    count = pdf_file.clip_segments(clip, path)
    if not 0 < count <= _CLIP_POINTS:
        return []
    point = (ctypes.c_float * 2)()
    x, y = ctypes.addressof(point), ctypes.addressof(point) + 4
    segments = (pdf_file.clip_segment(clip, path, i) for i in range(count))
    return [(point[0], point[1]) for segment in segments if pdf_file.segment_point(segment, x, y)]


@dataclass(frozen=True, slots=True)
class Paint:
    """How a path is painted: whether it is filled, with red, green, blue and opacity (0 to 255; None: not plain), and
    the width of its line, if it has one."""

    filled: bool
    colour: tuple[int, ...] | None
    line: float | None


def paint_of(path: int) -> Paint | None:
    """How the path at an address is painted; None where that is not known."""
    modes, width = (ctypes.c_int * 2)(), ctypes.c_float()
    at = ctypes.addressof(modes)
    if not pdf_file.draw_mode(path, at, at + 4):
        return None
    if modes[1]:
        pdf_file.stroke_width(path, ctypes.addressof(width))
    colour = pdf_file.colour_of(pdf_file.fill_colour, path) if modes[0] else None
    return Paint(modes[0] != 0, colour, width.value if modes[1] else None)


def _inked_box(box: Rect, path: int, matrix: Matrix | None) -> Rect:
    """The box of a path; of a straight line so thick that it is an area, without what PDFium adds.

    That is the line's whole width on every side, of which ink covers half along its flanks and nothing at its ends.
    """
    paint = paint_of(path)
    if paint is None or not paint.line:
        return box
    own_matrix = pdfium.FS_MATRIX()
    pdf_file.matrix_of(path, ctypes.addressof(own_matrix))
    wide = paint.line * math.sqrt(abs(own_matrix.a * own_matrix.d - own_matrix.b * own_matrix.c))
    if matrix is not None:
        wide *= math.sqrt(abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]))
    level, upright = (abs(box[n + 2] - box[n] - 2 * wide) < _ROUNDING for n in (1, 0))
    if level == upright:
        return box
    x, y = (wide, wide / 2) if level else (wide / 2, wide)
    return box[0] + x, box[1] + y, box[2] - x, box[3] - y


def _is_unseen(path: int) -> bool:
    """Whether the path is neither filled nor stroked, or wholly transparent."""
    paint = paint_of(path)
    if paint is None or paint.line is not None:
        return False
    return not paint.filled or (paint.colour is not None and paint.colour[3] == 0)


def is_switched(item: int) -> bool:
    """Whether the object is in an optional part of the document, which may be switched off."""
    name, size = (ctypes.c_ushort * 4)(), ctypes.c_ulong()
    for i in range(pdf_file.count_marks(item)):
        mark = pdf_file.mark_of(item, i)
        if (
            pdf_file.mark_name(mark, ctypes.addressof(name), 8, ctypes.addressof(size))
            and bytes(name[:2]) == b"OC"
            and size.value == 6
        ):
            return True
    return False


def _framed(frame: PageFrame, bounds: Rect, matrix: Matrix | None) -> Rect:
    """Bounds in PDF user space (or a form's, with its matrix) in the layout frame."""
    x0, y0, x1, y1 = bounds
    if matrix is not None:
        a, b, c, d, e, f = matrix
        if b == 0 == c:
            x0, y0, x1, y1 = a * x0 + e, d * y0 + f, a * x1 + e, d * y1 + f
        else:
            corners = [(a * x + c * y + e, b * x + d * y + f) for x, y in ((x0, y0), (x0, y1), (x1, y0), (x1, y1))]
            xs, ys = [x for x, _ in corners], [y for _, y in corners]
            x0, y0, x1, y1 = min(xs), min(ys), max(xs), max(ys)
    (xa, ya), (xb, yb) = frame.point(x0, y0), frame.point(x1, y1)
    return (xa if xa < xb else xb), (ya if ya < yb else yb), (xb if xa < xb else xa), (yb if ya < yb else ya)


def _times(inner: Matrix, outer: Matrix) -> Matrix:
    """First `inner`, then `outer`."""
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (
        a * p + b * r,
        a * q + b * s,
        c * p + d * r,
        c * q + d * s,
        e * p + f * r + t,
        e * q + f * s + u,
    )


def cut(first: Rect, second: Rect) -> Rect | None:
    """What two rectangles have in common; None where they are apart. Lines without width count."""
    x0, y0, x1, y1 = (
        max(first[0], second[0]),
        max(first[1], second[1]),
        min(first[2], second[2]),
        min(first[3], second[3]),
    )
    return (x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else None


def _within(box: Rect, holder: Rect) -> bool:
    return (
        box[0] >= holder[0] - 0.5
        and box[1] >= holder[1] - 0.5
        and box[2] <= holder[2] + 0.5
        and box[3] <= holder[3] + 0.5
    )


def lightness(colour: tuple[int, ...] | None) -> float | None:
    """Of red, green and blue, as the eye weighs them: 0 to 255."""
    red, green, blue = EYE
    return None if colour is None else red * colour[0] + green * colour[1] + blue * colour[2]
