"""What kind of XML a file is, told by its first element, without parsing it."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

from conspectus.core.disk import open_file

HEAD_BYTES = 1 << 16
_NAME = re.compile(r"<(?:[\w.-]+:)?(?P<name>[A-Za-z_][\w.-]*)")
_SKIPPED = (("<?", "?>"), ("<!--", "-->"))
_SUBSET_END = re.compile(r"\]\s*>")


def head_of(path: Path) -> bytes:
    """The first bytes of a file, unpacked if its name ends in `.gz`; none where it cannot be read."""
    try:
        if not path.is_file():  # a named pipe would wait for ever
            return b""
        with open_file(path) as file:
            if not path.name.lower().endswith((".gz", ".tgz")):
                return file.read(HEAD_BYTES)
            with gzip.GzipFile(fileobj=file) as packed:
                return packed.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error):
        return b""


def root_name(head: bytes) -> str:
    """The local name of the first element in the first bytes of a file (`article`), or "" where that is no XML."""
    text = _text(head).lstrip("\ufeff \t\r\n")
    while text.startswith(("<?", "<!")):
        text = _after_prolog(text).lstrip()
    match = _NAME.match(text)
    return match["name"] if match else ""


def _text(head: bytes) -> str:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", "replace")
    return head.decode("utf-8", "replace")


def _after_prolog(text: str) -> str:
    """What comes after the declaration, comment or document type that `text` begins with."""
    for begin, end in _SKIPPED:
        if text.startswith(begin):
            return text.partition(end)[2]
    close, bracket = text.find(">"), text.find("[")
    if 0 <= bracket < close:
        match = _SUBSET_END.search(text, bracket)
        return text[match.end() :] if match else ""
    return text[close + 1 :] if close >= 0 else ""
