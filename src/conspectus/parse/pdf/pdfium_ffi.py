"""Functions of PDFium that take and give addresses as numbers: cheaper for what is called for every glyph or object."""

from __future__ import annotations

import ctypes
from typing import Any

import pypdfium2.raw as pdfium

from conspectus.records import Rect

_ADDRESS, _INT = ctypes.c_void_p, ctypes.c_int


def _bare(result: Any, function: Any, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *arguments)(ctypes.cast(function, _ADDRESS).value or 0)


text_matrix = _bare(_INT, pdfium.FPDFText_GetMatrix, _ADDRESS, _INT, _ADDRESS)
# Without types, which take a third of a call's time: addresses are given as pointers or `c_void_p`, never as numbers.
untyped_object = _bare(_ADDRESS, pdfium.FPDFText_GetTextObject)
untyped_box = _bare(_INT, pdfium.FPDFText_GetLooseCharBox)
untyped_matrix = _bare(_INT, pdfium.FPDFText_GetMatrix)
untyped_origin = _bare(_INT, pdfium.FPDFText_GetCharOrigin)
char_box = _bare(_INT, pdfium.FPDFText_GetCharBox, _ADDRESS, _INT, *[_ADDRESS] * 4)
font_size = _bare(ctypes.c_double, pdfium.FPDFText_GetFontSize, _ADDRESS, _INT)
font_info = _bare(ctypes.c_ulong, pdfium.FPDFText_GetFontInfo, _ADDRESS, _INT, _ADDRESS, ctypes.c_ulong, _ADDRESS)
page_object = _bare(_ADDRESS, pdfium.FPDFPage_GetObject, _ADDRESS, _INT)
form_object = _bare(_ADDRESS, pdfium.FPDFFormObj_GetObject, _ADDRESS, ctypes.c_ulong)
form_count = _bare(_INT, pdfium.FPDFFormObj_CountObjects, _ADDRESS)
kind_of = _bare(_INT, pdfium.FPDFPageObj_GetType, _ADDRESS)
bounds_of = _bare(_INT, pdfium.FPDFPageObj_GetBounds, _ADDRESS, *[_ADDRESS] * 4)
matrix_of = _bare(_INT, pdfium.FPDFPageObj_GetMatrix, _ADDRESS, _ADDRESS)
clip_of = _bare(_ADDRESS, pdfium.FPDFPageObj_GetClipPath, _ADDRESS)
clip_paths = _bare(_INT, pdfium.FPDFClipPath_CountPaths, _ADDRESS)
clip_segments = _bare(_INT, pdfium.FPDFClipPath_CountPathSegments, _ADDRESS, _INT)
clip_segment = _bare(_ADDRESS, pdfium.FPDFClipPath_GetPathSegment, _ADDRESS, _INT, _INT)
segment_point = _bare(_INT, pdfium.FPDFPathSegment_GetPoint, _ADDRESS, _ADDRESS, _ADDRESS)
draw_mode = _bare(_INT, pdfium.FPDFPath_GetDrawMode, _ADDRESS, _ADDRESS, _ADDRESS)
fill_colour = _bare(_INT, pdfium.FPDFPageObj_GetFillColor, _ADDRESS, *[_ADDRESS] * 4)
stroke_colour = _bare(_INT, pdfium.FPDFPageObj_GetStrokeColor, _ADDRESS, *[_ADDRESS] * 4)
stroke_width = _bare(_INT, pdfium.FPDFPageObj_GetStrokeWidth, _ADDRESS, _ADDRESS)
is_transparent = _bare(_INT, pdfium.FPDFPageObj_HasTransparency, _ADDRESS)
set_fill = _bare(_INT, pdfium.FPDFPageObj_SetFillColor, _ADDRESS, *[ctypes.c_uint] * 4)
set_stroke = _bare(_INT, pdfium.FPDFPageObj_SetStrokeColor, _ADDRESS, *[ctypes.c_uint] * 4)
set_active = _bare(_INT, pdfium.FPDFPageObj_SetIsActive, _ADDRESS, _INT)
count_marks = _bare(_INT, pdfium.FPDFPageObj_CountMarks, _ADDRESS)
mark_of = _bare(_ADDRESS, pdfium.FPDFPageObj_GetMark, _ADDRESS, ctypes.c_ulong)
mark_name = _bare(_INT, pdfium.FPDFPageObjMark_GetName, _ADDRESS, _ADDRESS, ctypes.c_ulong, _ADDRESS)
render_mode = _bare(_INT, pdfium.FPDFTextObj_GetTextRenderMode, _ADDRESS)
font_of = _bare(_ADDRESS, pdfium.FPDFTextObj_GetFont, _ADDRESS)
_VALUES = (ctypes.c_uint * 4)()
_AT = tuple(ctypes.addressof(_VALUES) + 4 * i for i in range(4))
"""One place for all answers: PDFium is not to be called by two threads anyway."""


def colour_of(getter: Any, item: int) -> tuple[int, int, int, int] | None:
    """Red, green, blue and opacity (0 to 255) by `fill_colour` or `stroke_colour`; None where it is no plain colour."""
    if not getter(item, *_AT):
        return None
    red, green, blue, opacity = _VALUES
    return red, green, blue, opacity


def box_of(raw: Any, i: int) -> Rect:
    """The tight box of a text page's glyph; PDFium's loose one is right for upright text only."""
    values = (ctypes.c_double * 4)()
    at = ctypes.addressof(values)
    char_box(ctypes.cast(raw, _ADDRESS), i, at, at + 8, at + 16, at + 24)
    left, right, bottom, top = values
    return left, bottom, right, top
