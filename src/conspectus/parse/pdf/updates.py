"""Updates of PDF files: objects that are appended and stand for earlier ones of the same numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

_START = re.compile(rb"startxref\s+(\d+)")
_ROOT = re.compile(rb"/Root\s+(\d+\s+\d+\s+R)")


def updated(data: bytes, changed: Mapping[int, bytes], most: int) -> bytes:
    """What is to be appended to a PDF for these objects to stand for those of the same numbers.

    Args:
        data: The file.
        changed: The new objects by number.
        most: The largest number of an object, old or new.
    """
    starts, roots = _START.findall(data), _ROOT.findall(data)
    if not starts or not roots:
        return b""
    base = max(data.find(b"%PDF-"), 0)
    body, places = bytearray(b"\n"), dict[int, int]()
    for number, text in sorted(changed.items()):
        places[number] = len(data) + len(body) - base
        body += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    begin = len(data) + len(body) - base
    previous = int(starts[-1])
    common = b"/Root %s /Prev %d" % (roots[-1], previous)
    if data[base + previous :].lstrip().startswith(b"xref"):
        rows = b"".join(b"%d 1\n%010d 00000 n \n" % place for place in places.items())
        body += b"xref\n%strailer\n<< /Size %d %s >>" % (rows, most + 1, common)
    else:
        places[most + 1] = begin
        index = b" ".join(b"%d 1" % number for number in places)
        rows = b"".join(b"\1" + place.to_bytes(5) + bytes(2) for place in places.values())
        head = b"/Type /XRef /Size %d /W [1 5 2] /Index [%s] /Length %d %s" % (most + 2, index, len(rows), common)
        body += b"%d 0 obj\n<< %s >>\nstream\n%s\nendstream\nendobj" % (most + 1, head, rows)
    return bytes(body) + b"\nstartxref\n%d\n%%%%EOF\n" % begin
