"""Names of glyphs in embedded fonts: Type 1 encodings, and the tables `post` and `CFF ` of TrueType and OpenType."""

from __future__ import annotations

import re
import struct

_PUT = re.compile(rb"dup\s+(\d{1,3})\s*/([^\s/]+)\s+put")
_MACINTOSH = 258
"""Names of format 2 below this number are those of Apple's standard order, of which these two are ligatures."""
_STANDARD = {192: "fi", 193: "fl"}
_SIGNATURES = (b"\x00\x01\x00\x00", b"true", b"OTTO")


def type1_encoding(program: bytes) -> dict[int, str]:
    """The names of a Type 1 font's own encoding, by code."""
    begin = program.find(b"/Encoding")
    if begin < 0 or not program.startswith(b"%!"):
        return {}
    end = program.find(b"eexec", begin)
    found = _PUT.findall(program, begin, end if end > 0 else len(program))
    return {int(code): name.decode("latin-1") for code, name in found}


def post_names(program: bytes) -> dict[int, str]:
    """The names of a TrueType font's glyphs, by number, as its table `post` has them."""
    if program[:4] not in _SIGNATURES:
        return {}
    try:
        return _post(_table(program, b"post"))
    except (struct.error, IndexError):
        return {}


def _table(program: bytes, tag: bytes) -> bytes:
    (count,) = struct.unpack_from(">H", program, 4)
    for i in range(count):
        name, _, offset, length = struct.unpack_from(">4sLLL", program, 12 + 16 * i)
        if name == tag:
            return program[offset : offset + length]
    return b""


def _post(table: bytes) -> dict[int, str]:
    if table[:4] != b"\x00\x02\x00\x00":
        return {}
    (count,) = struct.unpack_from(">H", table, 32)
    numbers = struct.unpack_from(f">{count}H", table, 34)
    own: list[str] = []
    at = 34 + 2 * count
    while at < len(table):
        length = table[at]
        own.append(table[at + 1 : at + 1 + length].decode("latin-1"))
        at += 1 + length
    names: dict[int, str] = {}
    for glyph, number in enumerate(numbers):
        if number in _STANDARD:
            names[glyph] = _STANDARD[number]
        elif number >= _MACINTOSH and number - _MACINTOSH < len(own):
            names[glyph] = own[number - _MACINTOSH]
    return names
