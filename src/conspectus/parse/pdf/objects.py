"""What is drawn on a page besides text: pictures, paths and rules with their boxes."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium

from conspectus.parse.pdf.model import Frame, Graphic, Word
from conspectus.records import Rect

_MOST_OBJECTS = 40_000
"""Pages with more objects than this are cut: what comes later lies in plots that are known by then."""

_DEEPEST = 5
_THIN = 2.5
"""Paths thinner than this many points are rules."""

_SMALL = 12.0
"""Clips are not asked for objects smaller than this many points: it would cost more than it tells."""

_BACKGROUND = 0.7
"""What covers this part of the page is its background."""

_CLIP_POINTS = 64
_CROWD, _PLACE, _MOST_LARGE = 300, 16.0, 1500
"""From so many objects on, small ones are put together that begin in the same square of `_PLACE` points."""

_FIGURE_WORDS = frozenset({"fig", "sch", "pla", "cha", "map", "sup", "ext", "onl"})

Matrix = tuple[float, float, float, float, float, float]


@dataclass(slots=True)
class _Walk:
    """One page's walk: what was found, how many objects were seen, and boxes that need no more detail inside."""

    frame: Frame
    page: Rect
    found: list[Graphic]
    holders: list[Rect]
    turned: bool
    seen: int = 0
    own: Any = field(default_factory=pdfium.FS_MATRIX)


def page_graphics(page: Any, frame: Frame, words: Sequence[Word]) -> list[Graphic]:
    """Pictures, paths and rules of the page in its layout frame, as far as they are seen; no backgrounds.

    Objects that lie wholly within a larger one are mostly left out too, except rules, which table cells are told by.
    Turned text is looked for only where one of the page's `words` may begin a figure's caption: it takes time.
    """
    turned = any(word.text[:3].casefold() in _FIGURE_WORDS for word in words)
    walk = _Walk(frame, (0.0, 0.0, frame.width, frame.height), [], [], turned)
    raw = page.raw
    _objects(walk, lambda i: pdfium.FPDFPage_GetObject(raw, i), pdfium.FPDFPage_CountObjects(raw), None, 0)
    return _gathered(walk.found)


def _gathered(graphics: list[Graphic]) -> list[Graphic]:
    """The same without crowds: small paths of one place, such as the points of a plot, become one."""
    if len(graphics) <= _CROWD:
        return graphics
    large: dict[tuple[str, int, int, int, int], Graphic] = {}
    small: dict[tuple[int, int], Rect] = {}
    for graphic in graphics:
        x0, y0, x1, y1 = graphic.box
        if graphic.kind == "turned" or max(x1 - x0, y1 - y0) > (_PLACE if graphic.kind == "path" else 2 * _PLACE):
            large.setdefault((graphic.kind, int(x0), int(y0), int(x1), int(y1)), graphic)
            continue
        place = int(x0 / _PLACE), int(y0 / _PLACE)
        known = small.get(place, graphic.box)
        small[place] = min(known[0], x0), min(known[1], y0), max(known[2], x1), max(known[3], y1)
    kept = sorted(large.values(), key=lambda g: g.box[0] + g.box[1] - g.box[2] - g.box[3])[:_MOST_LARGE]
    return kept + [Graphic("path", box) for box in small.values()]


def _objects(walk: _Walk, get: Callable[[int], Any], count: int, matrix: Matrix | None, depth: int) -> None:
    kind_of, into = pdfium.FPDFPageObj_GetType, [ctypes.c_float() for _ in range(4)]
    pointers = [ctypes.byref(value) for value in into]
    for i in range(count):
        walk.seen += 1
        if walk.seen > _MOST_OBJECTS:
            return
        item = get(i)
        kind = kind_of(item)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            if walk.turned and _is_turned(walk, item, matrix) and pdfium.FPDFPageObj_GetBounds(item, *pointers):
                bounds = (into[0].value, into[1].value, into[2].value, into[3].value)
                if (box := cut(_framed(walk.frame, bounds, matrix), walk.page)) is not None:
                    walk.found.append(Graphic("turned", box))
            continue
        if kind == pdfium.FPDF_PAGEOBJ_FORM:
            _form(walk, item, matrix, depth)
            continue
        if pdfium.FPDFPageObj_GetBounds(item, *pointers):
            _one(walk, item, kind, (into[0].value, into[1].value, into[2].value, into[3].value), matrix)


def _is_turned(walk: _Walk, item: Any, matrix: Matrix | None) -> bool:
    """Whether a text object runs in another direction than the page's text, as the name of an upright axis does."""
    own = walk.own
    if not pdfium.FPDFPageObj_GetMatrix(item, own):
        return False
    a, b = own.a, own.b
    if matrix is not None:
        a, b = a * matrix[0] + b * matrix[2], a * matrix[1] + b * matrix[3]
    along = (a, b, -a, -b)[walk.frame.turns]  # how far the baseline runs to the reader's right
    return bool(along < 0.9 * math.hypot(a, b))


def _form(walk: _Walk, item: Any, matrix: Matrix | None, depth: int) -> None:
    """The objects of a form, whose own matrix leads to where it is placed."""
    if depth >= _DEEPEST:
        return
    own = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(item, ctypes.byref(own))
    inner = (own.a, own.b, own.c, own.d, own.e, own.f)
    both = inner if matrix is None else _times(inner, matrix)
    _objects(
        walk,
        lambda i: pdfium.FPDFFormObj_GetObject(item, i),
        max(pdfium.FPDFFormObj_CountObjects(item), 0),
        both,
        depth + 1,
    )


def _one(walk: _Walk, item: Any, kind: int, bounds: Rect, matrix: Matrix | None) -> None:
    """Takes up one picture, path or shading."""
    box = cut(_framed(walk.frame, bounds, matrix), walk.page)
    if box is None:
        return
    width, height = box[2] - box[0], box[3] - box[1]
    thin = kind == pdfium.FPDF_PAGEOBJ_PATH and min(width, height) <= _THIN
    if any(_within(box, holder) for holder in walk.holders[-4:]) and not (thin and max(width, height) > 3 * _SMALL):
        return
    if max(width, height) > _SMALL:
        clipped = _clip(walk, item, box, matrix)
        if clipped is None:
            return
        box = clipped
        width, height = box[2] - box[0], box[3] - box[1]
    area = width * height
    if area > _BACKGROUND * walk.frame.width * walk.frame.height:
        return
    if kind == pdfium.FPDF_PAGEOBJ_PATH:
        if area > 400 and _is_unseen(item):
            return
        if min(width, height) <= _THIN:
            walk.found.append(Graphic("rule" if max(width, height) > _SMALL else "path", box))
            return
    walk.found.append(Graphic("image" if kind == pdfium.FPDF_PAGEOBJ_IMAGE else "path", box))
    if area > 2500:
        walk.holders.append(box)


def _clip(walk: _Walk, item: Any, box: Rect, matrix: Matrix | None) -> Rect | None:
    """What of `box` the object's clip paths let through, taken as rectangles; None where nothing is left."""
    clip = pdfium.FPDFPageObj_GetClipPath(item)
    seen: Rect | None = box
    for path in range(max(pdfium.FPDFClipPath_CountPaths(clip), 0)):
        points = _path_points(clip, path)
        if not points or seen is None:
            continue
        xs, ys = [x for x, _ in points], [y for _, y in points]
        seen = cut(seen, _framed(walk.frame, (min(xs), min(ys), max(xs), max(ys)), matrix))
    return seen


def _path_points(clip: Any, path: int) -> list[tuple[float, float]]:
    count = pdfium.FPDFClipPath_CountPathSegments(clip, path)
    if not 0 < count <= _CLIP_POINTS:
        return []
    x, y = ctypes.c_float(), ctypes.c_float()
    points = []
    for i in range(count):
        segment = pdfium.FPDFClipPath_GetPathSegment(clip, path, i)
        if pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
            points.append((x.value, y.value))
    return points


def _is_unseen(item: Any) -> bool:
    """Whether the path is neither filled nor stroked, or wholly transparent."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium.FPDFPath_GetDrawMode(item, ctypes.byref(fill), ctypes.byref(stroke)):
        return False
    if stroke.value:
        return False
    parts = [ctypes.c_uint() for _ in range(4)]
    known = pdfium.FPDFPageObj_GetFillColor(item, *map(ctypes.byref, parts))
    return not fill.value or (bool(known) and parts[3].value == 0)


def _framed(frame: Frame, bounds: Rect, matrix: Matrix | None) -> Rect:
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


def _times(one: Matrix, two: Matrix) -> Matrix:
    """First `one`, then `two`."""
    a, b, c, d, e, f = one
    p, q, r, s, t, u = two
    return (
        a * p + b * r,
        a * q + b * s,
        c * p + d * r,
        c * q + d * s,
        e * p + f * r + t,
        e * q + f * s + u,
    )


def cut(one: Rect, two: Rect) -> Rect | None:
    """What two rectangles have in common; None where they are apart. Lines without width count."""
    x0, y0, x1, y1 = max(one[0], two[0]), max(one[1], two[1]), min(one[2], two[2]), min(one[3], two[3])
    return (x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else None


def _within(box: Rect, holder: Rect) -> bool:
    return (
        box[0] >= holder[0] - 0.5
        and box[1] >= holder[1] - 0.5
        and box[2] <= holder[2] + 0.5
        and box[3] <= holder[3] + 0.5
    )
