"""Whether a PDF has optional parts (layers), which may be switched off: PDFium draws by them, but does not tell."""

from __future__ import annotations

import re
import zlib


def _name(text: str) -> str:
    """A pattern for a name, each letter of which may be written as its number."""
    return "/" + "".join(f"(?:{letter}|#(?i:{ord(letter):02x}))" for letter in text)


_SWITCH = re.compile("|".join(map(_name, ("OCG", "OCMD", "OCProperties"))).encode())
_BUNDLE = re.compile(_name("ObjStm").encode())
_STREAM = re.compile(rb"stream\r?\n")
_NEAR, _MOST = 2000, 32 * 2**20
"""Where a bundle's data begin after its name, and how much of them is looked at, in bytes."""


def may_switch(data: bytes) -> bool:
    """Whether the file may have optional parts. Where that cannot be told, as of encrypted files, it may."""
    if b"/Encrypt" in data or _SWITCH.search(data):
        return True
    return any(_in_bundle(data, found.end()) for found in _BUNDLE.finditer(data))


def _in_bundle(data: bytes, after: int) -> bool:
    """Whether a bundle of objects, whose dictionary is at hand, names such parts or cannot be read."""
    found = _STREAM.search(data, after, after + _NEAR)
    if found is None:
        return True
    try:
        objects = zlib.decompressobj().decompress(data[found.end() : found.end() + _MOST], _MOST)
    except zlib.error:
        return True
    return _SWITCH.search(objects) is not None
