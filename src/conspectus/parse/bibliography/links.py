"""How bibliographies name local files: JabRef, Zotero, Mendeley, EndNote, plain paths. Addresses are no files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

_PLAIN_COLON = re.compile(r"(?<!\\):")
_PLAIN_SEMICOLON = re.compile(r"(?<!\\);")
_ESCAPE = re.compile(r"\\([:;\\_&%#$ ~{}])")
_DRIVE = re.compile(r"[A-Za-z]")
_ADDRESS = re.compile(
    r"(?!file:)[a-z][a-z0-9+.-]{1,30}+:(?://|\\\\)|(?:https?|ftp|mailto|doi|urn|data|zotero|javascript):", re.I
)
_KIND = re.compile(r"[\w.+-]+/[\w.+-]+|[A-Za-z][\w +-]{0,20}")
_ROOTED = re.compile(r"(?:home|Users|root|mnt|media|Volumes|export|data)/", re.A)
_LATEX_BACKSLASH = re.compile(r"\{?\$\\backslash\$\}?|\\textbackslash(?:\{\}| )?")
MOST = 100
"""More files of one record are not looked at."""


def bibtex_files(text: str) -> tuple[str, ...]:
    """The paths in a BibTeX `file` field: `desc:path:type;…`, `path;…` or a path."""
    text = _LATEX_BACKSLASH.sub(r"\\", text.strip())
    return _distinct(_entry(part) for part in _PLAIN_SEMICOLON.split(text))


def plain_files(values: Iterable[str]) -> tuple[str, ...]:
    """Paths and `file:` addresses, as RIS and EndNote write them; several in one value apart by `;`."""
    return _distinct(local_path(part) for value in values for part in re.split(r";(?=\s|$|file:|internal-pdf:)", value))


def local_path(text: str) -> str:
    """The path that a plain path or a `file:` address means, with `/` between its parts; "" for other addresses."""
    text = text.strip()
    if text.lower().startswith("file:"):
        text = unquote(text[5:])
        host, slash, rest = text[2:].partition("/") if text.startswith("//") else ("", "", "")
        if host.lower() not in ("", "localhost"):
            return ""
        text = slash + rest if slash else text
        text = text[1:] if re.match(r"/[A-Za-z]:", text) else text
    elif text.lower().startswith("internal-pdf:"):
        return unquote(text[13:].lstrip("/"))
    elif _ADDRESS.match(text):
        return ""
    path = text.replace("\\", "/") if "/" not in text or re.match(r"[A-Za-z]:\\", text) else text
    return "" if path.startswith("//") or "\0" in path else path


def _entry(part: str) -> str:
    """The path in one part of a `file` field."""
    cells = _PLAIN_COLON.split(part.strip())
    cells = _joined_drives(cells)
    if len(cells) == 1:
        return local_path(_unescaped(cells[0]))
    if len(cells) == 2 and (cells[0].lower() in ("file", "internal-pdf") or _ADDRESS.match(part.strip())):
        return local_path(_unescaped(part))
    if len(cells) == 2 and not _KIND.fullmatch(cells[1].strip()):
        return local_path(_unescaped(cells[1]))
    path = _unescaped(cells[1] if len(cells) > 2 or not cells[0].strip() else cells[0])
    mendeley = not cells[0].strip() and cells[-1] == cells[-1].lower() and _ROOTED.match(path)
    return local_path(f"/{path}" if mendeley else path)


def _joined_drives(cells: list[str]) -> list[str]:
    """The cells, with `C` and the path behind its colon as one, as not all programs escape that colon."""
    found: list[str] = []
    for cell in cells:
        if found and _DRIVE.fullmatch(found[-1]) and cell.startswith(("/", "\\")):
            found[-1] += f":{cell}"
        else:
            found.append(cell)
    return found


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(r"\1", text).strip()


def _distinct(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in paths if path))[:MOST]
