"""Whether a PDF may have layers that are switched off, or notes upon its pages: asking each page takes time."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass


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


def extras(data: bytes) -> Extras:
    """What the file may have, by its bytes. Where that cannot be told, as of encrypted files, it may have all."""
    if b"/Encrypt" in data:
        return Extras(True, True)
    found = set[str | None]()
    for name in _TELLING.finditer(data):
        found.add(name.lastgroup)
        if name.lastgroup == "bundle":
            found |= _bundled(data, name.end())
    return Extras("layers" in found, "notes" in found)


def _bundled(data: bytes, after: int) -> set[str | None]:
    """What a bundle of objects, of whose dictionary `after` is a part, tells of; all where it cannot be read."""
    begin = _STREAM.search(data, after, after + _NEAR)
    try:
        objects = zlib.decompressobj().decompress(data[begin.end() : begin.end() + _MOST], _MOST) if begin else None
    except zlib.error:
        objects = None
    return {"layers", "notes"} if objects is None else {name.lastgroup for name in _TELLING.finditer(objects)}
