"""Opening PDF files, and what PDFium says about a whole document or page. Its errors become ours here."""

from __future__ import annotations

import ctypes
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from conspectus.core.disk import open_file, read_file
from conspectus.core.errors import EncryptedError, InputError, LimitError
from conspectus.parse.files.streams import cannot_open
from conspectus.parse.pdf.ligatures import restate_ligatures
from conspectus.parse.pdf.page_text import PageFrame, Word, overlap
from conspectus.parse.pdf.thresholds import SIGHT
from conspectus.records import Rect

MOST_PAGES = 5000
"""More pages than any paper, thesis or volume of proceedings has."""
_STAMPED = 40
"""Libraries stamp their scans with at most so many words."""
_HEADER_WITHIN = 1024
"""Readers accept rubbish before the header up to here, and so do we."""


@contextmanager
def open_document(path: Path, *, for_text: bool = False) -> Iterator[Any]:
    """The `pypdfium2.PdfDocument` at `path`, closed afterwards.

    Args:
        path: The file.
        for_text: Whether its tables to Unicode are to say the ligatures that its fonts name.

    Raises:
        EncryptedError: The file asks for a password.
        InputError: The file is missing, damaged or not a PDF.
    """
    _check(path)
    try:
        document = (_restate_ligatures(path) if for_text else None) or pypdfium2.PdfDocument(path)
        count = len(document)
    except pypdfium2.PdfiumError as error:
        raise _as_ours(path) from error
    try:
        if count > MOST_PAGES:
            raise LimitError(f"'{path.name}' has {count:,} pages, more than {MOST_PAGES:,}.", "Split the file.")
        if not count:
            raise InputError(f"'{path.name}' has no pages.", "Download or export the file again.")
        yield document
    finally:
        document.close()


def _restate_ligatures(path: Path) -> Any:
    """The document with ligatures as its fonts name them; None where nothing is wrong, or PDFium takes no update."""
    data = read_file(path, 2**31)
    update = restate_ligatures(data)
    try:
        document = pypdfium2.PdfDocument(data + update) if update else None
    except pypdfium2.PdfiumError:
        return None
    return document if document and len(document) else None


def _check(path: Path) -> None:
    """Whether the file begins like a PDF: PDFium's own message would not tell a wrong file from a damaged one."""
    try:
        with open_file(path) as file:
            head = file.read(_HEADER_WITHIN)
    except OSError as error:
        raise cannot_open(path.name, error) from error
    if not head:
        raise InputError(f"'{path.name}' is empty (0 bytes).", "Download or export the file again.")
    if b"%PDF-" not in head:
        hint = "It looks like a web page: the download may have met a login." if b"<html" in head.lower() else ""
        raise InputError(f"'{path.name}' is not a PDF file.", hint or "Check that the name's ending says what it is.")


def _as_ours(path: Path) -> InputError:
    code = pdfium.FPDF_GetLastError()
    if code == pdfium.FPDF_ERR_PASSWORD:
        return EncryptedError(f"'{path.name}' asks for a password.", "Save a copy without one and add that.")
    if code == pdfium.FPDF_ERR_SECURITY:
        return EncryptedError(
            f"'{path.name}' is protected in a way that cannot be read.", "Save a copy without protection."
        )
    return InputError(f"'{path.name}' is damaged or cut short.", "Download or export the file again.")


def visible_box(page: Any) -> Rect:
    """The part of the page that is displayed, in PDF user space: left, bottom, right, top."""
    box = pdfium.FS_RECTF()
    if pdfium.FPDF_GetPageBoundingBox(page.raw, box):
        return box.left, box.bottom, box.right, box.top
    width, height = page.get_size()
    return 0.0, 0.0, width, height


def is_scan(page: Any, frame: PageFrame, words: list[Word]) -> bool:
    """Whether pictures cover most of the page and there are no words, or only such as are stamped on its edges."""
    if len(words) > _STAMPED or not all(_on_edge(word, frame) for word in words):
        return False
    width, height = page.get_size()
    least: float = (SIGHT.pictured if words else SIGHT.scanned) * width * height
    pictures = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=4)
    return sum(overlap(picture.get_bounds(), (0.0, 0.0, width, height)) for picture in pictures) > least  # or stripes


def _on_edge(word: Word, frame: PageFrame) -> bool:
    side, top = SIGHT.edge * frame.width, SIGHT.edge * frame.height
    at_side = word.x1 < side or word.x0 > frame.width - side
    return at_side or word.base < top or word.top > frame.height - top


def quarter_turns(page: Any) -> int:
    """The clockwise quarter turns with which the page is displayed: 0 to 3."""
    return int(page.get_rotation()) // 90 % 4


def document_info(document: Any) -> dict[str, str]:
    """The document information dictionary: Title, Author, Subject, Keywords, CreationDate …, without empty ones."""
    return {key: value.strip() for key, value in document.get_metadata_dict(skip_empty=True).items() if value.strip()}


def _names(*texts: str) -> str:
    """A pattern for names, each letter of which may be written as its number."""
    return "|".join("".join(f"(?:{letter}|#(?i:{ord(letter):02x}))" for letter in text) for text in texts)


_LAYERS = _names("OCG", "OCMD", "OCProperties")
_NOTES = _names("AP", "Square", "Circle", "Ink", "Stamp", "FreeText", "Redact", "Highlight", "StrikeOut", "Underline")
"""Notes with an appearance, and those that PDFium gives one."""
_TELLING = re.compile(f"/(?:(?P<layers>{_LAYERS})|(?P<notes>{_NOTES})|(?P<bundle>{_names('ObjStm')}))".encode())
_STREAM = re.compile(rb"stream\r?\n")
_NEAR, _MOST = 2000, 32 * 2**20
"""Where a bundle's data begin after its name, and how much of them is looked at, in bytes."""


@dataclass(frozen=True, slots=True)
class Extras:
    """Whether the file may have optional parts (`layers`), and `notes` that cover something. Links are none."""

    layers: bool
    notes: bool


def find_extras(data: bytes) -> Extras:
    """What the file may have, by its bytes. Where that cannot be told, as of encrypted files, it may have all."""
    if b"/Encrypt" in data:
        return Extras(True, True)
    kinds = set[str | None]()
    for name in _TELLING.finditer(data):
        kinds.add(name.lastgroup)
        if name.lastgroup == "bundle":
            kinds |= _bundled(data, name.end())
    return Extras("layers" in kinds, "notes" in kinds)


def _bundled(data: bytes, after: int) -> set[str | None]:
    """What a bundle of objects, of whose dictionary `after` is a part, tells of; all where it cannot be read."""
    begin = _STREAM.search(data, after, after + _NEAR)
    try:
        objects = zlib.decompressobj().decompress(data[begin.end() : begin.end() + _MOST], _MOST) if begin else None
    except zlib.error:
        objects = None
    return {"layers", "notes"} if objects is None else {name.lastgroup for name in _TELLING.finditer(objects)}


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
